# Licensed under the Apache License, Version 2.0. See LICENSE.
"""An encoder, a decoder and a residual network with random weights: one artifact each, many sizes in one process.

Narrow networks always, those of full size when RELAX_HEAVY_TESTS is set: minutes, and 4 GB of disk.
"""
import array
import os
import subprocess
import sys

import generated_models as models
import numpy as np
import onnx
import pytest
from model_runs import check_model

heavy = pytest.mark.skipif(not os.environ.get("RELAX_HEAVY_TESTS"), reason="set RELAX_HEAVY_TESTS to run")
SIZES = ["small", pytest.param("full", marks=heavy)]


@pytest.mark.parametrize("size", SIZES)
def test_bert(tool, tmp_path, size):
    config = models.BERT if size == "full" else models.SMALL_BERT
    models.save_bert(tmp_path / "model.onnx", **config, external=size == "full")
    shapes = [(4, 128), (1, 1), (4, 128), (3, 77), (1, 9), (2, 0)]
    check_model(tool, tmp_path / "model.onnx", tmp_path,
                [models.bert_inputs(b, s, config["vocabulary"]) for b, s in shapes[: 5 if size == "full" else None]])


@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_decoder(tool, tmp_path, size, folded):
    """Prompts, then one token behind a cache, several at once behind one, and prompts again."""
    config = models.DECODER if size == "full" else models.SMALL_DECODER
    models.save_decoder(tmp_path / "model.onnx", **config, external=size == "full", folded=folded)
    shapes = [(1, 128, 0), (1, 1, 128), (4, 1, 511), (1, 128, 0), (2, 17, 33), (1, 1, 1), (3, 5, 0)]
    check_model(tool, tmp_path / "model.onnx", tmp_path, [models.decoder_inputs(*shape, **config) for shape in shapes])


@pytest.mark.parametrize("size", SIZES)
def test_resnet(tool, tmp_path, size):
    config = models.RESNET18 if size == "full" else models.SMALL_RESNET
    models.save_resnet(tmp_path / "model.onnx", **config, external=size == "full")
    shapes = [(2, 224, 224), (1, 32, 32), (2, 224, 224), (1, 97, 131), (3, 64, 33)]
    check_model(tool, tmp_path / "model.onnx", tmp_path, [models.resnet_inputs(*shape) for shape in shapes])


def measure_import(build, model):
    """Peak resident bytes."""
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    command = [sys.executable, "-c", code, build / "bin/relax-translate", "--import-onnx", model, "-o", os.devnull]
    return 1024 * int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def save_lookup(path, kind, rows):
    """A table of 512 columns in another file, in the model, or there in the fields of its element type; gives its size."""
    table = np.random.default_rng(rows).standard_normal((rows, 512), np.float32)
    tensor = onnx.numpy_helper.from_array(table, "w")
    if kind == "typed":
        tensor.ClearField("raw_data")
        tensor.float_data.extend(array.array("f", table.tobytes()))
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Gather", ["w", "i"], ["y"])], "graph",
        [onnx.helper.make_tensor_value_info("i", onnx.TensorProto.INT64, ["n"])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 512])], [tensor])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    onnx.save_model(model, path, save_as_external_data=kind == "external", location=path.name + ".data")
    return table.nbytes


@pytest.mark.parametrize("kind", ["external", "raw", "typed"])
def test_import_memory(build, tmp_path, kind):
    """The import does not hold the weights, wherever they are stored: memory does not grow with them."""
    small, large = tmp_path / "small.onnx", tmp_path / "large.onnx"
    more = save_lookup(large, kind, 20000) - save_lookup(small, kind, 4000)
    growth = measure_import(build, large) - measure_import(build, small)
    assert growth < 0.3 * more


def test_typed_weights(tool, tmp_path):
    """Tables in float_data stay in the file and are the same values."""
    save_lookup(tmp_path / "model.onnx", "typed", 20)
    imported = tool("relax-translate", "--import-onnx", tmp_path / "model.onnx")
    assert "relax.weight_data @w : tensor<20x512xf32> = #relax.blob<" in imported.stdout
    check_model(tool, tmp_path / "model.onnx", tmp_path, [{"i": np.arange(n)} for n in (20, 1)])
