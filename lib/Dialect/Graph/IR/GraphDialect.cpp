//===- GraphDialect.cpp - The relax dialect -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "GraphFamilies.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDonation.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphProducts.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphAttrs.cpp.inc"

#include "RelaxDialect/Dialect/Graph/IR/GraphOpInterfaces.cpp.inc"

namespace {
/// The upstream inliner clones bodies as they are. A clone of an op that mentions symbols would give two sizes one
/// name, so only `relax-inline-calls`, which renames, inlines such ops; and a `relax.call` is never inlined by anyone
/// else.
struct GraphInlinerInterface final : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *call, Operation *callable, bool wouldBeCloned) const final { return false; }
  bool isLegalToInline(Region *dest, Region *src, bool wouldBeCloned, IRMapping &mapping) const final { return true; }
  bool isLegalToInline(Operation *op, Region *dest, bool wouldBeCloned, IRMapping &mapping) const final {
    auto mentions = [](Type type) { return sym::mentionsSymbol(type); };
    return !llvm::any_of(op->getResultTypes(), mentions) && !llvm::any_of(op->getOperandTypes(), mentions) &&
           !isa<sym::SymbolBinderOpInterface>(op);
  }
};
} // namespace

void RelaxDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphAttrs.cpp.inc"
      >();
  registerCallOps();
  registerComposedOps();
  registerCreationOps();
  registerDataflowOps();
  registerElementwiseOps();
  registerIndexingOps();
  registerLinearAlgebraOps();
  registerManipulationOps();
  registerMemoryOps();
  registerReductionOps();
  registerSearchOps();
  registerShapeOps();
  registerWeightOps();
  addAttentionOps(*this);
  addBlockOps(*this);
  addImageOps(*this);
  addNNOps(*this);
  addPoolOps(*this);
  addQuantizationOps(*this);
  addRecurrentOps(*this);
  addProductModels(*getContext());
  addUnificationCache(*this);
  addInterfaces<GraphInlinerInterface>();
}

Operation *RelaxDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value))
    return elements.getType() == type ? ConstantOp::create(builder, loc, elements).getOperation() : nullptr;
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult RelaxDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  for (StringRef name : {kAssuredAttrName, kPinnedAttrName})
    if (attribute.getName() == name && !isa<UnitAttr>(attribute.getValue()))
      return op->emitOpError("attribute '") << name << "' must be a unit attribute, got " << attribute.getValue();
  return success();
}

/// `relax.name` names an argument or result for the outside.
static LogicalResult verifyNameAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != kNameAttrName)
    return success();
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || name.empty())
    return op->emitOpError("attribute 'relax.name' must be a string that is not empty, got ") << attribute.getValue();
  return success();
}

/// `relax.donated` marks an argument whose memory the function may write.
static LogicalResult verifyDonatedAttribute(Operation *op, unsigned index, NamedAttribute attribute) {
  if (attribute.getName() != kDonatedAttrName)
    return success();
  if (!isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError("attribute 'relax.donated' must be a unit attribute, got ") << attribute.getValue();
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return op->emitOpError("attribute 'relax.donated' is for arguments of 'func.func'");
  if (Type type = function.getArgumentTypes()[index]; !isa<RankedTensorType>(type))
    return op->emitOpError("attribute 'relax.donated' is for tensors, argument ") << index << " has type " << type;
  return success();
}

LogicalResult RelaxDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                     NamedAttribute attribute) {
  return success(succeeded(verifyNameAttribute(op, attribute)) &&
                 succeeded(verifyDonatedAttribute(op, index, attribute)));
}

LogicalResult RelaxDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  if (attribute.getName() == kDonatedAttrName)
    return op->emitOpError("attribute 'relax.donated' is for arguments, not for results");
  return verifyNameAttribute(op, attribute);
}

Type ShapeType::parse(AsmParser &parser) {
  SmallVector<sym::SymExpr> dims;
  if (parser.parseLess() || sym::parseSymExprList(parser, dims) || parser.parseGreater())
    return {};
  return get(parser.getContext(), dims);
}

void ShapeType::print(AsmPrinter &printer) const {
  printer << '<';
  sym::printSymExprList(printer.getStream(), getDims());
  printer << '>';
}

ArrayRef<sym::SymExpr> ShapeType::getSymbolicDims() const { return getDims(); }
Type ShapeType::cloneWithSymbolicDims(ArrayRef<sym::SymExpr> dims) const { return get(getContext(), dims); }

LogicalResult WeightBlobAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr file, int64_t offset,
                                     int64_t bytes, StringAttr digest) {
  if (file.empty())
    return emitError() << "blob needs a file name";
  if (offset < 0 || bytes < 0)
    return emitError() << "blob needs an offset and a size >= 0, got " << offset << " and " << bytes;
  auto isLowerHex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (digest.size() != 8 || !llvm::all_of(digest.getValue(), isLowerHex))
    return emitError() << "blob needs a digest of 8 lower-case hex digits, got \"" << digest.getValue() << '"';
  return success();
}

bool graph::isAssured(Operation *op) { return op->hasAttr(kAssuredAttrName); }

void graph::setAssured(Operation *op) { op->setAttr(kAssuredAttrName, UnitAttr::get(op->getContext())); }

/// A program that reports errors about values must not run where it would not have run.
static bool mayReportErrors(ProgramCallOpInterface call) {
  Operation *callee = SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr());
  if (!callee || callee->getNumRegions() == 0 || callee->getRegion(0).empty())
    return true;
  WalkResult result = callee->walk([](Operation *op) {
    return op->getName().getStringRef() == "relax_tp.assert" ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

Speculation::Speculatability graph::getSpeculatabilityWhenAssured(Operation *op) {
  if (auto call = dyn_cast<ProgramCallOpInterface>(op); call && isAssured(op) && mayReportErrors(call))
    return Speculation::NotSpeculatable;
  auto computing = dyn_cast<ShapeRuleOpInterface>(op);
  if (!isAssured(op) || (computing && computing.mayTrapOnValues()))
    return Speculation::NotSpeculatable;
  return Speculation::Speculatable;
}

/// Names in `types`, each once.
template <typename Types> static SmallVector<StringRef> symbolsOf(Types types) {
  SmallVector<StringRef> symbols;
  for (Type type : types)
    sym::collectSymbols(type, symbols);
  return symbols;
}

LogicalResult graph::verifyScopedSymbols(Operation *op) {
  SmallVector<StringRef> used = symbolsOf(op->getResultTypes());
  SmallVector<StringRef> known = symbolsOf(op->getOperandTypes());
  StringRef first = !used.empty() ? used.front() : !known.empty() ? known.front() : StringRef();
  if (first.empty())
    return success();
  if (!sym::getScope(op))
    return op->emitOpError("mentions symbol '")
           << first << "' in a function without '" << sym::kScopeAttrName
           << "'; the attribute 'relax_sym.scope = #relax_sym.scope<>' states no facts";
  // These name what is bound before them, which the verifier of the scope checks.
  if (isa<sym::SymbolBinderOpInterface, RefineOp>(op))
    return success();
  // A region op hands on values of its terminators; what they may mention is verified with the regions.
  if (op->getNumRegions() != 0)
    return success();
  for (StringRef symbol : used)
    if (!llvm::is_contained(known, symbol))
      return op->emitOpError("result mentions symbol '") << symbol << "', which no operand type mentions";
  return success();
}
