# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Choosing the next token from logits, as compiled functions of the graph dialect."""
import dataclasses
import functools
import random

import numpy as np

from . import _compiler

# Logits of this many neighbours are compared first: the best ones are in the rows with the best maxima.
_ROW = 64

_PENALIZED = """
  %zero = relax.constant dense<0.0> : tensor<f32>
  %there = relax.take_along_axis %logits, %seen {axis = 0 : i64} : (tensor<@Vxf32>, tensor<?xi64, #h>) -> tensor<?xf32, #h>
  %positive = relax.greater %there, %zero : (tensor<?xf32, #h>, tensor<f32>) -> tensor<?xi1, #h>
  %smaller = relax.divide %there, %penalty : (tensor<?xf32, #h>, tensor<f32>) -> tensor<?xf32, #h>
  %larger = relax.multiply %there, %penalty : (tensor<?xf32, #h>, tensor<f32>) -> tensor<?xf32, #h>
  %changed = relax.where %positive, %smaller, %larger : (tensor<?xi1, #h>, tensor<?xf32, #h>, tensor<?xf32, #h>) -> tensor<?xf32, #h>
  %scores = relax.scatter_elements %logits, %seen, %changed {axis = 0 : i64, reduction = "none"} : (tensor<@Vxf32>, tensor<?xi64, #h>, tensor<?xf32, #h>) -> tensor<@Vxf32>
"""

_HEAD = """%logits: tensor<@Vxf32> {relax.name = "logits"}, %seen: tensor<?xi64, #h> {relax.name = "seen"},
    %penalty: tensor<f32> {relax.name = "penalty"}"""

_GREEDY = f"""
func.func @greedy({_HEAD}) -> (tensor<i64> {{relax.name = "token"}}) attributes {{relax_sym.scope = #relax_sym.scope<"h >= 0">}} {{{_PENALIZED}
  %token = relax.argmax %scores {{axis = 0 : i64}} : (tensor<@Vxf32>) -> tensor<i64>
  return %token : tensor<i64>
}}"""

_SORTED = """
  %best, %ids = relax.topk %scores, %k {axis = 0 : i64} : (tensor<@Vxf32>, !relax.shape<[@K]>) -> (tensor<@Kxf32>, tensor<@Kxi64>)"""

_ROWS = """
  %lowest = relax.constant dense<0xFF800000> : tensor<@Rest xf32>
  %padded = relax.concat %scores, %lowest {axis = 0 : i64} : (tensor<@Vxf32>, tensor<@Rest xf32>) -> tensor<@Wxf32>
  %whole = relax.make_shape : () -> !relax.shape<[@R, @C]>
  %rows = relax.reshape %padded, %whole : (tensor<@Wxf32>, !relax.shape<[@R, @C]>) -> tensor<@Rx@Cxf32>
  %tops = relax.max %rows {axes = array<i64: 1>} : (tensor<@Rx@Cxf32>) -> tensor<@Rxf32>
  %top, %places = relax.topk %tops, %k {axis = 0 : i64} : (tensor<@Rxf32>, !relax.shape<[@K]>) -> (tensor<@Kxf32>, tensor<@Kxi64>)
  %some = relax.take %rows, %places {axis = 0 : i64} : (tensor<@Rx@Cxf32>, tensor<@Kxi64>) -> tensor<@Kx@Cxf32>
  %flat = relax.make_shape : () -> !relax.shape<[@S]>
  %line = relax.reshape %some, %flat : (tensor<@Kx@Cxf32>, !relax.shape<[@S]>) -> tensor<@Sxf32>
  %best, %at = relax.topk %line, %k {axis = 0 : i64} : (tensor<@Sxf32>, !relax.shape<[@K]>) -> (tensor<@Kxf32>, tensor<@Kxi64>)
  %width = relax.constant dense<@C> : tensor<i64>
  %which = relax.divide %at, %width : (tensor<@Kxi64>, tensor<i64>) -> tensor<@Kxi64>
  %row = relax.take %places, %which {axis = 0 : i64} : (tensor<@Kxi64>, tensor<@Kxi64>) -> tensor<@Kxi64>
  %first = relax.subtract %row, %which : (tensor<@Kxi64>, tensor<@Kxi64>) -> tensor<@Kxi64>
  %offset = relax.multiply %first, %width : (tensor<@Kxi64>, tensor<i64>) -> tensor<@Kxi64>
  %ids = relax.add %offset, %at : (tensor<@Kxi64>, tensor<@Kxi64>) -> tensor<@Kxi64>"""

_SAMPLE = """
func.func @sample(@Head, %temperature: tensor<f32> {relax.name = "temperature"}, %top_p: tensor<f32> {relax.name = "top_p"},
    %draw: tensor<f32> {relax.name = "draw"}) -> (tensor<i64> {relax.name = "token"}) attributes {relax_sym.scope = #relax_sym.scope<"h >= 0">} {@Penalized
  %k = relax.make_shape : () -> !relax.shape<[@K]>@Best
  %scaled = relax.divide %best, %temperature : (tensor<@Kxf32>, tensor<f32>) -> tensor<@Kxf32>
  %p = relax.softmax %scaled {axis = 0 : i64} : (tensor<@Kxf32>) -> tensor<@Kxf32>
  %sums = relax.cumsum %p {axis = 0 : i64} : (tensor<@Kxf32>) -> tensor<@Kxf32>
  %before = relax.subtract %sums, %p : (tensor<@Kxf32>, tensor<@Kxf32>) -> tensor<@Kxf32>
  %kept = relax.less %before, %top_p : (tensor<@Kxf32>, tensor<f32>) -> tensor<@Kxi1>
  %q = relax.where %kept, %p, %zero : (tensor<@Kxi1>, tensor<@Kxf32>, tensor<f32>) -> tensor<@Kxf32>
  %ends = relax.cumsum %q {axis = 0 : i64} : (tensor<@Kxf32>) -> tensor<@Kxf32>
  %total = relax.max %ends {axes = array<i64: 0>} : (tensor<@Kxf32>) -> tensor<f32>
  %point = relax.multiply %draw, %total : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %passed = relax.greater %ends, %point : (tensor<@Kxf32>, tensor<f32>) -> tensor<@Kxi1>
  %numbers = relax.astype %passed {dtype = i32} : (tensor<@Kxi1>) -> tensor<@Kxi32>
  %chosen = relax.argmax %numbers {axis = 0 : i64} : (tensor<@Kxi32>) -> tensor<i64>
  %token = relax.take %ids, %chosen {axis = 0 : i64} : (tensor<@Kxi64>, tensor<i64>) -> tensor<i64>
  return %token : tensor<i64>
}"""


def _fill(text, **values):
    for name, value in sorted(values.items(), key=lambda item: -len(item[0])):
        text = text.replace("@" + name + " x", f"{value}x").replace("@" + name, str(value))
    return text


def get_text(vocabulary, top_k=0):
    """The module: `greedy`, and `sample` from the `top_k` best tokens (0: of all)."""
    k = min(top_k or vocabulary, vocabulary)
    rows = -(-vocabulary // _ROW)
    # With many of them there is nothing to be gained from rows. There are `rest` places, at least one, without a token.
    in_rows = k * 16 <= rows
    rows += in_rows and vocabulary % _ROW == 0
    sizes = {"V": vocabulary, "K": k, "C": _ROW, "R": rows, "W": rows * _ROW, "S": k * _ROW, "Rest": rows * _ROW - vocabulary}
    sample = _fill(_SAMPLE, Head=_HEAD, Penalized=_PENALIZED, Best=_ROWS if in_rows else _SORTED)
    return "#h = #relax_sym.shape<[h]>\n" + _fill(_GREEDY + sample, **sizes)


@functools.lru_cache(maxsize=16)
def _compile(name, vocabulary, top_k):
    return _compiler.Module.parse(get_text(vocabulary, top_k)).compile(functions=[name], threads=1)[name]


@dataclasses.dataclass(frozen=True)
class Sampling:
    """How tokens are chosen. Temperature 0 takes the most likely one; otherwise one of the `top_k` most likely ones (0:
    of all), of which only as many as have the probability `top_p` together, with probabilities of logits / temperature.
    `repetition_penalty` divides positive logits of tokens among the last `penalty_window`, and multiplies negative ones.
    The same seed gives the same text."""
    temperature: float = 0.0
    top_k: int = 40
    top_p: float = 0.95
    repetition_penalty: float = 1.0
    penalty_window: int = 64
    seed: int = 0

    def __post_init__(self):
        for name, holds, expected in [("temperature", 0 <= self.temperature < float("inf"), "at least 0"),
                                      ("top_k", self.top_k >= 0, "at least 0"),
                                      ("top_p", 0 < self.top_p <= 1, "above 0 and at most 1"),
                                      ("repetition_penalty", 0 < self.repetition_penalty < float("inf"), "above 0"),
                                      ("penalty_window", self.penalty_window >= 0, "at least 0")]:
            if not holds:
                raise ValueError(f"{name} is expected to be {expected}, actual {getattr(self, name)}")


class Sampler:
    """Chooses tokens one after the other."""

    def __init__(self, vocabulary, sampling):
        self.sampling = sampling
        self.random = random.Random(sampling.seed)
        name, top_k = ("sample", sampling.top_k) if sampling.temperature > 0 else ("greedy", 1)
        self.function = _compile(name, vocabulary, top_k)

    def __call__(self, logits, tokens):
        """The next token after `tokens`."""
        sampling = self.sampling
        recent = tokens[-sampling.penalty_window:] if sampling.penalty_window and sampling.repetition_penalty != 1 else []
        given = {"logits": logits, "seen": np.array(recent, np.int64), "penalty": np.float32(sampling.repetition_penalty)}
        if sampling.temperature > 0:
            given.update(temperature=np.float32(sampling.temperature), top_p=np.float32(sampling.top_p),
                         draw=np.float32(self.random.random()))
        return int(self.function(**given)["token"])
