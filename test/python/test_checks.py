# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Each check of utils/ can fail: small trees with one mistake each."""
import importlib
import json
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "utils"))
check_headers = importlib.import_module("check_headers")
check_layering = importlib.import_module("check_layering")
check_ods = importlib.import_module("check_ods")
check_style = importlib.import_module("check_style")
check_symbols = importlib.import_module("check_symbols")
run_checks = importlib.import_module("run_checks")

LICENCE = "// Licensed under the Apache License, Version 2.0. See LICENSE.\n"


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def messages(result):
    return [message for _, message in result.problems]


@pytest.mark.parametrize(
    "user, header, allowed",
    [
        ("lib/Dialect/Graph/IR/A.cpp", "RelaxDialect/Dialect/Sym/IR/SymExpr.h", True),
        ("lib/Dialect/Graph/IR/A.cpp", "RelaxDialect/Runtime/ABI.h", True),
        ("lib/Dialect/Sym/IR/A.cpp", "RelaxDialect/Dialect/Graph/IR/GraphOps.h", False),
        ("lib/Dialect/Graph/IR/A.cpp", "RelaxDialect/Dialect/TensorProgram/IR/TPOps.h", False),
        ("lib/Dialect/Graph/Transforms/A.cpp", "RelaxDialect/Dialect/TensorProgram/IR/TPOps.h", False),
        ("lib/Conversion/AToB/A.cpp", "RelaxDialect/Conversion/BToC/BToC.h", False),
        ("lib/Conversion/AToB/A.cpp", "RelaxDialect/Conversion/Passes.h", True),
        ("lib/Pipelines/A.cpp", "RelaxDialect/InitAll.h", False),
        ("lib/Runtime/A.cpp", "RelaxDialect/Support/Version.h", False),
        ("lib/Runtime/A.cpp", "llvm/ADT/StringRef.h", False),
        ("tools/relax-run/A.cpp", "mlir/IR/Builders.h", False),
        ("tools/relax-run/A.cpp", "RelaxDialect/Runtime/Runtime.h", True),
    ],
)
def test_layering_includes(tmp_path, user, header, allowed):
    write(tmp_path, {user: f'#include "{header}"\n'})
    assert (messages(check_layering.check(tmp_path)) == []) == allowed


def test_layering_links(tmp_path):
    write(tmp_path, {
        "lib/Dialect/Sym/IR/CMakeLists.txt": "add_relax_library(RelaxSym A.cpp LINK_LIBS RelaxGraph)",
        "lib/Dialect/Graph/IR/CMakeLists.txt": "add_relax_library(RelaxGraph A.cpp\n  LINK_LIBS RelaxSym)",
    })
    found = messages(check_layering.check(tmp_path))
    assert len(found) == 1 and "RelaxSym links RelaxGraph" in found[0]


def test_style(tmp_path):
    write(tmp_path, {
        "lib/Good.cpp": LICENCE,
        "lib/Long.cpp": LICENCE + "\n" * 800,
        "lib/Bare.cpp": "int x;\n",
        "lib/Option.cpp": LICENCE + "static llvm::cl::opt<bool> flag;\n",
        "docs/Path.md": "see /" + "home/someone/x\n",
    })
    result = check_style.check(tmp_path)
    assert sorted(item for item, _ in result.problems) == [
        "docs/Path.md", "lib/Bare.cpp", "lib/Long.cpp", "lib/Option.cpp"]
    assert result.counts() == (1, 4)


def test_headers(tmp_path):
    write(tmp_path, {
        "include/Good.h": "#include <string>\nstd::string f();\n",
        "include/Bad.h": "std::string f();\n",
        "include/NotC.h": "// NotC.h -*- C -*-\nclass X {};\n",
        "compile_commands.json": json.dumps(
            [{"file": "/x/lib/Dialect/A.cpp", "command": "clang++-22 -std=c++17 -c A.cpp", "directory": "/"}]),
    })
    headers = [pathlib.Path(name) for name in ("include/Good.h", "include/Bad.h", "include/NotC.h")]
    result = check_headers.check(headers, tmp_path, tmp_path)
    assert [item for item, _ in result.problems] == ["include/Bad.h", "include/NotC.h"]


PASSES = """
include "mlir/Pass/PassBase.td"
def FuseOpsPass : Pass<"relax-fuse-ops"> { let summary = "Fuses."; let description = "Fuses ops."; }
def LowerXPass : Pass<"lower-x"> { let summary = "Lowers."; }
"""


def test_ods(tmp_path, build):
    write(tmp_path, {
        "include/Passes.td": PASSES,
        "include/Broken.td": "def X : Missing;\n",
        "lib/FuseOps.cpp": LICENCE,
        "test/fuse-ops.mlir": "",
    })
    found = {}
    for item, message in check_ods.check(tmp_path, *check_ods.llvm_paths(build)).problems:
        found.setdefault(item, []).append(message)
    assert set(found) == {"include/Broken.td", "include/Passes.td: LowerXPass"}
    lower = " ".join(found["include/Passes.td: LowerXPass"])
    for part in ["no description", "expected relax-lower-x", "no file LowerX.cpp", "no test file lower-x*.mlir"]:
        assert part in lower


def test_ods_names():
    assert check_ods.kebab("LowerCPUKernels") == "lower-cpu-kernels"
    assert check_ods.kebab("ConvertTensorProgramToFunc") == "convert-tensor-program-to-func"


def test_symbols(tmp_path, build):
    """A library that defines a function of mlir::Operation stands for one with a second MLIR inside."""
    write(tmp_path, {"a.cpp": "namespace mlir { struct Operation { void erase(); }; void Operation::erase() {} }\n",
                     "b.cpp": "int f() { return 1; }\n"})
    (tmp_path / "lib").mkdir()
    for source, library in [("a.cpp", "libBad.so"), ("b.cpp", "libGood.so")]:
        command = ["clang++-22", "-shared", "-fPIC", tmp_path / source, "-o", tmp_path / "lib" / library]
        subprocess.run(command, check=True)
    result = check_symbols.check(tmp_path, check_ods.llvm_paths(build)[1].parent)
    assert [item for item, _ in result.problems] == ["libBad.so"]
    assert result.counts() == (1, 1)


def test_symbols_of_the_runtime(tmp_path, build):
    """A relax-run that is linked to libMLIR.so is refused."""
    (tmp_path / "bin").mkdir()
    tools = check_ods.llvm_paths(build)[1].parent
    subprocess.run(["clang++-22", "-x", "c++", "-", "-o", tmp_path / "bin/relax-run", "-Wl,--no-as-needed",
                    f"-L{tools.parent}/lib", "-lMLIR"], input="int main() {}", text=True, check=True)
    assert "needs libMLIR" in messages(check_symbols.check(tmp_path, tools))[0]


def test_a_suite_without_tests_fails(capsys):
    report = run_checks.Report()
    report.add("empty", 0, 0, 0)
    assert report.close() == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 1 failed"
