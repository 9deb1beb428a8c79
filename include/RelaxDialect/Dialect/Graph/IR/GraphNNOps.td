//===- GraphNNOps.td - Softmax, norms, activations --------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHNNOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHNNOPS

include "RelaxDialect/Dialect/Graph/IR/GraphCompositeBase.td"

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

class Relax_SoftmaxBase<string mnemonic, string meaning, string formula> : Relax_TotalCompositeOp<mnemonic> {
  let summary = meaning # " along an axis.";
  let description = "`" # formula # [{`, where max and sum run over the axis. f16 is computed in f32.
    A row with infinity, or of minus infinity alone, gives NaN.

    Example: `%r = relax.}] # mnemonic # [{ %x {axis = 1 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_FloatTensor:$operand, I64Attr:$axis);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = inferenceDefinition # [{
    ::llvm::FailureOr<::mlir::RankedTensorType> $cppClass::inferType(
        ::mlir::relax::graph::TypeInference &inference, Adaptor adaptor) {
      auto type = ::mlir::cast<::mlir::RankedTensorType>(adaptor.getOperand().getType());
      if (::mlir::failed(inference.requireAxis("axis", adaptor.getAxis(), type.getRank())))
        return ::mlir::failure();
      return type;
    }
  }];
}

def Relax_SoftmaxOp : Relax_SoftmaxBase<"softmax", "Softmax", "e / sum(e) with e = exp(x - max(x))">;
def Relax_LogSoftmaxOp : Relax_SoftmaxBase<"log_softmax", "Logarithm of softmax",
                                           "d - log(sum(exp(d))) with d = x - max(x)">;

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

def Relax_LayerNormOp : Relax_CompositeOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "Normalization over axes.";
  let description = [{
    `(x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) * scale + bias`, where the means are taken over `axes`. Scale
    and bias have the extents of those axes, in the order of `axes`, which rise. f16 is computed in f32.

    Example: `%r = relax.layer_norm %x scale(%g) bias(%b) {axes = array<i64: 1>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_FloatTensor:$operand, Optional<Relax_FloatTensor>:$scale, Optional<Relax_FloatTensor>:$bias,
                       DenseI64ArrayAttr:$axes, Relax_DoubleAttr<"1e-5">:$epsilon);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = [{
    $operand (`scale` `(` $scale^ `)`)? (`bias` `(` $bias^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

def Relax_RMSNormOp : Relax_CompositeOp<"rms_norm"> {
  let summary = "Division by the root of the mean square over axes.";
  let description = [{
    `x / sqrt(mean(x^2) + epsilon) * scale`, where the mean is taken over `axes`. The scale has the extents of those axes, in
    the order of `axes`, which rise. f16 is computed in f32.

    Example: `%r = relax.rms_norm %x scale(%g) {axes = array<i64: 1>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<4xf32>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_FloatTensor:$operand, Optional<Relax_FloatTensor>:$scale, DenseI64ArrayAttr:$axes,
                       Relax_DoubleAttr<"1e-5">:$epsilon);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = "$operand (`scale` `(` $scale^ `)`)? attr-dict `:` functional-type(operands, results)";
}

def Relax_BatchNormOp : Relax_CompositeOp<"batch_norm"> {
  let summary = "Batch normalization with given statistics.";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale + bias`; the four vectors have one element per index of `axis`.
    f16 is computed in f32.

    Example: `%r = relax.batch_norm %x, %scale, %bias, %mean, %variance {axis = 1 : i64} : (tensor<?x2x8xf32, #relax_sym.shape<[n, 2, 8]>>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2x8xf32, #relax_sym.shape<[n, 2, 8]>>`
  }];
  let arguments = (ins Relax_FloatTensor:$operand, Relax_FloatTensor:$scale, Relax_FloatTensor:$bias,
                       Relax_FloatTensor:$mean, Relax_FloatTensor:$variance, I64Attr:$axis,
                       Relax_DoubleAttr<"1e-5">:$epsilon);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scale `,` $bias `,` $mean `,` $variance attr-dict `:` functional-type(operands, results)
  }];
}

def Relax_GroupNormOp : Relax_CompositeOp<"group_norm", [AttrSizedOperandSegments]> {
  let summary = "Normalization of groups of channels.";
  let description = [{
    The channels, dimension 1, are cut into `groups` groups of equal size; each is normalized over its channels and the
    dimensions after them as in `layer_norm`. Scale and bias have one element per channel. f16 is computed in f32.

    Example: `%r = relax.group_norm %x {groups = 2 : i64} : (tensor<?x4x8xf32, #relax_sym.shape<[n, 4, 8]>>) -> tensor<?x4x8xf32, #relax_sym.shape<[n, 4, 8]>>`
  }];
  let arguments = (ins Relax_FloatTensor:$operand, Optional<Relax_FloatTensor>:$scale, Optional<Relax_FloatTensor>:$bias,
                       I64Attr:$groups, Relax_DoubleAttr<"1e-5">:$epsilon);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = [{
    $operand (`scale` `(` $scale^ `)`)? (`bias` `(` $bias^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

def Relax_InstanceNormOp : Relax_CompositeOp<"instance_norm", [AttrSizedOperandSegments]> {
  let summary = "Normalization of each channel of each batch element.";
  let description = [{
    `layer_norm` over all dimensions after the channels, dimension 1, but with a scale and bias per channel. f16 is computed
    in f32.

    Example: `%r = relax.instance_norm %x scale(%g) bias(%b) : (tensor<?x4x8xf32, #relax_sym.shape<[n, 4, 8]>>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4x8xf32, #relax_sym.shape<[n, 4, 8]>>`
  }];
  let arguments = (ins Relax_FloatTensor:$operand, Optional<Relax_FloatTensor>:$scale, Optional<Relax_FloatTensor>:$bias,
                       Relax_DoubleAttr<"1e-5">:$epsilon);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = [{
    $operand (`scale` `(` $scale^ `)`)? (`bias` `(` $bias^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

class Relax_ActivationOp<string mnemonic, string formula, dag attributes = (ins)> : Relax_TotalCompositeOp<mnemonic> {
  let summary = "Elementwise `" # formula # "`.";
  let description = "`" # formula # [{`. f16 is computed in f32.

    Example: `%r = relax.}] # mnemonic # [{ %x : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = !con((ins Relax_FloatTensor:$operand), attributes);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = inferenceDefinition # [{
    ::llvm::FailureOr<::mlir::RankedTensorType> $cppClass::inferType(
        ::mlir::relax::graph::TypeInference &, Adaptor adaptor) {
      return ::mlir::cast<::mlir::RankedTensorType>(adaptor.getOperand().getType());
    }
  }];
}

def Relax_GeluOp : Relax_ActivationOp<"gelu", "x / 2 * (1 + erf(x / sqrt(2)))", (ins UnitAttr:$approximate)> {
  let description = [{
    `x / 2 * (1 + erf(x / sqrt(2)))`; with `approximate` `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`. f16 is
    computed in f32.

    Example: `%r = relax.gelu %x {approximate} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
}
def Relax_SiluOp : Relax_ActivationOp<"silu", "x / (1 + exp(-alpha * x))", (ins Relax_DoubleAttr<"1.0">:$alpha)>;
def Relax_LeakyReluOp : Relax_ActivationOp<"leaky_relu", "x < 0 ? alpha * x : x", (ins Relax_DoubleAttr<"0.01">:$alpha)>;
def Relax_EluOp : Relax_ActivationOp<"elu", "x < 0 ? alpha * (exp(x) - 1) : x", (ins Relax_DoubleAttr<"1.0">:$alpha)>;
def Relax_SeluOp : Relax_ActivationOp<"selu", "gamma * (x < 0 ? alpha * (exp(x) - 1) : x)",
    (ins Relax_DoubleAttr<"1.67326319217681884765625">:$alpha, Relax_DoubleAttr<"1.05070102214813232421875">:$gamma)>;
def Relax_CeluOp : Relax_ActivationOp<"celu", "x < 0 ? alpha * (exp(x / alpha) - 1) : x",
                                      (ins Relax_DoubleAttr<"1.0">:$alpha)>;
def Relax_HardSigmoidOp : Relax_ActivationOp<"hard_sigmoid", "max(0, min(1, alpha * x + beta))",
    (ins Relax_DoubleAttr<"0.2">:$alpha, Relax_DoubleAttr<"0.5">:$beta)>;
def Relax_HardSwishOp : Relax_ActivationOp<"hard_swish", "x * max(0, min(1, x / 6 + 1 / 2))">;
def Relax_HardTanhOp : Relax_ActivationOp<"hard_tanh", "max(low, min(high, x))",
    (ins Relax_DoubleAttr<"-1.0">:$low, Relax_DoubleAttr<"1.0">:$high)>;
def Relax_SoftplusOp : Relax_ActivationOp<"softplus", "log(1 + exp(x))">;
def Relax_SoftsignOp : Relax_ActivationOp<"softsign", "x / (1 + abs(x))">;
def Relax_MishOp : Relax_ActivationOp<"mish", "x * tanh(log(1 + exp(x)))">;
def Relax_ThresholdedReluOp : Relax_ActivationOp<"thresholded_relu", "x > alpha ? x : 0",
                                                 (ins Relax_DoubleAttr<"1.0">:$alpha)>;

def Relax_PReluOp : Relax_CompositeOp<"prelu"> {
  let summary = "Elementwise `x < 0 ? slope * x : x` with a tensor of slopes.";
  let description = [{
    `x < 0 ? slope * x : x`. The slope is broadcast to the operand, whose shape is the result's. f16 is computed in f32.

    Example: `%r = relax.prelu %x, %s : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<4xf32>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_FloatTensor:$operand, Relax_FloatTensor:$slope);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = "$operand `,` $slope attr-dict `:` functional-type(operands, results)";
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHNNOPS
