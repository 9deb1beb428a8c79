# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Architectures of known models in torch, for the tests of relax.torch: an encoder, a residual network, a detector, a decoder."""
import json
import math
import zipfile

import numpy as np
from torch_models import functional, torch

nn = torch.nn


class BertLayer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.dense, self.norm = nn.Linear(width, width), nn.LayerNorm(width, eps=1e-12)
        self.inner, self.outer = nn.Linear(width, inner), nn.Linear(inner, width)
        self.last_norm = nn.LayerNorm(width, eps=1e-12)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + mask
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape)
        x = self.norm(x + self.dense(mixed))
        return self.last_norm(x + self.outer(functional.gelu(self.inner(x))))


class Bert(nn.Module):
    """A sentence encoder: BERT, the mean of the tokens that count, length 1."""

    def __init__(self, words, positions, width, heads, inner, layers):
        super().__init__()
        self.words, self.positions = nn.Embedding(words, width), nn.Embedding(positions, width)
        self.kinds, self.norm = nn.Embedding(2, width), nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(BertLayer(width, heads, inner) for _ in range(layers))

    def forward(self, ids, mask):
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.positions(places) + self.kinds(torch.zeros_like(ids)))
        added = (1.0 - mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        for layer in self.layers:
            x = layer(x, added)
        weights = mask[:, :, None].to(x.dtype)
        return functional.normalize((x * weights).sum(1) / weights.sum(1).clamp(min=1e-9), dim=-1)


NAMES = {"attention.self.": "", "attention.output.dense": "dense", "attention.output.LayerNorm": "norm",
         "intermediate.dense": "inner", "output.dense": "outer", "output.LayerNorm": "last_norm", "encoder.layer": "layers",
         "embeddings.word_embeddings": "words", "embeddings.position_embeddings": "positions",
         "embeddings.token_type_embeddings": "kinds", "embeddings.LayerNorm": "norm"}


def load_minilm(path):
    """The sentence encoder all-MiniLM-L6-v2 from the archive in its package."""
    with zipfile.ZipFile(path) as archive:
        config, data = json.loads(archive.read("config.json")), archive.read("model.safetensors")
    start = 8 + int.from_bytes(data[:8], "little")
    state = {}
    for name, entry in json.loads(data[8:start]).items():
        if name == "__metadata__" or name.startswith("pooler") or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        array = np.frombuffer(data, np.float32, (end - begin) // 4, start + begin).reshape(entry["shape"])
        for old, new in NAMES.items():
            name = name.replace(old, new)
        state[name] = torch.from_numpy(array.copy())
    model = Bert(config["vocab_size"], config["max_position_embeddings"], config["hidden_size"],
                 config["num_attention_heads"], config["intermediate_size"], config["num_hidden_layers"])
    model.load_state_dict(state)
    return model.eval()


class ConvNorm(nn.Sequential):
    def __init__(self, inputs, outputs, kernel, stride=1, activation=None):
        layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs)]
        super().__init__(*layers, *([activation] if activation else []))


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first, self.second = ConvNorm(inputs, outputs, 3, stride, nn.ReLU()), ConvNorm(outputs, outputs, 3)
        self.shortcut = ConvNorm(inputs, outputs, 1, stride) if stride != 1 or inputs != outputs else nn.Identity()

    def forward(self, x):
        return functional.relu(self.second(self.first(x)) + self.shortcut(x))


class ResNet18(nn.Module):
    def __init__(self, width=64, classes=1000):
        super().__init__()
        self.stem = nn.Sequential(ConvNorm(3, width, 7, 2, nn.ReLU()), nn.MaxPool2d(3, 2, 1))
        blocks, inputs = [], width
        for stage in range(4):
            for i in range(2):
                blocks.append(Block(inputs, width << stage, 2 if stage and not i else 1))
                inputs = width << stage
        self.blocks, self.classify = nn.Sequential(*blocks), nn.Linear(inputs, classes)

    def forward(self, x):
        return self.classify(functional.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1).flatten(1))


class Detector(nn.Module):
    """In the manner of YOLO: cross stages, pooled pyramids, features up and down, boxes from distributions."""

    def __init__(self, width=8, classes=5, bins=8):
        super().__init__()
        self.classes, self.bins = classes, bins

        def conv(inputs, outputs, kernel=3, stride=1):
            return ConvNorm(inputs, outputs, kernel, stride, nn.SiLU())

        self.stem = nn.Sequential(conv(3, width, 3, 2), conv(width, 2 * width, 3, 2))
        self.split, self.inside = conv(2 * width, 2 * width, 1), conv(width, width)
        self.join, self.down = conv(3 * width, 4 * width, 1), conv(4 * width, 8 * width, 3, 2)
        self.squeeze, self.pool = conv(8 * width, 4 * width, 1), nn.MaxPool2d(5, 1, 2)
        self.pyramid, self.up = conv(16 * width, 4 * width, 1), nn.Upsample(scale_factor=2, mode="nearest")
        self.merge = conv(8 * width, 4 * width, 1)
        self.heads = nn.ModuleList(nn.Conv2d(4 * width, 4 * bins + classes, 1) for _ in range(2))

    def decode(self, head, x, stride):
        y = head(x).flatten(2)
        boxes, scores = y.split([4 * self.bins, self.classes], 1)
        weights = torch.arange(self.bins, dtype=y.dtype)
        sides = (boxes.view(x.shape[0], 4, self.bins, -1).softmax(2) * weights[None, None, :, None]).sum(2)
        rows, columns = torch.meshgrid(torch.arange(x.shape[2]) + 0.5, torch.arange(x.shape[3]) + 0.5, indexing="ij")
        centers = torch.stack((columns.flatten(), rows.flatten()))
        low, high = sides.chunk(2, 1)
        corners = torch.cat((centers - low, centers + high), 1) * stride
        return torch.cat((corners, scores.sigmoid()), 1)

    def forward(self, image):
        a, b = self.split(self.stem(image)).chunk(2, 1)
        fine = self.join(torch.cat((a, b, self.inside(b)), 1))
        coarse = [self.squeeze(self.down(fine))]
        for _ in range(3):
            coarse.append(self.pool(coarse[-1]))
        coarse = self.pyramid(torch.cat(coarse, 1))
        fine = self.merge(torch.cat((self.up(coarse), fine), 1))
        return torch.cat((self.decode(self.heads[0], fine, 4), self.decode(self.heads[1], coarse, 8)), 2)


class DecoderLayer(nn.Module):
    def __init__(self, width, heads, kv_heads, inner):
        super().__init__()
        self.heads, self.kv_heads, self.depth = heads, kv_heads, width // heads
        self.norm, self.last_norm = nn.RMSNorm(width, eps=1e-6), nn.RMSNorm(width, eps=1e-6)
        self.q, self.o = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * kv_heads * self.depth, bias=False)
        self.gate, self.up = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def rotate(self, x, cos, sin):
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat((-b, a), -1) * sin

    def forward(self, x, cos, sin, mask, keys, values):
        h = self.norm(x)
        q = self.q(h).unflatten(-1, (self.heads, self.depth)).transpose(1, 2)
        k, v = self.kv(h).unflatten(-1, (2 * self.kv_heads, self.depth)).transpose(1, 2).chunk(2, 1)
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        keys, values = torch.cat((keys, k), 2), torch.cat((values, v), 2)
        times = self.heads // self.kv_heads
        mixed = functional.scaled_dot_product_attention(
            q, keys.repeat_interleave(times, 1), values.repeat_interleave(times, 1), attn_mask=mask)
        x = x + self.o(mixed.transpose(1, 2).flatten(2))
        h = self.last_norm(x)
        return x + self.down(functional.silu(self.gate(h)) * self.up(h)), keys, values


class Decoder(nn.Module):
    """In the manner of Llama, with a cache that is handed in and out."""

    def __init__(self, words=97, width=32, heads=4, kv_heads=2, inner=64, layers=2):
        super().__init__()
        self.words, self.norm = nn.Embedding(words, width), nn.RMSNorm(width, eps=1e-6)
        self.layers = nn.ModuleList(DecoderLayer(width, heads, kv_heads, inner) for _ in range(layers))
        self.logits = nn.Linear(width, words, bias=False)
        depth = width // heads
        self.register_buffer("frequencies", 10000.0 ** (-torch.arange(0, depth, 2).float() / depth))

    def forward(self, ids, *cache):
        past, new = cache[0].shape[2], ids.shape[1]
        angles = torch.outer(torch.arange(past, past + new).float(), self.frequencies).repeat(1, 2)
        mask = torch.arange(past + new)[None, :] <= torch.arange(past, past + new)[:, None]
        x, grown = self.words(ids), []
        for i, layer in enumerate(self.layers):
            x, keys, values = layer(x, angles.cos(), angles.sin(), mask, cache[2 * i], cache[2 * i + 1])
            grown += [keys, values]
        return (self.logits(self.norm(x)), *grown)


def randomize(model):
    """Random statistics of the normalizations too."""
    torch.manual_seed(1)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.running_mean, -0.2, 0.2)
            nn.init.uniform_(module.running_var, 0.5, 1.5)
            nn.init.uniform_(module.weight, 0.5, 1.5)
    return model.eval()
