//===- BytecodeVersion.h - Versions of a dialect's bytecode ----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_SYM_IR_BYTECODEVERSION_H
#define RELAXDIALECT_DIALECT_SYM_IR_BYTECODEVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Dialect.h"

namespace mlir::relax::sym {

/// What a reader finds with `getDialectVersion`; nothing where the writer wrote none.
struct BytecodeVersion final : DialectVersion {
  explicit BytecodeVersion(uint64_t version) : version(version) {}
  uint64_t version;
};

/// Writes `currentVersion` and refuses what a newer writer made. The version is raised when an older reader would not
/// know what is written.
template <uint64_t currentVersion> struct VersionedBytecodeInterface : BytecodeDialectInterface {
  explicit VersionedBytecodeInterface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override { writer.writeVarInt(currentVersion); }

  std::unique_ptr<DialectVersion> readVersion(DialectBytecodeReader &reader) const override {
    uint64_t version;
    if (failed(reader.readVarInt(version)))
      return nullptr;
    if (version > currentVersion) {
      reader.emitError(getDialect()->getNamespace())
          << " version " << version << " is newer than supported version " << currentVersion;
      return nullptr;
    }
    return std::make_unique<BytecodeVersion>(version);
  }
};

} // namespace mlir::relax::sym

#endif // RELAXDIALECT_DIALECT_SYM_IR_BYTECODEVERSION_H
