//===- Runtime.cpp - relax._runtime: artifacts as functions ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Links the runtime only: a process that runs artifacts loads no compiler.
//
//===----------------------------------------------------------------------===//
#include "Common.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <mutex>

using namespace relax_python;

namespace {

void check(relax_rt_status status) {
  if (status != RELAX_RT_OK)
    raiseError(relax_rt_last_error(), relax_rt_status_name(status));
}

struct Signature {
  std::string name;
  std::vector<TensorInfo> inputs, outputs;
};

/// An artifact and what its calls need. A context serves one call at a time: a call takes one that is free.
class State {
public:
  State(const nb::object &artifact, const std::vector<std::string> &libraries, int64_t threads, uint64_t memoryLimit,
        int64_t captureLimit);
  ~State();

  nb::dict call(size_t function, const nb::args &args, const nb::kwargs &kwargs);
  nb::dict getCounters();
  nb::dict getKernels();
  void cancel();

  relax_rt_module *module = nullptr;
  std::vector<Signature> functions;

  /// A context that nobody uses.
  relax_rt_context *take();
  void giveBack(relax_rt_context *context);
  /// While it runs a call, which cancel() ends.
  void setBusy(relax_rt_context *context, bool isBusy);

private:
  class Lease;

  relax_rt_instance *instance = nullptr;
  int64_t threads;
  uint64_t memoryLimit;
  int64_t captureLimit;
  std::mutex mutex;
  std::vector<relax_rt_context *> free, busy;
};

class State::Lease {
public:
  explicit Lease(State &state) : state(state), context(state.take()) { state.setBusy(context, true); }
  ~Lease() {
    state.setBusy(context, false);
    state.giveBack(context);
  }
  Lease(const Lease &) = delete;
  Lease &operator=(const Lease &) = delete;
  relax_rt_context *get() const { return context; }

private:
  State &state;
  relax_rt_context *context;
};

} // namespace

State::State(const nb::object &artifact, const std::vector<std::string> &libraries, int64_t threads,
             uint64_t memoryLimit, int64_t captureLimit)
    : threads(threads), memoryLimit(memoryLimit), captureLimit(captureLimit) {
  try {
    check(relax_rt_instance_create(&instance));
    for (const std::string &library : libraries)
      check(relax_rt_instance_load_library(instance, library.c_str()));
    relax_rt_status status;
    if (PyObject_CheckBuffer(artifact.ptr())) {
      Py_buffer bytes;
      if (PyObject_GetBuffer(artifact.ptr(), &bytes, PyBUF_SIMPLE) != 0)
        throw nb::python_error();
      {
        nb::gil_scoped_release unlocked;
        status = relax_rt_module_load_bytes(instance, bytes.buf, static_cast<size_t>(bytes.len), &module);
      }
      PyBuffer_Release(&bytes);
    } else {
      nb::object path = nb::module_::import_("os").attr("fsencode")(artifact);
      nb::gil_scoped_release unlocked;
      status = relax_rt_module_load(instance, PyBytes_AS_STRING(path.ptr()), &module);
    }
    check(status);
  } catch (...) {
    relax_rt_instance_destroy(instance);
    throw;
  }
  for (int64_t f = 0; f < relax_rt_module_num_functions(module); ++f) {
    Signature &signature = functions.emplace_back();
    signature.name = relax_rt_module_function_name(module, f);
    for (int64_t i = 0; i < relax_rt_module_num_inputs(module, f); ++i)
      signature.inputs.emplace_back(*relax_rt_module_input(module, f, i));
    for (int64_t i = 0; i < relax_rt_module_num_outputs(module, f); ++i)
      signature.outputs.emplace_back(*relax_rt_module_output(module, f, i));
  }
}

State::~State() {
  for (relax_rt_context *context : free)
    relax_rt_context_destroy(context);
  relax_rt_module_destroy(module);
  relax_rt_instance_destroy(instance);
}

relax_rt_context *State::take() {
  std::lock_guard<std::mutex> lock(mutex);
  if (free.empty()) {
    relax_rt_context *context = nullptr;
    check(relax_rt_context_create(module, &context));
    free.push_back(context);
    check(relax_rt_context_set_threads(context, threads));
    check(relax_rt_context_set_memory_limit(context, memoryLimit));
    check(relax_rt_context_set_capture_limit(context, captureLimit));
  }
  relax_rt_context *context = free.back();
  free.pop_back();
  return context;
}

void State::giveBack(relax_rt_context *context) {
  std::lock_guard<std::mutex> lock(mutex);
  free.push_back(context);
}

void State::setBusy(relax_rt_context *context, bool isBusy) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isBusy)
    return busy.push_back(context);
  for (auto place = busy.begin(); place != busy.end(); ++place)
    if (*place == context) {
      busy.erase(place);
      return;
    }
}

nb::dict State::call(size_t function, const nb::args &args, const nb::kwargs &kwargs) {
  const Signature &signature = functions[function];
  Arguments arguments(signature.name, signature.inputs, args, kwargs);
  const std::vector<DonatedArray> &donated = arguments.getDonated();
  std::vector<relax_rt_donation> donations;
  donations.reserve(donated.size());
  for (const DonatedArray &one : donated)
    donations.push_back(one.donation);
  Lease lease(*this);
  relax_rt_status status;
  {
    nb::gil_scoped_release unlocked;
    status =
        relax_rt_context_invoke_donating(lease.get(), static_cast<int64_t>(function), arguments.data(),
                                         arguments.size(), donations.data(), static_cast<int64_t>(donations.size()));
  }
  check(status);
  nb::dict results;
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    relax_rt_tensor_view view;
    check(relax_rt_context_output(lease.get(), static_cast<int64_t>(i), &view));
    const DonatedArray *place = nullptr;
    for (const DonatedArray &one : donated)
      if (one.data == view.data)
        place = &one;
    results[signature.outputs[i].name.c_str()] = place ? makeDonatedArray(view, *place) : makeArray(view);
  }
  return results;
}

/// Of some contexts together.
static nb::dict makeCounters(const std::vector<relax_rt_context *> &contexts) {
  relax_rt_counters sum = {};
  for (relax_rt_context *context : contexts) {
    relax_rt_counters one;
    check(relax_rt_context_counters(context, &one));
    sum.calls += one.calls;
    sum.kernel_launches += one.kernel_launches;
    sum.extern_calls += one.extern_calls;
    sum.guard_failures += one.guard_failures;
    sum.fallbacks += one.fallbacks;
    sum.allocations += one.allocations;
    sum.arena_bytes += one.arena_bytes;
    sum.extensions += one.extensions;
    sum.copied_bytes += one.copied_bytes;
    sum.captures += one.captures;
    sum.replays += one.replays;
    sum.evictions += one.evictions;
    sum.recordings += one.recordings;
    sum.donations += one.donations;
  }
  nb::dict counters;
  counters["calls"] = sum.calls;
  counters["kernel_launches"] = sum.kernel_launches;
  counters["library_calls"] = sum.extern_calls;
  counters["guard_failures"] = sum.guard_failures;
  counters["fallbacks"] = sum.fallbacks;
  counters["allocations"] = sum.allocations;
  counters["arena_bytes"] = sum.arena_bytes;
  counters["extensions"] = sum.extensions;
  counters["copied_bytes"] = sum.copied_bytes;
  counters["captures"] = sum.captures;
  counters["replays"] = sum.replays;
  counters["evictions"] = sum.evictions;
  counters["recordings"] = sum.recordings;
  counters["donations"] = sum.donations;
  return counters;
}

nb::dict State::getCounters() {
  std::lock_guard<std::mutex> lock(mutex);
  return makeCounters(free);
}

nb::dict State::getKernels() {
  std::lock_guard<std::mutex> lock(mutex);
  nb::dict kernels;
  for (int64_t i = 0; i < relax_rt_module_num_kernels(module); ++i) {
    uint64_t launches = 0;
    for (relax_rt_context *context : free)
      launches += relax_rt_context_kernel_launches(context, i);
    kernels[relax_rt_module_kernel_name(module, i)] = launches;
  }
  return kernels;
}

void State::cancel() {
  std::lock_guard<std::mutex> lock(mutex);
  for (relax_rt_context *context : busy)
    relax_rt_context_cancel(context);
}

namespace {

/// One function of an artifact; keeps the artifact alive.
struct Function {
  std::shared_ptr<State> state;
  size_t index;

  const Signature &getSignature() const { return state->functions[index]; }
};

/// Calls of one function that hand some of its outputs on to the next call, without copies. One call at a time.
class Session {
public:
  Session(const Function &function, const nb::dict &carried, const nb::dict &windows);
  ~Session() { function.state->giveBack(context); }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  nb::dict call(const nb::args &args, const nb::kwargs &kwargs);
  nb::dict getState();
  nb::dict getCounters();
  void reset() { started = false; }
  void pop(int64_t count);
  std::unique_ptr<Session> fork();

private:
  /// An input, the output that it takes the place of, and what that was after the last successful call.
  struct Carried {
    size_t input, output;
    relax_rt_tensor_view view = {};
    std::vector<int64_t> dims = {};
    int64_t window = INT64_MAX;    // rows that are handed on
    std::vector<char> memory = {}; // of a fork, until its first call

    void set(const relax_rt_tensor_view &from);
    void dropRows(int64_t count);
  };

  explicit Session(const Function &function) : function(function) {}
  void checkIdle() const;

  const Carried *findCarried(size_t input) const;
  bool isCarriedOutput(size_t output) const;

  Function function;
  relax_rt_context *context = nullptr;
  std::vector<Carried> carried;
  std::vector<TensorInfo> given; // the other inputs
  bool started = false, running = false;
};

struct Executable {
  std::shared_ptr<State> state;

  Function find(const std::string &name) const;
  Function getDefault() const;
};

nb::tuple makeTuple(const std::vector<TensorInfo> &infos) {
  nb::list list;
  for (const TensorInfo &info : infos)
    list.append(nb::cast(info));
  return nb::tuple(list);
}

std::string describe(const Signature &signature) {
  std::string text = signature.name + "(";
  for (const TensorInfo &info : signature.inputs)
    text += (&info == signature.inputs.data() ? "" : ", ") + info.str();
  text += ") -> (";
  for (const TensorInfo &info : signature.outputs)
    text += (&info == signature.outputs.data() ? "" : ", ") + info.str();
  return text + ")";
}

std::string listNames(const State &state) {
  std::string names;
  for (const Signature &signature : state.functions)
    names += (names.empty() ? "" : ", ") + signature.name;
  return names;
}

} // namespace

//===----------------------------------------------------------------------===//
// Session
//===----------------------------------------------------------------------===//

/// The context's extents are the next call's.
void Session::Carried::set(const relax_rt_tensor_view &from) {
  dims.assign(from.dims, from.dims + from.rank);
  view = from;
  view.dims = dims.data();
}

/// The first rows, dimension 0, which lie before the others.
void Session::Carried::dropRows(int64_t count) {
  uint64_t bytes = (view.dtype.bits + 7u) / 8;
  for (size_t i = 1; i < dims.size(); ++i)
    bytes *= static_cast<uint64_t>(dims[i]);
  view.data = static_cast<char *>(view.data) + bytes * static_cast<uint64_t>(count);
  dims[0] -= count;
}

void Session::checkIdle() const {
  if (running)
    throw std::runtime_error("the session is running a call");
}

Session::Session(const Function &function, const nb::dict &names, const nb::dict &windows) : function(function) {
  const Signature &signature = function.getSignature();
  auto find = [](const std::vector<TensorInfo> &infos, const std::string &name, const char *what) {
    for (size_t i = 0; i < infos.size(); ++i)
      if (infos[i].name == name)
        return i;
    throw nb::key_error(("no " + std::string(what) + " '" + name + "'").c_str());
  };
  for (auto [input, output] : names) {
    Carried one = {find(signature.inputs, nb::cast<std::string>(input), "input"),
                   find(signature.outputs, nb::cast<std::string>(output), "output")};
    const TensorInfo &from = signature.outputs[one.output], &to = signature.inputs[one.input];
    if (from.dtype.code != to.dtype.code || from.dtype.bits != to.dtype.bits || from.dims.size() != to.dims.size())
      throw nb::type_error(("output " + from.str() + " cannot become input " + to.str()).c_str());
    if (isCarriedOutput(one.output))
      throw nb::type_error(("output '" + from.name + "' becomes two inputs").c_str());
    carried.push_back(std::move(one));
  }
  for (auto [input, rows] : windows) {
    const Carried *one = findCarried(find(signature.inputs, nb::cast<std::string>(input), "input"));
    if (!one || nb::cast<int64_t>(rows) < 0 || signature.inputs[one->input].dims.empty())
      throw nb::value_error("a window is expected for an input that is handed on and has rows, of at least 0 of them");
    const_cast<Carried *>(one)->window = nb::cast<int64_t>(rows);
  }
  for (size_t i = 0; i < signature.inputs.size(); ++i)
    if (!findCarried(i))
      given.push_back(signature.inputs[i]);
  context = function.state->take();
}

const Session::Carried *Session::findCarried(size_t input) const {
  for (const Carried &one : carried)
    if (one.input == input)
      return &one;
  return nullptr;
}

bool Session::isCarriedOutput(size_t output) const {
  for (const Carried &one : carried)
    if (one.output == output)
      return true;
  return false;
}

nb::dict Session::call(const nb::args &args, const nb::kwargs &kwargs) {
  const Signature &signature = function.getSignature();
  checkIdle();
  Arguments arguments(signature.name, started ? given : signature.inputs, args, kwargs);
  if (!arguments.getDonated().empty())
    throw nb::type_error("a session keeps what it hands on in memory of its own: donate to a call of the function");
  std::vector<relax_rt_tensor_view> views;
  const relax_rt_tensor_view *next = arguments.data();
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    const Carried *one = started ? findCarried(i) : nullptr;
    views.push_back(one ? one->view : *next++);
  }
  relax_rt_status status;
  running = true;
  function.state->setBusy(context, true);
  {
    nb::gil_scoped_release unlocked;
    status = relax_rt_context_invoke(context, static_cast<int64_t>(function.index), views.data(),
                                     static_cast<int64_t>(views.size()));
  }
  function.state->setBusy(context, false);
  running = false;
  check(status); // what was carried stays as it was
  nb::dict results;
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    relax_rt_tensor_view view;
    check(relax_rt_context_output(context, static_cast<int64_t>(i), &view));
    if (!isCarriedOutput(i))
      results[signature.outputs[i].name.c_str()] = makeArray(view);
    for (Carried &one : carried) {
      if (one.output != i)
        continue;
      one.set(view);
      one.memory.clear();
      one.memory.shrink_to_fit();
      if (!one.dims.empty() && one.dims[0] > one.window)
        one.dropRows(one.dims[0] - one.window);
    }
  }
  started = true;
  return results;
}

nb::dict Session::getState() {
  nb::dict state;
  if (!started || running)
    return state;
  for (const Carried &one : carried)
    state[function.getSignature().inputs[one.input].name.c_str()] = makeArray(one.view);
  return state;
}

nb::dict Session::getCounters() {
  checkIdle();
  return makeCounters({context});
}

/// What the last rows of everything that is handed on hold is forgotten.
void Session::pop(int64_t count) {
  checkIdle();
  if (!started)
    throw nb::value_error("there is nothing to take away before the first call");
  const Signature &signature = function.getSignature();
  for (const Carried &one : carried) {
    const TensorInfo &info = signature.inputs[one.input];
    if (info.dims.empty() || info.dims[0] == signature.outputs[one.output].dims[0])
      throw nb::type_error(("input " + info.str() + " does not grow along its first dimension").c_str());
    if (count < 0 || count > one.dims[0])
      throw nb::value_error(("input '" + info.name + "' has " + std::to_string(one.dims[0]) + " rows, " +
                             std::to_string(count) + " cannot be taken away")
                                .c_str());
  }
  for (Carried &one : carried)
    one.dims[0] -= count;
}

std::unique_ptr<Session> Session::fork() {
  checkIdle();
  std::unique_ptr<Session> other(new Session(function));
  other->context = function.state->take();
  other->carried = carried;
  other->given = given;
  other->started = started;
  for (Carried &one : other->carried) {
    if (!started)
      continue;
    one.view.dims = one.dims.data();
    uint64_t bytes = (one.view.dtype.bits + 7u) / 8;
    for (int64_t dim : one.dims)
      bytes *= static_cast<uint64_t>(dim);
    const char *data = static_cast<const char *>(one.view.data);
    one.memory.assign(data, data + bytes);
    one.view.data = one.memory.data();
  }
  return other;
}

//===----------------------------------------------------------------------===//
// Executable
//===----------------------------------------------------------------------===//

Function Executable::find(const std::string &name) const {
  for (size_t i = 0; i < state->functions.size(); ++i)
    if (state->functions[i].name == name)
      return {state, i};
  throw nb::key_error(("no function '" + name + "', the artifact has: " + listNames(*state)).c_str());
}

Function Executable::getDefault() const {
  for (size_t i = 0; i < state->functions.size(); ++i)
    if (state->functions[i].name == "main")
      return {state, i};
  if (state->functions.size() == 1)
    return {state, 0};
  throw nb::type_error(("no function 'main', choose one of: " + listNames(*state)).c_str());
}

NB_MODULE(_runtime, module) {
  module.doc() = "Runs artifacts; see relax.";
  // Caches of other packages (torch.compile) may hold objects until the process ends.
  nb::set_leak_warnings(false);
  bindTensorInfo(module);

  nb::class_<Function>(module, "Function", "A compiled function. Call it with arrays, in order or by name.")
      .def_prop_ro(
          "name", [](const Function &self) { return self.getSignature().name; }, "The function's name.")
      .def_prop_ro(
          "inputs", [](const Function &self) { return makeTuple(self.getSignature().inputs); },
          nb::sig("def inputs(self) -> tuple[TensorInfo, ...]"), "What it takes, in order.")
      .def_prop_ro(
          "outputs", [](const Function &self) { return makeTuple(self.getSignature().outputs); },
          nb::sig("def outputs(self) -> tuple[TensorInfo, ...]"), "What it returns, in order.")
      .def("__repr__", [](const Function &self) { return describe(self.getSignature()); })
      .def(
          "session",
          [](const Function &self, const nb::dict &carried, const nb::dict &windows) {
            return std::make_unique<Session>(self, carried, windows);
          },
          nb::arg("carried"), nb::arg("windows") = nb::dict(),
          nb::sig("def session(self, carried: dict[str, str], windows: dict[str, int] = {}) -> Session"),
          "A Session. carried: {input name: name of the output that is it in the next call}. windows: {input name: "
          "how\n"
          "many rows of that output are handed on at most, the last ones}.")
      .def(
          "__call__",
          [](const Function &self, const nb::args &args, const nb::kwargs &kwargs) {
            return self.state->call(self.index, args, kwargs);
          },
          nb::sig("def __call__(self, *args: typing.Any, **kwargs: typing.Any) -> dict[str, numpy.ndarray]"),
          "Runs the function; returns new arrays by output name.\n\n"
          "Dense arrays are read where they are, others are copied first; what relax.donate() gave may be written, "
          "and\n"
          "results that are there are views of it. The GIL is released. Raises TypeError for missing or unknown\n"
          "inputs and RelaxError for tensors that do not fit.");

  nb::class_<Session>(module, "Session",
                      "Calls of one function that hand outputs on to inputs of the next call, without copies; see\n"
                      "Function.session. One call at a time.")
      .def("__call__", &Session::call,
           nb::sig("def __call__(self, *args: typing.Any, **kwargs: typing.Any) -> dict[str, numpy.ndarray]"),
           "Runs the function; returns new arrays of the outputs that are not handed on.\n\n"
           "The first call takes all inputs, later ones those that are not handed on. After an error everything is as\n"
           "before the call.")
      .def_prop_ro("state", &Session::getState, nb::sig("def state(self) -> dict[str, numpy.ndarray]"),
                   "Copies of what the next call gets, by input name; empty before the first call.")
      .def_prop_ro(
          "counters", &Session::getCounters, nb::sig("def counters(self) -> dict[str, int]"),
          "Executable.counters of the memory that the session has; sessions that ended before may have had it.")
      .def("pop", &Session::pop, nb::arg("count"), nb::sig("def pop(self, count: int) -> None"),
           "Takes away the last `count` rows of everything that is handed on, as if they had not been given.")
      .def("fork", &Session::fork, nb::sig("def fork(self) -> Session"),
           "A session that goes on from here by itself, with a copy of what is handed on.")
      .def("reset", &Session::reset, "Makes the next call a first one.");

  nb::class_<Executable>(module, "Executable",
                         "A loaded artifact: functions of numpy arrays for every size. Any number of threads may call\n"
                         "its functions at once. It needs no compiler.")
      .def(
          "__init__",
          [](Executable *self, const nb::object &artifact, const std::vector<nb::object> &libraries, int64_t threads,
             uint64_t memoryLimit, int64_t captureLimit) {
            std::vector<std::string> paths;
            for (const nb::object &library : libraries) {
              nb::object path = nb::module_::import_("os").attr("fsencode")(library);
              paths.emplace_back(PyBytes_AS_STRING(path.ptr()));
            }
            new (self) Executable{std::make_shared<State>(artifact, paths, threads, memoryLimit, captureLimit)};
          },
          nb::arg("artifact"), nb::kw_only(), nb::arg("libraries") = nb::list(), nb::arg("threads") = 0,
          nb::arg("memory_limit") = 0, nb::arg("capture_limit") = 16,
          nb::sig("def __init__(self, artifact: str | os.PathLike[str] | bytes | bytearray | memoryview, *, "
                  "libraries: typing.Sequence[str | os.PathLike[str]] = (), threads: int = 0, memory_limit: int = 0, "
                  "capture_limit: int = 16) -> None"),
          "Loads an artifact from a path or from bytes.\n\n"
          "libraries: shared objects with the library functions that it calls. threads: how many one call may use,\n"
          "0 is one for each CPU. memory_limit: bytes that one call may take, 0 is no limit.\n"
          "capture_limit: recordings of launches that are kept for each region, of an artifact compiled with capture.")
      .def_prop_ro(
          "functions",
          [](const Executable &self) {
            nb::dict functions;
            for (size_t i = 0; i < self.state->functions.size(); ++i)
              functions[self.state->functions[i].name.c_str()] = nb::cast(Function{self.state, i});
            return functions;
          },
          nb::sig("def functions(self) -> dict[str, Function]"), "The functions by name.")
      .def("__getitem__", &Executable::find, nb::arg("name"), "The function of this name.")
      .def(
          "__call__",
          [](const Executable &self, const nb::args &args, const nb::kwargs &kwargs) {
            Function function = self.getDefault();
            return function.state->call(function.index, args, kwargs);
          },
          nb::sig("def __call__(self, *args: typing.Any, **kwargs: typing.Any) -> dict[str, numpy.ndarray]"),
          "Calls the function 'main', else the only one.")
      .def("__repr__",
           [](const Executable &self) {
             std::string text = "<relax.Executable";
             for (const Signature &signature : self.state->functions)
               text += "\n  " + describe(signature);
             return text + ">";
           })
      .def_prop_ro(
          "counters", [](const Executable &self) { return self.state->getCounters(); },
          nb::sig("def counters(self) -> dict[str, int]"),
          "What has happened so far, without calls that are running: calls, kernel_launches, library_calls,\n"
          "guard_failures, fallbacks, allocations, arena_bytes; extensions: outputs that continue an input, such as a\n"
          "cache; copied_bytes: of such inputs, 0 when all of them grew in place. donations:\n"
          "outputs that live in memory which a call donated.")
      .def_prop_ro(
          "kernels", [](const Executable &self) { return self.state->getKernels(); },
          nb::sig("def kernels(self) -> dict[str, int]"), "How often each kernel was launched so far.")
      .def_prop_ro(
          "memory_report",
          [](const Executable &self) { return std::string(relax_rt_module_memory_report(self.state->module)); },
          "The compiler's report about memory, JSON.")
      .def(
          "cancel", [](const Executable &self) { self.state->cancel(); },
          "Makes the calls that other threads are running end at their next kernel with a RelaxError.");
}
