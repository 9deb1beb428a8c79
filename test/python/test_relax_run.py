# Licensed under the Apache License, Version 2.0. See LICENSE.
"""relax-run against numpy: what numpy writes is read, what is written numpy reads.

The artifact is made here, from the format's definition in docs/Spec.md, around the code of unittests/Runtime.
"""
import struct
import zlib

import numpy as np
import pytest

PAGE = 4096
FLOAT, INT = 2, 0


def u32(value):
    return struct.pack("<I", value)


def string(text):
    return u32(len(text)) + text.encode()


def listed(items):
    return u32(len(items)) + b"".join(items)


def tensor(name, code, bits, *dims):
    return string(name) + u32(code) + u32(bits) + listed([string(dim) for dim in dims])


def function(name, inputs, outputs):
    return string(name) + string("relax_entry_" + name) + listed(inputs) + listed(outputs)


def checksums(data):
    return b"".join(u32(zlib.crc32(data[at:at + (1 << 20)])) for at in range(0, len(data), 1 << 20))


def artifact(metadata, code, weights):
    image, table, crcs = bytearray(PAGE), [], b""
    for kind, data in ((2, metadata), (3, code), (4, weights), (1, None)):
        image += bytes(-len(image) % PAGE)
        index = len(crcs) // 4 if data is not None else 0
        if data is None:
            data = crcs
        else:
            crcs += checksums(data)
        table.append(struct.pack("<IIQQQ", kind, 0, len(image), len(data), index))
        image += data
    image += bytes(-len(image) % PAGE)
    header = b"RELAXART" + struct.pack("<IIQIIII", 3, 3, len(image), 0, len(table), zlib.crc32(crcs), 0)
    header += b"".join(table)
    image[:len(header)] = header
    image[24:28] = u32(zlib.crc32(image[:PAGE]))
    return bytes(image)


@pytest.fixture(scope="module")
def model(build, tmp_path_factory):
    """main: y = 2 x for x (n, 4); append: x (n) of int64 and one more element."""
    code = (build / "unittests/Runtime/RuntimeTestCode.so").read_bytes()
    functions = [
        function("main", [tensor("x", FLOAT, 32, "n", "4")], [tensor("y", FLOAT, 32, "n", "4")]),
        function("append", [tensor("x", INT, 64, "n")], [tensor("y", INT, 64, "n + 1")]),
    ]
    sites = [u32(2) + string("input 'x': dimension 1: expected 4, actual {0}")]
    kernels = [string("scale") + string("kernel_scale_rows") + string("") + string("parts_rows"),
               string("copy") + string("kernel_copy_bytes") + string("") * 2]
    metadata = string("test") + string("") * 2 + listed(functions) + listed(sites) + listed(kernels) + listed([])
    path = tmp_path_factory.mktemp("artifact") / "model.rlx"
    path.write_bytes(artifact(metadata + string("{}"), code, struct.pack("<f", 2.0)))
    return path


@pytest.fixture
def run(tool, model, tmp_path):
    """run(x=array, ...) returns the CompletedProcess and the outputs, None when it failed."""

    def call(*options, save=np.savez, **arrays):
        save(tmp_path / "in.npz", **arrays)
        result = tool("relax-run", model, *options, "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
        outputs = dict(np.load(tmp_path / "out.npz")) if result.returncode == 0 else None
        return result, outputs

    return call


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rows", [0, 1, 5, 1000])
def test_arrays_of_numpy(run, save, order, rows):
    x = np.asarray(np.random.default_rng(0).standard_normal((rows, 4)), dtype=np.float32, order=order)
    result, outputs = run(save=save, x=x)
    assert result.returncode == 0, result.stderr
    assert list(outputs) == ["y"]
    assert outputs["y"].dtype == np.float32
    np.testing.assert_array_equal(outputs["y"], 2 * x)


def test_one_dimension(run):
    result, outputs = run("--function", "append", x=np.arange(7))
    assert result.returncode == 0, result.stderr
    np.testing.assert_array_equal(outputs["y"], np.arange(8))


@pytest.mark.parametrize("array, message", [
    (np.zeros((2, 4), ">f4"), "big-endian element type '>f4' is not supported"),
    (np.zeros((2, 4), "f8"), "main: input 'x': expected element type float32, actual float64"),
    (np.zeros((2, 4), "f2"), "expected element type float32, actual float16"),
    (np.zeros((2, 4), "?"), "expected element type float32, actual bool"),
    (np.zeros((2, 4), "u2"), "expected element type float32, actual uint16"),
    (np.zeros((2, 4), "c8"), "element type '<c8' is not supported"),
    (np.array(["text"]), "is not supported"),
    (np.zeros((2, 4), [("a", "f4")]), "structured element types are not supported"),
    (np.float32(1), "main: input 'x': expected rank 2, actual 0"),
    (np.zeros((2, 3), "f4"), "main: input 'x': dimension 1: expected 4, actual 3"),
])
def test_wrong_arrays(run, array, message):
    result, _ = run(x=array)
    assert result.returncode == 1
    assert result.stderr.startswith("relax-run: error: ")
    assert message in result.stderr


def test_wrong_names(run):
    x = np.zeros((2, 4), "f4")
    result, _ = run()
    assert result.returncode == 1 and "missing input 'x'" in result.stderr
    result, _ = run(x=x, z=x)
    assert result.returncode == 1 and "unknown input 'z'" in result.stderr
