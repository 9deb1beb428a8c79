# Licensed under the Apache License, Version 2.0. See LICENSE.
"""One function or more for each op of the graph dialect, with symbolic sizes. test_every_op.py runs them.

All symbols of a function have the same value. A new op needs an entry here.
"""
import re
import zlib

import numpy as np

DTYPES = {"f32": np.float32, "i1": np.bool_, "i8": np.int8, "i32": np.int32, "i64": np.int64}


def tensor(element, *dims):
    """The type; a dimension is a number or an expression."""
    shape = "".join("?x" if isinstance(dim, str) else f"{dim}x" for dim in dims)
    if not any(isinstance(dim, str) and dim != "?" for dim in dims):
        return f"tensor<{shape}{element}>"
    return f"tensor<{shape}{element}, #relax_sym.shape<[{', '.join(map(str, dims))}]>>"


def floats(*dims):
    return tensor("f32", *dims)


def ints(*dims):
    return tensor("i64", *dims)


def bools(*dims):
    return tensor("i1", *dims)


def small(*dims):
    return tensor("i8", *dims)


def shape(*dims):
    return f"!relax.shape<[{', '.join(map(str, dims))}]>"


class Case:
    """A function around one op, or a few where an op has no tensors of its own. `fails`: sizes without an answer, and what compiled code and
    the interpreter say then."""

    def __init__(self, ops, lines, arguments, results, facts=(), values=None, fails=None, before=""):
        self.ops, self.lines, self.arguments, self.results, self.before = [ops] if isinstance(ops, str) else ops, lines, arguments, results, before
        self.facts, self.values, self.fails = facts, values or {}, fails or {}

    def text(self, name):
        """The function. `{f}` in what stands before it is its name."""
        given = ", ".join(f'%{x}: {type} {{relax.name = "{x}"}}' for x, type in self.arguments.items())
        types = ", ".join(f'{type} {{relax.name = "{x}"}}' for x, type in self.results.items())
        facts = ", ".join(f'"{fact}"' for fact in self.facts)
        return "\n  ".join([
            self.before.replace("{f}", name) + f"func.func @{name}({given}) -> ({types}) attributes {{relax_sym.scope = #relax_sym.scope<{facts}>}} {{",
            *(line.replace("{f}", name) for line in self.lines),
            f"return {', '.join('%' + x for x in self.results)} : {', '.join(self.results.values())}",
        ]) + "\n}\n"

    def symbols(self):
        """Of the arguments."""
        return sorted({symbol for dims in re.findall(r"shape<\[(.*?)\]>", " ".join(self.arguments.values())) for symbol in re.findall(r"[a-z]", dims)})

    def text_of_unknown_sizes(self, name):
        """The function with types that say nothing about sizes; None where symbols are more than types: shape values, bounds, calls."""
        text = self.text(name)
        if re.search(r"!relax\.shape|relax_sym\.expr<n|\bbinds\b|@\w+_(callee|program)", text):
            return None
        return re.sub(r", #relax_sym.shape<\[[^\]]*\]>", "", text)

    def inputs(self, size):
        """Small numbers; the same for the same size."""
        random = np.random.default_rng(zlib.crc32(f"{self.ops[0]} {size}".encode()))
        made = {}
        for name, type in self.arguments.items():
            element = re.search(r"(\w+)[,>]", type.replace("x", " ").split("#")[0])[1]
            text = re.search(r"shape<\[(.*)\]>", type)
            dims = text[1] if text else ", ".join(re.findall(r"(\d+|\?)x", type))
            where = {symbol: size for symbol in re.findall(r"[a-z]", dims)}
            sizes = eval(f"[{dims.replace('?', str(size))}]", {}, where)
            if name in self.values:
                given = self.values[name]
                value = np.asarray(given(sizes, size) if callable(given) else given)
            elif element == "f32":
                value = random.integers(-8, 9, sizes) / 4 + 0.0625
            elif element == "i1":
                value = random.integers(0, 2, sizes)
            else:
                value = random.integers(0, 40 if element == "i8" else 4, sizes)
            made[name] = (value if value.ndim else np.full(sizes, value)).astype(DTYPES[element])
        return made


CASES = []


def case(op, text, arguments, *results, before=(), after=(), shapes=None, **more):
    """`relax.TEXT : (types of its operands) -> results`; `shapes` are shape values of tensors, {"s": "x"} or {"s": ("x", "n * 2")}."""
    types, lines = dict(arguments), []
    for name, source in (shapes or {}).items():
        source, extents = (source, None) if isinstance(source, str) else (source[0], source[1:])
        dims = re.search(r"shape<\[(.*)\]>", types[source])[1]
        types[name] = shape(dims)
        lines.append(f"%{name} = relax.shape_of %{source} : {types[source]} -> {types[name]}")
        if extents:
            lines.append(f"%{name}_ = relax.make_shape %{name} : ({types[name]}) -> {shape(*extents)}")
            types[name], text = shape(*extents), re.sub(rf"%{name}\b", f"%{name}_", text)
            types[name + "_"] = types[name]
    operands = re.findall(r"%(\w+)", text)
    names = ["r"] if len(results) == 1 else [f"r{i}" for i in range(len(results))]
    given = ", ".join("%" + name for name in names)
    lines.append(f"{given} = relax.{text} : ({', '.join(types[x] for x in operands)}) -> ({', '.join(results)})")
    CASES.append(Case(op, [*before, *lines, *after], arguments, dict(zip(names, results)), **more))


def lines(ops, body, arguments, results, **more):
    """A function written out."""
    CASES.append(Case(ops, [line for line in body.strip().splitlines()], arguments, results, **more))


def indices(sizes, size):
    """Different ones below the size."""
    return (np.arange(np.prod(sizes, dtype=int)) * 3 % max(size, 1)).reshape(sizes)


X, V = floats("n", 4), floats("n")

# Elementwise --------------------------------------------------------------------------------------------------------



def together(names, text, arguments, result, **more):
    """Ops of one form in one function: a result for each."""
    names = names.split()
    body = "\n".join(f"%{name}_r = relax.{text.replace('OP', name)}" for name in names)
    lines(names, body, arguments, {f"{name}_r": result for name in names}, **more)


def between(low, high):
    return lambda sizes, size: np.linspace(low, high, np.prod(sizes, dtype=int)).reshape(sizes)


together("abs ceil cos erf exp floor negate reciprocal relu round sigmoid sign sin tanh asinh atan cosh exp2 expm1 sinh tan trunc", f"OP %x : {X}", {"x": X}, X)
together("log log2 log1p rsqrt sqrt", f"OP %x : {X}", {"x": X}, X, values={"x": between(0.1, 4)})
together("acos asin atanh", f"OP %x : {X}", {"x": X}, X, values={"x": between(-0.9, 0.9)})
together("acosh", f"OP %x : {X}", {"x": X}, X, values={"x": between(1, 4)})
together("logical_not", f"OP %x : {bools('n')}", {"x": bools("n")}, bools("n"))
together("bitwise_not", f"OP %x : {ints('n')}", {"x": ints("n")}, ints("n"))
together("is_inf is_nan", f"OP %x : {V} -> {bools('n')}", {"x": V}, bools("n"),
         values={"x": lambda sizes, size: np.resize([np.nan, 1, -np.inf, np.inf], sizes)})
together("add subtract multiply divide mod power maximum minimum", f"OP %x, %y : ({X}, {floats('n', 1)}) -> {X}", {"x": X, "y": floats("n", 1)}, X)
together("divide mod", f"OP %x, %y : ({ints('n')}, {ints('n')}) -> {ints('n')}", {"x": ints("n"), "y": ints("n")}, ints("n"),
         values={"y": lambda sizes, size: np.resize([3, -2], sizes)})
together("bitwise_and bitwise_or bitwise_xor shift_left shift_right", f"OP %x, %y : ({ints('n')}, {ints('n')}) -> {ints('n')}",
         {"x": ints("n"), "y": ints("n")}, ints("n"))
together("logical_and logical_or logical_xor", f"OP %x, %y : ({bools('n')}, {bools('n')}) -> {bools('n')}", {"x": bools("n"), "y": bools("n")}, bools("n"))
together("equal not_equal less less_equal greater greater_equal", f"OP %x, %y : ({X}, {floats(4)}) -> {bools('n', 4)}", {"x": X, "y": floats(4)},
         bools("n", 4))
case("astype", "astype %x {dtype = f32}", {"x": ints("n")}, V)
case("where", "where %c, %x, %y", {"c": bools("n"), "x": V, "y": floats()}, V)
case("clip", "clip %x, %l, %h", {"x": V, "l": floats(), "h": floats()}, V, values={"l": -1, "h": 1})
case("fma", "fma %x, %y, %z", {"x": V, "y": V, "z": V}, V)

# Creation -----------------------------------------------------------------------------------------------------------

case("full", "full %s, 1.5 : f32", {"x": X}, X, shapes={"s": "x"})
case("iota", "iota %s {axis = 0 : i64, dtype = i64}", {"x": X}, ints("n", 4), shapes={"s": "x"})
case("random_uniform", "random_uniform %s {seed = 7 : i64, dtype = f32}", {"x": X}, X, shapes={"s": "x"})
case("random_normal", "random_normal %s {seed = 7 : i64, dtype = f32}", {"x": X}, X, shapes={"s": "x"})
case("eye", "eye %s {diagonal = 1 : i64, dtype = f32}", {"x": X}, X, shapes={"s": "x"})
case("full_like", "full_like %x, 2 : i64", {"x": X}, ints("n", 4))
case("one_hot", "one_hot %i, %d, %on, %off {axis = 1 : i64}", {"i": ints("n"), "y": floats("m"), "on": floats(), "off": floats()}, floats("n", "m"),
     shapes={"d": "y"})
case("arange", "arange %a, %b, %c binds [u]", {"a": ints(), "b": ints(), "c": ints()}, ints("u"), values={"a": 0, "b": lambda sizes, size: size * 2, "c": 2})
for name in ("tril", "triu"):
    case(name, f"{name} %x {{diagonal = 0 : i64}}", {"x": floats("n", "n")}, floats("n", "n"))

# Reductions and walks -----------------------------------------------------------------------------------------------

for name in "sum prod max min mean variance log_sum_exp norm_l1 norm_l2".split():
    case(name, f"{name} %x {{axes = array<i64: 0>}}", {"x": X}, floats(4))
    case(name, f"{name} %x {{axes = array<i64: 1>, keepdims}}", {"x": X}, floats("n", 1))
for name in "any all".split():
    case(name, f"{name} %x {{axes = array<i64: 0>}}", {"x": bools("n", 4)}, bools(4))
for name in "argmax argmin".split():
    case(name, f"{name} %x {{axis = 1 : i64}}", {"x": X}, ints("n"))
    case(name, f"{name} %x {{axis = 0 : i64}}", {"x": X}, ints(4), fails={0: ("need 1 <= n", "axis 0 has no element")})
for name in "cumsum cumprod".split():
    case(name, f"{name} %x {{axis = 0 : i64}}", {"x": X}, X)

# Linear algebra -----------------------------------------------------------------------------------------------------

case("matmul", "matmul %x, %y", {"x": floats("n", "m"), "y": floats("m", 3)}, floats("n", 3))
case("matmul", "matmul %x, %y", {"x": floats(2, "n"), "y": floats("n")}, floats(2))
case("outer", "outer %x, %y", {"x": V, "y": floats("m")}, floats("n", "m"))
case("einsum", 'einsum %x, %y {equation = "nk,km->nm"}', {"x": floats("n", "k"), "y": floats("k", 3)}, floats("n", 3))
WINDOW = "strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>"
case("conv", f"conv %x, %w {{{WINDOW}, groups = 1 : i64}}", {"x": floats("n", 2, "l"), "w": floats(3, 2, 3)}, floats("n", 3, "l"))
case("conv_channels_last", f"conv_channels_last %x, %w {{{WINDOW}, groups = 1 : i64}}", {"x": floats("n", "l", 2), "w": floats(3, 2, 3)}, floats("n", "l", 3))
case("conv_transpose", "conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, "
     "output_padding = array<i64: 0>, groups = 1 : i64}", {"x": floats("n", 2, "l"), "w": floats(2, 3, 2)}, floats("n", 3, "l * 2"))

# Manipulation -------------------------------------------------------------------------------------------------------

case("reshape", "reshape %x, %s", {"x": X}, floats("n * 4"), shapes={"s": ("x", "n * 4")})
case("dynamic_reshape", "dynamic_reshape %x, %t binds [a, b] {allow_zero}", {"x": X, "t": ints(2)}, floats("a", "b"), values={"t": lambda sizes, size: [4, size]})
case("broadcast_to", "broadcast_to %x, %s", {"x": floats(1, 4), "y": X}, X, shapes={"s": "y"})
case("permute_dims", "permute_dims %x {permutation = array<i64: 1, 0>}", {"x": X}, floats(4, "n"))
case("expand_dims", "expand_dims %x {axes = array<i64: 1>}", {"x": V}, floats("n", 1))
case("squeeze", "squeeze %x {axes = array<i64: 1>}", {"x": floats("n", 1)}, V)
case("slice", "slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<n>], strides = array<i64: 2>}", {"x": X},
     floats("n ceildiv 2", 4))
case("dynamic_slice", "dynamic_slice %x, %b, %e binds [u] {axes = array<i64: 0>}", {"x": X, "b": ints(1), "e": ints(1)}, floats("u", 4),
     values={"b": [1], "e": lambda sizes, size: [size]})
case("concat", "concat %x, %y {axis = 0 : i64}", {"x": X, "y": floats("m", 4)}, floats("n + m", 4))
case("split", "split %x {axis = 0 : i64, sections = 2 : i64}", {"x": floats("n * 2")}, V, V)
case("pad", 'pad %x value(%v) {low = [#relax_sym.expr<0>], high = [#relax_sym.expr<n>], mode = "constant"}', {"x": V, "v": floats()}, floats("n * 2"))
case("tile", "tile %x {repeats = [#relax_sym.expr<2>, #relax_sym.expr<n>]}", {"x": X}, floats("n * 2", "n * 4"))
case("repeat", "repeat %x {axis = 0 : i64, repeats = #relax_sym.expr<2>}", {"x": X}, floats("n * 2", 4))
case("stack", "stack %x, %y {axis = 1 : i64}", {"x": V, "y": V}, floats("n", 2))
case("flip", "flip %x {axes = array<i64: 0>}", {"x": X}, X)
case("roll", "roll %x {axes = array<i64: 0>, shifts = [#relax_sym.expr<-1>]}", {"x": X}, X)

# Indexing, search and sort ------------------------------------------------------------------------------------------

case("take", "take %x, %i {axis = 0 : i64}", {"x": X, "i": ints("m")}, floats("m", 4), values={"i": indices})
case("take_along_axis", "take_along_axis %x, %i {axis = 0 : i64}", {"x": X, "i": ints("n", 4)}, X, values={"i": indices})
case("gather_nd", "gather_nd %x, %i {batch_dims = 0 : i64}", {"x": floats(3, 4, 5), "i": ints("n", 2)}, floats("n", 5),
     values={"i": lambda sizes, size: np.resize([2, 3, 0, 1], sizes)})
case("scatter_elements", 'scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "add"}', {"x": V, "i": ints("m"), "u": floats("m")}, V,
     values={"i": indices})
case("scatter_nd", 'scatter_nd %x, %i, %u {reduction = "none"}', {"x": X, "i": ints("m", 1), "u": floats("m", 4)}, X, values={"i": indices})
case("unique", "unique %x binds [u]", {"x": ints("n")}, ints("u"))
case("unique_all", "unique_all %x binds [u]", {"x": ints("n")}, ints("u"), ints("u"), ints("n"), ints("u"))
case("nonzero", "nonzero %x binds [u]", {"x": ints("n", 4)}, ints(2, "u"))
case("compress", "compress %x, %m binds [u] {axis = 0 : i64}", {"x": X, "m": bools("n")}, floats("u", 4))
case("sort", "sort %x {axis = 0 : i64, descending}", {"x": X}, X)
case("argsort", "argsort %x {axis = 0 : i64}", {"x": X}, ints("n", 4))
case("topk", "topk %x, %k {axis = 0 : i64}", {"x": V, "y": floats("k")}, floats("min(k, n)"), ints("min(k, n)"), shapes={"k": "y"})
case("topk", "topk %x, %k {axis = 0 : i64}", {"x": V, "y": X}, V, ints("n"), shapes={"k": ("y", "n + 3")})
case("bucketize", "bucketize %x, %b", {"x": X, "b": V}, ints("n", 4), values={"b": lambda sizes, size: np.linspace(-1, 1, size)})

# Neural networks ----------------------------------------------------------------------------------------------------

for name in "softmax log_softmax".split():
    case(name, f"{name} %x {{axis = 0 : i64}}", {"x": X}, X)
together("gelu silu leaky_relu elu selu celu hard_sigmoid hard_swish hard_tanh softplus softsign mish thresholded_relu", f"OP %x : ({X}) -> {X}",
         {"x": X}, X)
case("prelu", "prelu %x, %s", {"x": X, "s": floats(4)}, X)
NCL, C = floats("n", 4, "l"), floats(4)
case("layer_norm", "layer_norm %x scale(%g) bias(%b) {axes = array<i64: 0>}", {"x": floats("n", 4), "g": V, "b": V}, X)
case("rms_norm", "rms_norm %x scale(%g) {axes = array<i64: 0>}", {"x": X, "g": V}, X)
case("batch_norm", "batch_norm %x, %g, %b, %m, %v {axis = 1 : i64}", {"x": NCL, "g": C, "b": C, "m": C, "v": C}, NCL, values={"v": 0.5})
case("group_norm", "group_norm %x {groups = 2 : i64}", {"x": NCL}, NCL)
case("instance_norm", "instance_norm %x scale(%g) bias(%b)", {"x": NCL, "g": C, "b": C}, NCL)
for name in "max_pool avg_pool".split():
    case(name, f"{name} %x {{kernel = array<i64: 3>, {WINDOW}}}", {"x": NCL}, NCL)
case("max_pool_indices", f"max_pool_indices %x {{kernel = array<i64: 3>, {WINDOW}}}", {"x": NCL}, ints("n", 4, "l"))
case("lp_pool", f"lp_pool %x {{kernel = array<i64: 3>, {WINDOW}, p = 2 : i64}}", {"x": NCL}, NCL)
for name in "adaptive_avg_pool adaptive_max_pool".split():
    case(name, f"{name} %x {{output_size = array<i64: 2>}}", {"x": NCL}, floats("n", 4, 2))
case("resize", 'resize %x, %s {axes = array<i64: 2>, mode = "linear"}', {"x": NCL}, floats("n", 4, "l * 2"), shapes={"s": ("x", "l * 2")})
HEADS = {"q": floats("n", 2, "m", 4), "k": floats("n", 1, "m", 4), "v": floats("n", 1, "m", 4)}
case("attention", "attention %q, %k, %v {causal}", HEADS, floats("n", 2, "m", 4))
case("attention_mask", "attention_mask %s {causal}", {"x": floats("n", "m")}, bools("n", "m"), shapes={"s": "x"})
case("rotary_embedding", "rotary_embedding %x, %c, %d", {"x": floats("n", 2, "m", 4), "c": floats("m", 2), "d": floats("m", 2)}, floats("n", 2, "m", 4))
case("cache_update", "cache_update %c, %u, %p {axis = 0 : i64}", {"c": floats(6, 4), "u": X, "p": ints()}, floats(6, 4), values={"p": 1}, facts=["n <= 6"])
case("cache_update", "cache_update %c, %u, %p {axis = 1 : i64, circular}", {"c": floats("n", 6), "u": floats("n", 2), "p": ints()}, floats("n", 6),
     values={"p": 5})
case("cache_update", "cache_update %c, %u, %p {axis = 0 : i64}", {"c": X, "u": floats(1, 4), "p": ints()}, X, values={"p": 0}, facts=["n <= 6"], fails={0: ("need 1 <= n", "the update has 1 entries, the cache 0")})
CELL = 'cell = "rnn", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>'
case("recurrent", f'recurrent %x, %w, %q {{{CELL}, direction = "forward"}}', {"x": floats("n", 2, 3), "w": floats(1, 4, 3), "q": floats(1, 4, 4)},
     floats("n", 1, 2, 4), floats(1, 2, 4))
case("recurrent", f'recurrent %x, %w, %q {{{CELL}, direction = "reverse"}}', {"x": floats(2, "n", 3), "w": floats(1, 4, 3), "q": floats(1, 4, 4)},
     floats(2, 1, "n", 4), floats(1, "n", 4))
case("recurrent_scan", f"recurrent_scan %x, %q, %s {{{CELL}}}", {"x": floats("n", 2, 4), "q": floats(4, 4), "s": floats(2, 4)}, floats("n + 1", 2, 4))

# Quantization -------------------------------------------------------------------------------------------------------

case("decode", 'decode %x {format = "u4", dtype = f32}', {"x": small("n", "m")}, floats("n", "m * 2"))
case("encode", 'encode %x {format = "f8e4m3fn"}', {"x": X}, small("n", 4))
case("bitcast", "bitcast %x {dtype = i32}", {"x": X}, tensor("i32", "n", 4))
case("quantize", 'quantize %x, %s zero(%z) {format = "u8"}', {"x": X, "s": floats(), "z": small()}, small("n", 4), values={"s": 0.25})
case("dequantize", 'dequantize %x, %s zero(%z) {format = "u4", axis = 1 : i64, block = 8 : i64}',
     {"x": small("n", 8), "s": floats("n", 2), "z": small("n", 1)}, floats("n", 16))
case("dynamic_quantize", "dynamic_quantize %x", {"x": X}, small("n", 4), floats(), small())
case("quantized_matmul", 'quantized_matmul %x, %w lhs_zero(%z) {lhs_format = "u8", rhs_format = "i8"}',
     {"x": small("n", "k"), "w": small("k", 3), "z": small()}, tensor("i32", "n", 3))
case("quantized_conv", f'quantized_conv %x, %w {{{WINDOW}, groups = 1 : i64, input_format = "u8", weight_format = "i8"}}',
     {"x": small("n", 2, "l"), "w": small(3, 2, 3)}, tensor("i32", "n", 3, "l"))
case("dequantize_block", 'dequantize_block %w {format = "q8_0"}', {"w": small("n", 2, 34)}, floats("n", 64))
case("block_matmul", 'block_matmul %x, %w {format = "q8_0"}', {"x": floats("n", 64), "w": small(3, 2, 34)}, floats("n", 3))
case("quantized_block_matmul", 'quantized_block_matmul %x, %s, %w {format = "q8_0"}',
     {"x": small("n", 64), "s": floats("n", 2), "w": small(3, 2, 34)}, floats("n", 3))

# Shapes, weights, calls and regions ---------------------------------------------------------------------------------

lines("shape_of", f"%s = relax.shape_of %x : {X} -> {shape('n', 4)}\n%r = relax.shape_to_tensor %s : {shape('n', 4)} -> tensor<2xi64>", {"x": X},
      {"r": "tensor<2xi64>"})
lines("shape_to_tensor", "\n".join(CASES[-1].lines), {"x": X}, {"r": "tensor<2xi64>"})
case("make_shape", "full %s, true", {"x": X}, bools("n * 2", "n + 1"), shapes={"s": ("x", "n * 2", "n + 1")})
lines("tensor_to_shape", f"""%s = relax.tensor_to_shape %t binds [m] : tensor<2xi64> -> {shape('m', 4)}
%r = relax.full %s, 1.0 : f32 : ({shape('m', 4)}) -> {floats('m', 4)}""", {"t": ints(2)}, {"r": floats("m", 4)},
      values={"t": lambda sizes, size: [size, 4]})
lines("match_cast", f"""%y = relax.match_cast %x binds [m] : {floats('?', '?')} to {floats('m', 4)}
%r = relax.negate %y : {floats('m', 4)}""", {"x": floats("?", "?")}, {"r": floats("m", 4)}, values={"x": lambda sizes, size: np.ones((size, 4))})
lines("erase_shape", f"%y = relax.negate %x : {X}\n%r = relax.erase_shape %y : {X} to {floats('?', '?')}", {"x": X}, {"r": floats("?", "?")})
lines("refine", f"""%y = relax.refine %x : {V} to {floats('min(n, 64)')}
%z = relax.negate %y : {floats('min(n, 64)')}
%r = relax.refine %z : {floats('min(n, 64)')} to {V}""", {"x": V}, {"r": V}, facts=["n <= 64"])
lines("eval_expr", f"""%s = relax.shape_of %x : {V} -> {shape('n')}
%k = relax.eval_expr %s, n * 2 : {shape('n')} -> index
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> ({V}) {{
  %b = relax.add %a, %x : ({V}, {V}) -> {V}
  scf.yield %b : {V}
}}""", {"x": V}, {"r": V})
lines("assert_shape", f"""%s = relax.shape_of %x : {V} -> {shape('n')}
relax.assert_shape %s, "n mod 5 <= 1", "what is left of fives" : {shape('n')}
%r = relax.negate %x : {V}""", {"x": V}, {"r": V}, fails={3: ("what is left of fives", "what is left of fives")})
lines("constant", f"%c = relax.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n%r = relax.add %x, %c : ({X}, tensor<4xf32>) -> {X}", {"x": X}, {"r": X})
for name in "weight weight_data".split():
    lines(name, f"%w = relax.weight @{{f}}_w : tensor<4xf32>\n%r = relax.add %x, %w : ({X}, tensor<4xf32>) -> {X}", {"x": X}, {"r": X},
          before="relax.weight_data @{f}_w : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n")
for name in "dataflow output".split():
    lines(name, f"""%r = relax.dataflow -> ({X}) {{
  %a = relax.negate %x : {X}
  relax.output %a : {X}
}}""", {"x": X}, {"r": X})
lines("call", f"%r = relax.call @{{f}}_callee(%x) : ({floats('n * 2')}) -> {floats('n * 2')}", {"x": floats("n * 2")}, {"r": floats("n * 2")},
      before=f"""func.func private @{{f}}_callee(%x: {floats('k')}) -> {floats('k')} attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %r = relax.negate %x : {floats('k')}
  return %r : {floats('k')}
}}
""")
PROGRAM = """relax_tp.func private @{f}_program(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[k]>})
    outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[k]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  relax_tp.yield %0 : tensor<?xf32>
}
"""
lines("call_tp", f"%r = relax.call_tp @{{f}}_program(%x) : ({V}) -> {V}", {"x": V}, {"r": V}, before=PROGRAM)
lines("call_tp_inplace", f"%y = relax.negate %x : {V}\n%r = relax.call_tp_inplace @{{f}}_program(%y) {{inplace = array<i64: 0>}} : ({V}) -> {V}",
      {"x": V}, {"r": V}, before=PROGRAM)

# Only passes make these; a library function has no meaning in the interpreter (test_compile.py runs them).
NOT_HERE = {"alloc", "storage", "tensor_at", "fusion_group", "yield", "call_dps"}
