# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Every computing op of relax against numpy: compiled once for all sizes, and in the reference interpreter."""
import math

import numpy as np
import pytest

SIZES = [0, 1, 2, 3, 13, 1031]
DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i1": np.bool_, "i8": np.int8, "i16": np.int16,
          "i32": np.int32, "i64": np.int64}


def tensor(element, *dims):
    """The type of a tensor; a dimension is a number or an expression."""
    if any(isinstance(dim, str) for dim in dims):
        shape = "".join("?x" if isinstance(dim, str) else f"{dim}x" for dim in dims)
        return f"tensor<{shape}{element}, #relax_sym.shape<[{', '.join(map(str, dims))}]>>"
    return "tensor<" + "".join(f"{dim}x" for dim in dims) + element + ">"


class Function:
    """Text of a function with named arguments and results."""

    def __init__(self, name, *facts, **arguments):
        self.name, self.arguments, self.body, self.results = name, arguments, [], {}
        self.facts = ", ".join(f'"{fact}"' for fact in facts)

    def op(self, name, text, operands, result, attrs=""):
        """Result `name` is `relax.TEXT` of the arguments `operands` (or earlier lines)."""
        types = ", ".join(self.arguments[operand] for operand in operands)
        self.body.append(f"%{name} = relax.{text} {attrs} : ({types}) -> {result}")
        self.results[name] = result

    def __str__(self):
        given = ", ".join(f'%{name}: {type} {{relax.name = "{name}"}}' for name, type in self.arguments.items())
        types = ", ".join(f'{type} {{relax.name = "{name}"}}' for name, type in self.results.items())
        return "\n  ".join([
            f"func.func @{self.name}({given}) -> ({types}) attributes {{relax_sym.scope = #relax_sym.scope<{self.facts}>}} {{",
            *self.body,
            f"return {', '.join('%' + name for name in self.results)} : {', '.join(self.results.values())}",
        ]) + "\n}\n"


@pytest.fixture(scope="module", params=["relax-run", "relax-interpret"])
def compiled(request, tool, tmp_path_factory):
    """compiled(name, functions) gives run(function, *inputs), which gives a dictionary of results for each input."""
    made, interprets = {}, request.param == "relax-interpret"

    def build(name, functions):
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            source, artifact = folder / "in.mlir", folder / "out.rlx"
            source.write_text("\n".join(map(str, functions)))
            if not interprets:
                done = tool("relax-compile", source, "-o", artifact, "--function=*")
                assert done.returncode == 0, done.stderr
            made[name] = folder, source if interprets else artifact
        folder, artifact = made[name]

        def run(function, *inputs, fails=None):
            files = []
            for index, arrays in enumerate(inputs):
                np.savez(folder / f"in{index}.npz", **arrays)
                files += ["--inputs", folder / f"in{index}.npz", "--outputs", folder / f"out{index}.npz"]
            done = tool(request.param, artifact, "--function", function, *files)
            if fails is not None:
                # The interpreter names an op and its operands where compiled code names a shape rule.
                text = "relax-interpret: error: " if interprets and ("the extents [" in fails or fails == "relax-run") else fails
                assert done.returncode == 1 and text in done.stderr, done.stderr
                return None
            assert done.returncode == 0, done.stderr
            return [dict(np.load(folder / f"out{index}.npz")) for index in range(len(inputs))]

        return run

    return build


def check(got, want, name, tolerance=None):
    want = np.asarray(want)
    assert got[name].shape == want.shape, name
    assert got[name].dtype == want.dtype, name
    if want.dtype.kind == "f":
        eps = np.finfo(want.dtype).eps
        rtol = tolerance or 16 * eps
        np.testing.assert_allclose(got[name], want, rtol=rtol, atol=rtol, err_msg=name)
    else:
        np.testing.assert_array_equal(got[name], want, err_msg=name)


def numbers(element, *shape, seed=1, low=-4, high=4):
    rng = np.random.default_rng(seed)
    if element == "i1":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if element.startswith("i"):
        return rng.integers(low, high + 1, shape).astype(DTYPES[element])
    return rng.uniform(low, high, shape).astype(DTYPES[element])


def with_specials(x):
    """The first elements become zeros, infinities and NaN, where there is room."""
    specials = [0.0, -0.0, np.inf, -np.inf, np.nan]
    flat = x.reshape(-1)
    flat[:len(specials)] = specials[:flat.size]
    return x


# --------------------------------------------------------------------------------------------------------------------
# Elementwise
# --------------------------------------------------------------------------------------------------------------------

UNARY = {"abs": np.abs, "ceil": np.ceil, "cos": np.cos, "exp": np.exp, "floor": np.floor, "log": np.log,
         "negate": np.negative, "reciprocal": np.reciprocal, "relu": lambda x: np.maximum(x, x.dtype.type(0)), "round": np.rint,
         "rsqrt": lambda x: np.reciprocal(np.sqrt(x)), "sigmoid": lambda x: np.reciprocal(1 + np.exp(-x)), "sign": np.sign,
         "sin": np.sin, "sqrt": np.sqrt, "tanh": np.tanh, "erf": np.vectorize(math.erf, otypes=[np.float64])}
INTEGER_UNARY = ["abs", "negate", "relu", "sign"]


@pytest.mark.parametrize("element", ["f32", "f16", "f64"])
def test_unary(compiled, element):
    function = Function("unary", x=tensor(element, "n"))
    for op in UNARY:
        function.op(op, f"{op} %x", ["x"], tensor(element, "n"))
    text = str(function).replace(f"({tensor(element, 'n')}) ->", f"{tensor(element, 'n')} ->")
    run = compiled("unary_" + element, [text])
    inputs = [{"x": with_specials(numbers(element, n))} for n in SIZES]
    with np.errstate(all="ignore"):
        for given, got in zip(inputs, run("unary", *inputs)):
            for op, reference in UNARY.items():
                want = reference(given["x"].astype(np.float64 if op == "erf" else given["x"].dtype)) if given["x"].size else given["x"]
                check(got, np.asarray(want).astype(DTYPES[element]), op, 1e-5 if element == "f32" else 4e-3 if element == "f16" else None)


@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64"])
def test_integers(compiled, element):
    type = tensor(element, "n")
    function = Function("integers", x=type, y=type)
    for op in INTEGER_UNARY:
        function.body.append(f"%{op} = relax.{op} %x : {type}")
        function.results[op] = type
    binary = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "mod": np.mod, "maximum": np.maximum,
              "minimum": np.minimum}
    for op in [*binary, "divide", "power"]:
        function.op(op, f"{op} %x, %y", ["x", "y"], type)
    run = compiled("integers_" + element, [function])
    lowest = np.iinfo(DTYPES[element]).min
    inputs = []
    for n in SIZES:
        x, y = numbers(element, n, high=100), numbers(element, n, seed=2, low=1, high=9)
        x[:1] = lowest
        inputs.append({"x": x, "y": y})
    with np.errstate(all="ignore"):
        for given, got in zip(inputs, run("integers", *inputs)):
            x, y = given["x"], given["y"]
            for op in INTEGER_UNARY:
                check(got, UNARY[op](x), op)
            for op, reference in binary.items():
                check(got, reference(x, y), op)
            check(got, np.trunc(x.astype(np.longdouble) / y).astype(x.dtype), "divide")
            check(got, np.power(x, y), "power")
    # Division by -1 wraps around, by zero and a negative exponent are errors.
    bad = {"x": np.array([lowest, 7], DTYPES[element]), "y": np.array([1, 0], DTYPES[element])}
    run("integers", bad, fails="integer division by zero")
    bad["y"][:] = [1, -1]
    run("integers", bad, fails="negative exponent of an integer power")


def test_division_wraps(compiled):
    type = tensor("i32", "n")
    function = Function("wraps", x=type, y=type)
    function.op("divide", "divide %x, %y", ["x", "y"], type)
    function.op("mod", "mod %x, %y", ["x", "y"], type)
    run = compiled("wraps", [function])
    lowest = np.iinfo(np.int32).min
    got, = run("wraps", {"x": np.array([lowest, 7, -7, 7, -7], np.int32), "y": np.array([-1, -2, 2, 2, -2], np.int32)})
    check(got, np.array([lowest, -3, -3, 3, 3], np.int32), "divide")
    check(got, np.array([0, -1, 1, 1, -1], np.int32), "mod")


BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "maximum": np.maximum,
          "minimum": np.minimum, "mod": np.mod, "power": np.power}
COMPARE = {"equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
           "greater": np.greater, "greater_equal": np.greater_equal}


@pytest.mark.parametrize("element", ["f32", "f16", "i32"])
def test_binary_broadcasting(compiled, element):
    """(n, 1, 4) with (m, 1), and two extents that only run time compares."""
    binary = BINARY if element != "i32" else {op: BINARY[op] for op in ["add", "maximum"]}
    static = Function("static", x=tensor(element, "n", 1, 4), y=tensor(element, "m", 1))
    runtime = Function("runtime", x=tensor(element, "n"), y=tensor(element, "m"))
    constant = Function("constant", x=tensor(element, "n"), y=tensor(element, 4))
    for op in [*binary, *COMPARE]:
        result = "i1" if op in COMPARE else element
        static.op(op, f"{op} %x, %y", ["x", "y"], tensor(result, "n", "m", 4))
        runtime.op(op, f"{op} %x, %y", ["x", "y"], f"tensor<?x{result}>")
        constant.op(op, f"{op} %x, %y", ["x", "y"], tensor(result, 4))
    run = compiled("binary_" + element, [static, runtime, constant])
    shapes = {
        "static": [((n, 1, 4), (m, 1)) for n in [0, 1, 5] for m in [0, 1, 7]],
        "runtime": [((n,), (m,)) for n, m in [(0, 0), (1, 0), (0, 1), (1, 1), (5, 5), (1, 5), (5, 1), (1031, 1031)]],
        "constant": [((1,), (4,)), ((4,), (4,))],
    }
    with np.errstate(all="ignore"):
        for function, pairs in shapes.items():
            inputs = [{"x": numbers(element, *a), "y": numbers(element, *b, seed=2)} for a, b in pairs]
            for given, got in zip(inputs, run(function, *inputs)):
                for op, reference in [*binary.items(), *COMPARE.items()]:
                    tolerance = {"f16": 4e-3, "f32": 1e-5}.get(element) if op in ["power", "mod"] else None
                    check(got, reference(given["x"], given["y"]), op, tolerance)
        run("runtime", {"x": numbers(element, 2), "y": numbers(element, 3)}, fails="the extents [")
        run("constant", {"x": numbers(element, 2), "y": numbers(element, 4)}, fails="the extents [")
        run("constant", {"x": numbers(element, 0), "y": numbers(element, 4)}, fails="the extents [")


def test_bools_and_where(compiled):
    b = tensor("i1", "n")
    function = Function("bools", a=b, b=b, x=tensor("f32", "n"), y=tensor("f32", 1), i=tensor("i64", "n"))
    for op in ["logical_and", "logical_or", "equal", "less"]:
        function.op(op, f"{op} %a, %b", ["a", "b"], b)
    function.body.append(f"%logical_not = relax.logical_not %a : {b}")
    function.results["logical_not"] = b
    function.op("where", "where %a, %x, %y", ["a", "x", "y"], tensor("f32", "n"))
    function.op("where_int", "where %a, %i, %i", ["a", "i", "i"], tensor("i64", "n"))
    run = compiled("bools", [function])
    inputs = [{"a": numbers("i1", n), "b": numbers("i1", n, seed=2), "x": numbers("f32", n), "y": numbers("f32", 1, seed=3),
               "i": numbers("i64", n)} for n in SIZES]
    for given, got in zip(inputs, run("bools", *inputs)):
        a, b = given["a"], given["b"]
        check(got, a & b, "logical_and")
        check(got, a | b, "logical_or")
        check(got, a == b, "equal")
        check(got, ~a & b, "less")
        check(got, ~a, "logical_not")
        check(got, np.where(a, given["x"], given["y"]), "where")
        check(got, given["i"], "where_int")


def test_astype(compiled):
    arguments = {name: tensor(name, "n") for name in DTYPES}
    function = Function("astype", **arguments)
    for source in DTYPES:
        for target in DTYPES:
            if source != target:
                function.op(f"{source}_{target}", f"astype %{source}", [source], tensor(target, "n"), f"{{dtype = {target}}}")
    run = compiled("astype", [function])
    inputs = []
    for n in [0, 1, 7]:
        given = {name: numbers(name, n, high=100) for name in DTYPES}
        for name in ["f16", "f32", "f64"]:
            given[name][:5] = np.array([np.nan, np.inf, -np.inf, 60000, -0.5])[:n]
        inputs.append(given)
    with np.errstate(all="ignore"):
        for given, got in zip(inputs, run("astype", *inputs)):
            for source in DTYPES:
                for target in DTYPES:
                    if source == target:
                        continue
                    want = given[source].astype(DTYPES[target])
                    if source.startswith("f") and target.startswith("i") and target != "i1":
                        info, exact = np.iinfo(DTYPES[target]), np.nan_to_num(given[source].astype(np.float64), nan=0.0)
                        want = np.array([int(min(max(math.trunc(min(max(v, -1e30), 1e30)), info.min), info.max)) for v in exact],
                                        DTYPES[target])
                    check(got, want, f"{source}_{target}")


# --------------------------------------------------------------------------------------------------------------------
# Reductions
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("element", ["f32", "f16", "i64", "i8"])
def test_reductions(compiled, element):
    dtype, x = DTYPES[element], tensor(element, "n", 3, "m")
    dims, function = ["n", 3, "m"], Function("reductions", x=x)
    references = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "mean": np.mean}
    if element.startswith("i"):
        del references["mean"]
    cases = {"0": [0], "12": [1, 2], "012": [0, 1, 2], "none": []}
    for op in references:
        for label, axes in cases.items():
            kept = [dim for index, dim in enumerate(dims) if index not in axes]
            list = f"array<i64{': ' if axes else ''}{', '.join(map(str, axes))}>"
            function.op(f"{op}_{label}", f"{op} %x", ["x"], tensor(element, *kept), f"{{axes = {list}}}")
        function.op(f"{op}_keep", f"{op} %x", ["x"], tensor(element, "n", 1, "m"), "{axes = array<i64: 1>, keepdims}")
    run = compiled("reductions_" + element, [function])
    inputs = [{"x": numbers(element, n, 3, m, low=1 if element == "f16" else -4)} for n, m in
              [(0, 0), (0, 2), (1, 1), (2, 0), (2, 5), (3, 101)]]
    inputs.append({"x": inputs[-1]["x"].copy()})
    if not element.startswith("i"):
        inputs[-1]["x"][0, 0, 0] = np.nan
    lowest = -np.inf if element.startswith("f") else np.iinfo(dtype).min
    highest = np.inf if element.startswith("f") else np.iinfo(dtype).max
    with np.errstate(all="ignore"):
        for given, got in zip(inputs, run("reductions", *inputs)):
            for op, reference in references.items():
                more = {"max": {"initial": lowest}, "min": {"initial": highest}}.get(op, {})
                if op in ["sum", "prod"]:
                    more = {"dtype": np.float64 if element.startswith("f") else dtype}
                for label, axes in [*cases.items(), ("keep", [1])]:
                    wide = given["x"].astype(np.float64) if op == "mean" else given["x"]
                    want = reference(wide, axis=tuple(axes), keepdims=label == "keep", **more)
                    want = np.asarray(want).astype(dtype)
                    check(got, want, f"{op}_{label}", {"f32": 2e-5, "f16": 2e-3}.get(element))


# --------------------------------------------------------------------------------------------------------------------
# Products
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("element", ["f32", "f16", "i32"])
def test_matmul(compiled, element):
    plain = Function("plain", x=tensor(element, "n", "k"), y=tensor(element, "k", "m"))
    plain.op("r", "matmul %x, %y", ["x", "y"], tensor(element, "n", "m"))
    batch = Function("batch", x=tensor(element, "b", 1, "n", "k"), y=tensor(element, 2, "k", "m"))
    batch.op("r", "matmul %x, %y", ["x", "y"], tensor(element, "b", 2, "n", "m"))
    runtime = Function("runtime", x=tensor(element, "b", "n", 3), y=tensor(element, "c", 3, "m"))
    runtime.op("r", "matmul %x, %y", ["x", "y"], f"tensor<?x?x?x{element}>")
    square = Function("square", x=tensor(element, "n", "n"))
    square.op("r", "matmul %x, %x", ["x", "x"], tensor(element, "n", "n"))
    unequal = Function("unequal", x=tensor(element, "n", "k"), y=tensor(element, "l", "m"))
    unequal.op("r", "matmul %x, %y", ["x", "y"], tensor(element, "n", "m"))
    run = compiled("matmul_" + element, [plain, batch, runtime, square, unequal])
    shapes = {
        "plain": [((n, k), (k, m)) for n, k, m in [(0, 0, 0), (1, 1, 1), (2, 0, 3), (0, 3, 2), (3, 5, 7), (64, 64, 64), (31, 130, 17)]],
        "batch": [((b, 1, n, k), (2, k, m)) for b, n, k, m in [(0, 1, 2, 3), (1, 1, 0, 1), (3, 2, 5, 4)]],
        "runtime": [((b, 2, 3), (c, 3, 4)) for b, c in [(0, 0), (1, 1), (1, 3), (3, 1), (3, 3), (0, 1)]],
        "unequal": [((2, 5), (5, 3))],
    }
    tolerance = {"f32": 1e-4, "f16": 1e-2}.get(element)
    for function, pairs in shapes.items():
        inputs = [{"x": numbers(element, *a), "y": numbers(element, *b, seed=2)} for a, b in pairs]
        for given, got in zip(inputs, run(function, *inputs)):
            wide = np.float64 if element.startswith("f") else DTYPES[element]
            check(got, np.matmul(given["x"].astype(wide), given["y"].astype(wide)).astype(DTYPES[element]), "r", tolerance)
    x = numbers(element, 4, 4)
    got, = run("square", {"x": x})
    check(got, np.matmul(x.astype(np.float64), x.astype(np.float64)).astype(DTYPES[element]), "r", tolerance)
    run("unequal", {"x": numbers(element, 2, 5), "y": numbers(element, 4, 3)}, fails="the extents [")
    run("runtime", {"x": numbers(element, 2, 2, 3), "y": numbers(element, 3, 3, 4)}, fails="the extents [")


def convolve(x, w, strides, pads, dilations, groups):
    """The definition, one element after the other."""
    spatial = len(strides)
    x = np.pad(x.astype(np.float64), [(0, 0), (0, 0)] + [(pads[i], pads[spatial + i]) for i in range(spatial)])
    w = w.astype(np.float64)
    extents = [(x.shape[2 + i] - dilations[i] * (w.shape[2 + i] - 1) - 1) // strides[i] + 1 for i in range(spatial)]
    result = np.zeros((x.shape[0], w.shape[0], *extents))
    per_group = w.shape[0] // groups
    for out in np.ndindex(w.shape[0], *extents):
        first = out[0] // per_group * w.shape[1] if per_group else 0
        window = x[(slice(None), slice(first, first + w.shape[1]),
                    *(slice(o * s, o * s + d * (k - 1) + 1, d) for o, s, d, k in zip(out[1:], strides, dilations, w.shape[2:])))]
        result[(slice(None), *out)] = (window * w[out[0]]).sum(axis=tuple(range(1, window.ndim)))
    return result


CONVS = {
    "plain1": (tensor("f32", "n", 3, "l"), tensor("f32", 5, 3, 3), [1], [0, 0], [1], 1, tensor("f32", "n", 5, "l - 2")),
    "padded1": (tensor("f32", "n", 4, "l"), tensor("f32", 6, 2, 3), [2], [1, 2], [1], 2,
                tensor("f32", "n", 6, "l floordiv 2 + 1")),
    "depthwise2": (tensor("f32", "n", 3, "l", 5), tensor("f32", 3, 1, 2, 3), [1, 2], [1, 1, 0, 1], [2, 1], 3,
                   tensor("f32", "n", 3, "l - 1", 3)),
    "plain3": (tensor("f32", "n", 1, "l", 3, 3), tensor("f32", 2, 1, 2, 2, 2), [1, 1, 1], [0] * 6, [1, 1, 1], 1,
               tensor("f32", "n", 2, "l - 1", 2, 2)),
    "strided": (tensor("f32", "n", 1, "l"), tensor("f32", 2, 1, 3), [4], [0, 0], [1], 1, tensor("f32", "n", 2, "(l + 1) floordiv 4")),
    "half": (tensor("f16", "n", 3, "l"), tensor("f16", 5, 3, 3), [1], [1, 1], [1], 1, tensor("f16", "n", 5, "l")),
}


def test_conv(compiled):
    functions = []
    for name, (x, w, strides, pads, dilations, groups, result) in CONVS.items():
        function = Function(name, x=x, w=w)
        lists = {"strides": strides, "pads": pads, "dilations": dilations}
        attrs = ", ".join(f"{key} = array<i64: {', '.join(map(str, value))}>" for key, value in lists.items())
        function.op("r", "conv %x, %w", ["x", "w"], result, f"{{{attrs}, groups = {groups} : i64}}")
        functions.append(function)
    run = compiled("conv", functions)
    for name, (x, w, strides, pads, dilations, groups, _) in CONVS.items():
        element = "f16" if name == "half" else "f32"

        def shape(type, **values):
            return [int(values.get(dim, dim)) for dim in type[type.index("[") + 1:type.index("]")].split(", ")]

        weight = numbers(element, *map(int, w[len("tensor<"):].split("x")[:-1]), seed=3)
        inputs = [{"x": numbers(element, *shape(x, n=n, l=length)), "w": weight} for n, length in [(0, 3), (1, 2), (1, 3), (2, 7), (3, 33)]]
        for given, got in zip(inputs, run(name, *inputs)):
            want = convolve(given["x"], given["w"], strides, pads, dilations, groups).astype(DTYPES[element])
            check(got, want, "r", 1e-2 if element == "f16" else 1e-5)
    run("plain1", {"x": numbers("f32", 1, 3, 1), "w": numbers("f32", 5, 3, 3)}, fails="the extents [")
    for length in (0, 1):
        run("strided", {"x": numbers("f32", 1, 1, length), "w": numbers("f32", 2, 1, 3)}, fails="the extents [")


# --------------------------------------------------------------------------------------------------------------------
# Manipulation
# --------------------------------------------------------------------------------------------------------------------


def test_manipulation(compiled):
    x = tensor("f32", "n", "m", 4)
    function = Function("move", x=x, one=tensor("f32", 1, 4), s="!relax.shape<[n * 2, m * 2]>", b="!relax.shape<[m, n, 4]>",
                        y=tensor("f32", "n", 2, 4), i=tensor("i64", "k", 2), scalar=tensor("i32"), e=tensor("f32", "n", "m", 1, 4, 1))
    function.op("reshape", "reshape %x, %s", ["x", "s"], tensor("f32", "n * 2", "m * 2"))
    function.op("broadcast_to", "broadcast_to %one, %b", ["one", "b"], tensor("f32", "m", "n", 4))
    function.op("permute_dims", "permute_dims %x", ["x"], tensor("f32", 4, "n", "m"), "{permutation = array<i64: 2, 0, 1>}")
    function.op("expand_dims", "expand_dims %x", ["x"], tensor("f32", 1, "n", "m", 1, 4), "{axes = array<i64: 0, 3>}")
    function.op("squeeze", "squeeze %e", ["e"], x, "{axes = array<i64: 4, 2>}")
    function.op("concat", "concat %x, %y, %x", ["x", "y", "x"], tensor("f32", "n", "m * 2 + 2", 4), "{axis = 1 : i64}")
    function.op("take", "take %x, %i", ["x", "i"], tensor("f32", "n", "k", 2, 4), "{axis = 1 : i64}")
    function.op("take_last", "take %x, %scalar", ["x", "scalar"], tensor("f32", "n", "m"), "{axis = 2 : i64}")
    run = compiled("move", [function])

    def given(n, m, k):
        return {"x": numbers("f32", n, m, 4), "one": numbers("f32", 1, 4), "s": np.array([n * 2, m * 2], np.int64),
                "b": np.array([m, n, 4], np.int64), "y": numbers("f32", n, 2, 4, seed=2),
                "i": numbers("i64", k, 2, low=0, high=m - 1) if m else np.zeros((0, 2), np.int64), "scalar": np.array(3, np.int32),
                "e": numbers("f32", n, m, 1, 4, 1, seed=4)}

    inputs = [given(*sizes) for sizes in [(0, 0, 0), (1, 1, 1), (3, 5, 7), (0, 3, 2), (2, 0, 0), (13, 101, 3)]]
    for arrays, got in zip(inputs, run("move", *inputs)):
        x = arrays["x"]
        n, m, _ = x.shape
        check(got, x.reshape(n * 2, m * 2), "reshape")
        check(got, np.broadcast_to(arrays["one"], (m, n, 4)), "broadcast_to")
        check(got, x.transpose(2, 0, 1), "permute_dims")
        check(got, x[None, :, :, None], "expand_dims")
        check(got, arrays["e"].squeeze((2, 4)), "squeeze")
        check(got, np.concatenate([x, arrays["y"], x], axis=1), "concat")
        check(got, np.take(x, arrays["i"], axis=1), "take")
        check(got, x[:, :, 3], "take_last")
    bad = given(2, 3, 1)
    bad["i"][0, 0] = 3
    run("move", bad, fails="index is out of range")
    bad["i"][0, 0] = -1
    run("move", bad, fails="index is out of range")
    bad = given(2, 3, 1)
    bad["s"] = np.array([4, 7], np.int64)
    run("move", bad, fails="relax-run")


def test_reshape(compiled):
    """Products that only run time compares, and rank 0."""
    flat = Function("flat", x=tensor("f32", "n", "m"), s="!relax.shape<[k]>")
    flat.op("r", "reshape %x, %s", ["x", "s"], tensor("f32", "k"))
    scalar = Function("scalar", x=tensor("f32", "n", "m"), z=tensor("f32"), s="!relax.shape<[]>", t="!relax.shape<[k, l]>")
    scalar.op("r", "reshape %x, %s", ["x", "s"], tensor("f32"))
    scalar.op("t2", "reshape %z, %t", ["z", "t"], tensor("f32", "k", "l"))
    static = Function("static", x=tensor("i32", 4, 6), y=tensor("i32", "n"), s="!relax.shape<[n]>", t="!relax.shape<[4, 6]>")
    static.op("r", "reshape %x, %s", ["x", "s"], tensor("i32", "n"))
    static.op("t2", "reshape %y, %t", ["y", "t"], tensor("i32", 4, 6))
    run = compiled("reshape", [flat, scalar, static])
    inputs = [{"x": numbers("f32", n, m), "s": np.array([n * m], np.int64)} for n, m in [(0, 0), (0, 5), (1, 1), (13, 7)]]
    for given, got in zip(inputs, run("flat", *inputs)):
        check(got, given["x"].reshape(-1), "r")
    run("flat", {"x": numbers("f32", 2, 3), "s": np.array([5], np.int64)}, fails="the extents [")
    one = {"x": numbers("f32", 1, 1), "z": np.array(2.5, np.float32), "s": np.zeros(0, np.int64), "t": np.array([1, 1], np.int64)}
    got, = run("scalar", one)
    check(got, one["x"].reshape(()), "r")
    check(got, one["z"].reshape(1, 1), "t2")
    run("scalar", {**one, "x": numbers("f32", 2, 1)}, fails="the extents [")
    given = {"x": numbers("i32", 4, 6), "y": numbers("i32", 24, seed=2), "s": np.array([24], np.int64),
             "t": np.array([4, 6], np.int64)}
    got, = run("static", given)
    check(got, given["x"].reshape(24), "r")
    check(got, given["y"].reshape(4, 6), "t2")


SLICES = {
    "front": ("0", "n floordiv 2", 1, "n floordiv 2", lambda x, n, k: x[:n // 2]),
    "stepped": ("n - n floordiv 2", "n", 3, "(n floordiv 2) ceildiv 3", lambda x, n, k: x[n - n // 2::3]),
    "reversed": ("n - 1", "-1", -1, "n", lambda x, n, k: x[::-1]),
    "reversed2": ("n - 1", "-1", -2, "n ceildiv 2", lambda x, n, k: x[::-2]),
    "given": ("0", "k", 1, "k", lambda x, n, k: x[:k]),
}


def test_slice(compiled):
    function = Function("slices", x=tensor("i64", "n", 3), s="!relax.shape<[k]>")
    for name, (start, end, stride, extent, _) in SLICES.items():
        attrs = (f"{{axes = array<i64: 0>, starts = [#relax_sym.expr<{start}>], ends = [#relax_sym.expr<{end}>], "
                 f"strides = array<i64: {stride}>}}")
        function.op(name, "slice %x shape(%s)", ["x", "s"], tensor("i64", extent, 3), attrs)
    run = compiled("slices", [function])
    inputs = [{"x": numbers("i64", n, 3), "s": np.array([k], np.int64)} for n, k in [(0, 0), (1, 0), (1, 1), (2, 1), (13, 5), (1031, 1031)]]
    for given, got in zip(inputs, run("slices", *inputs)):
        n, k = len(given["x"]), given["s"][0]
        for name, (*_, reference) in SLICES.items():
            check(got, reference(given["x"], n, k), name)
    run("slices", {"x": numbers("i64", 3, 3), "s": np.array([4], np.int64)}, fails="the extents [")


# --------------------------------------------------------------------------------------------------------------------
# Creation and search
# --------------------------------------------------------------------------------------------------------------------


def test_full(compiled):
    function = Function("full", s="!relax.shape<[n, m]>")
    for element, value in {"f32": "1.5", "f16": "-2.0", "i64": "7", "i1": "true"}.items():
        typed = value if element == "i1" else f"{value} : {element}"
        function.op(f"full_{element}", f"full %s, {typed}", ["s"], tensor(element, "n", "m"))
    run = compiled("full", [function])
    inputs = [{"s": np.array(shape, np.int64)} for shape in [(0, 0), (1, 1), (3, 5), (0, 7)]]
    for given, got in zip(inputs, run("full", *inputs)):
        for element, value in {"f32": 1.5, "f16": -2.0, "i64": 7, "i1": True}.items():
            check(got, np.full(given["s"], value, DTYPES[element]), f"full_{element}")


def test_iota(compiled):
    function = Function("iota", s="!relax.shape<[n, m]>")
    for axis in (0, 1):
        function.op(f"iota_{axis}", "iota %s", ["s"], tensor("i64", "n", "m"), f"{{axis = {axis} : i64, dtype = i64}}")
    run = compiled("iota", [function])
    inputs = [{"s": np.array(shape, np.int64)} for shape in [(0, 0), (1, 1), (3, 5), (0, 7)]]
    for given, got in zip(inputs, run("iota", *inputs)):
        for axis in (0, 1):
            check(got, np.indices(given["s"])[axis], f"iota_{axis}")


@pytest.mark.parametrize("element", ["f32", "i32", "i1"])
def test_unique(compiled, element):
    function = Function("unique", "u <= n * m", x=tensor(element, "n", "m"))
    function.op("r", "unique %x binds [u]", ["x"], tensor(element, "u"))
    run = compiled("unique_" + element, [function])
    inputs = []
    for n, m in [(0, 0), (0, 3), (1, 1), (2, 1), (5, 7), (37, 101)]:
        x = numbers(element, n, m)
        if element == "f32":
            x = np.round(x)
            x.reshape(-1)[-3:] = [np.nan, np.inf, np.nan][:min(3, x.size)]
        inputs.append({"x": x})
    for given, got in zip(inputs, run("unique", *inputs)):
        check(got, np.unique(given["x"]), "r")
