# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Random tensor programs as MLIR text, for tests that compare what passes make of them. Values are small integers in f32,
so that every order of additions gives the same bits."""
import random


class Graph:
    """A function of calls. Extents are static, so that the result needs no shape values."""

    def __init__(self, seed, name):
        self.random = random.Random(seed)
        self.name = name
        self.programs = {}
        self.lines = []
        self.values = []  # (name, shape)
        self.a = self.random.choice([0, 1, 3, 5])
        self.b = self.random.choice([0, 1, 4])

    @staticmethod
    def type(shape):
        return "tensor<" + "".join(f"{d}x" for d in shape) + "f32>"

    def program(self, key, inputs, out, body):
        """Adds a program once; body is text between the braces without the yield of %r."""
        name = f"{self.name}_p{len(self.programs)}"
        if key in self.programs:
            return self.programs[key]
        args = ", ".join(f"%i{i}: {self.type(s)}" for i, s in enumerate(inputs))
        text = f"relax_tp.func private @{name}({args}) outs(%o: {self.type(out)}) {{\n{body}\n  relax_tp.yield %r : {self.type(out)}\n}}\n"
        self.programs[key] = name
        self.texts = getattr(self, "texts", []) + [text]
        return name

    def generic(self, inputs, maps, out, out_map, iterators, scalar, init="%o"):
        ins = ", ".join(f"%i{i}" for i in range(len(inputs)))
        types = ", ".join(self.type(s) for s in inputs)
        args = ", ".join([f"%a{i}: f32" for i in range(len(inputs))] + ["%acc: f32"])
        all_maps = ", ".join(f"affine_map<{m}>" for m in maps + [out_map])
        its = ", ".join(f'"{i}"' for i in iterators)
        operands = f"ins({ins} : {types}) " if inputs else ""
        return (f"  %r = linalg.generic {{indexing_maps = [{all_maps}], iterator_types = [{its}]}} {operands}"
                f"outs({init} : {self.type(out)}) {{\n  ^bb0({args}):\n{scalar}\n    linalg.yield %y : f32\n  }} -> {self.type(out)}")

    def identity(self, rank):
        dims = ", ".join(f"d{i}" for i in range(rank))
        return f"({dims}) -> ({dims})"

    def add_call(self, key, inputs, out, body):
        name = self.program(key, [s for _, s in inputs], out, body)
        value = f"%v{len(self.values)}"
        operands = ", ".join(n for n, _ in inputs)
        types = ", ".join(self.type(s) for _, s in inputs)
        self.lines.append(f"  {value} = relax.call_tp @{name}({operands}) : ({types}) -> {self.type(out)}")
        self.values.append((value, out))

    def pick(self, rank=None):
        choices = [v for v in self.values if rank is None or len(v[1]) == rank]
        return self.random.choice(choices[-4:] if self.random.random() < 0.7 else choices)

    CLAMP = ("    %lo = arith.constant -3.0 : f32\n    %hi = arith.constant 3.0 : f32\n"
             "    %c0 = arith.maximumf %t, %lo : f32\n    %y = arith.minimumf %c0, %hi : f32")

    def step(self):
        kind = self.random.choice(["unary", "unary", "binary", "binary", "bias", "transpose", "sum", "max", "matmul", "spread",
                                   "center", "expensive", "select", "index"])
        name, shape = value = self.pick()
        rank = len(shape)
        ident = self.identity(rank)
        parallel = ["parallel"] * rank
        if kind == "unary":
            op = self.random.choice(["    %t = arith.negf %a0 : f32", "    %k = arith.constant 1.0 : f32\n    %t = arith.addf %a0, %k : f32",
                                     "    %k = arith.constant 0.0 : f32\n    %t = arith.maximumf %a0, %k : f32"])
            self.add_call((kind, op, shape), [value], shape, self.generic([shape], [ident], shape, ident, parallel, op + "\n" + self.CLAMP))
        elif kind == "expensive":  # exact for integers
            op = "    %t0 = math.sqrt %sq : f32\n    %t = arith.divf %t0, %one : f32"
            op = "    %one = arith.constant 1.0 : f32\n    %sq = arith.mulf %a0, %a0 : f32\n" + op
            self.add_call((kind, shape), [value], shape, self.generic([shape], [ident], shape, ident, parallel, op + "\n" + self.CLAMP))
        elif kind == "index":
            op = "    %n = linalg.index 0 : index\n    %n1 = arith.index_cast %n : index to i64\n    %n2 = arith.sitofp %n1 : i64 to f32\n    %t = arith.subf %a0, %n2 : f32"
            self.add_call((kind, shape), [value], shape, self.generic([shape], [ident], shape, ident, parallel, op + "\n" + self.CLAMP))
        elif kind == "binary":
            others = [v for v in self.values if v[1] == shape]
            other = self.random.choice(others)
            op = self.random.choice(["addf", "subf", "mulf", "maximumf"])
            scalar = f"    %t = arith.{op} %a0, %a1 : f32\n" + self.CLAMP
            self.add_call((kind, op, shape), [value, other], shape,
                          self.generic([shape, shape], [ident, ident], shape, ident, parallel, scalar))
        elif kind == "bias" and rank == 2:
            others = [v for v in self.values if len(v[1]) == 1 and v[1][0] in shape]
            if not others:
                return
            other = self.random.choice(others)
            axis = shape.index(other[1][0])
            scalar = "    %t = arith.addf %a0, %a1 : f32\n" + self.CLAMP
            self.add_call((kind, axis, shape, other[1]), [value, other], shape,
                          self.generic([shape, other[1]], [ident, f"(d0, d1) -> (d{axis})"], shape, ident, parallel, scalar))
        elif kind == "transpose" and rank == 2:
            out = (shape[1], shape[0])
            self.add_call((kind, shape), [value], out,
                          self.generic([shape], ["(d0, d1) -> (d1, d0)"], out, ident, parallel, "    %y = arith.addf %a0, %a0 : f32"))
        elif kind in ("sum", "max") and rank == 2:
            axis = self.random.choice([0, 1])
            out = (shape[1 - axis],)
            start, op = ("0.0", "addf") if kind == "sum" else ("-9.0", "maximumf")
            fill = f"  %z = arith.constant {start} : f32\n  %f = linalg.fill ins(%z : f32) outs(%o : {self.type(out)}) -> {self.type(out)}\n"
            its = ["reduction", "parallel"] if axis == 0 else ["parallel", "reduction"]
            body = fill + self.generic([shape], [ident], out, f"(d0, d1) -> (d{1 - axis})", its, f"    %y = arith.{op} %acc, %a0 : f32", "%f")
            self.add_call((kind, axis, shape), [value], out, body)
        elif kind == "matmul" and rank == 2:
            others = [v for v in self.values if len(v[1]) == 2 and v[1][0] == shape[1]]
            if not others:
                return
            other = self.random.choice(others)
            out = (shape[0], other[1][1])
            fill = f"  %z = arith.constant 0.0 : f32\n  %f = linalg.fill ins(%z : f32) outs(%o : {self.type(out)}) -> {self.type(out)}\n"
            body = fill + (f"  %r = linalg.matmul ins(%i0, %i1 : {self.type(shape)}, {self.type(other[1])}) "
                           f"outs(%f : {self.type(out)}) -> {self.type(out)}")
            self.add_call((kind, shape, other[1]), [value, other], out, body)
        elif kind == "spread" and rank == 1:
            out = self.random.choice([(shape[0], self.b), (self.a, shape[0])])
            axis = 0 if out[0] == shape[0] else 1
            self.add_call((kind, shape, out, axis), [value], out,
                          self.generic([shape], [f"(d0, d1) -> (d{axis})"], out, self.identity(2), ["parallel"] * 2, "    %y = arith.negf %a0 : f32"))
        elif kind == "center" and rank == 2:
            row = (shape[0],)
            body = (f"  %e = tensor.empty() : {self.type(row)}\n  %z = arith.constant 0.0 : f32\n"
                    f"  %f = linalg.fill ins(%z : f32) outs(%e : {self.type(row)}) -> {self.type(row)}\n"
                    f"  %s = linalg.reduce {{arith.addf}} ins(%i0 : {self.type(shape)}) outs(%f : {self.type(row)}) dimensions = [1]\n"
                    + self.generic([shape, row], [ident, "(d0, d1) -> (d0)"], shape, ident, parallel,
                                   "    %t = arith.subf %a0, %a1 : f32\n" + self.CLAMP).replace("ins(%i0, %i1", "ins(%i0, %s"))
            self.add_call((kind, shape), [value], shape, body)
        elif kind == "select" and rank == 2:
            out = shape
            scalar = ("    %n = arith.fptosi %a0 : f32 to i32\n    %j = linalg.index 1 : index\n    %j1 = arith.index_cast %j : index to i32\n"
                      "    %same = arith.cmpi eq, %n, %j1 : i32\n    %y = arith.uitofp %same : i1 to f32")
            row = (shape[0],)
            rows = [v for v in self.values if v[1] == row]
            if not rows:
                return
            self.add_call((kind, row, out), [self.random.choice(rows)], out,
                          self.generic([row], ["(d0, d1) -> (d0)"], out, ident, parallel, scalar))

    def text(self, steps):
        """(module text, main lines that print every result)"""
        shapes = [(self.a, self.b), (self.b, self.a), (self.a,), (self.b,)]
        constants = []
        for i, shape in enumerate(shapes):
            value = f"%v{i}"
            self.values.append((value, shape))
            count = 1
            for d in shape:
                count *= d
            numbers = [self.random.randint(-3, 3) for _ in range(count)]
            it = iter(numbers)

            def nest(dims, it=it):
                return "[" + ", ".join(nest(dims[1:]) for _ in range(dims[0])) + "]" if dims else f"{next(it)}.0"

            dense = "dense<>" if count == 0 else f"dense<{nest(shape)}>"
            constants.append(f"  {value} = arith.constant {dense} : {self.type(shape)}")
        for _ in range(steps):
            self.step()
        used = " ".join(line.split("=", 1)[1] for line in self.lines)
        sinks = [v for v in self.values if f"{v[0]}," not in used and f"{v[0]})" not in used]
        types = ", ".join(self.type(s) for _, s in sinks)
        names = ", ".join(n for n, _ in sinks)
        # Opaque to folding: the values are arguments.
        params = ", ".join(f"%v{i}: {self.type(s)}" for i, s in enumerate(shapes))
        function = (f"func.func private @{self.name}({params}) -> ({types}) {{\n" + "\n".join(self.lines) +
                    f"\n  return {names} : {types}\n}}\n")
        args = ", ".join(f"%v{i}" for i in range(len(shapes)))
        arg_types = ", ".join(self.type(s) for s in shapes)
        results = ":" + str(len(sinks)) if len(sinks) > 1 else ""
        main = [f"  %{self.name}{results} = func.call @{self.name}({args}) : ({arg_types}) -> ({types})"]
        for i, (_, shape) in enumerate(sinks):
            result = f"%{self.name}#{i}" if len(sinks) > 1 else f"%{self.name}"
            cast = f"%{self.name}_c{i}"
            main.append(f"  {cast} = tensor.cast {result} : {self.type(shape)} to tensor<*xf32>")
            main.append(f"  func.call @printMemrefF32({cast}) : (tensor<*xf32>) -> ()")
        return "".join(getattr(self, "texts", [])) + function, "\n".join(constants + main)


class Loops:
    """One program in buffer form: nests of loops with one or more stores, right or wrong to raise."""

    def __init__(self, seed, name):
        self.random = random.Random(seed)
        self.name = name
        self.extents = {"i": self.random.choice([0, 1, 3]), "j": self.random.choice([1, 3]), "k": self.random.choice([1, 3, 4])}
        shapes = [("i",), ("j",), ("i", "j"), ("j", "i"), ("i", "k"), ("k", "j")]
        self.inputs = [(f"%x{n}", s) for n, s in enumerate(shapes)]
        self.outs = [(f"%o{n}", s) for n, s in enumerate([("i", "j"), ("i",), ("j", "i")])]
        self.count = 0

    @staticmethod
    def type(shape):
        return "memref<" + "".join(f"{d}x" for d in shape) + "f32>"

    def shape(self, dims):
        return tuple(self.extents[d] for d in dims)

    def fresh(self):
        self.count += 1
        return f"%t{self.count}"

    def index(self, dim, loops):
        """An index expression for a dimension that stays inside of it: mostly the loop that belongs to it."""
        extent = self.extents[dim]
        own = [iv for iv, name in loops if name == dim]
        if own and self.random.random() < 0.96:
            return own[0]
        fitting = [iv for iv, name in loops if self.extents[name] <= extent]
        if fitting and self.random.random() < 0.7:
            iv = self.random.choice(fitting)
            return iv if self.random.random() < 0.7 else f"{extent - 1} - {iv}"
        return "0" if extent > 0 else None

    def access(self, dims, loops):
        result = [self.index(dim, loops) for dim in dims]
        return None if None in result else ", ".join(result)

    def statement(self, loops, indent):
        lines = []
        names = {name for _, name in loops}
        fitting = [o for o in self.outs if set(o[1]) <= names]
        if not fitting or self.random.random() < 0.03:
            fitting = self.outs
        out, dims = self.random.choice(fitting)
        place = self.access(dims, loops)
        if place is None:
            return lines
        reduces = bool(names - set(dims))
        loads = []
        readable = [v for v in self.inputs + self.outs if set(v[1]) <= names] or self.inputs
        for name in sorted(names - set(dims)):  # a load shows the extent of each reduction
            showing = [v for v in readable if name in v[1]]
            if showing and self.random.random() < 0.9:
                loads.append(self.random.choice(showing))
        for _ in range(self.random.choice([0, 1, 1]) if loads else self.random.choice([0, 1, 1, 2])):
            loads.append(self.random.choice(readable))
        value = None
        for source, source_dims in loads:
            at = place if source == out else self.access(source_dims, loops)
            if at is None:
                continue
            loaded = self.fresh()
            lines.append(f"{indent}{loaded} = affine.load {source}[{at}] : {self.type(self.shape(source_dims))}")
            if value is None:
                value = loaded
            else:
                combined = self.fresh()
                op = self.random.choice(["addf", "mulf", "maximumf", "subf"])
                lines.append(f"{indent}{combined} = arith.{op} {value}, {loaded} : f32")
                value = combined
        if value is None:
            value = self.fresh()
            lines.append(f"{indent}{value} = arith.constant {self.random.randint(-3, 3)}.0 : f32")
        if self.random.random() < (0.9 if reduces else 0.1):
            old, new = self.fresh(), self.fresh()
            op = self.random.choice(["addf"] * 6 + ["maximumf"] * 5 + ["subf"])
            lines.append(f"{indent}{old} = affine.load {out}[{place}] : {self.type(self.shape(dims))}")
            lines.append(f"{indent}{new} = arith.{op} {old}, {value} : f32")
            value = new
        # Values stay small, so that they are exact.
        if not reduces:
            low, high, above, clamped = self.fresh(), self.fresh(), self.fresh(), self.fresh()
            lines += [f"{indent}{low} = arith.constant -4.0 : f32", f"{indent}{high} = arith.constant 4.0 : f32",
                      f"{indent}{above} = arith.maximumf {value}, {low} : f32",
                      f"{indent}{clamped} = arith.minimumf {above}, {high} : f32"]
            value = clamped
        lines.append(f"{indent}affine.store {value}, {out}[{place}] : {self.type(self.shape(dims))}")
        return lines

    def nest(self, dims, loops, indent):
        if not dims:
            lines = []
            for _ in range(self.random.choice([1, 1, 2])):
                lines += self.statement(loops, indent)
            return lines
        lines = []
        if loops and self.random.random() < 0.4:
            lines += self.statement(loops, indent)
        d = dims[0]
        iv = f"%{d}{self.count}"
        self.count += 1
        bound = self.extents[d]
        lines.append(f"{indent}affine.for {iv} = 0 to {bound} {{")
        lines += self.nest(dims[1:], loops + [(iv, d)], indent + "  ")
        lines.append(f"{indent}}}")
        if loops and self.random.random() < 0.2:
            lines += self.statement(loops, indent)
        return lines

    def text(self):
        lines = []
        for out, dims in self.outs:  # nothing is read before it is written
            lines.append(f"  %z{out[1:]} = arith.constant 1.0 : f32")
            ivs, shape = [], self.shape(dims)
            for n, extent in enumerate(shape):
                lines.append("  " * (n + 1) + f"affine.for %{out[1:]}d{n} = 0 to {extent} {{")
                ivs.append(f"%{out[1:]}d{n}")
            lines.append(f"    affine.store %z{out[1:]}, {out}[{', '.join(ivs)}] : {self.type(shape)}")
            lines += ["  }"] * len(shape)
        for _ in range(self.random.choice([1, 2, 3])):
            dims = self.random.choice([["i"], ["j"], ["i", "j"], ["j", "i"], ["i", "j", "k"], ["i", "k", "j"], ["i", "k"], ["k", "i", "j"]])
            lines += self.nest(dims, [], "  ")
        args = ", ".join(f"{n}: {self.type(self.shape(s))}" for n, s in self.inputs)
        outs = ", ".join(f"{n}: {self.type(self.shape(s))}" for n, s in self.outs)
        body = "\n".join(lines)
        program = f"relax_tp.func private @{self.name}({args}) outs({outs}) {{\n{body}\n  relax_tp.yield\n}}\n"

        def tensor(dims):
            return Graph.type(self.shape(dims))

        main = []
        names = []
        for n, (_, dims) in enumerate(self.inputs):
            count, shape = 1, self.shape(dims)
            for d in shape:
                count *= d
            numbers = iter([self.random.randint(-3, 3) for _ in range(count)])

            def nested(dims, numbers=numbers):
                return "[" + ", ".join(nested(dims[1:]) for _ in range(dims[0])) + "]" if dims else f"{next(numbers)}.0"

            names.append(f"%{self.name}_x{n}")
            dense = "dense<>" if count == 0 else f"dense<{nested(shape)}>"
            main.append(f"  {names[-1]} = arith.constant {dense} : {tensor(dims)}")
        types = ", ".join(tensor(s) for _, s in self.inputs)
        results = ", ".join(tensor(s) for _, s in self.outs)
        main.append(f"  %{self.name}:{len(self.outs)} = relax.call_tp @{self.name}({', '.join(names)}) : ({types}) -> ({results})")
        for i, (_, dims) in enumerate(self.outs):
            main.append(f"  %{self.name}_c{i} = tensor.cast %{self.name}#{i} : {tensor(dims)} to tensor<*xf32>")
            main.append(f"  func.call @printMemrefF32(%{self.name}_c{i}) : (tensor<*xf32>) -> ()")
        return program, "\n".join(main)
