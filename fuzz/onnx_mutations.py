# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Changes of ONNX messages that make valid models hostile, for fuzz_onnx.py. Each takes a random.Random and a model."""
import copy

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError
from onnx import AttributeProto, GraphProto, ModelProto, TensorProto, helper

NUMBERS = [0, 1, -1, 2, 3, 7, -2, 64, 65, 255, 2**16, 2**24, 2**31 - 1, -2**31, 2**31, 2**40, 2**56, 2**62, 2**63 - 1,
           -2**63]
FLOATS = [0.0, -1.0, 1e-30, 1e30, float("inf"), float("-inf"), float("nan"), 0.5]
TEXTS = ["", "x", "y", "n", "n+1", "n * n * n", "a b", "\"", "\\", "\x01", "a" * 5000, "../w", "/etc/passwd", "ai.onnx",
         "axis", "a floordiv b", "n floordiv 0", "(" * 300, "-n", "9" * 30, "?", "n mod m", "max(n, 2)", "\xff\xfe"]
LOCATIONS = ["", ".", "..", "/", "/dev/zero", "/etc/passwd", "../model.onnx", "model.onnx", "w.bin", "./w.bin",
             "a/../../w.bin", "w.bin/", "w\x00.bin", "missing", "link", "x" * 5000]
NAMES = ["location", "offset", "length", "checksum", "", "basepath"]
SIZES = ["0", "1", "-1", "16", "64", "4096", str(2**31), str(2**63 - 1), str(2**64), "1e3", "0x10", "", " 4"]


def messages(message, found=None):
    """The message and all within it."""
    found = [] if found is None else found
    found.append(message)
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for child in (value if field.is_repeated else [value]):
                messages(child, found)
    return found


def find(model, kind):
    return [message for message in messages(model) if isinstance(message, kind)]


def value_names(graph):
    return sorted({name for node in graph.node for name in [*node.input, *node.output]}
                  | {value.name for value in [*graph.input, *graph.initializer]} | {"undefined"})


# ===- Fields of any message --------------------------------------------------------------------------------------===#


def pick_scalar(rng, field, names):
    if field.cpp_type in (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE):
        return rng.choice(FLOATS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return rng.choice(TEXTS + names).encode()[: rng.choice([3, 5000])]
    if field.type == FieldDescriptor.TYPE_STRING:
        return rng.choice(TEXTS + names * 3)
    if field.type == FieldDescriptor.TYPE_ENUM:
        return rng.choice(field.enum_type.values).number
    number = rng.choice(NUMBERS) if rng.random() < 0.7 else rng.randrange(-10, 30)
    return max(-2**31, min(number, 2**31 - 1)) if field.type == FieldDescriptor.TYPE_INT32 else number


def change_list(rng, field, values, names):
    """Drops, repeats, moves or changes an element."""
    index = rng.randrange(len(values)) if values else 0
    kind = rng.choice(["drop", "repeat", "swap", "change"])
    if kind == "drop" and values:
        del values[index]
    elif kind == "repeat" and values:
        values.extend([values[index]] * rng.choice([1, 1, 1, 3, 70]))
    elif kind == "swap" and len(values) > 1:
        other = rng.randrange(len(values))
        items = list(values)
        items[index], items[other] = items[other], items[index]
        del values[:]
        values.extend(items)
    elif field.type != FieldDescriptor.TYPE_MESSAGE:
        if values:
            values[index] = pick_scalar(rng, field, names)
        else:
            values.append(pick_scalar(rng, field, names))


def change_field(rng, model):
    """Any field of any message."""
    names = value_names(model.graph)
    message = rng.choice(messages(model))
    fields = [field for field, _ in message.ListFields()] or list(message.DESCRIPTOR.fields)
    field = rng.choice(fields if rng.random() < 0.85 else list(message.DESCRIPTOR.fields))
    if field.is_repeated:
        change_list(rng, field, getattr(message, field.name), names)
    elif field.type == FieldDescriptor.TYPE_MESSAGE or rng.random() < 0.2:
        message.ClearField(field.name)
    else:
        setattr(message, field.name, pick_scalar(rng, field, names))


# ===- One kind of fault each -------------------------------------------------------------------------------------===#


def change_size(rng, model):
    """An extent of an input, output or stored tensor becomes hostile; so may the number of dimensions."""
    values = [*model.graph.input, *model.graph.output, *model.graph.value_info]
    tensors = find(model, TensorProto)
    if tensors and rng.random() < 0.5:
        tensor = rng.choice(tensors)
        if tensor.dims and rng.random() < 0.8:
            tensor.dims[rng.randrange(len(tensor.dims))] = rng.choice(NUMBERS)
        else:
            tensor.dims.extend(rng.choices(NUMBERS, k=rng.choice([1, 2, 100])))
    elif values:
        shape = rng.choice(values).type.tensor_type.shape
        dim = rng.choice(shape.dim) if shape.dim and rng.random() < 0.8 else shape.dim.add()
        if rng.random() < 0.5:
            dim.dim_value = rng.choice(NUMBERS)
        else:
            dim.dim_param = rng.choice(TEXTS)


def change_integers(rng, model):
    """Stored integers (targets of Reshape, bounds of Slice, axes) and those of attributes become hostile."""
    widths = {TensorProto.INT64: 8, TensorProto.INT32: 4}
    tensors = [tensor for tensor in find(model, TensorProto) if tensor.data_type in widths]
    attributes = [a for a in find(model, AttributeProto) if a.type in (AttributeProto.INT, AttributeProto.INTS)]
    if tensors and (rng.random() < 0.5 or not attributes):
        tensor = rng.choice(tensors)
        width = widths[tensor.data_type]
        if tensor.raw_data:
            raw = bytearray(tensor.raw_data)
            place = rng.randrange(max(1, len(raw) // width)) * width
            raw[place: place + width] = (rng.choice(NUMBERS) % 2**(8 * width)).to_bytes(width, "little")
            tensor.raw_data = bytes(raw)
        elif tensor.int64_data:
            tensor.int64_data[rng.randrange(len(tensor.int64_data))] = rng.choice(NUMBERS)
    elif attributes:
        attribute = rng.choice(attributes)
        if attribute.type == AttributeProto.INT:
            attribute.i = rng.choice(NUMBERS)
        elif attribute.ints and rng.random() < 0.8:
            attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice(NUMBERS)
        else:
            attribute.ints.extend(rng.choices(NUMBERS, k=rng.choice([1, 1, 2, 100])))


def change_edges(rng, model):
    """Cycles, inputs that nobody defines, empty and missing inputs, names that are defined twice."""
    graph = rng.choice(find(model, GraphProto))
    if not graph.node:
        return
    node, other = rng.choice(graph.node), rng.choice(graph.node)
    kind = rng.randrange(6)
    if kind == 0 and node.input and other.output:
        node.input[rng.randrange(len(node.input))] = rng.choice(other.output)
    elif kind == 1 and node.input:
        node.input[rng.randrange(len(node.input))] = rng.choice(["", "undefined"])
    elif kind == 2 and node.input:
        del node.input[rng.randrange(len(node.input)):]
    elif kind == 3:
        node.input.extend(rng.choices(value_names(graph), k=rng.choice([1, 2, 50])))
    elif kind == 4 and node.output:
        node.output[rng.randrange(len(node.output))] = rng.choice(value_names(graph) + [""])
    elif kind == 5:
        node.input[:] = rng.choices(value_names(graph), k=len(node.input))


def change_external(rng, model):
    """A stored tensor is said to lie in another file."""
    tensors = find(model, TensorProto)
    tensor = rng.choice(tensors) if tensors else model.graph.initializer.add(name="external", data_type=1, dims=[4])
    if rng.random() < 0.7:
        tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    del tensor.external_data[:]
    for key in rng.choices(NAMES, k=2) + ["location", "offset", "length"][: rng.randrange(4)]:
        value = rng.choice(SIZES) if key in ("offset", "length") else rng.choice(LOCATIONS)
        tensor.external_data.add(key=key, value=value)


def add_value_info(rng, model):
    """Claims about values, with hostile types, some of them for names that do not exist."""
    graph = rng.choice(find(model, GraphProto))
    name = rng.choice(value_names(graph))
    dims = [rng.choice(NUMBERS[:8] + ["n", "m", "n+1", None] + TEXTS) for _ in range(rng.choice([0, 1, 2, 2, 3, 70]))]
    info = helper.make_tensor_value_info(name, rng.choice([1, 1, 1, 7, 9, 0, 8, 99]), dims)
    rng.choice([graph.value_info, graph.value_info, graph.output, graph.input]).append(info)


def wrap(rng, model):
    """Some nodes of a graph move into a subgraph of an If, Loop or Scan; a subgraph may hold itself many times."""
    graph = model.graph
    if not graph.node:
        return
    node = rng.choice(graph.node)
    body = helper.make_graph([node], "body", [], [helper.make_empty_tensor_value_info(name) for name in node.output])
    kind = rng.choice(["If", "Loop", "Scan"])
    names = value_names(graph)
    if kind != "If":
        types = [(rng.choice([1, 7, 9]), [rng.choice([1, "n", None])]) for _ in range(rng.randrange(4))]
        body.input.extend(helper.make_tensor_value_info(f"in{index}", *entry) for index, entry in enumerate(types))
    for _ in range(rng.choice([0, 0, 0, 1, 5, 45])):
        inner = copy.deepcopy(body)
        attribute = helper.make_attribute("then_branch" if kind == "If" else "body", inner)
        outer = helper.make_node(kind, [rng.choice(names)], list(node.output))
        outer.attribute.append(attribute)
        del body.node[:]
        body.node.append(outer)
    outputs = list(node.output)
    node.Clear()
    node.op_type = kind
    node.input.extend(rng.choices(names + [""], k=1 if kind == "If" else rng.randrange(5)))
    node.output.extend(outputs)
    for name in ["then_branch", "else_branch"] if kind == "If" else ["body"]:
        node.attribute.append(helper.make_attribute(name, body))
    if kind == "Scan":
        node.attribute.append(helper.make_attribute("num_scan_inputs", rng.choice([0, 1, 2, -1, 2**40])))


def add_function(rng, model):
    """A node becomes a call of a function of the model, which may call itself, or others many times."""
    if not model.graph.node:
        return
    node = rng.choice(model.graph.node)
    name = rng.choice(["f", "g", "Add", node.op_type])
    inner = copy.deepcopy(node)
    calls = [inner]
    if rng.random() < 0.3:
        calls = [helper.make_node(rng.choice(["f", "g", name]), list(node.input), list(node.output), domain="local")]
    if rng.random() < 0.2:
        calls = calls * rng.choice([2, 50])
    inputs = [entry for entry in dict.fromkeys(node.input) if entry]
    function = helper.make_function("local", name, inputs[: rng.choice([1, 99])], list(node.output), calls,
                                    [helper.make_opsetid("", rng.choice([7, 13, 18, 0, 99]))],
                                    attributes=rng.choice([[], ["axis"], ["alpha", "alpha"]]))
    for attribute in inner.attribute:
        if rng.random() < 0.3:
            attribute.ref_attr_name = rng.choice(["axis", "alpha", "", attribute.name])
    model.functions.append(function)
    if rng.random() < 0.2:
        model.functions.append(function)
    node.domain, node.op_type = "local", name
    if not any(entry.domain == "local" for entry in model.opset_import):
        model.opset_import.append(helper.make_opsetid("local", rng.choice([1, 1, 0, 2**40])))


def change_opset(rng, model):
    """Another version of the standard operators."""
    for entry in model.opset_import:
        if not entry.domain:
            entry.version = rng.randrange(1, 29) if rng.random() < 0.9 else rng.choice(NUMBERS)


def change_operator(rng, model):
    """A node computes something else of the same operands, or is of another domain."""
    nodes = list(model.graph.node)
    if not nodes:
        return
    node = rng.choice(nodes)
    if rng.random() < 0.2:
        node.domain = rng.choice(["", "ai.onnx", "com.microsoft", "ai.onnx.ml", "local", "x" * 3000])
        if not any(entry.domain == node.domain for entry in model.opset_import):
            model.opset_import.append(helper.make_opsetid(node.domain, 1))
        return
    node.op_type = rng.choice(OPERATORS)


OPERATORS = ["Add", "Reshape", "Slice", "Gather", "Concat", "Expand", "Squeeze", "Unsqueeze", "Shape", "Transpose",
             "Conv", "MatMul", "Gemm", "Pad", "Tile", "Range", "ConstantOfShape", "Split", "Resize", "ReduceSum",
             "Where", "Cast", "Einsum", "GatherND", "ScatterND", "TopK", "OneHot", "Flatten", "LayerNormalization",
             "Div", "Mod", "Mul", "LSTM", "MaxPool", "AveragePool", "ConvTranspose", "DepthToSpace", "NonZero",
             "Unique", "Loop", "If", "Scan"]


# ===- Several models, bytes --------------------------------------------------------------------------------------===#


def append_nodes(rng, model, other):
    """The nodes and constants of another model follow, on operands of this one."""
    graph, names = model.graph, value_names(model.graph)
    renamed = {value.name: rng.choice(names) for value in other.graph.input}
    for tensor in other.graph.initializer:
        graph.initializer.add().CopyFrom(tensor)
        graph.initializer[-1].name = renamed[tensor.name] = f"other_{tensor.name}"
    for node in other.graph.node:
        added = graph.node.add()
        added.CopyFrom(node)
        added.output[:] = [name and f"other_{name}" for name in node.output]
        added.input[:] = [name and renamed.get(name, f"other_{name}") for name in node.input]
    graph.output.extend(helper.make_empty_tensor_value_info(f"other_{value.name}") for value in other.graph.output)


def change_bytes(rng, data):
    """Bytes flipped, cut out, repeated or cut off."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5])):
        place = rng.randrange(len(data)) if data else 0
        kind = rng.randrange(4)
        if kind == 0 and data:
            data[place] = rng.choice([0, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        elif kind == 1:
            del data[place: place + rng.choice([1, 4, 100])]
        elif kind == 2:
            data[place:place] = data[place: place + rng.choice([1, 4, 100])]
        elif rng.random() < 0.3:
            del data[place:]
    return bytes(data)


KINDS = [change_field, change_field, change_field, change_size, change_integers, change_integers, change_edges,
         change_edges, change_external, add_value_info, wrap, add_function, change_opset, change_operator]


def mutate(rng, model: ModelProto, others):
    """A hostile model as bytes and the kinds of changes; `others` gives another model."""
    used = []
    if rng.random() < 0.15:
        append_nodes(rng, model, others())
        used.append("append_nodes")
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        kind = rng.choice(KINDS)
        try:
            kind(rng, model)
            used.append(kind.__name__)
        except (ValueError, TypeError, IndexError, DecodeError):  # nothing to change, or it does not fit
            continue
    data = model.SerializeToString()
    if rng.random() < 0.1:
        data = change_bytes(rng, data)
        used.append("change_bytes")
    return data, used
