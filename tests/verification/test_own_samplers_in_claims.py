"""Claims about samplers that are declared in the same file, or in one beside it."""

import pytest

from sgtheory.errors import UnusableInput
from verification.judging.keeping import Kept
from verification.library import select
from verification.measuring.ensembles import Plan

SAMPLER = """
from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, rate = state("theta"), positive("rate")
PLAIN = Sampler((theta,), ((theta, theta - rate * gradient(theta)),), Card(loss="mean", drift="rate"))
"""
CLAIM = """
from verification.statements import Printed
from verification.statements.stationary import StationaryLaw
from verification.notation import A, C, S, Sigma

eq1 = StationaryLaw(
    "eq1", at="Eq. 1", title="Covariance", says="An equation.", of=OF,
    printed=(Printed(A * Sigma + Sigma * A, rate / S * C),),
)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "plain.py").write_text(SAMPLER)
    (tmp_path / "same.py").write_text(SAMPLER + CLAIM.replace("OF", "PLAIN"))
    beside = CLAIM.replace("OF", '"plain.py"')
    (tmp_path / "beside.py").write_text("from plain import rate\n" + beside)
    return tmp_path


FILES = [("same.py", "same.py:PLAIN"), ("beside.py", "plain.py:PLAIN")]


@pytest.mark.parametrize(("file", "name"), FILES)
def test_a_claim_is_about_the_sampler_of_a_file(folder, file, name):
    (claim,) = select((str(folder / file),))
    assert str(claim.of) == claim.setting.sampler.name == name
    assert claim.find().verdict == "proved"
    assert claim.find("discrete").verdict == "limit-only"


def test_what_is_kept_knows_the_content_of_the_sampler(folder):
    plan = Plan("quick", "cpu", 1, 1e-6)
    (before,) = select((str(folder / "beside.py"),))
    (folder / "plain.py").write_text(SAMPLER.replace("- rate", "- rate / 2"))
    (after,) = select((str(folder / "beside.py"),))
    assert str(before.of) == str(after.of)
    assert before.setting != after.setting
    assert Kept.of(before, plan) != Kept.of(after, plan)


def test_a_sampler_that_is_not_there_is_one_line(folder):
    (folder / "lost.py").write_text("from plain import rate\n" + CLAIM.replace("OF", '"lost_one.py:X"'))
    (claim,) = select((str(folder / "lost.py"),))
    with pytest.raises(UnusableInput, match="a Python file"):  # the verdict on this claim alone
        _ = claim.setting
