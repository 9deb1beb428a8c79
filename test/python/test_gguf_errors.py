# Licensed under the Apache License, Version 2.0. See LICENSE.
"""GGUF files that are damaged, or say something else than a model needs: one clear message, never a signal."""
import struct

import gguf
import numpy as np
import pytest
from gguf_models import write_model


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("gguf") / "model.gguf", "llama", layers=1, formats=("q8_0", "f16", "f32")).read_bytes()


def refuse(tool, folder, data, words, *flags):
    path = folder / "bad.gguf"
    path.write_bytes(data)
    done = tool("relax-translate", "--import-gguf", path, *flags)
    assert done.returncode == 1 and "error: " in done.stderr, done
    assert words in done.stderr, done.stderr
    assert not done.stdout


@pytest.mark.parametrize("keep", [0, 3, 23, 200, 1000, 0.5, -1], ids=str)
def test_truncated(tool, example, tmp_path, keep):
    refuse(tool, tmp_path, example[:int(len(example) * keep) if isinstance(keep, float) else keep], "GGUF" if keep in (0, 3) else "ends in")


def test_huge_counts(tool, example, tmp_path):
    for at in (8, 16):
        refuse(tool, tmp_path, example[:at] + b"\xff" * 8 + example[at + 8:], "")


def test_missing_file(tool, tmp_path):
    done = tool("relax-compile", tmp_path / "no.gguf", "-o", tmp_path / "no.rlx")
    assert done.returncode == 1 and "no.gguf" in done.stderr and "cannot be read" in done.stderr


def rewritten(example, name, value):
    """The file with one 32-bit number of the metadata replaced."""
    at = example.index(name.encode() + struct.pack("<I", gguf.GGUFValueType.UINT32)) + len(name) + 4
    return example[:at] + struct.pack("<I", value) + example[at + 4:]


@pytest.mark.parametrize("name, value, words", [
    ("llama.block_count", 2, "there is no tensor 'blk.1.attn_norm.weight'"),
    ("llama.block_count", 0, "'llama.block_count' is expected to be an integer from 1 to 4096"),
    ("llama.block_count", 2**32 - 1, "'llama.block_count' is expected to be an integer from 1 to 4096"),
    ("llama.embedding_length", 512, "tensor 'token_embd.weight' has dimensions [256, 40], the metadata say [512, 40]"),
    ("llama.attention.head_count", 3, "'llama.attention.head_count' is 3, expected a multiple of the 2 heads of keys and values"),
    ("llama.attention.key_length", 31, "'llama.rope.dimension_count' is 31, expected an even number up to 31"),
    ("llama.feed_forward_length", 64, "tensor 'blk.0.ffn_gate.weight' has dimensions [256, 256], the metadata say [256, 64]"),
])
def test_metadata(tool, example, tmp_path, name, value, words):
    refuse(tool, tmp_path, rewritten(example, name, value), words)


def test_architecture(tool, example, tmp_path):
    refuse(tool, tmp_path, example.replace(b"\x05\0\0\0\0\0\0\0llama", b"\x05\0\0\0\0\0\0\0other", 1).replace(b"llama.", b"other."),
           "architecture 'other' is not supported, expected one of gemma, gemma2, gemma3, llama, phi3, qwen2, qwen3, qwen3moe")


def test_wrong_type(tool, example, tmp_path):
    # The norm becomes 128 numbers of... a type that is half as wide: its extent stays.
    name = b"blk.0.attn_norm.weight"
    at = example.index(name) + len(name) + 4 + 8
    refuse(tool, tmp_path, example[:at] + struct.pack("<I", gguf.GGMLQuantizationType.F16) + example[at + 4:],
           "tensor 'blk.0.attn_norm.weight' has type 'f16', expected f32")


def test_no_matrix(tool, tmp_path):
    writer = gguf.GGUFWriter(tmp_path / "empty.gguf", "llama")
    writer.add_tensor("token_embd.weight", np.zeros(3, np.float32))
    for key in ("block_count", "embedding_length", "attention.head_count", "feed_forward_length", "context_length"):
        writer.add_uint32("llama." + key, 2)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    data = (tmp_path / "empty.gguf").read_bytes()
    refuse(tool, tmp_path, data, "'llama.attention.layer_norm_rms_epsilon' is expected to be a positive number")


@pytest.mark.parametrize("fact, words", [("batch <", "option: fact 'batch <'"), ("n <= 3", "names 'n', expected batch, seq and past")])
def test_options(tool, example, tmp_path, fact, words):
    refuse(tool, tmp_path, example, words, "--fact=" + fact)


def test_changed_weights(tool, example, tmp_path):
    """The module refers to the file by place and checksum."""
    path = tmp_path / "model.gguf"
    path.write_bytes(example)
    done = tool("relax-translate", "--import-gguf", path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "model.mlir").write_text(done.stdout)
    path.write_bytes(example[:-5] + bytes([example[-5] ^ 1]) + example[-4:])
    done = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.rlx")
    assert done.returncode == 1 and "model.gguf" in done.stderr and not (tmp_path / "model.rlx").exists()
