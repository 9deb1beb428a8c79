# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Elementwise ops beyond the common ones, against numpy."""
import numpy as np
import pytest
import test_ops
from test_ops import DTYPES, SIZES, Function, check, numbers, tensor, with_specials

compiled = test_ops.compiled

UNARY = {"acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
         "atanh": np.arctanh, "cosh": np.cosh, "exp2": np.exp2, "expm1": np.expm1, "log1p": np.log1p, "log2": np.log2,
         "sinh": np.sinh, "tan": np.tan, "trunc": np.trunc}
PREDICATES = {"is_inf": np.isinf, "is_nan": np.isnan}


@pytest.mark.parametrize("element", ["f32", "f16", "f64"])
def test_unary(compiled, element):
    type, flags = tensor(element, "n"), tensor("i1", "n")
    function = Function("unary", x=type, y=type, z=tensor(element))
    for op in UNARY:
        function.body.append(f"%{op} = relax.{op} %x : {type}")
        function.results[op] = type
    for op in PREDICATES:
        function.body.append(f"%{op} = relax.{op} %x : {type} -> {flags}")
        function.results[op] = flags
    function.op("clip", "clip %x, %y, %z", ["x", "y", "z"], type)
    function.op("fma", "fma %x, %y, %z", ["x", "y", "z"], type)
    run = compiled("more_unary_" + element, [function])
    inputs = [{"x": with_specials(numbers(element, n, low=-2, high=2)), "y": numbers(element, n, seed=2),
               "z": np.array(1.25, DTYPES[element])} for n in SIZES]
    tolerance = {"f32": 1e-5, "f16": 2e-3, "f64": 1e-14}[element]
    with np.errstate(all="ignore"):
        for given, got in zip(inputs, run("unary", *inputs)):
            x, y, z = (given[name].astype(np.longdouble) for name in "xyz")
            for op, reference in UNARY.items():
                check(got, np.asarray(reference(x)).astype(DTYPES[element]), op, tolerance)
            for op, reference in PREDICATES.items():
                check(got, reference(given["x"]), op)
            check(got, np.minimum(np.maximum(x, y), z).astype(DTYPES[element]), "clip")
            check(got, (x * y + z).astype(DTYPES[element]), "fma")


@pytest.mark.parametrize("element", ["f32", "f64"])
def test_small_numbers(compiled, element):
    """No digit is lost near 0, whatever the size, below the normal numbers too."""
    type, ops = tensor(element, "n"), {"expm1": np.expm1, "log1p": np.log1p, "log": np.log}
    function = Function("small_" + element, x=type)
    for op in ops:
        function.body.append(f"%{op} = relax.{op} %x : {type}")
        function.results[op] = type
    x = np.logspace(*((-44, 0) if element == "f32" else (-320, 0)), 500).astype(DTYPES[element])
    given = {"x": np.concatenate([x, -x, np.array([0.0, 88.0, -30.0, np.inf, -np.inf, np.nan], x.dtype)])}
    got, = compiled("small_" + element, [function])("small_" + element, given)
    with np.errstate(all="ignore"):
        for op, reference in ops.items():
            want = reference(given["x"].astype(np.longdouble)).astype(x.dtype)
            np.testing.assert_allclose(got[op], want, rtol=8 * np.finfo(x.dtype).eps, atol=0, err_msg=op)


@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64"])
def test_bits(compiled, element):
    dtype, type, width = DTYPES[element], tensor(element, "n"), int(element[1:])
    function = Function("bits", x=type, y=type, s=type, low=tensor(element), high=tensor(element))
    for op in ["and", "or", "xor"]:
        function.op(op, f"bitwise_{op} %x, %y", ["x", "y"], type)
    for op in ["left", "right"]:
        function.op(op, f"shift_{op} %x, %s", ["x", "s"], type)
    function.body.append(f"%not = relax.bitwise_not %x : {type}")
    function.results["not"] = type
    function.op("clip", "clip %x, %low, %high", ["x", "low", "high"], type)
    run = compiled("bits_" + element, [function])
    inputs = []
    for n in SIZES:
        x = numbers(element, n, high=100)
        x[:2] = [np.iinfo(dtype).min, -1][:n]
        inputs.append({"x": x, "y": numbers(element, n, seed=2, high=100), "s": numbers(element, n, seed=3, low=-2, high=width + 2),
                       "low": np.array(-2, dtype), "high": np.array(3, dtype)})
    for given, got in zip(inputs, run("bits", *inputs)):
        x, y, s = given["x"], given["y"], given["s"]
        inside = (s >= 0) & (s < width)
        amount = np.where(inside, s, 0).astype(dtype)
        check(got, x & y, "and")
        check(got, x | y, "or")
        check(got, x ^ y, "xor")
        check(got, ~x, "not")
        check(got, np.where(inside, x << amount, 0).astype(dtype), "left")
        check(got, np.where(inside, x >> amount, np.where(x < 0, -1, 0)).astype(dtype), "right")
        check(got, np.clip(x, -2, 3), "clip")


def test_logical_xor(compiled):
    type = tensor("i1", "n")
    function = Function("xor", a=type, b=type)
    function.op("r", "logical_xor %a, %b", ["a", "b"], type)
    run = compiled("xor", [function])
    inputs = [{"a": numbers("i1", n), "b": numbers("i1", n, seed=2)} for n in SIZES]
    for given, got in zip(inputs, run("xor", *inputs)):
        check(got, given["a"] ^ given["b"], "r")
