# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Models of TensorFlow, as StableHLO, where TensorFlow and JAX (which prints the generic form) are installed; of TFLite, as TOSA.

    python3 -m venv /tmp/tf && /tmp/tf/bin/pip install tensorflow-cpu jax tosa-converter-for-tflite
    RELAX_OTHERS_PYTHON=PYTHON .venv/bin/python3 -m pytest test/python/test_tensorflow.py
"""
import subprocess

import numpy as np
import pytest
from test_other_compilers import PYTHON, need

# Converts a model with unknown sizes, and what it gives at some sizes.
CONVERT = """
import re
import sys
import numpy as np
import tensorflow as tf
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

numbers = np.random.default_rng(0)
def weight(*shape):
    return tf.Variable(numbers.standard_normal(shape).astype(np.float32) * 0.3)

class ConvNet(tf.Module):
    signature = [tf.TensorSpec([None, 16, 16, 3], tf.float32)]
    def __init__(self):
        self.k, self.b, self.w, self.c = weight(3, 3, 3, 8), weight(8), weight(8, 5), weight(5)
    def model(self, x):
        y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, self.k, strides=1, padding="SAME"), self.b))
        y = tf.reduce_mean(tf.nn.max_pool2d(y, 2, 2, "VALID"), axis=[1, 2])
        return tf.nn.softmax(y @ self.w + self.c)
    def inputs(self, n):
        return [numbers.standard_normal((n, 16, 16, 3)).astype(np.float32)]

class Attention(tf.Module):
    signature = [tf.TensorSpec([None, None, 8], tf.float32), tf.TensorSpec([None, None, 8], tf.float32)]
    def __init__(self):
        self.q, self.k, self.v = weight(8, 8), weight(8, 8), weight(8, 8)
    def model(self, x, y):
        q, k, v = (tf.einsum("bnc,cd->bnd", t, w) for t, w in ((x, self.q), (y, self.k), (y, self.v)))
        z = tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 3.0), v) + x
        mean = tf.reduce_mean(z, -1, keepdims=True)
        return (z - mean) * tf.math.rsqrt(tf.reduce_mean((z - mean) ** 2, -1, keepdims=True) + 1e-5)
    def inputs(self, n):
        return [numbers.standard_normal((2, m, 8)).astype(np.float32) for m in (n, n + 2)]

module = {"convnet": ConvNet, "attention": Attention}[sys.argv[1]]()
function = tf.function(module.model, input_signature=module.signature)
frozen = convert_variables_to_constants_v2(function.get_concrete_function())
text = tf.mlir.experimental.convert_function(frozen, pass_pipeline="tf-lower-to-mlprogram-and-hlo")
text = re.sub("@__inference[a-zA-Z0-9_]*", "@main", text)
with mlir.make_ir_context() as context:
    context.allow_unregistered_dialects = True
    parsed = ir.Module.parse(text)
    open("model.mlir", "w").write(parsed.operation.get_asm(print_generic_op_form=True, large_elements_limit=None))
for index, n in enumerate((3, 1, 8)):
    values = module.inputs(n)
    np.savez(f"{index}.npz", **{f"i{j}": x for j, x in enumerate(values)}, o=function(*values).numpy())
"""


@pytest.mark.parametrize("name", ["convnet", "attention"])
def test_tensorflow(relax, tool, tmp_path, name):
    """A model of TensorFlow, compiled once for all sizes, gives what TensorFlow computes."""
    need("tensorflow")
    need("jax")
    done = subprocess.run([PYTHON, "-c", CONVERT, name], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "shape.shape_of" in (tmp_path / "model.mlir").read_text()
    process = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.rlx")
    assert process.returncode == 0, process.stderr
    function = relax.load(tmp_path / "model.rlx")["main"]
    for index in range(3):
        arrays = np.load(tmp_path / f"{index}.npz")
        result, = function(*(arrays[f"i{j}"] for j in range(len(function.inputs)))).values()
        np.testing.assert_allclose(result, arrays["o"], rtol=2e-5, atol=1e-5)


# The same through TFLite, in f32 or, with the sizes of its numbers from samples, in integers of 8 bits.
CONVERT_LITE = """
import sys
import numpy as np
import tensorflow as tf
from tosa_converter_for_tflite import TosaConverterOutputFormat, tflite_flatbuffer_to_tosa_mlir

numbers = np.random.default_rng(0)
def draw(*shape):
    return numbers.standard_normal(shape).astype(np.float32)

class ConvNet(tf.Module):
    def __init__(self):
        self.k, self.b, self.w, self.c = (tf.Variable(draw(*s) * 0.3) for s in ((3, 3, 3, 8), (8,), (8, 5), (5,)))
    @tf.function(input_signature=[tf.TensorSpec([None, 16, 16, 3], tf.float32)])
    def model(self, x):
        y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, self.k, strides=1, padding="SAME"), self.b))
        y = tf.reduce_mean(tf.nn.max_pool2d(tf.image.resize(y, (20, 12)), 2, 2, "VALID"), axis=[1, 2])
        return tf.nn.softmax(y @ self.w + self.c)

module = ConvNet()
converter = tf.lite.TFLiteConverter.from_concrete_functions([module.model.get_concrete_function()], module)
if sys.argv[1] == "i8":
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([draw(1, 16, 16, 3)] for _ in range(8))
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
lite = converter.convert()
open("model.tflite", "wb").write(lite)
tflite_flatbuffer_to_tosa_mlir("model.tflite", "model.mlir", TosaConverterOutputFormat.Text)
interpreter = tf.lite.Interpreter(model_content=lite)
source, target = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
for index, n in enumerate((3, 1, 8)):
    x = draw(n, 16, 16, 3)
    if sys.argv[1] == "i8":
        x = numbers.integers(-128, 128, x.shape).astype(np.int8)
    interpreter.resize_tensor_input(source["index"], x.shape)
    interpreter.allocate_tensors()
    interpreter.set_tensor(source["index"], x)
    interpreter.invoke()
    np.savez(f"{index}.npz", x=x, o=interpreter.get_tensor(target["index"]))
"""


@pytest.mark.parametrize("name", ["f32", "i8"])
def test_tflite(relax, tool, tmp_path, name):
    """A TFLite model by TOSA. TFLite's own kernels of 8 bits round otherwise than TOSA in the softmax: at most by one step."""
    need("tensorflow")
    need("tosa_converter_for_tflite")
    done = subprocess.run([PYTHON, "-c", CONVERT_LITE, name], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    process = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.rlx")
    assert process.returncode == 0, process.stderr
    function = relax.load(tmp_path / "model.rlx")["main"]
    for index in range(3):
        arrays = np.load(tmp_path / f"{index}.npz")
        result, = function(arrays["x"]).values()
        if name == "f32":
            np.testing.assert_allclose(result, arrays["o"], rtol=2e-5, atol=1e-5)
        else:
            assert result.dtype == np.int8 and np.abs(result.astype(int) - arrays["o"]).max() <= 1
