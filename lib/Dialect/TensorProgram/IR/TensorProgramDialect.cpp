//===- TensorProgramDialect.cpp - The relax_tp dialect --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::tp;

#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgramDialect.cpp.inc"

void RelaxTpDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgramOps.cpp.inc"
      >();
}

static constexpr StringLiteral kPatternKindNames[] = {"elementwise", "broadcast",   "injective",
                                                      "reduction",   "contraction", "opaque"};

StringRef tp::stringifyPatternKind(PatternKind kind) { return kPatternKindNames[static_cast<size_t>(kind)]; }

std::optional<PatternKind> tp::symbolizePatternKind(StringRef text) {
  for (auto [index, name] : llvm::enumerate(kPatternKindNames))
    if (text == name)
      return static_cast<PatternKind>(index);
  return std::nullopt;
}

static LogicalResult verifySites(Operation *op, Attribute value) {
  auto sites = dyn_cast<ArrayAttr>(value);
  if (sites && llvm::all_of(sites, llvm::IsaPred<StringAttr>))
    return success();
  return op->emitOpError() << kSitesAttrName << " must be an array of strings, got " << value;
}

LogicalResult RelaxTpDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kPatternKindAttrName) {
    auto text = dyn_cast<StringAttr>(attribute.getValue());
    if (text && symbolizePatternKind(text.getValue()))
      return success();
    InFlightDiagnostic diag = op->emitOpError() << kPatternKindAttrName << " must be one of ";
    llvm::interleaveComma(kPatternKindNames, diag, [&](StringRef kind) { diag << '"' << kind << '"'; });
    return diag << "; got " << attribute.getValue();
  }
  if (name == kSitesAttrName)
    return verifySites(op, attribute.getValue());
  if (name == kSegmentsAttrName) {
    auto segments = dyn_cast<DenseI32ArrayAttr>(attribute.getValue());
    if (segments && segments.size() == 4)
      return success();
    return op->emitOpError() << kSegmentsAttrName << " must be an array of 4 i32, got " << attribute.getValue();
  }
  return op->emitOpError("has the unknown attribute ") << attribute.getName();
}
