# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Caches in pages: which page holds which tokens of which sequence."""
import typing

import numpy as np

from ._errors import RelaxError

if typing.TYPE_CHECKING:
    from ._runtime import Function


class Sequence:
    """What a model has read of one text, in pages of a PagedCache, which makes it."""

    def __init__(self, cache):
        self._cache, self._pages, self._length = cache, [], 0

    def __len__(self):
        return self._length

    @property
    def pages(self) -> tuple:
        """Numbers of its pages, in order."""
        return tuple(self._pages)

    def fork(self) -> "Sequence":
        """Another sequence with the same tokens: it shares the pages until one of the two writes to one."""
        other = self._check()._cache.create()
        for page in self._pages:
            self._cache._users[page] += 1
        other._pages, other._length = list(self._pages), self._length
        return other

    def pop(self, count=1):
        """Forgets the last `count` tokens."""
        self._check()
        if not 0 <= count <= self._length:
            raise RelaxError(f"pop of {count} tokens of a sequence of {self._length}", "invalid argument")
        self._length -= count
        kept = -(-self._length // self._cache.page_size)
        self._cache._release(self._pages[kept:])
        del self._pages[kept:]

    def free(self):
        """Gives its pages back. It cannot be used any more."""
        if self._cache is not None:
            self._cache._release(self._pages)
            self._cache, self._pages, self._length = None, [], 0

    def _check(self):
        if self._cache is None:
            raise RelaxError("the sequence was freed", "invalid argument")
        return self


class PagedCache:
    """Keys and values of many sequences of different lengths, in one pool of `pages` pages.

        function = relax.gguf.from_model("model.gguf", page_size=16)["main"]
        cache = relax.gguf.PagedCache(function, pages=256)
        one, two = cache.create(), cache.create()
        logits = cache.step([one], tokens)                  # a prompt, (1, seq)
        logits = cache.step([one, two], next_tokens)        # a token of each, (2, 1)

    A sequence takes a page when its last one is full. A call that fails changes no sequence.
    """

    def __init__(self, function: "Function", pages: int):
        inputs = {info.name: info for info in function.inputs}
        if not {"tokens", "page_table", "lengths"} <= inputs.keys():
            raise RelaxError("the function has no caches in pages: import the model with page_size", "invalid argument")
        if not 1 <= pages < 2**31:
            raise RelaxError(f"a pool of {pages} pages, expected 1 to {2**31 - 1}", "invalid argument")
        self.function, self.page_count = function, pages
        self._pools = {}
        for name, info in inputs.items():
            if name.startswith(("key_pages_", "value_pages_")):
                page_size, *rest = (int(dim) for dim in info.dims[1:])
                self._pools[name] = np.zeros((pages, page_size, *rest), np.float32)
                self.page_size = page_size
        self._users = [0] * pages
        self._free = list(range(pages))[::-1]

    @property
    def free_pages(self) -> int:
        """Pages that no sequence uses."""
        return len(self._free)

    @property
    def nbytes(self) -> int:
        """Bytes of the pool."""
        return sum(pool.nbytes for pool in self._pools.values())

    def create(self) -> Sequence:
        """A sequence without tokens."""
        return Sequence(self)

    def step(self, sequences, tokens) -> np.ndarray:
        """Appends `tokens` (sequence, seq) to the sequences; the logits."""
        sequences, tokens = list(sequences), np.ascontiguousarray(tokens, np.int32)
        if tokens.ndim != 2 or len(tokens) != len(sequences):
            raise RelaxError(f"tokens of shape {tokens.shape} for {len(sequences)} sequences, expected a row for each",
                             "shape mismatch")
        if len({id(sequence) for sequence in sequences}) != len(sequences):
            raise RelaxError("a sequence is given twice", "invalid argument")
        for sequence in sequences:
            if sequence._check()._cache is not self:
                raise RelaxError("a sequence belongs to another cache", "invalid argument")
        self._require(self._count_needed(sequences, tokens.shape[1]))

        table = np.zeros((len(sequences), max((len(s._pages) for s in sequences), default=0)), np.int64)
        for row, sequence in zip(table, sequences):
            row[:len(sequence._pages)] = sequence._pages
        lengths = np.array([len(sequence) for sequence in sequences], np.int64)
        results = self.function(tokens=tokens, page_table=table, lengths=lengths, **self._pools)

        rows = np.concatenate([np.zeros(0, np.int64), *(self._extend(s, tokens.shape[1]) for s in sequences)])
        for name, pool in self._pools.items():
            new = results["new_" + name.replace("_pages", "")]
            pool.reshape(-1, *pool.shape[2:])[rows] = new.reshape(-1, *pool.shape[2:])
        return results["logits"]

    def _count_needed(self, sequences, count):
        """Pages that `count` more tokens of each sequence take: new ones, and copies of shared ones."""
        needed, writers = 0, {}
        for sequence in sequences:
            needed += -(-(len(sequence) + count) // self.page_size) - len(sequence._pages)
            if count and len(sequence) % self.page_size:
                writers[sequence._pages[-1]] = writers.get(sequence._pages[-1], 0) + 1
        # The last user writes to the page itself.
        return needed + sum(min(number, self._users[page] - 1) for page, number in writers.items())

    def _require(self, needed):
        if needed > len(self._free):
            raise RelaxError(f"the page pool is exhausted: {needed} pages of {self.page_size} tokens are needed, "
                             f"{len(self._free)} of {self.page_count} are free", "resource exhausted")

    def _take(self):
        page = self._free.pop()
        self._users[page] = 1
        return page

    def _release(self, pages):
        for page in pages:
            self._users[page] -= 1
            if self._users[page] == 0:
                self._free.append(page)

    def _extend(self, sequence, count):
        """Rows of the pool for `count` more tokens."""
        if count and len(sequence) % self.page_size and self._users[sequence._pages[-1]] > 1:
            shared, own = sequence._pages[-1], self._take()
            for pool in self._pools.values():
                pool[own] = pool[shared]
            self._release([shared])
            sequence._pages[-1] = own
        places = np.arange(len(sequence), len(sequence) + count)
        sequence._length += count
        while len(sequence._pages) * self.page_size < len(sequence):
            sequence._pages.append(self._take())
        return np.array(sequence._pages, np.int64)[places // self.page_size] * self.page_size + places % self.page_size
