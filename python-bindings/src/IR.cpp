//===- IR.cpp - Operations and values in Python ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Every call of the C API is made without the GIL: another thread may run a pipeline on the same context, whose
// callbacks need it.
//
//===----------------------------------------------------------------------===//
#include "IR.h"
#include "RelaxDialect-c/IR.h"

#include <nanobind/stl/optional.h>

#include <memory>
#include <utility>

using namespace relax_python;

namespace {

template <typename T, void (*destroy)(T *)> struct Destroyer {
  void operator()(T *handle) const {
    nb::gil_scoped_release unlocked;
    destroy(handle);
  }
};

/// A handle and the module that it is in.
template <typename T, void (*destroy)(T *)> struct Handle {
  Handle(nb::object module, T *handle) : module(std::move(module)), handle(handle) {}
  T *get() const { return handle.get(); }

  nb::object module; // destroyed last
  std::unique_ptr<T, Destroyer<T, destroy>> handle;
};
using Op = Handle<relax_op, relax_op_destroy>;
using Value = Handle<relax_value, relax_value_destroy>;

template <typename T> void collect(void *list, T *handle) { static_cast<std::vector<T *> *>(list)->push_back(handle); }
void collectText(void *list, const char *bytes, size_t size) {
  static_cast<std::vector<std::string> *>(list)->emplace_back(bytes, size);
}

/// What `fn` hands to the function that it gets, as objects.
template <typename Made, typename T, typename Fn> nb::list readHandles(const nb::object &module, Fn fn) {
  std::vector<T *> handles;
  callUnlocked([&] { return fn(collect<T>, static_cast<void *>(&handles)); });
  nb::list list;
  for (T *handle : handles)
    list.append(nb::cast(std::make_unique<Made>(module, handle).release(), nb::rv_policy::take_ownership));
  return list;
}
template <typename Fn> nb::tuple readValues(const nb::object &module, Fn fn) {
  return nb::tuple(readHandles<Value, relax_value>(module, fn));
}
template <typename Fn> nb::list readOps(const nb::object &module, Fn fn) {
  return readHandles<Op, relax_op>(module, fn);
}
template <typename Fn> std::vector<std::string> readTexts(Fn fn) {
  std::vector<std::string> texts;
  callUnlocked([&] { return fn(collectText, static_cast<void *>(&texts)); });
  return texts;
}

nb::object makeOptional(const nb::object &module, relax_op *handle) {
  if (!handle)
    return nb::none();
  return nb::cast(new Op(module, handle), nb::rv_policy::take_ownership);
}

std::vector<const relax_value *> getHandles(const nb::args &values) {
  std::vector<const relax_value *> handles;
  for (nb::handle value : values)
    handles.push_back(nb::cast<const Value &>(value).get());
  return handles;
}

/// Without the GIL, as it waits for the context.
bool isAlive(const Op &self) {
  nb::gil_scoped_release unlocked;
  return relax_op_is_alive(self.get());
}

bool isEqual(const Value &self, nb::handle other) {
  if (!nb::isinstance<Value>(other))
    return false;
  const relax_value *value = nb::cast<const Value &>(other).get();
  nb::gil_scoped_release unlocked;
  return relax_value_equal(self.get(), value);
}

nb::str getName(const Op &self) {
  return decode(readUnlocked([&](auto append, void *user) { return relax_op_name(self.get(), append, user); }));
}

nb::str print(const Op &self) {
  return decode(readUnlocked([&](auto append, void *user) { return relax_op_print(self.get(), append, user); }));
}

nb::tuple getLocation(const Op &self) {
  int64_t line = 0, column = 0;
  std::string file = readUnlocked(
      [&](auto append, void *user) { return relax_op_location(self.get(), append, user, &line, &column); });
  return nb::make_tuple(decode(file), line, column);
}

nb::dict getAttributes(const Op &self) {
  std::vector<std::string> texts =
      readTexts([&](auto append, void *user) { return relax_op_attributes(self.get(), append, user); });
  nb::dict attributes;
  for (size_t i = 0; i + 1 < texts.size(); i += 2)
    attributes[decode(texts[i])] = decode(texts[i + 1]);
  return attributes;
}

nb::object getParent(const Op &self) {
  relax_op *parent = nullptr;
  callUnlocked([&] { return relax_op_parent(self.get(), &parent); });
  return makeOptional(self.module, parent);
}

nb::tuple insert(const Op &self, const std::string &text, const nb::args &values) {
  std::vector<const relax_value *> handles = getHandles(values);
  return readValues(self.module, [&](auto add, void *user) {
    return relax_op_insert(const_cast<relax_op *>(self.get()), text.c_str(), handles.data(),
                           static_cast<int64_t>(handles.size()), add, user);
  });
}

void replace(Op &self, const nb::args &values) {
  std::vector<const relax_value *> handles = getHandles(values);
  callUnlocked([&] { return relax_op_replace(self.get(), handles.data(), static_cast<int64_t>(handles.size())); });
}

/// The owner and the number.
std::pair<relax_op *, int64_t> getOwner(const Value &self) {
  relax_op *owner = nullptr;
  int64_t index = 0;
  callUnlocked([&] { return relax_value_owner(self.get(), &owner, &index); });
  return {owner, index};
}

/// Raises where the value is no tensor with a rank.
std::vector<std::string> getTensor(const Value &self) {
  std::vector<std::string> texts =
      readTexts([&](auto append, void *user) { return relax_value_shape(self.get(), append, user); });
  if (texts.empty())
    throw nb::type_error("the value is no tensor with a rank");
  return texts;
}

/// Extents as ints, Exprs and None.
nb::tuple getShape(const Value &self) {
  std::vector<std::string> texts = getTensor(self);
  nb::object parse = nb::module_::import_("relax._graph").attr("parse_extent");
  nb::list extents;
  for (size_t i = 1; i < texts.size(); ++i)
    extents.append(parse(decode(texts[i])));
  return nb::tuple(extents);
}

void bindOp(nb::module_ &module) {
  nb::class_<Op>(
      module, "Op",
      "An operation of a module, between pipelines. It is safe to keep: once it is erased, or a pipeline has\n"
      "run on the module, every use raises RelaxError.")
      .def_prop_ro("name", &getName, nb::sig("def name(self) -> str"), "Its name, 'relax.relu'.")
      .def_prop_ro(
          "operands",
          [](const Op &self) {
            return readValues(self.module,
                              [&](auto add, void *user) { return relax_op_operands(self.get(), add, user); });
          },
          nb::sig("def operands(self) -> tuple[Value, ...]"), "What it takes.")
      .def_prop_ro(
          "results",
          [](const Op &self) {
            return readValues(self.module,
                              [&](auto add, void *user) { return relax_op_results(self.get(), add, user); });
          },
          nb::sig("def results(self) -> tuple[Value, ...]"), "What it makes.")
      .def_prop_ro("attributes", &getAttributes, nb::sig("def attributes(self) -> dict[str, str]"),
                   "The attributes as texts, {'axis': '1 : i64'}; a copy.")
      .def_prop_ro("location", &getLocation, nb::sig("def location(self) -> tuple[str, int, int]"),
                   "File, line and column; ('', 0, 0) where no place is known.")
      .def_prop_ro("parent", &getParent, nb::sig("def parent(self) -> Op | None"), "The operation around it.")
      .def_prop_ro("is_alive", &isAlive, "Whether it is still there.")
      .def("__str__", &print)
      .def("__repr__",
           [](const Op &self) {
             if (!isAlive(self))
               return nb::str("<relax.Op that is not there any more>");
             return nb::str("<relax.Op {}>").format(getName(self));
           })
      .def(
          "__eq__",
          [](const Op &self, nb::handle other) {
            return nb::isinstance<Op>(other) &&
                   relax_op_id(self.get()) == relax_op_id(nb::cast<const Op &>(other).get());
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Op &self) { return static_cast<Py_hash_t>(relax_op_id(self.get())); })
      .def(
          "set_attribute",
          [](Op &self, const std::string &name, const std::optional<std::string> &text) {
            callUnlocked(
                [&] { return relax_op_set_attribute(self.get(), name.c_str(), text ? text->c_str() : nullptr); });
          },
          nb::arg("name"), nb::arg("text").none(),
          nb::sig("def set_attribute(self, name: str, text: str | None) -> None"),
          "Sets an attribute to what the text says, '1 : i64'; None removes it.")
      .def(
          "set_operand",
          [](Op &self, int64_t index, const Value &value) {
            callUnlocked([&] { return relax_op_set_operand(self.get(), index, value.get()); });
          },
          nb::arg("index"), nb::arg("value"), nb::sig("def set_operand(self, index: int, value: Value) -> None"),
          "Puts another value of the same type in the place of an operand.")
      .def("insert", &insert, nb::arg("text"), nb::arg("values"),
           nb::sig("def insert(self, text: str, *values: Value) -> tuple[Value, ...]"),
           "Inserts the body of the one function in `text` before the operation, with `values` for its arguments, and\n"
           "returns what it returns.")
      .def("replace", &replace, nb::arg("values"), nb::sig("def replace(self, *values: Value) -> None"),
           "Puts values of the same types in the place of the results and erases the operation.")
      .def(
          "erase", [](Op &self) { callUnlocked([&] { return relax_op_erase(self.get()); }); },
          nb::sig("def erase(self) -> None"), "Erases the operation, whose results have no uses.");
}

void bindValue(nb::module_ &module) {
  nb::class_<Value>(module, "Value", "A result of an operation, or an argument of a function or block; see Op.")
      .def_prop_ro(
          "type",
          [](const Value &self) {
            return decode(
                readUnlocked([&](auto append, void *user) { return relax_value_type(self.get(), append, user); }));
          },
          nb::sig("def type(self) -> str"), "The type as text.")
      .def_prop_ro("shape", &getShape, nb::sig("def shape(self) -> tuple[int | Expr | None, ...]"),
                   "The extents of a tensor: ints, sizes, and None where nothing is known.")
      .def_prop_ro(
          "dtype", [](const Value &self) { return decode(getTensor(self).front()); }, nb::sig("def dtype(self) -> str"),
          "The element type of a tensor as the compiler spells it, 'f32'.")
      .def_prop_ro(
          "owner", [](const Value &self) { return makeOptional(self.module, getOwner(self).first); },
          nb::sig("def owner(self) -> Op | None"), "The operation that makes it; None for an argument.")
      .def_prop_ro(
          "index",
          [](const Value &self) {
            auto [owner, index] = getOwner(self);
            makeOptional(self.module, owner); // owns and destroys the handle
            return index;
          },
          nb::sig("def index(self) -> int"), "Which result or argument it is.")
      .def_prop_ro(
          "users",
          [](const Value &self) {
            return readOps(self.module, [&](auto add, void *user) { return relax_value_users(self.get(), add, user); });
          },
          nb::sig("def users(self) -> list[Op]"), "The operations that use it, each once.")
      .def("__eq__", &isEqual, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Value &self) {
        auto [owner, index] = getOwner(self);
        uint64_t id = relax_op_id(owner);
        makeOptional(self.module, owner);
        return static_cast<Py_hash_t>(id * 31 + static_cast<uint64_t>(index));
      });
}

} // namespace

void relax_python::bindIR(nb::module_ &module) {
  bindOp(module);
  bindValue(module);
}

nb::list relax_python::walkModule(relax_module *module, nb::handle owner, const char *name) {
  return readOps(nb::borrow(owner), [&](auto add, void *user) { return relax_module_walk(module, name, add, user); });
}
