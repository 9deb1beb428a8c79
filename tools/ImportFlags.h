//===- ImportFlags.h - Command line of the imports -------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TOOLS_IMPORTFLAGS_H
#define RELAXDIALECT_TOOLS_IMPORTFLAGS_H

#include "RelaxDialect/Target/Import/GGUF.h"
#include "RelaxDialect/Target/Import/ONNX.h"
#include "llvm/Support/CommandLine.h"

/// The flags that tools which import models share. An object lives while the command line is parsed.
class ImportFlags {
public:
  explicit ImportFlags(llvm::cl::OptionCategory &category)
      : renames("rename-dim", llvm::cl::desc("Symbol for a dimension name of the inputs"),
                llvm::cl::value_desc("NAME=SYMBOL"), llvm::cl::cat(category)),
        dims("dim", llvm::cl::desc("Value for a dimension name of the inputs"), llvm::cl::value_desc("NAME=N"),
             llvm::cl::cat(category)),
        facts("fact", llvm::cl::desc("What holds of the symbols: it is used, and checked at entry"),
              llvm::cl::value_desc("batch <= 8"), llvm::cl::cat(category)),
        opset("opset", llvm::cl::desc("Version of the standard operators in the place of the file's"),
              llvm::cl::init(0), llvm::cl::cat(category)),
        allLogits("all-logits", llvm::cl::desc("Logits of a GGUF model for every token, not only for the last"),
                  llvm::cl::cat(category)),
        pageSize("page-size", llvm::cl::desc("Caches of a GGUF model in pages of N tokens"), llvm::cl::value_desc("N"),
                 llvm::cl::init(0), llvm::cl::cat(category)) {}

  /// False with `error` set when a flag has the wrong form.
  bool get(mlir::relax::ONNXImportOptions &options, std::string &error) const {
    for (llvm::StringRef entry : renames) {
      auto [name, symbol] = entry.rsplit('=');
      if (name.empty() || symbol.empty())
        return fail(error, "--rename-dim", entry, "NAME=SYMBOL");
      options.symbols[name.str()] = symbol.str();
    }
    for (llvm::StringRef entry : dims) {
      auto [name, text] = entry.rsplit('=');
      int64_t value = 0;
      if (name.empty() || text.getAsInteger(10, value))
        return fail(error, "--dim", entry, "NAME=N");
      options.dims[name.str()] = value;
    }
    options.facts.assign(facts.begin(), facts.end());
    options.opset = opset;
    return true;
  }

  bool get(mlir::relax::GGUFImportOptions &options, std::string &) const {
    options.facts.assign(facts.begin(), facts.end());
    options.allLogits = allLogits;
    options.pageSize = pageSize;
    return true;
  }

private:
  static bool fail(std::string &error, llvm::StringRef flag, llvm::StringRef entry, llvm::StringRef form) {
    error = (flag + ": expected " + form + ", got '" + entry + "'").str();
    return false;
  }

  llvm::cl::list<std::string> renames, dims, facts;
  llvm::cl::opt<int64_t> opset;
  llvm::cl::opt<bool> allLogits;
  llvm::cl::opt<int64_t> pageSize;
};

#endif // RELAXDIALECT_TOOLS_IMPORTFLAGS_H
