# Licensed under the Apache License, Version 2.0. See LICENSE.
"""What TVM's planner needs for a model, for benchmarks/memory.py and pass_time.py; runs in an environment of its own.

    python3 -m venv /tmp/tvm && /tmp/tvm/bin/pip install apache-tvm==0.27.0.post1 onnx numpy
    /tmp/tvm/bin/python benchmarks/tvm_plans.py MODEL.onnx [--sizes b=1,s=128 ...] [--bounds b=4,s=128]
    /tmp/tvm/bin/python benchmarks/tvm_plans.py MODEL.onnx --compile RESULT.so

Prints JSON: seconds of CPU time for import and passes up to the memory plan, and for each of the sizes the bytes of
all storages and tensors that are allocated, results included, with symbolic sizes and with upper bounds for them; null
where a size is found while running. With --compile, seconds of CPU time for all of a compilation, linker included, and
nothing else.
"""
import argparse
import json
import os
import time

import onnx
import tvm
from tvm import relax
from tvm.relax.backend.cpu_generic import pipeline
from tvm.relax.frontend.onnx import from_onnx


class Script:
    """The names that TVM prints in an expression over sizes."""

    int64 = int32 = staticmethod(int)
    min, max = staticmethod(min), staticmethod(max)

    @staticmethod
    def shift_left(value, bits):
        return value << bits

    @staticmethod
    def Select(condition, chosen, otherwise):
        return chosen if condition else otherwise

    if_then_else = Select


def evaluate(extent, sizes):
    if isinstance(extent, int):
        return extent
    # The last line is the expression, those before it declare symbols.
    text = str(extent).split("\n")[-1].replace("tir.", "").replace("tirx.", "")
    return int(eval(text, {"__builtins__": {}, "T": Script, **sizes}))


def collect(module):
    """(extents, bytes of an element) of all that is allocated."""
    found = []

    def visit(node):
        if isinstance(node, relax.Call):
            name = getattr(node.op, "name", "")
            if name == "relax.memory.alloc_storage":
                found.append((list(node.args[0].values), 1))
            elif name == "relax.builtin.alloc_tensor":
                found.append((list(node.args[0].values), tvm.DataType(node.args[1].value).bits + 7 >> 3))

    relax.analysis.post_order_visit(module["main"], visit)
    return found


def count(allocations, sizes):
    try:
        total = 0
        for extents, element in allocations:
            for extent in extents:
                element *= evaluate(extent, sizes)
            total += element
        return total
    except NameError:
        return None


def read_sizes(text):
    return {name: int(value) for name, value in (part.split("=") for part in text.split(","))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--sizes", nargs="*", default=[], type=read_sizes)
    parser.add_argument("--bounds", type=read_sizes)
    parser.add_argument("--compile", metavar="RESULT")
    args = parser.parse_args()
    target = tvm.target.Target({"kind": "llvm"})
    model = onnx.load(args.model)
    if args.compile:
        before = os.times()
        module, _ = relax.frontend.detach_params(from_onnx(model, keep_params_in_input=True))
        tvm.compile(module, target).export_library(args.compile)
        print(json.dumps({"seconds": sum(os.times()[:4]) - sum(before[:4])}))
        return
    began = time.process_time()
    module = from_onnx(model, keep_params_in_input=True)

    def plan(module):
        passes = [*pipeline.library_dispatch_passes(target), *pipeline.legalize_passes(target),
                  *pipeline.dataflow_lower_passes(target), relax.transform.StaticPlanBlockMemory()]
        with target:
            return tvm.transform.Sequential(passes)(module)

    planned = plan(module)
    result = {"seconds": time.process_time() - began}
    result["symbolic"] = [count(collect(planned), sizes) for sizes in args.sizes]
    if args.bounds:
        bounded = tvm.IRModule(dict(module.functions.items()))
        bounded["main"] = module["main"].with_attr("tir_var_upper_bound", args.bounds)
        allocations = collect(plan(bounded))
        result["bounded"] = [count(allocations, sizes) for sizes in args.sizes]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
