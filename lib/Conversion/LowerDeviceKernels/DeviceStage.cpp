//===- DeviceStage.cpp - One linalg op as a device function ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "DeviceStage.h"
#include "RelaxDialect/Runtime/DeviceCode.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::relax;

/// Invocations of a workgroup: what every device allows.
static constexpr int32_t kWorkgroup = 64;

Type relax::getStorageType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isBF16())
    return IntegerType::get(element.getContext(), 16);
  bool isKnown = element.isInteger(8) || element.isInteger(16) || element.isInteger(32) || element.isInteger(64) ||
                 element.isF16() || element.isF32() || element.isF64();
  return isKnown ? element : Type();
}

namespace {

/// A product, sum or quotient of numbers that are not negative is none either.
bool isNeverNegative(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr))
    return isNeverNegative(binary.getLHS()) && isNeverNegative(binary.getRHS());
  return isa<AffineDimExpr>(expr);
}

class StageEmitter {
public:
  StageEmitter(linalg::GenericOp op, DeviceScope &scope, std::string &reason)
      : op(op), scope(scope), reason(reason), loc(op.getLoc()), builder(op.getContext()), entry(op.getContext()) {}

  LogicalResult emit(gpu::GPUModuleOp module);

private:
  LogicalResult fail(const Twine &text) {
    if (reason.empty())
      reason = text.str();
    return failure();
  }

  LogicalResult readLoops();
  LogicalResult collectBindings();
  void createFunction(gpu::GPUModuleOp module);
  Value load32(unsigned word);
  Value getNumber(Size size);
  void computeCoordinates(Value linear);
  Value evaluate(AffineExpr expr);
  Value getAddress(const DeviceView &view, ValueRange indices);
  Value getOperandAddress(OpOperand &operand);
  bool isLinear(OpOperand &operand);
  Value loadElement(Value memref, Value address);
  void storeElement(Value value, Value memref, Value address);
  LogicalResult emitElement(Value linear);
  FailureOr<SmallVector<Value>> emitBody(ValueRange accumulated);
  LogicalResult rewriteAccesses(Operation *copy, IRMapping &mapping, Operation *original);
  FailureOr<Value> rewriteAccess(Operation *access);

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  template <typename OpTy> Value make(Value a, Value b) { return OpTy::create(builder, loc, a, b); }

  linalg::GenericOp op;
  DeviceScope &scope;
  std::string &reason;
  Location loc;
  OpBuilder builder, entry; // `entry` is in front of the loop over elements
  gpu::GPUFuncOp function;

  SmallVector<Size> loopSizes;
  SmallVector<unsigned> parallelLoops, reductionLoops; // parallel ones in the order of the result's elements
  SmallVector<unsigned> roots;                         // in the order of the bindings
  llvm::SmallBitVector written;
  bool usesError = false, isWide = false;
  IRMapping captured;
  llvm::MapVector<Value, unsigned> words; // sizes that are not constant
  DenseMap<Value, Value> loaded;
  SmallVector<Value> coordinates;
  Value linearIndex;
};

/// Every parallel loop must walk elements of the results: then no two invocations write the same one.
LogicalResult StageEmitter::readLoops() {
  SmallVector<Size> flat;
  for (Value operand : op->getOperands())
    if (auto found = scope.views.find(operand); found != scope.views.end())
      llvm::append_range(flat, found->second.sizes);
    else if (isa<MemRefType>(operand.getType()))
      return fail("uses memory of an unknown place");
  AffineMap map = op.getShapesToLoopsMap();
  if (!map || map.getNumDims() != flat.size())
    return fail("has loops whose length no operand shows");
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return fail("has loops whose length no operand shows");
    loopSizes.push_back(flat[dim.getPosition()]);
  }
  for (auto [index, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      reductionLoops.push_back(index);
    else if (kind != utils::IteratorType::parallel)
      return fail("has a loop that is neither parallel nor a reduction");
  unsigned numParallel = loopSizes.size() - reductionLoops.size();
  for (OpOperand &out : op.getDpsInitsMutable()) {
    SmallVector<unsigned> walked;
    for (AffineExpr expr : op.getMatchingIndexingMap(&out).getResults()) {
      if (isa<AffineConstantExpr>(expr))
        continue;
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || llvm::is_contained(reductionLoops, dim.getPosition()) ||
          llvm::is_contained(walked, dim.getPosition()))
        return fail("writes elements in an order that is not that of its loops");
      walked.push_back(dim.getPosition());
    }
    if (walked.size() != numParallel)
      return fail("writes an element several times");
    if (parallelLoops.empty())
      parallelLoops = walked;
  }
  return success();
}

LogicalResult StageEmitter::collectBindings() {
  auto add = [&](Value memref, bool isWritten) -> LogicalResult {
    auto found = scope.views.find(memref);
    if (found == scope.views.end())
      return fail("uses memory of an unknown place");
    auto *position = llvm::find(roots, found->second.root);
    unsigned index = position - roots.begin();
    if (position == roots.end()) {
      roots.push_back(found->second.root);
      written.resize(roots.size());
    }
    if (isWritten)
      written.set(index);
    return success();
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) && failed(add(operand.get(), op.isDpsInit(&operand))))
      return failure();
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op.getRegion(), above);
  for (Value value : above) {
    if (value == scope.errorWord)
      usesError = true;
    else if (isa<MemRefType>(value.getType()) && failed(add(value, false)))
      return failure();
  }
  WalkResult walk = op.getRegion().walk<WalkOrder::PreOrder>([&](Operation *inner) {
    bool isKnown =
        isa<arith::ArithDialect>(inner->getDialect()) ||
        isa<scf::IfOp, scf::ForOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp, linalg::IndexOp, linalg::YieldOp,
            memref::LoadOp, memref::DimOp, affine::AffineApplyOp>(inner) ||
        // The others are not as exact on devices as on the CPU.
        isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp, math::RoundEvenOp, math::SqrtOp, math::FmaOp>(
            inner);
    if (auto update = dyn_cast<memref::GenericAtomicRMWOp>(inner); update && update.getMemref() == scope.errorWord)
      return WalkResult::skip();
    if (!isKnown) {
      (void)fail("'" + inner->getName().getStringRef() + "' has no exact form on devices");
      return WalkResult::interrupt();
    }
    // Numbers that are computed from data may need 64 bits.
    for (Type type : inner->getResultTypes())
      isWide |= type.isIndex() && !isa<linalg::IndexOp, arith::ConstantOp, memref::DimOp>(inner);
    isWide |= isa<scf::ForOp, scf::WhileOp>(inner);
    for (Value operand : inner->getOperands())
      if (IntegerAttr number; operand.getType().isIndex() && matchPattern(operand, m_Constant(&number)))
        isWide |= !llvm::isInt<32>(number.getInt());
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

void StageEmitter::createFunction(gpu::GPUModuleOp module) {
  MLIRContext *context = op.getContext();
  auto makeBuffer = [&](Type element) { return MemRefType::get({ShapedType::kDynamic}, element); };
  SmallVector<Type> types;
  SmallVector<int64_t> bindings, writes;
  for (auto [index, root] : llvm::enumerate(roots)) {
    types.push_back(makeBuffer(scope.rootTypes[root]));
    bindings.push_back(root);
    writes.push_back(written[index]);
  }
  types.push_back(makeBuffer(builder.getI32Type()));
  bindings.push_back(relax_rt::kBindWords);
  writes.push_back(0);
  if (usesError) {
    types.push_back(makeBuffer(builder.getI32Type()));
    bindings.push_back(relax_rt::kBindError);
    writes.push_back(1);
  }
  builder.setInsertionPointToEnd(module.getBody());
  unsigned number = llvm::range_size(module.getOps<gpu::GPUFuncOp>());
  function =
      gpu::GPUFuncOp::create(builder, loc, "stage" + std::to_string(number), FunctionType::get(context, types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr({kWorkgroup, 1, 1}));
  function->setAttr(kBindingsAttrName, builder.getDenseI64ArrayAttr(bindings));
  function->setAttr(kWrittenAttrName, builder.getDenseI64ArrayAttr(writes));
  if (isWide)
    function->setAttr(kWideIndexAttrName, builder.getUnitAttr());
}

Value StageEmitter::load32(unsigned word) {
  Value index = arith::ConstantIndexOp::create(entry, loc, word);
  Value number = memref::LoadOp::create(entry, loc, function.getArgument(roots.size()), index);
  return arith::IndexCastOp::create(entry, loc, entry.getIndexType(), number);
}

/// A size as an index of the stage. Word 0 is the number of elements.
Value StageEmitter::getNumber(Size size) {
  if (std::optional<int64_t> value = getConstantIntValue(size))
    return arith::ConstantIndexOp::create(entry, loc, *value);
  auto host = cast<Value>(size);
  Value &number = loaded[host];
  if (!number)
    number = load32(1 + words.insert({host, words.size()}).first->second);
  return number;
}

/// Where in its loops an element of the result is, the last loop fastest.
void StageEmitter::computeCoordinates(Value linear) {
  linearIndex = linear;
  coordinates.assign(loopSizes.size(), Value());
  Value rest = linear;
  for (auto [position, loop] : llvm::enumerate(llvm::reverse(parallelLoops))) {
    if (getConstantIntValue(loopSizes[loop]) == 1) {
      coordinates[loop] = constant(0);
    } else if (position + 1 == parallelLoops.size()) {
      coordinates[loop] = rest;
    } else {
      Value size = getNumber(loopSizes[loop]);
      coordinates[loop] = make<arith::RemUIOp>(rest, size);
      rest = make<arith::DivUIOp>(rest, size);
    }
  }
}

/// A result of an indexing map; null when it could be negative on the way.
Value StageEmitter::evaluate(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return coordinates[dim.getPosition()];
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constant(number.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return {};
  Value left = evaluate(binary.getLHS()), right = evaluate(binary.getRHS());
  if (!left || !right)
    return {};
  if (expr.getKind() == AffineExprKind::Add)
    return make<arith::AddIOp>(left, right);
  if (expr.getKind() == AffineExprKind::Mul)
    return make<arith::MulIOp>(left, right);
  if (!isNeverNegative(expr) || !isa<AffineConstantExpr>(binary.getRHS()))
    return {};
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return make<arith::DivUIOp>(left, right);
  return expr.getKind() == AffineExprKind::Mod ? make<arith::RemUIOp>(left, right) : Value();
}

Value StageEmitter::getAddress(const DeviceView &view, ValueRange indices) {
  Value address = getNumber(view.offset);
  for (auto [index, stride] : llvm::zip_equal(indices, view.strides))
    address = make<arith::AddIOp>(address, make<arith::MulIOp>(index, getNumber(stride)));
  return address;
}

/// Elements of the operand lie in the order in which the results are made.
bool StageEmitter::isLinear(OpOperand &operand) {
  const DeviceView &view = scope.views.find(operand.get())->second;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!view.isContiguous || map.getNumResults() != parallelLoops.size())
    return false;
  for (auto [expr, loop] : llvm::zip_equal(map.getResults(), parallelLoops))
    if (expr != builder.getAffineDimExpr(loop))
      return false;
  return true;
}

Value StageEmitter::getOperandAddress(OpOperand &operand) {
  const DeviceView &view = scope.views.find(operand.get())->second;
  if (isLinear(operand))
    return make<arith::AddIOp>(getNumber(view.offset), linearIndex);
  SmallVector<Value> indices;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    indices.push_back(evaluate(expr));
    if (!indices.back())
      return {};
  }
  return getAddress(view, indices);
}

Value StageEmitter::loadElement(Value memref, Value address) {
  unsigned root = scope.views.find(memref)->second.root;
  Value value =
      memref::LoadOp::create(builder, loc, function.getArgument(llvm::find(roots, root) - roots.begin()), address);
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  if (element.isInteger(1))
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(0)));
  if (element.isBF16())
    return arith::BitcastOp::create(builder, loc, element, value);
  return value;
}

void StageEmitter::storeElement(Value value, Value memref, Value address) {
  unsigned root = scope.views.find(memref)->second.root;
  if (value.getType().isInteger(1))
    value = arith::ExtUIOp::create(builder, loc, builder.getI8Type(), value);
  else if (value.getType().isBF16())
    value = arith::BitcastOp::create(builder, loc, builder.getI16Type(), value);
  memref::StoreOp::create(builder, loc, value, function.getArgument(llvm::find(roots, root) - roots.begin()), address);
}

/// What stands for an operation that knows of memory or of the loops.
FailureOr<Value> StageEmitter::rewriteAccess(Operation *access) {
  builder.setInsertionPoint(access);
  if (auto index = dyn_cast<linalg::IndexOp>(access))
    return coordinates[index.getDim()];
  if (auto load = dyn_cast<memref::LoadOp>(access)) {
    auto found = scope.views.find(load.getMemRef());
    if (found == scope.views.end())
      return fail("reads memory of an unknown place");
    return loadElement(load.getMemRef(), getAddress(found->second, load.getIndices()));
  }
  if (auto dim = dyn_cast<memref::DimOp>(access)) {
    auto found = scope.views.find(dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (found == scope.views.end() || !index || *index >= static_cast<int64_t>(found->second.sizes.size()))
      return fail("asks for an extent that is not known");
    return getNumber(found->second.sizes[*index]);
  }
  // Which error it was is found by repeating the kernel on the CPU.
  Value one = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
  memref::StoreOp::create(builder, loc, one, function.getArguments().back(), constant(0));
  return Value();
}

LogicalResult StageEmitter::rewriteAccesses(Operation *copy, IRMapping &mapping, Operation *original) {
  SmallVector<Operation *> accesses;
  copy->walk([&](Operation *inner) {
    if (isa<linalg::IndexOp, memref::LoadOp, memref::DimOp, memref::GenericAtomicRMWOp>(inner))
      accesses.push_back(inner);
  });
  OpBuilder::InsertionGuard guard(builder);
  for (Operation *access : accesses) {
    FailureOr<Value> value = rewriteAccess(access);
    if (failed(value))
      return failure();
    if (access == copy && *value)
      mapping.map(original->getResult(0), *value);
    if (*value)
      access->getResult(0).replaceAllUsesWith(*value);
    else if (!access->use_empty())
      return fail("uses the value of an error word");
    access->erase();
  }
  return success();
}

/// One step of the loops: the values that linalg.yield gives.
FailureOr<SmallVector<Value>> StageEmitter::emitBody(ValueRange accumulated) {
  Block *body = op.getBody();
  IRMapping mapping = captured;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (op.isDpsInit(&operand)) {
      mapping.map(argument, accumulated[operand.getOperandNumber() - op.getNumDpsInputs()]);
      continue;
    }
    if (argument.use_empty())
      continue;
    if (!isa<MemRefType>(operand.get().getType())) {
      Operation *scalar = operand.get().getDefiningOp();
      if (!scalar || !scalar->hasTrait<OpTrait::ConstantLike>())
        return fail("takes a scalar that is not constant");
      mapping.map(argument, entry.clone(*scalar)->getResult(0));
      continue;
    }
    Value address = getOperandAddress(operand);
    if (!address)
      return fail("reads elements in an order that has no simple form");
    mapping.map(argument, loadElement(operand.get(), address));
  }
  for (Operation &inner : body->without_terminator())
    if (failed(rewriteAccesses(builder.clone(inner, mapping), mapping, &inner)))
      return failure();
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

LogicalResult StageEmitter::emitElement(Value linear) {
  computeCoordinates(linear);
  SmallVector<Value> addresses, values;
  for (OpOperand &out : op.getDpsInitsMutable()) {
    addresses.push_back(getOperandAddress(out));
    if (!addresses.back())
      return fail("writes elements in an order that has no simple form");
    values.push_back(loadElement(out.get(), addresses.back())); // without use it goes away
  }
  SmallVector<scf::ForOp> loops;
  for (unsigned loop : reductionLoops) {
    auto nested = scf::ForOp::create(builder, loc, constant(0), getNumber(loopSizes[loop]), constant(1), values);
    builder.setInsertionPointToStart(nested.getBody());
    coordinates[loop] = nested.getInductionVar();
    values.assign(nested.getRegionIterArgs().begin(), nested.getRegionIterArgs().end());
    loops.push_back(nested);
  }
  FailureOr<SmallVector<Value>> results = emitBody(values);
  if (failed(results))
    return failure();
  values = std::move(*results);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, values);
    values.assign(loop.getResults().begin(), loop.getResults().end());
    builder.setInsertionPointAfter(loop);
  }
  for (auto [out, value, address] : llvm::zip_equal(op.getDpsInits(), values, addresses))
    storeElement(value, out, address);
  return success();
}

LogicalResult StageEmitter::emit(gpu::GPUModuleOp module) {
  if (failed(readLoops()) || failed(collectBindings()))
    return failure();
  createFunction(module);
  Block &block = function.getBody().front();
  builder.setInsertionPointToStart(&block);
  // Sizes are loaded in front of this.
  Operation *first = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  entry.setInsertionPoint(first);
  Value count = load32(0);
  Value workgroup = constant(kWorkgroup);
  Value begin = make<arith::AddIOp>(make<arith::MulIOp>(first->getResult(0), workgroup),
                                    gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x));
  Value step = make<arith::MulIOp>(gpu::GridDimOp::create(builder, loc, gpu::Dimension::x), workgroup);
  auto loop = scf::ForOp::create(builder, loc, begin, count, step);
  gpu::ReturnOp::create(builder, loc);

  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op.getRegion(), above);
  for (Value value : above) {
    if (isa<MemRefType>(value.getType()))
      continue;
    Operation *constant = value.getDefiningOp();
    if (constant && constant->hasTrait<OpTrait::ConstantLike>())
      captured.map(value, entry.clone(*constant)->getResult(0));
    else if (Size size = value.getType().isIndex() ? scope.sizes.lookup(value) : Size())
      captured.map(value, getNumber(size));
    else
      return fail("takes a scalar that is not known on the host");
  }
  builder.setInsertionPointToStart(loop.getBody());
  if (failed(emitElement(loop.getInductionVar())))
    return failure();

  SmallVector<Size> parallelSizes;
  for (unsigned parallel : parallelLoops)
    parallelSizes.push_back(loopSizes[parallel]);
  scope.sizes.append(scope.sizes.multiply(parallelSizes));
  for (auto &[host, word] : words)
    scope.sizes.append(Size(host));
  function->setAttr(kWordsAttrName, builder.getI64IntegerAttr(1 + words.size()));
  return success();
}

} // namespace

LogicalResult relax::emitStage(linalg::GenericOp op, DeviceScope &scope, gpu::GPUModuleOp module, std::string &reason) {
  return StageEmitter(op, scope, reason).emit(module);
}
