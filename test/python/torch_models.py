# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Models and helpers of the tests of relax.torch. Importing this skips a test file where torch is not installed."""
import logging
import warnings

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (utils/requirements-torch.txt)")
functional = torch.nn.functional
logging.getLogger("torch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", module="torch")


class Small(torch.nn.Module):
    """A bit of everything: layers, attention, views, joins, two related dimensions, a dictionary of results."""

    def __init__(self):
        super().__init__()
        self.linear, self.layer_norm = torch.nn.Linear(8, 16), torch.nn.LayerNorm(16)
        self.batch_norm = torch.nn.BatchNorm1d(16)
        self.register_buffer("table", torch.arange(100 * 8, dtype=torch.float32).reshape(100, 8))

    def forward(self, x, y):
        h = self.batch_norm(functional.gelu(self.layer_norm(self.linear(x))))
        attention = functional.scaled_dot_product_attention(h[None], h[None], h[None])[0]
        return {"sum": h.sum(), "view": x.view(x.shape[0] * 2, -1), "attention": attention, "joined": torch.cat([x, y]),
                "last": y[-1] * y.shape[0], "rows": self.table[: x.shape[0]] + x}


def export(model, inputs, shapes, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.export.export(model, inputs, dynamic_shapes=shapes, **options)


def check(run, model, inputs, tolerance=1e-4):
    """Compares a function of the compiler with the model."""
    with torch.no_grad():
        expected = model(*inputs)
    expected = list(expected.values()) if isinstance(expected, dict) else (
        list(expected) if isinstance(expected, (tuple, list)) else [expected])
    results = list(run(*[tensor.numpy() for tensor in inputs]).values())
    assert len(results) == len(expected)
    for want, got in zip(expected, results):
        torch.testing.assert_close(torch.from_numpy(got), want, rtol=tolerance, atol=tolerance, equal_nan=True)
