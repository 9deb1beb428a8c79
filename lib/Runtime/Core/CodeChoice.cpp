//===- CodeChoice.cpp - Which code of an artifact runs here ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Error.h"
#include "Module.h"

#include "RelaxDialect/Runtime/CpuLevel.h"

#include <cstdlib>

using namespace relax_rt;

relax_rt_status relax_rt_module::readLevels(const ArtifactFile &artifact, CodeLevels &levels) {
  std::vector<uint8_t> bytes;
  if (relax_rt_status status = artifact.read(SectionKind::Levels, bytes))
    return status;
  std::string error;
  if (!bytes.empty() && !decodeCodeLevels(bytes.data(), bytes.size(), levels, error))
    return artifact.invalid("levels section: " + error);
  return RELAX_RT_OK;
}

namespace {

std::string listNames(const std::vector<const CodeLevel *> &levels) {
  std::string names;
  for (const CodeLevel *level : levels)
    names += (names.empty() ? "" : ", ") + quote(level->name);
  return names;
}

/// NULL, and `error`, when no level can run here or the one that is asked for cannot.
const CodeLevel *chooseLevel(const std::vector<const CodeLevel *> &levels, const std::string &wanted,
                             std::string &error) {
  std::string reasons;
  bool known = wanted.empty();
  for (size_t i = levels.size(); i-- > 0;) {
    const CodeLevel &level = *levels[i];
    if (!wanted.empty() && level.name != wanted)
      continue;
    known = true;
    std::string reason;
    if (hostCanRun(level.triple, level.cpuFeatures, reason))
      return &level;
    if (levels.size() > 1)
      reason = "level " + quote(level.name) + ": " + reason;
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  if (known && (!wanted.empty() || levels.size() == 1))
    error = reasons;
  else if (known)
    error = "no code for this CPU: " + reasons;
  else if (levels.size() == 1)
    error = "has code for one CPU level only, RELAX_CPU_LEVEL asks for " + quote(wanted);
  else
    error = "no code for CPU level " + quote(wanted) + ", the artifact has " + listNames(levels);
  return nullptr;
}

} // namespace

relax_rt_status relax_rt_module::chooseCode(const ArtifactFile &artifact, std::vector<uint8_t> &bytes) {
  CodeLevels levels;
  if (relax_rt_status status = readLevels(artifact, levels))
    return status;
  CodeLevel first{levels.first, metadata.targetTriple, metadata.cpuFeatures, std::string()};
  std::vector<const CodeLevel *> all = {&first};
  for (const CodeLevel &level : levels.higher)
    all.push_back(&level);

  const char *wanted = std::getenv("RELAX_CPU_LEVEL");
  std::string error;
  const CodeLevel *chosen = chooseLevel(all, wanted ? wanted : "", error);
  if (!chosen)
    return artifact.invalid(error);
  // Also when it is not what runs: a damaged artifact is one on every machine.
  if (relax_rt_status status = artifact.read(SectionKind::Code, bytes))
    return status;
  if (chosen != &first)
    bytes.assign(chosen->object.begin(), chosen->object.end());
  cpuLevel = chosen->name;
  return RELAX_RT_OK;
}

const char *relax_rt_module_cpu_level(const relax_rt_module *module) {
  return module ? module->cpuLevel.c_str() : nullptr;
}
