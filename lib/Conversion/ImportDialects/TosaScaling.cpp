//===- TosaScaling.cpp - Rescaled integers, tables, resized images -------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// As TOSA's specification writes them: integers exactly, to the last bit.
//
//===----------------------------------------------------------------------===//
#include "ControlRules.h"
#include "Tosa.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;
using Emit = ForeignImporter::Emit;

/// Integers of 8 and 16 bits carry no sign in their type; the op says how they are meant.
static Value toWide(ForeignImporter &w, Value x, bool isUnsigned) {
  if (!x)
    return {};
  if (isUnsigned)
    x = w.astype(x, w.builder.getIntegerType(w.elementType(x).getIntOrFloatBitWidth(), /*isSigned=*/false));
  return w.astype(x, w.builder.getI64Type());
}

/// The only element of a vector with one.
static Value toScalar(ForeignImporter &w, Value x) { return w.rank(x) == 1 ? w.squeeze(x, {0}) : x; }

static Value clampTo(ForeignImporter &w, Value x, Value low, Value high) {
  return w.create<graph::MinimumOp>({w.create<graph::MaximumOp>({x, low}), high});
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// (x - input zero) * multiplier / 2^shift, rounded, + output zero, limited to the result's type.
static void emitRescale(ForeignImporter &w, Operation *op) {
  auto rescale = cast<tosa::RescaleOp>(op);
  Type type = getElementTypeOrSelf(op->getResult(0).getType()), wide = w.builder.getI64Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  Value x = w.get(rescale.getInput());
  if (w.failed())
    return;
  if (w.elementType(x).getIntOrFloatBitWidth() > 32 || bits > 32)
    return w.fail("has elements of more than 32 bits, which is not supported");
  x = w.sub(toWide(w, x, rescale.getInputUnsigned()),
            toScalar(w, toWide(w, w.get(rescale.getInputZp()), rescale.getInputUnsigned())));
  Value multiplier = w.astype(w.get(rescale.getMultiplier()), wide), shift = w.astype(w.get(rescale.getShift()), wide);
  if (w.failed())
    return;
  if (rescale.getPerChannel() && w.rank(x) > 0) {
    for (Value values : {multiplier, shift})
      w.requireEqual(w.dims(values)[0], w.dims(x).back());
  } else {
    multiplier = toScalar(w, multiplier);
    shift = toScalar(w, shift);
  }
  Value one = w.scalar(1, wide), round = w.create<graph::ShiftLeftOp>({one, w.sub(shift, one)});
  if (rescale.getScale32() && rescale.getRoundingMode() == tosa::RoundingMode::DOUBLE_ROUND) {
    // As if it was rounded at 31 bits first, away from zero.
    Value first = w.scalar(1 << 30, wide), zero = w.scalar(0, wide);
    Value away = w.select(w.create<graph::LessOp>({x, zero}), w.create<graph::NegateOp>(first), first);
    round = w.add(round, w.select(w.create<graph::GreaterOp>({shift, w.scalar(31, wide)}), away, zero));
  }
  Value scaled = w.create<graph::ShiftRightOp>({w.add(w.mul(x, multiplier), round), shift});
  scaled = w.add(scaled, toScalar(w, toWide(w, w.get(rescale.getOutputZp()), rescale.getOutputUnsigned())));
  bool isUnsigned = rescale.getOutputUnsigned();
  double high = std::ldexp(1.0, static_cast<int>(isUnsigned ? bits : bits - 1)) - 1;
  Value low = w.scalar(0, wide);
  if (!isUnsigned)
    low = w.create<graph::NegateOp>(w.scalar(high + 1, wide));
  scaled = clampTo(w, scaled, low, w.scalar(high, wide));
  if (isUnsigned)
    scaled = w.astype(scaled, w.builder.getIntegerType(bits, /*isSigned=*/false));
  w.set(op->getResult(0), w.astype(scaled, type));
}

/// 256 entries for 8 bits; 513 for 16, between which 7 bits interpolate.
static void emitTable(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0)), table = w.get(op->getOperand(1));
  if (w.failed())
    return;
  Type type = getElementTypeOrSelf(op->getResult(0).getType()), wide = w.builder.getI32Type();
  unsigned bits = w.elementType(x).getIntOrFloatBitWidth();
  auto take = [&](Value index) { return w.create<graph::TakeOp>({table, index}, w.attr("axis", int64_t(0))); };
  w.requireEqual(w.dims(table)[0], w.expr(bits == 8 ? 256 : 513));
  x = w.astype(x, wide);
  if (bits == 8)
    return w.set(op->getResult(0), w.astype(take(w.add(x, w.scalar(128, wide))), type));
  Value seven = w.scalar(7, wide);
  Value index = w.create<graph::ShiftRightOp>({w.add(x, w.scalar(1 << 15, wide)), seven});
  Value fraction = w.create<graph::BitwiseAndOp>({x, w.scalar(127, wide)});
  Value base = w.astype(take(index), wide), next = w.astype(take(w.add(index, w.scalar(1, wide))), wide);
  Value whole = w.create<graph::ShiftLeftOp>({base, seven});
  w.set(op->getResult(0), w.astype(w.add(whole, w.mul(w.sub(next, base), fraction)), type));
}

Value tosa_import::withoutZeroPoint(ForeignImporter &w, Value x, Value zero, Type type) {
  Value wide = w.astype(x, type);
  return w.failed() || isZero(zero) ? wide : w.sub(wide, w.astype(toScalar(w, zero), type));
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

namespace {
/// One axis: element o comes from (o * step + offset) / scale. The verifier of TOSA has seen their ranges.
struct Resizing {
  int64_t axis, scale, step, offset, border;
};
} // namespace

static Value resizeAxis(ForeignImporter &w, Value x, const Resizing &how, tosa::ResizeMode mode, Type type) {
  Type wide = w.builder.getI64Type();
  SymExpr extent = w.dims(x)[how.axis];
  w.require({w.expr(1), sym::Fact::Op::LessEqual, extent}, "an image without elements is resized");
  SymExpr span = (extent - 1) * how.scale + (how.border - how.offset);
  SymExpr wanted = SymExpr::floordiv(span, w.expr(how.step)) + 1;
  // A whole is added in the front, so that the quotient is one of numbers that are not negative.
  Value place = w.add(w.mul(w.iota({wanted}, 0), w.scalar(static_cast<double>(how.step), wide)),
                      w.scalar(static_cast<double>(how.offset + how.scale), wide));
  Value scale = w.scalar(static_cast<double>(how.scale), wide), one = w.scalar(1, wide);
  Value after = w.create<graph::DivideOp>({place, scale}), rest = w.sub(place, w.mul(after, scale));
  Value last = w.dimScalar(extent - 1, wide), zero = w.scalar(0, wide);
  Value before = clampTo(w, w.sub(after, one), zero, last);
  after = clampTo(w, after, zero, last);
  auto take = [&](Value index) { return w.create<graph::TakeOp>({x, index}, w.attr("axis", how.axis)); };
  if (mode == tosa::ResizeMode::NEAREST_NEIGHBOR)
    return take(w.select(w.create<graph::LessOp>({w.mul(rest, w.scalar(2, wide)), scale}), before, after));
  // Weights along the axis, with ones behind.
  SmallVector<int64_t> ones;
  for (int64_t axis = 1; axis < w.rank(x) - how.axis; ++axis)
    ones.push_back(axis);
  Value weight = w.astype(w.expandDims(rest, ones), type), full = w.scalar(static_cast<double>(how.scale), type);
  Value low = take(before), high = take(after);
  if (!isa<FloatType>(type))
    return w.add(w.mul(low, w.sub(full, weight)), w.mul(high, weight));
  weight = w.create<graph::DivideOp>({weight, full});
  return w.add(w.mul(low, w.sub(w.scalar(1, type), weight)), w.mul(high, weight));
}

static void emitResize(ForeignImporter &w, Operation *op) {
  auto resize = cast<tosa::ResizeOp>(op);
  Value x = w.get(resize.getInput());
  SmallVector<int64_t> numbers[3];
  for (auto [operand, into] : llvm::zip_equal(op->getOperands().drop_front(), numbers)) {
    std::optional<SmallVector<int64_t>> known = w.getIntegers(operand);
    if (!known)
      return w.fail("has a scale, offset or border that is not constant");
    into = *known;
  }
  auto &[scale, offset, border] = numbers;
  if (w.failed())
    return;
  Type result = getElementTypeOrSelf(op->getResult(0).getType()), type = result;
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32 && resize.getMode() == tosa::ResizeMode::BILINEAR)
    type = w.builder.getF32Type();
  x = w.astype(x, type);
  for (unsigned i : {0, 1}) {
    Resizing how{i + 1, scale[2 * i], scale[2 * i + 1], offset[i], border[i]};
    if (!w.failed())
      x = resizeAxis(w, x, how, resize.getMode(), type);
  }
  w.set(op->getResult(0), w.astype(x, result));
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

static void emitIf(ForeignImporter &w, Operation *op) {
  Value condition = control::extractScalar(w, w.get(op->getOperand(0)));
  SmallVector<Value> arguments;
  for (Value operand : op->getOperands().drop_front())
    arguments.push_back(w.get(operand));
  if (!w.failed())
    control::setResults(w, op, control::emitBranches(w, op, condition, arguments));
}

Emit tosa_import::getScalingRule(StringRef name) {
  return llvm::StringSwitch<Emit>(name)
      .Case("tosa.cond_if", emitIf)
      .Case("tosa.rescale", emitRescale)
      .Case("tosa.resize", emitResize)
      .Case("tosa.table", emitTable)
      .Case("tosa.while_loop", control::emitWhile)
      .Default(nullptr);
}
