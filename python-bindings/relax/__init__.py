# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Runs artifacts of relax-compile on numpy arrays."""
from . import onnx
from .runtime import Module, RelaxError

__all__ = ["Module", "RelaxError", "onnx"]
