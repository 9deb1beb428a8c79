# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Each op has its tests: lit (printed and parsed), and execution, compiled and interpreted, against numpy.

The files of execution use the fixture `compiled`, which runs each of their tests with relax-run and relax-interpret.
"""
import re

import numpy as np

# Ops without numbers of their own, and a file that runs them; None: only passes make them, in every compiled module.
ELSEWHERE = {
    "alloc": None, "storage": None, "tensor_at": None, "fusion_group": None, "yield": None,
    "assert_shape": "test_shape_passes.py", "eval_expr": "test_control_flow.py", "call": "test_control_flow.py",
    "call_tp": "test_interpret.py", "call_dps": "test_interpret.py", "dataflow": "test_interpret.py", "output": "test_interpret.py",
    "weight_data": "test_pack_weights.py", "call_tp_inplace": "test_op_tests.py", "refine": "test_op_tests.py",
}
COMPILED = re.compile(r"from test_ops import .*\bcompiled\b|^compiled = test_ops.compiled|^def compiled\(request, tool", re.MULTILINE)
FORMED = {"random_normal": "random_{kind}", "random_uniform": "random_{kind}"}  # as the tests spell them


def test_each_op_has_its_tests(root):
    texts = "\n".join(path.read_text() for path in sorted((root / "include/RelaxDialect/Dialect/Graph/IR").glob("*.td")))
    ops = set(re.findall(r'^def Relax_\w+Op\s*:\s*Relax_\w+<\s*"(\w+)"', texts, re.MULTILINE))
    assert len(ops) > 180
    lit = "\n".join(path.read_text() for path in (root / "test/Dialect/Graph").glob("ops-*.mlir"))
    assert ops - set(re.findall(r"\brelax\.(\w+)", lit)) == set()
    files = {path.name: path.read_text() for path in (root / "test/python").glob("test_*.py")}
    executed = "\n".join(text for text in files.values() if COMPILED.search(text))
    words = set(re.findall(r"\w+", executed))
    without = {op for op in ops - words if FORMED.get(op, "?") not in executed}
    assert without <= set(ELSEWHERE), without - set(ELSEWHERE)
    for op in without:
        where = ELSEWHERE[op]
        assert where is None or re.search(rf"\brelax\.{op}\b", files[where]), f"{op} is not in {where}"


def test_each_corner_has_its_test(root):
    """The table of docs/Interpreter.md names tests that are there, compiled and interpreted."""
    table = (root / "docs/Interpreter.md").read_text().split("## Corners with a defined answer")[1]
    rows = re.findall(r"\| `(test_\w+)`(?: in `(test_\w+\.py)`)? \|$", table, re.MULTILINE)
    assert len(rows) == table.count("\n| ") - 1 >= 10
    for name, file in rows:
        text = (root / "test/python" / (file or "test_data_dependent.py")).read_text()
        assert COMPILED.search(text) and re.search(rf"^def {name}\(compiled\b", text, re.MULTILINE), name


IN_PLACE = """
#n = #relax_sym.shape<[n]>
#min = #relax_sym.shape<[min(n, 64)]>
relax_tp.func private @double(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  relax_tp.yield %0 : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32, #n>) -> (tensor<?xf32, #n>, tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<"n <= 64">} {
  %0 = relax.refine %x : tensor<?xf32, #n> to tensor<?xf32, #min>
  %1 = relax.negate %0 : tensor<?xf32, #min>
  %2 = relax.refine %1 : tensor<?xf32, #min> to tensor<?xf32, #n>
  %3 = relax.call_tp_inplace @double(%2) {inplace = array<i64: 0>} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %2, %3 : tensor<?xf32, #n>, tensor<?xf32, #n>
}
"""


def test_in_place_and_refined(tool, tmp_path):
    """What a call writes over stays as it was for who still reads it."""
    source, artifact = tmp_path / "in.mlir", tmp_path / "out.rlx"
    source.write_text(IN_PLACE)
    done = tool("relax-compile", source, "-o", artifact)
    assert done.returncode == 0, done.stderr
    for n in (0, 1, 17):
        x = np.arange(n, dtype=np.float32)
        np.savez(tmp_path / "in.npz", arg0=x)
        for program, module in [("relax-run", artifact), ("relax-interpret", source)]:
            done = tool(program, module, "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
            assert done.returncode == 0, done.stderr
            with np.load(tmp_path / "out.npz") as got:
                np.testing.assert_array_equal(got["result0"], -x)
                np.testing.assert_array_equal(got["result1"], -2 * x)
