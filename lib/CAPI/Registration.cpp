//===- Registration.cpp - Dialects and passes of a context ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect-c/Registration.h"
#include "Impl.h"
#include "RelaxDialect/InitAll.h"

#include "mlir/CAPI/IR.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;
using namespace relax_capi;

static const DialectRegistry &getRegistry() {
  static const DialectRegistry registry = [] {
    DialectRegistry all;
    registerAllDialects(all);
    registerAllExtensions(all);
    relax::registerAllDialects(all);
    return all;
  }();
  return registry;
}

/// All contexts share the threads: a process may have many.
static llvm::ThreadPoolInterface &getThreads() {
  static llvm::DefaultThreadPool threads;
  return threads;
}

relax_context::relax_context() : MLIRContext(getRegistry(), Threading::DISABLED) {
  setThreadPool(getThreads());
  // A message says what is wrong; the op is in the module, and may be all of it.
  printOpOnDiagnostic(false);
}

relax_status relax_context_create(relax_context **out_context) {
  Call call;
  if (!out_context)
    return call.fail(RELAX_INVALID_ARGUMENT, "out_context is NULL");
  static std::once_flag once;
  std::call_once(once, [] {
    registerAllPasses();
    relax::registerAllPasses();
  });
  *out_context = new relax_context();
  return RELAX_OK;
}

void relax_context_destroy(relax_context *context) { delete context; }

void relax_register_dialects(MlirDialectRegistry registry) { relax::registerAllDialects(*unwrap(registry)); }

void relax_register_passes(void) { relax::registerAllPasses(); }
