//===- Options.cpp - The command line of relax-run ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Options.h"

using namespace relax_run;

const char *const relax_run::kUsage =
    R"(usage: relax-run ARTIFACT [options] (--inputs A.npz --outputs B.npz)...

Runs a function of a compiled artifact, once for each pair of files, in order and in one process.

  --inputs FILE        arrays, named as the function's inputs
  --outputs FILE       where the outputs of these inputs go
  --function NAME      the function; default: main, else the only one
  --library FILE       a shared object with library functions; may be repeated
  --memory-limit BYTES what temporaries and outputs of one run may take together
  --capture-limit N    how many recordings of launches are kept for each region; default: 16
  --threads N          how many threads a run may use; default: one for each CPU
  --device NAME        where kernels run: cpu (default), vulkan, opencl, nvidia or amd; what the device cannot run runs on the CPU
  --cpu-level NAME     run the code for this level of CPU (as RELAX_CPU_LEVEL does), not for the highest that this
                       machine has; of an artifact for several: relax-compile --target=x86-64,x86-64-v3
  --signature          print names, types and shapes of inputs and outputs, and the library functions that are needed;
                       of all functions when none is named
  --donate NAME        let the function write the memory of this input, as callers do that do not need it any more; may
                       be given several times
  --counters           print counters after the runs
  --trace FILE         write when each kernel ran, for chrome://tracing or ui.perfetto.dev
  --help               print this text
)";

static bool fail(std::string &error, const std::string &what) {
  error = what;
  return false;
}

/// A whole decimal number, at least 1.
static bool parseCount(const std::string &text, uint64_t &value) {
  value = 0;
  for (char c : text)
    if (c < '0' || c > '9' || __builtin_mul_overflow(value, uint64_t(10), &value) ||
        __builtin_add_overflow(value, static_cast<uint64_t>(c - '0'), &value))
      return false;
  return value != 0;
}

bool relax_run::parseOptions(const std::vector<std::string> &args, Options &options, std::string &error) {
  bool openPair = false; // an --inputs that waits for its --outputs
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string &arg = args[i];
    if (arg.compare(0, 1, "-") != 0) {
      if (!options.artifact.empty())
        return fail(error, "unexpected argument '" + arg + "'");
      options.artifact = arg;
      continue;
    }
    size_t equals = arg.find('=');
    std::string name = arg.substr(0, equals);
    bool isFlag = name == "--counters" || name == "--signature" || name == "--help";
    if (isFlag && equals == std::string::npos) {
      (name == "--counters" ? options.counters : name == "--signature" ? options.signature : options.help) = true;
      continue;
    }
    bool takesValue = name == "--inputs" || name == "--outputs" || name == "--function" || name == "--library" ||
                      name == "--memory-limit" || name == "--threads" || name == "--capture-limit" ||
                      name == "--device" || name == "--cpu-level" || name == "--trace" || name == "--donate";
    if (!takesValue)
      return fail(error, "unknown option '" + arg + "'");
    if (equals == std::string::npos && i + 1 == args.size())
      return fail(error, "option '" + name + "' needs a value");
    std::string value = equals == std::string::npos ? args[++i] : arg.substr(equals + 1);
    if (name == "--inputs") {
      if (openPair)
        return fail(error, "--inputs '" + options.runs.back().first + "' has no --outputs");
      options.runs.emplace_back(value, "");
      openPair = true;
    } else if (name == "--outputs") {
      if (!openPair)
        return fail(error, "--outputs '" + value + "' has no --inputs before it");
      options.runs.back().second = value;
      openPair = false;
    } else if (name == "--function") {
      options.function = value;
    } else if (name == "--library") {
      options.libraries.push_back(value);
    } else if (name == "--donate") {
      options.donated.push_back(value);
    } else if (name == "--trace") {
      options.trace = value;
    } else if (name == "--device") {
      options.device = value;
    } else if (name == "--cpu-level") {
      if (value.empty())
        return fail(error, "--cpu-level needs the name of a level");
      options.cpuLevel = value;
    } else if (name == "--threads") {
      if (!parseCount(value, options.threads) || options.threads > INT32_MAX)
        return fail(error, "--threads needs a number of threads, not '" + value + "'");
    } else if (name == "--capture-limit") {
      if (value != "0" && (!parseCount(value, options.captureLimit) || options.captureLimit > INT32_MAX))
        return fail(error, "--capture-limit needs a number of recordings, not '" + value + "'");
      if (value == "0")
        options.captureLimit = 0;
    } else if (!parseCount(value, options.memoryLimit)) {
      return fail(error, "--memory-limit needs a number of bytes, not '" + value + "'");
    }
  }
  if (options.help)
    return true;
  if (options.artifact.empty())
    return fail(error, "no artifact given");
  if (openPair)
    return fail(error, "--inputs '" + options.runs.back().first + "' has no --outputs");
  return true;
}
