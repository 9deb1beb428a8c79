//===- ModuleTables.h - Tables of a module for the artifact ----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// From the host phase on, the module carries what the artifact tells the
// runtime beside code. Host code and kernels name entries by their position.
//
// | attribute             | entries |
// |---|---|
// | `relax.sites`         | `{message = "..{0}..", status = N : i64}`: texts of failing checks |
// | `relax.kernels`       | names of tensor programs; `relax_kernel_<name>` is the entry of one |
// | `relax.externs`       | library functions: `{symbol}`, where needed `adapter`, `sonames`, `object`, `optional` |
// | `relax.functions`     | `{name, symbol, inputs = [{name, type}], outputs = [{name, type}]}`, inputs also `donated`
// | | `relax.weights`       | `{name, offset, type, value}`: offset in the weights section | | `relax.memory_report` |
// `{function = "json"}` |
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_CONVERSION_MODULETABLES_H
#define RELAXDIALECT_CONVERSION_MODULETABLES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::relax {

inline constexpr StringLiteral kSitesAttrName = "relax.sites";
inline constexpr StringLiteral kKernelsAttrName = "relax.kernels";
inline constexpr StringLiteral kExternsAttrName = "relax.externs";
inline constexpr StringLiteral kFunctionsAttrName = "relax.functions";
inline constexpr StringLiteral kWeightsAttrName = "relax.weights";
inline constexpr StringLiteral kMemoryReportAttrName = "relax.memory_report";

/// An entry of `relax.sites`: a relax_rt_status and a text in which `{0}`, `{1}`.. stand for recorded values.
DictionaryAttr makeGuardSite(MLIRContext *context, int32_t status, StringRef message);
/// Appends one site for each message (StringAttr) and gives the number of the first.
int64_t appendGuardSites(ModuleOp module, int32_t status, ArrayAttr messages);

/// Entries of an array attribute of strings; empty when absent or of another kind.
SmallVector<StringRef> getStringTable(ModuleOp module, StringRef table);

/// Symbol of the entry of a kernel and of a function.
std::string getKernelSymbol(StringRef name);
/// Of the function that counts the parts of a kernel; only kernels that can be divided have one.
std::string getKernelPartsSymbol(StringRef name);
/// Of the function that counts what a launch moves and computes; only kernels of which that is known have one.
std::string getKernelWorkSymbol(StringRef name);
std::string getEntrySymbol(StringRef name);
/// Symbol of the form of a function that other functions call.
std::string getFunctionSymbol(StringRef name);

} // namespace mlir::relax

#endif // RELAXDIALECT_CONVERSION_MODULETABLES_H
