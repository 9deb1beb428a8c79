//===- DevicePrograms.cpp - Assemblers and linkers of devices --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "DevicePrograms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace mlir;
using namespace mlir::relax;

static std::string join(StringRef folder, StringRef a, StringRef b = "") {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, a);
  if (!b.empty()) // else a separator would be last
    llvm::sys::path::append(path, b);
  return path.str().str();
}

/// Folders of Python packages: of the environment that is active, and the one that this library was installed in.
static SmallVector<std::string> findPackageFolders() {
  SmallVector<std::string> folders;
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void *>(&findPackageFolders), &info) && info.dli_fname)
    for (StringRef path = info.dli_fname; !path.empty(); path = llvm::sys::path::parent_path(path))
      if (llvm::sys::path::filename(path) == "site-packages")
        folders.push_back(path.str());
  if (const char *environment = std::getenv("VIRTUAL_ENV")) {
    std::error_code code;
    for (llvm::sys::fs::directory_iterator entry(join(environment, "lib"), code), end; entry != end && !code;
         entry.increment(code))
      folders.push_back(join(entry->path(), "site-packages"));
  }
  return folders;
}

std::optional<std::string> relax::findPtxas(StringRef named, std::string &reason) {
  if (!named.empty()) {
    if (llvm::sys::fs::can_execute(named))
      return named.str();
    reason = "cannot run '" + named.str() + "'";
    return std::nullopt;
  }
  if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  SmallVector<std::string> searched;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (const char *folder = std::getenv(variable))
      searched.push_back(join(folder, "bin"));
  bool isNamed = !searched.empty();
  for (const std::string &packages : findPackageFolders()) {
    std::error_code code;
    // nvidia/cu13 or nvidia/cuda_nvcc, by the version of the package
    for (llvm::sys::fs::directory_iterator entry(join(packages, "nvidia"), code), end; entry != end && !code;
         entry.increment(code))
      if (std::string folder = join(entry->path(), "bin"); llvm::sys::fs::is_directory(folder))
        searched.push_back(folder);
  }
  // Who names a toolkit does not mean another one.
  if (!isNamed)
    searched.push_back("/usr/local/cuda/bin");
  for (const std::string &folder : searched)
    if (std::string path = join(folder, "ptxas"); llvm::sys::fs::can_execute(path))
      return path;
  reason = "no 'ptxas' in PATH, '" + llvm::join(searched, "', '") + "'";
  return std::nullopt;
}

static LogicalResult readFile(StringRef path, std::string &text) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return failure();
  text = (*buffer)->getBuffer().str();
  return success();
}

LogicalResult relax::runOnFile(StringRef program, ArrayRef<StringRef> arguments, StringRef input, std::string &output,
                               std::string &messages) {
  SmallString<128> paths[3]; // input, output, messages
  for (auto [path, suffix] : llvm::zip_equal(paths, ArrayRef<StringRef>{"in", "out", "txt"}))
    if (std::error_code code = llvm::sys::fs::createTemporaryFile("relax", suffix, path)) {
      messages = "cannot create a temporary file: " + code.message();
      return failure();
    }
  llvm::FileRemover removers[3] = {llvm::FileRemover(paths[0]), llvm::FileRemover(paths[1]),
                                   llvm::FileRemover(paths[2])};
  std::error_code code;
  {
    llvm::raw_fd_ostream stream(paths[0], code);
    stream << input;
    stream.close();
    if (stream.has_error()) {
      messages = "cannot write a temporary file: " + stream.error().message();
      stream.clear_error();
      return failure();
    }
  }
  SmallVector<StringRef> command = {llvm::sys::path::filename(program)};
  llvm::append_range(command, arguments);
  llvm::append_range(command, ArrayRef<StringRef>{"-o", paths[1], paths[0]});
  std::optional<StringRef> redirects[] = {StringRef(), paths[2], paths[2]};
  std::string error;
  int result = llvm::sys::ExecuteAndWait(program, command, std::nullopt, redirects, 0, 0, &error);
  (void)readFile(paths[2], messages);
  if (result != 0) {
    messages = error.empty() ? StringRef(messages).trim().str() : error;
    return failure();
  }
  return readFile(paths[1], output);
}
