# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Groups of passes that can be left out: the results stay, what they save goes."""

import sys

import numpy as np
import pytest

MODULE = """
#n = #relax_sym.shape<[n, 16]>
#o = #relax_sym.shape<[n, 8]>
#p = #relax_sym.shape<[p, 8]>
#q = #relax_sym.shape<[n + p, 8]>
relax.weight_data @w : tensor<8x16xf32> = dense<0.5> : tensor<8x16xf32>
func.func @main(%x: tensor<?x16xf32, #n>, %cache: tensor<?x8xf32, #p>) -> tensor<?x8xf32, #q> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %w = relax.weight @w : tensor<8x16xf32>
  %t = relax.permute_dims %w {permutation = array<i64: 1, 0>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
  %0 = relax.matmul %x, %t : (tensor<?x16xf32, #n>, tensor<16x8xf32>) -> tensor<?x8xf32, #o>
  %1 = relax.exp %0 : tensor<?x8xf32, #o>
  %2 = relax.cumsum %1 {axis = 0 : i64} : (tensor<?x8xf32, #o>) -> tensor<?x8xf32, #o>
  %3 = relax.cumsum %2 {axis = 0 : i64} : (tensor<?x8xf32, #o>) -> tensor<?x8xf32, #o>
  %4 = relax.cumsum %3 {axis = 1 : i64} : (tensor<?x8xf32, #o>) -> tensor<?x8xf32, #o>
  %5 = relax.concat %cache, %4 {axis = 0 : i64} : (tensor<?x8xf32, #p>, tensor<?x8xf32, #o>) -> tensor<?x8xf32, #q>
  return %5 : tensor<?x8xf32, #q>
}
"""
GROUPS = ["fusion", "weights", "packing", "growth", "sharing", "products", "moves", "layout"]


@pytest.fixture(scope="module")
def run(relax, tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("switches")
    (folder / "in.mlir").write_text(MODULE)

    def run(*options):
        """(result, counters) of one call."""
        done = tool("relax-compile", folder / "in.mlir", "-o", folder / "out.rlx", *options)
        assert done.returncode == 0, done.stderr
        executable = relax.load(folder / "out.rlx")
        x = np.linspace(-1, 1, 20 * 16, dtype=np.float32).reshape(20, 16)
        result = executable["main"](x, np.ones((3, 8), np.float32))
        return next(iter(result.values())), executable.counters

    return run


def test_results_are_the_same(run):
    want, all_on = run()
    for options in [*([f"--disable={group}"] for group in GROUPS), ["--disable=" + ",".join(GROUPS)], ["--enable=products"], ["--capture"],
                    ["--capture", "--disable=sharing,fusion"]]:
        got, counters = run(*options)
        np.testing.assert_allclose(got, want, rtol=1e-5, err_msg=str(options))
        text = " ".join(options)
        # The product reads a transposed weight where it is, unless nothing is fused.
        assert (counters["kernel_launches"] > all_on["kernel_launches"]) == ("fusion" in text), text
        assert (counters["captures"] > 0) == ("--capture" in text)
        assert (counters["extensions"] == 0) == ("growth" in text), text
        if text == "--disable=sharing":
            assert counters["arena_bytes"] > all_on["arena_bytes"]


def test_every_row_of_the_ablation(run, root):
    """The switches of benchmarks/ablation.py."""
    sys.path.insert(0, str(root / "benchmarks"))
    import ablation
    want, _ = run()
    every, rows = ablation.get_rows(True), ablation.get_rows(False)
    assert len(every) == len(set(every)) == 2**len(ablation.SWITCHES) and set(rows) < set(every)
    for on in rows:
        got, counters = run(*ablation.get_options(on))
        np.testing.assert_allclose(got, want, rtol=1e-5, err_msg=str(on))
        assert (counters["captures"] > 0) == ("capture" in on), on


def test_unknown_groups_are_refused(tool, tmp_path):
    (tmp_path / "in.mlir").write_text(MODULE)
    done = tool("relax-compile", tmp_path / "in.mlir", "-o", tmp_path / "out.rlx", "--disable=fusion,magic")
    assert done.returncode == 1
    assert "--disable: there is no group 'magic', expected fusion, weights, packing, growth, sharing, products, moves, layout" in done.stderr
