//===- GraphCallVerify.cpp - Verifiers of calls ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

/// An error about a call with a note at the callee.
static InFlightDiagnostic emitCallError(Operation *call, Operation *callee) {
  InFlightDiagnostic diag = call->emitOpError();
  diag.attachNote(callee->getLoc()) << "the callee is here";
  return diag;
}

//===- Program calls ------------------------------------------------------===//

/// Element type and rank of one argument.
static LogicalResult verifyArgument(Operation *call, Operation *callee, StringRef what, unsigned index, Type expected,
                                    Type actual) {
  auto shaped = dyn_cast<ShapedType>(expected);
  auto tensor = dyn_cast<RankedTensorType>(actual);
  if (!shaped || !tensor)
    return emitCallError(call, callee) << what << ' ' << index << " must be of type " << expected << ", got " << actual;
  // Tensor programs do not tell signed from unsigned integers.
  bool isProgram = callee->getName().getDialectNamespace() == "relax_tp";
  Type element = tensor.getElementType();
  if (shaped.getElementType() != (isProgram ? sym::getProgramType(element) : element))
    return emitCallError(call, callee) << what << ' ' << index << " must have element type " << shaped.getElementType()
                                       << ", got " << tensor.getElementType();
  if (shaped.getRank() != tensor.getRank())
    return emitCallError(call, callee) << what << ' ' << index << " must have rank " << shaped.getRank() << ", got "
                                       << tensor.getRank();
  return success();
}

static LogicalResult verifyArgumentGroup(Operation *call, Operation *callee, StringRef what, TypeRange expected,
                                         TypeRange actual) {
  if (expected.size() != actual.size())
    return emitCallError(call, callee) << "needs " << expected.size() << ' ' << what << "s, got " << actual.size();
  for (auto [index, types] : llvm::enumerate(llvm::zip_equal(expected, actual)))
    if (failed(verifyArgument(call, callee, what, index, std::get<0>(types), std::get<1>(types))))
      return failure();
  return success();
}

/// Result types are the inferred ones or less precise.
static LogicalResult verifyResultTypes(Operation *call, Operation *callee, ArrayRef<Type> inferred) {
  if (inferred.size() != call->getNumResults())
    return emitCallError(call, callee) << "needs " << inferred.size() << " results, got " << call->getNumResults();
  for (auto [index, types] : llvm::enumerate(llvm::zip_equal(inferred, call->getResultTypes())))
    if (!isCompatibleResultType(std::get<0>(types), std::get<1>(types)))
      return emitCallError(call, callee) << "result " << index << " must be of type " << std::get<0>(types) << ", got "
                                         << std::get<1>(types);
  return success();
}

/// Scalars come from the entries of the shape operand.
static LogicalResult verifyScalars(ProgramCallOpInterface call, sym::TensorProgramInterface callee) {
  Value shape = call.getShapeOperand();
  unsigned given = shape ? cast<ShapeType>(shape.getType()).getDims().size() : 0;
  if (given != callee.getNumScalars())
    return emitCallError(call, callee) << "needs " << callee.getNumScalars() << " scalars in its shape operand, got "
                                       << given;
  return success();
}

static LogicalResult verifyProgramCall(ProgramCallOpInterface call, StringRef dialect, SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(call, call.getCalleeAttr());
  auto callee = dyn_cast_or_null<sym::TensorProgramInterface>(symbol);
  if (!callee || symbol->getName().getDialectNamespace() != dialect)
    return call->emitOpError("'") << call.getCalleeAttr().getValue() << "' is not a '" << dialect << ".func'";

  TypeRange types = callee.getProgramArgumentTypes();
  if (failed(verifyArgumentGroup(call, callee, "argument", types.take_front(callee.getNumInputs()),
                                 TypeRange(call.getProgramInputs()))) ||
      failed(verifyScalars(call, callee)))
    return failure();
  TypeRange outs = types.drop_front(callee.getNumInputs()).take_front(callee.getNumOuts());
  // Lifted workspaces are given like destinations, after the outputs.
  TypeRange destinations(call.getDestinations());
  TypeRange given = types.drop_front(callee.getNumInputs()).take_front(callee.getNumOuts() + callee.getNumWorkspaces());
  if (!destinations.empty() &&
      failed(verifyArgumentGroup(call, callee, "destination", destinations.size() == outs.size() ? outs : given,
                                 destinations)))
    return failure();

  FailureOr<CallUnification> unification = unifyProgramCall(call, callee, /*facts=*/sym::ScopeAttr());
  if (failed(unification))
    return failure();
  unsigned numResults = callee.getNumOuts();
  if (auto function = dyn_cast<FunctionOpInterface>(*callee))
    numResults += function.getNumResults();
  SmallVector<Type> results = inferProgramCallTypes(callee, unification->mapping, numResults);
  if (dialect == "relax_tp")
    sym::restoreElementTypes(results, call->getResultTypes());
  return verifyResultTypes(call, callee, results);
}

LogicalResult CallTPOp::verify() { return success(); }
LogicalResult CallDPSOp::verify() { return success(); }

LogicalResult CallTPInplaceOp::verify() {
  if (getInplace().size() != getNumResults())
    return emitOpError("'inplace' must name one argument for each of ")
           << getNumResults() << " results, got " << getInplace().size();
  llvm::SmallSet<int64_t, 4> used;
  for (auto [index, argument] : llvm::enumerate(getInplace())) {
    if (argument < 0 || argument >= static_cast<int64_t>(getInputs().size()))
      return emitOpError("'inplace' must name an argument below ") << getInputs().size() << ", got " << argument;
    if (!used.insert(argument).second)
      return emitOpError("'inplace' names argument ") << argument << " twice";
    Type type = getInputs()[argument].getType();
    if (!isCompatibleResultType(type, getResult(index).getType()) &&
        !isCompatibleResultType(getResult(index).getType(), type))
      return emitOpError("result ") << index << " has type " << getResult(index).getType() << ", but argument "
                                    << argument << " that it overwrites has type " << type;
  }
  return success();
}

LogicalResult CallTPOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyProgramCall(*this, "relax_tp", symbols);
}
LogicalResult CallDPSOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyProgramCall(*this, "relax_ext", symbols);
}
LogicalResult CallTPInplaceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyProgramCall(*this, "relax_tp", symbols);
}

//===- CallOp -------------------------------------------------------------===//

LogicalResult CallOp::verify() {
  DictionaryAttr mapping = getMappingAttr();
  if (!mapping)
    return success();
  SmallVector<StringRef> known;
  for (Type type : getOperandTypes())
    sym::collectSymbols(type, known);
  for (NamedAttribute entry : mapping) {
    auto expr = dyn_cast<sym::ExprAttr>(entry.getValue());
    if (!expr)
      return emitOpError("mapping of '") << entry.getName().getValue() << "' must be an expression, got "
                                         << entry.getValue();
    for (StringRef symbol : expr.getValue().getSymbols())
      if (!llvm::is_contained(known, symbol))
        return emitOpError("mapping of '")
               << entry.getName().getValue() << "' mentions symbol '" << symbol << "', which no operand type mentions";
  }
  return success();
}

/// A tensor, shape or index argument of a function.
static LogicalResult verifyFunctionArgument(CallOp call, Operation *callee, unsigned index, Type expected,
                                            Type actual) {
  if (isa<RankedTensorType>(expected) && isa<RankedTensorType>(actual))
    return verifyArgument(call, callee, "argument", index, expected, actual);
  auto shape = dyn_cast<ShapeType>(expected);
  bool same = shape ? isa<ShapeType>(actual) && shape.getDims().size() == cast<ShapeType>(actual).getDims().size()
                    : expected == actual;
  if (!same)
    return emitCallError(call, callee) << "argument " << index << " must be of type " << expected << ", got " << actual;
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getCalleeAttr());
  auto callee = dyn_cast_or_null<FunctionOpInterface>(symbol);
  if (!callee || isa<sym::TensorProgramInterface>(symbol))
    return emitOpError("'") << getCallee() << "' is not a function";
  if (callee.getNumArguments() != getInputs().size())
    return emitCallError(*this, callee) << "needs " << callee.getNumArguments() << " arguments, got "
                                        << getInputs().size();
  for (auto [index, types] : llvm::enumerate(llvm::zip_equal(callee.getArgumentTypes(), getInputs().getTypes())))
    if (failed(verifyFunctionArgument(*this, callee, index, std::get<0>(types), std::get<1>(types))))
      return failure();

  sym::Prover prover(getContext());
  FailureOr<CallUnification> unification = unifyCall(*this, callee, prover);
  if (failed(unification))
    return failure();
  return verifyResultTypes(*this, callee, inferCallTypes(callee, unification->mapping));
}
