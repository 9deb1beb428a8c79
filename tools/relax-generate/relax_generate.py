#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Continues a text with a language model in GGUF: relax.generate of the Python package."""
import pathlib
import sys

# In a build the package is beside.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from relax.generate import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
