#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Writes the reference of dialects, interfaces and passes, one Markdown file each, from the .td files.

The build's target relax-doc calls this; the result is in build/docs.
"""
import argparse
import pathlib
import re
import subprocess
import tempfile

from check_ods import llvm_paths
from checking import ROOT

DIALECTS = {"Sym": "relax_sym", "Graph": "relax", "TensorProgram": "relax_tp", "Extern": "relax_ext"}
INTERFACES = ["-gen-attr-interface-docs", "-gen-type-interface-docs", "-gen-op-interface-docs"]


class Tblgen:
    def __init__(self, build):
        self.mlir_include, llvm_tblgen = llvm_paths(build)
        self.program = llvm_tblgen.parent / "mlir-tblgen"

    def all_of(self, tables, *options):
        """The output for a file that includes all of `tables`."""
        includes = "".join(f'include "{table.relative_to(ROOT / "include")}"\n' for table in tables)
        with tempfile.NamedTemporaryFile("w", suffix=".td") as file:
            file.write(includes)
            file.flush()
            return self(file.name, *options)

    def __call__(self, table, *options):
        command = [self.program, *options, "-I", ROOT / "include", "-I", self.mlir_include, table]
        process = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if process.returncode or process.stderr:
            raise SystemExit(f"error: mlir-tblgen {' '.join(options)}: {process.stderr.strip()}")
        return re.sub(r"\n{3,}", "\n\n", process.stdout).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    args = parser.parse_args()
    tblgen, out = Tblgen(args.build), args.build / "docs"
    out.mkdir(exist_ok=True)
    include = ROOT / "include/RelaxDialect"

    for folder, dialect in DIALECTS.items():
        tables = sorted((include / "Dialect" / folder / "IR").glob("*.td"))
        text = tblgen.all_of(tables, "-gen-dialect-doc", f"-dialect={dialect}")
        (out / f"{dialect}.md").write_text(text + "\n")

    interfaces = ["# Interfaces"]
    for table in sorted(include.rglob("*Interfaces.td")):
        parts = [tblgen(table, option) for option in INTERFACES]
        interfaces += [re.sub(r"(?m)^# .*\n*", "", part) for part in parts if "## " in part]
    (out / "interfaces.md").write_text("\n\n".join(interfaces) + "\n")

    passes = ["# Passes"]
    for table in sorted(include.rglob("*Passes.td")):
        passes.append(f"## {table.parent.relative_to(include)}")
        passes.append(tblgen(table, "-gen-pass-doc"))
    (out / "passes.md").write_text("\n\n".join(passes) + "\n")


if __name__ == "__main__":
    main()
