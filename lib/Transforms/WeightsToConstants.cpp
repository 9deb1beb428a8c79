//===- WeightsToConstants.cpp - Weights for other compilers ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "PlainValues.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/WeightBytes.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::relax;

namespace mlir::relax {
#define GEN_PASS_DEF_WEIGHTSTOCONSTANTSPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

/// The elements of a blob. Emits an error when the file does not hold them.
static FailureOr<ElementsAttr> readElements(graph::WeightDataOp data, graph::WeightBlobAttr blob, StringRef directory) {
  FailureOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = graph::readBlob(data, blob, directory);
  if (failed(buffer))
    return failure();
  StringRef bytes = (*buffer)->getBuffer();
  RankedTensorType type = data.getTensorType();
  if (type.getElementType().isInteger(1)) {
    auto values = llvm::map_to_vector(bytes, [](char byte) { return byte != 0; });
    return cast<ElementsAttr>(DenseElementsAttr::get(type, values));
  }
  ArrayRef<char> raw(bytes.data(), bytes.size());
  bool splat = false;
  if (!DenseElementsAttr::isValidRawBuffer(type, raw, splat))
    return data.emitOpError("value has ") << raw.size() << " bytes, which do not fit the type";
  return cast<ElementsAttr>(DenseElementsAttr::getFromRawBuffer(type, raw));
}

namespace {
struct WeightsToConstantsPass final : relax::impl::WeightsToConstantsPassBase<WeightsToConstantsPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::StringMap<ElementsAttr> values;
    SmallVector<graph::WeightDataOp> weights(getOperation().getOps<graph::WeightDataOp>());
    for (graph::WeightDataOp data : weights) {
      if (auto blob = dyn_cast<graph::WeightBlobAttr>(data.getValue())) {
        FailureOr<ElementsAttr> elements = readElements(data, blob, blobDirectory);
        if (failed(elements))
          return signalPassFailure();
        values[data.getSymName()] = *elements;
      } else {
        values[data.getSymName()] = cast<ElementsAttr>(data.getValue());
      }
    }
    getOperation().walk([&](Operation *op) {
      ElementsAttr value;
      if (auto weight = dyn_cast<graph::WeightOp>(op))
        value = values.lookup(weight.getName());
      else if (auto constant = dyn_cast<graph::ConstantOp>(op))
        value = constant.getValue();
      if (!value)
        return;
      OpBuilder builder(op);
      auto plain = cast<ElementsAttr>(sym::getProgramAttr(value));
      Value constant = arith::ConstantOp::create(builder, op->getLoc(), plain);
      Type elementType = getElementTypeOrSelf(op->getResult(0).getType());
      op->getResult(0).replaceAllUsesWith(emitRetyped(builder, op->getLoc(), constant, elementType));
      op->erase();
    });
    for (graph::WeightDataOp data : weights)
      data.erase();
  }
};
} // namespace
