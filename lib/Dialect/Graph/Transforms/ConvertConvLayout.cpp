//===- ConvertConvLayout.cpp - Convolutions with channels last ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Convolutions, and the elementwise ops and joins between them, form islands in
// which every image has its channels last. Permutations stand on their shores
// only; an island whose shores move more elements than its convolutions compute
// stays as it is. Whether to convert is a guess from sizes, which results do not
// depend on: symbols count as 64.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphWindows.h"
#include "RelaxDialect/Dialect/Graph/Transforms/RewritePasses.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "relax-convert-conv-layout"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace mlir::relax::graph {
#define GEN_PASS_DEF_CONVERTCONVLAYOUTPASS
#include "RelaxDialect/Dialect/Graph/Transforms/RewritePasses.h.inc"
} // namespace mlir::relax::graph

/// What a symbol counts as where only proportions matter.
constexpr int64_t kTypicalExtent = 64;

/// (0, 2, 3, 1) and (0, 3, 1, 2).
static SmallVector<int64_t> getOrder(int64_t rank, bool toLast) {
  SmallVector<int64_t> order = {0};
  for (int64_t dim = 1; dim != rank; ++dim)
    order.push_back(toLast ? dim % (rank - 1) + 1 : dim == 1 ? rank - 1 : dim - 1);
  return order;
}

/// Where dimension `dim` of an image is when its channels are last.
static int64_t getPlace(int64_t dim, int64_t rank) { return dim == 0 ? 0 : dim == 1 ? rank - 1 : dim - 1; }

static bool isPermute(Operation *op, bool toLast) {
  auto permute = dyn_cast_or_null<PermuteDimsOp>(op);
  return permute && permute.getPermutation() == ArrayRef(getOrder(permute.getPermutation().size(), toLast));
}

static size_t getRank(Value value) { return sym::getSymbolicDims(value.getType()).size(); }

/// About how many elements there are; nullopt when that is not known.
static std::optional<int64_t> countElements(Value value) {
  int64_t count = 1;
  for (SymExpr extent : sym::getSymbolicDims(value.getType())) {
    std::optional<int64_t> number;
    if (extent)
      number = extent.evaluate([](StringRef) -> std::optional<int64_t> { return kTypicalExtent; });
    if (!number || llvm::MulOverflow(count, std::max<int64_t>(*number, 0), count))
      return std::nullopt;
  }
  return count;
}

static int64_t addUp(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? std::numeric_limits<int64_t>::max() : sum;
}

/// The only dimension whose extent is not 1, the rank when there is none; nullopt when there are several.
static std::optional<size_t> getVectorDim(Value value) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(value.getType());
  size_t found = dims.size();
  for (auto [dim, extent] : llvm::enumerate(dims)) {
    if (extent && extent.getConstant() == 1)
      continue;
    if (found != dims.size())
      return std::nullopt;
    found = dim;
  }
  return found;
}

namespace {
/// Reads an image and gives a small part of it, in whatever order the dimensions are (relax-sink-moves).
bool isReduction(Operation *op) { return isa<SumOp, ProdOp, MaxOp, MinOp, MeanOp, AnyOp, AllOp>(op); }

class LayoutConverter {
public:
  LayoutConverter(MLIRContext *context, int64_t leastChannels, bool always)
      : rewriter(context), leastChannels(leastChannels), always(always) {}

  void run(Operation *root) {
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isCandidate(op) || isCarrier(op))
        join(op);
    });
    for (const auto *leader : islands)
      if (leader->isLeader())
        decide(leader->getData());
    for (Operation *op : members)
      if (chosen.contains(islands.getLeaderValue(op)))
        convert(op);
    for (Operation *op : llvm::reverse(members))
      if (chosen.contains(islands.getLeaderValue(op)))
        finish(op);
  }

private:
  //===--------------------------------------------------------------------===//
  // Islands
  //===--------------------------------------------------------------------===//

  /// Decided by weights and constants alone, so that it is laid out when the model is compiled.
  bool isKnown(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() != 0)
      return false;
    if (isa<WeightOp, ConstantOp>(op))
      return true;
    bool isNew = known.try_emplace(op, false).second;
    if (isNew && isPure(op) && op->getNumOperands() != 0) {
      bool all = llvm::all_of(op->getOperands(), [&](Value operand) { return isKnown(operand); });
      known[op] = all;
      return all;
    }
    return known[op];
  }

  /// A convolution that is faster with channels last: its out channels fill vectors, each of which one row of the
  /// weight serves.
  bool isCandidate(Operation *op) {
    auto conv = dyn_cast<ConvOp>(op);
    if (!conv || !hasKnownOperands(conv) || !countElements(conv.getResult()) || !countElements(conv.getInput()) ||
        !isKnown(conv.getWeight()))
      return false;
    Type type = getElementTypeOrSelf(conv.getResult());
    if (!isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
      return false;
    ArrayRef<int64_t> weight = cast<RankedTensorType>(conv.getWeight().getType()).getShape();
    bool depthwise = weight[0] == static_cast<int64_t>(conv.getGroups()) && weight[1] == 1;
    return weight[0] >= leastChannels && (conv.getGroups() == 1 || depthwise);
  }

  bool isInside(Value value) const { return value.getDefiningOp() && members.contains(value.getDefiningOp()); }

  /// An op that computes the same in any order of dimensions, on an image of an island. What it also reads must not be
  /// larger: moving it would cost more than the image does.
  bool isCarrier(Operation *op) const {
    if ((!op->hasTrait<graph::Broadcasting>() && !isa<ConcatOp>(op)) || !hasKnownOperands(op) ||
        op->getNumResults() != 1 || !countElements(op->getResult(0)))
      return false;
    size_t rank = getRank(op->getResult(0));
    int64_t inside = 0, outside = 0;
    for (Value operand : op->getOperands()) {
      std::optional<int64_t> elements = countElements(operand);
      if (!elements)
        return false;
      if (getRank(operand) == rank && isInside(operand))
        inside += *elements;
      else if (isVector(op, operand))
        continue;
      else if (getRank(operand) == rank)
        outside += *elements;
      else
        return false;
    }
    return inside != 0 && outside <= inside;
  }

  /// Put in its place without moving an element.
  static bool isVector(Operation *op, Value operand) { return !isa<ConcatOp>(op) && getVectorDim(operand); }

  /// The operands that are images.
  SmallVector<Value> getImages(Operation *op) const {
    if (auto conv = dyn_cast<ConvOp>(op))
      return {conv.getInput()};
    SmallVector<Value> images;
    size_t rank = getRank(op->getResult(0));
    for (Value operand : op->getOperands())
      if (getRank(operand) == rank && (isInside(operand) || !isVector(op, operand)))
        images.push_back(operand);
    return images;
  }

  void join(Operation *op) {
    islands.insert(op);
    for (Value image : getImages(op))
      if (isInside(image))
        islands.unionSets(op, image.getDefiningOp());
    members.insert(op);
  }

  /// Elements that are moved because `value` is read outside of the island.
  int64_t countLeaving(Value value) const {
    int64_t smaller = 0;
    for (Operation *user : value.getUsers()) {
      if ((members.contains(user) && llvm::is_contained(getImages(user), value)) || isPermute(user, /*toLast=*/true))
        continue;
      if (!isReduction(user))
        return *countElements(value);
      smaller += countElements(user->getResult(0)).value_or(0);
    }
    return std::min(smaller, *countElements(value));
  }

  void decide(Operation *leader) {
    int64_t computed = 0, moved = 0;
    unsigned count = 0;
    SmallPtrSet<Value, 8> arriving;
    Operation *first = nullptr;
    for (Operation *op : llvm::make_range(islands.findLeader(leader), islands.member_end())) {
      if (isa<ConvOp>(op)) {
        computed = addUp(computed, *countElements(op->getResult(0)));
        ++count;
        if (!first || (op->getBlock() == first->getBlock() && op->isBeforeInBlock(first)))
          first = op;
      }
      for (Value image : getImages(op))
        if (!isInside(image) && !isPermute(image.getDefiningOp(), /*toLast=*/false) && arriving.insert(image).second)
          moved = addUp(moved, *countElements(image));
      moved = addUp(moved, countLeaving(op->getResult(0)));
    }
    bool pays = always || computed >= moved;
    if (pays)
      chosen.insert(leader);
    std::string what = ("convolutions: " + Twine(count) + ", computing about " + Twine(computed) +
                        " elements; permuted: about " + Twine(moved))
                           .str();
    if (pays)
      remark::passed(first->getLoc(), remark::RemarkOpts::name("ChannelsLast").category(DEBUG_TYPE)) << what;
    else
      remark::missed(first->getLoc(), remark::RemarkOpts::name("ChannelsFirst").category(DEBUG_TYPE)) << what;
  }

  //===--------------------------------------------------------------------===//
  // Conversion
  //===--------------------------------------------------------------------===//

  /// The image with channels last. What is not made by the island is moved once, where it is made.
  Value toLast(Value image) {
    Value &moved = last[image];
    if (!moved) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointAfterValue(image);
      SmallVector<int64_t> order = getOrder(getRank(image), /*toLast=*/true);
      moved = PermuteDimsOp::create(rewriter, image.getLoc(), image, rewriter.getDenseI64ArrayAttr(order));
    }
    return moved;
  }

  void convert(Operation *op) {
    rewriter.setInsertionPoint(op);
    Composer c(rewriter, op);
    Value result;
    if (auto conv = dyn_cast<ConvOp>(op))
      result = c.make<ConvChannelsLastOp>(toLast(conv.getInput()), conv.getWeight(), conv.getStridesAttr(),
                                          conv.getPadsAttr(), conv.getDilationsAttr(), conv.getGroupsAttr(),
                                          conv.getAutoPadAttr());
    else if (auto concat = dyn_cast<ConcatOp>(op))
      result = convertConcat(c, concat);
    else
      result = convertElementwise(c, op);
    if (isAssured(op))
      setAssured(result.getDefiningOp());
    // Extents as they were written.
    SmallVector<SymExpr> dims = Composer::dims(op->getResult(0)), placed(dims.size());
    for (auto [dim, extent] : llvm::enumerate(dims))
      placed[getPlace(dim, dims.size())] = extent;
    result.setType(sym::getTensorType(placed, getElementTypeOrSelf(op->getResult(0))));
    last[op->getResult(0)] = result;
  }

  Value convertConcat(Composer &c, ConcatOp op) {
    SmallVector<Value> parts = llvm::map_to_vector(op.getOperands(), [&](Value part) { return toLast(part); });
    int64_t rank = getRank(op.getResult());
    return c.make<ConcatOp>(parts, rewriter.getI64IntegerAttr(getPlace(static_cast<int64_t>(op.getAxis()), rank)));
  }

  Value convertElementwise(Composer &c, Operation *op) {
    SmallVector<Value> images = getImages(op), operands;
    int64_t rank = getRank(op->getResult(0));
    for (Value operand : op->getOperands()) {
      if (llvm::is_contained(images, operand)) {
        operands.push_back(toLast(operand));
        continue;
      }
      int64_t size = getRank(operand), dim = *getVectorDim(operand);
      if (dim == size) { // one element, of no more dimensions than the image
        operands.push_back(operand);
        continue;
      }
      SmallVector<int64_t> ones;
      for (int64_t index = 0; index != size; ++index)
        if (index != dim)
          ones.push_back(index);
      operands.push_back(c.along(c.squeeze(operand, ones), getPlace(dim + rank - size, rank), rank));
    }
    Operation *clone = rewriter.clone(*op);
    clone->setOperands(operands);
    return clone->getResult(0);
  }

  /// What still reads the image as it was gets it in that order.
  void finish(Operation *op) {
    Value result = op->getResult(0);
    if (result.use_empty())
      return rewriter.eraseOp(op);
    rewriter.setInsertionPoint(op);
    Composer c(rewriter, op);
    c.finish(c.permute(last[result], getOrder(getRank(result), /*toLast=*/false)));
  }

  PatternRewriter rewriter;
  int64_t leastChannels;
  bool always;
  DenseMap<Operation *, bool> known;
  llvm::SetVector<Operation *> members; // of all islands, in the order of the program
  llvm::EquivalenceClasses<Operation *> islands;
  SmallPtrSet<Operation *, 8> chosen; // leaders
  DenseMap<Value, Value> last;
};

struct ConvertConvLayoutPass final : graph::impl::ConvertConvLayoutPassBase<ConvertConvLayoutPass> {
  using ConvertConvLayoutPassBase::ConvertConvLayoutPassBase;

  void runOnOperation() override { LayoutConverter(&getContext(), leastChannels, always).run(getOperation()); }
};
} // namespace
