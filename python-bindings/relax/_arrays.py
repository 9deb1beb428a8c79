# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Arguments that are not dense numpy arrays already, and the element types that numpy itself has not."""
import numpy as np

_ORDER = {"b": 0, "i": 1, "u": 1, "f": 2}
_EXTRA = {"bfloat16": "f", "float8_e4m3fn": "f", "float8_e4m3fnuz": "f", "float8_e5m2": "f", "float8_e5m2fnuz": "f",
          "float8_e8m0fnu": "f", "float4_e2m1fn": "f", "int4": "i", "int2": "i", "uint4": "u", "uint2": "u"}


def get_extra_type(name):
    """The dtype of this name from ml_dtypes, a package that is needed for such elements only."""
    try:
        import ml_dtypes
        return np.dtype(getattr(ml_dtypes, name))
    except (ImportError, AttributeError):
        raise ImportError(f"elements of type {name} need the Python package ml_dtypes 0.5 or later",
                          name="ml_dtypes") from None


def _from_python(value, type_name, name):
    """Numbers and lists have no element type of their own: they take the input's when that keeps their values."""
    dtype = get_extra_type(type_name) if type_name in _EXTRA else np.dtype(type_name)
    plain = np.asarray(value)
    kind = _EXTRA.get(type_name, dtype.kind)
    if plain.dtype.kind not in _ORDER or (plain.size and _ORDER[plain.dtype.kind] > _ORDER[kind]):
        raise TypeError(f"input '{name}': expected elements of type {dtype}, actual {plain.dtype}")
    array = plain.astype(dtype)
    kept = array.astype(np.int64) if type_name in _EXTRA and kind in "iu" else array
    if kind in "iu" and not np.array_equal(kept, plain):
        raise OverflowError(f"input '{name}': a value does not fit {dtype}")
    return array


def _from_torch(tensor):
    """The memory of a tensor of PyTorch as an array; bfloat16, which numpy has not, as its bits with its name."""
    import torch
    tensor = tensor.detach().resolve_neg()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.uint16).numpy(), "bfloat16"
    return tensor.numpy(), ""


def to_array(value, type_name, name):
    """A dense, aligned array with the elements of `value`; those of ml_dtypes as their bits, with the type's name."""
    if isinstance(value, np.ndarray):
        array = value
    elif isinstance(value, np.generic):
        array = np.asarray(value)
    elif type(value).__module__.split(".")[0] == "torch":
        array, extra = _from_torch(value)
        if extra:
            return np.ascontiguousarray(array), extra
    elif hasattr(value, "__dlpack__"):
        array = np.from_dlpack(value)
    else:
        array = _from_python(value, type_name, name)
    if not array.dtype.isnative:
        raise TypeError(f"input '{name}': element type {array.dtype} is not supported: another byte order")
    if not (array.flags.c_contiguous and array.flags.aligned):
        array = np.array(array, order="C", copy=True)
    if array.dtype.name in _EXTRA:
        return array.view(np.uint16 if array.dtype.itemsize == 2 else np.uint8), array.dtype.name
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise TypeError(f"input '{name}': element type {array.dtype} is not supported")
    return array, ""


class Donated:
    """An argument whose memory the call may write; donate() makes it."""

    __slots__ = ("array", "rows")

    def __init__(self, array, rows):
        self.array, self.rows = array, rows


def donate(array, rows=None):
    """The array as an argument whose memory the call may write, so that results can live there without a copy.

    A result that does is a view of the array. rows: how many first rows are the input, the others are room behind it,
    for what the function appends. What the array held is gone then, and undefined after an error. A function that
    cannot use the memory leaves it as it is; TensorInfo.donated tells which inputs results of their size can use.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"only a numpy array can be donated, got {type(array).__name__}")
    if not (array.flags.c_contiguous and array.flags.aligned and array.flags.writeable):
        raise ValueError("an array that is donated must be dense, aligned and writable")
    if rows is not None and (array.ndim == 0 or not 0 <= rows <= array.shape[0]):
        raise ValueError(f"an array of shape {array.shape} is donated without its first {rows} rows")
    return Donated(array, rows)


def get_donated(donated):
    """The input, the address where it must lie and the bytes of room there."""
    array = donated.array
    given = array if donated.rows is None else array[:donated.rows]
    return given, array.ctypes.data, array.nbytes


def view_donated(array, shape, dtype):
    """The result that lies at the start of the array's memory."""
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    return array.reshape(-1).view(np.uint8)[:size].view(dtype).reshape(shape)
