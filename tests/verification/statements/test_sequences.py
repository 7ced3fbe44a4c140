"""Equations between sums over steps, for every number of steps: proved, refuted, mended, their twins."""

from dataclasses import replace

import pytest

from sgtheory.errors import DeclarationError
from verification.refuter.script import run
from verification.statements import (
    Bounded,
    Equal,
    Order,
    claim,
    growing,
    index,
    letter,
    letters,
    mean,
    over,
    sequences,
    size,
    sqrt,
)
from verification.theories.answers import Proved
from verification.theories.sequences import Steps, steps
from verification.verdicts.verdict import RoutesDisagree

L, n, t, h = letter("L", "count"), letter("n", "count"), index("t"), letter("h")
u = index("u")
(b,) = letters("b", "real")
m, v = sequences("m v")
(eps,) = sequences("epsilon", "positive sequence")
STEP = Equal(v[t], (m[t] - m[t - 1]) / h)


def said(relation, *given):
    made = claim("k", at="a", title="t", says="s", printed=relation, given=given)
    return replace(made, paper="p")


def stated(left, right, *given):
    return said(Equal(left, right), *given)


def total(right):
    return stated(over(v[t], t, 1, L) / L, right, STEP)


@pytest.mark.parametrize(
    "true",
    [
        stated(over(m[t] - m[t - 1], t, 1, L), m[L] - m[0]),
        stated(over(b, t, 1, L), b * L),
        stated(over(over(m[t] * v[u], t, 1, L), u, 1, L), over(m[t], t, 1, L) * over(v[t], t, 1, L)),
        stated(over(eps[t] * (b + m[t]), t, 1, L) / over(eps[t], t, 1, L),
               b + over(eps[t] * m[t], t, 1, L) / over(eps[t], t, 1, L)),
        total((m[L] - m[0]) / (L * h)),
    ],
    ids=lambda c: c.statement.text(),
)  # fmt: skip
def test_true_sums_are_proved_and_their_twins_rejected(true):
    finding = true.find()
    assert finding.verdict == "proved"
    twins = true.twins(finding, most=12)
    assert twins.rejected >= 3
    assert twins.survivors == ()


def test_a_thermostat_holds_what_it_is_moved_by():
    gain = Equal(v[t], (m[t] - m[t - 1]) / h + b)
    held = stated(over(v[t], t, 1, L) / L, b + (m[L] - m[0]) / (L * h), gain).find()
    assert held.verdict == "proved"
    finding = stated(over(v[t], t, 1, L) / L, b, gain).find()
    assert (finding.verdict, run(finding.counterexample.script)) == ("refuted", False)


def test_false_sums_are_refuted_with_what_is_left_over_and_mended_where_a_sign_is_wrong():
    finding = total((m[0] - m[L]) / (L * h)).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False
    ends = total((m[L] - m[1]) / (L * h)).find()
    assert (ends.verdict, ends.corrected) == ("refuted", None)
    assert "m[0]" in ends.reason
    assert "m[1]" in ends.reason
    signs = stated(over(m[t] - m[t - 1], t, 1, L), m[L] + m[0]).find()
    assert signs.corrected.text == "Sum(m[t] - m[t - 1], (t, 1, L)) = m[L] - m[0]"


def test_what_a_sequence_starts_from_is_put_in():
    left, right = over(m[t] - m[t - 1], t, 1, L), m[L] - v[0]
    assert stated(left, right).find().verdict == "refuted"
    assert stated(left, right, Equal(m[0], v[0])).find().verdict == "proved"


x, noise, coin = (sequences("x", kind)[0] for kind in ("random sequence", "differences", "signs"))
(down,) = sequences("down", "decreasing sequence")
(bounded,) = sequences("u", "bounded sequence")
X, xi = letter("X", "random"), letter("xi", "sign")
a, c = letters("a c", "real")
q = letter("q", "fraction")


def every(body):
    return over(body, t, 1, L)


@pytest.mark.parametrize(
    ("one", "verdict", "condition"),
    [
        (stated(mean(every(x[t]) ** 2), every(mean(x[t] ** 2))), "proved-if", "E(x[t] | past) = 0"),
        (stated(mean(every(noise[t]) ** 2), every(mean(noise[t] ** 2))), "proved", None),
        (stated(mean(every(coin[t]) ** 2), L), "proved", None),
        (stated(mean(every(coin[t]) ** 2), L + 1), "refuted", None),
        (stated(mean((h * a + sqrt(h) * xi) ** 2), h**2 * a**2 + h), "proved", None),
        # what is left over is 2 (a - c) (c - E X): it vanishes at both, and nowhere else
        (stated(mean((a - X) ** 2), mean((c - X) ** 2) + (a - c) ** 2), "proved-if",
         "E(X) = c or a = c"),
        (stated(a * X, c * X), "proved-if", "a = c"),
        (said(every(m[t]) ** 2 <= L * every(m[t] ** 2)), "proved", None),
        (said(every(m[t]) ** 2 <= every(m[t] ** 2)), "refuted", None),
        (said(every(down[t] * bounded[t]) ** 2 <= every(down[t]) ** 2), "proved", None),
        (said(L * down[L] <= every(down[t])), "proved", None),
        (said(L * eps[L] <= every(eps[t])), "refuted", None),
        (said(size(every(m[t])) <= every(size(m[t]))), "proved", None),
        (stated(every(eps[t] * m[t]) / every(eps[t]), every(m[t]) / L), "proved-if",
         "epsilon[t] = epsilon_0"),
    ],
    ids=lambda c: c.statement.text() if hasattr(c, "statement") else str(c),
)  # fmt: skip
def test_means_and_bounds(one, verdict, condition):
    finding = one.find()
    assert (finding.verdict, finding.condition) == (verdict, condition)
    if finding.counterexample:
        assert run(finding.counterexample.script) is False
    assert one.twins(finding, most=8).survivors == ()


def test_a_bound_is_mended_with_sizes_or_with_as_many_as_there_are_steps():
    finding = said(every(m[t]) ** 2 <= every(m[t] ** 2)).find()
    assert finding.corrected.text == "Sum(m[t], (t, 1, L))**2 <= L*Sum(m[t]**2, (t, 1, L))"
    outside = said(size(every(m[t] * bounded[t])) <= size(every(m[t]))).find()
    assert outside.corrected.text == "|Sum(m[t]*u[t], (t, 1, L))| <= Sum(|m[t]|, (t, 1, L))"


def test_a_moving_average_is_unrolled_by_induction_from_its_start():
    rule = Equal(m[t], q * m[t - 1] + v[t])
    unrolled = Equal(m[L], over(q ** (L - t) * v[t], t, 1, L))
    assert said(unrolled, rule, Equal(m[0], 0)).find().verdict == "proved"
    assert said(unrolled, rule, Equal(m[0], 1)).find().verdict == "refuted"


def test_terms_are_given_the_factors_that_numbers_ask_for():
    assert stated(mean((a + X) ** 2), a**2 + a * mean(X) + mean(X**2)).find().corrected.text == (
        "E((a + X)**2) = a**2 + 2*(a*E(X)) + E(X**2)"
    )


def test_a_counterexample_has_its_number_of_steps_and_no_letter_that_it_does_not_need():
    finding = stated(over(m[t] * v[t], t, 1, L), m[1] * v[1]).find()
    assert finding.verdict == "refuted"
    assert finding.counterexample.problem == {
        "L": "2", "m[1]": "0", "v[1]": "0", "m[2]": "1", "v[2]": "1"
    }  # fmt: skip


def test_a_sabotaged_normal_form_is_caught_by_numbers(monkeypatch):
    monkeypatch.setattr(Steps, "vanishes", lambda *_: Proved("So it is said."))
    with pytest.raises(RoutesDisagree):
        stated(over(m[t], t, 1, L), over(v[t], t, 1, L)).find()


def test_a_step_that_is_not_summed_over_is_refused():
    with pytest.raises(DeclarationError, match="runs"):
        stated(over(m[t], t, 1, L), m[u]).find()


def test_one_letter_numbers_the_steps():
    with pytest.raises(DeclarationError, match="one letter"):
        stated(over(m[t], t, 1, L), over(m[t], t, 1, n)).find()


def test_sums_are_typeset_as_they_are_written():
    assert Equal(over(m[t - 1], t, 1, L), m[L]).latex() == r"\sum_{t = 1}^{L} m_{t - 1} = m_{L}"
    assert Equal(h * over(eps[t], t, 1, L), b).latex() == (
        r"h \left(\sum_{t = 1}^{L} \epsilon_{t}\right) = b"
    )


(eps_t,) = sequences("epsilon", "Robbins-Monro sequence")
(one,), (other,) = sequences("x"), sequences("y")
TIME, SQUARES = every(eps_t[t]), every(eps_t[t] ** 2)


@pytest.mark.parametrize(
    ("one", "verdict", "condition"),
    [
        (said(Bounded(every(one[t]) ** 2, every(one[t] ** 2))), "refuted", None),
        (said(Bounded(every(eps[t] ** 2), every(eps[t]) ** 2)), "proved", None),
        (said(Bounded(every(eps[t]) ** 2, L**2)), "refuted", None),
        # steps whose squares have a finite sum are not all one; others may be
        (said(Bounded((eps_t[1] / eps_t[L]) ** 2, 1)), "refuted", None),
        (said(Bounded((eps[1] / eps[L]) ** 2, 1)), "proved-if", "epsilon[t] = epsilon_0"),
        (said(Bounded(1 / h + 1 / h**2, 1 / h)), "proved-if", "h has a lower bound above zero"),
        (said(Bounded((a + c + b) ** 2, a**2 + b**2 + c**2)), "proved", None),
        (said(Order(SQUARES / TIME, "o", 1, growing(L))), "proved", None),
        (said(Order(every(eps_t[t] * bounded[t]) / TIME**2, "o", 1, growing(L))), "proved", None),
        (said(Order(SQUARES, "o", 1, growing(L))), "refuted", None),
        (said(Order(TIME, "o", L, growing(L))), "inconclusive", None),
    ],
    ids=lambda c: c.statement.text() if hasattr(c, "statement") else str(c),
)
def test_bounds_up_to_a_constant_and_what_vanishes(one, verdict, condition):
    finding = one.find()
    assert (finding.verdict, finding.condition) == (verdict, condition)
    if finding.counterexample:
        assert run(finding.counterexample.script) is False
    assert one.twins(finding, most=8).survivors == ()


def test_a_constant_is_not_enough_along_a_family_and_as_many_as_there_are_steps_mend_it():
    finding = said(Bounded(every(one[t]) ** 2, every(one[t] ** 2))).find()
    assert finding.counterexample.problem == {"x[t]": "1"}
    assert finding.counterexample.left == "2, 6, 18"
    text = "Sum(x[t], (t, 1, L))**2 = O(L*Sum(x[t]**2, (t, 1, L)))"
    assert finding.corrected.text == text


def test_what_is_random_with_a_sign_is_put_as_nothing_fixed():
    finding = said(Bounded(L, mean(every(coin[t]) ** 2))).find()
    assert finding.verdict == "proved"


def test_a_sabotaged_prover_of_bounds_is_caught_by_numbers(monkeypatch):
    monkeypatch.setattr(steps, "never_larger", lambda *_: "So it is said.")
    with pytest.raises(RoutesDisagree):
        said(Bounded(size(every(one[t])), every(other[t]) ** 2)).find()


def test_a_sequence_that_is_constant_is_another_place_at_which_weights_do_not_matter():
    weighted = every(eps[t] * one[t]) / every(eps[t])
    finding = said(Equal(weighted, every(one[t]) / L)).find()
    assert (finding.verdict, finding.condition) == ("proved-if", "epsilon[t] = epsilon_0")
    assert finding.converse.known == "sufficient"
    assert finding.converse.without == {"x[t]": "x_0"}
