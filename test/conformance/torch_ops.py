# Licensed under the Apache License, Version 2.0. See LICENSE.
"""torch's own samples of its operators (OpInfo) against relax.torch, each with dynamic dimensions.

    PYTHONPATH=build/python .venv/bin/python3 test/conformance/torch_ops.py [--shard I/N] [--ops NAME,...]
        [--dtype float32] [--samples N] [--compile] [--list]

A sample is exported with every dimension dynamic, imported, and run in the interpreter (with --compile: compiled) on
its own tensors and on larger ones, whose elements are repeated. An operator has passed when one sample or more has been
compared and none was wrong. Needs the packages of utils/requirements-torch.txt.
"""
import argparse
import collections
import contextlib
import io
import logging
import os
import sys
import warnings

import numpy as np
import torch
from torch.utils import _pytree as pytree

TOLERANCE = {torch.float32: (1e-4, 1e-4), torch.float64: (1e-6, 1e-6), torch.float16: (1e-2, 1e-2)}
# Random numbers, memory that is not written, storage: there is nothing to compare.
NOT_COMPARED = set("""
    empty empty_like new_empty empty_strided new_empty_strided empty_permuted rand_like randn_like randint_like randint
    randn rand bernoulli multinomial normal uniform cauchy exponential geometric log_normal nn.functional.dropout
    nn.functional.dropout2d nn.functional.dropout3d nn.functional.alpha_dropout nn.functional.feature_alpha_dropout
    jiterator_binary jiterator_binary_return_by_ref jiterator_4inputs_with_extra_args jiterator_unary
    jiterator_2inputs_2outputs as_strided as_strided_copy as_strided_scatter resize_ resize_as_""".split())


# What is sorted does not stay so.
NOT_ENLARGED = {"bucketize", "searchsorted"}


class Call(torch.nn.Module):
    """An operator as a function of the tensors among its arguments."""

    def __init__(self, function, spec, leaves):
        super().__init__()
        self.function, self.spec = function, spec
        self.leaves = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        self.places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def forward(self, *tensors):
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, tensors):
            leaves[place] = tensor
        first, args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        return self.function(first, *args, **kwargs)


def flatten_results(results):
    return [leaf for leaf in pytree.tree_leaves(results) if isinstance(leaf, (torch.Tensor, int, float, bool))]


def differ(expected, actual):
    """What is wrong with the actual results, "" when nothing is."""
    expected = flatten_results(expected)
    if len(expected) != len(actual):
        return f"{len(actual)} results in the place of {len(expected)}"
    for want, got in zip(expected, actual):
        want = torch.as_tensor(want)
        if want.dtype == torch.bfloat16:
            want, got = want.float(), got.astype(np.float32)
        got = torch.from_numpy(np.ascontiguousarray(got).reshape(got.shape))
        rtol, atol = TOLERANCE.get(want.dtype, (0, 0))
        try:
            torch.testing.assert_close(got, want, rtol=rtol, atol=atol, equal_nan=True)
        except AssertionError as error:
            return str(error).replace("\n", " ")
    return ""


def enlarge(program, tensors):
    """The tensors with other sizes for the dynamic dimensions; None where there are none."""
    nodes = [node for node in program.graph.nodes if node.op == "placeholder"][-len(tensors):]
    sizes, larger = {}, []
    for node, tensor in zip(nodes, tensors):
        value, shape = node.meta["val"], list(tensor.shape)
        for axis, extent in enumerate(value.shape):
            if isinstance(extent, torch.SymInt):
                if not extent.node.expr.is_Symbol:
                    return None
                shape[axis] = sizes.setdefault(extent.node.expr, tensor.shape[axis] + 1 + len(sizes) % 2)
        data = np.resize(tensor.detach().numpy(), shape) if tensor.numel() else np.zeros(shape, tensor.numpy().dtype)
        if tensor.is_floating_point() and tensor.dtype != torch.float16:
            # No equal elements, whose order torch leaves open.
            data = np.asarray(data * (1 - 1e-3 * np.random.default_rng(0).random(shape)), data.dtype)
        larger.append(torch.from_numpy(data))
    return larger if sizes else None


def check_sample(relax, op, sample, compiled):
    """What becomes of a sample, and why."""
    leaves, spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    call = Call(op.op, spec, leaves)
    tensors = [leaves[place].detach().clone() for place in call.places]
    if not tensors:
        return "no tensors", ""
    expected = call(*[tensor.clone() for tensor in tensors])
    dynamic = tuple({axis: torch.export.Dim.AUTO for axis in range(tensor.dim())} for tensor in tensors)
    try:
        program = torch.export.export(call, tuple(tensors), dynamic_shapes=(dynamic,))
    except Exception as error:
        return "not exported", str(error).split("\n")[0]
    try:
        module = relax.torch.from_exported_program(program)
        run = module.compile()["main"] if compiled else module["main"]
    except relax.RelaxError as error:
        return ("unsupported" if error.status == "unsupported" else "error"), str(error)
    larger = enlarge(program, tensors) if op.name not in NOT_ENLARGED else None
    outcome = "passed"
    for given in [tensors] + ([larger] if larger is not None else []):
        if given is larger:
            try:
                program.module()(*[tensor.clone() for tensor in given])
                expected = call(*[tensor.clone() for tensor in given])
            except Exception:
                # Guards of the program or rules of the operator.
                continue
            outcome = "passed at two sizes"
        try:
            results = run(*[tensor.numpy() for tensor in given])
            # What the operator changes in place is an input with another value.
            results = [value for name, value in results.items() if not name.endswith(".new")]
        except relax.RelaxError as error:
            return "error", str(error)
        message = differ(expected, results)
        if message:
            return "wrong", f"{[tuple(tensor.shape) for tensor in given]}: {message}"
    return outcome, ""


def choose(samples, number):
    """Samples spread over all of them."""
    samples = list(samples)
    return samples if len(samples) <= number else [samples[i * len(samples) // number] for i in range(number)]


def run_ops(relax, names=None, dtype=torch.float32, number=4, shard=(0, 1), compiled=False, report=None):
    """Outcomes by operator: {name: Counter}, and the operators of aten that were seen."""
    with contextlib.redirect_stderr(io.StringIO()):
        from torch.testing._internal.common_methods_invocations import op_db
    ops = [op for op in op_db if dtype in op.dtypes and op.name not in NOT_COMPARED]
    ops.sort(key=lambda op: op.full_name)
    if names is not None:
        ops = [op for op in ops if op.full_name in names or op.name in names]
    outcomes = {}
    for op in ops[shard[0]::shard[1]]:
        counter = outcomes[op.full_name] = collections.Counter()
        torch.manual_seed(0)
        try:
            samples = choose(op.sample_inputs("cpu", dtype), number)
        except Exception as error:
            samples = []
            counter["no samples"] += 1
            report and report(op.full_name, "no samples", str(error))
        for sample in samples:
            try:
                outcome, message = check_sample(relax, op, sample, compiled)
            except Exception as error:  # torch itself refuses a sample, or the importer has a fault
                outcome, message = "fault", f"{type(error).__name__}: {error}"
            counter[outcome] += 1
            if report and not outcome.startswith("passed"):
                report(op.full_name, outcome, message)
    return outcomes


def classify(counter):
    if counter["wrong"] or counter["error"] or counter["fault"]:
        return "failed"
    if counter["passed"] + counter["passed at two sizes"]:
        return "passed"
    return "unsupported" if counter["unsupported"] else "not exported"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--shard", default="0/1", help="I/N: every Nth operator from the Ith on")
    parser.add_argument("--ops", help="names, separated by commas")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--samples", type=int, default=4, help="of each operator")
    parser.add_argument("--compile", action="store_true", help="compile instead of interpreting")
    parser.add_argument("--list", action="store_true", help="print each operator and its outcomes")
    options = parser.parse_args()
    import relax
    import relax.torch  # noqa: F401
    shard = tuple(map(int, options.shard.split("/")))

    def report(name, outcome, message):
        print(f"{name}: {outcome}: {message[:300]}", flush=True)

    outcomes = run_ops(relax, options.ops.split(",") if options.ops else None, getattr(torch, options.dtype),
                       options.samples, shard, options.compile, report)
    classes = collections.Counter(map(classify, outcomes.values()))
    if options.list:
        for name, counter in outcomes.items():
            print(f"{classify(counter):12} {name}: {dict(counter)}")
    samples = sum(outcomes.values(), collections.Counter())
    print(f"operators: {dict(classes)}; samples: {dict(samples)}")
    return 1 if classes["failed"] else 0


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
