//===- ExternBytecode.cpp - Bytecode of relax_ext -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Version 1, which wrote no version, knew functions that are registered with the
// runtime. Version 2 adds where a function is found and how it is called.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Extern/IR/Extern.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;
using namespace mlir::relax::ext;

namespace {
/// Raised when a newer writer makes something an older reader does not know.
constexpr uint64_t kVersion = 2;

struct ExternVersion final : DialectVersion {
  explicit ExternVersion(uint64_t version) : version(version) {}
  uint64_t version;
};

struct ExternBytecodeInterface final : BytecodeDialectInterface {
  explicit ExternBytecodeInterface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override { writer.writeVarInt(kVersion); }

  std::unique_ptr<DialectVersion> readVersion(DialectBytecodeReader &reader) const override {
    uint64_t version;
    if (failed(reader.readVarInt(version)))
      return nullptr;
    if (version > kVersion) {
      reader.emitError("relax_ext version ") << version << " is newer than supported version " << kVersion;
      return nullptr;
    }
    return std::make_unique<ExternVersion>(version);
  }
};
} // namespace

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
