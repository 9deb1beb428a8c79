# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Every op at a symbolic size of 0, 1 and more: compiled and interpreted, with equal results.

The interpreter is tested against numpy by the files that test_op_tests.py counts.
"""
import re

import every_op
import numpy as np
import pytest

SIZES = [0, 1, 5]
PARTS = 3


def test_every_op_is_here(root):
    texts = "\n".join(path.read_text() for path in (root / "include/RelaxDialect/Dialect/Graph/IR").glob("*.td"))
    ops = set(re.findall(r'^def Relax_\w+Op\s*:\s*Relax_\w+<\s*"(\w+)"', texts, re.MULTILINE))
    here = {op for case in every_op.CASES for op in case.ops}
    assert len(ops) > 180 and here & every_op.NOT_HERE == set()
    assert ops - here == every_op.NOT_HERE, "test/python/every_op.py has no function for an op"
    for case in every_op.CASES:
        assert set(case.ops) <= set(re.findall(r"\brelax\.(\w+)", case.text("f"))), case.ops


def same(got, want, where):
    assert got.keys() == want.keys(), where
    for name in want:
        assert got[name].shape == want[name].shape and got[name].dtype == want[name].dtype, where
        np.testing.assert_allclose(got[name], want[name], rtol=1e-5 if want[name].dtype.kind == "f" else 0,
                                   atol=4e-6 if want[name].dtype.kind == "f" else 0, err_msg=where)


def get_part(part):
    return {f"{case.ops[0]}_{index}": case for index, case in enumerate(every_op.CASES) if index % PARTS == part}


def parse(relax, cases):
    return relax.Module.parse("\n".join(case.text(name) for name, case in cases.items()))


@pytest.mark.parametrize("part", range(PARTS))
def test_compiled_and_interpreted(relax, part):
    """Where an op has no answer at a size both say so."""
    cases = get_part(part)
    module = parse(relax, cases)
    compiled = module.compile(functions=["*"])
    wrong = []
    for name, case in cases.items():
        for size in sorted({*SIZES, *case.fails}):
            inputs = case.inputs(size)
            try:
                if size not in case.fails:
                    same(compiled[name](**inputs), module[name](**inputs), f"{name} at {size}")
                    continue
                for function, said in zip((compiled[name], module[name]), case.fails[size]):
                    with pytest.raises(relax.RelaxError, match=re.escape(said)):
                        function(**inputs)
            except (AssertionError, relax.RelaxError, pytest.fail.Exception) as error:
                wrong.append(f"{name} at {size}: {error}")
    assert not wrong, "\n".join(wrong)


def test_with_a_known_size_of_zero(relax):
    """The same where every size is known to be 0: upstream ops refuse some of what is then known to be nothing."""
    cases = {name: case for part in range(PARTS) for name, case in get_part(part).items()
             if 0 not in case.fails and case.symbols()}
    module = parse(relax, cases)
    passes = [f"relax-specialize-symbols{{symbols={','.join(f'{symbol}=0' for symbol in case.symbols())} function={name}}}" for name, case in cases.items()]
    compiled = module.clone().run(",".join(passes)).compile(functions=["*"])
    for name, case in cases.items():
        same(compiled[name](**case.inputs(0)), module[name](**case.inputs(0)), name)


def test_with_unknown_sizes(relax):
    """Nothing is known of the sizes: they are compared while running."""
    texts = [text for index, case in enumerate(every_op.CASES) if (text := case.text_of_unknown_sizes(f"{case.ops[0]}_{index}"))]
    assert len(texts) > 60
    relax.Module.parse("\n".join(texts)).run("relax-default-pipeline")
