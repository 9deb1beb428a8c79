//===- BlockOps.cpp - Meaning of weights in blocks ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A block is decoded as a whole, number by number in the order in which they are
// stored, without what the programs of LegalizeBlocks.cpp are made of.
//
//===----------------------------------------------------------------------===//

#include "NeuralOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphBlockOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

namespace {
/// The bytes of one block.
class BlockReader {
public:
  BlockReader(const Tensor &blocks, int64_t first) : blocks(blocks), first(first) {}

  int64_t byte(int64_t at) const { return blocks.i(first + at) & 0xff; }
  int64_t signedByte(int64_t at) const { return blocks.i(first + at); }
  /// Bits of a byte.
  int64_t bits(int64_t at, int64_t shift, int64_t count) const { return (byte(at) >> shift) & ((1 << count) - 1); }
  float half(int64_t at) const {
    APFloat value(APFloat::IEEEhalf(), APInt(16, static_cast<uint64_t>(byte(at) | byte(at + 1) << 8)));
    bool losesInfo = false;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToFloat();
  }

  /// Number `i`.
  float read(BlockFormat::Kind kind, int64_t i) const;

private:
  float readSuperblock(BlockFormat::Kind kind, int64_t i) const;

  const Tensor &blocks;
  int64_t first;
};
} // namespace

float BlockReader::read(BlockFormat::Kind kind, int64_t i) const {
  // The first half of 32 numbers lies in the low bits of 16 bytes.
  int64_t place = i % 16, shift = i / 16 * 4;
  switch (kind) {
  case BlockFormat::F16:
    return half(0);
  case BlockFormat::BF16:
    return llvm::bit_cast<float>(static_cast<uint32_t>(byte(0) << 16 | byte(1) << 24));
  case BlockFormat::Q4_0:
    return half(0) * static_cast<float>(bits(2 + place, shift, 4) - 8);
  case BlockFormat::Q4_1: {
    float product = half(0) * static_cast<float>(bits(4 + place, shift, 4));
    return product + half(2);
  }
  case BlockFormat::Q5_0:
    return half(0) * static_cast<float>((bits(6 + place, shift, 4) | bits(2 + i / 8, i % 8, 1) << 4) - 16);
  case BlockFormat::Q5_1: {
    float product = half(0) * static_cast<float>(bits(8 + place, shift, 4) | bits(4 + i / 8, i % 8, 1) << 4);
    return product + half(2);
  }
  case BlockFormat::Q8_0:
    return half(0) * static_cast<float>(signedByte(2 + i));
  default:
    return readSuperblock(kind, i);
  }
}

float BlockReader::readSuperblock(BlockFormat::Kind kind, int64_t i) const {
  switch (kind) {
  case BlockFormat::Q2_K: {
    float scale = half(80) * static_cast<float>(bits(i / 16, 0, 4));
    float minimum = half(82) * static_cast<float>(bits(i / 16, 4, 4));
    float product = scale * static_cast<float>(bits(16 + i / 128 * 32 + i % 32, i % 128 / 32 * 2, 2));
    return product - minimum;
  }
  case BlockFormat::Q3_K: {
    int64_t group = i / 16;
    int64_t scale = bits(96 + group % 8, group / 8 * 4, 4) | bits(104 + group % 4, group / 4 * 2, 2) << 4;
    int64_t number = bits(32 + i / 128 * 32 + i % 32, i % 128 / 32 * 2, 2) | bits(i % 32, i / 32, 1) << 2;
    return half(108) * static_cast<float>(scale - 32) * static_cast<float>(number - 4);
  }
  case BlockFormat::Q4_K:
  case BlockFormat::Q5_K: {
    bool hasFifth = kind == BlockFormat::Q5_K;
    int64_t group = i / 32, scale = bits(4 + group % 4, 0, 6), minimum = bits(8 + group % 4, 0, 6);
    if (group >= 4) {
      scale = bits(8 + group, 0, 4) | bits(group, 6, 2) << 4;
      minimum = bits(8 + group, 4, 4) | bits(4 + group, 6, 2) << 4;
    }
    int64_t number = bits((hasFifth ? 48 : 16) + i / 64 * 32 + i % 32, i / 32 % 2 * 4, 4);
    if (hasFifth)
      number |= bits(16 + i % 32, group, 1) << 4;
    float product = half(0) * static_cast<float>(scale) * static_cast<float>(number);
    float offset = half(2) * static_cast<float>(minimum);
    return product - offset;
  }
  default: {
    int64_t number = bits(i / 128 * 64 + i % 64, i / 64 % 2 * 4, 4);
    number |= bits(128 + i / 128 * 32 + i % 32, i % 128 / 32 * 2, 2) << 4;
    return half(208) * static_cast<float>(signedByte(192 + i / 16)) * static_cast<float>(number - 32);
  }
  }
}

/// The numbers of all blocks, in order.
static std::vector<float> readBlocks(const Tensor &blocks, BlockFormat format) {
  std::vector<float> numbers;
  numbers.reserve(blocks.size() / format.bytes * format.numbers);
  for (int64_t first = 0; first < blocks.size(); first += format.bytes)
    for (int64_t i = 0; i < format.numbers; ++i)
      numbers.push_back(BlockReader(blocks, first).read(format.kind, i));
  return numbers;
}

static FailureOr<Tensor> interpretDequantizeBlock(Frame &frame, DequantizeBlockOp op) {
  const Tensor &blocks = frame.tensor(op.getBlocks());
  BlockFormat format = *BlockFormat::parse(op.getFormat());
  SmallVector<int64_t> dims(blocks.getDims().drop_back());
  dims.back() *= format.numbers;
  FailureOr<Tensor> result = frame.makeTensor(op.getType().getElementType(), dims);
  if (failed(result))
    return failure();
  for (auto [at, number] : llvm::enumerate(readBlocks(blocks, format)))
    result->set(at, floatNumber(number)); // exact: no other reading is as good
  return result;
}

/// Products of rows of `lhs`, whose element at a place `get` gives, with those of `blocks`.
static FailureOr<Tensor> multiply(Frame &frame, Operation *op, const Tensor &lhs, const Tensor &blocks,
                                  StringRef formatName, function_ref<double(int64_t)> get) {
  BlockFormat format = *BlockFormat::parse(formatName);
  int64_t rows = blocks.getDim(0), inner = blocks.getDim(1) * format.numbers;
  SmallVector<int64_t> dims(lhs.getDims());
  if (dims.back() != inner)
    return frame.fail("inner extents " + Twine(dims.back()) + " and " + Twine(inner) + " differ");
  dims.back() = rows;
  FailureOr<Tensor> result = frame.makeTensor(getElementTypeOrSelf(op->getResult(0).getType()), dims);
  if (failed(result))
    return failure();
  std::vector<float> numbers = readBlocks(blocks, format);
  for (int64_t at = 0; at < result->size(); ++at) {
    Sum sum;
    for (int64_t k = 0; k < inner; ++k)
      sum.add(get(at / rows * inner + k) * numbers[at % rows * inner + k]);
    result->setFloat(at, sum.get(), sum.getError(result->getElementType()));
  }
  return result;
}

static FailureOr<Tensor> interpretBlockMatmul(Frame &frame, BlockMatmulOp op) {
  const Tensor &lhs = frame.tensor(op.getLhs());
  return multiply(frame, op, lhs, frame.tensor(op.getBlocks()), op.getFormat(), [&](int64_t at) { return lhs.f(at); });
}

static FailureOr<Tensor> interpretQuantizedBlockMatmul(Frame &frame, QuantizedBlockMatmulOp op) {
  const Tensor &lhs = frame.tensor(op.getLhs()), &scales = frame.tensor(op.getScales());
  if (scales.size() * kActivationBlock != lhs.size())
    return frame.fail(Twine(scales.size()) + " scales for " + Twine(lhs.size()) + " numbers");
  return multiply(frame, op, lhs, frame.tensor(op.getBlocks()), op.getFormat(),
                  [&](int64_t at) { return static_cast<double>(lhs.i(at)) * scales.f(at / kActivationBlock); });
}

void interp::registerBlockOps(OpTable &table) {
  table.add(interpretDequantizeBlock);
  table.add(interpretBlockMatmul);
  table.add(interpretQuantizedBlockMatmul);
}
