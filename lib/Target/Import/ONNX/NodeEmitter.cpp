//===- NodeEmitter.cpp - What a node's import works with ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "NodeEmitter.h"

#include "RelaxDialect/Dialect/Graph/IR/CreateVerified.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "TensorData.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;
using relax_onnx_wire::AttributeProto;
using relax_onnx_wire::NodeProto;

/// A node is located by its name, or by its first output's.
static Location getNodeLoc(GraphImporter &importer, const NodeProto &node) {
  MLIRContext *context = importer.getContext();
  std::string name = printable(!node.name().empty() || !node.output_size() ? node.name() : node.output(0));
  return NameLoc::get(StringAttr::get(context, name), FileLineColLoc::get(context, importer.getFile().getPath(), 0, 0));
}

NodeEmitter::NodeEmitter(GraphImporter &importer, const NodeProto &node, int64_t opset)
    : importer(importer), node(node), opset(opset), loc(getNodeLoc(importer, node)), attrRead(node.attribute_size()) {}

void NodeEmitter::fail(const Twine &message) {
  if (std::exchange(hasFailed, true))
    return;
  InFlightDiagnostic diag = emitError(loc) << "node ";
  if (!node.name().empty())
    diag << "'" << printable(node.name()) << "'";
  else
    diag << "of output '" << printable(node.output_size() ? StringRef(node.output(0)) : "") << "'";
  diag << " (" << printable(node.op_type()) << ", "
       << (node.domain().empty() ? std::string("ai.onnx") : printable(node.domain())) << ", opset " << opset
       << "): " << message;
}

StringRef NodeEmitter::getSymbolStem() const { return node.output_size() ? StringRef(node.output(0)) : "d"; }

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

GraphValue *NodeEmitter::getInput(unsigned index) {
  if (failed() || !has(index))
    return nullptr;
  GraphValue *value = importer.lookUp(node.input(index));
  if (!value)
    fail("input '" + printable(node.input(index)) + "' is not defined before this node");
  return value;
}

RankedTensorType NodeEmitter::getType(unsigned index) {
  GraphValue *value = getInput(index);
  if (!has(index))
    fail("required input " + Twine(index) + " is missing");
  // Something to go on with after an error.
  return value ? value->type : RankedTensorType::get({}, getF32());
}

Value NodeEmitter::getTensor(unsigned index) {
  GraphValue *value = getInput(index);
  return value ? importer.getTensor(*value, loc) : Value();
}

std::optional<Elements> NodeEmitter::getElements(unsigned index) {
  GraphValue *value = getInput(index);
  if (!value)
    return std::nullopt;
  if (value->elements)
    return value->elements;
  RankedTensorType type = value->type;
  if (!isa<IntegerType>(type.getElementType()) || type.getRank() > 1 || !type.hasStaticShape() ||
      type.getNumElements() > kMaxElements)
    return std::nullopt;
  return Elements(type.getNumElements());
}

SymExpr NodeEmitter::constant(int64_t value) {
  if (SymExpr expr = SymExpr::constant(getContext(), value))
    return expr;
  fail("the value " + Twine(value) + " is not supported here");
  return SymExpr::constant(getContext(), 0);
}

SymExpr NodeEmitter::makeBound(int64_t value) {
  return constant(std::max(value, std::numeric_limits<int64_t>::min() + 1));
}

std::optional<Elements> NodeEmitter::getBounds(unsigned index) {
  std::optional<Elements> elements = getElements(index);
  DenseElementsAttr dense = getDense(index);
  if (!elements || !dense || !llvm::is_contained(*elements, SymExpr()))
    return elements;
  for (auto [element, value] : llvm::zip(*elements, dense.getValues<APInt>()))
    element = makeBound(value.getSExtValue());
  return elements;
}

/// The values of elements that are all constants.
static std::optional<SmallVector<int64_t>> getConstants(const std::optional<Elements> &elements) {
  if (!elements)
    return std::nullopt;
  SmallVector<int64_t> integers;
  for (SymExpr element : *elements) {
    std::optional<int64_t> value = element ? element.getConstant() : std::nullopt;
    if (!value)
      return std::nullopt;
    integers.push_back(*value);
  }
  return integers;
}

std::optional<SmallVector<int64_t>> NodeEmitter::getIntegers(unsigned index) {
  return getConstants(getElements(index));
}

std::optional<SmallVector<int64_t>> NodeEmitter::getConstantBounds(unsigned index) {
  return getConstants(getBounds(index));
}

SmallVector<int64_t> NodeEmitter::requireIntegers(unsigned index, StringRef what) {
  std::optional<SmallVector<int64_t>> integers = getIntegers(index);
  if (!integers)
    fail(what + " must be constant");
  return integers.value_or(SmallVector<int64_t>());
}

Elements NodeEmitter::requireExtents(unsigned index, StringRef what) {
  std::optional<Elements> elements = getElements(index);
  if (failed())
    return {};
  if (!elements || getRank(index) != 1) {
    fail(what + " must be a vector of constant length, at most " + Twine(kMaxElements));
    return {};
  }
  if (!llvm::is_contained(*elements, SymExpr()))
    return *elements;
  Value tensor = cast(getTensor(index), getI64());
  if (tensor)
    importer.bindShape(tensor, *elements, getSymbolStem(), loc);
  return *elements;
}

SymExpr NodeEmitter::requireExtent(unsigned index, StringRef what) {
  RankedTensorType type = getType(index);
  if (!failed() && (!isa<IntegerType>(type.getElementType()) || type.getRank() > 1 || !type.hasStaticShape() ||
                    type.getNumElements() != 1))
    fail(what + " must be one integer");
  std::optional<Elements> elements = getElements(index);
  if (failed() || !elements)
    return constant(0);
  if ((*elements)[0])
    return (*elements)[0];
  if (Value tensor = reshape(cast(getTensor(index), getI64()), {constant(1)}))
    importer.bindShape(tensor, *elements, getSymbolStem(), loc);
  return (*elements)[0] ? (*elements)[0] : constant(0);
}

std::optional<sym::Fact> NodeEmitter::getFact(unsigned index) {
  GraphValue *value = getInput(index);
  return value ? value->fact : std::nullopt;
}

DenseElementsAttr NodeEmitter::getDense(unsigned index) {
  GraphValue *value = getInput(index);
  return value ? dyn_cast_if_present<DenseElementsAttr>(value->stored) : DenseElementsAttr();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const AttributeProto *NodeEmitter::findAttr(StringRef name) {
  for (auto [index, attribute] : llvm::enumerate(node.attribute())) {
    if (name != attribute.name())
      continue;
    if (!attribute.ref_attr_name().empty())
      fail("attribute '" + name + "' refers to a function's attribute");
    attrRead[index] = true;
    return &attribute;
  }
  return nullptr;
}

static StringRef getAttrTypeName(AttributeProto::AttributeType type) {
  static constexpr StringLiteral names[] = {
      "UNDEFINED", "FLOAT",   "INT",    "STRING",        "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
      "STRINGS",   "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
  return type >= 0 && type < static_cast<int>(std::size(names)) ? StringRef(names[type]) : "UNKNOWN";
}

const AttributeProto *NodeEmitter::findAttr(StringRef name, AttributeProto::AttributeType type) {
  const AttributeProto *attribute = findAttr(name);
  if (!attribute || attribute->type() == type)
    return attribute;
  fail("attribute '" + name + "' has type " + getAttrTypeName(attribute->type()) + ", expected " +
       getAttrTypeName(type));
  return nullptr;
}

bool NodeEmitter::hasAttr(StringRef name) {
  return llvm::any_of(node.attribute(), [&](const AttributeProto &attribute) { return name == attribute.name(); });
}

int64_t NodeEmitter::getInt(StringRef name, int64_t absent) {
  const AttributeProto *attribute = findAttr(name, AttributeProto::INT);
  return attribute ? attribute->i() : absent;
}

float NodeEmitter::getFloat(StringRef name, float absent) {
  const AttributeProto *attribute = findAttr(name, AttributeProto::FLOAT);
  return attribute ? attribute->f() : absent;
}

std::string NodeEmitter::getString(StringRef name, StringRef absent) {
  const AttributeProto *attribute = findAttr(name, AttributeProto::STRING);
  return attribute ? attribute->s() : absent.str();
}

SmallVector<int64_t> NodeEmitter::getInts(StringRef name) {
  const AttributeProto *attribute = findAttr(name, AttributeProto::INTS);
  return attribute ? SmallVector<int64_t>(attribute->ints().begin(), attribute->ints().end()) : SmallVector<int64_t>();
}

SmallVector<float> NodeEmitter::getFloats(StringRef name) {
  const AttributeProto *attribute = findAttr(name, AttributeProto::FLOATS);
  return attribute ? SmallVector<float>(attribute->floats().begin(), attribute->floats().end()) : SmallVector<float>();
}

SmallVector<std::string> NodeEmitter::getStrings(StringRef name) {
  const AttributeProto *attribute = findAttr(name, AttributeProto::STRINGS);
  return attribute ? SmallVector<std::string>(attribute->strings().begin(), attribute->strings().end())
                   : SmallVector<std::string>();
}

const relax_onnx_wire::TensorProto *NodeEmitter::getTensorAttr(StringRef name) {
  const AttributeProto *attribute = findAttr(name, AttributeProto::TENSOR);
  return attribute ? &attribute->t() : nullptr;
}

const relax_onnx_wire::GraphProto *NodeEmitter::getGraph(StringRef name) {
  const AttributeProto *attribute = findAttr(name, AttributeProto::GRAPH);
  return attribute ? &attribute->g() : nullptr;
}

void NodeEmitter::checkAttrs() {
  for (auto [index, attribute] : llvm::enumerate(node.attribute()))
    if (!attrRead[index])
      return fail("unknown attribute '" + printable(attribute.name()) + "'");
}

int64_t NodeEmitter::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  fail("axis " + Twine(axis) + " is out of range for rank " + Twine(rank));
  return 0;
}

SmallVector<int64_t> NodeEmitter::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    int64_t normalized = normalizeAxis(axis, rank);
    if (failed())
      return {};
    if (llvm::is_contained(result, normalized)) {
      fail("axis " + Twine(axis) + " is given twice");
      return {};
    }
    result.push_back(normalized);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

GraphValue *NodeEmitter::defineOutput(unsigned index) {
  if (failed() || !wants(index))
    return nullptr;
  GraphValue *value = importer.lookUp(node.output(index));
  if (value) {
    fail("value '" + printable(node.output(index)) + "' is defined twice");
    return nullptr;
  }
  return importer.define(node.output(index), loc);
}

void NodeEmitter::setResult(unsigned index, Value tensor) {
  if (!tensor)
    return;
  GraphValue *value = defineOutput(index);
  if (!value)
    return;
  value->tensor = importer.nameExtents(tensor, node.output(index), loc);
  value->type = mlir::cast<RankedTensorType>(value->tensor.getType());
}

void NodeEmitter::setElements(unsigned index, Elements elements, RankedTensorType type) {
  if (GraphValue *value = defineOutput(index)) {
    value->type = type;
    value->elements = std::move(elements);
  }
}

void NodeEmitter::addElements(unsigned index, Elements elements) {
  GraphValue *value = !failed() && wants(index) ? importer.lookUp(node.output(index)) : nullptr;
  if (value && value->type.getRank() <= 1 && value->type.hasStaticShape() &&
      value->type.getNumElements() == static_cast<int64_t>(elements.size()))
    value->elements = std::move(elements);
}

void NodeEmitter::setConstant(unsigned index, Attribute stored, RankedTensorType type) {
  if (GraphValue *value = defineOutput(index)) {
    value->type = type;
    value->stored = stored;
    value->elements = getStoredElements(stored, type);
  }
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

NamedAttribute NodeEmitter::attr(StringRef name, Attribute value) { return NamedAttribute(name, value); }

NamedAttribute NodeEmitter::attr(StringRef name, int64_t value) {
  return NamedAttribute(name, importer.getBuilder().getI64IntegerAttr(value));
}

NamedAttribute NodeEmitter::attr(StringRef name, ArrayRef<int64_t> values) {
  return NamedAttribute(name, DenseI64ArrayAttr::get(getContext(), values));
}

Value NodeEmitter::finish(OperationState &state,
                          llvm::function_ref<LogicalResult(DictionaryAttr, SmallVectorImpl<Type> &)> inferTypes) {
  // What the op says about itself becomes the node's error.
  std::string text;
  Operation *op = graph::createVerified(importer.getBuilder(), state, inferTypes, text);
  if (!op) {
    fail(text.empty() ? "is malformed" : text);
    return {};
  }
  auto type = mlir::cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getRank() > kMaxRank || !getBoundedSize(type.getShape())) {
    std::string typeText;
    llvm::raw_string_ostream(typeText) << type;
    fail("a result of type " + Twine(typeText) + " is too large");
    return {};
  }
  return op->getResult(0);
}

Value NodeEmitter::makeConstant(DenseElementsAttr value) {
  return failed() ? Value() : graph::ConstantOp::create(importer.getBuilder(), loc, value);
}

Value NodeEmitter::makeScalar(double value, Type elementType) {
  Attribute element;
  if (auto floatType = dyn_cast<FloatType>(elementType))
    element = FloatAttr::get(floatType, value);
  else if (std::abs(value) <= (1 << 20) && value == std::trunc(value))
    element = IntegerAttr::get(elementType, static_cast<int64_t>(value));
  if (!element) {
    fail("is not supported for integers");
    return {};
  }
  return makeConstant(DenseElementsAttr::get(RankedTensorType::get({}, elementType), element));
}

Value NodeEmitter::makeScalarLike(double value, Value like) {
  return like ? makeScalar(value, getElementTypeOrSelf(like.getType())) : Value();
}

Value NodeEmitter::makeIntegers(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, getI64());
  return makeConstant(DenseElementsAttr::get(type, values));
}

Value NodeEmitter::add(Value a, Value b) { return create<graph::AddOp>({a, b}); }
Value NodeEmitter::subtract(Value a, Value b) { return create<graph::SubtractOp>({a, b}); }
Value NodeEmitter::multiply(Value a, Value b) { return create<graph::MultiplyOp>({a, b}); }
Value NodeEmitter::divide(Value a, Value b) { return create<graph::DivideOp>({a, b}); }

Value NodeEmitter::cast(Value value, Type elementType) {
  if (!value || getElementTypeOrSelf(value.getType()) == elementType)
    return value;
  return create<graph::AsTypeOp>(value, attr("dtype", TypeAttr::get(elementType)));
}

Value NodeEmitter::select(Value condition, Value a, Value b) { return create<graph::WhereOp>({condition, a, b}); }

template <typename OpTy> static Value reduce(NodeEmitter &e, Value value, ArrayRef<int64_t> axes, bool keepdims) {
  SmallVector<NamedAttribute> attributes = {e.attr("axes", axes)};
  if (keepdims)
    attributes.push_back(e.attr("keepdims", UnitAttr::get(e.getContext())));
  return e.create<OpTy>(value, attributes);
}

Value NodeEmitter::reduceSum(Value value, ArrayRef<int64_t> axes, bool keepdims) {
  return reduce<graph::SumOp>(*this, value, axes, keepdims);
}
Value NodeEmitter::reduceProd(Value value, ArrayRef<int64_t> axes, bool keepdims) {
  return reduce<graph::ProdOp>(*this, value, axes, keepdims);
}
Value NodeEmitter::reduceMax(Value value, ArrayRef<int64_t> axes, bool keepdims) {
  return reduce<graph::MaxOp>(*this, value, axes, keepdims);
}
Value NodeEmitter::reduceMin(Value value, ArrayRef<int64_t> axes, bool keepdims) {
  return reduce<graph::MinOp>(*this, value, axes, keepdims);
}
Value NodeEmitter::reduceMean(Value value, ArrayRef<int64_t> axes, bool keepdims) {
  return reduce<graph::MeanOp>(*this, value, axes, keepdims);
}

Value NodeEmitter::expandDims(Value value, ArrayRef<int64_t> axes) {
  return axes.empty() ? value : create<graph::ExpandDimsOp>(value, attr("axes", axes));
}

Value NodeEmitter::squeeze(Value value, ArrayRef<int64_t> axes) {
  return axes.empty() ? value : create<graph::SqueezeOp>(value, attr("axes", axes));
}

Value NodeEmitter::permute(Value value, ArrayRef<int64_t> permutation) {
  return create<graph::PermuteDimsOp>(value, attr("permutation", permutation));
}

Value NodeEmitter::reshape(Value value, ArrayRef<SymExpr> dims) {
  if (!value || ArrayRef(sym::getSymbolicDims(value.getType())) == dims)
    return value;
  return create<graph::ReshapeOp>({value, makeShape(dims)});
}

Value NodeEmitter::broadcastTo(Value value, ArrayRef<SymExpr> dims) {
  if (!value || ArrayRef(sym::getSymbolicDims(value.getType())) == dims)
    return value;
  return create<graph::BroadcastToOp>({value, makeShape(dims)});
}

Value NodeEmitter::concat(ArrayRef<Value> values, int64_t axis) {
  return values.size() == 1 ? values[0] : create<graph::ConcatOp>(values, attr("axis", axis));
}

Value NodeEmitter::slice(Value value, ArrayRef<Range> ranges) {
  if (!value)
    return {};
  SmallVector<int64_t> axes, strides;
  SmallVector<SymExpr> starts, ends;
  for (const Range &range : ranges) {
    axes.push_back(range.axis);
    starts.push_back(range.start);
    ends.push_back(range.end);
    strides.push_back(range.stride);
  }
  // Symbols that the operand does not show come from a shape value.
  SmallVector<Value> operands = {value};
  SmallVector<SymExpr> hidden;
  for (SymExpr bound : llvm::concat<SymExpr>(starts, ends)) {
    if (!bound) {
      fail("a slice bound does not fit 64 bits");
      return {};
    }
    SmallVector<StringRef> shown;
    sym::collectSymbols(value.getType(), shown);
    if (!llvm::all_of(bound.getSymbols(), [&](StringRef name) { return llvm::is_contained(shown, name); }))
      for (StringRef name : bound.getSymbols())
        hidden.push_back(SymExpr::symbol(getContext(), name));
  }
  if (!hidden.empty())
    operands.push_back(makeShape(hidden));
  auto exprs = [&](ArrayRef<SymExpr> bounds) {
    return ArrayAttr::get(getContext(), llvm::map_to_vector(bounds, [](SymExpr bound) -> Attribute {
                            return sym::ExprAttr::get(bound);
                          }));
  };
  return create<graph::SliceOp>(operands, {attr("axes", axes), attr("starts", exprs(starts)), attr("ends", exprs(ends)),
                                           attr("strides", strides)});
}

Value NodeEmitter::full(ArrayRef<SymExpr> dims, TypedAttr value) {
  return create<graph::FullOp>(makeShape(dims), attr("value", value));
}

Value NodeEmitter::iota(ArrayRef<SymExpr> dims, int64_t axis) {
  NamedAttribute type = attr("dtype", TypeAttr::get(IntegerType::get(getContext(), 64)));
  return create<graph::IotaOp>(makeShape(dims), {attr("axis", axis), type});
}

Value NodeEmitter::makeShape(ArrayRef<SymExpr> dims) {
  if (failed())
    return {};
  if (dims.size() > kMaxRank)
    fail("a shape of " + Twine(dims.size()) + " dimensions is too long");
  else if (llvm::is_contained(dims, SymExpr()))
    fail("an extent does not fit 64 bits");
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (failed())
      return {};
    if (std::optional<int64_t> extent = dim.getConstant(); extent && *extent < 0)
      fail("dimension " + Twine(index) + " is negative: " + Twine(*extent));
  }
  return failed() ? Value() : importer.makeShape(dims, loc);
}

SymExpr NodeEmitter::divideExactly(SymExpr dim, int64_t divisor) {
  SymExpr quotient = SymExpr::floordiv(dim, constant(divisor));
  if (failed() || (quotient && quotient * divisor == dim))
    return quotient;
  sym::Fact fact{SymExpr::mod(dim, constant(divisor)), sym::Fact::Op::Equal, constant(0)};
  if (!quotient || !importer.assume(fact))
    fail("an extent of " + Twine(dim ? dim.str() : "?") + " is not divisible by " + Twine(divisor));
  return quotient;
}

Value NodeEmitter::dimScalar(SymExpr dim, Type elementType) {
  return cast(reshape(makeDimsTensor({dim}), {}), elementType);
}

Value NodeEmitter::makeDimsTensor(ArrayRef<SymExpr> dims) {
  Value shape = makeShape(dims);
  if (!shape)
    return {};
  auto type = RankedTensorType::get({static_cast<int64_t>(dims.size())}, getI64());
  return graph::ShapeToTensorOp::create(importer.getBuilder(), loc, type, shape);
}

SymExpr NodeEmitter::product(ArrayRef<SymExpr> dims) {
  SymExpr result = constant(1);
  for (SymExpr dim : dims)
    result = result * dim;
  return result;
}

SymExpr NodeEmitter::minimum(SymExpr a, SymExpr b) {
  if (a && b && getProver().isLessEqual(a, b) == sym::Verdict::True)
    return a;
  if (a && b && getProver().isLessEqual(b, a) == sym::Verdict::True)
    return b;
  return SymExpr::min({a, b});
}

SymExpr NodeEmitter::maximum(SymExpr a, SymExpr b) {
  SymExpr smaller = minimum(a, b);
  if (smaller == a)
    return b;
  return smaller == b ? a : SymExpr::max({a, b});
}
