# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Rewrites of graphs, against numpy: products of one operand as one, moves of elements behind what they do not change."""
import numpy as np
import pytest

SIZES = [0, 1, 7, 13, 300, 2]
COMBINE = "--enable=products"


def weight(name, array):
    shape = "x".join(map(str, array.shape))
    return f'relax.weight_data @{name} : tensor<{shape}xf32> = dense<"0x{array.tobytes().hex()}"> : tensor<{shape}xf32>\n'


@pytest.fixture
def run(relax, tool, tmp_path):
    def run(text, arguments, *options):
        """Results of each call, all in one process, and the counters."""
        (tmp_path / "in.mlir").write_text(text)
        done = tool("relax-compile", tmp_path / "in.mlir", "-o", tmp_path / "out.rlx", *options)
        assert done.returncode == 0, done.stderr
        executable = relax.load(tmp_path / "out.rlx")
        return [list(executable["main"](*call).values()) for call in arguments], executable.counters

    return run


def make_layers(rng):
    """Three transposed weights with a bias, as exporters write attention; two without, of which only one is activated."""
    weights = {name: rng.standard_normal(shape).astype(np.float32)
               for name, shape in {"wq": (12, 20), "wk": (4, 20), "wv": (4, 20), "bq": (12,), "bk": (4,), "bv": (4,),
                                   "gate": (20, 36), "up": (20, 36)}.items()}
    lines = []
    for name, columns in (("q", 12), ("k", 4), ("v", 4)):
        lines.append(f"""
  %w{name} = relax.weight @w{name} : tensor<{columns}x20xf32>
  %t{name} = relax.permute_dims %w{name} {{permutation = array<i64: 1, 0>}} : (tensor<{columns}x20xf32>) -> tensor<20x{columns}xf32>
  %b{name} = relax.weight @b{name} : tensor<{columns}xf32>
  %m{name} = relax.matmul %x, %t{name} : (tensor<2x?x20xf32, #x>, tensor<20x{columns}xf32>) -> tensor<2x?x{columns}xf32, #relax_sym.shape<[2, n, {columns}]>>
  %{name} = relax.add %m{name}, %b{name} : (tensor<2x?x{columns}xf32, #relax_sym.shape<[2, n, {columns}]>>, tensor<{columns}xf32>) -> tensor<2x?x{columns}xf32, #relax_sym.shape<[2, n, {columns}]>>""")
    text = "".join(weight(*item) for item in weights.items()) + f"""
#x = #relax_sym.shape<[2, n, 20]>
#y = #relax_sym.shape<[2, n, 12]>
#z = #relax_sym.shape<[2, n, 4]>
#u = #relax_sym.shape<[2, n, 36]>
func.func @main(%x: tensor<2x?x20xf32, #x>, %y: tensor<2x?x20xf32, #x>) -> (tensor<2x?x12xf32, #y>, tensor<2x?x4xf32, #z>, tensor<2x?x4xf32, #z>, tensor<2x?x36xf32, #u>) attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
{"".join(lines)}
  %wg = relax.weight @gate : tensor<20x36xf32>
  %wu = relax.weight @up : tensor<20x36xf32>
  %g = relax.matmul %y, %wg : (tensor<2x?x20xf32, #x>, tensor<20x36xf32>) -> tensor<2x?x36xf32, #u>
  %s = relax.silu %g : (tensor<2x?x36xf32, #u>) -> tensor<2x?x36xf32, #u>
  %p = relax.matmul %y, %wu : (tensor<2x?x20xf32, #x>, tensor<20x36xf32>) -> tensor<2x?x36xf32, #u>
  %m = relax.multiply %s, %p : (tensor<2x?x36xf32, #u>, tensor<2x?x36xf32, #u>) -> tensor<2x?x36xf32, #u>
  return %q, %k, %v, %m : tensor<2x?x12xf32, #y>, tensor<2x?x4xf32, #z>, tensor<2x?x4xf32, #z>, tensor<2x?x36xf32, #u>
}}
"""
    return text, {name: array.astype(np.float64) for name, array in weights.items()}


def test_products_of_one_operand(run, tool, tmp_path):
    rng = np.random.default_rng(5)
    text, w = make_layers(rng)
    (tmp_path / "layers.mlir").write_text(text)
    done = tool("relax-opt", tmp_path / "layers.mlir", "--relax-simplify", "--relax-combine-parallel-matmuls")
    assert done.returncode == 0 and done.stdout.count("relax.matmul") == 2, done.stderr
    assert done.stdout.count("relax.add") == 1
    calls = [[rng.standard_normal((2, n, 20)).astype(np.float32) for _ in range(2)] for n in SIZES]
    for options in ([COMBINE], [COMBINE, "--disable=fusion"], []):
        results, _ = run(text, calls, *options)
        for (x, y), (q, k, v, m) in zip(calls, results):
            x = x.astype(np.float64)
            for got, name in ((q, "q"), (k, "k"), (v, "v")):
                np.testing.assert_allclose(got, x @ w["w" + name].T + w["b" + name], rtol=1e-4, atol=1e-4)
            gate = y.astype(np.float64) @ w["gate"]
            np.testing.assert_allclose(m, gate / (1 + np.exp(-gate)) * (y @ w["up"]), rtol=1e-4, atol=1e-4)


# A network whose channels are last, as exporters write it for convolutions whose channels are first; the mean of the image.
IMAGES = """
#l = #relax_sym.shape<[n, h, 9, 3]>
#f = #relax_sym.shape<[n, 3, h, 9]>
#o = #relax_sym.shape<[n, 5, h, 9]>
#p = #relax_sym.shape<[n, h, 9, 5]>
func.func @main(%x: tensor<?x?x9x3xf32, #l>) -> (tensor<?x5xf32, #relax_sym.shape<[n, 5]>>, tensor<?x?x9x5xf32, #p>) attributes {relax_sym.scope = #relax_sym.scope<"1 <= h">} {
  %w = relax.weight @w : tensor<5x3x1x1xf32>
  %v = relax.weight @v : tensor<5x5x1x1xf32>
  %b = relax.weight @b : tensor<5xf32>
  %0 = relax.permute_dims %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<?x?x9x3xf32, #l>) -> tensor<?x3x?x9xf32, #f>
  %1 = relax.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x3x?x9xf32, #f>, tensor<5x3x1x1xf32>) -> tensor<?x5x?x9xf32, #o>
  %2 = relax.permute_dims %1 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<?x5x?x9xf32, #o>) -> tensor<?x?x9x5xf32, #p>
  %3 = relax.add %2, %b : (tensor<?x?x9x5xf32, #p>, tensor<5xf32>) -> tensor<?x?x9x5xf32, #p>
  %4 = relax.relu %3 : tensor<?x?x9x5xf32, #p>
  %5 = relax.permute_dims %4 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<?x?x9x5xf32, #p>) -> tensor<?x5x?x9xf32, #o>
  %6 = relax.conv %5, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x5x?x9xf32, #o>, tensor<5x5x1x1xf32>) -> tensor<?x5x?x9xf32, #o>
  %7 = relax.permute_dims %6 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<?x5x?x9xf32, #o>) -> tensor<?x?x9x5xf32, #p>
  %8 = relax.tanh %7 : tensor<?x?x9x5xf32, #p>
  %9 = relax.mean %8 {axes = array<i64: 1, 2>} : (tensor<?x?x9x5xf32, #p>) -> tensor<?x5xf32, #relax_sym.shape<[n, 5]>>
  return %9, %8 : tensor<?x5xf32, #relax_sym.shape<[n, 5]>>, tensor<?x?x9x5xf32, #p>
}
"""


def test_channels_last(run, tool, tmp_path):
    rng = np.random.default_rng(6)
    w = {name: rng.standard_normal(shape).astype(np.float32)
         for name, shape in {"w": (5, 3, 1, 1), "v": (5, 5, 1, 1), "b": (5,)}.items()}
    text = "".join(weight(*item) for item in w.items()) + IMAGES
    (tmp_path / "images.mlir").write_text(text)
    done = tool("relax-opt", tmp_path / "images.mlir", "--relax-simplify", "--relax-sink-moves")
    assert done.returncode == 0 and done.stdout.count("relax.permute_dims") == 2, done.stderr
    calls = [[rng.standard_normal((n, h, 9, 3)).astype(np.float32)] for n, h in ((0, 2), (1, 1), (3, 5), (2, 67), (1, 2))]
    launches = {}
    for option in ("--enable=moves", "--disable=moves"):  # one of them is the default
        results, counters = run(text, calls, option)
        launches[option] = counters["kernel_launches"]
        for (x,), (mean, image) in zip(calls, results):
            first = np.maximum(x.astype(np.float64) @ w["w"][:, :, 0, 0].T + w["b"], 0)
            want = np.tanh(first @ w["v"][:, :, 0, 0].T)
            np.testing.assert_allclose(image, want, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(mean, want.mean(axis=(1, 2)), rtol=1e-4, atol=1e-5)
    assert launches["--enable=moves"] < launches["--disable=moves"]


def round_to(array, kind):
    """The nearest numbers of bf16 or f16, ties to even, as f64."""
    if kind == "f16":
        return array.astype(np.float16).astype(np.float64)
    bits = array.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32).astype(np.float64)


@pytest.mark.parametrize("kind", ["bf16", "f16"])
def test_mixed_precision_rounds_what_is_multiplied(relax, run, kind):
    """Exactly the products of rounded numbers, up to the sums in f32."""
    rng = np.random.default_rng(8)
    text, w = make_layers(rng)
    calls = [[rng.standard_normal((2, n, 20)).astype(np.float32) for _ in range(2)] for n in SIZES]
    module = relax.Module.parse(text)
    executable = module.compile(options={"mixed_precision": kind})
    for options in ([f"--mixed-precision={kind}"], [f"--mixed-precision={kind}", COMBINE],
                    [f"--mixed-precision={kind}", "--disable=fusion,weights,packing"]):
        results, _ = run(text, calls, *options)
        for (x, y), (q, k, v, m) in zip(calls, results):
            rounded = round_to(x, kind)
            for got, name in ((q, "q"), (k, "k"), (v, "v")):
                want = rounded @ round_to(w["w" + name], kind).T + w["b" + name]
                np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
            rounded = round_to(y, kind)
            gate = rounded @ round_to(w["gate"], kind)
            np.testing.assert_allclose(m, gate / (1 + np.exp(-gate)) * (rounded @ round_to(w["up"], kind)), rtol=1e-4,
                                       atol=1e-5)
            for got, want in zip(executable["main"](x, y).values(), (q, k, v, m)):
                np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_only_weights_are_rounded(run):
    rng = np.random.default_rng(9)
    text, w = make_layers(rng)
    calls = [[rng.standard_normal((2, n, 20)).astype(np.float32) for _ in range(2)] for n in SIZES]
    results, _ = run(text, calls, "--mixed-precision=bf16-weights")
    for (x, _), (q, *_) in zip(calls, results):
        want = x.astype(np.float64) @ round_to(w["wq"], "bf16").T + w["bq"]
        np.testing.assert_allclose(q, want, rtol=1e-5, atol=1e-5)


def test_mixed_precision_of_models(relax, tool, tmp_path):
    """An encoder and a decoder with a cache, within the bounds of docs/Passes/GraphPasses.md of what f32 gives."""
    from generated_models import SMALL_BERT, SMALL_DECODER, bert_inputs, decoder_inputs, save_bert, save_decoder
    save_bert(tmp_path / "bert.onnx", **SMALL_BERT)
    save_decoder(tmp_path / "decoder.onnx", **SMALL_DECODER)
    inputs = {"bert": [bert_inputs(b, s, SMALL_BERT["vocabulary"]) for b, s in ((1, 1), (2, 7), (1, 128), (3, 2))],
              "decoder": [decoder_inputs(b, s, p, **SMALL_DECODER) for b, s, p in ((1, 13, 0), (2, 1, 7), (1, 3, 61), (1, 1, 0))]}
    for name, calls in inputs.items():
        artifacts = {}
        for kind in ("", "bf16", "f16"):
            option = [f"--mixed-precision={kind}"] if kind else []
            done = tool("relax-compile", tmp_path / f"{name}.onnx", "-o", tmp_path / "out.rlx", *option)
            assert done.returncode == 0, done.stderr
            artifacts[kind] = relax.load((tmp_path / "out.rlx").read_bytes())["main"]
        for call in calls:
            want = artifacts[""](**call)
            for kind, tolerance in (("bf16", 0.03), ("f16", 0.004)):
                for output, got in artifacts[kind](**call).items():
                    # Relative to the largest magnitude: rounding errors of sums do not shrink with a single result.
                    scale = max(1.0, np.abs(want[output]).max(initial=0))
                    assert np.abs(got - want[output]).max(initial=0) <= tolerance * scale, (name, kind, output)


def test_unknown_precision_is_refused(tool, tmp_path):
    text, _ = make_layers(np.random.default_rng(1))
    (tmp_path / "in.mlir").write_text(text)
    done = tool("relax-compile", tmp_path / "in.mlir", "-o", tmp_path / "out.rlx", "--mixed-precision=f8")
    assert done.returncode == 1 and "products cannot read 'f8', expected f16 or bf16" in done.stderr
