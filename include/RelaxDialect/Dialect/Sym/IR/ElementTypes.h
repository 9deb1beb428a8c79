//===- ElementTypes.h - The element types of tensors -----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// One table for all who need names, widths or codes of element types (Spec.md
// section 3), and the one rule how tensor programs see them.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_SYM_IR_ELEMENTTYPES_H
#define RELAXDIALECT_DIALECT_SYM_IR_ELEMENTTYPES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeRange.h"

namespace mlir::relax::sym {

/// Sets of element types.
enum ElementFamily : unsigned {
  kBools = 1,
  kSignedInts = 2,
  kUnsignedInts = 4,
  kFloats = 8,
  /// Only moved and converted, never computed with.
  kStorage = 16,
  kInts = kSignedInts | kUnsignedInts,
  kNumbers = kInts | kFloats,
  kElements = kBools | kNumbers | kStorage,
};

/// One element type.
struct ElementKind {
  const char *name;
  Type (*get)(MLIRContext *);
  ElementFamily family;
  unsigned code; // relax_rt_type_code
  unsigned bits; // as relax_rt_dtype counts them: a bool has 8
};

ArrayRef<ElementKind> getElementKinds();
/// Null for a type that no tensor of the graph has.
const ElementKind *getElementKind(Type elementType);
/// Null for codes that no element type has.
const ElementKind *getElementKind(unsigned code, unsigned bits);
/// `f32, i8 or ui8`, for diagnostics.
std::string listElementTypes(unsigned families);

bool isElementOf(Type elementType, unsigned families);
/// A ranked tensor whose element type is in one of the families.
bool isTensorOf(Type type, unsigned families);

/// How tensor programs see a type: integers have no sign, and what is only stored is a byte. Takes element types,
/// tensors and memrefs.
Type getProgramType(Type type);
/// Gives tensor types that programs told (`types`) the element types of `graphTypes` where those are the program's.
void restoreElementTypes(MutableArrayRef<Type> types, TypeRange graphTypes);
/// An attribute of such a type; the same bits.
TypedAttr getProgramAttr(TypedAttr attr);

} // namespace mlir::relax::sym

#endif // RELAXDIALECT_DIALECT_SYM_IR_ELEMENTTYPES_H
