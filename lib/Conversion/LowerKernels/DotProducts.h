//===- DotProducts.h - Instructions that multiply small integers -*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_DOTPRODUCTS_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_DOTPRODUCTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <map>

namespace mlir::relax {

/// The instructions that a CPU has for products of numbers of 8 bits. Results are the same with all of them.
enum class DotProducts {
  Plain, // vector code of any CPU
  AVX2,  // vpmaddubsw, vpmaddwd
  VNNI,  // vpdpbusd
  AVX512 // the same, with 32 registers
};

/// The names of options; nullopt for others.
std::optional<DotProducts> parseDotProducts(StringRef name);

/// How two signed numbers are multiplied by an instruction that wants one that is never negative.
enum class DotForm {
  FirstUnsigned,
  SecondUnsigned, // is never negative as it is
  FirstShifted,   // by 128; the products of 128 and the other one are taken off
  FirstMagnitude,
  SecondMagnitude, // the other one takes its sign
  Wide             // not by such instructions
};

/// The form for two numbers, whose ranges are read off the arithmetic that makes them.
DotForm chooseDotForm(DotProducts dots, Value a, Value b);

/// Emits products of vectors of 32 signed numbers, summed in eights of four neighbours, or of twice as many with
/// AVX512.
class DotEmitter {
public:
  DotEmitter(OpBuilder &builder, Location loc, DotProducts dots, int64_t sums = 8)
      : builder(builder), loc(loc), dots(dots), hasVNNI(dots == DotProducts::VNNI || dots == DotProducts::AVX512),
        numSums(sums), numNumbers(4 * sums) {}

  /// What was computed for one factor is used again for others as long as the code that did is around.
  void forget() { known.clear(); }

  /// vector<8xi32>: sums of `a * b` of vectors 32xi8. `scalarA` and `scalarB` are what the vectors hold a number each
  /// of: their ranges are read off it. What is computed from `b` alone is shared.
  Value emit(Value a, Value b, Value scalarA, Value scalarB);
  /// Sums of `a`.
  Value emitSum(Value a);
  /// The parts of a product in some form: `sum`, nothing where null, and the products of `a`, never negative, with b;
  /// numbers plus 128; -128 times the sums of b; magnitudes, and the sign of `a` taken by `other`.
  Value emitUnsigned(Value a, Value b, Value sum);
  Value emitShifted(Value a);
  Value emitOffset(Value b);
  Value emitMagnitude(Value a);
  Value emitSigned(Value other, Value a);

private:
  Value emitPlain(Value a, Value b);
  Value share(Value value, StringRef what, function_ref<Value()> make);
  Value splat(int64_t value, int64_t bits, int64_t lanes);
  Value call(StringRef intrinsic, Type result, ValueRange operands);
  VectorType getType(int64_t bits, int64_t lanes);

  OpBuilder &builder;
  Location loc;
  DotProducts dots;
  bool hasVNNI;
  int64_t numSums, numNumbers;
  std::map<std::pair<void *, std::string>, Value> known;
};

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_DOTPRODUCTS_H
