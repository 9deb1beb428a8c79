#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Times the prover on the litmus rows: median per query and kind, and the most steps.

  run.py PROVER [--repeat 20] [ROWS.tsv...]

Each time is that of a whole row: facts and question are parsed, the facts prepared, the question answered; the best of
--repeat runs, because the machine has other things to do.
"""
import argparse
import collections
import pathlib
import re
import statistics
import subprocess

LITMUS = pathlib.Path(__file__).resolve().parents[2] / "test" / "Litmus"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("prover")
    parser.add_argument("rows", nargs="*", default=[LITMUS / "algebra.tsv", LITMUS / "generated.tsv"])
    parser.add_argument("--repeat", type=int, default=20)
    args = parser.parse_args()
    times, steps = collections.defaultdict(list), collections.defaultdict(list)
    for path in args.rows:
        kinds = {line.split("\t")[0]: line.split("\t")[3] for line in pathlib.Path(path).read_text().splitlines()[1:]}
        command = [args.prover, "--stats", f"--repeat={args.repeat}", "--answers", str(path)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for match in re.finditer(r"^(\S+)\t.*\t(\d+) steps, ([\d.]+) us$", output, re.MULTILINE):
            times[kinds[match[1]]].append(float(match[3]))
            steps[kinds[match[1]]].append(int(match[2]))
    print(f"{'kind':12} {'queries':>8} {'median us':>10} {'90 % us':>9} {'max us':>9} {'max steps':>10}")
    everything = [("all", sum(times.values(), []), sum(steps.values(), []))]
    for kind, values, counts in [(kind, times[kind], steps[kind]) for kind in sorted(times)] + everything:
        values = sorted(values)
        print(f"{kind:12} {len(values):8} {statistics.median(values):10.1f} {values[len(values) * 9 // 10]:9.1f} "
              f"{values[-1]:9.1f} {max(counts):10}")


if __name__ == "__main__":
    main()
