# Licensed under the Apache License, Version 2.0. See LICENSE.
"""What relax-compile tells about a compilation: remarks, times, traces, reproducers, progress."""
import json
import os
import pty
import re
import subprocess

import numpy as np
import pytest

MODEL = """
#n_4 = #relax_sym.shape<[n, 4]>
#n_8 = #relax_sym.shape<[n, 8]>
func.func @main(%x: tensor<?x4xf32, #n_4>, %w: tensor<4x8xf32>) -> tensor<?x8xf32, #n_8>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x4xf32, #n_4>, tensor<4x8xf32>) -> tensor<?x8xf32, #n_8>
  %1 = relax.relu %0 : tensor<?x8xf32, #n_8>
  return %1 : tensor<?x8xf32, #n_8>
}
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.mlir"
    path.write_text(MODEL)
    return path


def test_remarks(tool, model, tmp_path):
    process = tool("relax-compile", model, "-o", tmp_path / "m.rlx", "--remarks=relax-fuse-.*")
    assert process.returncode == 0
    lines = process.stderr.splitlines()
    assert len(lines) == 2 and all(line.startswith(f"{model}:6:8: remark: relax-fuse-") for line in lines), lines
    assert lines[0].endswith("relax-fuse-ops: Grouped: grouped 2 calls")
    every = tool("relax-compile", model, "-o", tmp_path / "m.rlx", "--remarks=.*").stderr.splitlines()
    assert set(lines) <= set(every)
    assert tool("relax-compile", model, "-o", tmp_path / "m.rlx", "--remarks=relax-fuse").stderr == ""
    process = tool("relax-compile", model, "-o", tmp_path / "m.rlx", "--remarks=(")
    assert process.returncode == 1 and "--remarks: '(' is no regular expression" in process.stderr
    process = tool("relax-opt", model, "--relax-default-pipeline", "-o", os.devnull, "--remarks=relax-fuse-.*")
    assert process.returncode == 0 and process.stderr.count("remark:") == 2


def test_timing_and_trace(tool, model, tmp_path):
    process = tool("relax-compile", model, "-o", tmp_path / "m.rlx", "--timing", f"--trace={tmp_path / 'trace.json'}",
                   "--target=x86-64,x86-64-v3")
    assert process.returncode == 0
    assert "Execution time report" in process.stderr and "relax::" not in process.stderr.split("----Name----")[0]
    assert re.search(r"PlanMemoryPass|relax-plan-memory", process.stderr) and "generate code" in process.stderr
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {"name", "cat", "ph", "ts", "dur", "pid", "tid"} == set(events[0]) and events[0]["name"] == "read"
    names = [event["name"] for event in events if event["cat"] == "pass"]
    assert names.index("relax-fuse-ops") < names.index("relax-plan-memory")
    code = [event for event in events if event["name"] == "generate code"][0]
    # Kernels are lowered for each level while code is generated.
    lowered = [event for event in events if event["name"] == "relax-wrap-kernels"]
    assert len(lowered) == 2
    for event in lowered:
        assert code["ts"] <= event["ts"] and event["ts"] + event["dur"] <= code["ts"] + code["dur"]


def test_reproducer(tool, tmp_path):
    path, failed = tmp_path / "broken.mlir", tmp_path / "failed.mlir"
    # A product whose extents never fit is found by a pass, not by the verifier.
    path.write_text("""
#n = #relax_sym.shape<[n]>
func.func @main(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<"n >= 2", "n <= 1">} {
  %0 = relax.relu %x : tensor<?xf32, #n>
  %1 = relax.custom_broken %0 : tensor<?xf32, #n>
  return %1 : tensor<?xf32, #n>
}""")
    process = tool("relax-compile", path, "-o", tmp_path / "m.rlx", f"--crash-reproducer={failed}")
    assert process.returncode == 1 and not failed.exists()  # nothing that a pass did
    # A name that is taken: libraries are looked up by a pass.
    path.write_text(MODEL)
    process = tool("relax-compile", path, "-o", tmp_path / "m.rlx", "--patterns=/nowhere.mlir",
                   f"--crash-reproducer={failed}")
    assert process.returncode == 1 and "relax-group-patterns" in failed.read_text()
    again = tool("relax-opt", "--run-reproducer", failed, "-o", os.devnull)
    assert again.returncode == 1 and "/nowhere.mlir" in again.stderr


def test_progress(build, model, tmp_path):
    """A bar where stderr is a terminal and it takes long; nothing else is written there."""
    steps = "\n".join(f"  %{i + 1} = relax.{'tanh' if i % 2 else 'exp'} %{i} : tensor<?x8xf32, #n_8>" for i in range(1, 4000))
    text = MODEL.replace("  return %1", steps + "\n  return %4000")
    model.write_text(text)
    parent, child = pty.openpty()
    process = subprocess.Popen([build / "bin/relax-compile", model, "-o", tmp_path / "m.rlx", "--disable=fusion"], stderr=child)
    os.close(child)
    shown = b""
    while True:
        try:
            part = os.read(parent, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    assert process.wait() == 0
    bars = re.findall(rb"\[([#.]{24})\] \d+\.\d s  ([a-z- ]+)", shown)
    assert bars and shown.endswith(b"\r\x1b[K"), shown[-200:]
    filled = [bar.count(b"#") for bar, _ in bars]
    assert filled == sorted(filled)


def test_trace_of_a_run(tool, model, tmp_path):
    """Calls and the launches inside of them."""
    assert tool("relax-compile", model, "-o", tmp_path / "m.rlx").returncode == 0
    arguments = []
    for n in (0, 1, 300):
        np.savez(tmp_path / f"{n}.npz", arg0=np.ones((n, 4), np.float32), arg1=np.ones((4, 8), np.float32))
        arguments += ["--inputs", tmp_path / f"{n}.npz", "--outputs", tmp_path / "out.npz"]
    process = tool("relax-run", tmp_path / "m.rlx", *arguments, "--trace", tmp_path / "trace.json", "--counters")
    assert process.returncode == 0, process.stderr
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    calls = [event for event in events if event["cat"] == "call"]
    kernels = [event for event in events if event["cat"] == "kernel"]
    assert [event["name"] for event in calls] == ["main"] * 3 and min(event["ts"] for event in events) == 0
    assert len(kernels) == int(re.search(r"kernel launches: (\d+)", process.stdout)[1]) == 3
    for call, kernel in zip(calls, kernels):
        assert call["ts"] <= kernel["ts"] and kernel["ts"] + kernel["dur"] <= call["ts"] + call["dur"] + 0.01
    process = tool("relax-run", tmp_path / "m.rlx", *arguments, "--trace=/nowhere/trace.json")
    assert process.returncode == 1 and "cannot write '/nowhere/trace.json'" in process.stderr
