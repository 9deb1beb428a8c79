# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Arguments whose memory a call may write: results are there without a copy, and nothing is written that was not given."""
import numpy as np
import pytest

MODULE = """
#n = #relax_sym.shape<[n]>
#n4 = #relax_sym.shape<[n, 4]>
#m4 = #relax_sym.shape<[m, 4]>
#s4 = #relax_sym.shape<[n + m, 4]>
#flat = #relax_sym.shape<[n * 4]>
// In place: the loop reads and writes the same elements.
func.func @update(%x: tensor<?xf32, #n> {relax.donated}, %y: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.multiply %x, %y : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %0 : tensor<?xf32, #n>
}
// Another loop needs the argument as it was: the result is elsewhere.
func.func @read(%x: tensor<?xf32, #n> {relax.donated}) -> (tensor<?xf32, #n>, tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %1 = relax.sum %x {axes = array<i64: 0>} : (tensor<?xf32, #n>) -> tensor<f32>
  return %0, %1 : tensor<?xf32, #n>, tensor<f32>
}
// The last of three is made when the argument is no longer needed.
func.func @replace(%x: tensor<?xf32, #n> {relax.donated}) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %1 = relax.cumsum %0 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.cumsum %1 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %2 : tensor<?xf32, #n>
}
func.func @cache(%c: tensor<?x4xf32, #n4> {relax.donated}, %new: tensor<?x4xf32, #m4>, %at: tensor<i64>) -> tensor<?x4xf32, #n4> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cache_update %c, %new, %at {axis = 0 : i64} : (tensor<?x4xf32, #n4>, tensor<?x4xf32, #m4>, tensor<i64>) -> tensor<?x4xf32, #n4>
  return %0 : tensor<?x4xf32, #n4>
}
func.func @append(%old: tensor<?x4xf32, #n4>, %new: tensor<?x4xf32, #m4>) -> (tensor<?x4xf32, #s4>, tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.concat %old, %new {axis = 0 : i64} : (tensor<?x4xf32, #n4>, tensor<?x4xf32, #m4>) -> tensor<?x4xf32, #s4>
  %1 = relax.sum %0 {axes = array<i64: 0>} : (tensor<?x4xf32, #s4>) -> tensor<4xf32>
  return %0, %1 : tensor<?x4xf32, #s4>, tensor<4xf32>
}
// A function that calls itself is not inlined: inside of it nobody donates.
func.func @calls(%x: tensor<?xf32, #n> {relax.donated}, %count: tensor<i64>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %zero = arith.constant 0 : i64
  %one = relax.constant dense<1> : tensor<i64>
  %c = tensor.extract %count[] : tensor<i64>
  %more = arith.cmpi sgt, %c, %zero : i64
  %r = scf.if %more -> tensor<?xf32, #n> {
    %less = relax.subtract %count, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %0 = relax.call @calls(%x, %less) : (tensor<?xf32, #n>, tensor<i64>) -> tensor<?xf32, #n>
    %1 = relax.add %0, %x : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield %1 : tensor<?xf32, #n>
  } else {
    scf.yield %x : tensor<?xf32, #n>
  }
  %2 = relax.negate %r : tensor<?xf32, #n> -> tensor<?xf32, #n>
  return %2 : tensor<?xf32, #n>
}
// Views of what is made here: the first is the result's memory, the second a copy.
func.func @views(%x: tensor<?x4xf32, #n4>, %y: tensor<?x4xf32, #n4> {relax.donated}) -> (tensor<?xf32, #flat>, tensor<?x2x2xf32, #relax_sym.shape<[n, 2, 2]>>, tensor<?xf32, #flat>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?x4xf32, #n4> -> !relax.shape<[n, 4]>
  %flat = relax.make_shape %s : (!relax.shape<[n, 4]>) -> !relax.shape<[n * 4]>
  %pairs = relax.make_shape %s : (!relax.shape<[n, 4]>) -> !relax.shape<[n, 2, 2]>
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?x4xf32, #n4>) -> tensor<?x4xf32, #n4>
  %1 = relax.reshape %0, %flat : (tensor<?x4xf32, #n4>, !relax.shape<[n * 4]>) -> tensor<?xf32, #flat>
  %2 = relax.reshape %0, %pairs : (tensor<?x4xf32, #n4>, !relax.shape<[n, 2, 2]>) -> tensor<?x2x2xf32, #relax_sym.shape<[n, 2, 2]>>
  %3 = relax.negate %y : tensor<?x4xf32, #n4> -> tensor<?x4xf32, #n4>
  %4 = relax.reshape %3, %flat : (tensor<?x4xf32, #n4>, !relax.shape<[n * 4]>) -> tensor<?xf32, #flat>
  return %1, %2, %4 : tensor<?xf32, #flat>, tensor<?x2x2xf32, #relax_sym.shape<[n, 2, 2]>>, tensor<?xf32, #flat>
}
"""
SIZES = [0, 1, 7, 31, 1000, 100003, 3]


@pytest.fixture(scope="module", params=["plain", "capture"])
def executable(request, relax, tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("donated")
    (folder / "in.mlir").write_text(MODULE)
    capture = ["--capture"] if request.param == "capture" else []
    done = tool("relax-compile", folder / "in.mlir", "--function=*", *capture, "-o", folder / "out.rlx")
    assert done.returncode == 0, done.stderr
    return relax.load(folder / "out.rlx")


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def is_there(result, array):
    return result.ctypes.data == array.ctypes.data and (result.size == 0 or np.shares_memory(result, array))


def count(executable):
    return executable.counters["donations"], executable.counters["copied_bytes"]


@pytest.mark.parametrize("name", ["update", "replace"])
def test_results_take_the_place_of_what_is_donated(relax, executable, name):
    function = executable[name]
    assert [info.donated for info in function.inputs] == [True, False][:len(function.inputs)]
    assert not function.outputs[0].donated
    for size in SIZES:
        x, y = numbers(size), numbers(size, seed=1)
        rest = {"arg1": y} if name == "update" else {}
        expected = x * y if name == "update" else np.cumsum(np.cumsum(np.cumsum(x, dtype="f4"), dtype="f4"), dtype="f4")
        kept = x.copy()
        donations, copied = count(executable)
        plain = function(arg0=x, **rest)["result0"]
        np.testing.assert_array_equal(x, kept)  # nobody agreed
        assert not np.shares_memory(plain, x)
        assert count(executable) == (donations, copied + (x.nbytes if name == "update" else 0))
        given = function(arg0=relax.donate(x), **rest)["result0"]
        np.testing.assert_array_equal(given, plain)
        assert size == 0 or is_there(given, x)
        assert count(executable)[0] == donations + (size > 0)
        if name == "update":
            np.testing.assert_allclose(plain, expected, rtol=1e-6, atol=1e-6)
        elif size <= 1000:
            np.testing.assert_allclose(plain, expected, rtol=1e-3, atol=1e-2)


def test_what_is_read_later_stays(relax, executable):
    for size in SIZES:
        x = numbers(size)
        kept = x.copy()
        results = executable["read"](relax.donate(x))
        np.testing.assert_array_equal(x, kept)
        assert not np.shares_memory(results["result0"], x)
        np.testing.assert_allclose(results["result1"], kept.astype("f8").sum(), rtol=1e-4, atol=1e-3)


def test_a_cache_in_the_callers_memory(relax, executable):
    """Other buffers in turn: under capture an address is a parameter, not a part of what is recorded."""
    for size in [1, 7, 31, 1000, 3]:
        caches = [np.zeros((size, 4), np.float32) for _ in range(3)]
        expected = np.zeros((size, 4), np.float32)
        for step in range(min(size, 5)):
            new = numbers(1, 4, seed=step)
            expected[step] = new
            for cache in caches:
                result = executable["cache"](relax.donate(cache), new, np.int64(step))["result0"]
                assert is_there(result, cache)
                np.testing.assert_array_equal(cache, expected)
    with pytest.raises(relax.RelaxError, match="position in the cache is out of range"):
        executable["cache"](relax.donate(np.zeros((4, 4), np.float32)), numbers(1, 4), np.int64(4))
    # The next call works as if nothing had been.
    cache = np.zeros((2, 4), np.float32)
    assert is_there(executable["cache"](relax.donate(cache), numbers(1, 4), np.int64(1))["result0"], cache)


def test_rows_are_appended_within_the_capacity(relax, executable):
    """Nothing but the call has to agree: what is appended to is never overwritten."""
    for capacity in [1, 2, 13, 500]:
        memory = np.full((capacity, 4), np.nan, np.float32)
        rows, expected = 0, np.zeros((0, 4), np.float32)
        while rows < capacity:
            new = numbers(min(1 + rows, capacity - rows), 4, seed=rows)
            donations, copied = count(executable)
            results = executable["append"](relax.donate(memory, rows=rows), new)
            rows += len(new)
            expected = np.concatenate([expected, new])
            assert is_there(results["result0"], memory)
            assert count(executable) == (donations + 1, copied)
            np.testing.assert_array_equal(results["result0"], expected)
            np.testing.assert_array_equal(memory[:rows], expected)
            assert np.isnan(memory[rows:]).all()
            np.testing.assert_allclose(results["result1"], expected.sum(axis=0), rtol=1e-4, atol=1e-4)
        # It is full: other memory, and the rows are copied.
        results = executable["append"](relax.donate(memory), numbers(1, 4))
        assert not np.shares_memory(results["result0"], memory)
        np.testing.assert_array_equal(results["result0"][:-1], expected)
        assert count(executable) == (donations + 1, copied + memory.nbytes)


def test_functions_inside_work_on_memory_of_their_own(relax, executable):
    for size in SIZES:
        x = numbers(size)
        kept = x.copy()
        # -x, then -(-x + x), -(0 + x)...
        for calls, expected in [(0, -kept), (1, kept - kept), (2, -kept)]:
            x[:] = kept
            np.testing.assert_array_equal(executable["calls"](x, np.int64(calls))["result0"], expected)
            np.testing.assert_array_equal(x, kept)
            np.testing.assert_array_equal(executable["calls"](relax.donate(x), np.int64(calls))["result0"], expected)


def test_views_are_returned_without_a_copy(relax, executable):
    report = executable.memory_report
    assert report
    for size in SIZES:
        x, y = numbers(size, 4), numbers(size, 4, seed=1)
        results = executable["views"](x, relax.donate(y))
        sums = np.cumsum(x.astype("f8"), axis=0)
        np.testing.assert_allclose(results["result0"], sums.reshape(-1), rtol=1e-3, atol=1e-2)
        np.testing.assert_array_equal(results["result1"], results["result0"].reshape(size, 2, 2))
        np.testing.assert_array_equal(results["result2"], -numbers(size, 4, seed=1).reshape(-1))
        assert not np.shares_memory(results["result0"], results["result1"])
        assert size == 0 or is_there(results["result2"], y)


def test_memory_that_cannot_be_given(relax, executable):
    x, y = numbers(8), numbers(8)
    constant = numbers(8)
    constant.flags.writeable = False
    for wrong, error in [(constant, ValueError), (numbers(16)[::2], ValueError), ([1.0, 2.0], TypeError)]:
        with pytest.raises(error, match="donated"):
            relax.donate(wrong)
    for rows in [-1, 9]:
        with pytest.raises(ValueError, match="rows"):
            relax.donate(x, rows=rows)
    with pytest.raises(relax.RelaxError, match="the memory that is donated overlaps input 'arg1'"):
        executable["update"](relax.donate(x), x)
    with pytest.raises(relax.RelaxError, match="overlaps input 'arg1'"):
        both = numbers(12)
        executable["update"](relax.donate(both[:8]), both[4:])
    with pytest.raises(relax.RelaxError, match="expected element type float32, actual float64"):
        executable["update"](relax.donate(x.astype(np.float64)), y)
    with pytest.raises(TypeError, match="a session keeps"):
        executable["append"].session({"arg0": "result0"})(relax.donate(numbers(1, 4)), numbers(1, 4))
    np.testing.assert_array_equal(executable["update"](x, y)["result0"], x * y)


def test_relax_run(tool, tmp_path):
    (tmp_path / "in.mlir").write_text(MODULE)
    assert tool("relax-compile", tmp_path / "in.mlir", "--function=update", "-o", tmp_path / "a.rlx").returncode == 0
    x, y = numbers(5), numbers(5, seed=1)
    np.savez(tmp_path / "in.npz", arg0=x, arg1=y)
    runs = ["--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz"]
    done = tool("relax-run", tmp_path / "a.rlx", *runs, "--donate", "arg0", "--counters")
    assert done.returncode == 0, done.stderr
    assert "donations: 1\n" in done.stdout and "copied bytes: 0\n" in done.stdout
    np.testing.assert_allclose(np.load(tmp_path / "out.npz")["result0"], x * y, rtol=1e-6)
    done = tool("relax-run", tmp_path / "a.rlx", "--signature")
    assert "input arg0: float32[n], can be donated\ninput arg1: float32[n]\n" in done.stdout
    done = tool("relax-run", tmp_path / "a.rlx", *runs, "--donate=x")
    assert (done.returncode, done.stderr) == (1, "relax-run: error: no input 'x' that could be donated\n"), done.stderr


def test_inputs_are_named_when_compiling(relax, tool, tmp_path):
    """--donate marks inputs that the program does not."""
    (tmp_path / "in.mlir").write_text(MODULE.replace(" {relax.donated}", ""))
    compiled = [tmp_path / "in.mlir", "--function=update", "-o", tmp_path / "a.rlx"]
    done = tool("relax-compile", *compiled, "--donate=arg1,arg0")
    assert done.returncode == 0, done.stderr
    function = relax.load(tmp_path / "a.rlx")["update"]
    assert [info.donated for info in function.inputs] == [True, True]
    x, y = numbers(9), numbers(9, seed=1)
    expected = function(x, y)["result0"]
    assert is_there(function(relax.donate(x), y)["result0"], x)
    np.testing.assert_array_equal(x, expected)
    assert tool("relax-compile", *compiled, "--donate=arg*").returncode == 0
    for names, message in [("x", "no input is named 'x'"), ("[", "'[': invalid glob pattern")]:
        done = tool("relax-compile", *compiled, f"--donate={names}")
        assert done.returncode == 1 and f"relax-compile: error: --donate: {message}" in done.stderr, done.stderr


def test_a_decoder_writes_into_the_callers_caches(relax, tool, tmp_path):
    """Keys of several heads do not grow in place, so their caches get a capacity: one artifact for all of them."""
    pytest.importorskip("onnx")
    from generated_models import SMALL_DECODER, decoder_inputs, save_decoder

    save_decoder(tmp_path / "m.onnx", **SMALL_DECODER)
    plain, given = tmp_path / "plain.rlx", tmp_path / "given.rlx"
    for path, flags in [(plain, []), (given, ["--donate=past_*", "--preallocate-caches"])]:
        done = tool("relax-compile", tmp_path / "m.onnx", *flags, "-o", path)
        assert done.returncode == 0, done.stderr
    plain, given = relax.load(plain), relax.load(given)
    layers, names = SMALL_DECODER["layers"], ("key", "value")
    for batch, capacity, steps in [(1, 40, (5, 1, 1, 7)), (3, 13, (13,)), (2, 97, (31, 1, 64, 1)), (1, 8, (1, 7))]:
        start = decoder_inputs(batch, 1, 0, **SMALL_DECODER)
        pasts = {f"past_{name}{layer}": start[f"past_{name}{layer}"] for layer in range(layers) for name in names}
        caches = {}
        for name, past in pasts.items():
            caches[name] = np.full((batch, past.shape[1], capacity, past.shape[3]), np.nan, np.float32)
        filled = 0
        for count_of_new in steps:
            inputs = decoder_inputs(batch, count_of_new, filled, **SMALL_DECODER)
            rest = {name: inputs[name] for name in ("ids", "pos", "mask")}
            expected = plain(**rest, **pasts)
            before = count(given)
            results = given(**rest, **{name: relax.donate(cache) for name, cache in caches.items()})
            filled += count_of_new
            assert count(given) == (before[0] + 2 * layers, before[1])
            np.testing.assert_allclose(results["logits"], expected["logits"], rtol=2e-4, atol=2e-4)
            for layer in range(layers):
                for name in names:
                    cache, past = caches[f"past_{name}{layer}"], expected[f"{name}{layer}"]
                    assert is_there(results[f"{name}{layer}"], cache)
                    np.testing.assert_allclose(cache[:, :, :filled], past, rtol=2e-4, atol=2e-4)
                    assert np.isnan(cache[:, :, filled:]).all()
                    pasts[f"past_{name}{layer}"] = past
        # Nothing fits any more.
        inputs = decoder_inputs(batch, capacity - filled + 1, filled, **SMALL_DECODER)
        rest = {name: inputs[name] for name in ("ids", "pos", "mask")}
        with pytest.raises(relax.RelaxError, match="<= capacity"):
            given(**rest, **{name: relax.donate(cache) for name, cache in caches.items()})
