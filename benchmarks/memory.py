#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Bytes of memory plans, each from ONE plan for all sizes, beside what other compilers were measured to need.

Functions: four small ones with symbolic sizes, results left out, fusion off and on, against the optimum (what lives
together at most) and TVM's planner. Models, with a folder of them: workspaces and activations with results, without
weights and inputs; the bound is the most that is needed at one time, results from where they are made. `separate` is
the least of all plans in which a result is a block of its own: what fits into no result that is made later is in the
arena. `in place` leaves out results that begin with an argument's elements and have room where that is. A second table
is of the models with caches, compiled with --donate and --preallocate-caches: keys and values are written into memory
of the caller, which has a capacity; the results are the others.

Figures of others are those of the measurements that the models come from
(MB = 1e6), except that TVM's planner is run on the same models where there is one: --tvm, or the environment variable
RELAX_TVM, names a Python that has it (tvm_plans.py tells how to make one). A row above TVM's is marked, and the exit
code is 1.

    .venv/bin/python3 benchmarks/memory.py [--models FOLDER with decoder.onnx, bert.onnx, resnet18.onnx] [--tvm PYTHON]
"""
import argparse
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "python"))

from memory_plans import Plan  # noqa: E402

BIN = ROOT / "build" / "bin"
PLAIN = ["--relax-simplify", "--relax-decompose-ops", "--relax-legalize-ops", "--relax-plan"]
FUSED = ["--relax-simplify", "--relax-decompose-ops", "--relax-legalize-ops", "--relax-optimize", "--relax-plan"]
# Title, extents of the inputs, steps, TVM's bytes and the optimum, with n = m = 1024.
FUNCTIONS = [
    ("5 elementwise on [n,4]", "n", "exp exp exp exp exp", 32 * 1024, 32 * 1024),
    ("concat [2n,4], exp, slice, 3 exp", "n", "rows exp slice exp exp exp", 128 * 1024, 64 * 1024),
    ("f32 x2, cast f16, concat [n,8], 2 exp", "n", "exp exp f16 columns exp exp", 72 * 1024, 32 * 1024),
    ("exp, exp, concat [n+m,4], 2 exp", "n m", "exp rows exp exp", 160 * 1024, 64 * 1024),
]
# Sizes, then MB that others were measured to need: TVM with symbolic sizes, TVM with bounds, IREE.
MODELS = {
    "decoder": [({"b": 1, "s": 128, "p": 0}, 15.95, 25.49, 10.59), ({"b": 1, "s": 17, "p": 0}, 1.77, 24.58, 2.41),
                ({"b": 1, "s": 1, "p": 128}, 1.46, 25.50, 10.66), ({"b": 1, "s": 1, "p": 511}, 5.08, 28.64, 38.90),
                ({"b": 4, "s": 1, "p": 511}, 20.33, 41.60, None)],
    "bert": [({"b": 1, "s": 128}, 3.54, None, None), ({"b": 8, "s": 128}, 28.3, None, None)],
    "resnet18": [({"b": 1, "h": 224, "w": 224}, None, None, None), ({"b": 4, "h": 200, "w": 333}, None, None, None)],
}
# Inputs that are caches.
CACHES = {"decoder": "pk*,pv*"}
# Bounds that a user may give, for rows of their own.
FACTS = {"decoder": ["b <= 4", "s <= 128", "p <= 512"], "bert": ["b <= 8", "s <= 512"],
         "resnet18": ["b <= 4", "h >= 32", "h <= 512", "w >= 32", "w <= 512"]}


class Chain:
    """Graph IR of a function whose steps each take what the step before gave; the first take the inputs."""

    def __init__(self, inputs):
        self.shapes = [(rows, 4, "f32") for rows in inputs]
        self.values = [f"%x{i}" for i in range(len(inputs))]
        self.arguments = ", ".join(f"{value}: {type}" for value, type in zip(self.values, self.types()))
        self.lines = []

    def types(self):
        return [f"tensor<?x{columns}x{element}, #relax_sym.shape<[{rows}, {columns}]>>"
                for rows, columns, element in self.shapes]

    def emit(self, op, attributes, shape, *operands):
        """One op; its operands are numbers of values."""
        types = ", ".join(self.types()[i] for i in operands)
        names = ", ".join(self.values[i] for i in operands)
        before, self.shapes = self.shapes, [shape]
        signature = types if op == "exp" else f"({types}) -> {self.types()[0]}"
        self.lines.append(f"  %v{len(self.lines)} = relax.{op} {names} {attributes} : {signature}")
        self.shapes = before
        return f"%v{len(self.lines) - 1}"

    def step(self, name):
        rows, columns, element = self.shapes[0]
        every = range(len(self.values))
        pair = (0, 0) if len(self.values) == 1 else tuple(every)
        if name in ("exp", "f16"):
            op, attributes = ("exp", "") if name == "exp" else ("astype", "{dtype = f16}")
            shapes = [(*shape[:2], "f16" if name == "f16" else shape[2]) for shape in self.shapes]
            values = [self.emit(op, attributes, shapes[i], i) for i in every]
        elif name == "slice":
            attributes = ("{axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<n>], "
                          "strides = array<i64: 1>}")
            shapes = [("n", columns, element)]
            values = [self.emit("slice", attributes, shapes[0], 0)]
        else:
            joined = (" + ".join(self.shapes[i][0] for i in pair), columns, element)
            shapes = [joined if name == "rows" else (rows, 2 * columns, element)]
            values = [self.emit("concat", f"{{axis = {int(name == 'columns')} : i64}}", shapes[0], *pair)]
        self.shapes, self.values = shapes, values

    def __str__(self):
        body = "\n".join(self.lines)
        return (f"func.func @main({self.arguments}) -> {self.types()[0]} "
                f"attributes {{relax_sym.scope = #relax_sym.scope<>}} {{\n{body}\n"
                f"  return {self.values[0]} : {self.types()[0]}\n}}\n")


def read_plan(text):
    """The plan of the first function of a module in the planned phase."""
    report = re.search(r'relax\.memory_report = "((?:[^"\\]|\\.)*)"', text).group(1)
    return Plan(json.loads(re.sub(r"\\([0-9A-F]{2})", lambda match: chr(int(match.group(1), 16)), report)))


def run_tool(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"memory.py: {' '.join(map(str, command))}: {done.stderr[:2000]}")
    return done.stdout


def measure_functions():
    """Rows of the table of small functions; False when a plan without fusion needs more than the optimum."""
    print("bytes at n = m = 1024, without results      TVM    optimum   ours, unfused   ours, fused")
    good, sizes = True, {"n": 1024, "m": 1024}
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "f.mlir"
        for title, inputs, steps, tvm, optimum in FUNCTIONS:
            chain = Chain(inputs.split())
            for step in steps.split():
                chain.step(step)
            source.write_text(str(chain))
            plans = [read_plan(run_tool(BIN / "relax-opt", source, *passes)) for passes in (PLAIN, FUSED)]
            plain, fused = (plan.get_bytes(sizes) for plan in plans)
            good &= plain <= optimum
            print(f"{title:40} {tvm:>8} {optimum:>9} {plain:>15} {fused:>13}")
    return good


def run_tvm(python, model, points, bounds):
    """For each point MB of TVM's plan with symbolic sizes, and with bounds."""
    def join(sizes):
        return ",".join(f"{symbol}={value}" for symbol, value in sizes.items())

    def scale(values):
        return [value and value / 1e6 for value in values]

    where = [join(sizes) for sizes, *_ in points]
    output = run_tool(python, ROOT / "benchmarks" / "tvm_plans.py", model, "--bounds", join(bounds), "--sizes", *where)
    found = json.loads(output.splitlines()[-1])
    return list(zip(scale(found["symbolic"]), scale(found["bounded"])))


def read_bounds(facts):
    return {symbol: int(bound) for symbol, bound in re.findall(r"(\w+) <= (\d+)", "; ".join(facts))}


def measure_models(folder, tvm):
    """Rows of the table of models; False when a plan needs more than TVM's that was made here."""
    def show(value):
        return "      -" if value is None else f"{value:7.2f}"

    print(f"\nMB with results          {'TVM run here' if tvm else '            '}   TVM symbolic  TVM bounds    IREE |"
          "    ours   bound  ratio | separate  ratio | in place | arena")
    good = True
    for name, points in MODELS.items():
        path = pathlib.Path(folder) / f"{name}.onnx"
        if not path.exists():
            continue
        peers = [peer[1:3] for peer in points]
        if tvm:
            peers = run_tvm(tvm, path, points, read_bounds(FACTS[name]))
        plans = {}
        with tempfile.TemporaryDirectory() as temporary:
            for title, facts in (("", []), (" bounds", FACTS[name])):
                out = pathlib.Path(temporary) / "planned.mlir"
                run_tool(BIN / "relax-compile", path, "--emit=mlir", "--after=relax-verify-planned", "-o", out,
                         *(f"--fact={fact}" for fact in facts))
                plans[title] = read_plan(out.read_text(errors="replace"))
        for (title, plan), ((sizes, _, _, iree), (symbolic, bounded)) in itertools.product(
                plans.items(), zip(points, peers)):
            where = name + " " + " ".join(f"{symbol}={value}" for symbol, value in sizes.items()) + title
            try:
                arena, results = plan.get_bytes(sizes), plan.get_result_bytes(sizes)
                bound = plan.get_live_bytes(sizes, with_results=True)
                separate = plan.get_separate_bytes(sizes)
            except KeyError as symbol:
                print(f"{where:35} the size of a result is found while running: {symbol}")
                continue
            total = arena + results
            in_place = arena + plan.get_result_bytes(sizes, in_place=True)
            # With bounds a plan is compared with the one that TVM makes with them, and with the other one.
            above = tvm and total > 1e6 * min(peer for peer in (symbolic, bounded if title else None) if peer)
            good &= not above
            print(f"{where:35}         {show(symbolic)}     {show(bounded)} {show(iree)} | {total / 1e6:7.3f} "
                  f"{bound / 1e6:7.3f} {total / bound:6.3f} | {separate / 1e6:8.3f} {total / separate:6.3f} | "
                  f"{in_place / 1e6:8.3f} | {arena / 1e6:6.3f}{'  above TVM' if above else ''}")
    return good


def measure_caches(folder):
    """Rows of the table of models whose caches are the caller's."""
    print("\nMB, caches in the caller's memory      arena  results    total |   bound  ratio | caches elsewhere")
    for name, inputs in CACHES.items():
        path = pathlib.Path(folder) / f"{name}.onnx"
        if not path.exists():
            continue
        with tempfile.TemporaryDirectory() as temporary:
            out = pathlib.Path(temporary) / "planned.mlir"
            command = [BIN / "relax-compile", path, "--emit=mlir", "--after=relax-verify-planned", "-o", out]
            run_tool(*command)
            plain = read_plan(out.read_text(errors="replace"))
            run_tool(*command, f"--donate={inputs}", "--preallocate-caches")
            plan = read_plan(out.read_text(errors="replace"))
        for given, *_ in MODELS[name]:
            where = name + " " + " ".join(f"{symbol}={value}" for symbol, value in given.items())
            sizes = given | {"capacity": given["s"] + given["p"]}
            arena, results = plan.get_bytes(sizes), plan.get_result_bytes(sizes, in_place=True)
            bound = plan.get_live_bytes(sizes, with_results=True, in_place=True)
            before = plain.get_bytes(given) + plain.get_result_bytes(given)
            total = arena + results
            print(f"{where:35} {arena / 1e6:8.3f} {results / 1e6:8.3f} {total / 1e6:8.3f} | {bound / 1e6:7.3f} "
                  f"{total / bound:6.3f} | {before / 1e6:8.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", help="folder of the models")
    parser.add_argument("--tvm", default=os.environ.get("RELAX_TVM"), help="a Python that has TVM")
    args = parser.parse_args()
    good = measure_functions()
    if args.models:
        good &= measure_models(args.models, args.tvm)
        measure_caches(args.models)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
