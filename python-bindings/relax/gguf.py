# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Language models in GGUF as modules of the compiler, and what the files say of themselves."""
import mmap
import struct
import typing

from ._errors import RelaxError
from ._paged import PagedCache, Sequence

if typing.TYPE_CHECKING:
    from ._compiler import Module
    from ._runtime import Executable

__all__ = ["PagedCache", "Sequence", "compile_model", "from_model", "load", "read_metadata"]

# Number of a type in the file: its format for struct. 8 is a string, 9 an array.
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


class _Reader:
    def __init__(self, data, path):
        self.data, self.path, self.at = data, path, 0

    def fail(self, what):
        raise RelaxError(f"{self.path}: {what}", "invalid model", [])

    def take(self, count):
        if count > len(self.data) - self.at:
            self.fail(f"the file ends at byte {len(self.data)}, in its metadata")
        self.at += count
        return self.at - count

    def number(self, form):
        return struct.unpack_from("<" + form, self.data, self.take(struct.calcsize("<" + form)))[0]

    def string(self):
        size = self.number("Q")
        start = self.take(size)
        # Tokens may be pieces of characters.
        return self.data[start:start + size].decode("utf-8", "surrogateescape")

    def strings(self, count):
        """As `count` times string(), for vocabularies."""
        data, at, found, size = self.data, self.at, [], struct.Struct("<Q").unpack_from
        for _ in range(count):
            start = at + 8
            if start > len(data):
                self.take(start - self.at)
            at = start + size(data, at)[0]
            if at > len(data):
                self.take(at - self.at)
            found.append(data[start:at].decode("utf-8", "surrogateescape"))
        self.at = at
        return found

    def value(self, kind, depth=0):
        if kind == _STRING:
            return self.string()
        if kind in _NUMBERS:
            return self.number(_NUMBERS[kind])
        if kind != _ARRAY or depth > 3:
            self.fail(f"metadata of unknown type {kind}")
        kind, count = self.number("I"), self.number("Q")
        if kind in _NUMBERS:
            size = struct.calcsize("<" + _NUMBERS[kind])
            start = self.take(count * size)
            return list(struct.unpack_from(f"<{count}{_NUMBERS[kind]}", self.data, start))
        self.take(count)  # at least a byte each
        self.at -= count
        if kind == _STRING:
            return self.strings(count)
        return [self.value(kind, depth + 1) for _ in range(count)]


def read_metadata(path) -> dict:
    """The metadata of a GGUF file by key: numbers, texts and lists. RelaxError when the file is not one."""
    with open(path, "rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            data = b""
        with memoryview(data) if not data else data:
            reader = _Reader(data, path)
            if data[:4] != b"GGUF":
                reader.fail("not a GGUF file")
            reader.take(4)
            version = reader.number("I")
            if version not in (2, 3):
                reader.fail(f"GGUF version {version} is not supported, expected 2 or 3")
            reader.take(8)  # tensors
            metadata = {}
            for _ in range(reader.number("Q")):
                key = reader.string()
                metadata[key] = reader.value(reader.number("I"))
            return metadata


def load(path, *, facts=(), all_logits=False, page_size=0, activations="f32") -> "Module":
    """Imports the model in the file `path`: a function of tokens and of what earlier calls remember (docs/GGUF.md).

    facts: texts about batch, seq and past such as "batch == 1", used and checked when the function is called.
    all_logits: of every token, not only of the last one. page_size: tokens of a page of the caches, for PagedCache; 0:
    no pages. activations: what weights in blocks are multiplied by: "f32", or "i8", integers of 8 bits with a factor
    for each 32 of them (relax-quantize-activations), which is faster and changes results. The weights stay in the file
    until the module is compiled.
    """
    from ._compiler import Module
    if activations not in ("f32", "i8"):
        raise ValueError(f"activations are expected to be 'f32' or 'i8', actual {activations!r}")
    module = Module._import_gguf(path, [str(fact) for fact in facts], bool(all_logits), page_size)
    if activations == "i8":
        module.run("relax-quantize-activations")
    return module


def from_model(path, *, target="cpu", facts=(), all_logits=False, page_size=0, activations="f32",
               **options) -> "Executable":
    """Imports, compiles and loads a model. `options` are those of Executable."""
    module = load(path, facts=facts, all_logits=all_logits, page_size=page_size, activations=activations)
    return module.compile(target=target, **options)


def compile_model(path, artifact, *, target="cpu", compile_options=None, **options):
    """Imports and compiles a model to the file `artifact`. `compile_options` are those of relax-default-pipeline, the
    others those of load."""
    load(path, **options).compile_to(artifact, target=target, options=compile_options or {})
