//===- GraphBinders.h - Text of bound symbols -------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Generated parsers and printers of several op families call these.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_DIALECT_GRAPH_IR_GRAPHBINDERS_H
#define RELAX_LIB_DIALECT_GRAPH_IR_GRAPHBINDERS_H

#include "RelaxDialect/Dialect/Sym/IR/SymExpr.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::relax::graph {

/// `binds [m, "past len"]`; absent when nothing is bound.
inline ParseResult parseBoundSymbols(OpAsmParser &parser, ArrayAttr &binds) {
  SmallVector<Attribute> names;
  auto parseName = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    std::string name;
    if (failed(parser.parseOptionalKeywordOrString(&name)))
      return parser.emitError(loc, "expected a symbol");
    names.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("binds")) &&
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseName))
    return failure();
  binds = parser.getBuilder().getArrayAttr(names);
  return success();
}

inline void printBoundSymbols(OpAsmPrinter &printer, Operation *, ArrayAttr binds) {
  if (binds.empty())
    return;
  printer << " binds [";
  llvm::interleaveComma(binds.getAsValueRange<StringAttr>(), printer,
                        [&](StringRef name) { sym::printSymbolName(printer.getStream(), name); });
  printer << ']';
}

} // namespace mlir::relax::graph

#endif // RELAX_LIB_DIALECT_GRAPH_IR_GRAPHBINDERS_H
