//===- MixedPrecision.cpp - Products of fewer bits ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Only what is multiplied is rounded. Sums, and with them results, stay f32, so
// that nothing else of the graph changes its type, and no product overflows that
// did not before.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphProducts.h"
#include "RelaxDialect/Dialect/Graph/Transforms/WeightBytes.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/PatternKinds.h"
#include "RelaxDialect/Transforms/PrecisionPasses.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <map>

#define DEBUG_TYPE "relax-mixed-precision"

using namespace mlir;
using namespace mlir::relax;
using tp::PatternKind;

namespace mlir::relax {
#define GEN_PASS_DEF_MIXEDPRECISIONPASS
#include "RelaxDialect/Transforms/PrecisionPasses.h.inc"
} // namespace mlir::relax

/// Operands of `op` whose elements it multiplies with each other and sums in f32, when one of them is read several
/// times; none for other ops.
static SmallVector<OpOperand *> getFactors(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return {};
  Block *body = op.getBlock();
  auto sum = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  Value init = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  if (!sum || !sum.getType().isF32() || (sum.getLhs() != init && sum.getRhs() != init))
    return {};
  auto product = (sum.getLhs() == init ? sum.getRhs() : sum.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!product)
    return {};
  SmallVector<OpOperand *> factors;
  bool isProduct = false;
  for (Value factor : product->getOperands()) {
    auto argument = dyn_cast<BlockArgument>(factor);
    if (!argument || argument == init || argument.getOwner() != body || !argument.hasOneUse())
      return {};
    factors.push_back(op.getMatchingOpOperand(argument));
    isProduct |= tp::computeOperandKind(op, factors.back()) == PatternKind::Contraction;
  }
  return isProduct ? factors : SmallVector<OpOperand *>();
}

/// Inputs of a program that only products read, as factors.
static SmallVector<unsigned> getFactorInputs(tp::ProgramOp program) {
  SmallVector<OpOperand *> factors;
  program.walk([&](linalg::LinalgOp op) { llvm::append_range(factors, getFactors(op)); });
  SmallVector<unsigned> inputs;
  for (BlockArgument input : program.getInputs()) {
    bool isFactor = false, isOther = false;
    for (OpOperand &use : input.getUses())
      if (llvm::is_contained(factors, &use))
        isFactor = true;
      else
        isOther |= !isa<tensor::DimOp>(use.getOwner());
    if (isFactor && !isOther)
      inputs.push_back(input.getArgNumber());
  }
  return inputs;
}

/// The nearest number of the type, ties to even.
static uint16_t roundBits(float value, FloatType to) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  if (to.isBF16()) {
    if ((bits & 0x7fffffff) > 0x7f800000) // NaN stays one
      return static_cast<uint16_t>(bits >> 16 | 0x40);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  APFloat number(value);
  bool losesInfo = false;
  number.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

/// Elements of a float type of 16 or 32 bits in another one of 16 bits.
static void writeRounded(const graph::WeightBytes &bytes, FloatType from, FloatType to, MutableArrayRef<char> out) {
  namespace endian = llvm::support::endian;
  size_t size = from.getWidth() / 8;
  for (size_t at = 0, count = out.size() / sizeof(uint16_t); at != count; ++at) {
    const char *element = bytes.data.data() + (bytes.isSplat ? 0 : at * size);
    float value;
    if (from.isF32()) {
      value = llvm::bit_cast<float>(endian::read32le(element));
    } else {
      APFloat number(from.getFloatSemantics(), APInt(16, endian::read16le(element)));
      bool losesInfo = false;
      number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
      value = number.convertToFloat();
    }
    endian::write16le(out.data() + at * sizeof(uint16_t), roundBits(value, to));
  }
}

static RankedTensorType withElements(Type tensor, Type element) {
  return cast<RankedTensorType>(tensor).clone(element);
}

/// Sets the element type of an argument.
static void setArgumentElements(tp::ProgramOp program, unsigned index, Type element) {
  BlockArgument argument = program.getBody().getArgument(index);
  argument.setType(withElements(argument.getType(), element));
  program.setFunctionTypeAttr(TypeAttr::get(
      FunctionType::get(program.getContext(), program.getBody().getArgumentTypes(), program.getResultTypes())));
}

namespace {
class Rounder {
public:
  Rounder(ModuleOp module, FloatType element, bool weightsOnly, StringRef blobDirectory)
      : module(module), symbols(module), element(element), weightsOnly(weightsOnly), blobDirectory(blobDirectory) {}

  LogicalResult run() {
    SmallVector<graph::CallTPOp> calls;
    module.walk([&](graph::CallTPOp call) { calls.push_back(call); });
    for (graph::CallTPOp call : calls)
      if (call.getDestinations().empty() && !call->hasAttr(graph::kPinnedAttrName) && failed(rewrite(call)))
        return failure();
    eraseUnused();
    return success();
  }

private:
  /// Weights of which only rounded copies are read, and what moved them.
  void eraseUnused() {
    llvm::SmallPtrSet<Operation *, 4> read;
    SmallVector<Operation *> candidates;
    for (auto &[value, unused] : rounded)
      if (Operation *op = value.getDefiningOp(); op && isWeight(value))
        candidates.push_back(op);
    for (bool changed = true; std::exchange(changed, false);)
      llvm::erase_if(candidates, [&](Operation *op) {
        if (!op->use_empty())
          return false;
        op->erase();
        return changed = true;
      });
    module.walk([&](graph::WeightOp op) { read.insert(symbols.lookup(op.getName())); });
    for (graph::WeightDataOp data : llvm::make_early_inc_range(module.getOps<graph::WeightDataOp>()))
      if (!read.contains(data))
        symbols.erase(data);
  }

  tp::ProgramOp lookup(graph::CallTPOp call) {
    auto program = call ? symbols.lookup<tp::ProgramOp>(call.getCallee()) : tp::ProgramOp();
    return program && !program.isBufferForm() ? program : tp::ProgramOp();
  }

  LogicalResult rewrite(graph::CallTPOp call) {
    tp::ProgramOp program = lookup(call);
    if (!program)
      return success();
    SmallVector<unsigned> inputs = getFactorInputs(program);
    llvm::erase_if(inputs, [&](unsigned index) {
      Value value = call->getOperand(index);
      return !getElementTypeOrSelf(value).isF32() || (weightsOnly && !isWeight(value));
    });
    if (inputs.empty())
      return success();
    OpBuilder builder(call);
    for (unsigned index : inputs) {
      FailureOr<Value> rounded = round(builder, call->getOperand(index));
      if (failed(rounded))
        return failure();
      call->setOperand(index, *rounded);
    }
    call.setCallee(getRoundedProgram(program, inputs).getSymName());
    remark::passed(call.getLoc(), remark::RemarkOpts::name("Rounded").category(DEBUG_TYPE))
        << ("'" + program.getSymName() + "' multiplies " + Twine(inputs.size()) + " inputs in fewer bits").str();
    return success();
  }

  /// What only weights decide, through moves.
  bool isWeight(Value value) {
    Operation *op = value.getDefiningOp();
    while (auto call = dyn_cast_or_null<graph::CallTPOp>(op)) {
      if (call->getNumOperands() != 1)
        return false;
      op = call->getOperand(0).getDefiningOp();
    }
    return isa_and_nonnull<graph::WeightOp, graph::ConstantOp>(op);
  }

  /// The value in the type, rounded as early as possible: when the model is compiled, before its elements are moved,
  /// and not at all where it was that type.
  FailureOr<Value> round(OpBuilder &builder, Value value) {
    if (Value &known = rounded[value]; known && isAbove(known, builder))
      return known;
    Operation *op = value.getDefiningOp();
    Value result;
    if (isa_and_nonnull<graph::WeightOp, graph::ConstantOp>(op)) {
      FailureOr<Value> weight = roundWeight(op);
      if (failed(weight))
        return failure();
      result = *weight;
    }
    auto call = dyn_cast_or_null<graph::CallTPOp>(op);
    tp::ProgramOp program = lookup(call);
    if (!result && program && call.getDestinations().empty() && call->getNumOperands() == 1) {
      Value source = call->getOperand(0);
      if (isWidening(program)) {
        if (getElementTypeOrSelf(source) == element)
          return source;
        // A weight of the other type of 16 bits.
        if (isa_and_nonnull<graph::WeightOp, graph::ConstantOp>(source.getDefiningOp()))
          return round(builder, source);
      }
      if (tp::getMove(program) && (value.hasOneUse() || isWeight(value))) {
        OpBuilder atCall(call);
        FailureOr<Value> moved = round(atCall, source);
        if (failed(moved))
          return failure();
        auto copy = cast<graph::CallTPOp>(atCall.clone(*call));
        copy->setOperand(0, *moved);
        copy.setCallee(getMovedProgram(program).getSymName());
        copy->getResult(0).setType(withElements(value.getType(), element));
        result = copy->getResult(0);
      }
    }
    if (!result)
      result = graph::AsTypeOp::create(builder, value.getLoc(), value, element);
    rounded[value] = result;
    return result;
  }

  /// `value` can be read where the builder stands.
  static bool isAbove(Value value, OpBuilder &builder) {
    Operation *op = value.getDefiningOp();
    Operation *there = op->getBlock()->findAncestorOpInBlock(*builder.getInsertionPoint());
    return there && op->isBeforeInBlock(there);
  }

  /// A weight in the type, beside the reader of the other; null where its value is not known.
  FailureOr<Value> roundWeight(Operation *reader) {
    auto from = cast<RankedTensorType>(reader->getResult(0).getType());
    auto type = dyn_cast<FloatType>(from.getElementType());
    if (!type || !from.hasStaticShape() || !(type.isF32() || type.isF16() || type.isBF16()))
      return Value();
    Operation *owner = reader;
    Attribute value;
    std::string name = "constant";
    if (auto weight = dyn_cast<graph::WeightOp>(reader)) {
      auto data = symbols.lookup<graph::WeightDataOp>(weight.getName());
      if (!data)
        return Value();
      owner = data;
      value = data.getValue();
      name = data.getSymName();
    } else {
      value = cast<graph::ConstantOp>(reader).getValue();
    }
    RankedTensorType to = withElements(from, element);
    graph::WeightDataOp &data = weights[{value, to}];
    if (!data) {
      FailureOr<graph::WeightBytes> bytes = graph::readWeightBytes(owner, from, value, blobDirectory);
      if (failed(bytes))
        return failure();
      if (bytes->data.empty() && from.getNumElements() != 0)
        return Value();
      llvm::raw_string_ostream(name) << '_' << element;
      ElementsAttr elements =
          graph::createElements(to, name, [&](MutableArrayRef<char> out) { writeRounded(*bytes, type, element, out); });
      OpBuilder atModule = OpBuilder::atBlockBegin(module.getBody());
      data = graph::WeightDataOp::create(atModule, owner->getLoc(), name, to, elements);
      symbols.insert(data);
    }
    OpBuilder builder(reader);
    return graph::WeightOp::create(builder, reader->getLoc(), to, data.getSymName()).getResult();
  }

  /// The program only converts its elements, in their order, to a type that holds them all.
  bool isWidening(tp::ProgramOp program) {
    auto op = program.getYield().getOperand(0).getDefiningOp<linalg::LinalgOp>();
    if (program.getNumInputs() != 1 || !op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
        op.getDpsInputOperand(0)->get() != program.getInputs()[0] || op.getNumReductionLoops() != 0 ||
        !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }))
      return false;
    auto convert = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp<arith::ExtFOp>();
    return convert && convert.getIn() == op.getMatchingBlockArgument(op.getDpsInputOperand(0));
  }

  tp::ProgramOp copy(tp::ProgramOp program) {
    auto clone = cast<tp::ProgramOp>(program->clone());
    std::string suffix;
    llvm::raw_string_ostream(suffix) << '_' << element;
    clone.setSymName((program.getSymName() + suffix).str());
    clone.setPrivate();
    symbols.insert(clone, std::next(program->getIterator()));
    return clone;
  }

  /// A copy that widens what it reads of these inputs before it multiplies.
  tp::ProgramOp getRoundedProgram(tp::ProgramOp program, ArrayRef<unsigned> inputs) {
    tp::ProgramOp &rounded = programs[{program, SmallVector<unsigned>(inputs)}];
    if (rounded)
      return rounded;
    rounded = copy(program);
    IRRewriter rewriter(rounded.getContext());
    SmallVector<linalg::LinalgOp> products;
    rounded.walk([&](linalg::LinalgOp op) {
      if (!getFactors(op).empty())
        products.push_back(op);
    });
    for (linalg::LinalgOp &op : products)
      if (!isa<linalg::GenericOp>(op)) {
        rewriter.setInsertionPoint(op);
        if (FailureOr<linalg::GenericOp> generic = linalg::generalizeNamedOp(rewriter, op); succeeded(generic))
          op = *generic;
      }
    for (unsigned index : inputs)
      setArgumentElements(rounded, index, element);
    for (linalg::LinalgOp op : products)
      for (OpOperand *operand : op.getDpsInputOperands()) {
        BlockArgument argument = op.getMatchingBlockArgument(operand);
        Type read = getElementTypeOrSelf(operand->get());
        if (read == argument.getType())
          continue;
        argument.setType(read);
        rewriter.setInsertionPointToStart(op.getBlock());
        auto wide = arith::ExtFOp::create(rewriter, op.getLoc(), rewriter.getF32Type(), argument);
        argument.replaceAllUsesExcept(wide, wide);
      }
    return rounded;
  }

  /// A copy that moves elements of the type.
  tp::ProgramOp getMovedProgram(tp::ProgramOp program) {
    tp::ProgramOp &moved = programs[{program, {}}];
    if (moved)
      return moved;
    moved = copy(program);
    for (unsigned index : {0u, 1u}) // the input and the out
      setArgumentElements(moved, index, element);
    // Every other tensor and number in it is an element that is moved.
    moved.walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          if (argument.getType().isF32())
            argument.setType(element);
      for (OpResult result : op->getResults())
        if (auto tensor = dyn_cast<RankedTensorType>(result.getType()))
          result.setType(withElements(tensor, element));
    });
    return moved;
  }

  ModuleOp module;
  SymbolTable symbols;
  FloatType element;
  const bool weightsOnly;
  StringRef blobDirectory;
  /// Values in the type.
  DenseMap<Value, Value> rounded;
  /// Weights in the type, by the value that was rounded.
  DenseMap<std::pair<Attribute, Type>, graph::WeightDataOp> weights;
  /// Copies, by what they were made from and the inputs that changed; none for those that move elements.
  std::map<std::pair<Operation *, SmallVector<unsigned>>, tp::ProgramOp> programs;
};

struct MixedPrecisionPass final : relax::impl::MixedPrecisionPassBase<MixedPrecisionPass> {
  using Base::Base;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    if (to != "f16" && to != "bf16") {
      getOperation().emitError("products cannot read '") << to << "', expected f16 or bf16";
      return signalPassFailure();
    }
    FloatType element = to == "f16" ? FloatType(Float16Type::get(context)) : FloatType(BFloat16Type::get(context));
    if (failed(Rounder(getOperation(), element, weightsOnly, blobDirectory).run()))
      signalPassFailure();
  }
};
} // namespace
