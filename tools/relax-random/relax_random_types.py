# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Steps of random programs: element types that are only stored, weights, blocks, and what other steps leave out. Part of relax-random."""

FLOATS, SIGNED, UNSIGNED = ["f32", "f16", "f64", "bf16"], ["i32", "i64", "i8", "i16"], ["ui8", "ui16", "ui32", "ui64"]
INTS = SIGNED + UNSIGNED
STORED_FLOATS = ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN"]
STORED_INTS = ["i4", "i2", "ui4", "ui2"]
BLOCK_BYTES = {"q4_0": 18, "q4_1": 20, "q5_0": 22, "q5_1": 24, "q8_0": 34}  # 32 numbers each


def is_float(element):
    return element in FLOATS


def is_int(element):
    return element in INTS


def ints(*values):
    return f"array<i64{': ' if values else ''}{', '.join(map(str, values))}>"


class TypeSteps:
    """Mixed into the Function of relax_random.py, whose `Dim` and `Value` it gets as attributes."""

    def weight(self, text, element, dims):
        """A weight of the module with these values."""
        name = f"{self.name}_w{len(self.module)}"
        value = self.Value(self.fresh(), element, [self.Dim.of(d) for d in dims])
        self.module.append(f"relax.weight_data @{name} : {value.type} = dense<{text}> : {value.type}\n")
        self.emit(f"{value.name} = relax.weight @{name} : {value.type}")
        return value

    def nested(self, dims, number):
        """Text of a dense attribute."""
        if not dims:
            return str(number())
        return "[" + ", ".join(self.nested(dims[1:], number) for _ in range(dims[0])) + "]"

    def step_weight(self):
        element = self.random.choice(FLOATS + INTS)
        dims = self.random.choice([[4], [3], [2, 4], [4, 2], [0], []])
        numbers = ["0.5", "-1.0", "2.25", "0.0"] if is_float(element) else ["0", "1", "3", "2"]
        value = self.weight(self.nested(dims, lambda: self.random.choice(numbers)) if 0 not in dims else "", element, dims)
        self.values.append(value)
        return value

    def step_stored(self):
        """To a type that is only stored, through ops that move elements, and back."""
        x = self.pick(self.Value.is_known, lambda v: v.element != "i1")
        if not x:
            return None
        stored = self.random.choice(STORED_FLOATS if is_float(x.element) else STORED_INTS)
        y = self.op("astype", [x], stored, x.dims, f"dtype = {stored}", keep=False)
        if self.returns(x) and self.random.random() < 0.3:
            other = self.argument(stored, x.dims)
            self.values.remove(other)
            y = self.op("where", [self.compared(x), y, other], stored, x.dims, keep=False)
        for _ in range(self.random.randrange(3)):
            y = self.moved(y)
        if self.random.random() < 0.3:
            self.stored.append(y)
        return self.tame(self.op("astype", [y], x.element, y.dims, f"dtype = {x.element}"))

    def compared(self, x):
        return self.op("greater", [x, self.number(1, x.element)], "i1", x.dims, keep=False)

    def moved(self, y):
        kind = self.random.choice(["permute_dims", "concat", "flip", "expand_dims", "stack"])
        if kind == "expand_dims" and len(y.dims) < 4:
            return self.op(kind, [y], y.element, [self.Dim.of(1), *y.dims], f"axes = {ints(0)}", keep=False)
        if kind == "stack" and len(y.dims) < 4:
            return self.op(kind, [y, y], y.element, [*y.dims, self.Dim.of(2)], f"axis = {len(y.dims)} : i64", keep=False)
        if not y.dims:
            return y
        if kind == "permute_dims":
            order = self.random.sample(range(len(y.dims)), len(y.dims))
            return self.op(kind, [y], y.element, [y.dims[i] for i in order], f"permutation = {ints(*order)}", keep=False)
        if kind == "concat":
            return self.op(kind, [y, y], y.element, [y.dims[0] * 2, *y.dims[1:]], "axis = 0 : i64", keep=False)
        return self.op("flip", [y], y.element, y.dims, f"axes = {ints(self.random.randrange(len(y.dims)))}", keep=False)

    def step_blocks(self):
        """Rows of 32 numbers in blocks; the scale is 0.25, or a minimum of 0.25 beside it."""
        name = self.random.choice(list(BLOCK_BYTES))
        rows, head = self.random.choice([1, 2, 3]), "0, 52, " + ("0, 52, " if name.endswith("_1") else "")
        tail = BLOCK_BYTES[name] - head.count(",")
        block = lambda: "[[" + head + ", ".join(str(self.random.randint(-128, 127)) for _ in range(tail)) + "]]"  # noqa: E731
        blocks = self.weight("[" + ", ".join(block() for _ in range(rows)) + "]", "i8", [rows, 1, BLOCK_BYTES[name]])
        if self.random.random() < 0.4:
            return self.tame(self.op("dequantize_block", [blocks], "f32", [self.Dim.of(rows), self.Dim.of(32)], f'format = "{name}"'))
        if self.random.random() < 0.3:
            x, scales = self.argument("i8", [self.Dim.of("n"), self.Dim.of(32)]), self.argument("f32", [self.Dim.of("n"), self.Dim.of(1)])
            self.values.remove(x)
            self.values.remove(scales)
            return self.tame(self.op("quantized_block_matmul", [x, scales, blocks], "f32", [x.dims[0], self.Dim.of(rows)], f'format = "{name}"'))
        x = self.argument("f32", [self.Dim.of("n"), self.Dim.of(32)])
        self.values.remove(x)
        return self.tame(self.op("block_matmul", [x, blocks], "f32", [x.dims[0], self.Dim.of(rows)], f'format = "{name}"'))

    def step_channel_norm(self):
        """Statistics and groups of channels, dimension 1."""
        x = self.float_of_rank(2, 3)
        count = x.dims[1].constant() if x else None
        if not count:
            return None
        vector = lambda *numbers: self.constant(  # noqa: E731
            self.nested([count], lambda: self.random.choice(numbers)), x.element, [count])
        if self.random.random() < 0.5:
            operands = [x, vector("0.5", "1.0"), vector("0.0", "-1.0"), vector("0.0", "0.5"), vector("0.25", "2.0")]
            return self.tame(self.op("batch_norm", operands, x.element, x.dims, "axis = 1 : i64"))
        groups = self.random.choice([g for g in range(1, count + 1) if count % g == 0])
        return self.line("group_norm {0} scale({1})", [x, vector("0.5", "1.0")], [(x.element, x.dims)], f"groups = {groups} : i64")

    def step_prelu(self):
        x = self.float_of_rank(1, 2, 3)
        return x and self.op("prelu", [x, self.constant("[0.25]", x.element, [1])], x.element, x.dims)

    def step_quantized_conv(self):
        x = self.pick(self.Value.is_known, lambda v: v.element == "i8" and len(v.dims) == 2)
        if not x:
            return None
        x = self.spread(x, 1)
        w = self.constant(self.nested([2, 1, 3], lambda: self.random.choice([-3, 0, 1, 100])), "i8", [2, 1, 3])
        zero = self.constant(str(self.random.choice([0, 5])), "i8", [])
        formats = self.random.choice(['input_format = "u8", weight_format = "i8"', 'input_format = "i8", weight_format = "i8"'])
        return self.line("quantized_conv {0}, {1} input_zero({2})", [x, w, zero], [("i32", [x.dims[0], self.Dim.of(2), x.dims[2]])],
                         f"strides = {ints(1)}, pads = {ints(1, 1)}, dilations = {ints(1)}, groups = 1 : i64, {formats}")

    def step_attention_mask(self):
        x = self.pick(self.Value.is_known, lambda v: len(v.dims) == 2)
        if not x:
            return None
        shape, type = self.shape_of(x)
        attrs = self.random.choice([" {causal}", " {window = 2 : i64}", " {causal, window = 1 : i64}", ""])
        value = self.Value(self.fresh(), "i1", x.dims)
        self.emit(f"{value.name} = relax.attention_mask {shape}{attrs} : ({type}) -> {value.type}")
        self.values.append(value)
        return value

    def step_recurrent_scan(self):
        """The steps of a plain recurrent layer whose products are already there."""
        x = self.pick(self.Value.is_known, lambda v: v.element in ("f32", "f64") and len(v.dims) == 2 and 0 < (v.dims[1].constant() or 0) < 5)
        if not x:
            return None
        hidden = x.dims[1].constant()
        numbers = lambda: self.random.choice(["0.5", "-0.25", "0.0"])  # noqa: E731
        operands = [self.spread(x, 1), self.constant(self.nested([hidden, hidden], numbers), x.element, [hidden, hidden]),
                    self.constant(self.nested([1, hidden], numbers), x.element, [1, hidden])]
        return self.line("recurrent_scan {0}, {1}, {2}", operands, [(x.element, [x.dims[0] + 1, self.Dim.of(1), x.dims[1]])],
                         'cell = "rnn", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>'
                         + ", reverse" * (self.random.random() < 0.5))

    def step_refine(self):
        """A type that a fact proves, and back."""
        n = self.Dim.of("n")
        x = self.pick(self.Value.is_known, lambda v: n in v.dims and all(d == n or d.constant() is not None for d in v.dims))
        if not x or '"n <= 4096"' not in self.facts:
            return None
        there, back = self.fresh(), self.Value(self.fresh(), x.element, x.dims)
        other = x.type.replace("n, ", "min(n, 4096), ").replace(", n]", ", min(n, 4096)]").replace("[n]", "[min(n, 4096)]")
        self.emit(f"{there} = relax.refine {x.name} : {x.type} to {other}")
        self.emit(f"{back.name} = relax.refine {there} : {other} to {x.type}")
        self.values.append(back)
        return back

    def step_assert(self):
        x = self.pick(self.Value.is_known, lambda v: self.Dim.of("n") in v.dims)
        if not x:
            return None
        shape, type = self.shape_of(x)
        fact = self.random.choice(["n >= 0", "n + 1 >= 1", "n <= 100000", "n mod 2 <= 1"])
        self.emit(f'relax.assert_shape {shape}, "{fact}", "generated" : {type}')
        return x
