//===- ModelBuilder.h - From a GGUF model to a function --------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_GGUF_MODELBUILDER_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_GGUF_MODELBUILDER_H

#include "ModelConfig.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Target/Import/GGUF.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::relax::gguf {

class ModelBuilder {
public:
  ModelBuilder(const GGUFFile &file, const ModelConfig &config, MLIRContext *context, const GGUFImportOptions &options);

  /// The module; null after an error was emitted.
  OwningOpRef<ModuleOp> run();

private:
  using SymExpr = sym::SymExpr;

  struct Angles {
    Value cos, sin;
  };

  LogicalResult checkTensors();
  LogicalResult readFacts();
  void createFunction();
  void createResults(Value logits);

  SymExpr getKept(int64_t layer) const;
  Value createLayer(int64_t layer, Value x);
  Value createAttention(int64_t layer, Value x);
  /// The arguments after the tokens when caches have pages.
  void addPageArguments(SmallVectorImpl<Type> &types, SmallVectorImpl<std::string> &names) const;
  /// Attention to what the pages hold and to the new keys and values, (batch, kv heads, seq, length) each.
  Value createPagedAttention(int64_t layer, Value query, Value key, Value value);
  /// Which keys take part, (batch, 1, seq, keys of the pages and new ones).
  Value createPagedMask(bool local);
  /// Positions of the tokens, (batch, 1, seq, 1) of i64; a length that the pages do not hold is an error.
  Value createPagedPositions();
  Value createFeedForward(int64_t layer, Value x);
  /// The same with a network for each expert.
  Value createExperts(int64_t layer, Value x);
  Value createActivation(Value x);
  /// Cosines and sines of the angles of (seq, half of what is rotated) for local or other layers.
  Angles createAngles(bool local);
  Value createEmbedding();
  Value createLogits(Value x);

  //===- Weights ------------------------------------------------------------===//

  InFlightDiagnostic fail(const Twine &message) { return emitError(loc) << message; }
  /// A tensor that must be there, with these extents as the file orders them.
  LogicalResult require(const Twine &name, ArrayRef<int64_t> dims, bool isVector = false);
  LogicalResult requireIfPresent(const Twine &name, ArrayRef<int64_t> dims);
  bool has(const Twine &name) { return file.findTensor(name.str()) != nullptr; }
  /// Some rows of a matrix.
  struct Rows {
    int64_t first, count;
  };
  /// The weight as a tensor: bytes in blocks (rows, blocks, bytes), or f32.
  Value getWeight(const Twine &name, std::optional<Rows> rows = std::nullopt);
  /// A blob, or a dense attribute where there are few bytes; of `size` bytes from `start` of the tensor on.
  Attribute getValue(const StoredTensor &tensor, uint64_t start, uint64_t size, RankedTensorType type);
  /// `x` times the rows of a weight, plus its bias where there is one.
  Value createLinear(Value x, const Twine &name, std::optional<Rows> rows = std::nullopt);
  Value createNorm(Value x, const Twine &name);

  //===- Ops ----------------------------------------------------------------===//

  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...)->getResult(0);
  }
  SymExpr constant(int64_t value) { return SymExpr::constant(context, value); }
  Value scalar(double value);
  Value shape(ArrayRef<SymExpr> dims);
  Value reshape(Value value, ArrayRef<SymExpr> dims) { return make<graph::ReshapeOp>(value, shape(dims)); }
  Value permute(Value value, ArrayRef<int64_t> permutation) {
    return make<graph::PermuteDimsOp>(value, builder.getDenseI64ArrayAttr(permutation));
  }
  Value scaled(Value value, double factor) { return make<graph::MultiplyOp>(value, scalar(factor)); }
  /// `cap * tanh(x / cap)`.
  Value capped(Value value, double cap);

  const GGUFFile &file;
  const ModelConfig &config;
  MLIRContext *context;
  const GGUFImportOptions &options;
  OpBuilder builder;
  Location loc;

  SymExpr batch, seq, past, local, slots, pages;
  SmallVector<sym::Fact> facts;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  Value tokens, tokensShape, pastShape, localShape, tableShape, positions;
  SmallVector<Value> present; // keys and values in turns
  std::optional<Angles> localAngles, globalAngles;
  Value localMask, globalMask;
};

} // namespace mlir::relax::gguf

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_GGUF_MODELBUILDER_H
