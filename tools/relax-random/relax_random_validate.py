# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Runs random programs through pipelines under relax-opt --relax-validate. Part of relax-random."""
import collections
import random
import re
import subprocess

# Passes that may run in any order on graph ops, and on calls of tensor programs.
GRAPH = ["relax-inline-dataflow", "relax-inline-calls", "relax-infer-shapes", "relax-simplify-match-casts", "canonicalize", "cse",
         "relax-insert-checks", "relax-hoist-checks", "relax-specialize-functions", "symbol-dce", "func.func(loop-invariant-code-motion)", "relax-sink-moves",
         "relax-combine-parallel-matmuls", "relax-combine-parallel-matmuls{any=true}"]
MIXED = [*GRAPH, "relax-lift-weight-computation", "relax-raise-loops", "relax-annotate-pattern-kinds", "relax-fuse-ops",
         "relax-fuse-tensor-programs", "relax-pack-weights", "relax-merge-programs"]
CLEANUP = ["canonicalize", "cse"]


def random_pipeline(seed, device=None):
    """Passes in a random order of those that their descriptions allow, to an artifact or to plain upstream IR."""
    generator = random.Random(f"{seed} order")

    def some(passes, most):
        return [generator.choice(passes) for _ in range(generator.randint(0, most))]

    order = [*some([*GRAPH, "relax-decompose-ops"], 10), "relax-decompose-ops", *some(GRAPH, 4), "relax-legalize-ops", *some(MIXED, 10)]
    # Groups and blocks must be gone; a group is whatever is in it when it becomes a program.
    order += ["relax-fuse-tensor-programs", "relax-inline-dataflow"]
    if generator.random() < 0.2:
        return ",".join([*order, "relax-inline-tensor-programs", "relax-library-calls-to-func", "relax-weights-to-constants", "relax-strip-shapes",
                         "symbol-dce", *some(CLEANUP, 3), "canonicalize", "cse", "canonicalize", "relax-verify-plain"])
    return ",".join([*order, "symbol-dce", "relax-verify-mixed", "relax-make-destinations", *some(CLEANUP, 2), "relax-verify-destinations",
                     "relax-plan-memory", *some(["canonicalize"], 1), "relax-verify-planned", "relax-lower-host", "relax-verify-host",
                     "relax-convert-tensor-program-to-func", f"relax-lower-kernels{{devices={device}}}" if device else "relax-lower-kernels"])


def settings(seed, optimize, device):
    """The request of a seed, but for files and the pipeline."""
    return f"seed={seed + 1} optimize={optimize}" + (f" device={device}" if device else "")


def validate_seed(seed, text, pipeline, optimize, folder, opt, plugins=(), device=None):
    """'passed', 'refused' by a pass with an error, or 'failed', and what was said. Modules that do not pass are left in the folder."""
    source = folder / f"seed{seed}.mlir"
    source.write_text(text)
    request = f"{settings(seed, optimize, device)} reproducer={folder / f'seed{seed}.reproducer.mlir'} pipeline={pipeline}"
    try:
        done = subprocess.run([opt, source, *plugins, f"--relax-validate={request}"], capture_output=True, text=True, timeout=1200)
    except subprocess.TimeoutExpired:
        return "failed", "does not come to an end"
    if done.returncode == 0:
        source.unlink()
        return "passed", done.stderr
    if done.returncode == 1 and re.search(r"relax-validate: error: (pass '.*' failed$|nothing was compared)", done.stderr, re.MULTILINE):
        return "refused", done.stderr
    return "failed", done.stderr or f"exit code {done.returncode}"


def reduce_seed(seed, said, pipeline, optimize, folder, opt, plugins=(), device=None):
    """Shrinks what fails, as long as the same pass is to blame, to seedN.reduced.mlir."""
    blamed = re.search(r"error: (pass '.*?' changed the answer)", said)
    if blamed:
        subprocess.run([opt.with_name("relax-reduce"), folder / f"seed{seed}.mlir", "-o", folder / f"seed{seed}.reduced.mlir", *plugins,
                        f"--expect={blamed.group(1)}", f"--relax-validate={settings(seed, optimize, device)} pipeline={pipeline}"],
                       capture_output=True, timeout=3600)


def validate(seeds, generate, pipeline, folder, opt, optimize=3, log=None, reduce=False, plugins=(), device=None):
    """The outcomes of seeds, {outcome: {seed: what was said}}. A log keeps them: seeds that are in it do not run again."""
    outcomes = {"passed": {}, "refused": {}, "failed": {}}
    known = {}
    if log and log.exists():
        for line in log.read_text().splitlines():
            seed, outcome, *said = line.split("\t")
            known[int(seed)] = outcome, "\n".join(said)
    for seed in seeds:
        if seed not in known:
            passes = pipeline or random_pipeline(seed, device)
            known[seed] = validate_seed(seed, generate(seed), passes, optimize, folder, opt, plugins, device)
            if reduce and known[seed][0] == "failed":
                reduce_seed(seed, known[seed][1], passes, optimize, folder, opt, plugins, device)
            if log:
                with log.open("a") as file:
                    file.write("\t".join([str(seed), known[seed][0], *known[seed][1].strip().splitlines()]) + "\n")
        outcome, said = known[seed]
        outcomes[outcome][seed] = said
    return outcomes


def report(outcomes, command):
    """Prints what did not pass: refusals by reason, failures with the command that shows each again."""
    reasons = collections.Counter(re.sub(r"'?%\w+'?|\b\d+\b|\bu\d+\b", "_", line.split("error: ", 1)[1])
                                  for why in outcomes["refused"].values()
                                  for line in [line for line in why.splitlines() if "error: " in line][:1])
    for reason, count in reasons.most_common():
        print(f"{count} refused: {reason}")
    for seed, why in outcomes["failed"].items():
        print(f"seed {seed}: {why.strip()}\n  again: {command(seed)}")
    print(", ".join(f"{len(seeds)} {outcome}" for outcome, seeds in outcomes.items()))
    return 1 if outcomes["failed"] else 0
