# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The Python package relax: every entry, with sizes that follow one another in one process."""
import gc
import importlib.util
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

# Two functions, a fact, several element types, one program without `main`.
MODULE = """
#n = #relax_sym.shape<[n]>
#n_4 = #relax_sym.shape<[n, 4]>
#n_8 = #relax_sym.shape<[n, 8]>
func.func @main(%x: tensor<?x4xf32, #n_4> {relax.name = "x"}, %w: tensor<4x8xf32> {relax.name = "w"})
    -> (tensor<?x8xf32, #n_8> {relax.name = "y"}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x4xf32, #n_4>, tensor<4x8xf32>) -> tensor<?x8xf32, #n_8>
  %1 = relax.relu %0 : tensor<?x8xf32, #n_8>
  return %1 : tensor<?x8xf32, #n_8>
}
func.func @twice(%i: tensor<?xi32, #n>, %d: tensor<?xf64, #n>, %b: tensor<?xi1, #n>, %s: tensor<f32>)
    -> (tensor<?xi32, #n>, tensor<?xf64, #n>, tensor<?xi1, #n>, tensor<f32>)
    attributes {relax_sym.scope = #relax_sym.scope<"n mod 2 == 0">} {
  %0 = relax.add %i, %i : (tensor<?xi32, #n>, tensor<?xi32, #n>) -> tensor<?xi32, #n>
  %1 = relax.add %d, %d : (tensor<?xf64, #n>, tensor<?xf64, #n>) -> tensor<?xf64, #n>
  %2 = relax.add %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %b, %2 : tensor<?xi32, #n>, tensor<?xf64, #n>, tensor<?xi1, #n>, tensor<f32>
}
"""
W = np.arange(32, dtype=np.float32).reshape(4, 8) - 16
SIZES = [5, 0, 1, 1000, 3]


@pytest.fixture(scope="module")
def module(relax):
    return relax.Module.parse(MODULE, "test.mlir")


@pytest.fixture(scope="module")
def artifact(module):
    return module.compile_to_bytes(functions=["*"])


@pytest.fixture(scope="module")
def executable(relax, artifact):
    return relax.load(artifact)


def make_x(n):
    return np.random.default_rng(n).standard_normal((n, 4), dtype=np.float32)


# Executables


def test_signature(executable):
    assert list(executable.functions) == ["main", "twice"]
    function = executable["main"]
    assert function.name == "main"
    assert [(info.name, info.dtype, info.dims) for info in function.inputs] == [
        ("x", np.dtype("f4"), ("n", "4")), ("w", np.dtype("f4"), ("4", "8"))]
    assert [(info.name, info.dtype, info.dims) for info in function.outputs] == [("y", np.dtype("f4"), ("n", "8"))]
    assert [str(info.dtype) for info in executable["twice"].inputs] == ["int32", "float64", "bool", "float32"]
    assert repr(function) == "main(x: float32[n, 4], w: float32[4, 8]) -> (y: float32[n, 8])"
    assert repr(function) in repr(executable)
    with pytest.raises(KeyError, match="no function 'f', the artifact has: main, twice"):
        executable["f"]


def test_sizes_in_one_process(executable):
    kept = []
    for n in SIZES:
        x = make_x(n)
        kept.append((executable(x, W)["y"], np.maximum(x @ W, 0)))
        kept.append((executable(x, w=W)["y"], np.maximum(x @ W, 0)))
        kept.append((executable["main"](w=W, x=x)["y"], np.maximum(x @ W, 0)))
    for y, want in kept:
        assert y.dtype == want.dtype and y.shape == want.shape and y.flags.owndata
        np.testing.assert_allclose(y, want, rtol=1e-5, atol=1e-5)


def test_element_types(executable):
    twice = executable["twice"]
    for n in [4, 0, 2, 1024, 2]:
        i, d = np.arange(n, dtype=np.int32), np.linspace(0, 1, n)
        results = twice(i, d, i % 2 == 0, np.float32(1.5))
        assert list(results) == ["result0", "result1", "result2", "result3"]
        np.testing.assert_array_equal(results["result0"], i * 2)
        np.testing.assert_array_equal(results["result1"], d * 2)
        np.testing.assert_array_equal(results["result2"], i % 2 == 0)
        assert results["result3"] == 3 and results["result3"].shape == ()


def test_layouts(executable):
    x = make_x(6)
    want = executable(x, W)["y"]
    unaligned = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(6, 4)
    readonly = x.copy()
    readonly.flags.writeable = False
    for view in [np.repeat(x, 2, axis=0)[::2], np.asfortranarray(x), x[::-1][::-1], unaligned, readonly,
                 memoryview(x), x.tolist()]:
        np.testing.assert_array_equal(executable(view, W)["y"], want)
    assert executable([[1, 1, 1, 1]], W)["y"].shape == (1, 8)  # integers become floats


def test_tensors_of_pytorch(executable, relax):
    torch = pytest.importorskip("torch")
    for n in (6, 0, 1):
        x = torch.from_numpy(make_x(n))
        want = executable(x.numpy(), W)["y"]
        subclass = type("Subclass", (torch.Tensor,), {})
        for tensor in [x, torch.nn.Parameter(x), x.clone().requires_grad_(), x.repeat_interleave(2, 0)[::2],
                       x.t().contiguous().t(), torch.complex(x, -x).conj().imag, x.as_subclass(subclass)]:
            np.testing.assert_array_equal(executable(tensor, W)["y"], want)
    with pytest.raises(relax.RelaxError, match="float64"):
        executable(x.double(), W)
    for bad in [torch.ones(2, 4, device="meta"), torch.ones(2, 4).to_sparse(), torch.ones(2, 4, dtype=torch.complex64)]:
        with pytest.raises((TypeError, RuntimeError, NotImplementedError)):
            executable(bad, W)
    twice = executable["twice"](torch.tensor([1, 2], dtype=torch.int32), torch.tensor([0.5, 1.0], dtype=torch.float64),
                                torch.tensor([True, False]), torch.tensor(2.0))
    assert [array.tolist() for array in twice.values()] == [[2, 4], [1, 2], [True, False], 4]


def test_no_wrong_values_from_lists(executable):
    twice = executable["twice"]
    flags, doubles = [True, False], [0.5, 1.0]
    assert twice([1, 2], doubles, flags, 2)["result0"].tolist() == [2, 4]
    with pytest.raises(TypeError, match="input 'arg0': expected elements of type int32, actual float64"):
        twice([1.5, 2], doubles, flags, 2)
    with pytest.raises(OverflowError, match="input 'arg0': a value does not fit int32"):
        twice([2**40, 2], doubles, flags, 2)
    with pytest.raises(TypeError, match="input 'arg2'"):
        twice([1, 2], doubles, [1, 0], 2)


# What numpy has from ml_dtypes: element type, name, a value that it holds, a list that it does not take.
EXTRA_TYPES = {"bf16": ("bfloat16", 0.5, ["a"]), "f8E4M3FN": ("float8_e4m3fn", -0.5, ["a"]),
               "f8E4M3FNUZ": ("float8_e4m3fnuz", 3.5, ["a"]), "f8E5M2": ("float8_e5m2", 1.25, ["a"]),
               "f8E5M2FNUZ": ("float8_e5m2fnuz", -8.0, ["a"]), "f8E8M0FNU": ("float8_e8m0fnu", 4.0, ["a"]),
               "f4E2M1FN": ("float4_e2m1fn", -6.0, ["a"]), "i4": ("int4", -8, [8]), "i2": ("int2", -2, [2]),
               "ui4": ("uint4", 15, [-1]), "ui2": ("uint2", 3, [0.5])}
ECHO = """
func.func @{name}(%x: tensor<?x{type}, #n> {{relax.name = "x"}}) -> (tensor<?x{type}, #nn>, tensor<?x{wide}, #n>)
    attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %0 = relax.concat %x, %x {{axis = 0 : i64}} : (tensor<?x{type}, #n>, tensor<?x{type}, #n>) -> tensor<?x{type}, #nn>
  %1 = relax.astype %x {{dtype = {wide}}} : (tensor<?x{type}, #n>) -> tensor<?x{wide}, #n>
  return %0, %1 : tensor<?x{type}, #nn>, tensor<?x{wide}, #n>
}}
"""


@pytest.fixture(scope="module")
def echoes(relax):
    """One function for each of these types: compiled, and in the interpreter."""
    module = relax.Module.parse("#n = #relax_sym.shape<[n]>\n#nn = #relax_sym.shape<[n*2]>\n" + "".join(
        ECHO.format(type=element, name=name, wide="i8" if isinstance(good, int) else "f32")
        for element, (name, good, _) in EXTRA_TYPES.items()))
    return module.compile(functions=["*"]), module


@pytest.mark.parametrize("name, good, bad", EXTRA_TYPES.values(), ids=EXTRA_TYPES)
def test_types_of_ml_dtypes(echoes, relax, name, good, bad):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = np.dtype(getattr(ml_dtypes, name))
    for functions in echoes:
        function = functions[name]
        assert function.inputs[0].dtype == dtype and str(function.inputs[0]) == f"x: {name}[n]"
        for n in [5, 0, 1]:
            plain = np.resize(np.array([good, 1]), n)
            x = plain.astype(dtype)
            for value in [x, np.repeat(x, 2)[::2], plain.tolist()]:
                doubled, wide = function(value).values()
                assert doubled.dtype == dtype and doubled.tobytes() == np.tile(x, 2).tobytes()
                np.testing.assert_array_equal(doubled.astype(wide.dtype), np.tile(plain, 2))
                np.testing.assert_array_equal(wide, plain)
        with pytest.raises((TypeError, OverflowError), match="input 'x'"):
            function(bad)
        with pytest.raises(relax.RelaxError, match="element type"):
            function(np.zeros(2))


def test_without_ml_dtypes(relax, echoes, build, tmp_path):
    """The package needs it for such elements only, and says so."""
    _, module = echoes
    module.compile_to(tmp_path / "a.rlx", functions=["*"])
    run_python(build, f"""
import sys
sys.modules["ml_dtypes"] = None
import numpy as np, relax
executable = relax.load({str(tmp_path / 'a.rlx')!r})
assert repr(executable["int4"].inputs[0]) == "x: int4[n]"
for attempt in [lambda: executable["int4"]([1]), lambda: executable["bfloat16"].inputs[0].dtype]:
    try:
        attempt()
    except ImportError as error:
        assert "need the Python package ml_dtypes" in str(error), error
    else:
        raise AssertionError("no error")
""")


def test_wrong_inputs(executable, relax):
    x = make_x(2)
    with pytest.raises(TypeError, match=r"main\(\) is missing input 'x'"):
        executable(w=W)
    with pytest.raises(TypeError, match=r"main\(\) has no input 'z'"):
        executable(x, W, z=W)
    with pytest.raises(TypeError, match=r"main\(\) takes 2 inputs but 3 were given"):
        executable(x, W, W)
    with pytest.raises(TypeError, match=r"main\(\) got input 'x' twice"):
        executable(x, x=x, w=W)
    with pytest.raises(TypeError, match="byte order"):
        executable(x.astype(">f4"), W)
    for bad in [x.astype(np.complex64), x.astype(object), np.array([["a"] * 4]), "text", None, object()]:
        with pytest.raises(TypeError, match="input 'x'"):
            executable(bad, W)
    for bad, message in [(x[0], "rank"), (x.astype(np.float64), "float64"), (x[:, :3], "dimension 1")]:
        with pytest.raises(relax.RelaxError, match=message) as caught:
            executable(bad, W)
        assert caught.value.status in ("invalid argument", "shape mismatch") and caught.value.diagnostics == ()
    i, d = np.arange(3, dtype=np.int32), np.zeros(3)
    with pytest.raises(relax.RelaxError, match="n mod 2 == 0") as caught:
        executable["twice"](i, d, i == 0, np.float32(1))
    assert caught.value.status == "shape mismatch"
    np.testing.assert_allclose(executable(x, W)["y"], np.maximum(x @ W, 0), rtol=1e-5, atol=1e-5)


def test_bad_artifacts(relax, artifact, tmp_path):
    path = tmp_path / "bad.rlx"
    with pytest.raises(relax.RelaxError, match="bad.rlx") as caught:
        relax.load(path)
    assert caught.value.status == "io error"
    for bad in [b"", b"not an artifact", artifact[:-1], artifact[:5000] + b"\1" + artifact[5001:]]:
        path.write_bytes(bad)
        for source, name in [(path, "bad.rlx"), (bad, "<bytes>"), (bytearray(bad), "<bytes>")]:
            with pytest.raises(relax.RelaxError, match=name) as caught:
                relax.load(source)
            assert caught.value.status == "invalid artifact"
    with pytest.raises(relax.RelaxError, match="libnone.so"):
        relax.load(artifact, libraries=[tmp_path / "libnone.so"])
    with pytest.raises(TypeError):
        relax.load(3)


def test_files_and_options(relax, module, tmp_path):
    module.compile_to(tmp_path / "a.rlx")
    executable = relax.load(str(tmp_path / "a.rlx"), threads=1)
    (tmp_path / "a.rlx").unlink()  # it stays open where it is needed
    assert list(executable.functions) == ["main"]
    before = executable.counters["calls"]
    assert executable(make_x(3), W)["y"].shape == (3, 8)
    assert executable.counters["calls"] == before + 1
    assert sum(executable.kernels.values()) == executable.counters["kernel_launches"] > 0
    assert executable.memory_report.startswith("{")
    executable.cancel()  # nothing is running
    small = relax.load(module.compile_to_bytes(target="native"), memory_limit=4096)
    with pytest.raises(relax.RelaxError) as caught:
        small(make_x(4096), W)
    assert caught.value.status == "out of memory"
    assert small(make_x(1), W)["y"].shape == (1, 8)


def test_threads(executable):
    """Calls of one executable run at once and do not mix."""
    wrong = []

    def run(seed):
        for round in range(20):
            x = make_x(1 + (seed * 7 + round) % 40)
            if not np.allclose(executable(x, W)["y"], np.maximum(x @ W, 0), rtol=1e-5, atol=1e-5):
                wrong.append((seed, round))

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_other_threads_run_meanwhile(relax, module):
    """The GIL is released while a module is compiled and while a function runs."""
    n = relax.dim("n")
    with relax.function() as f:
        x = f.input("x", (n, n))
        f.output(y=x @ x @ x)
    long_call = f.module.compile(threads=1)
    x = np.ones((700, 700), np.float32)
    for work in (lambda: module.compile_to_bytes(functions=["*"]), lambda: long_call(x)):
        ended = threading.Event()

        def run(work=work, ended=ended):
            work()
            ended.set()

        worker = threading.Thread(target=run)
        worker.start()
        turns = 0
        while not ended.wait(0.001):
            turns += 1
        worker.join()
        assert turns >= 3


def test_lifetime(relax, artifact):
    function = relax.load(artifact)["main"]
    gc.collect()
    result = function(make_x(2), W)["y"]
    del function
    gc.collect()
    assert result.shape == (2, 8)


# Modules


def test_module_text(relax, module, tmp_path):
    text = str(module)
    assert "relax.matmul" in text and str(relax.Module.parse(text)) == text
    assert str(relax.Module.parse(module.bytecode)) == text
    (tmp_path / "m.mlir").write_text(text)
    assert str(relax.Module.load(tmp_path / "m.mlir")) == text
    module.verify()
    assert list(module.functions) == ["main", "twice"]
    assert [info.name for info in module["main"].inputs] == ["x", "w"]
    assert repr(module["twice"].outputs[3]) == "result3: float32[]"


def test_diagnostics(relax, tmp_path):
    with pytest.raises(relax.RelaxError) as caught:
        relax.Module.parse("func.func @f() {\n  relax.nothing\n}", "bad.mlir")
    error = caught.value
    assert error.status == "invalid module" and "bad.mlir:2:3: error: " in str(error) and "relax.nothing" in str(error)
    first = error.diagnostics[0]
    assert (first.severity, first.file, first.line, first.column) == ("error", "bad.mlir", 2, 3)
    assert str(first).startswith("bad.mlir:2:3: error: ")
    with pytest.raises(relax.RelaxError, match="none.mlir"):
        relax.Module.load(tmp_path / "none.mlir")
    with pytest.raises(TypeError):
        relax.Module.parse(3)
    for bad in [b"\xff\xfe", b"ML\xefR", "é" * 3]:
        with pytest.raises(relax.RelaxError):
            relax.Module.parse(bad)


def test_pipelines(relax, module):
    copy = module.clone()
    events = []
    assert copy.run("relax-simplify", before=lambda name, text: events.append(("before", name, text)),
                    after=lambda name, text: events.append(("after", name, text))) is copy
    names = [(when, name) for when, name, _ in events]
    assert ("before", "relax-infer-shapes") in names and ("after", "relax-infer-shapes") in names
    assert all("relax.matmul" in text for _, _, text in events if "@main" in text)
    assert "relax.matmul" in str(module)
    with pytest.raises(relax.RelaxError, match="no-such-pass") as caught:
        copy.run("no-such-pass")
    assert caught.value.status == "invalid argument"
    with pytest.raises(relax.RelaxError, match="test.mlir:") as caught:
        copy.run("relax-verify-plain")
    assert caught.value.status == "pass failed" and caught.value.diagnostics
    copy.verify()

    def fail(name, text):
        raise KeyError(name)

    with pytest.raises(KeyError, match="cse"):
        copy.run("cse", before=fail)
    lowered = relax.Module.parse(MODULE).run("builtin.module(relax-to-linalg)")
    assert "linalg." in str(lowered) and "relax.matmul" not in str(lowered)


def test_compile_errors(relax, module, tmp_path):
    with pytest.raises(relax.RelaxError, match="no public function 'f', the module has: main, twice"):
        module.compile(functions=["f"])
    with pytest.raises(relax.RelaxError, match="abacus"):
        module.compile(target="abacus")
    with pytest.raises(relax.RelaxError, match="none") as caught:
        module.compile_to(tmp_path / "none" / "a.rlx")
    assert caught.value.status == "compile failed"
    with pytest.raises(TypeError):
        module.compile(no_option=1)
    with pytest.raises(relax.RelaxError, match="no_option|no-option"):
        module.compile(options={"no_option": 1})
    with pytest.raises(relax.RelaxError, match="there is no library description|cannot"):
        module.compile(options={"libraries": [tmp_path / "a b.mlir", "c"]})


def test_compile_options(relax, module):
    """The same results from every way to compile; what is left out shows in the number of kernels."""
    x = make_x(5)
    want = module.compile()(x, W)["y"]
    for target in ["x86-64,x86-64-v3", "baseline"] if os.uname().machine == "x86_64" else ["baseline"]:
        got = module.compile(target=target)
        np.testing.assert_allclose(got(x, W)["y"], want, rtol=1e-5, atol=1e-5)
    apart = module.compile(options={"fuse": False, "pack_weights": False})
    np.testing.assert_allclose(apart(x, W)["y"], want, rtol=1e-5, atol=1e-5)
    assert len(apart.kernels) > len(module.compile().kernels)


def test_interpreter(relax, module):
    for n in SIZES[:3]:
        x = make_x(n)
        for y in [relax.interpret(module, x, W), relax.interpret(module, w=W, x=x), module["main"](x, w=W)]:
            np.testing.assert_allclose(y["y"], np.maximum(x @ W, 0), rtol=1e-5, atol=1e-5)
    results = module["twice"]([3, 4], [0.5, 1], [True, False], 2)
    assert [array.tolist() for array in results.values()] == [[6, 8], [1, 2], [True, False], 4]
    with pytest.raises(relax.RelaxError, match="n mod 2 == 0") as caught:
        module["twice"]([3], [0.5], [True], 2)
    assert caught.value.status == "run failed"
    with pytest.raises(relax.RelaxError, match="dimension"):
        relax.interpret(module, make_x(2)[:, :3], W)
    with pytest.raises(TypeError, match="missing input 'w'"):
        relax.interpret(module, make_x(2))
    with pytest.raises(KeyError, match="no function 'f', the module has: main, twice"):
        module["f"]


def test_many_models(relax):
    """Models of one process know nothing of each other; all stay usable."""
    text = """
func.func @main(%x: tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
    attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %c = relax.constant dense<{0}.0> : tensor<f32>
  %0 = relax.add %x, %c : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<f32>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return %0 : tensor<?xf32, #relax_sym.shape<[n]>>
}}"""
    made = {}

    def make(k):
        made[k] = relax.Module.parse(text.format(k)).compile()

    threads = [threading.Thread(target=make, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n in SIZES:
        for k, model in sorted(made.items()):
            x = np.arange(n, dtype=np.float32)
            np.testing.assert_array_equal(model(x)["result0"], x + k)


# Sizes


def test_expressions(relax):
    n, m = relax.dim("n"), relax.dim("m")
    assert n * 4 + 1 == 1 + 4 * n and hash(n * 4 + 1) == hash(1 + 4 * n)
    assert 7 - n == -(n - 7) and n + n == 2 * n and (n + m) * (n - m) == n * n - m * m
    assert n != m and not n != n and not n == m and n != "n"
    assert str(n * 4 + 1) == str(relax.expr("n*4 + 1")) and (n * 4 + 1)(n=3) == 13
    assert relax.expr(7) == 7 and int(relax.expr(7)) == 7 and relax.expr(n) == n
    assert ((n + 3) // 4)(n=5) == 2 and relax.ceildiv(n, 4)(n=5) == 2 and (n % 4)(n=7) == 3 and (9 % (n + 1))(n=3) == 1
    assert relax.maximum(n, m, 3)(n=1, m=2) == 3 and relax.minimum(n, 2)(n=1) == 1
    assert (n * m + 1).symbols == ("m", "n") and relax.dim("past len").symbols == ("past len",)
    assert {n * 2: "a"}[n + n] == "a"
    with pytest.raises(relax.RelaxError, match="'n \\+': "):
        relax.expr("n +")
    with pytest.raises(relax.RelaxError, match="divisor"):
        n // 0
    with pytest.raises(relax.RelaxError, match="has no value"):
        (n + m)(n=1)
    with pytest.raises(ValueError, match="not a constant"):
        int(n)
    with pytest.raises(relax.RelaxError, match="64 bits"):
        n * 2**62 * 4


def test_prover(relax):
    n, m = relax.dim("n"), relax.dim("m")
    assert n >= 0 and not n < 0 and n <= n + m
    with pytest.raises(ValueError, match="depends"):
        bool(n <= m)
    assert relax.prove(n <= m) is None and relax.prove(n == m) is None and relax.prove("n < 0") is False
    prover = relax.Prover([n % 4 == 0, "n <= 64", m > n])
    assert prover.holds("n mod 2 == 0") is True and prover.holds(n >= 65) is False and prover.holds(n == 4) is None
    assert prover.holds(m >= 1) is True and relax.prove(n <= 3, given=[n < 4]) is True
    assert prover.bounds(n) == (0, 64) and prover.bounds(m)[1] is None and prover.bounds("n + 1") == (1, 65)
    assert prover.simplify(n // 4 * 4) == n
    assert prover.explain(n == 4).strip()
    assert len(prover.facts) == 3
    with pytest.raises(relax.RelaxError, match="exclude"):
        relax.Prover(["n <= 3", "n >= 4"])
    with pytest.raises(relax.RelaxError, match="'n =='"):
        relax.prove("n ==")


# The package


def run_python(build, code):
    process = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(build / 'python')!r})\n" + code],
                             capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_running_needs_no_compiler(relax, module, build, tmp_path):
    module.compile_to(tmp_path / "a.rlx")
    run_python(build, f"""
import numpy as np, relax
y = relax.load({str(tmp_path / 'a.rlx')!r})(np.ones((2, 4), np.float32), np.ones((4, 8), np.float32))["y"]
assert y.tolist() == [[4.0] * 8] * 2
assert "libMLIR" not in open("/proc/self/maps").read()
relax.dim("n")
assert "libMLIR" in open("/proc/self/maps").read()
""")


def test_without_the_compilers_libraries(build, tmp_path):
    """Another MLIR has another name, which the loader does not take: the error says what is needed."""
    loader = "libMLIR.so.22.1: cannot open shared object file: No such file or directory"
    (tmp_path / "_compiler.py").write_text(f"raise ImportError({loader!r})")
    (tmp_path / "compiler.py").write_text((build / "python/relax/compiler.py").read_text())
    run_python(build, f"""
import relax
relax.__path__[:] = [{str(tmp_path)!r}]
try:
    relax.dim("n")
except ImportError as error:
    assert "needs the shared libraries of MLIR and LLVM 22.1" in str(error) and {loader!r} in str(error), error
else:
    raise AssertionError("no error")
""")


def test_names(relax, build):
    assert set(relax.__all__) <= set(dir(relax))
    for name in relax.__all__:
        assert getattr(relax, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        relax.nothing  # noqa: B018
    for extension in ("_runtime", "_compiler"):
        symbols = subprocess.run(["nm", "-D", "--defined-only", *(build / "python/relax").glob(f"{extension}.*.so")],
                                 capture_output=True, text=True).stdout.split()[2::3]
        assert symbols == [f"PyInit_{extension}"]


def test_stubs(relax, build):
    if not (build / "python/relax/_runtime.pyi").exists():
        pytest.skip("an instrumented build has no stubs")
    for extension, names in {"_runtime": ["class Executable", "def counters(self) -> dict[str, int]"],
                             "_compiler": ["class Module", "def dim(name: str) -> Expr"]}.items():
        text = (build / f"python/relax/{extension}.pyi").read_text()
        compile(text, extension, "exec")
        for name in names:
            assert name in text
    assert (build / "python/relax/py.typed").exists()


@pytest.mark.parametrize("other", ["iree.compiler", "jaxlib.mlir.ir", "mlir.ir"])
def test_beside_another_mlir(relax, build, other):
    """Both orders of import; each compiles a module."""
    if importlib.util.find_spec(other.partition(".")[0]) is None:
        pytest.skip("not installed")
    ours = f"""
import numpy as np, relax
module = relax.Module.parse({MODULE!r})
y = module.compile()(np.ones((2, 4), np.float32), np.ones((4, 8), np.float32))["y"]
assert y.tolist() == [[4.0] * 8] * 2
"""
    ir = "iree.compiler.ir" if other == "iree.compiler" else other
    theirs = f"""
import {other}
from {ir} import Context, Module
with Context():
    assert "@theirs" in str(Module.parse("module @theirs {{}}"))
"""
    run_python(build, ours + theirs + ours)
    run_python(build, theirs + ours + theirs)
