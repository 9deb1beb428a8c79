# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Scratch memory of kernels is part of the arena: calls allocate nothing, results do not depend on threads."""
import re

import numpy as np

MODEL = """
#x = #relax_sym.shape<[n, k]>
#w = #relax_sym.shape<[k, m]>
#y = #relax_sym.shape<[n, m]>
#k = #relax_sym.shape<[k]>
func.func @main(%x: tensor<?x?xf16, #x> {relax.name = "x"}, %w: tensor<?x?xf16, #w> {relax.name = "w"},
                %v: tensor<?x?xf32, #x> {relax.name = "v"})
    -> (tensor<?x?xf16, #y> {relax.name = "product"}, tensor<?xf32, #k> {relax.name = "sums"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x?xf16, #x>, tensor<?x?xf16, #w>) -> tensor<?x?xf16, #y>
  %1 = relax.sum %v {axes = array<i64: 0>} : (tensor<?x?xf32, #x>) -> tensor<?xf32, #k>
  return %0, %1 : tensor<?x?xf16, #y>, tensor<?xf32, #k>
}
"""


def test_kernels_allocate_nothing(tool, tmp_path):
    (tmp_path / "model.mlir").write_text(MODEL)
    done = tool("relax-compile", tmp_path / "model.mlir", "--lift-workspaces", "--emit=llvm", "-o", "-")
    assert done.returncode == 0 and "@malloc" not in done.stdout, done.stderr
    done = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.rlx", "--lift-workspaces")
    assert done.returncode == 0, done.stderr
    rng, sizes = np.random.default_rng(5), [(300, 257, 130), (0, 3, 4), (1, 1, 1), (2, 0, 5), (7, 64, 33), (300, 257, 130)]
    files = []
    for index, (n, k, m) in enumerate(sizes):
        np.savez(tmp_path / f"in{index}.npz", x=rng.standard_normal((n, k)).astype(np.float16),
                 w=rng.standard_normal((k, m)).astype(np.float16), v=rng.standard_normal((n, k)).astype(np.float32))
        files += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
    results = []
    for threads in ("1", "4"):
        done = tool("relax-run", tmp_path / "model.rlx", "--threads", threads, "--counters", *files)
        assert done.returncode == 0, done.stderr
        results.append([dict(np.load(tmp_path / f"out{index}.npz")) for index in range(len(sizes))])
        # The arena and two outputs, once.
        assert int(re.search(r"^allocations: (\d+)$", done.stdout, re.MULTILINE).group(1)) <= 3
    for index in range(len(sizes)):
        given = np.load(tmp_path / f"in{index}.npz")
        product = given["x"].astype(np.float32) @ given["w"].astype(np.float32)
        for got in (results[0][index], results[1][index]):
            np.testing.assert_allclose(got["product"], product, rtol=2e-3, atol=2e-3)
            np.testing.assert_allclose(got["sums"], given["v"].astype(np.float64).sum(0), rtol=1e-6, atol=1e-6)
        assert all(np.array_equal(results[0][index][name], results[1][index][name]) for name in ("product", "sums"))
