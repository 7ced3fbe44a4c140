"""A budget is split before anything is run, and its parts never sum to more than the whole."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgtheory.errors import UnusableInput
from verification.statistics import Budget

weights = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=40)


@given(st.floats(1e-12, 0.5), weights)
def test_shares_sum_to_at_most_the_total_and_to_nearly_all_of_it(total, w):
    names = [str(k) for k in range(len(w))]
    budget = Budget.split(total, names, w)
    exact = sum(Fraction(budget.of(n)) for n in names)
    assert exact <= Fraction(total)
    assert float(exact) >= total * (1 - 1e-12)
    assert exact <= Fraction(budget.spent)


@given(st.permutations(["a", "b", "c"]), st.floats(1e-9, 0.5))
def test_what_is_asked_first_changes_nothing(order, total):
    budget = Budget.split(total, ["a", "b", "c"], [1, 2, 3])
    asked = {name: budget.of(name) for name in order}
    assert [asked[n] for n in "abc"] == [share for _, share in budget.shares]


def test_a_part_is_split_again_within_itself():
    run = Budget.split(1e-6, ["eq13", "eq25", "thm1"])
    part = run.part("eq25", ["mean", "variance"])
    assert part.spent <= run.of("eq25")
    assert part.total == run.of("eq25")


@pytest.mark.parametrize(
    "make",
    [
        lambda: Budget.split(1e-6, ["a", "a"]),
        lambda: Budget.split(1e-6, ["a"]).of("b"),
        lambda: Budget.split(1e-6, ["a", "b"], [1]),
        lambda: Budget.split(1e-6, ["a", "b"], [1, -1]),
        lambda: Budget(0.3, (("a", 0.1), ("b", 0.2))),  # the floats 0.1 and 0.2 sum to more than 0.3
        lambda: Budget(2.0, (("a", 0.1),)),
        lambda: Budget(0.1, (("a", 0.0),)),
    ],
    ids=["twice", "unnamed", "weights", "negative", "overspent", "no probability", "nothing"],
)
def test_what_is_not_a_budget_is_refused(make):
    with pytest.raises(UnusableInput):
        make()
