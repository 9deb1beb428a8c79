//===- CombineParallelMatmuls.cpp - Products of one operand ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The joined product stands where the first one did. Nothing that can trap or
// has an effect moves: a product whose rules are not proved is left alone, and
// so is one whose right operand is made later.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphProducts.h"
#include "RelaxDialect/Dialect/Graph/Transforms/RewritePasses.h"
#include "RelaxDialect/Dialect/Graph/Transforms/WeightBytes.h"

#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SmallPtrSet.h"

#define DEBUG_TYPE "relax-combine-parallel-matmuls"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace mlir::relax::graph {
#define GEN_PASS_DEF_COMBINEPARALLELMATMULSPASS
#include "RelaxDialect/Dialect/Graph/Transforms/RewritePasses.h.inc"
} // namespace mlir::relax::graph

/// Running the op earlier reports no error that would not have been reported.
static bool isTotal(Operation *op) {
  auto rules = dyn_cast<ShapeRuleOpInterface>(op);
  return rules && hasKnownOperands(op) && !rules.mayTrapOnValues() && (isAssured(op) || rules.getShapeRules().empty());
}

/// Attributes that decide what an op computes.
static DictionaryAttr getMeaning(Operation *op) {
  NamedAttrList attributes(op->getAttrDictionary());
  attributes.erase(kAssuredAttrName);
  return attributes.getDictionary(op->getContext());
}

/// Tensor types that are proved equal, except for extent `except`, which is known in both.
static bool areEqualExcept(Type a, Type b, std::optional<unsigned> except, sym::Prover &prover) {
  SmallVector<SymExpr> left = sym::getSymbolicDims(a), right = sym::getSymbolicDims(b);
  if (getElementTypeOrSelf(a) != getElementTypeOrSelf(b) || left.size() != right.size())
    return false;
  for (auto [dim, x, y] : llvm::enumerate(left, right))
    if (!x || !y || (dim != except && x != y && prover.isEqual(x, y) != sym::Verdict::True))
      return false;
  return true;
}

static bool isValue(Operation *op) { return isa<WeightOp, ConstantOp>(op); }

/// What joins the parts along `dim` when they go through it one by one: the op, and the dimension before it. Nullopt
/// for other ops.
static std::optional<unsigned> getDimBefore(Operation *op, unsigned dim) {
  if (auto permute = dyn_cast<PermuteDimsOp>(op))
    return permute.getPermutation()[dim];
  return isa<AsTypeOp>(op) ? std::optional(dim) : std::nullopt;
}

namespace {
/// Values that are joined along a dimension.
struct Parts {
  SmallVector<Value> values;
  unsigned dim;
};

class Combiner {
public:
  Combiner(ModuleOp module, bool any, StringRef blobDirectory)
      : module(module), symbols(module), any(any), blobDirectory(blobDirectory) {
    module.walk([&](WeightOp op) { ++readers[op.getNameAttr().getAttr()]; });
  }

  LogicalResult run() {
    SmallVector<Operation *> products;
    module.walk<WalkOrder::PreOrder>([&](ProductOpInterface op) { products.push_back(op); });
    llvm::SmallPtrSet<Operation *, 16> gone;
    for (Operation *first : products) {
      if (gone.contains(first) || !isTotal(first) || first->use_empty())
        continue;
      SmallVector<Operation *> members = findMembers(first);
      if (members.size() < 2)
        continue;
      gone.insert_range(members);
      if (failed(combine(members)))
        return failure();
    }
    return success();
  }

private:
  /// `first` and the later products of its block that can be computed with it, in order.
  SmallVector<Operation *> findMembers(Operation *first) {
    SmallVector<Operation *> members;
    auto product = cast<ProductOpInterface>(first);
    std::optional<ProductColumns> columns = product.getColumns();
    unsigned right = product.getRightOperandNumber();
    if (!columns || !canJoin(first->getOperand(right), first))
      return members;
    sym::Prover prover(first->getContext(), sym::getScope(first));
    llvm::SmallPtrSet<Value, 4> joined;
    SmallVector<Operation *> users;
    for (Operation *user : first->getOperand(0).getUsers())
      if (user->getBlock() == first->getBlock() && !user->isBeforeInBlock(first))
        users.push_back(user);
    llvm::sort(users, [](Operation *a, Operation *b) { return a != b && a->isBeforeInBlock(b); });
    for (Operation *op : users) {
      if (op->getName() != first->getName() || op->getNumOperands() != first->getNumOperands() ||
          getMeaning(op) != getMeaning(first) || op->use_empty())
        continue;
      std::optional<ProductColumns> others = cast<ProductOpInterface>(op).getColumns();
      if (!others || others->rightDim != columns->rightDim || others->resultDim != columns->resultDim || !isTotal(op))
        continue;
      bool sameOperands = llvm::all_of(llvm::seq<unsigned>(0, first->getNumOperands()), [&](unsigned index) {
        return index == right || op->getOperand(index) == first->getOperand(index);
      });
      Value value = op->getOperand(right);
      if (sameOperands &&
          areEqualExcept(first->getOperand(right).getType(), value.getType(), columns->rightDim, prover) &&
          areEqualExcept(first->getResult(0).getType(), op->getResult(0).getType(), columns->resultDim, prover) &&
          canJoin(value, first) && joined.insert(value).second)
        members.push_back(op);
    }
    return members;
  }

  /// `value` exists before `op`, in the same block, is computed.
  static bool isAbove(Value value, Operation *op) {
    Operation *maker = value.getDefiningOp();
    return !maker || maker->getBlock() != op->getBlock() || maker->isBeforeInBlock(op);
  }

  /// A weight or constant that only its reader needs, also through moves; or, when asked to, anything that is there in
  /// time.
  bool canJoin(Value value, Operation *first) {
    if (isWeight(value))
      return true;
    return any && isAbove(value, first);
  }

  bool isWeight(Value value) {
    Operation *op = value.getDefiningOp();
    while (op && op->hasOneUse() && isa<PermuteDimsOp, AsTypeOp>(op))
      op = op->getOperand(0).getDefiningOp();
    if (!op || !op->hasOneUse() || !isValue(op))
      return false;
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!type.hasStaticShape() || type.getElementTypeBitWidth() % 8 != 0)
      return false;
    auto weight = dyn_cast<WeightOp>(op);
    return !weight || readers.lookup(weight.getNameAttr().getAttr()) == 1;
  }

  /// Weights, and what moves them, go where they are joined.
  static void hoist(Value value, Operation *before) {
    Operation *op = value.getDefiningOp();
    if (!op || isAbove(value, before))
      return;
    for (Value operand : op->getOperands())
      hoist(operand, before);
    op->moveBefore(before);
  }

  LogicalResult combine(ArrayRef<Operation *> members);
  FailureOr<bool> sinkSlices(SmallVectorImpl<Operation *> &heads, Operation *&joined, unsigned dim, Operation *first);
  static bool sinkBehindMoves(SmallVectorImpl<Operation *> &heads, Operation *&joined, unsigned &dim);
  FailureOr<Value> join(Parts parts, Composer &c);
  FailureOr<Value> joinValues(const Parts &parts, Composer &c);

  ModuleOp module;
  SymbolTable symbols;
  const bool any;
  StringRef blobDirectory;
  /// Ops that read each weight.
  DenseMap<StringAttr, int64_t> readers;
};
} // namespace

/// `type` with the sum of all extents `dim`; null when it does not fit.
static RankedTensorType getJoinedType(Type type, ArrayRef<Type> types, unsigned dim) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(type);
  dims[dim] = SymExpr::constant(type.getContext(), 0);
  for (Type part : types)
    if (!(dims[dim] = dims[dim] + sym::getSymbolicDims(part)[dim]))
      return {};
  return sym::getTensorType(dims, getElementTypeOrSelf(type));
}

/// The parts of all values, in row-major order.
static void writeJoined(ArrayRef<WeightBytes> bytes, ArrayRef<RankedTensorType> types, unsigned dim,
                        MutableArrayRef<char> out) {
  int64_t size = types.front().getElementTypeBitWidth() / 8, outer = 1;
  for (int64_t extent : types.front().getShape().take_front(dim))
    outer *= extent;
  char *to = out.data();
  for (int64_t index = 0; index != outer; ++index)
    for (auto [part, type] : llvm::zip_equal(bytes, types)) {
      int64_t count = outer == 0 ? 0 : type.getNumElements() / outer;
      if (!part.isSplat) {
        std::memcpy(to, part.data.data() + index * count * size, count * size);
      } else {
        for (int64_t at = 0; at != count; ++at)
          std::memcpy(to + at * size, part.data.data(), size);
      }
      to += count * size;
    }
}

/// A weight with the elements of several; null where a value is not known.
FailureOr<Value> Combiner::joinValues(const Parts &parts, Composer &c) {
  SmallVector<WeightBytes> bytes;
  SmallVector<RankedTensorType> types;
  SmallVector<Type> all(ValueRange(parts.values).getTypes());
  RankedTensorType joined = getJoinedType(all.front(), all, parts.dim);
  if (!joined)
    return Value();
  std::string name = "constant";
  for (Value value : parts.values) {
    Operation *owner = value.getDefiningOp();
    Attribute attribute;
    if (auto weight = dyn_cast<WeightOp>(owner)) {
      auto data = symbols.lookup<WeightDataOp>(weight.getName());
      if (!data)
        return Value();
      owner = data;
      attribute = data.getValue();
      if (value == parts.values.front())
        name = data.getSymName();
    } else {
      attribute = cast<ConstantOp>(owner).getValue();
    }
    types.push_back(cast<RankedTensorType>(value.getType()));
    FailureOr<WeightBytes> read = readWeightBytes(owner, types.back(), attribute, blobDirectory);
    if (failed(read))
      return failure();
    if (read->data.empty() && types.back().getNumElements() != 0)
      return Value();
    bytes.push_back(std::move(*read));
  }
  name += "_joined";
  ElementsAttr value =
      createElements(joined, name, [&](MutableArrayRef<char> out) { writeJoined(bytes, types, parts.dim, out); });
  OpBuilder atModule = OpBuilder::atBlockBegin(module.getBody());
  auto data = WeightDataOp::create(atModule, c.getLoc(), name, joined, value);
  symbols.insert(data);
  readers[data.getSymNameAttr()] = 1;
  return c.make<WeightOp>(joined, data.getSymName());
}

/// The values joined: before what moves all of them, and at compile time where they are known.
FailureOr<Value> Combiner::join(Parts parts, Composer &c) {
  Operation *first = parts.values.front().getDefiningOp();
  auto areAll = [&](auto holds) {
    return llvm::all_of(parts.values, [&](Value value) {
      Operation *op = value.getDefiningOp();
      return op && isWeight(value) && holds(op);
    });
  };
  if (areAll(isValue)) {
    FailureOr<Value> value = joinValues(parts, c);
    if (failed(value) || *value)
      return value;
  } else if (std::optional<unsigned> before = first ? getDimBefore(first, parts.dim) : std::nullopt;
             before && areAll([&](Operation *op) {
               return op->getName() == first->getName() && getMeaning(op) == getMeaning(first) &&
                      getElementTypeOrSelf(op->getOperand(0)) == getElementTypeOrSelf(first->getOperand(0));
             })) {
    auto sources = llvm::map_to_vector(parts.values, [](Value value) { return value.getDefiningOp()->getOperand(0); });
    FailureOr<Value> source = join({sources, *before}, c);
    if (failed(source))
      return failure();
    Operation *op = c.rewriter.clone(*first);
    op->setOperand(0, *source);
    op->getResult(0).setType(getJoinedType(first->getResult(0).getType(),
                                           SmallVector<Type>(ValueRange(parts.values).getTypes()), parts.dim));
    return op->getResult(0);
  }
  return c.make<ConcatOp>(parts.values, c.rewriter.getI64IntegerAttr(parts.dim));
}

/// The only user of each op, all of one kind and with the same attributes; none when they differ.
static SmallVector<Operation *> getAlikeUsers(ArrayRef<Operation *> heads) {
  SmallVector<Operation *> users;
  for (Operation *head : heads) {
    if (!head->hasOneUse())
      return {};
    Operation *user = *head->user_begin();
    if (user->getBlock() != head->getBlock() || !isTotal(user) ||
        (!users.empty() &&
         (user->getName() != users.front()->getName() || getMeaning(user) != getMeaning(users.front()))))
      return {};
    users.push_back(user);
  }
  return users;
}

/// Every head has one user, and they all do the same elementwise: one op on the joined heads does it for all. `heads`
/// are then these users.
FailureOr<bool> Combiner::sinkSlices(SmallVectorImpl<Operation *> &heads, Operation *&joined, unsigned dim,
                                     Operation *first) {
  SmallVector<Operation *> users = getAlikeUsers(heads);
  if (users.empty())
    return false;
  Operation *sample = users.front();
  unsigned read = heads.front()->use_begin()->getOperandNumber();
  auto type = cast<RankedTensorType>(heads.front()->getResult(0).getType());
  if (!sample->hasTrait<graph::Broadcasting>())
    return false;
  sym::Prover prover(sample->getContext(), sym::getScope(sample));
  for (auto [head, user] : llvm::zip_equal(heads, users))
    if (user->getNumOperands() != sample->getNumOperands() || head->use_begin()->getOperandNumber() != read ||
        sym::getSymbolicDims(user->getResult(0).getType()) != sym::getSymbolicDims(head->getResult(0).getType()))
      return false;

  // What else is read: the same value without columns, or weights with as many columns each.
  SmallVector<std::optional<Parts>> operands;
  unsigned behind = type.getRank() - 1 - dim;
  for (unsigned index = 0; index != sample->getNumOperands(); ++index) {
    auto other = cast<RankedTensorType>(sample->getOperand(index).getType());
    Parts parts{llvm::map_to_vector(users, [&](Operation *user) { return user->getOperand(index); }),
                static_cast<unsigned>(other.getRank() - 1 - behind)};
    bool hasColumns = other.getRank() > behind && other.getDimSize(parts.dim) != 1;
    if (index == read) {
      operands.emplace_back();
    } else if (!hasColumns) {
      Value same = parts.values.front();
      if (!llvm::all_equal(parts.values) || !(isAbove(same, first) || isValue(same.getDefiningOp())))
        return false;
      operands.emplace_back();
    } else {
      for (auto [head, value] : llvm::zip_equal(heads, parts.values)) {
        SmallVector<SymExpr> dims = sym::getSymbolicDims(value.getType());
        if (dims.size() != static_cast<size_t>(other.getRank()) || !isWeight(value) ||
            dims[parts.dim] != sym::getSymbolicDims(head->getResult(0).getType())[dim] ||
            !areEqualExcept(value.getType(), other, parts.dim, prover))
          return false;
      }
      operands.emplace_back(parts);
    }
  }

  PatternRewriter rewriter(first->getContext());
  rewriter.setInsertionPointAfter(joined);
  Composer c(rewriter, first);
  SmallVector<Value> values;
  for (auto [index, parts] : llvm::enumerate(operands)) {
    if (index == read) {
      values.push_back(joined->getResult(0));
      continue;
    }
    if (!parts) {
      hoist(sample->getOperand(index), first);
      values.push_back(sample->getOperand(index));
      continue;
    }
    for (Value value : parts->values)
      hoist(value, first);
    FailureOr<Value> value = join(*parts, c);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  Operation *op = rewriter.clone(*sample);
  op->setOperands(values);
  op->getResult(0).setType(
      getJoinedType(sample->getResult(0).getType(),
                    llvm::map_to_vector(users, [](Operation *user) { return user->getResult(0).getType(); }), dim));
  joined = op;
  heads = users;
  return true;
}

/// `to` is `from` whose dimension `dim` is (columns, rest...) for a constant number of columns: that number and how
/// many dimensions it has become.
static std::optional<std::pair<int64_t, size_t>> getSplit(ArrayRef<SymExpr> from, ArrayRef<SymExpr> to, unsigned dim) {
  if (to.size() < from.size())
    return std::nullopt;
  size_t count = to.size() - from.size() + 1;
  std::optional<int64_t> extent = from[dim].getConstant(), columns = to[dim].getConstant();
  int64_t product = 1;
  for (SymExpr part : to.slice(dim, count)) {
    std::optional<int64_t> constant = part ? part.getConstant() : std::nullopt;
    if (!constant || llvm::MulOverflow(product, *constant, product))
      return std::nullopt;
  }
  bool keepsOthers =
      from.take_front(dim) == to.take_front(dim) && from.drop_front(dim + 1) == to.drop_front(dim + count);
  return extent && product == *extent && keepsOthers ? std::optional(std::pair(*columns, count)) : std::nullopt;
}

/// The same permutation of every head, or reshapes that divide columns into columns of one shape (heads of attention):
/// one of the joined heads.
bool Combiner::sinkBehindMoves(SmallVectorImpl<Operation *> &heads, Operation *&joined, unsigned &dim) {
  SmallVector<Operation *> users = getAlikeUsers(heads);
  if (users.empty())
    return false;
  PatternRewriter rewriter(joined->getContext());
  rewriter.setInsertionPointAfter(joined);
  Composer c(rewriter, joined);
  if (auto permute = dyn_cast<PermuteDimsOp>(users.front())) {
    SmallVector<int64_t> permutation(permute.getPermutation());
    joined = c.permute(joined->getResult(0), permutation).getDefiningOp();
    dim = std::distance(permutation.begin(), llvm::find(permutation, static_cast<int64_t>(dim)));
    heads = users;
    return true;
  }
  if (!isa<ReshapeOp>(users.front()))
    return false;
  SmallVector<SymExpr> target = Composer::dims(users.front()->getResult(0));
  int64_t sum = 0;
  for (auto [head, user] : llvm::zip_equal(heads, users)) {
    SmallVector<SymExpr> from = Composer::dims(head->getResult(0)), to = Composer::dims(user->getResult(0));
    if (llvm::is_contained(from, SymExpr()) || llvm::is_contained(to, SymExpr()))
      return false;
    std::optional<std::pair<int64_t, size_t>> split = getSplit(from, to, dim);
    if (!split || to.size() != target.size() || ArrayRef(to).take_front(dim) != ArrayRef(target).take_front(dim) ||
        ArrayRef(to).drop_front(dim + 1) != ArrayRef(target).drop_front(dim + 1))
      return false;
    sum += split->first;
  }
  target[dim] = c.expr(sum);
  // Only symbols of the product are needed: the columns are constants.
  Value reshaped = c.reshape(joined->getResult(0), target, joined->getResult(0));
  joined = reshaped.getDefiningOp();
  setAssured(joined);
  heads = users;
  return true;
}

/// Erases ops, and what only they read, from the last to the first.
static void eraseUnused(Operation *op, SymbolTable &symbols, DenseMap<StringAttr, int64_t> &readers) {
  if (!op || !op->use_empty() || !isMemoryEffectFree(op))
    return;
  SmallVector<Value> operands(op->getOperands());
  StringAttr weight = isa<WeightOp>(op) ? cast<WeightOp>(op).getNameAttr().getAttr() : StringAttr();
  op->erase();
  if (weight && --readers[weight] == 0)
    symbols.erase(symbols.lookup(weight));
  for (Value operand : operands)
    eraseUnused(operand.getDefiningOp(), symbols, readers);
}

LogicalResult Combiner::combine(ArrayRef<Operation *> members) {
  Operation *first = members.front();
  auto product = cast<ProductOpInterface>(first);
  ProductColumns columns = *product.getColumns();
  unsigned right = product.getRightOperandNumber();
  SmallVector<Type> resultTypes;
  Parts parts{{}, columns.rightDim};
  for (Operation *op : members) {
    parts.values.push_back(op->getOperand(right));
    resultTypes.push_back(op->getResult(0).getType());
  }
  RankedTensorType type = getJoinedType(first->getResult(0).getType(), resultTypes, columns.resultDim);
  if (!type)
    return success();
  for (Value value : parts.values)
    hoist(value, first);

  PatternRewriter rewriter(first->getContext());
  rewriter.setInsertionPoint(first);
  Composer c(rewriter, first);
  FailureOr<Value> joinedRight = join(parts, c);
  if (failed(joinedRight))
    return failure();
  Operation *joined = rewriter.clone(*first);
  joined->setOperand(right, *joinedRight);
  joined->getResult(0).setType(type);
  SmallVector<Operation *> heads(members);
  unsigned dim = columns.resultDim;
  FailureOr<bool> sunk = true;
  while (succeeded(sunk) && *sunk) {
    sunk = sinkSlices(heads, joined, dim, first);
    if (succeeded(sunk) && !*sunk)
      sunk = sinkBehindMoves(heads, joined, dim);
  }
  if (failed(sunk))
    return failure();
  remark::passed(first->getLoc(), remark::RemarkOpts::name("Combined").category(DEBUG_TYPE))
      << ("one product for " + Twine(members.size()) + " of the same operand").str();

  SymExpr start = c.expr(0);
  for (Operation *head : heads) {
    rewriter.setInsertionPoint(head);
    Composer slicer(rewriter, head);
    SymExpr end = start + Composer::dims(head->getResult(0))[dim];
    Value part = slicer.slice(joined->getResult(0), dim, start, end);
    head->getResult(0).replaceAllUsesWith(slicer.castTo(part, head->getResult(0).getType()));
    eraseUnused(head, symbols, readers);
    start = end;
  }
  return success();
}

namespace {
struct CombineParallelMatmulsPass final : graph::impl::CombineParallelMatmulsPassBase<CombineParallelMatmulsPass> {
  using CombineParallelMatmulsPassBase::CombineParallelMatmulsPassBase;

  void runOnOperation() override {
    if (failed(Combiner(getOperation(), any, blobDirectory).run()))
      signalPassFailure();
  }
};
} // namespace
