# Licensed under the Apache License, Version 2.0. See LICENSE.
"""oneDNN by its description alone: share/libraries/onednn.mlir as it is shipped, with the library of PyPI and with a stand-in that
checks what it is called with."""
import ctypes
import importlib.metadata
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

MODEL = """
#x = #relax_sym.shape<[m, k]>
#w = #relax_sym.shape<[k, n]>
#y = #relax_sym.shape<[m, n]>
#bx = #relax_sym.shape<[b, m, k]>
#by = #relax_sym.shape<[b, m, n]>
func.func @plain(%x: tensor<?x?xf32, #x> {relax.name = "x"}, %w: tensor<?x?xf32, #w> {relax.name = "w"})
    -> (tensor<?x?xf32, #y> {relax.name = "y"}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x?xf32, #x>, tensor<?x?xf32, #w>) -> tensor<?x?xf32, #y>
  return %0 : tensor<?x?xf32, #y>
}
func.func @batch(%x: tensor<?x?x?xf32, #bx> {relax.name = "x"}, %w: tensor<?x?xf32, #w> {relax.name = "w"})
    -> (tensor<?x?x?xf32, #by> {relax.name = "y"}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x?x?xf32, #bx>, tensor<?x?xf32, #w>) -> tensor<?x?x?xf32, #by>
  return %0 : tensor<?x?x?xf32, #by>
}
"""

# The declaration is oneDNN's (dnnl_sgemm of oneapi/dnnl/dnnl.h); 2 is its dnnl_invalid_arguments. What it computes is told
# apart from generated code by a 0.5 that is added.
STAND_IN = """
#include <stdint.h>
int dnnl_sgemm(char transa, char transb, int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
               const float *b, int64_t ldb, float beta, float *c, int64_t ldc) {
  if (transa != 'N' || transb != 'N' || m < 1 || n < 1 || k < 1 || alpha != 1.0f || beta != 0.0f || !a || !b || !c ||
      lda != k || ldb != n || ldc != n)
    return 2;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0.5f;
      for (int64_t l = 0; l < k; ++l)
        sum += a[i * lda + l] * b[l * ldb + j];
      c[i * ldc + j] = sum;
    }
  return 0;
}
"""

# Rows, reduction, columns; the last three have something that is empty.
SIZES = [(1, 1, 1), (7, 64, 1), (33, 17, 65), (128, 256, 96), (2, 3, 5), (0, 3, 4), (2, 0, 3), (3, 4, 0)]
NUM_CALLS = 5


def find_onednn():
    """The folder of libdnnl.so.3: RELAX_ONEDNN, or where `pip install onednn-cpu-gomp` puts it."""
    if folder := os.environ.get("RELAX_ONEDNN"):
        return pathlib.Path(folder)
    for name in ("onednn-cpu-gomp", "onednn"):
        try:
            files = importlib.metadata.files(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for file in files:
            if file.name == "libdnnl.so.3":
                return pathlib.Path(file.locate()).resolve().parent
    return None


@pytest.fixture
def run(tool, tmp_path):
    """run(function, folder) calls the model at all sizes, with libraries of a folder; results that differ from numpy's by
    `added`, and (library calls, fallbacks, kernel launches)."""

    def call(function, folder, added=0.0):
        (tmp_path / "model.mlir").write_text(MODEL)
        done = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.rlx", "--function=*", "--libraries=onednn")
        assert done.returncode == 0, done.stderr
        rng, files, wanted = np.random.default_rng(5), [], []
        for index, (m, k, n) in enumerate(SIZES):
            shape = (2, m, k) if function == "batch" else (m, k)
            x, w = rng.standard_normal(shape, np.float32), rng.standard_normal((k, n), np.float32)
            wanted.append(x @ w + (added if x.size and w.size else 0))
            np.savez(tmp_path / f"in{index}.npz", x=x, w=w)
            files += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
        # Only what the folder has, so that a library of the system does not decide a test.
        done = tool("relax-run", tmp_path / "model.rlx", "--function", function, "--counters", *files,
                    env={**os.environ, "LD_LIBRARY_PATH": f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}"})
        assert done.returncode == 0, done.stderr
        for index, want in enumerate(wanted):
            got = np.load(tmp_path / f"out{index}.npz")["y"]
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
        names = ("library calls", "fallbacks", "kernel launches")
        return tuple(int(re.search(rf"^{name}: (\d+)$", done.stdout, re.MULTILINE).group(1)) for name in names)

    return call


@pytest.mark.parametrize("function", ["plain", "batch"])
def test_a_stand_in_is_called_as_onednn_is(run, tmp_path, function):
    """Every argument of dnnl_sgemm; the results are the library's, not those of generated code."""
    compiler = shutil.which("cc") or shutil.which("clang-22") or shutil.which("clang")
    if not compiler:
        pytest.skip("there is no C compiler")
    (tmp_path / "onednn.c").write_text(STAND_IN)
    subprocess.run([compiler, "-O1", "-fPIC", "-shared", tmp_path / "onednn.c", "-o", tmp_path / "libdnnl.so.3"], check=True)
    assert run(function, tmp_path, added=0.5) == (NUM_CALLS, 0, len(SIZES) - NUM_CALLS)


def test_absent_onednn_is_counted(run, tmp_path):
    if shutil.which("ldconfig") and "libdnnl.so" in subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout:
        pytest.skip("the system has oneDNN")
    assert run("plain", tmp_path) == (0, NUM_CALLS, len(SIZES))


@pytest.mark.parametrize("function", ["plain", "batch"])
def test_onednn(run, function):
    """The library itself, version 3: it computes what numpy does, and its own profile tells that it was called."""
    folder = find_onednn()
    if not folder:
        pytest.skip("optional: no oneDNN 3 (pip install onednn-cpu-gomp, or RELAX_ONEDNN=FOLDER of libdnnl.so.3)")

    class Version(ctypes.Structure):
        _fields_ = [("major", ctypes.c_int), ("minor", ctypes.c_int), ("patch", ctypes.c_int)]

    library = ctypes.CDLL(str(folder / "libdnnl.so.3"))
    library.dnnl_version.restype = ctypes.POINTER(Version)
    assert library.dnnl_version().contents.major == 3
    assert run(function, folder) == (NUM_CALLS, 0, len(SIZES) - NUM_CALLS)
