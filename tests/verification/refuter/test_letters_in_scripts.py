"""Scripts of counterexamples run by themselves, whatever letters a sampler has."""

import subprocess
import sys

import pytest

from sgtheory.declare import Card, Sampler, gradient, positive, state
from verification.notation import A, C, S, Sigma
from verification.refuter.script import identifier, run
from verification.statements import Equal, claim

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
