//===- HostOps.cpp - Host code of shapes, memory and scalars --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "CaptureRegions.h"
#include "HostEmitter.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDonation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

static constexpr StringLiteral kOutputAttrName = "relax.output", kExtendsAttrName = "relax.extends";

LogicalResult HostEmitter::emitBlock(Block &block) {
  for (Operation *op = &block.front(); op != block.getTerminator(); op = op->getNextNode()) {
    loc = op->getLoc();
    if (!isCollecting && op->hasAttr(kCaptureAttrName)) {
      FailureOr<Operation *> last = emitCaptureRegion(op);
      if (failed(last))
        return failure();
      op = *last;
    } else if (failed(emitOp(op))) {
      return failure();
    }
  }
  loc = block.getTerminator()->getLoc();
  if (auto result = dyn_cast<func::ReturnOp>(block.getTerminator()))
    return emitReturn(result);
  return success(); // the owner of the block reads the operands
}

LogicalResult HostEmitter::emitOp(Operation *op) {
  if (auto call = dyn_cast<ProgramCallOpInterface>(op))
    return emitCall(call);
  if (auto call = dyn_cast<CallOp>(op))
    return emitFunctionCall(call);
  for (auto family : {&HostEmitter::emitShapeOp, &HostEmitter::emitMemoryOp, &HostEmitter::emitControlFlow}) {
    bool handled = false;
    if (failed((this->*family)(op, handled)))
      return failure();
    if (handled)
      return success();
  }
  return emitScalarOp(op);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult HostEmitter::emitShapeOp(Operation *op, bool &handled) {
  handled = true;
  if (auto shapeOf = dyn_cast<ShapeOfOp>(op)) {
    shapes[shapeOf.getResult()] = tensors[shapeOf.getSource()].dims;
  } else if (auto make = dyn_cast<MakeShapeOp>(op)) {
    SmallVector<Value> entries;
    for (SymExpr expr : sym::getSymbolicDims(make.getType())) {
      Value value = evaluate(expr);
      if (!value)
        return op->emitOpError("has an entry that is not known");
      guardSize(expr, value, "size " + expr.str());
      entries.push_back(value);
    }
    shapes[make.getResult()] = entries;
  } else if (auto toTensor = dyn_cast<ShapeToTensorOp>(op)) {
    emitShapeToTensor(toTensor);
  } else if (auto toShape = dyn_cast<TensorToShapeOp>(op)) {
    return emitTensorToShape(toShape);
  } else if (auto cast = dyn_cast<MatchCastOp>(op)) {
    return emitMatchCast(cast);
  } else if (isa<RefineOp, EraseShapeOp>(op)) {
    if (isa<ShapeType>(op->getOperand(0).getType()))
      shapes[op->getResult(0)] = SmallVector<Value>(shapes[op->getOperand(0)]);
    else
      tensors[op->getResult(0)] = HostTensor(tensors[op->getOperand(0)]);
  } else if (auto view = dyn_cast<ReshapeOp>(op)) {
    // The same memory; the rule about the number of elements was proved or has been asserted.
    HostTensor tensor = tensors[view.getOperand()];
    tensor.dims = shapes[view.getShape()];
    tensors[view.getResult()] = tensor;
  } else if (auto eval = dyn_cast<EvalExprOp>(op)) {
    Value value = evaluate(eval.getExpr().getValue());
    if (!value)
      return op->emitOpError("uses a symbol that is not known here");
    scalars.map(eval.getResult(), arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value));
  } else if (auto check = dyn_cast<AssertShapeOp>(op)) {
    FailureOr<sym::Fact> fact = check.getParsedFact();
    if (succeeded(fact))
      guardFact(*fact, known, RELAX_RT_GUARD_FAILED, check.getMessage());
  } else {
    handled = false;
  }
  return success();
}

/// Extents of `actual` as the types claim: listed symbols get their values, other known extents are checked.
void HostEmitter::checkOrBindExtents(Operation *op, ArrayRef<SymExpr> from, ArrayRef<SymExpr> to,
                                     ArrayRef<Value> actual, ArrayRef<StringRef> binds, StringRef what) {
  SmallVector<StringRef> bound;
  // First what binds: a later extent may use a symbol that an earlier one does not know yet.
  SmallVector<unsigned> rest;
  for (auto [index, expr] : llvm::enumerate(to)) {
    if (!expr)
      continue;
    std::optional<StringRef> symbol = expr.getSymbol();
    if (symbol && llvm::is_contained(binds, *symbol) && !llvm::is_contained(bound, *symbol)) {
      bind(*symbol, actual[index]);
      bound.push_back(*symbol);
    } else if (index >= from.size() || from[index] != expr) {
      rest.push_back(index);
    }
  }
  for (unsigned index : rest) {
    Value expected = evaluate(to[index]);
    if (expected)
      guardEqual(expected, actual[index], RELAX_RT_GUARD_FAILED,
                 what + " " + Twine(index) + ": expected " + to[index].str() + " = {0}, actual {1}");
  }
  checkFacts(bound, RELAX_RT_GUARD_FAILED);
}

static SmallVector<StringRef> getNames(ArrayAttr binds) {
  return llvm::map_to_vector(binds.getAsValueRange<StringAttr>(), [](StringRef name) { return name; });
}

LogicalResult HostEmitter::emitMatchCast(MatchCastOp op) {
  bool isShape = isa<ShapeType>(op.getSource().getType());
  SmallVector<Value> actual = isShape ? shapes[op.getSource()] : tensors[op.getSource()].dims;
  checkOrBindExtents(op, sym::getSymbolicDims(op.getSource().getType()), sym::getSymbolicDims(op.getType()), actual,
                     getNames(op.getBinds()), isShape ? "match_cast: entry" : "match_cast: dimension");
  if (isShape)
    shapes[op.getResult()] = actual;
  else
    tensors[op.getResult()] = HostTensor(tensors[op.getSource()]);
  return success();
}

LogicalResult HostEmitter::emitTensorToShape(TensorToShapeOp op) {
  HostTensor source = tensors[op.getSource()];
  SmallVector<SymExpr> to = sym::getSymbolicDims(op.getType());
  guardEqual(constant(to.size()), source.dims[0], RELAX_RT_GUARD_FAILED,
             "tensor_to_shape: expected a tensor of {0} values, actual {1}");
  SmallVector<Value> entries;
  awaitLaunches();
  for (int64_t index = 0, e = to.size(); index < e; ++index) {
    Value value = loadField(i64, source.data, index);
    guardSize(SymExpr(), value, "tensor_to_shape: entry " + Twine(index));
    entries.push_back(value);
  }
  checkOrBindExtents(op, {}, to, entries, getNames(op.getBinds()), "tensor_to_shape: entry");
  shapes[op.getResult()] = entries;
  return success();
}

void HostEmitter::emitShapeToTensor(ShapeToTensorOp op) {
  ArrayRef<Value> entries = shapes[op.getShape()];
  HostTensor tensor;
  tensor.data = allocateOnStack(entries.size());
  tensor.dims = {constant(entries.size())};
  for (auto [index, value] : llvm::enumerate(entries))
    storeElement(value, tensor.data, index);
  tensors[op.getResult()] = tensor;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

HostTensor HostEmitter::makeTensor(Value data, RankedTensorType type) {
  HostTensor tensor;
  tensor.data = data;
  for (int64_t size : type.getShape())
    tensor.dims.push_back(constant(size));
  return tensor;
}

LogicalResult HostEmitter::emitMemoryOp(Operation *op, bool &handled) {
  handled = true;
  // The weights section, when the module has one, is never NULL.
  auto atWeight = [&](std::optional<int64_t> offset, Value result) -> LogicalResult {
    if (!offset)
      return op->emitOpError("makes the weights larger than 2^60 bytes");
    Value base = loadField(pointerType, invocation, 2);
    Value address = LLVM::GEPOp::create(builder, loc, pointerType, builder.getI8Type(), base,
                                        ArrayRef<LLVM::GEPArg>{constant(*offset)});
    tensors[result] = makeTensor(address, cast<RankedTensorType>(result.getType()));
    return success();
  };
  if (auto weight = dyn_cast<WeightOp>(op)) {
    auto data = dyn_cast_or_null<WeightDataOp>(tables.lookup(weight.getName()));
    if (!data)
      return op->emitOpError("names no 'relax.weight_data'");
    return atWeight(tables.getWeight(data), weight.getResult());
  }
  if (auto constant = dyn_cast<ConstantOp>(op))
    return atWeight(tables.getConstant(constant.getValue()), constant.getResult());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto elements = dyn_cast<ElementsAttr>(constant.getValue()))
      return atWeight(tables.getConstant(elements), constant.getResult());
  if (auto storage = dyn_cast<StorageOp>(op)) {
    if (storage.getSpace() == "growing" || storage.getSpace() == "alternating") {
      reserveGrowing(storage);
      return success();
    }
    if (storage.getSpace() != "arena")
      return success(); // an output is allocated where its extents are known
    Value base = callRuntimeForPointer(1, toI64(scalars.lookup(storage.getBytes())));
    storages[storage.getResult()] = base;
    if (!arenaBase)
      arenaBase = base;
    return success();
  }
  if (auto at = dyn_cast<TensorAtOp>(op))
    return emitTensorAt(at);
  handled = false;
  return success();
}

/// Extents of a type, which are sizes; none where a symbol is not known.
std::optional<SmallVector<Value>> HostEmitter::evaluateExtents(Type type) {
  SmallVector<Value> extents;
  for (SymExpr expr : sym::getSymbolicDims(type)) {
    Value value = evaluate(expr);
    if (!value)
      return std::nullopt;
    guardSize(expr, value, "extent " + expr.str());
    extents.push_back(value);
  }
  return extents;
}

/// Of a result that is made at `op`: the function may return a view of it, whose extents are known by then. Other names
/// have the extents of the tensor, whatever their symbols are.
std::optional<SmallVector<Value>> HostEmitter::getOutputExtents(TensorAtOp op, int64_t index, ArrayRef<Value> dims) {
  Type type = source.getBody().front().getTerminator()->getOperand(index).getType();
  std::optional<SmallVector<Value>> extents;
  if (sym::getSymbolicDims(type) != sym::getSymbolicDims(op.getType()))
    extents = evaluateExtents(type);
  if (!extents && cast<RankedTensorType>(type).getRank() == static_cast<int64_t>(dims.size()))
    extents = SmallVector<Value>(dims);
  return extents;
}

LogicalResult HostEmitter::emitTensorAt(TensorAtOp op) {
  std::optional<SmallVector<Value>> extents = evaluateExtents(op.getType());
  if (!extents)
    return op.emitOpError("uses a symbol that is not known here");
  HostTensor tensor;
  tensor.dims = *extents;
  Operation *storage = op.getStorage().getDefiningOp();
  auto output = storage ? storage->getAttrOfType<IntegerAttr>(kOutputAttrName) : IntegerAttr();
  if (output && !storages.contains(op.getStorage())) {
    tensor.output = output.getInt();
    std::optional<SmallVector<Value>> dims = getOutputExtents(op, output.getInt(), tensor.dims);
    if (!dims)
      return op.emitOpError("is returned with extents that are not known here");
    auto extends = storage->getAttrOfType<IntegerAttr>(kExtendsAttrName);
    if (auto donated = storage->getAttrOfType<IntegerAttr>(kDonatedAttrName))
      tensor.data = donateOutput(output.getInt(), *dims, donated.getInt(), /*keep=*/static_cast<bool>(extends));
    else
      tensor.data =
          extends ? extendOutput(output.getInt(), *dims, extends.getInt()) : allocateOutput(output.getInt(), *dims);
    storages[op.getStorage()] = tensor.data;
  } else if (growing.count(op.getStorage())) {
    tensor.data = growStorage(op.getStorage(), countBytes(tensor.dims, op.getType().getElementType()));
  } else if (Value base = storages.lookup(op.getStorage())) {
    Value offset = toI64(scalars.lookup(op.getOffset()));
    tensor.data =
        LLVM::GEPOp::create(builder, loc, pointerType, builder.getI8Type(), base, ArrayRef<LLVM::GEPArg>{offset});
  } else {
    return op.emitOpError("is in a storage of unknown space, expected 'arena', 'output', 'growing' or 'alternating'");
  }
  tensors[op.getResult()] = tensor;
  return success();
}

Value HostEmitter::allocateOutput(int64_t index, ArrayRef<Value> dims) {
  if (form == HostForm::Internal) {
    // The caller keeps one block for each result.
    Value block = arith::AddIOp::create(builder, loc, resultBlock, constant(index));
    Type elementType = cast<RankedTensorType>(source.getResultTypes()[index]).getElementType();
    return callRuntimeForPointer(6, {block, countBytes(dims, elementType)});
  }
  Value array = getScratch(Scratch::Dims, dims.size());
  for (auto [dim, value] : llvm::enumerate(dims))
    storeElement(value, array, dim);
  return callRuntimeForPointer(0, {constant(index), array});
}

Value HostEmitter::extendOutput(int64_t index, ArrayRef<Value> dims, int64_t argument) {
  if (form == HostForm::Internal) {
    // The memory of the caller's tensor is not this function's to grow.
    Value target = allocateOutput(index, dims);
    Value input = source.getArgument(argument);
    copyTensor(target, tensors[input], cast<RankedTensorType>(input.getType()).getElementType());
    return target;
  }
  Value array = getScratch(Scratch::Dims, dims.size());
  for (auto [dim, value] : llvm::enumerate(dims))
    storeElement(value, array, dim);
  return callRuntimeForPointer(10, {constant(index), array, constant(argument)});
}

Value HostEmitter::donateOutput(int64_t index, ArrayRef<Value> dims, int64_t argument, bool keep) {
  // Only who calls from outside donates.
  if (form == HostForm::Internal)
    return keep ? extendOutput(index, dims, argument) : allocateOutput(index, dims);
  Value array = getScratch(Scratch::Dims, dims.size());
  for (auto [dim, value] : llvm::enumerate(dims))
    storeElement(value, array, dim);
  return callRuntimeForPointer(16, {constant(index), array, constant(argument), constant(keep)});
}

void HostEmitter::copyTensor(Value target, const HostTensor &tensor, Type elementType) {
  awaitLaunches();
  // The tensor is in memory, so its size fits; with an extent of zero the product is zero.
  Value bytes = constant(llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8));
  for (Value dim : tensor.dims)
    bytes = arith::MulIOp::create(builder, loc, bytes, dim);
  LLVM::MemcpyOp::create(builder, loc, target, tensor.data, bytes, /*isVolatile=*/false);
}

Value HostEmitter::copyToOutput(int64_t index, const HostTensor &tensor, Type elementType) {
  Value target = allocateOutput(index, tensor.dims);
  copyTensor(target, tensor, elementType);
  return target;
}

LogicalResult HostEmitter::emitReturn(func::ReturnOp op) {
  if (form == HostForm::Internal)
    return emitInternalReturn(op);
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType())) {
      const HostTensor &tensor = tensors[value];
      if (tensor.output != static_cast<int64_t>(index))
        copyToOutput(index, tensor, type.getElementType());
      continue;
    }
    // Shapes and indices leave as int64.
    SmallVector<Value> words, dims;
    if (isa<ShapeType>(value.getType())) {
      words = shapes[value];
      dims = {constant(words.size())};
    } else if (value.getType().isIndex()) {
      words = {toI64(scalars.lookup(value))};
    } else {
      return op.emitOpError("result ") << index << " has type " << value.getType()
                                       << ", expected a tensor, a shape or an index";
    }
    Value target = allocateOutput(index, dims);
    for (auto [position, word] : llvm::enumerate(words))
      storeElement(word, target, position);
  }
  Value status = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(RELAX_RT_OK));
  func::ReturnOp::create(builder, loc, status);
  return success();
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

LogicalResult HostEmitter::emitScalarOp(Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  if (auto query = dyn_cast<ext::AvailableOp>(op)) {
    auto library = dyn_cast_or_null<ext::ExternFuncOp>(tables.lookup(query.getCallee()));
    if (!library)
      return op->emitOpError("asks for '") << query.getCallee() << "', which is not a library function";
    Value wanted = arith::ExtUIOp::create(builder, loc, i64, scalars.lookup(query.getWanted()));
    Value found = callRuntimeFor(i64, 9, {constant(tables.getOptionalExtern(library)), wanted});
    scalars.map(query.getResult(),
                arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, found, constant(0)).getResult());
    return success();
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    const HostTensor &tensor = tensors[dim.getSource()];
    if (!index || *index < 0 || *index >= static_cast<int64_t>(tensor.dims.size()))
      return op->emitOpError(
          "has a dimension that is not a constant inside of the rank, which host code does not support");
    scalars.map(dim.getResult(), arith::IndexCastOp::create(builder, loc, builder.getIndexType(), tensor.dims[*index]));
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    const HostTensor &tensor = tensors[extract.getTensor()];
    Value position = constant(0);
    for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
      Value at = toI64(scalars.lookup(index));
      Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, at, tensor.dims[dim]);
      guard(inside, RELAX_RT_GUARD_FAILED, "index {0} is outside of dimension " + Twine(dim) + " of extent {1}",
            {at, tensor.dims[dim]});
      Value row = arith::MulIOp::create(builder, loc, position, tensor.dims[dim]);
      position = arith::AddIOp::create(builder, loc, row, at);
    }
    awaitLaunches();
    scalars.map(extract.getResult(), loadElement(extract.getType(), tensor.data, position));
    return success();
  }
  // Offsets into the arena are sums that must not overflow.
  if (auto sum = dyn_cast<arith::AddIOp>(op);
      sum && sum.getType().isIndex() && bitEnumContainsAll(sum.getOverflowFlags(), arith::IntegerOverflowFlags::nsw)) {
    Value value = addChecked(toI64(scalars.lookup(sum.getLhs())), toI64(scalars.lookup(sum.getRhs())),
                             "the function needs more memory than 64 bits can count");
    scalars.map(sum.getResult(), arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value));
    return success();
  }
  bool plain = op->getNumRegions() == 0 && isMemoryEffectFree(op) && op->getName().getDialectNamespace() == "arith" &&
               llvm::all_of(op->getOperandTypes(), isScalar) && llvm::all_of(op->getResultTypes(), isScalar);
  if (!plain)
    return op->emitOpError("cannot be lowered to host code");
  // Division of scalars would trap the process.
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp>(op)) {
    Value divisor = scalars.lookup(op->getOperand(1));
    Value zero = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(divisor.getType(), 0));
    guard(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, divisor, zero), RELAX_RT_GUARD_FAILED,
          "integer division by a divisor that is not positive", {});
  }
  builder.clone(*op, scalars);
  return success();
}
