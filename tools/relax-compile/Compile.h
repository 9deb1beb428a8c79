//===- Compile.h - From a model to an artifact -----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TOOLS_RELAXCOMPILE_COMPILE_H
#define RELAXDIALECT_TOOLS_RELAXCOMPILE_COMPILE_H

#include "Instruments.h"
#include "RelaxDialect/Target/Import/GGUF.h"
#include "RelaxDialect/Target/Import/ONNX.h"
#include "mlir/Support/LogicalResult.h"
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
} // namespace mlir

enum class Emit { Artifact, MLIR, LLVM, Object };

struct CompileOptions {
  std::string input, output;
  std::string target = "cpu";
  std::vector<std::string> functions; // entries, "*": all; empty: main, else the only public function
  std::vector<std::string> donated;   // inputs whose memory calls may give away, patterns
  Emit emit = Emit::Artifact;
  mlir::relax::ONNXImportOptions import;
  mlir::relax::GGUFImportOptions importGGUF;
  std::vector<std::string> libraries; // files, or names of descriptions in `libraryDirectory`
  std::string libraryDirectory;
  std::string patterns, dispatchTable; // files; empty: none
  bool quantizeActivations = false;    // products of weights in blocks take integers
  std::string quantizeWeights;         // a format; empty: weights stay as they are
  std::string mixedPrecision;          // a type; empty: products multiply what is written
  bool liftWorkspaces = false;
  bool preallocateCaches = false;
  bool capture = false;
  bool report = false;                        // what kernels of devices move
  std::string ptxas;                          // a program; empty: it is looked for
  std::string saveDeviceCode;                 // a folder; empty: none
  std::vector<std::string> enabled, disabled; // groups of passes: setGroups of Compile.cpp
  std::string memoryReport;                   // a page when it ends in .html, else JSON; empty: none
  std::string after;                          // with Emit::MLIR: the pass whose result is shown
  InstrumentOptions instruments;
  std::string reportHTML, reportProfile; // a page, and a trace of relax-run for it; empty: none
};

/// Reports every failure on stderr.
mlir::LogicalResult compile(const CompileOptions &options, const mlir::DialectRegistry &registry);

#endif // RELAXDIALECT_TOOLS_RELAXCOMPILE_COMPILE_H
