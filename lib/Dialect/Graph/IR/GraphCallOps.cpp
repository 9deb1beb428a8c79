//===- GraphCallOps.cpp - Calls -------------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

/// `{n = m * 4, "past len" = 2}`; absent when there is none.
static ParseResult parseSymbolMapping(OpAsmParser &parser, DictionaryAttr &mapping) {
  if (failed(parser.parseOptionalLBrace()))
    return success();
  NamedAttrList entries;
  auto parseEntry = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    std::string symbol;
    if (failed(parser.parseOptionalKeywordOrString(&symbol)))
      return parser.emitError(loc, "expected a symbol of the callee");
    if (parser.parseEqual())
      return failure();
    FailureOr<sym::SymExpr> expr = sym::parseSymExpr(parser);
    if (failed(expr))
      return failure();
    if (symbol.empty() || entries.get(symbol))
      return parser.emitError(loc, "symbol '") << symbol << "' is mapped twice or empty";
    entries.append(symbol, sym::ExprAttr::get(*expr));
    return success();
  };
  if (failed(parser.parseOptionalRBrace()) && (parser.parseCommaSeparatedList(parseEntry) || parser.parseRBrace()))
    return failure();
  mapping = entries.getDictionary(parser.getContext());
  return success();
}

static void printSymbolMapping(OpAsmPrinter &printer, Operation *, DictionaryAttr mapping) {
  if (!mapping)
    return;
  printer << " {";
  llvm::interleaveComma(mapping, printer, [&](NamedAttribute entry) {
    sym::printSymbolName(printer.getStream(), entry.getName());
    printer << " = ";
    if (auto expr = dyn_cast<sym::ExprAttr>(entry.getValue()))
      expr.getValue().print(printer.getStream());
    else
      printer.printAttribute(entry.getValue()); // not verified yet
  });
  printer << '}';
}

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphCallOps.cpp.inc"

void RelaxDialect::registerCallOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphCallOps.cpp.inc"
      >();
}

/// Effects of a call that writes its destinations.
static void addReads(OperandRange values, Operation *op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands().slice(values.getBeginOperandIndex(), values.size()))
    effects.emplace_back(MemoryEffects::Read::get(), &operand, SideEffects::DefaultResource::get());
}

/// Without destinations a call is a graph op; with them it reads its inputs and writes its destinations.
static void getDestinationCallEffects(ProgramCallOpInterface op,
                                      SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (op.getDestinations().empty())
    return;
  addReads(op.getProgramInputs(), op, effects);
  OperandRange destinations = op.getDestinations();
  for (OpOperand &operand : op->getOpOperands().slice(destinations.getBeginOperandIndex(), destinations.size()))
    effects.emplace_back(MemoryEffects::Write::get(), &operand, SideEffects::DefaultResource::get());
}

void CallTPOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getDestinationCallEffects(*this, effects);
}
void CallDPSOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getDestinationCallEffects(*this, effects);
}

void CallTPInplaceOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addReads(getInputs(), *this, effects);
  for (unsigned index = 0; index < getInplace().size(); ++index)
    if (OpOperand *operand = getTiedOperand(index))
      effects.emplace_back(MemoryEffects::Write::get(), operand, SideEffects::DefaultResource::get());
}

OpOperand *CallTPInplaceOp::getTiedOperand(unsigned index) {
  if (index >= getInplace().size())
    return nullptr;
  int64_t input = getInplace()[index];
  if (input < 0 || input >= static_cast<int64_t>(getInputs().size()))
    return nullptr;
  return &getInputsMutable()[input];
}

sym::SymExpr CallOp::getMapped(StringRef symbol) {
  auto expr = getMapping() ? getMapping()->getAs<sym::ExprAttr>(symbol) : sym::ExprAttr();
  return expr ? expr.getValue() : sym::SymExpr();
}
