#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Launches of a model under TVM's default GPU pipeline, as JSON. Run by layers.py, with an interpreter that has TVM.

What is counted: calls of tensor programs (call_tir, call_tir_inplace) in `main` after the phases of
tvm.relax.backend.cuda that legalize, fuse and find reshapes: library_dispatch_passes, legalize_passes (LegalizeOps,
AnnotateTIROpPattern, FoldConstant, FuseOps, FuseTIR; without the schedules, which neither add nor remove calls) and
RewriteDataflowReshape, after which a reshape inside of a dataflow block is a view. No device and no code generation.
"""
import json
import sys

import onnx
import tvm
from tvm import relax
from tvm.relax.backend.cuda import pipeline
from tvm.relax.frontend.onnx import from_onnx


def count(module):
    """Calls of tensor programs in the main function."""
    calls = []

    def visit(node):
        name = getattr(node.op, "name", "") if isinstance(node, relax.Call) else ""
        if name in ("relax.call_tir", "relax.call_tir_inplace"):
            calls.append(node)

    relax.analysis.post_order_visit(module["main"], visit)
    return len(calls)


def main():
    module = from_onnx(onnx.load(sys.argv[1]), keep_params_in_input=True)
    target = tvm.target.Target({"kind": "cuda", "arch": "sm_90"})
    with target:
        passes = [*pipeline.library_dispatch_passes(target), *pipeline.legalize_passes(target)]
        fused = tvm.transform.Sequential([each for each in passes if "Schedule" not in str(each.info.name)])(module)
        viewed = relax.transform.RewriteDataflowReshape()(fused)
    print(json.dumps({"fused": count(fused), "fused, reshapes as views": count(viewed)}))


if __name__ == "__main__":
    main()
