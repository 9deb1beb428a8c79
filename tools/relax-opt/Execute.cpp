//===- Execute.cpp - Running what is validated ----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Execute.h"

#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "TensorFiles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cmath>
#include <limits>
#include <tuple>

using namespace mlir;
using namespace mlir::relax;
using namespace relax_opt;

static constexpr uint64_t kMaxSteps = 20'000'000;
// At random, then to the edges, then up and down: of a rounding that decides between two integers both are seen.
static constexpr unsigned kRandomRuns = 3, kPerturbedRuns = kRandomRuns + 3;
static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr unsigned kRunSeconds = 120;

/// Plain upstream types have no sign, files no name for types that are only stored; the bits are the same.
static interp::Tensor retype(const interp::Tensor &tensor, Type type) {
  Type actual = tensor.getElementType();
  bool isSame = actual != type && sym::getProgramType(actual) == sym::getProgramType(type);
  return isSame ? tensor.reinterpreted(type) : tensor;
}

bool relax_opt::interpret(ModuleOp module, StringRef name, const Sample &sample, Tensors &results,
                          interp::RunError &error, uint64_t perturbation) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function) {
    error.message = "function '" + name.str() + "' is not there any more";
    return false;
  }
  interp::InterpreterOptions options;
  options.maxElements = 1 << 22;
  options.maxSteps = kMaxSteps;
  options.perturbation = perturbation;
  options.goesToEdges = perturbation == kRandomRuns + 1;
  options.direction = perturbation == kRandomRuns + 2 ? 1 : perturbation == kRandomRuns + 3 ? -1 : 0;
  interp::Interpreter interpreter(module, options);
  std::vector<interp::Tensor> inputs = sample.inputs;
  for (auto [input, type] : llvm::zip(inputs, function.getArgumentTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      input = retype(input, tensor.getElementType());
  FailureOr<SmallVector<interp::Tensor>> values = interpreter.run(function, inputs, error);
  if (failed(values))
    return false;
  results.assign(values->begin(), values->end());
  return true;
}

/// The distance of two elements; infinite when one is not a number or infinite.
static double getDistance(const interp::Tensor &a, const interp::Tensor &b, int64_t i) {
  if (!a.isFloat())
    return a.i(i) == b.i(i) ? 0 : kInfinity;
  if (a.f(i) == b.f(i) || (std::isnan(a.f(i)) && std::isnan(b.f(i))))
    return 0;
  double distance = std::fabs(a.f(i) - b.f(i));
  return std::isnan(distance) ? kInfinity : distance;
}

Reference relax_opt::makeReference(ModuleOp module, StringRef function, const Sample &sample) {
  Reference reference;
  interp::RunError why;
  if (!interpret(module, function, sample, reference.results, why)) {
    reference.error = why.message;
    return reference;
  }
  std::vector<std::vector<double>> tolerances;
  for (const interp::Tensor &result : reference.results) {
    std::vector<double> &tolerance = tolerances.emplace_back(result.size(), 0.0);
    if (!result.isFloat())
      continue;
    const llvm::fltSemantics &semantics = cast<FloatType>(result.getElementType()).getFloatSemantics();
    double smallest = std::ldexp(1.0, APFloat::semanticsMinExponent(semantics));
    for (int64_t i = 0; i < result.size(); ++i)
      if (std::isfinite(result.f(i)))
        tolerance[i] = 4 * interp::getEpsilon(result.getElementType()) * std::fabs(result.f(i)) + smallest;
  }
  for (unsigned run = 1; run <= kPerturbedRuns; ++run) {
    Tensors moved;
    if (!interpret(module, function, sample, moved, why, run))
      return reference;
    for (size_t k = 0; k != moved.size(); ++k) {
      if (moved[k].getDims() != reference.results[k].getDims())
        return reference;
      for (int64_t i = 0; i < moved[k].size(); ++i) {
        double distance = getDistance(reference.results[k], moved[k], i);
        double own = 4 * distance;
        // Each run shows part of what is possible.
        tolerances[k][i] = std::isinf(own) ? kInfinity : std::max(tolerances[k][i], own + tolerances[k][i] / 2);
      }
    }
  }
  reference.tolerances = std::move(tolerances);
  return reference;
}

static std::string formatElement(const interp::Tensor &tensor, int64_t i) {
  char text[40];
  if (tensor.isFloat())
    std::snprintf(text, sizeof text, "%.9g", tensor.f(i));
  else
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(tensor.i(i)));
  return text;
}

std::string relax_opt::compare(const Reference &reference, const Tensors &results,
                               const std::vector<std::string> &names) {
  if (results.size() != reference.results.size())
    return "expected " + std::to_string(reference.results.size()) + " results, actual " +
           std::to_string(results.size());
  for (size_t k = 0; k != results.size(); ++k) {
    const interp::Tensor &want = reference.results[k];
    interp::Tensor got = retype(results[k], want.getElementType());
    std::string where = "result '" + names[k] + "'";
    if (got.getElementType() != want.getElementType())
      return where + " has another element type";
    if (got.getDims() != want.getDims())
      return where + ": expected shape " + interp::formatShape(want.getDims()) + ", actual " +
             interp::formatShape(got.getDims());
    for (int64_t i = 0; i < want.size(); ++i) {
      double distance = getDistance(want, got, i);
      if (distance <= reference.tolerances[k][i])
        continue;
      char tolerance[40];
      std::snprintf(tolerance, sizeof tolerance, "%.3g", reference.tolerances[k][i]);
      return where + " element " + std::to_string(i) + ": expected " + formatElement(want, i) + ", actual " +
             formatElement(got, i) + (want.isFloat() ? std::string(" (tolerance ") + tolerance + ")" : "");
    }
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

static std::string programPath;

void relax_opt::setProgramPath(const char *argv0) {
  static int anchor;
  programPath = llvm::sys::fs::getMainExecutable(argv0, &anchor);
}

/// What a program wrote to a file, without the line feed at the end.
static std::string readText(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().trim().str() : std::string();
}

bool relax_opt::runArtifact(MLIRContext *context, const std::string &artifact, const Entry &entry,
                            const std::vector<unsigned> &samples, const std::string &device,
                            std::vector<Tensors> &results, std::string &error) {
  SmallString<128> runner(llvm::sys::path::parent_path(programPath)), errors(artifact);
  llvm::sys::path::append(runner, "relax-run");
  errors += ".err";
  std::vector<std::string> args = {runner.str().str(), artifact, "--function", entry.name}, outputs;
  if (!device.empty())
    args.insert(args.end(), {"--device", device});
  for (unsigned sample : samples) {
    std::vector<relax_interpret::NamedTensor> inputs;
    for (auto [name, tensor] : llvm::zip_equal(entry.inputNames, entry.samples[sample].inputs))
      inputs.push_back({name, tensor});
    std::string input = artifact + ".in" + std::to_string(sample) + ".npz";
    outputs.push_back(artifact + ".out" + std::to_string(sample) + ".npz");
    if (!relax_interpret::writeTensors(input, inputs, error))
      return false;
    args.insert(args.end(), {"--inputs", input, "--outputs", outputs.back()});
  }
  std::vector<StringRef> views(args.begin(), args.end());
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(), StringRef(errors)};
  std::ignore = llvm::sys::fs::remove(errors); // a redirection does not shorten a file
  std::string reason;
  int code = llvm::sys::ExecuteAndWait(runner, views, std::nullopt, redirects, kRunSeconds, 0, &reason);
  if (code != 0) {
    error = reason.empty() ? readText(errors) : reason;
    return false;
  }
  for (const std::string &output : outputs) {
    std::vector<relax_interpret::NamedTensor> tensors;
    if (!relax_interpret::readTensors(context, output, tensors, error))
      return false;
    Tensors ordered;
    for (const std::string &name : entry.resultNames)
      for (relax_interpret::NamedTensor &tensor : tensors)
        if (tensor.name == name)
          ordered.push_back(tensor.tensor);
    results.push_back(std::move(ordered));
  }
  return true;
}
