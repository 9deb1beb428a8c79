# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Steps of random programs: neural networks and quantization. Part of relax-random."""

FLOATS = ("f32", "f16", "f64", "bf16")


def ints(*values):
    return f"array<i64{': ' if values else ''}{', '.join(map(str, values))}>"


class NeuralSteps:
    """Mixed into the Function of relax_random.py, whose `Dim` and `Value` it gets as attributes."""

    def float_of_rank(self, *ranks, elements=FLOATS):
        return self.pick(self.Value.is_known, lambda v: v.element in elements and len(v.dims) in ranks)

    def spread(self, x, *axes):
        """x with dimensions of extent 1."""
        dims = list(x.dims)
        for axis in axes:
            dims.insert(axis, self.Dim.of(1))
        return self.op("expand_dims", [x], x.element, dims, f"axes = {ints(*axes)}", keep=False)

    def line(self, text, operands, results, attrs):
        """A line of an op whose operands are part of its text; `{0}` is the first. Results are (element, extents)."""
        values = [self.Value(self.fresh(), element, dims) for element, dims in results]
        names, types = ", ".join(v.name for v in values), ", ".join(v.type for v in values)
        given = ", ".join(o.type for o in operands)
        self.emit(f"{names} = relax.{text.format(*(o.name for o in operands))} {{{attrs}}} : ({given}) -> {types if len(values) == 1 else f'({types})'}")
        self.values += values
        return values[0]

    # Activations and normalizations -------------------------------------------------------------------------------------

    def step_activation(self):
        x = self.float_of_rank(0, 1, 2, 3)
        name, attrs = self.random.choice([
            ("gelu", ""), ("gelu", "approximate"), ("silu", ""), ("leaky_relu", ""), ("elu", "alpha = 2.0 : f64"), ("selu", ""), ("celu", ""),
            ("hard_sigmoid", ""), ("hard_swish", ""), ("hard_tanh", ""), ("softplus", ""), ("softsign", ""), ("mish", ""), ("thresholded_relu", "")])
        return self.op(name, [x], x.element, x.dims, attrs) if x else None

    def step_softmax(self):
        x = self.float_of_rank(1, 2, 3)
        if not x:
            return None
        return self.op(self.random.choice(["softmax", "log_softmax"]), [x], x.element, x.dims, f"axis = {self.random.randrange(len(x.dims))} : i64")

    def step_norm(self):
        x = self.float_of_rank(1, 2, 3)
        if not x:
            return None
        kind = self.random.choice(["layer_norm", "rms_norm", "instance_norm"])
        if kind == "instance_norm":
            x = self.float_of_rank(3) or self.spread(x, *([1] if len(x.dims) == 2 else [0, 1] if len(x.dims) == 1 else []))
            return self.op(kind, [x], x.element, x.dims)
        axes = sorted(self.random.sample(range(len(x.dims)), self.random.randint(1, len(x.dims))))
        return self.op(kind, [x], x.element, x.dims, f"axes = {ints(*axes)}")

    # Windows ------------------------------------------------------------------------------------------------------------

    def step_pool(self):
        x = self.float_of_rank(2)
        if not x:
            return None
        x = self.spread(x, 1)
        name, more = self.random.choice([("max_pool", ""), ("avg_pool", ""), ("avg_pool", ", count_include_pad"), ("lp_pool", ", p = 2 : i64"),
                                         ("max_pool_indices", "")])
        pads, extent = self.random.choice([((1, 1), x.dims[2] + 1), ((0, 1), x.dims[2])])
        element = "i64" if name == "max_pool_indices" else x.element
        attrs = f"kernel = {ints(2)}, strides = {ints(1)}, pads = {ints(*pads)}, dilations = {ints(1)}{more}"
        if self.random.random() < 0.2:
            attrs = f'kernel = {ints(3)}, strides = {ints(1)}, pads = {ints(0, 0)}, dilations = {ints(1)}, auto_pad = "same_lower"{more}'
            extent = x.dims[2]
        return self.op(name, [x], element, [x.dims[0], self.Dim.of(1), extent], attrs)

    def step_adaptive_pool(self):
        x = self.float_of_rank(2)
        if not x:
            return None
        size = self.random.choice([1, 2, 3])
        return self.op(self.random.choice(["adaptive_avg_pool", "adaptive_max_pool"]), [self.spread(x, 0)], x.element,
                       [self.Dim.of(1), x.dims[0], self.Dim.of(size)], f"output_size = {ints(size)}")

    def step_conv_transpose(self):
        x = self.float_of_rank(2, elements=("f32",))
        if not x:
            return None
        x = self.spread(x, 1)
        w = self.argument("f32", [self.Dim.of(1), self.Dim.of(2), self.Dim.of(3)])
        return self.op("conv_transpose", [x, w], "f32", [x.dims[0], self.Dim.of(2), x.dims[2]],
                       f"strides = {ints(1)}, pads = {ints(1, 1)}, dilations = {ints(1)}, output_padding = {ints(0)}, groups = 1 : i64")

    def step_resize(self):
        x = self.pick(self.Value.is_known, lambda v: 1 <= len(v.dims) <= 3 and v.element != "i1")
        if not x:
            return None
        axis = self.random.randrange(len(x.dims))
        extent = self.random.choice([x.dims[axis] * 2, x.dims[axis] + 1, self.Dim.of(3)])
        shape = self.shape([extent])
        if not shape:
            return None
        mode = self.random.choice(["nearest", "linear", "cubic"]) if x.element in FLOATS else "nearest"
        coordinates = self.random.choice(["half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"])
        value = self.Value(self.fresh(), x.element, [extent if i == axis else d for i, d in enumerate(x.dims)])
        more = ", exclude_outside" if mode == "cubic" and self.random.random() < 0.3 else ""
        self.emit(f'{value.name} = relax.resize {x.name}, {shape[0]} {{axes = {ints(axis)}, mode = "{mode}", coordinates = "{coordinates}"{more}}} : '
                  f"({x.type}, {shape[1]}) -> {value.type}")
        self.values.append(value)
        return value

    # Sequences ----------------------------------------------------------------------------------------------------------

    def step_attention(self):
        q = self.float_of_rank(2)
        k = q and self.pick(self.Value.is_known, lambda v: v.element == q.element and len(v.dims) == 2 and v.dims[1] == q.dims[1])
        v = k and self.pick(self.Value.is_known, lambda v: v.element == q.element and len(v.dims) == 2 and v.dims[0] == k.dims[0])
        if not v:
            return None
        attrs = [text for text in ["causal", "window = 2 : i64", "softcap = 2.0 : f64", "scale = 0.5 : f64"] if self.random.random() < 0.3]
        operands = [self.spread(x, 0, 1) for x in (q, k, v)]
        text = "attention {0}, {1}, {2}"
        masks = [x for x in self.values if x.is_known() and x.element in ("i1", q.element) and x.dims == (q.dims[0], k.dims[0])]
        if masks and self.random.random() < 0.7:
            operands.append(self.random.choice(masks))
            text += " mask({3})"
        return self.line(text, operands, [(q.element, [self.Dim.of(1), self.Dim.of(1), q.dims[0], v.dims[1]])], ", ".join(attrs))

    def step_rotary_embedding(self):
        x = self.pick(self.Value.is_known, lambda v: v.element in FLOATS and v.dims and (v.dims[-1].constant() or 0) >= 2)
        if not x:
            return None
        half = x.dims[-1].constant() // 2
        cos, sin = (self.constant(str([self.random.choice(["0.5", "1.0", "-0.25"]) for _ in range(half)]).replace("'", ""), x.element, [half])
                    for _ in range(2))
        return self.op("rotary_embedding", [x, cos, sin], x.element, x.dims, self.random.choice(["", "interleaved"]))

    def step_recurrent(self):
        x = self.float_of_rank(2, elements=("f32", "f16", "bf16"))
        if not x or not self.returns(x):
            return None  # the weights are arguments
        cell, activations = self.random.choice([("rnn", ["tanh"]), ("gru", ["sigmoid", "tanh"]), ("lstm", ["sigmoid", "tanh", "tanh"])])
        direction = self.random.choice(["forward", "reverse", "bidirectional"])
        count, hidden, gates = (2 if direction == "bidirectional" else 1), self.Dim.of(2), {"rnn": 2, "gru": 6, "lstm": 8}[cell]
        number = self.Dim.of(count)
        w = self.argument(x.element, [number, self.Dim.of(gates), x.dims[1]])
        r = self.argument(x.element, [number, self.Dim.of(gates), hidden])
        names = ", ".join(f'"{name}"' for name in activations * count)
        zeros = f"array<f64: {', '.join(['0.0'] * len(activations) * count)}>"
        states = [(x.element, [number, self.Dim.of(1), hidden])] * (2 if cell == "lstm" else 1)
        more = ", linear_before_reset" if cell == "gru" and self.random.random() < 0.5 else ", clip = 0.5 : f64" if self.random.random() < 0.3 else ""
        return self.line("recurrent {0}, {1}, {2}", [self.spread(x, 1), w, r], [(x.element, [x.dims[0], number, self.Dim.of(1), hidden]), *states],
                         f'cell = "{cell}", direction = "{direction}", activations = [{names}], alpha = {zeros}, beta = {zeros}{more}')

    def step_cache_update(self):
        x = self.pick(self.Value.is_known, lambda v: v.element != "i1" and len(v.dims) in (1, 2, 3))
        if not x:
            return None
        axis = self.random.randrange(len(x.dims))
        new = self.op("max", [x], x.element, [self.Dim.of(1) if i == axis else d for i, d in enumerate(x.dims)], f"axes = {ints(axis)}, keepdims", keep=False)
        # A place for the entry at every size; the second place is missing where nothing was before, which is not at every size.
        cache = self.op("concat", [x, new], x.element, [d + 1 if i == axis else d for i, d in enumerate(x.dims)], f"axis = {axis} : i64", keep=False)
        place, circular = self.random.choice([(0, ""), (0, ", circular"), (5, ", circular"), (1, "")])
        if x.dims[axis].constant() == 0 or any(name.startswith("u") for name in x.dims[axis].symbols()):  # found, maybe never
            place = 0
        return self.op("cache_update", [cache, new, self.number(place, "i64")], x.element, cache.dims, f"axis = {axis} : i64{circular}")

    # Quantization -------------------------------------------------------------------------------------------------------

    def step_quantize(self):
        x = self.float_of_rank(1, 2, 3)
        if not x:
            return None
        format = self.random.choice(["i8", "u8", "f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"])
        scale = self.constant("0.25", x.element, [])
        zero = self.constant(str(self.random.choice([0, 3])), "i8", []) if self.random.random() < 0.5 else None
        text, more = ("{0}, {1} zero({2})", [zero]) if zero else ("{0}, {1}", [])
        stored = self.line("quantize " + text, [x, scale, *more], [("i8", x.dims)], f'format = "{format}"')
        return self.line("dequantize " + text, [stored, scale, *more], [(x.element, x.dims)], f'format = "{format}"')

    def step_encode(self):
        x = self.float_of_rank(1, 2, 3)
        if not x:
            return None
        few = x.dims[-1].constant() is not None
        format = self.random.choice(["i8", "u8", "f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "f8e8m0fnu"] + ["i2", "u2", "i4", "u4", "f4e2m1fn"] * few)
        count = {"2": 4, "4": 2}.get(format[1], 1)
        last = x.dims[-1] if count == 1 else self.Dim.of(-(-x.dims[-1].constant() // count))
        stored = self.op("encode", [x], "i8", [*x.dims[:-1], last], f'format = "{format}"' + self.random.choice(["", ", saturate"]))
        if format == "u8":
            self.stored.append(self.op("bitcast", [stored], "ui8", stored.dims, "dtype = ui8", keep=False))
        return self.tame(self.op("decode", [stored], x.element, [*x.dims[:-1], last * count], f'format = "{format}", dtype = {x.element}'))

    def step_dynamic_quantize(self):
        x = self.float_of_rank(1, 2, elements=("f32",))
        return self.line("dynamic_quantize {0}", [x], [("i8", x.dims), ("f32", []), ("i8", [])], "") if x else None

    def step_quantized_matmul(self):
        x = self.pick(self.Value.is_known, lambda v: v.element == "i8" and len(v.dims) == 2)
        y = x and self.pick(self.Value.is_known, lambda v: v.element == "i8" and len(v.dims) == 2 and v.dims[0] == x.dims[1])
        if not x:
            return None
        if not y:
            y = self.op("permute_dims", [x], "i8", [x.dims[1], x.dims[0]], f"permutation = {ints(1, 0)}", keep=False)
        formats = self.random.choice(['lhs_format = "u8", rhs_format = "i8"', 'lhs_format = "i8", rhs_format = "u8"'])
        zero = self.constant("7", "i8", [])
        return self.line("quantized_matmul {0}, {1} lhs_zero({2})", [x, y, zero], [("i32", [x.dims[0], y.dims[1]])], formats)
