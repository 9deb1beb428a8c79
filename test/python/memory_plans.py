# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Reads memory reports: how much a plan takes at given sizes, and how much lives together at most. Also for benchmarks/memory.py."""

import re


def evaluate(text, symbols):
    """Value of an expression in the grammar of Spec.md 1.1."""
    tokens = re.findall(r'"[^"]*"|\w+|[-+*(),]', text)
    position = 0

    def peek():
        return tokens[position] if position < len(tokens) else None

    def take():
        nonlocal position
        position += 1
        return tokens[position - 1]

    def apply(name, a, b):
        return {"floordiv": lambda: a // b, "ceildiv": lambda: -(-a // b), "mod": lambda: a % b}[name]()

    def primary():
        token = take()
        if token == "(":
            value = sum_()
            take()
            return value
        if token == "-":
            return -primary()
        if token in ("floordiv", "ceildiv", "mod", "min", "max"):
            take()
            values = [sum_()]
            while take() == ",":
                values.append(sum_())
            return {"min": min, "max": max}[token](values) if token in ("min", "max") else apply(token, *values)
        return int(token) if token.isdigit() else symbols[token.strip('"')]

    def product():
        value = primary()
        while peek() in ("*", "floordiv", "ceildiv", "mod"):
            token = take()
            value = value * primary() if token == "*" else apply(token, value, primary())
        return value

    def sum_():
        value = product()
        while peek() in ("+", "-"):
            value = value + product() if take() == "+" else value - product()
        return value

    return sum_()


class Plan:
    """The arena of one function."""

    def __init__(self, report):
        self.report = report
        self.tensors = report["arena"]

    def get_sizes(self, symbols):
        return [max(0, evaluate(tensor["bytes"], symbols)) for tensor in self.tensors]

    def get_places(self, symbols):
        """(offset, bytes taken) of each tensor: it begins at the highest end of those it is above of."""
        alignment, places = self.report["alignment"], []
        for tensor, size in zip(self.tensors, self.get_sizes(symbols)):
            begin = max((sum(places[other]) for other in tensor["above"]), default=0)
            places.append((begin, -(-size // alignment) * alignment))
        return places

    def get_bytes(self, symbols):
        return max((sum(place) for place in self.get_places(symbols)), default=0)

    def get_result_bytes(self, symbols):
        """What the function returns, which is memory of its own."""
        return sum(evaluate(result["bytes"], symbols) for result in self.report["results"])

    def get_live_bytes(self, symbols, with_results=False):
        """The most bytes that are needed at one time: no plan takes less. Results are needed from where they are made."""
        changes = []
        for tensor, size in zip(self.tensors, self.get_sizes(symbols)):
            changes += [(tensor["from"], 0, size), (tensor["to"], 1, -size)]
        if with_results:
            held = [tensor for result in self.report["results"] for tensor in result["holds"]]
            for tensor in held:
                size = max(0, evaluate(tensor["bytes"], symbols))
                changes += [(tensor["from"], 0, size), (tensor["to"], 1, -size)]
            changes += [(result["from"], 0, evaluate(result["bytes"], symbols)) for result in self.report["results"]]
        live = most = 0
        for _, _, change in sorted(changes):
            live += change
            most = max(most, live)
        return most
