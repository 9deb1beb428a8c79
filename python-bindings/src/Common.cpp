//===- Common.cpp - Arrays and errors of the extension modules ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Common.h"

#include <cstring>
#include <utility>

using namespace relax_python;

namespace {

/// Objects of Python that are looked up once. Never destroyed: the interpreter may be gone by then.
struct Python {
  nb::object error, empty, toArray, donated, getDonated, viewDonated;
};

Python &python() {
  static Python *objects = [] {
    auto *made = new Python();
    made->error = nb::module_::import_("relax._errors").attr("RelaxError");
    made->empty = nb::module_::import_("numpy").attr("empty");
    nb::module_ arrays = nb::module_::import_("relax._arrays");
    made->toArray = arrays.attr("to_array");
    made->donated = arrays.attr("Donated");
    made->getDonated = arrays.attr("get_donated");
    made->viewDonated = arrays.attr("view_donated");
    return made;
  }();
  return *objects;
}

/// Element types that numpy has from the package ml_dtypes.
constexpr struct {
  const char *name;
  relax_rt_dtype dtype;
} kExtraTypes[] = {
    {"bfloat16", {RELAX_RT_BFLOAT, 16, 1}},
    {"float8_e4m3fn", {RELAX_RT_FLOAT8_E4M3FN, 8, 1}},
    {"float8_e4m3fnuz", {RELAX_RT_FLOAT8_E4M3FNUZ, 8, 1}},
    {"float8_e5m2", {RELAX_RT_FLOAT8_E5M2, 8, 1}},
    {"float8_e5m2fnuz", {RELAX_RT_FLOAT8_E5M2FNUZ, 8, 1}},
    {"float8_e8m0fnu", {RELAX_RT_FLOAT8_E8M0FNU, 8, 1}},
    {"float4_e2m1fn", {RELAX_RT_FLOAT4_E2M1FN, 4, 1}},
    {"int4", {RELAX_RT_INT, 4, 1}},
    {"int2", {RELAX_RT_INT, 2, 1}},
    {"uint4", {RELAX_RT_UINT, 4, 1}},
    {"uint2", {RELAX_RT_UINT, 2, 1}},
};

const char *getExtraName(relax_rt_dtype dtype) {
  for (const auto &extra : kExtraTypes)
    if (extra.dtype.code == dtype.code && extra.dtype.bits == dtype.bits)
      return extra.name;
  return nullptr;
}

/// The name of numpy or ml_dtypes.
std::string getTypeName(relax_rt_dtype dtype) {
  if (const char *name = getExtraName(dtype))
    return name;
  if (dtype.code == RELAX_RT_BOOL)
    return "bool";
  const char *kind = dtype.code == RELAX_RT_INT ? "int" : dtype.code == RELAX_RT_UINT ? "uint" : "float";
  return kind + std::to_string(dtype.bits);
}

/// The dtype of numpy, made once per type.
nb::object getDtype(relax_rt_dtype dtype) {
  static nb::object *known = new nb::object[32 * 128];
  nb::object &entry = known[(dtype.code & 31) * 128 + (dtype.bits & 127)];
  if (entry.is_valid())
    return entry;
  nb::object make = nb::module_::import_("numpy").attr("dtype");
  std::string name = getTypeName(dtype);
  if (!getExtraName(dtype))
    return entry = make(name.c_str());
  return entry = make(nb::module_::import_("relax._arrays").attr("get_extra_type")(name.c_str()));
}

/// What a format of the buffer protocol says; 0 bits when it is not one of ours.
relax_rt_dtype parseFormat(const char *format, Py_ssize_t itemSize) {
  relax_rt_dtype none = {0, 0, 1};
  if (!format)
    return {RELAX_RT_UINT, 8, 1};
  if (*format == '@' || *format == '=' || (*format == '<' && PY_LITTLE_ENDIAN))
    ++format;
  if (!*format || format[1])
    return none;
  auto bits = static_cast<uint8_t>(itemSize * 8);
  if (std::strchr("bhilqn", *format))
    return {RELAX_RT_INT, bits, 1};
  if (std::strchr("BHILQN", *format))
    return {RELAX_RT_UINT, bits, 1};
  if (std::strchr("efd", *format))
    return {RELAX_RT_FLOAT, bits, 1};
  if (*format == '?')
    return {RELAX_RT_BOOL, 8, 1};
  return none;
}

/// Whether a type is the class of plain tensors of PyTorch, or of parameters: not one that only looks like them.
bool isTorchType(PyTypeObject *type) {
  static PyTypeObject *known[2] = {nullptr, nullptr};
  if (type == known[0] || type == known[1])
    return true;
  static constexpr const char *kNames[2][2] = {{"torch", "Tensor"}, {"torch.nn.parameter", "Parameter"}};
  nb::handle object(reinterpret_cast<PyObject *>(type));
  nb::object module = nb::getattr(object, "__module__", nb::none()), name = nb::getattr(object, "__name__", nb::none());
  if (!nb::isinstance<nb::str>(module) || !nb::isinstance<nb::str>(name))
    return false;
  for (int i = 0; i < 2; ++i)
    if (PyUnicode_CompareWithASCIIString(module.ptr(), kNames[i][0]) == 0 &&
        PyUnicode_CompareWithASCIIString(name.ptr(), kNames[i][1]) == 0) {
      known[i] = reinterpret_cast<PyTypeObject *>(object.inc_ref().ptr());
      return true;
    }
  return false;
}

/// What a dtype of PyTorch says, which is one object for the whole process; 0 bits when it is not one of ours.
relax_rt_dtype getTorchDtype(nb::handle dtype) {
  static auto *known = new std::vector<std::pair<PyObject *, relax_rt_dtype>>();
  for (const auto &[object, ours] : *known)
    if (object == dtype.ptr())
      return ours;
  std::string name = nb::cast<std::string>(nb::repr(dtype));
  relax_rt_dtype ours = {0, 0, 1};
  for (auto [code, kind] : {std::pair(RELAX_RT_FLOAT, "float"), {RELAX_RT_INT, "int"}, {RELAX_RT_UINT, "uint"}})
    for (unsigned bits : {8u, 16u, 32u, 64u})
      if (name == "torch." + (kind + std::to_string(bits)) && !(bits == 8 && code == RELAX_RT_FLOAT))
        ours = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
  if (name == "torch.bool")
    ours = {RELAX_RT_BOOL, 8, 1};
  if (name == "torch.bfloat16")
    ours = {RELAX_RT_BFLOAT, 16, 1};
  known->emplace_back(dtype.inc_ref().ptr(), ours);
  return ours;
}

} // namespace

nb::str relax_python::decode(const std::string &text) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

void relax_python::raiseError(const std::string &text, const char *status, const nb::list &diagnostics) {
  nb::object error = python().error(decode(text), status, diagnostics);
  PyErr_SetObject(python().error.ptr(), error.ptr());
  throw nb::python_error();
}

//===----------------------------------------------------------------------===//
// TensorInfo
//===----------------------------------------------------------------------===//

TensorInfo::TensorInfo(const relax_rt_tensor_info &info)
    : name(info.name), dims(info.dims, info.dims + info.rank), dtype(info.dtype), donated(info.is_donated) {}

nb::tuple TensorInfo::getDims() const {
  nb::list list;
  for (const std::string &dim : dims)
    list.append(dim);
  return nb::tuple(list);
}

nb::object TensorInfo::getNumpyDtype() const { return getDtype(dtype); }

std::string TensorInfo::str() const {
  std::string text = name + ": " + getTypeName(dtype) + "[";
  for (const std::string &dim : dims)
    text += (&dim == dims.data() ? "" : ", ") + dim;
  return text + "]";
}

void relax_python::bindTensorInfo(nb::module_ &module) {
  nb::class_<TensorInfo>(module, "TensorInfo", "Name, element type and extents of an input or output.")
      .def_ro("name", &TensorInfo::name)
      .def_prop_ro("dtype", &TensorInfo::getNumpyDtype, nb::sig("def dtype(self) -> numpy.dtype"),
                   "The element type, a numpy.dtype.")
      .def_prop_ro("dims", &TensorInfo::getDims, nb::sig("def dims(self) -> tuple[str, ...]"),
                   "The extents as text: '4', 'n', 'n*2 + 1'; '?' is not known before a call.")
      .def_ro("donated", &TensorInfo::donated, "Whether results can live in the memory of this input; see donate.")
      .def("__repr__", &TensorInfo::str);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Arguments::Arguments(const std::string &function, const std::vector<TensorInfo> &inputs, const nb::args &args,
                     const nb::kwargs &kwargs) {
  if (args.size() > inputs.size())
    throw nb::type_error((function + "() takes " + std::to_string(inputs.size()) + " inputs but " +
                          std::to_string(args.size()) + " were given")
                             .c_str());
  views.reserve(inputs.size());
  buffers.reserve(inputs.size());
  size_t named = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string &name = inputs[i].name;
    nb::handle value = i < args.size() ? args[i] : nb::handle();
    if (!kwargs.empty()) {
      if (PyObject *found = PyDict_GetItemString(kwargs.ptr(), name.c_str())) {
        if (value)
          throw nb::type_error((function + "() got input '" + name + "' twice").c_str());
        value = found;
        ++named;
      }
    }
    if (!value)
      throw nb::type_error((function + "() is missing input '" + name + "'").c_str());
    add(inputs[i], value);
  }
  if (named == kwargs.size())
    return;
  for (auto [key, value] : kwargs) {
    std::string name = nb::cast<std::string>(key);
    bool known = false;
    for (const TensorInfo &info : inputs)
      known |= info.name == name;
    if (!known)
      throw nb::type_error((function + "() has no input '" + name + "'").c_str());
  }
}

Arguments::~Arguments() {
  for (Py_buffer &buffer : buffers)
    PyBuffer_Release(&buffer);
}

/// Adds the value when it has a dense, aligned buffer with elements of a known type.
bool Arguments::addBuffer(nb::handle value) {
  Py_buffer buffer;
  if (!PyObject_CheckBuffer(value.ptr()) ||
      PyObject_GetBuffer(value.ptr(), &buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  relax_rt_dtype dtype = parseFormat(buffer.format, buffer.itemsize);
  auto alignment = static_cast<size_t>(buffer.itemsize ? buffer.itemsize : 1);
  if (dtype.bits == 0 || reinterpret_cast<uintptr_t>(buffer.buf) % alignment != 0) {
    PyBuffer_Release(&buffer);
    return false;
  }
  buffers.push_back(buffer);
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t), "extents are used as they are");
  views.push_back({buffer.buf, reinterpret_cast<const int64_t *>(buffer.shape), buffer.ndim, dtype});
  return true;
}

/// Adds a plain, dense tensor of PyTorch in the memory of the CPU, as relax._arrays does for all of them.
bool Arguments::addTorch(nb::handle value) {
  if (!isTorchType(Py_TYPE(value.ptr())))
    return false;
  try {
    if (!nb::cast<bool>(value.attr("is_cpu")) || !nb::cast<bool>(value.attr("is_contiguous")()) ||
        nb::cast<bool>(value.attr("is_neg")()))
      return false;
    relax_rt_dtype dtype = getTorchDtype(value.attr("dtype"));
    auto address = nb::cast<uintptr_t>(value.attr("data_ptr")());
    if (dtype.bits == 0 || address % (dtype.bits / 8) != 0)
      return false;
    nb::tuple shape = nb::cast<nb::tuple>(value.attr("shape"));
    auto dims = std::make_unique<int64_t[]>(shape.size() + 1);
    for (size_t i = 0; i < shape.size(); ++i)
      dims[i] = nb::cast<int64_t>(shape[i]);
    storages.push_back(value.attr("untyped_storage")());
    views.push_back({reinterpret_cast<void *>(address), dims.get(), static_cast<int64_t>(shape.size()), dtype});
    shapes.push_back(std::move(dims));
    return true;
  } catch (nb::python_error &) {
    return false; // without memory of its own, sparse, ...: relax._arrays says what is wrong
  } catch (nb::cast_error &) {
    return false;
  }
}

/// relax._arrays checks that the memory may be written.
void Arguments::addDonated(const TensorInfo &info, nb::handle value) {
  nb::tuple made = nb::cast<nb::tuple>(python().getDonated(value));
  size_t input = views.size();
  add(info, made[0]);
  auto capacity = nb::cast<uint64_t>(made[2]);
  if (reinterpret_cast<uintptr_t>(views.back().data) != nb::cast<uintptr_t>(made[1]))
    throw nb::type_error(("input '" + info.name + "': memory that is copied for the call cannot be donated").c_str());
  nb::object array = value.attr("array");
  donated.push_back({input, array, {static_cast<int64_t>(input), capacity}, views.back().data});
}

void Arguments::add(const TensorInfo &info, nb::handle value) {
  if (Py_TYPE(value.ptr()) == reinterpret_cast<PyTypeObject *>(python().donated.ptr()))
    return addDonated(info, value);
  if (addBuffer(value) || addTorch(value))
    return;
  // Strides, lists, tensors of other packages: relax._arrays makes a dense array, as its bits where needed.
  nb::tuple made = nb::cast<nb::tuple>(python().toArray(value, getTypeName(info.dtype), info.name));
  if (!addBuffer(made[0]))
    throw nb::type_error(("input '" + info.name + "': the elements are not supported").c_str());
  std::string extra = nb::cast<std::string>(made[1]);
  for (const auto &known : kExtraTypes)
    if (extra == known.name)
      views.back().dtype = known.dtype;
}

nb::object relax_python::makeDonatedArray(const relax_rt_tensor_view &view, const DonatedArray &donated) {
  nb::list shape;
  for (int64_t i = 0; i < view.rank; ++i)
    shape.append(view.dims[i]);
  return python().viewDonated(donated.array, nb::tuple(shape), getDtype(view.dtype));
}

nb::object relax_python::makeArray(const relax_rt_tensor_view &view) {
  nb::list shape;
  for (int64_t i = 0; i < view.rank; ++i)
    shape.append(view.dims[i]);
  // numpy hands out no buffer of the types of ml_dtypes: they are filled as bits.
  bool isBits = getExtraName(view.dtype);
  nb::object dtype = getDtype(view.dtype);
  uint8_t bits = view.dtype.bits <= 8 ? 8 : view.dtype.bits;
  nb::object array = python().empty(nb::tuple(shape), isBits ? getDtype({RELAX_RT_UINT, bits, 1}) : dtype);
  Py_buffer buffer;
  if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_WRITABLE) != 0)
    throw nb::python_error();
  if (buffer.len)
    std::memcpy(buffer.buf, view.data, static_cast<size_t>(buffer.len));
  PyBuffer_Release(&buffer);
  return isBits ? array.attr("view")(dtype) : array;
}
