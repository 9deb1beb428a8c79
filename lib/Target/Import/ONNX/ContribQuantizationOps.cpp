//===- ContribQuantizationOps.cpp - Weights of few bits -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "ContribOps.h"
#include "Quantization.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphQuantizationOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

/// [columns, blocks * bytes] of packed weights with a scale per block: the matrix [columns, K].
static Value readBlocks(NodeEmitter &e, int64_t bits, int64_t block, int64_t inner, int64_t columns) {
  Type i8 = IntegerType::get(e.getContext(), 8);
  int64_t blocks = llvm::divideCeil(inner, block), bytes = block * bits / 8;
  auto dims = [&](int64_t rows, int64_t width) { return SmallVector<SymExpr>{e.constant(rows), e.constant(width)}; };
  auto flat = [&](unsigned index, int64_t width) {
    int64_t count = e.getType(index).hasStaticShape() ? e.getType(index).getNumElements() : -1;
    if (!e.failed() && count != columns * width)
      e.fail("input " + Twine(index) + " has " + Twine(count) + " elements, expected " + Twine(columns * width));
    return e.failed() ? Value() : e.reshape(e.getTensor(index), dims(columns, width));
  };
  Value packed = e.cast(flat(1, blocks * bytes), i8), scale = flat(2, blocks), zero, shift;
  if (e.has(3) && isa<FloatType>(e.getType(3).getElementType())) {
    shift = flat(3, blocks);
  } else if (e.has(3)) {
    zero = e.cast(flat(3, llvm::divideCeil(blocks * bits, 8)), i8);
  } else { // the middle of the range in each place
    int64_t point = 0;
    for (int64_t place = 0; place < 8; place += bits)
      point |= int64_t(1) << (place + bits - 1);
    auto type = RankedTensorType::get({columns, static_cast<int64_t>(llvm::divideCeil(blocks * bits, 8))}, i8);
    zero = e.makeConstant(DenseElementsAttr::get(type, APInt(8, point)));
  }
  Value matrix = createAll<graph::DequantizeOp>(
      e, 1, zero ? ValueRange{packed, scale, zero} : ValueRange{packed, scale},
      {stringAttr(e, "format", "u" + std::to_string(bits)), e.attr("axis", int64_t(1)), e.attr("block", block)})[0];
  if (shift) {
    Value each = e.broadcastTo(e.expandDims(e.multiply(shift, scale), {2}),
                               {e.constant(columns), e.constant(blocks), e.constant(block)});
    matrix = e.subtract(matrix, e.reshape(each, dims(columns, blocks * block)));
  }
  if (blocks * block != inner)
    matrix = e.slice(matrix, NodeEmitter::Range{1, e.constant(0), e.constant(inner)});
  return matrix;
}

static void emitMatMulNBits(NodeEmitter &e) {
  int64_t inner = e.getInt("K", 0), columns = e.getInt("N", 0), bits = e.getInt("bits", 4);
  int64_t block = e.getInt("block_size", 0);
  e.ignoreAttr("accuracy_level"); // everything is computed in the type of the input or wider
  constexpr int64_t kMax = int64_t(1) << 28;
  if (inner < 1 || columns < 1 || inner > kMax || columns > kMax)
    return e.fail("attributes 'K' and 'N' are " + Twine(inner) + " and " + Twine(columns) + ", expected 1 to " +
                  Twine(kMax));
  if (bits != 2 && bits != 4 && bits != 8)
    return e.fail("attribute 'bits' is " + Twine(bits) + ", expected 2, 4 or 8");
  if (block < 16 || block > kMax || !llvm::isPowerOf2_64(block))
    return e.fail("attribute 'block_size' is " + Twine(block) + ", expected a power of 2 from 16 on");
  if (e.has(4))
    return e.fail("a group index is not supported");
  Value weights = readBlocks(e, bits, block, inner, columns);
  Value product = multiplyMatrices(e, e.getTensor(0), e.permute(weights, {1, 0}));
  e.setResult(0, e.has(5) ? e.add(product, e.getTensor(5)) : product);
}

/// An integer product as floats: times both scales, plus a bias.
static void emitMatMulIntegerToFloat(NodeEmitter &e) {
  Value product = multiplyMatrices(e, readShifted(e, 0, 4, {1}), readShifted(e, 1, 5, {}));
  Type type = e.getType(2).getElementType();
  auto scale = [&](unsigned index) {
    Value x = e.cast(e.getTensor(index), e.getF32());
    return x && e.getRank(index) == 1 && e.getType(index).getDimSize(0) == 1 ? e.reshape(x, {}) : x;
  };
  Value result = e.multiply(e.cast(product, e.getF32()), e.multiply(scale(2), scale(3)));
  if (e.has(6))
    result = e.add(result, e.cast(e.getTensor(6), e.getF32()));
  e.setResult(0, e.cast(result, type));
}

ArrayRef<OpEntry> mlir::relax::onnx::getContribQuantizationOps() {
  static constexpr OpEntry entries[] = {
      {"MatMulNBits", 1, 3, 6, 1, emitMatMulNBits},
      {"MatMulIntegerToFloat", 1, 4, 7, 1, emitMatMulIntegerToFloat},
  };
  return entries;
}
