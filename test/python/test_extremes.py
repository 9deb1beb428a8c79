# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Largest and smallest elements of rows of any length, with infinities and what is no number anywhere in them."""
import numpy as np
import pytest

MODEL = """
#x = #relax_sym.shape<[n, k]>
#y = #relax_sym.shape<[n]>
func.func @main(%x: tensor<?x?x{type}, #x> {{relax.name = "x"}})
    -> (tensor<?x{type}, #y> {{relax.name = "max"}}, tensor<?x{type}, #y> {{relax.name = "min"}})
    attributes {{relax_sym.scope = #relax_sym.scope<"k >= 1">}} {{
  %0 = relax.max %x {{axes = array<i64: 1>}} : (tensor<?x?x{type}, #x>) -> tensor<?x{type}, #y>
  %1 = relax.min %x {{axes = array<i64: 1>}} : (tensor<?x?x{type}, #x>) -> tensor<?x{type}, #y>
  return %0, %1 : tensor<?x{type}, #y>, tensor<?x{type}, #y>
}}
"""
SIZES = [(0, 3), (1, 1), (3, 2), (2, 15), (5, 16), (4, 17), (3, 127), (7, 1031), (2, 40000), (1, 1), (2, 3)]


@pytest.mark.parametrize("name", ["f32", "f64"])
@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3", "native"])
def test_extremes_of_rows(tool, tmp_path, name, target):
    (tmp_path / "model.mlir").write_text(MODEL.format(type=name))
    done = tool("relax-compile", f"--target={target}", tmp_path / "model.mlir", "-o", tmp_path / "model.rlx")
    assert done.returncode == 0, done.stderr
    rng, files, cases = np.random.default_rng(3), [], []
    for index, (n, k) in enumerate(SIZES):
        x = rng.standard_normal((n, k)).astype(np.float32 if name == "f32" else np.float64)
        for row in range(n):
            x[row, rng.integers(k)] = [np.nan, np.inf, -np.inf, 0, 1e30][(index + row) % 5]
        cases.append(x)
        np.savez(tmp_path / f"in{index}.npz", x=x)
        files += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
    done = tool("relax-run", tmp_path / "model.rlx", *files)
    assert done.returncode == 0, done.stderr
    for index, x in enumerate(cases):
        got = np.load(tmp_path / f"out{index}.npz")
        np.testing.assert_array_equal(got["max"], x.max(1), err_msg=str(x.shape))
        np.testing.assert_array_equal(got["min"], x.min(1), err_msg=str(x.shape))
