# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Finds and runs the marked code blocks of the documentation, so that they cannot rot.

A comment on the line before a fenced block marks it:

  <!-- file: NAME -->   the block is written to NAME
  <!-- test -->         a sh block is run and must succeed; a mlir block must be accepted by relax-opt
  <!-- output -->       the block is exactly what the sh block before it printed

The blocks of a document run in order in one folder that looks like the checkout.
"""
import os
import pathlib
import re
import subprocess

BLOCK = re.compile(r"^<!-- (test|output|file: (?P<name>\S+)) -->\n+```(?P<language>\w*)\n(?P<text>.*?)^```$",
                   re.MULTILINE | re.DOTALL)


def run_document(document, checkout, build, folder):
    """Runs a document's marked blocks; returns how many there were. Raises AssertionError when one fails."""
    for entry in checkout.iterdir():
        if entry.name not in ("build", ".git"):
            (folder / entry.name).symlink_to(entry)
    (folder / "build").symlink_to(build)
    environment = dict(os.environ)
    environment["PATH"] = os.pathsep.join([str(build / "bin"), environment["PATH"]])

    def shell(command, text=None):
        process = subprocess.run(["bash", "-euo", "pipefail", "-c", command], input=text, cwd=folder, env=environment,
                                 capture_output=True, text=True, timeout=900)
        assert process.returncode == 0, f"{document.name}: this failed:\n{command}\n{process.stdout}{process.stderr}"
        return process.stdout

    printed, count = None, 0
    for block in BLOCK.finditer(pathlib.Path(document).read_text()):
        kind, text = block.group(1), block.group("text")
        count += 1
        if block.group("name"):
            (folder / block.group("name")).write_text(text)
        elif kind == "output":
            assert printed is not None, f"{document.name}: an output block without a sh block before it"
            assert printed.strip() == text.strip(), f"{document.name}: printed\n{printed}\nbut shown is\n{text}"
        elif block.group("language") == "mlir":
            shell("relax-opt", text)
        else:
            printed = shell(text)
    return count
