# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The documentation is true: its marked snippets run, its links lead somewhere, the reference is generated."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import has_package

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils"))
doc_snippets = importlib.import_module("doc_snippets")

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_snippets(document, build, tmp_path):
    if "PYTHONPATH=build/python" in document.read_text() and not has_package():
        pytest.skip("the build has no Python package")
    if "import torch\n" in document.read_text() and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (utils/requirements-torch.txt)")
    is_sanitized = re.search("^RELAX_SANITIZE:BOOL=ON$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    if "-lrelax_runtime" in document.read_text() and is_sanitized:
        pytest.skip("plain programs cannot link instrumented libraries")
    doc_snippets.run_document(document, ROOT, build, tmp_path)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links(document):
    text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        # The reference is made by the build.
        if not target.startswith(("build/", "../build/")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_named_tests_are_there():
    """Where a document names a test as `file.py::function` or `test/folder/file.mlir`, there is one."""
    count = 0
    for document in DOCUMENTS:
        for name, function in re.findall(r"`(test_\w+\.py)::(\w+)`", document.read_text()):
            assert f"def {function}(" in (ROOT / "test/python" / name).read_text(), (document.name, name, function)
            count += 1
        for path in re.findall(r"`(test/[\w/-]+\.mlir)`", document.read_text()):
            assert (ROOT / path).exists(), (document.name, path)
    assert count > 20
    groups = (ROOT / "docs/Passes/Fusion.md").read_text().split("## Which test shows what")[1].split("## Names")[0]
    file = (ROOT / "test/python/test_fused_groups.py").read_text()
    named = set(re.findall(r"`([a-z_]+)`", groups))
    assert named == set(re.findall(r'^    "(\w+)": \(', file, re.MULTILINE))


def test_reference(build):
    for dialect in ["relax_sym", "relax", "relax_tp", "relax_ext"]:
        assert f"# '{dialect}' Dialect" in (build / "docs" / f"{dialect}.md").read_text()
    assert "# Passes" in (build / "docs/passes.md").read_text()


def test_every_pass_has_an_example(build, tmp_path):
    """IR before and after each pass, made from its test."""
    pass_examples = importlib.import_module("pass_examples")
    assert pass_examples.write_examples(build.resolve(), tmp_path / "examples.md") == []
    text, passes = (tmp_path / "examples.md").read_text(), pass_examples.find_passes()
    assert set(re.findall("`(relax-[a-z-]+)`", (ROOT / "docs/Passes/README.md").read_text())) == set(passes)
    assert len(passes) > 50 and re.findall("^## `(.*)`$", text, re.MULTILINE) == sorted(passes)
    # Nothing is shown twice for once: a change is a change, an error has a text.
    for example in re.split("^## ", text, flags=re.MULTILINE)[1:]:
        blocks = re.findall("^```\\w+\n(.*?)^```$", example, re.MULTILINE | re.DOTALL)
        assert len(set(blocks)) == len(blocks) and all(block.strip() for block in blocks), example
        assert len(blocks) == 2 or "stays as it is" in example, example


def test_site(build, tmp_path):
    """Every document becomes a page, and no link between pages is broken."""
    pytest.importorskip("markdown")
    build_site = importlib.import_module("build_site")
    assert build_site.build_site(build.resolve(), tmp_path) == []
    for page in ("index", "docs/Python", "docs/Tutorials/WriteAPass", "reference/passes"):
        assert "<h1" in (tmp_path / f"{page}.html").read_text(), page
    start = (tmp_path / "index.html").read_text()
    assert 'href="docs/Tutorials/README.html"' in start
    for target in re.findall(r'href="([^"#:]+\.html)', start):
        assert (tmp_path / target).is_file(), target


def run_cells(cells, folder):
    """What Jupyter does with the cells that make_notebooks writes."""
    names, printed = {}, []
    for source in ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"):
        magic, _, text = source.partition("\n")
        if magic.startswith("%%writefile "):
            (folder / magic.split()[1]).write_text(text + "\n")
        elif magic == "%%bash":
            printed.append(subprocess.run(["bash", "-c", text], check=True, capture_output=True, text=True).stdout)
        else:
            exec(source, names)
    return printed


def test_notebooks(build, tmp_path, monkeypatch):
    """A notebook per tutorial has all of its blocks; one runs as it stands."""
    if not has_package():
        pytest.skip("the build has no Python package")
    make_notebooks = importlib.import_module("make_notebooks")
    tutorials = [path for path in (ROOT / "docs/Tutorials").glob("*.md") if path.name != "README.md"]
    assert len(tutorials) >= 10
    for document in tutorials:
        cells = make_notebooks.make_notebook(document)["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        blocks = len(re.findall("^<!-- (file|test)", document.read_text(), re.MULTILINE))
        assert len(code) == blocks + 1 and all(cell["outputs"] == [] for cell in code), document.name
        assert not any(line.startswith("<!-- ") for cell in cells for line in cell["source"]), document.name
    document = ROOT / "docs/Tutorials/ScheduleAKernel.md"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.environ["PATH"])
    for entry in ("build", ".venv"):
        (tmp_path / entry).symlink_to(build.resolve() if entry == "build" else ROOT / entry)
    assert run_cells(make_notebooks.make_cells(document, ROOT), tmp_path) == ["2 loops, 1 product of a tile\n"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("<!-- test -->\n```sh\nfalse\n```\n", "this failed"),
        ("<!-- test -->\n```sh\necho a\n```\n<!-- output -->\n```text\nb\n```\n", "but shown is"),
    ],
)
def test_a_wrong_snippet_fails(text, message, build, tmp_path):
    document, folder = tmp_path / "doc.md", tmp_path / "run"
    document.write_text(text)
    folder.mkdir()
    with pytest.raises(AssertionError, match=message):
        doc_snippets.run_document(document, ROOT, build, folder)


def test_a_right_snippet_passes(build, tmp_path):
    document, folder = tmp_path / "doc.md", tmp_path / "run"
    document.write_text("<!-- file: x.txt -->\n```text\nhello\n```\n<!-- test -->\n```sh\ncat x.txt\n```\n"
                        "<!-- output -->\n```text\nhello\n```\n")
    folder.mkdir()
    assert doc_snippets.run_document(document, ROOT, build, folder) == 3
