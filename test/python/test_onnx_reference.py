# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Operators that onnxruntime does not have, or computes otherwise, against onnx's reference evaluator; and what only
run time can refuse."""
import numpy as np
import onnx
import pytest
from onnx import parser, reference

HEAD = '<ir_version: 10, opset_import: ["" : 22, "ai.onnx.ml" : 5, "ai.onnx.preview" : 1]>\n'


def floats(*shape):
    return np.random.default_rng(sum(shape) + len(shape)).standard_normal(shape).astype(np.float32)


def deform(batch, height, width, offset_channels):
    rows, columns = height - 1, (width + 1) // 2
    return {"x": floats(batch, 4, height, width), "w": floats(6, 2, 2, 3), "b": floats(6),
            "o": 2 * floats(batch, offset_channels, rows, columns), "m": floats(batch, offset_channels // 2, rows, columns)}


# name: model, inputs
CASES = {
    "det": ("g (float[b,n,n] x) => (float[b] y) { y = Det (x) }",
            [{"x": floats(3, 4, 4)}, {"x": floats(1, 1, 1)}, {"x": floats(0, 3, 3)}, {"x": floats(2, 0, 0)},
             {"x": np.float32([[[0, 1], [1, 0]], [[0, 0], [0, 0]]])}]),
    "deform_conv": ("""g (float[n,4,h,w] x, float[6,2,2,3] w, float[n,24,a,c] o, float[6] b, float[n,12,a,c] m) => (float[n,6,a,c] y) {
        y = DeformConv <group: int = 2, offset_group: int = 2, strides: ints = [1,2], pads: ints = [0,1,0,1]> (x, w, o, b, m) }""",
                    [deform(1, 4, 5, 24), deform(2, 3, 2, 24), deform(1, 6, 7, 24)]),
    "tree_ensemble": ("""g (float[n,2] x) => (float[n,2] y) { y = ai.onnx.ml.TreeEnsemble <aggregate_function: int = 1, n_targets: int = 2,
        tree_roots: ints = [0, 2], nodes_featureids: ints = [0, 1, 1, 0], nodes_modes: tensor = uint8[4] m {0, 6, 3, 5},
        nodes_splits: tensor = float[4] s {0.5, 0, -0.5, 1}, nodes_truenodeids: ints = [1, 0, 3, 3],
        nodes_trueleafs: ints = [0, 1, 0, 1], nodes_falsenodeids: ints = [1, 2, 0, 4], nodes_falseleafs: ints = [1, 1, 1, 1],
        nodes_missing_value_tracks_true: ints = [1, 0, 0, 1], membership_values: tensor = float[3] v {1, 2, nan},
        leaf_targetids: ints = [0, 1, 0, 1, 1], leaf_weights: tensor = float[5] w {1, 2, 4, 8, 16}> (x) }""",
                      [{"x": np.float32([[0, 1], [0, 2], [0, 3], [1, -1], [2, 1], [1, 1], [np.nan, 2]])}, {"x": floats(1, 2)}]),
    "features": ("""g (float[n,m] x, int64[k] i) => (float[n,k] y, float[n,m] z) {
        y = ai.onnx.ml.ArrayFeatureExtractor (x, i) z = ai.onnx.ml.Binarizer <threshold: float = 0.25> (x) }""",
                 [{"x": floats(3, 4), "i": np.int64([3, 0, 0])}, {"x": floats(1, 1), "i": np.int64([0])}]),
    "flex_attention": ("""g (float[b,h,l,8] q, float[b,k,s,8] k, float[b,k,s,6] v) => (float[b,h,l,6] y) {
        y = ai.onnx.preview.FlexAttention <score_mod: graph = cap (float[B,H,L,S] x) => (float[B,H,L,S] o) <float c = {5}> {
          d = Div (x, c) t = Tanh (d) o = Mul (t, c) }, prob_mod: graph = half (float[B,H,L,S] p) => (float[B,H,L,S] o) {
          o = Mul (p, p) }> (q, k, v) }""",
                       [{"q": floats(2, 4, 3, 8), "k": floats(2, 2, 5, 8), "v": floats(2, 2, 5, 6)},
                        {"q": floats(1, 1, 1, 8), "k": floats(1, 1, 1, 8), "v": floats(1, 1, 1, 6)}]),
    "mel": ("""g (int64 n, int64 l, int64 r, float a, float b) => (float[s,n] y) { y = MelWeightMatrix (n, l, r, a, b) }""",
            [{"n": np.int64(count), "l": np.int64(length), "r": np.int64(8192), "a": np.float32(0), "b": np.float32(high)}
             for count, length, high in [(8, 16, 4096), (1, 40, 2000), (0, 16, 4000)]]),
    "conv_transpose": ("""g (float[n,2,h,w] x, float[2,3,p,q] w) => (float[n,3,a,c] y, float[n,3,d,e] z) {
        y = ConvTranspose <strides: ints = [2,3], pads: ints = [1,0,0,1], output_padding: ints = [1,1]> (x, w)
        z = ConvTranspose <auto_pad: string = "SAME_UPPER", strides: ints = [2,2]> (x, w) }""",
                       [{"x": floats(1, 2, 3, 4), "w": floats(2, 3, 3, 3)}, {"x": floats(2, 2, 1, 1), "w": floats(2, 3, 2, 3)},
                        {"x": floats(1, 2, 5, 2), "w": floats(2, 3, 4, 2)}]),
}


def run_all(relax, text, inputs):
    """The model compiled and interpreted beside the reference."""
    model = parser.parse_model(HEAD + text)
    module = relax.onnx.load(model)
    evaluator = reference.ReferenceEvaluator(model)
    names = [info.name for info in model.graph.output]
    for run in [module.compile(), module["main"]]:
        for given in inputs:
            got = run(**given)
            for name, want in zip(names, evaluator.run(None, given)):
                want = np.asarray(want)
                assert got[name].shape == want.shape and got[name].dtype == want.dtype, (name, got[name].shape, want.shape)
                np.testing.assert_allclose(got[name], want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_reference(relax, name):
    run_all(relax, *CASES[name])


def test_column_major_indices(relax):
    """Positions in the image with its dimensions in reverse order."""
    text = """g (float[n,c,h,w] x) => (float[n,c,a,b] y, int64[n,c,a,b] z) {{
        y, z = MaxPool <kernel_shape: ints = [2,2], strides: ints = [2,1], storage_order: int = {}> (x) }}"""
    plain, turned = [relax.onnx.load(parser.parse_model(HEAD + text.format(order))).compile() for order in (0, 1)]
    for shape in [(2, 3, 5, 4), (1, 1, 2, 2), (0, 2, 3, 3)]:
        x = floats(*shape)
        rest, column = np.divmod(plain(x)["z"], max(shape[3], 1))
        image, row = np.divmod(rest, max(shape[2], 1))
        np.testing.assert_array_equal(turned(x)["z"], image * shape[2] * shape[3] + column * shape[2] + row)


def test_refused_at_run_time(relax):
    """Sizes for which a rank, or the number of windows, is in doubt."""
    squeeze = relax.onnx.load(parser.parse_model(HEAD + "g (float[n,1,m] x) => (float[n,m] y) { y = Squeeze (x) }"))
    for run in [squeeze.compile(), squeeze["main"]]:
        for shape in [(2, 1, 3), (0, 1, 3)]:
            assert run(floats(*shape))["y"].shape == (shape[0], shape[2])
        with pytest.raises(relax.RelaxError, match="without axes, dimension 0 of extent n must not be 1"):
            run(floats(1, 1, 3))
    pool = relax.onnx.load(parser.parse_model(HEAD + """g (float[n,1,h,w] x) => (float[n,1,a,b] y) {
        y = MaxPool <kernel_shape: ints = [2,2], strides: ints = [2,2]> (x) }"""))
    for run in [pool.compile(), pool["main"]]:
        for shape in [(1, 1, 3, 4), (0, 1, 2, 2)]:
            assert run(floats(*shape))["y"].shape == (shape[0], 1, 1, shape[3] // 2)
        with pytest.raises(relax.RelaxError, match="a window of 2 does not fit dimension 2 of extent h with pads of 0"):
            run(floats(1, 1, 1, 4))
    known = parser.parse_model(HEAD + """g (float[n,1,1,w] x) => (float[n,1,a,b] y) {
        y = MaxPool <kernel_shape: ints = [2,2], strides: ints = [2,2]> (x) }""")
    assert onnx.shape_inference.infer_shapes(known).graph.output[0].type.tensor_type.shape.dim[2].dim_value == 1
    got = relax.onnx.load(known)["main"](np.float32([[[[1, 3, 2, 5]]]]))["y"]
    np.testing.assert_array_equal(got, [[[[3, 5]]]])


def test_scan_outputs(relax):
    """The first value of a scan output says what size the others must have."""
    masked = relax.onnx.load(parser.parse_model(HEAD + """g (float[n,3] x, int64 trip, bool[n] m) => (float[t,u,3] y) { y = Loop (trip, "") <body = body (
        int64 i, bool c) => (bool d, float[u,3] s) { k = Compress <axis: int = 0> (x, m) f = Cast <to: int = 1> (i) s = Add (k, f)
        d = Identity (c) }> }"""))
    for run in [masked.compile(), masked["main"]]:
        for mask, trip in [([1, 0, 1, 1], 3), ([1], 1), ([0, 0], 2), ([], 2)]:
            x, mask = floats(len(mask), 3), np.array(mask, bool)
            want = np.stack([x[mask] + np.float32(i) for i in range(trip)])
            np.testing.assert_array_equal(run(x, np.int64(trip), mask)["y"], want)
    growing = relax.onnx.load(parser.parse_model(HEAD + """g (float[n] x, int64 trip) => (float[t,u] y) <int64[1] zero = {0}, int64[1] one = {1}> {
        y = Loop (trip, "") <body = body (int64 i, bool c) => (bool d, float[u] s) {
          e = Reshape (i, one) s = Slice (x, zero, e) d = Identity (c) }> }"""))
    for run in [growing.compile(), growing["main"]]:
        assert run(floats(3), np.int64(1))["y"].shape == (1, 0)
        assert run(floats(3), np.int64(0))["y"].shape == (0, 0)
        with pytest.raises(relax.RelaxError, match="dimension 1"):
            run(floats(3), np.int64(2))
