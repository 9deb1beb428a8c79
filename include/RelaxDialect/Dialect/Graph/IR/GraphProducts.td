//===- GraphProducts.td - What is common to products ------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPRODUCTS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPRODUCTS

include "mlir/IR/OpBase.td"

def Relax_ProductOpInterface : OpInterface<"ProductOpInterface"> {
  let cppNamespace = "::mlir::relax::graph";
  let description = [{
    An op with one result that sums products of elements of two operands. The operand that is not the first one has
    columns: dimensions that the sum does not run along, and which the result has too. Products of columns that are joined are
    the joined products.
  }];
  let methods = [
    InterfaceMethod<"Number of the operand with the columns.", "unsigned", "getRightOperandNumber", (ins), [{}],
      [{ return 1; }]>,
    InterfaceMethod<"Where the columns are; nullopt when this op has none.",
      "::std::optional<::mlir::relax::graph::ProductColumns>", "getColumns">
  ];
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPRODUCTS
