//===- ExternBytecode.cpp - Bytecode of relax_ext -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Version 1, which wrote no version, knew functions that are registered with the
// runtime. Version 2 adds where a function is found and how it is called.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Extern/IR/Extern.h"
#include "RelaxDialect/Dialect/Sym/IR/BytecodeVersion.h"

using namespace mlir;
using namespace mlir::relax::ext;
using mlir::relax::sym::VersionedBytecodeInterface;

using ExternBytecodeInterface = VersionedBytecodeInterface</*currentVersion=*/2>;

LogicalResult ExternFuncOp::readProperties(DialectBytecodeReader &reader, OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(properties.abi)) ||
      failed(reader.readOptionalAttribute(properties.arg_attrs)) ||
      failed(reader.readOptionalAttribute(properties.capturable)) ||
      failed(reader.readAttribute(properties.function_type)) || failed(reader.readAttribute(properties.segments)) ||
      failed(reader.readAttribute(properties.sym_name)) ||
      failed(reader.readOptionalAttribute(properties.sym_visibility)) ||
      failed(reader.readAttribute(properties.symbol)) || failed(reader.readOptionalAttribute(properties.where)) ||
      failed(reader.readOptionalAttribute(properties.workspace_bytes)))
    return failure();
  if (failed(reader.getDialectVersion<RelaxExtDialect>()))
    return success(); // version 1
  return failure(failed(reader.readOptionalAttribute(properties.sonames)) ||
                 failed(reader.readOptionalAttribute(properties.object)) ||
                 failed(reader.readOptionalAttribute(properties.arguments)) ||
                 failed(reader.readOptionalAttribute(properties.status)));
}

void ExternFuncOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &properties = getProperties();
  writer.writeOptionalAttribute(properties.abi);
  writer.writeOptionalAttribute(properties.arg_attrs);
  writer.writeOptionalAttribute(properties.capturable);
  writer.writeAttribute(properties.function_type);
  writer.writeAttribute(properties.segments);
  writer.writeAttribute(properties.sym_name);
  writer.writeOptionalAttribute(properties.sym_visibility);
  writer.writeAttribute(properties.symbol);
  writer.writeOptionalAttribute(properties.where);
  writer.writeOptionalAttribute(properties.workspace_bytes);
  writer.writeOptionalAttribute(properties.sonames);
  writer.writeOptionalAttribute(properties.object);
  writer.writeOptionalAttribute(properties.arguments);
  writer.writeOptionalAttribute(properties.status);
}

void RelaxExtDialect::registerInterfaces() { addInterfaces<ExternBytecodeInterface>(); }
