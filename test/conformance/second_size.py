# Licensed under the Apache License, Version 2.0. See LICENSE.
"""A case with every input dimension symbolic, and its inputs and outputs at a second size.

Each dimension of each input gets its own dim_param; what the operator ties together is for the compiler to find. Kept
are only dimensions that are no size but fix a rank or a number of outputs: the length of a shape, of axes, of pads.
The second size is the first of several guesses that a reference accepts: dimensions of equal extent change together,
then ever fewer of them. Values are drawn from those of the test, so that indices, probabilities and the like stay
valid; integers of shapes and axes stay as they are.
"""
import dataclasses
import itertools
import signal
import warnings

import numpy as np
import onnxruntime
from onnx import reference

# Inputs whose length fixes a rank or a count. An entry is the op type and the positions of such inputs.
LENGTHS = {
    "Reshape": [1], "Expand": [1], "ConstantOfShape": [0], "Tile": [1], "Slice": [1, 2, 3, 4], "Pad": [1, 3],
    "Split": [1], "Squeeze": [1], "Unsqueeze": [1], "Resize": [1, 2, 3], "Upsample": [1], "CenterCropPad": [1],
    "Col2Im": [1, 2], "AffineGrid": [1], "MaxUnpool": [2], "TopK": [1], "OneHot": [1, 2], "CumSum": [1], "CumProd": [1],
    "ReduceSum": [1], "ReduceMean": [1], "ReduceMax": [1], "ReduceMin": [1], "ReduceProd": [1], "ReduceL1": [1],
    "ReduceL2": [1], "ReduceLogSum": [1], "ReduceLogSumExp": [1], "ReduceSumSquare": [1],
    "NonMaxSuppression": [2, 3, 4], "GatherND": [], "ScatterND": [],
}
# There the last dimension is none: of the indices it fixes a rank, of a signal it tells real from complex numbers.
LAST_LENGTHS = {"GatherND": [1], "ScatterND": [1], "DFT": [0], "STFT": [0]}
# The same for inputs of functions that are spelled out: start of the case's name and input.
SPELLED = [("test_affine_grid", "size")]
# Values that say what an extent is, and change with it: start of the case's name, input and index, input and dimension.
TIED = [("test_affine_grid", "size", 0, "theta", 0)]


@dataclasses.dataclass
class Second:
    """The symbolic model, inputs and expected outputs at the second size; `reason` says why there is none."""
    model: bytes = b""
    inputs: dict = None
    outputs: list = None
    reason: str = ""


def _fixed_dims(case, model, shapes):
    """{input name: set of dimensions that stay}"""
    fixed = {name: set() for name in shapes}
    for stem, name in SPELLED:
        if case.name.startswith(stem) and name in shapes:
            fixed[name].update(range(len(shapes[name])))
    for node in model.graph.node:
        for position, name in enumerate(node.input):
            if name not in shapes:
                continue
            if position in LENGTHS.get(node.op_type, []):
                fixed[name].update(range(len(shapes[name])))
            if position in LAST_LENGTHS.get(node.op_type, []) and shapes[name]:
                fixed[name].add(len(shapes[name]) - 1)
    return fixed


def make_symbolic(case, shapes):
    """The model with dim_params, and the dimensions that got one."""
    model = case.load()
    fixed = _fixed_dims(case, model, shapes)
    # An "expanded" case computes with the same inputs as the operator that it spells out.
    del model.graph.value_info[:]
    dims = []
    for info in model.graph.input:
        if info.name not in shapes or not info.type.HasField("tensor_type"):
            continue
        shape = info.type.tensor_type.shape
        del shape.dim[:]
        for axis, extent in enumerate(shapes[info.name]):
            if axis in fixed[info.name]:
                shape.dim.add().dim_value = extent
            else:
                shape.dim.add().dim_param = f"{info.name}_{axis}"
                dims.append((info.name, axis))
    for info in model.graph.output:
        for dim in info.type.tensor_type.shape.dim:
            dim.Clear()
    return model, dims


class _TooSlow(Exception):
    pass


def _limited(function, seconds=20):
    def stop(*_):
        raise _TooSlow("too slow")

    old = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        return function()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)


class _Oracle:
    """The reference that reproduces the test's own outputs: onnx's evaluator, else onnxruntime."""

    def __init__(self, model, case, inputs, outputs):
        self.run = None
        errors = []
        for make in (self._evaluator, self._runtime):
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    run = _limited(lambda make=make: make(model))
                    got = _limited(lambda run=run: run(inputs))
                check(outputs, got, case)
                self.run = run
                return
            except Exception as error:  # whatever a reference raises, the next one is asked
                errors.append(str(error).strip().splitlines()[0][:80] if str(error).strip() else type(error).__name__)
        self.errors = "; ".join(errors)

    @staticmethod
    def _evaluator(model):
        evaluator = reference.ReferenceEvaluator(model)
        return lambda inputs: evaluator.run(None, inputs)

    @staticmethod
    def _runtime(model):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return lambda inputs: session.run(None, inputs)


def _widen(values):
    """numpy compares no elements of ml_dtypes but bfloat16: they are taken as numbers, all of which f32 has."""
    return [value.astype(np.float32) if value.dtype.kind == "V" and value.dtype.name != "bfloat16" else value
            for value in values]


def _check_random(wanted, got):
    """What a draw of 0 and 1 owes: shape, type, its values, and a mean within five deviations of the test's draw."""
    assert len(wanted) == len(got)
    for want, value in zip(wanted, got):
        np.testing.assert_array_equal(value.shape, want.shape)
        assert value.dtype == want.dtype and np.isin(value.astype(np.float64), [0, 1]).all()
        assert abs(value.mean(dtype=np.float64) - want.mean(dtype=np.float64)) <= 5 * (0.5 / want.size) ** 0.5


def is_random(case):
    return case.name.startswith("test_bernoulli")


def check(wanted, got, case):
    """Raises AssertionError unless the outputs agree as onnx's own runner demands."""
    from onnx.backend.test.runner import Runner
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if is_random(case):
            return _check_random(wanted, got)
        for want, value in zip(wanted, got):
            np.testing.assert_equal(value.dtype, want.dtype)
        Runner.assert_similar_outputs(_widen(wanted), _widen(got), case.rtol, case.atol)


def _guesses(dims, extents):
    """Assignments of new extents, the most thorough first."""
    every = dict(zip(dims, extents))
    larger = [dim for dim, extent in every.items() if extent > 1]

    def change(which, how):
        return {dim: how(every[dim]) for dim in which}

    yield change(larger, lambda extent: extent + 2)
    yield change(larger, lambda extent: extent * 2)
    # All dimensions of some extents.
    values = sorted({every[dim] for dim in larger})
    for count in range(len(values) - 1, 0, -1):
        for chosen in itertools.islice(itertools.combinations(values, count), 12):
            which = [dim for dim in larger if every[dim] in chosen]
            yield change(which, lambda extent: extent + 1)
            yield change(which, lambda extent: extent * 2)
    # The same dimension of each input, as a batch is.
    for axis in range(max((axis for _, axis in dims), default=-1) + 1):
        which = [dim for dim in dims if dim[1] == axis]
        yield change(which, lambda extent: extent + 1)
        yield change(which, lambda extent: extent * 2)
    yield change(dims, lambda extent: extent + 1)
    # Single dimensions and pairs.
    for count in (1, 2):
        for which in itertools.islice(itertools.combinations(dims, count), 60):
            yield change(which, lambda extent: extent + 1)
            yield change(which, lambda extent: extent * 2)
    # The same number of elements in another order.
    names = list(dict.fromkeys(name for name, _ in dims))
    for name in names:
        own = [dim for dim in dims if dim[0] == name]
        yield {dim: every[other] for dim, other in zip(own, reversed(own))}
    # One less, where larger does not go.
    for dim in larger:
        yield {dim: every[dim] - 1}


def _draw(array, shape, seed):
    """An array of that shape with values of `array`; one that fits already stays."""
    if array.shape == tuple(shape):
        return array
    count = int(np.prod(shape))
    if array.size == 0:
        return np.zeros(shape, array.dtype)
    # Drawing floats breaks ties with the test; integers repeat in order, so that what is distinct stays so first.
    if array.dtype.kind in "iub":
        return np.resize(array, shape)
    picked = np.random.default_rng(seed).permutation(np.resize(np.arange(array.size), count))
    return array.reshape(-1)[picked].reshape(shape)


def find(case):
    """The second size of a case."""
    inputs, outputs = case.data[0]
    shapes = {name: array.shape for name, array in inputs.items()}
    model, dims = make_symbolic(case, shapes)
    if not dims:
        return Second(reason="no input has a dimension that is a size")
    oracle = _Oracle(model, case, inputs, outputs)
    if not oracle.run:
        return Second(reason=f"no reference reproduces the test: {oracle.errors}")
    seen = set()
    for guess in _guesses(dims, [shapes[name][axis] for name, axis in dims]):
        if not guess or all(shapes[name][axis] == extent for (name, axis), extent in guess.items()):
            continue
        key = tuple(sorted(guess.items()))
        if key in seen:
            continue
        seen.add(key)
        new = {name: list(shape) for name, shape in shapes.items()}
        for (name, axis), extent in guess.items():
            new[name][axis] = extent
        arrays = {name: _draw(array, new[name], seed) for seed, (name, array) in enumerate(inputs.items())}
        for stem, values, index, name, axis in TIED:
            if case.name.startswith(stem):
                arrays[values] = arrays[values].copy()
                arrays[values][index] = new[name][axis]
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                got = _limited(lambda arrays=arrays: oracle.run(arrays))
                again = _limited(lambda arrays=arrays: oracle.run(arrays))
            check(got, again, case)
        except Exception:  # not a valid size
            continue
        if all(isinstance(value, (np.ndarray, np.generic)) for value in got):
            return Second(model.SerializeToString(), arrays, [np.asarray(value) for value in got])
    return Second(reason="no other size is valid")


