//===- PlanMemory.cpp - Destinations become places in memory --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlan.h"
#include "RelaxDialect/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::relax {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {

/// Rewrites a function as its plan says.
class PlanApplier {
public:
  PlanApplier(func::FuncOp function, MemoryPlan &plan)
      : function(function), plan(plan), entry(OpBuilder::atBlockBegin(&function.getBody().front())) {}

  void apply() {
    function->setAttr(kFunctionReportAttrName, entry.getStringAttr(printMemoryReport(function, plan)));
    Value arena;
    SmallVector<Value> offsets = computeOffsets();
    if (!plan.order.empty())
      arena = createStorage(entry, function.getLoc(), getHighestEnd(plan.top), kArenaSpace);
    makeLendingResults(offsets);
    for (auto [index, tenant] : llvm::enumerate(plan.tenants)) {
      if (auto call = dyn_cast<CallDPSOp>(tenant.op)) {
        call->setAttr(kWorkspaceAttrName, sym::ExprAttr::get(tenant.offset));
        continue;
      }
      auto alloc = cast<AllocOp>(tenant.op);
      switch (tenant.home) {
      case Home::Arena:
        replaceAlloc(alloc, arena, offsets[index]);
        break;
      case Home::Result:
        break; // is there already
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

  Value getHighestEnd(ArrayRef<unsigned> indices) {
    Value highest;
    for (unsigned index : indices) {
      // One that begins where another does and is not larger adds nothing.
      bool covered = llvm::any_of(indices, [&](unsigned other) {
        return other != index && begins[other] == begins[index] && isCovered(index, other);
      });
      if (!covered)
        highest = highest ? max(highest, ends[index]) : ends[index];
    }
    return highest ? highest : getConstant(0);
  }

  /// The size of `index` is below that of `other` whatever the symbols are, or the same and `other` comes first.
  bool isCovered(unsigned index, unsigned other) const {
    const Tenant &small = plan.tenants[index], &large = plan.tenants[other];
    if (small.padded == large.padded)
      return small.mayBeNegative == large.mayBeNegative && other < index;
    SymExpr difference = large.padded - small.padded;
    return difference && !small.mayBeNegative && !large.mayBeNegative && isSumOfProducts(difference);
  }

  /// Where a tenant begins and ends whose lower neighbours are placed.
  void place(unsigned index) {
    begins[index] = getHighestEnd(plan.tenants[index].below);
    ends[index] = add(begins[index], getSize(plan.tenants[index]));
  }

  SmallVector<Value> computeOffsets() {
    begins.resize(plan.tenants.size());
    ends.resize(plan.tenants.size());
    for (unsigned index : plan.order) {
      const Tenant &tenant = plan.tenants[index];
      if (tenant.isScratch()) {
        begins[index] = evaluateOnce(tenant.offset);
        ends[index] = evaluateOnce(tenant.offset + tenant.padded);
        continue;
      }
      place(index);
    }
    for (const PlannedResult &result : plan.results)
      for (unsigned index : result.tenants)
        place(index);
    return begins;
  }

  /// Results that lend memory are made at entry.
  void makeLendingResults(ArrayRef<Value> offsets) {
    for (const PlannedResult &result : plan.results) {
      if (result.tenants.empty())
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
      for (unsigned index : result.tenants)
        replaceAlloc(cast<AllocOp>(plan.tenants[index].op), storage, offsets[index]);
    }
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
    for (StringRef name : {kOutputAttrName, kExtendsAttrName})
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
  MemoryPlan &plan;
  OpBuilder entry;
  Value entryShape;
  SmallVector<AllocOp> replaced;
  llvm::DenseMap<int64_t, Value> constants;
  llvm::DenseMap<SymExpr, Value> expressions;
  llvm::DenseMap<Value, Value> sizes;
  llvm::DenseMap<std::pair<Value, Value>, Value> sums, maxima;
  SmallVector<Value> begins, ends; // for each tenant
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

LogicalResult relax::planMemory(func::FuncOp function, bool share) {
  if (function.isExternal() || !hasDestinations(function))
    return success();
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("has several blocks, memory planning expects structured control flow");
  FailureOr<MemoryPlan> plan = planFunctionMemory(function, share);
  if (failed(plan))
    return failure();
  PlanApplier(function, *plan).apply();
  return success();
}
