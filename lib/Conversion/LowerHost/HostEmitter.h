//===- HostEmitter.h - Host code of one function ---------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Emits `relax_entry_<function>` from a function of the planned phase, op by op
// in the order of execution. Every extent and symbol is an i64 value; tensors
// are pointers. A check that fails branches to one exit block with its site and
// the values to show; a status other than OK branches to the return block.
// A function that others call has a second form, `relax_function_<function>`:
// arguments and results are words instead of inputs and outputs.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERHOST_HOSTEMITTER_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERHOST_HOSTEMITTER_H

#include "HostTables.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "RelaxDialect/Runtime/ABI.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::relax {

/// A tensor at run time. The extents are those of the memory, whatever the type knows.
struct HostTensor {
  Value data;
  SmallVector<Value> dims;       // i64
  std::optional<int64_t> output; // the result of the function that this memory is
};

/// Values of symbols, and of expressions that were computed, where the code is now.
using SymbolValues = llvm::ScopedHashTable<sym::SymExpr, Value>;

/// Who calls the code: the runtime, or another function of the module.
enum class HostForm { Entry, Internal };

class HostEmitter {
public:
  HostEmitter(func::FuncOp source, HostTables &tables, HostForm form);

  /// Emits the entry; reports what has no host form.
  LogicalResult emit();

private:
  //===- HostEmitter.cpp: values, checks, calls of the runtime -----------===//
  LogicalResult checkNames();
  Value constant(int64_t value);
  Value toI64(Value index);
  Value loadField(Type type, Value base, int64_t index);
  Value loadElement(Type type, Value base, Value index);
  void storeElement(Value value, Value base, int64_t index);
  Value elementAddress(Value base, int64_t index);
  /// A sum that is an error when it does not fit 64 bits.
  Value addChecked(Value a, Value b, const Twine &message);
  /// Bytes of a tensor; more than 64 bits can count is an error.
  Value countBytes(ArrayRef<Value> dims, Type elementType);
  /// Room on the stack for at least `count` words of 8 bytes; each purpose has one, used again and again.
  enum class Scratch { Buffers, Scalars, Dims, Slots, Views, Pointers, Key, kCount };
  Value getScratch(Scratch purpose, int64_t count);
  /// Memory on the stack that keeps its contents.
  Value allocateOnStack(int64_t words);

  /// Goes on when `condition` holds; else reports `site` with the values.
  void guard(Value condition, int32_t status, const Twine &message, ArrayRef<Value> values);
  void guardEqual(Value expected, Value actual, int32_t status, const Twine &message);
  /// `actual` is not negative, which the facts may prove.
  void guardSize(sym::SymExpr expr, Value actual, const Twine &what);
  void callRuntime(unsigned function, ValueRange arguments);
  /// What kernels have written can be read from here on.
  void awaitLaunches() { callRuntime(15, {}); }
  /// Calls with an output parameter and gives what was stored there.
  Value callRuntimeForPointer(unsigned function, ValueRange arguments) {
    return callRuntimeFor(pointerType, function, arguments);
  }
  Value callRuntimeFor(Type type, unsigned function, ValueRange arguments);
  /// Goes on when a function gave the status OK, else returns it.
  void continueIfOk(Value status);
  void finish();

  //===- HostSymbols.cpp: expressions and the checks at entry -------------===//
  Value evaluate(sym::SymExpr expr, SymbolValues &values);
  Value evaluate(sym::SymExpr expr) { return evaluate(expr, known); }
  Value evaluateTerms(sym::SymExpr expr, SymbolValues &values, Value &overflow);
  Value evaluateAtom(const sym::SymAtom &atom, SymbolValues &values, Value &overflow);
  Value evaluateFact(const sym::Fact &fact, SymbolValues &values);
  void bind(StringRef symbol, Value value);
  bool isBound(StringRef symbol);
  /// Checks the facts that mention a symbol which was just bound and whose symbols all are known.
  void checkFacts(ArrayRef<StringRef> symbols, int32_t status);
  void guardFact(const sym::Fact &fact, SymbolValues &values, int32_t status, const Twine &message);
  LogicalResult emitArguments();
  LogicalResult makeArgument(unsigned index, Value data, Value dims);
  LogicalResult bindArguments();
  void checkArgumentExtents();
  /// The status of a call whose arguments break the signature.
  int32_t getArgumentStatus() const {
    return form == HostForm::Entry ? RELAX_RT_SHAPE_MISMATCH : RELAX_RT_GUARD_FAILED;
  }
  std::string getInputName(unsigned index);

  //===- HostOps.cpp ------------------------------------------------------===//
  LogicalResult emitBlock(Block &block);
  LogicalResult emitOp(Operation *op);
  LogicalResult emitShapeOp(Operation *op, bool &handled);
  LogicalResult emitMatchCast(graph::MatchCastOp op);
  LogicalResult emitTensorToShape(graph::TensorToShapeOp op);
  void emitShapeToTensor(graph::ShapeToTensorOp op);
  LogicalResult emitMemoryOp(Operation *op, bool &handled);
  std::optional<SmallVector<Value>> evaluateExtents(Type type);
  std::optional<SmallVector<Value>> getOutputExtents(graph::TensorAtOp op, int64_t index, ArrayRef<Value> dims);
  LogicalResult emitTensorAt(graph::TensorAtOp op);
  LogicalResult emitScalarOp(Operation *op);
  LogicalResult emitReturn(func::ReturnOp op);
  void checkOrBindExtents(Operation *op, ArrayRef<sym::SymExpr> from, ArrayRef<sym::SymExpr> to, ArrayRef<Value> actual,
                          ArrayRef<StringRef> binds, StringRef what);
  HostTensor makeTensor(Value data, RankedTensorType type);
  /// Gives the address of the copy.
  Value copyToOutput(int64_t index, const HostTensor &tensor, Type elementType);
  Value allocateOutput(int64_t index, ArrayRef<Value> dims);
  /// An output that begins with the elements of an argument.
  Value extendOutput(int64_t index, ArrayRef<Value> dims, int64_t argument);
  /// An output in the memory of an argument that the caller donates; `keep`: it begins with the argument's elements.
  Value donateOutput(int64_t index, ArrayRef<Value> dims, int64_t argument, bool keep);
  void copyTensor(Value target, const HostTensor &tensor, Type elementType);

  //===- HostFunctions.cpp: calls between functions, memory that grows ----===//
  LogicalResult createFunction();
  LogicalResult reserveForCalls();
  LogicalResult emitFunctionCall(graph::CallOp call);
  LogicalResult emitInternalReturn(func::ReturnOp op);
  void takeInternalArguments();
  void reserveGrowing(graph::StorageOp storage);
  Value growStorage(Value storage, Value bytes);

  //===- HostCalls.cpp ----------------------------------------------------===//
  LogicalResult emitCall(graph::ProgramCallOpInterface call);
  LogicalResult checkCall(graph::ProgramCallOpInterface call, sym::TensorProgramInterface callee);
  void emitLaunch(graph::ProgramCallOpInterface call, sym::TensorProgramInterface callee, ArrayRef<HostTensor> tensors);
  LogicalResult emitExternCall(graph::ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                               ArrayRef<HostTensor> tensors);
  SmallVector<Value> collectScalars(graph::ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                                    ArrayRef<HostTensor> arguments);
  int64_t storeScalars(ValueRange values);
  struct ExternCall;
  LogicalResult collectExternCall(graph::ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                                  ArrayRef<HostTensor> arguments, ExternCall &result);
  /// Stores views and scalars of a call; gives the views.
  Value storeExternCall(const ExternCall &call);
  void storeView(Value views, int64_t index, Value data, Value dims, int64_t rank, Type elementType);

  //===- HostCapture.cpp: launches that are recorded ----------------------===//
  /// Emits the region that begins with `first`; gives its last op.
  FailureOr<Operation *> emitCaptureRegion(Operation *first);
  void collectLaunch(graph::ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                     ArrayRef<HostTensor> arguments);
  void collectLibraryCall(Location callLoc, const ExternCall &call);
  void takePointer(Value pointer, SmallVectorImpl<int64_t> &positions);
  void findKey(SmallVectorImpl<Value> &key);
  /// One side of a branch: what it hands on, and the launches that it collected.
  struct BranchSide {
    SmallVector<Value> words;
    OpBuilder::InsertPoint end;
    size_t firstLaunch = 0, lastLaunch = 0, firstPointer = 0, lastPointer = 0;
  };
  void beginSide(BranchSide &side);
  void endSide(BranchSide &side);
  /// Gives the launches of a side the condition under which they are made; what they use of the side becomes words.
  void leaveSide(BranchSide &side, BranchSide &other, Value condition, Block *after, const DenseSet<Block *> &outside);

  //===- HostControlFlow.cpp ----------------------------------------------===//
  LogicalResult emitControlFlow(Operation *op, bool &handled);
  LogicalResult emitIf(Operation *op);
  LogicalResult emitSelect(arith::SelectOp op);
  LogicalResult emitFor(Operation *op);
  LogicalResult emitWhile(Operation *op);
  /// A value of the source as words that branches can carry, and back.
  void flatten(Value value, SmallVectorImpl<Value> &words);
  void unflatten(Value value, ArrayRef<Value> &words);
  SmallVector<Value> flattenAll(ValueRange values);
  Block *createBlock(TypeRange types);
  void continueIn(Block *block, ValueRange values, unsigned skip);
  LogicalResult getWordTypes(Operation *op, Type type, SmallVectorImpl<Type> &types);

  func::FuncOp source;
  HostTables &tables;
  HostForm form;
  MLIRContext *context;
  sym::Prover prover;
  Location loc;
  OpBuilder builder;
  Type pointerType, i64, i32;

  func::FuncOp entry;
  Value invocation, api;
  Block *guardBlock = nullptr, *returnBlock = nullptr;

  struct ScratchArea {
    Operation *alloca = nullptr;
    int64_t words = 0;
  };
  ScratchArea scratch[static_cast<unsigned>(Scratch::kCount)];

  /// What a library function gets.
  struct ExternCall {
    struct View {
      HostTensor tensor;
      Type elementType;
    };
    int64_t function = 0;
    SmallVector<View> views;
    SmallVector<Value> scalars;
  };

  /// A launch of the region that is being emitted.
  struct CapturedLaunch {
    Location loc;
    int64_t kernel;
    SmallVector<int64_t> buffers; // positions in `pointers`
    SmallVector<Value> scalars;
    std::optional<ExternCall> library = {}; // instead of kernel and scalars
    Value condition = {};                   // made only when it holds
  };
  static SmallVector<Value> getNumbers(const CapturedLaunch &launch);
  SmallVector<CapturedLaunch, 0> launches;
  llvm::SetVector<Value> pointers;
  bool isCollecting = false; // launches are put into `launches`

  DenseMap<Value, HostTensor> tensors;
  DenseMap<Value, SmallVector<Value>> shapes;
  IRMapping scalars;
  DenseMap<Value, Value> storages; // base pointers; none for outputs
  struct GrowingStorage {
    Value block;  // number of the first block
    Value toggle; // address of the word that says which of two blocks is next; null for one block
  };
  DenseMap<Value, GrowingStorage> growing;
  DenseMap<Operation *, Value> callBlocks; // for each call of a function the number of its first result's block
  Value resultBlock, resultWords;          // of an internal function: from its caller
  llvm::StringMap<std::string> origins;    // where a symbol got its value
  Value arenaBase;                         // of the first storage: the arena that the plan laid out at entry
  SymbolValues known;
  std::unique_ptr<SymbolValues::ScopeTy> scope;
  SmallVector<sym::Fact> facts;
};

/// Values that one failing check can show.
inline constexpr unsigned kMaxGuardValues = 4;

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERHOST_HOSTEMITTER_H
