# Licensed under the Apache License, Version 2.0. See LICENSE.
"""relax.torch: torch.cond and while_loop, with sizes that are known when the function is called."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")
SIZES = [3, 0, 1, 40]


def check(relax, model, examples, make, shapes):
    program = torch.export.export(model, examples, dynamic_shapes=shapes)
    function = relax.torch.from_exported_program(program).compile()["main"]
    for size in SIZES:
        for sign in (1, -1):
            inputs = make(size, sign)
            want = model(*inputs)
            for array, tensor in zip(function(*inputs).values(), want if isinstance(want, tuple) else [want]):
                np.testing.assert_allclose(array, tensor.numpy(), rtol=1e-5, atol=1e-6)


class Branches(torch.nn.Module):
    """One choice by a value, another by a size, one inside of the other."""

    def forward(self, x):
        def positive(x):
            return x.relu() * 2 + 1, x + x

        def negative(x):
            return x.exp(), x * torch.tensor([1.0, 2.0, 3.0, 4.0])

        def large(x):
            return (torch.cond(x.sum() > -5, lambda x: x.sin(), lambda x: x.cos(), (x,)),)

        a, b = torch.cond(x.sum() > 0, positive, negative, (x,))
        [c] = torch.cond(x.shape[0] > 10, large, lambda x: (x - 1,), (x,))
        return a, b, c


class Halving(torch.nn.Module):
    """Until nothing is larger than 1."""

    def forward(self, x, y):
        def condition(count, x):
            return (x.abs().max(dim=0).values.sum() + count * 0 > 1) & (count < 60)

        def body(count, x):
            return count + 1, x / 2 + y * 0

        return torch._higher_order_ops.while_loop(condition, body, (torch.tensor(0), x))


def test_cond(relax):
    n = torch.export.Dim("n")
    check(relax, Branches(), (torch.randn(5, 4),), lambda size, sign: (torch.randn(size, 4).abs() * sign,), {"x": {0: n}})


def test_while_loop(relax):
    n = torch.export.Dim("n")
    check(relax, Halving(), (torch.randn(5, 4), torch.randn(4)),
          lambda size, sign: (torch.randn(1 + size, 4) * 50 * sign, torch.randn(4)), {"x": {0: n}, "y": None})


def test_sizes_that_differ_are_refused(relax):
    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: (x + 1)[:2], lambda x: x[:3] * 2, (x,))

    program = torch.export.export(Model(), (torch.randn(5),), dynamic_shapes={"x": {0: torch.export.Dim("n", min=4)}})
    with pytest.raises(relax.RelaxError, match="sizes differ between branches"):
        relax.torch.from_exported_program(program)
