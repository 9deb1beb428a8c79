//===- Interpreter.h - The reference interpreter ---------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Executes a module op by op, slowly and obviously: it defines what graph IR
// means (docs/Interpreter.md). Runs graph ops, scf, calls, tensor programs and,
// after make-destinations and plan-memory, memory.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_INTERPRETER_INTERPRETER_H
#define RELAXDIALECT_INTERPRETER_INTERPRETER_H

#include "RelaxDialect/Interpreter/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <random>

namespace mlir::relax::interp {

class OpTable;

struct InterpreterOptions {
  uint64_t maxElements = uint64_t(1) << 28; // of one tensor
  uint64_t maxSteps = uint64_t(1) << 40;    // ops and loop iterations of one run
  unsigned maxDepth = 200;                  // of calls
  std::string blobDirectory;                // where weight files with relative names are
  // Not 0: rounded results are moved, by no more than another correct implementation may differ, as this seed says.
  // Comparing such runs tells how exact an output can be asked to be.
  uint64_t perturbation = 0;
  // Such a run makes 0 or infinity of what may be that.
  bool goesToEdges = false;
  // 1: such a run moves everything up as far as it may be away, -1: down, 0: at random.
  int direction = 0;
};

/// Why a run failed.
struct RunError {
  std::string message;
  std::optional<Location> location; // of the op; none for errors of the inputs
  bool exceedsLimits = false;       // of InterpreterOptions: the module is not to blame
};

/// Names of arguments and results for the outside: `relax.name`, else arg0, result0, ...
std::string getArgumentName(FunctionOpInterface function, unsigned index);
std::string getResultName(FunctionOpInterface function, unsigned index);

class Interpreter {
public:
  explicit Interpreter(ModuleOp module, InterpreterOptions options = {});
  ~Interpreter();

  /// Runs a function with a body. Inputs are tensors; one that belongs to a `!relax.shape` argument is a list of i64.
  /// Results are tensors: shapes and indices become i64.
  FailureOr<SmallVector<Tensor>> run(FunctionOpInterface function, ArrayRef<Tensor> inputs, RunError &error);

  //===- For the functions of ops -------------------------------------------===//
  const OpTable &getTable() const { return *table; }
  const InterpreterOptions &getOptions() const { return options; }
  Operation *lookup(StringRef name) { return symbols.lookup(name); }
  /// False when the run has taken too many steps.
  bool countStep() { return ++steps <= options.maxSteps; }
  /// A number in [-1, 1].
  double random() {
    return options.direction ? options.direction : std::uniform_real_distribution<double>(-1, 1)(generator);
  }

private:
  ModuleOp module;
  InterpreterOptions options;
  std::unique_ptr<OpTable> table;
  SymbolTable symbols;
  uint64_t steps = 0;
  std::mt19937_64 generator;
};

} // namespace mlir::relax::interp

#endif // RELAXDIALECT_INTERPRETER_INTERPRETER_H
