"""Claims on samplers of one's own, from files: letters, parameters and hypotheses are first class."""

import json

import pytest
from click.testing import CliRunner

from reports.terminal import cli
from verification.library import select

HEAD = """
import sympy as sp
from sympy import sqrt
from sgtheory.onestep.affine import LAMBDA
from sgtheory.declare import Card, N, S, Sampler, gradient, normal, positive, state
from verification.statements import Printed
from verification.statements.stationary import StationaryLaw
from verification.notation import A, C, D, Sigma, identity, trace
from verification.statements import Compare, Equal, Moves, Stable, claim, vanishing

theta, v = state("theta v")
beta, h, kappa, lam, sigma, eta = positive("beta h kappa lambda sigma eta")
xi = normal("xi")
HERE = {"at": "Eq. 1", "title": "T", "says": "S."}
CARD = Card(loss="mean", drift="h")

def below(left, sign, right, **more):
    return claim('x', read=Compare(left, sign, right), **HERE, **more)

def about(kind, key, left, right, relation="=", **more):
    return kind(key, printed=(Printed(left, right, relation),), **HERE, **more)
"""
MOMENTUM = """
own = Sampler(state=(theta, v), updates=((v, beta * v - h * gradient(theta)), (theta, theta + v)),
              convention=CARD{given})
range_ = claim("range", of=own, time="discrete", read=Stable(),
               given=(Compare(h * LAMBDA, "<", 2 * (1 + beta)),{under}), **HERE)
"""
GIVEN = ", given=(beta < 1,)"
ONE_STEP = """
own = Sampler(state=(theta,), noises=(xi,), convention=CARD,
              updates=((theta, theta - lam * gradient(theta) + kappa * xi),))
"""
SCALED = """
own = Sampler(state=(theta, v), noises=(xi,), given=(beta < 1,), convention=CARD,
              updates=((v, beta * v - h * gradient(theta) + sigma * sqrt(1 - beta) * xi),
                       (theta, theta + v)))
"""
LANGEVIN = """
own = Sampler(state=(theta,), noises=(xi,), convention=CARD,
              updates=((theta, theta - h * gradient(theta) + sqrt(2 * h / N) * xi),))
"""
STEP = ", of=own, time='discrete')"
CASES = {
    # a stability range is obeyed under what is given, in the claim or by the sampler
    "range given": (MOMENTUM.format(given="", under="beta < 1"), "proved", None),
    "range of the sampler": (MOMENTUM.format(given=GIVEN, under=""), "proved", None),
    "range, nothing given": (MOMENTUM.format(given="", under=""), "proved-if", "beta < 1"),
    "law, own letters": (
        ONE_STEP + "x = about(StationaryLaw, 'x', A * Sigma + Sigma * A - lam * A * Sigma * A,"
        " lam / S * C + kappa**2 / lam * identity" + STEP,
        "proved",
        None,
    ),
    "law, own letters, false": (
        ONE_STEP + "x = about(StationaryLaw, 'x', A * Sigma + Sigma * A, lam / S * C" + STEP,
        "refuted",
        None,
    ),
    "root of one less a letter": (
        SCALED + "x = about(StationaryLaw, 'x', A * Sigma, Sigma * A" + STEP,
        "proved-if",
        "A and B B^T commute",
    ),
    "root of a step": (
        LANGEVIN + "x = about(StationaryLaw, 'x', A * Sigma + Sigma * A - h * A * Sigma * A,"
        " h / S * C + 2 / N * identity" + STEP,
        "proved",
        None,
    ),
    "bound given": ("x = below(beta**2, '<=', beta, given=(beta < 1,))", "proved", None),
    "bound between": (
        "x = below(beta, '<=', sp.Rational(1, 2), given=(beta < sp.Rational(1, 2),))",
        "proved",
        None,
    ),
    "bound, nothing given": ("x = below(beta**2, '<=', beta)", "proved-if", "beta <= 1"),
    "two letters": ("x = below(eta**2, '<', h**2, given=(sp.Lt(eta, h),))", "proved", None),
    "grows": (
        "x = claim('x', read=Moves(kappa + 1 / h, 'grows', vanishing(h)),"
        " given=(kappa < 1, 0 < h), **HERE)",
        "proved",
        None,
    ),
    "words of Python": (
        "a, b, T = (sp.Symbol(n, positive=True) for n in ('lambda', 'in', 'T'))\n"
        "x = claim('x', printed=Equal(a * b + T * D, a * b - T * D), **HERE)",
        "refuted",
        None,
    ),
}


def written(tmp_path, body):
    path = tmp_path / "own.py"
    path.write_text(HEAD + body + "\n")
    return str(path)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.strong
def test_what_must_come_out(tmp_path, name):
    body, verdict, condition = CASES[name]
    (claim,) = select((written(tmp_path, body),))
    finding = claim.find()
    assert finding.verdict == verdict, finding.reason
    if condition is not None:
        assert condition in finding.condition
    twins = claim.twins(finding, most=3)
    assert twins.survivors == ()


def test_what_is_given_rules_the_places(tmp_path):
    body = MOMENTUM.format(given="", under="beta < 1, h <= sp.Rational(1, 3)")
    (claim,) = select((written(tmp_path, body),))
    looked = [p for p in claim.space().small() if all(c.holds(p) for c in claim.conditions)]
    assert looked
    assert all(p.scalars["beta"] < 1 and 3 * p.scalars["h"] <= 1 for p in looked)


def test_a_hypothesis_that_never_holds_is_that_claims_own(tmp_path):
    body = "x = below(beta, '<=', h, given=(beta < 0,))"
    done = CliRunner().invoke(cli, ["verify", written(tmp_path, body)])
    assert done.exit_code == 3
    assert "expected a hypothesis that can hold" in done.output


def test_the_eigenvalues_name_is_not_a_parameters(tmp_path):
    body = ONE_STEP + (
        "x = claim('x', of=own, time='discrete', read=Stable(),"
        " given=(Compare(lam * LAMBDA, '<', 2),), **HERE)"
    )
    done = CliRunner().invoke(cli, ["verify", written(tmp_path, body)])
    assert done.exit_code == 3
    assert "lambda: call it otherwise" in done.output


@pytest.mark.strong
def test_an_ensemble_finds_values_for_letters_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    body = CASES["law, own letters"][0]
    done = CliRunner().invoke(cli, ["verify", written(tmp_path, body), "--json", "v.json"])
    assert done.exit_code == 0, done.output
    (claim,) = json.loads((tmp_path / "v.json").read_text())["claims"]
    ensembles = [e for e in claim["evidence"] if e["route"] == "ensemble"]
    assert ensembles
    assert all({"kappa", "lambda"} <= set(e["problem"]["params"]) for e in ensembles)


def test_what_divides_by_zero_is_open(tmp_path):
    body = "x = below(1 / ((beta - h) * (beta + h) - beta**2 + h**2), '<=', beta)"
    done = CliRunner().invoke(cli, ["verify", written(tmp_path, body)])
    assert "inconclusive" in done.output
    assert "Error" not in done.output
