//===- HostTables.h - What host code refers to by number -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERHOST_HOSTTABLES_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERHOST_HOSTTABLES_H

#include "RelaxDialect/Conversion/ModuleTables.h"
#include "RelaxDialect/Dialect/Extern/IR/Extern.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::relax {

/// Collects the tables of ModuleTables.h while functions are lowered.
class HostTables {
public:
  explicit HostTables(ModuleOp module) : module(module), symbols(module) {}

  ModuleOp getModule() { return module; }
  const SymbolTable &getSymbols() const { return symbols; }
  Operation *lookup(StringRef symbol) { return symbols.lookup(symbol); }

  int64_t getSite(int32_t status, StringRef message);
  int64_t getKernel(StringRef name);
  /// A number for a region of launches, which no other has.
  int64_t addRegion() { return numRegions++; }
  int64_t getExtern(ext::ExternFuncOp library);
  /// The same; the code asks whether it is there, so that the artifact loads without it.
  int64_t getOptionalExtern(ext::ExternFuncOp library);
  /// Offset of a weight, or of an inline constant, in the weights section; nullopt when the section would exceed 2^60
  /// bytes.
  std::optional<int64_t> getWeight(graph::WeightDataOp weight);
  std::optional<int64_t> getConstant(ElementsAttr value);
  void addFunction(func::FuncOp function);

  /// Writes the attributes.
  void store();

private:
  std::optional<int64_t> addWeight(Attribute key, StringRef name, RankedTensorType type, Attribute value);

  ModuleOp module;
  SymbolTable symbols;
  llvm::MapVector<Attribute, int64_t> sites;
  llvm::MapVector<Attribute, int64_t> kernels, externs;
  DenseSet<int64_t> optionalExterns;
  llvm::MapVector<Attribute, int64_t> weights; // by name or value
  SmallVector<Attribute> weightEntries, functions;
  NamedAttrList memoryReports;
  int64_t weightBytes = 0, numRegions = 0;
};

/// Makes the function that calls `library`, whose ABI is "call", for the extern signature; gives its name.
std::string createExternAdapter(ext::ExternFuncOp library);

/// Name of argument or result `index` for the outside.
std::string getOutsideName(DictionaryAttr attributes, StringRef fallback, unsigned index);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERHOST_HOSTTABLES_H
