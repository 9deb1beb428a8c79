# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The page with a picture of the memory plan: its script, run without a browser, computes what the plan says."""

import html
import json
import re
import shutil
import subprocess

import pytest
from memory_plans import Plan
from test_memory import MODULE

# The other functions of the module have no symbols or repeat what these have.
SIZES = {
    "compared": [{"n": n, "m": m} for n, m in [(0, 0), (3, 100), (100, 3), (64, 64), (2**40, 5)]],
    "equal": [{"n": n} for n in (0, 1, 50)],
    "found": [{"n": n} for n in (0, 7, 1000)],
    "lent": [{"n": n, "m": m} for n, m in [(1000, 10), (10, 1000), (128, 128), (0, 0)]],
    "quotients": [{"n": n, "m": m} for n, m in [(0, 0), (1, 1), (5, 1), (2, 70), (33, 8)]],
}


@pytest.fixture(scope="module")
def page(tool, tmp_path_factory):
    """(page, report) of the functions of test_memory.py."""
    folder = tmp_path_factory.mktemp("picture")
    (folder / "in.mlir").write_text(MODULE)
    for report in ("page.html", "report.json"):
        done = tool("relax-compile", folder / "in.mlir", "--function=*", "--emit=mlir", "-o", folder / "out.mlir",
                    f"--memory-report={folder / report}")
        assert done.returncode == 0, done.stderr
    return (folder / "page.html").read_text(), json.loads((folder / "report.json").read_text())


def get_script(text, name):
    return re.search(rf'<script id="{name}"[^>]*>(.*?)</script>', text, re.DOTALL).group(1)


def test_the_page_holds_the_report(page):
    text, report = page
    assert json.loads(get_script(text, "reports")) == report
    assert set(SIZES) == set(report)
    assert not re.search(r"""(src|href)=|https?://(?!www\.w3\.org/2000/svg)|import\(|fetch\(""", text)


def test_the_page_computes_the_plan(page, tmp_path):
    """Peak, lower bound, places and results at several sizes, by the page's own script."""
    node = shutil.which("node")
    if not node:
        pytest.skip("there is no node to run the page's script")
    text, report = page
    questions = [(name, sizes) for name, points in SIZES.items() for sizes in points]
    (tmp_path / "run.js").write_text(get_script(text, "plan") + f"""
const reports = {json.dumps(report)}, answers = [];
for (const [name, sizes] of {json.dumps(questions)}) {{
  for (const symbol in sizes) sizes[symbol] = BigInt(sizes[symbol]);
  const plan = layOut(reports[name], sizes), list = places => places.map(place => [place.begin, place.bytes]);
  answers.push([plan.planned, plan.bound, plan.resultBytes, plan.boundWithResults, list(plan.arena), findSymbols(reports[name])]);
}}
console.log(JSON.stringify(answers, (key, value) => typeof value === "bigint" ? Number(value) : value));
console.log(JSON.stringify(["7 floordiv -2", "-7 ceildiv 2", "(0 - 7) mod 4", "max(1, 2 + 3 * 4, min(9, 8))", '"past len" * 2 - 1', "n >= 4"]
  .map(text => String(evaluate(text, {{ "past len": 5n, n: 3n }})))));
console.log(JSON.stringify([layOut(reports.found, {{ n: 1000n }}).violated, layOut(reports.found, {{ n: 1001n }}).violated]));
""")
    done = subprocess.run([node, tmp_path / "run.js"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answers, values, violated = map(json.loads, done.stdout.splitlines())
    for (name, sizes), (planned, bound, results, both, places, symbols) in zip(questions, answers, strict=True):
        plan = Plan(report[name])
        assert planned == plan.get_bytes(sizes), (name, sizes)
        assert bound == plan.get_live_bytes(sizes), (name, sizes)
        assert results == plan.get_result_bytes(sizes), (name, sizes)
        assert both == plan.get_live_bytes(sizes, with_results=True), (name, sizes)
        assert places == [[begin, size] for begin, _, size in plan.get_places(sizes)]
        assert set(symbols) == set(sizes)
    assert values == ["-4", "-3", "1", "14", "9", "false"]
    assert violated == [[], ["n <= 1000"]]


# As much of a browser as the page's other script needs.
DOCUMENT = """
class Node {
  constructor(name) { Object.assign(this, { name, attributes: {}, children: [], value: "", textContent: "", clientWidth: 800, clientHeight: 500 }); }
  setAttribute(key, value) { this.attributes[key] = String(value); }
  appendChild(node) { this.children.push(node); return node; }
  append(...nodes) { this.children.push(...nodes); }
  replaceChildren(...nodes) { this.children = nodes; }
  add(option) { this.value = this.value || option.value; }
  insertCell() { return this.appendChild(new Node("td")); }
}
const nodes = {}, onresize = null;
globalThis.Option = function (text, value) { this.value = value; };
globalThis.document = {
  getElementById: id => nodes[id] = nodes[id] || new Node(id),
  createElement: name => new Node(name), createElementNS: (space, name) => new Node(name),
};
"""


def test_the_page_draws(page, tmp_path):
    """A rectangle for each tensor and result, a line for the bound, and other figures at another size."""
    node = shutil.which("node")
    if not node:
        pytest.skip("there is no node to run the page's script")
    text, report = page
    drawing = text[text.rindex("<script>") + len("<script>"):text.rindex("</script>")].replace("onresize = draw;", "")
    (tmp_path / "run.js").write_text(DOCUMENT + f"document.getElementById('reports').textContent = {json.dumps(json.dumps(report))};" + get_script(text, "plan").replace('"use strict";', "") + drawing + """
const answers = [];
for (const name of Object.keys(reports)) {
  nodes.function.value = name;
  nodes.function.onchange();
  const kinds = kind => nodes.picture.children.filter(child => child.attributes.class === kind).length;
  answers.push([name, kinds("tensor"), kinds("result"), kinds("bound"), nodes.problem.textContent,
    nodes.picture.children.every(child => Object.values(child.attributes).every(value => !value.includes("NaN")))]);
}
nodes.function.value = "equal";
nodes.function.onchange();
const before = nodes.figures.children[0].children[1].textContent, field = nodes.sizes.children[0].children[1];
field.value = "1000";
field.oninput();
console.log(JSON.stringify([answers, before, nodes.figures.children[0].children[1].textContent]));
""")
    done = subprocess.run([node, tmp_path / "run.js"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answers, before, after = json.loads(done.stdout)
    for name, tensors, results, bounds, problem, drawn in answers:
        held = sum(len(result["holds"]) for result in report[name]["results"])
        assert (tensors, results, bounds) == (len(report[name]["arena"]) + held, len(report[name]["results"]), 1)
        assert problem == "" and drawn
    plan = Plan(report["equal"])
    assert [before, after] == [f"{plan.get_bytes({'n': n}):,} bytes" for n in (128, 1000)]


def test_the_page_in_a_browser(page, tmp_path, browse):
    """A slider is moved: figures and picture are those of the other size, and the number beside it follows."""
    text, report = page
    (tmp_path / "page.html").write_text(text.replace("</body>", """<script>
get("function").value = "equal";
get("function").dispatchEvent(new Event("change"));
const slider = document.querySelector("#sizes input[type=range]"), seen = [];
for (const size of ["0", "1", "1000", "7"]) {
  slider.value = size;
  slider.dispatchEvent(new Event("input"));
  seen.push([document.querySelector("#sizes input:not([type=range])").value, get("figures").rows[0].cells[1].textContent,
             get("picture").querySelectorAll(".tensor").length]);
}
document.body.dataset.seen = JSON.stringify(seen);
</script></body>"""))
    seen = json.loads(html.unescape(re.search(r'data-seen="([^"]*)"', browse(tmp_path / "page.html")).group(1)))
    plan = Plan(report["equal"])
    tensors = len(report["equal"]["arena"]) + sum(len(result["holds"]) for result in report["equal"]["results"])
    assert seen == [[str(n), f"{plan.get_bytes({'n': n}):,} bytes", tensors] for n in (0, 1, 1000, 7)]
