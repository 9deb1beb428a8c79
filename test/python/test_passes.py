# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Passes written in Python: operations, changes that are refused, patterns, errors, and what watches them."""
import io
import threading

import numpy as np
import pytest

MODULE = """
#n = #relax_sym.shape<[n]>
func.func @main(%x: tensor<?xf32, #n> {relax.name = "x"}) -> (tensor<?xf32, #n> {relax.name = "y"})
    attributes {relax_sym.scope = #relax_sym.scope<"n <= 64">} {
  %0 = relax.relu %x : tensor<?xf32, #n>
  %1 = relax.relu %0 : tensor<?xf32, #n>
  %2 = relax.negate %1 : tensor<?xf32, #n>
  %3 = relax.softmax %2 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %3 : tensor<?xf32, #n>
}
"""


@pytest.fixture
def module(relax):
    return relax.Module.parse(MODULE, "m.mlir")


def names(module):
    return [op.name for op in module.walk()][2:]


def run(relax, module, sizes=(0, 1, 5)):
    results = [relax.interpret(module, np.linspace(-1, 1, n).astype(np.float32))["y"] for n in sizes]
    return np.concatenate(results)


def test_reading(relax, module):
    assert names(module) == ["relax.relu", "relax.relu", "relax.negate", "relax.softmax", "func.return"]
    first, second = module.walk("relax.relu")
    assert first != second and first == module.walk("relax.relu")[0] and hash(first) == hash(second.operands[0].owner)
    assert first.results[0] == second.operands[0] and first.results[0] != second.results[0]
    assert first.location == ("m.mlir", 5, 8) and str(first).startswith("%0 = relax.relu")
    assert first.parent.name == "func.func" and first.parent.parent.parent is None
    [x] = first.operands
    assert x.owner is None and x.index == 0 and [user.name for user in x.users] == ["relax.relu"]
    assert x.type == "tensor<?xf32, #relax_sym.shape<[n]>>" and x.shape == (relax.dim("n"),) and x.dtype == "f32"
    [softmax] = module.walk("relax.softmax")
    assert softmax.attributes["axis"] == "0 : i64" and len({x, first.results[0], first.operands[0]}) == 2


def test_changes(relax, module):
    want = run(relax, module)
    first, second = module.walk("relax.relu")
    second.replace(first.results[0])
    assert not second.is_alive and "not there" in repr(second)
    with pytest.raises(relax.RelaxError, match="not there any more"):
        second.operands  # noqa: B018
    [value] = first.insert("""func.func @f(%a: tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>> {
      %0 = relax.negate %a : tensor<?xf32, #relax_sym.shape<[n]>>
      %1 = relax.negate %0 : tensor<?xf32, #relax_sym.shape<[n]>>
      return %1 : tensor<?xf32, #relax_sym.shape<[n]>>
    }""", first.operands[0])
    first.set_operand(0, value)
    assert value.owner.location == first.location
    [softmax] = module.walk("relax.softmax")
    softmax.set_attribute("note", "[1, \"a\"]")
    assert softmax.attributes["note"] == '[1, "a"]'
    softmax.set_attribute("note", None)
    module.verify()
    np.testing.assert_array_equal(run(relax, module), want)
    kept = module.walk()
    module.run("canonicalize")
    assert not any(op.is_alive for op in kept)


def test_refused(relax, module):
    text = str(module)
    first, second = module.walk("relax.relu")
    [x] = first.operands
    negate, softmax = module.walk("relax.negate") + module.walk("relax.softmax")
    end, whole = module.walk("func.return")[0], module.walk()[0]
    other = relax.Module.parse(MODULE).walk("relax.relu")[0].results[0]
    for message, change in [
            ("made by the operation itself", lambda: first.replace(first.results[0])),
            ("expected 1 values, actual 0", lambda: first.replace()),
            ("not there in this module", lambda: first.replace(other)),
            ("results that are used", lambda: first.erase()),
            ("end of a block", lambda: end.erase()),
            ("end of a block", lambda: whole.replace()),
            ("no operand 1", lambda: first.set_operand(1, first.operands[0])),
            ("failed to satisfy constraint", lambda: softmax.set_attribute("axis", '"a"')),
            ("expected", lambda: softmax.set_attribute("axis", "1 :")),
            ("before the module", lambda: whole.insert("func.func @f() { return }")),
            ("expected one function", lambda: first.insert("func.func private @f()")),
            ("expected 0 values, actual 1", lambda: first.insert("func.func @f() { return }", first.operands[0])),
            ("argument 0: expected tensor<f32>", lambda: first.insert("func.func @f(%a: tensor<f32>) { return }",
                                                                       first.operands[0])),
            ("<inserted>:1", lambda: first.insert("func.func @f() { %0 = relax.nothing }"))]:
        with pytest.raises(relax.RelaxError, match=message):
            change()
    assert str(module) == text and second.is_alive and negate.is_alive
    # What breaks rules is found before anything uses the module, and may be mended.
    first.set_operand(0, negate.results[0])
    for use in (module.verify, module.compile_to_bytes, lambda: module.run("cse"), lambda: module.bytecode):
        with pytest.raises(relax.RelaxError, match="does not dominate"):
            use()
    assert "relax.negate" in str(module) and "relax.negate" in str(negate)
    first.set_operand(0, x)
    module.verify()


def test_patterns(relax, module):
    @relax.pattern("relax.relu")
    def relu_of_relu(op, f):
        source = op.operands[0]
        if source.owner and source.owner.name == "relax.relu":
            return source

    @relax.pattern("relax.negate")
    def negate_as_difference(op, f):
        x = f[op.operands[0]]
        return 0 - x

    @relax.pattern("relax.softmax")
    def softmax_by_hand(op, f):
        x = f[op.operands[0]]
        powers = (x - x.max(axis=0, keepdims=True)).exp()
        return powers / powers.sum(axis=0, keepdims=True)

    want = run(relax, module)
    events = []
    pipeline = relax.Pipeline("canonicalize", relax.patterns(relu_of_relu, negate_as_difference), softmax_by_hand,
                              "canonicalize,cse")
    assert pipeline(module, after=lambda name, text: events.append(name)) is module
    left = names(module)
    assert left.count("relax.relu") == 1 and "relax.negate" not in left and "relax.softmax" not in left
    assert events == ["canonicalize", "patterns", "softmax_by_hand", "canonicalize", "cse"]
    np.testing.assert_allclose(run(relax, module), want, rtol=1e-6)
    executable = module.compile()
    for n in (0, 3, 64):
        x = np.linspace(-2, 2, n).astype(np.float32)
        np.testing.assert_allclose(executable(x)["y"], relax.interpret(relax.Module.parse(MODULE), x)["y"], rtol=1e-5)
    places = [op.location[0] for op in module.walk("relax.exp")]
    assert places == ["m.mlir"]


def test_shapes_that_differ_are_compared(relax):
    with relax.function() as f:
        x, y = f.input("x", (relax.dim("n"),)), f.input("y", (relax.dim("m"),))
        f.output(y=x.abs(), z=y)

    @relax.pattern("relax.abs")
    def wrong_size(op, g):
        return g[other].exp()

    module = f.module
    [other] = [value for op in module.walk("func.return") for value in op.operands if value.owner is None]
    wrong_size(module)
    assert "relax.match_cast" in str(module)
    x = np.ones(3, np.float32)
    assert relax.interpret(module, x, x)["y"].shape == (3,)
    with pytest.raises(relax.RelaxError, match="expected"):
        relax.interpret(module, x, x[:2])


def test_errors(relax, module):
    @relax.pattern("relax.negate")
    def broken(op, f):
        return {}["key"]

    with pytest.raises(relax.RelaxError, match=r"m.mlir:7:8: error: pass 'broken': KeyError: 'key'") as caught:
        broken(module)
    assert caught.value.status == "pass failed" and isinstance(caught.value.__cause__, KeyError)
    assert "the operation: %2 = relax.negate" in str(caught.value)
    assert [(d.severity, d.line) for d in caught.value.diagnostics] == [("error", 7), ("note", 7)]

    @relax.pass_
    def refused(module):
        for op in module.walk("relax.relu"):
            op.erase()

    with pytest.raises(relax.RelaxError, match=r"m.mlir:5:8: error: pass 'refused': .*results that are used"):
        relax.Pipeline(refused)(module)

    @relax.pattern("relax.negate")
    def endless(op, f):
        return f[op.operands[0]].abs().__neg__()

    with pytest.raises(relax.RelaxError, match="still change after 100 sweeps"):
        endless(module.clone())

    @relax.pass_
    def invalid(module):
        [negate], [softmax] = module.walk("relax.negate"), module.walk("relax.softmax")
        negate.set_operand(0, softmax.results[0])

    with pytest.raises(relax.RelaxError, match="does not dominate"):
        invalid(module)


def test_watching(relax, module):
    timing, out = relax.Timing(), io.StringIO()
    module.clone().run("relax-simplify", before=timing.before, after=timing.after)
    assert "relax-infer-shapes" in timing.seconds and "ms  relax-infer-shapes" in str(timing)
    changes = relax.PrintChanges(out)

    @relax.pass_
    def drop(module):
        module.walk("relax.relu")[1].replace(module.walk("relax.relu")[0].results[0])

    copy = module.clone()
    (drop + "cse")(copy, before=changes.before, after=changes.after)
    assert out.getvalue().startswith("// drop\n-    %1 = relax.relu %0") and "// cse" not in out.getvalue()
    assert (relax.Pipeline("cse") + drop).steps == ["cse", drop] and repr(drop) == "<relax.Pass drop>"

    # Not from the callbacks of a pipeline, which run in the middle of it.
    with pytest.raises(relax.RelaxError, match="callback"):
        module.run("cse", before=lambda name, text: module.walk())


def test_threads(relax, module):
    """Callbacks of one thread and reads of another one on one module: neither waits for ever."""
    stop, seen = threading.Event(), []

    def read():
        while not stop.is_set():
            ops = module.walk("relax.relu")
            seen.append(sum(op.is_alive for op in ops) + len(module.functions))

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(20):
        module.run("cse", before=lambda name, text: seen.append(0))
    stop.set()
    reader.join(60)
    assert not reader.is_alive() and seen


def test_remarks(relax):
    """Decisions as objects, of the passes that are asked for."""
    n = relax.dim("n")
    with relax.function() as f:
        f.output(y=(f.input("x", (n, 4)) @ f.input("w", (4, 8))).relu())
    fusion, everything = relax.Remarks("relax-fuse-.*"), relax.Remarks()
    pipeline = "relax-simplify,relax-decompose-ops,relax-legalize-ops,relax-optimize,relax-plan"
    f.module.clone().run(pipeline, remarks=fusion)
    f.module.clone().run(pipeline, remarks=everything)
    assert [(remark.kind, remark.pass_name, remark.name) for remark in fusion] == [
        ("passed", "relax-fuse-ops", "Grouped"), ("passed", "relax-fuse-tensor-programs", "Fused")]
    assert set(map(str, fusion)) <= set(map(str, everything)) and fusion[0].message == "grouped 2 calls"
    assert fusion[0].place.endswith(".py:" + fusion[0].place.split(":")[-2] + ":1") and "test_passes.py" in fusion[0].place
    # Without them nothing is collected.
    f.module.clone().run(pipeline)
    assert len(fusion) == 2
    with pytest.raises(relax.RelaxError, match="not a regular expression"):
        f.module.clone().run("canonicalize", remarks=relax.Remarks("("))
