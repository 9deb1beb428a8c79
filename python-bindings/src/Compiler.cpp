//===- Compiler.cpp - relax._compiler: modules of the compiler ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Compiler.h"
#include "IR.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <array>
#include <mutex>
#include <vector>

using namespace relax_python;

nb::list relax_python::getDiagnostics() {
  static const char *const kSeverities[] = {"note", "warning", "error", "remark"};
  nb::object make = nb::module_::import_("relax._errors").attr("Diagnostic");
  nb::list list;
  for (int64_t i = 0; i < relax_num_diagnostics(); ++i) {
    const relax_diagnostic &diagnostic = *relax_get_diagnostic(i);
    list.append(make(kSeverities[diagnostic.severity], decode(diagnostic.message), decode(diagnostic.file),
                     diagnostic.line, diagnostic.column));
  }
  return list;
}

void relax_python::check(relax_status status) {
  if (status != RELAX_OK)
    raiseError(relax_last_error(), relax_status_name(status), getDiagnostics());
}

namespace {

struct Context {
  Context() { check(relax_context_create(&handle)); }
  ~Context() { relax_context_destroy(handle); }
  relax_context *handle = nullptr;
};

struct Signature {
  std::string name;
  std::vector<TensorInfo> inputs, outputs;
};

/// A module in a context of its own, which its copies share: modules are compiled in parallel.
class Module {
public:
  Module(std::shared_ptr<Context> context, relax_module *handle) : context(std::move(context)), handle(handle) {}
  ~Module() {
    nb::gil_scoped_release unlocked;
    relax_module_destroy(handle);
    context.reset();
  }
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  /// Makes a module by a function of the C API.
  template <typename Fn> static Module *make(std::shared_ptr<Context> context, Fn fn) {
    relax_module *handle = nullptr;
    callUnlocked([&] { return fn(context->handle, &handle); });
    return new Module(std::move(context), handle);
  }

  nb::str print() const;
  nb::bytes writeBytecode() const;
  void run(const std::string &pipeline, bool verify, const nb::object &before, const nb::object &after,
           const nb::object &remarks);
  std::vector<Signature> getFunctions() const;
  Signature find(const std::optional<std::string> &name) const;
  nb::dict interpret(const Signature &signature, const nb::args &args, const nb::kwargs &kwargs) const;
  nb::bytes compileToBytes(const std::string &target, const std::vector<std::string> &functions, bool capture,
                           const nb::dict &options) const;
  void compileTo(const nb::object &path, const std::string &target, const std::vector<std::string> &functions,
                 bool capture, const nb::dict &options) const;

  std::shared_ptr<Context> context;
  relax_module *handle;
  /// The texts of signatures are there until the module is changed. Recursive: a callback may ask for them.
  mutable std::recursive_mutex mutex;
};

/// A function of a module, for the interpreter.
struct ModuleFunction {
  nb::object module;
  Signature signature;
};

/// What the callbacks of a pipeline need. They run in the thread that called, which has released the GIL.
struct Watch {
  nb::object before, after;
  std::optional<nb::python_error> error;
  /// Kind, pass, name, message, place; told when the pipeline has ended.
  std::vector<std::array<std::string, 5>> remarks;
};

void keepRemark(void *user, const relax_remark *remark) {
  static_cast<Watch *>(user)->remarks.push_back(
      {remark->kind, remark->pass, remark->name, remark->message, remark->place});
}

void tellPython(void *user, relax_pass_event event, const relax_pass_run *run) {
  auto &watch = *static_cast<Watch *>(user);
  nb::gil_scoped_acquire locked;
  const nb::object &callback = event == RELAX_BEFORE_PASS ? watch.before : watch.after;
  if (watch.error || callback.is_none())
    return;
  try {
    std::string text;
    if (nb::cast<bool>(nb::getattr(callback, "needs_text", nb::bool_(true))))
      relax_pass_run_print(run, appendTo, &text);
    callback(relax_pass_run_name(run), decode(text));
  } catch (nb::python_error &error) {
    // The pipeline cannot be stopped here; the error is raised when it has ended.
    watch.error.emplace(error);
  }
}

} // namespace

nb::str Module::print() const {
  std::string text = readUnlocked([&](auto append, void *user) { return relax_module_print(handle, append, user); });
  return decode(text);
}

nb::bytes Module::writeBytecode() const {
  std::string bytes =
      readUnlocked([&](auto append, void *user) { return relax_module_write_bytecode(handle, append, user); });
  return nb::bytes(bytes.data(), bytes.size());
}

void Module::run(const std::string &pipeline, bool verify, const nb::object &before, const nb::object &after,
                 const nb::object &remarks) {
  Watch watch{before, after, std::nullopt, {}};
  std::string filter;
  relax_pipeline_options options = {};
  options.skip_verifier = !verify;
  options.user = &watch;
  if (!before.is_none() || !after.is_none())
    options.fn = tellPython;
  if (!remarks.is_none()) {
    filter = nb::cast<std::string>(remarks.attr("filter"));
    options.remarks = filter.c_str();
    options.remark_fn = keepRemark;
  }
  relax_status status;
  {
    nb::gil_scoped_release unlocked;
    std::lock_guard<std::recursive_mutex> lock(mutex);
    status = relax_module_run_pipeline(handle, pipeline.c_str(), &options);
  }
  for (const auto &[kind, pass, name, message, place] : watch.remarks)
    remarks.attr("add")(kind, pass, name, decode(message), decode(place));
  if (watch.error)
    throw nb::python_error(*watch.error);
  check(status);
}

std::vector<Signature> Module::getFunctions() const {
  std::vector<Signature> functions;
  nb::gil_scoped_release unlocked; // it waits for a pipeline of another thread, whose callbacks need the GIL
  std::lock_guard<std::recursive_mutex> lock(mutex);
  for (int64_t f = 0; f < relax_module_num_functions(handle); ++f) {
    Signature &signature = functions.emplace_back();
    signature.name = relax_module_function_name(handle, f);
    for (int64_t i = 0; i < relax_module_num_inputs(handle, f); ++i)
      signature.inputs.emplace_back(*relax_module_input(handle, f, i));
    for (int64_t i = 0; i < relax_module_num_outputs(handle, f); ++i)
      signature.outputs.emplace_back(*relax_module_output(handle, f, i));
  }
  return functions;
}

/// The function of this name; without a name 'main', else the only one.
Signature Module::find(const std::optional<std::string> &name) const {
  std::vector<Signature> functions = getFunctions();
  std::string names;
  for (Signature &signature : functions) {
    if (signature.name == name.value_or("main"))
      return signature;
    names += (names.empty() ? "" : ", ") + signature.name;
  }
  if (!name && functions.size() == 1)
    return functions.front();
  std::string text = (name ? "no function '" + *name + "'" : std::string("no function 'main', choose one")) +
                     ", the module has: " + names;
  throw nb::key_error(text.c_str());
}

nb::dict Module::interpret(const Signature &signature, const nb::args &args, const nb::kwargs &kwargs) const {
  Arguments arguments(signature.name, signature.inputs, args, kwargs);
  relax_results *results = nullptr;
  callUnlocked([&] {
    return relax_module_interpret(handle, signature.name.c_str(), arguments.data(), arguments.size(), &results);
  });
  std::unique_ptr<relax_results, decltype(&relax_results_destroy)> owner(results, relax_results_destroy);
  nb::dict arrays;
  for (int64_t i = 0; i < relax_results_size(results); ++i)
    arrays[relax_results_name(results, i)] = makeArray(*relax_results_view(results, i));
  return arrays;
}

/// Options of the pipeline as text: {"fuse": False, "libraries": ["a", "b"]} is "fuse=false libraries={a,b} ".
static std::string printOptions(const nb::dict &options) {
  auto print = [](nb::handle value) -> std::string {
    if (nb::isinstance<bool>(value))
      return nb::cast<bool>(value) ? "true" : "false";
    return nb::cast<std::string>(nb::str(value));
  };
  std::string text;
  for (auto [key, value] : options) {
    std::string name = print(key), list;
    for (char &c : name)
      c = c == '_' ? '-' : c;
    if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value))
      for (nb::handle element : value)
        list += (list.empty() ? "" : ",") + print(element);
    else
      list = print(value);
    text += name + "={" + list + "} ";
  }
  return text;
}

nb::bytes Module::compileToBytes(const std::string &target, const std::vector<std::string> &functions, bool capture,
                                 const nb::dict &options) const {
  std::vector<const char *> names = pointers(functions);
  std::string pipeline = printOptions(options);
  relax_compile_options all = {target.c_str(), names.data(), static_cast<int64_t>(names.size()),
                               nullptr,        capture,      pipeline.c_str()};
  std::string bytes =
      readUnlocked([&](auto append, void *user) { return relax_module_compile_to_bytes(handle, &all, append, user); });
  return nb::bytes(bytes.data(), bytes.size());
}

void Module::compileTo(const nb::object &path, const std::string &target, const std::vector<std::string> &functions,
                       bool capture, const nb::dict &options) const {
  std::vector<const char *> names = pointers(functions);
  std::string pipeline = printOptions(options);
  relax_compile_options all = {target.c_str(), names.data(), static_cast<int64_t>(names.size()),
                               nullptr,        capture,      pipeline.c_str()};
  nb::object encoded = nb::module_::import_("os").attr("fsencode")(path);
  callUnlocked([&] { return relax_module_compile(handle, &all, PyBytes_AS_STRING(encoded.ptr())); });
}

//===----------------------------------------------------------------------===//
// Python
//===----------------------------------------------------------------------===//

static nb::tuple makeTuple(const std::vector<TensorInfo> &infos) {
  nb::list list;
  for (const TensorInfo &info : infos)
    list.append(nb::cast(info));
  return nb::tuple(list);
}

/// Text stays in memory as UTF-8; bytes may be bytecode.
static Module *parse(const nb::object &source, const std::string &name) {
  if (nb::isinstance<nb::str>(source)) {
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(source.ptr(), &size);
    if (!text)
      throw nb::python_error();
    return Module::make(std::make_shared<Context>(), [&](relax_context *context, relax_module **out) {
      return relax_module_parse(context, text, static_cast<size_t>(size), name.c_str(), out);
    });
  }
  if (!nb::isinstance<nb::bytes>(source))
    throw nb::type_error("a module is parsed from str or bytes");
  return Module::make(std::make_shared<Context>(), [&](relax_context *context, relax_module **out) {
    return relax_module_parse(context, PyBytes_AS_STRING(source.ptr()),
                              static_cast<size_t>(PyBytes_GET_SIZE(source.ptr())), name.c_str(), out);
  });
}

static Module *parseFile(const nb::object &path) {
  nb::object encoded = nb::module_::import_("os").attr("fsencode")(path);
  return Module::make(std::make_shared<Context>(), [&](relax_context *context, relax_module **out) {
    return relax_module_parse_file(context, PyBytes_AS_STRING(encoded.ptr()), out);
  });
}

static Module *importOnnx(const nb::object &path, const nb::dict &symbols, const nb::dict &dims,
                          const std::vector<std::string> &facts, int64_t opset) {
  nb::object encoded = nb::module_::import_("os").attr("fsencode")(path);
  std::vector<std::string> symbolNames, symbolValues, dimNames;
  std::vector<int64_t> dimValues;
  for (auto [name, symbol] : symbols) {
    symbolNames.push_back(nb::cast<std::string>(name));
    symbolValues.push_back(nb::cast<std::string>(symbol));
  }
  for (auto [name, value] : dims) {
    dimNames.push_back(nb::cast<std::string>(name));
    dimValues.push_back(nb::cast<int64_t>(value));
  }
  std::vector<const char *> names = pointers(symbolNames), values = pointers(symbolValues), fixed = pointers(dimNames),
                            known = pointers(facts);
  relax_onnx_options options = {};
  options.symbol_names = names.data();
  options.symbol_values = values.data();
  options.num_symbols = static_cast<int64_t>(names.size());
  options.dim_names = fixed.data();
  options.dim_values = dimValues.data();
  options.num_dims = static_cast<int64_t>(fixed.size());
  options.facts = known.data();
  options.num_facts = static_cast<int64_t>(known.size());
  options.opset = opset;
  return Module::make(std::make_shared<Context>(), [&](relax_context *context, relax_module **out) {
    return relax_module_import_onnx(context, PyBytes_AS_STRING(encoded.ptr()), &options, out);
  });
}

static Module *importGguf(const nb::object &path, const std::vector<std::string> &facts, bool allLogits,
                          int64_t pageSize) {
  nb::object encoded = nb::module_::import_("os").attr("fsencode")(path);
  std::vector<const char *> known = pointers(facts);
  relax_gguf_options options = {known.data(), static_cast<int64_t>(known.size()), allLogits, pageSize};
  return Module::make(std::make_shared<Context>(), [&](relax_context *context, relax_module **out) {
    return relax_module_import_gguf(context, PyBytes_AS_STRING(encoded.ptr()), &options, out);
  });
}

NB_MODULE(_compiler, module) {
  module.doc() = "The compiler; see relax.";
  // Caches of other packages (torch.compile) may hold objects until the process ends.
  nb::set_leak_warnings(false);
  module.def(
      "llvm_versions",
      [] {
        int32_t built[3], loaded[3];
        relax_llvm_versions(built, loaded);
        return nb::make_tuple(nb::make_tuple(built[0], built[1], built[2]),
                              nb::make_tuple(loaded[0], loaded[1], loaded[2]));
      },
      nb::sig("def llvm_versions() -> tuple[tuple[int, int, int], tuple[int, int, int]]"),
      "Versions of the LLVM and MLIR that the package was built with, and of those that are loaded.");
  // TensorInfo is known there.
  nb::module_::import_("relax._runtime");

  nb::class_<ModuleFunction>(
      module, "ModuleFunction",
      "A function of a module. Calling it runs the reference interpreter: slow, and by definition\n"
      "right.")
      .def_prop_ro(
          "name", [](const ModuleFunction &self) { return self.signature.name; }, "The function's name.")
      .def_prop_ro(
          "inputs", [](const ModuleFunction &self) { return makeTuple(self.signature.inputs); },
          nb::sig("def inputs(self) -> tuple[relax._runtime.TensorInfo, ...]"), "What it takes, in order.")
      .def_prop_ro(
          "outputs", [](const ModuleFunction &self) { return makeTuple(self.signature.outputs); },
          nb::sig("def outputs(self) -> tuple[relax._runtime.TensorInfo, ...]"), "What it returns, in order.")
      .def(
          "__call__",
          [](const ModuleFunction &self, const nb::args &args, const nb::kwargs &kwargs) {
            return nb::cast<Module &>(self.module).interpret(self.signature, args, kwargs);
          },
          nb::sig("def __call__(self, *args: typing.Any, **kwargs: typing.Any) -> dict[str, numpy.ndarray]"),
          "Interprets the function; returns new arrays by output name.");

  bindIR(module);
  nb::class_<Module>(module, "Module", nb::dynamic_attr(),
                     "A module of the compiler. Any number of modules may be used, each by one thread at a time or\n"
                     "more, which then wait for one another.")
      .def_static("parse", &parse, nb::arg("source"), nb::arg("name") = "<text>",
                  nb::sig("def parse(source: str | bytes, name: str = '<text>') -> Module"),
                  "Reads a module from text or bytecode and verifies it; `name` stands for the file in messages.")
      .def_static("load", &parseFile, nb::arg("path"), nb::sig("def load(path: str | os.PathLike[str]) -> Module"),
                  "Reads a module from a file.")
      .def_static("_import_onnx", &importOnnx, nb::arg("path"), nb::arg("symbols"), nb::arg("dims"), nb::arg("facts"),
                  nb::arg("opset"))
      .def_static("_import_gguf", &importGguf, nb::arg("path"), nb::arg("facts"), nb::arg("all_logits"),
                  nb::arg("page_size"))
      .def("__str__", &Module::print)
      .def_prop_ro("bytecode", &Module::writeBytecode, "The module as bytecode.")
      .def(
          "clone",
          [](const Module &self) {
            return Module::make(self.context, [&](relax_context *, relax_module **out) {
              return relax_module_clone(self.handle, out);
            });
          },
          "A copy of the module.")
      .def(
          "verify", [](const Module &self) { callUnlocked([&] { return relax_module_verify(self.handle); }); },
          "Raises RelaxError when the module is not valid.")
      .def(
          "run",
          [](nb::handle self, const std::string &pipeline, bool verify, const nb::object &before,
             const nb::object &after, const nb::object &remarks) {
            nb::cast<Module &>(self).run(pipeline, verify, before, after, remarks);
            return nb::borrow(self);
          },
          nb::arg("pipeline"), nb::kw_only(), nb::arg("verify") = true, nb::arg("before") = nb::none(),
          nb::arg("after") = nb::none(), nb::arg("remarks") = nb::none(),
          nb::sig("def run(self, pipeline: str, *, verify: bool = True, "
                  "before: typing.Callable[[str, str], None] | None = None, "
                  "after: typing.Callable[[str, str], None] | None = None, "
                  "remarks: typing.Any = None) -> Module"),
          "Runs passes on the module, such as 'canonicalize,relax-simplify', and returns it.\n\n"
          "before and after are called with the name of each pass and the operation that it works on as text. The GIL\n"
          "is released in between. remarks is a relax.Remarks, which collects what passes say of their decisions.")
      .def(
          "walk",
          [](nb::handle self, const std::optional<std::string> &name) {
            return walkModule(nb::cast<Module &>(self).handle, self, name ? name->c_str() : nullptr);
          },
          nb::arg("name") = nb::none(), nb::sig("def walk(self, name: str | None = None) -> list[Op]"),
          "The operations in order, an operation before those inside it; those of this name, 'relax.relu', or all.")
      .def_prop_ro(
          "functions",
          [](nb::handle self) {
            nb::dict functions;
            for (Signature &signature : nb::cast<Module &>(self).getFunctions())
              functions[signature.name.c_str()] = nb::cast(ModuleFunction{nb::borrow(self), signature});
            return functions;
          },
          nb::sig("def functions(self) -> dict[str, ModuleFunction]"), "The public functions by name.")
      .def(
          "__getitem__",
          [](nb::handle self, const std::string &name) {
            return ModuleFunction{nb::borrow(self), nb::cast<Module &>(self).find(name)};
          },
          nb::arg("name"), "The public function of this name.")
      .def("_interpret", [](const Module &self, const nb::args &args,
                            const nb::kwargs &kwargs) { return self.interpret(self.find(std::nullopt), args, kwargs); })
      .def("compile_to_bytes", &Module::compileToBytes, nb::kw_only(), nb::arg("target") = "cpu",
           nb::arg("functions") = nb::list(), nb::arg("capture") = false, nb::arg("options") = nb::dict(),
           nb::sig("def compile_to_bytes(self, *, target: str = 'cpu', functions: typing.Sequence[str] = (), "
                   "capture: bool = False, options: typing.Mapping[str, typing.Any] = {}) -> bytes"),
           "The artifact as bytes; see compile.")
      .def("compile_to", &Module::compileTo, nb::arg("path"), nb::kw_only(), nb::arg("target") = "cpu",
           nb::arg("functions") = nb::list(), nb::arg("capture") = false, nb::arg("options") = nb::dict(),
           nb::sig("def compile_to(self, path: str | os.PathLike[str], *, target: str = 'cpu', "
                   "functions: typing.Sequence[str] = (), capture: bool = False, "
                   "options: typing.Mapping[str, typing.Any] = {}) -> None"),
           "Writes the artifact to a file; see compile.")
      .def(
          "compile",
          [](const Module &self, const std::string &target, const std::vector<std::string> &functions, bool capture,
             const nb::dict &options, const nb::kwargs &kwargs) {
            nb::bytes artifact = self.compileToBytes(target, functions, capture, options);
            return nb::module_::import_("relax._runtime").attr("Executable")(artifact, **kwargs);
          },
          nb::kw_only(), nb::arg("target") = "cpu", nb::arg("functions") = nb::list(), nb::arg("capture") = false,
          nb::arg("options") = nb::dict(), nb::arg("kwargs"),
          nb::sig("def compile(self, *, target: str = 'cpu', functions: typing.Sequence[str] = (), "
                  "capture: bool = False, options: typing.Mapping[str, typing.Any] = {}, "
                  "**kwargs: typing.Any) -> relax._runtime.Executable"),
          "Compiles the module, which stays as it is, once for all sizes, and loads the result.\n\n"
          "target: 'cpu' (x86-64-v3, or the architecture's baseline), 'native', 'baseline', or a list as of\n"
          "relax-compile, 'x86-64-v3,x86-64-v4'. functions: the entries; '*' is every public function; none is "
          "'main',\n"
          "else the only one. capture: record launches and run them again. options: those of\n"
          "relax-default-pipeline, {'fuse': False, 'quantize_weights': 'q8_0'}. The others are those of Executable.");
  bindProver(module);
}
