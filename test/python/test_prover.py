# Licensed under the Apache License, Version 2.0. See LICENSE.
"""relax-prove against the litmus rows, brute force and Z3. benchmarks/prover has the long runs of the same."""
import subprocess
import sys

import pytest


@pytest.mark.parametrize("rows", ["algebra.tsv", "generated.tsv"])
def test_litmus_rows(tool, root, tmp_path, rows):
    litmus = root / "test" / "Litmus"
    own = tool("relax-prove", litmus / rows)
    assert own.stdout.splitlines()[-1].endswith("0 failed, 0 unsound")
    # The score for any compiler agrees, from the answers alone.
    answers = tool("relax-prove", "--answers", litmus / rows)
    assert answers.returncode == 0
    (tmp_path / "answers.tsv").write_text(answers.stdout)
    command = [sys.executable, str(litmus / "score.py"), str(litmus / rows), str(tmp_path / "answers.tsv")]
    score = subprocess.run(command, capture_output=True, text=True)
    assert score.stdout.splitlines()[-1] == own.stdout.splitlines()[-1], score.stdout


def test_score_counts_what_is_wrong(root, tmp_path):
    litmus = root / "test" / "Litmus"
    (tmp_path / "answers.tsv").write_text("ALG007\ttrue\nALG002\tdepends\nALG097\t4095\nALG099\t10001\nALG158\tn | true\n")
    command = [sys.executable, str(litmus / "score.py"), str(litmus / "algebra.tsv"), str(tmp_path / "answers.tsv")]
    score = subprocess.run(command, capture_output=True, text=True)
    assert score.returncode == 1
    outcomes = {line.split("\t")[1]: line.split("\t")[0] for line in score.stdout.splitlines() if "\t" in line}
    assert [outcomes[name] for name in ("ALG007", "ALG002", "ALG097", "ALG099", "ALG158")] == [
        "unsound", "failed", "unsound", "failed", "unsound"]


def test_new_rows_of_every_kind(build, root):
    script = root / "benchmarks" / "prover" / "generate.py"
    command = [sys.executable, str(script), str(build / "bin" / "relax-prove"), "--count", "340", "--seed", "7"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_same_answers_as_z3(build, root):
    pytest.importorskip("z3")
    script = root / "benchmarks" / "prover" / "compare_z3.py"
    command = [sys.executable, str(script), str(build / "bin" / "relax-prove"), "--count", "60", "--timeout-ms", "500"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
