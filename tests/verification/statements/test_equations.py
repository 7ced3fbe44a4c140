"""Equations of matrices, traces, log determinants and means that the code does not know."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from verification.laws.quantities import Determinant
from verification.notation import A, C, D, H, N, S, Sigma, eps, identity, mu, second, trace
from verification.refuter.conditions import Commute
from verification.refuter.script import run
from verification.statements import All, Best, Equal, Iff, claim, letters, surviving, term
from verification.terms.arithmetics import RATIONAL, balls
from verification.terms.gaussians import Divergence, MeanForm, MeanLogDensity
from verification.terms.kinds import Transpose
from verification.terms.walking import Unable, walk
from verification.verdicts.verdict import RoutesDisagree

q, f = sp.symbols("q f")
Q = sp.Symbol("Q", commutative=False)
KL = Divergence(Sigma, q, A**-1 / N, f)
PRINTED_GAIN = ((Q, Sigma * H**-1), (H, eps * H))
HERE = {"at": "here", "title": "T", "says": "S."}
TOGETHER = Commute(("A", "C"))


def logdet(X):
    return sp.log(Determinant(X))


def stated(left, right, *constant_in, **more):
    return claim("fresh", **HERE, printed=Equal(left, right, constant_in=constant_in), **more)


def of_sgd(left, right, *constant_in, **more):
    return stated(left, right, *constant_in, of="sgd", **more)


@pytest.mark.parametrize(
    ("one", "verdict", "condition"),
    [
        (stated((A + C) ** -1, A**-1 - A**-1 * (A**-1 + C**-1) ** -1 * A**-1), "proved", None),
        (stated((A * C) ** 2, A**2 * C**2), "proved-if", "A and B B^T commute"),
        (stated(trace(A * C), trace(A) * trace(C)), "proved-if", "D = 1"),
        (
            stated(trace(A) * trace(C), D * trace(A * C)),
            "proved-if",
            "A is a multiple of the identity or B B^T is a multiple of the identity",
        ),
        (of_sgd(trace(A * Sigma), eps / (2 * S) * trace(C)), "proved", None),
        (of_sgd(Sigma, eps / (2 * S) * A**-1 * C), "proved-if", "A and B B^T commute"),
        (of_sgd(trace(A * Sigma), eps / S * trace(C)), "refuted", None),
    ],
)
def test_verdicts(one, verdict, condition):
    finding = one.find()
    assert (finding.verdict, finding.condition) == (verdict, condition)
    if verdict != "proved":
        assert not run(finding.counterexample.script)
    twins = one.twins(finding)
    assert twins.survivors == ()
    assert twins.rejected == twins.tried > 0


@pytest.mark.strong
def test_moments_of_every_state_are_known_and_what_is_missing_is_found():
    energy = stated(trace(second("v", "v")), eps**2 / S * trace(C), of="momentum")
    wrong = energy.find()
    assert wrong.verdict == "refuted"
    assert wrong.corrected.text == "tr(E[v v^T]) = eps**2*tr(C)/(2*mu*S)"
    assert mu.name in {a.name for a in wrong.corrected.printed[0].right.letters}
    true = replace(energy, statement=wrong.corrected.printed[0])
    assert true.find().verdict == "proved"


def test_a_hypothesis_can_be_added_and_dropped():
    one = stated(A * C, C * A)
    assert one.under(TOGETHER).find().verdict == "proved"
    assert one.under(TOGETHER).without(TOGETHER).find().verdict == "proved-if"


MEAN_OF_LOG = MeanLogDensity(A**-1 / N, f, Sigma, q)
LAWS = [
    (of_sgd(KL, MeanLogDensity(Sigma, q, Sigma, q) - MEAN_OF_LOG), "proved", "proved"),
    (of_sgd(KL, MEAN_OF_LOG - MeanLogDensity(Sigma, q, Sigma, q)), "refuted", "refuted"),
    (of_sgd(MeanForm(A, Sigma, q), eps / (2 * S) * trace(C)), "proved", "limit-only"),
    (of_sgd(logdet(Sigma), D * sp.log(eps), eps), "proved", "limit-only"),
    (of_sgd(logdet(Sigma), sp.log(eps), eps), "proved-if", "refuted"),
    (
        of_sgd(H * A * Sigma + Sigma * A * H, H * C * H / S, where=PRINTED_GAIN),
        "proved",
        "limit-only",
    ),
    (of_sgd(Q * A, A * Q, where=PRINTED_GAIN), "proved-if", "proved-if"),
]


@pytest.mark.parametrize(("one", "process", "algorithm"), LAWS)
@pytest.mark.strong
def test_of_a_law_in_both_times(one, process, algorithm):
    found = one.find()
    assert found.verdict == process
    assert one.find("discrete").verdict == algorithm
    twins = one.twins(found)
    assert twins.survivors == ()
    assert twins.rejected == twins.tried
    if process in ("refuted", "proved-if"):
        assert not run(found.counterexample.script)


@pytest.mark.strong
def test_a_divergence_up_to_a_constant_is_put_right():
    wrong = of_sgd(KL, N * eps / S * trace(C) + logdet(Sigma), eps, S)
    found = wrong.find()
    assert found.verdict == "refuted"
    right = found.corrected.text.partition(" =c= ")[2]
    assert right == "eps*N*tr(C)/(4*S) - log(det(Sigma))/2"
    assert found.counterexample.words.startswith("the change of the left side, and the change of")
    assert not any(n.endswith("_other") for n in found.counterexample.problem["params"])


@pytest.mark.strong
def test_a_missing_transpose_is_found_in_both_times():
    wrong = of_sgd(A * Transpose(Q) + Q * A, C / S, where=PRINTED_GAIN)
    assert wrong.find().corrected.text == "A*Q + transpose(Q)*A = C/S"
    assert wrong.find("discrete").corrected.text == "A*Q + transpose(Q)*A = A*Sigma*A + C/S"


def test_the_first_terms_of_gaps():
    one = of_sgd(trace(A * Sigma), trace(C * H) / (2 * S), where=PRINTED_GAIN)
    gap = one.find("discrete").gap  # the printed H has the step in it
    assert (gap.parameter, gap.order, gap.term.text) == ("H", "1", "h_i*lambda_i/2")
    assert gap.words == "relative gap in one dimension"
    constant = of_sgd(logdet(Sigma), D * sp.log(eps), eps)
    assert constant.find("discrete").gap.term.text == "eps*lambda_i/2"


@pytest.mark.strong
def test_letters_of_the_problem_can_be_set():
    best = 2 * S * D / (N * trace(C))
    mean = of_sgd(N * trace(A * Sigma), D, sets=((eps, best),))
    assert mean.find().verdict == "proved"
    assert mean.twins(mean.find()).survivors == ()
    found = of_sgd(N * trace(A * Sigma), D, sets=((eps, 2 * best),)).find()
    assert found.verdict == "refuted"
    assert not run(found.counterexample.script)


def test_a_letter_that_drops_out_is_not_missed():
    one = of_sgd(KL, trace(A * Sigma) * N / 2 - logdet(Sigma) / 2, eps, S)
    assert one.find().verdict == "proved"
    moved = Equal(*one.statement.sides, constant_in=(eps, S, N))
    assert replace(one, statement=moved).find().verdict == "refuted"


def test_equal_up_to_a_constant_between_numbers():
    x, y = letters("x y")
    one = stated(x * y + y**2, x * y, x)
    found = one.find()
    assert found.verdict == "proved"
    assert one.twins(found).survivors == ()
    wrong = stated(x * y + y**2, x * y, y).find()
    assert wrong.verdict == "refuted"
    assert not run(wrong.counterexample.script)
    together = claim("all", printed=All(Equal(x + y, x, constant_in=(x,)), Equal(x + y, y + x)), **HERE)
    assert together.find().verdict == "proved"


def test_means_by_regressions_are_those_of_the_textbook():
    source = np.random.default_rng(1)
    g, h = source.integers(-3, 4, (2, 3, 3))
    V, W = (x @ x.T + 2 * np.eye(3, dtype=int) for x in (g, h))
    exact = {n: [[int(x) for x in row] for row in m] for n, m in (("V", V), ("W", W))}
    v, w = (sp.Symbol(n, commutative=False) for n in "VW")
    ratio = np.linalg.solve(W, V)

    def value(expr, arithmetic):
        return walk(term(expr), arithmetic, {n: arithmetic.number(m) for n, m in exact.items()})

    wanted = (np.trace(ratio) - np.linalg.slogdet(ratio)[1] - 3) / 2
    assert float(value(Divergence(v, q, w, f), balls(30)).mid()) == pytest.approx(wanted, rel=1e-12)
    wanted = -(3 * np.log(2 * np.pi) + np.linalg.slogdet(W)[1] + np.trace(ratio)) / 2
    assert float(value(MeanLogDensity(w, f, v, q), balls(30)).mid()) == pytest.approx(wanted, rel=1e-12)
    assert value(MeanForm(w, v, q), RATIONAL) == int(np.trace(W @ V))
    with pytest.raises(Unable):
        value(Divergence(v, q, w, f), RATIONAL)


def test_a_sabotaged_normal_form_is_caught(monkeypatch):
    from sgtheory.matrices import proof

    monkeypatch.setattr(proof, "_difference", lambda left, right: 0)  # everything is equal
    with pytest.raises(RoutesDisagree):
        stated(A * C, C * A).find()
    with pytest.raises(RoutesDisagree):
        of_sgd(trace(A * Sigma), trace(C)).find()


@pytest.mark.strong
def test_twins_of_equations_survive_where_scripts_are_broken(monkeypatch):
    one = of_sgd(trace(A * Sigma), eps / (2 * S) * trace(C))
    finding = one.find()
    monkeypatch.setattr(surviving, "decider", lambda statement, given: lambda place: True)
    broken = one.twins(finding)
    assert broken.rejected == 0
    assert len(broken.survivors) == broken.tried > 0


@pytest.mark.strong
def test_a_condition_that_is_needed_and_one_that_is_not():
    common = {**HERE, "of": "sgd"}
    inverse = Equal(trace(A**-1 * Sigma**-1), 2 * S / eps * trace(C**-1))
    commute = Equal(A * C, C * A)
    needed = claim("fresh", **common, read=Iff(inverse, commute))
    found = needed.find()
    assert found.verdict == "proved"
    twins = needed.twins(found)
    assert twins.rejected == twins.tried > 0
    free = Equal(trace(A * Sigma), eps / (2 * S) * trace(C))
    needless = claim("fresh", **common, read=Iff(free, commute)).find()
    assert needless.verdict == "refuted"
    assert not run(needless.counterexample.script)
    too_strong = Iff(Equal(A * Sigma, Sigma * A), Equal(A, identity))
    assert claim("fresh", **common, read=too_strong).find().verdict == "refuted"


@pytest.mark.parametrize(
    ("letter", "value", "formula", "verdict"),
    [
        (eps, 2 * S * D / (N * trace(C)), N * eps * trace(C) / (4 * S) - D * sp.log(eps) / 2, "proved"),
        (eps, S * D / (N * trace(C)), N * eps * trace(C) / (4 * S) - D * sp.log(eps) / 2, "refuted"),
        (H, C**-1 * 2, trace(C * H) / 2 - logdet(H), "proved"),
        (H, C**-1 * 2, trace(C * H) / 2 + logdet(H), "refuted"),
        (H, C**-1, trace(C * H) / 2 - logdet(H), "refuted"),
    ],
)
def test_minima_of_formulas(letter, value, formula, verdict):
    one = claim("fresh", **HERE, printed=Best(letter, value, of=formula))
    found = one.find()
    assert found.verdict == verdict
    twins = one.twins(found)
    assert twins.rejected == twins.tried
    if verdict == "refuted":
        assert not run(found.counterexample.script)
    if value == 2 * C**-1 and verdict == "refuted":  # a sign of the formula makes it a minimum
        assert "tr(C*H)/2 - log(det(H))" in found.corrected.text
