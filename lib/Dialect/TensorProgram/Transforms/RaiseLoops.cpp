//===- RaiseLoops.cpp - From loops to linalg ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopStatements.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "relax-raise-loops"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::tp;

namespace mlir::relax::tp {
#define GEN_PASS_DEF_RAISELOOPSPASS
#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h.inc"
} // namespace mlir::relax::tp

/// The attribute that a fusion pass would read may be wrong after the change.
static void dropPatternKind(ProgramOp program) { program->removeAttr(kPatternKindAttrName); }

namespace {
/// Writes the tensor form of a program that was analyzed successfully.
class Raiser {
public:
  Raiser(ProgramOp program, const LoopStatements &statements)
      : program(program), statements(statements), builder(program.getContext()) {}

  void raise() {
    convertSignature();
    for (Operation &op : llvm::make_early_inc_range(program.getBody().front())) {
      builder.setInsertionPoint(&op);
      if (auto it = statements.getNests().find(&op); it != statements.getNests().end()) {
        for (const LoopStatement &statement : it->second)
          current[statement.store.buffer] = emitStatement(statement);
        toErase.push_back(&op);
      } else if (isa<memref::AllocOp, memref::AllocaOp>(op)) {
        emitLocalBuffer(op);
      } else if (isa<memref::DeallocOp>(op)) {
        toErase.push_back(&op);
      } else if (auto dim = dyn_cast<memref::DimOp>(op)) {
        dim.replaceAllUsesWith(emitDim(dim, builder));
        toErase.push_back(dim);
      }
    }
    emitYield();
    for (Operation *op : llvm::reverse(toErase))
      op->erase();
    dropPatternKind(program);
  }

private:
  static RankedTensorType getTensorType(Type type) {
    auto memref = cast<MemRefType>(type);
    return RankedTensorType::get(memref.getShape(), memref.getElementType());
  }

  /// Arguments become tensors in place: the statements keep naming their buffers by them.
  void convertSignature() {
    SmallVector<Type> types;
    for (BlockArgument argument : program.getBody().getArguments()) {
      if (isa<MemRefType>(argument.getType())) {
        argument.setType(getTensorType(argument.getType()));
        original[argument] = argument;
        current[argument] = argument;
      }
      types.push_back(argument.getType());
    }
    program.setFunctionType(builder.getFunctionType(types, program.getResultTypes()));
  }

  void emitLocalBuffer(Operation &alloc) {
    Value buffer = alloc.getResult(0);
    auto empty = tensor::EmptyOp::create(builder, alloc.getLoc(), getTensorType(buffer.getType()), alloc.getOperands());
    original[buffer] = empty;
    current[buffer] = empty;
    toErase.push_back(&alloc);
  }

  Value emitDim(memref::DimOp dim, OpBuilder &at) {
    return tensor::DimOp::create(at, dim.getLoc(), original.lookup(dim->getOperand(0)), dim->getOperand(1));
  }

  Value emitStatement(const LoopStatement &statement);
  Value tryFill(const LoopStatement &statement, Value init);
  void emitBody(const LoopStatement &statement, OpBuilder &body, ValueRange args, ArrayRef<LoopAccess> loads,
                ArrayRef<unsigned> loadArgs);
  void emitYield();

  ProgramOp program;
  const LoopStatements &statements;
  OpBuilder builder;
  llvm::DenseMap<Value, Value> original; // buffer -> the tensor that it starts as
  llvm::DenseMap<Value, Value> current;  // buffer -> the tensor that it holds here
  SmallVector<Operation *> toErase;
};
} // namespace

void Raiser::emitYield() {
  YieldOp yield = program.getYield();
  builder.setInsertionPoint(yield);
  SmallVector<Value> values;
  for (BlockArgument out : program.getOuts())
    values.push_back(current.lookup(out));
  llvm::append_range(values, yield.getOperands());
  YieldOp::create(builder, yield.getLoc(), values);
  yield.erase();
}

/// A store of one value everywhere is a fill, which later passes know as an initial value.
Value Raiser::tryFill(const LoopStatement &statement, Value init) {
  if (!statement.loads.empty() || !statement.accumulators.empty() || !statement.store.map.isIdentity() ||
      llvm::is_contained(statement.ivs, statement.value))
    return {};
  Value value = statement.value;
  if (!statement.scalars.empty()) {
    Operation *constant = statement.value.getDefiningOp();
    if (statement.scalars.size() != 1 || statement.scalars.front() != constant || constant->getNumOperands() != 0)
      return {};
    value = builder.clone(*constant)->getResult(0);
  }
  return linalg::FillOp::create(builder, statement.store.op->getLoc(), value, init).getResult(0);
}

/// The store covers the whole buffer, so what it held before matters only when the statement reads it. A parallel
/// statement that does so takes it as one more input, which fuses better than an output that is read.
Value Raiser::emitStatement(const LoopStatement &statement) {
  Value buffer = statement.store.buffer;
  bool reduces = llvm::is_contained(statement.iterators, utils::IteratorType::reduction);
  Value init = reduces ? current.lookup(buffer) : original.lookup(buffer);
  if (Value filled = tryFill(statement, init))
    return filled;

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<unsigned> loadArgs; // the block argument of each load
  SmallVector<LoopAccess> loads = statement.loads;
  if (!reduces)
    llvm::append_range(loads, statement.accumulators);
  for (const LoopAccess &load : loads) {
    Value tensor = current.lookup(load.buffer);
    unsigned index = 0;
    while (index != inputs.size() && (inputs[index] != tensor || maps[index] != load.map))
      ++index;
    if (index == inputs.size()) {
      inputs.push_back(tensor);
      maps.push_back(load.map);
    }
    loadArgs.push_back(index);
  }
  maps.push_back(statement.store.map);
  auto generic = linalg::GenericOp::create(
      builder, statement.store.op->getLoc(), init.getType(), inputs, init, maps, statement.iterators,
      [&](OpBuilder &body, Location, ValueRange args) { emitBody(statement, body, args, loads, loadArgs); });
  return generic.getResult(0);
}

void Raiser::emitBody(const LoopStatement &statement, OpBuilder &body, ValueRange args, ArrayRef<LoopAccess> loads,
                      ArrayRef<unsigned> loadArgs) {
  IRMapping mapping;
  for (const LoopAccess &accumulator : statement.accumulators)
    mapping.map(accumulator.op->getResult(0), args.back());
  for (auto [load, index] : llvm::zip(loads, loadArgs))
    mapping.map(load.op->getResult(0), args[index]);
  auto mapIv = [&](Value value) {
    const auto *it = llvm::find(statement.ivs, value);
    if (it != statement.ivs.end() && !mapping.contains(value))
      mapping.map(value, linalg::IndexOp::create(body, statement.store.op->getLoc(), it - statement.ivs.begin()));
  };
  for (Operation *op : statement.scalars) {
    if (auto dim = dyn_cast<memref::DimOp>(op)) {
      mapIv(dim->getOperand(1));
      Value index = mapping.lookupOrDefault(dim->getOperand(1));
      mapping.map(dim.getResult(),
                  tensor::DimOp::create(body, dim.getLoc(), original.lookup(dim->getOperand(0)), index).getResult());
      continue;
    }
    for (Value operand : op->getOperands())
      mapIv(operand);
    body.clone(*op, mapping);
  }
  mapIv(statement.value);
  linalg::YieldOp::create(body, statement.store.op->getLoc(), mapping.lookupOrDefault(statement.value));
}

LogicalResult tp::raiseToTensorForm(ProgramOp program, std::string &reason, Operation *&where) {
  LoopStatements statements(program);
  if (!program.isBufferForm()) {
    reason = "the program is in tensor form";
    where = program;
    return failure();
  }
  if (failed(statements.analyze())) {
    reason = statements.getReason().str();
    where = statements.getCulprit();
    return failure();
  }
  Raiser(program, statements).raise();
  return success();
}

namespace {
struct RaiseLoopsPass final : tp::impl::RaiseLoopsPassBase<RaiseLoopsPass> {
  void runOnOperation() override {
    for (ProgramOp program : getOperation().getOps<ProgramOp>()) {
      if (!program.isBufferForm())
        continue;
      std::string reason;
      Operation *where = nullptr;
      if (succeeded(raiseToTensorForm(program, reason, where))) {
        remark::passed(program.getLoc(), remark::RemarkOpts::name("Raised").category(DEBUG_TYPE))
            << ("raised @" + program.getSymName()).str();
        continue;
      }
      remark::missed(where->getLoc(), remark::RemarkOpts::name("NotRaised").category(DEBUG_TYPE))
          << ("@" + program.getSymName() + " stays as it is: " + reason).str();
    }
  }
};
} // namespace
