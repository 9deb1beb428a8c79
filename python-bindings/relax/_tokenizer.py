# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Text to tokens and back, with the vocabulary of a GGUF file: sentencepiece or tokenizers does the work."""
import array
import codecs
import itertools
import struct

from ._errors import RelaxError

_NORMAL, _UNKNOWN, _CONTROL, _USER, _UNUSED, _BYTE = 1, 2, 3, 4, 5, 6

# How byte-level vocabularies cut text before they merge, by tokenizer.ggml.pre.
_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
           r"\s+(?!\S)|\s+")
_QWEN2 = _LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
_PATTERNS = {"default": _GPT2, "gpt-2": _GPT2, "llama3": _LLAMA3, "llama-bpe": _LLAMA3, "llama-v3": _LLAMA3,
             "qwen2": _QWEN2}


def _fail(text):
    raise RelaxError(text, "invalid model", [])


def _need(name):
    import importlib
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(f"the vocabulary of this model needs the package {package}: pip install it") from error


class _Texts:
    """A list of texts in one block of bytes: as objects they take five times as much."""

    def __init__(self, texts):
        parts = [text.encode("utf-8", "surrogateescape") for text in texts]
        self.data, self.ends = b"".join(parts), array.array("Q", itertools.accumulate(map(len, parts)))

    def __len__(self):
        return len(self.ends)

    def __getitem__(self, place):
        end = self.ends[place]
        return self.data[self.ends[place - 1] if place else 0:end].decode("utf-8", "surrogateescape")


class Vocabulary:
    """What the file says of its tokens."""

    def __init__(self, metadata):
        def get(key, absent=None):
            return metadata.get("tokenizer.ggml." + key, absent)

        self.kind, self.tokens = get("model"), get("tokens")
        if not isinstance(self.tokens, list) or not self.tokens:
            _fail("the model has no vocabulary (tokenizer.ggml.tokens)")
        count = len(self.tokens)
        self.types = get("token_type") or [_NORMAL] * count
        self.scores = get("scores") or [0.0] * count
        if len(self.types) != count or len(self.scores) != count:
            _fail(f"the vocabulary has {count} tokens, {len(self.types)} types and {len(self.scores)} scores")
        self.merges, self.pre = get("merges") or [], get("pre") or "default"
        self.space_prefix = get("add_space_prefix", True)

        def special(key):
            token = get(key)
            if token is not None and not 0 <= token < count:
                _fail(f"tokenizer.ggml.{key} is {token}, the vocabulary has {count} tokens")
            return token

        self.bos, self.eos, self.unknown = special("bos_token_id"), special("eos_token_id"), special("unknown_token_id")
        self.adds_bos = bool(get("add_bos_token", self.kind == "llama")) and self.bos is not None
        # What ends an answer: the end of a text, and of a turn under the names that models have for it.
        turns = ("<end_of_turn>", "<|eot_id|>", "<|im_end|>", "<|end|>", "<|endoftext|>")
        self.stops = {token for token, (text, kind) in enumerate(zip(self.tokens, self.types))
                      if text in turns and kind in (_CONTROL, _USER)}
        self.stops |= {token for token in (self.eos, special("eot_token_id")) if token is not None}


def _encode_pieces(vocabulary, unknown):
    """The field `pieces` of a ModelProto as bytes: objects of protobuf take most of a second for 262,144 of them."""
    def length(size):
        found = bytearray()
        while size > 127:
            found.append(size & 127 | 128)
            size >>= 7
        return bytes([*found, size])

    # Most texts have one of few lengths.
    lengths = {size: length(size) for size in range(128)}
    kinds = [b"\x18" + bytes([kind]) for kind in range(_BYTE + 1)]
    for kind in sorted(set(vocabulary.types)):
        if not _NORMAL <= kind <= _BYTE:
            _fail(f"the vocabulary has a token of type {kind}, expected {_NORMAL} to {_BYTE}")
    types = list(vocabulary.types)
    types[unknown] = _UNKNOWN
    scores, pieces, place = struct.pack(f"<{len(types)}f", *vocabulary.scores), bytearray(), 0
    for text, kind in zip(vocabulary.tokens, types):
        data = text.encode()
        size = lengths.get(len(data)) or length(len(data))
        whole = len(data) + len(size) + 8  # a tag, a score and its tag, a type and its tag
        pieces += (b"\n" + (lengths.get(whole) or length(whole)) + b"\n" + size + data + b"\x15" +
                   scores[place:place + 4] + kinds[kind])
        place += 4
    return bytes(pieces)


class _SentencePiece:
    def __init__(self, vocabulary):
        proto = _need("sentencepiece.sentencepiece_model_pb2").ModelProto()
        unknown = vocabulary.unknown
        if unknown is None and _UNKNOWN in vocabulary.types:
            unknown = vocabulary.types.index(_UNKNOWN)
        if unknown is None:
            _fail("the vocabulary has no token for what it does not know")
        trainer, normalizer = proto.trainer_spec, proto.normalizer_spec
        trainer.model_type = trainer.BPE
        trainer.byte_fallback = _BYTE in vocabulary.types
        trainer.vocab_size = len(vocabulary.tokens)
        trainer.unk_id, trainer.unk_piece = unknown, vocabulary.tokens[unknown]
        trainer.bos_id, trainer.eos_id, trainer.pad_id = -1, -1, -1
        normalizer.name, normalizer.add_dummy_prefix = "identity", bool(vocabulary.space_prefix)
        normalizer.remove_extra_whitespaces, normalizer.escape_whitespaces = False, True
        model = proto.SerializeToString() + _encode_pieces(vocabulary, unknown)
        self.processor = _need("sentencepiece").SentencePieceProcessor(model_proto=model)
        self.vocabulary = vocabulary
        vocabulary.scores = None  # the processor has them

    def encode(self, text):
        return self.processor.encode(text)

    def to_bytes(self, token):
        text, kind = self.vocabulary.tokens[token], self.vocabulary.types[token]
        if kind == _BYTE:
            return bytes([int(text[3:5], 16)])
        return b"" if kind in (_CONTROL, _UNKNOWN) else text.replace("\u2581", " ").encode("utf-8", "surrogateescape")


class _ByteLevel:
    def __init__(self, vocabulary):
        tokenizers = _need("tokenizers")
        pattern = _PATTERNS.get(vocabulary.pre)
        if pattern is None:
            _fail(f"tokenizer.ggml.pre is '{vocabulary.pre}', expected one of {', '.join(_PATTERNS)}")
        merges = [tuple(merge.split(" ", 1)) for merge in vocabulary.merges]
        ids = {text: token for token, text in enumerate(vocabulary.tokens)}
        model = tokenizers.models.BPE(vocab=ids, merges=merges, ignore_merges=vocabulary.pre.startswith("llama"))
        self.tokenizer = tokenizers.Tokenizer(model)
        split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), behavior="isolated")
        bytes_only = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        self.tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([split, bytes_only])
        self.vocabulary = vocabulary
        # The alphabet that stands for bytes: printable ones for themselves, the others from 256 on.
        printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
        others = [byte for byte in range(256) if byte not in printable]
        self.bytes_of = {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}

    def encode(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def to_bytes(self, token):
        text, kind = self.vocabulary.tokens[token], self.vocabulary.types[token]
        if kind == _CONTROL:
            return b""
        if kind == _USER or any(char not in self.bytes_of for char in text):
            return text.encode("utf-8", "surrogateescape")
        return bytes(self.bytes_of[char] for char in text)


class Tokenizer:
    """encode, and a decoder that takes tokens one by one."""

    def __init__(self, metadata):
        self.vocabulary = Vocabulary(metadata)
        kinds = {"llama": _SentencePiece, "gpt2": _ByteLevel}
        if self.vocabulary.kind not in kinds:
            _fail(f"tokenizer.ggml.model is '{self.vocabulary.kind}', expected one of {', '.join(kinds)}")
        self.method = kinds[self.vocabulary.kind](self.vocabulary)
        named = enumerate(zip(self.vocabulary.tokens, self.vocabulary.types))
        self.special = {text: token for token, (text, kind) in named if text and kind in (_CONTROL, _USER)}
        self.lengths = {}
        for text in self.special:
            self.lengths.setdefault(text[0], set()).add(len(text))
        self.lengths = {first: sorted(sizes, reverse=True) for first, sizes in self.lengths.items()}
        self.vocabulary.tokens = _Texts(self.vocabulary.tokens)

    def encode(self, text, bos=True):
        """The tokens of `text`, after the one that begins a text where the model wants it. Names of control tokens in
        the text are these tokens."""
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"the prompt is not valid Unicode: {error.reason} at character {error.start}") from error
        tokens = [self.vocabulary.bos] if bos and self.vocabulary.adds_bos else []
        for part in self._split(text):
            tokens += [part] if isinstance(part, int) else self.method.encode(part)
        return tokens

    def _split(self, text):
        """The text between tokens that stand for themselves, and these tokens."""
        begin = at = 0
        while at < len(text):
            # The longest one that is here.
            size = next((size for size in self.lengths.get(text[at], ()) if text[at:at + size] in self.special), 0)
            if size:
                if at > begin:
                    yield text[begin:at]
                yield self.special[text[at:at + size]]
                begin = at + size
            at += size or 1
        if at > begin:
            yield text[begin:at]

    def decoder(self):
        """A function that gives the text that one more token completes; of None, what is left at the end. Bytes that
        make no character become U+FFFD."""
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        return lambda token: decode(b"", True) if token is None else decode(self.method.to_bytes(token))
