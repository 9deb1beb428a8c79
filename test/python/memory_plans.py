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


class Layout:
    """What lies where in one of the plans of a function."""

    def __init__(self, report, alignment):
        self.tensors, self.results, self.alignment = report["arena"], report["results"], alignment

    def get_places(self, tensors, symbols):
        """(offset, bytes taken, bytes) of each tensor: it begins at the highest end of those it is above of."""
        places = []
        for tensor in tensors:
            size = max(0, evaluate(tensor["bytes"], symbols))
            begin = max((sum(places[other][:2]) for other in tensor["above"]), default=0)
            places.append((begin, -(-size // self.alignment) * self.alignment, size))
        return places

    def get_bytes(self, symbols):
        return max((sum(place[:2]) for place in self.get_places(self.tensors, symbols)), default=0)

    def fits(self, symbols):
        """What lies in results ends inside of them."""
        return all(begin + size <= evaluate(result["bytes"], symbols) for result in self.results if result["holds"]
                   for begin, _, size in self.get_places(result["holds"], symbols))


class Plan:
    """The memory of one function: a first plan, and others that a call uses where they fit and take less."""

    def __init__(self, report):
        self.report = report
        self.layouts = [Layout(layout, report["alignment"]) for layout in [report, *report.get("alternatives", [])]]

    def choose(self, symbols):
        """The layout of a call."""
        best = self.layouts[0]
        for layout in self.layouts[1:]:
            if layout.get_bytes(symbols) < best.get_bytes(symbols) and layout.fits(symbols):
                best = layout
        return best

    def get_places(self, symbols):
        """(offset, bytes taken, bytes) of each tensor in the arena."""
        layout = self.choose(symbols)
        return layout.get_places(layout.tensors, symbols)

    def get_bytes(self, symbols):
        return self.choose(symbols).get_bytes(symbols)

    def get_result_bytes(self, symbols, in_place=False):
        """What the function returns, which is memory of its own; `in_place` without what continues an argument where that is, or
        lies in the memory of one that is donated."""
        return sum(evaluate(result["bytes"], symbols) for result in self.report["results"]
                   if not (in_place and ("continues" in result or "donated" in result)))

    def get_live_bytes(self, symbols, with_results=False, in_place=False):
        """The most bytes that are needed at one time: no plan takes less. Results are needed from where they are made, but for
        those in memory of arguments with `in_place`.

        Without results, of what the call puts into the arena."""
        layout, changes = self.choose(symbols), []

        def count(tensors):
            for tensor in tensors:
                size = max(0, evaluate(tensor["bytes"], symbols))
                changes.extend([(tensor["from"], 0, size), (tensor["to"], 1, -size)])

        count(layout.tensors)
        if with_results:
            for result in layout.results:
                count(result["holds"])
                if in_place and ("continues" in result or "donated" in result):
                    continue
                changes.append((result["from"], 0, evaluate(result["bytes"], symbols)))
        live = most = 0
        for _, _, change in sorted(changes):
            live += change
            most = max(most, live)
        return most

    def get_unplanned_bytes(self, symbols):
        """What the tensors of the arena take when each has memory of its own, for the whole call."""
        return sum(taken for _, taken, _ in self.get_places(symbols))

    def get_separate_bytes(self, symbols):
        """No plan takes less in which each result is a block of its own and each tensor is in the arena or in one result: at each
        position the arena has what lives there, without what fits into results that are made later, as far as those have room."""
        tensors = [*self.report["arena"], *(held for result in self.report["results"] for held in result["holds"])]
        lives = [(tensor["from"], tensor["to"], max(0, evaluate(tensor["bytes"], symbols))) for tensor in tensors]
        results = [(result["from"], evaluate(result["bytes"], symbols)) for result in self.report["results"]]

        def count(position):
            alive = [(to, size) for begin, to, size in lives if begin <= position <= to]
            lent = sum(size for to, size in alive if any(to < begin and size <= room for begin, room in results))
            room = sum(room for begin, room in results if begin > position)
            return sum(size for _, size in alive) - min(lent, room)

        arena = max((count(begin) for begin, _, _ in lives), default=0)
        return max(arena + sum(room for _, room in results), self.get_live_bytes(symbols, with_results=True))
