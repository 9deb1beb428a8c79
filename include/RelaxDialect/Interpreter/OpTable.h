//===- OpTable.h - One function per op --------------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// To add an op: write its function beside its family in lib/Interpreter and add
// it in the family's register function. What the functions need not do: the
// element type, rank and extents of every result are checked against the
// result's type after the function has run.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_INTERPRETER_OPTABLE_H
#define RELAXDIALECT_INTERPRETER_OPTABLE_H

#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "RelaxDialect/Interpreter/Interpreter.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace mlir::relax::interp {

/// One call of a function or tensor program: values and symbols.
class Frame {
public:
  Frame(Interpreter &interpreter, RunError &error, unsigned depth)
      : interpreter(interpreter), error(error), depth(depth) {}

  //===- Values -------------------------------------------------------------===//
  /// A tensor operand; what lies in a storage is read.
  const Tensor &tensor(Value value);
  std::shared_ptr<const Tensor> tensorPointer(Value value);
  Shape shape(Value value) { return std::get<Shape>(values[value]); }
  Number scalar(Value value) { return std::get<Scalar>(values[value]).value; }
  int64_t index(Value value) { return scalar(value).i; }
  Buffer buffer(Value value) { return std::get<Buffer>(values[value]); }
  RuntimeValue get(Value value) { return values[value]; }
  void set(Value value, RuntimeValue to) { values[value] = std::move(to); }
  void set(Value value, Tensor to) { values[value] = makeValue(std::move(to)); }
  void setIndex(Value value, int64_t to) { values[value] = Scalar{value.getType(), intNumber(to)}; }
  /// Rounds or wraps to the type of the value.
  void setScalar(Value value, Number to);

  /// Zeros; fails when an extent is negative or there are too many elements.
  FailureOr<Tensor> makeTensor(Type elementType, ArrayRef<int64_t> dims);
  /// Elements that nothing should read: NaN or odd integers.
  FailureOr<Tensor> makeGarbage(Type elementType, ArrayRef<int64_t> dims);

  //===- Symbols ------------------------------------------------------------===//
  /// Value of an expression; nullopt when a symbol is not bound or a value leaves 64 bits.
  std::optional<int64_t> evaluate(sym::SymExpr expr);
  void bind(StringRef symbol, int64_t value) { symbols[symbol] = value; }
  bool isBound(StringRef symbol) const { return symbols.contains(symbol); }
  /// Binds symbols that stand alone as an extent, then solves for the rest, linear in one unknown at a time.
  LogicalResult bindExtents(ArrayRef<sym::SymExpr> exprs, ArrayRef<int64_t> actual);
  /// Every known extent is the actual one. `what` names the place: "result 0: dimension".
  LogicalResult checkExtents(ArrayRef<sym::SymExpr> exprs, ArrayRef<int64_t> actual, const Twine &what);
  /// Facts whose symbols are all bound and that mention one of `changed` (all facts when empty).
  LogicalResult checkFacts(sym::ScopeAttr scope, ArrayRef<StringRef> changed = {});

  //===- Control ------------------------------------------------------------===//
  /// Sets the arguments of a function, binds its symbols, checks extents and facts. `getName` names an argument in
  /// errors ("input 'x': dimension"), or the entries of a shape.
  LogicalResult enter(FunctionOpInterface function, ArrayRef<RuntimeValue> inputs,
                      llvm::function_ref<std::string(unsigned, bool)> getName);
  /// Runs the ops before the terminator.
  LogicalResult runBody(Block &block);
  /// Runs a block whose terminator gives its operands as values.
  LogicalResult runBlock(Block &block, ValueRange arguments, ArrayRef<RuntimeValue> values,
                         SmallVectorImpl<RuntimeValue> &results);
  /// Runs one op and checks its results.
  LogicalResult runOp(Operation *op);
  /// Keeps the first error.
  LogicalResult fail(const Twine &message);
  /// The same when the run is too large.
  LogicalResult failAtLimit(const Twine &message);

  /// Indices of the linalg ops around, innermost last.
  SmallVector<ArrayRef<int64_t>> loops;

  Interpreter &interpreter;
  RunError &error;
  const unsigned depth;

private:
  LogicalResult checkResult(Operation *op, unsigned index);
  void perturb(Value value);

  DenseMap<Value, RuntimeValue> values;
  std::vector<std::shared_ptr<const Tensor>> reads; // of the op that runs
  llvm::StringMap<int64_t> symbols;
  Operation *current = nullptr;
};

/// What an elementwise op does to the elements of its operands, which have one type. Absent is what the op's verifier
/// refuses.
struct ElementFunctions {
  /// Float result: computed in double and rounded once.
  std::function<double(ArrayRef<double>)> ofFloats;
  /// Integer operands and result, which wraps; nothing where the op is an error.
  std::function<std::optional<int64_t>(ArrayRef<int64_t>)> ofInts;
  /// Float operands, i1 result.
  std::function<bool(ArrayRef<double>)> testFloats;
  StringRef error = "";
  /// For 64 unsigned bits, which `ofInts` would take for signed ones; absent where that does not matter.
  std::function<std::optional<uint64_t>(ArrayRef<uint64_t>)> ofUnsigned = nullptr;
};

class OpTable {
public:
  using Function = std::function<LogicalResult(Frame &, Operation *)>;

  OpTable();
  const Function *lookup(Operation *op) const;

  /// A function that sets the results itself.
  template <typename OpTy> void add(LogicalResult (*function)(Frame &, OpTy)) {
    functions[OpTy::getOperationName()] = [function](Frame &frame, Operation *op) {
      return function(frame, cast<OpTy>(op));
    };
  }
  /// A function that gives the one result.
  template <typename OpTy> void add(FailureOr<Tensor> (*function)(Frame &, OpTy)) {
    functions[OpTy::getOperationName()] = [function](Frame &frame, Operation *op) -> LogicalResult {
      FailureOr<Tensor> result = function(frame, cast<OpTy>(op));
      if (failed(result))
        return failure();
      frame.set(op->getResult(0), std::move(*result));
      return success();
    };
  }
  template <typename OpTy> void addFunction(Function function) {
    functions[OpTy::getOperationName()] = std::move(function);
  }
  /// Elementwise with broadcasting.
  template <typename OpTy> void addElementwise(const ElementFunctions &of) {
    functions[OpTy::getOperationName()] = [of](Frame &frame, Operation *op) { return runElementwise(frame, op, of); };
  }

private:
  static LogicalResult runElementwise(Frame &frame, Operation *op, const ElementFunctions &of);

  llvm::StringMap<Function> functions;
};

//===- Shared by families ---------------------------------------------------===//

/// numpy broadcasting of shapes, aligned at the last dimension; `what` names the op's rule in the error.
FailureOr<SmallVector<int64_t>> broadcastShapes(Frame &frame, ArrayRef<ArrayRef<int64_t>> shapes);
/// Position in a tensor of the element that index `index` of the broadcast shape reads.
int64_t broadcastPosition(const Tensor &tensor, ArrayRef<int64_t> index);

/// Adds up products or elements: the sum, and how far another order or narrower accumulator may be away.
class Sum {
public:
  void add(double term);
  double get() const { return total; }
  /// 0 when every order of additions in the accumulator gives the same.
  double getError(Type accumulator) const;

private:
  double total = 0, magnitude = 0;
  int64_t count = 0;
  int lowest = INT_MAX; // exponent of the last bit that a term has set
};

//===- Families: one register function per file ------------------------------===//
void registerElementwiseOps(OpTable &table);
void registerReductionOps(OpTable &table);
void registerLinearAlgebraOps(OpTable &table);
void registerManipulationOps(OpTable &table);
void registerCreationOps(OpTable &table);
void registerIndexingOps(OpTable &table);
void registerSortOps(OpTable &table);
void registerComposedOps(OpTable &table);
void registerComposedMathOps(OpTable &table);
void registerSearchOps(OpTable &table);
void registerShapeOps(OpTable &table);
void registerMemoryOps(OpTable &table);
void registerWeightOps(OpTable &table);
void registerCallOps(OpTable &table);
void registerControlFlowOps(OpTable &table);
// Bodies of tensor programs.
void registerScalarOps(OpTable &table);
void registerTensorOps(OpTable &table);
void registerLinalgOps(OpTable &table);
void registerBufferOps(OpTable &table);

} // namespace mlir::relax::interp

#endif // RELAXDIALECT_INTERPRETER_OPTABLE_H
