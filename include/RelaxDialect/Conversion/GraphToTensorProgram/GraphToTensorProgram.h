//===- GraphToTensorProgram.h - Graph ops to programs ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Patterns that replace a computing op of the graph by a call of a tensor
// program. `relax-legalize-ops` is all of them; others may take some.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_CONVERSION_GRAPHTOTENSORPROGRAM_GRAPHTOTENSORPROGRAM_H
#define RELAXDIALECT_CONVERSION_GRAPHTOTENSORPROGRAM_GRAPHTOTENSORPROGRAM_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::relax {

class ProgramLibrary;

// The patterns expect operands without unknown extents and leave others alone. Each adds the program it needs to
// `library`, or finds an identical one there.
void populateElementwiseToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateReductionToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateLinearAlgebraToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateManipulationToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateCreationToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateSearchToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);

} // namespace mlir::relax

#endif // RELAXDIALECT_CONVERSION_GRAPHTOTENSORPROGRAM_GRAPHTOTENSORPROGRAM_H
