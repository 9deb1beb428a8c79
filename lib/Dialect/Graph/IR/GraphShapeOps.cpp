//===- GraphShapeOps.cpp - Shape values and shape checks ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphBinders.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// The bare expression: an attribute would take the colon behind it for its own type.
static ParseResult parseExpression(OpAsmParser &parser, sym::ExprAttr &expr) {
  FailureOr<SymExpr> value = sym::parseSymExpr(parser);
  if (failed(value))
    return failure();
  expr = sym::ExprAttr::get(*value);
  return success();
}

static void printExpression(OpAsmPrinter &printer, Operation *, sym::ExprAttr expr) {
  expr.getValue().print(printer.getStream());
}

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphShapeOps.cpp.inc"

void RelaxDialect::registerShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphShapeOps.cpp.inc"
      >();
}

//===- Shared checks ------------------------------------------------------===//

/// Two tensors of one element type and rank, or two shapes of one rank.
static LogicalResult verifySameKind(Operation *op, Type from, Type to) {
  auto fromTensor = dyn_cast<RankedTensorType>(from), toTensor = dyn_cast<RankedTensorType>(to);
  if (!fromTensor != !toTensor)
    return op->emitOpError("needs two tensors or two shapes, got ") << from << " and " << to;
  if (fromTensor && fromTensor.getElementType() != toTensor.getElementType())
    return op->emitOpError("cannot change the element type from ")
           << fromTensor.getElementType() << " to " << toTensor.getElementType();
  size_t fromRank = sym::getSymbolicDims(from).size(), toRank = sym::getSymbolicDims(to).size();
  if (fromRank != toRank)
    return op->emitOpError("cannot change the rank from ") << fromRank << " to " << toRank;
  return success();
}

/// Refuses extents that differ for every valuation.
static LogicalResult verifyNotRefuted(Operation *op, Type from, Type to) {
  std::optional<sym::Prover> prover;
  for (auto [index, dims] : llvm::enumerate(llvm::zip_equal(sym::getSymbolicDims(from), sym::getSymbolicDims(to)))) {
    auto [actual, expected] = dims;
    if (!actual || !expected || actual == expected)
      continue;
    if (!prover)
      prover.emplace(op->getContext());
    if (prover->isEqual(actual, expected) == sym::Verdict::False)
      return op->emitOpError("dimension ")
             << index << " is " << actual.str() << ", which never equals " << expected.str();
  }
  return success();
}

/// Each name is listed once and is an extent by itself.
static LogicalResult verifyBinds(Operation *op, ArrayAttr binds, ArrayRef<SymExpr> dims) {
  llvm::SmallSet<StringRef, 4> names;
  for (StringRef name : binds.getAsValueRange<StringAttr>()) {
    if (name.empty())
      return op->emitOpError("binds a symbol without a name");
    if (!names.insert(name).second)
      return op->emitOpError("binds symbol '") << name << "' twice";
    if (!llvm::any_of(dims, [&](SymExpr dim) { return dim && dim.getSymbol() == name; }))
      return op->emitOpError("binds symbol '") << name << "', which is not an extent of the result by itself";
  }
  return success();
}

/// Every symbol of `expr` is mentioned by the shape operand.
static LogicalResult verifyKnownSymbols(Operation *op, StringRef what, SymExpr expr, Type shape) {
  SmallVector<StringRef> known;
  sym::collectSymbols(shape, known);
  for (StringRef symbol : expr.getSymbols())
    if (!llvm::is_contained(known, symbol))
      return op->emitOpError() << what << " mentions symbol '" << symbol << "', which the operand type " << shape
                               << " does not";
  return success();
}

static LogicalResult verifyNotNegative(Operation *op, unsigned index, SymExpr dim) {
  if (dim.getSymbol())
    return success();
  std::optional<int64_t> value = dim.getConstant();
  bool negative = value ? *value < 0
                        : sym::Prover(op->getContext()).isLessEqual(SymExpr::constant(op->getContext(), 0), dim) ==
                              sym::Verdict::False;
  if (negative)
    return op->emitOpError("entry ") << index << " is " << dim.str() << ", which is never an extent";
  return success();
}

//===- Shape values -------------------------------------------------------===//

LogicalResult ShapeOfOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(ShapeType::get(context, sym::getSymbolicDims(adaptor.getSource().getType())));
  return success();
}

LogicalResult MakeShapeOp::verify() {
  for (auto [index, dim] : llvm::enumerate(getShapeDims(getResult()))) {
    if (!dim)
      return emitOpError("entry ") << index << " of the result must be an expression";
    if (failed(verifyNotNegative(*this, index, dim)))
      return failure();
  }
  return success();
}

Speculation::Speculatability MakeShapeOp::getSpeculatability() {
  // An entry that an operand has, or a constant, is fine; anything else may be negative or overflow.
  auto isSafe = [&](SymExpr dim) {
    return !dim || dim.getConstant() || dim.getSymbol() || llvm::any_of(getShapes().getTypes(), [&](Type type) {
      return llvm::is_contained(cast<ShapeType>(type).getDims(), dim);
    });
  };
  return isAssured(*this) || llvm::all_of(getShapeDims(getResult()), isSafe) ? Speculation::Speculatable
                                                                             : Speculation::NotSpeculatable;
}

LogicalResult ShapeToTensorOp::verify() {
  int64_t rank = getShapeDims(getShape()).size();
  auto type = RankedTensorType::get({rank}, IntegerType::get(getContext(), 64));
  if (getType() != type)
    return emitOpError("result must be of type ") << type << ", got " << getType();
  return success();
}

SmallVector<StringRef> TensorToShapeOp::getBoundSymbols() {
  return llvm::to_vector(getBinds().getAsValueRange<StringAttr>());
}

void TensorToShapeOp::renameBoundSymbols(function_ref<std::string(StringRef)> rename) {
  setBindsAttr(renameBinds(getBinds(), rename));
}

LogicalResult TensorToShapeOp::verify() {
  ArrayRef<SymExpr> dims = getShapeDims(getResult());
  RankedTensorType source = cast<RankedTensorType>(getSource().getType());
  if (source.getDimSize(0) != static_cast<int64_t>(dims.size()))
    return emitOpError("operand must have ") << dims.size() << " elements, got type " << source;
  for (auto [index, dim] : llvm::enumerate(dims))
    if (dim && failed(verifyNotNegative(*this, index, dim)))
      return failure();
  return verifyBinds(*this, getBinds(), dims);
}

LogicalResult EvalExprOp::verify() {
  return verifyKnownSymbols(*this, "expression", getExpr().getValue(), getShape().getType());
}

Speculation::Speculatability EvalExprOp::getSpeculatability() {
  SymExpr expr = getExpr().getValue();
  bool isSafe = expr.getConstant() || expr.getSymbol() || llvm::is_contained(getShapeDims(getShape()), expr);
  return isSafe || isAssured(*this) ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

//===- Types of tensors ---------------------------------------------------===//

SmallVector<StringRef> MatchCastOp::getBoundSymbols() {
  return llvm::to_vector(getBinds().getAsValueRange<StringAttr>());
}

void MatchCastOp::renameBoundSymbols(function_ref<std::string(StringRef)> rename) {
  setBindsAttr(renameBinds(getBinds(), rename));
}

LogicalResult MatchCastOp::verify() {
  Type from = getSource().getType(), to = getType();
  if (failed(verifySameKind(*this, from, to)) || failed(verifyNotRefuted(*this, from, to)))
    return failure();
  return verifyBinds(*this, getBinds(), sym::getSymbolicDims(to));
}

LogicalResult RefineOp::verify() {
  Type from = getSource().getType(), to = getType();
  if (failed(verifySameKind(*this, from, to)) || failed(verifyNotRefuted(*this, from, to)))
    return failure();
  for (auto [index, dims] : llvm::enumerate(llvm::zip_equal(sym::getSymbolicDims(from), sym::getSymbolicDims(to)))) {
    auto [actual, written] = dims;
    if (!actual && written)
      return emitOpError("dimension ") << index << " is unknown, which cannot be refined to " << written.str();
    if (actual && !written)
      return emitOpError("dimension ") << index << " is " << actual.str() << ", which cannot be refined to unknown";
  }
  return success();
}

Speculation::Speculatability RefineOp::getSpeculatability() {
  // Never above the binder of a symbol that only the result mentions.
  SmallVector<StringRef> known, used;
  sym::collectSymbols(getSource().getType(), known);
  sym::collectSymbols(getType(), used);
  bool isKnown = llvm::all_of(used, [&](StringRef symbol) { return llvm::is_contained(known, symbol); });
  return isKnown ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

LogicalResult EraseShapeOp::verify() {
  Type from = getSource().getType(), to = getType();
  if (failed(verifySameKind(*this, from, to)))
    return failure();
  for (auto [index, dims] : llvm::enumerate(llvm::zip_equal(sym::getSymbolicDims(from), sym::getSymbolicDims(to)))) {
    auto [actual, kept] = dims;
    if (kept && kept != actual)
      return emitOpError("dimension ") << index << " must be unknown or " << (actual ? actual.str() : "?") << ", got "
                                       << kept.str();
  }
  return success();
}

/// The extents of a checked or retyped tensor are the operand's.
static LogicalResult reifySameDims(OpBuilder &builder, Operation *op, ReifiedRankedShapedTypeDims &dims) {
  if (!isa<RankedTensorType>(op->getOperand(0).getType()))
    return failure();
  dims.push_back(tensor::getMixedSizes(builder, op->getLoc(), op->getOperand(0)));
  // A result type may be static where the operand's is not, and upstream expects the attribute there.
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (auto [index, size] : llvm::enumerate(dims.back()))
    if (!type.isDynamicDim(index))
      size = builder.getIndexAttr(type.getDimSize(index));
    else if (auto attr = dyn_cast<Attribute>(size))
      size = getValueOrCreateConstantIndexOp(builder, op->getLoc(), attr);
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

void MatchCastOp::populateBoundsForShapedValueDim(Value value, int64_t dim, ValueBoundsConstraintSet &bounds) {
  bounds.bound(value)[dim] == bounds.getExpr(getSource(), dim);
}

void RefineOp::populateBoundsForShapedValueDim(Value value, int64_t dim, ValueBoundsConstraintSet &bounds) {
  bounds.bound(value)[dim] == bounds.getExpr(getSource(), dim);
}

void EraseShapeOp::populateBoundsForShapedValueDim(Value value, int64_t dim, ValueBoundsConstraintSet &bounds) {
  bounds.bound(value)[dim] == bounds.getExpr(getSource(), dim);
}

//===- AssertShapeOp ------------------------------------------------------===//

void AssertShapeOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), GuardResource::get());
}

FailureOr<sym::Fact> AssertShapeOp::getParsedFact() {
  std::string error;
  return sym::Fact::parse(getContext(), getFact(), error);
}

LogicalResult AssertShapeOp::verify() {
  std::string error;
  FailureOr<sym::Fact> fact = sym::Fact::parse(getContext(), getFact(), error);
  if (failed(fact))
    return emitOpError("fact \"") << getFact() << "\" does not parse: " << error;
  if (getMessage().empty())
    return emitOpError("needs a message");
  Type shape = getShape().getType();
  return failure(failed(verifyKnownSymbols(*this, "fact", fact->lhs, shape)) ||
                 failed(verifyKnownSymbols(*this, "fact", fact->rhs, shape)));
}
