# Licensed under the Apache License, Version 2.0. See LICENSE.
"""relax-compile --report-html: a page about one compilation; its script runs without a browser."""
import json
import re
import shutil
import subprocess

import pytest

MODEL = """
#n_4 = #relax_sym.shape<[n, 4]>
#n_8 = #relax_sym.shape<[n, 8]>
func.func @main(%x: tensor<?x4xf32, #n_4> {relax.name = "x"}, %w: tensor<4x8xf32> {relax.name = "</script><b>"})
    -> (tensor<?x8xf32, #n_8>, tensor<?x8xf32, #n_8>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x4xf32, #n_4>, tensor<4x8xf32>) -> tensor<?x8xf32, #n_8>
  %1 = relax.relu %0 : tensor<?x8xf32, #n_8>
  %2 = relax.softmax %1 {axis = 1 : i64} : (tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8>
  return %1, %2 : tensor<?x8xf32, #n_8>, tensor<?x8xf32, #n_8>
}
"""
PROFILE = {"traceEvents": [
    {"name": "slow", "cat": "kernel", "ph": "X", "ts": 0, "dur": 30, "args": {"bytes": 3000}},
    {"name": "fast", "cat": "kernel", "ph": "X", "ts": 40, "dur": 5, "args": {"bytes": 5000}},
    {"name": "slow", "cat": "kernel", "ph": "X", "ts": 50, "dur": 10, "args": {"bytes": 1000}},
    {"name": "main", "cat": "call", "ph": "X", "ts": 0, "dur": 60}]}


@pytest.fixture(scope="module")
def page(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    (folder / "model.mlir").write_text(MODEL)
    (folder / "profile.json").write_text(json.dumps(PROFILE))
    process = tool("relax-compile", folder / "model.mlir", "-o", folder / "m.rlx", f"--report-html={folder / 'page.html'}",
                   f"--report-profile={folder / 'profile.json'}")
    assert process.returncode == 0 and process.stderr == "", process.stderr
    return (folder / "page.html").read_text()


def get_script(text, name):
    return re.search(rf'<script id="{name}"[^>]*>(.*?)</script>', text, re.DOTALL).group(1)


def test_data(page):
    data = json.loads(get_script(page, "data"))
    assert data["title"] == "model.mlir" and data["profile"] == PROFILE
    graph = data["graphs"]["main"]
    # A name that looks like the end of a script is text like any other.
    assert [node["name"] for node in graph["nodes"][:2]] == ["x", "</script><b>"]
    assert graph["nodes"][0]["types"] == ["f32[n, 4]"] and graph["groups"] >= 1
    grouped = [node for node in graph["nodes"] if node["group"] == 0]
    assert len(grouped) >= 2 and all(node["kind"] == "op" for node in grouped)
    assert graph["nodes"][-1]["kind"] == "output" and len(graph["nodes"][-1]["reads"]) == 2
    assert any(remark["pass"] == "relax-fuse-ops" and remark["name"] == "Grouped" for remark in data["remarks"])
    assert {"relax-plan-memory", "relax-legalize-ops"} <= {entry["name"] for entry in data["passes"]}
    assert "Memory plan of" in data["memory"] and '"main"' in data["memory"]
    assert not re.search(r"""(src|href)=["']?http|https?://(?!www\.w3\.org/2000/svg)|import\(|fetch\(""", page)


def test_script(page, tmp_path):
    node = shutil.which("node")
    if not node:
        pytest.skip("there is no node to run the page's script")
    (tmp_path / "data.json").write_text(get_script(page, "data"))
    (tmp_path / "run.js").write_text(get_script(page, "report") + """
const data = JSON.parse(require("fs").readFileSync("data.json")), picture = layOut(data.graphs.main);
console.log(JSON.stringify({ picture, passes: sumPasses([{name: "a", microseconds: 1}, {name: "b", microseconds: 5}, {name: "a", microseconds: 2}]),
                             kernels: sumKernels(data.profile), none: sumKernels(null) }));""")
    done = subprocess.run([node, "run.js"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    picture = result["picture"]
    nodes = picture["nodes"]
    for node in nodes:
        assert all(nodes[read]["row"] < node["row"] for read in node["reads"])
    assert len({(node["row"], node["column"]) for node in nodes}) == len(nodes)
    assert picture["rows"] == 1 + max(node["row"] for node in nodes)
    for group in picture["groups"]:
        assert group["top"] == min(nodes[i]["row"] for i in group["members"])
    assert result["passes"] == [["b", 5], ["a", 3]] and result["none"] == []
    slow, fast = result["kernels"]
    assert (slow["name"], slow["launches"], slow["microseconds"], slow["bytes"]) == ("slow", 2, 40, 4000)
    assert fast["share"] == 1 and fast["gigabytesPerSecond"] == 1 and slow["share"] == pytest.approx(0.1)


def test_browser(page, tmp_path):
    """The whole page in a browser, where one is installed."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not browser:
        pytest.skip("there is no chromium")
    (tmp_path / "page.html").write_text(page)
    done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", tmp_path / "page.html"],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.count("<rect") > 5 and "relax-fuse-ops" in done.stdout


def test_errors(tool, tmp_path):
    (tmp_path / "model.mlir").write_text(MODEL)
    (tmp_path / "bad.json").write_text("{")
    process = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "m.rlx", f"--report-html={tmp_path / 'p.html'}",
                   f"--report-profile={tmp_path / 'bad.json'}")
    assert process.returncode == 1 and "bad.json' is no trace of relax-run" in process.stderr
    process = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "m.rlx", "--report-html=/nowhere/p.html")
    assert process.returncode == 1 and "/nowhere/p.html" in process.stderr
