//===- CodeLevels.cpp - Code for several CPUs as bytes --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Compiled into the runtime and into the compiler; depends on the C++ standard
// library only.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Runtime/CodeLevels.h"
#include "SectionBytes.h"

using namespace relax_rt;

std::string relax_rt::encodeCodeLevels(const CodeLevels &levels) {
  SectionWriter writer;
  writer.string(levels.first);
  writer.u32(levels.higher.size());
  for (const CodeLevel &level : levels.higher) {
    writer.string(level.name);
    writer.string(level.triple);
    writer.string(level.cpuFeatures);
    writer.string(level.object);
  }
  return std::move(writer.bytes);
}

bool relax_rt::decodeCodeLevels(const uint8_t *data, uint64_t size, CodeLevels &levels, std::string &error) {
  error.clear();
  levels = CodeLevels();
  SectionReader reader(data, size, error);
  std::vector<std::string> names = {reader.string()};
  levels.higher.resize(reader.count(16));
  for (CodeLevel &level : levels.higher) {
    level.name = reader.string();
    level.triple = reader.string();
    level.cpuFeatures = reader.string();
    level.object = reader.bytes();
    names.push_back(level.name);
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty())
      reader.fail("a level has no name");
    for (size_t j = 0; j < i; ++j)
      if (names[i] == names[j])
        reader.fail("level '" + names[i] + "' appears twice");
  }
  levels.first = names.front();
  reader.expectEnd();
  return reader.ok();
}
