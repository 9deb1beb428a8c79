//===- LearningOps.cpp - Operators of ai.onnx.ml --------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Trees are walked together, for all rows at once: a loop as long as the longest
// path moves every row to the next node of each tree. Leaves are nodes behind
// the inner ones that lead to themselves.
//
//===----------------------------------------------------------------------===//
#include "LearningOps.h"

#include "Loops.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphNNOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "TensorData.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

/// Columns of the last dimension.
static void emitArrayFeatureExtractor(NodeEmitter &e) {
  int64_t rank = e.getRank(0);
  if (rank < 1)
    return e.fail("input is a scalar");
  SmallVector<SymExpr> indexDims = e.getDims(1);
  if (e.failed())
    return;
  Value columns = e.cast(e.reshape(e.getTensor(1), {e.product(indexDims)}), e.getI64());
  Value x = rank == 1 ? e.expandDims(e.getTensor(0), {0}) : e.getTensor(0);
  e.setResult(0, e.create<graph::TakeOp>({x, columns}, e.attr("axis", std::max<int64_t>(rank - 1, 1))));
}

static void emitBinarizer(NodeEmitter &e) {
  Value x = e.getTensor(0);
  Value threshold = e.makeScalarLike(e.getFloat("threshold", 0), x);
  Value isAbove = e.create<graph::GreaterOp>({x, threshold});
  e.setResult(0, x ? e.cast(isAbove, getElementTypeOrSelf(x.getType())) : Value());
}

//===----------------------------------------------------------------------===//
// TreeEnsemble
//===----------------------------------------------------------------------===//

namespace {
enum Mode : int64_t { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual, Member };
enum class Aggregate : int64_t { Average, Sum, Minimum, Maximum };

/// What the attributes say. Entries behind the inner nodes are leaves.
struct Trees {
  int64_t nodes = 0, leaves = 0, targets = 0, depth = 0;
  SmallVector<int64_t> roots, features, modes, onTrue, onFalse, missing, leafTargets;
  SmallVector<APFloat> splits, weights;
  // Members of sets and the nodes that ask for them.
  SmallVector<APFloat> members;
  SmallVector<int64_t> memberNodes;

  int64_t size() const { return nodes + leaves; }
};
} // namespace

/// The elements of a tensor attribute, which must be of `type`.
static SmallVector<APFloat> readFloats(NodeEmitter &e, StringRef name, Type type) {
  const relax_onnx_wire::TensorProto *tensor = e.getTensorAttr(name);
  if (!tensor)
    return {};
  std::string error;
  RankedTensorType stored = getStoredType(e.getContext(), *tensor, error);
  DenseElementsAttr values = stored ? getDenseValue(e.getImporter().getFile(), *tensor, stored, error) : nullptr;
  if (!values || stored.getElementType() != type) {
    e.fail("attribute '" + name + "' " + (error.empty() ? "is not of the type of the input" : error));
    return {};
  }
  return SmallVector<APFloat>(values.value_begin<APFloat>(), values.value_end<APFloat>());
}

/// Children are inner nodes or leaves; `isLeaf` tells which.
static SmallVector<int64_t> readChildren(NodeEmitter &e, const Trees &trees, StringRef ids, StringRef leafs) {
  SmallVector<int64_t> children = e.getInts(ids), isLeaf = e.getInts(leafs);
  if (static_cast<int64_t>(children.size()) != trees.nodes || isLeaf.size() != children.size()) {
    e.fail("attributes '" + ids + "' and '" + leafs + "' need " + Twine(trees.nodes) + " entries");
    return {};
  }
  for (auto [child, leaf] : llvm::zip(children, isLeaf)) {
    if (child < 0 || child >= (leaf ? trees.leaves : trees.nodes)) {
      e.fail("attribute '" + ids + "' holds " + Twine(child) + ", which is out of range");
      return {};
    }
    child += leaf ? trees.nodes : 0;
  }
  return children;
}

/// The number of inner nodes on the longest path from a root.
static int64_t findDepth(NodeEmitter &e, const Trees &trees) {
  constexpr int64_t kMaxDepth = 1024;
  SmallVector<int64_t> level = trees.roots;
  int64_t depth = 0;
  for (; !level.empty(); ++depth) {
    if (depth == kMaxDepth || depth == trees.nodes) {
      e.fail("a tree has a cycle or a path of more than " + Twine(depth) + " nodes");
      return 0;
    }
    llvm::BitVector next(trees.nodes);
    for (int64_t node : level)
      for (int64_t child : {trees.onTrue[node], trees.onFalse[node]})
        if (child < trees.nodes)
          next.set(child);
    level.assign(next.set_bits_begin(), next.set_bits_end());
  }
  return depth;
}

/// Sets are listed one behind the other, each ended by NaN, in the order in which a walk from the roots, true branches
/// first, meets the nodes that ask for them.
static void readMembers(NodeEmitter &e, Trees &trees, Type type) {
  SmallVector<APFloat> values = readFloats(e, "membership_values", type);
  size_t next = 0;
  for (int64_t root : trees.roots) {
    SmallVector<int64_t> stack = {root};
    for (int64_t visited = 0; !stack.empty() && !e.failed(); ++visited) {
      int64_t node = stack.pop_back_val();
      if (visited > trees.size())
        return e.fail("a tree reaches a node on two paths");
      if (node >= trees.nodes)
        continue;
      if (trees.modes[node] == Member) {
        for (; next < values.size() && !values[next].isNaN(); ++next) {
          trees.members.push_back(values[next]);
          trees.memberNodes.push_back(node);
        }
        if (next++ >= values.size())
          return e.fail("attribute 'membership_values' has no set for node " + Twine(node));
      }
      stack.append({trees.onFalse[node], trees.onTrue[node]});
    }
  }
}

static Trees readTrees(NodeEmitter &e, Type type) {
  Trees trees;
  trees.roots = e.getInts("tree_roots");
  trees.features = e.getInts("nodes_featureids");
  trees.leafTargets = e.getInts("leaf_targetids");
  trees.targets = e.getInt("n_targets", 0);
  trees.splits = readFloats(e, "nodes_splits", type);
  trees.weights = readFloats(e, "leaf_weights", type);
  trees.nodes = trees.features.size();
  trees.leaves = trees.leafTargets.size();
  e.ignoreAttr("nodes_hitrates"); // how often a node was visited
  const relax_onnx_wire::TensorProto *modes = e.getTensorAttr("nodes_modes");
  std::string error = "is missing";
  RankedTensorType modeType = modes ? getStoredType(e.getContext(), *modes, error) : RankedTensorType();
  DenseElementsAttr modeValues = modeType ? getDenseValue(e.getImporter().getFile(), *modes, modeType, error) : nullptr;
  if (!modeValues || !modeType.getElementType().isUnsignedInteger(8)) {
    e.fail("attribute 'nodes_modes' " + (modeValues ? std::string("is not of type uint8") : error));
    return trees;
  }
  for (const APInt &mode : modeValues.getValues<APInt>())
    trees.modes.push_back(mode.getZExtValue());
  trees.missing = e.getInts("nodes_missing_value_tracks_true");
  if (trees.missing.empty())
    trees.missing.assign(trees.nodes, 0);
  auto count = [](const auto &list) { return static_cast<int64_t>(list.size()); };
  if (trees.roots.empty() || trees.leaves == 0 || trees.targets < 1)
    e.fail("needs trees, leaves and a positive n_targets");
  if (count(trees.splits) != trees.nodes || count(trees.modes) != trees.nodes || count(trees.missing) != trees.nodes)
    e.fail("attributes 'nodes_...' have different numbers of entries");
  if (count(trees.weights) != trees.leaves)
    e.fail("attributes 'leaf_...' have different numbers of entries");
  trees.onTrue = readChildren(e, trees, "nodes_truenodeids", "nodes_trueleafs");
  trees.onFalse = readChildren(e, trees, "nodes_falsenodeids", "nodes_falseleafs");
  for (int64_t root : trees.roots)
    if (root < 0 || root >= trees.nodes)
      e.fail("attribute 'tree_roots' holds " + Twine(root) + ", which is out of range");
  for (int64_t mode : trees.modes)
    if (mode > Member)
      e.fail("attribute 'nodes_modes' holds " + Twine(mode) + ", expected at most 6");
  for (int64_t feature : trees.features)
    if (feature < 0)
      e.fail("attribute 'nodes_featureids' holds " + Twine(feature));
  for (int64_t target : trees.leafTargets)
    if (target < 0 || target >= trees.targets)
      e.fail("attribute 'leaf_targetids' holds " + Twine(target) + ", expected less than " + Twine(trees.targets));
  if (e.failed())
    return trees;
  trees.depth = findDepth(e, trees);
  if (!e.failed())
    readMembers(e, trees, type);
  return trees;
}

namespace {
/// The walk of all rows through all trees.
class Walk {
public:
  Walk(NodeEmitter &e, const Trees &trees, Value x) : e(e), trees(trees), x(x) {
    SmallVector<int64_t> leaves = llvm::to_vector(llvm::seq<int64_t>(trees.nodes, trees.size()));
    auto extend = [&](ArrayRef<int64_t> nodes, ArrayRef<int64_t> atLeaves) {
      SmallVector<int64_t> all(nodes);
      all.append(atLeaves.begin(), atLeaves.end());
      return e.makeIntegers(all);
    };
    SmallVector<int64_t> zeros(trees.leaves, 0);
    features = extend(trees.features, zeros);
    modes = extend(trees.modes, zeros);
    missing = extend(trees.missing, zeros);
    onTrue = extend(trees.onTrue, leaves);
    onFalse = extend(trees.onFalse, leaves);
    SmallVector<APFloat> all = trees.splits;
    all.append(trees.leaves, APFloat::getZero(trees.weights[0].getSemantics()));
    splits = makeFloats(all);
  }

  Value makeFloats(ArrayRef<APFloat> values) {
    auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, getElementTypeOrSelf(x.getType()));
    return e.makeConstant(DenseElementsAttr::get(type, values));
  }

  static Value take(NodeEmitter &e, Value table, Value index) {
    return e.create<graph::TakeOp>({table, index}, e.attr("axis", int64_t(0)));
  }

  /// From nodes to their children.
  Value step(Value node) {
    Value value = e.create<graph::TakeAlongAxisOp>({x, take(e, features, node)}, e.attr("axis", int64_t(1)));
    Value split = take(e, splits, node), mode = take(e, modes, node), holds;
    for (int64_t kind = LessEqual; kind <= Member; ++kind) {
      if (!llvm::is_contained(trees.modes, kind))
        continue;
      Value answer = compare(kind, node, value, split);
      Value isKind = e.create<graph::EqualOp>({mode, e.makeScalar(static_cast<double>(kind), e.getI64())});
      holds = holds ? e.select(isKind, answer, holds) : answer;
    }
    Value isMissing = e.create<graph::LogicalAndOp>(
        {e.create<graph::IsNaNOp>(value),
         e.create<graph::NotEqualOp>({take(e, missing, node), e.makeScalar(0, e.getI64())})});
    holds = e.create<graph::LogicalOrOp>({holds, isMissing});
    return e.select(holds, take(e, onTrue, node), take(e, onFalse, node));
  }

private:
  Value compare(int64_t kind, Value node, Value value, Value split) {
    switch (kind) {
    case LessEqual:
      return e.create<graph::LessEqualOp>({value, split});
    case Less:
      return e.create<graph::LessOp>({value, split});
    case GreaterEqual:
      return e.create<graph::GreaterEqualOp>({value, split});
    case Greater:
      return e.create<graph::GreaterOp>({value, split});
    case Equal:
      return e.create<graph::EqualOp>({value, split});
    case NotEqual:
      return e.create<graph::NotEqualOp>({value, split});
    default: {
      Value isOwn = e.create<graph::EqualOp>({e.expandDims(node, {2}), e.makeIntegers(trees.memberNodes)});
      Value isValue = e.create<graph::EqualOp>({e.expandDims(value, {2}), makeFloats(trees.members)});
      Value isBoth = e.create<graph::LogicalAndOp>({isOwn, isValue});
      return e.create<graph::AnyOp>(isBoth, e.attr("axes", ArrayRef<int64_t>{2}));
    }
    }
  }

  NodeEmitter &e;
  const Trees &trees;
  Value x, features, modes, missing, onTrue, onFalse, splits;
};
} // namespace

/// Weights of the leaves [rows, trees], joined by target.
static Value aggregate(NodeEmitter &e, const Trees &trees, Value weights, Value targets, Aggregate how) {
  Type type = weights ? getElementTypeOrSelf(weights.getType()) : e.getF32();
  SymExpr one = e.constant(1);
  Value column = e.iota({one, one, e.constant(trees.targets)}, 2);
  Value isTarget = e.create<graph::EqualOp>({e.expandDims(targets, {2}), column});
  if (how == Aggregate::Average)
    weights = e.divide(weights, e.makeScalar(static_cast<double>(trees.roots.size()), type));
  bool isSum = how == Aggregate::Sum || how == Aggregate::Average;
  APFloat largest = APFloat::getLargest(cast<FloatType>(type).getFloatSemantics(), how == Aggregate::Maximum);
  Value other =
      isSum ? e.makeScalar(0, type) : e.makeConstant(DenseElementsAttr::get(RankedTensorType::get({}, type), largest));
  Value spread = e.select(isTarget, e.expandDims(weights, {2}), other);
  if (isSum)
    return e.reduceSum(spread, {1}, /*keepdims=*/false);
  return how == Aggregate::Minimum ? e.reduceMin(spread, {1}, /*keepdims=*/false)
                                   : e.reduceMax(spread, {1}, /*keepdims=*/false);
}

static void emitTreeEnsemble(NodeEmitter &e) {
  Type type = e.getType(0).getElementType();
  if (e.getRank(0) != 2 || !isa<FloatType>(type))
    return e.fail("the input must be a matrix of floats");
  Trees trees = readTrees(e, type);
  int64_t how = e.getInt("aggregate_function", 1), after = e.getInt("post_transform", 0);
  if (how < 0 || how > 3)
    e.fail("attribute 'aggregate_function' is " + Twine(how) + ", expected 0 to 3");
  if (after < 0 || after > 2)
    e.fail("attribute 'post_transform' is " + Twine(after) + ", supported are NONE, SOFTMAX and LOGISTIC (0 to 2)");
  Value x = e.getTensor(0);
  if (e.failed())
    return;
  SymExpr rows = e.getDims(0)[0], count = e.constant(static_cast<int64_t>(trees.roots.size()));
  Walk walk(e, trees, x);
  Value start = e.broadcastTo(e.makeIntegers(trees.roots), {rows, count});
  if (e.failed())
    return;
  SmallVector<Value> last = repeat(e, e.constant(trees.depth), {start},
                                   [&](Value, ArrayRef<Value> node) { return SmallVector<Value>{walk.step(node[0])}; });
  Value leaf = e.subtract(last[0], e.makeScalar(static_cast<double>(trees.nodes), e.getI64()));
  Value weights = Walk::take(e, walk.makeFloats(trees.weights), leaf);
  Value targets = Walk::take(e, e.makeIntegers(trees.leafTargets), leaf);
  Value result = aggregate(e, trees, weights, targets, static_cast<Aggregate>(how));
  if (after == 1)
    result = e.create<graph::SoftmaxOp>(result, e.attr("axis", int64_t(1)));
  if (after == 2)
    result = e.create<graph::SigmoidOp>(result);
  e.setResult(0, result);
}

ArrayRef<OpEntry> mlir::relax::onnx::getLearningOps() {
  static constexpr OpEntry entries[] = {
      {"ArrayFeatureExtractor", 1, 2, 2, 1, emitArrayFeatureExtractor},
      {"Binarizer", 1, 1, 1, 1, emitBinarizer},
      {"TreeEnsemble", 5, 1, 1, 1, emitTreeEnsemble},
  };
  return entries;
}
