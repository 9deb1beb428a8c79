# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Branches, loops and calls whose tensors change their size, compiled and run against numpy."""
import numpy as np
import pytest

ALIASES = """
#n2 = #relax_sym.shape<[n, 2]>
#m2 = #relax_sym.shape<[m, 2]>
#k2 = #relax_sym.shape<[k, 2]>
#n = #relax_sym.shape<[n]>
#k = #relax_sym.shape<[k]>
#kk = #relax_sym.shape<[k * 2]>
#nn = #relax_sym.shape<[n * 2]>
"""

# One step more each trip: D21 of the shared ONNX cases, and a KV cache. The sums have one entry for each trip.
GROW = """
func.func @grow(%x: tensor<?x2xf32, #n2> {relax.name = "x"}, %trip: tensor<i64> {relax.name = "trip"},
                %d: tensor<?x2xf32, #m2> {relax.name = "d"}) -> (tensor<?x2xf32> {relax.name = "y"}, tensor<?xf32> {relax.name = "ss"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.extract %trip[] : tensor<i64>
  %count = arith.index_cast %t : i64 to index
  %none = relax.constant dense<> : tensor<0xf32>
  %i0 = relax.erase_shape %x : tensor<?x2xf32, #n2> to tensor<?x2xf32>
  %s0 = relax.erase_shape %none : tensor<0xf32> to tensor<?xf32>
  %y, %ss = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %i0, %sums = %s0) -> (tensor<?x2xf32>, tensor<?xf32>) {
    %a = relax.match_cast %acc binds [k] : tensor<?x2xf32> to tensor<?x2xf32, #k2>
    %next = relax.concat %a, %d {axis = 0 : i64} : (tensor<?x2xf32, #k2>, tensor<?x2xf32, #m2>) -> tensor<?x2xf32, #relax_sym.shape<[k + m, 2]>>
    %sum = relax.sum %next {axes = array<i64: 0, 1>} : (tensor<?x2xf32, #relax_sym.shape<[k + m, 2]>>) -> tensor<f32>
    %one = relax.expand_dims %sum {axes = array<i64: 0>} : (tensor<f32>) -> tensor<1xf32>
    %more = relax.concat %sums, %one {axis = 0 : i64} : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    %e = relax.erase_shape %next : tensor<?x2xf32, #relax_sym.shape<[k + m, 2]>> to tensor<?x2xf32>
    scf.yield %e, %more : tensor<?x2xf32>, tensor<?xf32>
  }
  return %y, %ss : tensor<?x2xf32>, tensor<?xf32>
}
"""

# Two tensors change places, one passes through an inner loop.
FIBONACCI = """
func.func @fibonacci(%x: tensor<?xf32, #n> {relax.name = "x"}, %y: tensor<?xf32, #n> {relax.name = "y"}, %trip: tensor<i64> {relax.name = "trip"})
    -> (tensor<?xf32, #n> {relax.name = "a"}, tensor<?xf32, #n> {relax.name = "b"}, tensor<?xf32, #n> {relax.name = "c"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %t = tensor.extract %trip[] : tensor<i64>
  %count = arith.index_cast %t : i64 to index
  %r:3 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x, %b = %y, %c = %x) -> (tensor<?xf32, #n>, tensor<?xf32, #n>, tensor<?xf32, #n>) {
    %s = relax.add %a, %b : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
    %inner = scf.for %j = %c0 to %c2 step %c1 iter_args(%q = %c) -> (tensor<?xf32, #n>) {
      %h = relax.add %q, %b : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
      scf.yield %h : tensor<?xf32, #n>
    }
    scf.yield %b, %s, %inner : tensor<?xf32, #n>, tensor<?xf32, #n>, tensor<?xf32, #n>
  }
  return %r#0, %r#1, %r#2 : tensor<?xf32, #n>, tensor<?xf32, #n>, tensor<?xf32, #n>
}
"""

# Doubles until there are at least as many rows as the second input has.
DOUBLE = """
func.func @double(%x: tensor<?xf32, #n> {relax.name = "x"}, %limit: tensor<?xf32, #relax_sym.shape<[m]>> {relax.name = "limit"}) -> (tensor<?xf32> {relax.name = "y"})
    attributes {relax_sym.scope = #relax_sym.scope<"n >= 1">} {
  %c0 = arith.constant 0 : index
  %most = tensor.dim %limit, %c0 : tensor<?xf32, #relax_sym.shape<[m]>>
  %start = relax.erase_shape %x : tensor<?xf32, #n> to tensor<?xf32>
  %r = scf.while (%a = %start) : (tensor<?xf32>) -> tensor<?xf32> {
    %now = tensor.dim %a, %c0 : tensor<?xf32>
    %go = arith.cmpi slt, %now, %most : index
    scf.condition(%go) %a : tensor<?xf32>
  } do {
  ^bb0(%b: tensor<?xf32>):
    %known = relax.match_cast %b binds [k] : tensor<?xf32> to tensor<?xf32, #k>
    %s = relax.add %known, %known : (tensor<?xf32, #k>, tensor<?xf32, #k>) -> tensor<?xf32, #k>
    %d = relax.concat %known, %s {axis = 0 : i64} : (tensor<?xf32, #k>, tensor<?xf32, #k>) -> tensor<?xf32, #kk>
    %e = relax.erase_shape %d : tensor<?xf32, #kk> to tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
"""

# Branches of different sizes inside of a loop: it grows in even trips only.
SOMETIMES = """
func.func @sometimes(%x: tensor<?xf32, #n> {relax.name = "x"}, %trip: tensor<i64> {relax.name = "trip"}) -> (tensor<?xf32> {relax.name = "y"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %t = tensor.extract %trip[] : tensor<i64>
  %count = arith.index_cast %t : i64 to index
  %start = relax.erase_shape %x : tensor<?xf32, #n> to tensor<?xf32>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %start) -> (tensor<?xf32>) {
    %rest = arith.remsi %i, %c2 : index
    %even = arith.cmpi eq, %rest, %c0 : index
    %next = scf.if %even -> (tensor<?xf32>) {
      %g = relax.concat %a, %x {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32, #n>) -> tensor<?xf32>
      %s = relax.add %g, %g : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      scf.yield %s : tensor<?xf32>
    } else {
      scf.yield %a : tensor<?xf32>
    }
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
"""

# D22 of the shared ONNX cases.
BRANCHES = """
#x = #relax_sym.shape<[n, 4]>
func.func @branches(%x: tensor<?x4xf32, #x> {relax.name = "x"}, %c: tensor<i1> {relax.name = "c"}) -> (tensor<?xf32> {relax.name = "y"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %b = tensor.extract %c[] : tensor<i1>
  %sx = relax.shape_of %x : tensor<?x4xf32, #x> -> !relax.shape<[n, 4]>
  %r = scf.if %b -> (tensor<?xf32>) {
    %t = relax.concat %x, %x {axis = 0 : i64} : (tensor<?x4xf32, #x>, tensor<?x4xf32, #x>) -> tensor<?x4xf32, #relax_sym.shape<[n * 2, 4]>>
    %s = relax.make_shape %sx : (!relax.shape<[n, 4]>) -> !relax.shape<[n * 8]>
    %f = relax.reshape %t, %s : (tensor<?x4xf32, #relax_sym.shape<[n * 2, 4]>>, !relax.shape<[n * 8]>) -> tensor<?xf32, #relax_sym.shape<[n * 8]>>
    %e = relax.erase_shape %f : tensor<?xf32, #relax_sym.shape<[n * 8]>> to tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  } else {
    %h = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<min(n, 1)>], strides = array<i64: 1>}
        : (tensor<?x4xf32, #x>) -> tensor<?x4xf32, #relax_sym.shape<[min(n, 1), 4]>>
    %s = relax.make_shape %sx : (!relax.shape<[n, 4]>) -> !relax.shape<[min(n, 1) * 4]>
    %f = relax.reshape %h, %s : (tensor<?x4xf32, #relax_sym.shape<[min(n, 1), 4]>>, !relax.shape<[min(n, 1) * 4]>) -> tensor<?xf32, #relax_sym.shape<[min(n, 1) * 4]>>
    %e = relax.erase_shape %f : tensor<?xf32, #relax_sym.shape<[min(n, 1) * 4]>> to tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  %k = relax.match_cast %r binds [k] : tensor<?xf32> to tensor<?xf32, #k>
  %y = relax.relu %k : tensor<?xf32, #k>
  %e = relax.erase_shape %y : tensor<?xf32, #k> to tensor<?xf32>
  return %e : tensor<?xf32>
}
"""

# Adds the second half to the first until one entry is left: recursion whose sizes shrink.
HALVE = """
func.func private @fold(%x: tensor<?xf32, #n>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
  %n = relax.eval_expr %s, n : !relax.shape<[n]> -> index
  %c1 = arith.constant 1 : index
  %done = arith.cmpi sle, %n, %c1 : index
  %r = scf.if %done -> (tensor<?xf32>) {
    %e = relax.erase_shape %x : tensor<?xf32, #n> to tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  } else {
    %a = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<n floordiv 2>], strides = array<i64: 1>}
        : (tensor<?xf32, #n>) -> tensor<?xf32, #relax_sym.shape<[n floordiv 2]>>
    %b = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<n - n floordiv 2>], ends = [#relax_sym.expr<n>], strides = array<i64: 1>}
        : (tensor<?xf32, #n>) -> tensor<?xf32, #relax_sym.shape<[n floordiv 2]>>
    %h = relax.add %a, %b : (tensor<?xf32, #relax_sym.shape<[n floordiv 2]>>, tensor<?xf32, #relax_sym.shape<[n floordiv 2]>>) -> tensor<?xf32, #relax_sym.shape<[n floordiv 2]>>
    %q = relax.call @fold(%h) {n = n floordiv 2} : (tensor<?xf32, #relax_sym.shape<[n floordiv 2]>>) -> tensor<?xf32>
    scf.yield %q : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func @halve(%x: tensor<?xf32, #n> {relax.name = "x"}) -> (tensor<?xf32, #k> {relax.name = "y"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %f = relax.call @fold(%x) : (tensor<?xf32, #n>) -> tensor<?xf32>
  %k = relax.match_cast %f binds [k] : tensor<?xf32> to tensor<?xf32, #k>
  %y = relax.add %k, %k : (tensor<?xf32, #k>, tensor<?xf32, #k>) -> tensor<?xf32, #k>
  return %y : tensor<?xf32, #k>
}
// Calls in a loop, which hands on what they give.
func.func @repeat(%x: tensor<?xf32, #n> {relax.name = "x"}, %trip: tensor<i64> {relax.name = "trip"}) -> (tensor<?xf32> {relax.name = "y"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.extract %trip[] : tensor<i64>
  %count = arith.index_cast %t : i64 to index
  %start = relax.erase_shape %x : tensor<?xf32, #n> to tensor<?xf32>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %start) -> (tensor<?xf32>) {
    %g = relax.concat %a, %x {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32, #n>) -> tensor<?xf32>
    %f = relax.call @fold(%g) : (tensor<?xf32>) -> tensor<?xf32>
    %y = relax.concat %f, %a {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %z = relax.call @fold(%y) : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %z : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
// Never ends.
func.func @forever(%x: tensor<?xf32, #n> {relax.name = "x"}) -> (tensor<?xf32, #n> {relax.name = "y"}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %y = relax.call @forever(%x) {n = n} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %y : tensor<?xf32, #n>
}
"""

# What a loop hands on may be larger than memory can be.
HUGE = """
func.func @huge(%s: !relax.shape<[n, m]> {relax.name = "s"}, %trip: tensor<i64> {relax.name = "trip"}) -> (tensor<?x?xf32> {relax.name = "y"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.extract %trip[] : tensor<i64>
  %count = arith.index_cast %t : i64 to index
  %none = relax.constant dense<> : tensor<0x0xf32>
  %start = relax.erase_shape %none : tensor<0x0xf32> to tensor<?x?xf32>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %start) -> (tensor<?x?xf32>) {
    %f = relax.full %s, 1.0 : f32 : (!relax.shape<[n, m]>) -> tensor<?x?xf32, #relax_sym.shape<[n, m]>>
    %e = relax.erase_shape %f : tensor<?x?xf32, #relax_sym.shape<[n, m]>> to tensor<?x?xf32>
    scf.yield %e : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
"""

SIZES = [0, 1, 3, 7, 64, 257, 1]


@pytest.fixture(scope="module")
def artifact(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("control_flow")
    source, artifact = folder / "in.mlir", folder / "out.rlx"
    source.write_text(ALIASES + GROW + FIBONACCI + DOUBLE + SOMETIMES + BRANCHES + HALVE + HUGE)
    done = tool("relax-compile", source, "-o", artifact, "--function=*")
    assert done.returncode == 0, done.stderr
    return artifact


@pytest.fixture
def run(tool, tmp_path, artifact):
    """run(function, inputs..) gives the outputs for each dictionary of inputs, all in one process, and what the tool says."""

    def call(function, *inputs, options=(), code=0):
        files = []
        for index, arrays in enumerate(inputs):
            np.savez(tmp_path / f"in{index}.npz", **arrays)
            files += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
        done = tool("relax-run", artifact, "--function", function, *options, *files)
        assert done.returncode == code, done.stderr
        if code:
            return done.stderr
        return [dict(np.load(tmp_path / f"out{index}.npz")) for index in range(len(inputs))], done.stdout

    return call


def numbers(*shape):
    return np.random.default_rng(len(shape) + sum(shape)).integers(-4, 5, shape).astype(np.float32)


def trips(count):
    return np.array(count, np.int64)


def test_growing_loop(run):
    cases = [(2, 3, 1), (1, 0, 2), (0, 2, 3), (0, 0, 0), (5, 7, 0), (3, 40, 13), (1, 1, 1)]
    inputs = [{"x": numbers(n, 2), "trip": trips(t), "d": numbers(m, 2)} for n, t, m in cases]
    outputs, _ = run("grow", *inputs)
    for given, got in zip(inputs, outputs):
        acc, sums = given["x"], []
        for _ in range(given["trip"]):
            acc = np.concatenate([acc, given["d"]])
            sums.append(acc.sum())
        np.testing.assert_array_equal(got["y"], acc)
        np.testing.assert_array_equal(got["ss"], np.array(sums, np.float32))


def test_carried_tensors_change_places(run):
    inputs = [{"x": numbers(n), "y": numbers(n) + 1, "trip": trips(t)} for n in SIZES for t in (0, 1, 2, 9)]
    outputs, _ = run("fibonacci", *inputs)
    for given, got in zip(inputs, outputs):
        a, b, c = given["x"], given["y"], given["x"]
        for _ in range(given["trip"]):
            a, b, c = b, a + b, c + b + b
        for name, want in zip("abc", (a, b, c)):
            np.testing.assert_array_equal(got[name], want)


def test_while_loop_doubles(run):
    inputs = [{"x": numbers(n), "limit": numbers(m)} for n in SIZES[1:] for m in (0, 1, 5, 100)]
    outputs, _ = run("double", *inputs)
    for given, got in zip(inputs, outputs):
        want = given["x"]
        while len(want) < len(given["limit"]):
            want = np.concatenate([want, want + want])
        np.testing.assert_array_equal(got["y"], want)


def test_branches_in_a_loop(run):
    inputs = [{"x": numbers(n), "trip": trips(t)} for n in SIZES for t in (0, 1, 2, 5)]
    outputs, _ = run("sometimes", *inputs)
    for given, got in zip(inputs, outputs):
        want = given["x"]
        for i in range(given["trip"]):
            if i % 2 == 0:
                want = np.concatenate([want, given["x"]]) * 2
        np.testing.assert_array_equal(got["y"], want)


def test_branches_of_different_sizes(run):
    inputs = [{"x": numbers(n, 4), "c": np.array(c)} for n in SIZES for c in (True, False)]
    outputs, _ = run("branches", *inputs)
    for given, got in zip(inputs, outputs):
        x = given["x"]
        want = np.concatenate([x, x]) if given["c"] else x[:1]
        np.testing.assert_array_equal(got["y"], np.maximum(want.reshape(-1), 0))


def fold(x):
    while len(x) > 1:
        half = len(x) // 2
        x = x[:half] + x[len(x) - half:]
    return x


def test_recursion(run):
    inputs = [{"x": numbers(n)} for n in SIZES]
    outputs, _ = run("halve", *inputs)
    for given, got in zip(inputs, outputs):
        np.testing.assert_array_equal(got["y"], 2 * fold(given["x"]))


def test_recursion_in_a_loop(run):
    inputs = [{"x": numbers(n), "trip": trips(t)} for n in SIZES for t in (0, 1, 2, 3)]
    outputs, _ = run("repeat", *inputs)
    for given, got in zip(inputs, outputs):
        want = given["x"]
        for _ in range(given["trip"]):
            want = fold(np.concatenate([fold(np.concatenate([want, given["x"]])), want]))
        np.testing.assert_array_equal(got["y"], want)


def test_endless_recursion_is_refused(run):
    assert "forever: calls of functions are nested" in run("forever", {"x": numbers(3)}, code=1)


def test_memory_does_not_leak(run):
    """What is held depends on the final size, not on the number of trips; a second call allocates nothing."""
    trip, rows = 2000, 3
    given = {"x": numbers(1, 2), "trip": trips(trip), "d": numbers(rows, 2)}
    final = (1 + trip * rows) * 2 * 4
    counted = []
    for runs in ([given], [given] * 3):
        _, text = run("grow", *runs, options=["--counters"])
        counted.append(dict(line.split(": ") for line in text.splitlines() if line.count(": ") == 1))
    assert int(counted[1]["arena bytes"]) < 4 * final
    assert int(counted[0]["allocations"]) < 100  # four blocks that grow by half
    assert counted[0]["allocations"] == counted[1]["allocations"]


def test_huge_carried_tensor(run):
    outputs, _ = run("huge", *[{"s": np.array([2, 3]), "trip": trips(t)} for t in (0, 1, 3)])
    assert [got["y"].shape for got in outputs] == [(0, 0), (2, 3), (2, 3)]
    message = run("huge", {"s": np.array([2**40, 2**40]), "trip": trips(1)}, code=1)
    assert "a tensor needs more memory than 64 bits can count" in message
    message = run("huge", {"s": np.array([2**30, 2**30]), "trip": trips(1)}, code=1)
    assert "memory of a loop or call: cannot allocate 4611686018427387904 bytes" in message
