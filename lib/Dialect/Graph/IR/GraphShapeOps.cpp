//===- GraphShapeOps.cpp - Shape values and shape checks ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

/// `binds [m, "past len"]`; absent when nothing is bound.
static ParseResult parseBoundSymbols(OpAsmParser &parser, ArrayAttr &binds) {
  SmallVector<Attribute> names;
  auto parseName = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    std::string name;
    if (failed(parser.parseOptionalKeywordOrString(&name)))
      return parser.emitError(loc, "expected a symbol");
    names.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("binds")) &&
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseName))
    return failure();
  binds = parser.getBuilder().getArrayAttr(names);
  return success();
}

static void printBoundSymbols(OpAsmPrinter &printer, Operation *, ArrayAttr binds) {
  if (binds.empty())
    return;
  printer << "binds [";
  llvm::interleaveComma(binds.getAsValueRange<StringAttr>(), printer,
                        [&](StringRef name) { sym::printSymbolName(printer.getStream(), name); });
  printer << ']';
}

static ArrayAttr renameBinds(ArrayAttr binds, function_ref<std::string(StringRef)> rename) {
  SmallVector<Attribute> names;
  for (StringRef name : binds.getAsValueRange<StringAttr>())
    names.push_back(StringAttr::get(binds.getContext(), rename(name)));
  return ArrayAttr::get(binds.getContext(), names);
}

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphShapeOps.cpp.inc"

void RelaxDialect::registerShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphShapeOps.cpp.inc"
      >();
}

LogicalResult ShapeOfOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(ShapeType::get(context, sym::getSymbolicDims(adaptor.getSource().getType())));
  return success();
}
OpFoldResult ShapeOfOp::fold(FoldAdaptor) { return {}; }
LogicalResult MakeShapeOp::verify() { return success(); }
OpFoldResult MakeShapeOp::fold(FoldAdaptor) { return {}; }
void MakeShapeOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
LogicalResult ShapeToTensorOp::verify() { return success(); }
OpFoldResult ShapeToTensorOp::fold(FoldAdaptor) { return {}; }
SmallVector<StringRef> TensorToShapeOp::getBoundSymbols() { return llvm::to_vector(getBinds().getAsValueRange<StringAttr>()); }
void TensorToShapeOp::renameBoundSymbols(function_ref<std::string(StringRef)> rename) { setBindsAttr(renameBinds(getBinds(), rename)); }
LogicalResult TensorToShapeOp::verify() { return success(); }
OpFoldResult TensorToShapeOp::fold(FoldAdaptor) { return {}; }
void TensorToShapeOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
SmallVector<StringRef> MatchCastOp::getBoundSymbols() { return llvm::to_vector(getBinds().getAsValueRange<StringAttr>()); }
void MatchCastOp::renameBoundSymbols(function_ref<std::string(StringRef)> rename) { setBindsAttr(renameBinds(getBinds(), rename)); }
LogicalResult MatchCastOp::verify() { return success(); }
OpFoldResult MatchCastOp::fold(FoldAdaptor) { return {}; }
void MatchCastOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
LogicalResult RefineOp::verify() { return success(); }
OpFoldResult RefineOp::fold(FoldAdaptor) { return {}; }
LogicalResult EraseShapeOp::verify() { return success(); }
OpFoldResult EraseShapeOp::fold(FoldAdaptor) { return {}; }
LogicalResult EvalExprOp::verify() { return success(); }
OpFoldResult EvalExprOp::fold(FoldAdaptor) { return {}; }
LogicalResult AssertShapeOp::verify() { return success(); }
LogicalResult AssertShapeOp::canonicalize(AssertShapeOp op, PatternRewriter &rewriter) { return failure(); }

void AssertShapeOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), GuardResource::get());
}

FailureOr<sym::Fact> AssertShapeOp::getParsedFact() {
  std::string error;
  return sym::Fact::parse(getContext(), getFact(), error);
}

/// The extents of a checked or retyped tensor are the operand's.
static LogicalResult reifySameDims(OpBuilder &builder, Operation *op, ReifiedRankedShapedTypeDims &dims) {
  if (!isa<RankedTensorType>(op->getOperand(0).getType()))
    return failure();
  dims.push_back(tensor::getMixedSizes(builder, op->getLoc(), op->getOperand(0)));
  return success();
}
LogicalResult MatchCastOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  return reifySameDims(builder, *this, dims);
}
LogicalResult RefineOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  return reifySameDims(builder, *this, dims);
}
LogicalResult EraseShapeOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  return reifySameDims(builder, *this, dims);
}
