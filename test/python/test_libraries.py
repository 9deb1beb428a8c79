# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Libraries as data: found when an artifact is loaded, called where their conditions hold, replaced where they are absent."""
import json
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

MODEL = """
#m_k = #relax_sym.shape<[m, k]>
#k_n = #relax_sym.shape<[k, n]>
#m_n = #relax_sym.shape<[m, n]>
#n = #relax_sym.shape<[n]>
func.func @f32(%x: tensor<?x?xf32, #m_k> {relax.name = "x"}, %w: tensor<?x?xf32, #k_n> {relax.name = "w"})
    -> (tensor<?x?xf32, #m_n> {relax.name = "y"}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x?xf32, #m_k>, tensor<?x?xf32, #k_n>) -> tensor<?x?xf32, #m_n>
  return %0 : tensor<?x?xf32, #m_n>
}
func.func @f64(%x: tensor<?x?xf64, #m_k> {relax.name = "x"}, %w: tensor<?x?xf64, #k_n> {relax.name = "w"})
    -> (tensor<?x?xf64, #m_n> {relax.name = "y"}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x?xf64, #m_k>, tensor<?x?xf64, #k_n>) -> tensor<?x?xf64, #m_n>
  return %0 : tensor<?x?xf64, #m_n>
}
func.func @linear(%x: tensor<?x?xf32, #m_k> {relax.name = "x"}, %w: tensor<?x?xf32, #k_n> {relax.name = "w"},
                  %b: tensor<?xf32, #n> {relax.name = "b"}) -> (tensor<?x?xf32, #m_n> {relax.name = "y"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x?xf32, #m_k>, tensor<?x?xf32, #k_n>) -> tensor<?x?xf32, #m_n>
  %1 = relax.add %b, %0 : (tensor<?xf32, #n>, tensor<?x?xf32, #m_n>) -> tensor<?x?xf32, #m_n>
  %2 = relax.relu %1 : tensor<?x?xf32, #m_n>
  %3 = relax.exp %2 : tensor<?x?xf32, #m_n>
  %4 = relax.log %3 : tensor<?x?xf32, #m_n>
  return %4 : tensor<?x?xf32, #m_n>
}
func.func @chain(%x: tensor<?x?xf32, #m_k> {relax.name = "x"}, %w: tensor<?x?xf32, #k_n> {relax.name = "w"})
    -> (tensor<?x?xf32, #m_n> {relax.name = "y"}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.negate %x : tensor<?x?xf32, #m_k>
  %1 = relax.matmul %0, %w : (tensor<?x?xf32, #m_k>, tensor<?x?xf32, #k_n>) -> tensor<?x?xf32, #m_n>
  %2 = relax.negate %1 : tensor<?x?xf32, #m_n>
  return %2 : tensor<?x?xf32, #m_n>
}
"""

# In the extern signature, with scratch memory; and a plain C function.
SOURCE = """
#include <stddef.h>
#include <stdint.h>
typedef struct { void *data; const int64_t *dims; int64_t rank; uint64_t dtype; } view;
int32_t test_linear_relu(void *user, const view *args, int64_t num_args, const int64_t *scalars, int64_t num_scalars) {
  const float *x = args[0].data, *w = args[1].data, *b = args[2].data;
  float *y = args[3].data, *scratch = args[4].data;
  int64_t m = args[0].dims[0], k = args[0].dims[1], n = args[1].dims[1];
  if (user || num_args != 5 || num_scalars != 0 || m < 16 || args[4].dims[0] != (m + 1) * k * 4)
    return 1;
  for (int64_t i = 0; i < (m + 1) * k; ++i)
    scratch[i] = i < m * k ? x[i] : 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = b[j];
      for (int64_t l = 0; l < k; ++l)
        sum += scratch[i * k + l] * w[l * n + j];
      y[i * n + j] = sum > 0 ? sum : 0;
    }
  return 0;
}
int test_product(int64_t m, int64_t n, int64_t k, const float *x, const float *w, float *y) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += x[i * k + l] * w[l * n + j];
      y[i * n + j] = sum;
    }
  return m == 24 ? 7 : 0;
}
"""


def compile_c(folder, *options):
    compiler = shutil.which("cc") or shutil.which("clang-22") or shutil.which("clang")
    if not compiler:
        pytest.skip("there is no C compiler")
    (folder / "library.c").write_text(SOURCE)
    subprocess.run([compiler, "-O1", "-fPIC", str(folder / "library.c"), *options], check=True, cwd=folder)


@pytest.fixture
def compiled(tool, tmp_path):
    """compiled(options...) gives the artifact of MODEL."""

    def run(*options):
        (tmp_path / "model.mlir").write_text(MODEL)
        done = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.rlx", "--function=*", *options)
        assert done.returncode == 0, done.stderr
        return tmp_path / "model.rlx"

    return run


@pytest.fixture
def check(tool, tmp_path):
    """check(artifact, function, sizes) compares with numpy and gives library calls, fallbacks and launches."""

    def run(artifact, function, sizes, expected_error=None, names=("library calls", "fallbacks", "kernel launches")):
        rng, files, wanted = np.random.default_rng(3), [], []
        dtype = np.float64 if function == "f64" else np.float32
        for index, (m, k, n) in enumerate(sizes):
            arrays = {"x": rng.standard_normal((m, k)).astype(dtype), "w": rng.standard_normal((k, n)).astype(dtype)}
            wanted.append(arrays["x"] @ arrays["w"])
            if function == "linear":
                arrays["b"] = rng.standard_normal(n).astype(dtype)
                wanted[-1] = np.maximum(wanted[-1] + arrays["b"], 0)
            np.savez(tmp_path / f"in{index}.npz", **arrays)
            files += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
        done = tool("relax-run", artifact, "--function", function, "--counters", *files)
        if expected_error:
            assert done.returncode == 1
            assert expected_error in done.stderr
            return None
        assert done.returncode == 0, done.stderr
        for index, want in enumerate(wanted):
            got = np.load(tmp_path / f"out{index}.npz")["y"]
            assert got.shape == want.shape and got.dtype == want.dtype
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
        return tuple(int(re.search(rf"^{name}: (\d+)$", done.stdout, re.MULTILINE).group(1)) for name in names)

    return run


SIZES = [(0, 3, 4), (1, 5, 7), (2, 0, 3), (7, 64, 1), (33, 17, 65)]
NOT_EMPTY = 3  # what BLAS takes


def numpy_openblas():
    """numpy brings OpenBLAS with symbol names and integers of its own."""
    found = sorted(pathlib.Path(np.__file__).parents[1].glob("numpy.libs/libscipy_openblas64_*.so"))
    return found[0] if found else None


def describe_numpy(root, soname):
    text = (root / "share/libraries/openblas.mlir").read_text()
    text = text.replace('"libopenblas.so.0", "libopenblas.so"', f'"{soname}"')
    for name in ("cblas_sgemm", "cblas_dgemm"):
        text = text.replace(f'"{name}"', f'"scipy_{name}64_"')
    return re.sub(r"\{i32 = #relax_sym", "{i64 = #relax_sym", text)


@pytest.mark.parametrize("function", ["f32", "f64"])
def test_openblas(compiled, check, root, tmp_path, function):
    library = numpy_openblas()
    if not library:
        pytest.skip("numpy has no OpenBLAS of its own")
    (tmp_path / "numpy.mlir").write_text(describe_numpy(root, library))
    calls, fallbacks, launches = check(compiled(f"--libraries={tmp_path / 'numpy.mlir'}"), function, SIZES)
    assert (calls, fallbacks, launches) == (NOT_EMPTY, 0, len(SIZES) - NOT_EMPTY)


@pytest.mark.parametrize("is_there", [True, False])
def test_openblas_is_recorded(compiled, check, root, tmp_path, is_there):
    """What chooses between library and kernel does not end a region; each size has one recording, with its own choice."""
    library = numpy_openblas() if is_there else "libnothing-has-this-name.so.1"
    if not library:
        pytest.skip("numpy has no OpenBLAS of its own")
    (tmp_path / "numpy.mlir").write_text(describe_numpy(root, library))
    counts = check(compiled(f"--libraries={tmp_path / 'numpy.mlir'}", "--capture"), "chain", SIZES * 2,
                   names=("captures", "replays", "library calls", "fallbacks"))
    called = (2 * NOT_EMPTY, 0) if is_there else (0, 2 * NOT_EMPTY)
    assert counts == (len(SIZES), len(SIZES), *called)


def test_shipped_openblas(compiled, check):
    """Called where the machine has it, replaced where not."""
    calls, fallbacks, launches = check(compiled("--libraries=openblas"), "f32", SIZES)
    assert sorted([calls, fallbacks]) == [0, NOT_EMPTY] and calls + launches == len(SIZES)


def test_absent_library(compiled, check, root, tmp_path):
    (tmp_path / "absent.mlir").write_text(describe_numpy(root, "libnothing-has-this-name.so.1"))
    assert check(compiled(f"--libraries={tmp_path / 'absent.mlir'}"), "f32", SIZES) == (0, NOT_EMPTY, len(SIZES))


def test_library_of_ones_own(compiled, check, root, tmp_path):
    """Product, bias and relu are one call with scratch memory, from 16 rows; the elementwise rest is one kernel."""
    compile_c(tmp_path, "-shared", "-o", "libtest.so")
    text = (root / "test/Transforms/Inputs/libraries.mlir").read_text()
    text = text.replace('"libtest.so.1", "libtest.so"', f'"libtest.so.1", "{tmp_path}/libtest.so"')
    (tmp_path / "own.mlir").write_text(text[: text.index("relax_ext.func private @product(")])
    artifact = compiled(f"--libraries={tmp_path / 'own.mlir'}")
    assert check(artifact, "linear", [(16, 3, 5), (40, 8, 2), (17, 0, 1)])[:2] == (3, 0)
    assert check(artifact, "linear", [(0, 3, 5), (1, 8, 2), (15, 4, 4)])[:2] == (0, 0)


def test_object_kernel(compiled, check, tool, root, tmp_path):
    """A compiled C function becomes part of the artifact; its conditions are checked, its failure is an error."""
    compile_c(tmp_path, "-c", "-o", "product.o")
    text = (root / "test/Transforms/Inputs/libraries.mlir").read_text()
    start = text.index("relax_ext.func private @linear_relu("), text.index("relax_ext.func private @product(")
    (tmp_path / "object.mlir").write_text(text[: start[0]] + text[start[1] :])
    artifact = compiled(f"--libraries={tmp_path / 'object.mlir'}")
    # k mod 8 == 0 decides.
    assert check(artifact, "f32", [(0, 8, 4), (1, 16, 7), (5, 0, 3), (6, 24, 0)]) == (4, 0, 0)
    assert check(artifact, "f32", [(1, 7, 4), (3, 9, 5)]) == (0, 0, 2)
    check(artifact, "f32", [(24, 8, 1)], expected_error="library function 'test_product' returned 7")
    # A name that the file does not have.
    (tmp_path / "typo.mlir").write_text((tmp_path / "object.mlir").read_text().replace('symbol = "test_product"', 'symbol = "product"'))
    done = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "none.rlx", "--function=f32",
                f"--libraries={tmp_path / 'typo.mlir'}")
    assert done.returncode == 1 and not (tmp_path / "none.rlx").exists()
    assert "product.o' does not define the library function 'product'" in done.stderr
    (tmp_path / "product.o").unlink()
    done = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "none.rlx", "--function=f32",
                f"--libraries={tmp_path / 'object.mlir'}")
    assert done.returncode == 1 and "product.o" in done.stderr and not (tmp_path / "none.rlx").exists()


def test_dispatch_by_shape(compiled, check, root, tmp_path):
    """A table moves the border between library and generated code; one row has code of its own."""
    compile_c(tmp_path, "-shared", "-o", "libtest.so")
    text = (root / "test/Transforms/Inputs/libraries.mlir").read_text()
    text = text.replace('"libtest.so.1", "libtest.so"', f'"{tmp_path}/libtest.so"')
    (tmp_path / "own.mlir").write_text(text[: text.index("relax_ext.func private @product(")])
    table = {"functions": {"linear_relu": {"when": ["m * n * k >= 1000"]}}, "variants": {"linear_relu": [["m == 1"]]}}
    (tmp_path / "table.json").write_text(json.dumps(table))
    artifact = compiled(f"--libraries={tmp_path / 'own.mlir'}", f"--dispatch-table={tmp_path / 'table.json'}")
    assert check(artifact, "linear", [(16, 9, 7), (20, 10, 5)])[:2] == (2, 0)
    assert check(artifact, "linear", [(16, 2, 31), (999, 1, 1), (15, 100, 100), (0, 5, 5), (1, 6, 4), (2, 6, 4)])[:2] == (0, 0)


def test_grouped_patterns(compiled, check, root, tmp_path):
    """Ops that match a pattern of the user are one kernel of their own."""
    text = (root / "test/Transforms/Inputs/libraries.mlir").read_text()
    (tmp_path / "patterns.mlir").write_text(text)
    artifact = compiled(f"--patterns={tmp_path / 'patterns.mlir'}")
    assert check(artifact, "linear", [(0, 3, 5), (1, 8, 2), (15, 4, 4)]) == (0, 0, 6)
