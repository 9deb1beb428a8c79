# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Ops that are decomposed, scans, and creation, against numpy."""
import numpy as np
import pytest
import test_ops
from test_ops import DTYPES, Function, check, numbers, tensor

compiled = test_ops.compiled


def exprs(*texts):
    return "[" + ", ".join(f"#relax_sym.expr<{text}>" for text in texts) + "]"


def test_dynamic_reshape(compiled):
    x = tensor("f32", "n", 4)
    function = Function("reshape", x=x, t=tensor("i64", 2), w=tensor("i32", 3))
    function.op("two", "dynamic_reshape %x, %t binds [a, b]", ["x", "t"], tensor("f32", "a", "b"))
    function.op("three", "dynamic_reshape %x, %w binds [c, d, e]", ["x", "w"], tensor("f32", "c", "d", "e"), "{allow_zero}")
    known = Function("known", x=x)
    known.body.append("%t = relax.constant dense<[0, -1, 2]> : tensor<3xi64>")
    known.op("r", "dynamic_reshape %x, %t binds [a, b, c]", ["x"], tensor("f32", "a", "b", "c"))
    known.body[-1] = known.body[-1].replace(") ->", ", tensor<3xi64>) ->")
    halves = Function("halves", x=x)
    halves.body.append("%t = relax.constant dense<[-1, 8]> : tensor<2xi64>")
    halves.op("r", "dynamic_reshape %x, %t binds [a, b]", ["x"], tensor("f32", "a", "b"))
    halves.body[-1] = halves.body[-1].replace(") ->", ", tensor<2xi64>) ->")
    run = compiled("dynamic_reshape", [function, known, halves])
    cases = [(0, (0, -1), (0, 7, 2)), (0, (-1, 4), (0, 5, 0)), (1, (-1, 0), (1, 1, 4)), (6, (0, 4), (-1, 3, 1)), (6, (8, -1), (2, 3, 4)), (13, (4, 13), (13, -1, 2))]
    inputs = [{"x": numbers("f32", n, 4), "t": np.array(t), "w": np.array(w, np.int32)} for n, t, w in cases]
    for given, got in zip(inputs, run("reshape", *inputs)):
        x = given["x"]

        def target(entries, copies, x=x):
            copied = [i for i, e in enumerate(entries) if copies and e == 0]
            rest = int(np.prod([e for i, e in enumerate(x.shape) if i not in copied]))
            rest //= max(1, int(np.prod([e for i, e in enumerate(entries) if e != -1 and i not in copied])))
            return [x.shape[i] if i in copied else rest if e == -1 else e for i, e in enumerate(entries)]

        check(got, x.reshape(target(given["t"], True)), "two")
        check(got, x.reshape(target(given["w"], False)), "three")
    good = {"x": numbers("f32", 6, 4), "t": np.array([6, 4]), "w": np.array([6, 4, 1], np.int32)}
    for t in [(5, -1), (-1, -1), (-2, -12), (6, 5)]:
        run("reshape", {**good, "t": np.array(t)}, fails="")
    run("reshape", {**good, "w": np.array([6, 0, 4], np.int32)}, fails="")
    run("reshape", {**good, "w": np.array([6, -1, 0], np.int32)}, fails="")
    run("reshape", {**good, "x": good["x"][:0], "t": np.array([0, 4]), "w": np.array([0, -1, 0], np.int32)}, fails="")
    for n in [0, 1, 13]:
        x = numbers("f32", n, 4)
        got, = run("known", {"x": x})
        check(got, x.reshape(n, 2, 2), "r")
    got, = run("halves", {"x": numbers("f32", 6, 4)})
    check(got, numbers("f32", 6, 4).reshape(3, 8), "r")
    run("halves", {"x": numbers("f32", 5, 4)}, fails="the extents [")


def test_split(compiled):
    x = tensor("f32", "n", 6)
    function = Function("split", x=x, s="!relax.shape<[k]>")
    cases = {"even": (1, "sections = 3 : i64", [("n", 2)] * 3), "sizes": (0, f"sizes = {exprs('k', 'n - k')}", [("k", 6), ("n - k", 6)]),
             "uneven": (0, "sections = 3 : i64, uneven", [None] * 3)}
    for name, (axis, attrs, parts) in cases.items():
        types = [tensor("f32", *part) if part else "tensor<?x6xf32>" for part in parts]
        shape = " shape(%s)" if name == "sizes" else ""
        operands = f"({x}, !relax.shape<[k]>)" if shape else f"({x})"
        function.body.append(f"%{name}:{len(parts)} = relax.split %x{shape} {{axis = {axis} : i64, {attrs}}} : {operands} -> ({', '.join(types)})")
        for index, type in enumerate(types):
            function.body.append(f"%{name}{index} = relax.erase_shape %{name}#{index} : {type} to {type}")
            function.results[f"{name}{index}"] = type
    halves = Function("halves", x=tensor("f32", "n"))
    halves.body.append(f"%r:2 = relax.split %x {{axis = 0 : i64, sections = 2 : i64}} : ({tensor('f32', 'n')}) -> "
                       f"({tensor('f32', 'n floordiv 2')}, {tensor('f32', 'n floordiv 2')})")
    halves.body.append(f"%second = relax.erase_shape %r#1 : {tensor('f32', 'n floordiv 2')} to tensor<?xf32>")
    halves.results["second"] = "tensor<?xf32>"
    run = compiled("split", [function, halves])
    inputs = [{"x": numbers("f32", n, 6), "s": np.array([k])} for n, k in [(0, 0), (1, 0), (1, 1), (2, 1), (5, 3), (7, 7), (13, 2)]]
    for given, got in zip(inputs, run("split", *inputs)):
        x, k = given["x"], given["s"][0]
        size = -(-len(x) // 3)
        for index in range(3):
            check(got, x[:, 2 * index:2 * index + 2], f"even{index}")
            check(got, x[index * size:(index + 1) * size], f"uneven{index}")
        check(got, x[:k], "sizes0")
        check(got, x[k:], "sizes1")
    run("split", {"x": numbers("f32", 3, 6), "s": np.array([4])}, fails="the extents [")
    got, = run("halves", {"x": numbers("f32", 6)})
    check(got, numbers("f32", 6)[3:], "second")
    run("halves", {"x": numbers("f32", 5)}, fails="relax.split: the extents [n] need")


def test_moving(compiled):
    x = tensor("i64", "n", 3)
    function = Function("move", x=x, y=x, s="!relax.shape<[k]>")
    function.op("tile", "tile %x shape(%s)", ["x", "s"], tensor("i64", "n * k", 6), f"{{repeats = {exprs('k', 2)}}}")
    function.op("repeat", "repeat %x shape(%s)", ["x", "s"], tensor("i64", "n * k", 3), "{axis = 0 : i64, repeats = #relax_sym.expr<k>}")
    function.op("stack0", "stack %x, %y", ["x", "y"], tensor("i64", 2, "n", 3), "{axis = 0 : i64}")
    function.op("stack2", "stack %x, %y", ["x", "y"], tensor("i64", "n", 3, 2), "{axis = 2 : i64}")
    function.op("flip", "flip %x", ["x"], x, "{axes = array<i64: 0, 1>}")
    function.op("roll", "roll %x shape(%s)", ["x", "s"], x, f"{{axes = array<i64: 0, 1>, shifts = {exprs('k', -1)}}}")
    function.op("back", "roll %x shape(%s)", ["x", "s"], x, f"{{axes = array<i64: 0>, shifts = {exprs('-k')}}}")
    function.op("tril", "tril %x", ["x"], x, "{diagonal = -1 : i64}")
    function.op("triu", "triu %x", ["x"], x, "{diagonal = 1 : i64}")
    function.op("full", "full_like %x, 2.5 : f32", ["x"], tensor("f32", "n", 3))
    run = compiled("moving", [function])
    inputs = [{"x": numbers("i64", n, 3), "y": numbers("i64", n, 3, seed=2), "s": np.array([k])}
              for n, k in [(0, 0), (0, 3), (1, 0), (1, 1), (2, 3), (5, 13), (13, 2)]]
    for given, got in zip(inputs, run("move", *inputs)):
        x, y, k = given["x"], given["y"], given["s"][0]
        check(got, np.tile(x, (k, 2)), "tile")
        check(got, np.repeat(x, k, 0), "repeat")
        check(got, np.stack([x, y], 0), "stack0")
        check(got, np.stack([x, y], 2), "stack2")
        check(got, x[::-1, ::-1], "flip")
        check(got, np.roll(x, (k, -1), (0, 1)), "roll")
        check(got, np.roll(x, -k, 0), "back")
        check(got, np.tril(x, -1), "tril")
        check(got, np.triu(x, 1), "triu")
        check(got, np.full(x.shape, 2.5, np.float32), "full")


@pytest.mark.parametrize("element", ["i64", "i32", "f32", "f16"])
def test_creation(compiled, element):
    dtype, rank0 = DTYPES[element], tensor(element)
    function = Function("make", s="!relax.shape<[n, m]>", i=tensor("i64", "n"), d="!relax.shape<[m]>", on=rank0, off=rank0)
    function.op("iota", "iota %s", ["s"], tensor(element, "n", "m"), f"{{axis = 1 : i64, dtype = {element}}}")
    function.op("eye", "eye %s", ["s"], tensor(element, "n", "m"), f"{{diagonal = 1 : i64, dtype = {element}}}")
    function.op("hot", "one_hot %i, %d, %on, %off", ["i", "d", "on", "off"], tensor(element, "m", "n"), "{axis = 0 : i64}")
    ranges = Function("ranges", a=rank0, b=rank0, c=rank0)
    ranges.op("r", "arange %a, %b, %c binds [u]", ["a", "b", "c"], tensor(element, "u"))
    run = compiled("creation_" + element, [function, ranges])
    inputs = [{"s": np.array([n, m]), "i": numbers("i64", n, low=-1, high=m), "d": np.array([m]), "on": np.array(3, dtype),
               "off": np.array(1, dtype)} for n, m in [(0, 0), (0, 3), (2, 0), (1, 1), (5, 13), (31, 7)]]
    for given, got in zip(inputs, run("make", *inputs)):
        n, m = given["s"]
        check(got, np.broadcast_to(np.arange(m), (n, m)).astype(dtype), "iota")
        check(got, np.eye(n, m, 1, dtype), "eye")
        check(got, np.where(np.arange(m)[:, None] == given["i"], 3, 1).astype(dtype), "hot")
    cases = [(0, 5, 1), (0, 5, 2), (5, 0, -2), (5, 0, 1), (0, 0, 1), (-3, 8, 4), (1, -10, -3)]
    if element.startswith("f"):
        cases += [(0.5, 2, 0.25), (1, 0, -0.125), (0, 1, 2)]
    inputs = [dict(zip("abc", (np.array(value, dtype) for value in case))) for case in cases]
    for given, got in zip(inputs, run("ranges", *inputs)):
        check(got, np.arange(given["a"], given["b"], given["c"], dtype=dtype), "r")
    wrong = [(0, 5, 0)]
    if element == "i64":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        wrong += [(low, high, 2**62), (high, low, -2**62), (-1, high, 2**62), (0, high, 2**62), (1, low, -2**62), (0, low, -2**62), (low, -1, 2**62)]
    for case in wrong:
        run("ranges", dict(zip("abc", (np.array(value, dtype) for value in case))), fails="")
    if element == "i64":
        for case in [(high - 4, high, 2), (low + 5, low, -2), (0, 2**62, 2**61)]:
            got, = run("ranges", dict(zip("abc", (np.array(value, dtype) for value in case))))
            check(got, np.array([int(case[0]) + i * case[2] for i in range(-(-(int(case[1]) - int(case[0])) // case[2]))], dtype), "r")


def mix(z):
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def uniform(seed, shape, digits):
    with np.errstate(over="ignore"):
        counter = (np.arange(np.prod(shape, dtype=np.int64), dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        bits = mix(mix(np.array([seed], np.int64).view(np.uint64)) + counter) >> np.uint64(64 - digits)
    return (bits.astype(np.float64) * 2.0**-digits).reshape(shape)


def test_random(compiled):
    function = Function("random", s="!relax.shape<[n, m]>")
    digits = {"f16": 11, "f32": 24, "f64": 53}
    for element in digits:
        for kind in ["uniform", "normal"]:
            function.op(f"{kind}_{element}", f"random_{kind} %s", ["s"], tensor(element, "n", "m"), f"{{seed = -7 : i64, dtype = {element}}}")
    run = compiled("random", [function])
    inputs = [{"s": np.array(shape)} for shape in [(0, 0), (1, 1), (3, 5), (101, 103)]]
    for given, got in zip(inputs, run("random", *inputs)):
        for element, count in digits.items():
            a, b = uniform(-7, given["s"], count), uniform(6, given["s"], count)
            check(got, a.astype(DTYPES[element]), f"uniform_{element}")
            if element == "f16":
                a, b = uniform(-7, given["s"], 24), uniform(6, given["s"], 24)
            want = np.sqrt(-2 * np.log1p(-a)) * np.cos(2 * np.pi * b)
            check(got, want.astype(DTYPES[element]), f"normal_{element}", {"f16": 2e-3, "f32": 1e-5, "f64": 1e-12}[element])
    assert abs(got["normal_f32"].mean()) < 0.05 and abs(got["normal_f32"].std() - 1) < 0.05
    assert abs(got["uniform_f32"].mean() - 0.5) < 0.02


@pytest.mark.parametrize("element", ["f32", "f16", "i32"])
def test_scans(compiled, element):
    dtype, x = DTYPES[element], tensor(element, "n", "m")
    function = Function("scans", x=x)
    for axis in [0, 1]:
        for op in ["cumsum", "cumprod"]:
            for name, more in {"": "", "_e": ", exclusive", "_r": ", reverse", "_er": ", exclusive, reverse"}.items():
                function.op(f"{op}{axis}{name}", f"{op} %x", ["x"], x, f"{{axis = {axis} : i64{more}}}")
    args = Function("args", x=tensor(element, "n", "m"))
    for axis in [0, 1]:
        kept = [("m",), ("n",)][axis]
        for op in ["argmax", "argmin"]:
            function_attrs = f"axis = {axis} : i64"
            args.op(f"{op}{axis}", f"{op} %x", ["x"], tensor("i64", *kept), f"{{{function_attrs}}}")
            args.op(f"{op}{axis}_last", f"{op} %x", ["x"], tensor("i64", *(("n", 1) if axis else (1, "m"))),
                    f"{{{function_attrs}, keepdims, select_last_index}}")
    run = compiled("scans_" + element, [function, args])
    inputs = [{"x": numbers(element, n, m, low=-2, high=2)} for n, m in [(0, 0), (0, 3), (3, 0), (1, 1), (5, 7), (13, 31)]]
    for given, got in zip(inputs, run("scans", *inputs)):
        x = given["x"].astype(np.float64 if element.startswith("f") else dtype)
        for axis in [0, 1]:
            for op, reference in {"cumsum": np.cumsum, "cumprod": np.cumprod}.items():
                for reverse in [False, True]:
                    line = np.flip(x, axis) if reverse else x
                    want = reference(line, axis, dtype=x.dtype)
                    first = np.full_like(np.take(x, np.arange(min(1, x.shape[axis])), axis), op == "cumprod")
                    shifted = np.concatenate([first, np.take(want, np.arange(max(0, x.shape[axis] - 1)), axis)], axis)
                    for name, result in {"r" if reverse else "": want, "er" if reverse else "e": shifted}.items():
                        result = np.flip(result, axis) if reverse else result
                        check(got, result.astype(dtype), f"{op}{axis}" + ("_" + name if name else ""), {"f16": 4e-3, "f32": 1e-5}.get(element))
    inputs = [{"x": np.round(numbers(element, n, m, low=-2, high=2))} for n, m in [(1, 1), (5, 7), (13, 31)]]
    if element.startswith("f"):
        inputs[1]["x"][2, 3:5] = np.nan
    for given, got in zip(inputs, run("args", *inputs)):
        x = given["x"]
        for axis in [0, 1]:
            for op, reference in {"argmax": np.argmax, "argmin": np.argmin}.items():
                check(got, reference(x, axis), f"{op}{axis}")
                last = x.shape[axis] - 1 - reference(np.flip(x, axis), axis, keepdims=True)
                check(got, last, f"{op}{axis}_last")
    run("args", {"x": numbers(element, 0, 3)}, fails="the extents [")


def log_sum_exp(x, axis, keepdims=False):
    largest = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    largest = np.where(np.isfinite(largest), largest, 0)
    result = np.log(np.sum(np.exp(x - largest), axis=axis, keepdims=True)) + largest
    return result if keepdims else np.squeeze(result, axis)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("element", ["f32", "f16", "f64"])
def test_reductions(compiled, element):
    dtype, x = DTYPES[element], tensor(element, "n", 3, "m")
    function = Function("reduce", x=x)
    wide = {"norm_l1": lambda x, **k: np.abs(x).sum(**k), "norm_l2": lambda x, **k: np.sqrt((x * x).sum(**k)),
            "variance": lambda x, **k: np.var(x, **k),
            "log_sum_exp": log_sum_exp}
    for op in wide:
        function.op(op, f"{op} %x", ["x"], tensor(element, 3), "{axes = array<i64: 0, 2>}")
        function.op(op + "_keep", f"{op} %x", ["x"], tensor(element, "n", 1, "m"), "{axes = array<i64: 1>, keepdims}")
    function.op("sample", "variance %x", ["x"], tensor(element, 3), "{axes = array<i64: 0, 2>, correction = 1 : i64}")
    run = compiled("more_reductions_" + element, [function])
    inputs = [{"x": numbers(element, n, 3, m)} for n, m in [(0, 0), (0, 2), (1, 1), (2, 5), (3, 101)]]
    inputs.append({"x": inputs[3]["x"].copy()})
    inputs[-1]["x"][0, :, 0] = [np.inf, -np.inf, np.nan]
    tolerance = {"f16": 2e-3, "f32": 1e-5, "f64": 1e-12}[element]
    with np.errstate(all="ignore"):
        for given, got in zip(inputs, run("reduce", *inputs)):
            x = given["x"].astype(np.float64)
            for op, reference in wide.items():
                check(got, reference(x, axis=(0, 2)).astype(dtype), op, tolerance)
                check(got, reference(x, axis=1, keepdims=True).astype(dtype), op + "_keep", tolerance)
            check(got, np.asarray(np.var(x, axis=(0, 2), ddof=1)).astype(dtype), "sample", tolerance)


def test_any_all(compiled):
    function = Function("flags", x=tensor("i1", "n", "m"))
    for op in ["any", "all"]:
        function.op(op, f"{op} %x", ["x"], tensor("i1", "n"), "{axes = array<i64: 1>}")
        function.op(op + "_keep", f"{op} %x", ["x"], tensor("i1", 1, 1), "{axes = array<i64: 0, 1>, keepdims}")
    run = compiled("flags", [function])
    inputs = [{"x": numbers("i1", n, m)} for n, m in [(0, 0), (2, 0), (0, 2), (1, 1), (13, 3), (3, 31)]]
    for given, got in zip(inputs, run("flags", *inputs)):
        for op, reference in {"any": np.any, "all": np.all}.items():
            check(got, reference(given["x"], axis=1), op)
            check(got, reference(given["x"], axis=(0, 1), keepdims=True), op + "_keep")


EINSUMS = {
    "matmul": ("nk,km->nm", [("n", "k"), ("k", "m")], ("n", "m")),
    "implicit": ("kn,km", [("k", "n"), ("k", "m")], ("m", "n")),
    "batch": ("bnk,bmk->bnm", [(2, "n", "k"), (2, "m", "k")], (2, "n", "m")),
    "attention": ("bhqd,bhkd->bhqk", [(2, 3, "n", 4), (2, 3, "m", 4)], (2, 3, "n", "m")),
    "diagonal": ("ii->i", [("n", "n")], ("n",)),
    "trace": ("ii", [("n", "n")], ()),
    "sum": ("ij->", [("n", "m")], ()),
    "transpose": ("ij->ji", [("n", "m")], ("m", "n")),
    "outer": ("i,j->ij", [("n",), ("m",)], ("n", "m")),
    "product": ("ij,ij->ij", [("n", "m"), ("n", "m")], ("n", "m")),
    "three": ("ij,jk,kl->il", [("n", "k"), ("k", "m"), ("m", 2)], ("n", 2)),
    "ellipsis": ("...ij,...jk->...ik", [(2, "n", "k"), ("k", "m")], (2, "n", "m")),
    "one": ("ij,ij->i", [("n", 1), ("n", "m")], ("n",)),
}


@pytest.mark.parametrize("element", ["f32", "i32"])
def test_einsum(compiled, element):
    functions = []
    einsums = {name: case for name, case in EINSUMS.items() if element == "f32" or name in ["matmul", "diagonal", "three"]}
    for name, (equation, operands, result) in einsums.items():
        arguments = {f"x{index}": tensor(element, *dims) for index, dims in enumerate(operands)}
        function = Function(name, **arguments)
        function.op("r", "einsum " + ", ".join("%" + argument for argument in arguments), list(arguments), tensor(element, *result),
                    f'{{equation = "{equation}"}}')
        functions.append(function)
    outer = Function("outer_op", x=tensor(element, "n"), y=tensor(element, "m"))
    outer.op("r", "outer %x, %y", ["x", "y"], tensor(element, "n", "m"))
    run = compiled("einsum_" + element, [*functions, outer])
    for name, (equation, operands, _) in einsums.items():
        inputs = []
        for sizes in [{"n": 0, "m": 2, "k": 3}, {"n": 1, "m": 1, "k": 1}, {"n": 3, "m": 5, "k": 0}, {"n": 5, "m": 7, "k": 13}]:
            inputs.append({f"x{index}": numbers(element, *(sizes.get(dim, dim) for dim in dims), seed=index) for index, dims in enumerate(operands)})
        for given, got in zip(inputs, run(name, *inputs)):
            wide = [array.astype(np.float64) if element == "f32" else array for array in given.values()]
            check(got, np.einsum(equation, *wide).astype(DTYPES[element]), "r", 1e-4)
    given = {"x": numbers(element, 5), "y": numbers(element, 3)}
    got, = run("outer_op", given)
    check(got, np.outer(given["x"], given["y"]), "r")
    run("matmul", {"x0": numbers(element, 2, 3), "x1": numbers(element, 4, 2)}, fails="dimension 0: expected k = 3, actual 4")
    run("diagonal", {"x0": numbers(element, 3, 3)})
