//===- GraphElementExprs.cpp - Small tensors as expressions ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Programs compute shapes by tensors: shape_to_tensor, take, multiply, concat,
// then tensor_to_shape. Here each element is an expression, so that the shape
// at the end is symbolic. Only what is exact is followed: i64 elements stand
// for values that fit, as every extent does.
//
//===----------------------------------------------------------------------===//

#include "GraphFolding.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {
using Exprs = std::optional<SmallVector<SymExpr>>;

/// Follows the operations that lead to a tensor.
class ExprReader {
public:
  ExprReader(MLIRContext *context, SmallVectorImpl<Value> &shapes)
      : context(context), shapes(shapes), prover(context) {}

  Exprs read(Value tensor, unsigned depth = 0) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    Operation *op = tensor.getDefiningOp();
    if (!type || !op || !isFoldable(type) || !type.getElementType().isSignlessInteger() || depth > kMaxDepth)
      return std::nullopt;
    DenseElementsAttr constant;
    if (matchPattern(op, m_Constant(&constant)))
      return llvm::map_to_vector(constant.getValues<APInt>(), [&](const APInt &value) {
        return SymExpr::constant(context, value.getBitWidth() == 1 ? value.getZExtValue() : value.getSExtValue());
      });
    if (auto shape = dyn_cast<ShapeToTensorOp>(op)) {
      shapes.push_back(shape.getShape());
      return SmallVector<SymExpr>(getShapeDims(shape.getShape()));
    }
    SmallVector<SmallVector<SymExpr>> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType())) {
        operands.emplace_back(); // a shape
        continue;
      }
      Exprs exprs = read(operand, depth + 1);
      if (!exprs)
        return std::nullopt;
      operands.push_back(*exprs);
    }
    if (isa<SumOp, ProdOp>(op))
      return readReduction(op, operands.front());
    return op->hasTrait<Broadcasting>() ? readElementwise(op, operands) : readMoved(op, operands);
  }

private:
  static constexpr unsigned kMaxDepth = 32;

  Exprs readMoved(Operation *op, ArrayRef<SmallVector<SymExpr>> operands) {
    DenseElementsAttr indices;
    if (auto take = dyn_cast<TakeOp>(op))
      matchPattern(take.getIndices(), m_Constant(&indices));
    std::optional<SmallVector<ElementSource>> sources = getElementSources(op, indices);
    if (!sources)
      return std::nullopt;
    return llvm::map_to_vector(*sources,
                               [&](const ElementSource &source) { return operands[source.operand][source.position]; });
  }

  /// Sums and products of all elements.
  Exprs readReduction(Operation *op, ArrayRef<SymExpr> exprs) {
    auto from = cast<RankedTensorType>(op->getOperand(0).getType()),
         to = cast<RankedTensorType>(op->getResult(0).getType());
    auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axes");
    if (axes.size() != from.getRank() || to.getNumElements() != 1)
      return std::nullopt;
    bool isSum = isa<SumOp>(op);
    SymExpr result = SymExpr::constant(context, isSum ? 0 : 1);
    for (SymExpr expr : exprs)
      result = isSum ? result + expr : result * expr;
    return SmallVector<SymExpr>{fits(result, to.getElementType()) ? result : SymExpr()};
  }

  Exprs readElementwise(Operation *op, ArrayRef<SmallVector<SymExpr>> operands) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<SymExpr> result;
    SmallVector<int64_t> index(type.getRank(), 0);
    for (int64_t count = type.getNumElements(); count != 0; --count, nextPosition(type.getShape(), index)) {
      SmallVector<SymExpr> x;
      for (auto [operand, exprs] : llvm::zip_equal(op->getOperands(), operands))
        x.push_back(exprs[getBroadcastOffset(cast<RankedTensorType>(operand.getType()).getShape(), index)]);
      result.push_back(combine(op, type.getElementType(), x));
    }
    return result;
  }

  SymExpr flag(sym::Verdict verdict, bool whenTrue) {
    if (verdict == sym::Verdict::Depends)
      return {};
    return SymExpr::constant(context, (verdict == sym::Verdict::True) == whenTrue);
  }
  bool isAtLeast(SymExpr expr, int64_t bound) { return prover.lowerBound(expr).value_or(bound - 1) >= bound; }

  /// Null when the element is not an expression of the operands.
  SymExpr combine(Operation *op, Type elementType, ArrayRef<SymExpr> x) {
    if (auto where = dyn_cast<WhereOp>(op)) {
      std::optional<int64_t> condition = x[0] ? x[0].getConstant() : std::nullopt;
      if (!condition && x[1] == x[2])
        return x[1];
      return condition ? (*condition ? x[1] : x[2]) : SymExpr();
    }
    if (llvm::is_contained(x, SymExpr()))
      return {};
    SymExpr value = TypeSwitch<Operation *, SymExpr>(op)
                        .Case([&](AddOp) { return x[0] + x[1]; })
                        .Case([&](SubtractOp) { return x[0] - x[1]; })
                        .Case([&](MultiplyOp) { return x[0] * x[1]; })
                        .Case([&](MaximumOp) { return SymExpr::max(x); })
                        .Case([&](MinimumOp) { return SymExpr::min(x); })
                        // Rounding toward zero is rounding down where nothing is negative.
                        .Case([&](DivideOp) {
                          return isAtLeast(x[0], 0) && isAtLeast(x[1], 1) ? SymExpr::floordiv(x[0], x[1]) : SymExpr();
                        })
                        .Case([&](ModOp) { return isAtLeast(x[1], 1) ? SymExpr::mod(x[0], x[1]) : SymExpr(); })
                        .Case([&](EqualOp) { return flag(prover.isEqual(x[0], x[1]), true); })
                        .Case([&](NotEqualOp) { return flag(prover.isEqual(x[0], x[1]), false); })
                        .Case([&](LessEqualOp) { return flag(prover.isLessEqual(x[0], x[1]), true); })
                        .Case([&](LessOp) { return flag(prover.isLessEqual(x[1], x[0]), false); })
                        .Case([&](GreaterEqualOp) { return flag(prover.isLessEqual(x[1], x[0]), true); })
                        .Case([&](GreaterOp) { return flag(prover.isLessEqual(x[0], x[1]), false); })
                        .Case([&](AsTypeOp) { return x[0]; })
                        .Default([](Operation *) { return SymExpr(); });
    return fits(value, elementType) ? value : SymExpr();
  }

  /// Narrow integers wrap around, which expressions do not.
  static bool fits(SymExpr value, Type elementType) {
    unsigned width = elementType.getIntOrFloatBitWidth();
    if (!value || width == 64)
      return true;
    std::optional<int64_t> constant = value.getConstant();
    return constant && (width == 1 ? (*constant == 0 || *constant == 1) : llvm::isIntN(width, *constant));
  }

  MLIRContext *context;
  SmallVectorImpl<Value> &shapes;
  sym::Prover prover;
};
} // namespace

std::optional<SmallVector<SymExpr>> graph::getElementExprs(Value tensor, SmallVectorImpl<Value> &shapes) {
  return ExprReader(tensor.getContext(), shapes).read(tensor);
}

LogicalResult TensorToShapeOp::canonicalize(TensorToShapeOp op, PatternRewriter &rewriter) {
  SmallVector<Value> shapes;
  Exprs exprs = getElementExprs(op.getSource(), shapes);
  auto isNoExtent = [](SymExpr expr) { return !expr || expr.getConstant().value_or(0) < 0; };
  if (!exprs || llvm::any_of(*exprs, isNoExtent))
    return rewriter.notifyMatchFailure(op, "the elements are not known");
  auto type = ShapeType::get(op.getContext(), *exprs);
  // What the types refute stays for run time, where it is an error.
  sym::Prover prover(op.getContext());
  for (auto [actual, wanted] : llvm::zip_equal(*exprs, getShapeDims(op.getResult())))
    if (wanted && prover.isEqual(actual, wanted) == sym::Verdict::False)
      return rewriter.notifyMatchFailure(op, "always traps");
  Value shape = MakeShapeOp::create(rewriter, op.getLoc(), type, shapes);
  rewriter.replaceOpWithNewOp<MatchCastOp>(op, op.getType(), shape, op.getBindsAttr());
  return success();
}
