# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Declared types inside of a model (value_info): compared with what the import infers, or checked at run time."""
import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import BOOL, FLOAT, INT64, model, node, value


def claim(what, *infos):
    what.graph.value_info.extend(infos)
    return what


def chain(*infos, x=("n", 4), first="Neg"):
    """y = Abs(h), h = first(x)"""
    return claim(model([node(first, "x", "h"), node("Abs", "h")], {"x": list(x)}, {"y": None}), *infos)


@pytest.fixture
def translate(tool, tmp_path):
    def run(what):
        onnx.save(what, tmp_path / "model.onnx")
        return tool("relax-translate", "--import-onnx", tmp_path / "model.onnx")

    return run


ERRORS = {
    "type": (chain(value("h", ["n", 4], INT64)), "value 'h': is declared as int64, inferred as float"),
    "rank": (chain(value("h", ["n"])), "value 'h': is declared with 1 dimensions, inferred with 2"),
    "extent": (chain(value("h", ["n", 5])), "value 'h': dimension 1 is declared as 5, inferred as 4"),
    "symbol": (chain(value("h", ["n + 1", 4])), "value 'h': dimension 0 is declared as n + 1, inferred as n"),
    "negative": (chain(value("h", [-7, 4])), "value 'h': dimension 0 is declared as -7, which is negative"),
    "size": (chain(value("h", [2**62, 4])), "value 'h': is declared with too many elements to be addressed"),
    "input": (chain(value("x", ["n", 5])), "value 'x': dimension 1 is declared as 5, inferred as 4"),
    # One name, two extents that are never equal.
    "name": (claim(model([node("Neg", "x", "h"), node("Concat", "h x o", "y", axis=0)], {"x": ["n", 4], "o": [1, 4]},
                         {"y": ["k", 4]}), value("h", ["k", 4])),
             "output 'y': dimension 0 is declared as n, inferred as n * 2 + 1"),
    "claims that exclude each other": (chain(value("h", [3, 4]), value("y", [4, 4])),
                                       "output 'y': dimension 0 is declared as 4, inferred as 3"),
}


@pytest.mark.parametrize("what, message", ERRORS.values(), ids=ERRORS)
def test_contradictions(translate, what, message):
    process = translate(what)
    assert process.returncode == 1 and f"model.onnx:0:0: error: {message}\n" in process.stderr, process.stderr


HARMLESS = {
    "the same": chain(value("h", ["n", 4])), "unknown": chain(value("h", [None, "?"])),
    "new names": chain(value("h", ["rows", "columns"])), "no shape": chain(helper.make_tensor_value_info("h", FLOAT, None)),
    "no such value": chain(value("q", [7])), "a sequence": chain(helper.make_tensor_sequence_value_info("h", FLOAT, None)),
    "minus one": chain(value("h", [-1, 4])), "lowest number": chain(value("h", [-2**63, 4])),
    "too long": chain(value("h", ["*".join(f"(n + {i})" for i in range(60)), 4])),
}


@pytest.mark.parametrize("what", HARMLESS.values(), ids=HARMLESS)
def test_harmless(translate, what):
    process = translate(what)
    assert process.returncode == 0 and "match_cast" not in process.stdout, process.stderr
    assert "relax_sym.scope<>" in process.stdout


def attention():
    """Keys of the past and new ones; the mask is as long as both together: `t` and `past + seq` meet."""
    nodes = [node("MatMul", "x wk", "new"), node("Concat", "past_key new", "key", axis=1),
             node("Transpose", "key", "turned", perm=[0, 2, 1]), node("MatMul", "x turned", "scores"),
             node("Unsqueeze", "mask one", "wide"), node("Where", "wide scores low", "masked"),
             node("Softmax", "masked", "weights", axis=-1), node("MatMul", "weights key", "y")]
    return model(nodes, {"x": ["b", "seq", 4], "past_key": ["b", "past", 4], "mask": (["b", "t"], BOOL)},
                 {"y": ["b", "seq", 4], "key": ["b", "t", 4]},
                 {"wk": np.eye(4, dtype=np.float32), "one": np.array([1]), "low": np.float32(-1e9)})


def make_inputs(b, past, seq, t):
    rng = np.random.default_rng(b + past + seq)
    return {"x": rng.standard_normal((b, seq, 4), np.float32), "past_key": rng.standard_normal((b, past, 4), np.float32),
            "mask": rng.random((b, t)) < 0.7}


MEETINGS = {"output": attention(), "value_info": claim(attention(), value("scores", ["b", "seq", "t"]))}
del MEETINGS["value_info"].graph.output[1]


@pytest.mark.parametrize("what", MEETINGS.values(), ids=MEETINGS)
def test_total_is_past_and_new(relax, translate, what):
    process = translate(what)
    assert process.returncode == 0 and '#relax_sym.scope<"t == past + seq">' in process.stdout, process.stderr
    import onnxruntime
    reference = onnxruntime.InferenceSession(what.SerializeToString(), providers=["CPUExecutionProvider"])
    module = relax.onnx.load(what)
    for run in [module.compile(), module["main"]]:
        for b, past, seq in [(2, 3, 2), (1, 0, 5), (2, 7, 1), (1, 1, 1)]:
            given = make_inputs(b, past, seq, past + seq)
            for want, got in zip(reference.run(None, given), run(**given).values()):
                np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
        for b, past, seq, t in [(2, 3, 2, 4), (2, 3, 2, 1), (1, 0, 5, 6), (2, 3, 2, 5)]:
            if t != past + seq:
                with pytest.raises(relax.RelaxError, match="t == past \\+ seq"):
                    run(**make_inputs(b, past, seq, t))


def check_extent(relax, what, good, bad, message):
    module = relax.onnx.load(what)
    for run in [module.compile(), module["main"]]:
        for given, want in good:
            np.testing.assert_array_equal(run(**given)["y"], want)
        for given in bad:
            with pytest.raises(relax.RelaxError, match=message):
                run(**given)


def test_constant_claim(relax):
    """Three rows: a fact about the input."""
    x = np.ones((3, 4), np.float32)
    check_extent(relax, chain(value("h", [3, 4])), [({"x": x}, x)], [{"x": x[:2]}, {"x": np.ones((0, 4), np.float32)}], "3")


def test_claim_about_a_found_extent(relax):
    """How many entries are not zero is known while running only: the second `k` is compared with the first."""
    what = claim(model([node("NonZero", "x", "i"), node("NonZero", "z", "j"), node("Neg", "j", "h"), node("Add", "i h")],
                       {"x": ["n"], "z": ["m"]}, {"y": (None, INT64)}),
                 value("i", [1, "k"], INT64), value("j", [1, "k"], INT64))
    one, two, three = np.float32([0, 5, 0]), np.float32([1, 0, 1, 0]), np.float32([1, 1])
    good = [({"x": two, "z": three}, [[0, 1]]), ({"x": one, "z": one}, [[0]])]
    check_extent(relax, what, good, [{"x": one, "z": two}, {"x": two, "z": one}], "expected")


def test_claims_of_branches(relax, translate):
    """A claim in a branch is about that branch only."""
    def branch(name, infos):
        graph = helper.make_graph([node("Neg" if infos else "Abs", "x", f"h_{name}"), node("Neg", f"h_{name}", name)],
                                  name, [], [helper.make_tensor_value_info(name, FLOAT, None)])
        graph.value_info.extend(infos)
        return graph

    choose = node("If", "c", "y", then_branch=branch("a", [value("h_a", [3])]), else_branch=branch("b", []))
    what = model(choose, {"x": ["n"], "c": ([], BOOL)}, {"y": None})
    assert "relax_sym.scope<>" in translate(what).stdout
    good = [({"x": np.float32([1, 2, 3]), "c": np.array(True)}, [1, 2, 3]),
            ({"x": np.float32([1, 2]), "c": np.array(False)}, [-1, -2])]
    check_extent(relax, what, good, [{"x": np.float32([1, 2]), "c": np.array(True)}], "3")
    choose = node("If", "c", "y", then_branch=branch("a", [value("h_a", [3, 3])]), else_branch=branch("b", []))
    process = translate(model(choose, {"x": ["n"], "c": ([], BOOL)}, {"y": None}))
    assert process.returncode == 1 and "is declared with 2 dimensions, inferred with 1" in process.stderr


def test_known_elements_stay_known(translate):
    """A claim about a shape's own length does not hide its elements."""
    what = claim(model([node("Shape", "x", "s"), node("Reshape", "x s", "h"), node("Abs", "h")], {"x": ["n", 4], "k": ["r"]},
                       {"y": None}), value("s", ["r"], INT64))
    process = translate(what)
    assert process.returncode == 0 and '"r == 2"' in process.stdout and "tensor_to_shape" not in process.stdout
