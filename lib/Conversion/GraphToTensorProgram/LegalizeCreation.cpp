//===- LegalizeCreation.cpp - Making tensors, as programs -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "ProgramPattern.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "ScalarBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

static Value writeFull(FullOp op, ProgramBody &body) {
  return createFill(body, body.getOut(),
                    arith::ConstantOp::create(body.builder, body.loc, sym::getProgramAttr(op.getValue())));
}

static Value writeIota(IotaOp op, ProgramBody &body) {
  Type type = sym::getProgramType(op.getDtype());
  return createParallel(body, {}, {}, body.getOut(), [&](OpBuilder &builder, Location loc, ValueRange) -> Value {
    Value index = linalg::IndexOp::create(builder, loc, op.getAxis());
    Value integer = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
    if (type.isInteger(64))
      return integer;
    if (isa<IntegerType>(type))
      return arith::TruncIOp::create(builder, loc, type, integer);
    // Every integer that f16 can tell from its neighbours is exact in f32; bf16 needs the integer itself.
    Type wide = type.isBF16() ? type : getAccumulatorType(type);
    return convertFloat(builder, loc, arith::SIToFPOp::create(builder, loc, wide, integer), type);
  });
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

static Value createBits(OpBuilder &builder, Location loc, uint64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(builder.getI64Type(), APInt(64, value)));
}

/// The mixing function of the description of relax.random_uniform.
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

static Value createMix(OpBuilder &builder, Location loc, Value z) {
  auto fold = [&](unsigned distance) {
    Value high = arith::ShRUIOp::create(builder, loc, z, createBits(builder, loc, distance));
    z = arith::XOrIOp::create(builder, loc, z, high);
  };
  fold(30);
  z = arith::MulIOp::create(builder, loc, z, createBits(builder, loc, 0xBF58476D1CE4E5B9ULL));
  fold(27);
  z = arith::MulIOp::create(builder, loc, z, createBits(builder, loc, 0x94D049BB133111EBULL));
  fold(31);
  return z;
}

static Value writeRandomUniform(RandomUniformOp op, ProgramBody &body) {
  auto type = cast<FloatType>(op.getDtype());
  unsigned digits = type.getFPMantissaWidth();
  uint64_t key = mix(static_cast<uint64_t>(op.getSeed()));
  SmallVector<Value> sizes;
  for (SymExpr dim : body.getOutDims())
    sizes.push_back(body.getIndex(dim));
  return createParallel(body, {}, {}, body.getOut(), [&](OpBuilder &builder, Location loc, ValueRange) {
    Value flat = arith::ConstantIndexOp::create(builder, loc, 0);
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      flat = arith::MulIOp::create(builder, loc, flat, size);
      flat = arith::AddIOp::create(builder, loc, flat, linalg::IndexOp::create(builder, loc, dim));
    }
    Value counter = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), flat);
    counter = arith::AddIOp::create(builder, loc, counter, createBits(builder, loc, 1));
    counter = arith::MulIOp::create(builder, loc, counter, createBits(builder, loc, 0x9E3779B97F4A7C15ULL));
    Value bits = createMix(builder, loc, arith::AddIOp::create(builder, loc, counter, createBits(builder, loc, key)));
    bits = arith::ShRUIOp::create(builder, loc, bits, createBits(builder, loc, 64 - digits));
    // Exact: there are as many bits as the type has digits.
    Type wide = getAccumulatorType(type);
    Value number = arith::SIToFPOp::create(builder, loc, wide, bits);
    number =
        arith::MulFOp::create(builder, loc, number, createScalar(builder, loc, wide, std::ldexp(1.0, -int(digits))));
    return convertFloat(builder, loc, number, type);
  });
}

void relax::populateCreationToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ProgramPattern<FullOp>>(context, library, writeFull);
  patterns.add<ProgramPattern<IotaOp>>(context, library, writeIota);
  patterns.add<ProgramPattern<RandomUniformOp>>(context, library, writeRandomUniform);
}
