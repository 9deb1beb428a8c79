//===- GraphWriter.cpp - Writing graph functions of foreign ones ----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "GraphWriter.h"

#include "RelaxDialect/Dialect/Graph/IR/CreateVerified.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;

SmallVector<int64_t> relax::splitPads(ArrayRef<int64_t> pairs) {
  SmallVector<int64_t> pads;
  for (size_t part = 0; part != 2; ++part)
    for (size_t index = part; index < pairs.size(); index += 2)
      pads.push_back(pairs[index]);
  return pads;
}

void GraphWriter::fail(const Twine &message) {
  if (!std::exchange(hasFailed, true))
    current->emitOpError() << message;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

sym::Prover &GraphWriter::getProver() {
  if (!prover)
    prover = std::make_unique<sym::Prover>(getContext(), facts);
  return *prover;
}

void GraphWriter::addFact(const sym::Fact &fact) {
  if (llvm::is_contained(facts, fact))
    return;
  facts.push_back(fact);
  prover.reset();
}

std::string GraphWriter::makeSymbol(StringRef stem) {
  std::string name = stem.str();
  for (unsigned count = 1; !symbols.try_emplace(name, 1).second; ++count)
    name = (stem + "_" + Twine(count)).str();
  return name;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

SmallVector<Value>
GraphWriter::finish(OperationState &state, unsigned count,
                    function_ref<LogicalResult(DictionaryAttr, SmallVectorImpl<Type> &)> inferTypes) {
  // What the op says about itself becomes the foreign op's error.
  std::string text;
  Operation *op = graph::createVerified(builder, state, inferTypes, text);
  if (op)
    return llvm::to_vector_of<Value>(op->getResults());
  fail(text.empty() ? "cannot be imported" : "cannot be imported: " + text);
  return SmallVector<Value>(count);
}

NamedAttribute GraphWriter::exprs(StringRef name, ArrayRef<SymExpr> values) {
  SmallVector<Attribute> attributes;
  for (SymExpr value : values) {
    if (value)
      attributes.push_back(sym::ExprAttr::get(value));
    else
      fail("has an extent that does not fit 64 bits");
  }
  return {name, builder.getArrayAttr(attributes)};
}

SymExpr GraphWriter::expr(int64_t value) {
  SymExpr result = SymExpr::constant(getContext(), value);
  if (!result)
    fail("has a number that is not supported: " + Twine(value));
  return result ? result : SymExpr::constant(getContext(), 0);
}

SymExpr GraphWriter::product(ArrayRef<SymExpr> dims) {
  SymExpr result = expr(1);
  for (SymExpr dim : dims)
    result = result * dim;
  if (!result)
    fail("has an extent that does not fit 64 bits");
  return result ? result : expr(0);
}

Value GraphWriter::constant(DenseElementsAttr value) {
  return failed() ? Value() : graph::ConstantOp::create(builder, getLoc(), value);
}

Value GraphWriter::scalar(double value, Type type) {
  Attribute element = isa<FloatType>(type)
                          ? Attribute(builder.getFloatAttr(type, value))
                          : Attribute(builder.getIntegerAttr(type, APInt(type.getIntOrFloatBitWidth(), value,
                                                                         /*isSigned=*/true, /*implicitTrunc=*/true)));
  return constant(DenseElementsAttr::get(RankedTensorType::get({}, type), element));
}

Value GraphWriter::astype(Value value, Type type) {
  if (!value || elementType(value) == type)
    return value;
  return create<graph::AsTypeOp>(value, attr("dtype", TypeAttr::get(type)));
}

Value GraphWriter::permute(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return value;
  return create<graph::PermuteDimsOp>(value, attr("permutation", permutation));
}

Value GraphWriter::expandDims(Value value, ArrayRef<int64_t> axes) {
  return axes.empty() ? value : create<graph::ExpandDimsOp>(value, attr("axes", axes));
}

Value GraphWriter::squeeze(Value value, ArrayRef<int64_t> axes) {
  return axes.empty() ? value : create<graph::SqueezeOp>(value, attr("axes", axes));
}

Value GraphWriter::reshape(Value value, ArrayRef<SymExpr> wanted) {
  if (!value || dims(value) == Dims(wanted))
    return value;
  return create<graph::ReshapeOp>({value, makeShape(wanted)});
}

Value GraphWriter::broadcast(Value value, ArrayRef<SymExpr> wanted) {
  if (!value || dims(value) == Dims(wanted))
    return value;
  return create<graph::BroadcastToOp>({value, makeShape(wanted)});
}

Value GraphWriter::iota(ArrayRef<SymExpr> wanted, int64_t axis, Type type) {
  if (!type)
    type = builder.getI64Type();
  return create<graph::IotaOp>(makeShape(wanted), {attr("axis", axis), attr("dtype", TypeAttr::get(type))});
}

Value GraphWriter::showSymbols(Value value, ArrayRef<SymExpr> exprs) {
  SmallVector<StringRef> shown;
  sym::collectSymbols(value.getType(), shown);
  Dims hidden;
  for (SymExpr expr : exprs) {
    if (!expr)
      continue;
    for (StringRef name : expr.getSymbols())
      if (SymExpr symbol = SymExpr::symbol(getContext(), name);
          !llvm::is_contained(shown, name) && !llvm::is_contained(hidden, symbol))
        hidden.push_back(symbol);
  }
  return hidden.empty() ? Value() : makeShape(hidden);
}

Value GraphWriter::slice(Value value, ArrayRef<SymExpr> starts, ArrayRef<SymExpr> ends, ArrayRef<int64_t> strides) {
  if (!value || failed())
    return {};
  SmallVector<int64_t> axes, kept;
  Dims from, to, all = dims(value);
  for (auto [axis, start, end, stride] : llvm::enumerate(starts, ends, strides)) {
    if (start && start.getConstant() == 0 && end == all[axis] && stride == 1)
      continue;
    axes.push_back(axis);
    from.push_back(start);
    to.push_back(end);
    kept.push_back(stride);
  }
  if (axes.empty())
    return value;
  SmallVector<Value> operands = {value};
  SmallVector<NamedAttribute> attributes = {attr("axes", axes), exprs("starts", from), exprs("ends", to),
                                            attr("strides", kept)};
  if (failed())
    return {};
  if (Value shape = showSymbols(value, llvm::to_vector(llvm::concat<SymExpr>(from, to))))
    operands.push_back(shape);
  return create<graph::SliceOp>(operands, attributes);
}

Value GraphWriter::pad(Value value, Value fill, ArrayRef<SymExpr> low, ArrayRef<SymExpr> high) {
  if (!value || failed())
    return {};
  auto isZero = [](SymExpr expr) { return expr && expr.getConstant() == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return value;
  SmallVector<NamedAttribute> attributes = {exprs("low", low), exprs("high", high),
                                            attr("mode", builder.getStringAttr("constant"))};
  if (failed())
    return {};
  Value shape = showSymbols(value, llvm::to_vector(llvm::concat<const SymExpr>(low, high)));
  SmallVector<Value> operands = {value};
  for (Value optional : {shape, fill})
    if (optional)
      operands.push_back(optional);
  attributes.push_back(attr("operandSegmentSizes", builder.getDenseI32ArrayAttr({1, shape ? 1 : 0, fill ? 1 : 0})));
  return create<graph::PadOp>(operands, attributes);
}

Value GraphWriter::makeShape(ArrayRef<SymExpr> wanted) {
  if (failed())
    return {};
  SmallVector<StringRef> missing;
  for (auto [index, dim] : llvm::enumerate(wanted)) {
    if (!dim || dim.getConstant().value_or(0) < 0) {
      fail("has a shape with dimension " + Twine(index) + (dim ? " of extent " + dim.str() : " that is not known"));
      return {};
    }
    for (StringRef name : dim.getSymbols())
      if (!llvm::is_contained(missing, name))
        missing.push_back(name);
  }
  Type type = graph::ShapeType::get(getContext(), wanted);
  SmallVector<Value> sources;
  for (Value provider : providers) {
    if (missing.empty())
      break;
    SmallVector<StringRef> shown;
    sym::collectSymbols(provider.getType(), shown);
    if (llvm::none_of(missing, [&](StringRef name) { return llvm::is_contained(shown, name); }))
      continue;
    llvm::erase_if(missing, [&](StringRef name) { return llvm::is_contained(shown, name); });
    if (!isa<graph::ShapeType>(provider.getType()))
      provider = graph::ShapeOfOp::create(builder, getLoc(), provider);
    if (provider.getType() == type)
      return provider;
    sources.push_back(provider);
  }
  if (!missing.empty()) {
    fail("uses the symbol '" + missing.front() + "', which is not known here");
    return {};
  }
  return graph::MakeShapeOp::create(builder, getLoc(), type, sources);
}

Value GraphWriter::dimsTensor(ArrayRef<SymExpr> wanted) {
  Value shape = makeShape(wanted);
  if (!shape)
    return {};
  auto type = RankedTensorType::get({static_cast<int64_t>(wanted.size())}, builder.getI64Type());
  return graph::ShapeToTensorOp::create(builder, getLoc(), type, shape);
}

Value GraphWriter::dimScalar(SymExpr dim, Type type) {
  Value tensor = dimsTensor(dim);
  return astype(tensor ? create<graph::SqueezeOp>(tensor, attr("axes", ArrayRef<int64_t>{0})) : Value(), type);
}

Value GraphWriter::withDims(Value value, ArrayRef<SymExpr> wanted) {
  if (!value || failed())
    return {};
  Dims own = dims(value);
  for (auto [index, dim, extent] : llvm::enumerate(own, wanted)) {
    if (!extent || extent == dim)
      continue;
    if (dim && getProver().isEqual(dim, extent) == sym::Verdict::False) {
      fail("has dimension " + Twine(index) + " of extent " + dim.str() + ", expected " + extent.str());
      return {};
    }
    dim = extent;
  }
  return graph::castToType(builder, getLoc(), value, graph::withSymbolicDims(value.getType(), own), getProver());
}

Value GraphWriter::nameExtents(Value value) {
  if (!value || failed() || !isa<RankedTensorType>(value.getType()))
    return value;
  Dims own = dims(value);
  SmallVector<StringRef> shown;
  SmallVector<Attribute> binds;
  for (SymExpr &dim : own)
    if (!dim) {
      std::string name = makeSymbol("u");
      dim = SymExpr::symbol(getContext(), name);
      binds.push_back(builder.getStringAttr(name));
    }
  if (binds.empty())
    return value;
  Value named = graph::MatchCastOp::create(builder, getLoc(), graph::withSymbolicDims(value.getType(), own), value,
                                           builder.getArrayAttr(binds));
  addProvider(named);
  return named;
}
