//===- Export.h - Code of a compiled module --------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TOOLS_RELAXTRANSLATE_EXPORT_H
#define RELAXDIALECT_TOOLS_RELAXTRANSLATE_EXPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

/// Kinds of code of a device.
enum class DeviceFile { SPIRV, PTX, Cubin, AMDGCN, HSACO };

/// Writes the code of a kernel for a device. Either name may be empty where there is only one to choose from. The
/// module is as `relax-device-kernels-to-spirv` leaves it. On failure `reason` tells what is wrong.
mlir::LogicalResult exportDeviceCode(mlir::ModuleOp module, DeviceFile kind, llvm::StringRef device,
                                     llvm::StringRef kernel, llvm::raw_ostream &os, std::string &reason);

/// Writes a module of the LLVM dialect as LLVM IR.
mlir::LogicalResult exportLLVM(mlir::ModuleOp module, llvm::raw_ostream &os, std::string &reason);

#endif // RELAXDIALECT_TOOLS_RELAXTRANSLATE_EXPORT_H
