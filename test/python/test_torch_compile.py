# Licensed under the Apache License, Version 2.0. See LICENSE.
"""relax.torch.Backend: torch.compile compiles once for all sizes."""
import importlib
import random

import pytest
from torch_models import functional, torch
from torch_nets import Bert, randomize


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


def test_one_compilation_for_fifty_sizes(relax):
    """A transformer at 50 random sizes: one artifact, no guard of torch.compile fails."""
    torch.manual_seed(0)
    model = randomize(Bert(100, 128, 16, 2, 32, 1))
    backend = relax.torch.Backend()
    compiled = torch.compile(model, backend=backend, dynamic=True)
    numbers = random.Random(0)
    with torch.no_grad():
        for _ in range(50):
            batch, length = numbers.randint(2, 9), numbers.randint(2, 100)
            ids, mask = torch.randint(0, 100, (batch, length)), torch.ones(batch, length, dtype=torch.int64)
            torch.testing.assert_close(compiled(ids, mask), model(ids, mask), rtol=1e-4, atol=1e-4)
    assert len(backend.functions) == 1 and not backend.failures
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1
    # Sizes of 1 are another variant for torch, which broadcasts them.
    with torch.no_grad():
        ids = torch.randint(0, 100, (1, 5))
        torch.testing.assert_close(compiled(ids, ids.clamp(max=1)), model(ids, ids.clamp(max=1)), rtol=1e-4, atol=1e-4)
    assert len(backend.functions) == 2


def test_gradients_and_sizes_as_results(relax):
    """The forward pass is compiled, gradients are torch's; Python numbers may be results."""
    backend = relax.torch.Backend()

    @torch.compile(backend=backend, dynamic=True)
    def run(x, w):
        return functional.relu(x @ w).sum(), x.shape[0] * 3

    x, w = torch.randn(4, 3), torch.randn(3, 2, requires_grad=True)
    total, number = run(x, w)
    total.backward()
    copy = w.detach().clone().requires_grad_()
    functional.relu(x @ copy).sum().backward()
    assert number == 12 and len(backend.functions) == 1
    torch.testing.assert_close(w.grad, copy.grad)


def test_bfloat16_and_shared_memory(relax):
    """Tensors are read and handed out where they are, also with gradients and of bfloat16."""
    importlib.import_module("relax._arrays")
    backend = relax.torch.Backend()
    model = torch.nn.Linear(8, 4).to(torch.bfloat16)
    x = torch.randn(3, 8, dtype=torch.bfloat16)
    with torch.no_grad():
        result = torch.compile(model, backend=backend, dynamic=True)(x)
        torch.testing.assert_close(result, model(x))
    for tensor in (x, model.weight, torch.zeros(3, requires_grad=True), torch.zeros(2, dtype=torch.bool)):
        array, name = relax._arrays.to_array(tensor, "float32", "x")
        assert array.ctypes.data == tensor.data_ptr() and name == ("bfloat16" if tensor.dtype == torch.bfloat16 else "")
        shared = relax.torch.as_tensor(array.view(relax._arrays.get_extra_type("bfloat16")) if name else array)
        assert shared.data_ptr() == tensor.data_ptr() and shared.dtype == tensor.dtype


def test_failures(relax):
    def run(x):
        return torch.special.bessel_j0(x) + 1

    backend = relax.torch.Backend(fallback=True)
    x = torch.randn(5)
    assert torch.equal(torch.compile(run, backend=backend, dynamic=True)(x), run(x))
    assert [error.status for error in backend.failures] == ["unsupported"] and not backend.functions
    torch._dynamo.reset()
    with pytest.raises(Exception, match="special_bessel_j0.*the operator is not supported"):
        torch.compile(run, backend=relax.torch.Backend(), dynamic=True)(x)
