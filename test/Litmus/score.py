#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Scores the answers of any compiler on litmus rows.

  score.py ROWS.tsv ANSWERS.tsv

ANSWERS.tsv has `id<TAB>answer` per line, as `relax-prove --answers ROWS.tsv` prints it; a missing row counts as failed.
An answer that is wrong for some valuation is unsound; one that only says less than it could has failed. Expressions and
guards are compared by value on a grid of valuations, not by spelling. The last line is 'N passed, M failed, K unsound'.
"""
import argparse
import collections
import pathlib
import sys

import questions as q


def same_value(row, answer):
    """Whether two `result` or `result | guard` texts agree on every valuation of the facts."""
    facts, kind, question, expected = row["assumptions"], row["kind"], row["question"], row["expected"]
    if kind in ("broadcast", "infer"):
        return not q.check_guarded(facts, kind, question, answer)
    left, right = q.to_python(answer), q.to_python(expected)
    grid = q.make_grid(facts, left, right, question)
    return bool((grid.evaluate(left) == grid.evaluate(right)).all())


def outcome(row, answer):
    kind, expected = row["kind"], "depends" if row["expected"] == "unknown" else row["expected"]
    if answer == expected:
        return "passed"
    if not answer or answer.startswith("invalid"):
        return "failed"
    if kind in ("upper", "lower"):
        try:
            value, best = float(answer), float(expected)
        except ValueError:
            return "unsound"
        return "unsound" if (value < best if kind == "upper" else value > best) else "failed"
    if kind in ("simplify", "broadcast", "infer"):
        words = ("error", "ambiguous", "unsat")
        if answer in words or expected in words:
            return "failed" if answer == "ambiguous" else "unsound"
        try:
            return "passed" if same_value(row, answer) else "unsound"
        except (SyntaxError, NameError, TypeError):
            return "failed"
    return "failed" if answer in ("depends", "unknown", "ambiguous") else "unsound"


def read_rows(path):
    lines = pathlib.Path(path).read_text().splitlines()
    header = lines[0].split("\t")
    return [dict(zip(header, line.split("\t"))) for line in lines[1:] if line.strip()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rows")
    parser.add_argument("answers")
    args = parser.parse_args()
    answers = {}
    for line in pathlib.Path(args.answers).read_text().splitlines():
        name, _, answer = line.partition("\t")
        answers[name] = answer.strip()
    total, table = collections.Counter(), {}
    for row in read_rows(args.rows):
        result = outcome(row, answers.get(row["id"], ""))
        total[result] += 1
        table.setdefault(row["category"], collections.Counter())[result] += 1
        if result != "passed":
            print(f"{result}\t{row['id']}\t{row['assumptions']} |- {row['question']} ({row['kind']})\t"
                  f"expected {row['expected']}, got {answers.get(row['id'], 'no answer')}")
    print(f"{'category':12} {'passed':>7} {'failed':>7} {'unsound':>8}")
    for category, counts in sorted(table.items()):
        print(f"{category:12} {counts['passed']:7} {counts['failed']:7} {counts['unsound']:8}")
    print(f"{total['passed']} passed, {total['failed']} failed, {total['unsound']} unsound")
    return 1 if total["failed"] or total["unsound"] else 0


if __name__ == "__main__":
    sys.exit(main())
