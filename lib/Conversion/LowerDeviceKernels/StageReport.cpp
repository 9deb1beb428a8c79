//===- StageReport.cpp - What a stage moves and computes ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "StageReport.h"
#include "DeviceStage.h"
#include "RelaxDialect/Runtime/DeviceCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::relax;

namespace {

struct Cost {
  int64_t read = 0, written = 0, flops = 0;

  void add(const Cost &other, int64_t times) {
    read += other.read * times;
    written += other.written * times;
    flops += other.flops * times;
  }
  bool isNothing() const { return !read && !written && !flops; }
};

class StageCounter {
public:
  explicit StageCounter(gpu::GPUFuncOp stage)
      : bindings(stage->getAttrOfType<DenseI64ArrayAttr>(kBindingsAttrName).asArrayRef()),
        workgroup(stage.getKnownBlockSizeAttr().asArrayRef().front()) {
    // The loop over units is the only op of the function with a region.
    for (Operation &op : stage.getBody().front())
      if (auto alloc = dyn_cast<memref::AllocOp>(op))
        shared += alloc.getType().getNumElements() * alloc.getType().getElementTypeBitWidth() / 8;
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        addLine("unit", count(*loop.getBody()));
  }

  SmallVector<std::string> lines;
  int64_t shared = 0;

private:
  /// Bytes of device memory behind an access; sizes of the launch do not count.
  int64_t countBytes(Value memref) const {
    auto argument = dyn_cast<BlockArgument>(memref);
    if (!argument || bindings[argument.getArgNumber()] >= relax_rt::kBindWords)
      return 0;
    return cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
  }

  Cost count(Block &block) {
    Cost cost;
    for (Operation &op : block) {
      if (auto load = dyn_cast<memref::LoadOp>(op)) {
        cost.read += countBytes(load.getMemRef());
      } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
        cost.written += countBytes(store.getMemRef());
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        Cost inner = count(*loop.getBody());
        if (std::optional<APInt> trips = loop.getStaticTripCount())
          cost.add(inner, trips->getSExtValue());
        else if (!inner.isNothing())
          addLine("loop", inner);
      } else if (isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) && op.getNumResults() == 1 &&
                 isa<FloatType>(op.getResult(0).getType()) && !op.hasTrait<OpTrait::ConstantLike>() &&
                 !isa<arith::SelectOp, arith::BitcastOp>(op)) {
        ++cost.flops;
      } else {
        for (Region &region : op.getRegions())
          for (Block &nested : region)
            cost.add(count(nested), 1);
      }
    }
    return cost;
  }

  void addLine(StringRef what, const Cost &cost) {
    lines.push_back((what + ": reads " + Twine(cost.read * workgroup) + " bytes, writes " +
                     Twine(cost.written * workgroup) + " bytes, " + Twine(cost.flops * workgroup) + " flops")
                        .str());
  }

  ArrayRef<int64_t> bindings;
  int64_t workgroup;
};

} // namespace

ArrayAttr relax::reportStage(gpu::GPUFuncOp stage) {
  StageCounter counter(stage);
  std::string first = stage->getAttrOfType<StringAttr>(kScheduleAttrName).str() + ", workgroup " +
                      std::to_string(stage.getKnownBlockSizeAttr().asArrayRef().front()) + ", shared memory " +
                      std::to_string(counter.shared) + " bytes, grid ";
  if (auto grid = stage->getAttrOfType<IntegerAttr>(kGridAttrName))
    first += std::to_string(grid.getInt());
  else
    first += "by sizes";
  SmallVector<StringRef> lines = {first};
  llvm::append_range(lines, counter.lines);
  return Builder(stage.getContext()).getStrArrayAttr(lines);
}
