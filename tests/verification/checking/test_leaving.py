"""Samplers some of whose chains leave, as declared: their laws have no moments, and counts need none."""

from dataclasses import replace

import numpy as np
import pytest

from sgtheory import registry
from verification.checking import check
from verification.checking.cases import cases
from verification.checking.written import written

NAME = (
    "santa_sss"  # as Algorithm 2 prints it, it divides by the old momentum, which is near 0 now and then
)


def compiled(text):
    space = {}
    exec(compile(text, "mine.py", "exec"), space)
    return space["step"]


def judged(text):
    return check(compiled(text), like=NAME, parameters={"lambda_": "lambda"}, dimensions=(1,))


def test_the_written_step_conforms_and_what_is_not_compared_is_told():
    found = judged(written(NAME).text)
    assert found.verdict == "conforms", str(found)
    assert any(note.startswith("Some chains of santa_sss leave, as they should") for note in found.notes)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (" + 2**0.5*eta**0.5", " + 8**0.5*eta**0.5"),  # the noise
        (
            "theta = theta + g*u/2\n    u_old",
            "theta = theta + g*u\n    u_old",
        ),  # the first half of a move
        ("beta*u_old)", "beta)"),  # what makes chains leave: none do without it
        (
            "return {",
            "theta = theta + np.where(rng.random(theta.shape) > 0.95, np.nan, 0)\n    return {",
        ),  # too many leave
    ],
)
def test_a_wrong_one_deviates(right, wrong, monkeypatch):
    monkeypatch.setattr("verification.checking._diagnosis", lambda *_: ())  # which takes half a minute
    text = written(NAME).text
    assert text.count(right) == 1, text
    assert judged(text.replace(right, wrong)).verdict == "deviates"


def test_who_left_is_at_one_place_for_good_whichever_coordinate_left_first():
    case = cases("sgd", dimensions=(2,))[0]
    case = replace(case, beyond=10.0, mode=(0.0, 1.0), times=(1, 2, 5))
    seen = np.array(
        [[0, 0, np.nan, 0, 1, 1], [0, 0, 0, -99, 1, 1], [0, 0, 5, 5, 9, 9], [0, 0, 9, -9.5, 1, 1]]
    )
    far = [10.0, 11.0]
    expected = [[0, 0, *far, *far], [0, 0, *far, *far], [0, 0, 5, 5, 9, 9], [0, 0, *far, *far]]
    assert case.within(seen).tolist() == expected
    assert case.left(case.within(seen)).tolist() == [True, True, False, True]
    assert replace(case, beyond=0.0).within(seen) is seen


@pytest.mark.parametrize("name", ["sgnht", "psgld", "santa_euler:algorithm6"])
def test_where_chains_stay_nothing_is_cut(name):
    assert registry.sampler(name)
    assert all(case.beyond == 0.0 for case in cases(name, dimensions=(1, 2)))
