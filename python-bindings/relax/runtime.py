# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The C API of librelax_runtime (RelaxDialect/Runtime/Runtime.h) through ctypes: nothing to build, no compiler."""
import ctypes
import os

import numpy as np

_INT, _UINT, _FLOAT, _BOOL = 0, 1, 2, 6  # relax_rt_type_code
_CODES = {"i": _INT, "u": _UINT, "f": _FLOAT, "b": _BOOL}
_KINDS = {code: kind for kind, code in _CODES.items()}


class RelaxError(RuntimeError):
    """What relax_rt_last_error says."""


class _Dtype(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dims", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_int64),
                ("dtype", _Dtype)]


class _Info(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", _Dtype), ("rank", ctypes.c_int64),
                ("dims", ctypes.POINTER(ctypes.c_char_p))]


def _load(path):
    """The runtime library: `path`, else RELAX_RUNTIME_LIBRARY, else what the loader finds."""
    library = ctypes.CDLL(path or os.environ.get("RELAX_RUNTIME_LIBRARY", "librelax_runtime.so"))
    library.relax_rt_last_error.restype = ctypes.c_char_p
    for name in ("input", "output"):
        function = getattr(library, f"relax_rt_module_{name}")
        function.restype, function.argtypes = ctypes.POINTER(_Info), [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
        count = getattr(library, f"relax_rt_module_num_{name}s")
        count.restype, count.argtypes = ctypes.c_int64, [ctypes.c_void_p, ctypes.c_int64]
    library.relax_rt_module_find_function.restype = ctypes.c_int64
    library.relax_rt_module_find_function.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    library.relax_rt_module_load.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    library.relax_rt_instance_load_library.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    library.relax_rt_context_create.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.relax_rt_context_set_threads.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    library.relax_rt_context_invoke.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64]
    library.relax_rt_context_output.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
    for kind in ("instance", "module", "context"):
        destroy = getattr(library, f"relax_rt_{kind}_destroy")
        destroy.restype, destroy.argtypes = None, [ctypes.c_void_p]
    return library


def _dtype(type):
    return np.dtype(bool) if type.code == _BOOL else np.dtype(f"{_KINDS[type.code]}{type.bits // 8}")


class Module:
    """One function of one artifact. Call it with numpy arrays by input name; it returns new arrays by output name.

    A module belongs to one thread at a time; a call uses up to `threads` threads, by default one for each CPU.

    Raises RelaxError for a bad artifact and for inputs that do not fit.
    """

    def __init__(self, artifact, function="main", libraries=(), runtime=None, threads=0):
        self._handles = []
        self._runtime = _load(runtime)
        self._instance = self._create("instance")
        for library in libraries:
            self._check(self._runtime.relax_rt_instance_load_library(self._instance, os.fsencode(library)))
        self._module = ctypes.c_void_p()
        path = os.fsencode(artifact)
        self._check(self._runtime.relax_rt_module_load(self._instance, path, ctypes.byref(self._module)))
        self._handles.append(("module", self._module))
        self._context = self._create("context", self._module)
        self._check(self._runtime.relax_rt_context_set_threads(self._context, threads))
        self._function = self._runtime.relax_rt_module_find_function(self._module, function.encode())
        if self._function < 0:
            raise RelaxError(f"{artifact} has no function '{function}'")

    def _check(self, status):
        if status:
            raise RelaxError(self._runtime.relax_rt_last_error().decode())

    def _create(self, kind, *arguments):
        handle = ctypes.c_void_p()
        self._check(getattr(self._runtime, f"relax_rt_{kind}_create")(*arguments, ctypes.byref(handle)))
        self._handles.append((kind, handle))
        return handle

    def __del__(self):
        for kind, handle in reversed(getattr(self, "_handles", [])):
            getattr(self._runtime, f"relax_rt_{kind}_destroy")(handle)

    def _signature(self, kind):
        count = getattr(self._runtime, f"relax_rt_module_num_{kind}s")(self._module, self._function)
        tensor = getattr(self._runtime, f"relax_rt_module_{kind}")
        infos = [tensor(self._module, self._function, index).contents for index in range(count)]
        extents = [tuple(info.dims[i].decode() for i in range(info.rank)) for info in infos]
        return {info.name.decode(): (_dtype(info.dtype), dims) for info, dims in zip(infos, extents)}

    @property
    def inputs(self):
        """{name: (dtype, extents as text)}"""
        return self._signature("input")

    @property
    def outputs(self):
        """{name: (dtype, extents as text)}"""
        return self._signature("output")

    def __call__(self, **arrays):
        names = self.inputs
        if set(names) != set(arrays):
            raise RelaxError(f"expected inputs {sorted(names)}, actual {sorted(arrays)}")
        # Dense, in native byte order; kept until the call is over.
        arrays = [np.require(arrays[name], requirements="CA") for name in names]
        for name, array in zip(names, arrays):
            if array.dtype.kind not in _CODES or not array.dtype.isnative:
                raise RelaxError(f"input '{name}': element type {array.dtype} is not supported")
        views = (_View * len(arrays))()
        for view, array in zip(views, arrays):
            dims = (ctypes.c_int64 * array.ndim)(*array.shape)
            view.data, view.dims, view.rank = array.ctypes.data, dims, array.ndim
            view.dtype = _Dtype(_CODES[array.dtype.kind], array.dtype.itemsize * 8, 1)
        self._check(self._runtime.relax_rt_context_invoke(self._context, self._function, views, len(arrays)))
        results = {}
        for index, (name, (dtype, _)) in enumerate(self.outputs.items()):
            view = _View()
            self._check(self._runtime.relax_rt_context_output(self._context, index, ctypes.byref(view)))
            result = np.empty(tuple(view.dims[i] for i in range(view.rank)), dtype)
            ctypes.memmove(result.ctypes.data, view.data, result.nbytes)
            results[name] = result
        return results
