//===- TensorProgramDialect.cpp - The relax_tp dialect --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/KernelRange.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

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

/// `place` names a dimension of an argument.
static bool isDimension(FunctionOpInterface function, int64_t argument, int64_t dim) {
  if (argument < 0 || argument >= static_cast<int64_t>(function.getNumArguments()))
    return false;
  auto type = dyn_cast<MemRefType>(function.getArgumentTypes()[argument]);
  return type && dim >= 0 && dim < type.getRank();
}

static LogicalResult verifyRange(Operation *op, Attribute value) {
  auto range = dyn_cast<DictionaryAttr>(value);
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!range || !function)
    return op->emitOpError() << kRangeAttrName << " must be a dictionary on a function, got " << value;
  auto buffer = range.getAs<IntegerAttr>("buffer"), dim = range.getAs<IntegerAttr>("dim"),
       unit = range.getAs<IntegerAttr>("unit");
  if (!buffer || !dim || !isDimension(function, buffer.getInt(), dim.getInt()))
    return op->emitOpError() << kRangeAttrName << ": 'buffer' and 'dim' must name a dimension of an argument, got "
                             << value;
  if (!unit || unit.getInt() < 1)
    return op->emitOpError() << kRangeAttrName << ": 'unit' must be a positive integer, got " << value;
  auto work = range.getAs<DenseI64ArrayAttr>("work");
  if (!work || work.size() % 2 == 0)
    return op->emitOpError() << kRangeAttrName << ": 'work' must be a number and pairs of argument and dimension, got "
                             << value;
  for (int64_t i = 1; i < work.size(); i += 2)
    if (!isDimension(function, work[i], work[i + 1]))
      return op->emitOpError() << kRangeAttrName
                               << ": 'work' must be a number and pairs of argument and dimension, got " << value;
  return success();
}

static LogicalResult verifyWork(Operation *op, Attribute value) {
  auto map = dyn_cast<AffineMapAttr>(value);
  if (map && map.getValue().getNumDims() == 0 && map.getValue().getNumResults() == 2)
    return success();
  return op->emitOpError() << kWorkAttrName << " must be a map from scalars to bytes and operations, got " << value;
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
  if (name == kRangeAttrName)
    return verifyRange(op, attribute.getValue());
  if (name == kWorkAttrName)
    return verifyWork(op, attribute.getValue());
  if (name == kSegmentsAttrName) {
    auto segments = dyn_cast<DenseI32ArrayAttr>(attribute.getValue());
    if (segments && segments.size() == 4)
      return success();
    return op->emitOpError() << kSegmentsAttrName << " must be an array of 4 i32, got " << attribute.getValue();
  }
  return op->emitOpError("has the unknown attribute ") << attribute.getName();
}
