//===- ProgramInliner.h - Bodies of tensor programs in place ---*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_PROGRAMINLINER_H
#define RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_PROGRAMINLINER_H

#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relax::tp {

/// Emits index arithmetic for `expr`. `symbols` holds a value for each of its symbols.
Value emitExpr(OpBuilder &builder, Location loc, sym::SymExpr expr, const llvm::StringMap<Value> &symbols);

/// Clones the body of `program` for plain tensors and index scalars.
class ProgramInliner {
public:
  ProgramInliner(OpBuilder &builder, Location loc, ProgramOp program, ValueRange inputs, ValueRange scalars)
      : builder(builder), loc(loc), program(program), inputs(inputs), scalars(scalars) {}

  /// The tensor that out `index` starts as; without it a tensor.empty is made.
  void setDestination(unsigned index, Value tensor) { destinations[index] = tensor; }

  /// Emits conditions under which the arguments have the shapes that the program states, in `i1` values with messages.
  /// Call it before `inlineBody`.
  void emitShapeConditions(llvm::function_ref<void(Value condition, const Twine &message)> emit);

  /// Clones the body. Returns the outs, with the types of the program's arguments, then the extents found. A program in
  /// buffer form gets buffers, which become tensors again.
  SmallVector<Value> inlineBody();

private:
  /// Input and dimension, or kScalarPosition and scalar.
  using Position = std::pair<unsigned, unsigned>;
  static constexpr unsigned kScalarPosition = ~0u - 2;

  void solveSymbols();
  Value getExtent(unsigned input, unsigned dim);
  Value emitDestination(unsigned argument);
  Value castTo(Value tensor, Type type);

  OpBuilder &builder;
  Location loc;
  ProgramOp program;
  ValueRange inputs, scalars;
  llvm::SmallDenseMap<unsigned, Value> destinations;
  llvm::StringMap<Value> symbols;         // of the program
  llvm::SmallDenseSet<Position> defining; // where a symbol's value comes from
  bool solved = false;
};

} // namespace mlir::relax::tp

#endif // RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_PROGRAMINLINER_H
