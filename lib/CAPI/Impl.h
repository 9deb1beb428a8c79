//===- Impl.h - What the handles of the C API are --------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_CAPI_IMPL_H
#define RELAX_CAPI_IMPL_H

#include "RelaxDialect-c/Compiler.h"
#include "RelaxDialect/Interpreter/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"
#include <deque>
#include <mutex>

/// A base, so that the context of an expression is known to be one of ours.
struct relax_context : mlir::MLIRContext {
  relax_context();
  /// One call at a time. Recursive: a callback that calls the same context gets an error instead of waiting for ever.
  std::recursive_mutex mutex;
  bool isRunning = false;
};

namespace relax_capi {

/// Names and element types of one function.
struct Tensor {
  std::string name;
  std::vector<std::string> dims;
  std::vector<const char *> dimTexts;
  relax_rt_tensor_info info = {};
};
struct Function {
  std::string name;
  std::deque<Tensor> inputs, outputs;
};

/// The operations of a module that handles know (IR.cpp).
struct View;

} // namespace relax_capi

struct relax_module {
  relax_context *owner = nullptr;
  llvm::SourceMgr sources; // for the lines in messages; the module may refer to them
  mlir::OwningOpRef<mlir::ModuleOp> module;
  bool isValid = true;
  /// By functions of IR.h, since it was verified last.
  mutable bool isChanged = false;
  std::shared_ptr<relax_capi::View> view;
  /// The public functions, when they have been asked for.
  std::optional<std::vector<relax_capi::Function>> functions;
};

namespace relax_capi {

/// The public functions with a body.
mlir::SmallVector<mlir::func::FuncOp> getPublicFunctions(mlir::ModuleOp module);

/// Whether the module may be used; one that was changed is verified first.
bool checkValid(const relax_module *module);

/// The first place in a file that a location names; null when there is none.
mlir::FileLineColLoc findPlace(mlir::Location location);

/// How elements of a type are exchanged; 0 bits when they cannot be.
relax_rt_dtype getDtype(mlir::Type elementType);

/// Hands text or bytes to a caller's function.
inline void deliver(relax_bytes_fn fn, void *user, llvm::StringRef bytes) {
  if (fn)
    fn(user, bytes.data(), bytes.size());
}

/// One call of a function with a status: clears the messages of the thread's last call, takes the context's lock and
/// collects what is reported meanwhile.
class Call {
public:
  /// For calls that fail before they have a context.
  Call();
  /// `module` may be null: then messages have no lines of source.
  explicit Call(relax_context *context, const relax_module *module = nullptr);
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  /// False when a callback of this context has called: `fail` was called then.
  bool isReady() const { return ready; }
  /// Ends with an error of our own; the messages collected so far stay before it.
  relax_status fail(relax_status status, const llvm::Twine &message, std::optional<mlir::Location> location = {});
  /// Ends with the messages collected so far; one stands in for them when there are none.
  relax_status failWith(relax_status status, llvm::StringRef otherwise);
  /// Turns what a library printed into messages of ours.
  llvm::raw_ostream &getErrors();

private:
  struct Collector;
  std::unique_lock<std::recursive_mutex> lock;
  std::unique_ptr<Collector> collector;
  bool ready = true;
};

} // namespace relax_capi

#endif // RELAX_CAPI_IMPL_H
