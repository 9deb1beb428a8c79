#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Reads the text in an image: one model finds the lines, another reads them, each compiled once for all sizes.

    pip download --no-deps rapidocr-onnxruntime==1.4.4
    unzip -j rapidocr_onnxruntime-1.4.4-*.whl '*.onnx'
    PYTHONPATH=build/python .venv/bin/python3 examples/ocr.py IMAGE --characters=FILE \\
        --detection=ch_PP-OCRv4_det_infer.onnx --recognition=ch_PP-OCRv4_rec_infer.onnx

The models are PP-OCRv4 (Apache-2.0). FILE has the characters, one in a line, as the metadata `character` of
the recognition model. Needs Pillow.
"""
import argparse
import pathlib

import numpy as np

STEP = 32  # extents of the detection's input are multiples of it
HEIGHT = 48  # of a line, for the recognition
THRESHOLD = 0.3  # of the probability of text
GROWTH = 1.6  # the detected regions are narrower than the text


def normalize(pixels):
    """uint8 (height, width, 3) to f32 (1, 3, height, width) between -1 and 1."""
    return np.ascontiguousarray(pixels.astype(np.float32).transpose(2, 0, 1)[None] / np.float32(127.5) - 1)


def resize(pixels, height, width):
    from PIL import Image
    return np.asarray(Image.fromarray(pixels).resize((width, height), Image.Resampling.BILINEAR))


def find_regions(mask):
    """Boxes (top, left, bottom, right) of the connected regions of a 2-D bool array: runs that touch are joined."""
    parents, boxes, above = [], [], []

    def find(index):
        while parents[index] != index:
            index = parents[index]
        return index

    for y, row in enumerate(mask):
        edges = np.flatnonzero(np.diff(row.astype(np.int8), prepend=0, append=0))
        runs = []
        for start, end in zip(edges[::2], edges[1::2]):
            region = len(parents)
            parents.append(region)
            boxes.append([y, start, y + 1, end])
            for other_start, other_end, other in above:
                if other_start < end and start < other_end:
                    first, second = sorted((find(other), find(region)))
                    parents[second] = first
                    if first != second:
                        a, b = boxes[first], boxes[second]
                        boxes[first] = [min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])]
            runs.append((start, end, region))
        above = runs
    return [boxes[index] for index in range(len(parents)) if parents[index] == index]


def find_lines(detect, image):
    """Boxes of lines of text in a uint8 image (height, width, 3), from top to bottom."""
    height, width = image.shape[:2]
    extents = [max(STEP, round(extent / STEP) * STEP) for extent in (height, width)]
    probability = detect(normalize(resize(image, *extents)))[0, 0]
    lines = []
    for top, left, bottom, right in find_regions(probability > THRESHOLD):
        if bottom - top < 4 or right - left < 4:
            continue
        margin = GROWTH * (bottom - top) * (right - left) / (2 * (bottom - top + right - left))
        rows = np.clip([top - margin, bottom + margin], 0, extents[0]) * height / extents[0]
        columns = np.clip([left - margin, right + margin], 0, extents[1]) * width / extents[1]
        lines.append([int(rows[0]), int(columns[0]), int(np.ceil(rows[1])), int(np.ceil(columns[1]))])
    return sorted(lines)


def decode(scores, characters):
    """Most likely class at each place; repetitions and the blank class 0 fall out."""
    classes = scores.argmax(-1)
    kept = classes[(classes != 0) & (classes != np.concatenate([[-1], classes[:-1]]))]
    return "".join([*characters, " "][index - 1] for index in kept)


def read_text(detect, recognize, characters, image):
    """The lines of an image as text; the models are functions of one array that give one array."""
    texts = []
    for top, left, bottom, right in find_lines(detect, image):
        line = image[top:bottom, left:right]
        width = max(8, round(HEIGHT * line.shape[1] / line.shape[0]))
        texts.append(decode(recognize(normalize(resize(line, HEIGHT, width)))[0], characters))
    return texts


def main():
    import relax
    from PIL import Image

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("image")
    parser.add_argument("--detection", required=True)
    parser.add_argument("--recognition", required=True)
    parser.add_argument("--characters", type=pathlib.Path, required=True)
    args = parser.parse_args()

    def load(path):
        model = relax.load(path) if path.endswith(".rlx") else relax.onnx.from_model(path)
        return lambda array: next(iter(model(array).values()))

    image = np.asarray(Image.open(args.image).convert("RGB"))
    characters = args.characters.read_text(encoding="utf-8").split("\n")
    print("\n".join(read_text(load(args.detection), load(args.recognition), characters, image)))


if __name__ == "__main__":
    main()
