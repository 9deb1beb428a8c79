//===- DevicePrograms.h - Assemblers and linkers of devices -----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICEPROGRAMS_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICEPROGRAMS_H

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace mlir::relax {

/// `named` where it is given; else in PATH, in CUDA's folder, in the Python package nvidia-cuda-nvcc. On failure
/// `reason` tells where it was looked for.
std::optional<std::string> findPtxas(StringRef named, std::string &reason);

/// Runs `program arguments... input`, which writes `output`, on temporary files. `messages`: what it printed, also when
/// it fails.
LogicalResult runOnFile(StringRef program, ArrayRef<StringRef> arguments, StringRef input, std::string &output,
                        std::string &messages);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICEPROGRAMS_H
