//===- Symbols.h - Dimension names of a model ------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_SYMBOLS_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_SYMBOLS_H

#include "RelaxDialect/Dialect/Sym/IR/SymExpr.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <string>

namespace mlir::relax::onnx {

/// The expression has more parts than one that shapes of a sensible model need: going on with it costs time and stack
/// without bound. Null is not.
bool isTooComplex(sym::SymExpr expr);

/// Turns dim_params into expressions. Only names of graph inputs bind; names of outputs are looked up.
class Symbols {
public:
  /// Dimension names may be given other names or values.
  Symbols(MLIRContext *context, const std::map<std::string, std::string> &renames,
          const std::map<std::string, int64_t> &fixed)
      : context(context), renames(renames), fixed(fixed) {}

  /// First pass over the graph inputs: `text` stands alone as a dim_param.
  void declare(StringRef text);
  bool isDeclared(StringRef text) const { return declared.contains(text); }
  /// The expression of a declared dim_param: parsed when each of its symbols stands alone too, else one symbol.
  sym::SymExpr getDeclared(StringRef text);
  /// The expression of an output's dim_param; null when it names what no input binds and nothing was `define`d.
  sym::SymExpr lookUp(StringRef text);
  /// An output's name for an inferred extent.
  void define(StringRef text, sym::SymExpr value) { defined[text] = value; }
  /// A new symbol, named after `base`.
  sym::SymExpr makeFresh(StringRef base);

private:
  /// Parses `text` when each symbol in it stands alone.
  sym::SymExpr parse(StringRef text);
  /// The constant or symbol that a declared name stands for.
  sym::SymExpr resolve(StringRef name) const;

  MLIRContext *context;
  const std::map<std::string, std::string> &renames;
  const std::map<std::string, int64_t> &fixed;
  llvm::StringMap<std::string> declared; // dim_param to symbol name
  llvm::StringMap<sym::SymExpr> defined;
  llvm::StringSet<> used;
};

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_SYMBOLS_H
