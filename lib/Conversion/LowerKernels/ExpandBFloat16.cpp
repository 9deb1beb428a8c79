//===- ExpandBFloat16.cpp - bf16 without instructions for it --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Sums, products, quotients and square roots of bf16 numbers are the same
// rounded to f32 first and then to bf16, as f32 has more than twice the digits.
// Wider sources are first cut to f32 such that the digits lost leave a trace in
// the last one, so that rounding to bf16 rounds once.
//
//===----------------------------------------------------------------------===//
#include "ExpandBFloat16.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::relax;

namespace {
class BFloat16Writer {
public:
  explicit BFloat16Writer(Operation *op) : builder(op), loc(op->getLoc()) {}

  /// The results in place of those of `op`; nothing when the op stays.
  SmallVector<Value> rewrite(Operation *op);

private:
  static bool isBF16(Type type) { return getElementTypeOrSelf(type).isBF16(); }
  static Type like(Type type, Type element) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? Type(shaped.clone(element)) : element;
  }
  Type wide(Type type) { return like(type, builder.getF32Type()); }
  Type bits(Type type, unsigned width) { return like(type, builder.getIntegerType(width)); }

  template <typename OpTy, typename... Args> Value make(Args... args) { return OpTy::create(builder, loc, args...); }
  Value constant(Type type, int64_t value) {
    TypedAttr element = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      return make<arith::ConstantOp>(TypedAttr(DenseElementsAttr::get(shaped, Attribute(element))));
    return make<arith::ConstantOp>(element);
  }

  Value extend(Value value);
  Value truncate(Value value);
  Value cutF64(Value value);
  Value convertInteger(Value value, bool isSigned);

  OpBuilder builder;
  Location loc;
};
} // namespace

/// bf16 is the upper half of f32.
Value BFloat16Writer::extend(Value value) {
  Type word = bits(value.getType(), 32);
  Value number = make<arith::ExtUIOp>(word, make<arith::BitcastOp>(bits(value.getType(), 16), value));
  return make<arith::BitcastOp>(wide(value.getType()), make<arith::ShLIOp>(number, constant(word, 16)));
}

/// f32 to the nearest, ties to even. A NaN becomes a quiet one, whose payload has no place in rounding.
Value BFloat16Writer::truncate(Value value) {
  Type word = bits(value.getType(), 32);
  Value number = make<arith::BitcastOp>(word, value), distance = constant(word, 16);
  Value isOdd = make<arith::AndIOp>(make<arith::ShRUIOp>(number, distance), constant(word, 1));
  Value rounded = make<arith::AddIOp>(number, make<arith::AddIOp>(isOdd, constant(word, 0x7fff)));
  Value quiet = make<arith::OrIOp>(number, constant(word, 0x400000));
  Value isNaN = make<arith::CmpFOp>(arith::CmpFPredicate::UNO, value, value);
  Value chosen = make<arith::ShRUIOp>(make<arith::SelectOp>(isNaN, quiet, rounded), distance);
  Value half = make<arith::TruncIOp>(bits(value.getType(), 16), chosen);
  return make<arith::BitcastOp>(like(value.getType(), builder.getBF16Type()), half);
}

/// f64 to f32 toward zero, with the last bit set where that was inexact.
Value BFloat16Writer::cutF64(Value value) {
  Type single = wide(value.getType()), word = bits(value.getType(), 32);
  Value nearest = make<arith::TruncFOp>(single, value);
  Value back = make<arith::ExtFOp>(value.getType(), nearest);
  Value isInexact = make<arith::CmpFOp>(arith::CmpFPredicate::ONE, back, value);
  Value isAbove = make<arith::CmpFOp>(arith::CmpFPredicate::OGT, make<math::AbsFOp>(back), make<math::AbsFOp>(value));
  // Bits of floats of one sign are ordered as integers.
  Value number = make<arith::BitcastOp>(word, nearest);
  number = make<arith::SubIOp>(number, make<arith::ExtUIOp>(word, isAbove));
  number = make<arith::OrIOp>(number, make<arith::ExtUIOp>(word, isInexact));
  return make<arith::BitcastOp>(single, number);
}

Value BFloat16Writer::convertInteger(Value value, bool isSigned) {
  Type type = value.getType(), single = wide(type), twice = like(type, builder.getF64Type());
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  auto convert = [&](Type to) {
    return isSigned ? make<arith::SIToFPOp>(to, value) : make<arith::UIToFPOp>(to, value);
  };
  if (width < 24) // exact
    return truncate(convert(single));
  if (width > 32) {
    // More digits than f64 has: the lowest 12 bits of a large number only tell on which side of a tie it is.
    Value isLarge = isSigned ? make<arith::CmpIOp>(arith::CmpIPredicate::ugt,
                                                   make<arith::AddIOp>(value, constant(type, int64_t(1) << 53)),
                                                   constant(type, int64_t(1) << 54))
                             : make<arith::CmpIOp>(arith::CmpIPredicate::ugt, value, constant(type, int64_t(1) << 53));
    Value rest = make<arith::AndIOp>(value, constant(type, 0xfff)), zero = constant(type, 0);
    Value hasRest = make<arith::CmpIOp>(arith::CmpIPredicate::ne, rest, zero);
    Value cut = make<arith::AndIOp>(value, constant(type, ~int64_t(0xfff)));
    cut = make<arith::OrIOp>(cut, make<arith::SelectOp>(hasRest, constant(type, 0x800), zero));
    value = make<arith::SelectOp>(isLarge, cut, value);
  }
  return truncate(cutF64(convert(twice)));
}

SmallVector<Value> BFloat16Writer::rewrite(Operation *op) {
  Value x = op->getNumOperands() ? op->getOperand(0) : Value();
  if (isa<arith::ExtFOp>(op)) {
    Value single = extend(x);
    return {single.getType() == op->getResult(0).getType() ? single
                                                           : make<arith::ExtFOp>(op->getResult(0).getType(), single)};
  }
  if (isa<arith::TruncFOp>(op))
    return {truncate(getElementTypeOrSelf(x.getType()).isF64() ? cutF64(x) : x)};
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return {convertInteger(x, isa<arith::SIToFPOp>(op))};
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    // Code generation would convert both to f32 and the choice back.
    auto toBits = [&](Value value) { return make<arith::BitcastOp>(bits(value.getType(), 16), value); };
    Value chosen =
        make<arith::SelectOp>(select.getCondition(), toBits(select.getTrueValue()), toBits(select.getFalseValue()));
    return {make<arith::BitcastOp>(select.getType(), chosen)};
  }
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isBF16(operand.getType()) && !mapping.contains(operand))
      mapping.map(operand, extend(operand));
  Operation *computed = builder.clone(*op, mapping);
  SmallVector<Value> results;
  for (OpResult result : computed->getResults()) {
    bool isNarrow = isBF16(result.getType());
    if (isNarrow)
      result.setType(wide(result.getType()));
    results.push_back(isNarrow ? truncate(result) : Value(result));
  }
  return results;
}

/// The op would do the same to 16 bits without a meaning.
static bool isMove(Operation *op) {
  if (isa<arith::ConstantOp, arith::BitcastOp>(op))
    return true;
  if (isa<vector::VectorDialect>(op->getDialect()))
    return !isa<vector::ContractionOp, vector::FMAOp, vector::MultiDimReductionOp, vector::OuterProductOp,
                vector::ReductionOp, vector::ScanOp>(op);
  return isa<memref::MemRefDialect, scf::SCFDialect, func::FuncDialect, cf::ControlFlowDialect>(op->getDialect()) &&
         !isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp, scf::ReduceOp>(op);
}

/// What is left moves elements. Code generation would convert those that meet in a block to f32 and back: they become
/// bits.
static void replaceByBits(Operation *root) {
  bool hasBF16 = false;
  auto isBF16 = [](Type type) { return getElementTypeOrSelf(type).isBF16(); };
  WalkResult moves = root->walk([&](Operation *op) {
    bool touches = llvm::any_of(op->getOperandTypes(), isBF16) || llvm::any_of(op->getResultTypes(), isBF16);
    hasBF16 |= touches;
    return touches && !isMove(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (moves.wasInterrupted() || !hasBF16)
    return;
  Type bits = IntegerType::get(root->getContext(), 16);
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](BFloat16Type) { return bits; });
  replacer.addReplacement([&](FloatAttr value) -> std::optional<Attribute> {
    if (!value.getType().isBF16())
      return std::nullopt;
    return IntegerAttr::get(bits, value.getValue().bitcastToAPInt());
  });
  replacer.addReplacement([&](DenseElementsAttr values) -> std::optional<Attribute> {
    if (!values.getElementType().isBF16())
      return std::nullopt;
    return values.bitcast(bits);
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
  root->walk([](arith::BitcastOp cast) {
    if (cast.getIn().getType() != cast.getType())
      return;
    cast.replaceAllUsesWith(cast.getIn());
    cast.erase();
  });
}

void relax::expandBFloat16(Operation *root, const DenseSet<Operation *> &kept) {
  auto isBF16 = [](Type type) { return getElementTypeOrSelf(type).isBF16(); };
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    // Moving bits needs no arithmetic.
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        isa<arith::ConstantOp, arith::BitcastOp>(op) || kept.contains(op))
      return;
    if (llvm::any_of(op->getOperandTypes(), isBF16) || llvm::any_of(op->getResultTypes(), isBF16))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    op->replaceAllUsesWith(BFloat16Writer(op).rewrite(op));
    op->erase();
  }
  replaceByBits(root);
}
