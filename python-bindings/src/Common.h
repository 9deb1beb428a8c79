//===- Common.h - Arrays and errors of the extension modules ---*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_PYTHON_COMMON_H
#define RELAX_PYTHON_COMMON_H

#include "RelaxDialect/Runtime/Runtime.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

namespace relax_python {

namespace nb = nanobind;

/// Texts of the compiler may have bytes that are no UTF-8, from bad input.
nb::str decode(const std::string &text);
/// Raises relax.RelaxError, whose attributes are `status` and `diagnostics`.
[[noreturn]] void raiseError(const std::string &text, const char *status, const nb::list &diagnostics = nb::list());

/// One tensor of a signature.
struct TensorInfo {
  explicit TensorInfo(const relax_rt_tensor_info &info);

  std::string name;
  std::vector<std::string> dims;
  relax_rt_dtype dtype;
  bool donated;

  nb::tuple getDims() const;
  /// The dtype of numpy; raises ImportError when it takes ml_dtypes and that is not there.
  nb::object getNumpyDtype() const;
  std::string str() const;
};
void bindTensorInfo(nb::module_ &module);

/// An array that is donated, and the number of the input.
struct DonatedArray {
  size_t input;
  nb::object array;
  relax_rt_donation donation;
  void *data;
};

/// The arguments of a call as the C APIs take them. Data of arrays that are dense and aligned is not copied; the arrays
/// are kept alive and their memory is pinned until this ends. Made and destroyed with the GIL.
class Arguments {
public:
  /// Raises TypeError for missing, unknown and surplus arguments.
  Arguments(const std::string &function, const std::vector<TensorInfo> &inputs, const nb::args &args,
            const nb::kwargs &kwargs);
  ~Arguments();
  Arguments(const Arguments &) = delete;
  Arguments &operator=(const Arguments &) = delete;

  const relax_rt_tensor_view *data() const { return views.data(); }
  int64_t size() const { return static_cast<int64_t>(views.size()); }
  const std::vector<DonatedArray> &getDonated() const { return donated; }

private:
  void add(const TensorInfo &info, nb::handle value);
  bool addBuffer(nb::handle value);
  bool addTorch(nb::handle value);
  void addDonated(const TensorInfo &info, nb::handle value);

  std::vector<relax_rt_tensor_view> views;
  std::vector<DonatedArray> donated;
  std::vector<Py_buffer> buffers;
  std::vector<nb::object> storages; // of tensors of PyTorch
  std::vector<std::unique_ptr<int64_t[]>> shapes;
};

/// The result of a call in the memory of an array that was donated to it.
nb::object makeDonatedArray(const relax_rt_tensor_view &view, const DonatedArray &donated);
/// A new array with a copy of the tensor.
nb::object makeArray(const relax_rt_tensor_view &view);

} // namespace relax_python

#endif // RELAX_PYTHON_COMMON_H
