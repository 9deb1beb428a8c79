//===- ElementTypes.cpp - The element types of tensors --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "RelaxDialect/Runtime/Runtime.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;

template <typename FloatTy> static Type getFloat(MLIRContext *context) { return FloatTy::get(context); }
template <unsigned width> static Type getSigned(MLIRContext *context) { return IntegerType::get(context, width); }
template <unsigned width> static Type getUnsigned(MLIRContext *context) {
  return IntegerType::get(context, width, IntegerType::Unsigned);
}

static constexpr ElementKind kKinds[] = {
    {"f16", getFloat<Float16Type>, kFloats, RELAX_RT_FLOAT, 16},
    {"bf16", getFloat<BFloat16Type>, kFloats, RELAX_RT_BFLOAT, 16},
    {"f32", getFloat<Float32Type>, kFloats, RELAX_RT_FLOAT, 32},
    {"f64", getFloat<Float64Type>, kFloats, RELAX_RT_FLOAT, 64},
    {"i1", getSigned<1>, kBools, RELAX_RT_BOOL, 8},
    {"i8", getSigned<8>, kSignedInts, RELAX_RT_INT, 8},
    {"i16", getSigned<16>, kSignedInts, RELAX_RT_INT, 16},
    {"i32", getSigned<32>, kSignedInts, RELAX_RT_INT, 32},
    {"i64", getSigned<64>, kSignedInts, RELAX_RT_INT, 64},
    {"ui8", getUnsigned<8>, kUnsignedInts, RELAX_RT_UINT, 8},
    {"ui16", getUnsigned<16>, kUnsignedInts, RELAX_RT_UINT, 16},
    {"ui32", getUnsigned<32>, kUnsignedInts, RELAX_RT_UINT, 32},
    {"ui64", getUnsigned<64>, kUnsignedInts, RELAX_RT_UINT, 64},
    {"f8E4M3FN", getFloat<Float8E4M3FNType>, kStorage, RELAX_RT_FLOAT8_E4M3FN, 8},
    {"f8E5M2", getFloat<Float8E5M2Type>, kStorage, RELAX_RT_FLOAT8_E5M2, 8},
    {"f8E4M3FNUZ", getFloat<Float8E4M3FNUZType>, kStorage, RELAX_RT_FLOAT8_E4M3FNUZ, 8},
    {"f8E5M2FNUZ", getFloat<Float8E5M2FNUZType>, kStorage, RELAX_RT_FLOAT8_E5M2FNUZ, 8},
    {"f8E8M0FNU", getFloat<Float8E8M0FNUType>, kStorage, RELAX_RT_FLOAT8_E8M0FNU, 8},
    {"f4E2M1FN", getFloat<Float4E2M1FNType>, kStorage, RELAX_RT_FLOAT4_E2M1FN, 4},
    {"i4", getSigned<4>, kStorage, RELAX_RT_INT, 4},
    {"i2", getSigned<2>, kStorage, RELAX_RT_INT, 2},
    {"ui4", getUnsigned<4>, kStorage, RELAX_RT_UINT, 4},
    {"ui2", getUnsigned<2>, kStorage, RELAX_RT_UINT, 2},
};

ArrayRef<ElementKind> sym::getElementKinds() { return kKinds; }

const ElementKind *sym::getElementKind(Type elementType) {
  const ElementKind *kind =
      llvm::find_if(kKinds, [&](const ElementKind &kind) { return kind.get(elementType.getContext()) == elementType; });
  return kind == std::end(kKinds) ? nullptr : kind;
}

const ElementKind *sym::getElementKind(unsigned code, unsigned bits) {
  const ElementKind *kind =
      llvm::find_if(kKinds, [&](const ElementKind &kind) { return kind.code == code && kind.bits == bits; });
  return kind == std::end(kKinds) ? nullptr : kind;
}

std::string sym::listElementTypes(unsigned families) {
  SmallVector<StringRef> names;
  for (const ElementKind &kind : kKinds)
    if (kind.family & families)
      names.push_back(kind.name);
  std::string text = llvm::join(ArrayRef<StringRef>(names).drop_back(), ", ");
  return text + " or " + names.back().str();
}

bool sym::isElementOf(Type elementType, unsigned families) {
  const ElementKind *kind = getElementKind(elementType);
  return kind && (kind->family & families);
}

bool sym::isTensorOf(Type type, unsigned families) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isElementOf(tensor.getElementType(), families);
}

Type sym::getProgramType(Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type)) {
    Type element = getProgramType(shaped.getElementType());
    return element == shaped.getElementType() ? type : shaped.clone(element);
  }
  const ElementKind *kind = getElementKind(type);
  if (kind && kind->family == kStorage)
    return IntegerType::get(type.getContext(), 8);
  auto integer = dyn_cast<IntegerType>(type);
  return integer && !integer.isSignless() ? IntegerType::get(type.getContext(), integer.getWidth()) : type;
}

/// The bits of an element in as many as its program has.
static APInt widen(const APInt &bits, Type type) {
  unsigned width = getProgramType(type).getIntOrFloatBitWidth();
  return type.isSignlessInteger() ? bits.sextOrTrunc(width) : bits.zextOrTrunc(width);
}

void sym::restoreElementTypes(MutableArrayRef<Type> types, TypeRange graphTypes) {
  for (auto [type, graphType] : llvm::zip(types, graphTypes)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    Type wanted = getElementTypeOrSelf(graphType);
    if (tensor && getProgramType(wanted) == tensor.getElementType())
      type = tensor.clone(wanted);
  }
}

TypedAttr sym::getProgramAttr(TypedAttr attr) {
  Type type = getProgramType(attr.getType());
  if (type == attr.getType())
    return attr;
  Type element = getElementTypeOrSelf(attr.getType()), plain = getElementTypeOrSelf(type);
  if (auto number = dyn_cast<FloatAttr>(attr))
    return IntegerAttr::get(type, widen(number.getValue().bitcastToAPInt(), element));
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return IntegerAttr::get(type, widen(number.getValue(), element));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr))
    return cast<TypedAttr>(Attribute(DenseResourceElementsAttr::get(cast<ShapedType>(type), resource.getRawHandle())));
  if (auto floats = dyn_cast<DenseFPElementsAttr>(attr))
    return cast<TypedAttr>(
        floats.mapValues(plain, [&](const APFloat &value) { return widen(value.bitcastToAPInt(), element); }));
  return cast<TypedAttr>(
      cast<DenseIntElementsAttr>(attr).mapValues(plain, [&](const APInt &value) { return widen(value, element); }));
}
