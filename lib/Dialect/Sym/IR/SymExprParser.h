//===- SymExprParser.h - One parser over two token sources -----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_SYM_IR_SYMEXPRPARSER_H
#define RELAXDIALECT_LIB_DIALECT_SYM_IR_SYMEXPRPARSER_H

#include "RelaxDialect/Dialect/Sym/IR/SymExpr.h"
#include "mlir/IR/MLIRContext.h"

namespace mlir::relax::sym::detail {

/// Where tokens come from: an AsmParser inside IR, or plain text.
class TokenSource {
public:
  enum class Punct { Plus, Minus, Star, LParen, RParen, Comma, SlashSlash, Percent, StarStar };

  virtual ~TokenSource();
  virtual bool consume(Punct punct) = 0;
  virtual bool consumeKeyword(StringRef keyword) = 0;
  /// Any word that is not quoted; operator names included.
  virtual bool consumeWord(std::string &word) = 0;
  virtual bool consumeQuoted(std::string &text) = 0;
  /// A decimal integer without sign. False with an error reported when it does not fit int64.
  virtual std::optional<int64_t> consumeInteger(bool &failed) = 0;
  virtual void error(const Twine &message) = 0;
};

/// Parses `expr` of the grammar; null after an error was reported.
SymExpr parseExpr(MLIRContext *context, TokenSource &tokens);

/// True when `name` needs no quotes.
bool isPlainSymbolName(StringRef name);

} // namespace mlir::relax::sym::detail

#endif // RELAXDIALECT_LIB_DIALECT_SYM_IR_SYMEXPRPARSER_H
