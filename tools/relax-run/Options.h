//===- Options.h - The command line of relax-run --------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUN_OPTIONS_H
#define RELAX_RUN_OPTIONS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace relax_run {

extern const char *const kUsage;

struct Options {
  std::string artifact;
  std::string function;                                  // empty: "main", else the only one
  std::vector<std::pair<std::string, std::string>> runs; // files of inputs and outputs
  std::vector<std::string> libraries;
  std::vector<std::string> donated; // names of inputs
  std::string device;               // empty: the CPU
  std::string cpuLevel;             // empty: the highest that runs here
  uint64_t memoryLimit = 0;         // 0: none
  uint64_t captureLimit = 16;
  uint64_t threads = 0; // 0: one for each CPU
  std::string trace;    // a file; empty: none
  bool counters = false;
  bool signature = false;
  bool help = false;
};

/// False and `error` when the command line makes no sense.
bool parseOptions(const std::vector<std::string> &args, Options &options, std::string &error);

} // namespace relax_run

#endif // RELAX_RUN_OPTIONS_H
