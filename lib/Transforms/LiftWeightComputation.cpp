//===- LiftWeightComputation.cpp - What only weights decide, once ---------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A call whose inputs are all weights gives the same result in every run. It is
// computed here: bytes are moved where the program only moves elements, the
// reference interpreter does the rest. Calls are visited in order, so that
// chains disappear from their beginning.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/Transforms/WeightBytes.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "RelaxDialect/Interpreter/Interpreter.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"

#define DEBUG_TYPE "relax-lift-weight-computation"

using namespace mlir;
using namespace mlir::relax;

namespace mlir::relax {
#define GEN_PASS_DEF_LIFTWEIGHTCOMPUTATIONPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

/// Bytes by which the weights may grow for one call.
constexpr int64_t kSmallBytes = 1 << 16;
/// Elements that the interpreter may read and write for one call and for a module, and its steps for one call: seconds.
constexpr int64_t kMaxElements = int64_t(1) << 21, kMaxAllElements = int64_t(1) << 23, kMaxSteps = int64_t(1) << 24;

static bool isByteSized(Type type) { return type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0; }

/// Bytes of a static tensor in memory; nullopt for one that is not static or has other elements.
static std::optional<int64_t> getNumBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() || !tensor.getElementType().isIntOrFloat())
    return std::nullopt;
  int64_t bytes = llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
  for (int64_t size : tensor.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}

/// How the only result of a program that moves elements reads the only input: a map from the result's dimensions to
/// dimensions of the input and constants. Null when the program does anything else.
static AffineMap getMove(tp::ProgramOp program) {
  // The op and the yield: no assertion beside them.
  if (program.isBufferForm() || program.getNumInputs() != 1 || program.getNumOuts() != 1 ||
      program.getNumExtents() != 0 || program.getBody().front().getOperations().size() != 2)
    return {};
  auto op = program.getYield().getOperand(0).getDefiningOp<linalg::LinalgOp>();
  if (!op || op->getNumResults() != 1 || op.getNumDpsInputs() != 1 || op.getNumLoops() != op.getNumParallelLoops() ||
      op.getDpsInputOperand(0)->get() != program.getInputs()[0] ||
      op.getBlock()->getTerminator()->getOperand(0) != op.getMatchingBlockArgument(op.getDpsInputOperand(0)))
    return {};
  AffineMap to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  AffineMap from = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  bool simple = llvm::all_of(from.getResults(), llvm::IsaPred<AffineDimExpr, AffineConstantExpr>);
  return to.isPermutation() && simple ? from.compose(inversePermutation(to)) : AffineMap();
}

/// Writes the elements that `map` reads, in row-major order.
static void moveElements(const graph::WeightBytes &bytes, RankedTensorType from, RankedTensorType to, AffineMap map,
                         MutableArrayRef<char> result) {
  int64_t size = from.getElementTypeBitWidth() / 8;
  SmallVector<int64_t> strides(to.getRank(), 0);
  const char *begin = bytes.data.data();
  int64_t stride = size;
  for (int64_t dim = from.getRank(); !bytes.isSplat && dim-- > 0; stride *= from.getDimSize(dim)) {
    if (auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim)))
      strides[loop.getPosition()] += stride;
    else
      begin += cast<AffineConstantExpr>(map.getResult(dim)).getValue() * stride;
  }
  char *out = result.data();
  auto walk = [&](auto &self, int64_t dim, const char *source) -> void {
    if (dim == to.getRank()) {
      std::memcpy(out, source, size);
      out += size;
      return;
    }
    int64_t count = to.getDimSize(dim);
    if (dim + 1 == to.getRank() && strides[dim] == size) {
      std::memcpy(out, source, count * size);
      out += count * size;
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      self(self, dim + 1, source + i * strides[dim]);
  };
  walk(walk, 0, begin);
}

namespace {
class Lifter {
public:
  Lifter(ModuleOp module, StringRef blobDirectory) : module(module), symbols(module), blobDirectory(blobDirectory) {
    module.walk([&](graph::WeightOp op) { ++readers[op.getNameAttr().getAttr()]; });
  }

  LogicalResult run() {
    SmallVector<graph::CallTPOp> calls;
    module.walk<WalkOrder::PreOrder>([&](graph::CallTPOp call) { calls.push_back(call); });
    for (graph::CallTPOp call : calls)
      if (isLiftable(call) && failed(lift(call)))
        return failure();
    return success();
  }

private:
  /// Every operand is a weight or constant, one at least, and what becomes of them is not much larger than they were.
  bool isLiftable(graph::CallTPOp call) {
    if (!call.getDestinations().empty() || call.getShape() || call->getNumOperands() == 0)
      return false;
    int64_t inputBytes = 0, freedBytes = 0, resultBytes = 0;
    for (Value operand : call->getOperands()) {
      std::optional<int64_t> bytes = getNumBytes(operand.getType());
      if (!bytes || !isa_and_nonnull<graph::WeightOp, graph::ConstantOp>(operand.getDefiningOp()))
        return false;
      inputBytes += *bytes;
      if (isFreedBy(operand, call))
        freedBytes += *bytes;
    }
    for (Type type : call->getResultTypes()) {
      std::optional<int64_t> bytes = getNumBytes(type);
      if (!bytes)
        return false;
      resultBytes += *bytes;
    }
    // A weight that is still needed beside the result would be there twice.
    return resultBytes <= std::min(inputBytes, freedBytes) + kSmallBytes;
  }

  /// Nothing else reads the weight.
  bool isFreedBy(Value operand, Operation *call) {
    if (!llvm::all_of(operand.getUsers(), [&](Operation *user) { return user == call; }))
      return false;
    auto weight = operand.getDefiningOp<graph::WeightOp>();
    return !weight || readers.lookup(weight.getNameAttr().getAttr()) == 1;
  }

  LogicalResult lift(graph::CallTPOp call) {
    auto program = symbols.lookup<tp::ProgramOp>(call.getCallee());
    if (!program)
      return success();
    SmallVector<ElementsAttr> values;
    if (failed(computeMove(call, program, values)) || (values.empty() && failed(compute(call, program, values))))
      return failure();
    if (values.empty())
      return success(); // left for run time
    OpBuilder builder(call);
    for (auto [result, value] : llvm::zip_equal(call->getResults(), values)) {
      auto type = cast<RankedTensorType>(result.getType());
      OpBuilder atModule = OpBuilder::atBlockBegin(module.getBody());
      auto data = graph::WeightDataOp::create(atModule, call.getLoc(), getName(call), type, value);
      symbols.insert(data);
      auto weight = graph::WeightOp::create(builder, call.getLoc(), type, data.getSymName());
      readers[data.getSymNameAttr()] = 1;
      result.replaceAllUsesWith(weight.getResult());
    }
    remark::passed(call.getLoc(), remark::RemarkOpts::name("Lifted").category(DEBUG_TYPE))
        << ("computed '" + call.getCallee() + "' of weights").str();
    SmallVector<Value> operands(call->getOperands());
    call->erase();
    for (Value operand : operands)
      if (operand.use_empty())
        eraseReader(operand.getDefiningOp());
    return success();
  }

  /// A name after the first weight.
  static std::string getName(graph::CallTPOp call) {
    auto weight = call->getOperand(0).getDefiningOp<graph::WeightOp>();
    return ((weight ? weight.getName() : StringRef("constant")) + "_" + call.getCallee()).str();
  }

  void eraseReader(Operation *op) {
    auto weight = dyn_cast_or_null<graph::WeightOp>(op);
    if (!weight)
      return op ? op->erase() : void();
    StringAttr name = weight.getNameAttr().getAttr();
    weight->erase();
    if (--readers[name] == 0)
      symbols.erase(symbols.lookup(name));
  }

  static std::pair<Attribute, Operation *> getValue(SymbolTable &symbols, Value operand) {
    if (auto constant = operand.getDefiningOp<graph::ConstantOp>())
      return {constant.getValue(), constant};
    auto data = symbols.lookup<graph::WeightDataOp>(operand.getDefiningOp<graph::WeightOp>().getName());
    return {data.getValue(), data};
  }

  /// Moves bytes; no values when the program does more than that.
  LogicalResult computeMove(graph::CallTPOp call, tp::ProgramOp program, SmallVectorImpl<ElementsAttr> &values) {
    AffineMap map = getMove(program);
    if (!map || !isByteSized(getElementTypeOrSelf(call->getOperand(0))))
      return success();
    auto from = cast<RankedTensorType>(call->getOperand(0).getType());
    auto to = cast<RankedTensorType>(call->getResult(0).getType());
    auto [value, owner] = getValue(symbols, call->getOperand(0));
    FailureOr<graph::WeightBytes> bytes = graph::readWeightBytes(owner, from, value, blobDirectory);
    if (failed(bytes))
      return failure();
    if (!bytes->data.empty())
      values.push_back(graph::createElements(
          to, getName(call), [&](MutableArrayRef<char> out) { moveElements(*bytes, from, to, map, out); }));
    return success();
  }

  /// Interprets a function that only holds the call; no values when that fails or takes too long.
  LogicalResult compute(graph::CallTPOp call, tp::ProgramOp program, SmallVectorImpl<ElementsAttr> &values) {
    int64_t elements = 0;
    for (Type type : llvm::concat<const Type>(call->getOperandTypes(), call->getResultTypes())) {
      elements += cast<RankedTensorType>(type).getNumElements();
      if (!isByteSized(getElementTypeOrSelf(type)))
        return success();
    }
    if (elements > kMaxElements || (interpreted += elements) > kMaxAllElements)
      return success();
    OwningOpRef<ModuleOp> holder = ModuleOp::create(call.getLoc());
    OpBuilder builder = OpBuilder::atBlockEnd(holder->getBody());
    builder.clone(*program);
    auto function = func::FuncOp::create(builder, call.getLoc(), "lifted",
                                         builder.getFunctionType(TypeRange(), call->getResultTypes()));
    builder.setInsertionPointToStart(function.addEntryBlock());
    IRMapping mapping;
    for (Value operand : call->getOperands()) {
      if (mapping.contains(operand))
        continue;
      Operation *reader = builder.clone(*operand.getDefiningOp());
      mapping.map(operand, reader->getResult(0));
      if (isa<graph::WeightOp>(reader)) {
        OpBuilder atModule = OpBuilder::atBlockBegin(holder->getBody());
        if (Operation *data = getValue(symbols, operand).second;
            !SymbolTable::lookupSymbolIn(holder->getOperation(), cast<graph::WeightDataOp>(data).getSymNameAttr()))
          atModule.clone(*data);
      }
    }
    Operation *copy = builder.clone(*call, mapping);
    func::ReturnOp::create(builder, call.getLoc(), copy->getResults());

    interp::InterpreterOptions options;
    options.maxElements = kMaxElements;
    options.maxSteps = kMaxSteps;
    options.blobDirectory = blobDirectory.str();
    interp::Interpreter interpreter(*holder, options);
    interp::RunError error;
    FailureOr<SmallVector<interp::Tensor>> results = interpreter.run(function, {}, error);
    if (failed(results))
      return success(); // whoever runs it will see the error
    for (auto [tensor, type] : llvm::zip_equal(*results, call->getResultTypes()))
      values.push_back(
          graph::createElements(cast<RankedTensorType>(type), getName(call), [&, &tensor = tensor](auto bytes) {
            interp::writeBytes(tensor, reinterpret_cast<uint8_t *>(bytes.data()));
          }));
    return success();
  }

  ModuleOp module;
  SymbolTable symbols;
  StringRef blobDirectory;
  int64_t interpreted = 0;
  /// Ops that read each weight.
  DenseMap<StringAttr, int64_t> readers;
};

struct LiftWeightComputationPass final : relax::impl::LiftWeightComputationPassBase<LiftWeightComputationPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(Lifter(getOperation(), blobDirectory).run()))
      signalPassFailure();
  }
};
} // namespace
