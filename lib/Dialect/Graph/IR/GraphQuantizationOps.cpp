//===- GraphQuantizationOps.cpp - Numbers of few bits ---------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphQuantizationOps.h"
#include "GraphFamilies.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphWindows.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphQuantizationOps.cpp.inc"

void graph::addQuantizationOps(Dialect &dialect) {
  addFamily<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphQuantizationOps.cpp.inc"
      >(dialect);
}

std::optional<StorageFormat> StorageFormat::parse(StringRef name) {
  using Result = std::optional<StorageFormat>;
  return StringSwitch<Result>(name)
      .Case("i2", StorageFormat{2, true, nullptr})
      .Case("u2", StorageFormat{2, false, nullptr})
      .Case("i4", StorageFormat{4, true, nullptr})
      .Case("u4", StorageFormat{4, false, nullptr})
      .Case("i8", StorageFormat{8, true, nullptr})
      .Case("u8", StorageFormat{8, false, nullptr})
      .Case("i16", StorageFormat{16, true, nullptr})
      .Case("u16", StorageFormat{16, false, nullptr})
      .Case("i32", StorageFormat{32, true, nullptr})
      .Case("f4e2m1fn", StorageFormat{4, true, &APFloat::Float4E2M1FN()})
      .Case("f8e4m3fn", StorageFormat{8, true, &APFloat::Float8E4M3FN()})
      .Case("f8e5m2", StorageFormat{8, true, &APFloat::Float8E5M2()})
      .Case("f8e4m3fnuz", StorageFormat{8, true, &APFloat::Float8E4M3FNUZ()})
      .Case("f8e5m2fnuz", StorageFormat{8, true, &APFloat::Float8E5M2FNUZ()})
      .Case("f8e8m0fnu", StorageFormat{8, false, &APFloat::Float8E8M0FNU()})
      .Default(std::nullopt);
}

static FailureOr<StorageFormat> parseFormat(TypeInference &inference, StringRef name) {
  if (std::optional<StorageFormat> format = StorageFormat::parse(name))
    return *format;
  return inference.fail("there is no format '", name, "'");
}

/// Extents of what a tensor in this format holds.
static FailureOr<SmallVector<SymExpr>> getUnpacked(TypeInference &inference, StringRef what, Type type,
                                                   StorageFormat format) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isInteger(format.getStorageBits()))
    return inference.fail(what, " is expected to have element type 'i", format.getStorageBits(), "', got ", element);
  SmallVector<SymExpr> dims = sym::getSymbolicDims(type);
  if (format.getPerElement() == 1)
    return dims;
  if (dims.empty())
    return inference.fail(what, " is expected to have rank 1 or more, got 0");
  if (dims.back()) {
    dims.back() = dims.back() * format.getPerElement();
    if (!dims.back())
      return inference.fail("dimension ", dims.size() - 1, " of the result does not fit 64 bits");
  }
  return dims;
}

static SmallVector<SymExpr> getPacked(TypeInference &inference, ArrayRef<SymExpr> dims, StorageFormat format) {
  SmallVector<SymExpr> packed(dims);
  if (format.getPerElement() != 1 && packed.back())
    packed.back() = SymExpr::ceildiv(packed.back(), inference.constant(format.getPerElement()));
  return packed;
}

FailureOr<RankedTensorType> DecodeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  FailureOr<StorageFormat> format = parseFormat(inference, adaptor.getFormat());
  if (failed(format))
    return failure();
  FailureOr<SmallVector<SymExpr>> dims = getUnpacked(inference, "operand", adaptor.getOperand().getType(), *format);
  if (failed(dims))
    return failure();
  Type dtype = adaptor.getDtype();
  bool isInteger = dtype.isSignlessInteger(8) || dtype.isSignlessInteger(16) || dtype.isSignlessInteger(32) ||
                   dtype.isSignlessInteger(64);
  bool fits =
      sym::isElementOf(dtype, sym::kFloats) ||
      (isInteger && format->isInteger() && dtype.getIntOrFloatBitWidth() >= format->bits + (format->isSigned ? 0 : 1));
  if (!fits)
    return inference.fail("dtype is expected to hold every value of '", adaptor.getFormat(), "', got ", dtype);
  return inference.makeType(*dims, dtype);
}

FailureOr<RankedTensorType> EncodeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  FailureOr<StorageFormat> format = parseFormat(inference, adaptor.getFormat());
  if (failed(format))
    return failure();
  SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getOperand().getType());
  if (format->getPerElement() != 1 && dims.empty())
    return inference.fail("operand is expected to have rank 1 or more, got 0");
  return inference.makeType(getPacked(inference, dims, *format),
                            IntegerType::get(inference.getContext(), format->getStorageBits()));
}

FailureOr<RankedTensorType> BitcastOp::inferType(TypeInference &inference, Adaptor adaptor) {
  Type source = getElementTypeOrSelf(adaptor.getOperand().getType()), dtype = adaptor.getDtype();
  auto hasBits = [](Type type) { return sym::isElementOf(type, sym::kElements) && type.getIntOrFloatBitWidth() >= 8; };
  if (!hasBits(source) || !hasBits(dtype) || source.getIntOrFloatBitWidth() != dtype.getIntOrFloatBitWidth())
    return inference.fail("dtype is expected to be a type of as many bits as ", source, ", got ", dtype);
  return inference.makeType(sym::getSymbolicDims(adaptor.getOperand().getType()), dtype);
}

/// Scale and zero point fit `dims`.
template <typename Adaptor>
static LogicalResult verifyScales(TypeInference &inference, Adaptor adaptor, ArrayRef<SymExpr> dims,
                                  StorageFormat format) {
  SmallVector<SymExpr> expected;
  if (std::optional<int64_t> axis = adaptor.getAxis()) {
    if (failed(inference.requireAxis("axis", *axis, dims.size())))
      return failure();
    expected = {dims[*axis]};
    if (std::optional<int64_t> block = adaptor.getBlock()) {
      if (*block < 1)
        return inference.fail("block is expected to be at least 1, got ", *block);
      expected.assign(dims.begin(), dims.end());
      if (expected[*axis])
        expected[*axis] = SymExpr::ceildiv(expected[*axis], inference.constant(*block));
    }
  } else if (adaptor.getBlock()) {
    return inference.fail("block is expected beside axis only");
  }
  auto require = [&](StringRef name, ArrayRef<SymExpr> actual, ArrayRef<SymExpr> wanted) -> LogicalResult {
    if (actual.size() != wanted.size())
      return inference.fail(name, " is expected to have rank ", wanted.size(), ", got ", actual.size());
    for (auto [dim, extent, want] : llvm::enumerate(actual, wanted))
      if (failed(inference.requireEqual("dimension " + Twine(dim) + " of the " + name, extent, want)))
        return failure();
    return success();
  };
  if (failed(require("scale", sym::getSymbolicDims(adaptor.getScale().getType()), expected)))
    return failure();
  Value zero = adaptor.getZero();
  if (!zero)
    return success();
  if (format.getPerElement() != 1 && expected.empty())
    return inference.fail("zero is expected with an axis where several numbers share a byte");
  Type element = getElementTypeOrSelf(zero.getType());
  if (!element.isInteger(format.getStorageBits()))
    return inference.fail("zero is expected to have element type 'i", format.getStorageBits(), "', got ", element);
  return require("zero", sym::getSymbolicDims(zero.getType()), getPacked(inference, expected, format));
}

FailureOr<RankedTensorType> QuantizeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  FailureOr<StorageFormat> format = parseFormat(inference, adaptor.getFormat());
  if (failed(format) ||
      failed(inference.requireSameElementType(adaptor.getOperand().getType(), adaptor.getScale().getType())))
    return failure();
  SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getOperand().getType());
  if (format->getPerElement() != 1 && dims.empty())
    return inference.fail("operand is expected to have rank 1 or more, got 0");
  if (failed(verifyScales(inference, adaptor, dims, *format)))
    return failure();
  return inference.makeType(getPacked(inference, dims, *format),
                            IntegerType::get(inference.getContext(), format->getStorageBits()));
}

FailureOr<RankedTensorType> DequantizeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  FailureOr<StorageFormat> format = parseFormat(inference, adaptor.getFormat());
  if (failed(format))
    return failure();
  FailureOr<SmallVector<SymExpr>> dims = getUnpacked(inference, "operand", adaptor.getOperand().getType(), *format);
  if (failed(dims) || failed(verifyScales(inference, adaptor, *dims, *format)))
    return failure();
  return inference.makeType(*dims, getElementTypeOrSelf(adaptor.getScale().getType()));
}

LogicalResult DynamicQuantizeOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  Type i8 = IntegerType::get(context, 8);
  types.push_back(sym::getTensorType(sym::getSymbolicDims(adaptor.getOperand().getType()), i8));
  types.push_back(RankedTensorType::get({}, Float32Type::get(context)));
  types.push_back(RankedTensorType::get({}, i8));
  return success();
}

/// The type of what an operand of a product holds: an integer format of few bits. Zero points are broadcast to it.
static FailureOr<Type> inferNumbers(TypeInference &inference, StringRef name, StringRef formatName, Value operand,
                                    Value zero) {
  std::optional<StorageFormat> format = StorageFormat::parse(formatName);
  if (!format || !format->isInteger() || format->bits > 8)
    return inference.fail(name, "_format is expected to be one of i2, u2, i4, u4, i8, u8, got ", formatName);
  FailureOr<SmallVector<SymExpr>> dims = getUnpacked(inference, name, operand.getType(), *format);
  if (failed(dims))
    return failure();
  if (zero) {
    SmallVector<SymExpr> from = sym::getSymbolicDims(zero.getType());
    if (from.size() > dims->size())
      return inference.fail(name, "_zero is expected to have rank ", dims->size(), " or less, got ", from.size());
    for (auto [dim, extent] : llvm::enumerate(from))
      if (failed(inference.requireBroadcastsTo("dimension " + Twine(dim) + " of " + name + "_zero", extent,
                                               (*dims)[dims->size() - from.size() + dim])))
        return failure();
  }
  return Type(sym::getTensorType(*dims, getElementTypeOrSelf(operand.getType())));
}

FailureOr<RankedTensorType> QuantizedMatmulOp::inferType(TypeInference &inference, Adaptor adaptor) {
  FailureOr<Type> lhs = inferNumbers(inference, "lhs", adaptor.getLhsFormat(), adaptor.getLhs(), adaptor.getLhsZero());
  if (failed(lhs))
    return failure();
  FailureOr<Type> rhs = inferNumbers(inference, "rhs", adaptor.getRhsFormat(), adaptor.getRhs(), adaptor.getRhsZero());
  if (failed(rhs))
    return failure();
  return inferMatmul(inference, *lhs, *rhs, IntegerType::get(inference.getContext(), 32));
}

FailureOr<RankedTensorType> QuantizedConvOp::inferType(TypeInference &inference, Adaptor adaptor) {
  FailureOr<Type> input =
      inferNumbers(inference, "input", adaptor.getInputFormat(), adaptor.getInput(), adaptor.getInputZero());
  if (failed(input))
    return failure();
  FailureOr<Type> weight =
      inferNumbers(inference, "weight", adaptor.getWeightFormat(), adaptor.getWeight(), adaptor.getWeightZero());
  if (failed(weight))
    return failure();
  WindowAttrs attrs{adaptor.getStrides(), adaptor.getPads(), adaptor.getDilations(), adaptor.getAutoPad()};
  return inferConv(inference, *input, *weight, attrs, adaptor.getGroups(),
                   IntegerType::get(inference.getContext(), 32));
}
