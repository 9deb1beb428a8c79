//===- GraphSearchOps.cpp - Data-dependent ops ----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphBinders.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

static ParseResult parseSymbolName(OpAsmParser &parser, StringAttr &symbol) {
  std::string name;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeywordOrString(&name)))
    return parser.emitError(loc, "expected a symbol");
  symbol = parser.getBuilder().getStringAttr(name);
  return success();
}

static void printSymbolName(OpAsmPrinter &printer, Operation *, StringAttr symbol) {
  sym::printSymbolName(printer.getStream(), symbol);
}

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphSearchOps.cpp.inc"

void RelaxDialect::registerSearchOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphSearchOps.cpp.inc"
      >();
}

SmallVector<StringRef> UniqueOp::getBoundSymbols() { return {getSymbol()}; }

void UniqueOp::renameBoundSymbols(function_ref<std::string(StringRef)> rename) { setSymbol(rename(getSymbol())); }

LogicalResult UniqueOp::verify() {
  if (getSymbol().empty())
    return emitOpError("expects the name of a symbol");
  RankedTensorType expected =
      sym::getTensorType({SymExpr::symbol(getContext(), getSymbol())}, getOperand().getType().getElementType());
  if (getType() != expected)
    return emitOpError("result is expected to be ") << expected << ", got " << getType();
  return success();
}

SmallVector<ShapeRule> UniqueOp::getShapeRules() { return {}; }

/// Not more elements are found than there are.
static SmallVector<sym::Fact> getCountFacts(MLIRContext *context, StringRef symbol, Type operand) {
  SymExpr size = getNumElements(context, sym::getSymbolicDims(operand));
  if (!size)
    return {};
  return {{SymExpr::symbol(context, symbol), sym::Fact::Op::LessEqual, size}};
}

SmallVector<sym::Fact> UniqueOp::getDerivedFacts() {
  return getCountFacts(getContext(), getSymbol(), getOperand().getType());
}

SmallVector<sym::Fact> NonzeroOp::getDerivedFacts() {
  return getCountFacts(getContext(), getBoundSymbols().front(), getOperand().getType());
}

FailureOr<RankedTensorType> NonzeroOp::inferType(TypeInference &inference, Adaptor adaptor) {
  if (failed(inference.requireBinds(adaptor.getBinds(), 1)))
    return failure();
  MLIRContext *context = inference.getContext();
  SymExpr count = SymExpr::symbol(context, cast<StringAttr>(adaptor.getBinds()[0]).getValue());
  int64_t rank = cast<RankedTensorType>(adaptor.getOperand().getType()).getRank();
  return inference.makeType({inference.constant(rank), count}, IntegerType::get(context, 64));
}

FailureOr<RankedTensorType> ArgsortOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getOperand().getType());
  if (failed(inference.requireAxis("axis", adaptor.getAxis(), dims.size())))
    return failure();
  return inference.makeType(dims, IntegerType::get(inference.getContext(), 64));
}
