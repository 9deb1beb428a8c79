# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Facts about sizes: checked once at entry, from conditions, casts and assertions, and across calls."""
import numpy as np
import pytest

PROGRAM = """
#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#k = #relax_sym.shape<[k]>
#n4 = #relax_sym.shape<[n, 4]>
#nm = #relax_sym.shape<[n, m]>
#product = #relax_sym.shape<[n * m]>

// Ranges, divisors and relations.
func.func @entry(%x: tensor<?xf32, #n> {relax.name = "x"}, %y: tensor<?xf32, #m> {relax.name = "y"}) -> (tensor<?xf32, #n> {relax.name = "z"})
    attributes {relax_sym.scope = #relax_sym.scope<"n >= 1", "n <= 64", "m mod 4 == 0", "n * 2 <= m + 3">} {
  %z = relax.add %x, %x : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %z : tensor<?xf32, #n>
}

// n*2 before n, and before m, in any order.
func.func @solved(%a: tensor<?xf32, #relax_sym.shape<[n * 2 + m]>> {relax.name = "a"}, %b: tensor<?xf32, #relax_sym.shape<[n * 3]>> {relax.name = "b"},
                  %s: !relax.shape<[m + k, k]> {relax.name = "s"}) -> (!relax.shape<[n, m, k]> {relax.name = "sizes"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %sa = relax.shape_of %a : tensor<?xf32, #relax_sym.shape<[n * 2 + m]>> -> !relax.shape<[n * 2 + m]>
  %sb = relax.shape_of %b : tensor<?xf32, #relax_sym.shape<[n * 3]>> -> !relax.shape<[n * 3]>
  %t = relax.make_shape %sa, %sb, %s : (!relax.shape<[n * 2 + m]>, !relax.shape<[n * 3]>, !relax.shape<[m + k, k]>) -> !relax.shape<[n, m, k]>
  return %t : !relax.shape<[n, m, k]>
}

// In pairs where that is possible.
func.func @pairs(%x: tensor<?x4xf32, #n4> {relax.name = "x"}) -> (tensor<?x?xf32> {relax.name = "y"}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32, #n4>
  %rest = arith.remsi %n, %c2 : index
  %even = arith.cmpi eq, %rest, %c0 : index
  %r = scf.if %even -> (tensor<?x?xf32>) {
    %s = relax.shape_of %x : tensor<?x4xf32, #n4> -> !relax.shape<[n, 4]>
    %t = relax.make_shape %s : (!relax.shape<[n, 4]>) -> !relax.shape<[n floordiv 2, 8]>
    %p = relax.reshape %x, %t : (tensor<?x4xf32, #n4>, !relax.shape<[n floordiv 2, 8]>) -> tensor<?x8xf32, #relax_sym.shape<[n floordiv 2, 8]>>
    %e = relax.erase_shape %p : tensor<?x8xf32, #relax_sym.shape<[n floordiv 2, 8]>> to tensor<?x?xf32>
    scf.yield %e : tensor<?x?xf32>
  } else {
    %e = relax.erase_shape %x : tensor<?x4xf32, #n4> to tensor<?x?xf32>
    scf.yield %e : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// What a cast checked holds from there on.
func.func @cast(%x: tensor<?xf32, #n> {relax.name = "x"}, %y: tensor<?xf32, #m> {relax.name = "y"}) -> (tensor<?xf32, #n> {relax.name = "z"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c = relax.match_cast %y : tensor<?xf32, #m> to tensor<?xf32, #n>
  %z = relax.add %x, %c : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %w = relax.add %z, %c : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %w : tensor<?xf32, #n>
}

// Calls on both sides of a cast share a program; %y is checked before the work on it, under a symbol that only %k shows.
func.func @through_a_cast(%x: tensor<?xf32, #n> {relax.name = "x"}, %y: tensor<?xf32, #m> {relax.name = "y"}) -> (tensor<?xf32> {relax.name = "z"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %k = relax.unique %x binds [k] : (tensor<?xf32, #n>) -> tensor<?xf32, #k>
  %a = relax.add %y, %y : (tensor<?xf32, #m>, tensor<?xf32, #m>) -> tensor<?xf32, #m>
  %b = relax.multiply %a, %y : (tensor<?xf32, #m>, tensor<?xf32, #m>) -> tensor<?xf32, #m>
  %c = relax.match_cast %b : tensor<?xf32, #m> to tensor<?xf32, #k>
  %z = relax.add %k, %c : (tensor<?xf32, #k>, tensor<?xf32, #k>) -> tensor<?xf32, #k>
  %r = relax.erase_shape %z : tensor<?xf32, #k> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// A callee with three extents of two symbols; it calls itself, so that it stays a function.
func.func private @flat(%x: tensor<?x?xf32, #nm>, %y: tensor<?xf32, #product>, %again: index) -> tensor<?xf32, #product>
    attributes {relax_sym.scope = #relax_sym.scope<"n <= 100">} {
  %c0 = arith.constant 0 : index
  %sx = relax.shape_of %x : tensor<?x?xf32, #nm> -> !relax.shape<[n, m]>
  %t = relax.make_shape %sx : (!relax.shape<[n, m]>) -> !relax.shape<[n * m]>
  %f = relax.reshape %x, %t : (tensor<?x?xf32, #nm>, !relax.shape<[n * m]>) -> tensor<?xf32, #product>
  %z = relax.add %f, %y : (tensor<?xf32, #product>, tensor<?xf32, #product>) -> tensor<?xf32, #product>
  %more = arith.cmpi ne, %again, %c0 : index
  %r = scf.if %more -> (tensor<?xf32, #product>) {
    %q = relax.call @flat(%x, %z, %c0) {n = n, m = m} : (tensor<?x?xf32, #nm>, tensor<?xf32, #product>, index) -> tensor<?xf32, #product>
    scf.yield %q : tensor<?xf32, #product>
  } else {
    scf.yield %z : tensor<?xf32, #product>
  }
  return %r : tensor<?xf32, #product>
}
func.func @call(%x: tensor<?x?xf32, #relax_sym.shape<[a, b]>> {relax.name = "x"}, %y: tensor<?xf32, #relax_sym.shape<[c]>> {relax.name = "y"}) -> (tensor<?xf32> {relax.name = "z"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c1 = arith.constant 1 : index
  %z = relax.call @flat(%x, %y, %c1) : (tensor<?x?xf32, #relax_sym.shape<[a, b]>>, tensor<?xf32, #relax_sym.shape<[c]>>, index) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
// The same, inlined: its symbols must not meet those of the caller.
func.func private @inlined(%x: tensor<?x?xf32, #nm>, %y: tensor<?xf32, #product>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %e = relax.erase_shape %y : tensor<?xf32, #product> to tensor<?xf32>
  %k = relax.match_cast %e binds [k] : tensor<?xf32> to tensor<?xf32, #k>
  %z = relax.add %k, %k : (tensor<?xf32, #k>, tensor<?xf32, #k>) -> tensor<?xf32, #k>
  %f = relax.erase_shape %z : tensor<?xf32, #k> to tensor<?xf32>
  return %f : tensor<?xf32>
}
func.func @inline(%x: tensor<?x?xf32, #relax_sym.shape<[m, k]>> {relax.name = "x"}, %y: tensor<?xf32, #n> {relax.name = "y"})
    -> (tensor<?xf32> {relax.name = "z"}, tensor<?xf32> {relax.name = "w"}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %z = relax.call @inlined(%x, %y) : (tensor<?x?xf32, #relax_sym.shape<[m, k]>>, tensor<?xf32, #n>) -> tensor<?xf32>
  %w = relax.call @inlined(%x, %z) : (tensor<?x?xf32, #relax_sym.shape<[m, k]>>, tensor<?xf32>) -> tensor<?xf32>
  return %z, %w : tensor<?xf32>, tensor<?xf32>
}
"""


@pytest.fixture(scope="module")
def artifact(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("facts")
    source, artifact = folder / "in.mlir", folder / "out.rlx"
    source.write_text(PROGRAM)
    done = tool("relax-compile", source, "-o", artifact, "--function=*")
    assert done.returncode == 0, done.stderr
    return artifact


@pytest.fixture
def run(tool, tmp_path, artifact):
    """run(function, inputs..) gives the outputs for each dictionary of inputs, all in one process; with fails=True the error."""

    def call(function, *inputs, fails=False):
        files = []
        for index, arrays in enumerate(inputs):
            np.savez(tmp_path / f"in{index}.npz", **arrays)
            files += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
        done = tool("relax-run", artifact, "--function", function, *files)
        assert done.returncode == int(fails), done.stderr
        return done.stderr if fails else [dict(np.load(tmp_path / f"out{index}.npz")) for index in range(len(inputs))]

    return call


def numbers(*shape):
    return np.random.default_rng(sum(shape)).integers(-4, 5, shape).astype(np.float32)


def test_facts_at_entry(run):
    outputs = run("entry", *[{"x": numbers(n), "y": numbers(m)} for n, m in [(1, 0), (2, 4), (64, 128), (1, 400)]])
    np.testing.assert_array_equal(outputs[2]["z"], 2 * numbers(64))


@pytest.mark.parametrize(
    "n, m, message",
    [
        (0, 4, "fact n >= 1 does not hold: n = 0 (input 'x' dimension 0)"),
        (65, 400, "fact n <= 64 does not hold: n = 65 (input 'x' dimension 0)"),
        (1, 6, "fact m mod 4 == 0 does not hold: m = 6 (input 'y' dimension 0), m mod 4 = 2"),
        (7, 8, "fact n * 2 <= m + 3 does not hold: n = 7 (input 'x' dimension 0), m = 8 (input 'y' dimension 0), n * 2 = 14, m + 3 = 11"),
    ],
)
def test_broken_facts(run, n, m, message):
    assert message in run("entry", {"x": numbers(n), "y": numbers(m)}, fails=True)


def test_solved_inputs(run):
    cases = [(0, 0, 0), (1, 0, 2), (3, 5, 7), (41, 2, 0), (1, 1, 1)]
    inputs = [{"a": numbers(2 * n + m), "b": numbers(3 * n), "s": np.array([m + k, k])} for n, m, k in cases]
    for want, got in zip(cases, run("solved", *inputs)):
        np.testing.assert_array_equal(got["sizes"], want)
    # 4 is no multiple of 3; two different values of m; a negative one.
    assert "input 'b': dimension 0: expected n * 3 = " in run("solved", {"a": numbers(5), "b": numbers(4), "s": np.array([3, 0])}, fails=True)
    message = run("solved", {"a": numbers(5), "b": numbers(3), "s": np.array([9, 1])}, fails=True)
    assert "expected" in message and "actual" in message
    assert "expected a size >= 0" in run("solved", {"a": numbers(1), "b": numbers(3), "s": np.array([0, 1])}, fails=True)


def test_ambiguous_inputs(tool, tmp_path):
    source = tmp_path / "in.mlir"
    source.write_text("func.func @main(%x: tensor<?xf32, #relax_sym.shape<[n * m]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {\\n  return\\n}".replace("\\n", "\n"))
    done = tool("relax-compile", source, "-o", tmp_path / "out.rlx", "--function=*")
    assert done.returncode == 1 and "in.mlir:1:1: error: 'func.func' op symbol 'm' is ambiguous: arguments show it only in m * n" in done.stderr


def test_fact_from_a_condition(run, tool, tmp_path):
    sizes = [0, 1, 2, 7, 64, 257, 1]
    for n, got in zip(sizes, run("pairs", *[{"x": numbers(n, 4)} for n in sizes])):
        np.testing.assert_array_equal(got["y"], numbers(n, 4).reshape(n // 2, 8) if n % 2 == 0 else numbers(n, 4))


def test_fact_from_a_cast(run):
    for n, got in zip([0, 1, 13], run("cast", *[{"x": numbers(n), "y": numbers(n)} for n in (0, 1, 13)])):
        np.testing.assert_array_equal(got["z"], 3 * numbers(n))
    message = run("cast", {"x": numbers(3), "y": numbers(4)}, fails=True)
    assert "expected n = 3, actual 4" in message or "n = 3" in message


def test_work_on_both_sides_of_a_cast(run):
    sizes = [0, 1, 13, 257, 4099, 1]
    for n, got in zip(sizes, run("through_a_cast", *[{"x": np.arange(n).astype(np.float32).repeat(2), "y": numbers(n)} for n in sizes])):
        np.testing.assert_array_equal(got["z"], np.arange(n).astype(np.float32) + 2 * numbers(n) ** 2)
    message = run("through_a_cast", {"x": np.arange(3).astype(np.float32), "y": numbers(4)}, fails=True)
    assert "match_cast" in message and "expected k = 3, actual 4" in message


def test_call_solves_and_checks(run):
    for a, b in [(16, 16), (0, 5), (1, 1), (7, 13)]:
        (got,) = run("call", {"x": numbers(a, b), "y": numbers(a * b)})
        np.testing.assert_array_equal(got["z"], 2 * numbers(a, b).reshape(-1) + numbers(a * b))
    message = run("call", {"x": numbers(16, 16), "y": numbers(255)}, fails=True)
    assert "256" in message and "255" in message
    message = run("call", {"x": numbers(101, 1), "y": numbers(101)}, fails=True)
    assert "101" in message and "<= 100" in message


def test_static_call_is_refused_when_compiled(tool, tmp_path):
    source = tmp_path / "in.mlir"
    source.write_text(PROGRAM + """
func.func @wrong(%x: tensor<16x16xf32>, %y: tensor<255xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %z = relax.call @flat(%x, %y, %c0) : (tensor<16x16xf32>, tensor<255xf32>, index) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
""")
    done = tool("relax-compile", source, "-o", tmp_path / "out.rlx", "--function=*")
    assert done.returncode == 1 and "argument 1 dimension 0 must be 256 (m * n of the callee), got 255" in done.stderr


def test_inlining_renames(run):
    for m, k in [(2, 3), (0, 4), (1, 1)]:
        (got,) = run("inline", {"x": numbers(m, k), "y": numbers(m * k)})
        np.testing.assert_array_equal(got["z"], 2 * numbers(m * k))
        np.testing.assert_array_equal(got["w"], 4 * numbers(m * k))
    message = run("inline", {"x": numbers(2, 3), "y": numbers(5)}, fails=True)
    assert "6" in message and "5" in message
