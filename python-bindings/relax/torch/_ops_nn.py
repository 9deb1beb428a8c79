# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Layers of neural networks."""
import functools
import math

from .._compiler import Expr
from .._graph import format_float, format_ints, product, size
from ._ops_reduce import norm
from ._registry import OPS, normalize, op
from ._symbols import Unsupported

# ---- Activations -------------------------------------------------------------------------------------------------


def _activation(mnemonic, attributes, c, a):
    """`attributes` names what of the arguments becomes which attribute."""
    values = ", ".join(f"{name} = {format_float(getattr(a, source) if isinstance(source, str) else source)}"
                       for name, source in attributes.items())
    return c.graph.unary(mnemonic, c.tensor(a.self), values)


for _name, _mnemonic, _attributes in (
        ("silu", "silu", {}), ("selu", "selu", {}), ("celu", "celu", {"alpha": "alpha"}),
        ("leaky_relu", "leaky_relu", {"alpha": "negative_slope"}),
        ("hardtanh", "hard_tanh", {"low": "min_val", "high": "max_val"}),
        ("relu6", "hard_tanh", {"low": 0.0, "high": 6.0}),
        ("hardsigmoid", "hard_sigmoid", {"alpha": 1 / 6, "beta": 0.5})):
    OPS[_name] = functools.partial(_activation, _mnemonic, _attributes)


@op("gelu")
def _gelu(c, a):
    return c.graph.unary("gelu", a.self, "approximate" if a.approximate == "tanh" else "")


@op("elu")
def _elu(c, a):
    g, x = c.graph, c.tensor(a.self)
    inside = x if a.input_scale == 1 else g.binary("multiply", x, c.tensor(a.input_scale))
    y = g.where(g.compare("greater", x, c.tensor(0)), x,
                g.binary("multiply", g.unary("expm1", inside), c.tensor(a.alpha)))
    return y if a.scale == 1 else g.binary("multiply", y, c.tensor(a.scale))


@op("softplus")
def _softplus(c, a):
    g, x = c.graph, a.self
    scaled = x if a.beta == 1 else g.binary("multiply", x, c.tensor(a.beta))
    y = g.unary("log1p", g.unary("exp", scaled))
    y = y if a.beta == 1 else g.binary("divide", y, c.tensor(a.beta))
    return g.where(g.compare("greater", scaled, c.tensor(a.threshold)), x, y)


@op("log_sigmoid", "log_sigmoid_forward")
def _log_sigmoid(c, a):
    g, x = c.graph, a.self
    rest = g.unary("log1p", g.unary("exp", g.unary("negate", g.unary("abs", x))))
    result = g.binary("subtract", g.binary("minimum", x, c.tensor(0)), rest)
    return [result, c.tensor(0)] if len(c.results) > 1 else result


@op("threshold")
def _threshold(c, a):
    x = a.self
    return c.graph.where(c.graph.compare("less_equal", x, c.tensor(a.threshold)), c.tensor(a.value), x)


@op("hardshrink", "softshrink")
def _shrink(c, a):
    g, x, limit = c.graph, a.self, c.tensor(a.lambd)
    rest = x if c.name == "hardshrink" else g.binary("subtract", x, g.binary("multiply", g.unary("sign", x), limit))
    inside = g.compare("less_equal", g.unary("abs", x), limit)
    return g.where(inside, c.tensor(0), rest)


@op("prelu", "_prelu_kernel")
def _prelu(c, a):
    g, x, w = c.graph, a.self, a.weight
    if w.rank == 1 and x.rank > 1 and c.name == "prelu":
        w = g.reshape(w, (w.shape[0],) + (1,) * (x.rank - 2))
    if c.name == "prelu" and x.rank < 2:
        w = g.reshape(w, ())
    return g.where(g.compare("greater", x, c.tensor(0)), x, g.binary("multiply", x, w))


@op("glu")
def _glu(c, a):
    g, x = c.graph, a.self
    axis = normalize(a.dim, x.rank)
    half = c.shape()[axis]
    return g.binary("multiply", g.slice(x, [axis], [0], [half]),
                    g.unary("sigmoid", g.slice(x, [axis], [half], [size(half + half)])))


@op("dropout", "native_dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout", "rrelu")
def _dropout(c, a):
    if c.name == "rrelu":
        if a.training:
            raise Unsupported("training is not supported")
        return c.graph.unary("leaky_relu", a.self, f"alpha = {format_float((a.lower + a.upper) / 2)}")
    if a.train and a.p:
        raise Unsupported("training is not supported, export the model after eval()")
    if c.name == "native_dropout":
        return [a.input, c.graph.full(c.shape(), True, "i1")]
    return a.input


# ---- Softmax and normalizations ----------------------------------------------------------------------------------

@op("softmax", "_softmax", "_safe_softmax", "log_softmax", "_log_softmax", "special_softmax",
    "special_log_softmax", "softmin")
def _softmax(c, a):
    x = c.as_vector(c.tensor(a.self))
    axis = normalize(a.dim, x.rank)
    result = c.graph.along("log_softmax" if "log" in c.name else "softmax", x, axis)
    if c.name == "_safe_softmax":
        # Rows without anything to choose from are 0.
        empty = c.graph.compare("equal", c.graph.reduce("max", x, [axis], True), c.tensor(-math.inf))
        result = c.graph.where(empty, c.tensor(0), result)
    return result if a.self.rank else c.graph.reshape(result, ())


def _operand_groups(x, **optional):
    """Operands with their places in the text: x scale(%s) bias(%b)."""
    present = {name: value for name, value in optional.items() if value is not None}
    text = " ".join([x.name, *(f"{name}({value.name})" for name, value in present.items())])
    return [x.type, *(value.type for value in present.values())], text


@op("layer_norm", "native_layer_norm")
def _layer_norm(c, a):
    g, x = c.graph, a.input
    axes = list(range(x.rank - len(a.normalized_shape), x.rank))
    types, text = _operand_groups(x, scale=a.weight, bias=a.bias)
    result = g.op("layer_norm", [], x.dtype, x.shape,
                  f"axes = {format_ints(axes)}, epsilon = {format_float(a.eps)}", types, text)
    if c.name == "layer_norm":
        return result
    mean = g.reduce("mean", x, axes, True)
    distance = g.binary("subtract", x, mean)
    variance = g.reduce("mean", g.binary("multiply", distance, distance), axes, True)
    return [result, mean, g.unary("rsqrt", g.binary("add", variance, c.tensor(a.eps)))]


@op("rms_norm", "_fused_rms_norm")
def _rms_norm(c, a):
    g, x = c.graph, a.input
    axes = list(range(x.rank - len(a.normalized_shape), x.rank))
    eps = 1.1920928955078125e-07 if a.eps is None else a.eps
    types, text = _operand_groups(x, scale=a.weight)
    result = g.op("rms_norm", [], x.dtype, x.shape,
                  f"axes = {format_ints(axes)}, epsilon = {format_float(eps)}", types, text)
    if len(c.results) == 1:
        return result
    square = g.reduce("mean", g.binary("multiply", x, x), axes, True)
    return [result, g.unary("rsqrt", g.binary("add", square, c.tensor(eps)))]


def _channelwise(g, x, vector):
    return g.reshape(vector, (vector.shape[0],) + (1,) * (x.rank - 2))


@op("batch_norm", "cudnn_batch_norm", "_native_batch_norm_legit_no_training", "_native_batch_norm_legit",
    "native_batch_norm", "_native_batch_norm_legit_functional")
def _batch_norm(c, a):
    g, x, channels = c.graph, a.input, a.input.shape[1]
    mean, variance = getattr(a, "running_mean", None), getattr(a, "running_var", None)
    training = getattr(a, "training", False)
    extra = []
    if training or mean is None:
        axes = [axis for axis in range(x.rank) if axis != 1]
        batch_mean = g.reduce("mean", x, axes)
        distance = g.binary("subtract", x, _channelwise(g, x, batch_mean))
        batch_variance = g.reduce("mean", g.binary("multiply", distance, distance), axes)
        inverse = g.unary("rsqrt", g.binary("add", batch_variance, c.tensor(a.eps)))
        extra = [batch_mean, inverse]
        if "functional" in c.name:
            number = g.from_size(product([x.shape[axis] for axis in axes]), x.dtype)
            unbiased = g.binary("divide", g.binary("multiply", batch_variance, number),
                                g.binary("subtract", number, c.tensor(1)))
            for old, new in ((mean, batch_mean), (variance, unbiased)):
                extra.append(g.binary("add", g.binary("multiply", old, c.tensor(1 - a.momentum)),
                                      g.binary("multiply", new, c.tensor(a.momentum))))
        mean, variance = batch_mean, batch_variance
    scale = a.weight if a.weight is not None else g.full((channels,), 1, x.dtype)
    bias = a.bias if a.bias is not None else g.full((channels,), 0, x.dtype)
    result = g.op("batch_norm", [x, scale, bias, mean, variance], x.dtype, x.shape,
                  f"axis = 1 : i64, epsilon = {format_float(a.eps)}")
    extra += [g.full((0,), 0, c.dtype(i)) for i in range(1 + len(extra), len(c.results))]
    return [result, *extra] if len(c.results) > 1 else result


@op("group_norm", "native_group_norm")
def _group_norm(c, a):
    g, x = c.graph, a.input
    groups = a.num_groups if c.name == "group_norm" else a.group
    types, text = _operand_groups(x, scale=a.weight, bias=a.bias)
    result = g.op("group_norm", [], x.dtype, x.shape, f"groups = {groups} : i64, epsilon = {format_float(a.eps)}",
                  types, text)
    if c.name == "group_norm":
        return result
    parts = g.reshape(x, (x.shape[0], groups, size(product(x.shape[1:]) // groups)))
    mean = g.reduce("mean", parts, [2])
    distance = g.binary("subtract", parts, g.expand_dims(mean, [2]))
    variance = g.reduce("mean", g.binary("multiply", distance, distance), [2])
    return [result, mean, g.unary("rsqrt", g.binary("add", variance, c.tensor(a.eps)))]


@op("instance_norm")
def _instance_norm(c, a):
    g, x = c.graph, a.input
    if not a.use_input_stats:
        return g.op("batch_norm", [x, a.weight if a.weight is not None else g.full((x.shape[1],), 1, x.dtype),
                                   a.bias if a.bias is not None else g.full((x.shape[1],), 0, x.dtype),
                                   a.running_mean, a.running_var], x.dtype, x.shape,
                    f"axis = 1 : i64, epsilon = {format_float(a.eps)}")
    types, text = _operand_groups(x, scale=a.weight, bias=a.bias)
    return g.op("instance_norm", [], x.dtype, x.shape, f"epsilon = {format_float(a.eps)}", types, text)


# ---- Attention ---------------------------------------------------------------------------------------------------

@op("scaled_dot_product_attention")
def _attention(c, a):
    g, q, k, v = c.graph, a.query, a.key, a.value
    if a.dropout_p:
        raise Unsupported("dropout in attention is not supported, export the model after eval()")
    shape = c.shape()
    batch = q.shape[:-3]

    def flatten(x):
        x = x if x.rank >= 3 else g.expand_dims(x, range(3 - x.rank))
        heads = x.shape[-3]
        lead = g.broadcast_to(x, (*batch, *x.shape[-3:])) if x.rank > 3 else x
        return g.reshape(lead, (product(batch), heads, *lead.shape[-2:]))

    mask = a.attn_mask
    if mask is not None:
        if mask.rank > 4:
            mask = g.broadcast_to(mask, (*batch, *mask.shape[-3:]))
            mask = g.reshape(mask, (product(batch), *mask.shape[-3:]))
        elif mask.rank == 4 and len(batch) == 0:
            raise Unsupported("a mask of more dimensions than the query is not supported")
        mask = mask if mask.dtype == "i1" else g.astype(mask, q.dtype)
    q, k, v = flatten(q), flatten(k), flatten(v)
    attributes = [*([f"scale = {format_float(a.scale)}"] if a.scale is not None else []),
                  *(["causal"] if a.is_causal else [])]
    types, text = _operand_groups(v, mask=mask)
    result = g.op("attention", [], q.dtype, (*q.shape[:-1], v.shape[-1]), ", ".join(attributes),
                  [q.type, k.type, *types], f"{q.name}, {k.name}, {text}")
    if mask is not None and mask.dtype == "i1":
        # Rows that attend to nothing are 0 in torch.
        some = g.reduce("any", mask, [mask.rank - 1], True)
        result = g.where(some, result, c.tensor(0))
    return g.reshape(result, shape)


@op("_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_attention_math")
def _attention_parts(c, a):
    """The result; what only gradients need is not computed."""
    return [_attention(c, a)] + [None] * (len(c.results) - 1)


# ---- Convolutions ------------------------------------------------------------------------------------------------

def _list(value, rank):
    values = [value] if isinstance(value, int) else list(value)
    return values * rank if len(values) == 1 else values


def convolution(c, x, w, bias, stride, padding, dilation, groups, transposed=False, output_padding=0):
    g, rank = c.graph, w.rank - 2
    unbatched = x.rank == w.rank - 1
    x = g.expand_dims(x, [0]) if unbatched else x
    stride, dilation = _list(stride, rank), _list(dilation, rank)
    if isinstance(padding, str):
        total = [d * (k - 1) for d, k in zip(dilation, w.shape[2:])] if padding == "same" else [0] * rank
        low, high = [t // 2 for t in total], [t - t // 2 for t in total]
    else:
        low = high = _list(padding, rank)
    if not transposed and any(isinstance(extent, Expr) for extent in [*low, *high]):
        # The extents of a kernel that is an input.
        x = g.pad(x, [0, 0, *low], [0, 0, *high])
        low = high = [0] * rank
    if any(isinstance(extent, Expr) for extent in [*low, *high, *stride, *dilation]):
        raise Unsupported("a padding, stride or dilation that is a size is not supported")
    attributes = (f"strides = {format_ints(stride)}, pads = {format_ints([*low, *high])}, "
                  f"dilations = {format_ints(dilation)}, groups = {groups} : i64")
    window = list(zip(x.shape[2:], w.shape[2:], low, high, stride, dilation))
    if transposed:
        output_padding = _list(output_padding, rank)
        attributes += f", output_padding = {format_ints(output_padding)}"
        spatial = [(n - 1) * s + d * (k - 1) + 1 + more - a - b
                   for (n, k, a, b, s, d), more in zip(window, output_padding)]
        shape = (x.shape[0], w.shape[1] * groups, *spatial)
    else:
        spatial = [(n + a + b - d * (k - 1) - 1) // s + 1 for n, k, a, b, s, d in window]
        shape = (x.shape[0], w.shape[0], *spatial)
    result = g.op("conv_transpose" if transposed else "conv", [x, w], x.dtype, shape, attributes)
    if bias is not None:
        result = g.binary("add", result, _channelwise(g, result, bias))
    return g.squeeze(result, [0]) if unbatched else result


@op("convolution", "_convolution", "convolution_overrideable")
def _convolution(c, a):
    return convolution(c, a.input, a.weight, a.bias, a.stride, a.padding, a.dilation, a.groups, a.transposed,
                       a.output_padding)


@op("conv1d", "conv2d", "conv3d", "conv_depthwise3d", "mkldnn_convolution")
def _conv(c, a):
    return convolution(c, a.input, a.weight, a.bias, a.stride, a.padding, a.dilation, a.groups)


@op("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def _conv_transpose(c, a):
    return convolution(c, a.input, a.weight, a.bias, a.stride, a.padding, a.dilation, a.groups, True,
                       a.output_padding)


# ---- Pooling -----------------------------------------------------------------------------------------------------

def _pool(c, a, mnemonic, rank, dtype=None, more=""):
    """Pooling of torch's arguments over the last `rank` dimensions."""
    g, x = c.graph, a.self
    kernel = _list(a.kernel_size, rank)
    stride = _list(a.stride, rank) if a.stride not in (None, []) else kernel
    padding, dilation = _list(a.padding, rank), _list(getattr(a, "dilation", 1), rank)
    unbatched = x.rank == rank + 1
    x = g.expand_dims(x, [0]) if unbatched else x
    shape = (*x.shape[:2], *c.shape()[-rank:])
    result = g.op(mnemonic, [x], dtype or x.dtype, shape,
                  f"kernel = {format_ints(kernel)}, strides = {format_ints(stride)}, "
                  f"pads = {format_ints(padding * 2)}, dilations = {format_ints(dilation)}"
                  f"{', ceil_mode' if a.ceil_mode else ''}{more}")
    return g.squeeze(result, [0]) if unbatched else result


def _max_pool(rank, indices, c, a):
    result = _pool(c, a, "max_pool", rank)
    if not indices:
        return result
    # torch counts within a channel, the graph in the whole operand.
    index = _pool(c, a, "max_pool_indices", rank, "i64")
    plane = c.tensor(product(a.self.shape[-rank:]), "i64")
    return [result, c.graph.binary("mod", index, plane)]


def _avg_pool(rank, c, a):
    divisor = getattr(a, "divisor_override", None)
    include = getattr(a, "count_include_pad", True)
    if divisor is not None:
        kernel = _list(a.kernel_size, rank)
        if a.ceil_mode:
            raise Unsupported("a divisor with rounding up is not supported")
        result = _pool(c, a, "avg_pool", rank, more=", count_include_pad")
        return c.graph.binary("multiply", result, c.tensor(math.prod(kernel) / divisor))
    return _pool(c, a, "avg_pool", rank, more=", count_include_pad" if include else "")


for _rank in (1, 2, 3):
    OPS[f"max_pool{_rank}d"] = functools.partial(_max_pool, _rank, False)
    OPS[f"max_pool{_rank}d_with_indices"] = functools.partial(_max_pool, _rank, True)
    OPS[f"avg_pool{_rank}d"] = functools.partial(_avg_pool, _rank)


def _adaptive_pool(kind, rank, c, a):
    g, x = c.graph, a.self
    sizes = list(c.shape()[-rank:])
    if any(isinstance(extent, Expr) for extent in sizes):
        raise Unsupported("an output size that is a size is not supported")
    unbatched = x.rank == rank + 1
    y = g.expand_dims(x, [0]) if unbatched else x
    y = g.op(f"adaptive_{kind}_pool", [y], y.dtype, (*y.shape[:2], *sizes), f"output_size = {format_ints(sizes)}")
    return g.squeeze(y, [0]) if unbatched else y


for _rank in (1, 2, 3):
    for _name in (f"adaptive_avg_pool{_rank}d", f"_adaptive_avg_pool{_rank}d"):
        OPS[_name] = functools.partial(_adaptive_pool, "avg", _rank)


# ---- Resizing ----------------------------------------------------------------------------------------------------

def _resize(mode, c, a):
    g, x = c.graph, a.self if hasattr(a, "self") else a.input
    rank = x.rank
    axes, shape = list(range(2, rank)), c.shape()
    scales = getattr(a, "scale_factors", None)
    if scales is None:
        scales = [getattr(a, name, None) for name in (["scales_d"] * (rank == 5) + ["scales_h"] * (rank >= 4) +
                                                      ["scales_w" if rank >= 4 else "scales"])]
        scales = scales if all(value is not None for value in scales) else None
    align = getattr(a, "align_corners", False)
    attributes = [f"axes = {format_ints(axes)}", f'mode = "{mode.removesuffix("-exact")}"']
    if mode == "nearest":
        attributes += ['coordinates = "asymmetric"', 'rounding = "floor"']
    elif mode == "nearest-exact":
        attributes += ['coordinates = "half_pixel"', 'rounding = "round_prefer_ceil"']
    else:
        attributes += [f'coordinates = "{"align_corners" if align else "half_pixel"}"']
    if scales is not None and not align:
        attributes.append("scales = array<f64: " + ", ".join(repr(float(scale)) for scale in scales) + ">")
    name, kind = g.make_shape(shape[2:])
    return g.op("resize", [], x.dtype, shape, ", ".join(attributes), [x.type, kind], f"{x.name}, {name}")


for _name, _mode in (("upsample_nearest1d", "nearest"), ("upsample_nearest2d", "nearest"),
                     ("upsample_nearest3d", "nearest"), ("_upsample_nearest_exact1d", "nearest-exact"),
                     ("_upsample_nearest_exact2d", "nearest-exact"), ("_upsample_nearest_exact3d", "nearest-exact"),
                     ("upsample_linear1d", "linear"), ("upsample_bilinear2d", "linear"),
                     ("upsample_trilinear3d", "linear"), ("upsample_bicubic2d", "cubic")):
    OPS[_name] = functools.partial(_resize, _mode)


@op("renorm")
def _renorm(c, a):
    g, x = c.graph, a.self
    axis = normalize(a.dim, x.rank)
    length = norm(c, x, a.p, [i for i in range(x.rank) if i != axis], True)
    factor = g.binary("divide", c.tensor(a.maxnorm), g.binary("add", length, c.tensor(1e-7)))
    return g.binary("multiply", x, g.where(g.compare("greater", length, c.tensor(a.maxnorm)), factor, c.tensor(1)))
