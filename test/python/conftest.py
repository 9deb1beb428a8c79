# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Fixtures of the execution tests: where the programs are and how to run them."""
import importlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("RELAX_BUILD_DIR", ROOT / "build"))


@pytest.fixture(scope="session")
def root():
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def build():
    """The build folder (RELAX_BUILD_DIR, else build/)."""
    return BUILD


@pytest.fixture(scope="session")
def tool():
    """tool("relax-opt", args...) runs a program of the build and returns the CompletedProcess."""

    def run(name, *args, **more):
        more.setdefault("timeout", 600)
        return subprocess.run([str(BUILD / "bin" / name), *map(str, args)], capture_output=True, text=True, **more)

    return run


def has_package():
    """Whether the build was asked for the Python package; nanobind or Python's headers may be missing."""
    return not re.search("^RELAX_ENABLE_PYTHON:BOOL=(OFF|0)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)


@pytest.fixture(scope="session")
def relax():
    """The Python package of the build."""
    if not has_package():
        pytest.skip("the build has no Python package")
    sys.path.insert(0, str(BUILD / "python"))
    return importlib.import_module("relax")


@pytest.fixture(scope="session")
def browse(tmp_path_factory):
    """browse(page) opens a page in a headless browser and returns its text once all scripts have run."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome-headless-shell")
    browser = next(filter(None, map(shutil.which, names)), None)
    if not browser:
        pytest.skip("there is no chromium")
    profile = tmp_path_factory.mktemp("profile")

    def run(page):
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                               "--virtual-time-budget=10000", "--dump-dom", page.as_uri()],
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
