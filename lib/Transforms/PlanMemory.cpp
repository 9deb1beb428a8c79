//===- PlanMemory.cpp - Destinations become places in memory --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlan.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDonation.h"
#include "RelaxDialect/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "relax-plan-memory"

namespace mlir::relax {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {

/// Rewrites a function as its plans say.
class PlanApplier {
public:
  PlanApplier(func::FuncOp function, ArrayRef<MemoryPlan> plans)
      : function(function), plans(plans), entry(OpBuilder::atBlockBegin(&function.getBody().front())) {}

  void apply() {
    function->setAttr(kFunctionReportAttrName, entry.getStringAttr(printMemoryReport(function, plans)));
    for (const MemoryPlan &plan : plans)
      layouts.push_back(computeOffsets(plan));
    choosePlan();
    Value arena;
    if (llvm::any_of(plans, [](const MemoryPlan &plan) { return !plan.order.empty(); }))
      arena = createStorage(entry, function.getLoc(), arenaBytes, kArenaSpace);
    makeLendingResults();
    for (auto [index, tenant] : llvm::enumerate(plans.front().tenants)) {
      if (auto call = dyn_cast<CallDPSOp>(tenant.op)) {
        call->setAttr(kWorkspaceAttrName, sym::ExprAttr::get(tenant.offset));
        continue;
      }
      auto alloc = cast<AllocOp>(tenant.op);
      switch (tenant.home) {
      case Home::Arena:
      case Home::Result:
        replaceByChosenPlace(alloc, index, arena);
        break;
      case Home::Separate:
        replaceBySeparateStorage(alloc, kArenaSpace);
        break;
      case Home::Growing:
        replaceByGrowingStorage(alloc, kGrowingSpace);
        break;
      case Home::Alternating:
        replaceByGrowingStorage(alloc, kAlternatingSpace);
        break;
      }
    }
    SmallVector<AllocOp> outputs;
    function.walk([&](AllocOp alloc) {
      if (alloc->hasAttr(kOutputAttrName) && !llvm::is_contained(replaced, alloc))
        outputs.push_back(alloc);
    });
    for (AllocOp alloc : outputs)
      replaceBySeparateStorage(alloc, kOutputSpace);
    // Last: the first op of the block, where code at entry is put, may be one of them.
    for (AllocOp alloc : replaced)
      alloc.erase();
  }

private:
  /// A shape that mentions every symbol of the arguments.
  Value getEntryShape() {
    if (entryShape)
      return entryShape;
    SmallVector<Value> shapes;
    SmallVector<SymExpr> symbols;
    for (BlockArgument argument : function.getArguments()) {
      if (!sym::mentionsSymbol(argument.getType()))
        continue;
      shapes.push_back(isa<ShapeType>(argument.getType()) ? Value(argument)
                                                          : createShapeOf(entry, argument.getLoc(), argument));
      SmallVector<StringRef> names;
      sym::collectSymbols(argument.getType(), names);
      for (StringRef name : names)
        if (SymExpr symbol = SymExpr::symbol(entry.getContext(), name); !llvm::is_contained(symbols, symbol))
          symbols.push_back(symbol);
    }
    entryShape = MakeShapeOp::create(entry, function.getLoc(), ShapeType::get(entry.getContext(), symbols), shapes);
    return entryShape;
  }

  static Value evaluate(OpBuilder &builder, Location loc, Value shape, SymExpr expr) {
    if (std::optional<int64_t> constant = expr.getConstant())
      return arith::ConstantIndexOp::create(builder, loc, *constant);
    return EvalExprOp::create(builder, loc, builder.getIndexType(), shape, sym::ExprAttr::get(expr));
  }

  static Value createStorage(OpBuilder &builder, Location loc, Value bytes, StringRef space) {
    return StorageOp::create(builder, loc, StorageType::get(builder.getContext()), bytes, kArenaAlignment, space);
  }

  //===--------------------------------------------------------------------===//
  // Offsets: evaluated once, at entry
  //===--------------------------------------------------------------------===//

  Value getConstant(int64_t value) {
    Value &known = constants[value];
    if (!known)
      known = arith::ConstantIndexOp::create(entry, function.getLoc(), value);
    return known;
  }

  static std::optional<int64_t> getConstantValue(Value value) {
    auto constant = value.getDefiningOp<arith::ConstantIndexOp>();
    return constant ? std::optional<int64_t>(constant.value()) : std::nullopt;
  }

  Value evaluateOnce(SymExpr expr) {
    if (std::optional<int64_t> constant = expr.getConstant())
      return getConstant(*constant);
    Value &value = expressions[expr];
    if (!value) {
      Value shape = getEntryShape();
      value = evaluate(entry, function.getLoc(), shape, expr);
    }
    return value;
  }

  /// Not more than 64 bits can count: host code checks that.
  Value add(Value a, Value b) {
    std::optional<int64_t> x = getConstantValue(a), y = getConstantValue(b);
    if (x && y)
      return getConstant(*x + *y);
    if (x == 0)
      return b;
    if (y == 0)
      return a;
    Value &sum = sums[{a, b}];
    if (!sum)
      sum = arith::AddIOp::create(entry, function.getLoc(), a, b, arith::IntegerOverflowFlags::nsw);
    return sum;
  }

  /// Of two values that are not negative.
  Value max(Value a, Value b) {
    std::optional<int64_t> x = getConstantValue(a), y = getConstantValue(b);
    if (x && y)
      return getConstant(std::max(*x, *y));
    if (a == b || y == 0)
      return a;
    if (x == 0)
      return b;
    Value &greater = maxima[{a, b}];
    if (!greater)
      greater = arith::MaxSIOp::create(entry, function.getLoc(), a, b);
    return greater;
  }

  /// What tenants take, and where they begin and end.
  Value getSize(const Tenant &tenant) {
    Value size = evaluateOnce(tenant.padded);
    if (!tenant.mayBeNegative || getConstantValue(size))
      return size;
    Value &clamped = sizes[size];
    if (!clamped)
      clamped = arith::MaxSIOp::create(entry, function.getLoc(), size, getConstant(0));
    return clamped;
  }

  /// Where the tenants of one plan begin and end.
  struct Offsets {
    SmallVector<Value> begins, ends;
  };

  Value getHighestEnd(const MemoryPlan &plan, const Offsets &at, ArrayRef<unsigned> indices) {
    Value highest;
    for (unsigned index : indices) {
      // One that begins where another does and is not larger adds nothing.
      bool covered = llvm::any_of(indices, [&](unsigned other) {
        return other != index && at.begins[other] == at.begins[index] && isCovered(plan, index, other);
      });
      if (!covered)
        highest = highest ? max(highest, at.ends[index]) : at.ends[index];
    }
    return highest ? highest : getConstant(0);
  }

  /// The size of `index` is below that of `other` whatever the symbols are, or the same and `other` comes first.
  static bool isCovered(const MemoryPlan &plan, unsigned index, unsigned other) {
    const Tenant &small = plan.tenants[index], &large = plan.tenants[other];
    if (small.padded == large.padded)
      return small.mayBeNegative == large.mayBeNegative && other < index;
    SymExpr difference = large.padded - small.padded;
    return difference && !small.mayBeNegative && !large.mayBeNegative && isSumOfProducts(difference);
  }

  Offsets computeOffsets(const MemoryPlan &plan) {
    Offsets at;
    at.begins.resize(plan.tenants.size());
    at.ends.resize(plan.tenants.size());
    // The lower neighbours are placed before.
    auto place = [&](unsigned index) {
      at.begins[index] = getHighestEnd(plan, at, plan.tenants[index].below);
      at.ends[index] = add(at.begins[index], getSize(plan.tenants[index]));
    };
    for (unsigned index : plan.order) {
      const Tenant &tenant = plan.tenants[index];
      if (tenant.isScratch()) {
        at.begins[index] = evaluateOnce(tenant.offset);
        at.ends[index] = evaluateOnce(tenant.offset + tenant.padded);
        continue;
      }
      place(index);
    }
    for (const PlannedResult &result : plan.results)
      for (unsigned index : result.tenants)
        place(index);
    return at;
  }

  //===--------------------------------------------------------------------===//
  // Which plan is used
  //===--------------------------------------------------------------------===//

  /// Of those that fit, the one with the smallest arena.
  void choosePlan() {
    Location loc = function.getLoc();
    for (auto [plan, at] : llvm::zip_equal(plans, layouts)) {
      Value bytes = getHighestEnd(plan, at, plan.top);
      if (!arenaBytes) {
        arenaBytes = bytes;
        continue;
      }
      Value isChosen = arith::CmpIOp::create(entry, loc, arith::CmpIPredicate::slt, bytes, arenaBytes);
      // Once for each end that nothing is above of.
      llvm::SmallDenseSet<std::pair<Value, Value>> compared;
      for (const PlannedResult &result : plan.results)
        for (unsigned index : result.isCompared ? ArrayRef(result.tenants) : ArrayRef<unsigned>()) {
          bool isTop = llvm::none_of(result.tenants, [&, &plan = plan](unsigned other) {
            return llvm::is_contained(plan.tenants[other].below, index);
          });
          Value end = add(at.begins[index], evaluateOnce(plan.tenants[index].bytes)), room = evaluateOnce(result.bytes);
          if (!isTop || !compared.insert({end, room}).second)
            continue;
          Value fits = arith::CmpIOp::create(entry, loc, arith::CmpIPredicate::sle, end, room);
          isChosen = arith::AndIOp::create(entry, loc, isChosen, fits);
        }
      choices.push_back(isChosen);
      arenaBytes = select(isChosen, bytes, arenaBytes);
    }
  }

  Value select(Value condition, Value chosen, Value otherwise) {
    if (chosen == otherwise)
      return chosen;
    Value &value = selected[{condition, chosen, otherwise}];
    if (!value)
      value = arith::SelectOp::create(entry, function.getLoc(), condition, chosen, otherwise);
    return value;
  }

  /// Results that lend memory are made at entry.
  void makeLendingResults() {
    for (auto [number, result] : llvm::enumerate(plans.front().results)) {
      if (llvm::all_of(plans,
                       [&, number = number](const MemoryPlan &plan) { return plan.results[number].tenants.empty(); }))
        continue;
      auto alloc = cast<AllocOp>(result.alloc);
      Value storage = createStorage(entry, alloc.getLoc(), evaluateOnce(result.bytes), kOutputSpace);
      storage.getDefiningOp()->setAttr(kOutputAttrName, alloc->getAttr(kOutputAttrName));
      SmallVector<Value> shapes;
      if (sym::mentionsSymbol(alloc.getType()))
        shapes.push_back(getEntryShape());
      auto tensor = TensorAtOp::create(entry, alloc.getLoc(), alloc.getType(), storage, getConstant(0), shapes);
      alloc->replaceAllUsesWith(tensor);
      replaced.push_back(alloc);
      lenders[number] = storage;
    }
  }

  void replaceByChosenPlace(AllocOp alloc, unsigned index, Value arena) {
    auto getStorage = [&](const MemoryPlan &plan) {
      const Tenant &tenant = plan.tenants[index];
      return tenant.home == Home::Arena ? arena : lenders.lookup(tenant.result);
    };
    Value storage = getStorage(plans.front()), offset = layouts.front().begins[index];
    for (auto [number, isChosen] : llvm::enumerate(choices)) {
      storage = select(isChosen, getStorage(plans[number + 1]), storage);
      offset = select(isChosen, layouts[number + 1].begins[index], offset);
    }
    replaceAlloc(alloc, storage, offset);
  }

  void replaceAlloc(AllocOp alloc, Value storage, Value offset) {
    OpBuilder builder(alloc);
    auto tensor = TensorAtOp::create(builder, alloc.getLoc(), alloc.getType(), storage, offset, alloc.getShapes());
    alloc->replaceAllUsesWith(tensor);
    replaced.push_back(alloc);
  }

  /// Memory of its own, made where the tensor is.
  void replaceBySeparateStorage(AllocOp alloc, StringRef space) {
    OpBuilder builder(alloc);
    Location loc = alloc.getLoc();
    SymExpr bytes = getByteSize(cast<RankedTensorType>(alloc.getType()));
    Value shape;
    if (!bytes.getConstant()) {
      SmallVector<SymExpr> dims = sym::getSymbolicDims(alloc.getType());
      shape = MakeShapeOp::create(builder, loc, ShapeType::get(builder.getContext(), dims), alloc.getShapes());
    }
    Value storage = createStorage(builder, loc, evaluate(builder, loc, shape, bytes), space);
    for (StringRef name : {kOutputAttrName, kExtendsAttrName, kDonatedAttrName})
      if (Attribute attribute = alloc->getAttr(name))
        storage.getDefiningOp()->setAttr(name, attribute);
    replaceAlloc(alloc, storage, arith::ConstantIndexOp::create(builder, loc, 0));
  }

  /// Memory that is made at entry and takes its size where the tensor is.
  void replaceByGrowingStorage(AllocOp alloc, StringRef space) {
    Value zero = getConstant(0);
    replaceAlloc(alloc, createStorage(entry, alloc.getLoc(), zero, space), zero);
  }

  func::FuncOp function;
  ArrayRef<MemoryPlan> plans;
  OpBuilder entry;
  Value entryShape, arenaBytes;
  SmallVector<Offsets> layouts;            // of each plan
  SmallVector<Value> choices;              // of each plan but the first: it is used, unless a later one is
  llvm::DenseMap<unsigned, Value> lenders; // storages of results
  SmallVector<AllocOp> replaced;
  llvm::DenseMap<int64_t, Value> constants;
  llvm::DenseMap<SymExpr, Value> expressions;
  llvm::DenseMap<Value, Value> sizes;
  llvm::DenseMap<std::pair<Value, Value>, Value> sums, maxima;
  llvm::DenseMap<std::tuple<Value, Value, Value>, Value> selected;
};

/// A function of the graph level; kernels and others have no destinations.
bool hasDestinations(func::FuncOp function) {
  return function.walk([](AllocOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

struct PlanMemoryPass final : relax::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using Base::Base;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (failed(planMemory(function, share)))
        return signalPassFailure();
  }
};

} // namespace

/// Where each tensor lives, and what it shares.
static void tellPlaces(func::FuncOp function, const MemoryPlan &plan) {
  auto named = [](StringRef name) { return remark::RemarkOpts::name(name).category(DEBUG_TYPE); };
  for (const Tenant &tenant : plan.tenants) {
    Location loc = tenant.op->getLoc();
    std::string bytes = tenant.bytes ? tenant.bytes.str() + " bytes" : "an unknown number of bytes";
    switch (tenant.home) {
    case Home::Arena: {
      size_t earlier = llvm::count_if(plan.tenants, [&](const Tenant &other) {
        return other.home == Home::Arena && !other.isScratch() && other.end < tenant.start;
      });
      if (earlier == 0)
        remark::passed(loc, named("Planned")) << bytes + " in the arena";
      else
        remark::passed(loc, named("Reused"))
            << bytes + " in the arena, where " + std::to_string(earlier) + " earlier tensors are no longer needed";
      break;
    }
    case Home::Result:
      remark::passed(loc, named("Reused"))
          << bytes + " in the memory of result " + std::to_string(tenant.result) + " until that is made";
      break;
    case Home::Separate:
    case Home::Growing:
    case Home::Alternating:
      remark::missed(loc, named("NotPlanned")) << "memory of its own: the size is found while running";
      break;
    }
  }
}

LogicalResult relax::planMemory(func::FuncOp function, bool share) {
  if (function.isExternal() || !hasDestinations(function))
    return success();
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("has several blocks, memory planning expects structured control flow");
  FailureOr<std::vector<MemoryPlan>> plans = planFunctionMemory(function, share);
  if (failed(plans))
    return failure();
  // Before the ops are replaced.
  tellPlaces(function, plans->front());
  PlanApplier(function, *plans).apply();
  return success();
}
