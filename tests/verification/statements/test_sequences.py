"""Equations between sums over steps, for every number of steps: proved, refuted, mended, their twins."""

from dataclasses import replace

import pytest

from sgtheory.errors import DeclarationError
from verification.refuter.script import run
from verification.statements import Equal, claim, index, letter, letters, over, sequences
from verification.theories.answers import Proved
from verification.theories.sequences import Steps
from verification.verdict import RoutesDisagree

L, n, t, h = letter("L", "count"), letter("n", "count"), index("t"), letter("h")
u = index("u")
(b,) = letters("b", "real")
m, v = sequences("m v")
(eps,) = sequences("epsilon", "positive sequence")
STEP = Equal(v[t], (m[t] - m[t - 1]) / h)


def stated(left, right, *given):
    made = claim("k", at="a", title="t", says="s", printed=Equal(left, right), given=given)
    return replace(made, paper="p")


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
