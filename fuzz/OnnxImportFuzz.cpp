//===- OnnxImportFuzz.cpp - Fuzzing the ONNX importer ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Whatever the bytes are, the importer gives a module or one error. Start with
// a folder of small models as the corpus.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Target/Import/ONNX.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;

// LLVM's allocators poison memory that the uninstrumented libMLIR then uses.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0:detect_leaks=0"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int file = memfd_create("model", 0);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size))
    abort();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  OwningOpRef<ModuleOp> module = relax::importONNX("/proc/self/fd/" + std::to_string(file), &context);
  if (static_cast<bool>(module) != (errors == 0))
    abort();
  close(file);
  return 0;
}
