#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Runs every check and test suite on a finished build and sums them up.

Each suite reports how many of its tests passed and failed; a suite that ran nothing counts as one failure. The last
line is 'N passed, N failed'. The exit status is 1 when anything failed.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIT = [sys.executable, "-c", "from lit.main import main; main()"]


class Report:
    """Counts per suite, printed as they come."""

    def __init__(self):
        self.rows = []

    def add(self, suite, passed, failed, seconds):
        if passed + failed == 0:
            print(f"{suite}: ran no test", flush=True)
            failed = 1
        self.rows.append((suite, passed, failed, seconds))
        print(f"-- {suite}: {passed} passed, {failed} failed ({seconds:.0f} s)", flush=True)

    def close(self):
        passed = sum(row[1] for row in self.rows)
        failed = sum(row[2] for row in self.rows)
        print()
        for suite, good, bad, seconds in self.rows:
            print(f"{suite:24} {good:5} passed {bad:5} failed {seconds:6.0f} s")
        print(f"{passed} passed, {failed} failed", flush=True)
        return 1 if failed else 0


def call(command, **more):
    """Runs a command, passing its output on; returns its status."""
    sys.stdout.flush()
    return subprocess.run([str(word) for word in command], cwd=ROOT, **more).returncode


def run_lint(report, build, scope):
    """utils/lint.py closes with 'N passed, N failed' like every suite."""
    start = time.monotonic()
    command = [sys.executable, ROOT / "utils/lint.py", "--build", build, scope]
    process = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True)
    sys.stdout.write(process.stdout + process.stderr)
    lines = process.stdout.strip().splitlines()
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed", lines[-1] if lines else "")
    passed, failed = map(int, counts.groups()) if counts else (0, 1)
    if process.returncode and not failed:
        failed = 1
    report.add("lint", passed, failed, time.monotonic() - start)


def run_lit(report, build, roundtrip):
    start = time.monotonic()
    environment = dict(os.environ)
    if roundtrip:
        environment["RELAX_VERIFY_ROUNDTRIP"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "results.json"
        status = call([*LIT, "-sv", "--output", results, build / "test"], env=environment)
        tests = json.loads(results.read_text())["tests"] if results.exists() else []
    failed = sum(test["code"] in ("FAIL", "XPASS", "UNRESOLVED", "TIMEOUT") for test in tests)
    passed = sum(test["code"] in ("PASS", "FLAKYPASS", "XFAIL") for test in tests)
    if status and not failed:
        failed = 1
    report.add("lit --verify-roundtrip" if roundtrip else "lit", passed, failed, time.monotonic() - start)


def junit_counts(path):
    """(passed, failed) of a JUnit XML file; skipped tests count as neither."""
    if not path.exists():
        return 0, 0
    passed = failed = 0
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is None and case.get("status") != "notrun":
            passed += 1
    return passed, failed


def run_gtest(report, build):
    start = time.monotonic()
    passed = failed = 0
    for program in sorted((build / "unittests").glob("*")):
        if not program.is_file() or not os.access(program, os.X_OK):
            continue
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder) / "results.xml"
            status = call([program, "--gtest_brief=1", f"--gtest_output=xml:{results}"], timeout=1200)
            good, bad = junit_counts(results)
        passed += good
        # A crash leaves no file; a program without a test is a mistake.
        failed += bad if bad or (not status and good) else 1
    report.add("GoogleTest", passed, failed, time.monotonic() - start)


def sanitizer_runtime(build):
    """The runtime of an instrumented build, else None: Python and the stock tools load it before our libraries."""
    settings = build / "test/lit.site.cfg.py"
    text = settings.read_text() if settings.exists() else ""
    match = re.search(r'^config\.sanitizer_preload = r"(.+)"$', text, re.MULTILINE)
    return match[1] if match else None


def find_device_tests():
    """Everything that runs kernels on a device."""
    folder = ROOT / "test/python"
    return [folder / "test_vulkan.py", *sorted(folder.glob("test_device_*.py")),
            *(f"{folder / 'test_validate.py'}::{name}" for name in ["test_device", "test_random_programs_on_a_device"])]


def run_pytest(report, build, tests):
    start = time.monotonic()
    environment = dict(os.environ, RELAX_BUILD_DIR=str(build))
    if preload := sanitizer_runtime(build):
        environment["LD_PRELOAD"] = preload
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "results.xml"
        status = call([sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider",
                       "-rs", f"--junitxml={results}", *tests], env=environment)
        passed, failed = junit_counts(results)
    if status and not failed:
        failed = 1
    report.add("pytest", passed, failed, time.monotonic() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--changed", dest="lint", action="store_const", const="--changed", default="--changed")
    parser.add_argument("--all", dest="lint", action="store_const", const="--all")
    parser.add_argument("--no-lint", dest="lint", action="store_const", const=None)
    parser.add_argument("--devices", action="store_true", help="only the tests of devices, and more of these")
    args = parser.parse_args()
    build = (ROOT / args.build).resolve()

    # An instrumented build beside an uninstrumented libMLIR.so: cmake/modules/RelaxOptions.cmake says why.
    os.environ.setdefault("ASAN_OPTIONS", "allow_user_poisoning=0:detect_leaks=0:allocator_may_return_null=1")
    os.environ.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")

    report = Report()
    if args.devices:
        os.environ.update(RELAX_DEVICE_TESTS="1", RELAX_NETWORK_TESTS="1")
        run_pytest(report, build, find_device_tests())
        return report.close()
    if args.lint:
        run_lint(report, build, args.lint)
    run_gtest(report, build)
    run_lit(report, build, roundtrip=False)
    run_lit(report, build, roundtrip=True)
    run_pytest(report, build, [ROOT / "test/python"])
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
