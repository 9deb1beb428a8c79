//===- Tensor.h - Values of the reference interpreter ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Every element is kept in 64 bits, whatever its type: floats as a double that
// the type can represent, integers sign-extended (i1 and unsigned ones
// zero-extended). Setting an element rounds or wraps it to the type.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_INTERPRETER_TENSOR_H
#define RELAXDIALECT_INTERPRETER_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <memory>
#include <variant>
#include <vector>

namespace mlir::relax::interp {

/// One element; which member counts follows from the type.
union Number {
  double f;
  int64_t i;
};
inline Number floatNumber(double value) {
  Number number;
  number.f = value;
  return number;
}
inline Number intNumber(int64_t value) {
  Number number;
  number.i = value;
  return number;
}

/// Rounds to nearest, ties to even, once. `type` is a float type of at most 64 bits.
double roundToType(Type type, double value);
/// Keeps the low bits. `type` is an integer of at most 64 bits or index.
int64_t wrapToType(Type type, int64_t value);
/// True for i1 and unsigned integers: compared, extended and converted without sign.
bool isUnsignedElement(Type type);
/// What orders integers of the type: 64 unsigned bits are held as they are, with their highest bit as a sign.
int64_t getOrder(Type type, int64_t value);
/// Spacing of the type's numbers at 1.0.
double getEpsilon(Type type);
/// Float and integer types that the interpreter can hold.
bool isSupportedElement(Type type);

/// A dense tensor in row-major order.
class Tensor {
public:
  Tensor() = default;
  /// All elements are zero. The product of the extents is checked by the interpreter (Frame::makeTensor).
  Tensor(Type elementType, ArrayRef<int64_t> dims);

  Type getElementType() const { return elementType; }
  ArrayRef<int64_t> getDims() const { return dims; }
  int64_t getDim(int64_t index) const { return dims[index]; }
  int64_t getRank() const { return static_cast<int64_t>(dims.size()); }
  int64_t size() const { return static_cast<int64_t>(elements.size()); }
  bool isFloat() const { return isa<FloatType>(elementType); }

  Number operator[](int64_t position) const { return elements[position]; }
  double f(int64_t position) const { return elements[position].f; }
  int64_t i(int64_t position) const { return elements[position].i; }
  int64_t order(int64_t position) const { return getOrder(elementType, elements[position].i); }
  /// Position of a multi-dimensional index.
  int64_t at(ArrayRef<int64_t> index) const;

  /// Copies an element of a tensor of the same type.
  void set(int64_t position, Number value) { elements[position] = value; }
  /// Rounds to the element type and remembers when that was inexact.
  void setFloat(int64_t position, double value);
  /// As setFloat; `error` bounds what another order of evaluation in the accumulator may change besides.
  void setFloat(int64_t position, double value, double error);
  /// Wraps to the element type.
  void setInt(int64_t position, int64_t value) { elements[position].i = wrapToType(elementType, value); }

  /// The same elements with other extents; the numbers of elements are equal.
  Tensor reshaped(ArrayRef<int64_t> newDims) const;

  /// The same bits as elements of another type of the same width.
  Tensor reinterpreted(Type type) const;

  /// How far another correct implementation may be away from an element, when something was rounded. Empty else.
  ArrayRef<double> getErrors() const { return errors; }
  void clearErrors() { errors.clear(); }

private:
  Type elementType;
  SmallVector<int64_t> dims;
  std::vector<Number> elements;
  std::vector<double> errors;
};

/// Visits every index of a shape in row-major order; never when an extent is 0, once when there is no dimension.
void forEachIndex(ArrayRef<int64_t> dims, llvm::function_ref<void(ArrayRef<int64_t>)> visit);
/// As above, until `visit` fails.
LogicalResult forEachIndexOrFail(ArrayRef<int64_t> dims, llvm::function_ref<LogicalResult(ArrayRef<int64_t>)> visit);
/// `[2, 3]`
std::string formatShape(ArrayRef<int64_t> dims);
/// The value of a dense attribute.
FailureOr<Tensor> readElements(ElementsAttr attr);
/// Little-endian bytes of the elements, one byte for what is smaller; the other way round.
void writeBytes(const Tensor &tensor, uint8_t *bytes);
void readBytes(const uint8_t *bytes, Tensor &tensor);
int64_t getElementBytes(Type elementType);

/// Raw memory of relax.storage and relax.alloc.
struct Storage {
  std::vector<uint8_t> bytes;
};
/// A tensor that lives in a storage: its elements are read when it is used.
struct PlacedTensor {
  std::shared_ptr<Storage> storage;
  int64_t offset = 0;
  Type elementType;
  SmallVector<int64_t> dims;
};

/// A piece of typed memory of a tensor program in buffer form.
struct Buffer {
  std::shared_ptr<std::vector<Number>> memory;
  Type elementType;
  int64_t offset = 0;
  SmallVector<int64_t> dims, strides;

  /// Position of an index inside of the extents.
  int64_t at(ArrayRef<int64_t> index) const;
};
/// Row-major memory of its own that holds the tensor's elements.
Buffer makeBuffer(const Tensor &tensor);
/// What a buffer holds now.
Tensor readBuffer(const Buffer &buffer);

/// A value of `!relax.shape`.
using Shape = SmallVector<int64_t>;
/// A scalar: index, integer or float.
struct Scalar {
  Type type;
  Number value;
};

using RuntimeValue = std::variant<std::monostate, std::shared_ptr<const Tensor>, Shape, Scalar,
                                  std::shared_ptr<Storage>, PlacedTensor, Buffer>;

inline RuntimeValue makeValue(Tensor tensor) { return std::make_shared<const Tensor>(std::move(tensor)); }

} // namespace mlir::relax::interp

#endif // RELAXDIALECT_INTERPRETER_TENSOR_H
