#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""An asyncio server that runs requests of different lengths together, from one artifact.

A request is a line of numbers (tokens); the answer is a line with a score for each of four classes. Requests that come
within a few milliseconds are one batch, padded to the longest.

    PYTHONPATH=build/python .venv/bin/python3 examples/serve.py --port 8765
    echo "3 1 4 1 5" | nc localhost 8765
"""
import argparse
import asyncio

import numpy as np
import relax

VOCABULARY, WIDTH, CLASSES = 100, 16, 4


def make_model():
    """The mean of the tokens' vectors, then one layer. What is behind a request's length does not count."""
    batch, length = relax.dim("batch"), relax.dim("length")
    random = np.random.default_rng(0)
    with relax.function(facts=[batch <= 64, length <= 4096]) as f:
        tokens, lengths = f.input("tokens", (batch, length), "int64"), f.input("lengths", (batch, 1), "int64")
        table, weights = f.input("table", (VOCABULARY, WIDTH)), f.input("weights", (WIDTH, CLASSES))
        is_there = (f.arange(length)[None, :] < lengths).astype("float32")
        total = (table.take(tokens, axis=0) * is_there[:, :, None]).sum(axis=1)
        f.output(scores=(total / lengths.astype("float32")) @ weights)
    parameters = {"table": random.standard_normal((VOCABULARY, WIDTH), np.float32),
                  "weights": random.standard_normal((WIDTH, CLASSES), np.float32)}
    return f.module.compile()["main"], parameters


class Batcher:
    """Collects requests and runs them together."""

    def __init__(self, function, parameters, delay=0.005, largest=64):
        self.function, self.parameters, self.delay, self.largest = function, parameters, delay, largest
        self.waiting, self.batches = asyncio.Queue(), 0

    async def ask(self, tokens):
        """The scores of one request."""
        answer = asyncio.get_running_loop().create_future()
        await self.waiting.put((tokens, answer))
        return await answer

    async def run(self):
        """Serves until it is cancelled. The next requests gather while a batch is computed."""
        while True:
            batch = [await self.waiting.get()]
            await asyncio.sleep(self.delay)
            while len(batch) < self.largest and not self.waiting.empty():
                batch.append(self.waiting.get_nowait())
            self.batches += 1
            try:
                scores = await asyncio.to_thread(self.compute, [tokens for tokens, _ in batch])
                for (_, answer), row in zip(batch, scores):
                    answer.set_result(row)
            except Exception as error:  # the batch fails, the server goes on
                for _, answer in batch:
                    answer.set_exception(error)

    def compute(self, requests):
        """One call for all of them."""
        lengths = np.array([[len(tokens)] for tokens in requests], np.int64)
        tokens = np.zeros((len(requests), lengths.max()), np.int64)
        for row, request in zip(tokens, requests):
            row[:len(request)] = request
        return self.function(tokens, lengths, **self.parameters)["scores"]


async def serve(port):
    batcher = Batcher(*make_model())

    async def handle(reader, writer):
        while line := await reader.readline():
            try:
                tokens = [int(word) for word in line.split()]
                if not tokens or not all(0 <= token < VOCABULARY for token in tokens):
                    raise ValueError(f"expected numbers from 0 to {VOCABULARY - 1}")
                answer = " ".join(f"{score:.4f}" for score in await batcher.ask(tokens))
            except (ValueError, relax.RelaxError) as error:
                answer = f"error: {error}"
            writer.write(answer.encode() + b"\n")
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "localhost", port)
    async with server:
        await asyncio.gather(batcher.run(), server.serve_forever())


async def test():
    """Requests at once, each compared with the answer that it gets alone."""
    batcher = Batcher(*make_model())
    runner = asyncio.create_task(batcher.run())
    random = np.random.default_rng(1)
    requests = [random.integers(0, VOCABULARY, size).tolist() for size in [1, 40, *random.integers(1, 41, 22)]]
    answers = await asyncio.gather(*map(batcher.ask, requests))
    runner.cancel()
    right = all(np.allclose(answer, batcher.compute([request])[0], atol=1e-5)
                for request, answer in zip(requests, answers))
    print(f"{len(requests)} requests of 1 to 40 tokens, {'all answers right' if right else 'WRONG ANSWERS'}, "
          f"{'fewer' if batcher.batches < len(requests) else 'not fewer'} batches than requests")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    asyncio.run(test() if args.self_test else serve(args.port))
