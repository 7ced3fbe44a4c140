"""Means and mean squares of linear chains with steps of any lengths, after any number, and far out."""

from fractions import Fraction
from pathlib import Path

import pytest
import sympy as sp

from verification.judging.judge import Plan, found
from verification.statements.deciding import asked
from verification.texts import read
from verification.theories.answers import Disproved, Proved, Silent
from verification.theories.sequences.far import Far
from verification.theories.sequences.moments import Moments, n

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h, T, a, b, c, sigma | positive | |
| alpha | in (0, 1) | |
| k | whole number | |
| u | real | |
| x | random sequence | |
| xi | noises | |

"""
CONSTANT = "If x_{k+1} = x_k - h (a x_k + sigma xi_k) and x_0 = u"
FALLING = "If x_k = x_{k-1} - b/k (a x_{k-1} + sigma xi_k) and x_0 = u"
AVERAGED = "If x_k = x_{k-1} - h a x_{k-1} + sqrt(h T/2) (xi_k + xi_{k-1}) and x_0 = 0"
LIMIT = "b^2 sigma^2/(2 a b - 1) as k -> infinity"
EVERY = (
    (f"{CONSTANT}, then E[x_k] = (1 - h a)^k u", Proved),
    (f"{CONSTANT}, then Var(x_k) = h sigma^2 (1 - (1 - h a)^{{2 k}})/(a (2 - h a))", Proved),
    (f"{CONSTANT}, then Var(x_k) = h sigma^2 (1 - (1 - h a)^k)/(a (2 - h a))", Silent),
    ("If x_k = x_{k-1} - 1/(a k) (a x_{k-1} + sigma xi_k), then E[x_k^2] = sigma^2/(a^2 k)", Proved),
    ("If x_k = x_{k-1} - 1/(a k) (a x_{k-1} + sigma xi_k), then E[x_k^2] = sigma^2/(a k)", Silent),
    (f"{AVERAGED}, then Var(x_k) = T/a (1 - (1 - h a)^{{2 k}})", Silent),
)
FAR = (
    (f"{FALLING}, then k E[x_k^2] tends to {LIMIT}", Silent),
    (f"{FALLING} and 2 a b > 1, then k E[x_k^2] tends to {LIMIT}", Proved),
    (f"{FALLING} and 2 a b > 1, then k E[x_k^2] tends to {LIMIT.replace('2 a b', '4 a b')}", Disproved),
    (f"{FALLING}, then E[x_k^2] vanishes as k -> infinity", Proved),
    (f"{FALLING}, then k E[x_k^2] vanishes as k -> infinity", Silent),
    (f"{CONSTANT} and h a < 2, then E[x_k^2] tends to h sigma^2/(a (2 - h a)) as k -> infinity", Proved),
    (
        "If x_k = x_{k-1} - b k^{-alpha} (a x_{k-1} + sigma xi_k) and x_0 = u, then"
        " k^alpha E[x_k^2] tends to b sigma^2/(2 a) as k -> infinity",
        Proved,
    ),
)


def claims(folder, *said):
    path = Path(folder, "notes.md")
    path.write_text(HEAD + "\n\n".join(f"**Claim {k}**. {one}." for k, one in enumerate(said)))
    text = read(path)
    assert not text.refused, text.refused
    return [one.claim for one in text.read]


def answer(claim):
    question = asked(claim)
    (found,) = question.answers
    return question.subject, found


@pytest.mark.parametrize(("said", "kind"), EVERY, ids=[s for s, _ in EVERY])
def test_for_every_number_of_steps_induction_decides_what_is_true(tmp_path, said, kind):
    subject, found = answer(*claims(tmp_path, said))
    assert isinstance(subject, Moments)
    assert isinstance(found, kind)


@pytest.mark.parametrize(("said", "kind"), FAR, ids=[s for s, _ in FAR])
def test_far_out_first_terms_decide_what_given_leaves_open_is_not_said(tmp_path, said, kind):
    subject, found = answer(*claims(tmp_path, said))
    assert isinstance(subject, Far)
    assert isinstance(found, kind)


@pytest.mark.parametrize("start", [CONSTANT, FALLING, AVERAGED])
def test_the_rules_of_moments_are_those_of_a_covariance_of_all_noises(tmp_path, start):
    """Another route: each entry as a row of coefficients of all noises."""
    subject, _ = answer(*claims(tmp_path, f"{start}, then Var(x_k) = 1"))
    chain, values = subject.chain, {}
    for expr in (chain.slope, chain.shift, *chain.own, *chain.past, chain.mean):
        for letter in sp.sympify(expr).free_symbols - {n}:
            values[letter] = sp.Rational(2 + len(letter.name), 3)
    rows, mean = {}, sp.sympify(chain.mean).subs(values)
    for step in range(1, 6):
        at = {**values, n: step}
        slope, own, past = (sp.sympify(e).subs(at) for e in (chain.slope, *chain.own, *chain.past))
        mean = slope * mean + sp.sympify(chain.shift).subs(at)
        rows = {k: slope * c for k, c in rows.items()}
        rows[step], rows[step - 1] = rows.get(step, 0) + own, rows.get(step - 1, 0) + past
        for letter, rule in subject.ruled.items():
            wanted = {"mean": mean, "variance": sum(c**2 for c in rows.values())}
            wanted["square"] = wanted["variance"] + mean**2
            assert sp.nsimplify(_run(rule, step, values)) == wanted[letter.name.partition(" ")[0]]


def _run(rule, steps, values):
    known = {k: sp.sympify(value).subs(values) for k, value in rule.begins}
    for step in range(rule.last + 1, steps + 1):
        share, beside = (sp.sympify(e).subs({**values, n: step}) for e in (rule.share, rule.beside))
        known[step] = share * known[step - 1] + beside
    return known[steps]


def test_places_far_out_run_the_rule_and_say_nothing_before_it_has_settled(tmp_path):
    (claim,) = claims(tmp_path, f"{FALLING}, then k E[x_k^2] tends to {LIMIT}")
    question = asked(claim)
    place = question.space.small()
    at = next(place).but(a=Fraction(1), b=Fraction(1, 5), sigma=Fraction(1), u=Fraction(0))
    seen = question.seen(at)
    assert seen is not None
    assert not seen.holds
    slow = at.but(b=Fraction(1, 2))  # where a logarithm decides
    assert question.seen(slow) is None


@pytest.mark.strong
def test_the_condition_of_a_limit_is_found_and_only_that(tmp_path):
    (claim,) = claims(tmp_path, f"{FALLING}, then k E[x_k^2] tends to {LIMIT}")
    finding = found(claim, Plan("quick", "cpu", 1, 1e-6)).finding
    assert (finding.verdict, str(finding.condition)) == ("proved-if", "1 < 2*a*b")
    assert finding.counterexample is not None


@pytest.mark.strong
def test_a_wrong_limit_is_refuted_with_the_right_one(tmp_path):
    wrong = f"{FALLING} and 2 a b > 1, then k E[x_k^2] tends to b^2 sigma^2/(2 a b) as k -> infinity"
    finding = found(*claims(tmp_path, wrong), Plan("quick", "cpu", 1, 1e-6)).finding
    assert finding.verdict == "refuted"
    assert "2*b*a - 1" in finding.corrected.text or "2*a*b - 1" in finding.corrected.text
