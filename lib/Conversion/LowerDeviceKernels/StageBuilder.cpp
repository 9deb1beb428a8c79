//===- StageBuilder.cpp - What schedules write stages with ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "StageBuilder.h"
#include "RelaxDialect/Runtime/DeviceCode.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::relax;

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

LogicalResult StageBuilder::addRoot(Value memref, bool isWritten, const DenseSet<unsigned> &kept) {
  const DeviceView *view = scope.find(memref);
  if (!view)
    return fail("uses memory of an unknown place");
  if (kept.contains(view->root))
    return success();
  auto *position = llvm::find(roots, view->root);
  unsigned index = position - roots.begin();
  if (position == roots.end()) {
    roots.push_back(view->root);
    written.resize(roots.size());
  }
  if (isWritten)
    written.set(index);
  return success();
}

LogicalResult StageBuilder::checkBody(linalg::GenericOp op) {
  WalkResult walk = op.getRegion().walk<WalkOrder::PreOrder>([&](Operation *inner) {
    bool isKnown =
        // A remainder by 0 is undefined there.
        (isa<arith::ArithDialect>(inner->getDialect()) && !isa<arith::RemFOp>(inner)) ||
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

LogicalResult StageBuilder::use(const StageLoops &loops, const DenseSet<unsigned> &kept) {
  linalg::GenericOp op = loops.op;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) && failed(addRoot(operand.get(), op.isDpsInit(&operand), kept)))
      return failure();
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op.getRegion(), above);
  for (Value value : above) {
    if (value == scope.errorWord)
      usesError = true;
    else if (isa<MemRefType>(value.getType()) && failed(addRoot(value, false, {})))
      return failure();
  }
  return checkBody(op);
}

void StageBuilder::create(gpu::GPUModuleOp module, StringRef schedule) {
  MLIRContext *context = module.getContext();
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
  function->setAttr(kScheduleAttrName, builder.getStringAttr(schedule));
  if (isWide)
    function->setAttr(kWideIndexAttrName, builder.getUnitAttr());
  builder.setInsertionPointToStart(&function.getBody().front());
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  // Sizes are loaded in front of this.
  entry.setInsertionPoint(thread.getDefiningOp());
  count = load32(0);
  gpu::ReturnOp::create(builder, loc);
  builder.setInsertionPointAfterValue(thread);
}

Value StageBuilder::openLoop(Value begin, Value step) {
  auto loop = scf::ForOp::create(builder, loc, begin, count, step);
  builder.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

Value StageBuilder::openUnits() {
  Value workgroup = constant(kWorkgroup);
  Value begin = make<arith::MulIOp>(gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x), workgroup);
  Value step = make<arith::MulIOp>(gpu::GridDimOp::create(builder, loc, gpu::Dimension::x), workgroup);
  return make<arith::DivUIOp>(openLoop(begin, step), workgroup);
}

Value StageBuilder::openElements() {
  Value workgroup = constant(kWorkgroup);
  Value block = make<arith::MulIOp>(gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x), workgroup);
  Value begin = make<arith::AddIOp>(block, thread);
  return openLoop(begin, make<arith::MulIOp>(gpu::GridDimOp::create(builder, loc, gpu::Dimension::x), workgroup));
}

/// A scalar of the kernel, computed anew from constants and numbers of the host; null when it is made of something
/// else.
Value StageBuilder::getScalar(Value value) {
  if (Value known = captured.lookupOrNull(value))
    return known;
  if (Value made = scalars.lookup(value))
    return made;
  if (Size size = value.getType().isIndex() ? scope.sizes.lookup(value) : Size())
    return getNumber(size);
  Operation *op = value.getDefiningOp();
  if (!op || !isa<arith::ArithDialect>(op->getDialect()) || op->getNumRegions() || !isPure(op))
    return {};
  // Numbers of the host have 31 bits here: their conversion needs no wider ones.
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    if (auto *cast = op->getOperand(0).getDefiningOp(); isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(cast))
      if (Size size = cast->getOperand(0).getType().isIndex() ? scope.sizes.lookup(cast->getOperand(0)) : Size()) {
        Value number = arith::IndexCastOp::create(entry, loc, entry.getI32Type(), getNumber(size));
        return scalars[value] = arith::SIToFPOp::create(entry, loc, value.getType(), number);
      }
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value copy = getScalar(operand);
    if (!copy)
      return {};
    mapping.map(operand, copy);
  }
  return scalars[value] = entry.clone(*op, mapping)->getResult(0);
}

LogicalResult StageBuilder::capture(const StageLoops &loops) {
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(loops.op->getRegion(0), above);
  for (Value value : above) {
    if (isa<MemRefType>(value.getType()))
      continue;
    Value scalar = getScalar(value);
    if (!scalar)
      return fail("takes a scalar that is not known on the host");
    captured.map(value, scalar);
  }
  return success();
}

void StageBuilder::finish(Size number) {
  scope.words.push_back(number);
  for (auto &[host, word] : words)
    scope.words.push_back(Size(host));
  function->setAttr(kWordsAttrName, builder.getI64IntegerAttr(1 + words.size()));
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    function->setAttr(kGridAttrName, builder.getI64IntegerAttr(llvm::divideCeil(*constant, kWorkgroup)));
  isDone = true;
}

Value StageBuilder::load32(unsigned word) {
  Value index = arith::ConstantIndexOp::create(entry, loc, word);
  Value number = memref::LoadOp::create(entry, loc, function.getArgument(roots.size()), index);
  return arith::IndexCastOp::create(entry, loc, entry.getIndexType(), number);
}

Value StageBuilder::getNumber(Size size) {
  if (std::optional<int64_t> value = getConstantIntValue(size))
    return arith::ConstantIndexOp::create(entry, loc, *value);
  auto host = cast<Value>(size);
  Value &number = loaded[host];
  if (!number)
    number = load32(1 + words.insert({host, words.size()}).first->second);
  return number;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// How a value lies in memory of the workgroup.
static Type getSharedType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 32);
  return getStorageType(element);
}

Value StageBuilder::shareMemory(Type element, int64_t elements) {
  Attribute space = builder.getI64IntegerAttr(3); // upstream's number for memory of a workgroup
  auto type = MemRefType::get({elements}, getSharedType(element), MemRefLayoutAttrInterface(), space);
  return memref::AllocOp::create(entry, loc, type);
}

Value StageBuilder::loadShared(Value memory, Value index, Type element) {
  Value value = memref::LoadOp::create(builder, loc, memory, index);
  if (element.isInteger(1))
    return arith::TruncIOp::create(builder, loc, element, value);
  if (element != value.getType())
    return arith::BitcastOp::create(builder, loc, element, value);
  return value;
}

void StageBuilder::storeShared(Value value, Value memory, Value index) {
  Type stored = cast<MemRefType>(memory.getType()).getElementType();
  if (value.getType().isInteger(1))
    value = arith::ExtUIOp::create(builder, loc, stored, value);
  else if (value.getType() != stored)
    value = arith::BitcastOp::create(builder, loc, stored, value);
  memref::StoreOp::create(builder, loc, value, memory, index);
}

Value StageBuilder::getBuffer(Value memref) {
  return function.getArgument(llvm::find(roots, scope.find(memref)->root) - roots.begin());
}

Value StageBuilder::load(Value memref, Value address) {
  Value value = memref::LoadOp::create(builder, loc, getBuffer(memref), address);
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  if (element.isInteger(1))
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(0)));
  if (element.isBF16())
    return arith::BitcastOp::create(builder, loc, element, value);
  return value;
}

void StageBuilder::store(Value value, Value memref, Value address) {
  if (value.getType().isInteger(1))
    value = arith::ExtUIOp::create(builder, loc, builder.getI8Type(), value);
  else if (value.getType().isBF16())
    value = arith::BitcastOp::create(builder, loc, builder.getI16Type(), value);
  memref::StoreOp::create(builder, loc, value, getBuffer(memref), address);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

void StageBuilder::decompose(const StageLoops &loops, ArrayRef<unsigned> which, Value linear,
                             MutableArrayRef<Value> coordinates) {
  Value rest = linear;
  for (auto [position, loop] : llvm::enumerate(llvm::reverse(which))) {
    if (getConstantIntValue(loops.sizes[loop]) == 1) {
      coordinates[loop] = constant(0);
    } else if (position + 1 == which.size()) {
      coordinates[loop] = rest;
    } else {
      Value size = getNumber(loops.sizes[loop]);
      coordinates[loop] = make<arith::RemUIOp>(rest, size);
      rest = make<arith::DivUIOp>(rest, size);
    }
  }
}

Size StageBuilder::countStepsOnHost(const StageLoops &loops, ArrayRef<unsigned> which) {
  SmallVector<Size> sizes;
  for (unsigned loop : which)
    sizes.push_back(loops.sizes[loop]);
  return scope.sizes.multiply(sizes);
}

Value StageBuilder::countSteps(const StageLoops &loops, ArrayRef<unsigned> which) {
  return getNumber(countStepsOnHost(loops, which));
}

/// A product, sum or quotient of numbers that are not negative is none either.
static bool isNeverNegative(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr))
    return isNeverNegative(binary.getLHS()) && isNeverNegative(binary.getRHS());
  return isa<AffineDimExpr>(expr);
}

/// A result of an indexing map; null when it could be negative on the way.
Value StageBuilder::evaluate(AffineExpr expr, ArrayRef<Value> coordinates) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return coordinates[dim.getPosition()];
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constant(number.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return {};
  Value left = evaluate(binary.getLHS(), coordinates), right = evaluate(binary.getRHS(), coordinates);
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

Value StageBuilder::computeAddress(const DeviceView &view, ValueRange indices) {
  Value address = getNumber(view.offset);
  for (auto [index, stride] : llvm::zip_equal(indices, view.strides))
    address = make<arith::AddIOp>(address, make<arith::MulIOp>(index, getNumber(stride)));
  return address;
}

/// Elements of the operand lie in the order in which the results are made.
bool StageBuilder::isLinear(const StageLoops &loops, OpOperand &operand) {
  const DeviceView &view = *scope.find(operand.get());
  linalg::GenericOp op = loops.op;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!linearIndex || !view.isContiguous || map.getNumResults() != loops.parallel.size())
    return false;
  for (auto [expr, loop] : llvm::zip_equal(map.getResults(), loops.parallel))
    if (expr != builder.getAffineDimExpr(loop))
      return false;
  return true;
}

Value StageBuilder::getAddress(const StageLoops &loops, OpOperand &operand, ArrayRef<Value> coordinates) {
  const DeviceView &view = *scope.find(operand.get());
  if (isLinear(loops, operand))
    return make<arith::AddIOp>(getNumber(view.offset), linearIndex);
  SmallVector<Value> indices;
  linalg::GenericOp op = loops.op;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    indices.push_back(evaluate(expr, coordinates));
    if (!indices.back())
      return {};
  }
  return computeAddress(view, indices);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

Value StageBuilder::makeNeutral(Operation *combiner) {
  return arith::ConstantOp::create(builder, loc, *arith::getNeutralElement(combiner));
}

Value StageBuilder::combine(Operation *combiner, Value a, Value b) {
  IRMapping mapping;
  mapping.map(combiner->getOperand(0), a);
  mapping.map(combiner->getOperand(1), b);
  return builder.clone(*combiner, mapping)->getResult(0);
}

Value StageBuilder::loadInitial(const StageLoops &loops, OpOperand &out, ArrayRef<Value> coordinates) {
  if (Operation *initial = scope.initial.lookup(&out))
    return entry.clone(*initial)->getResult(0);
  Value address = getAddress(loops, out, coordinates);
  return address ? load(out.get(), address) : Value();
}

/// What stands for an operation that knows of memory or of the loops.
FailureOr<Value> StageBuilder::rewriteAccess(Operation *access, ArrayRef<Value> coordinates) {
  builder.setInsertionPoint(access);
  if (auto index = dyn_cast<linalg::IndexOp>(access))
    return coordinates[index.getDim()];
  if (auto load = dyn_cast<memref::LoadOp>(access)) {
    const DeviceView *view = scope.find(load.getMemRef());
    if (!view)
      return fail("reads memory of an unknown place");
    return this->load(load.getMemRef(), computeAddress(*view, load.getIndices()));
  }
  if (auto dim = dyn_cast<memref::DimOp>(access)) {
    const DeviceView *view = scope.find(dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!view || !index || *index >= static_cast<int64_t>(view->sizes.size()))
      return fail("asks for an extent that is not known");
    return getNumber(view->sizes[*index]);
  }
  // Which error it was is found by repeating the kernel on the CPU.
  Value one = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
  memref::StoreOp::create(builder, loc, one, function.getArguments().back(), constant(0));
  return Value();
}

LogicalResult StageBuilder::rewriteAccesses(Operation *copy, IRMapping &mapping, Operation *original,
                                            ArrayRef<Value> coordinates) {
  SmallVector<Operation *> accesses;
  copy->walk([&](Operation *inner) {
    if (isa<linalg::IndexOp, memref::LoadOp, memref::DimOp, memref::GenericAtomicRMWOp>(inner))
      accesses.push_back(inner);
  });
  OpBuilder::InsertionGuard guard(builder);
  for (Operation *access : accesses) {
    FailureOr<Value> value = rewriteAccess(access, coordinates);
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

FailureOr<SmallVector<Value>> StageBuilder::emitBody(const StageLoops &loops, ArrayRef<Value> coordinates,
                                                     ValueRange accumulated, OperandFn atHand) {
  linalg::GenericOp op = loops.op;
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
      Value scalar = getScalar(operand.get());
      if (!scalar)
        return fail("takes a scalar that is not known on the host");
      mapping.map(argument, scalar);
      continue;
    }
    if (Value value = atHand(operand)) {
      mapping.map(argument, value);
      continue;
    }
    Value address = getAddress(loops, operand, coordinates);
    if (!address)
      return fail("reads elements in an order that has no simple form");
    mapping.map(argument, load(operand.get(), address));
  }
  for (Operation &inner : body->without_terminator())
    if (failed(rewriteAccesses(builder.clone(inner, mapping), mapping, &inner, coordinates)))
      return failure();
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}
