//===- Patterns.h - Decompositions of graph ops ----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_PATTERNS_H
#define RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_PATTERNS_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::relax::graph {

// Each replaces the composite ops of a family by simpler ones. `relax-decompose-ops` is all of them. The patterns rely
// on the shape rules of the ops, which that pass asserts first, and want known extents.
void populateCreationDecompositionPatterns(RewritePatternSet &patterns);
void populateEinsumDecompositionPatterns(RewritePatternSet &patterns);
void populateManipulationDecompositionPatterns(RewritePatternSet &patterns);
void populateReductionDecompositionPatterns(RewritePatternSet &patterns);
void populateSearchDecompositionPatterns(RewritePatternSet &patterns);
void populateActivationDecompositionPatterns(RewritePatternSet &patterns);
void populateAttentionDecompositionPatterns(RewritePatternSet &patterns);
void populateNormalizationDecompositionPatterns(RewritePatternSet &patterns);
void populateQuantizationDecompositionPatterns(RewritePatternSet &patterns);
void populateRecurrentDecompositionPatterns(RewritePatternSet &patterns);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_PATTERNS_H
