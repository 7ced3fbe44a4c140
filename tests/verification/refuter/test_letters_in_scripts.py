"""Scripts of counterexamples run by themselves, whatever letters a sampler has."""

import subprocess
import sys

import pytest

from sgtheory.declare import Card, Sampler, gradient, positive, state
from verification.notation import A, C, S, Sigma
from verification.refuter.script import identifier, run, values_of
from verification.statements import Equal, claim
from verification.terms.arithmetics.decimals import preamble

LETTERS = (
    "lambda",
    "in",
    "T",
    "E",
    "I",
    "M",
    "M_",
    "P",
    "F",
    "d",
    "R",
    "Q",
    "left",
    "rows",
    "np",
    "N_",
    "a_b",
    "H",
)
theta = state("theta")


def script(first: str, second: str) -> str:
    """Of a claim that is false, in two letters that are in what is printed."""
    a, b = positive(first), positive(second)
    card = Card(loss="mean", drift="a b")
    of = Sampler((theta,), ((theta, theta - a * b * gradient(theta)),), card, name="mine")
    printed = Equal(Sigma * A + A * Sigma - a * b * A * Sigma * A, 2 * a * b / S * C)
    stated = claim("k", at="1", title="law", says="x", of=of, printed=printed, time="discrete")
    found = stated.find()
    assert found.verdict == "refuted"
    return found.counterexample.script


@pytest.mark.parametrize("letters", list(zip(LETTERS[::2], LETTERS[1::2], strict=True)), ids="-".join)
def test_a_script_says_what_was_found(letters: tuple[str, str]) -> None:
    text = script(*letters)
    assert not run(text)
    assert all(identifier(letter) + " = F(" in text for letter in letters)


def test_letters_that_python_knows_are_letters_all_the_same() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", script("M", "M_")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip().endswith("False")


@pytest.mark.parametrize(
    ("size", "odds"), [(1, 1), (2, 12), (9, 1028781784378569697887052962909388800000000)]
)
def test_scripts_invert_matrices_of_nine_rows(size: int, odds: int) -> None:
    """Their minors were worked out again and again, for minutes, so that no twin was judged."""
    hilbert = f"np.array([[_d(1) / (i + j + 1) for j in range({size})] for i in range({size})])"
    sides = f"left, right = (_inv({hilbert}) @ np.ones({size}, int)).sum(), _det({hilbert})"
    left, right = values_of("\n".join([*preamble(120, sides, matrices=True), sides]))
    assert abs(left - size**2) < 1e-30  # of Hilbert's matrix
    assert abs(right * odds - 1) < 1e-30
