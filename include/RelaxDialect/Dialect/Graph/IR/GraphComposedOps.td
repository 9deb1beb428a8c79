//===- GraphComposedOps.td - Abbreviations ----------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Ops that relax-decompose-ops replaces by simpler ones.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCOMPOSEDOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCOMPOSEDOPS

include "RelaxDialect/Dialect/Graph/IR/GraphCompositeBase.td"

class Relax_ComposedOp<string mnemonic, list<Trait> traits = []>
    : Relax_InferredOp<mnemonic, !listconcat([Relax_Composite], traits)> {
  let results = (outs Relax_Tensor:$result);
}

//===----------------------------------------------------------------------===//
// Manipulation
//===----------------------------------------------------------------------===//

def Relax_DynamicReshapeOp : Relax_BinderOp<"dynamic_reshape", [Relax_Composite]> {
  let summary = "The same elements in a shape that a tensor holds.";
  let description = [{
    An entry 0 of `target` is the operand's extent at the same place (with `allow_zero` it is 0). One entry may be -1: the product of the
    operand's extents that are not copied, divided by the other entries, which may not be 0. Binds one symbol for each entry, whose
    number is static. Another number of elements than the operand has, and any other negative entry, is a run-time error.

    Example: `%r = relax.dynamic_reshape %x, %t binds [a, b] : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<2xi64>) -> tensor<?x?xf32, #relax_sym.shape<[a, b]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Relax_IndexTensor:$target, StrArrayAttr:$binds, UnitAttr:$allow_zero);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand `,` $target `` custom<BoundSymbols>($binds) attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = inferenceDeclaration # [{ bool mayTrapOnValues() { return true; } }];
}

def Relax_CompressOp : Relax_BinderOp<"compress", [Relax_Composite]> {
  let summary = "Keeps the slices that a mask selects.";
  let description = [{
    The dimensions of `mask` are those of the operand from `axis` on; they become one dimension, with one slice for each element of the
    mask that is true, in row-major order. Binds one symbol, the number of slices; it is at most the mask's number of elements.

    Example: `%r = relax.compress %x, %m binds [u] {axis = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<?xi1, #relax_sym.shape<[n]>>) -> tensor<?x4xf32, #relax_sym.shape<[u, 4]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Relax_BoolTensor:$mask, StrArrayAttr:$binds, I64Attr:$axis);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand `,` $mask `` custom<BoundSymbols>($binds) attr-dict `:` functional-type(operands, results)";
}

def Relax_SplitOp : Relax_MultiOp<"split", [Relax_Composite]> {
  let summary = "Cuts a tensor into parts along an axis.";
  let description = [{
    Either `sizes` gives the extent of each part, expressions whose sum must be the operand's extent (the optional shape value shows
    symbols that the operand does not), or `sections` the number of parts. Sections are equal; with `uneven` each has
    `extent ceildiv sections` elements as long as there are any, so that the last ones may be shorter or empty.

    Example: `%r:2 = relax.split %x {axis = 0 : i64, sections = 2 : i64} : (tensor<?xf32, #relax_sym.shape<[n * 2]>>) -> (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<?xf32, #relax_sym.shape<[n]>>)`
  }];
  let arguments = (ins Relax_Tensor:$operand, Optional<Relax_ShapeType>:$shape, I64Attr:$axis,
                       OptionalAttr<Relax_ExprArrayAttr>:$sizes, OptionalAttr<I64Attr>:$sections, UnitAttr:$uneven);
  let results = (outs Variadic<Relax_Tensor>:$parts);
  let assemblyFormat = "$operand (`shape` `(` $shape^ `)`)? attr-dict `:` functional-type(operands, results)";
}

def Relax_TileOp : Relax_ComposedOp<"tile"> {
  let summary = "Repeats a whole tensor along its dimensions.";
  let description = [{
    `repeats` gives for each dimension how often; the optional shape value shows symbols that the operand does not.

    Example: `%r = relax.tile %x {repeats = [#relax_sym.expr<2>, #relax_sym.expr<1>]} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n * 2, 4]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Optional<Relax_ShapeType>:$shape, Relax_ExprArrayAttr:$repeats);
  let assemblyFormat = "$operand (`shape` `(` $shape^ `)`)? attr-dict `:` functional-type(operands, results)";
}

def Relax_RepeatOp : Relax_ComposedOp<"repeat"> {
  let summary = "Repeats each element along an axis.";
  let description = [{
    The optional shape value shows symbols of `repeats` that the operand does not.

    Example: `%r = relax.repeat %x {axis = 0 : i64, repeats = #relax_sym.expr<2>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n * 2, 4]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Optional<Relax_ShapeType>:$shape, RelaxSym_ExprAttr:$repeats, I64Attr:$axis);
  let assemblyFormat = "$operand (`shape` `(` $shape^ `)`)? attr-dict `:` functional-type(operands, results)";
}

def Relax_StackOp : Relax_ComposedOp<"stack"> {
  let summary = "Joins tensors of one shape along a new axis.";
  let description = [{
    `axis` is a dimension of the result.

    Example: `%r = relax.stack %x, %y {axis = 0 : i64} : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<2x?xf32, #relax_sym.shape<[2, n]>>`
  }];
  let arguments = (ins Variadic<Relax_Tensor>:$operands, I64Attr:$axis);
  let assemblyFormat = "$operands attr-dict `:` functional-type(operands, results)";
}

def Relax_FlipOp : Relax_ComposedOp<"flip"> {
  let summary = "Reverses dimensions.";
  let description = [{
    Example: `%r = relax.flip %x {axes = array<i64: 0>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Relax_RollOp : Relax_ComposedOp<"roll"> {
  let summary = "Moves elements along dimensions; what leaves at one end comes in at the other.";
  let description = [{
    `r[(i + shift) mod extent] = x[i]`; `shifts` has an expression for each of `axes`, the optional shape value shows symbols that the
    operand does not.

    Example: `%r = relax.roll %x {axes = array<i64: 0>, shifts = [#relax_sym.expr<-1>]} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Optional<Relax_ShapeType>:$shape, Relax_ExprArrayAttr:$shifts,
                       DenseI64ArrayAttr:$axes);
  let assemblyFormat = "$operand (`shape` `(` $shape^ `)`)? attr-dict `:` functional-type(operands, results)";
}

class Relax_TriangleOp<string mnemonic, string meaning, string relation> : Relax_ComposedOp<mnemonic> {
  let summary = meaning # " triangle of matrices; the rest is 0.";
  let description = [{
    The matrices are the last two dimensions. An element stays where `column - row }] # relation # [{ diagonal`.

    Example: `%r = relax.}] # mnemonic # [{ %x {diagonal = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, I64Attr:$diagonal);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = inferenceDefinition # [{
    ::llvm::FailureOr<::mlir::RankedTensorType> $cppClass::inferType(
        ::mlir::relax::graph::TypeInference &inference, Adaptor adaptor) {
      auto type = ::mlir::cast<::mlir::RankedTensorType>(adaptor.getOperand().getType());
      if (type.getRank() < 2)
        return inference.fail("operand is expected to have rank 2 or more, got ", type.getRank());
      return type;
    }
  }];
}
def Relax_TrilOp : Relax_TriangleOp<"tril", "Lower", "<=">;
def Relax_TriuOp : Relax_TriangleOp<"triu", "Upper", ">=">;

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

def Relax_ArangeOp : Relax_BinderOp<"arange", [Relax_Composite]> {
  let summary = "Numbers at equal distances; bounds come from tensors.";
  let description = [{
    `start, start + step, ...` before `stop` (after it for a negative step); operands of rank 0 and one type. Binds the number of elements,
    `ceil((stop - start) / step)` or 0. Element `i` is `start + i * step`. f16 is computed in f32. A step of 0 is a run-time error.

    Example: `%r = relax.arange %a, %b, %c binds [u] : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64, #relax_sym.shape<[u]>>`
  }];
  let arguments = (ins Relax_SignedTensor:$start, Relax_SignedTensor:$stop, Relax_SignedTensor:$step, StrArrayAttr:$binds);
  let results = (outs Relax_SignedTensor:$result);
  let assemblyFormat = "$start `,` $stop `,` $step `` custom<BoundSymbols>($binds) attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = inferenceDeclaration # [{ bool mayTrapOnValues() { return true; } }];
}

def Relax_EyeOp : Relax_ComposedOp<"eye"> {
  let summary = "A matrix with ones on a diagonal.";
  let description = [{
    An element is 1 where `column - row == diagonal`, else 0.

    Example: `%r = relax.eye %s {diagonal = 0 : i64, dtype = f32} : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_ShapeType:$shape, I64Attr:$diagonal, TypeAttr:$dtype);
  let assemblyFormat = "$shape attr-dict `:` functional-type(operands, results)";
}

def Relax_FullLikeOp : Relax_ComposedOp<"full_like"> {
  let summary = "A tensor of another's shape whose elements are all the same.";
  let description = [{
    The element type is that of `value`.

    Example: `%r = relax.full_like %x, 1 : i32 : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xi32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, TypedAttrInterface:$value);
  let assemblyFormat = "$operand `,` $value attr-dict `:` functional-type(operands, results)";
}

def Relax_OneHotOp : Relax_ComposedOp<"one_hot"> {
  let summary = "Rows that are `off` but for one element.";
  let description = [{
    Inserts a dimension of extent `depth` (a shape value with one entry) at `axis` of the result; the element at the index is `on`, which
    like `off` has rank 0. An index outside of `[0, depth)` gives a row of `off`.

    Example: `%r = relax.one_hot %i, %d, %on, %off {axis = 1 : i64} : (tensor<?xi64, #relax_sym.shape<[n]>>, !relax.shape<[m]>, tensor<f32>, tensor<f32>) -> tensor<?x?xf32, #relax_sym.shape<[n, m]>>`
  }];
  let arguments = (ins Relax_IndexTensor:$indices, Relax_ShapeType:$depth, Relax_Tensor:$on, Relax_Tensor:$off, I64Attr:$axis);
  let assemblyFormat = "$indices `,` $depth `,` $on `,` $off attr-dict `:` functional-type(operands, results)";
}

def Relax_RandomNormalOp : Relax_ComposedOp<"random_normal"> {
  let summary = "Normally distributed random numbers, each from its position and a seed.";
  let description = [{
    Mean 0, deviation 1: `sqrt(-2 * log(1 - a)) * cos(2 * pi * b)`, where `a` and `b` are what `relax.random_uniform` gives for the seed and for
    its complement. f16 is computed in f32.

    Example: `%r = relax.random_normal %s {seed = 7 : i64, dtype = f32} : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_ShapeType:$shape, I64Attr:$seed, TypeAttr:$dtype);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = "$shape attr-dict `:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Search and sort
//===----------------------------------------------------------------------===//

def Relax_SortOp : Relax_ComposedOp<"sort"> {
  let summary = "Sorts along an axis.";
  let description = [{
    In the order of `relax.argsort`.

    Example: `%r = relax.sort %x {axis = 0 : i64, descending} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>`
  }];
  let arguments = (ins Relax_ComputedTensor:$operand, I64Attr:$axis, UnitAttr:$descending);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Relax_TopKOp : Relax_MultiOp<"topk", [Relax_Composite]> {
  let summary = "The largest elements along an axis and where they are.";
  let description = [{
    `k` is a shape value with one entry; there are `min(k, extent)` results along the axis, the largest first, of equal ones the first. With
    `smallest` the smallest first. NaN counts as larger than every number.

    Example: `%v, %i = relax.topk %x, %k {axis = 0 : i64} : (tensor<?xf32, #relax_sym.shape<[n]>>, !relax.shape<[k]>) -> (tensor<?xf32, #relax_sym.shape<[min(k, n)]>>, tensor<?xi64, #relax_sym.shape<[min(k, n)]>>)`
  }];
  let arguments = (ins Relax_ComputedTensor:$operand, Relax_ShapeType:$k, I64Attr:$axis, UnitAttr:$smallest);
  let results = (outs Relax_ComputedTensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = "$operand `,` $k attr-dict `:` functional-type(operands, results)";
}

def Relax_UniqueAllOp : Relax_ComputeOp<"unique_all", [InferTypeOpAdaptor, Relax_Composite,
    DeclareOpInterfaceMethods<RelaxSym_SymbolBinderOpInterface, ["getDerivedFacts"]>]> {
  let summary = "The different elements of a tensor, sorted, and where they are.";
  let description = [{
    The operand is flattened. `values` are the different elements, `indices` where each is first, `inverse` for each element of the operand
    where its value is in `values`, `counts` how many there are of each. Binds one symbol, the number of values; it is at most the operand's
    number of elements. Any NaN counts as one element, after all others.

    Example: `%v, %i, %j, %c = relax.unique_all %x binds [u] : (tensor<?xf32, #relax_sym.shape<[n]>>) -> (tensor<?xf32, #relax_sym.shape<[u]>>, tensor<?xi64, #relax_sym.shape<[u]>>, tensor<?xi64, #relax_sym.shape<[n]>>, tensor<?xi64, #relax_sym.shape<[u]>>)`
  }];
  let arguments = (ins Relax_ComputedTensor:$operand, StrArrayAttr:$binds);
  let results = (outs Relax_ComputedTensor:$values, RankedTensorOf<[I64]>:$indices, RankedTensorOf<[I64]>:$inverse,
                      RankedTensorOf<[I64]>:$counts);
  let assemblyFormat = "$operand `` custom<BoundSymbols>($binds) attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = Relax_MultiBinderCode.declaration;
  let extraClassDefinition = !strconcat(Relax_MultiBinderCode.definition, Relax_Binder.definition);
}

def Relax_BucketizeOp : Relax_ComposedOp<"bucketize"> {
  let summary = "Where elements belong in a sorted list.";
  let description = [{
    The number of `boundaries` (rank 1, sorted) that are less than the element; with `right` those that are not greater. NaN comes after all.

    Example: `%r = relax.bucketize %x, %b : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<4xf32>) -> tensor<?xi64, #relax_sym.shape<[n]>>`
  }];
  let arguments = (ins Relax_NumberTensor:$operand, Relax_NumberTensor:$boundaries, UnitAttr:$right);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = "$operand `,` $boundaries attr-dict `:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Reduction and products
//===----------------------------------------------------------------------===//

class Relax_ComposedReductionOp<string mnemonic, string meaning, string details, dag more = (ins)>
    : Relax_ComposedOp<mnemonic> {
  let summary = meaning # " along axes.";
  let description = details # [{ With `keepdims` a reduced dimension stays with extent 1.

    Example: `%r = relax.}] # mnemonic # [{ %x {axes = array<i64: 1>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>`
  }];
  let arguments = !con((ins Relax_FloatTensor:$operand, DenseI64ArrayAttr:$axes, UnitAttr:$keepdims), more);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = inferenceDefinition # [{
    ::llvm::FailureOr<::mlir::RankedTensorType> $cppClass::inferType(
        ::mlir::relax::graph::TypeInference &inference, Adaptor adaptor) {
      return ::mlir::relax::graph::inferReduction(inference, adaptor.getOperand(), adaptor.getAxes(), adaptor.getKeepdims());
    }
  }];
}

def Relax_VarianceOp : Relax_ComposedReductionOp<"variance", "Mean square distance from the mean",
    "The sum of squares is divided by the number of elements minus `correction`. Of nothing: NaN. f16 is computed in f32.",
    (ins DefaultValuedAttr<I64Attr, "0">:$correction)>;
def Relax_LogSumExpOp : Relax_ComposedReductionOp<"log_sum_exp", "Logarithm of the sum of exponentials",
    "Does not overflow. Of nothing: minus infinity. f16 is computed in f32.">;
def Relax_NormL1Op : Relax_ComposedReductionOp<"norm_l1", "Sum of absolute values", "Of nothing: 0.">;
def Relax_NormL2Op : Relax_ComposedReductionOp<"norm_l2", "Square root of the sum of squares",
    "Of nothing: 0. f16 is computed in f32.">;

def Relax_OuterOp : Relax_ComposedOp<"outer"> {
  let summary = "Every product of an element of one vector with one of another.";
  let description = [{
    Example: `%r = relax.outer %x, %y : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<4xf32>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_NumberTensor:$lhs, Relax_NumberTensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Relax_EinsumOp : Relax_ComposedOp<"einsum"> {
  let summary = "Sum of products of elements with named indices.";
  let description = [{
    `equation` has a letter for each dimension of each operand, and after `->` those of the result; what the result does not have is summed.
    Without `->` the result has the letters that occur once, sorted. Dimensions with one letter have one extent. A letter twice in one operand
    is its diagonal. `...` stands for the dimensions that no letter names, which are broadcast.

    Example: `%r = relax.einsum %x, %y {equation = "nk,km->nm"} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<4x8xf32>) -> tensor<?x8xf32, #relax_sym.shape<[n, 8]>>`
  }];
  let arguments = (ins Variadic<Relax_NumberTensor>:$operands, StrAttr:$equation);
  let assemblyFormat = "$operands attr-dict `:` functional-type(operands, results)";
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCOMPOSEDOPS
