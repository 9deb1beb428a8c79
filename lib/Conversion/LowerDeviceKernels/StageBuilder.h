//===- StageBuilder.h - What schedules write stages with -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_STAGEBUILDER_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_STAGEBUILDER_H

#include "DeviceStage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::relax {

/// Invocations of a workgroup: what every device allows.
inline constexpr int32_t kWorkgroup = 64;

/// The loops of one linalg op.
struct StageLoops {
  linalg::GenericOp op;
  SmallVector<Size> sizes;
  SmallVector<unsigned> parallel, reduction; // parallel ones in the order of the first result's elements
};

/// Every parallel loop must walk elements of the results: then no two invocations write the same one.
LogicalResult readLoops(linalg::GenericOp op, const DeviceScope &scope, StageLoops &loops, std::string &reason);

/// The operation that puts a step into each result of a reduction, in any order; nothing where there is none.
std::optional<SmallVector<Operation *>> matchCombiners(linalg::GenericOp op);

/// The loop of each dimension of a buffer, where its map has nothing but different loops. `view`: dimensions of one
/// element that are addressed by 0 are left out.
std::optional<SmallVector<unsigned>> getPlainDims(AffineMap map, const DeviceView *view = nullptr);

/// What a schedule says of an operand that it has at hand: its value, or null when it is to be loaded.
using OperandFn = function_ref<Value(OpOperand &)>;

/// Writes one gpu.func. First `use` every op, then `create`, then the code at `builder`, then `finish`.
class StageBuilder {
public:
  StageBuilder(DeviceScope &scope, Location loc, std::string &reason)
      : builder(loc.getContext()), loc(loc), scope(scope), reason(reason), entry(loc.getContext()) {}
  ~StageBuilder() {
    if (function && !isDone)
      function.erase();
  }

  LogicalResult fail(const Twine &text) {
    if (reason.empty())
      reason = text.str();
    return failure();
  }

  /// Collects the buffers of an op, but for `kept` roots, which never leave registers.
  LogicalResult use(const StageLoops &loops, const DenseSet<unsigned> &kept = {});
  void create(gpu::GPUModuleOp module, StringRef schedule);
  /// Opens the loop of a workgroup over its units of work, of which `count` were said to `finish`. Between its
  /// iterations all invocations go together. The unit.
  Value openUnits();
  /// Opens the loop of an invocation over elements.
  Value openElements();
  /// Makes values of the host known to the op's body.
  LogicalResult capture(const StageLoops &loops);
  /// Word 0 is `count` elements for invocations.
  void finish(Size count);

  bool isIndexWide() const { return isWide; }
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  template <typename OpTy> Value make(Value a, Value b) { return builder.createOrFold<OpTy>(loc, a, b); }
  Value less(Value a, Value b) { return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, a, b); }
  /// A size as an index of the stage.
  Value getNumber(Size size);
  /// Which invocation of the workgroup this is.
  Value getThread() { return thread; }
  /// Static memory of the workgroup for `count` values of a type.
  Value shareMemory(Type element, int64_t count);
  Value loadShared(Value memory, Value index, Type element);
  void storeShared(Value value, Value memory, Value index);
  void synchronize() { gpu::BarrierOp::create(builder, loc); }

  /// Coordinates of the `linear`-th step of some loops, the last one fastest.
  void decompose(const StageLoops &loops, ArrayRef<unsigned> which, Value linear, MutableArrayRef<Value> coordinates);
  /// The number of steps of some loops.
  Value countSteps(const StageLoops &loops, ArrayRef<unsigned> which);
  Size countStepsOnHost(const StageLoops &loops, ArrayRef<unsigned> which);
  /// Where an operand's element is, null when the order has no simple form.
  Value getAddress(const StageLoops &loops, OpOperand &operand, ArrayRef<Value> coordinates);
  Value load(Value memref, Value address);
  void store(Value value, Value memref, Value address);
  /// What a result has before its reduction.
  Value loadInitial(const StageLoops &loops, OpOperand &out, ArrayRef<Value> coordinates);
  Value makeNeutral(Operation *combiner);
  Value combine(Operation *combiner, Value a, Value b);
  /// One step of the loops: the values that linalg.yield gives.
  FailureOr<SmallVector<Value>> emitBody(
      const StageLoops &loops, ArrayRef<Value> coordinates, ValueRange accumulated,
      OperandFn atHand = [](OpOperand &) { return Value(); });

  OpBuilder builder;
  Location loc;
  /// The elements of operands that lie in the order of the results are at this number, where a schedule counts so.
  Value linearIndex;

private:
  LogicalResult checkBody(linalg::GenericOp op);
  LogicalResult addRoot(Value memref, bool isWritten, const DenseSet<unsigned> &kept);
  bool isLinear(const StageLoops &loops, OpOperand &operand);
  Value load32(unsigned word);
  Value getScalar(Value value);
  Value evaluate(AffineExpr expr, ArrayRef<Value> coordinates);
  Value computeAddress(const DeviceView &view, ValueRange indices);
  LogicalResult rewriteAccesses(Operation *copy, IRMapping &mapping, Operation *original, ArrayRef<Value> coordinates);
  FailureOr<Value> rewriteAccess(Operation *access, ArrayRef<Value> coordinates);
  Value getBuffer(Value memref);
  Value openLoop(Value begin, Value step);

  DeviceScope &scope;
  std::string &reason;
  OpBuilder entry; // in front of the loop over units
  gpu::GPUFuncOp function;
  SmallVector<unsigned> roots; // in the order of the bindings
  llvm::SmallBitVector written;
  bool usesError = false, isWide = false, isDone = false;
  IRMapping captured;
  llvm::MapVector<Value, unsigned> words; // sizes that are not constant
  DenseMap<Value, Value> loaded, scalars;
  Value thread, count;
};

/// One op, an invocation for each element of its results, reductions in order: what is right for every op.
LogicalResult emitSerialStage(linalg::GenericOp op, DeviceScope &scope, gpu::GPUModuleOp module, std::string &reason);

/// The schedules below take as many of `ops` as fit, from the first on, and say how many; 0, and nothing is written,
/// where their structure is not there. `users`: for each root, which of the kernel's ops use it, `position` being that
/// of ops[0].
struct StageQueue {
  ArrayRef<linalg::GenericOp> ops;
  unsigned position;
  ArrayRef<SmallVector<unsigned>> users;
};
/// Reductions along rows, and what reads their results: a part of a workgroup for each row.
unsigned emitRowStage(const StageQueue &queue, DeviceScope &scope, gpu::GPUModuleOp module);
/// A product: tiles in memory of the workgroup, each invocation makes a part of a tile of the result.
unsigned emitTileStage(const StageQueue &queue, DeviceScope &scope, gpu::GPUModuleOp module);
/// Elements that lie in another order: tiles through memory of the workgroup.
unsigned emitTransposeStage(const StageQueue &queue, DeviceScope &scope, gpu::GPUModuleOp module);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_STAGEBUILDER_H
