# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Guards at run time: exact, with both sides in the message, first things first; and symbols fixed by the compiler."""
import numpy as np
import pytest

PROGRAM = """
#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#n4 = #relax_sym.shape<[n, 4]>
#nm = #relax_sym.shape<[n, m]>
#half = #relax_sym.shape<[n floordiv 2]>

func.func @broadcast(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.add %x, %y : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @reshape(%x: tensor<?x4xf32, #n4>) -> tensor<?x8xf32, #relax_sym.shape<[n floordiv 2, 8]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?x4xf32, #n4> -> !relax.shape<[n, 4]>
  %t = relax.make_shape %s : (!relax.shape<[n, 4]>) -> !relax.shape<[n floordiv 2, 8]>
  %0 = relax.reshape %x, %t : (tensor<?x4xf32, #n4>, !relax.shape<[n floordiv 2, 8]>) -> tensor<?x8xf32, #relax_sym.shape<[n floordiv 2, 8]>>
  return %0 : tensor<?x8xf32, #relax_sym.shape<[n floordiv 2, 8]>>
}
func.func @slice(%x: tensor<?xf32, #n>, %s: !relax.shape<[a, b]>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.slice %x shape(%s) {axes = array<i64: 0>, starts = [#relax_sym.expr<a>], ends = [#relax_sym.expr<b>], strides = array<i64: 1>}
      : (tensor<?xf32, #n>, !relax.shape<[a, b]>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @broadcast_to(%x: tensor<?xf32, #n>, %s: !relax.shape<[k, m]>) -> tensor<?x?xf32, #relax_sym.shape<[k, m]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.broadcast_to %x, %s : (tensor<?xf32, #n>, !relax.shape<[k, m]>) -> tensor<?x?xf32, #relax_sym.shape<[k, m]>>
  return %0 : tensor<?x?xf32, #relax_sym.shape<[k, m]>>
}
func.func @split(%x: tensor<?xf32, #n>) -> (tensor<?xf32, #half>, tensor<?xf32, #half>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<n floordiv 2>], strides = array<i64: 1>}
      : (tensor<?xf32, #n>) -> tensor<?xf32, #half>
  %1 = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<n floordiv 2>], ends = [#relax_sym.expr<n>], strides = array<i64: 1>}
      : (tensor<?xf32, #n>) -> tensor<?xf32, #half>
  return %0, %1 : tensor<?xf32, #half>, tensor<?xf32, #half>
}
func.func @matmul(%x: tensor<?x?xf32, #nm>, %y: tensor<?x2xf32, #relax_sym.shape<[k, 2]>>) -> tensor<?x2xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %y : (tensor<?x?xf32, #nm>, tensor<?x2xf32, #relax_sym.shape<[k, 2]>>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
func.func @concat(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.concat %x, %y {axis = 0} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @order(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>, %i: tensor<?xi32, #n>) -> (tensor<?xf32>, tensor<?xi32, #n>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
  %0 = relax.relu %x : tensor<?xf32, #n>
  relax.assert_shape %s, "n >= 2", "first" : !relax.shape<[n]>
  %1 = relax.add %0, %y : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32>
  %2 = relax.divide %i, %i : (tensor<?xi32, #n>, tensor<?xi32, #n>) -> tensor<?xi32, #n>
  %3 = relax.exp %1 : tensor<?xf32>
  relax.assert_shape %s, "n >= 4", "last" : !relax.shape<[n]>
  return %3, %2 : tensor<?xf32>, tensor<?xi32, #n>
}
func.func @loop(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<?xf32, #n> {
    %b = relax.add %a, %a : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
    %s = relax.shape_of %b : tensor<?xf32, #n> -> !relax.shape<[n]>
    relax.assert_shape %s, "n mod 2 == 0", "pairs" : !relax.shape<[n]>
    scf.yield %b : tensor<?xf32, #n>
  }
  return %0 : tensor<?xf32, #n>
}
func.func @casts(%x: tensor<?xf32>, %y: tensor<?xf32, #n>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.match_cast %x binds [a] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[a]>>
  %1 = relax.exp %x : tensor<?xf32>
  %2 = relax.match_cast %1 binds [b] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[b]>>
  %3 = relax.add %0, %2 : (tensor<?xf32, #relax_sym.shape<[a]>>, tensor<?xf32, #relax_sym.shape<[b]>>) -> tensor<?xf32>
  %4 = relax.match_cast %y binds [c] : tensor<?xf32, #n> to tensor<?xf32, #relax_sym.shape<[c]>>
  %5 = relax.match_cast %3 : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[c]>>
  %6 = relax.subtract %5, %4 : (tensor<?xf32, #relax_sym.shape<[c]>>, tensor<?xf32, #relax_sym.shape<[c]>>) -> tensor<?xf32, #relax_sym.shape<[c]>>
  %7 = relax.erase_shape %6 : tensor<?xf32, #relax_sym.shape<[c]>> to tensor<?xf32>
  return %7 : tensor<?xf32>
}
"""


@pytest.fixture(scope="module")
def run(tool, tmp_path_factory):
    """run(function, inputs..) gives the outputs as a list of arrays, or the message of the error."""
    folder = tmp_path_factory.mktemp("shape_passes")
    (folder / "in.mlir").write_text(PROGRAM)
    done = tool("relax-compile", folder / "in.mlir", "-o", folder / "out.rlx", "--function=*")
    assert done.returncode == 0, done.stderr

    def run(function, *inputs, artifact=folder / "out.rlx"):
        np.savez(folder / "a.npz", **{f"arg{index}": value for index, value in enumerate(inputs)})
        done = tool("relax-run", artifact, "--function", function, "--inputs", folder / "a.npz", "--outputs", folder / "b.npz")
        if done.returncode != 0:
            assert done.returncode == 1
            return done.stderr
        outputs = np.load(folder / "b.npz")
        return [outputs[f"result{index}"] for index in range(len(outputs.files))]

    return run


def ones(*shape):
    return np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)


@pytest.mark.parametrize("n, m", [(0, 0), (0, 1), (1, 0), (1, 1), (3, 1), (1, 3), (3, 3), (0, 2), (3, 2), (2, 3)])
def test_broadcast(run, n, m):
    """Exactly what numpy allows: 0 fits 1, not 2."""
    got = run("broadcast", ones(n), ones(m))
    if n == m or 1 in (n, m):
        np.testing.assert_array_equal(got[0], ones(n) + ones(m))
    else:
        assert "relax.add: the extents [n], [m] need n == m or n == 1 or m == 1" in got
        assert f"n = {n}" in got and f"m = {m}" in got


@pytest.mark.parametrize("n", [0, 1, 2, 5, 6])
def test_reshape(run, n):
    got = run("reshape", ones(n, 4))
    if n % 2 == 0:
        np.testing.assert_array_equal(got[0], ones(n, 4).reshape(n // 2, 8))
    else:
        assert "relax.reshape: the extents [n, 4], [n floordiv 2, 8] need n mod 2 == 0" in got and f"n = {n}" in got


@pytest.mark.parametrize("n, a, b", [(0, 0, 0), (1, 0, 1), (1, 1, 1), (5, 2, 4), (5, 5, 5), (5, 0, 6), (5, 4, 2), (0, 0, 1)])
def test_slice(run, n, a, b):
    """Bounds from run time."""
    got = run("slice", ones(n), np.array([a, b]))
    if a <= b <= n:
        np.testing.assert_array_equal(got[0], ones(n)[a:b])
    else:
        rule, symbols = ("a <= b", (f"a = {a}", f"b = {b}")) if a > b else ("b <= n", (f"b = {b}", f"n = {n}"))
        assert f"relax.slice: the extents [n], [a, b] need {rule}" in got
        assert all(text in got for text in symbols)


@pytest.mark.parametrize("n, k, m", [(0, 3, 0), (1, 2, 0), (1, 2, 5), (4, 0, 4), (4, 1, 5), (0, 1, 1)])
def test_broadcast_to(run, n, k, m):
    got = run("broadcast_to", ones(n), np.array([k, m]))
    if n in (1, m):
        np.testing.assert_array_equal(got[0], np.broadcast_to(ones(n), (k, m)))
    else:
        assert "relax.broadcast_to: the extents [n], [k, m] need n == m or n == 1" in got
        assert f"n = {n}" in got and f"m = {m}" in got


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_uneven_split(run, n):
    """The second half claims to be as long as the first."""
    got = run("split", ones(n))
    if n % 2 == 0:
        np.testing.assert_array_equal(np.concatenate(got), ones(n))
    else:
        assert "relax.slice: the extents [n] need" in got and f"n = {n}" in got


@pytest.mark.parametrize("n, m, k", [(0, 3, 3), (2, 0, 0), (2, 1, 1), (2, 1, 2), (2, 0, 1)])
def test_matmul(run, n, m, k):
    got = run("matmul", ones(n, m), ones(k, 2))
    if m == k:
        np.testing.assert_allclose(got[0], ones(n, m) @ ones(k, 2))
    else:
        assert "relax.matmul: the extents [n, m], [k, 2] need k == m" in got
        assert f"m = {m}" in got and f"k = {k}" in got


def test_unknown_extents(run):
    """Extents without a name get one."""
    np.testing.assert_array_equal(run("concat", ones(2, 0), ones(1, 0))[0], np.zeros((3, 0), "f"))
    np.testing.assert_array_equal(run("concat", ones(2, 3), ones(0, 3))[0], ones(2, 3))
    got = run("concat", ones(2, 3), ones(2, 1))
    assert "relax.concat: the extents" in got and "= 3" in got and "= 1" in got


def test_the_first_error_stays_the_first(run):
    def message(n, m, divisor=1):
        return run("order", ones(n), ones(m), np.full(n, divisor, np.int32))

    assert "first: n = 1" in message(1, 3, 0)
    assert "relax.add: the extents [n], [m] need" in message(2, 3, 0)
    assert "division by zero" in message(2, 1, 0)
    assert "last: n = 2" in message(2, 1)
    np.testing.assert_allclose(message(4, 1)[0], np.exp(ones(4) + 1))


@pytest.mark.parametrize("n", [0, 1, 2])
def test_check_in_a_loop(run, n):
    got = run("loop", ones(n))
    if n % 2 == 0:
        np.testing.assert_array_equal(got[0], ones(n) * 8)
    else:
        assert "pairs: n = 1" in got


@pytest.mark.parametrize("n, m", [(0, 0), (1, 1), (5, 5), (5, 1), (0, 1)])
def test_casts(run, n, m):
    got = run("casts", ones(n), ones(m))
    if n == m:
        np.testing.assert_allclose(got[0], ones(n) + np.exp(ones(n)) - ones(n), rtol=1e-5)
    else:
        assert f"match_cast: dimension 0: expected n = {m}, actual {n}" in got


def test_specialized(run, tool, tmp_path):
    """A fixed symbol is checked at entry; a variant stands beside the general function."""
    (tmp_path / "in.mlir").write_text(PROGRAM)

    def artifact(options):
        done = tool("relax-opt", tmp_path / "in.mlir", f"--relax-specialize-symbols={options}", "-o", tmp_path / "s.mlir")
        assert done.returncode == 0, done.stderr
        done = tool("relax-compile", tmp_path / "s.mlir", "-o", tmp_path / "s.rlx", "--function", "reshape",
                    *(["--function", "reshape_n6"] if "variant" in options else []))
        assert done.returncode == 0, done.stderr
        return tmp_path / "s.rlx"

    for n in [0, 6]:
        fixed = artifact(f"symbols=n={n} function=reshape")
        np.testing.assert_array_equal(run("reshape", ones(n, 4), artifact=fixed)[0], ones(n, 4).reshape(n // 2, 8))
        assert f"input 'arg0': dimension 0: expected {n}, actual 7" in run("reshape", ones(7, 4), artifact=fixed)
    both = artifact("symbols=n=6 function=reshape variant=true")
    assert "expected 6, actual 2" in run("reshape_n6", ones(2, 4), artifact=both)
    np.testing.assert_array_equal(run("reshape", ones(2, 4), artifact=both)[0], ones(2, 4).reshape(1, 8))
