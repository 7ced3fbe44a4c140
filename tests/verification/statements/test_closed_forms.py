"""Sums over steps that are closed forms, and the largest and smallest of numbers."""

from __future__ import annotations

from typing import Any

import pytest

from verification.statements import (
    A,
    C,
    Equal,
    claim,
    det,
    index,
    largest,
    letter,
    letters,
    over,
    smallest,
)
from verification.statements.surviving import twins

a, b, h = letters("a b h")
beta, n, t = letter("beta", "fraction"), letter("n", "count"), index("t")
CLOSED = (
    (over(t, t, 1, n), n * (n + 1) / 2, n * (n + 2) / 2),
    (over(t**2, t, 1, n), n * (n + 1) * (2 * n + 1) / 6, n * (n + 1) * (2 * n - 1) / 2),
    (over(a * t + h, t, 1, n), a * n * (n + 1) / 2 + h * n, a * n * (n + 1) / 2 + h),
    (over(beta**t, t, 0, n - 1), (1 - beta**n) / (1 - beta), (1 - beta ** (n + 1)) / (1 - beta)),
    (over(1 / (t * (t + 1)), t, 1, n), n / (n + 1), n / (n + 2)),
)


def found(statement: Any) -> Any:
    return claim("k", at="", title="", read=statement).find()


@pytest.mark.parametrize(("added", "closed", "wrong"), CLOSED)
def test_sums_are_closed_forms_by_induction_and_wrong_ones_fail_after_few_steps(
    added: Any, closed: Any, wrong: Any
) -> None:
    assert found(Equal(added, closed)).reason == "By induction over the steps."
    refuted = found(Equal(added, wrong))
    assert refuted.verdict != "proved"
    assert refuted.counterexample is not None


def test_wrong_twins_of_a_closed_form_are_rejected() -> None:
    stated = claim("k", at="", title="", read=Equal(*CLOSED[3][:2]))
    seen = twins(stated, stated.find(), 20)
    assert seen.tried == seen.rejected > 5


def test_sums_that_start_late_or_have_their_end_inside_are_left_open() -> None:
    assert found(Equal(over(t, t, 4, n), n * (n + 1) / 2 - 6)).verdict != "proved"  # empty sums are zero


def test_the_smallest_of_numbers_is_no_larger_than_the_largest() -> None:
    assert found(smallest(a, b) <= largest(a, b)).verdict == "proved"
    assert found(largest(a, b) + smallest(a, b) <= a + b).verdict == "proved"
    assert found(largest(a, b) <= smallest(a, b)).verdict == "refuted"


def test_the_determinant_of_a_product_is_the_product_of_the_determinants() -> None:
    assert found(Equal(det(A * C), det(A) * det(C))).verdict == "proved"
    assert found(Equal(det(A * C * A**-1), det(C))).verdict == "proved"
    assert found(Equal(det(A + C), det(A) + det(C))).verdict != "proved"
    assert found(Equal(det(A * C), det(A) * det(C) ** 2)).verdict == "refuted"
