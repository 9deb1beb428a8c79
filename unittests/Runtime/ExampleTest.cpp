//===- ExampleTest.cpp - The example of docs/Runtime.md -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RuntimeFixture.h"

#include <cstdlib>

TEST(Example, DocumentationShowsTheTestedProgram) {
  std::string program = readFile(RELAX_TEST_SOURCES "/unittests/Runtime/ApiExample.c");
  program.erase(0, program.find("#include"));
  std::string text = readFile(RELAX_TEST_SOURCES "/docs/Runtime.md");
  EXPECT_NE(text.find("```c\n" + program + "```\n"), std::string::npos);
}

TEST(Example, Runs) {
  TemporaryFile artifact(makeTestArtifact().build()), output;
  std::string command = std::string(RELAX_TEST_EXAMPLE) + " " + artifact.path() + " > " + output.path();
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(readFile(output.path()), "2 x 4, last element 16\n");
}
