#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Writes build/docs/pass-examples.md: for each pass the IR before and after it, of a function of the pass's own test.

The test of relax-fuse-ops is fuse-ops.mlir (or fuse-ops-*.mlir), run as its RUN line says; shown is the first function
that the pass changes. Of a pass that only checks, shown is IR that it refuses, with the error; of one that only
prints, what it prints.
"""
import argparse
import itertools
import pathlib
import re
import shlex
import subprocess
import tempfile

from checking import ROOT

DUMP = re.compile(r"^// -----// IR Dump (Before|After) \w+ \(([\w-]+)\)[^\n]*\n", re.MULTILINE)
DIAGNOSTIC = re.compile(r"^\s*// expected-(error|remark|note)(-re)? *@?[^{]*\{\{(.*)\}\}$", re.MULTILINE)


def find_passes():
    """Pass -> summary."""
    found = {}
    for table in sorted((ROOT / "include").rglob("*Passes.td")):
        found.update(re.findall(r'^def \w+\s*:\s*\w*Pass<"([\w-]+)".*?let summary =\s*"([^"]*)"', table.read_text(),
                                re.MULTILINE | re.DOTALL))
    return found


def find_tests(name):
    """Tests of a pass, the plain one first, those of errors last."""
    tests = [*(ROOT / "test").rglob(f"{name.removeprefix('relax-')}.mlir"),
             *(ROOT / "test").rglob(f"{name.removeprefix('relax-')}-*.mlir")]
    return sorted(tests, key=lambda test: ("invalid" in test.name, len(test.name), test.name))


def get_chunks(section):
    """Top-level definitions, with the comments before them left out; names of attributes are definitions too."""
    chunks, current = [], []
    for line in section.splitlines():
        if not current and (not line.strip() or line.startswith("//")):
            continue
        current.append(line)
        if line.startswith("#") or re.match(r"\}|\{-#|.*[^{(,]$", line) and not line.startswith(" ") and (
                line.startswith("}") or "{" not in line and line.count("(") == line.count(")")):
            chunks.append("\n".join(current))
            current = []
    return chunks + (["\n".join(current)] if current else [])


def get_variants(text):
    """Smaller modules of a test: one for each function with a body, with all that it refers to; then each section."""
    sections = re.split(r"^// -----.*$", text, flags=re.MULTILINE)
    for kind, section in itertools.product(("func.func ", "relax_tp.func "), sections):
        chunks = get_chunks(section)
        defined = {match.group(1): chunk for chunk in chunks
                   if (match := re.match(r"(#\w+) =|[\w.]+[^@\n]*(@\w+)", chunk)) and match.group(1)}
        defined.update({match.group(1): chunk for chunk in chunks if (match := re.match(r"[^#@\n]*(@\w+)", chunk))})
        for chunk in chunks:
            if not chunk.startswith(kind) or "\n" not in chunk:
                continue
            needed, todo = {chunk}, [chunk]
            while todo:
                for name in re.findall(r"[#@]\w+", todo.pop()):
                    if (other := defined.get(name)) and other not in needed:
                        needed.add(other)
                        todo.append(other)
            yield "\n".join(each for each in chunks if each in needed) + "\n"
    yield from sections


def get_command(test, folder):
    """Arguments of relax-opt in the first RUN line with it, and the file it reads."""
    lines = re.sub(r"\\\n// RUN:", "", test.read_text()).splitlines()
    for line in lines:
        if not line.startswith("// RUN: ") or ("relax-opt" not in line and "mlir-opt" not in line):
            continue
        words = shlex.split(re.sub(r" (\d?>|\|).*", "", line[len("// RUN: "):].removeprefix("not ")))
        source = next((word for word in words if word == "%s" or re.fullmatch(r"%t/.*\.mlir", word)), None)
        words = [word.replace("%S", str(test.parent)).replace("%t", str(folder)) for word in words[1:]
                 if word != source and not word.startswith(("--load-", "--verify-diag", "--remark"))]
        if source:
            return words, source
    return None, None


def show(text):
    """A module's text without the frame that the parser adds."""
    text = re.sub(r"\A((?:#.*\n)*)module \{\n(.*)^\}\n*\Z",
                  lambda match: match.group(1) + re.sub(r"^  ", "", match.group(2), flags=re.MULTILINE), text,
                  flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r'dense<"0x[^"]{64,}">', "dense<...>", text)
    return re.sub(r'(relax\.memory_report = ")[^"]{60,}"', r'\1..."', text).strip()


def shorten(text, most=100):
    lines = text.splitlines()
    return text if len(lines) <= most else "\n".join([*lines[:most], f"... ({len(lines) - most} more lines)"])


def make_example(build, name, folder):
    """(IR before, what becomes of it, IR after or a text, test) of a pass, or None."""
    stays = None
    for test in find_tests(name):
        text = test.read_text()
        if "invalid" in test.name or name.startswith("relax-verify-"):
            for section in re.split(r"^// -----.*$", text, flags=re.MULTILINE):
                errors = [match.group(3) for match in DIAGNOSTIC.finditer(section)]
                if errors:
                    kept = re.sub(r"^\s*//.*\n", "", section, flags=re.MULTILINE).strip()
                    return kept, "is refused:", "\n".join(errors), test
            continue
        words, source = get_command(test, folder)
        if words is None:
            continue
        for part in re.split(r"^//--- ", text, flags=re.MULTILINE)[1:]:
            file, _, content = part.partition("\n")
            (folder / file.strip()).write_text(content)
        whole = text if source == "%s" else (folder / source.removeprefix("%t/")).read_text()
        for variant in get_variants(whole):
            # The pass's own dumps, in order: one function at a time for passes on functions.
            command = [build / "bin/relax-opt", "-", *words, "--mlir-disable-threading", "-o", "/dev/null",
                       f"--mlir-print-ir-before={name}", f"--mlir-print-ir-after={name}"]
            done = subprocess.run(list(map(str, command)), input=variant, capture_output=True, text=True)
            pieces = DUMP.split(done.stderr)
            dumps = [(kind, show(ir)) for kind, ir in zip(pieces[1::3], pieces[3::3])]
            for (_, before), (kind, after) in zip(dumps, dumps[1:]):
                if kind != "After" or not after or done.returncode:
                    continue
                if before.startswith(after):  # what the pass prints is behind the first dump
                    stays = stays or (after, "stays as it is.", before[len(after):].strip(), test)
                elif before != after:
                    return before, "becomes", after, test
    return stays


def write_examples(build, output):
    """Writes the page; returns the passes that have no example."""
    parts, missing = ["# Passes by example", "Before and after each pass; the IR is that of its test."], []
    for name, summary in sorted(find_passes().items()):
        with tempfile.TemporaryDirectory() as folder:
            example = make_example(build, name, pathlib.Path(folder))
        if example is None:
            missing.append(name)
            continue
        before, what, after, test = example
        language = "mlir" if what == "becomes" else "text"
        parts += [f"## `{name}`", f"{summary.rstrip('.')}. Test: `{test.relative_to(ROOT)}`.",
                  f"```mlir\n{shorten(before)}\n```", what]
        parts += [f"```{language}\n{shorten(after)}\n```"] if after else []
    output.write_text("\n\n".join(parts) + "\n")
    return missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    args = parser.parse_args()
    missing = write_examples(args.build, args.build / "docs" / "pass-examples.md")
    if missing:
        raise SystemExit(f"error: passes whose tests show no example: {', '.join(missing)}")


if __name__ == "__main__":
    main()
