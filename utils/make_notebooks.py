#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Writes a Jupyter notebook for each tutorial: text, files and commands as cells, in the order of the document.

    utils/make_notebooks.py [FOLDER]      default: build/notebooks

A block that is a file becomes a cell that writes it (%%writefile), a command a shell cell (%%bash) whose folders are
those of the checkout. Outputs are left to who runs it. The tests run the same cells without Jupyter.
"""
import argparse
import json
import pathlib
import re

from checking import ROOT

BLOCK = re.compile(r"^<!-- (?:test|output|file: (?P<name>\S+)) -->\n+```(?P<language>\w*)\n(?P<text>.*?)^```$",
                   re.MULTILINE | re.DOTALL)
# Commands of the tutorials find the programs of the build and files beside the notebook.
SETUP = """import os, pathlib
checkout = pathlib.Path("{checkout}").resolve()
for name in os.listdir(checkout):
    if not pathlib.Path(name).exists() and name != ".git":
        os.symlink(checkout / name, name)
os.environ["PATH"] = f"{{checkout / 'build/bin'}}:" + os.environ["PATH"]
"""


def get_lines(text):
    return text.splitlines(keepends=True)


def make_cells(document, checkout="../.."):
    """The cells of one document."""
    cells, text, end = [], document.read_text(), 0

    def add(kind, content):
        content = content.strip("\n")
        if content.strip():
            more = {"execution_count": None, "outputs": []} if kind == "code" else {}
            cells.append({"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": {}, "source": get_lines(content),
                          **more})

    add("code", SETUP.format(checkout=checkout))
    for block in BLOCK.finditer(text):
        add("markdown", text[end:block.start()])
        end = block.end()
        marker = text[block.start():text.index("\n", block.start())]
        if block.group("name"):
            add("code", f"%%writefile {block.group('name')}\n{block.group('text')}")
        elif marker == "<!-- output -->":
            add("markdown", f"It prints\n```text\n{block.group('text')}```")
        elif block.group("language") == "mlir":
            add("code", f"%%bash\nrelax-opt <<'END'\n{block.group('text')}END")
        else:
            add("code", f"%%bash\nset -euo pipefail\n{block.group('text')}")
    add("markdown", text[end:])
    return cells


def make_notebook(document, checkout="../.."):
    """The notebook as an object."""
    return {"cells": make_cells(document, checkout), "nbformat": 4, "nbformat_minor": 5,
            "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                         "language_info": {"name": "python"}}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "build/notebooks")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    documents = sorted(path for path in (ROOT / "docs/Tutorials").glob("*.md") if path.name != "README.md")
    for document in documents:
        notebook = make_notebook(document, ROOT)
        (folder / f"{document.stem}.ipynb").write_text(json.dumps(notebook, indent=1) + "\n")
    print(f"{len(documents)} notebooks in {folder}")


if __name__ == "__main__":
    main()
