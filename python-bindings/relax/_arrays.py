# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Arguments that are not dense numpy arrays already."""
import numpy as np

_ORDER = {"b": 0, "i": 1, "u": 1, "f": 2}


def _from_python(value, dtype, name):
    """Numbers and lists have no element type of their own: they take the input's when that keeps their values."""
    plain = np.asarray(value)
    kind = dtype.kind if dtype.kind in _ORDER else "f"
    if plain.dtype.kind not in _ORDER or (plain.size and _ORDER[plain.dtype.kind] > _ORDER[kind]):
        raise TypeError(f"input '{name}': expected elements of type {dtype}, actual {plain.dtype}")
    array = plain.astype(dtype)
    if kind in "iu" and not np.array_equal(array, plain):
        raise OverflowError(f"input '{name}': a value does not fit {dtype}")
    return array


def to_array(value, dtype, name):
    """A dense, aligned array with the elements of `value`, and whether it holds the bits of bfloat16 as uint16."""
    if isinstance(value, np.ndarray):
        array = value
    elif hasattr(value, "__dlpack__"):
        array = np.from_dlpack(value)
    elif isinstance(value, np.generic):
        array = np.asarray(value)
    else:
        array = _from_python(value, dtype, name)
    if not array.dtype.isnative:
        raise TypeError(f"input '{name}': element type {array.dtype} is not supported: another byte order")
    if not (array.flags.c_contiguous and array.flags.aligned):
        array = np.array(array, order="C", copy=True)
    if array.dtype.name == "bfloat16":
        return array.view(np.uint16), True
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise TypeError(f"input '{name}': element type {array.dtype} is not supported")
    return array, False
