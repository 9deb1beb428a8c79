# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Element types beyond the common ones: unsigned integers and bf16 in every kind of op, and conversions of all pairs."""
import ml_dtypes
import numpy as np
import test_ops
from test_ops import Function, tensor

compiled = test_ops.compiled
SIZES = [0, 1, 17]
BF16 = np.dtype(ml_dtypes.bfloat16)
UNSIGNED = ["ui8", "ui16", "ui32", "ui64"]
DTYPES = {**{name: np.dtype(dtype) for name, dtype in test_ops.DTYPES.items()},
          **{name: np.dtype(f"u{int(name[2:]) // 8}") for name in UNSIGNED}, "bf16": BF16}


def read(array, dtype):
    """What a file holds: numpy reads bf16 as two bytes."""
    return array.view(dtype) if array.dtype.kind == "V" else array


def check(got, name, want, tolerance=0.0):
    got = read(got[name], want.dtype)
    assert got.shape == want.shape and got.dtype == want.dtype, (name, got.dtype, got.shape, want.dtype, want.shape)
    if want.dtype == BF16 or want.dtype.kind == "f":
        got, want = got.astype(np.float64), want.astype(np.float64)
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance and 1e-30, err_msg=name)
    else:
        np.testing.assert_array_equal(got, want, err_msg=name)


def bits(element, *shape, seed=1):
    """Integers of all magnitudes, the extremes first."""
    info, rng = np.iinfo(DTYPES[element]), np.random.default_rng(seed)
    values = rng.integers(info.min, info.max, shape, DTYPES[element], endpoint=True)
    values >>= rng.integers(0, info.bits, shape).astype(DTYPES[element])
    extremes = np.array([info.max, info.min, info.max // 2 + 1, info.max // 2, 1], DTYPES[element])
    flat = values.reshape(-1)
    flat[:5] = np.roll(extremes, seed - 1)[:flat.size]
    return values


# --------------------------------------------------------------------------------------------------------------------
# Unsigned integers
# --------------------------------------------------------------------------------------------------------------------

BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
          "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
DIVISIONS = {"divide": np.floor_divide, "mod": np.mod}
COMPARISONS = {"equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
               "greater": np.greater, "greater_equal": np.greater_equal}


def elementwise(element):
    type, flags = tensor(element, "n"), tensor("i1", "n")
    function = Function("elementwise_" + element, x=type, y=type, d=type, s=type, low=tensor(element), high=tensor(element))
    for op in ["abs", "negate", "relu", "sign", "bitwise_not"]:
        function.body.append(f"%{op} = relax.{op} %x : {type}")
        function.results[op] = type
    for op in BINARY:
        function.op(op, f"{op} %x, %y", ["x", "y"], type)
    for op in DIVISIONS:
        function.op(op, f"{op} %x, %d", ["x", "d"], type)
    for op in COMPARISONS:
        function.op(op, f"{op} %x, %y", ["x", "y"], flags)
    for op in ["power", "shift_left", "shift_right"]:
        function.op(op, f"{op} %x, %s", ["x", "s"], type)
    function.op("clip", "clip %x, %low, %high", ["x", "low", "high"], type)
    function.body.append(f"%half = relax.constant dense<{np.iinfo(DTYPES[element]).max // 2 + 1}> : {tensor(element)}")
    function.body.append(f"%above = relax.greater %x, %half : ({type}, {tensor(element)}) -> {flags}")
    function.results["above"] = flags
    function.body.append(f"%where = relax.where %above, %x, %y : ({flags}, {type}, {type}) -> {type}")
    function.results["where"] = type
    return function


def power(x, exponents):
    results = np.ones_like(x)
    for i in range(70):
        results = np.where(exponents > i, results * x, results)
    return results


def test_unsigned_elementwise(compiled):
    run = compiled("unsigned_elementwise", [elementwise(element) for element in UNSIGNED])
    for element in UNSIGNED:
        width = np.iinfo(DTYPES[element]).bits
        inputs = [{"x": bits(element, n), "y": bits(element, n, seed=2), "d": np.maximum(bits(element, n, seed=3), 1),
                   "s": np.arange(n).astype(DTYPES[element]) * 5 % (width + 3), "low": np.array(3, DTYPES[element]),
                   "high": np.array(np.iinfo(DTYPES[element]).max // 2 + 5, DTYPES[element])} for n in SIZES]
        for given, got in zip(inputs, run("elementwise_" + element, *inputs)):
            x, y, d, s = given["x"], given["y"], given["d"], given["s"]
            half = np.iinfo(DTYPES[element]).max // 2 + 1
            check(got, "abs", x)
            check(got, "relu", x)
            check(got, "negate", (~x + np.ones_like(x)))
            check(got, "sign", np.minimum(x, np.ones_like(x)))
            check(got, "bitwise_not", ~x)
            for op, reference in BINARY.items():
                check(got, op, reference(x, y))
            for op, reference in DIVISIONS.items():
                check(got, op, reference(x, d))
            for op, reference in COMPARISONS.items():
                check(got, op, reference(x, y))
            inside = s < width
            amount = np.where(inside, s, 0).astype(s.dtype)
            check(got, "shift_left", np.where(inside, x << amount, 0).astype(x.dtype))
            check(got, "shift_right", np.where(inside, x >> amount, 0).astype(x.dtype))
            check(got, "power", power(x, s))
            check(got, "clip", np.clip(x, given["low"], given["high"]))
            check(got, "above", x > half)
            check(got, "where", np.where(x > half, x, y))


def test_unsigned_division_by_zero(compiled):
    functions = []
    for op in DIVISIONS:
        type = tensor("ui8", "n")
        function = Function(op, x=type, y=type)
        function.op("r", f"{op} %x, %y", ["x", "y"], type)
        functions.append(function)
    run = compiled("unsigned_division", functions)
    for op in DIVISIONS:
        run(op, {"x": np.array([200, 7], np.uint8), "y": np.array([3, 0], np.uint8)}, fails="integer division by zero")


def searches(element):
    """Reductions, orders, moves: along the second of two dimensions, of extent 1 or more."""
    type, line, flat = tensor(element, "n", 5), tensor(element, "n"), tensor(element, "u")
    wide, positions, indices = tensor("i64", "n", 5), tensor("i64", "n"), tensor("i64", "n", 5)
    function = Function("searches_" + element, x=type, w=tensor(element, 5, 3), i=indices)
    for op in ["sum", "prod", "max", "min"]:
        function.op(op, f"{op} %x", ["x"], line, "{axes = array<i64: 1>}")
        function.op("all_" + op, f"{op} %x", ["x"], tensor(element), "{axes = array<i64: 0, 1>}")
    for op in ["argmax", "argmin"]:
        function.op(op, f"{op} %x", ["x"], positions, "{axis = 1 : i64}")
    function.op("cumsum", "cumsum %x", ["x"], type, "{axis = 1 : i64}")
    function.op("cumprod", "cumprod %x", ["x"], type, "{axis = 1 : i64}")
    function.op("argsort", "argsort %x", ["x"], wide, "{axis = 1 : i64}")
    function.op("sort", "sort %x", ["x"], type, "{axis = 1 : i64, descending}")
    function.op("unique", "unique %x binds [u]", ["x"], flat)
    function.op("matmul", "matmul %x, %w", ["x", "w"], tensor(element, "n", 3))
    for op in ["max", "min"]:
        function.op("scatter_" + op, "scatter_elements %x, %i, %x", ["x", "i", "x"], type, f'{{axis = 1 : i64, reduction = "{op}"}}')
    function.op("permuted", "permute_dims %x", ["x"], tensor(element, 5, "n"), "{permutation = array<i64: 1, 0>}")
    function.op("joined", "concat %x, %x", ["x", "x"], tensor(element, "n", 10), "{axis = 1 : i64}")
    function.op("taken", "take_along_axis %x, %i", ["x", "i"], type, "{axis = 1 : i64}")
    return function


def test_unsigned_searches(compiled):
    run = compiled("unsigned_searches", [searches(element) for element in UNSIGNED])
    for element in UNSIGNED:
        dtype = DTYPES[element]
        rng = np.random.default_rng(4)
        inputs = [{"x": bits(element, n, 5), "w": bits(element, 5, 3, seed=2),
                   "i": np.argsort(rng.random((n, 5)), axis=1).astype(np.int64)} for n in SIZES]
        for given, got in zip(inputs, run("searches_" + element, *inputs)):
            x, w, i = given["x"], given["w"], given["i"]
            for op, reference, initial in [("sum", np.add, 0), ("prod", np.multiply, 1), ("max", np.maximum, 0),
                                           ("min", np.minimum, np.iinfo(dtype).max)]:
                check(got, op, reference.reduce(x, axis=1, initial=initial, dtype=dtype))
                check(got, "all_" + op, np.array(reference.reduce(x, axis=None, initial=initial, dtype=dtype), dtype))
            check(got, "argmax", np.argmax(x, axis=1).astype(np.int64))
            check(got, "argmin", np.argmin(x, axis=1).astype(np.int64))
            check(got, "cumsum", np.cumsum(x, axis=1, dtype=dtype))
            check(got, "cumprod", np.cumprod(x, axis=1, dtype=dtype))
            check(got, "argsort", np.argsort(x, axis=1, kind="stable"))
            check(got, "sort", np.flip(np.sort(x, axis=1), axis=1))
            check(got, "unique", np.unique(x))
            check(got, "matmul", (x[:, :, None] * w[None]).sum(axis=1, dtype=dtype))
            moved = np.empty_like(x)
            np.put_along_axis(moved, i, x, axis=1)
            check(got, "scatter_max", np.maximum(x, moved))
            check(got, "scatter_min", np.minimum(x, moved))
            check(got, "permuted", np.ascontiguousarray(x.T))
            check(got, "joined", np.concatenate([x, x], axis=1))
            check(got, "taken", np.take_along_axis(x, i, axis=1))


# --------------------------------------------------------------------------------------------------------------------
# bf16
# --------------------------------------------------------------------------------------------------------------------

EXACT = {"abs": np.abs, "ceil": np.ceil, "floor": np.floor, "negate": np.negative, "relu": lambda x: np.maximum(x, 0), "round": np.rint,
         "sign": np.sign, "sqrt": np.sqrt, "reciprocal": np.reciprocal, "trunc": np.trunc}
ROUNDED = {"cos": np.cos, "exp": np.exp, "log": np.log, "rsqrt": lambda x: 1 / np.sqrt(x), "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
           "sin": np.sin, "tanh": np.tanh, "exp2": np.exp2, "expm1": np.expm1, "log1p": np.log1p, "log2": np.log2, "atan": np.arctan}


def round_to_bf16(x):
    """Once, to nearest, ties to even; `x` has 64 binary digits at most."""
    x = np.asarray(x).astype(np.longdouble)
    finite = np.where(np.isfinite(x), x, 0)
    quantum = np.ldexp(np.longdouble(1), np.maximum(np.frexp(finite)[1] - 8, -133))
    rounded = np.rint(finite / quantum) * quantum
    largest = np.longdouble(2) ** 128 - np.longdouble(2) ** 120
    rounded = np.where(np.abs(rounded) > largest, np.copysign(np.longdouble(np.inf), finite), rounded)
    return np.where(np.isfinite(x), rounded, x).astype(np.float32).astype(BF16)


def bf16_numbers(*shape, seed=1):
    rng = np.random.default_rng(seed)
    x = np.ldexp(rng.uniform(-4, 4, shape), rng.integers(-6, 3, shape)).astype(BF16)
    flat = x.reshape(-1)
    specials = np.roll(np.array([1.0, np.inf, -0.0, np.nan, -np.inf, 1e-40, 3e38, 1e-45], np.float32), 1 - seed).astype(BF16)
    flat[1:9] = specials[:max(0, flat.size - 1)]
    return x


def test_bf16_elementwise(compiled):
    type, flags = tensor("bf16", "n"), tensor("i1", "n")
    function = Function("elementwise", x=type, y=type, z=type)
    for op in [*EXACT, *ROUNDED]:
        function.body.append(f"%{op} = relax.{op} %x : {type}")
        function.results[op] = type
    binary = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "maximum": np.maximum,
              "minimum": np.minimum}
    for op in [*binary, "power", "mod"]:
        function.op(op, f"{op} %x, %y", ["x", "y"], type)
    for op in COMPARISONS:
        function.op(op, f"{op} %x, %y", ["x", "y"], flags)
    function.op("fma", "fma %x, %y, %z", ["x", "y", "z"], type)
    function.op("clip", "clip %x, %y, %z", ["x", "y", "z"], type)
    run = compiled("bf16_elementwise", [function])
    inputs = [{"x": bf16_numbers(n), "y": bf16_numbers(n, seed=2), "z": bf16_numbers(n, seed=3)} for n in SIZES]
    with np.errstate(all="ignore"):
        for given, got in zip(inputs, run("elementwise", *inputs)):
            x, y, z = (given[name].astype(np.float64) for name in "xyz")
            for op, reference in EXACT.items():
                check(got, op, round_to_bf16(reference(x)))
            for op, reference in ROUNDED.items():
                want = round_to_bf16(reference(x))
                if op.startswith("log"):  # in f32 not exact below its normal numbers
                    want = np.where(np.abs(x) < 2.0 ** -126, read(got[op], BF16), want)
                check(got, op, want, 2 ** -7)
            for op, reference in binary.items():
                check(got, op, round_to_bf16(reference(x, y)))
            check(got, "power", round_to_bf16(x ** y), 2 ** -7)
            check(got, "mod", round_to_bf16(np.mod(x, y)), 2 ** -7)
            for op, reference in COMPARISONS.items():
                check(got, op, reference(x, y))
            check(got, "fma", round_to_bf16(x * y + z), 2 ** -7)
            check(got, "clip", round_to_bf16(np.minimum(np.maximum(x, y), z)))


def test_bf16_reductions(compiled):
    type, line = tensor("bf16", "n", 40), tensor("bf16", "n")
    function = Function("reductions", x=type, w=tensor("bf16", 40, 3))
    for op in ["sum", "mean", "max", "min", "prod"]:
        function.op(op, f"{op} %x", ["x"], line, "{axes = array<i64: 1>}")
    function.op("argmax", "argmax %x", ["x"], tensor("i64", "n"), "{axis = 1 : i64}")
    function.op("cumsum", "cumsum %x", ["x"], type, "{axis = 1 : i64}")
    function.op("argsort", "argsort %x", ["x"], tensor("i64", "n", 40), "{axis = 1 : i64}")
    function.op("matmul", "matmul %x, %w", ["x", "w"], tensor("bf16", "n", 3))
    function.op("softmax", "softmax %x", ["x"], type, "{axis = 1 : i64}")
    run = compiled("bf16_reductions", [function])
    rng = np.random.default_rng(1)
    inputs = [{"x": rng.uniform(0.5, 1.5, (n, 40)).astype(BF16), "w": rng.uniform(0.5, 1.5, (40, 3)).astype(BF16)} for n in SIZES]
    for given, got in zip(inputs, run("reductions", *inputs)):
        x, w = given["x"].astype(np.float64), given["w"].astype(np.float64)
        # Sums in f32 of 8-bit numbers of one magnitude are exact; sums in bf16 would be far away.
        check(got, "sum", round_to_bf16(x.sum(axis=1)))
        check(got, "mean", round_to_bf16(x.mean(axis=1)), 2 ** -8)
        check(got, "max", round_to_bf16(x.max(axis=1)))
        check(got, "min", round_to_bf16(x.min(axis=1)))
        check(got, "prod", round_to_bf16(x.prod(axis=1)), 2 ** -8)
        check(got, "argmax", x.argmax(axis=1).astype(np.int64))
        check(got, "cumsum", round_to_bf16(x.cumsum(axis=1)))
        check(got, "argsort", np.argsort(x, axis=1, kind="stable"))
        check(got, "matmul", round_to_bf16(x @ w))
        check(got, "softmax", round_to_bf16(np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)), 2 ** -7)


# --------------------------------------------------------------------------------------------------------------------
# Conversions
# --------------------------------------------------------------------------------------------------------------------


def is_float(dtype):
    return dtype == BF16 or dtype.kind == "f"


def convert(x, to):
    """The rules of relax.astype."""
    if to.kind == "b":
        return x != 0
    if is_float(x.dtype) and not is_float(to):
        x = np.trunc(x.astype(np.longdouble))
        info = np.iinfo(to)
        return np.clip(np.where(np.isnan(x), 0, x), np.longdouble(info.min), np.longdouble(info.max)).astype(to)
    if to == BF16:
        return round_to_bf16(x.astype(np.float64) if x.dtype == BF16 else x)
    return x.astype(to)


def samples(element):
    """Every number of types of up to 16 bits; extremes, ties and random bits of the others."""
    dtype, rng = DTYPES[element], np.random.default_rng(7)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.itemsize <= 2:
        count = 1 << 8 * dtype.itemsize
        return np.arange(count).astype(np.uint8 if count == 256 else np.uint16).view(dtype)
    unsigned = np.dtype(f"u{dtype.itemsize}")
    values = bits(f"ui{dtype.itemsize * 8}", 600).view(dtype)
    # Numbers beside the middle of two bf16, f16 or f32.
    near = [(256 + i) * 2 ** shift + 2 ** (shift - 1) + d for shift in [1, 4, 17, 23, 24, 40, 54] for i in range(4) for d in [-1, 0, 1]]
    near = np.array([value % (1 << (8 * dtype.itemsize)) for value in near], unsigned)
    if dtype.kind == "f":
        near = np.array([v for v in (1 + (np.arange(8) + 0.5) / 128)], np.float64)
        near = np.concatenate([near, near * (1 + 2.0 ** -40), near * (1 - 2.0 ** -40), near * 2.0 ** 100, near * 2.0 ** -130])
        powers = np.ldexp(1.0, np.arange(0, 70))
        near = np.concatenate([near, powers, -powers, powers - 0.5, 0.5 - powers, [np.inf, -np.inf, np.nan, -0.0, -0.7, 1e-45, 1e300]])
        with np.errstate(over="ignore"):
            return np.concatenate([near.astype(dtype), rng.standard_normal(200).astype(dtype) * 300])
    return np.concatenate([values, near.view(dtype), (-near.view(dtype) if dtype.kind == "i" else near)])


def test_casts(compiled):
    functions = []
    for source in DTYPES:
        function = Function("from_" + source, x=tensor(source, "n"))
        for to in DTYPES:
            if to != source:
                function.op(to, "astype %x", ["x"], tensor(to, "n"), f"{{dtype = {to}}}")
        functions.append(function)
    run = compiled("casts", functions)
    for source in DTYPES:
        everything = samples(source)
        inputs = [{"x": everything[:n]} for n in [0, 1]] + [{"x": everything}]
        with np.errstate(all="ignore"):
            for given, got in zip(inputs, run("from_" + source, *inputs)):
                for to, dtype in DTYPES.items():
                    if to != source:
                        check({to: read(got[to], dtype)}, to, convert(given["x"], dtype))


# --------------------------------------------------------------------------------------------------------------------
# Small types
# --------------------------------------------------------------------------------------------------------------------

SMALL_FLOATS = {"f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2", "f8E4M3FNUZ": "float8_e4m3fnuz",
                "f8E5M2FNUZ": "float8_e5m2fnuz", "f8E8M0FNU": "float8_e8m0fnu", "f4E2M1FN": "float4_e2m1fn"}
SMALL_INTS = {"i4": "int4", "i2": "int2", "ui4": "uint4", "ui2": "uint2"}
FLOATS = ["f16", "bf16", "f32", "f64"]


def codes(element):
    bits = 4 if element == "f4E2M1FN" else 8 if element in SMALL_FLOATS else int(element[-1])
    name = {**SMALL_FLOATS, **SMALL_INTS}[element]
    return np.arange(1 << bits).astype(np.uint8).view(getattr(ml_dtypes, name))


def small_integer(x, element):
    """The low bits."""
    width, x = int(element[-1]), x.astype(np.int64)
    low = x & ((1 << width) - 1)
    return np.where(low >> (width - 1), low - (1 << width), low) if element[0] == "i" else low


def test_small_types(compiled):
    functions = []
    for element in [*SMALL_FLOATS, *SMALL_INTS]:
        partners = FLOATS if element in SMALL_FLOATS else list(DTYPES)
        function = Function("small_" + element, x=tensor(element, "n"),
                            **{"v_" + other: tensor(other, "m") for other in partners})
        for other in partners:
            function.op("to_" + other, "astype %x", ["x"], tensor(other, "n"), f"{{dtype = {other}}}")
            function.op("from_" + other, f"astype %v_{other}", ["v_" + other], tensor(element, "m"), f"{{dtype = {element}}}")
        # Moved as they are; a constant of them.
        function.op("joined", "concat %x, %x", ["x", "x"], tensor(element, "2*n"), "{axis = 0 : i64}")
        function.body.append(f"%same = relax.reshape %x, %shape : ({tensor(element, 'n')}, !relax.shape<[1, n]>) "
                             f"-> {tensor(element, 1, 'n')}")
        function.body.insert(-1, f"%size = relax.shape_of %x : {tensor(element, 'n')} -> !relax.shape<[n]>")
        function.body.insert(-1, "%shape = relax.make_shape %size : (!relax.shape<[n]>) -> !relax.shape<[1, n]>")
        function.results["same"] = tensor(element, 1, "n")
        values = "1, 2, 1" if element not in ["i2"] else "1, -2, 1"
        values = values if element not in SMALL_FLOATS else "1.0, 2.0, 0.5"
        function.body.append(f"%constant = relax.constant dense<[{values}]> : {tensor(element, 3)}")
        function.results["constant"] = tensor(element, 3)
        functions.append(function)
    run = compiled("small", functions)
    for element in [*SMALL_FLOATS, *SMALL_INTS]:
        partners = FLOATS if element in SMALL_FLOATS else list(DTYPES)
        small = codes(element).dtype
        everything = {other: samples(other) for other in partners}
        size = min(len(values) for values in everything.values() if len(values) > 2)
        x = codes(element)
        for n, m in [(0, 0), (1, 1), (len(x), size)]:
            given = {"x": x[:n], **{"v_" + other: np.resize(values, m) for other, values in everything.items()}}
            with np.errstate(all="ignore"):
                [got] = run("small_" + element, given)
                for other in partners:
                    dtype = DTYPES[other]
                    wide = given["x"].astype(np.float32 if element in SMALL_FLOATS else np.int8)
                    if element in SMALL_INTS:
                        wide = small_integer(wide, element).astype(np.int8)
                    check({"r": read(got["to_" + other], dtype)}, "r", convert(wide, dtype) if wide.dtype != dtype else wide)
                    v = given["v_" + other]
                    result = read(got["from_" + other], small)
                    if element in SMALL_INTS:
                        info = ml_dtypes.iinfo(small)
                        if is_float(dtype):
                            v = np.clip(np.trunc(np.where(np.isnan(v.astype(np.float64)), 0, v.astype(np.float64))),
                                        float(info.min), float(info.max))
                        np.testing.assert_array_equal(result.astype(np.int64), small_integer(v, element), err_msg=f"{element} {other}")
                    else:
                        want = round_to_small(v.astype(np.float64), x)
                        np.testing.assert_array_equal(result.astype(np.float64), want, err_msg=f"{element} {other}")
            # The interpreter knows one NaN.
            held = x[:n].astype(np.float64)
            np.testing.assert_array_equal(read(got["joined"], small).astype(np.float64), np.concatenate([held, held]))
            np.testing.assert_array_equal(read(got["same"], small).astype(np.float64), held[None])
            want = [1, 2, 0.5] if element in SMALL_FLOATS else [1, -2, 1] if element == "i2" else [1, 2, 1]
            np.testing.assert_array_equal(read(got["constant"], small).astype(np.float64), want)


def round_to_small(values, every):
    """The nearest of all numbers of the type; ties to the even code, which the type's next number would have or not."""
    numbers, codes = every.astype(np.float64), every.view(np.uint8).astype(np.int64)
    if every.dtype == ml_dtypes.float8_e8m0fnu:
        good = (values > 0) & (values < 1.5 * 2.0 ** 127)
        fraction, exponent = np.frexp(np.where(good, values, 1.0))
        power = np.maximum(exponent - 1 + (fraction >= 0.75), -127)
        return np.where(good, np.ldexp(1.0, power), np.nan)
    finite = np.isfinite(numbers) & (numbers >= 0) & ~np.signbit(numbers)
    numbers, codes = numbers[finite], codes[finite]
    order = np.argsort(numbers)
    numbers, codes = numbers[order], codes[order]
    step = numbers[-1] - numbers[-2]
    magnitude = np.where(np.isnan(values), 0, np.abs(values))
    distance = np.abs(magnitude[:, None] - numbers) + (codes % 2) * 0.0
    nearest = distance.min(axis=1, initial=np.inf)
    tied = distance == nearest[:, None]
    best = np.argmax(tied * (2 - codes % 2), axis=1)
    limit = numbers[-1] + step / 2
    over = (magnitude > limit) | ((magnitude == limit) & (codes[-1] % 2 == 1))
    every_value = every.astype(np.float64)
    beyond = np.inf if np.isinf(every_value).any() else np.nan if np.isnan(every_value).any() else numbers[-1]
    result = np.where(over, beyond, numbers[best])
    result = np.copysign(result, values)
    return np.where(np.isnan(values), np.nan if np.isnan(every_value).any() else -0.0, result)
