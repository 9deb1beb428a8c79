# Licensed under the Apache License, Version 2.0. See LICENSE.
"""relax.torch.from_exported_program: symbols and facts, names, state, decomposed programs, errors."""
import re

import pytest
from torch_models import Small, check, export, functional, torch

Dim = torch.export.Dim


@pytest.fixture(scope="module")
def small():
    torch.manual_seed(0)
    model, n = Small().eval(), Dim("n", min=0, max=100)
    program = export(model, (torch.randn(6, 8), torch.randn(12, 8)), {"x": {0: n}, "y": {0: 2 * n}})
    return model, program


def test_one_artifact_for_all_sizes(relax, small):
    model, program = small
    module = relax.torch.from_exported_program(program)
    text = str(module)
    function = module.compile()["main"]
    assert [info.name for info in function.inputs] == ["x", "y"]
    assert [str(info) for info in function.outputs] == [
        "sum: float32[]", "view: float32[n * 2, 4]", "attention: float32[n, 16]", "joined: float32[n * 3, 8]",
        "last: float32[8]", "rows: float32[n, 8]"]
    # The range is a fact, parameters of some size are in a file.
    assert '"n <= 100"' in text and "#relax.blob" in text
    for n in (1, 6, 100):
        check(function, model, (torch.randn(n, 8), torch.randn(2 * n, 8)))
    with pytest.raises(relax.RelaxError, match="n <= 100"):
        function(torch.zeros(102, 8), torch.zeros(204, 8))
    with pytest.raises(relax.RelaxError, match="n \\* 2"):
        function(torch.zeros(2, 8), torch.zeros(6, 8))


class Guarded(torch.nn.Module):
    def forward(self, x, y):
        if x.shape[0] % 4 == 0 and (x.shape[0] > y.shape[0] or y.shape[0] != 5):
            return x.sum() + y.sum()
        return x.sum() - y.sum()


def test_guards(relax):
    """What torch decided by the example's sizes is a fact."""
    auto = {0: Dim.AUTO}
    program = export(Guarded(), (torch.ones(8), torch.ones(3)), (auto, auto))
    function = relax.torch.from_exported_program(program)["main"]
    for n, m in ((8, 3), (12, 7), (4, 2)):
        assert function(torch.ones(n), torch.ones(m)) == {"result": n + m}
    for n, m in ((6, 3), (9, 3), (4, 9)):
        with pytest.raises(relax.RelaxError):
            function(torch.ones(n), torch.ones(m))


def test_decomposed(relax, small):
    model, program = small
    module = relax.torch.from_exported_program(program.run_decompositions(), name="decomposed")
    check(module["decomposed"], model, (torch.randn(4, 8), torch.randn(8, 8)))


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))
        self.register_buffer("seen", torch.zeros((), dtype=torch.int64))

    def forward(self, x, scale: int):
        self.total.add_(x.sum(0))
        self.seen += x.shape[0]
        return self.total * scale, x.shape[0] + 1


def test_state_and_numbers(relax):
    """Buffers that change are inputs and results; numbers that are sizes are results."""
    program = export(Counter(), (torch.ones(4, 3), 2), ({0: Dim("n", min=1)}, None))
    function = relax.torch.from_exported_program(program).compile()["main"]
    assert [info.name for info in function.inputs] == ["total", "seen", "x"]
    results = function(total=torch.ones(3), seen=torch.tensor(5), x=torch.full((2, 3), 2.0))
    assert {name: value.tolist() for name, value in results.items()} == {
        "total.new": [5, 5, 5], "seen.new": 7, "result0": [10, 10, 10], "result1": 3}
    session = function.session({"total": "total.new", "seen": "seen.new"})
    session(total=torch.zeros(3), seen=torch.tensor(0), x=torch.ones(1, 3))
    assert session(x=torch.ones(4, 3))["result0"].tolist() == [10, 10, 10]


class Found(torch.nn.Module):
    """Sizes that only values decide."""

    def forward(self, x):
        rows = x[x[:, 0] > 0]
        return rows, torch.nonzero(x), rows.shape[0] * 2


def test_sizes_of_values(relax):
    program = export(Found(), (torch.randn(5, 3),), ({0: Dim("n")},))
    function = relax.torch.from_exported_program(program).compile()["main"]
    for n in (1, 4, 9):
        x = torch.randn(n, 3)
        rows, places, number = function(x).values()
        assert rows.tolist() == x[x[:, 0] > 0].tolist() and places.tolist() == torch.nonzero(x).tolist()
        assert number == 2 * len(rows)


def test_unsupported_operators(relax):
    """The message names the node, the operator and the line of the model."""

    class Model(torch.nn.Module):
        def forward(self, x):
            return functional.dropout(torch.special.bessel_j0(x) + 1, 0.5, True)

    with pytest.raises(relax.RelaxError) as caught:
        relax.torch.from_exported_program(export(Model(), (torch.randn(4, 4),), None))
    line = Model.forward.__code__.co_firstlineno + 1
    assert re.fullmatch(rf"{re.escape(__file__)}:{line}:1: error: node 'special_bessel_j0' \(aten::special_bessel_j0\): "
                        "the operator is not supported", str(caught.value)) and caught.value.status == "unsupported"


def test_training_is_refused(relax):
    with pytest.raises(relax.RelaxError, match=r"node 'dropout' \(aten::dropout\): training is not supported"):
        relax.torch.from_exported_program(export(torch.nn.Dropout().train(), (torch.randn(4),), None))


def test_operators_are_many(relax):
    assert len(relax.torch.supported_ops()) >= 200
