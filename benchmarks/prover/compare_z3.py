#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Compares relax-prove with Z3 on random questions; Z3 is for tests only.

  compare_z3.py PROVER [--count 1000] [--seed 1] [--timeout-ms 2000]

Of the questions that Z3 decides within the time, prints for how many relax-prove gives the same answer, for how many
`depends` it shows two valuations, which are checked here once more, and how many definite answers Z3 contradicts.
Exit status 1 when one is contradicted, a valuation is wrong, or fewer than 95 % of the definite answers are the same.
"""
import argparse
import random
import re
import sys

from generate import CATEGORIES, Maker, ask, q

VERDICTS = ("equal", "leq", "divisible", "reshape")


def make_rows(count, seed):
    """Half of the questions are random trees, the others come from the templates of all verdict categories."""
    rows, seen, number = [], set(), 0
    while len(rows) < count:
        number += 1
        maker = Maker(seed * 7919 + number)
        name = "trees" if number % 2 else random.Random(seed * 31 + number).choice(sorted(CATEGORIES))
        facts, kind, question = CATEGORIES[name](maker)
        if kind in VERDICTS and (facts, kind, question) not in seen:
            seen.add((facts, kind, question))
            rows.append((f"Z{len(rows)}", name, facts, kind, question))
    return rows


def witness_problem(facts, kind, question, lines):
    """'' when the lines hold two valuations that satisfy the facts with different outcomes."""
    outcomes = set()
    for line in lines:
        match = re.match(r"(true|false|without a value) for (.*)", line)
        if not match:
            continue
        values = dict(part.split(" = ") for part in match[2].split(", ")) if "=" in match[2] else {}
        texts = [side for side in q.claim_of(kind, question).replace("<=", "==").split("==")]
        names = q.symbols(*texts, *q.facts_of(facts))
        if set(names) - set(values):
            return f"no value for {', '.join(set(names) - set(values))}"
        point = q.Point({name: int(value) for name, value in values.items()})
        if not all(point.evaluate(fact) for fact in q.facts_of(facts)) or point.undefined:
            return f"the facts do not hold: {line}"
        truth = point.evaluate(q.claim_of(kind, question))
        seen = "without a value" if point.undefined else "true" if truth else "false"
        if seen != match[1]:
            return f"it is {seen}: {line}"
        outcomes.add(seen)
    return "" if len(outcomes) >= 2 else "without two valuations"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("prover")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout-ms", type=int, default=2000)
    parser.add_argument("--verbose", action="store_true", help="print every question without the answer of Z3")
    args = parser.parse_args()

    rows = make_rows(args.count, args.seed)
    answers, reasons = ask(args.prover, rows)
    decided = definite = same = depends = contradicted = wrong = unwitnessed = 0
    for row in rows:
        _, name, facts, kind, question = row
        answer = answers.get(row[0], "no answer")
        text = f"{name}\t{facts} |- {question} ({kind})"
        if answer == "depends":
            problem = witness_problem(facts, kind, question, reasons[row[0]])
            depends += 1
            unwitnessed += problem == "without two valuations"
            if problem == "without two valuations" and args.verbose:
                print(f"unwitnessed\t{text}")
            if problem and problem != "without two valuations":
                wrong += 1
                print(f"WRONG\t{text}\t{problem}")
            if not problem:
                continue  # both outcomes were seen: Z3 could only agree
        try:
            oracle = q.z3_verdict(facts, kind, question, args.timeout_ms)
        except q.Undefined:
            continue
        if oracle is None:
            continue
        decided += 1
        if oracle == "depends":
            if answer in ("true", "false", "unsat"):
                contradicted += 1
                print(f"WRONG\t{text}\tanswered {answer}, Z3 has both outcomes")
            elif args.verbose:
                print(f"weak\t{text}\tZ3 has both outcomes")
            continue
        definite += 1
        same += answer == oracle
        if answer != oracle:
            if answer != "depends":
                contradicted += 1
            if answer != "depends" or args.verbose:
                print(f"{'weak' if answer == 'depends' else 'WRONG'}\t{text}\tanswered {answer}, Z3 says {oracle}")
    share = 100 * same / definite if definite else 100
    print(
        f"{len(rows)} questions; Z3 decides {definite} definitely, the same answer for {same} ({share:.1f} %); "
        f"{depends} depends, {unwitnessed} of them without two checked valuations; "
        f"{contradicted + wrong} wrong"
    )
    return 1 if contradicted or wrong or share < 95 else 0


if __name__ == "__main__":
    sys.exit(main())
