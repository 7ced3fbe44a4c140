"""Fresh definitions, consistent and not, and statements that are no mathematics."""

import ast
import dataclasses
from fractions import Fraction

import pytest
import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.notation.matrixwords import Diagonal, Trace
from verification import notation
from verification.judging.judge import judge
from verification.measuring.ensembles import Plan
from verification.statements import Equal, Printed, claim
from verification.statements.definition import Definition, NotMathematical
from verification.statements.scripts import script_of
from verification.terms.kinds import (
    LOSS,
    PARAMETER,
    TIME,
    Clash,
    Transpose,
    column,
    kind_of,
    number,
    square,
)
from verification.verdicts.verdict import RoutesDisagree

COMMON = {"at": "here", "title": "T", "says": "S.", "paper": "test"}
A, C, H, g, theta, I = sp.symbols("A C H g theta I", commutative=False)  # noqa: E741
L, eps, N, S, t = sp.symbols("L eps N S t", positive=True)
FORCE = LOSS / PARAMETER
KINDS = {
    A: square(LOSS / PARAMETER**2),
    C: square(FORCE**2),
    H: square(PARAMETER**2 / LOSS),
    g: column(FORCE),
    theta: column(PARAMETER),
    L: number(LOSS),
    eps: number(PARAMETER**2 / LOSS),
    t: number(TIME),
    N: number(),
    S: number(),
}


def definition(left, right):
    return Definition("fresh", printed=(Printed(left, right),), declared=tuple(KINDS.items()), **COMMON)


CONSISTENT = [
    definition(L, Transpose(theta) * A * theta / 2),
    definition(g, A * theta),
    definition(theta, -eps * g),
    definition(H, eps * I),
    definition(C, g * Transpose(g) * N / S),
    definition(eps, 2 * S / N * Trace(C**-1) * L),
    definition(H, A**-1),
    definition(L, Trace(Diagonal(C) * H) / N),
    definition(L, L * sp.log(N / S) + L),
]
CLASHING = [
    (definition(L, A), "a number"),
    (definition(L, Transpose(theta) * A * theta + eps), "is added to"),
    (definition(g, A * theta + theta), "is added to"),
    (definition(A, C), "measured in"),
    (definition(L, theta * theta), "a power of"),
    (definition(L, theta * g), "stands right of"),
    (definition(eps, sp.sqrt(L)), "measured in"),
    (definition(L, sp.log(t) * L), "is taken of"),
    (definition(theta, g), "measured in"),
    (definition(A * theta - theta, sp.Integer(0)), "is added to"),
    (definition(H, eps), "a number"),
]


@pytest.mark.parametrize("claim", CONSISTENT, ids=lambda c: c.printed[0].text())
def test_consistent_definitions(claim):
    finding = claim.find()
    assert finding.verdict == "definition"
    twins = claim.twins(finding)
    assert twins.tried >= 3
    assert twins.survivors == ()


@pytest.mark.parametrize(("claim", "words"), CLASHING, ids=lambda c: getattr(c, "key", ""))
def test_clashes_are_found_by_rules_and_by_numbers(claim, words):
    finding = claim.find()
    assert finding.verdict == "refuted"
    assert words in finding.reason
    assert finding.counterexample is not None


def test_a_letter_that_nothing_declares():
    finding = definition(L, L * sp.Symbol("kappa", positive=True)).find()
    assert finding.verdict == "inconclusive"
    assert "kappa" in finding.reason


def test_rules_and_numbers_check_each_other(monkeypatch):
    monkeypatch.setattr(Definition, "clash", lambda self: None)
    with pytest.raises(RoutesDisagree):
        definition(A, C).find()


def test_time_scales():
    speed = sp.Symbol("v", commutative=False)
    kinds = tuple({**KINDS, speed: column(PARAMETER / TIME)}.items())

    def said(right):
        printed = (Printed(speed, right),)
        return Definition("fresh", printed=printed, declared=kinds, **COMMON).find().verdict

    assert said(theta / t) == "definition"
    assert said(theta * t) == "refuted"


def test_kinds_by_the_rules():
    assert kind_of(Trace(A) * L, KINDS).unit == LOSS**2 / PARAMETER**2
    with pytest.raises(Clash):
        kind_of(Trace(theta), KINDS)
    with pytest.raises(Clash):
        kind_of(theta**2, KINDS)


def test_what_is_not_mathematical():
    claim = NotMathematical("fig1", because="picture", **COMMON)
    verdict = judge(claim, Plan("quick", "cpu", 1, 1e-6))
    assert verdict.word == "not-mathematical"
    assert verdict.measured is None
    with pytest.raises(UnusableInput, match="one of"):
        NotMathematical("fig1", because="boredom", **COMMON)
    with pytest.raises(UnusableInput, match="no relation"):
        NotMathematical("fig1", because="picture", printed=(Printed(L, L),), **COMMON)


def test_a_definition_goes_through_the_judge():
    verdict = judge(definition(g, A * theta), Plan("quick", "cpu", 1, 1e-6))
    assert verdict.word == "definition"
    assert verdict.to_json()["evidence"][0]["route"] == "symbolic"


CODE = "here\nopen('touched', 'w')\ropen('touched', 'w')\n#"


def test_a_line_break_in_a_place_or_a_title_is_no_code_of_a_script():
    told = {"at": CODE, "title": CODE}
    clash = dataclasses.replace(definition(L, A), **told)
    equal = Equal(notation.eps, 2 * notation.eps)
    stated = claim("eq1", says="S.", of="sgd", printed=equal, **told)
    for script in (clash._shapes(), script_of(equal, {"eps": Fraction(1)}, stated.heading)):
        read = ast.parse(script)
        assert read.body
        assert "open" not in {node.id for node in ast.walk(read) if isinstance(node, ast.Name)}
