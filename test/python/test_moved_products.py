# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Products that read elements where they were before they were moved: keys and values of attention."""
import numpy as np

MODEL = """
#q = #relax_sym.shape<[h, s, 64]>
#k = #relax_sym.shape<[t, h, 64]>
#v = #relax_sym.shape<[h, t, 64]>
#c = #relax_sym.shape<[h, 64, t]>
#p = #relax_sym.shape<[h, s, t]>
func.func @main(%q: tensor<?x?x64xf32, #q> {relax.name = "q"}, %k: tensor<?x?x64xf32, #k> {relax.name = "k"},
                %v: tensor<?x?x64xf32, #k> {relax.name = "v"})
    -> (tensor<?x?x?xf32, #p> {relax.name = "scores"}, tensor<?x?x64xf32, #q> {relax.name = "mixed"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.permute_dims %k {permutation = array<i64: 1, 2, 0>} : (tensor<?x?x64xf32, #k>) -> tensor<?x64x?xf32, #c>
  %1 = relax.matmul %q, %0 : (tensor<?x?x64xf32, #q>, tensor<?x64x?xf32, #c>) -> tensor<?x?x?xf32, #p>
  %2 = relax.permute_dims %v {permutation = array<i64: 1, 0, 2>} : (tensor<?x?x64xf32, #k>) -> tensor<?x?x64xf32, #v>
  %3 = relax.matmul %1, %2 : (tensor<?x?x?xf32, #p>, tensor<?x?x64xf32, #v>) -> tensor<?x?x64xf32, #q>
  return %1, %3 : tensor<?x?x?xf32, #p>, tensor<?x?x64xf32, #q>
}
"""
SIZES = [(2, 1, 5), (3, 33, 17), (1, 40, 0), (0, 3, 4), (2, 0, 7), (4, 64, 257), (1, 1, 1), (3, 7, 131), (1, 31, 48)]


def test_products_of_moved_elements(tool, tmp_path):
    (tmp_path / "model.mlir").write_text(MODEL)
    done = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.rlx")
    assert done.returncode == 0, done.stderr
    rng, files = np.random.default_rng(7), []
    for index, (h, s, t) in enumerate(SIZES):
        arrays = {"q": (h, s, 64), "k": (t, h, 64), "v": (t, h, 64)}
        np.savez(tmp_path / f"in{index}.npz",
                 **{name: rng.standard_normal(shape).astype(np.float32) for name, shape in arrays.items()})
        files += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
    done = tool("relax-run", tmp_path / "model.rlx", *files)
    assert done.returncode == 0, done.stderr
    for index in range(len(SIZES)):
        given, got = np.load(tmp_path / f"in{index}.npz"), np.load(tmp_path / f"out{index}.npz")
        q, k, v = (given[name].astype(np.float64) for name in "qkv")
        scores = q @ k.transpose(1, 2, 0)
        np.testing.assert_allclose(got["scores"], scores, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(got["mixed"], scores @ v.transpose(1, 0, 2), rtol=1e-4, atol=1e-3)
