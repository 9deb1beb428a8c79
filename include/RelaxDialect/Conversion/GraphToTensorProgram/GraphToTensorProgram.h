//===- GraphToTensorProgram.h - Graph ops to programs ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Patterns that replace a computing op of the graph by a call of a tensor
// program. `relax-legalize-ops` is the preparation and all of them.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_CONVERSION_GRAPHTOTENSORPROGRAM_GRAPHTOTENSORPROGRAM_H
#define RELAXDIALECT_CONVERSION_GRAPHTOTENSORPROGRAM_GRAPHTOTENSORPROGRAM_H

namespace mlir {
class RewritePatternSet;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace mlir::relax {

class ProgramLibrary;

/// Makes computing ops fit for programs: operands and results have known extents, shape rules that neither the facts of
/// the function nor earlier assertions prove are asserted. Users of a result see the type that was written.
void prepareForPrograms(func::FuncOp function);

// The patterns take prepared ops and leave others alone. Each adds the program it needs to `library`, or finds an
// identical one there.
void populateElementwiseToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateReductionToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateLinearAlgebraToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateManipulationToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library,
                                                 bool leaveViews = false);
void populateCreationToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateSearchToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populatePoolToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateAttentionToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateBlockToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateImageToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateQuantizationToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateRecurrentToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateIndexingToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateScansToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);
void populateSortToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library);

} // namespace mlir::relax

#endif // RELAXDIALECT_CONVERSION_GRAPHTOTENSORPROGRAM_GRAPHTOTENSORPROGRAM_H
