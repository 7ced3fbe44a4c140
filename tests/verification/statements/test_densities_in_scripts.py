"""Densities in scripts, outside of any derivative."""

import pytest

from verification.refuter.script import run
from verification.statements import Equal, claim, density, letter, partial

q, b = letter("q", "real"), letter("b")
HERE = {"at": "here", "title": "T", "states": (q,)}
GAUSSIAN = density(q**2 / 2)


@pytest.mark.parametrize(
    "wrong",
    [
        Equal(b * GAUSSIAN, 2 * b * GAUSSIAN),
        Equal(GAUSSIAN * partial(b * q, q), 2 * GAUSSIAN * b),
        Equal(partial(GAUSSIAN, q), b * q * GAUSSIAN),
    ],
)
def test_a_density_is_a_number_where_nothing_is_derived(wrong):
    found = claim("k", printed=wrong, **HERE).find()
    assert found.counterexample is not None
    assert run(found.counterexample.script) is False


def test_its_slope_is_the_force_times_it():
    assert (
        claim("k", printed=Equal(partial(GAUSSIAN, q), -q * GAUSSIAN), **HERE).find().verdict == "proved"
    )
