//===- PackWeights.cpp - Weights in the order in which kernels read them --===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A contraction reads its weights tile by tile of columns. Here the bytes of
// such weights are put in that order once, when compiling: panels of as many
// columns as a tile has, in each one step of the reduction after the other
// (PanelLayout.h). A weight is packed when all that read it agree, so that it is
// never there twice.
//
//===----------------------------------------------------------------------===//
#include "RegisterTiles.h"
#include "RelaxDialect/Conversion/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/WeightBytes.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/SymbolTable.h"

#include <map>

namespace mlir::relax {
#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

/// Dimensions of a weight in their new order: outer ones, panels, inner ones (the reduction), columns of a panel.
struct Layout {
  SmallVector<unsigned> outer, inner;
  unsigned column = 0;
  int64_t width = 0;

  bool operator==(const Layout &other) const {
    return outer == other.outer && inner == other.inner && column == other.column && width == other.width;
  }

  RankedTensorType getType(RankedTensorType type) const {
    SmallVector<int64_t> shape;
    for (unsigned dim : outer)
      shape.push_back(type.getDimSize(dim));
    shape.push_back(llvm::divideCeil(type.getDimSize(column), width));
    for (unsigned dim : inner)
      shape.push_back(type.getDimSize(dim));
    shape.push_back(width);
    return RankedTensorType::get(shape, type.getElementType());
  }
};

/// A weight or constant: every op that gives its value.
struct Weight {
  RankedTensorType type;
  Attribute value;
  graph::WeightDataOp data; // null for constants
  SmallVector<Operation *> readers;
};

/// The layout in which `op` reads `input`, and the indexing map that goes with it.
std::optional<std::pair<Layout, AffineMap>> chooseLayout(linalg::GenericOp op, OpOperand &input, int64_t vectorBits) {
  std::optional<PanelChoice> choice = choosePanels(op, input, vectorBits);
  if (!choice)
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(&input);
  auto [column, width] = *choice;
  Layout layout;
  layout.width = width;
  SmallVector<AffineExpr> outer, inner;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    AffineExpr expr = getAffineDimExpr(loop, op.getContext());
    std::optional<unsigned> dim = map.getResultPosition(expr);
    if (!dim)
      continue;
    if (loop == column) {
      layout.column = *dim;
      continue;
    }
    bool reduction = iterator == utils::IteratorType::reduction;
    (reduction ? layout.inner : layout.outer).push_back(*dim);
    (reduction ? inner : outer).push_back(expr);
  }
  AffineExpr expr = getAffineDimExpr(column, op.getContext());
  outer.push_back(expr.floorDiv(width));
  llvm::append_range(outer, inner);
  outer.push_back(expr % width);
  return std::make_pair(layout, AffineMap::get(map.getNumDims(), 0, outer, op.getContext()));
}

/// Writes the elements in their new order; what pads the last panel is 0.
void pack(const graph::WeightBytes &bytes, RankedTensorType type, const Layout &layout, MutableArrayRef<char> to) {
  size_t size = type.getElementTypeBitWidth() / 8;
  SmallVector<int64_t> strides(type.getRank(), bytes.isSplat ? 0 : size);
  for (unsigned dim = type.getRank(); !bytes.isSplat && dim-- > 1;)
    strides[dim - 1] = strides[dim] * type.getDimSize(dim);
  int64_t columns = type.getDimSize(layout.column), stride = strides[layout.column];
  char *out = to.data();

  struct Loop {
    int64_t count, stride;
  };
  SmallVector<Loop> loops;
  for (unsigned dim : layout.outer)
    loops.push_back({type.getDimSize(dim), strides[dim]});
  size_t panelLoop = loops.size();
  loops.push_back({static_cast<int64_t>(llvm::divideCeil(columns, layout.width)), layout.width * stride});
  for (unsigned dim : layout.inner)
    loops.push_back({type.getDimSize(dim), strides[dim]});

  auto walk = [&](auto &self, size_t depth, const char *from, int64_t first) -> void {
    if (depth != loops.size()) {
      for (int64_t i = 0; i < loops[depth].count; ++i)
        self(self, depth + 1, from + i * loops[depth].stride, depth == panelLoop ? i * layout.width : first);
      return;
    }
    int64_t present = std::min(layout.width, columns - first);
    if (stride == static_cast<int64_t>(size))
      std::memcpy(out, from, present * size);
    else
      for (int64_t i = 0; i < present; ++i)
        std::memcpy(out + i * size, from + i * stride, size);
    std::memset(out + present * size, 0, (layout.width - present) * size);
    out += layout.width * size;
  };
  walk(walk, 0, bytes.data.data(), 0);
}

/// Elements that padding may always add, and the part of a larger weight.
constexpr int64_t kSmallPadding = 4096, kPaddingDivisor = 8;

class WeightPacker {
public:
  WeightPacker(ModuleOp module, int64_t vectorBits, StringRef blobDirectory)
      : module(module), symbols(module), vectorBits(vectorBits), blobDirectory(blobDirectory) {}

  LogicalResult run() {
    llvm::MapVector<Attribute, Weight> weights;
    module.walk([&](Operation *op) {
      if (auto reader = dyn_cast<graph::WeightOp>(op)) {
        if (auto data = symbols.lookup<graph::WeightDataOp>(reader.getName())) {
          Weight &weight = weights[data.getSymNameAttr()];
          weight.type = data.getTensorType();
          weight.value = data.getValue();
          weight.data = data;
          weight.readers.push_back(op);
        }
      } else if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
        Weight &weight = weights[constant.getValue()];
        weight.type = dyn_cast<RankedTensorType>(constant.getValue().getShapedType());
        weight.value = constant.getValue();
        weight.readers.push_back(op);
      }
    });
    for (auto &[key, weight] : weights)
      if (weight.type && weight.type.hasStaticShape() && failed(packWeight(weight)))
        return failure();
    return success();
  }

private:
  /// A program that takes one input in panels, and their layout.
  struct PackedProgram {
    OwningOpRef<tp::ProgramOp> owner; // until it is in the module
    tp::ProgramOp program;
    Layout layout;
  };

  LogicalResult packWeight(Weight &weight) {
    SmallVector<OpOperand *> uses;
    llvm::SmallPtrSet<Operation *, 4> calls;
    const Layout *layout = nullptr;
    for (Operation *reader : weight.readers)
      for (OpOperand &use : reader->getResult(0).getUses()) {
        PackedProgram *packed = getPackedProgram(use);
        if (!packed || (layout && !(packed->layout == *layout)) || !calls.insert(use.getOwner()).second)
          return success();
        layout = &packed->layout;
        uses.push_back(&use);
      }
    if (!layout)
      return success();
    RankedTensorType type = layout->getType(weight.type);
    int64_t elements = weight.type.getNumElements();
    if (type.getNumElements() > elements + elements / kPaddingDivisor + kSmallPadding)
      return success();

    Operation *first = weight.data ? weight.data.getOperation() : weight.readers.front();
    FailureOr<graph::WeightBytes> bytes = graph::readWeightBytes(first, weight.type, weight.value, blobDirectory);
    if (failed(bytes))
      return failure();
    if (bytes->data.empty())
      return success(); // no elements, or an attribute of another kind
    std::string name = ((weight.data ? weight.data.getSymName() : "constant") + "_panels").str();
    ElementsAttr value =
        graph::createElements(type, name, [&](MutableArrayRef<char> to) { pack(*bytes, weight.type, *layout, to); });
    graph::WeightDataOp data;
    if (weight.data) {
      OpBuilder builder(weight.data);
      data = graph::WeightDataOp::create(builder, weight.data.getLoc(), name, type, value);
      symbols.insert(data);
    }
    for (OpOperand *use : uses) {
      auto call = cast<graph::CallTPOp>(use->getOwner());
      PackedProgram *packed = getPackedProgram(*use);
      if (packed->owner)
        symbols.insert(packed->owner.release(), Block::iterator(symbols.lookup(call.getCallee())));
      OpBuilder builder(call);
      Location loc = use->get().getLoc();
      use->set(data ? graph::WeightOp::create(builder, loc, type, data.getSymName()).getResult()
                    : graph::ConstantOp::create(builder, loc, value).getResult());
      call.setCallee(packed->program.getSymName());
    }
    for (Operation *reader : weight.readers)
      reader->erase();
    if (weight.data)
      symbols.erase(weight.data);
    return success();
  }

  /// The callee of a use with that input in panels; null when it does not read it so.
  PackedProgram *getPackedProgram(OpOperand &use) {
    auto call = dyn_cast<graph::CallTPOp>(use.getOwner());
    auto program = call ? symbols.lookup<tp::ProgramOp>(call.getCallee()) : tp::ProgramOp();
    unsigned index = use.getOperandNumber();
    if (!program || program.isBufferForm() || !call.getDestinations().empty() || index >= program.getNumInputs())
      return nullptr;
    auto [known, isNew] = programs.try_emplace({program.getOperation(), index});
    if (isNew)
      known->second = createPackedProgram(program, index);
    return known->second.get();
  }

  std::unique_ptr<PackedProgram> createPackedProgram(tp::ProgramOp program, unsigned index) {
    BlockArgument argument = program.getInputs()[index];
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !type.hasStaticShape() || !argument.hasOneUse())
      return nullptr;
    auto isReduction = [](Operation *user) {
      auto op = dyn_cast<linalg::LinalgOp>(user);
      return op && op.hasPureTensorSemantics() && op.getNumReductionLoops() != 0;
    };
    if (!isReduction(*argument.user_begin()))
      return nullptr;

    auto packed = std::make_unique<PackedProgram>();
    packed->owner = program.clone();
    packed->program = packed->owner.get();
    argument = packed->program.getInputs()[index];
    auto op = cast<linalg::LinalgOp>(*argument.user_begin());
    IRRewriter rewriter(op.getContext());
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> generalized = linalg::generalizeNamedOp(rewriter, op);
      if (failed(generalized))
        return nullptr;
      generic = *generalized;
    }
    OpOperand &input = *argument.use_begin();
    if (input.getOwner() != generic || !generic.isDpsInput(&input))
      return nullptr;
    auto chosen = chooseLayout(generic, input, vectorBits);
    if (!chosen)
      return nullptr;

    packed->layout = chosen->first;
    SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
    maps[input.getOperandNumber()] = chosen->second;
    generic.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    argument.setType(packed->layout.getType(type));
    packed->program.setFunctionType(
        rewriter.getFunctionType(packed->program.getBody().getArgumentTypes(), packed->program.getResultTypes()));
    return packed;
  }

  ModuleOp module;
  SymbolTable symbols;
  int64_t vectorBits;
  StringRef blobDirectory;
  std::map<std::pair<Operation *, unsigned>, std::unique_ptr<PackedProgram>> programs;
};

struct PackWeightsPass final : relax::impl::PackWeightsPassBase<PackWeightsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(WeightPacker(getOperation(), vectorBits, blobDirectory).run()))
      signalPassFailure();
  }
};

} // namespace
