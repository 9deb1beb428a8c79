# Licensed under the Apache License, Version 2.0. See LICENSE.
"""A fixed sample of torch's own samples of its operators; test/conformance/torch_ops.py runs all of them."""
import collections
import importlib
import sys

import pytest
from torch_models import torch

pytest.importorskip("expecttest", reason="expecttest is not installed (utils/requirements-torch.txt)")

SAMPLE = ["add", "argwhere", "atan2", "cat", "clamp", "cumsum", "diagonal", "div.floor_rounding", "gather",
          "index_put", "index_select", "linalg.vander", "matmul", "nn.functional.conv2d",
          "nn.functional.group_norm", "nn.functional.layer_norm", "nn.functional.pad.reflect",
          "nn.functional.scaled_dot_product_attention", "pow", "roll", "scatter_add", "softmax", "sort",
          "split", "std", "where"]


@pytest.fixture(scope="module")
def torch_ops(root):
    sys.path.insert(0, str(root / "test/conformance"))
    return importlib.import_module("torch_ops")


@pytest.mark.parametrize("dtype, names, number", [("float32", SAMPLE, 2), ("int64", ["add", "remainder", "sort"], 1),
                                                  ("bool", ["bitwise_xor", "sum"], 2)])
def test_samples(relax, torch_ops, dtype, names, number):
    problems = []
    outcomes = torch_ops.run_ops(relax, names, getattr(torch, dtype), number, report=lambda *what: problems.append(what))
    assert {name.split(".")[0] for name in names} <= {name.split(".")[0] for name in outcomes}
    classes = collections.Counter(map(torch_ops.classify, outcomes.values()))
    assert set(classes) == {"passed"}, problems
    assert sum(counter["passed at two sizes"] for counter in outcomes.values()) > 0
