//===- QuantizeWeights.cpp - Weights of products in few bits --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Every reader of a weight is looked at before it changes, so that none is ever
// stored in both forms. Blocks go along the dimension that products sum.
//
//===----------------------------------------------------------------------===//
#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphBlockOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/QuantizationPasses.h"
#include "RelaxDialect/Dialect/Graph/Transforms/WeightBytes.h"

#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Endian.h"

#define DEBUG_TYPE "relax-quantize-weights"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

namespace mlir::relax::graph {
#define GEN_PASS_DEF_QUANTIZEWEIGHTSPASS
#include "RelaxDialect/Dialect/Graph/Transforms/QuantizationPasses.h.inc"
} // namespace mlir::relax::graph

/// Numbers that share a factor.
static constexpr int64_t kBlock = 32;

namespace {
enum class Kind { Q4, Q8 };

/// A weight or constant: every op that gives its value.
struct Weight {
  RankedTensorType type;
  Attribute value;
  WeightDataOp data; // null for constants
  SmallVector<Operation *> readers;
};

/// How the readers use it.
struct Uses {
  SmallVector<Operation *> products, rows; // relax.matmul, relax.take
  std::optional<unsigned> rowDim;          // the dimension of the weight that is not summed
  std::string reason;                      // why it stays
};
} // namespace

static std::optional<uint16_t> toHalf(float value) {
  APFloat half(value);
  bool losesInfo = false;
  half.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
  if (!half.isFinite())
    return std::nullopt;
  return static_cast<uint16_t>(half.bitcastToAPInt().getZExtValue());
}

static float toFloat(const llvm::fltSemantics &semantics, uint64_t bits, unsigned width) {
  APFloat value(semantics, APInt(width, bits));
  bool losesInfo = false;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToFloat();
}

/// An element of a float type of 16 or 32 bits.
static float readElement(const char *bytes, FloatType type) {
  unsigned width = type.getWidth();
  uint64_t bits = width == 32 ? llvm::support::endian::read32le(bytes) : llvm::support::endian::read16le(bytes);
  if (width == 32)
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  return toFloat(type.getFloatSemantics(), bits, width);
}

/// Writes one block; false when its numbers have no factor.
static bool writeBlock(Kind kind, ArrayRef<float> numbers, char *out) {
  float largest = 0;
  for (float number : numbers) {
    if (!std::isfinite(number))
      return false;
    largest = std::max(largest, std::abs(number));
  }
  float scale = largest / (kind == Kind::Q4 ? 7.0f : 127.0f);
  std::optional<uint16_t> half = toHalf(scale);
  if (!half)
    return false;
  llvm::support::endian::write16le(out, *half);
  out += sizeof(uint16_t);
  if (kind == Kind::Q8) {
    // The factor before it was rounded decides, as in files.
    float inverse = scale == 0 ? 0 : 1 / scale;
    for (auto [at, number] : llvm::enumerate(numbers))
      out[at] = static_cast<char>(std::clamp(std::round(number * inverse), -127.0f, 127.0f));
    return true;
  }
  // The rounded factor decides, as it is what the number will be multiplied by. A q4_0 number is (q - 8) * scale, the
  // first half of a block is in the low bits.
  float rounded = toFloat(APFloat::IEEEhalf(), *half, 16);
  auto getBits = [&](float number) -> unsigned {
    float q = rounded == 0 ? 7 : std::clamp(std::round(number / rounded + 7), 0.0f, 14.0f);
    return static_cast<unsigned>(q) + 1;
  };
  for (int64_t at = 0; at != kBlock / 2; ++at)
    out[at] = static_cast<char>(getBits(numbers[at]) | getBits(numbers[at + kBlock / 2]) << 4);
  return true;
}

/// Sorts the uses of `value`, whose dimension `rowDim` is that of rows as `relax.take` sees them.
static void collectUses(Value value, unsigned rowDim, Uses &uses) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    unsigned rows = rowDim;
    if (auto permute = dyn_cast<PermuteDimsOp>(user)) {
      collectUses(permute.getResult(), permute.getPermutation()[0] == 1 ? 1 - rowDim : rowDim, uses);
      continue;
    }
    if (auto convert = dyn_cast<AsTypeOp>(user); convert && isa<FloatType>(convert.getDtype())) {
      collectUses(convert.getResult(), rowDim, uses);
      continue;
    }
    if (auto product = dyn_cast<MatmulOp>(user); product && use.getOperandNumber() == 1) {
      rows = 1 - rowDim;
      uses.products.push_back(user);
    } else if (auto take = dyn_cast<TakeOp>(user); take && use.getOperandNumber() == 0 && take.getAxis() == 0) {
      uses.rows.push_back(user);
    } else {
      uses.reason = ("'" + user->getName().getStringRef() + "' reads it").str();
      return;
    }
    if (uses.rowDim && *uses.rowDim != rows)
      uses.reason = "its readers sum along different dimensions";
    uses.rowDim = rows;
  }
}

namespace {
class Quantizer {
public:
  Quantizer(ModuleOp module, Kind kind, int64_t minElements, StringRef blobDirectory)
      : module(module), symbols(module), kind(kind), minElements(minElements), blobDirectory(blobDirectory),
        format(*BlockFormat::parse(getFormatName())) {}

  LogicalResult run() {
    llvm::MapVector<Attribute, Weight> weights;
    module.walk([&](Operation *op) {
      if (auto reader = dyn_cast<WeightOp>(op)) {
        if (auto data = symbols.lookup<WeightDataOp>(reader.getName())) {
          Weight &weight = weights[data.getSymNameAttr()];
          weight.type = data.getTensorType();
          weight.value = data.getValue();
          weight.data = data;
          weight.readers.push_back(op);
        }
      } else if (auto constant = dyn_cast<ConstantOp>(op)) {
        Weight &weight = weights[constant.getValue()];
        weight.type = dyn_cast<RankedTensorType>(constant.getType());
        weight.value = constant.getValue();
        weight.readers.push_back(op);
      }
    });
    for (auto &[key, weight] : weights)
      if (isCandidate(weight.type) && failed(quantize(weight)))
        return failure();
    return success();
  }

private:
  StringRef getFormatName() const { return kind == Kind::Q4 ? "q4_0" : "q8_0"; }

  bool isCandidate(RankedTensorType type) const {
    return type && type.getRank() == 2 && type.hasStaticShape() && !type.getEncoding() && type.getNumElements() > 0 &&
           type.getNumElements() >= minElements &&
           (type.getElementType().isF32() || type.getElementType().isF16() || type.getElementType().isBF16());
  }

  LogicalResult quantize(Weight &weight) {
    Uses uses;
    for (Operation *reader : weight.readers)
      collectUses(reader->getResult(0), 0, uses);
    if (!uses.reason.empty())
      return keep(weight, uses.reason);
    if (!uses.rowDim)
      return success(); // nobody reads it
    unsigned sumDim = 1 - *uses.rowDim;
    int64_t summed = weight.type.getDimSize(sumDim);
    if (summed % kBlock != 0)
      return keep(weight, "the summed extent " + std::to_string(summed) + " is not a multiple of 32");

    Operation *owner = weight.data ? weight.data.getOperation() : weight.readers.front();
    FailureOr<WeightBytes> bytes = readWeightBytes(owner, weight.type, weight.value, blobDirectory);
    if (failed(bytes))
      return failure();
    if (bytes->data.empty())
      return keep(weight, "its value is not known");
    auto type = RankedTensorType::get({weight.type.getDimSize(*uses.rowDim), summed / format.numbers, format.bytes},
                                      IntegerType::get(module.getContext(), 8));
    std::string name = ((weight.data ? weight.data.getSymName() : "constant") + "_" + getFormatName()).str();
    bool fits = true;
    ElementsAttr value = createElements(type, name, [&](MutableArrayRef<char> out) {
      fits = writeBlocks(*bytes, weight.type, *uses.rowDim, out.data());
    });
    if (!fits)
      return keep(weight, "a number is not finite, or too large for its factor");

    OpBuilder builder(module.getContext());
    if (weight.data)
      builder.setInsertionPoint(weight.data);
    else
      builder.setInsertionPointToStart(module.getBody());
    auto data = WeightDataOp::create(builder, owner->getLoc(), name, type, value);
    symbols.insert(data);
    remark::passed(owner->getLoc(), remark::RemarkOpts::name("Quantized").category(DEBUG_TYPE))
        << ("'" + data.getSymName() + "' has " + std::to_string(data.getNumBytes()) + " bytes").str();
    for (Operation *product : uses.products)
      rewriteProduct(cast<MatmulOp>(product), data);
    for (Operation *rows : uses.rows)
      rewriteRows(cast<TakeOp>(rows), data);
    for (Operation *reader : weight.readers)
      eraseUnused(reader);
    if (weight.data)
      symbols.erase(weight.data);
    return success();
  }

  LogicalResult keep(Weight &weight, const std::string &reason) {
    Operation *owner = weight.data ? weight.data.getOperation() : weight.readers.front();
    remark::missed(owner->getLoc(), remark::RemarkOpts::name("Kept").category(DEBUG_TYPE)) << reason;
    return success();
  }

  bool writeBlocks(const WeightBytes &bytes, RankedTensorType type, unsigned rowDim, char *out) const {
    auto element = cast<FloatType>(type.getElementType());
    int64_t size = element.getWidth() / 8, rows = type.getDimSize(rowDim), count = type.getDimSize(1 - rowDim);
    int64_t rowStride = rowDim == 0 ? count : 1, stride = rowDim == 0 ? 1 : rows;
    float numbers[kBlock];
    for (int64_t row = 0; row != rows; ++row)
      for (int64_t start = 0; start != count; start += kBlock, out += format.bytes) {
        for (int64_t at = 0; at != kBlock; ++at) {
          int64_t place = bytes.isSplat ? 0 : row * rowStride + (start + at) * stride;
          numbers[at] = readElement(bytes.data.data() + place * size, element);
        }
        if (!writeBlock(kind, numbers, out))
          return false;
      }
    return true;
  }

  static Value read(Composer &c, WeightDataOp data) {
    return c.make<WeightOp>(data.getTensorType(), data.getSymName());
  }

  void rewriteProduct(MatmulOp op, WeightDataOp data) {
    PatternRewriter rewriter(op.getContext());
    rewriter.setInsertionPoint(op);
    Composer c(rewriter, op);
    Value lhs = c.cast(op.getLhs(), rewriter.getF32Type());
    Value product = c.make<BlockMatmulOp>(lhs, read(c, data), rewriter.getStringAttr(getFormatName()));
    c.finish(c.cast(product, getElementTypeOrSelf(op.getType())));
  }

  void rewriteRows(TakeOp op, WeightDataOp data) {
    PatternRewriter rewriter(op.getContext());
    rewriter.setInsertionPoint(op);
    Composer c(rewriter, op);
    Value blocks = c.make<TakeOp>(read(c, data), op.getIndices(), op.getAxisAttr());
    Value numbers = c.make<DequantizeBlockOp>(blocks, rewriter.getStringAttr(getFormatName()));
    c.finish(c.cast(numbers, getElementTypeOrSelf(op.getType())));
  }

  /// Transposes and conversions that nobody reads any more go with what they read.
  static void eraseUnused(Operation *op) {
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      eraseUnused(user);
    op->erase();
  }

  ModuleOp module;
  SymbolTable symbols;
  Kind kind;
  int64_t minElements;
  StringRef blobDirectory;
  BlockFormat format;
};

struct QuantizeWeightsPass final : graph::impl::QuantizeWeightsPassBase<QuantizeWeightsPass> {
  using QuantizeWeightsPassBase::QuantizeWeightsPassBase;

  void runOnOperation() override {
    if (format != "q4f16_1" && format != "q8_0") {
      getOperation().emitError("there is no format '") << format << "' for weights, expected q4f16_1 or q8_0";
      return signalPassFailure();
    }
    Kind kind = format == "q8_0" ? Kind::Q8 : Kind::Q4;
    if (failed(Quantizer(getOperation(), kind, minElements, blobDirectory).run()))
      signalPassFailure();
  }
};
} // namespace
