# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Steps of random programs: places and sizes known at run time, searching, scans, creation and abbreviations. Part of relax-random."""
from relax_random_types import FLOATS, is_float, is_int


def exprs(values):
    return "[" + ", ".join(f"#relax_sym.expr<{value}>" for value in values) + "]"


def array(values):
    return f"array<i64{': ' if values else ''}{', '.join(map(str, values))}>"


def is_positive(dim):
    return (dim.constant() or 0) > 0


class OpSteps:
    """Mixed into the Function of relax_random.py, whose names `tensor`, `Dim` and `Value` it gets as attributes."""

    def many(self, name, operands, results, symbols=(), attrs=""):
        """A line with several results, each an element type and its extents; `symbols` are bound."""
        values = [self.Value(self.fresh(), element, dims) for element, dims in results]
        names, types = ", ".join(o.name for o in operands), ", ".join(o.type for o in operands)
        binds = f" binds [{', '.join(symbols)}]" if symbols else ""
        self.emit(f"{', '.join(v.name for v in values)} = relax.{name} {names}{binds}{' {' + attrs + '}' if attrs else ''} : "
                  f"({types}) -> {values[0].type if len(values) == 1 else '(' + ', '.join(v.type for v in values) + ')'}")
        return values

    def keep(self, values):
        self.values += values
        return values[-1]

    def named(self, values):
        """Values with unknown extents get names for them."""
        return [self.name_extents(v) if None in v.dims else self.keep([v]) for v in values][-1]

    def axis_of(self, x, condition=lambda dim: True):
        fitting = [i for i, dim in enumerate(x.dims) if condition(dim)]
        return self.random.choice(fitting) if fitting else None

    def known(self, *conditions):
        return self.pick(self.Value.is_known, *conditions)

    def integer(self):
        """An i64 of rank 0 that only run time knows, or that the compiler finds out: an extent, a sum or a constant."""
        kind = self.random.randrange(3)
        x = self.known(lambda v: len(v.dims) == 1) if kind == 0 else self.pick(lambda v: is_int(v.element)) if kind == 1 else None
        if x is None:
            return self.number(self.random.choice([-3, -1, 0, 1, 2, 5]), "i64")
        if kind == 0:
            shape, type = self.shape_of(x)
            sizes = self.Value(self.fresh(), "i64", [self.Dim.of(1)])
            self.emit(f"{sizes.name} = relax.shape_to_tensor {shape} : {type} -> {sizes.type}")
            value = self.op("squeeze", [sizes], "i64", [], f"axes = {array([0])}", keep=False)
            return self.op("subtract", [value, self.number(self.random.choice([0, 1, 2]), "i64")], "i64", [], keep=False)
        total = self.op("sum", [x], x.element, [], f"axes = {array(range(len(x.dims)))}", keep=False)
        wide = total if x.element == "i64" else self.op("astype", [total], "i64", [], "dtype = i64", keep=False)
        return self.op("mod", [wide, self.number(7, "i64")], "i64", [], keep=False)

    def integers(self, count):
        parts = [self.op("expand_dims", [self.integer()], "i64", [self.Dim.of(1)], f"axes = {array([0])}", keep=False) for _ in range(count)]
        return parts[0] if count == 1 else self.op("concat", parts, "i64", [self.Dim.of(count)], "axis = 0 : i64", keep=False)

    # Elementwise --------------------------------------------------------------------------------------------------------

    def step_more_unary(self):
        x = self.pick(lambda v: v.element != "i1")
        if not x:
            return None
        if is_int(x.element):
            return self.unary("bitwise_not", x)
        name = self.random.choice(["acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "tan", "exp2", "expm1", "log1p", "log2", "trunc"])
        result = self.unary(name, x)
        return self.tame(result) if name in ("atanh", "cosh", "sinh", "tan", "exp2", "expm1", "log1p", "log2") else result

    def step_predicate(self):
        x = self.pick(lambda v: is_float(v.element))
        if not x:
            return None
        value = self.Value(self.fresh(), "i1", x.dims)
        self.emit(f"{value.name} = relax.{self.random.choice(['is_nan', 'is_inf'])} {x.name} : {x.type} -> {value.type}")
        return self.keep([value])

    def step_bits(self):
        x = self.known(lambda v: not is_float(v.element))
        y = x and self.partner(x)
        if not y:
            return None
        names = ["logical_xor"] if x.element == "i1" else ["bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right"]
        return self.op(self.random.choice(names), [x, y], x.element, self.broadcast(x, y))

    def step_three(self):
        x = self.known(lambda v: v.element != "i1")
        y = x and self.partner(x)
        if not y:
            return None
        z = self.number(self.random.choice([0, 1, 3]), x.element)
        name = self.random.choice(["clip", "fma"]) if is_float(x.element) else "clip"
        result = self.op(name, [x, y, z], x.element, self.broadcast(x, y))
        return self.tame(result) if name == "fma" else result

    # Along an axis ------------------------------------------------------------------------------------------------------

    def step_arg_reduce(self):
        x = self.pick(lambda v: v.is_known() and v.element != "i1" and any(is_positive(d) for d in v.dims))
        if not x:
            return None
        axis, keep = self.axis_of(x, is_positive), self.random.random() < 0.5
        dims = [self.Dim.of(1) if i == axis else d for i, d in enumerate(x.dims) if keep or i != axis]
        attrs = f"axis = {axis} : i64" + ", keepdims" * keep + ", select_last_index" * (self.random.random() < 0.3)
        return self.op(self.random.choice(["argmax", "argmin"]), [x], "i64", dims, attrs)

    def step_scan(self):
        x = self.known(lambda v: v.element != "i1" and v.dims)
        if not x:
            return None
        attrs = f"axis = {self.axis_of(x)} : i64" + ", exclusive" * (self.random.random() < 0.4) + ", reverse" * (self.random.random() < 0.4)
        return self.tame(self.op(self.random.choice(["cumsum", "cumprod"]), [x], x.element, x.dims, attrs))

    def step_composed_reduce(self):
        x = self.known(lambda v: (is_float(v.element) or v.element == "i1") and v.dims)
        if not x:
            return None
        axes = sorted(self.random.sample(range(len(x.dims)), self.random.randint(0, len(x.dims))))
        keep = self.random.random() < 0.5
        dims = [self.Dim.of(1) if i in axes else d for i, d in enumerate(x.dims) if keep or i not in axes]
        name = self.random.choice(["any", "all"] if x.element == "i1" else ["variance", "log_sum_exp", "norm_l1", "norm_l2"])
        more = ", correction = 1 : i64" if name == "variance" and self.random.random() < 0.3 else ""
        return self.op(name, [x], x.element, dims, f"axes = {array(axes)}{', keepdims' if keep else ''}{more}")

    def step_sort(self):
        x = self.known(lambda v: v.dims)
        if not x:
            return None
        axis, more = self.axis_of(x), ", descending" * (self.random.random() < 0.4)
        if self.random.random() < 0.5:
            return self.op("sort", [x], x.element, x.dims, f"axis = {axis} : i64{more}")
        order = self.op("argsort", [x], "i64", x.dims, f"axis = {axis} : i64{more}")
        return self.op("take_along_axis", [x, order], x.element, x.dims, f"axis = {axis} : i64")

    def step_topk(self):
        x = self.known(lambda v: v.dims)
        if not x:
            return None
        axis, k = self.axis_of(x), self.random.choice([0, 1, 2, 5])
        extent = x.dims[axis].constant()
        dims = [(None if extent is None else self.Dim.of(min(k, extent))) if i == axis else d for i, d in enumerate(x.dims)]
        count = self.Shape(self.fresh(), f"!relax.shape<[{k}]>")
        self.emit(f"{count.name} = relax.make_shape : () -> {count.type}")
        attrs = f"axis = {axis} : i64" + ", smallest" * (self.random.random() < 0.4)
        return self.named(self.many("topk", [x, count], [(x.element, dims), ("i64", dims)], attrs=attrs))

    # Sizes found while running --------------------------------------------------------------------------------------------

    def step_nonzero(self):
        x = self.known(lambda v: not is_float(v.element))  # rounding decides which floats are 0
        if not x:
            return None
        symbol = self.symbol()
        found, = self.many("nonzero", [x], [("i64", [self.Dim.of(len(x.dims)), self.Dim.of(symbol)])], [symbol])
        self.values.append(found)
        if not x.dims or self.random.random() < 0.4:
            return found
        # What was found, and a copy in which something else stands there.
        tuples = self.op("permute_dims", [found], "i64", found.dims[::-1], f"permutation = {array([1, 0])}", keep=False)
        taken = self.op("gather_nd", [x, tuples], x.element, [found.dims[1]], "batch_dims = 0 : i64")
        reductions = ["none"] if x.element == "i1" else ["none", "add", "mul", "max", "min"]
        return self.op("scatter_nd", [x, tuples, taken], x.element, x.dims, f'reduction = "{self.random.choice(reductions)}"')

    def step_unique_all(self):
        x = self.known(lambda v: not is_float(v.element))
        if not x:
            return None
        symbol, size = self.symbol(), self.Dim.of(1)
        for dim in x.dims:
            size = size * dim
        found = [self.Dim.of(symbol)]
        return self.keep(self.many("unique_all", [x], [(x.element, found), ("i64", found), ("i64", [size]), ("i64", found)], [symbol]))

    def step_compress(self):
        mask = self.known(lambda v: v.element == "i1" and v.dims)
        rank = mask and len(mask.dims)
        x = mask and self.known(lambda v: any(v.dims[i:i + rank] == mask.dims for i in range(len(v.dims))))
        if not x:
            return None
        axis, symbol = next(i for i in range(len(x.dims)) if x.dims[i:i + rank] == mask.dims), self.symbol()
        dims = [*x.dims[:axis], self.Dim.of(symbol), *x.dims[axis + rank:]]
        return self.keep(self.many("compress", [x, mask], [(x.element, dims)], [symbol], f"axis = {axis} : i64"))

    def step_dynamic_slice(self):
        x = self.known(lambda v: v.dims)
        if not x:
            return None
        axes = sorted(self.random.sample(range(len(x.dims)), self.random.choice([1, 1, min(2, len(x.dims))])))
        operands = [x, self.integers(len(axes)), self.integers(len(axes))]
        symbols = [self.symbol() for _ in axes]
        dims = [self.Dim.of(symbols[axes.index(i)]) if i in axes else d for i, d in enumerate(x.dims)]
        if self.random.random() < 0.5:
            return self.keep(self.many("dynamic_slice", operands, [(x.element, dims)], symbols, f"axes = {array(axes)}"))
        strides = self.constant(str([self.random.choice([1, 2, -1, -2, 3]) for _ in axes]), "i64", [len(axes)])
        value = self.Value(self.fresh(), x.element, dims)
        names, types = [o.name for o in operands], ", ".join(o.type for o in [*operands, strides])
        self.emit(f"{value.name} = relax.dynamic_slice {', '.join(names)} strides({strides.name}) binds [{', '.join(symbols)}] "
                  f"{{axes = {array(axes)}}} : ({types}) -> {value.type}")
        return self.keep([value])

    def step_dynamic_reshape(self):
        x = self.known(lambda v: v.dims)
        if not x:
            return None
        copied = self.random.randrange(len(x.dims))
        entries = [0] * copied + [-1] + [1] * self.random.randrange(2)
        target, symbols = self.constant(str(entries), "i64", [len(entries)]), [self.symbol() for _ in entries]
        return self.keep(self.many("dynamic_reshape", [x, target], [(x.element, map(self.Dim.of, symbols))], symbols))

    def step_arange(self):
        symbol = self.symbol()
        operands = [self.integer(), self.integer(), self.number(self.random.choice([1, 2, -1, 3]), "i64")]
        return self.keep(self.many("arange", operands, [("i64", [self.Dim.of(symbol)])], [symbol]))

    # Moving elements ------------------------------------------------------------------------------------------------------

    def step_split(self):
        x = self.known(lambda v: v.dims)
        if not x:
            return None
        axis = self.axis_of(x)
        if is_positive(x.dims[axis]):
            size, first = x.dims[axis].constant(), self.random.randint(0, x.dims[axis].constant())
            sizes = [first, size - first]
            parts = [(x.element, [self.Dim.of(s) if i == axis else d for i, d in enumerate(x.dims)]) for s in sizes]
            return self.keep(self.many("split", [x], parts, attrs=f"axis = {axis} : i64, sizes = {exprs(sizes)}"))
        sections = self.random.choice([1, 2, 3])
        dims = [None if i == axis else d for i, d in enumerate(x.dims)]
        return self.named(self.many("split", [x], [(x.element, dims)] * sections, attrs=f"axis = {axis} : i64, sections = {sections} : i64, uneven"))

    def step_repeated(self):
        x = self.known(lambda v: v.dims)
        if not x:
            return None
        axis, count = self.axis_of(x), self.random.choice([0, 1, 2, 3])
        dims = [d * count if i == axis else d for i, d in enumerate(x.dims)]
        if self.random.random() < 0.5:
            return self.op("repeat", [x], x.element, dims, f"axis = {axis} : i64, repeats = #relax_sym.expr<{count}>")
        return self.op("tile", [x], x.element, dims, f"repeats = {exprs(count if i == axis else 1 for i in range(len(dims)))}")

    def step_stack(self):
        x = self.known(lambda v: len(v.dims) < 3)
        y = x and self.known(lambda v: v.element == x.element and v.dims == x.dims)
        if not y:
            return None
        axis, dims = self.random.randint(0, len(x.dims)), list(x.dims)
        dims.insert(axis, self.Dim.of(2))
        return self.op("stack", [x, y], x.element, dims, f"axis = {axis} : i64")

    def step_flip_or_roll(self):
        x = self.known(lambda v: v.dims)
        if not x:
            return None
        axes = sorted(self.random.sample(range(len(x.dims)), self.random.randint(1, len(x.dims))))
        if self.random.random() < 0.5:
            return self.op("flip", [x], x.element, x.dims, f"axes = {array(axes)}")
        shifts = [self.random.choice([-2, -1, 0, 1, 3]) for _ in axes]
        return self.op("roll", [x], x.element, x.dims, f"axes = {array(axes)}, shifts = {exprs(shifts)}")

    def step_triangle(self):
        x = self.known(lambda v: len(v.dims) >= 2)
        return x and self.op(self.random.choice(["tril", "triu"]), [x], x.element, x.dims, f"diagonal = {self.random.choice([-1, 0, 1])} : i64")

    def step_pad(self):
        x = self.known(lambda v: v.dims)
        if not x:
            return None
        axis = self.axis_of(x)
        mode = self.random.choice(["constant", "edge", "reflect", "wrap"]) if is_positive(x.dims[axis]) else "constant"
        low, high = self.random.choice([(0, 1), (2, 0), (1, 3)])
        dims = [d + low + high if i == axis else d for i, d in enumerate(x.dims)]
        attrs = ", ".join(f"{name} = {exprs(amount if i == axis else 0 for i in range(len(dims)))}" for name, amount in [("low", low), ("high", high)])
        return self.op("pad", [x], x.element, dims, f'{attrs}, mode = "{mode}"')

    def step_scatter(self):
        x = self.known(lambda v: any(is_positive(d) for d in v.dims))
        if not x:
            return None
        axis = self.axis_of(x, is_positive)
        dims = [self.Dim.of(2) if i == axis else d for i, d in enumerate(x.dims)]
        shape = self.shape(dims)
        if not shape:
            return None
        place = self.Value(self.fresh(), "i64", dims)
        number = self.random.randrange(x.dims[axis].constant())
        self.emit(f"{place.name} = relax.full {shape[0]}, {number} : i64 : ({shape[1]}) -> {place.type}")
        updates = self.op("take_along_axis", [x, place], x.element, dims, f"axis = {axis} : i64")
        reductions = ["none"] if x.element == "i1" else ["none", "add", "max", "min"]
        attrs = f'axis = {axis} : i64, reduction = "{self.random.choice(reductions)}"'
        return self.tame(self.op("scatter_elements", [x, place, updates], x.element, x.dims, attrs))

    # Creation and products ------------------------------------------------------------------------------------------------

    def step_create(self):
        x = self.known(lambda v: v.dims)
        shape = x and self.shape(list(x.dims))
        if not shape:
            return None
        name, element = self.random.choice(["eye", "iota", "random_uniform", "random_normal", "full_like"]), self.random.choice(FLOATS)
        if name == "full_like":
            value = self.Value(self.fresh(), element, x.dims)
            self.emit(f"{value.name} = relax.full_like {x.name}, 1.5 : {element} : ({x.type}) -> {value.type}")
            return self.keep([value])
        if name == "eye" and len(x.dims) != 2:
            name = "iota"
        if name in ("eye", "iota"):
            element = self.random.choice([element, "i32", "i64", "i8", "ui16"])
        if name == "iota" and element in ("i8", "f16", "bf16"):
            element = "i32"
        attrs = {"eye": f"diagonal = {self.random.choice([-1, 0, 2])} : i64", "iota": f"axis = {self.axis_of(x)} : i64"}.get(name, "seed = 5 : i64")
        value = self.Value(self.fresh(), element, x.dims)
        self.emit(f"{value.name} = relax.{name} {shape[0]} {{{attrs}, dtype = {element}}} : ({shape[1]}) -> {value.type}")
        return self.keep([value])

    def step_one_hot(self):
        x = self.known(lambda v: v.element in ("i32", "i64") and len(v.dims) < 3)
        if not x:
            return None
        axis, depth, dims, element = self.random.randint(0, len(x.dims)), self.random.choice([0, 1, 3]), list(x.dims), self.random.choice(["f32", "i16", "bf16", "ui8"])
        dims.insert(axis, self.Dim.of(depth))
        count = self.Shape(self.fresh(), f"!relax.shape<[{depth}]>")
        self.emit(f"{count.name} = relax.make_shape : () -> {count.type}")
        return self.op("one_hot", [x, count, self.number(3, element), self.number(1, element)], element, dims, f"axis = {axis} : i64")

    def step_bucketize(self):
        x = self.known(lambda v: is_int(v.element))
        if not x:
            return None
        bounds = self.constant(str(sorted(self.random.sample(range(0 if x.element.startswith("u") else -4, 5), 3))), x.element, [3])
        return self.op("bucketize", [x, bounds], "i64", x.dims, "right" * (self.random.random() < 0.5))

    def step_einsum(self):
        x = self.known(lambda v: v.element != "i1" and 0 < len(v.dims) < 3)
        y = x and self.known(lambda v: v.element == x.element and 0 < len(v.dims) < 3)
        if not y:
            return None
        if len(x.dims) == len(y.dims) == 1 and self.random.random() < 0.3:
            return self.tame(self.op("outer", [x, y], x.element, [x.dims[0], y.dims[0]]))
        letters, names = {}, iter("abcdefgh")

        def label(dim, taken):
            known = [letter for letter, extent in letters.items() if extent == dim and letter not in taken]
            letter = known[0] if known and self.random.random() < 0.7 else next(names)
            letters[letter] = dim
            return letter

        terms = []
        for operand in [x, y]:
            term = []
            for dim in operand.dims:
                term.append(label(dim, term))
            terms.append("".join(term))
        output = [letter for letter in letters if self.random.random() < 0.6]
        self.random.shuffle(output)
        equation = f'equation = "{",".join(terms)}->{"".join(output)}"'
        return self.tame(self.op("einsum", [x, y], x.element, [letters[letter] for letter in output], equation))
