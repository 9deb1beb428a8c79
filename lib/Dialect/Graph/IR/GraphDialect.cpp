//===- GraphDialect.cpp - The relax dialect -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphTypes.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphTypes.cpp.inc"

void RelaxDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphTypes.cpp.inc"
      >();
}

Operation *RelaxDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return nullptr;
}

Type ShapeType::parse(AsmParser &parser) {
  SmallVector<sym::SymExpr> dims;
  if (parser.parseLess() || sym::parseSymExprList(parser, dims) || parser.parseGreater())
    return {};
  return get(parser.getContext(), dims);
}

void ShapeType::print(AsmPrinter &printer) const {
  printer << '<';
  sym::printSymExprList(printer.getStream(), getDims());
  printer << '>';
}

ArrayRef<sym::SymExpr> ShapeType::getSymbolicDims() const { return getDims(); }

LogicalResult graph::verifyScopedSymbols(Operation *op) { return success(); }
