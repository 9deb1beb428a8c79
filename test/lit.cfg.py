# Licensed under the Apache License, Version 2.0. See LICENSE.
#
# The lit suite. Tests are found by suffix; nothing is listed. Programs are found through PATH: build/bin first, then
# the tools of the LLVM that the build uses (mlir-opt there is the stock one).
#
# Environment: RELAX_VERIFY_ROUNDTRIP=1 repeats the suite with --verify-roundtrip in every relax-opt call.
import os

import lit.formats

config.name = "RELAX"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".td", ".c"]
config.excludes = ["Inputs", "lib", "python", "Consumer", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.relax_obj_root, "test")

config.environment["PATH"] = os.pathsep.join(
    [config.relax_tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
for name in ["HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Whole words only: a name inside a path, an option or another name stays.
before, after = r"(?<![\w./%-])", r"(?![\w./-])"

config.substitutions += [
    ("%plugin", os.path.join(config.relax_lib_dir, "libRelaxDialect" + config.plugin_suffix)),
    ("%other_plugin", os.path.join(config.relax_lib_dir, "OtherPlugin" + config.plugin_suffix)),
    ("%relax_libs", config.relax_lib_dir),
    ("%relax_src", config.relax_src_root),
    ("%mlir_libs", config.llvm_lib_dir),
    ("%python", config.python),
]

if os.environ.get("RELAX_VERIFY_ROUNDTRIP"):
    config.substitutions.append((before + "relax-opt" + after, "relax-opt --verify-roundtrip"))
    config.available_features.add("verify-roundtrip")

if config.sanitizer_preload:
    # A stock program loads the sanitizer's runtime before our instrumented plugin.
    config.available_features.add("asan")
    for tool in ["mlir-opt", "mlir-runner"]:
        config.substitutions.append((before + tool + after, f"env LD_PRELOAD={config.sanitizer_preload} {tool}"))
