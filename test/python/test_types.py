# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Type checkers: mypy accepts the stubs and a right program, and finds what is wrong in a wrong one."""
import importlib.util
import subprocess
import sys

import pytest

RIGHT = """
import numpy as np
import relax

n = relax.dim("n")
with relax.function(facts=[n <= 64]) as f:
    x = f.input("x", (n, 4))
    f.output(y=(x + 1).relu())
module: relax.Module = f.module
executable: relax.Executable = module.compile(target="cpu", functions=["main"])
outputs: dict[str, np.ndarray] = executable(x=np.ones((3, 4), np.float32))
calls: int = executable.counters["calls"]


@relax.pattern("relax.relu")
def rule(op: relax.Op, f: relax.Rewriter) -> object:
    return f[op.operands[0]].maximum(0)


changed: relax.Module = relax.Pipeline("cse", rule)(module.clone())
names: list[str] = [op.name for op in changed.walk()]
proved: bool | None = relax.prove(n <= 3, given=[n < 4])
size: relax.Expr = n * 4 + 1
loaded: relax.Executable = relax.load("a.rlx", threads=2)
"""
WRONG = """
import relax

module = relax.Module.parse(3)
name: int = module.walk()[0].name
module.compile(target=1)
relax.dim("n").frobnicate()
"""


def test_mypy(build, tmp_path):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    if not (build / "python/relax/_runtime.pyi").exists():
        pytest.skip("the build has no stubs")
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    # Comparisons of sizes give facts, as those of numpy give arrays.
    allowed = "--disable-error-code=override"
    modules = [word for name in ("right", "wrong", "relax._runtime", "relax._compiler") for word in ("-m", name)]
    process = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-incremental", "--cache-dir", str(tmp_path / "cache"), "--follow-imports=silent",
         "--ignore-missing-imports", "--no-error-summary", allowed, *modules],
        env={"MYPYPATH": f"{build / 'python'}:{tmp_path}", "PATH": ""}, capture_output=True, text=True, cwd=tmp_path)
    said = process.stdout + process.stderr
    assert process.returncode == 1, said
    lines = [line for line in process.stdout.splitlines() if "error:" in line]
    assert [line for line in lines if "wrong.py" not in line] == [], said
    assert [line.partition("wrong.py:")[2].partition(":")[0] for line in lines] == ["4", "5", "6", "7"], said
