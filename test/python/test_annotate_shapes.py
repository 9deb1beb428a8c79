# Licensed under the Apache License, Version 2.0. See LICENSE.
"""relax-annotate-shapes folds nothing that is not so: random index programs against an evaluation at small sizes."""
import functools
import itertools
import random
import re

import pytest

PREDICATES = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b, "sgt": lambda a, b: a > b, "sge": lambda a, b: a >= b,
    "ult": lambda a, b: u(a) < u(b), "ule": lambda a, b: u(a) <= u(b),
    "ugt": lambda a, b: u(a) > u(b), "uge": lambda a, b: u(a) >= u(b),
}
SIZES = [0, 1, 2, 3, 5]


class Undefined(Exception):
    """The program has no defined result from here on."""


def u(value):
    return value % 2**64


def s(value):
    value %= 2**64
    return value - 2**64 if value >= 2**63 else value


def defined(condition):
    if not condition:
        raise Undefined


def divide(name, a, b):
    defined(b != 0)
    if name == "floordivsi":
        return a // b
    if name == "ceildivsi":
        return -(-a // b)
    if name in ("divui", "remui", "ceildivui"):
        a, b = u(a), u(b)
        return s(a // b if name == "divui" else a % b if name == "remui" else -(-a // b))
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient if name == "divsi" else a - b * quotient


BINARY = {"addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b,
          "minsi": min, "maxsi": max, "minui": lambda a, b: min(a, b, key=u), "maxui": lambda a, b: max(a, b, key=u)}
BINARY.update({name: functools.partial(divide, name)
               for name in ["floordivsi", "ceildivsi", "divui", "remui", "ceildivui", "divsi", "remsi"]})


class Program:
    """A function of two tensors: text, and steps that compute each value from earlier ones."""

    def __init__(self, name, seed):
        self.random = random.Random(seed)
        self.name, self.lines, self.steps = name, [], []
        self.index, self.bool, self.tensor = ["d0", "d1", "d2"], [], ["y"]
        for value in [0, 1, 2, 4]:
            self.add(f"k{value}", f"arith.constant {value} : index", lambda env, value=value: value, self.index)
        self.lines += ["%d0 = tensor.dim %x, %k0 : tensor<?x?xf32>", "%d1 = tensor.dim %x, %k1 : tensor<?x?xf32>",
                       "%d2 = tensor.dim %y, %k0 : tensor<?xf32>"]
        for number in range(14):
            self.random.choice([self.arith, self.arith, self.arith, self.compare, self.compare, self.assertion, self.select,
                                self.tensors, self.branch])(number)
        if not self.bool:
            self.compare("last")

    def add(self, name, text, step, pool):
        self.lines.append(f"%{name} = {text}")
        self.steps.append((name, step))
        pool.append(name)

    def arith(self, number):
        op, a, b = self.random.choice(list(BINARY)), self.random.choice(self.index), self.random.choice(self.index)
        self.add(f"v{number}", f"arith.{op} %{a}, %{b} : index", lambda env: BINARY[op](env[a], env[b]), self.index)

    def compare(self, number):
        p, a, b = self.random.choice(list(PREDICATES)), self.random.choice(self.index), self.random.choice(self.index)
        self.add(f"c{number}", f"arith.cmpi {p}, %{a}, %{b} : index", lambda env: int(PREDICATES[p](env[a], env[b])), self.bool)

    def assertion(self, number):
        if self.bool:
            condition = self.random.choice(self.bool)
            self.lines.append(f'cf.assert %{condition}, "{number}"')
            self.steps.append((None, lambda env: defined(env[condition])))

    def select(self, number):
        if self.bool:
            c, a, b = self.random.choice(self.bool), self.random.choice(self.index), self.random.choice(self.index)
            self.add(f"v{number}", f"arith.select %{c}, %{a}, %{b} : index", lambda env: env[a] if env[c] else env[b], self.index)

    def tensors(self, number):
        """A new tensor, and its size as an index."""
        name, kind, a, b = f"t{number}", self.random.randrange(4), self.random.choice(self.tensor), self.random.choice(self.tensor)
        size = self.random.choice(self.index)

        def empty(env):
            defined(env[size] >= 0)
            return env[size]

        def add(env):
            defined(env[a] == env[b])
            return env[a]

        text, step = [
            (f"tensor.empty(%{size}) : tensor<?xf32>", empty),
            (f"arith.addf %{a}, %{b} : tensor<?xf32>", add),
            (f"tensor.concat dim(0) %{a}, %{b} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>", lambda env: env[a] + env[b]),
            ("tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>", lambda env: env["d0"] * env["d1"]),
        ][kind]
        self.add(name, text, step, self.tensor)
        self.add(f"n{number}", f"tensor.dim %{name}, %k0 : tensor<?xf32>", lambda env: env[name], self.index)

    def branch(self, number):
        """The same comparison in both branches of an scf.if: conditions are facts there."""
        if not self.bool:
            return
        c, p, a, b = (self.random.choice(self.bool), self.random.choice(list(PREDICATES)), self.random.choice(self.index),
                      self.random.choice(self.index))
        compare = f"%i = arith.cmpi {p}, %{a}, %{b} : index\n  scf.yield %i : i1"
        self.add(f"c{number}", f"scf.if %{c} -> i1 {{\n  {compare}\n}} else {{\n  {compare}\n}}",
                 lambda env: int(PREDICATES[p](env[a], env[b])), self.bool)

    def results(self):
        return [(name, "i1") for name in self.bool] + [(name, "index") for name in self.index[7:]]

    def __str__(self):
        names = ", ".join(f"%{name}" for name, _ in self.results())
        types = ", ".join(kind for _, kind in self.results())
        return "\n".join([f"func.func @{self.name}(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> ({types}) {{", *self.lines,
                          f"return {names} : {types}", "}"])

    def evaluate(self, sizes):
        """Values up to where the program is undefined."""
        env = {"d0": sizes[0], "d1": sizes[1], "d2": sizes[2], "y": sizes[2]}
        try:
            for name, step in self.steps:
                value = step(env)
                if name:
                    # Wrapping is taken not to happen.
                    defined(-2**63 <= value < 2**63)
                    env[name] = value
        except Undefined:
            pass
        return env


def folded(text, name):
    """What the function returns: an int for each constant, else the name of the value."""
    body = re.search(rf"func\.func @{name}\(.*?\n  }}\n", text, re.DOTALL).group(0)
    constants = {}
    for value, number in re.findall(r"(%\w+) = arith\.constant (-?\d+|true|false)", body):
        constants[value] = {"true": 1, "false": 0}.get(number) if number in ("true", "false") else int(number)
    values = re.findall(r"^    return (.*) : ", body, re.MULTILINE)[-1].split(", ")
    return [constants.get(value, value) for value in values]


@pytest.mark.parametrize("seed", range(3))
def test_random_programs(tool, tmp_path, seed):
    programs = [Program(f"f{number}", 1000 * seed + number) for number in range(60)]
    (tmp_path / "in.mlir").write_text("\n".join(map(str, programs)))
    done = tool("relax-opt", tmp_path / "in.mlir", "--relax-annotate-shapes=fold=true", "--canonicalize", "--cse")
    assert done.returncode == 0, done.stderr
    decided = 0
    for program in programs:
        got = folded(done.stdout, program.name)
        decided += sum(isinstance(value, int) for value in got)
        for sizes in itertools.product(SIZES, repeat=3):
            env, same = program.evaluate(sizes), {}
            for (name, _), value in zip(program.results(), got):
                if name not in env:
                    continue
                want = env[name]
                expected = value if isinstance(value, int) else same.setdefault(value, want)
                assert want == expected, f"{program}\n{name} is {want}, not {expected}, at {sizes}"
    assert decided > 100
