//===- GraphImageOps.td - Resizing ------------------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHIMAGEOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHIMAGEOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

def Relax_ResizeOp : Relax_TotalInferredOp<"resize"> {
  let summary = "Interpolation to other extents.";
  let description = [{
    The shape value gives the new extents of `axes`. Element `i` of an axis is read at position `p`, with `in` and `out` its
    extents and `r` the entry of `scales`, which is `out / in` when absent:

    | `coordinates` | `p` |
    |---|---|
    | `half_pixel` | `(i + 1/2) / r - 1/2` |
    | `half_pixel_symmetric` | `in/2 * (1 - out / (r * in)) + (i + 1/2) / r - 1/2` |
    | `pytorch_half_pixel` | 0 where `out` is 1, else as `half_pixel` |
    | `asymmetric` | `i / r` |
    | `align_corners` | `i * (in - 1) / (out - 1)`, 0 where `out` is 1 |
    | `tf_crop_and_resize` | `begin * (in - 1) + i * (end - begin) * (in - 1) / (out - 1)`, `(begin + end) / 2 * (in - 1)` where `out` is 1 |

    `roi` holds `begin` of each axis, then `end` of each; positions outside of `[0, in - 1]` then give `extrapolation`.
    `mode` is `nearest`, which rounds `p` by `rounding` (`round_prefer_floor`, `round_prefer_ceil`, `floor`, `ceil`); `linear`;
    or `cubic` with coefficient `cubic_coefficient`. Neighbours outside of the operand are its nearest elements; with
    `exclude_outside` their weight is 0 and the others are scaled to sum 1. Several axes are done one after the other.
    Positions are computed in f64, f16 in f32. Integers allow `nearest` only. An empty operand gives zeros.

    An extent `floor(n * 3/2)` is `n * 3 floordiv 2`, see `getScaledExtent`.

    Example: `%r = relax.resize %x, %s {axes = array<i64: 2>, mode = "linear"} : (tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l]>>, !relax.shape<[l * 2]>) -> tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l * 2]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Relax_ShapeType:$shape, DenseI64ArrayAttr:$axes, StrAttr:$mode,
                       DefaultValuedStrAttr<StrAttr, "half_pixel">:$coordinates,
                       DefaultValuedStrAttr<StrAttr, "round_prefer_floor">:$rounding,
                       OptionalAttr<DenseF64ArrayAttr>:$scales, OptionalAttr<DenseF64ArrayAttr>:$roi,
                       DefaultValuedAttr<F64Attr, "-0.75">:$cubic_coefficient, UnitAttr:$exclude_outside,
                       DefaultValuedAttr<F64Attr, "0.0">:$extrapolation);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand `,` $shape attr-dict `:` functional-type(operands, results)";
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHIMAGEOPS
