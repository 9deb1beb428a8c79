//===- GraphRecurrentOps.td - LSTM, GRU, RNN --------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHRECURRENTOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHRECURRENTOPS

include "RelaxDialect/Dialect/Graph/IR/GraphCompositeBase.td"

defvar Relax_CellText = [{
    With `x` the input of a step, `h` and `c` the state and `f`, `g`, `k` the `activations`:

    | `cell` | gates | step |
    |---|---|---|
    | `rnn` | one | `h = f(x + h R)` |
    | `gru` | `z`, `r`, `n` | `z = f(..)`, `r = f(..)`, `n = g(x + (r * h) R)` or with `linear_before_reset` `n = g(x + r * (h R + b))`, `h = (1 - z) * n + z * h` |
    | `lstm` | `i`, `o`, `f`, `n` | `i = f(.. + P_i * c)`, `f = f(.. + P_f * c)` or with `input_forget` `1 - i`, `n = g(..)`, `c = f * c + i * n`, `o = f(.. + P_o * c)`, `h = o * k(c)` |

    `..` is `x + h R`. `clip` bounds what goes into an activation to `[-clip, clip]`. Activations are `affine`, `elu`,
    `hard_sigmoid`, `leaky_relu`, `relu`, `scaled_tanh`, `sigmoid`, `softplus`, `softsign`, `tanh`, `thresholded_relu`; `alpha`
    and `beta` hold the parameters of each. A step at or after a sequence's length leaves its state, and its output is 0.
    A length outside of `[0, steps]` is a run-time error.
}];

def Relax_RecurrentOp : Relax_ComputeOp<"recurrent", [AttrSizedOperandSegments, Relax_Composite, InferTypeOpAdaptor]> {
  let summary = "Recurrent layer: LSTM, GRU or RNN.";
  let description = [{
    Input (steps, batch, input), weight (directions, gates * hidden, input), recurrence R (directions, gates * hidden, hidden).
    Optional: bias (directions, 2 * gates * hidden), that of the input and that of the recurrence; lengths (batch); initial
    state and cell (directions, batch, hidden), 0 when absent; peephole P (directions, 3 * hidden), of `i`, `o`, `f`. Results:
    the outputs (steps, directions, batch, hidden), the last state (directions, batch, hidden), for `lstm` the last cell.
    `direction` is `forward`, `reverse` or `bidirectional`. Activations are listed for each direction.
  }] # Relax_CellText # [{ f16 is computed in f32.

    Example: `%y, %h = relax.recurrent %x, %w, %r {cell = "rnn", direction = "forward", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<?x2x3xf32, #relax_sym.shape<[t, 2, 3]>>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<?x1x2x4xf32, #relax_sym.shape<[t, 1, 2, 4]>>, tensor<1x2x4xf32>)`
  }];
  let arguments = (ins Relax_FloatTensor:$input, Relax_FloatTensor:$weight, Relax_FloatTensor:$recurrence,
                       Optional<Relax_FloatTensor>:$bias, Optional<RankedTensorOf<[I32, I64]>>:$lengths,
                       Optional<Relax_FloatTensor>:$initial, Optional<Relax_FloatTensor>:$initial_cell,
                       Optional<Relax_FloatTensor>:$peephole, StrAttr:$cell, StrAttr:$direction, StrArrayAttr:$activations,
                       DenseF64ArrayAttr:$alpha, DenseF64ArrayAttr:$beta, OptionalAttr<F64Attr>:$clip,
                       UnitAttr:$input_forget, UnitAttr:$linear_before_reset);
  let results = (outs Variadic<Relax_FloatTensor>:$results);
  let assemblyFormat = [{
    $input `,` $weight `,` $recurrence (`bias` `(` $bias^ `)`)? (`lengths` `(` $lengths^ `)`)?
    (`initial` `(` $initial^ `)`)? (`cell` `(` $initial_cell^ `)`)? (`peephole` `(` $peephole^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Gives the result types and states the shape rules.
    static ::llvm::LogicalResult inferTypes(::mlir::relax::graph::TypeInference &inference, Adaptor adaptor,
                                            ::llvm::SmallVectorImpl<::mlir::RankedTensorType> &types);
    /// The verifier compares types, with a better message.
    static bool isCompatibleReturnTypes(::mlir::TypeRange, ::mlir::TypeRange) { return true; }
    bool mayTrapOnValues() { return getLengths() != nullptr; }
  }];
}

def Relax_RecurrentScanOp : Relax_InferredOp<"recurrent_scan", [AttrSizedOperandSegments]> {
  let summary = "The steps of one direction of a recurrent layer.";
  let description = [{
    Input (steps, batch, gates * hidden), already multiplied and with biases; recurrence R (gates * hidden, hidden); state
    (batch, hidden), for `lstm` (batch, 2 * hidden) with the cell after `h`. Optional: lengths (batch), peephole P (3 * hidden),
    and, for `linear_before_reset`, bias b (hidden). The result (steps + 1, batch, state) holds the state after each step, then
    the last one. With `reverse` a sequence goes from its last element to its first.
  }] # Relax_CellText # [{

    Example: `%r = relax.recurrent_scan %x, %r, %s {cell = "rnn", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<?x2x4xf32, #relax_sym.shape<[t, 2, 4]>>, tensor<4x4xf32>, tensor<2x4xf32>) -> tensor<?x2x4xf32, #relax_sym.shape<[t + 1, 2, 4]>>`
  }];
  let arguments = (ins RankedTensorOf<[F32, F64]>:$input, RankedTensorOf<[F32, F64]>:$recurrence,
                       RankedTensorOf<[F32, F64]>:$state, Optional<RankedTensorOf<[I32, I64]>>:$lengths,
                       Optional<RankedTensorOf<[F32, F64]>>:$peephole, Optional<RankedTensorOf<[F32, F64]>>:$bias, StrAttr:$cell, StrArrayAttr:$activations,
                       DenseF64ArrayAttr:$alpha, DenseF64ArrayAttr:$beta, OptionalAttr<F64Attr>:$clip,
                       UnitAttr:$input_forget, UnitAttr:$linear_before_reset, UnitAttr:$reverse);
  let results = (outs RankedTensorOf<[F32, F64]>:$result);
  let assemblyFormat = [{
    $input `,` $recurrence `,` $state (`lengths` `(` $lengths^ `)`)? (`peephole` `(` $peephole^ `)`)?
    (`bias` `(` $bias^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = inferenceDeclaration # [{ bool mayTrapOnValues() { return getLengths() != nullptr; } }];
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHRECURRENTOPS
