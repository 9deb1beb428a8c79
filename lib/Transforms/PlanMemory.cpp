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
    function->setAttr("relax.memory_report", entry.getStringAttr(printMemoryReport(plan)));
    Value arena;
    if (!plan.storages.empty())
      arena = createStorage(entry, function.getLoc(), evaluate(entry, function.getLoc(), getEntryShape(), plan.total),
                            kArenaSpace);
    for (const Tenant &tenant : plan.tenants) {
      if (auto call = dyn_cast<CallDPSOp>(tenant.op)) {
        call->setAttr(kWorkspaceAttrName, sym::ExprAttr::get(plan.storages[tenant.storage].offset));
        continue;
      }
      auto alloc = cast<AllocOp>(tenant.op);
      switch (tenant.home) {
      case Home::Arena:
        replaceAlloc(alloc, arena, getOffset(plan.storages[tenant.storage].offset));
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
      if (alloc->hasAttr(kOutputAttrName))
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

  /// Offsets are evaluated once, at entry.
  Value getOffset(SymExpr offset) {
    Value &value = offsets[offset];
    if (!value)
      value = evaluate(entry, function.getLoc(), offset.getConstant() ? Value() : getEntryShape(), offset);
    return value;
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
    if (Attribute output = alloc->getAttr(kOutputAttrName))
      storage.getDefiningOp()->setAttr(kOutputAttrName, output);
    replaceAlloc(alloc, storage, arith::ConstantIndexOp::create(builder, loc, 0));
  }

  /// Memory that is made at entry and takes its size where the tensor is.
  void replaceByGrowingStorage(AllocOp alloc, StringRef space) {
    Value zero = arith::ConstantIndexOp::create(entry, alloc.getLoc(), 0);
    replaceAlloc(alloc, createStorage(entry, alloc.getLoc(), zero, space), zero);
  }

  func::FuncOp function;
  MemoryPlan &plan;
  OpBuilder entry;
  Value entryShape;
  SmallVector<AllocOp> replaced;
  llvm::DenseMap<SymExpr, Value> offsets;
};

struct PlanMemoryPass final : relax::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using Base::Base;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !isGraphFunction(function))
        continue;
      if (!llvm::hasSingleElement(function.getBody())) {
        function.emitError("has several blocks, memory planning expects structured control flow");
        return signalPassFailure();
      }
      FailureOr<MemoryPlan> plan = planFunctionMemory(function);
      if (failed(plan))
        return signalPassFailure();
      PlanApplier(function, *plan).apply();
    }
  }

private:
  /// A function of the graph level; kernels and others have no destinations.
  static bool isGraphFunction(func::FuncOp function) {
    return function.walk([](AllocOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }
};

} // namespace
