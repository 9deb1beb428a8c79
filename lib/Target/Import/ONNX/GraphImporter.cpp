//===- GraphImporter.cpp - From an ONNX graph to a function ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "GraphImporter.h"

#include "NodeEmitter.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "Scopes.h"
#include "TensorData.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::Fact;
using mlir::relax::sym::SymExpr;
using mlir::relax::sym::Verdict;
using relax_onnx_wire::FunctionProto;
using relax_onnx_wire::TensorProto;
using relax_onnx_wire::TensorShapeProto;
using relax_onnx_wire::ValueInfoProto;

GraphImporter::GraphImporter(ModelFile &file, MLIRContext *context, const ONNXImportOptions &options)
    : file(file), graph(file.getModel().graph()), context(context), options(options), builder(context),
      fileLoc(FileLineColLoc::get(context, file.getPath(), 0, 0)),
      symbols(context, this->options.symbols, this->options.dims) {}

OwningOpRef<ModuleOp> GraphImporter::run() {
  module = ModuleOp::create(fileLoc);
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, fileLoc, options.functionName, builder.getFunctionType({}, {}));
  // Ops are verified as they are made and look for the scope; its facts come last.
  function->setAttr(sym::kScopeAttrName, sym::ScopeAttr::get(context, {}));
  Block &block = *function.addEntryBlock();
  builder.setInsertionPointToEnd(&block);
  if (failed(readOpsets()) || failed(readFunctions()) || failed(importInputs(block)) || failed(readOptions()) ||
      failed(importInitializers(graph)) || failed(importClaims()))
    return {};
  for (const relax_onnx_wire::NodeProto &node : graph.node())
    if (failed(importNode(node)))
      return {};
  if (failed(importOutputs()))
    return {};
  eraseUnused(block);
  function->setAttr(sym::kScopeAttrName, sym::ScopeAttr::get(context, facts));
  return std::move(module);
}

LogicalResult GraphImporter::readOpsets() {
  for (const relax_onnx_wire::OperatorSetIdProto &entry : file.getModel().opset_import()) {
    StringRef domain = entry.domain() == "ai.onnx" ? "" : StringRef(entry.domain());
    if (!opsets.try_emplace(domain, entry.version()).second)
      return emitError(fileLoc) << "the file imports two opsets of domain '" << printable(domain) << "'";
    if (domain.empty() && (entry.version() < kMinOpset || entry.version() > kMaxOpset))
      return emitError(fileLoc) << "opset " << entry.version() << " is not supported, expected " << kMinOpset << " to "
                                << kMaxOpset;
  }
  if (options.opset && (options.opset < kMinOpset || options.opset > kMaxOpset))
    return emitError(fileLoc) << "option: opset " << options.opset << " is not supported, expected " << kMinOpset
                              << " to " << kMaxOpset;
  if (options.opset)
    opsets[""] = options.opset;
  if (graph.sparse_initializer_size())
    return emitError(fileLoc) << "sparse initializers are not supported";
  return success();
}

LogicalResult GraphImporter::readOptions() {
  auto checkName = [&](StringRef name) -> LogicalResult {
    if (symbols.isDeclared(name))
      return success();
    return emitError(fileLoc) << "option: no input has a dimension named '" << printable(name) << "'";
  };
  for (const auto &[name, symbol] : options.symbols) {
    if (failed(checkName(name)))
      return failure();
    if (symbol.empty())
      return emitError(fileLoc) << "option: the new name of dimension '" << printable(name) << "' is empty";
  }
  for (const auto &[name, value] : options.dims) {
    if (failed(checkName(name)))
      return failure();
    if (value < 0)
      return emitError(fileLoc) << "option: dimension '" << printable(name) << "' is negative: " << value;
  }
  for (const std::string &text : options.facts) {
    std::string error;
    FailureOr<Fact> fact = Fact::parse(context, text, error);
    if (failed(fact))
      return emitError(fileLoc) << "option: fact '" << printable(text) << "': " << error;
    if (!assume(*fact))
      return emitError(fileLoc) << "option: fact '" << printable(text)
                                << "' is never true, or names what is no dimension of an input";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

GraphValue *GraphImporter::lookUp(StringRef name) {
  auto known = values.find(name);
  return known == values.end() ? nullptr : &known->second;
}

GraphValue *GraphImporter::define(StringRef name, Location loc) {
  auto [entry, isNew] = values.try_emplace(name);
  if (!isNew) {
    emitError(loc) << "value '" << printable(name) << "' is defined twice";
    return nullptr;
  }
  entry->second.name = name.str();
  return &entry->second;
}

/// The names that a module prints without escapes.
static std::string getWeightStem(StringRef name) {
  bool plain = !name.empty() && name.size() <= 500 &&
               llvm::all_of(name, [](char c) { return llvm::isPrint(c) && c != '"' && c != '\\'; });
  return plain ? name.str() : "weight";
}

Value GraphImporter::getTensor(GraphValue &value, Location loc) {
  bool known = value.elements && llvm::all_of(*value.elements, [](SymExpr element) { return !!element; });
  if (known && llvm::all_of(*value.elements, [](SymExpr element) { return element.getConstant().has_value(); })) {
    SmallVector<APInt> integers;
    unsigned width = value.type.getElementType().getIntOrFloatBitWidth();
    for (SymExpr element : *value.elements)
      integers.emplace_back(width, *element.getConstant(), /*isSigned=*/true, /*implicitTrunc=*/true);
    return graph::ConstantOp::create(builder, loc, DenseElementsAttr::get(value.type, integers));
  }
  if (value.tensor)
    return value.tensor;
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(value.stored))
    return value.tensor = graph::ConstantOp::create(builder, loc, dense);
  if (value.stored) {
    std::string stem = getWeightStem(value.name), name = stem;
    for (unsigned suffix = 1; name == options.functionName || !weightNames.insert(name).second; ++suffix)
      name = stem + "_" + std::to_string(suffix);
    OpBuilder atModule = OpBuilder::atBlockBegin(module->getBody());
    atModule.setInsertionPoint(function);
    graph::WeightDataOp::create(atModule, loc, name, value.type, value.stored);
    return value.tensor = graph::WeightOp::create(builder, loc, value.type, FlatSymbolRefAttr::get(context, name));
  }
  if (!known)
    return {};
  // Only elements that are never negative come here without a tensor.
  auto vectorType = RankedTensorType::get({static_cast<int64_t>(value.elements->size())}, builder.getI64Type());
  Value tensor = graph::ShapeToTensorOp::create(builder, loc, vectorType, makeShape(*value.elements, loc));
  if (value.type.getRank() == 0)
    tensor = graph::ReshapeOp::create(builder, loc, RankedTensorType::get({}, builder.getI64Type()), tensor,
                                      makeShape({}, loc));
  if (!value.type.getElementType().isInteger(64))
    tensor = graph::AsTypeOp::create(builder, loc, value.type, tensor, TypeAttr::get(value.type.getElementType()));
  return value.tensor = tensor;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

sym::Prover &GraphImporter::getProver() {
  if (!prover)
    prover = std::make_unique<sym::Prover>(context, facts);
  return *prover;
}

bool GraphImporter::assume(const Fact &fact) {
  for (SymExpr side : {fact.lhs, fact.rhs})
    for (StringRef name : side.getSymbols())
      if (!inputSymbols.contains(name))
        return false;
  Verdict verdict = getProver().holds(fact);
  if (verdict == Verdict::Depends) {
    facts.push_back(fact);
    prover.reset();
  }
  return verdict != Verdict::False;
}

void GraphImporter::addProviders(Value value) {
  SmallVector<StringRef> names;
  sym::collectSymbols(value.getType(), names);
  for (StringRef name : names)
    providers.try_emplace(name, value);
}

Value GraphImporter::makeShape(ArrayRef<SymExpr> dims, Location loc) {
  SmallVector<Value> operands;
  for (SymExpr dim : dims) {
    for (StringRef name : dim.getSymbols()) {
      Value provider = providers.lookup(name);
      if (!isa<graph::ShapeType>(provider.getType())) {
        Value &shape = shapes[provider];
        if (!shape)
          shape = graph::ShapeOfOp::create(
              builder, loc, graph::ShapeType::get(context, sym::getSymbolicDims(provider.getType())), provider);
        provider = shape;
      }
      if (!llvm::is_contained(operands, provider))
        operands.push_back(provider);
    }
  }
  if (operands.size() == 1 && ArrayRef(sym::getSymbolicDims(operands[0].getType())) == dims)
    return operands[0];
  return graph::MakeShapeOp::create(builder, loc, graph::ShapeType::get(context, dims), operands);
}

/// Replaces null entries by new symbols; gives their names.
static ArrayAttr bindUnknown(OpBuilder &builder, Symbols &symbols, MutableArrayRef<SymExpr> dims, StringRef name) {
  SmallVector<Attribute> bound;
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (dim)
      continue;
    dim = symbols.makeFresh((name + "_d" + Twine(index)).str());
    bound.push_back(builder.getStringAttr(*dim.getSymbol()));
  }
  return builder.getArrayAttr(bound);
}

Value GraphImporter::bindShape(Value tensor, MutableArrayRef<SymExpr> dims, StringRef name, Location loc) {
  ArrayAttr binds = bindUnknown(builder, symbols, dims, name);
  Value shape = graph::TensorToShapeOp::create(builder, loc, graph::ShapeType::get(context, dims), tensor, binds);
  addProviders(shape);
  return shape;
}

Value GraphImporter::nameExtents(Value tensor, StringRef name, Location loc) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<SymExpr> dims = sym::getSymbolicDims(type);
  for (SymExpr &dim : dims)
    if (isTooComplex(dim))
      dim = {};
  ArrayAttr binds = bindUnknown(builder, symbols, dims, name);
  if (binds.empty())
    return tensor;
  Value named =
      graph::MatchCastOp::create(builder, loc, sym::getTensorType(dims, type.getElementType()), tensor, binds);
  addProviders(named);
  return named;
}

//===----------------------------------------------------------------------===//
// Inputs, initializers, nodes
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> GraphImporter::getInputType(const ValueInfoProto &input) {
  auto fail = [&]() { return emitError(fileLoc) << "input '" << printable(input.name()) << "': "; };
  if (!input.type().has_tensor_type())
    return fail() << "is not a tensor";
  const relax_onnx_wire::TypeProto::Tensor &tensor = input.type().tensor_type();
  Type elementType = getElementType(context, tensor.elem_type());
  if (!elementType)
    return fail() << "unsupported element type " << getTypeName(tensor.elem_type());
  if (!tensor.has_shape())
    return fail() << "has no shape";
  if (tensor.shape().dim_size() > static_cast<int>(kMaxRank))
    return fail() << "has " << tensor.shape().dim_size() << " dimensions, at most " << kMaxRank << " are supported";
  SmallVector<SymExpr> dims;
  SmallVector<int64_t> extents;
  for (auto [index, dim] : llvm::enumerate(tensor.shape().dim())) {
    if (hasExtent(dim)) {
      if (dim.dim_value() < 0)
        return fail() << "dimension " << index << " is negative: " << dim.dim_value();
      dims.push_back(SymExpr::constant(context, dim.dim_value()));
      extents.push_back(dim.dim_value());
    } else if (!getDimName(dim).empty()) {
      dims.push_back(symbols.getDeclared(getDimName(dim)));
    } else {
      dims.push_back(symbols.makeFresh((input.name() + "_d" + Twine(index)).str()));
    }
  }
  if (!getBoundedSize(extents))
    return fail() << "has too many elements to be addressed";
  return sym::getTensorType(dims, elementType);
}

LogicalResult GraphImporter::importInputs(Block &block) {
  llvm::StringSet<> initialized;
  for (const TensorProto &tensor : graph.initializer())
    initialized.insert(tensor.name());
  SmallVector<const ValueInfoProto *> inputs;
  for (const ValueInfoProto &input : graph.input()) {
    // An input with an initializer is a constant: older files list every weight so.
    if (initialized.contains(input.name()))
      continue;
    inputs.push_back(&input);
    for (const TensorShapeProto::Dimension &dim : input.type().tensor_type().shape().dim())
      if (!getDimName(dim).empty())
        symbols.declare(getDimName(dim));
  }
  SmallVector<Type> types;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    if (input->name().empty())
      return emitError(fileLoc) << "input " << index << " has no name";
    FailureOr<RankedTensorType> type = getInputType(*input);
    GraphValue *value = succeeded(type) ? define(input->name(), fileLoc) : nullptr;
    if (!value)
      return failure();
    value->type = *type;
    value->tensor = block.addArgument(*type, NameLoc::get(builder.getStringAttr(input->name()), fileLoc));
    types.push_back(*type);
    addProviders(value->tensor);
    SmallVector<StringRef> names;
    sym::collectSymbols(*type, names);
    inputSymbols.insert(names.begin(), names.end());
  }
  function.setType(builder.getFunctionType(types, {}));
  for (auto [index, input] : llvm::enumerate(inputs))
    function.setArgAttr(index, graph::kNameAttrName, builder.getStringAttr(input->name()));
  return success();
}

std::optional<Elements> mlir::relax::onnx::getStoredElements(Attribute stored, RankedTensorType type) {
  auto dense = dyn_cast<DenseElementsAttr>(stored);
  if (!dense || type.getRank() > 1 || type.getNumElements() > kMaxElements || !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  Elements elements;
  bool isUnsigned = type.getElementType().isInteger(1) || type.getElementType().isUnsignedInteger();
  // What does not fit is unknown.
  for (const APInt &value : dense.getValues<APInt>()) {
    bool fits = !isUnsigned || value.getActiveBits() < 64;
    int64_t number = !fits ? 0 : isUnsigned ? value.getZExtValue() : value.getSExtValue();
    elements.push_back(fits ? SymExpr::constant(type.getContext(), number) : SymExpr());
  }
  return elements;
}

LogicalResult GraphImporter::importInitializers(const relax_onnx_wire::GraphProto &from) {
  for (const TensorProto &tensor : from.initializer()) {
    if (tensor.name().empty())
      return emitError(fileLoc) << "an initializer has no name";
    std::string error;
    RankedTensorType type = getStoredType(context, tensor, error);
    Attribute stored = type ? getStoredValue(file, tensor, type, error) : Attribute();
    if (!stored)
      return emitError(fileLoc) << "tensor '" << printable(tensor.name()) << "' " << error;
    GraphValue *value = define(tensor.name(), fileLoc);
    if (!value)
      return failure();
    value->type = type;
    value->stored = stored;
    value->elements = getStoredElements(stored, type);
  }
  return success();
}

LogicalResult GraphImporter::importClaims() {
  for (const ValueInfoProto &output : graph.output())
    outputNames.insert(output.name());
  addClaims(graph.output());
  addClaims(graph.value_info());
  for (const ValueInfoProto &info : graph.value_info())
    if (GraphValue *value = lookUp(info.name()); value && info.type().has_tensor_type())
      if (failed(checkClaim(info, *value)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes, functions, subgraphs
//===----------------------------------------------------------------------===//

static StringRef getDomain(StringRef domain) { return domain == "ai.onnx" ? "" : domain; }

LogicalResult GraphImporter::readFunctions() {
  for (const FunctionProto &callee : file.getModel().functions()) {
    std::string key = (getDomain(callee.domain()) + ":" + callee.name()).str();
    if (!functions.try_emplace(key, &callee).second)
      return emitError(fileLoc) << "function '" << printable(callee.name()) << "' of domain '"
                                << printable(callee.domain()) << "' is defined twice";
  }
  return success();
}

LogicalResult GraphImporter::importNode(const relax_onnx_wire::NodeProto &node) {
  StringRef domain = getDomain(node.domain());
  if (const FunctionProto *callee = functions.lookup((domain + ":" + node.op_type()).str()))
    return inlineFunction(*callee, node);
  auto opset = scope->find(domain);
  NodeEmitter emitter(*this, node, opset == scope->end() ? 0 : opset->second);
  if (opset == scope->end())
    emitter.fail("the file imports no opset of domain '" + Twine(printable(domain)) + "'");
  else
    emitNode(emitter);
  return emitter.failed() ? failure() : checkClaims(node.output());
}

bool GraphImporter::enterScope(int64_t nodes, Location loc) {
  constexpr unsigned kMaxDepth = 40;
  constexpr int64_t kMaxNodes = 1000000;
  inlinedNodes += nodes;
  if (depth >= kMaxDepth) {
    emitError(loc) << "functions and subgraphs are nested more than " << kMaxDepth << " deep";
    return false;
  }
  if (inlinedNodes > kMaxNodes) {
    emitError(loc) << "functions and subgraphs make more than " << kMaxNodes << " nodes";
    return false;
  }
  return true;
}

std::string GraphImporter::makePrefix(StringRef stem) {
  return (stem.take_front(100) + "." + Twine(prefixes++) + ".").str();
}

LogicalResult GraphImporter::inlineFunction(const FunctionProto &callee, const relax_onnx_wire::NodeProto &node) {
  Location loc = NameLoc::get(builder.getStringAttr(printable(node.name())), fileLoc);
  auto fail = [&]() -> InFlightDiagnostic {
    return emitError(loc) << "node '" << printable(node.name()) << "' (" << printable(node.op_type()) << ", "
                          << printable(node.domain()) << "): ";
  };
  if (node.input_size() > callee.input_size())
    return fail() << "has " << node.input_size() << " inputs, the function has " << callee.input_size();
  if (node.output_size() > callee.output_size())
    return fail() << "has " << node.output_size() << " outputs, the function has " << callee.output_size();
  if (!enterScope(callee.node_size(), loc))
    return failure();
  Opsets own;
  for (const relax_onnx_wire::OperatorSetIdProto &entry : callee.opset_import())
    own[getDomain(entry.domain())] = entry.version();
  if (auto standard = own.find("");
      standard != own.end() && (standard->second < kMinOpset || standard->second > kMaxOpset))
    return fail() << "the function's opset " << standard->second << " is not supported, expected " << kMinOpset
                  << " to " << kMaxOpset;
  const Opsets *outer = std::exchange(scope, &own);
  ++depth;
  LogicalResult result = success();
  for (const relax_onnx_wire::NodeProto &inner : instantiate(callee, node, makePrefix(callee.name())))
    if (succeeded(result))
      result = importNode(inner);
  --depth;
  scope = outer;
  return result;
}

GraphValue *GraphImporter::alias(StringRef name, const GraphValue &value, Location loc) {
  GraphValue copy = value;
  GraphValue *defined = define(name, loc);
  if (!defined)
    return nullptr;
  copy.name = defined->name;
  *defined = std::move(copy);
  return defined;
}

void GraphImporter::restore(Snapshot snapshot) {
  values = std::move(snapshot.values);
  providers = std::move(snapshot.providers);
  shapes = std::move(snapshot.shapes);
}

bool GraphImporter::isKnownOutside(SymExpr expr, Region &region) {
  return llvm::all_of(expr.getSymbols(), [&](StringRef name) {
    Value provider = providers.lookup(name);
    // What the region bound is no longer there after a restored snapshot.
    return provider && !region.isAncestor(provider.getParentRegion());
  });
}

LogicalResult GraphImporter::importSubgraph(const relax_onnx_wire::GraphProto &subgraph, ArrayRef<GraphValue> inputs,
                                            Location loc) {
  if (!enterScope(subgraph.node_size(), loc))
    return failure();
  if (subgraph.sparse_initializer_size())
    return emitError(loc) << "sparse initializers are not supported";
  for (auto [input, value] : llvm::zip(subgraph.input(), inputs))
    if (!alias(input.name(), value, loc))
      return failure();
  if (failed(importInitializers(subgraph)))
    return failure();
  addClaims(subgraph.value_info());
  ++depth;
  LogicalResult result = success();
  for (const relax_onnx_wire::NodeProto &node : subgraph.node())
    if (succeeded(result))
      result = importNode(node);
  --depth;
  removeClaims(subgraph.value_info());
  return result;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

LogicalResult GraphImporter::importOutputs() {
  SmallVector<Value> results;
  llvm::StringSet<> names;
  for (auto [index, output] : llvm::enumerate(graph.output())) {
    if (output.name().empty())
      return emitError(fileLoc) << "output " << index << " has no name";
    if (!names.insert(output.name()).second)
      return emitError(fileLoc) << "output '" << printable(output.name()) << "' is listed twice";
    GraphValue *value = lookUp(output.name());
    if (!value)
      return emitError(fileLoc) << "output '" << printable(output.name()) << "' is not defined by any node";
    // Inputs and constants are checked here, others were where they were made.
    if (failed(checkClaim(output, *value)))
      return failure();
    results.push_back(getTensor(*value, fileLoc));
  }
  func::ReturnOp::create(builder, fileLoc, results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), ValueRange(results).getTypes()));
  for (auto [index, output] : llvm::enumerate(graph.output()))
    function.setResultAttr(index, graph::kNameAttrName, builder.getStringAttr(output.name()));
  return success();
}

void GraphImporter::eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
  llvm::StringSet<> used;
  block.walk([&](graph::WeightOp weight) { used.insert(weight.getName()); });
  for (auto data : llvm::make_early_inc_range(module->getOps<graph::WeightDataOp>()))
    if (!used.contains(data.getSymName()))
      data.erase();
}
