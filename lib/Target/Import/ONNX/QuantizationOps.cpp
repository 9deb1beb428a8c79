//===- QuantizationOps.cpp - Numbers of few bits --------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Products are computed in i32, everything else in f32.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "OpTable.h"
#include "Quantization.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "TensorData.h"
#include "Windows.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

static Type getI32(NodeEmitter &e) { return IntegerType::get(e.getContext(), 32); }

/// Values between the lowest and the highest of a type, of integers or floats.
static Value clampTo(NodeEmitter &e, Value x, Type type) {
  double low, high;
  if (auto floats = dyn_cast<FloatType>(type)) {
    high = APFloat::getLargest(floats.getFloatSemantics()).convertToDouble();
    low = -high;
  } else {
    unsigned width = type.getIntOrFloatBitWidth();
    bool isUnsigned = type.isUnsignedInteger() || width == 1;
    low = isUnsigned ? 0 : -std::ldexp(1.0, width - 1);
    high = std::ldexp(1.0, isUnsigned ? width : width - 1) - 1;
  }
  return e.create<graph::MinimumOp>(
      {e.create<graph::MaximumOp>({x, e.makeScalarLike(low, x)}), e.makeScalarLike(high, x)});
}

Value mlir::relax::onnx::saturate(NodeEmitter &e, Value x, Type type) {
  // Half floats do not hold every bound.
  if (x && getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() < 32)
    x = e.cast(x, isa<FloatType>(getElementTypeOrSelf(x.getType())) ? e.getF32() : getElementTypeOrSelf(x.getType()));
  return e.cast(clampTo(e, x, type), type);
}

/// Scales or zero points of all, of each index of an axis, or of blocks along it, to broadcast to the input.
static Value spread(NodeEmitter &e, Value values, ArrayRef<SymExpr> dims, int64_t axis, int64_t block) {
  if (!values || e.failed())
    return {};
  auto type = cast<RankedTensorType>(values.getType());
  int64_t rank = dims.size();
  if (type.getRank() == 0)
    return values;
  // A vector that has no axis to lie along is one of one element.
  if (!block && type.getRank() == 1 && (type.getDimSize(0) == 1 || (type.isDynamicDim(0) && axis >= rank)))
    return e.reshape(values, {});
  axis = e.normalizeAxis(axis, rank);
  if (e.failed())
    return {};
  if (!block) {
    if (type.getRank() != 1) {
      e.fail("scales and zero points have rank " + Twine(type.getRank()) + ", expected 0 or 1 without blocks");
      return {};
    }
    return e.expandDims(values, llvm::to_vector(llvm::seq<int64_t>(1, rank - axis)));
  }
  SmallVector<SymExpr> own = sym::getSymbolicDims(type);
  if (type.getRank() != rank) {
    e.fail("scales and zero points of blocks have rank " + Twine(type.getRank()) + ", expected " + Twine(rank));
    return {};
  }
  SmallVector<SymExpr> repeated = own, joined = own;
  repeated.insert(repeated.begin() + axis + 1, e.constant(block));
  joined[axis] = own[axis] * block;
  Value result = e.reshape(e.broadcastTo(e.expandDims(values, {axis + 1}), repeated), joined);
  if (joined[axis] != dims[axis])
    result = e.slice(result, NodeEmitter::Range{axis, e.constant(0), dims[axis]});
  return result;
}

static Type readType(NodeEmitter &e, StringRef name) {
  int32_t code = e.getInt(name, 0);
  if (!code)
    return {};
  Type type = getElementType(e.getContext(), code);
  if (!type)
    e.fail("attribute '" + name + "': unsupported element type " + getTypeName(code));
  return type;
}

static int64_t readBlock(NodeEmitter &e) {
  int64_t block = e.getInt("block_size", 0);
  if (block < 0 || block > kMaxWindow)
    e.fail("attribute 'block_size' is " + Twine(block) + ", expected at least 0");
  return e.failed() ? 0 : block;
}

//===----------------------------------------------------------------------===//
// Quantize and dequantize
//===----------------------------------------------------------------------===//

static void emitQuantizeLinear(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t axis = e.getInt("axis", 1), block = readBlock(e);
  bool saturates = e.getInt("saturate", 1);
  Type type = readType(e, "output_dtype"), precision = readType(e, "precision");
  if (e.has(2))
    type = e.getType(2).getElementType();
  else if (!type)
    type = getElementType(e.getContext(), 2); // uint8
  if (!type || e.failed())
    return e.fail("unsupported element type uint8");
  // The quotient has the precision that is asked for, else that of the scale.
  Type scaleType = precision ? precision : e.getType(1).getElementType(), f32 = e.getF32();
  Value scale = spread(e, e.cast(e.getTensor(1), f32), dims, axis, block);
  Value x = roundTo(e, e.divide(e.cast(e.getTensor(0), f32), scale), isa<FloatType>(scaleType) ? scaleType : f32);
  bool isInteger = isa<IntegerType>(type);
  if (isInteger)
    x = e.create<graph::RoundOp>(x);
  if (e.has(2))
    x = e.add(x, spread(e, e.cast(e.getTensor(2), f32), dims, axis, block));
  e.setResult(0, isInteger || saturates ? saturate(e, x, type) : e.cast(x, type));
}

static void emitDequantizeLinear(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t axis = e.getInt("axis", 1), block = readBlock(e);
  Type type = readType(e, "output_dtype"), f32 = e.getF32();
  if (!type)
    type = e.getType(1).getElementType();
  Value x = e.cast(e.getTensor(0), f32);
  if (e.has(2))
    x = e.subtract(x, spread(e, e.cast(e.getTensor(2), f32), dims, axis, block));
  x = e.multiply(x, spread(e, e.cast(e.getTensor(1), f32), dims, axis, block));
  e.setResult(0, e.cast(x, type));
}

static void emitDynamicQuantizeLinear(NodeEmitter &e) {
  Value x = e.getTensor(0), zero = e.makeScalarLike(0, x);
  Type type = getElementType(e.getContext(), 2); // uint8
  if (!type)
    return e.fail("unsupported element type uint8");
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(e.getRank(0)));
  Value high = e.create<graph::MaximumOp>({e.reduceMax(x, all, /*keepdims=*/false), zero});
  Value low = e.create<graph::MinimumOp>({e.reduceMin(x, all, /*keepdims=*/false), zero});
  Value range = e.subtract(high, low);
  range = e.select(e.create<graph::EqualOp>({range, zero}), e.makeScalarLike(1, range), range);
  Value scale = e.divide(range, e.makeScalarLike(255, range));
  Value point = e.create<graph::RoundOp>(clampTo(e, e.divide(e.create<graph::NegateOp>(low), scale), type));
  Value rounded = e.add(e.create<graph::RoundOp>(e.divide(x, scale)), point);
  e.setResult(0, saturate(e, rounded, type));
  e.setResult(1, scale);
  e.setResult(2, e.cast(point, type));
}

//===----------------------------------------------------------------------===//
// Products of integers
//===----------------------------------------------------------------------===//

Value mlir::relax::onnx::readShifted(NodeEmitter &e, unsigned index, unsigned zeroIndex, ArrayRef<int64_t> axes) {
  Value x = e.cast(e.getTensor(index), getI32(e));
  if (!e.has(zeroIndex))
    return x;
  Value zero = e.cast(e.getTensor(zeroIndex), getI32(e));
  if (e.getRank(zeroIndex) == 1)
    zero = e.getType(zeroIndex).getDimSize(0) == 1 ? e.reshape(zero, {}) : e.expandDims(zero, axes);
  return e.subtract(x, zero);
}

/// The same for the weights of a convolution: an entry per output channel.
static Value readShiftedWeight(NodeEmitter &e, unsigned index, unsigned zeroIndex) {
  return readShifted(e, index, zeroIndex, llvm::to_vector(llvm::seq<int64_t>(1, e.getRank(index))));
}

static void emitMatMulInteger(NodeEmitter &e) {
  e.setResult(0, multiplyMatrices(e, readShifted(e, 0, 2, {1}), readShifted(e, 1, 3, {})));
}

static void emitConvInteger(NodeEmitter &e) {
  e.setResult(0, convolve(e, readShifted(e, 0, 2, {}), readShiftedWeight(e, 1, 3)));
}

/// saturate(round(x * scale) + zero)
static Value requantize(NodeEmitter &e, Value x, Value scale, unsigned zeroIndex) {
  Type type = e.getType(zeroIndex).getElementType();
  Value rounded = e.create<graph::RoundOp>(e.multiply(e.cast(x, e.getF32()), scale));
  Value zero = e.cast(e.getTensor(zeroIndex), e.getF32());
  if (zero && e.getRank(zeroIndex) == 1)
    zero = e.reshape(zero, {});
  return saturate(e, e.add(rounded, zero), type);
}

/// lhs * rhs / result, of scales that are f32 here, in the precision that they have in the model.
static Value combineScales(NodeEmitter &e, Value lhs, Value rhs, Value result) {
  Type type = e.getType(1).getElementType();
  if (e.failed() || !isa<FloatType>(type))
    return {};
  return roundTo(e, e.divide(roundTo(e, e.multiply(lhs, rhs), type), result), type);
}

static Value readScale(NodeEmitter &e, unsigned index) { return e.cast(e.getTensor(index), e.getF32()); }

static void emitQLinearMatMul(NodeEmitter &e) {
  Value product = multiplyMatrices(e, readShifted(e, 0, 2, {1}), readShifted(e, 3, 5, {}));
  auto asScalar = [&](unsigned index, bool isRow) {
    Value scale = readScale(e, index);
    if (e.getRank(index) != 1)
      return scale;
    if (e.getType(index).getDimSize(0) == 1)
      return e.reshape(scale, {});
    return isRow ? e.expandDims(scale, {1}) : scale;
  };
  Value scale = combineScales(e, asScalar(1, true), asScalar(4, false), asScalar(6, false));
  e.setResult(0, requantize(e, product, scale, 7));
}

static void emitQLinearConv(NodeEmitter &e) {
  Value sum = convolve(e, readShifted(e, 0, 2, {}), readShiftedWeight(e, 3, 5));
  int64_t rank = e.getRank(0);
  auto perChannel = [&](Value values, unsigned index) {
    if (!values || e.getRank(index) != 1)
      return values;
    if (e.getType(index).getDimSize(0) == 1)
      return e.reshape(values, {});
    return e.expandDims(values, llvm::to_vector(llvm::seq<int64_t>(1, rank - 1)));
  };
  if (e.has(8))
    sum = e.add(sum, perChannel(e.cast(e.getTensor(8), getI32(e)), 8));
  Value scale =
      combineScales(e, perChannel(readScale(e, 1), 1), perChannel(readScale(e, 4), 4), perChannel(readScale(e, 6), 6));
  e.setResult(0, requantize(e, sum, scale, 7));
}

ArrayRef<OpEntry> mlir::relax::onnx::getQuantizationOps() {
  static constexpr OpEntry entries[] = {
      {"QuantizeLinear", 10, 2, 3, 1, emitQuantizeLinear},
      {"DequantizeLinear", 10, 2, 3, 1, emitDequantizeLinear},
      {"DynamicQuantizeLinear", 11, 1, 1, 3, emitDynamicQuantizeLinear},
      {"MatMulInteger", 10, 2, 4, 1, emitMatMulInteger},
      {"ConvInteger", 10, 2, 4, 1, emitConvInteger},
      {"QLinearMatMul", 10, 8, 8, 1, emitQLinearMatMul},
      {"QLinearConv", 10, 8, 9, 1, emitQLinearConv},
  };
  return entries;
}
