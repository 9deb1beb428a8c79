//===- InitAll.cpp - Registration of everything ----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/InitAll.h"
#include "RelaxDialect/Conversion/CapturePasses.h"
#include "RelaxDialect/Conversion/DevicePasses.h"
#include "RelaxDialect/Conversion/FrontendPasses.h"
#include "RelaxDialect/Conversion/Passes.h"
#include "RelaxDialect/Conversion/WorkspacePasses.h"
#include "RelaxDialect/Dialect/Extern/IR/Extern.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/QuantizationPasses.h"
#include "RelaxDialect/Dialect/Graph/Transforms/RewritePasses.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "RelaxDialect/Dialect/Sym/Transforms/Passes.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h"
#include "RelaxDialect/Pipelines/Pipelines.h"
#include "RelaxDialect/Target/Import/ONNX.h"
#include "RelaxDialect/Transforms/DispatchPasses.h"
#include "RelaxDialect/Transforms/DonationPasses.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "RelaxDialect/Transforms/PrecisionPasses.h"
#include "RelaxDialect/Transforms/ReportPasses.h"
#include "RelaxDialect/Transforms/TransformOps/RelaxTransformOps.h"
#include "mlir/IR/DialectRegistry.h"
#include <mutex>

using namespace mlir;

void relax::registerAllDialects(DialectRegistry &registry) {
  registry.insert<sym::RelaxSymDialect, graph::RelaxDialect, tp::RelaxTpDialect, ext::RelaxExtDialect>();
  registerTransformOps(registry);
}

void relax::registerAllPasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    // One line per Passes.td.
    registerRelaxCapturePasses();
    registerRelaxConversionPasses();
    registerRelaxDevicePasses();
    registerRelaxDispatchPasses();
    registerRelaxDonationPasses();
    registerRelaxPrecisionPasses();
    registerRelaxFrontendPasses();
    registerRelaxReportPasses();
    registerRelaxTransformsPasses();
    registerRelaxWorkspacePasses();
    sym::registerRelaxSymPasses();
    graph::registerRelaxGraphPasses();
    graph::registerRelaxQuantizationPasses();
    graph::registerRelaxRewritePasses();
    tp::registerRelaxTensorProgramPasses();
    registerRelaxPipelines();
  });
}

void relax::registerAllTranslations() { registerImportONNXTranslation(); }
