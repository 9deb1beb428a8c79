//===- SymAttrs.cpp - Attributes of relax_sym and helpers on types ---------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relax::sym;

#include "RelaxDialect/Dialect/Sym/IR/SymAttrInterfaces.cpp.inc"
#include "RelaxDialect/Dialect/Sym/IR/SymOpInterfaces.cpp.inc"
#include "RelaxDialect/Dialect/Sym/IR/SymTypeInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.cpp.inc"

void RelaxSymDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ExprAttr
//===----------------------------------------------------------------------===//

ExprAttr ExprAttr::get(SymExpr value) { return Base::get(value.getContext(), value); }

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<SymExpr> value = parseSymExpr(parser);
  if (failed(value) || parser.parseGreater())
    return {};
  return ExprAttr::get(*value);
}

void ExprAttr::print(AsmPrinter &printer) const {
  printer << '<';
  getValue().print(printer.getStream());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// ShapeAttr
//===----------------------------------------------------------------------===//

ShapeAttr ShapeAttr::get(MLIRContext *context, ArrayRef<SymExpr> dims, DictionaryAttr extensions) {
  return Base::get(context, dims, extensions && extensions.empty() ? DictionaryAttr() : extensions);
}

Attribute ShapeAttr::parse(AsmParser &parser, Type) {
  SmallVector<SymExpr> dims;
  DictionaryAttr extensions;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parseSymExprList(parser, dims))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(extensions))
    return {};
  if (parser.parseGreater())
    return {};
  for (SymExpr dim : dims) {
    if (std::optional<int64_t> value = dim.getConstant(); value && *value < 0) {
      parser.emitError(loc, "expected an extent >= 0, but it is ") << *value;
      return {};
    }
  }
  return ShapeAttr::get(parser.getContext(), dims, extensions);
}

void ShapeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printSymExprList(printer.getStream(), getDims());
  if (getExtensions())
    printer << ", " << getExtensions();
  printer << '>';
}

ArrayRef<SymExpr> ShapeAttr::getSymbolicDims() const { return getDims(); }

LogicalResult ShapeAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                        function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getDims().size())
    return emitError() << "symbolic shape has " << getDims().size() << " entries, but the tensor has rank "
                       << shape.size();
  for (auto [index, extent, dim] : llvm::enumerate(shape, getDims())) {
    std::optional<int64_t> value = dim.getConstant();
    if (value && ShapedType::isStatic(extent) && *value != extent)
      return emitError() << "dimension " << index << " is " << extent << ", but its symbolic shape says " << *value;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ScopeAttr
//===----------------------------------------------------------------------===//

Attribute ScopeAttr::parse(AsmParser &parser, Type) {
  SmallVector<Fact> facts;
  auto parseFact = [&]() -> ParseResult {
    std::string text, error;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseString(&text))
      return failure();
    FailureOr<Fact> fact = Fact::parse(parser.getContext(), text, error);
    if (failed(fact))
      return parser.emitError(loc, "invalid fact: ") << error;
    facts.push_back(*fact);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseFact))
    return {};
  return ScopeAttr::get(parser.getContext(), facts);
}

void ScopeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getFacts(), printer, [&](const Fact &fact) {
    std::string text;
    llvm::raw_string_ostream os(text);
    fact.print(os);
    printer.printString(text);
  });
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

RankedTensorType mlir::relax::sym::getTensorType(ArrayRef<SymExpr> dims, Type elementType) {
  SmallVector<int64_t> shape;
  SmallVector<SymExpr> entries(dims);
  bool symbolic = false;
  for (SymExpr &dim : entries) {
    std::optional<int64_t> value = dim.getConstant();
    if (value && *value < 0) {
      dim = {}; // no tensor has this extent: claim nothing
      value.reset();
    }
    shape.push_back(value.value_or(ShapedType::kDynamic));
    symbolic |= dim && !value;
  }
  Attribute encoding = symbolic ? ShapeAttr::get(elementType.getContext(), entries) : ShapeAttr();
  return RankedTensorType::get(shape, elementType, encoding);
}

SmallVector<SymExpr> mlir::relax::sym::getSymbolicDims(Type type) {
  if (auto symbolic = dyn_cast<SymbolicShapeTypeInterface>(type))
    return SmallVector<SymExpr>(symbolic.getSymbolicDims());
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  auto encoding = dyn_cast_or_null<SymbolicShapeAttrInterface>(tensor.getEncoding());
  SmallVector<SymExpr> dims;
  for (auto [index, extent] : llvm::enumerate(tensor.getShape())) {
    if (ShapedType::isStatic(extent))
      dims.push_back(SymExpr::constant(type.getContext(), extent));
    else
      dims.push_back(encoding ? encoding.getSymbolicDims()[index] : SymExpr());
  }
  return dims;
}

RankedTensorType mlir::relax::sym::stripEncoding(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

/// Every expression inside `type`, also below tuples, function types and other attributes.
static void walkExprs(Type type, llvm::function_ref<void(SymExpr)> visit) {
  if (!type)
    return;
  AttrTypeWalker walker;
  walker.addWalk([&](ExprAttr attr) { visit(attr.getValue()); });
  walker.addWalk([&](ShapeAttr attr) { llvm::for_each(attr.getDims(), visit); });
  walker.addWalk([&](Type inner) {
    if (auto symbolic = dyn_cast<SymbolicShapeTypeInterface>(inner))
      llvm::for_each(symbolic.getSymbolicDims(), visit);
  });
  walker.walk(type);
}

void mlir::relax::sym::collectSymbols(Type type, SmallVectorImpl<StringRef> &symbols) {
  walkExprs(type, [&](SymExpr expr) {
    if (!expr)
      return;
    for (StringRef name : expr.getSymbols())
      if (!llvm::is_contained(symbols, name))
        symbols.push_back(name);
  });
}

bool mlir::relax::sym::mentionsSymbol(Type type) {
  bool found = false;
  walkExprs(type, [&](SymExpr expr) { found |= expr && !expr.getConstant(); });
  return found;
}

Type mlir::relax::sym::substituteType(Type type, llvm::function_ref<SymExpr(StringRef)> map) {
  AttrTypeReplacer replacer;
  auto replaceAll = [&](ArrayRef<SymExpr> dims) {
    SmallVector<SymExpr> result;
    for (SymExpr dim : dims)
      result.push_back(dim ? dim.substitute(map) : SymExpr());
    return result;
  };
  replacer.addReplacement([&](RankedTensorType tensor) -> std::optional<std::pair<Type, WalkResult>> {
    auto shape = dyn_cast_or_null<ShapeAttr>(tensor.getEncoding());
    if (!shape)
      return std::nullopt;
    SmallVector<SymExpr> dims = replaceAll(getSymbolicDims(tensor));
    RankedTensorType result = getTensorType(dims, tensor.getElementType());
    if (shape.getExtensions()) // stay with the tensor whatever its shape
      result = RankedTensorType::get(result.getShape(), result.getElementType(),
                                     ShapeAttr::get(type.getContext(), getSymbolicDims(result), shape.getExtensions()));
    return std::make_pair(Type(result), WalkResult::skip());
  });
  replacer.addReplacement([&](Type inner) -> std::optional<std::pair<Type, WalkResult>> {
    auto symbolic = dyn_cast<SymbolicShapeTypeInterface>(inner);
    if (!symbolic)
      return std::nullopt;
    return std::make_pair(symbolic.cloneWithSymbolicDims(replaceAll(symbolic.getSymbolicDims())), WalkResult::skip());
  });
  return replacer.replace(type);
}

ScopeAttr mlir::relax::sym::getScope(Operation *op) {
  while (op && !isa<FunctionOpInterface>(op))
    op = op->getParentOp();
  return op ? op->getAttrOfType<ScopeAttr>(kScopeAttrName) : ScopeAttr();
}
