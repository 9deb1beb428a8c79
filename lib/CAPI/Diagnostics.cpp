//===- Diagnostics.cpp - Messages of the C API ----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Impl.h"
#include "RelaxDialect/Support/Version.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm-c/Core.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace relax_capi;

FileLineColLoc relax_capi::findPlace(Location location) {
  FileLineColLoc place;
  location->walk([&](Location part) {
    place = dyn_cast<FileLineColLoc>(part);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

namespace {

/// A message with the texts that it owns.
struct Message {
  relax_diagnostic diagnostic = {};
  std::string text, file;
};

/// What the thread's last call said.
struct LastCall {
  std::deque<Message> messages;
  std::string error;
};
thread_local LastCall last;

relax_severity getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return RELAX_NOTE;
  case DiagnosticSeverity::Warning:
    return RELAX_WARNING;
  case DiagnosticSeverity::Error:
    return RELAX_ERROR;
  case DiagnosticSeverity::Remark:
    return RELAX_REMARK;
  }
  return RELAX_ERROR;
}

void remember(std::deque<Message> &messages, DiagnosticSeverity severity, std::string text,
              std::optional<Location> location) {
  Message &message = messages.emplace_back();
  message.text = std::move(text);
  message.diagnostic.severity = getSeverity(severity);
  if (FileLineColLoc place = location ? findPlace(*location) : FileLineColLoc()) {
    message.file = place.getFilename().str();
    message.diagnostic.line = place.getLine();
    message.diagnostic.column = place.getColumn();
  }
}

} // namespace

/// Listens to the context while a call runs. Passes report from several threads, one after the other.
struct Call::Collector {
  Collector(relax_context *owner, const relax_module *module)
      : stream(text), context(owner),
        printer(module ? const_cast<llvm::SourceMgr &>(module->sources) : noSources, context, stream),
        listener(context, [this](Diagnostic &diagnostic) {
          remember(messages, diagnostic.getSeverity(), diagnostic.str(), diagnostic.getLocation());
          for (Diagnostic &note : diagnostic.getNotes())
            remember(messages, note.getSeverity(), note.str(), note.getLocation());
          return failure(); // the printer has it next
        }) {}

  std::string text;
  llvm::raw_string_ostream stream;
  std::deque<Message> messages;
  MLIRContext *context;
  llvm::SourceMgr noSources;
  SourceMgrDiagnosticHandler printer;
  ScopedDiagnosticHandler listener;
};

Call::Call() { last = LastCall(); }

Call::Call(relax_context *context, const relax_module *module) : lock(context->mutex) {
  last = LastCall();
  if (context->isRunning) {
    ready = false;
    (void)fail(RELAX_INVALID_ARGUMENT, "a callback of a pipeline cannot call functions for the same context");
    return;
  }
  collector = std::make_unique<Collector>(context, module);
}

Call::~Call() {
  if (collector)
    std::move(collector->messages.begin(), collector->messages.end(), std::back_inserter(last.messages));
  for (Message &message : last.messages) {
    message.diagnostic.message = message.text.c_str();
    message.diagnostic.file = message.file.c_str();
  }
}

raw_ostream &Call::getErrors() { return collector->stream; }

relax_status Call::fail(relax_status status, const Twine &message, std::optional<Location> location) {
  if (location && collector) {
    // Printed as the compiler's own messages are, with the line.
    emitError(*location) << message;
    return failWith(status, "");
  }
  last.error = collector ? collector->text : "";
  if (!last.error.empty() && last.error.back() != '\n')
    last.error += "\n";
  last.error += message.str();
  remember(collector ? collector->messages : last.messages, DiagnosticSeverity::Error, message.str(), std::nullopt);
  return status;
}

relax_status Call::failWith(relax_status status, StringRef otherwise) {
  StringRef text = StringRef(collector->text).rtrim();
  if (text.empty())
    return fail(status, otherwise);
  last.error = text.str();
  return status;
}

const char *relax_last_error(void) { return last.error.c_str(); }

int64_t relax_num_diagnostics(void) { return static_cast<int64_t>(last.messages.size()); }

const relax_diagnostic *relax_get_diagnostic(int64_t index) {
  if (index < 0 || index >= relax_num_diagnostics())
    return nullptr;
  return &last.messages[static_cast<size_t>(index)].diagnostic;
}

uint32_t relax_api_version(void) { return RELAX_API_VERSION; }

const char *relax_version(void) { return relax::getVersion().data(); }

void relax_llvm_versions(int32_t built[3], int32_t loaded[3]) {
  const int32_t ours[] = {LLVM_VERSION_MAJOR, LLVM_VERSION_MINOR, LLVM_VERSION_PATCH};
  unsigned theirs[3] = {};
  LLVMGetVersion(&theirs[0], &theirs[1], &theirs[2]);
  for (int part = 0; part != 3; ++part) {
    built[part] = ours[part];
    loaded[part] = static_cast<int32_t>(theirs[part]);
  }
}

const char *relax_status_name(relax_status status) {
  switch (status) {
  case RELAX_OK:
    return "ok";
  case RELAX_INVALID_ARGUMENT:
    return "invalid argument";
  case RELAX_INVALID_MODULE:
    return "invalid module";
  case RELAX_PASS_FAILED:
    return "pass failed";
  case RELAX_COMPILE_FAILED:
    return "compile failed";
  case RELAX_RUN_FAILED:
    return "run failed";
  case RELAX_IO_FAILED:
    return "io failed";
  }
  return "unknown";
}
