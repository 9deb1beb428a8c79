# Licensed under the Apache License, Version 2.0. See LICENSE.
"""A sample of ONNX's conformance suite; test/conformance/run.py runs all of it."""
import os
import subprocess
import sys

import pytest
from conftest import has_package


def test_sample(root, build):
    if not has_package():
        pytest.skip("the build has no Python package")
    environment = dict(os.environ, RELAX_BUILD_DIR=str(build))
    process = subprocess.run([sys.executable, str(root / "test/conformance/run.py"), "--sample"], capture_output=True,
                             text=True, env=environment, timeout=600)
    last = process.stdout.strip().splitlines()[-1:]
    assert process.returncode == 0 and last and last[0].endswith(" passed, 0 failed"), process.stdout + process.stderr
