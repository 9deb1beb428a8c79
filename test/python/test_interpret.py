# Licensed under the Apache License, Version 2.0. See LICENSE.
"""relax-interpret: control flow, calls, symbols, tensor programs, memory and its errors. Ops are in test_ops.py."""
import binascii

import numpy as np
import pytest

N, N4 = "tensor<?xf32, #relax_sym.shape<[n]>>", "tensor<?x4xf32, #relax_sym.shape<[n, 4]>>"


@pytest.fixture
def interpret(tool, tmp_path):
    """interpret(text, **inputs) gives the results; with `fails` the message."""

    def run(text, fails=None, function=None, **inputs):
        source = tmp_path / "in.mlir"
        source.write_text(text)
        np.savez(tmp_path / "in.npz", **inputs)
        choice = ["--function", function] if function else []
        done = tool("relax-interpret", source, *choice, "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
        if fails is not None:
            assert done.returncode == 1 and fails in done.stderr and done.stderr.count("error:") == 1, done.stderr
            return None
        assert done.returncode == 0, done.stderr
        return dict(np.load(tmp_path / "out.npz"))

    return run


def function(arguments, results, body, facts="", name="main"):
    given = ", ".join(f"%{key}: {type} {{relax.name = \"{key}\"}}" for key, type in arguments.items())
    return (f"func.func @{name}({given}) -> ({results}) attributes {{relax_sym.scope = #relax_sym.scope<{facts}>}} {{\n"
            f"{body}\n}}\n")


LOOPS = function({"x": N, "times": "!relax.shape<[k]>"}, N + ", index", """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = relax.eval_expr %times, k : !relax.shape<[k]> -> index
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> (NTYPE) {
    %b = relax.add %a, %x : (NTYPE, NTYPE) -> NTYPE
    scf.yield %b : NTYPE
  }
  %r, %steps = scf.while (%a = %sum, %s = %c0) : (NTYPE, index) -> (NTYPE, index) {
    %more = arith.cmpi slt, %s, %k : index
    scf.condition(%more) %a, %s : NTYPE, index
  } do {
  ^bb0(%a: NTYPE, %s: index):
    %next = arith.addi %s, %c1 : index
    %b = relax.negate %a : NTYPE
    scf.yield %b, %next : NTYPE, index
  }
  %is = arith.cmpi eq, %steps, %c1 : index
  %chosen = scf.if %is -> (NTYPE) {
    %e = relax.exp %r : NTYPE
    scf.yield %e : NTYPE
  } else {
    scf.yield %r : NTYPE
  }
  return %chosen, %steps : NTYPE, index""".replace("NTYPE", N))


def test_control_flow(interpret):
    for k in [0, 1, 2, 3]:
        x = np.arange(5, dtype=np.float32) / 4
        got = interpret(LOOPS, x=x, times=np.array([k]))
        want = x * (k + 1) * (-1) ** k
        np.testing.assert_allclose(got["result0"], np.exp(want) if k == 1 else want, rtol=1e-6)
        assert got["result1"] == k


def test_calls_bind_symbols(interpret):
    inner = function({"x": "tensor<?xf32, #relax_sym.shape<[m * 4]>>"}, "!relax.shape<[m]>", """
  %s = relax.shape_of %x : tensor<?xf32, #relax_sym.shape<[m * 4]>> -> !relax.shape<[m * 4]>
  %r = relax.make_shape %s : (!relax.shape<[m * 4]>) -> !relax.shape<[m]>
  return %r : !relax.shape<[m]>""", facts='"m <= 3"', name="inner")
    outer = function({"x": N}, "!relax.shape<[?]>", f"""
  %r = relax.call @inner(%x) : ({N}) -> !relax.shape<[?]>
  return %r : !relax.shape<[?]>""")
    assert interpret(inner + outer, x=np.zeros(12, np.float32))["result0"] == [3]
    interpret(inner + outer, x=np.zeros(13, np.float32), fails="argument 0: dimension 0: expected m * 4 = 12, actual 13")
    interpret(inner + outer, x=np.zeros(16, np.float32), fails="fact m <= 3 does not hold: m = 4")
    interpret(inner + outer, function="other", x=np.zeros(1), fails="no function 'other', the module has: inner, main")


CASTS = function({"x": "tensor<?xf32>", "t": "tensor<1xi64>"}, "tensor<?xf32>, tensor<?xf32>", """
  %y = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m]>>
  %s = relax.tensor_to_shape %t binds [k] : tensor<1xi64> -> !relax.shape<[k]>
  %f = relax.full %s, 2.0 : f32 : (!relax.shape<[k]>) -> tensor<?xf32, #relax_sym.shape<[k]>>
  %u = relax.unique %y binds [u] : (tensor<?xf32, #relax_sym.shape<[m]>>) -> tensor<?xf32, #relax_sym.shape<[u]>>
  %d = relax.dataflow -> (tensor<?xf32>) {
    %j = relax.concat %u, %f {axis = 0 : i64} : (tensor<?xf32, #relax_sym.shape<[u]>>, tensor<?xf32, #relax_sym.shape<[k]>>) -> tensor<?xf32, #relax_sym.shape<[k + u]>>
    %e = relax.erase_shape %j : tensor<?xf32, #relax_sym.shape<[k + u]>> to tensor<?xf32>
    relax.output %e : tensor<?xf32>
  }
  %e = relax.erase_shape %y : tensor<?xf32, #relax_sym.shape<[m]>> to tensor<?xf32>
  return %d, %e : tensor<?xf32>, tensor<?xf32>""", facts='"k <= 5", "u <= m", "m >= 1"')


def test_symbols_found_while_running(interpret):
    x = np.array([3, 1, 3, np.nan], np.float32)
    got = interpret(CASTS, x=x, t=np.array([2]))
    np.testing.assert_array_equal(got["result0"], np.array([1, 3, np.nan, 2, 2], np.float32))
    interpret(CASTS, x=x, t=np.array([-1]), fails="entry 0: expected a size >= 0, actual -1")
    interpret(CASTS, x=x, t=np.array([6]), fails="fact k <= 5 does not hold: k = 6")
    interpret(CASTS, x=x[:0], t=np.array([1]), fails="fact m >= 1 does not hold: m = 0")


PROGRAMS = """
#n_4 = #relax_sym.shape<[n, 4]>
relax_tp.func private @double(%x: tensor<?x4xf32> {relax_sym.shape = #n_4}) outs(%o: tensor<?x4xf32> {relax_sym.shape = #n_4})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  relax_tp.yield %0 : tensor<?x4xf32>
}
relax_tp.func private @reads_out(%x: tensor<?x4xf32> {relax_sym.shape = #n_4}) outs(%o: tensor<?x4xf32> {relax_sym.shape = #n_4})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?x4xf32>
}
relax_tp.func private @loops(%x: memref<?x4xf32> {relax_sym.shape = #n_4}) outs(%o: memref<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>})
    scalars(%k: index {relax_sym.expr = #relax_sym.expr<k>}) -> (index) attributes {relax_sym.scope = #relax_sym.scope<"k < 4">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i, %k] : memref<?x4xf32>
    memref.store %v, %o[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %v = affine.load %o[%i] : memref<?xf32>
    affine.store %v, %o[%i] : memref<?xf32>
  }
  relax_tp.yield %n : index
}
""" + function({"x": N4, "s": "!relax.shape<[c]>"}, f"{N4}, {N}, index, {N4}", f"""
  %0 = relax.call_tp @double(%x) : ({N4}) -> {N4}
  %1:2 = relax.call_tp @loops(%0) shape(%s) : ({N4}, !relax.shape<[c]>) -> ({N}, index)
  %2 = relax.call_tp @reads_out(%x) : ({N4}) -> {N4}
  return %0, %1#0, %1#1, %2 : {N4}, {N}, index, {N4}""")


def test_tensor_programs(interpret):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    got = interpret(PROGRAMS, x=x, s=np.array([1]))
    np.testing.assert_array_equal(got["result0"], x * 2)
    np.testing.assert_array_equal(got["result1"], x[:, 1] * 2)
    assert got["result2"] == 3
    assert np.isnan(got["result3"]).all()  # nothing is there that could be read
    assert interpret(PROGRAMS, x=x[:0], s=np.array([3]))["result0"].shape == (0, 4)
    interpret(PROGRAMS, x=x, s=np.array([4]), fails="fact k < 4 does not hold: k = 4")


def test_phases_compute_the_same(interpret, tool, tmp_path):
    """Graph, mixed, destinations and planned phase."""
    text = function({"x": N4, "w": "tensor<4x4xf32>"}, f"{N4} {{relax.name = \"y\"}}", f"""
  %0 = relax.matmul %x, %w : ({N4}, tensor<4x4xf32>) -> {N4}
  %1 = relax.relu %0 : {N4}
  %2 = relax.max %1 {{axes = array<i64: 1>, keepdims}} : ({N4}) -> tensor<?x1xf32, #relax_sym.shape<[n, 1]>>
  %3 = relax.subtract %1, %2 : ({N4}, tensor<?x1xf32, #relax_sym.shape<[n, 1]>>) -> {N4}
  return %3 : {N4}""")
    source = tmp_path / "graph.mlir"
    source.write_text(text)
    rng = np.random.default_rng(1)
    for after in ["", "relax-legalize-ops", "relax-fuse-tensor-programs", "relax-make-destinations", "relax-plan-memory"]:
        module = text
        if after:
            done = tool("relax-compile", source, "--emit=mlir", f"--after={after}")
            assert done.returncode == 0, done.stderr
            module = done.stdout
        for n in [0, 1, 3]:
            x, w = rng.normal(size=(n, 4)).astype(np.float32), rng.normal(size=(4, 4)).astype(np.float32)
            r = np.maximum(x @ w, 0)
            got = interpret(module, x=x, w=w)["y"]
            np.testing.assert_allclose(got, r - r.max(axis=1, keepdims=True), rtol=1e-5, atol=1e-6, err_msg=after)


def test_weights(interpret, tmp_path):
    values = np.array([1.5, -2, 3], np.float32)
    (tmp_path / "w.bin").write_bytes(b"....." + values.tobytes())
    digest = f"{binascii.crc32(values.tobytes()):08x}"
    text = (f'relax.weight_data @w : tensor<3xf32> = #relax.blob<"w.bin", 5, 12, "{digest}">\n'
            "relax.weight_data @b : tensor<2xi1> = dense<[true, false]> : tensor<2xi1>\n"
            "func.func @main() -> (tensor<3xf32>, tensor<2xi1>) {\n  %w = relax.weight @w : tensor<3xf32>\n"
            "  %b = relax.weight @b : tensor<2xi1>\n  return %w, %b : tensor<3xf32>, tensor<2xi1>\n}\n")
    got = interpret(text)
    np.testing.assert_array_equal(got["result0"], values)
    np.testing.assert_array_equal(got["result1"], [True, False])
    interpret(text.replace(digest, "00000000"), fails=f"has changed: the digest of the weight is {digest}, expected 00000000")
    interpret(text.replace("w.bin", "none.bin"), fails="none.bin")


ENTRY = function({"x": "tensor<?x?x4xf32, #relax_sym.shape<[n, n * 2, 4]>>"}, "!relax.shape<[n]>", """
  %s = relax.shape_of %x : tensor<?x?x4xf32, #relax_sym.shape<[n, n * 2, 4]>> -> !relax.shape<[n, n * 2, 4]>
  %r = relax.make_shape %s : (!relax.shape<[n, n * 2, 4]>) -> !relax.shape<[n]>
  return %r : !relax.shape<[n]>""", facts='"n >= 1"')


@pytest.mark.parametrize("inputs, message", [
    ({}, "missing input 'x'"),
    ({"x": np.zeros((1, 2, 4), np.float32), "y": np.zeros(1)}, "unknown input 'y', the function has: x"),
    ({"x": np.zeros((1, 2, 4))}, "input 'x': expected element type f32, actual f64"),
    ({"x": np.zeros((1, 2), np.float32)}, "input 'x': expected rank 3, actual 2"),
    ({"x": np.zeros((1, 2, 3), np.float32)}, "input 'x': dimension 2: expected 4, actual 3"),
    ({"x": np.zeros((2, 3, 4), np.float32)}, "input 'x': dimension 1: expected n * 2 = 4, actual 3"),
    ({"x": np.zeros((0, 0, 4), np.float32)}, "fact n >= 1 does not hold: n = 0"),
])
def test_entry_checks(interpret, inputs, message):
    interpret(ENTRY, fails=message, **inputs)


INDICES = function({"i": "!relax.shape<[k]>", "x": "tensor<6xf32>"}, "index, index, index, index, tensor<2x3xf32>", """
  %at = relax.eval_expr %i, k : !relax.shape<[k]> -> index
  %c0 = arith.constant 0 : index
  %dense = arith.constant dense<[-3, 5, 4294967301]> : tensor<3xindex>
  %a = tensor.extract %dense[%at] : tensor<3xindex>
  %splat = arith.constant dense<7> : tensor<3x1xindex>
  %b = tensor.extract %splat[%at, %c0] : tensor<3x1xindex>
  %resource = arith.constant dense_resource<sizes> : tensor<3xindex>
  %c = tensor.extract %resource[%at] : tensor<3xindex>
  %scalar = arith.constant dense<11> : tensor<index>
  %d = tensor.extract %scalar[] : tensor<index>
  %none = arith.constant dense<> : tensor<0x2xindex>
  %shape = arith.constant dense<[2, 3]> : tensor<2xindex>
  %y = tensor.reshape %x(%shape) : (tensor<6xf32>, tensor<2xindex>) -> tensor<2x3xf32>
  return %a, %b, %c, %d, %y : index, index, index, index, tensor<2x3xf32>""") + f"""
{{-# dialect_resources: {{ builtin: {{ sizes: "0x08000000{np.array([2, -9, 1 << 40]).tobytes().hex()}" }} }} #-}}
"""


def test_constants_of_index(interpret):
    """Canonicalization makes such constants of extents: listed, all equal, of resources, of rank 0 and of nothing."""
    x = np.arange(6, dtype=np.float32)
    for i, (dense, resource) in enumerate([(-3, 2), (5, -9), (4294967301, 1 << 40)]):
        got = list(interpret(INDICES, i=np.array([i]), x=x).values())
        assert [int(value) for value in got[:4]] == [dense, 7, resource, 11]
        np.testing.assert_array_equal(got[4], x.reshape(2, 3))


def test_errors(interpret, tool, tmp_path):
    library = ("relax_ext.func private @lib(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) attributes {symbol = \"f\"}\n" +
               function({"x": "tensor<4xf32>"}, "tensor<4xf32>", """
  %r = relax.call_dps @lib(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>"""))
    interpret(library, x=np.zeros(4, np.float32), fails="'lib' is not a tensor program: library functions cannot be interpreted")
    recursion = function({"x": N}, N, f"  %r = relax.call @main(%x) : ({N}) -> {N}\n  return %r : {N}")
    interpret(recursion, x=np.zeros(1, np.float32), fails="calls are nested more than 200 deep")
    large = function({"s": "!relax.shape<[n, m]>"}, "tensor<?x?xi8, #relax_sym.shape<[n, m]>>", """
  %r = relax.full %s, 1 : i8 : (!relax.shape<[n, m]>) -> tensor<?x?xi8, #relax_sym.shape<[n, m]>>
  return %r : tensor<?x?xi8, #relax_sym.shape<[n, m]>>""")
    interpret(large, s=np.array([1 << 40, 1 << 40]), fails="has more than 268435456 elements")
    vector = "func.func @main() {\n  %0 = arith.constant dense<0> : vector<4xi32>\n  %1 = arith.addi %0, %0 : vector<4xi32>\n  return\n}\n"
    interpret(vector, fails="arith.constant: the value cannot be read")
    unknown = function({"x": "tensor<?xf32>"}, "index", """
  %0 = tensor.rank %x : tensor<?xf32>
  return %0 : index""")
    interpret(unknown, x=np.zeros(1, np.float32), fails="tensor.rank: has no meaning in the reference interpreter")
    done = tool("relax-interpret", tmp_path / "none.mlir")
    assert done.returncode == 1 and "none.mlir" in done.stderr
