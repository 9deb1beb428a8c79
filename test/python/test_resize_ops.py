# Licensed under the Apache License, Version 2.0. See LICENSE.
# ruff: noqa: F811 (tests name the fixture that is imported)
"""Resizing, compiled once for all sizes, against the reference implementation of ONNX."""
import itertools

import numpy as np
import onnx
import onnx.helper
import onnx.reference
import onnxruntime
from test_nn_ops import ints
from test_ops import Function, check, compiled, numbers, tensor  # noqa: F401 (a fixture)

MODES = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric", "align_corners"]
ROUNDINGS = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]


def reference(x, axes, sizes=None, scales=None, roi=None, runtime=False, **attributes):
    node = onnx.helper.make_node("Resize", ["x", "r" if roi else "", "s" if scales else "", "z" if sizes else ""][:4 if sizes else 3], ["y"],
                                 axes=axes, **attributes)
    values = {"x": x}
    names = [("x", onnx.TensorProto.FLOAT)]
    for name, value, type in [("r", roi, np.float32), ("s", scales, np.float32), ("z", sizes, np.int64)]:
        if value:
            values[name] = np.array(value, type)
            names.append((name, onnx.helper.np_dtype_to_tensor_dtype(np.dtype(type))))
    graph = onnx.helper.make_graph([node], "g", [onnx.helper.make_tensor_value_info(name, type, None) for name, type in names],
                                   [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 19)])
    if runtime:
        model.ir_version = 10
        return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, values)[0]
    return onnx.reference.ReferenceEvaluator(model).run(None, values)[0]


def floats(*values):
    return f"array<f64: {', '.join(map(str, values))}>"


def test_resize(compiled):
    axes = ints(2, 3)
    cases = {}
    for coordinates in MODES:
        cases["linear_" + coordinates] = ("linear", coordinates, {}, "")
        cases["cubic_" + coordinates] = ("cubic", coordinates, {}, "")
        for rounding in ROUNDINGS:
            cases[f"nearest_{coordinates}_{rounding}"] = ("nearest", coordinates, {"nearest_mode": rounding}, f', rounding = "{rounding}"')
    cases["cubic_outside"] = ("cubic", "half_pixel", {"exclude_outside": 1, "cubic_coeff_a": -0.5}, ", exclude_outside, cubic_coefficient = -0.5 : f64")
    cases["crop"] = ("linear", "tf_crop_and_resize", {"extrapolation_value": 7.0, "roi": [0.1, -0.2, 0.9, 1.3]},
                     f", extrapolation = 7.0 : f64, roi = {floats(0.1, -0.2, 0.9, 1.3)}")
    x = tensor("f32", 1, 2, "h", "w")
    sized = Function("sized", x=x, y=tensor("f32", "a", "b"))
    sized.body.append(f"%s = relax.shape_of %y : {tensor('f32', 'a', 'b')} -> !relax.shape<[a, b]>")
    scaled = Function("scaled", x=x)
    scaled.body.append(f"%s0 = relax.shape_of %x : {x} -> !relax.shape<[1, 2, h, w]>")
    scaled.body.append("%s = relax.make_shape %s0 : (!relax.shape<[1, 2, h, w]>) -> !relax.shape<[(h * 3) floordiv 2, (w * 3) floordiv 4]>")
    for name, (mode, coordinates, _, more) in cases.items():
        text = f'{{axes = {axes}, mode = "{mode}", coordinates = "{coordinates}"{more}'
        for function, dims, scales in [(sized, ["a", "b"], ""), (scaled, ["(h * 3) floordiv 2", "(w * 3) floordiv 4"], f", scales = {floats(1.5, 0.75)}")]:
            shape = f"!relax.shape<[{', '.join(dims)}]>"
            result = tensor("f32", 1, 2, *dims)
            function.body.append(f"%{name} = relax.resize %x, %s {text}{scales}}} : ({x}, {shape}) -> {result}")
            function.results[name] = result
    half = Function("half", x=tensor("f16", "n", "h"), i=tensor("i8", "n", "h"), y=tensor("f32", "a"))
    half.body.append(f"%s = relax.shape_of %y : {tensor('f32', 'a')} -> !relax.shape<[a]>")
    for name, operand, element, mode in [("linear", "x", "f16", "linear"), ("nearest", "i", "i8", "nearest")]:
        half.body.append(f'%{name} = relax.resize %{operand}, %s {{axes = {ints(1)}, mode = "{mode}"}} : ({tensor(element, "n", "h")}, !relax.shape<[a]>) -> '
                         f'{tensor(element, "n", "a")}')
        half.results[name] = tensor(element, "n", "a")
    run = compiled("resize", [sized, scaled, half])
    inputs = [{"x": numbers("f32", 1, 2, h, w), "y": np.zeros((a, b), np.float32)} for h, w, a, b in [(1, 1, 1, 1), (3, 5, 7, 4), (4, 2, 1, 9), (2, 3, 5, 6)]]
    wrong = []
    for (given, got), (name, (mode, coordinates, more, _)) in itertools.product(zip(inputs, run("sized", *inputs)), cases.items()):
        # The reference does not take the special case of one element.
        runtime = coordinates == "pytorch_half_pixel" and 1 in given["y"].shape
        want = reference(given["x"], [2, 3], sizes=list(given["y"].shape), runtime=runtime, mode=mode, coordinate_transformation_mode=coordinates, **more)
        if not np.allclose(got[name], want, rtol=1e-4, atol=1e-4):
            wrong.append((name, given["x"].shape, given["y"].shape))
    inputs = [{"x": numbers("f32", 1, 2, h, w)} for h, w in [(2, 4), (3, 5), (7, 9)]]
    for (given, got), (name, (mode, coordinates, more, _)) in itertools.product(zip(inputs, run("scaled", *inputs)), cases.items()):
        # The reference takes extents that are not whole for align_corners and crops, and other neighbours beside whole positions.
        runtime = coordinates in ["align_corners", "tf_crop_and_resize"] and given["x"].shape[2] % 2 != 0 or name == "cubic_half_pixel_symmetric"
        want = reference(given["x"], [2, 3], scales=[1.5, 0.75], runtime=runtime, mode=mode, coordinate_transformation_mode=coordinates, **more)
        if not np.allclose(got[name], want, rtol=1e-4, atol=1e-4):
            wrong.append((name, given["x"].shape, "scaled"))
    assert not wrong, wrong
    got = run("sized", {"x": np.zeros((1, 2, 0, 3), np.float32), "y": np.zeros((2, 0), np.float32)}, {"x": np.zeros((1, 2, 0, 3), np.float32), "y": np.zeros((2, 1), np.float32)})
    assert got[0]["crop"].shape == (1, 2, 2, 0) and not any(value.any() for value in got[1].values())
    given = {"x": numbers("f16", 2, 5), "i": numbers("i8", 2, 5), "y": np.zeros(8, np.float32)}
    got, = run("half", given)
    want = reference(given["x"].astype(np.float32), [1], sizes=[8], mode="linear", coordinate_transformation_mode="half_pixel")
    check(got, want.astype(np.float16), "linear", 2e-3)
    want = reference(given["i"].astype(np.float32), [1], sizes=[8], mode="nearest", coordinate_transformation_mode="half_pixel")
    check(got, want.astype(np.int8), "nearest")
