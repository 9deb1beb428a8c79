# Licensed under the Apache License, Version 2.0. See LICENSE.
"""relax-compile --report-html: a page about one compilation; its script runs without a browser."""
import json
import re
import shutil
import subprocess

import numpy as np
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
    {"name": "slow", "cat": "kernel", "ph": "X", "ts": 0, "dur": 30, "args": {"bytes": 3000, "operations": 30000}},
    {"name": "fast", "cat": "kernel", "ph": "X", "ts": 40, "dur": 5, "args": {"bytes": 5000, "operations": 1000}},
    {"name": "slow", "cat": "kernel", "ph": "X", "ts": 50, "dur": 10, "args": {"bytes": 1000, "operations": 10000}},
    {"name": "unknown", "cat": "kernel", "ph": "X", "ts": 62, "dur": 1, "args": {"bytes": 100}},
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
                             kernels: sumKernels(data.profile), none: sumKernels(null) }));
const kernels = sumKernels(data.profile), roof = getRoof(kernels);
console.log(JSON.stringify({ roof, shares: kernels.map(kernel => getShare(kernel, roof) ?? null),
                             picture: layOutRoofline(kernels, { gigabytesPerSecond: 10, gigaopsPerSecond: 100 }),
                             none: [layOutRoofline([], roof), layOutRoofline(kernels, { gigabytesPerSecond: 0, gigaopsPerSecond: 1 })] }));""")
    done = subprocess.run([node, "run.js"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result, line = map(json.loads, done.stdout.splitlines())
    picture = result["picture"]
    nodes = picture["nodes"]
    for node in nodes:
        assert all(nodes[read]["row"] < node["row"] for read in node["reads"])
    assert len({(node["row"], node["column"]) for node in nodes}) == len(nodes)
    assert picture["rows"] == 1 + max(node["row"] for node in nodes)
    for group in picture["groups"]:
        assert group["top"] == min(nodes[i]["row"] for i in group["members"])
    assert result["passes"] == [["b", 5], ["a", 3]] and result["none"] == []
    slow, fast, unknown = result["kernels"]
    assert (slow["name"], slow["launches"], slow["microseconds"], slow["bytes"]) == ("slow", 2, 40, 4000)
    assert fast["gigabytesPerSecond"] == 1 and slow["gigaopsPerSecond"] == 1 and slow["intensity"] == 10
    assert "operations" not in unknown and unknown["gigabytesPerSecond"] == pytest.approx(0.1)
    # The roof is what the best kernels reached; a kernel is compared with the roof that it is nearer to.
    assert line["roof"] == {"gigabytesPerSecond": 1, "gigaopsPerSecond": 1} and line["none"] == [None, None]
    assert line["shares"] == [1, 1, pytest.approx(0.1)]
    roofline = line["picture"]
    assert (roofline["left"], roofline["right"], roofline["bottom"], roofline["top"]) == (-1, 2, -1, 3)
    assert [point["name"] for point in roofline["points"]] == ["slow", "fast"]
    assert roofline["points"][0]["at"] == pytest.approx([2 / 3, 3 / 4])
    # 10 GB/s: one operation for each byte of 10**10 each second is a tenth of the roof, which begins at 10 operations.
    assert [corner for corners in roofline["roof"] for corner in corners] == pytest.approx([0, 3 / 4, 2 / 3, 1 / 4, 1, 1 / 4])


def test_browser(page, tmp_path, browse):
    """The whole page in a browser: all parts are drawn, other roofs move the corners of the roofline and its shares."""
    (tmp_path / "page.html").write_text(page.replace("</body>", """<script>
const before = [find("roofline").innerHTML, find("kernels").textContent];
find("memoryRoof").value = "4";
find("memoryRoof").dispatchEvent(new Event("input"));
document.body.dataset.moved = before[0] !== find("roofline").innerHTML;
document.body.dataset.shares = before[1] + "|" + find("kernels").textContent;
find("pass").value = "relax-fuse-ops";
find("pass").dispatchEvent(new Event("change"));
</script></body>"""))
    text = browse(tmp_path / "page.html")
    assert text.count("<rect") > 5 and text.count("<circle") == 2
    assert 'data-moved="true"' in text
    before, after = re.search(r'data-shares="([^"]*)"', text).group(1).split("|")
    assert before.count("100 %") == 2 and after.count("100 %") == 1 and "25 %" in after
    remarks = re.search(r'<table id="remarks">(.*?)</table>', text, re.DOTALL).group(1)
    assert "relax-fuse-ops" in remarks and "relax-plan-memory" not in remarks


def test_traced_run(relax, tool, tmp_path):
    """Bytes and operations of a run, at sizes 0, 1, odd, and again."""
    (tmp_path / "model.mlir").write_text(MODEL)
    assert tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "m.rlx").returncode == 0
    for n in (0, 1, 7, 1):
        np.savez(tmp_path / "x.npz", **{"x": np.ones((n, 4), np.float32), "</script><b>": np.ones((4, 8), np.float32)})
        done = tool("relax-run", tmp_path / "m.rlx", "--inputs", tmp_path / "x.npz", "--outputs", tmp_path / "y.npz",
                    "--trace", tmp_path / "t.json")
        assert done.returncode == 0, done.stderr
        events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
        kernels = {event["name"]: event["args"] for event in events if event["cat"] == "kernel"}
        product = next(args for name, args in kernels.items() if "matmul" in name)
        # x, w and the product once; a multiplication and an addition for each step, a maximum for each element.
        assert product == {"bytes": 4 * (4 * n + 32 + 8 * n), "operations": 2 * n * 4 * 8 + 8 * n}
        assert all(args["operations"] >= 0 for args in kernels.values())


def test_errors(tool, tmp_path):
    (tmp_path / "model.mlir").write_text(MODEL)
    (tmp_path / "bad.json").write_text("{")
    process = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "m.rlx", f"--report-html={tmp_path / 'p.html'}",
                   f"--report-profile={tmp_path / 'bad.json'}")
    assert process.returncode == 1 and "bad.json' is no trace of relax-run" in process.stderr
    process = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "m.rlx", "--report-html=/nowhere/p.html")
    assert process.returncode == 1 and "/nowhere/p.html" in process.stderr
