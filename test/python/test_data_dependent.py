# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Sizes found while running, and bounds that only run time knows: later ops rely on what is known of them, and what does not
hold is an error, never a wrong answer. Compiled once for all sizes, and in the reference interpreter, against numpy.

Tests whose text begins with a number are about that row of the faults collected from the original Relax (empty reductions,
reshape divisibility, aliases, slices that leave the tensor, top-k beyond the end, integer division, ...)."""
import numpy as np
import pytest
import test_ops
from test_ops import Function, check, numbers, tensor

compiled = test_ops.compiled
I1 = tensor("i64", 1)
FAR, NEAR = 2**63 - 1, -(2**63)


class Program(Function):
    """A function whose lines may use each other."""

    def __init__(self, name, *facts, **arguments):
        super().__init__(name, *facts, **arguments)
        self.types = dict(arguments)

    def let(self, name, text, result, attrs="", to=False):
        """`%name = relax.TEXT`; the operands are the values that the text names. With `to` there is one operand, cast to the result."""
        names = [word.strip("(),%") for word in text.replace("(%", " %").split() if word.startswith("%")]
        types = [self.types[operand] for operand in names]
        self.body.append(f"%{name} = relax.{text} {attrs} : " + (f"{types[0]} to {result}" if to else f"({', '.join(types)}) -> {result}"))
        self.types[name] = result

    def shape(self, name, *dims, of=()):
        """A shape value; `of` are tensors that show its symbols."""
        shapes = []
        for source in of:
            dims_of = self.types[source].split("shape<[")[1].split("]")[0]
            shapes.append(f"{name}_{source}")
            self.types[shapes[-1]] = f"!relax.shape<[{dims_of}]>"
            if self.types[source].startswith("!"):
                self.body.append(f"%{shapes[-1]} = relax.make_shape %{source} : ({self.types[source]}) -> {self.types[source]}")
            else:
                self.body.append(f"%{shapes[-1]} = relax.shape_of %{source} : {self.types[source]} -> {self.types[shapes[-1]]}")
        self.types[name] = f"!relax.shape<[{', '.join(map(str, dims))}]>"
        operands = " " + ", ".join("%" + shape for shape in shapes) if shapes else ""
        self.body.append(f"%{name} = relax.make_shape{operands} : ({', '.join(self.types[shape] for shape in shapes)}) -> {self.types[name]}")

    def tensor_of(self, name, shape, count=1):
        self.types[name] = tensor("i64", count)
        self.body.append(f"%{name} = relax.shape_to_tensor %{shape} : {self.types[shape]} -> {self.types[name]}")

    def bind(self, name, source, *symbols):
        self.types[name] = f"!relax.shape<[{', '.join(symbols)}]>"
        self.body.append(f"%{name} = relax.tensor_to_shape %{source} binds [{', '.join(symbols)}] : {self.types[source]} -> {self.types[name]}")

    def constant(self, name, value, type):
        self.types[name] = type
        self.body.append(f"%{name} = relax.constant dense<{value}> : {type}")

    def give(self, *names):
        self.results.update({name: self.types[name] for name in names})


def exprs(*texts):
    return "[" + ", ".join(f"#relax_sym.expr<{text}>" for text in texts) + "]"


def cut(axis, start, end):
    return f"{{axes = array<i64: {axis}>, starts = {exprs(start)}, ends = {exprs(end)}, strides = array<i64: 1>}}"


# --------------------------------------------------------------------------------------------------------------------
# Sizes found while running
# --------------------------------------------------------------------------------------------------------------------


def test_selected_rows(compiled):
    """nonzero binds u; everything after it has extents in u, and `x[u:]` needs u <= n, which is known of u."""
    rows = tensor("f32", "u", 4)
    p = Program("rows", x=tensor("f32", "n", 4), y=tensor("f32", "n"))
    p.constant("zero", "0.0", tensor("f32"))
    p.let("mask", "greater %y, %zero", tensor("i1", "n"))
    p.let("places", "nonzero %mask binds [u]", tensor("i64", 1, "u"))
    p.let("i", "squeeze %places", tensor("i64", "u"), "{axes = array<i64: 0>}")
    p.let("rows", "take %x, %i", rows, "{axis = 0 : i64}")
    p.let("twice", "concat %rows, %rows", tensor("f32", "u * 2", 4), "{axis = 0 : i64}")
    p.shape("s", "u * 8", of=["twice"])
    p.let("flat", "reshape %twice, %s", tensor("f32", "u * 8"))
    p.let("columns", "permute_dims %rows", tensor("f32", 4, "u"), "{permutation = array<i64: 1, 0>}")
    p.let("gram", "matmul %columns, %rows", tensor("f32", 4, 4))
    p.let("largest", "max %rows", tensor("f32", 4), "{axes = array<i64: 0>}")
    p.shape("found", "u", of=["i"])
    p.let("rest", "slice %x shape(%found)", tensor("f32", "n - u", 4), cut(0, "u", "n"))
    p.let("front", "slice %x shape(%found)", rows, cut(0, "0", "u"))
    p.let("both", "add %front, %rows", rows)
    p.let("kept", "compress %x, %mask binds [v]", tensor("f32", "v", 4), "{axis = 0 : i64}")
    p.let("sum", "sum %kept", tensor("f32", 4), "{axes = array<i64: 0>}")
    p.give("rows", "flat", "gram", "largest", "rest", "both", "sum")
    run = compiled("selected_rows", [p])
    inputs = [{"x": numbers("f32", n, 4), "y": numbers("f32", n, seed=seed)} for n, seed in [(0, 1), (1, 1), (1, 2), (1, 5), (7, 1), (1031, 1)]]
    inputs += [{"x": numbers("f32", 5, 4), "y": np.full(5, value, np.float32)} for value in [-1, 1]]
    for given, got in zip(inputs, run("rows", *inputs)):
        x = given["x"]
        rows = x[given["y"] > 0]
        check(got, rows, "rows")
        check(got, np.concatenate([rows, rows]).reshape(-1), "flat")
        check(got, (rows.T.astype(np.float64) @ rows).astype(np.float32), "gram", 1e-4)
        check(got, rows.max(0, initial=-np.inf), "largest")
        check(got, x[len(rows):], "rest")
        check(got, x[:len(rows)] + rows, "both")
        check(got, rows.sum(0, dtype=np.float64).astype(np.float32), "sum", 1e-4)


def test_found_against_given(compiled):
    """9: exp(unique(x)) has a lowering, and n against a size found while running is compared exactly as numpy does."""
    p = Program("against", x=tensor("f32", "n"), y=tensor("f32", "m"))
    p.let("different", "unique %x binds [u]", tensor("f32", "u"))
    p.body.append(f"%exp = relax.exp %different : {p.types['different']}")
    p.types["exp"] = p.types["different"]
    p.let("sum", "add %y, %different", "tensor<?xf32>")
    p.give("exp", "sum")
    run = compiled("against", [p])
    inputs = [{"x": np.array(x, np.float32), "y": numbers("f32", m)} for x, m in [
        ([], 0), ([], 1), ([2], 0), ([2], 1), ([2, 2, 2], 5), ([3, 1, 3, 1], 2), ([3, 1, 2], 1), ([3, 1, 2], 3)]]
    for given, got in zip(inputs, run("against", *inputs)):
        different = np.unique(given["x"])
        check(got, np.exp(different), "exp")
        check(got, given["y"] + different, "sum")
    run("against", {"x": np.array([1, 2, 3], np.float32), "y": numbers("f32", 2)}, fails="the extents [")
    run("against", {"x": np.array([], np.float32), "y": numbers("f32", 2)}, fails="the extents [")


def test_runtime_top_k(compiled):
    """15: top-k with k from a tensor: beyond the end there are n results, none for 0, and a negative k is an error."""
    best = "min(k, n)"
    p = Program("top", x=tensor("f32", "n"), t=I1)
    p.bind("k", "t", "k")
    p.body.append(f"%v, %i = relax.topk %x, %k {{axis = 0 : i64}} : ({p.types['x']}, {p.types['k']}) -> ({tensor('f32', best)}, {tensor('i64', best)})")
    p.types.update(v=tensor("f32", best), i=tensor("i64", best))
    p.let("again", "take %x, %i", p.types["v"], "{axis = 0 : i64}")
    p.let("difference", "subtract %v, %again", p.types["v"])
    p.let("joined", "concat %v, %x", tensor("f32", "min(k, n) + n"), "{axis = 0 : i64}")
    p.give("v", "i", "difference", "joined")
    run = compiled("top_k", [p])
    inputs = [{"x": numbers("f32", n), "t": np.array([k])} for n in [0, 1, 2, 13] for k in [0, 1, 3, 13, 10**12]]
    for given, got in zip(inputs, run("top", *inputs)):
        order = np.argsort(-given["x"], kind="stable")[:given["t"][0]]
        check(got, order, "i")
        check(got, given["x"][order], "v")
        check(got, np.zeros(len(order), np.float32), "difference")
        check(got, np.concatenate([given["x"][order], given["x"]]), "joined")
    run("top", {"x": numbers("f32", 3), "t": np.array([-1])}, fails="")


def test_in_branches_and_loops(compiled):
    """A size found in a branch, and one that every iteration finds anew."""
    p = Program("branch", x=tensor("f32", "n"), flag="tensor<i1>")
    p.constant("zero", "0.0", tensor("f32"))
    p.constant("one", "1.0", tensor("f32"))
    p.body += [
        "%f = tensor.extract %flag[] : tensor<i1>",
        "%r = scf.if %f -> (tensor<?xf32>) {",
        f"  %m = relax.greater %x, %zero : ({p.types['x']}, tensor<f32>) -> {tensor('i1', 'n')}",
        f"  %c = relax.compress %x, %m binds [u] {{axis = 0 : i64}} : ({p.types['x']}, {tensor('i1', 'n')}) -> {tensor('f32', 'u')}",
        f"  %e = relax.erase_shape %c : {tensor('f32', 'u')} to tensor<?xf32>",
        "  scf.yield %e : tensor<?xf32>",
        "} else {",
        f"  %e = relax.erase_shape %x : {p.types['x']} to tensor<?xf32>",
        "  scf.yield %e : tensor<?xf32>",
        "}",
        f"%named = relax.match_cast %r binds [v] : tensor<?xf32> to {tensor('f32', 'v')}",
    ]
    p.types["named"] = tensor("f32", "v")
    p.let("sum", "sum %named", tensor("f32"), "{axes = array<i64: 0>}")
    p.give("named", "sum")
    loop = Program("loop", x=tensor("f32", "n"))
    loop.constant("one", "1.0", tensor("f32"))
    loop.constant("zero", "0.0", tensor("f32"))
    loop.body += [
        "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", "%c3 = arith.constant 3 : index",
        f"%start = relax.erase_shape %x : {loop.types['x']} to tensor<?xf32>",
        "%last = scf.for %step = %c0 to %c3 step %c1 iter_args(%carried = %start) -> (tensor<?xf32>) {",
        f"  %a = relax.match_cast %carried binds [k] : tensor<?xf32> to {tensor('f32', 'k')}",
        f"  %less = relax.subtract %a, %one : ({tensor('f32', 'k')}, tensor<f32>) -> {tensor('f32', 'k')}",
        f"  %m = relax.greater %less, %zero : ({tensor('f32', 'k')}, tensor<f32>) -> {tensor('i1', 'k')}",
        f"  %c = relax.compress %less, %m binds [u] {{axis = 0 : i64}} : ({tensor('f32', 'k')}, {tensor('i1', 'k')}) -> {tensor('f32', 'u')}",
        f"  %e = relax.erase_shape %c : {tensor('f32', 'u')} to tensor<?xf32>",
        "  scf.yield %e : tensor<?xf32>",
        "}",
        f"%named = relax.match_cast %last binds [v] : tensor<?xf32> to {tensor('f32', 'v')}",
    ]
    loop.types["named"] = tensor("f32", "v")
    loop.give("named")
    run = compiled("branches_and_loops", [p, loop])
    inputs = [{"x": np.round(numbers("f32", n)), "flag": np.array(flag)} for n in [0, 1, 7, 101] for flag in [False, True]]
    for given, got in zip(inputs, run("branch", *inputs)):
        want = given["x"][given["x"] > 0] if given["flag"] else given["x"]
        check(got, want, "named")
        check(got, want.sum(dtype=np.float64).astype(np.float32), "sum", 1e-5)
    inputs = [{"x": np.round(numbers("f32", n))} for n in [0, 1, 7, 1031, 3]]
    for given, got in zip(inputs, run("loop", *inputs)):
        check(got, given["x"][given["x"] > 3] - 3, "named")


# --------------------------------------------------------------------------------------------------------------------
# Slices
# --------------------------------------------------------------------------------------------------------------------


def test_slices_beyond_the_ends(compiled):
    """4, 10: x[-10:3], x[m + 50:], x[:m], x[m:-2] and x[0:INT_MAX]: bounds and extents are clamped alike, the last one is x itself."""
    p = Program("cuts", x=tensor("f32", "n", 2), y=tensor("f32", "m"))
    p.shape("s", "m + 50", "m", of=["y"])
    p.tensor_of("both", "s", 2)
    for name, value in {"zero": 0, "three": 3, "minus10": -10, "minus2": -2, "far": FAR}.items():
        p.constant(name, value, I1)
    p.shape("sm", "m", of=["y"])
    p.shape("sm50", "m + 50", of=["y"])
    p.tensor_of("m", "sm")
    p.tensor_of("m50", "sm50")
    cases = {"tail": ("minus10", "three"), "beyond": ("m50", "far"), "crop": ("zero", "m"), "cut": ("m", "minus2"), "all": ("zero", "far")}
    for name, (begin, end) in cases.items():
        p.let(name, f"dynamic_slice %x, %{begin}, %{end} binds [u_{name}]", tensor("f32", f"u_{name}", 2), "{axes = array<i64: 0>}")
    p.let("same", "add %x, %all", "tensor<?x2xf32>")
    p.give(*cases, "same")
    run = compiled("cuts", [p])
    inputs = [{"x": numbers("f32", n, 2), "y": numbers("f32", m)} for n in [0, 1, 9, 60] for m in [0, 1, 3, 9, 20]]
    for given, got in zip(inputs, run("cuts", *inputs)):
        x, m = given["x"], len(given["y"])
        for name, want in {"tail": x[-10:3], "beyond": x[m + 50:], "crop": x[:m], "cut": x[m:-2], "all": x, "same": x + x}.items():
            check(got, want, name)


def test_runtime_strides(compiled):
    """15: strides from a tensor: negative ones go backward, 0 is an error instead of a crash, whatever the extents are."""
    x = tensor("i32", "n", "m")
    p = Program("strides", x=x, b=tensor("i64", 2), e=tensor("i64", 2), s=tensor("i64", 2))
    p.let("part", "dynamic_slice %x, %b, %e strides(%s) binds [u, v]", tensor("i32", "u", "v"), "{axes = array<i64: 0, 1>}")
    p.let("rows", "sum %part", tensor("i32", "u"), "{axes = array<i64: 1>}")
    p.give("part", "rows")
    run = compiled("strides", [p])
    cases = [((0, 0), (FAR, FAR), (1, 1)), ((-1, -1), (NEAR, NEAR), (-1, -2)), ((3, -2), (-1, 1), (2, -1)), ((5, 0), (0, 9), (1, 3)),
             ((FAR, NEAR), (NEAR, FAR), (NEAR, FAR))]
    inputs = [dict(zip("xbes", (numbers("i32", n, m), *map(np.array, case)))) for n, m in [(0, 0), (1, 1), (0, 3), (5, 7)] for case in cases]
    for given, got in zip(inputs, run("strides", *inputs)):
        one, two = (slice(*(int(given[name][axis]) for name in "bes")) for axis in [0, 1])
        check(got, given["x"][one, two], "part")
        check(got, given["x"][one, two].sum(1, dtype=np.int32), "rows")
    for n in [0, 3]:
        for strides in [(0, 1), (1, 0)]:
            bad = {"x": numbers("i32", n, 2), "b": np.array([0, 0]), "e": np.array([1, 1]), "s": np.array(strides)}
            run("strides", bad, fails="slice with a stride of 0")


# --------------------------------------------------------------------------------------------------------------------
# Shapes
# --------------------------------------------------------------------------------------------------------------------


def test_reshape_guards(compiled):
    """6: (n, 4) -> (n // 2, 8) is refused for odd n, and (n, 4) -> (2, n) for every n but 0; nothing is computed from wrong shapes."""
    pairs = Program("pairs", x=tensor("f32", "n", 4))
    pairs.shape("s", "n floordiv 2", 8, of=["x"])
    pairs.let("r", "reshape %x, %s", tensor("f32", "n floordiv 2", 8))
    pairs.give("r")
    wrong = Program("wrong", x=tensor("f32", "n", 4))
    wrong.shape("s", 2, "n", of=["x"])
    wrong.let("r", "reshape %x, %s", tensor("f32", 2, "n"))
    wrong.give("r")
    run = compiled("reshape_guards", [pairs, wrong])
    for n in [0, 2, 64]:
        got, = run("pairs", {"x": numbers("f32", n, 4)})
        check(got, numbers("f32", n, 4).reshape(n // 2, 8), "r")
    for n in [1, 3, 65]:
        run("pairs", {"x": numbers("f32", n, 4)}, fails="the extents [")
        run("wrong", {"x": numbers("f32", n, 4)}, fails="the extents [")
    got, = run("wrong", {"x": numbers("f32", 0, 4)})
    assert got["r"].shape == (2, 0)


def test_reshape_of_nothing(compiled):
    """5, 8: (n, k) -> (-1, 10) at n = 0, a target with a literal 0 beside a symbol, and a target that is the shape, sent through tensors."""
    p = Program("reshapes", x=tensor("f32", "n", 10), t=tensor("i64", 2))
    p.constant("rest", "[-1, 10]", tensor("i64", 2))
    p.let("ten", "dynamic_reshape %x, %rest binds [a, b]", tensor("f32", "a", "b"))
    p.let("given", "dynamic_reshape %x, %t binds [c, d]", tensor("f32", "c", "d"), "{allow_zero}")
    p.shape("s", "n", 10, of=["x"])
    p.tensor_of("there", "s", 2)
    p.bind("back", "there", "e", "f")
    p.let("same", "reshape %x, %back", tensor("f32", "e", "f"))
    p.give("ten", "given", "same")
    run = compiled("reshapes", [p])
    inputs = [{"x": numbers("f32", n, 10), "t": np.array(t)} for n, t in [(0, (0, 7)), (0, (3, 0)), (0, (0, 0)), (1, (5, 2)), (13, (-1, 5))]]
    for given, got in zip(inputs, run("reshapes", *inputs)):
        x, t = given["x"], given["t"]
        check(got, x.reshape(-1, 10) if x.size else x, "ten")
        check(got, x.reshape(t), "given")
        check(got, x, "same")
    run("reshapes", {"x": numbers("f32", 2, 10), "t": np.array([0, 7])}, fails="")
    run("reshapes", {"x": numbers("f32", 0, 10), "t": np.array([-1, 0])}, fails="")


def test_split_and_nested_extents(compiled):
    """7: uneven parts of 4 * n + m, whose extents are used further on."""
    p = Program("nested", x=tensor("f32", "n"), y=tensor("f32", "m"))
    p.let("four", "concat %x, %x, %x, %x, %y", tensor("f32", "n * 4 + m"), "{axis = 0 : i64}")
    size = "(n * 4 + m) ceildiv 3"
    parts = [f"min({size}, n * 4 + m)", f"min(({size}) * 2, n * 4 + m) - min({size}, n * 4 + m)",
             f"min(({size}) * 3, n * 4 + m) - min(({size}) * 2, n * 4 + m)"]
    types = ["tensor<?xf32>"] * len(parts)
    p.body.append(f"%part:3 = relax.split %four {{axis = 0 : i64, sections = 3 : i64, uneven}} : ({p.types['four']}) -> ({', '.join(types)})")
    for index in range(3):
        p.types[f"named{index}"] = tensor("f32", f"p{index}")
        p.body.append(f"%named{index} = relax.match_cast %part#{index} binds [p{index}] : tensor<?xf32> to {p.types[f'named{index}']}")
    p.let("joined", "concat %named2, %named0", tensor("f32", "p2 + p0"), "{axis = 0 : i64}")
    p.give("joined", "named1")
    run = compiled("nested", [p])
    inputs = [{"x": numbers("f32", n), "y": numbers("f32", m, seed=2)} for n, m in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 3), (5, 1), (31, 7)]]
    for given, got in zip(inputs, run("nested", *inputs)):
        whole = np.concatenate([given["x"]] * 4 + [given["y"]])
        size = -(-len(whole) // 3)
        check(got, np.concatenate([whole[2 * size:], whole[:size]]), "joined")
        check(got, whole[size:2 * size], "named1")


def test_memory_of_differences(compiled):
    """Extents such as n - 3 mod max(n, 1) are not negative, which no bound of a long sum of them shows: the plan is proved part by part."""
    x = tensor("f32", "n", "m * 2")
    p = Program("rolls", x=x)
    p.let("a", "roll %x", x, f"{{axes = array<i64: 0>, shifts = {exprs(3)}}}")
    p.let("b", "roll %a", x, f"{{axes = array<i64: 0, 1>, shifts = {exprs(-1, 5)}}}")
    types = ["tensor<?x?xf32, #relax_sym.shape<[?, m * 2]>>"] * 3
    p.body.append(f"%part:3 = relax.split %b {{axis = 0 : i64, sections = 3 : i64, uneven}} : ({x}) -> ({', '.join(types)})")
    for index in range(3):
        p.types[f"p{index}"] = tensor("f32", f"k{index}", "m * 2")
        p.body.append(f"%p{index} = relax.match_cast %part#{index} binds [k{index}] : {types[0]} to {p.types[f'p{index}']}")
    p.let("mixed", "concat %p2, %p0, %p1", tensor("f32", "k2 + k0 + k1", "m * 2"), "{axis = 0 : i64}")
    p.let("sum", "sum %mixed", tensor("f32", "m * 2"), "{axes = array<i64: 0>}")
    p.give("b", "mixed", "sum")
    run = compiled("rolls", [p])
    inputs = [{"x": np.round(numbers("f32", n, 2 * m))} for n, m in [(0, 0), (1, 1), (2, 3), (0, 2), (7, 5), (3, 0)]]
    for given, got in zip(inputs, run("rolls", *inputs)):
        x = np.roll(np.roll(given["x"], 3, 0), (-1, 5), (0, 1))
        size = -(-len(x) // 3)
        check(got, x, "b")
        check(got, np.concatenate([x[2 * size:], x[:size], x[size:2 * size]]), "mixed")
        check(got, x.sum(0), "sum")


def test_aliases(compiled):
    """2, 11: values that a cast or a new dimension shows again are not overwritten while they are needed."""
    x = tensor("f32", "n", 4)
    p = Program("aliases", x=x)
    p.constant("quarter", "0.25", tensor("f32"))
    p.let("s", "add %x, %quarter", x)
    p.let("unknown", "erase_shape %s", "tensor<?x4xf32>", to=True)
    p.body.append(f"%cast = relax.match_cast %unknown binds [k] : tensor<?x4xf32> to {tensor('f32', 'k', 4)}")
    p.types["cast"] = tensor("f32", "k", 4)
    p.let("r", "multiply %x, %quarter", x)
    p.let("sum", "add %cast, %r", "tensor<?x4xf32>")
    p.let("a", "expand_dims %x", tensor("f32", 1, "n", 4), "{axes = array<i64: 0>}")
    p.let("b", "expand_dims %x", tensor("f32", 1, "n", 4), "{axes = array<i64: 0>}")
    p.let("product", "multiply %a, %b", tensor("f32", 1, "n", 4))
    p.let("joined", "concat %product, %b", tensor("f32", 2, "n", 4), "{axis = 0 : i64}")
    p.give("sum", "joined")
    run = compiled("aliases", [p])
    inputs = [{"x": numbers("f32", n, 4)} for n in [0, 1, 5, 1031]]
    for given, got in zip(inputs, run("aliases", *inputs)):
        x = given["x"]
        check(got, (x + np.float32(0.25)) + x * np.float32(0.25), "sum")
        check(got, np.stack([x * x, x]), "joined")


def test_empty_reductions(compiled):
    """5: reductions of nothing are defined, and a product of matrices over no elements is 0."""
    p = Program("empty", x=tensor("f32", "n", "k"), y=tensor("f32", "k", "m"))
    p.let("product", "matmul %x, %y", tensor("f32", "n", "m"))
    for op in ["sum", "prod", "max", "min", "mean", "log_sum_exp"]:
        p.let(op, f"{op} %x", tensor("f32", "n"), "{axes = array<i64: 1>}")
    p.give("product", "sum", "prod", "max", "min", "mean", "log_sum_exp")
    run = compiled("empty", [p])
    for n, m in [(2, 3), (0, 3), (2, 0)]:
        got, = run("empty", {"x": numbers("f32", n, 0), "y": numbers("f32", 0, m)})
        check(got, np.zeros((n, m), np.float32), "product")
        for op, value in {"sum": 0, "prod": 1, "max": -np.inf, "min": np.inf, "mean": np.nan, "log_sum_exp": -np.inf}.items():
            check(got, np.full(n, value, np.float32), op)


def test_integer_division_by_a_found_zero(compiled):
    """15: integer division by zero is an error, not the end of the process, also where the divisor was found while running."""
    p = Program("division", x=tensor("i32", "n"))
    p.let("found", "unique %x binds [u]", tensor("i32", "u"))
    p.let("q", "divide %x, %found", "tensor<?xi32>")
    p.give("q")
    run = compiled("division", [p])
    got, = run("division", {"x": np.array([7, 7], np.int32)})
    check(got, np.array([1, 1], np.int32), "q")
    run("division", {"x": np.array([0, 0], np.int32)}, fails="integer division by zero")
    got, = run("division", {"x": np.array([], np.int32)})
    check(got, np.array([], np.int32), "q")


@pytest.mark.parametrize("result", ["tensor<?x5xf32, #relax_sym.shape<[n, 5]>>", "tensor<?x4xf32, #relax_sym.shape<[n * 2, 4]>>"])
def test_wrong_claims_are_refused(tool, tmp_path, result):
    """A function that declares (n, 5) or (2 * n, 4) and returns (n, 4) does not compile."""
    source = tmp_path / "in.mlir"
    source.write_text(f"func.func @main(%x: {tensor('f32', 'n', 4)}) -> {result} attributes {{relax_sym.scope = #relax_sym.scope<>}} {{\n"
                      f"  return %x : {tensor('f32', 'n', 4)}\n}}\n")
    done = tool("relax-compile", source, "-o", tmp_path / "out.rlx")
    assert done.returncode == 1 and "doesn't match function result type" in done.stderr
