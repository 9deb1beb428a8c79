//===- ConvertTensorProgramToFunc.cpp - From programs to functions --------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::tp;

namespace mlir::relax::tp {
#define GEN_PASS_DEF_CONVERTTENSORPROGRAMTOFUNCPASS
#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h.inc"
} // namespace mlir::relax::tp

namespace {
/// Converts one program. The region moves into the function, so nothing in it is copied.
class Converter {
public:
  Converter(ProgramOp program, bool tensors) : program(program), tensors(tensors), builder(program.getContext()) {}

  void convert() {
    builder.setInsertionPoint(program);
    numOuts = program.getNumOuts();
    firstOut = program.getNumInputs();
    bool isTensorForm = !program.isBufferForm();
    function = createFunction();
    function.getBody().takeBody(program.getBody());
    entry = &function.getBody().front();
    if (!tensors)
      errorWord = entry->addArgument(getErrorType(), program.getLoc());
    if (isTensorForm && !tensors)
      bufferizeArguments();
    convertYield(isTensorForm && !tensors);
    convertAssertions();
    program.erase();
  }

private:
  MemRefType getErrorType() { return MemRefType::get({1}, builder.getI64Type()); }

  func::FuncOp createFunction();
  void bufferizeArguments();
  void replaceOut(BlockArgument out);
  void convertYield(bool materialize);
  void convertAssertions();

  ProgramOp program;
  const bool tensors;
  OpBuilder builder;
  func::FuncOp function;
  Block *entry = nullptr;
  Value errorWord;
  unsigned numOuts = 0, firstOut = 0;
};
} // namespace

func::FuncOp Converter::createFunction() {
  SmallVector<Type> types, results;
  for (Type type : program.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    types.push_back(tensor && !tensors ? MemRefType::get(tensor.getShape(), tensor.getElementType()) : type);
  }
  if (tensors && !program.isBufferForm())
    for (BlockArgument out : program.getOuts())
      results.push_back(out.getType());
  llvm::append_range(results, program.getResultTypes());
  if (!tensors)
    types.push_back(getErrorType());

  auto created =
      func::FuncOp::create(builder, program.getLoc(), program.getSymName(), builder.getFunctionType(types, results));
  if (StringAttr visibility = program.getSymVisibilityAttr())
    created.setSymVisibilityAttr(visibility);
  for (NamedAttribute attr : program->getDiscardableAttrs())
    created->setAttr(attr.getName(), attr.getValue());
  for (unsigned index = 0; index != program.getNumArguments(); ++index)
    created.setArgAttrs(index, function_interface_impl::getArgAttrs(program, index));
  created->setAttr(kSegmentsAttrName, program.getSegmentsAttr());
  return created;
}

/// What an out holds at entry is unspecified, so each reading of it becomes a tensor.empty of its own: bufferization
/// then may put the final result straight into the buffer.
void Converter::replaceOut(BlockArgument out) {
  auto type = cast<MemRefType>(out.getType());
  auto tensorType = RankedTensorType::get(type.getShape(), type.getElementType());
  SmallVector<Value> sizes;
  for (OpOperand &use : llvm::make_early_inc_range(out.getUses())) {
    Operation *user = use.getOwner();
    builder.setInsertionPoint(user);
    if (auto dim = dyn_cast<tensor::DimOp>(user)) {
      dim.replaceAllUsesWith(memref::DimOp::create(builder, dim.getLoc(), out, dim.getIndex()).getResult());
      dim.erase();
      continue;
    }
    if (sizes.empty()) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(entry);
      for (int64_t index = 0; index != type.getRank(); ++index)
        if (type.isDynamicDim(index))
          sizes.push_back(memref::DimOp::create(builder, out.getLoc(), out, index));
    }
    use.set(tensor::EmptyOp::create(builder, user->getLoc(), tensorType, sizes));
  }
}

void Converter::bufferizeArguments() {
  ArrayRef<int32_t> segments = program.getSegments();
  unsigned numBuffers = segments[0] + segments[1] + segments[2];
  for (unsigned index = 0; index != numBuffers; ++index) {
    BlockArgument argument = entry->getArgument(index);
    Type tensorType = argument.getType();
    argument.setType(function.getArgumentTypes()[index]);
    if (index >= firstOut && index < firstOut + numOuts) {
      replaceOut(argument);
      continue;
    }
    if (argument.use_empty())
      continue;
    builder.setInsertionPointToStart(entry);
    auto tensor = bufferization::ToTensorOp::create(builder, argument.getLoc(), tensorType, argument, /*restrict=*/true,
                                                    /*writable=*/index >= firstOut);
    argument.replaceAllUsesExcept(tensor.getResult(), tensor);
  }
}

void Converter::convertYield(bool materialize) {
  auto yield = cast<YieldOp>(entry->getTerminator());
  builder.setInsertionPoint(yield);
  SmallVector<Value> results = llvm::to_vector(yield.getOperands());
  if (materialize) {
    for (unsigned index = 0; index != numOuts; ++index)
      bufferization::MaterializeInDestinationOp::create(builder, yield.getLoc(), /*result=*/Type(), results[index],
                                                        entry->getArgument(firstOut + index), /*restrict=*/true,
                                                        /*writable=*/true);
    results.erase(results.begin(), results.begin() + numOuts);
  }
  func::ReturnOp::create(builder, yield.getLoc(), results);
  yield.erase();
}

/// The word keeps the first error: only a zero is replaced, in one atomic step because parts of a kernel run
/// concurrently.
static void reportError(OpBuilder &builder, Location loc, Value errorWord, int64_t code) {
  Value zeroIndex = arith::ConstantIndexOp::create(builder, loc, 0);
  auto update = memref::GenericAtomicRMWOp::create(builder, loc, errorWord, ValueRange(zeroIndex));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&update.getRegion().front());
  Value old = update.getCurrentValue();
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
  Value isFree = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, old, zero);
  Value word = arith::ConstantIntOp::create(builder, loc, code, 64);
  memref::AtomicYieldOp::create(builder, loc, arith::SelectOp::create(builder, loc, isFree, word, old));
}

void Converter::convertAssertions() {
  llvm::MapVector<Attribute, int64_t> sites; // equal messages share a site
  function.walk([&](AssertOp op) {
    builder.setInsertionPoint(op);
    if (tensors) {
      cf::AssertOp::create(builder, op.getLoc(), op.getCondition(), op.getMessageAttr());
      op.erase();
      return;
    }
    int64_t site = sites.insert({op.getMessageAttr(), static_cast<int64_t>(sites.size())}).first->second;
    Value isTrue = arith::ConstantIntOp::create(builder, op.getLoc(), 1, 1);
    Value failed = arith::XOrIOp::create(builder, op.getLoc(), op.getCondition(), isTrue);
    auto branch = scf::IfOp::create(builder, op.getLoc(), failed, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    reportError(builder, op.getLoc(), errorWord, site + 1);
    op.erase();
  });
  if (sites.empty())
    return;
  auto messages = llvm::map_to_vector(sites, [](const auto &site) { return site.first; });
  function->setAttr(kSitesAttrName, builder.getArrayAttr(messages));
}

namespace {
struct ConvertTensorProgramToFuncPass final
    : tp::impl::ConvertTensorProgramToFuncPassBase<ConvertTensorProgramToFuncPass> {
  using Base::Base;

  void runOnOperation() override {
    for (ProgramOp program : llvm::make_early_inc_range(getOperation().getOps<ProgramOp>())) {
      if (tensors && program.isBufferForm()) {
        program.emitError("tensor program is in buffer form and cannot become a function over tensors");
        return signalPassFailure();
      }
      Converter(program, tensors).convert();
    }
  }
};
} // namespace
