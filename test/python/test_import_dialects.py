# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Functions in StableHLO (generic text), TOSA and linalg, imported and executed beside numpy."""
import numpy as np
import pytest


def run_main(relax, text, *pipelines):
    module = relax.Module.parse(text)
    for pipeline in pipelines:
        module.run(pipeline)
    return module.compile()["main"]


def first(results):
    return next(iter(results.values()))


# ---- StableHLO --------------------------------------------------------------------------------------------------

# What jax.export writes for softmax(x @ w + b): sizes are computed by tensors.
SOFTMAX = """
module @jit_f attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32} {
  "func.func"() <{function_type = (tensor<?x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>, sym_name = "main",
                  sym_visibility = "public"}> ({
  ^bb0(%x: tensor<?x4xf32>, %w: tensor<4x8xf32>, %b: tensor<8xf32>):
    %n = "stablehlo.get_dimension_size"(%x) <{dimension = 0 : i64}> : (tensor<?x4xf32>) -> tensor<i32>
    %r = "func.call"(%n, %x, %w, %b) <{callee = @inner}> : (tensor<i32>, tensor<?x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    "func.return"(%r) : (tensor<?x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<?x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>,
                  sym_name = "inner", sym_visibility = "private"}> ({
  ^bb0(%n: tensor<i32>, %x: tensor<?x4xf32>, %w: tensor<4x8xf32>, %b: tensor<8xf32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %ok = "stablehlo.compare"(%n, %one) <{comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.custom_call"(%ok, %n) <{call_target_name = "shape_assertion", has_side_effect = true, api_version = 1 : i32, backend_config = ""}> {error_message = "n is {0}"} : (tensor<i1>, tensor<i32>) -> ()
    %dot = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
    %n1 = "stablehlo.reshape"(%n) : (tensor<i32>) -> tensor<1xi32>
    %c8 = "stablehlo.constant"() <{value = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
    %shape = "stablehlo.concatenate"(%n1, %c8) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %bb = "stablehlo.dynamic_broadcast_in_dim"(%b, %shape) <{broadcast_dimensions = array<i64: 1>}> : (tensor<8xf32>, tensor<2xi32>) -> tensor<?x8xf32>
    %sum = "stablehlo.add"(%dot, %bb) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %low = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %max = "stablehlo.reduce"(%sum, %low) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %c: tensor<f32>):
      %m = "stablehlo.maximum"(%a, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%m) : (tensor<f32>) -> ()
    }) : (tensor<?x8xf32>, tensor<f32>) -> tensor<?xf32>
    %maxb = "stablehlo.dynamic_broadcast_in_dim"(%max, %shape) <{broadcast_dimensions = array<i64: 0>}> : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x8xf32>
    %d = "stablehlo.subtract"(%sum, %maxb) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %e = "stablehlo.exponential"(%d) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %t = "stablehlo.reduce"(%e, %zero) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %c: tensor<f32>):
      %m = "stablehlo.add"(%a, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%m) : (tensor<f32>) -> ()
    }) : (tensor<?x8xf32>, tensor<f32>) -> tensor<?xf32>
    %tb = "stablehlo.dynamic_broadcast_in_dim"(%t, %shape) <{broadcast_dimensions = array<i64: 0>}> : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x8xf32>
    %r = "stablehlo.divide"(%e, %tb) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    "func.return"(%r) : (tensor<?x8xf32>) -> ()
  }) : () -> ()
}
"""


def test_stablehlo_softmax(relax):
    function = run_main(relax, SOFTMAX)
    numbers = np.random.default_rng(0)
    for n in (1, 2, 7, 257, 3):
        x, w, b = (numbers.standard_normal(s, np.float32) for s in ((n, 4), (4, 8), 8))
        e = np.exp(x @ w + b - (x @ w + b).max(-1, keepdims=True))
        np.testing.assert_allclose(first(function(x, w, b)), e / e.sum(-1, keepdims=True), rtol=2e-5)
    # The exporter's assertion is checked at entry.
    with pytest.raises(relax.RelaxError, match="d0 >= 1"):
        function(np.zeros((0, 4), np.float32), np.zeros((4, 8), np.float32), np.zeros(8, np.float32))


def wrap(arguments, result, body):
    """A function main in generic form: `arguments` are types of %a, %b, .."""
    names = "abcdefg"
    heads = ", ".join(f"%{name}: {kind}" for name, kind in zip(names, arguments))
    return f"""
"func.func"() <{{function_type = ({', '.join(arguments)}) -> {result}, sym_name = "main"}}> ({{
^bb0({heads}):
{body}
  "func.return"(%r) : ({result}) -> ()
}}) : () -> ()
"""


def combine(name, kind="f32"):
    return (f"({{\n^bb0(%p: tensor<{kind}>, %q: tensor<{kind}>):\n  %s = \"stablehlo.{name}\"(%p, %q) : (tensor<{kind}>, "
            f"tensor<{kind}>) -> tensor<{kind}>\n  \"stablehlo.return\"(%s) : (tensor<{kind}>) -> ()\n}})")


ARGMAX = """
  %z = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
  %zi = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %n = "stablehlo.get_dimension_size"(%a) <{dimension = 0 : i64}> : (tensor<?x5xf32>) -> tensor<i32>
  %n1 = "stablehlo.reshape"(%n) : (tensor<i32>) -> tensor<1xi32>
  %five = "stablehlo.constant"() <{value = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
  %shape = "stablehlo.concatenate"(%n1, %five) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %i = "stablehlo.dynamic_iota"(%shape) <{iota_dimension = 1 : i64}> : (tensor<2xi32>) -> tensor<?x5xi32>
  %m, %r = "stablehlo.reduce"(%a, %i, %z, %zi) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %xi: tensor<i32>, %y: tensor<f32>, %yi: tensor<i32>):
    %gt = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %take = "stablehlo.or"(%gt, %nan) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %eq = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %lt = "stablehlo.compare"(%xi, %yi) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %tie = "stablehlo.and"(%eq, %lt) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %takei = "stablehlo.or"(%take, %tie) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %v = "stablehlo.select"(%take, %x, %y) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %vi = "stablehlo.select"(%takei, %xi, %yi) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%v, %vi) : (tensor<f32>, tensor<i32>) -> ()
  }) : (tensor<?x5xf32>, tensor<?x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)"""

SORT = """
  %r = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<?xf32>) -> tensor<?xf32>"""

WHILE = """
  %i = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %k, %r = "stablehlo.while"(%i, %a) ({
  ^bb0(%x: tensor<i32>, %y: tensor<?xf32>):
    %three = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%x, %three) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<i32>, %y: tensor<?xf32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %next = "stablehlo.add"(%x, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %two = "stablehlo.add"(%y, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    "stablehlo.return"(%next, %two) : (tensor<i32>, tensor<?xf32>) -> ()
  }) : (tensor<i32>, tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>)"""

IF = """
  %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %c = "stablehlo.compare"(%b, %z) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r = "stablehlo.if"(%c) ({
    %x = "stablehlo.negate"(%a) : (tensor<?xf32>) -> tensor<?xf32>
    "stablehlo.return"(%x) : (tensor<?xf32>) -> ()
  }, {
    "stablehlo.return"(%a) : (tensor<?xf32>) -> ()
  }) : (tensor<i1>) -> tensor<?xf32>"""

TAKE = """
  %n = "stablehlo.constant"() <{value = dense<[1, 4]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<?x4xf32>, tensor<?x1xi32>) -> tensor<?x4xf32>"""

WINDOW_GATHER = """
  %r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 3, 2>}> : (tensor<3x?xf32>, tensor<?xi64>) -> tensor<3x?x2xf32>"""

SCATTER = """
  %r = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> """ + combine("add") + """ : (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x4xf32>) -> tensor<?x4xf32>"""

UPDATE = """
  %z = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r = "stablehlo.dynamic_update_slice"(%a, %b, %c, %z) : (tensor<?x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<?x4xf32>"""

SLICE = """
  %z = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %r = "stablehlo.dynamic_slice"(%a, %b, %z) <{slice_sizes = array<i64: 2, 3>}> : (tensor<?x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>"""

PAD = """
  %v = "stablehlo.constant"() <{value = dense<7.0> : tensor<f32>}> : () -> tensor<f32>
  %r = "stablehlo.pad"(%a, %v) <{edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 2, 0>, interior_padding = array<i64: 1, 0>}> : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x3xf32>"""

CONV = """
  %r = "stablehlo.convolution"(%a, %b) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 1>, window_strides = array<i64: 1, 2>}> : (tensor<?x?x6x2xf32>, tensor<3x3x2x5xf32>) -> tensor<?x?x3x5xf32>"""

POOL = """
  %v = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
  %r = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<0> : tensor<4x2xi64>}> """ + combine("maximum") + """ : (tensor<?x?x4x3xf32>, tensor<f32>) -> tensor<?x?x2x3xf32>"""

EINSUM = """
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2]>}> : (tensor<?x3x5xf32>, tensor<2x?x5xf32>) -> tensor<?x3x2xf32>"""


def convolve(x, k):
    x = np.pad(x, ((0, 0), (1, 1), (0, 1), (0, 0)))
    rows, columns = x.shape[1] - 2, (x.shape[2] - 3) // 2 + 1
    result = np.zeros((x.shape[0], rows, columns, k.shape[3]))
    for i in range(rows):
        for j in range(columns):
            result[:, i, j] = np.einsum("bijf,ijfo->bo", x[:, i:i + 3, 2 * j:2 * j + 3].astype(np.float64), k)
    return result


def pad(x):
    spread = np.full((max(2 * len(x) - 1, 0), 4), 7, np.float32)
    spread[::2] = x
    return np.pad(spread, ((1, 2), (0, 0)), constant_values=7)[:, 1:]


def scatter(x, i, u):
    x = x.copy()
    for index, row in zip(i[:, 0], u):
        if 0 <= index < len(x):
            x[index] += row
    return x


def update(x, u, i):
    x, i = x.copy(), min(max(int(i), 0), len(x) - 2)
    x[i:i + 2] = u
    return x


SHAPES = """
  %s = "shape.shape_of"(%a) : (tensor<?x?xf32>) -> tensor<2xindex>
  %t = "shape.shape_of"(%b) : (tensor<?xf32>) -> tensor<1xindex>
  %ok = "shape.cstr_broadcastable"(%s, %t) : (tensor<2xindex>, tensor<1xindex>) -> !shape.witness
  %x = "shape.assuming"(%ok) ({
    %u = "shape.broadcast"(%s, %t) : (tensor<2xindex>, tensor<1xindex>) -> tensor<2xindex>
    %c = "stablehlo.dynamic_broadcast_in_dim"(%a, %u) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    %d = "stablehlo.dynamic_broadcast_in_dim"(%b, %u) <{broadcast_dimensions = array<i64: 1>}> : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    %e = "stablehlo.subtract"(%c, %d) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    "shape.assuming_yield"(%e) : (tensor<?x?xf32>) -> ()
  }) : (!shape.witness) -> tensor<?x?xf32>
  %y = "stablehlo.exponential"(%x) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %one = "stablehlo.constant"() <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
  %i = arith.constant 0 : index
  %j = arith.constant 1 : index
  %n = tensor.dim %y, %i : tensor<?x?xf32>
  %m = tensor.dim %y, %j : tensor<?x?xf32>
  %v = tensor.from_elements %n, %m : tensor<2xindex>
  %w = "stablehlo.dynamic_broadcast_in_dim"(%one, %v) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xindex>) -> tensor<?x?xf32>
  %r = "stablehlo.add"(%y, %w) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>"""

CASES = {
    "argmax": (("tensor<?x5xf32>",), "tensor<?xi32>", ARGMAX, lambda n, f, i: (f(n, 5).round(),),
               lambda x: x.argmax(-1).astype(np.int32), (0, 1, 7)),
    "sort": (("tensor<?xf32>",), "tensor<?xf32>", SORT, lambda n, f, i: (f(n),), np.sort, (0, 1, 33)),
    "while": (("tensor<?xf32>",), "tensor<?xf32>", WHILE, lambda n, f, i: (f(n),), lambda x: 8 * x, (0, 1, 33)),
    "if": (("tensor<?xf32>", "tensor<f32>"), "tensor<?xf32>", IF, lambda n, f, i: (f(n), np.float32(n - 2)),
           lambda x, b: -x if b > 0 else x, (0, 1, 5)),
    # Indices outside are moved inside.
    "take": (("tensor<?x4xf32>", "tensor<?x1xi32>"), "tensor<?x4xf32>", TAKE,
             lambda n, f, i: (f(n, 4), np.array([[0], [n + 3], [-2]], np.int32)),
             lambda x, i: x[np.clip(i[:, 0], 0, len(x) - 1)], (1, 2, 17)),
    "window gather": (("tensor<3x?xf32>", "tensor<?xi64>"), "tensor<3x?x2xf32>", WINDOW_GATHER,
                      lambda n, f, i: (f(3, n), np.array([0, 1, n, -1], np.int64)),
                      lambda x, i: np.stack([x[:, k:k + 2] for k in np.clip(i, 0, x.shape[1] - 2)], 1), (2, 3, 9)),
    # Updates outside are left out.
    "scatter": (("tensor<?x4xf32>", "tensor<?x1xi32>", "tensor<?x4xf32>"), "tensor<?x4xf32>", SCATTER,
                lambda n, f, i: (f(n, 4), np.array([[0], [n], [-1], [0]], np.int32), f(4, 4)), scatter, (0, 1, 9)),
    "update": (("tensor<?x4xf32>", "tensor<2x4xf32>", "tensor<i32>"), "tensor<?x4xf32>", UPDATE,
               lambda n, f, i: (f(n, 4), f(2, 4), np.int32(n - 1)), update, (2, 3, 9)),
    "slice": (("tensor<?x4xf32>", "tensor<i32>"), "tensor<2x3xf32>", SLICE,
              lambda n, f, i: (f(n, 4), np.int32(1)),
              lambda x, i: x[min(1, len(x) - 2):][:2, 1:], (2, 3, 9)),
    "pad": (("tensor<?x4xf32>",), "tensor<?x3xf32>", PAD, lambda n, f, i: (f(n, 4),), pad, (0, 1, 2, 7)),
    "convolution": (("tensor<?x?x6x2xf32>", "tensor<3x3x2x5xf32>"), "tensor<?x?x3x5xf32>", CONV,
                    lambda n, f, i: (f(2, n, 6, 2), f(3, 3, 2, 5)), convolve, (1, 2, 11)),
    "max pool": (("tensor<?x?x4x3xf32>",), "tensor<?x?x2x3xf32>", POOL, lambda n, f, i: (f(n, 2 * n + 1, 4, 3),),
                 lambda x: x[:, :x.shape[1] // 2 * 2].reshape(len(x), -1, 2, 2, 2, 3).max((2, 4)), (1, 2, 5)),
    "einsum": (("tensor<?x3x5xf32>", "tensor<2x?x5xf32>"), "tensor<?x3x2xf32>", EINSUM,
               lambda n, f, i: (f(n, 3, 5), f(2, n, 5)), lambda a, b: np.einsum("bik,jbk->bij", a, b), (0, 1, 13)),
    "named einsum": (("tensor<?x3x5xf32>", "tensor<2x?x5xf32>"), "tensor<?x3x2xf32>", """
  %r = "stablehlo.einsum"(%a, %b) <{einsum_config = "bik,jbk->bij"}> : (tensor<?x3x5xf32>, tensor<2x?x5xf32>) -> tensor<?x3x2xf32>""",
                     lambda n, f, i: (f(n, 3, 5), f(2, n, 5)), lambda a, b: np.einsum("bik,jbk->bij", a, b), (0, 1, 13)),
    # Shapes as TensorFlow computes them: by the dialect shape, which need not be there, and by indices.
    "shapes": (("tensor<?x?xf32>", "tensor<?xf32>"), "tensor<?x?xf32>", SHAPES, lambda n, f, i: (f(n + 1, n), f(n)),
               lambda a, b: np.exp(a - b) + 1, (0, 1, 7, 65)),
    "numbers of elements": (("tensor<?x3xf32>",), "tensor<?xf32>", """
  %s = "shape.shape_of"(%a) : (tensor<?x3xf32>) -> tensor<2xindex>
  %i = arith.constant 0 : index
  %j = arith.constant 1 : index
  %k = "shape.get_extent"(%s, %i) : (tensor<2xindex>, index) -> index
  %l = "shape.get_extent"(%s, %j) : (tensor<2xindex>, index) -> index
  %m = arith.muli %k, %l : index
  %u = "shape.from_extents"(%m) : (index) -> !shape.shape
  %f = "stablehlo.dynamic_reshape"(%a, %u) : (tensor<?x3xf32>, !shape.shape) -> tensor<?xf32>
  %n = "shape.num_elements"(%s) : (tensor<2xindex>) -> index
  %t = "shape.from_extents"(%n) : (index) -> !shape.shape
  %g = "stablehlo.dynamic_reshape"(%a, %t) : (tensor<?x3xf32>, !shape.shape) -> tensor<?xf32>
  %r = "stablehlo.add"(%f, %g) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>""",
                            lambda n, f, i: (f(n, 3),), lambda a: 2 * a.ravel(), (0, 1, 7, 65)),
    "parts of shapes": (("tensor<?x3xf32>", "tensor<?xf32>"), "tensor<?x1x?xf32>", """
  %one = "shape.const_shape"() <{shape = dense<1> : tensor<1xindex>}> : () -> tensor<1xindex>
  %s = "shape.shape_of"(%a) : (tensor<?x3xf32>) -> tensor<2xindex>
  %back = arith.constant -1 : index
  %t, %rest = "shape.split_at"(%s, %back) : (tensor<2xindex>, index) -> (tensor<?xindex>, tensor<?xindex>)
  %u = "shape.concat"(%t, %one) : (tensor<?xindex>, tensor<1xindex>) -> tensor<2xindex>
  %v = "shape.shape_of"(%b) : (tensor<?xf32>) -> tensor<1xindex>
  %w = "shape.concat"(%u, %v) : (tensor<2xindex>, tensor<1xindex>) -> tensor<3xindex>
  %r = "stablehlo.dynamic_broadcast_in_dim"(%b, %w) <{broadcast_dimensions = array<i64: 2>}> : (tensor<?xf32>, tensor<3xindex>) -> tensor<?x1x?xf32>""",
                        lambda n, f, i: (f(n, 3), f(2 * n)), lambda a, b: np.broadcast_to(b, (len(a), 1, len(b))), (0, 1, 7)),
}


@pytest.mark.parametrize("name", CASES)
def test_stablehlo_ops(relax, name):
    arguments, result, body, inputs, expected, sizes = CASES[name]
    function = run_main(relax, wrap(arguments, result, body))
    numbers = np.random.default_rng(0)
    for n in (*sizes, sizes[0]):
        values = inputs(n, lambda *shape: numbers.standard_normal(shape).astype(np.float32), numbers.integers)
        np.testing.assert_allclose(first(function(*values)), expected(*values), rtol=2e-5, atol=1e-5)


def test_stablehlo_equal_sizes(relax):
    """Two unknown extents that an op needs to be equal are one symbol, compared at entry."""
    function = run_main(relax, wrap(("tensor<?x4xf32>", "tensor<?x4xf32>"), "tensor<?x4xf32>",
                                    '  %r = "stablehlo.add"(%a, %b) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>'))
    assert str(function) == "main(arg0: float32[d0, 4], arg1: float32[d0, 4]) -> (result0: float32[d0, 4])"
    x = np.ones((3, 4), np.float32)
    np.testing.assert_array_equal(first(function(x, x)), 2 * x)
    with pytest.raises(relax.RelaxError):
        function(x, x[:1])


def test_stablehlo_equal_sizes_in_a_branch(relax):
    """What only one branch needs is compared there: nothing is broadcast in silence, the other branch takes any sizes."""
    body = """
  %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %c = "stablehlo.compare"(%z, %g) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r = "stablehlo.if"(%c) ({
    %x = "stablehlo.add"(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    "stablehlo.return"(%x) : (tensor<?xf32>) -> ()
  }, {
    "stablehlo.return"(%a) : (tensor<?xf32>) -> ()
  }) : (tensor<i1>) -> tensor<?xf32>"""
    text = wrap(("tensor<?xf32>", "tensor<?xf32>", "tensor<f32>"), "tensor<?xf32>", body)
    function = run_main(relax, text.replace("%c: tensor<f32>", "%g: tensor<f32>"))
    x = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(first(function(x, x, np.float32(1))), 2 * x)
    np.testing.assert_array_equal(first(function(x, x[:1], np.float32(-1))), x)
    with pytest.raises(relax.RelaxError, match="extents that an operation needs to be equal are not"):
        function(x, x[:1], np.float32(1))


@pytest.mark.parametrize("op, message", [
    ('"stablehlo.rng"(%a) : (tensor<?xf32>) -> tensor<?xf32>', "'stablehlo.rng' op is not known to the import"),
    ('"stablehlo.custom_call"(%a) <{call_target_name = "foo"}> : (tensor<?xf32>) -> tensor<?xf32>',
     "'stablehlo.custom_call' op calls 'foo', which is not known"),
    ('"stablehlo.transpose"(%a) <{permutation = array<i64: 1>}> : (tensor<?xf32>) -> tensor<?xf32>',
     "'stablehlo.transpose' op cannot be imported"),
    ('"stablehlo.dynamic_reshape"(%a, %a) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>',
     "'stablehlo.dynamic_reshape' op has a shape that is no short vector of integers"),
    ('"stablehlo.einsum"(%a, %a) <{einsum_config = "...,a->a"}> : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>',
     "'stablehlo.einsum' op has a configuration that is not supported"),
    ('"stablehlo.einsum"(%a, %a) <{einsum_config = "ab,a->a"}> : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>',
     "'stablehlo.einsum' op has a configuration for another rank than that of its operand"),
    ('"other.op"(%a) : (tensor<?xf32>) -> tensor<?xf32>', "unregistered operation 'other.op'"),
])
def test_stablehlo_refusals(relax, op, message):
    with pytest.raises(relax.RelaxError, match=message) as caught:
        relax.Module.parse(wrap(("tensor<?xf32>",), "tensor<?xf32>", f"  %r = {op}"))
    assert caught.value.diagnostics[0].line == 4


# ---- TOSA -------------------------------------------------------------------------------------------------------

TOSA = """
func.func @main(%x: tensor<?x?x6x3xf32>, %b: tensor<5xf32>) -> (tensor<?x5xf32>, tensor<?x1xi32>) {
  %k = "tosa.const"() <{values = dense<0.25> : tensor<5x3x3x3xf32>}> : () -> tensor<5x3x3x3xf32>
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %c = tosa.conv2d %x, %k, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<?x?x6x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x6x5xf32>
  %r = tosa.clamp %c {min_val = 0.0 : f32, max_val = 3.4e+38 : f32} : (tensor<?x?x6x5xf32>) -> tensor<?x?x6x5xf32>
  %p = tosa.max_pool2d %r {kernel = array<i64: 1, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 2>} : (tensor<?x?x6x5xf32>) -> tensor<?x?x3x5xf32>
  %s1 = tosa.reduce_sum %p {axis = 1 : i32} : (tensor<?x?x3x5xf32>) -> tensor<?x1x3x5xf32>
  %s2 = tosa.reduce_sum %s1 {axis = 2 : i32} : (tensor<?x1x3x5xf32>) -> tensor<?x1x1x5xf32>
  %shape = tosa.const_shape {values = dense<[-1, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %f = tosa.reshape %s2, %shape : (tensor<?x1x1x5xf32>, !tosa.shape<2>) -> tensor<?x5xf32>
  %t = tosa.tanh %f : (tensor<?x5xf32>) -> tensor<?x5xf32>
  %m = tosa.mul %t, %f, %shift : (tensor<?x5xf32>, tensor<?x5xf32>, tensor<1xi8>) -> tensor<?x5xf32>
  %a = tosa.argmax %m {axis = 1 : i32} : (tensor<?x5xf32>) -> tensor<?xi32>
  %column = tosa.const_shape {values = dense<[-1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %i = tosa.reshape %a, %column : (tensor<?xi32>, !tosa.shape<2>) -> tensor<?x1xi32>
  return %m, %i : tensor<?x5xf32>, tensor<?x1xi32>
}
"""


def test_tosa(relax):
    function, numbers = run_main(relax, TOSA, "relax-import-tosa"), np.random.default_rng(0)
    for n, h in ((0, 3), (1, 1), (2, 5), (3, 17), (1, 2)):
        x, b = numbers.standard_normal((n, h, 6, 3)).astype(np.float32), numbers.standard_normal(5).astype(np.float32)
        image = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1), (0, 0)))
        c = sum(image[:, i:i + h, j:j + 6].sum(-1) for i in range(3) for j in range(3))[..., None] * 0.25 + b
        c = np.maximum(c, 0).reshape(n, h, 3, 2, 5).max(3).sum((1, 2))
        result = function(x, b)
        np.testing.assert_allclose(result["result0"], c * np.tanh(c), rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(result["result1"][:, 0], result["result0"].argmax(-1))


# Integers of quantized models: multiplier and shift for each channel, zero points, two ways to round.
TOSA_RESCALE = """
func.func @main(%x: tensor<?x3xi32>, %m: tensor<3xi32>, %s: tensor<3xi8>) -> (tensor<?x3xi8>, tensor<?x3xi8>, tensor<?x3xi32>) {
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zo = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zu = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.rescale %x, %m, %s, %zi, %zo {rounding_mode = DOUBLE_ROUND, scale32 = true, per_channel = true,
      input_unsigned = false, output_unsigned = false}
      : (tensor<?x3xi32>, tensor<3xi32>, tensor<3xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?x3xi8>
  %m1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s1 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %1 = tosa.rescale %0, %m1, %s1, %zo, %zu {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false,
      input_unsigned = false, output_unsigned = true}
      : (tensor<?x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<?x3xi8>
  %2 = tosa.rescale %1, %m1, %s1, %zu, %zi {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false,
      input_unsigned = true, output_unsigned = false}
      : (tensor<?x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<?x3xi32>
  return %0, %1, %2 : tensor<?x3xi8>, tensor<?x3xi8>, tensor<?x3xi32>
}
"""


def rescale(x, multiplier, shift, zero, low, high, double=False):
    """TOSA's apply_scale_32, in Python's integers."""
    rounding = 1 << (shift - 1)
    if double and shift > 31:
        rounding += 1 << 30 if x >= 0 else -(1 << 30)
    return min(max((x * multiplier + rounding >> shift) + zero, low), high)


def test_tosa_rescale(relax):
    """Halves, limits, every shift of two kinds of rounding: equal to the last bit."""
    function, numbers = run_main(relax, TOSA_RESCALE, "relax-import-tosa"), np.random.default_rng(0)
    for n in (0, 1, 7, 257, 3):
        x = numbers.integers(-2**31, 2**31 - 1, (n, 3), dtype=np.int32) >> numbers.integers(0, 30, (n, 3), dtype=np.int32)
        m = numbers.integers(2**30, 2**31 - 1, 3, dtype=np.int32)
        s = numbers.integers(30, 62, 3).astype(np.int8)
        result = function(x, m, s)
        want = np.array([[rescale(int(x[i, j]), int(m[j]), int(s[j]), -3, -128, 127, double=True) for j in range(3)]
                         for i in range(n)], np.int8).reshape(n, 3)
        np.testing.assert_array_equal(result["result0"], want)
        unsigned = np.clip(want.astype(np.int32) + 3 + 128, 0, 255)
        np.testing.assert_array_equal(result["result1"], unsigned.astype(np.uint8).view(np.int8))
        np.testing.assert_array_equal(result["result2"], unsigned - 128)


def test_tosa_products_with_zero_points(relax):
    function, numbers = run_main(relax, """
func.func @main(%x: tensor<?x?x5x2xi8>, %w: tensor<3x3x3x2xi8>, %b: tensor<3xi32>, %p: tensor<?x?x4xi8>, %q: tensor<?x4x?xi8>)
    -> (tensor<?x?x5x3xi32>, tensor<?x?x?xi32>) {
  %zx = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zq = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %zx, %zw {acc_type = i32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}
      : (tensor<?x?x5x2xi8>, tensor<3x3x3x2xi8>, tensor<3xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<?x?x5x3xi32>
  %1 = tosa.matmul %p, %q, %zx, %zq : (tensor<?x?x4xi8>, tensor<?x4x?xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<?x?x?xi32>
  return %0, %1 : tensor<?x?x5x3xi32>, tensor<?x?x?xi32>
}""", "relax-import-tosa"), np.random.default_rng(0)
    for n, h, m, k in ((1, 1, 1, 1), (0, 4, 0, 3), (2, 7, 5, 6), (1, 17, 33, 2), (1, 2, 1, 0)):
        x, w, p, q = (numbers.integers(-128, 128, shape).astype(np.int8)
                      for shape in ((n, h, 5, 2), (3, 3, 3, 2), (n, m, 4), (n, 4, k)))
        b = numbers.integers(-1000, 1000, 3).astype(np.int32)
        result = function(x, w, b, p, q)
        image = np.pad(x.astype(np.int64) + 7, ((0, 0), (1, 1), (1, 1), (0, 0)))
        want = sum(image[:, i:i + h, j:j + 5] @ w[:, i, j].astype(np.int64).T for i in range(3) for j in range(3)) + b
        np.testing.assert_array_equal(result["result0"], want)
        np.testing.assert_array_equal(result["result1"], (p.astype(np.int64) + 7) @ (q.astype(np.int64) - 5))


def test_tosa_table(relax):
    function = run_main(relax, """
func.func @main(%x: tensor<?xi8>, %t: tensor<256xi8>, %y: tensor<?xi16>, %u: tensor<513xi16>) -> (tensor<?xi8>, tensor<?xi32>) {
  %0 = tosa.table %x, %t : (tensor<?xi8>, tensor<256xi8>) -> tensor<?xi8>
  %1 = tosa.table %y, %u : (tensor<?xi16>, tensor<513xi16>) -> tensor<?xi32>
  return %0, %1 : tensor<?xi8>, tensor<?xi32>
}""", "relax-import-tosa")
    numbers = np.random.default_rng(0)
    t, u = numbers.integers(-128, 128, 256).astype(np.int8), numbers.integers(-2**15, 2**15, 513).astype(np.int16)
    for x, y in ((np.arange(-128, 128), np.arange(-2**15, 2**15)), (np.zeros(0), np.zeros(0)), (np.ones(1), np.full(1, -2**15))):
        result = function(x.astype(np.int8), t, y.astype(np.int16), u)
        y, wide = y.astype(np.int64), u.astype(np.int64)
        index, fraction = (y + 2**15) >> 7, y & 127
        np.testing.assert_array_equal(result["result0"], t[x.astype(np.int64) + 128])
        np.testing.assert_array_equal(result["result1"], (wide[index] << 7) + (wide[index + 1] - wide[index]) * fraction)


def resize(x, scale, offset, border, linear):
    """TOSA's formula for one axis after the other; x is (height, width), in float64 or integers."""
    for axis in (0, 1):
        n, d, extent = scale[2 * axis], scale[2 * axis + 1], x.shape[axis]
        place = np.arange(((extent - 1) * n - offset[axis] + border[axis]) // d + 1) * d + offset[axis]
        low, rest = place // n, place % n
        first, second = np.clip(low, 0, extent - 1), np.clip(low + 1, 0, extent - 1)
        rest = rest.reshape(-1, 1) if axis == 0 else rest
        if not linear:
            x = x.take(np.where(2 * rest.ravel() >= n, second, first), axis)
        else:
            x = x.take(first, axis) * (n - rest) + x.take(second, axis) * rest
            x = x / n if x.dtype == np.float64 else x
    return x


@pytest.mark.parametrize("scale, offset, border", [((4, 2, 6, 4), (-1, 0), (1, 2)), ((2, 1, 2, 1), (0, 0), (0, 0)),
                                                   ((1, 2, 3, 5), (0, -2), (0, 1)), ((16, 1, 1, 1), (-16, 0), (0, 0))])
@pytest.mark.parametrize("dtype, mode", [("f32", "BILINEAR"), ("f32", "NEAREST_NEIGHBOR"), ("i8", "BILINEAR"), ("i8", "NEAREST_NEIGHBOR")])
def test_tosa_resize(relax, scale, offset, border, dtype, mode):
    out = "i32" if (dtype, mode) == ("i8", "BILINEAR") else dtype
    function, numbers = run_main(relax, f"""
func.func @main(%x: tensor<?x?x?x2x{dtype}>) -> tensor<?x?x?x2x{out}> {{
  %scale = tosa.const_shape {{values = dense<[{', '.join(map(str, scale))}]> : tensor<4xindex>}} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {{values = dense<[{offset[0]}, {offset[1]}]> : tensor<2xindex>}} : () -> !tosa.shape<2>
  %border = tosa.const_shape {{values = dense<[{border[0]}, {border[1]}]> : tensor<2xindex>}} : () -> !tosa.shape<2>
  %0 = tosa.resize %x, %scale, %offset, %border {{mode = {mode}}}
      : (tensor<?x?x?x2x{dtype}>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x2x{out}>
  return %0 : tensor<?x?x?x2x{out}>
}}""", "relax-import-tosa"), np.random.default_rng(0)
    for n, h, w in ((1, 1, 1), (0, 2, 2), (2, 5, 7), (1, 31, 4), (1, 1, 2)):
        x = numbers.standard_normal((n, h, w, 2)) if dtype == "f32" else numbers.integers(-128, 128, (n, h, w, 2))
        x = x.astype({"f32": np.float32, "i8": np.int8}[dtype])
        wide = x.astype(np.float64 if dtype == "f32" else np.int64)
        result = first(function(x))
        for i in range(n):
            for c in range(2):
                want = resize(wide[i, :, :, c], scale, offset, border, mode == "BILINEAR")
                np.testing.assert_allclose(result[i, :, :, c], want, rtol=1e-5 if dtype == "f32" else 0, atol=1e-6 if dtype == "f32" else 0)
    with pytest.raises(relax.RelaxError) as caught:
        function(np.zeros((1, 0, 2, 2), {"f32": np.float32, "i8": np.int8}[dtype]))
    assert caught.value.status in ("shape mismatch", "guard failed")


TOSA_CONTROL = """
func.func @main(%x: tensor<?xf32>, %n: tensor<i32>, %c: tensor<i1>) -> (tensor<i32>, tensor<?xf32>) {
  %0 = "tosa.cond_if"(%c, %x) ({
  ^bb0(%a: tensor<?xf32>):
    %1 = tosa.add %a, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    tosa.yield %1 : tensor<?xf32>
  }, {
  ^bb0(%a: tensor<?xf32>):
    tosa.yield %a : tensor<?xf32>
  }) : (tensor<i1>, tensor<?xf32>) -> tensor<?xf32>
  %i:2 = "tosa.while_loop"(%n, %0) ({
  ^bb0(%a: tensor<i32>, %b: tensor<?xf32>):
    %z = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1 = tosa.greater %a, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<?xf32>):
    %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %half = "tosa.const"() <{values = dense<0.5> : tensor<1xf32>}> : () -> tensor<1xf32>
    %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = tosa.sub %a, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = tosa.mul %b, %half, %s : (tensor<?xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<?xf32>
    tosa.yield %1, %2 : tensor<i32>, tensor<?xf32>
  }) : (tensor<i32>, tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>)
  return %i#0, %i#1 : tensor<i32>, tensor<?xf32>
}
"""


def test_tosa_control_flow(relax):
    function = run_main(relax, TOSA_CONTROL, "relax-import-tosa")
    for n, count, condition in ((0, 2, True), (1, 0, False), (5, 3, True), (101, 7, False), (2, 1, True)):
        x = np.arange(n, dtype=np.float32)
        result = function(x, np.int32(count), np.bool_(condition))
        assert result["result0"] == 0
        np.testing.assert_array_equal(result["result1"], x * (2 if condition else 1) * 0.5**count)


def test_tosa_integers(relax):
    """Rounded shifts and products, and leading zeros."""
    function = run_main(relax, """
func.func @main(%x: tensor<?xi32>, %s: tensor<?xi32>, %p: tensor<1xi8>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %0 = tosa.arithmetic_right_shift %x, %s {round = true} : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %1 = tosa.mul %x, %s, %p : (tensor<?xi32>, tensor<?xi32>, tensor<1xi8>) -> tensor<?xi32>
  %2 = tosa.clz %x : (tensor<?xi32>) -> tensor<?xi32>
  return %0, %1, %2 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}""", "relax-import-tosa")
    numbers = np.random.default_rng(0)
    for n, p in ((0, 3), (1, 0), (200, 5), (3, 31)):
        x = numbers.integers(-2**31, 2**31, n).astype(np.int32) >> numbers.integers(0, 32, n).astype(np.int32)
        x[:1] = 0
        s = numbers.integers(0, 32, n).astype(np.int32)
        result, pairs = function(x, s, np.array([p], np.int8)), list(zip(x.tolist(), s.tolist()))
        assert result["result0"].tolist() == [(a >> b) + ((a >> (b - 1)) & 1 if b else 0) for a, b in pairs]
        products = [(a * b + ((1 << p) >> 1)) >> p for a, b in pairs]
        assert result["result1"].tolist() == np.array(products, np.int64).astype(np.int32).tolist()
        assert result["result2"].tolist() == [32 - (a % 2**32).bit_length() for a in x.tolist()]


TOSA_NUMBERS = """
%c = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
%z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
%d = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
%e = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
%j = tosa.cast %i : (tensor<?x1xi32>) -> tensor<?x1xi16>
"""


@pytest.mark.parametrize("op, message", [
    ("tosa.scatter %x, %i, %x : (tensor<?x1x2xf32>, tensor<?x1xi32>, tensor<?x1x2xf32>) -> tensor<?x1x2xf32>",
     "'tosa.scatter' op is not known to the import"),
    ("tosa.rescale %i, %c, %d, %z, %e {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, "
     "output_unsigned = false} : (tensor<?x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi48>) -> tensor<?x1xi48>",
     "'tosa.rescale' op has elements of more than 32 bits, which is not supported"),
    ("tosa.mul %j, %j, %d : (tensor<?x1xi16>, tensor<?x1xi16>, tensor<1xi8>) -> tensor<?x1xi16>",
     "'tosa.mul' op shifts a product that is not of 32 bits"),
])
def test_tosa_refusals(relax, op, message):
    text = f"func.func @main(%x: tensor<?x1x2xf32>, %i: tensor<?x1xi32>) -> tensor<?x1x2xf32> {{{TOSA_NUMBERS}%0 = {op}\nreturn %x : tensor<?x1x2xf32>\n}}"
    with pytest.raises(relax.RelaxError, match=message):
        relax.Module.parse(text).run("relax-import-tosa")


# ---- linalg -----------------------------------------------------------------------------------------------------

LINALG = """
#rows = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x8xf32>, %b: tensor<8xf32>) -> (tensor<?xf32>, tensor<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x8xf32>) outs(%z : tensor<?x8xf32>) -> tensor<?x8xf32>
  %t = linalg.broadcast ins(%b : tensor<8xf32>) outs(%e : tensor<?x8xf32>) dimensions = [0]
  %s = arith.addf %p, %t : tensor<?x8xf32>
  %r = math.tanh %s : tensor<?x8xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%r : tensor<?x8xf32>) outs(%z1 : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %m = arith.mulf %a, %a : f32
    %o = arith.addf %acc, %m : f32
    linalg.yield %o : f32
  } -> tensor<?xf32>
  %c2 = arith.constant 2 : index
  %half = arith.ceildivsi %n, %c2 : index
  %first = tensor.extract_slice %r[0, 0] [%half, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  %pad = tensor.pad %first low[0, 4] high[1, 4] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x8xf32> to tensor<?x16xf32>
  return %sum, %pad : tensor<?xf32>, tensor<?x16xf32>
}
"""


def test_linalg(relax):
    function, numbers = run_main(relax, LINALG, "relax-import-linalg"), np.random.default_rng(0)
    for n, k in ((0, 3), (1, 1), (2, 0), (7, 5), (33, 65), (1, 2)):
        x, w, b = (numbers.standard_normal(s).astype(np.float32) for s in ((n, k), (k, 8), 8))
        r, result = np.tanh(x.astype(np.float64) @ w + b), function(x, w, b)
        np.testing.assert_allclose(result["result0"], (r * r).sum(-1), rtol=2e-5)
        np.testing.assert_allclose(result["result1"], np.pad(r[:(n + 1) // 2], ((0, 1), (4, 4))), atol=2e-6)
    with pytest.raises(relax.RelaxError):
        function(np.zeros((2, 3), np.float32), np.zeros((2, 8), np.float32), np.zeros(8, np.float32))


def test_linalg_convolution(relax):
    """Places that are no loop's own index stay inside: that is compared at entry."""
    function = run_main(relax, """
func.func @main(%x: tensor<?xf32>, %k: tensor<?xf32>, %like: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %like, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.conv_1d ins(%x, %k : tensor<?xf32>, tensor<?xf32>) outs(%z : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}""", "relax-import-linalg")
    for n, k in ((5, 2), (33, 7), (1, 1)):
        x, kernel = np.random.default_rng(n).standard_normal((2, n)).astype(np.float32)[:, :]
        kernel = kernel[:k]
        np.testing.assert_allclose(first(function(x, kernel, x[:n - k + 1])), np.correlate(x, kernel, "valid"), rtol=1e-4, atol=1e-5)
    with pytest.raises(relax.RelaxError):
        function(x, x, np.zeros(2, np.float32))


def test_linalg_insert_slice(relax):
    """Rows at a computed place, and one column, in the place of others."""
    function = run_main(relax, """
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %c: tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %m = tensor.dim %y, %c0 : tensor<?x4xf32>
  %start = arith.subi %n, %m : index
  %0 = tensor.insert_slice %y into %x[%start, 0] [%m, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  %1 = tensor.insert_slice %c into %x[0, 2] [%n, 1] [1, 1] : tensor<?xf32> into tensor<?x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
}""", "relax-import-linalg")
    numbers = np.random.default_rng(0)
    for n, m in ((0, 0), (1, 0), (1, 1), (7, 3), (101, 50), (2, 1)):
        x, y, c = (numbers.standard_normal(shape).astype(np.float32) for shape in ((n, 4), (m, 4), n))
        result, rows, column = function(x, y, c), x.copy(), x.copy()
        rows[n - m:], column[:, 2] = y, c
        np.testing.assert_array_equal(result["result0"], rows)
        np.testing.assert_array_equal(result["result1"], column)
    for shapes in (((3, 4), (4, 4), 3), ((3, 4), (2, 4), 2)):
        with pytest.raises(relax.RelaxError):
            function(*(np.zeros(shape, np.float32) for shape in shapes))
    with pytest.raises(relax.RelaxError, match="'tensor.insert_slice' op has a stride that is not 1, which is not supported"):
        relax.Module.parse("""
func.func @main(%x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<8xf32> {
  %0 = tensor.insert_slice %y into %x[0] [4] [2] : tensor<4xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}""").run("relax-import-linalg")


def test_linalg_refusals(relax):
    text = """func.func @main(%x: tensor<?xf32>, %i: tensor<index>) -> tensor<?xf32> {
  %0 = tensor.extract %i[] : tensor<index>
  %1 = tensor.empty(%0) : tensor<?xf32>
  %2 = linalg.exp ins(%x : tensor<?xf32>) outs(%1 : tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}"""
    with pytest.raises(relax.RelaxError, match="'tensor.extract' op is not known to the import"):
        relax.Module.parse(text).run("relax-import-linalg")
