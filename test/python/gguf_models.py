# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Small random language models in GGUF, and what they compute, in numpy."""
import gguf
import numpy as np

Q = gguf.GGMLQuantizationType
FORMATS = {"f16": Q.F16, "bf16": Q.BF16, "q4_0": Q.Q4_0, "q4_1": Q.Q4_1, "q5_0": Q.Q5_0, "q5_1": Q.Q5_1, "q8_0": Q.Q8_0,
           "q2_k": Q.Q2_K, "q3_k": Q.Q3_K, "q4_k": Q.Q4_K, "q5_k": Q.Q5_K, "q6_k": Q.Q6_K}
# Places of the f16 factors in a block.
FACTORS = {"f16": [0], "bf16": [], "q4_0": [0], "q4_1": [0, 2], "q5_0": [0], "q5_1": [0, 2], "q8_0": [0], "q2_k": [80, 82], "q3_k": [108],
           "q4_k": [0, 2], "q5_k": [0, 2], "q6_k": [208]}


def random_blocks(name, rows, count, seed=0, scale=0.05):
    """(rows, count, bytes of a block) of i8: any bits, but factors that are numbers."""
    rng = np.random.default_rng(seed)
    size = gguf.GGML_QUANT_SIZES[FORMATS[name]][1]
    blocks = rng.integers(0, 256, (rows, count, size), dtype=np.uint8)
    for place in FACTORS[name]:
        factors = rng.normal(0, scale, (rows, count)).astype(np.float16)
        blocks[:, :, place:place + 2] = factors[..., None].view(np.uint8)
    if name == "bf16":
        values = rng.normal(0, scale, (rows, count)).astype(np.float32)
        blocks[:] = (values.view(np.uint32) >> 16).astype(np.uint16)[..., None].view(np.uint8)
    return blocks.view(np.int8)


CONFIG = dict(layers=2, width=256, heads=4, kv_heads=2, length=64, hidden=256, vocabulary=40, context=64, epsilon=1e-5, base=10000.0, window=0,
              attention_cap=0.0, logit_cap=0.0)
# Which parts an architecture has.
ARCHITECTURES = {
    "llama": {}, "phi3": {"joined": True}, "qwen3moe": {"qk_norms": True, "experts": 5, "used": 2, "skew": 1.0}, "qwen2": {"biases": True}, "qwen3": {"qk_norms": True}, "gemma": {"tied": True},
    "gemma2": {"tied": True, "post_norms": True, "window": 3, "attention_cap": 50.0, "logit_cap": 30.0},
    "gemma3": {"tied": True, "post_norms": True, "qk_norms": True, "layers": 6, "window": 3, "kv_heads": 1, "base": 1e6},
}


class Model:
    """The weights of a model as f32 arrays, and its configuration."""

    def __init__(self, architecture, config, weights):
        self.architecture, self.config, self.weights = architecture, config, weights
        # Rows of one matrix, as if they were matrices of their own.
        queries, keys = (config[name] * config["length"] for name in ("heads", "kv_heads"))
        for name in list(weights):
            prefix, _, kind = name.removesuffix(".weight").rpartition(".")
            if kind == "attn_qkv":
                parts = np.split(weights[name], [queries, queries + keys])
                weights.update({f"{prefix}.{part}.weight": rows for part, rows in zip(("attn_q", "attn_k", "attn_v"), parts)})
            if kind == "ffn_up" and f"{prefix}.ffn_gate.weight" not in weights:
                weights[f"{prefix}.ffn_gate.weight"], weights[name] = np.split(weights[name], 2)

    @classmethod
    def load(cls, path):
        reader = gguf.GGUFReader(path)
        name = reader.fields["general.architecture"].contents()

        def get(key, absent=None):
            field = reader.fields.get(f"{name}.{key}")
            return absent if field is None else field.contents()

        heads, width = get("attention.head_count"), get("embedding_length")
        config = dict(layers=get("block_count"), width=width, heads=heads, kv_heads=get("attention.head_count_kv", heads),
                      length=get("attention.key_length", width // heads), epsilon=get("attention.layer_norm_rms_epsilon"),
                      base=get("rope.freq_base", 10000.0), window=get("attention.sliding_window", 0),
                      used=get("expert_used_count", 0), attention_cap=get("attn_logit_softcapping", 0.0), logit_cap=get("final_logit_softcapping", 0.0))
        weights = {t.name: gguf.quants.dequantize(t.data, t.tensor_type).astype(np.float32) for t in reader.tensors}
        return cls(name, config, weights)

    def norm(self, x, name):
        mean = np.mean(x * x, axis=-1, keepdims=True)
        return x / np.sqrt(mean + self.config["epsilon"]) * self.weights[name]

    def linear(self, x, name):
        y = x @ self.weights[name + ".weight"].T
        return y + self.weights[name + ".bias"] if name + ".bias" in self.weights else y

    def rotate(self, x, positions, base):
        half = x.shape[-1] // 2
        angle = positions[:, None] * base ** (-np.arange(half) / half)
        cos, sin = np.cos(angle), np.sin(angle)
        if self.architecture == "llama":  # neighbours are pairs
            a, b = x[..., 0::2], x[..., 1::2]
            return np.stack([a * cos - b * sin, b * cos + a * sin], axis=-1).reshape(x.shape)
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)

    def attention(self, prefix, x, layer):
        c, (batch, seq, _) = self.config, x.shape
        period = {"gemma2": 2, "gemma3": 6}.get(self.architecture, 0)
        local = period and layer % period != period - 1
        base = 10000.0 if local and self.architecture == "gemma3" else c["base"]

        def split(name, heads):
            y = self.linear(x, f"{prefix}.{name}").reshape(batch, seq, heads, c["length"])
            if f"{prefix}.{name}_norm.weight" in self.weights:
                y = self.norm(y, f"{prefix}.{name}_norm.weight")
            return y.transpose(0, 2, 1, 3)

        positions = np.arange(seq)
        q = self.rotate(split("attn_q", c["heads"]), positions, base)
        k = self.rotate(split("attn_k", c["kv_heads"]), positions, base)
        v = split("attn_v", c["kv_heads"])
        self.cache += [k, v]
        group = c["heads"] // c["kv_heads"]
        scores = q @ np.repeat(k, group, axis=1).transpose(0, 1, 3, 2) / np.sqrt(c["length"])
        if c["attention_cap"]:
            scores = c["attention_cap"] * np.tanh(scores / c["attention_cap"])
        distance = positions[:, None] - positions[None, :]
        seen = (distance >= 0) & (distance < c["window"] if local else True)
        scores = np.where(seen, scores, -np.inf)
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        y = (e / e.sum(axis=-1, keepdims=True)) @ np.repeat(v, group, axis=1)
        return self.linear(y.transpose(0, 2, 1, 3).reshape(batch, seq, -1), f"{prefix}.attn_output")

    def experts(self, prefix, h):
        """Token by token; counts how many each expert got."""
        gate, up, down = (self.weights[f"{prefix}.ffn_{kind}_exps.weight"] for kind in ("gate", "up", "down"))
        rows = h.reshape(-1, h.shape[-1])
        scores = self.linear(rows, f"{prefix}.ffn_gate_inp")
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        result, self.loads = np.zeros_like(rows), np.zeros(len(gate), int)
        for row, x, p in zip(result, rows, e / e.sum(axis=-1, keepdims=True)):
            best = np.argsort(-p, kind="stable")[:self.config["used"]]
            for expert in best:
                g = gate[expert] @ x
                row += p[expert] / p[best].sum() * (down[expert] @ (g / (1 + np.exp(-g)) * (up[expert] @ x)))
                self.loads[expert] += 1
        return result.reshape(h.shape)

    def run(self, tokens, dtype=np.float64, last=False):
        """Logits of every token, or of the last one, and the caches: keys and values of each layer."""
        gemma, c, self.cache = self.architecture.startswith("gemma"), self.config, []
        x = self.weights["token_embd.weight"][tokens].astype(dtype)
        if gemma:
            x = x * np.float32(np.sqrt(np.float32(c["width"])))
        for layer in range(c["layers"]):
            prefix = f"blk.{layer}"

            def post(y, name, prefix=prefix):
                return self.norm(y, f"{prefix}.{name}.weight") if f"{prefix}.{name}.weight" in self.weights else y

            x = x + post(self.attention(prefix, self.norm(x, f"{prefix}.attn_norm.weight"), layer), "post_attention_norm")
            h = self.norm(x, f"{prefix}.ffn_norm.weight")
            if c["used"]:
                x = x + self.experts(prefix, h)
                continue
            g = self.linear(h, f"{prefix}.ffn_gate")
            g = g / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (g + 0.044715 * g**3))) if gemma else g / (1 + np.exp(-g))
            x = x + post(self.linear(g * self.linear(h, f"{prefix}.ffn_up"), f"{prefix}.ffn_down"), "post_ffw_norm")
        x = self.norm(x[:, -1:] if last else x, "output_norm.weight")
        logits = self.linear(x, "output" if "output.weight" in self.weights else "token_embd")
        return c["logit_cap"] * np.tanh(logits / c["logit_cap"]) if c["logit_cap"] else logits


def write_model(path, architecture, formats=tuple(FORMATS), seed=0, describe=lambda writer: None, **changes):
    """A random model whose matrices have the given formats in turn; `describe` adds metadata."""
    parts = {"joined": False, "experts": 0, "tied": False, "post_norms": False, "qk_norms": False, "biases": False, **CONFIG, **ARCHITECTURES[architecture], **changes}
    rng = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, architecture)
    for key, value in [("block_count", parts["layers"]), ("context_length", parts["context"]), ("embedding_length", parts["width"]),
                       ("feed_forward_length", parts["hidden"]), ("attention.head_count", parts["heads"]),
                       ("attention.head_count_kv", parts["kv_heads"]), ("attention.key_length", parts["length"]),
                       ("attention.value_length", parts["length"])]:
        writer.add_uint32(f"{architecture}.{key}", value)
    writer.add_float32(f"{architecture}.attention.layer_norm_rms_epsilon", parts["epsilon"])
    writer.add_float32(f"{architecture}.rope.freq_base", parts["base"])
    if parts["window"]:
        writer.add_uint32(f"{architecture}.attention.sliding_window", parts["window"])
    if parts["experts"]:
        writer.add_uint32(f"{architecture}.expert_count", parts["experts"])
        writer.add_uint32(f"{architecture}.expert_used_count", parts["used"])
        writer.add_uint32(f"{architecture}.expert_feed_forward_length", parts["hidden"])
    if parts["attention_cap"]:
        writer.add_float32(f"{architecture}.attn_logit_softcapping", parts["attention_cap"])
        writer.add_float32(f"{architecture}.final_logit_softcapping", parts["logit_cap"])
    describe(writer)
    made = 0

    def vector(name, length, mean=1.0):
        writer.add_tensor(name, rng.normal(mean, 0.1, length).astype(np.float32))

    def matrix(name, rows, columns):
        nonlocal made
        form = formats[made % len(formats)]
        made += 1
        values = rng.normal(0, columns**-0.5, (rows, columns)).astype(np.float32)
        if form == "f32":
            writer.add_tensor(name, values)
        elif form.endswith("_k"):  # the package decodes them only: any bits are numbers
            count, size = gguf.GGML_QUANT_SIZES[FORMATS[form]]
            blocks = random_blocks(form, rows, columns // count, made, scale=columns**-0.5 * {"q2_k": 0.05, "q6_k": 4e-4}.get(form, 2e-3))
            writer.add_tensor(name, blocks.reshape(rows, -1).view(np.uint8), raw_dtype=FORMATS[form])
        else:
            writer.add_tensor(name, gguf.quants.quantize(values, FORMATS[form]), raw_dtype=FORMATS[form])

    width, hidden = parts["width"], parts["hidden"]
    queries, keys = parts["heads"] * parts["length"], parts["kv_heads"] * parts["length"]
    matrix("token_embd.weight", parts["vocabulary"], width)
    for layer in range(parts["layers"]):
        prefix = f"blk.{layer}."
        for name in ["attn_norm", "ffn_norm"] + (["post_attention_norm", "post_ffw_norm"] if parts["post_norms"] else []):
            vector(prefix + name + ".weight", width)
        if parts["qk_norms"]:
            vector(prefix + "attn_q_norm.weight", parts["length"])
            vector(prefix + "attn_k_norm.weight", parts["length"])
        matrices = [("attn_q", queries, width), ("attn_k", keys, width), ("attn_v", keys, width), ("attn_output", width, queries),
                    ("ffn_gate", hidden, width), ("ffn_up", hidden, width), ("ffn_down", width, hidden)]
        if parts["joined"]:
            matrices = [("attn_qkv", queries + 2 * keys, width), matrices[3], ("ffn_up", 2 * hidden, width), matrices[6]]
        if parts["experts"]:
            router = rng.normal(0, width**-0.5, (parts["experts"], width))
            router[1:] *= parts["skew"]  # small ones, so that the first expert gets all or none
            writer.add_tensor(prefix + "ffn_gate_inp.weight", router.astype(np.float32))
            for name, rows, columns in matrices[4:]:
                expert = [rng.normal(0, columns**-0.5, (rows, columns)).astype(np.float32) for _ in range(parts["experts"])]
                writer.add_tensor(f"{prefix}{name}_exps.weight", gguf.quants.quantize(np.stack(expert), Q.Q8_0), raw_dtype=Q.Q8_0)
            matrices = matrices[:4]
        for name, rows, columns in matrices:
            matrix(prefix + name + ".weight", rows, columns)
            if parts["biases"] and name in ("attn_q", "attn_k", "attn_v"):
                vector(prefix + name + ".bias", rows, mean=0)
    vector("output_norm.weight", width)
    if not parts["tied"]:
        matrix("output.weight", parts["vocabulary"], width)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
