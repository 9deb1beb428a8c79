//===- Linker.cpp - Shared objects with ld.lld ----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Support/CodeGenerators.h"
#include "RelaxDialect/Target/CodeGen.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include <tuple>

using namespace mlir;
using namespace mlir::relax;

namespace {

/// A temporary file that goes away with its owner, also when a signal ends the process.
class TemporaryFile {
public:
  LogicalResult create(ModuleOp module, StringRef suffix) {
    if (std::error_code code = llvm::sys::fs::createTemporaryFile("relax", suffix, path))
      return emitError(module.getLoc(), "cannot create a temporary file: ") << code.message();
    llvm::sys::RemoveFileOnSignal(path);
    return success();
  }
  ~TemporaryFile() {
    if (path.empty())
      return;
    std::ignore = llvm::sys::fs::remove(path);
    llvm::sys::DontRemoveFileOnSignal(path);
  }
  LogicalResult write(ModuleOp module, ArrayRef<char> bytes) {
    std::error_code code;
    llvm::raw_fd_ostream stream(path, code);
    if (!code) {
      stream.write(bytes.data(), bytes.size());
      stream.close();
      code = stream.error();
      stream.clear_error();
    }
    if (code)
      return emitError(module.getLoc(), "cannot write the temporary file '") << path << "': " << code.message();
    return success();
  }
  StringRef getPath() const { return path; }

private:
  SmallString<128> path;
};

LogicalResult runLinker(ModuleOp module, ArrayRef<StringRef> arguments) {
  std::optional<std::string> linker = findLLD();
  if (!linker)
    return emitError(module.getLoc(),
                     "cannot link: no 'ld.lld' beside LLVM's tools or in PATH (Debian package lld-22)");
  TemporaryFile messages;
  if (failed(messages.create(module, "txt")))
    return failure();
  // flavor, options that make the output depend on the input only
  SmallVector<StringRef> command = {"ld.lld", "-shared", "--build-id=none", "--hash-style=gnu", "-z", "now",
                                    "-z",     "relro"};
  llvm::append_range(command, arguments);
  std::string error;
  std::optional<StringRef> redirects[] = {StringRef(), messages.getPath(), messages.getPath()};
  int result = llvm::sys::ExecuteAndWait(*linker, command, std::nullopt, redirects, 0, 0, &error);
  if (result == 0)
    return success();
  if (error.empty())
    if (auto text = llvm::MemoryBuffer::getFile(messages.getPath()))
      error = (*text)->getBuffer().trim().str();
  return emitError(module.getLoc(), "'") << *linker << "' failed: " << error;
}

LogicalResult readFile(ModuleOp module, StringRef path, SmallVectorImpl<char> &bytes) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return emitError(module.getLoc(), "cannot read '") << path << "': " << buffer.getError().message();
  StringRef text = (*buffer)->getBuffer();
  bytes.assign(text.begin(), text.end());
  return success();
}

/// Functions of libm that kernels may call; each also with the suffix f.
constexpr StringLiteral kLibm[] = {"acos",  "acosh",     "asin", "asinh", "atan",  "atan2",     "atanh", "cbrt",
                                   "ceil",  "cos",       "cosh", "erf",   "erfc",  "exp",       "exp2",  "expm1",
                                   "floor", "fma",       "fmax", "fmin",  "fmod",  "log",       "log10", "log1p",
                                   "log2",  "nearbyint", "pow",  "rint",  "round", "roundeven", "sin",   "sincos",
                                   "sinh",  "sqrt",      "tan",  "tanh",  "trunc"};
constexpr StringLiteral kLibc[] = {"bcmp", "calloc", "free", "malloc", "memcmp", "memcpy", "memmove", "memset"};

/// Adds what an object defines for others.
void collectDefined(ArrayRef<char> object, llvm::StringSet<> &names) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(StringRef(object.data(), object.size()), "code"));
  if (!file) {
    llvm::consumeError(file.takeError()); // reported by the reader of what is undefined
    return;
  }
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    if (flags && name && (*flags & llvm::object::SymbolRef::SF_Global) &&
        !(*flags & llvm::object::SymbolRef::SF_Undefined))
      names.insert(*name);
    llvm::consumeError(flags.takeError());
    llvm::consumeError(name.takeError());
  }
}

/// Undefined symbols of the object, those of libm; anything that neither a library nor `own`, the other parts, provide
/// is an error. `what` names the object.
LogicalResult findLibmSymbols(ModuleOp module, ArrayRef<char> object, const Twine &what,
                              SmallVectorImpl<std::string> &libm, const llvm::StringSet<> &own) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(StringRef(object.data(), object.size()), "code"));
  if (!file)
    return emitError(module.getLoc(), "cannot read " + what + ": ") << llvm::toString(file.takeError());
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      return emitError(module.getLoc(), "cannot read the symbols of " + what);
    }
    // A position-independent object asks the linker for the table of addresses.
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined) || name->empty() || llvm::is_contained(kLibc, *name) ||
        *name == "_GLOBAL_OFFSET_TABLE_" || llvm::is_contained(libm, *name) || own.contains(*name))
      continue;
    StringRef stem = *name;
    if (!llvm::is_contained(kLibm, stem))
      stem.consume_back("f");
    if (!llvm::is_contained(kLibm, stem))
      return emitError(module.getLoc(), what + " calls '") << *name << "', which no library of the runtime provides";
    libm.push_back(name->str());
  }
  return success();
}

/// A library with these symbols under libm's name, so that the result depends on the real one without needing its
/// development files here.
LogicalResult makeLibmStub(ModuleOp module, const CodeTarget &target, ArrayRef<std::string> symbols, StringRef path) {
  llvm::LLVMContext context;
  llvm::Module code("libm", context);
  code.setTargetTriple(llvm::Triple(target.triple));
  for (const std::string &symbol : symbols) {
    auto *function = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                            llvm::Function::ExternalLinkage, symbol, code);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
    builder.CreateRetVoid();
  }
  SmallVector<char> object;
  TemporaryFile input;
  if (failed(emitObject(module, code, target, object)) || failed(input.create(module, "o")) ||
      failed(input.write(module, object)))
    return failure();
  return runLinker(module, {"-soname", "libm.so.6", "-o", path, input.getPath()});
}

} // namespace

LogicalResult relax::linkSharedObject(ModuleOp module, const CodeTarget &target, ArrayRef<SmallVector<char, 0>> objects,
                                      ArrayRef<LibraryObject> objectFiles, SmallVectorImpl<char> &shared) {
  SmallVector<std::string> libm;
  TemporaryFile output, stub;
  std::vector<TemporaryFile> inputs(objects.size());
  if (failed(output.create(module, "so")))
    return failure();
  SmallVector<StringRef> arguments = {"--strip-all", "-o", output.getPath()};
  llvm::StringSet<> own;
  // One part defines nothing for others.
  if (objects.size() > 1)
    for (ArrayRef<char> object : objects)
      collectDefined(object, own);
  for (auto [object, input] : llvm::zip_equal(objects, inputs)) {
    if (failed(findLibmSymbols(module, object, "generated code", libm, own)) || failed(input.create(module, "o")) ||
        failed(input.write(module, object)))
      return failure();
    arguments.push_back(input.getPath());
  }
  for (const auto &[path, symbols] : objectFiles) {
    SmallVector<char> bytes;
    if (failed(readFile(module, path, bytes)) || failed(findLibmSymbols(module, bytes, "'" + path + "'", libm, own)))
      return failure();
    llvm::StringSet<> defined;
    collectDefined(bytes, defined);
    for (const std::string &symbol : symbols)
      if (!defined.contains(symbol))
        return emitError(module.getLoc(), "'") << path << "' does not define the library function '" << symbol << "'";
    arguments.push_back(path);
  }
  if (!libm.empty()) {
    if (failed(stub.create(module, "so")) || failed(makeLibmStub(module, target, libm, stub.getPath())))
      return failure();
    arguments.push_back(stub.getPath());
  }
  if (failed(runLinker(module, arguments)))
    return failure();
  return readFile(module, output.getPath(), shared);
}
