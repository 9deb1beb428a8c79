#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The conformance suite of ONNX (onnx.backend.test) through relax-compile and the Python package relax.

  run.py                       every case as it is, and with every input dimension symbolic at two sizes
  run.py --mode static         only as they are; --mode symbolic: only the latter
  run.py --way compiled        only compiled; --way interpreted: only in the interpreter, as imported
  run.py --shard 1/4           a quarter of the cases
  run.py --filter REGEX        cases by name; --names FILE: those whose names are its lines
  run.py --sample              a few cases of sample.txt that ./check runs
  run.py --report FILE.json    the result of every case
  run.py --update-failures     writes known_failures.tsv anew for the cases that are run
  run.py --list-excluded       cases that are not run, and why; --update-excluded writes exclusions.tsv

Prints what failed by operator, then 'N passed, N failed' for each mode and way. Excluded are training, strings,
sequences, optionals and maps (exclusions.tsv), and in the symbolic mode cases without a valid second size. The exit
code is 1 when a case fails that known_failures.tsv does not name, or one passes that it names.
"""
import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import pickle
import re
import resource
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import backend  # noqa: E402
import cases  # noqa: E402
import onnx  # noqa: E402
import second_size  # noqa: E402

EXCLUSIONS = pathlib.Path(__file__).with_name("exclusions.tsv")
SAMPLE = EXCLUSIONS.with_name("sample.txt")
FAILURES = EXCLUSIONS.with_name("known_failures.tsv")
FAILURES_HEADER = "# Licensed under the Apache License, Version 2.0. See LICENSE.\n# mode\tway\tname\treason\n"
HEADER = "# Licensed under the Apache License, Version 2.0. See LICENSE.\n# name\treason\n"
WAYS = ["compiled", "interpreted"]
CACHE = backend.BUILD / "conformance"


def find_exclusion(case):
    """Why a case is outside of what is promised, None for the others."""
    model = case.load()
    kinds = {"sequence_type": "sequences", "optional_type": "optionals", "map_type": "maps",
             "sparse_tensor_type": "sparse tensors"}

    def of_type(kind):
        field = kind.WhichOneof("value")
        if field == "tensor_type":
            return "strings" if kind.tensor_type.elem_type == onnx.TensorProto.STRING else None
        return kinds.get(field)

    reasons = [of_type(info.type) for info in [*model.graph.input, *model.graph.output, *model.graph.value_info]]
    for node in model.graph.node:
        if node.domain == "ai.onnx.preview.training":
            reasons.append("training")
        if node.op_type.startswith("Sequence") or "Sequence" in node.op_type.replace("ReverseSequence", ""):
            reasons.append("sequences")
        if node.op_type.startswith("Optional"):
            reasons.append("optionals")
        if node.op_type.startswith("String") or node.op_type in ("TfIdfVectorizer", "RegexFullMatch", "LabelEncoder"):
            reasons.append("strings")
    if re.search("training|dropout.*_mask|_train_|test_batchnorm.*_training", case.name) and "training" in case.name:
        reasons.append("training")
    reasons = [reason for reason in reasons if reason]
    return reasons[0] if reasons else None


def read_exclusions():
    lines = EXCLUSIONS.read_text().splitlines() if EXCLUSIONS.exists() else []
    return dict(line.split("\t") for line in lines if line and not line.startswith("#"))


def get_operator(case):
    """The operator that a case is about, by its name: what the failures are summed up by."""
    types = [node.op_type for node in case.load().graph.node]
    return types[0] if len(set(types)) == 1 else f"({case.name.removeprefix('test_').split('_')[0]})"


def run_isolated(function, seconds=60):
    """Calls a function in a child process: a crash or a hang is its failure alone. Gives an error text or None."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        text = ""
        try:
            function()
        except BaseException as error:  # reported by the parent
            lines = [line for line in str(error).splitlines() if line.strip()]
            text = " ".join(lines[:3])[:300] or type(error).__name__
        os.write(writer, text.encode(errors="replace"))
        os._exit(1 if text else 0)
    os.close(writer)
    text = b""
    while chunk := os.read(reader, 65536):
        text += chunk
    os.close(reader)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "timed out" if number == signal.SIGXCPU else f"crash: signal {number} at run time"
    return text.decode() or None


def run_all(make, case, data):
    """Runs every (inputs, outputs) in one process; gives an error text or None."""
    def execute():
        function = make()
        for index, (inputs, outputs) in enumerate(data):
            try:
                second_size.check(outputs, list(function.run(inputs)), case)
            except Exception as error:
                raise RuntimeError(f"run {index}: {error}") from None

    return run_isolated(execute)


def test(case, model, data, ways):
    """Compiles the model and runs it, interprets it; gives {way: error text or None}."""
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        path, artifact = pathlib.Path(folder) / "model.onnx", pathlib.Path(folder) / "model.rlx"
        path.write_bytes(model)
        if "compiled" in ways:
            try:
                backend.compile_file(path, artifact)
                results["compiled"] = run_all(lambda: backend.RelaxRep(artifact, []), case, data)
            except Exception as error:  # a failure of this case
                results["compiled"] = f"compile: {error}"
        if "interpreted" in ways:
            backend.relax.onnx  # noqa: B018 - loads the compiler here, once for all children
            results["interpreted"] = run_all(lambda: backend.InterpretedRep(path, []), case, data)
    return results


def run_static(job):
    case, ways = job
    return case.name, "static", test(case, case.model, case.data, ways)


def run_symbolic(job):
    case, second, ways = job
    data = [case.data[0], (second.inputs, second.outputs)]
    return case.name, "symbolic", test(case, second.model, data, ways)


def find_second(case):
    try:
        return case.name, second_size.find(case)
    except Exception as error:  # such a case leaves the figure, with its reason
        return case.name, second_size.Second(reason=f"no second size found: {error}")


def load_seconds(chosen, pool):
    """{name: Second}, cached: only models and references matter, not our code."""
    cache = CACHE / f"seconds-{onnx.__version__}.pickle"
    known = pickle.loads(cache.read_bytes()) if cache.exists() else {}
    missing = [case for case in chosen if case.name not in known]
    if missing:
        cache.parent.mkdir(parents=True, exist_ok=True)
        known.update(pool.imap_unordered(find_second, missing, chunksize=4))
        part = cache.with_suffix(f".{os.getpid()}")
        part.write_bytes(pickle.dumps(known))
        part.replace(cache)
    return known


def read_failures():
    """{(mode, way, name): reason}"""
    lines = FAILURES.read_text().splitlines() if FAILURES.exists() else []
    fields = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {(mode, way, name): reason for mode, way, name, reason in fields}


def update_failures(known, results):
    """A reason that is there already stays: it may have been written by hand."""
    for (mode, way), outcome in results.items():
        for name, text in outcome.items():
            if not text:
                known.pop((mode, way, name), None)
            elif (mode, way, name) not in known:
                reason = re.sub(r"\S*/model\.onnx", "model.onnx", " ".join(text.split()))
                known[mode, way, name] = reason[:160]
    FAILURES.write_text(FAILURES_HEADER + "".join("\t".join([*key, known[key]]) + "\n" for key in sorted(known)))


def summarize(mode, results, operators, total_excluded):
    failed = {name: text for name, text in results.items() if text}
    by_operator = collections.defaultdict(list)
    for name in failed:
        by_operator[operators[name]].append(name)
    print(f"\n== {mode}: failures by operator")
    for operator, names in sorted(by_operator.items(), key=lambda entry: -len(entry[1])):
        print(f"{len(names):4} {operator}: {names[0]}: {failed[names[0]][:160]}")
    passed = len(results) - len(failed)
    share = 100 * passed / len(results) if results else 0
    print(f"-- {mode}: {passed} passed, {len(failed)} failed ({share:.1f} %), {total_excluded} left out", flush=True)


def load_sample():
    """The cases that sample.txt names, each line a module of onnx's node cases and the names that matter."""
    wanted, modules = set(), []
    for line in SAMPLE.read_text().splitlines():
        if line and not line.startswith("#"):
            module, *names = line.split()
            modules.append(module)
            wanted.update(names)
    chosen = [case for case in cases.load_modules(modules) if case.name in wanted]
    missing = wanted - {case.name for case in chosen}
    if missing:
        raise SystemExit(f"run.py: sample.txt names unknown cases: {sorted(missing)}")
    return chosen


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=["both", "static", "symbolic"], default="both")
    parser.add_argument("--way", choices=["both", *WAYS], default="both")
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--filter", default="")
    parser.add_argument("--names", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--list-excluded", action="store_true")
    parser.add_argument("--update-excluded", action="store_true")
    parser.add_argument("--update-failures", action="store_true")
    return parser.parse_args()


def main():
    args = parse_arguments()
    everything = load_sample() if args.sample else cases.load_all(CACHE)
    if args.update_excluded:
        found = {case.name: find_exclusion(case) for case in everything}
        lines = [f"{name}\t{reason}\n" for name, reason in sorted(found.items()) if reason]
        EXCLUSIONS.write_text(HEADER + "".join(lines))
    excluded = read_exclusions()
    index, count = map(int, args.shard.split("/"))
    chosen = [case for case in everything if re.search(args.filter, case.name)][index - 1::count]
    if args.names:
        names = set(args.names.read_text().split())
        chosen = [case for case in chosen if case.name in names]
    left_out = {case.name: excluded[case.name] for case in chosen if case.name in excluded}
    chosen = [case for case in chosen if case.name not in excluded]
    start = time.monotonic()
    ways = WAYS if args.way == "both" else [args.way]
    results = collections.defaultdict(dict)
    with multiprocessing.Pool(args.jobs) as pool:
        if args.list_excluded or args.mode != "static":
            seconds = load_seconds(chosen, pool)
        if args.list_excluded:
            left_out.update((case.name, f"symbolic: {seconds[case.name].reason}") for case in chosen
                            if seconds[case.name].reason)
            for name, reason in sorted(left_out.items()):
                print(f"{name}\t{reason}")
            return 0
        work = []
        if args.mode != "symbolic":
            work.append(pool.imap_unordered(run_static, [(case, ways) for case in chosen], chunksize=8))
        if args.mode != "static":
            jobs = [(case, seconds[case.name], ways) for case in chosen if not seconds[case.name].reason]
            work.append(pool.imap_unordered(run_symbolic, jobs, chunksize=8))
        for part in work:
            for name, mode, texts in part:
                for way, text in texts.items():
                    results[mode, way][name] = text
                    if text and not args.sample:
                        print(f"{mode}, {way}, {name}: {text}", file=sys.stderr, flush=True)
    operators = {case.name: get_operator(case) for case in chosen}
    for (mode, way), outcome in results.items():
        without_size = 0 if mode == "static" else len(chosen) - len(outcome)
        summarize(f"{mode}, {way}", outcome, operators, len(left_out) + without_size)
    known = read_failures()
    if args.report:
        texts = {f"{mode} {way}": outcome for (mode, way), outcome in results.items()}
        args.report.write_text(json.dumps({"results": texts, "left out": left_out}, indent=1, sort_keys=True))
    if args.update_failures:
        update_failures(known, results)
    print(f"{time.monotonic() - start:.0f} s")
    failed = passed = surprises = 0
    for (mode, way), outcome in results.items():
        for name, text in sorted(outcome.items()):
            failed, passed = failed + bool(text), passed + (not text)
            if bool(text) != ((mode, way, name) in known):
                surprises += 1
                print(f"{mode}, {way}, {name}: " + (f"fails, not in {FAILURES.name}: {text}" if text else
                                                    f"passes, but is in {FAILURES.name}"))
    print(f"{passed} passed, {failed} failed")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
