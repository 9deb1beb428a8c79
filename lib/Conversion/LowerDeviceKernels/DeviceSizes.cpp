//===- DeviceSizes.cpp - What the host computes for a launch --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "DeviceSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <limits>

using namespace mlir;
using namespace mlir::relax;

DeviceSizes::DeviceSizes(func::FuncOp kernel) : kernel(kernel), loc(kernel.getLoc()), builder(kernel.getContext()) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  function = func::FuncOp::create(loc, ("relax_device_" + kernel.getName()).str(),
                                  builder.getFunctionType({pointer, pointer}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  // Scalars follow the extents of all buffers.
  int64_t position = 0;
  for (BlockArgument argument : kernel.getArguments().drop_back())
    if (auto type = dyn_cast<MemRefType>(argument.getType()))
      position += type.getNumDynamicDims();
  for (BlockArgument argument : kernel.getArguments())
    if (argument.getType().isIndex())
      known[argument] = loadScalar(position++);
}

Value DeviceSizes::loadScalar(int64_t position) {
  Type i64 = builder.getI64Type();
  Value scalars = function.getArgument(0);
  Value address =
      LLVM::GEPOp::create(builder, loc, scalars.getType(), i64, scalars,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(position)}, LLVM::GEPNoWrapFlags::inbounds);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    LLVM::LoadOp::create(builder, loc, i64, address));
}

Size DeviceSizes::getExtent(unsigned argument, int64_t dim) {
  auto type = cast<MemRefType>(kernel.getArgument(argument).getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  int64_t position = type.getDynamicDimIndex(dim);
  for (BlockArgument earlier : kernel.getArguments().take_front(argument))
    position += cast<MemRefType>(earlier.getType()).getNumDynamicDims();
  return loadScalar(position);
}

Size DeviceSizes::lookup(Value value) {
  if (IntegerAttr attr; value.getType().isIndex() && matchPattern(value, m_Constant(&attr)))
    return constant(attr.getInt());
  return known.lookup(value);
}

bool DeviceSizes::repeat(Operation *op) {
  if (op->getNumRegions() || !isPure(op))
    return false;
  for (Type type : op->getResultTypes())
    if (!type.isIntOrIndex())
      return false;
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (Size size = lookup(operand)) {
      mapping.map(operand, materialize(size));
      continue;
    }
    Operation *constant = operand.getDefiningOp();
    if (!constant || !constant->hasTrait<OpTrait::ConstantLike>())
      return false;
    mapping.map(operand, builder.clone(*constant)->getResult(0));
  }
  for (auto [old, copy] : llvm::zip_equal(op->getResults(), builder.clone(*op, mapping)->getResults()))
    known[old] = copy;
  return true;
}

Value DeviceSizes::materialize(Size size) {
  if (auto value = dyn_cast<Value>(size))
    return value;
  return arith::ConstantIndexOp::create(builder, loc, cast<IntegerAttr>(cast<Attribute>(size)).getInt());
}

Size DeviceSizes::add(Size a, Size b) {
  std::optional<int64_t> first = getConstantIntValue(a), second = getConstantIntValue(b);
  if (first == 0)
    return b;
  if (second == 0)
    return a;
  if (int64_t sum; first && second && !llvm::AddOverflow(*first, *second, sum))
    return constant(sum);
  return arith::AddIOp::create(builder, loc, materialize(a), materialize(b)).getResult();
}

Size DeviceSizes::multiply(Size a, Size b) {
  std::optional<int64_t> first = getConstantIntValue(a), second = getConstantIntValue(b);
  if (first == 1)
    return b;
  if (second == 1)
    return a;
  if (int64_t product; first && second && !llvm::MulOverflow(*first, *second, product))
    return constant(product);
  Type i64 = builder.getI64Type();
  auto cast = [&](Size size) -> Value { return arith::IndexCastOp::create(builder, loc, i64, materialize(size)); };
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  auto product = arith::MulSIExtendedOp::create(builder, loc, cast(a), cast(b));
  // It fits when the high half repeats the sign.
  Value sign = arith::ShRSIOp::create(builder, loc, product.getLow(), number(63));
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, product.getHigh(), sign);
  Value result =
      arith::SelectOp::create(builder, loc, fits, product.getLow(), number(std::numeric_limits<int64_t>::max()));
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), result).getResult();
}

Size DeviceSizes::multiply(ArrayRef<Size> factors) {
  Size product = constant(1);
  for (Size factor : factors)
    product = multiply(product, factor);
  return product;
}

Size DeviceSizes::divideUp(Size size, int64_t divisor) {
  if (divisor == 1)
    return size;
  if (std::optional<int64_t> value = getConstantIntValue(size))
    return constant(llvm::divideCeil(*value, divisor));
  auto number = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value above = arith::AddIOp::create(builder, loc, materialize(size), number(divisor - 1));
  return arith::DivUIOp::create(builder, loc, above, number(divisor)).getResult();
}

void DeviceSizes::append(Size size) {
  Type i64 = builder.getI64Type();
  Value out = function.getArgument(1);
  Value address =
      LLVM::GEPOp::create(builder, loc, out.getType(), i64, out,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(nextWord++)}, LLVM::GEPNoWrapFlags::inbounds);
  LLVM::StoreOp::create(builder, loc, arith::IndexCastOp::create(builder, loc, i64, materialize(size)), address);
}

void DeviceSizes::finish() { func::ReturnOp::create(builder, loc); }
