//===- HostCpu.cpp - What this machine can run ----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "CodeImage.h"

#include <fstream>
#include <sstream>

using namespace relax_rt;

#if defined(__x86_64__)
static constexpr const char *kArchitecture = "x86_64";
#elif defined(__aarch64__)
static constexpr const char *kArchitecture = "aarch64";
#else
#error "unsupported architecture"
#endif

/// The features of the first processor, surrounded by blanks; empty when the system does not tell.
static std::string readHostFeatures() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.compare(0, 5, "flags") != 0 && line.compare(0, 8, "Features") != 0)
      continue;
    size_t colon = line.find(':');
    if (colon != std::string::npos)
      return line.substr(colon + 1) + " ";
  }
  return std::string();
}

bool relax_rt::hostCanRun(const std::string &triple, const std::string &features, std::string &error) {
  std::string architecture = triple.substr(0, triple.find('-'));
  if (!architecture.empty() && architecture != kArchitecture) {
    error = "compiled for " + triple + ", this machine is " + kArchitecture;
    return false;
  }
  if (features.empty())
    return true;
  std::string host = readHostFeatures();
  if (host.empty()) {
    error = "the features of this CPU are unknown: cannot read /proc/cpuinfo";
    return false;
  }
  std::string missing;
  std::istringstream list(features);
  for (std::string feature; std::getline(list, feature, ',');)
    if (!feature.empty() && host.find(" " + feature + " ") == std::string::npos)
      missing += (missing.empty() ? "" : ", ") + feature;
  if (missing.empty())
    return true;
  error = "compiled for a CPU with " + missing + ", which this machine does not have";
  return false;
}
