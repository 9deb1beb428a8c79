//===- GraphWeightOps.cpp - Weights and constants -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphWeightOps.cpp.inc"

void RelaxDialect::registerWeightOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphWeightOps.cpp.inc"
      >();
}

/// Bytes of one element as weights are stored.
static int64_t getElementBytes(Type elementType) { return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8); }

void WeightDataOp::build(OpBuilder &builder, OperationState &state, StringRef name, RankedTensorType type,
                         Attribute value) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.sym_visibility = builder.getStringAttr("private");
  properties.type = TypeAttr::get(type);
  properties.value = value;
}

int64_t WeightDataOp::getNumBytes() {
  return getTensorType().getNumElements() * getElementBytes(getTensorType().getElementType());
}

ParseResult WeightDataOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  Type type;
  Attribute value;
  if (parser.parseSymbolName(name) || parser.parseColonType(type) || parser.parseEqual() ||
      parser.parseAttribute(value) || parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.sym_name = name;
  properties.sym_visibility = parser.getBuilder().getStringAttr("private");
  properties.type = TypeAttr::get(type);
  properties.value = value;
  return success();
}

void WeightDataOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " : " << getType() << " = ";
  printer.printAttribute(getValue());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"sym_name", "sym_visibility", "type", "value"});
}

LogicalResult WeightDataOp::verify() {
  if (getSymVisibility() != "private")
    return emitOpError("must have private visibility");
  RankedTensorType type = getTensorType();
  if (!type.hasStaticShape() || type.getEncoding())
    return emitOpError("needs a static type without encoding, got ") << type;
  if (auto blob = dyn_cast<WeightBlobAttr>(getValue())) {
    // 2^63 bytes are never stored, but a type can name more elements.
    int64_t bytes = getElementBytes(type.getElementType());
    for (int64_t dim : type.getShape())
      if (llvm::MulOverflow(bytes, dim, bytes))
        return emitOpError("type ") << type << " has too many bytes";
    if (blob.getBytes() != bytes)
      return emitOpError("type ") << type << " needs " << bytes << " bytes, but the blob has " << blob.getBytes();
    return success();
  }
  auto elements = dyn_cast<ElementsAttr>(getValue());
  if (!elements)
    return emitOpError("value must be an elements attribute or '#relax.blob', got ") << getValue();
  if (elements.getShapedType() != type)
    return emitOpError("value has type ") << elements.getShapedType() << ", expected " << type;
  return success();
}

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto data = symbols.lookupNearestSymbolFrom<WeightDataOp>(*this, getNameAttr());
  if (!data)
    return emitOpError("'") << getName() << "' is not a 'relax.weight_data'";
  if (data.getTensorType() == getType())
    return success();
  InFlightDiagnostic diag = emitOpError("has type ")
                            << getType() << ", but the weight has type " << data.getTensorType();
  diag.attachNote(data.getLoc()) << "the weight is here";
  return diag;
}

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto type =
      dyn_cast_or_null<RankedTensorType>(adaptor.getValue() ? adaptor.getValue().getShapedType() : ShapedType());
  if (!type)
    return emitOptionalError(location, "'relax.constant' op needs a value of ranked tensor type");
  types.push_back(type);
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }
