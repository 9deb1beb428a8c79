# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Random nests of loops and branches whose tensors change their places and sizes, against the same program in numpy."""
import random

import numpy as np

SEEDS = [*range(11), 208]  # the last one repeats casts of casts
FIXED, GROWING = "tensor<?xi64, #n>", "tensor<?xi64>"


class Writer:
    """One function as MLIR and as Python statements. A variable is a name and whether its size is that of the input."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.mlir, self.python = [], []
        self.count = 0

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def emit(self, depth, mlir, python=None):
        self.mlir.append("  " * depth + mlir)
        if python:
            self.python.append("    " * depth + python)

    def pick(self, scope, fixed):
        return self.random.choice([name for name, is_fixed in scope if is_fixed == fixed])

    def statement(self, depth, scope):
        kind = self.random.choice(["add", "add", "append", "sum", "half"] + ["for", "if", "while"] * (depth < 4))
        if kind in ("for", "if", "while"):
            return getattr(self, "emit_" + kind)(depth, scope)
        result = self.name()
        if kind == "add":
            a, b = self.pick(scope, True), self.pick(scope, True)
            self.emit(depth, f"%{result} = relax.add %{a}, %{b} : ({FIXED}, {FIXED}) -> {FIXED}", f"{result} = {a} + {b}")
        elif kind == "append":
            g, f = self.pick(scope, False), self.pick(scope, True)
            self.emit(depth, f"%{result} = relax.concat %{g}, %{f} {{axis = 0 : i64}} : ({GROWING}, {FIXED}) -> {GROWING}",
                      f"{result} = np.concatenate([{g}, {f}])")
        elif kind == "sum":
            g, f, total = self.pick(scope, False), self.pick(scope, True), self.name()
            self.emit(depth, f"%{total} = relax.sum %{g} {{axes = array<i64: 0>, keepdims}} : ({GROWING}) -> tensor<1xi64>",
                      f"{total} = {g}.sum(keepdims=True)")
            self.emit(depth, f"%{result} = relax.add %{f}, %{total} : ({FIXED}, tensor<1xi64>) -> {FIXED}", f"{result} = {f} + {total}")
        else:
            # The first half of a tensor of unknown size, doubled: what is short stays short.
            g, k, s, h = self.pick(scope, False), self.name(), self.name(), self.name()
            shape = f"#relax_sym.shape<[{s}]>"
            half = f"#relax_sym.shape<[{s} floordiv 2]>"
            self.emit(depth, f"%{k} = relax.match_cast %{g} binds [{s}] : {GROWING} to tensor<?xi64, {shape}>")
            self.emit(depth, f"%{h} = relax.slice %{k} {{axes = array<i64: 0>, starts = [#relax_sym.expr<0>], "
                      f"ends = [#relax_sym.expr<{s} floordiv 2>], strides = array<i64: 1>}} : (tensor<?xi64, {shape}>) -> tensor<?xi64, {half}>",
                      f"{h} = {g}[:len({g}) // 2]")
            self.emit(depth, f"%{result} = relax.concat %{h}, %{h} {{axis = 0 : i64}} : (tensor<?xi64, {half}>, tensor<?xi64, {half}>) -> {GROWING}",
                      f"{result} = np.concatenate([{h}, {h}])")
        scope.append((result, kind in ("add", "sum")))

    def body(self, depth, scope, kinds):
        """Statements of a region; gives what it yields."""
        inner = list(scope)
        for _ in range(self.random.randint(1, 4)):
            self.statement(depth, inner)
        recent = inner[-6:] + scope
        return [self.random.choice([name for name, is_fixed in recent if is_fixed == kind]) for kind in kinds]

    def carried(self):
        return [self.random.random() < 0.5 for _ in range(self.random.randint(1, 3))]

    @staticmethod
    def types(kinds):
        return ", ".join(FIXED if kind else GROWING for kind in kinds)

    def emit_for(self, depth, scope):
        kinds = self.carried()
        inits = [self.pick(scope, kind) for kind in kinds]
        arguments, results = [self.name() for _ in kinds], [self.name() for _ in kinds]
        index, trips = self.name(), self.random.choice([0, 1, 2, 3])
        pairs = ", ".join(f"%{a} = %{i}" for a, i in zip(arguments, inits))
        lhs = ", ".join("%" + name for name in results)
        # The count depends on the input, so that nothing is unrolled.
        bound = self.name()
        self.emit(depth, f"%{bound} = arith.muli %trip, %c{trips} : index", f"{bound} = trip * {trips}")
        self.emit(depth, f"{lhs} = scf.for %{index} = %c0 to %{bound} step %c1 iter_args({pairs}) -> ({self.types(kinds)}) {{")
        self.python.append("    " * depth + f"{', '.join(arguments)}, = {', '.join(inits)},")
        self.python.append("    " * depth + f"for {index} in range({bound}):")
        yields = self.body(depth + 1, scope + list(zip(arguments, kinds)), kinds)
        self.emit(depth + 1, f"scf.yield {', '.join('%' + y for y in yields)} : {self.types(kinds)}",
                  f"{', '.join(arguments)}, = {', '.join(yields)},")
        self.emit(depth, "}", f"{', '.join(results)}, = {', '.join(arguments)},")
        scope.extend(zip(results, kinds))

    def emit_if(self, depth, scope):
        kinds = self.carried()
        results = [self.name() for _ in kinds]
        condition = self.random.choice(["yes", "no", "trip_is_one"])
        lhs = ", ".join("%" + name for name in results)
        self.emit(depth, f"{lhs} = scf.if %{condition} -> ({self.types(kinds)}) {{", f"if {condition}:")
        for end in ("} else {", "}"):
            yields = self.body(depth + 1, scope, kinds)
            self.emit(depth + 1, f"scf.yield {', '.join('%' + y for y in yields)} : {self.types(kinds)}",
                      f"{', '.join(results)}, = {', '.join(yields)},")
            self.emit(depth, end, "else:" if end != "}" else None)
        scope.extend(zip(results, kinds))

    def emit_while(self, depth, scope):
        """Counts to the trip count; what leaves the loop is made in the first region too."""
        kinds = self.carried()
        inits = [self.pick(scope, kind) for kind in kinds]
        before, after, results = ([self.name() for _ in kinds] for _ in range(3))
        i, j, more, next_, last = (self.name() for _ in range(5))
        pairs = ", ".join([f"%{i} = %c0"] + [f"%{a} = %{v}" for a, v in zip(before, inits)])
        types = ", ".join(["index", self.types(kinds)])
        lhs = ", ".join("%" + name for name in [last, *results])
        self.emit(depth, f"{lhs} = scf.while ({pairs}) : ({types}) -> ({types}) {{")
        self.python.append("    " * depth + f"{i}, {', '.join(before)}, = 0, {', '.join(inits)},")
        self.python.append("    " * depth + "while True:")
        passed = self.body(depth + 1, scope + list(zip(before, kinds)), kinds)
        self.emit(depth + 1, f"%{more} = arith.cmpi slt, %{i}, %trip : index", f"{', '.join(after)}, = {', '.join(passed)},")
        self.emit(depth + 1, f"scf.condition(%{more}) %{i}, {', '.join('%' + p for p in passed)} : {types}", f"if {i} >= trip: break")
        block = ", ".join([f"%{j}: index"] + [f"%{a}: {FIXED if kind else GROWING}" for a, kind in zip(after, kinds)])
        self.emit(depth, "} do {")
        self.emit(depth, f"^bb0({block}):")
        yields = self.body(depth + 1, scope + list(zip(after, kinds)), kinds)
        self.emit(depth + 1, f"%{next_} = arith.addi %{j}, %c1 : index")
        self.emit(depth + 1, f"scf.yield %{next_}, {', '.join('%' + y for y in yields)} : {types}",
                  f"{i}, {', '.join(before)}, = {i} + 1, {', '.join(yields)},")
        self.emit(depth, "}", f"{', '.join(results)}, = {', '.join(after)},")
        scope.extend(zip(results, kinds))

    def function(self, name):
        scope = [("x", True), ("y", True), ("g", False)]
        self.emit(1, f"%g = relax.erase_shape %z : tensor<?xi64, #m> to {GROWING}")
        self.emit(1, "%c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index\n"
                  "  %c3 = arith.constant 3 : index\n  %e = tensor.extract %t[] : tensor<i64>\n  %trip = arith.index_cast %e : i64 to index\n"
                  "  %yes = arith.cmpi sge, %trip, %c0 : index\n  %no = arith.cmpi slt, %trip, %c0 : index\n"
                  "  %trip_is_one = arith.cmpi eq, %trip, %c1 : index")
        while len(scope) < 9:
            self.statement(1, scope)
        results = [scope[-1], scope[-2], scope[-3], ("g", False)]
        types = self.types([kind for _, kind in results])
        self.emit(1, f"return {', '.join('%' + result for result, _ in results)} : {types}", f"return {', '.join(result for result, _ in results)}")
        head = (f"func.func @{name}(%x: {FIXED} {{relax.name = \"x\"}}, %y: {FIXED} {{relax.name = \"y\"}}, %z: tensor<?xi64, #m> {{relax.name = \"z\"}}, "
                f"%t: tensor<i64> {{relax.name = \"t\"}}) -> ({types}) attributes {{relax_sym.scope = #relax_sym.scope<>}} {{\n")
        python = f"def {name}(x, y, g, trip):\n    yes, no, trip_is_one = True, False, trip == 1\n" + "\n".join(self.python)
        names = {}
        exec(python, {"np": np}, names)  # noqa: S102 - our own text
        return head + "\n".join(self.mlir) + "\n}\n", names[name]


def test_random_control_flow(tool, tmp_path):
    functions = {f"f{seed}": Writer(seed).function(f"f{seed}") for seed in SEEDS}
    source, artifact = tmp_path / "in.mlir", tmp_path / "out.rlx"
    source.write_text("#n = #relax_sym.shape<[n]>\n#m = #relax_sym.shape<[m]>\n" + "".join(text for text, _ in functions.values()))
    done = tool("relax-compile", source, "-o", artifact, "--function=*")
    assert done.returncode == 0, done.stderr[:2000]
    numbers = np.random.default_rng(5)
    inputs = []
    for n, m, t in [(3, 2, 2), (0, 0, 3), (1, 5, 1), (7, 0, 0), (5, 9, 3), (3, 2, 2)]:
        x, y, z = (numbers.integers(-9, 9, size) for size in (n, n, m))
        inputs.append({"x": x, "y": y, "z": z, "t": np.array(t)})
    for index, arrays in enumerate(inputs):
        np.savez(tmp_path / f"in{index}.npz", **arrays)
    for name, (_, function) in functions.items():
        files = [item for index in range(len(inputs)) for item in
                 ("--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz")]
        done = tool("relax-run", artifact, "--function", name, *files)
        assert done.returncode == 0, (name, done.stderr)
        for index, given in enumerate(inputs):
            with np.errstate(over="ignore"):
                want = function(given["x"], given["y"], given["z"], int(given["t"]))
            got = np.load(tmp_path / f"out{index}.npz")
            for position, array in enumerate(want):
                np.testing.assert_array_equal(got[f"result{position}"], array, err_msg=f"{name}, inputs {index}, result {position}")
