//===- relax-run.cpp - Runs a compiled artifact ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Npy.h"
#include "Npz.h"
#include "Options.h"

#include "RelaxDialect/Runtime/CpuLevel.h"
#include "RelaxDialect/Runtime/Device.h"
#include "RelaxDialect/Runtime/Runtime.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <vector>

using namespace relax_run;

namespace {

int report(const std::string &message) {
  std::fprintf(stderr, "relax-run: error: %s\n", message.c_str());
  return 1;
}

template <typename T, void (*destroy)(T *)> struct Destroy {
  void operator()(T *object) const { destroy(object); }
};
template <typename T, void (*destroy)(T *)> using Handle = std::unique_ptr<T, Destroy<T, destroy>>;

/// Something that ran, in nanoseconds of a steady clock.
struct Event {
  std::string name;
  const char *category; // call, kernel, library
  uint64_t begin, end;
  int64_t bytes = -1, operations = -1; // -1: not known
};

uint64_t now() {
  auto passed = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
}

/// Everything of one process: the runtime's objects in the order in which they depend on each other.
class Session {
public:
  explicit Session(const Options &options) : options(options) {}
  /// The exit code.
  int run();

private:
  /// Without runs the artifact is only described, which needs no library.
  bool open();
  bool load();
  bool selectFunction();
  bool runOnce(const std::string &inputFile, const std::string &outputFile);
  bool matchInputs(const std::vector<Array> &arrays, std::vector<relax_rt_tensor_view> &views);
  bool findDonations(const std::vector<relax_rt_tensor_view> &views, std::vector<relax_rt_donation> &donations);
  void printSignature() const;
  void printCounters() const;
  bool writeTrace();
  bool fail(const std::string &what) {
    error = what;
    return false;
  }
  bool check(relax_rt_status status) { return status == RELAX_RT_OK || fail(relax_rt_last_error()); }

  const Options &options;
  std::string error;
  int64_t function = -1;
  /// Launches, and calls of the function, in the order in which they ended.
  std::vector<Event> events;
  Handle<relax_rt_instance, relax_rt_instance_destroy> instance;
  Handle<relax_rt_module, relax_rt_module_destroy> module;
  Handle<relax_rt_context, relax_rt_context_destroy> context;
};

std::string typeName(relax_rt_dtype dtype) {
  if (dtype.code == RELAX_RT_BOOL)
    return "bool";
  static const std::pair<int, const char *> kSmall[] = {
      {RELAX_RT_FLOAT8_E4M3FN, "float8_e4m3fn"},   {RELAX_RT_FLOAT8_E4M3FNUZ, "float8_e4m3fnuz"},
      {RELAX_RT_FLOAT8_E5M2, "float8_e5m2"},       {RELAX_RT_FLOAT8_E5M2FNUZ, "float8_e5m2fnuz"},
      {RELAX_RT_FLOAT8_E8M0FNU, "float8_e8m0fnu"}, {RELAX_RT_FLOAT4_E2M1FN, "float4_e2m1fn"}};
  for (const auto &[code, name] : kSmall)
    if (dtype.code == code)
      return name;
  const char *kind = dtype.code == RELAX_RT_INT     ? "int"
                     : dtype.code == RELAX_RT_UINT  ? "uint"
                     : dtype.code == RELAX_RT_FLOAT ? "float"
                                                    : "bfloat";
  return kind + std::to_string(dtype.bits);
}

void printTensor(const char *role, const relax_rt_tensor_info &info) {
  std::printf("%s %s: %s[", role, info.name, typeName(info.dtype).c_str());
  for (int64_t i = 0; i < info.rank; ++i)
    std::printf("%s%s", i ? ", " : "", info.dims[i]);
  std::printf("]%s\n", info.is_donated ? ", can be donated" : "");
}

bool Session::open() {
  if (!options.runs.empty())
    return load() && selectFunction();
  relax_rt_module *newModule = nullptr;
  if (!check(relax_rt_module_describe(options.artifact.c_str(), &newModule)))
    return false;
  module.reset(newModule);
  if (!options.signature)
    return fail("nothing to do: give --inputs and --outputs, or --signature (see relax-run --help)");
  return selectFunction();
}

bool Session::load() {
  relax_rt_instance *newInstance = nullptr;
  if (!check(relax_rt_instance_create(&newInstance)))
    return false;
  instance.reset(newInstance);
  for (const std::string &library : options.libraries) {
    // A name without a slash would be searched for in the system's folders.
    std::string path = library.find('/') == std::string::npos ? "./" + library : library;
    if (!check(relax_rt_instance_load_library(instance.get(), path.c_str())))
      return false;
  }
  if (!options.cpuLevel.empty() && setenv("RELAX_CPU_LEVEL", options.cpuLevel.c_str(), /*replace=*/1) != 0)
    return report("cannot set RELAX_CPU_LEVEL") == 0;
  relax_rt_module *newModule = nullptr;
  if (!check(relax_rt_module_load(instance.get(), options.artifact.c_str(), &newModule)))
    return false;
  module.reset(newModule);
  relax_rt_context *newContext = nullptr;
  if (!check(relax_rt_context_create(module.get(), &newContext)))
    return false;
  context.reset(newContext);
  if (!options.device.empty() && !check(relax_rt_context_set_device(context.get(), options.device.c_str())))
    return false;
  auto add = [](void *events, const relax_rt_trace_event *event) {
    static_cast<std::vector<Event> *>(events)->push_back({event->name, event->is_library ? "library" : "kernel",
                                                          event->begin_ns, event->end_ns, event->bytes,
                                                          event->operations});
  };
  if (!options.trace.empty() && !check(relax_rt_context_set_trace(context.get(), add, &events)))
    return false;
  return check(relax_rt_context_set_memory_limit(context.get(), options.memoryLimit)) &&
         check(relax_rt_context_set_capture_limit(context.get(), static_cast<int64_t>(options.captureLimit))) &&
         check(relax_rt_context_set_threads(context.get(), static_cast<int64_t>(options.threads)));
}

bool Session::selectFunction() {
  int64_t count = relax_rt_module_num_functions(module.get());
  std::string names;
  for (int64_t i = 0; i < count; ++i)
    names += (i ? ", " : "") + std::string(relax_rt_module_function_name(module.get(), i));
  if (!options.function.empty()) {
    function = relax_rt_module_find_function(module.get(), options.function.c_str());
    return function >= 0 || fail("no function '" + options.function + "', the artifact has: " + names);
  }
  function = relax_rt_module_find_function(module.get(), "main");
  if (function < 0 && count == 1)
    function = 0;
  // Printing every signature needs no choice.
  return function >= 0 || options.runs.empty() ||
         fail("no function 'main', give --function; the artifact has: " + names);
}

bool Session::matchInputs(const std::vector<Array> &arrays, std::vector<relax_rt_tensor_view> &views) {
  int64_t count = relax_rt_module_num_inputs(module.get(), function);
  std::vector<bool> used(arrays.size());
  std::string names;
  for (int64_t i = 0; i < count; ++i) {
    const relax_rt_tensor_info *info = relax_rt_module_input(module.get(), function, i);
    names += (i ? ", " : "") + std::string(info->name);
    size_t found = 0;
    while (found < arrays.size() && arrays[found].name != info->name)
      ++found;
    if (found == arrays.size())
      return fail("missing input '" + std::string(info->name) + "'");
    used[found] = true;
    views.push_back(arrays[found].view());
    bool isSmall = info->dtype.bits < 8 ||
                   (info->dtype.code >= RELAX_RT_FLOAT8_E4M3FN && info->dtype.code <= RELAX_RT_FLOAT8_E8M0FNU);
    if (isSmall && views.back().dtype.code == kBytes)
      views.back().dtype = info->dtype;
  }
  for (size_t i = 0; i < arrays.size(); ++i)
    if (!used[i])
      return fail("unknown input '" + arrays[i].name + "', the function has: " + names);
  return true;
}

/// The whole memory of each array that is named.
bool Session::findDonations(const std::vector<relax_rt_tensor_view> &views, std::vector<relax_rt_donation> &donations) {
  for (const std::string &name : options.donated) {
    int64_t input = 0, count = static_cast<int64_t>(views.size());
    while (input < count && relax_rt_module_input(module.get(), function, input)->name != name)
      ++input;
    if (input == count)
      return fail("no input '" + name + "' that could be donated");
    const relax_rt_tensor_view &view = views[static_cast<size_t>(input)];
    uint64_t bytes = (view.dtype.bits + 7u) / 8;
    for (int64_t i = 0; i < view.rank; ++i)
      bytes *= static_cast<uint64_t>(view.dims[i]);
    donations.push_back({input, bytes});
  }
  return true;
}

bool Session::runOnce(const std::string &inputFile, const std::string &outputFile) {
  std::vector<Array> arrays;
  if (!readNpz(inputFile, arrays, error))
    return false;
  std::vector<relax_rt_tensor_view> views;
  if (!matchInputs(arrays, views))
    return fail(inputFile + ": " + error);
  std::vector<relax_rt_donation> donations;
  if (!findDonations(views, donations))
    return false;
  uint64_t begin = now();
  bool ok =
      check(relax_rt_context_invoke_donating(context.get(), function, views.data(), static_cast<int64_t>(views.size()),
                                             donations.data(), static_cast<int64_t>(donations.size())));
  if (!options.trace.empty())
    events.push_back({relax_rt_module_function_name(module.get(), function), "call", begin, now()});
  if (!ok)
    return false;
  std::vector<NamedView> outputs;
  for (int64_t i = 0; i < relax_rt_module_num_outputs(module.get(), function); ++i) {
    NamedView output;
    output.name = relax_rt_module_output(module.get(), function, i)->name;
    if (!check(relax_rt_context_output(context.get(), i, &output.view)))
      return false;
    outputs.push_back(output);
  }
  return writeNpz(outputFile, outputs, error);
}

void Session::printSignature() const {
  for (int64_t f = 0; f < relax_rt_module_num_functions(module.get()); ++f) {
    if (!options.function.empty() && f != function)
      continue;
    std::printf("function %s\n", relax_rt_module_function_name(module.get(), f));
    for (int64_t i = 0; i < relax_rt_module_num_inputs(module.get(), f); ++i)
      printTensor("input", *relax_rt_module_input(module.get(), f, i));
    for (int64_t i = 0; i < relax_rt_module_num_outputs(module.get(), f); ++i)
      printTensor("output", *relax_rt_module_output(module.get(), f, i));
  }
  for (int64_t i = 0; i < relax_rt_module_num_library_functions(module.get()); ++i)
    std::printf("library function %s\n", relax_rt_module_library_function(module.get(), i));
}

void Session::printCounters() const {
  relax_rt_counters counters;
  if (relax_rt_context_counters(context.get(), &counters) != RELAX_RT_OK)
    return;
  const std::pair<const char *, uint64_t> lines[] = {
      {"calls", counters.calls},
      {"kernel launches", counters.kernel_launches},
      {"library calls", counters.extern_calls},
      {"guard failures", counters.guard_failures},
      {"fallbacks", counters.fallbacks},
      {"allocations", counters.allocations},
      {"arena bytes", counters.arena_bytes},
      {"extensions", counters.extensions},
      {"copied bytes", counters.copied_bytes},
      {"captures", counters.captures},
      {"replays", counters.replays},
      {"evictions", counters.evictions},
      {"recordings", counters.recordings},
      {"donations", counters.donations},
  };
  for (const auto &[name, value] : lines)
    std::printf("%s: %" PRIu64 "\n", name, value);
  if (const char *level = relax_rt_module_cpu_level(module.get()); *level)
    std::printf("CPU level: %s\n", level);
  relax_rt_device_counters device;
  if (!options.device.empty() && relax_rt_context_device_counters(context.get(), &device) == RELAX_RT_OK)
    std::printf("device: %s\ndevice launches: %" PRIu64 "\ndispatches: %" PRIu64 "\nlaunches on the CPU: %" PRIu64
                "\nbytes to device: %" PRIu64 "\nnanoseconds on the device: %" PRIu64 "\nwaits for the device: %" PRIu64
                "\n",
                relax_rt_context_device_name(context.get()), device.device_launches, device.dispatches,
                device.cpu_launches, device.bytes_to_device, device.nanoseconds, device.waits);
  for (int64_t i = 0; i < relax_rt_module_num_kernels(module.get()); ++i)
    std::printf("kernel %s: %" PRIu64 "\n", relax_rt_module_kernel_name(module.get(), i),
                relax_rt_context_kernel_launches(context.get(), i));
}

/// The format of chrome://tracing, in microseconds since the first event.
bool Session::writeTrace() {
  std::FILE *file = std::fopen(options.trace.c_str(), "w");
  if (!file)
    return fail("cannot write '" + options.trace + "'");
  uint64_t first = UINT64_MAX;
  for (const Event &event : events)
    first = std::min(first, event.begin);
  std::fputs(R"({"displayTimeUnit": "ns", "traceEvents": [)", file);
  const char *separator = "\n";
  for (const Event &event : events) {
    std::string name;
    for (char c : event.name)
      if (c == '"' || c == '\\')
        name += std::string("\\") + c;
      else if (static_cast<unsigned char>(c) >= 0x20)
        name += c;
    std::string args;
    if (event.bytes >= 0)
      args = "\"bytes\": " + std::to_string(event.bytes);
    if (event.operations >= 0)
      args += (args.empty() ? "" : ", ") + ("\"operations\": " + std::to_string(event.operations));
    std::fprintf(
        file, R"(%s{"name": "%s", "cat": "%s", "ph": "X", "pid": 1, "tid": 1, "ts": %.3f, "dur": %.3f, "args": {%s}})",
        separator, name.c_str(), event.category, static_cast<double>(event.begin - first) / 1e3,
        static_cast<double>(event.end - event.begin) / 1e3, args.c_str());
    separator = ",\n";
  }
  std::fputs("\n]}\n", file);
  bool isWritten = std::ferror(file) == 0;
  isWritten &= std::fclose(file) == 0;
  return isWritten || fail("cannot write '" + options.trace + "'");
}

int Session::run() {
  bool ok = open();
  if (ok && options.signature)
    printSignature();
  for (size_t i = 0; ok && i < options.runs.size(); ++i)
    ok = runOnce(options.runs[i].first, options.runs[i].second);
  // After a failure too: they may tell why.
  if (context && !options.trace.empty()) {
    std::string reason = error;
    bool isWritten = writeTrace();
    if (!ok)
      error = reason;
    ok = ok && isWritten;
  }
  if (context && options.counters)
    printCounters();
  if (!ok)
    return report(error);
  if (std::fflush(stdout) != 0)
    return report("cannot write to the standard output");
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    Options options;
    std::string error;
    if (!parseOptions(std::vector<std::string>(argv + (argc > 0), argv + argc), options, error))
      return report(error + " (see relax-run --help)");
    if (options.help) {
      std::fputs(kUsage, stdout);
      return 0;
    }
    return Session(options).run();
  } catch (const std::bad_alloc &) {
    return report("out of memory");
  } catch (const std::exception &exception) {
    return report(exception.what());
  }
}
