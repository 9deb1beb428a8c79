//===- GraphImporter.h - From an ONNX graph to a function ------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Nodes are imported in file order, which the format demands to be topological.
// Every value has a tensor, made when an op first needs it, and for small
// integer tensors its elements as expressions (ShapeArithmetic.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_GRAPHIMPORTER_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_GRAPHIMPORTER_H

#include "ModelFile.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "RelaxDialect/Target/Import/ONNX.h"
#include "Symbols.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::relax::onnx {

/// Elements of an integer or bool tensor of rank 0 or 1 in order; null where unknown.
using Elements = SmallVector<sym::SymExpr>;
/// Longer tensors are not followed element by element.
inline constexpr int64_t kMaxElements = 64;

/// A value of the ONNX graph.
struct GraphValue {
  RankedTensorType type;
  Value tensor;                     // null until needed
  Attribute stored;                 // an initializer's or constant's value: dense or a blob
  std::string name;                 // as in the file
  std::optional<Elements> elements; // set when at least one is known
  std::optional<sym::Fact> fact;    // what a bool of one element says about extents
};

/// Elements of a small stored integer tensor; nullopt for others.
std::optional<Elements> getStoredElements(Attribute stored, RankedTensorType type);

/// The name of a dimension. Some exporters write a question mark, or the extent -1, for one that has none.
StringRef getDimName(const relax_onnx_wire::TensorShapeProto::Dimension &dim);
bool hasExtent(const relax_onnx_wire::TensorShapeProto::Dimension &dim);

class GraphImporter {
public:
  GraphImporter(ModelFile &file, MLIRContext *context, const ONNXImportOptions &options);

  /// The module; null after an error was emitted.
  OwningOpRef<ModuleOp> run();

  //===- For NodeEmitter ----------------------------------------------------===//

  MLIRContext *getContext() { return context; }
  OpBuilder &getBuilder() { return builder; }
  ModelFile &getFile() { return file; }
  sym::Prover &getProver();
  Symbols &getSymbols() { return symbols; }

  /// A defined value, null when there is none of that name.
  GraphValue *lookUp(StringRef name);
  /// Adds a value. Null after an error because the name is taken.
  GraphValue *define(StringRef name, Location loc);
  /// The value as a tensor; made now when it is an initializer, a constant or only known by its elements.
  Value getTensor(GraphValue &value, Location loc);

  /// States something about inputs that the rest relies upon; it is checked when the function is entered. False when a
  /// symbol of the fact does not come from the inputs.
  bool assume(const sym::Fact &fact);

  /// Another name for a value.
  GraphValue *alias(StringRef name, const GraphValue &value, Location loc);
  /// Imports the nodes of a subgraph whose names are its own (`instantiate`); its inputs are given.
  LogicalResult importSubgraph(const relax_onnx_wire::GraphProto &subgraph, ArrayRef<GraphValue> inputs, Location loc);
  /// What is known at a point: what a region makes is forgotten after it.
  struct Snapshot {
    llvm::StringMap<GraphValue> values;
    llvm::StringMap<Value> providers;
    DenseMap<Value, Value> shapes;
  };
  Snapshot takeSnapshot() const { return {values, providers, shapes}; }
  void restore(Snapshot snapshot);
  /// No symbol of the expression is bound in the region.
  bool isKnownOutside(sym::SymExpr expr, Region &region);
  /// A prefix for names of a subgraph or function.
  std::string makePrefix(StringRef stem);

  /// The symbols that `value`'s type mentions can be read from it.
  void addProviders(Value value);
  /// A `!relax.shape` value with these entries.
  Value makeShape(ArrayRef<sym::SymExpr> dims, Location loc);
  /// Values of a 1-D i64 tensor as shape entries. Null entries become new symbols, the others are checked.
  Value bindShape(Value tensor, MutableArrayRef<sym::SymExpr> dims, StringRef name, Location loc);
  /// Gives unknown extents of a tensor, and those of boundless expressions, new symbols.
  Value nameExtents(Value tensor, StringRef name, Location loc);

private:
  //===- Claims.cpp ---------------------------------------------------------===//

  /// Types of values that are yet to be imported; `infos` stays until they are removed.
  void addClaims(const google::protobuf::RepeatedPtrField<relax_onnx_wire::ValueInfoProto> &infos);
  void removeClaims(const google::protobuf::RepeatedPtrField<relax_onnx_wire::ValueInfoProto> &infos);
  /// Compares these values, as far as they are defined, with what is claimed of them.
  LogicalResult checkClaims(const google::protobuf::RepeatedPtrField<std::string> &names);
  LogicalResult checkClaim(const relax_onnx_wire::ValueInfoProto &info, GraphValue &value);
  /// The declared extent, null where the file says nothing.
  sym::SymExpr getClaimedExtent(const relax_onnx_wire::TensorShapeProto::Dimension &dim, sym::SymExpr inferred);
  /// Not inside of a branch or loop.
  bool isAtTopLevel();

  LogicalResult importInputs(Block &block);
  LogicalResult importInitializers(const relax_onnx_wire::GraphProto &from);
  LogicalResult importClaims();
  LogicalResult importNode(const relax_onnx_wire::NodeProto &node);
  LogicalResult inlineFunction(const relax_onnx_wire::FunctionProto &callee, const relax_onnx_wire::NodeProto &node);
  /// Counts what inlining makes; false after an error because that is without end.
  bool enterScope(int64_t nodes, Location loc);
  LogicalResult importOutputs();
  LogicalResult readOpsets();
  LogicalResult readFunctions();
  /// Facts and names of the options must be about dimensions of inputs.
  LogicalResult readOptions();
  FailureOr<RankedTensorType> getInputType(const relax_onnx_wire::ValueInfoProto &input);
  void eraseUnused(Block &block);

  ModelFile &file;
  const relax_onnx_wire::GraphProto &graph;
  MLIRContext *context;
  ONNXImportOptions options;
  OpBuilder builder;
  Location fileLoc;
  Symbols symbols;

  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  llvm::StringMap<GraphValue> values;
  llvm::StringSet<> weightNames;
  llvm::StringMap<const relax_onnx_wire::ValueInfoProto *> claims; // by value
  llvm::StringSet<> outputNames;
  using Opsets = llvm::StringMap<int64_t>; // by domain
  Opsets opsets;
  const Opsets *scope = &opsets;                                     // of the function that is being inlined
  llvm::StringMap<const relax_onnx_wire::FunctionProto *> functions; // by domain, colon, name
  unsigned depth = 0;
  int64_t inlinedNodes = 0, prefixes = 0;

  llvm::StringMap<Value> providers; // symbol to a value whose type shows it
  llvm::StringSet<> inputSymbols;
  DenseMap<Value, Value> shapes; // tensor to its shape_of
  SmallVector<sym::Fact> facts;
  std::unique_ptr<sym::Prover> prover; // over `facts`, made again when they change
};

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_GRAPHIMPORTER_H
