//===- ManipulationOps.cpp - Moving elements ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RuntimeAxes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::Fact;
using mlir::relax::sym::SymExpr;
using mlir::relax::sym::Verdict;

static void emitTranspose(NodeEmitter &e) {
  SmallVector<int64_t> permutation = e.getInts("perm");
  if (permutation.empty() && !e.hasAttr("perm"))
    permutation = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(e.getRank(0))));
  e.setResult(0, e.permute(e.getTensor(0), permutation));
}

static void emitConcat(NodeEmitter &e) {
  if (!e.hasAttr("axis"))
    return e.fail("attribute 'axis' is missing");
  int64_t axis = e.normalizeAxis(e.getInt("axis", 0), e.getRank(0));
  SmallVector<Value> values;
  for (unsigned index = 0; index < e.getNumInputs(); ++index)
    values.push_back(e.getTensor(index));
  e.setResult(0, e.concat(values, axis));
}

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

/// Sizes of equal parts; since opset 18 the last may be smaller.
static Elements splitEvenly(NodeEmitter &e, SymExpr extent) {
  int64_t count = e.getNode().output_size();
  if (e.getOpset() >= 18 && e.getInt("num_outputs", count) != count)
    e.fail("attribute 'num_outputs' contradicts the number of outputs, " + Twine(count));
  if (e.getOpset() < 18)
    return Elements(count, e.divideExactly(extent, count));
  SymExpr part = SymExpr::ceildiv(extent, e.constant(count)), done = e.constant(0);
  Elements sizes;
  for (int64_t index = 0; index < count; ++index) {
    SymExpr next = e.minimum(part * (index + 1), extent);
    sizes.push_back(next - done);
    done = next;
  }
  return sizes;
}

/// The sizes as an input: run time checks their sum where they are not known.
static Elements readSizes(NodeEmitter &e, SymExpr extent) {
  std::optional<Elements> known = e.getElements(1);
  if (!known || e.getRank(1) != 1 || !llvm::is_contained(*known, SymExpr()))
    return e.requireExtents(1, "split");
  Value given = e.cast(e.getTensor(1), e.getI64());
  Value isValid =
      e.create<graph::EqualOp>({e.reduceSum(given, {0}, /*keepdims=*/false), e.dimScalar(extent, e.getI64())});
  SmallVector<SymExpr> sizes;
  bindExtents(e, given, known->size(), isValid, sizes);
  return e.failed() ? Elements() : Elements(sizes);
}

static void emitSplit(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t axis = e.normalizeAxis(e.getInt("axis", 0), dims.size());
  if (e.failed() || e.getNode().output_size() == 0)
    return;
  Elements sizes;
  if (e.getOpset() >= 13 && e.has(1))
    sizes = readSizes(e, dims[axis]);
  else if (e.getOpset() < 13 && e.hasAttr("split"))
    for (int64_t size : e.getInts("split"))
      sizes.push_back(e.constant(size));
  else
    sizes = splitEvenly(e, dims[axis]);
  if (!e.failed() && static_cast<int>(sizes.size()) != e.getNode().output_size())
    e.fail("has " + Twine(e.getNode().output_size()) + " outputs, split has " + Twine(sizes.size()) + " sizes");
  SymExpr total = e.constant(0);
  for (SymExpr size : sizes)
    total = total + size;
  if (e.failed() || !total)
    return e.fail("the sizes do not fit 64 bits");
  // What is not known of the sizes was checked when they were read.
  std::optional<Elements> given = e.getOpset() >= 13 && e.has(1) ? e.getElements(1) : std::nullopt;
  bool isChecked = given && llvm::is_contained(*given, SymExpr());
  if (!isChecked && e.getProver().isEqual(total, dims[axis]) != Verdict::True &&
      !e.getImporter().assume(Fact{total, Fact::Op::Equal, dims[axis]}))
    return e.fail("the sizes add up to " + Twine(total.str()) + ", the extent is " + dims[axis].str());
  Value x = e.getTensor(0);
  SymExpr start = e.constant(0);
  for (auto [index, size] : llvm::enumerate(sizes)) {
    NodeEmitter::Range range{axis, start, start + size};
    if (e.wants(index))
      e.setResult(index, e.slice(x, range));
    start = range.end;
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The four extents of an image, and the block size.
static SmallVector<SymExpr> readImage(NodeEmitter &e, int64_t &block) {
  SmallVector<SymExpr> dims = e.getDims(0);
  block = e.getInt("blocksize", 0);
  if (dims.size() != 4)
    e.fail("input has rank " + Twine(dims.size()) + ", expected 4");
  else if (block < 1 || block > (1 << 20))
    e.fail("attribute 'blocksize' is " + Twine(block) + ", expected at least 1");
  return dims;
}

/// Where the elements of a block go: DCR puts their depth last, CRD first.
static bool isDepthFirst(NodeEmitter &e) {
  std::string mode = e.getString("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    e.fail("attribute 'mode' is '" + printable(mode) + "', expected DCR or CRD");
  return mode == "CRD";
}

static void emitDepthToSpace(NodeEmitter &e) {
  int64_t block;
  SmallVector<SymExpr> dims = readImage(e, block);
  bool depthFirst = isDepthFirst(e);
  if (e.failed())
    return;
  SymExpr depth = e.divideExactly(dims[1], block * block), b = e.constant(block);
  Value x = e.getTensor(0);
  if (depthFirst)
    x = e.permute(e.reshape(x, {dims[0], depth, b, b, dims[2], dims[3]}), {0, 1, 4, 2, 5, 3});
  else
    x = e.permute(e.reshape(x, {dims[0], b, b, depth, dims[2], dims[3]}), {0, 3, 4, 1, 5, 2});
  e.setResult(0, e.reshape(x, {dims[0], depth, dims[2] * block, dims[3] * block}));
}

static void emitSpaceToDepth(NodeEmitter &e) {
  int64_t block;
  SmallVector<SymExpr> dims = readImage(e, block);
  bool depthFirst = isDepthFirst(e);
  if (e.failed())
    return;
  SymExpr height = e.divideExactly(dims[2], block), width = e.divideExactly(dims[3], block), b = e.constant(block);
  Value x = e.reshape(e.getTensor(0), {dims[0], dims[1], height, b, width, b});
  x = depthFirst ? e.permute(x, {0, 1, 3, 5, 2, 4}) : e.permute(x, {0, 3, 5, 1, 2, 4});
  e.setResult(0, e.reshape(x, {dims[0], dims[1] * (block * block), height, width}));
}

static void emitTile(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0), split, repeated, joined;
  Elements repeats = e.requireExtents(1, "repeats");
  if (!e.failed() && repeats.size() != dims.size())
    e.fail("has " + Twine(repeats.size()) + " repeats, the input has rank " + Twine(dims.size()));
  if (e.failed())
    return;
  for (auto [dim, repeat] : llvm::zip(dims, repeats)) {
    // A dimension that is repeated gets one of extent 1 before it, which is broadcast.
    if (repeat.getConstant() != 1) {
      split.push_back(e.constant(1));
      repeated.push_back(repeat);
    }
    split.push_back(dim);
    repeated.push_back(dim);
    joined.push_back(repeat * dim);
  }
  e.setResult(0, e.reshape(e.broadcastTo(e.reshape(e.getTensor(0), split), repeated), joined));
}

ArrayRef<OpEntry> mlir::relax::onnx::getManipulationOps() {
  static constexpr OpEntry entries[] = {
      {"Transpose", 1, 1, 1, 1, emitTranspose},       {"Concat", 1, 1, kVariadic, 1, emitConcat},
      {"Split", 1, 1, 2, kVariadic, emitSplit},       {"DepthToSpace", 1, 1, 1, 1, emitDepthToSpace},
      {"SpaceToDepth", 1, 1, 1, 1, emitSpaceToDepth}, {"Tile", 6, 2, 2, 1, emitTile},
  };
  return entries;
}
