"""Sentences that an author stated who knew README and the guide alone: what failed at first sight."""

import pytest
import sympy as sp

from verification.judging.keeping import documents
from verification.library import select
from verification.notation import A, C, H, N, S, Sigma, eps, identity, mu, second, trace
from verification.statements import (
    Adds,
    Equal,
    FreeOf,
    Order,
    claim,
    growing,
    index,
    letter,
    number,
    over,
)

gamma = sp.Symbol("gamma", positive=True)
K, k, third = letter("K", "count"), index("k"), number("1/3")


def stated(statement, **more):
    return claim("k", at="Eq. 1", title="T", says="S.", printed=statement, **more)


TRUE = {
    "unadjusted Langevin, exactly": stated(
        Equal(A * Sigma + Sigma * A - gamma * N * A * Sigma * A, 2 / N * identity),
        of="lmc", time="discrete",
    ),
    "control variates do not feel the minibatch": stated(FreeOf(trace(Sigma), S), of="sgldfp"),
    "energies of momentum, as traces": stated(
        Equal(trace(A * Sigma), (2 - mu) / (2 * eps) * trace(second("v", "v"))),
        of="momentum", time="discrete",
    ),
    "a trace where nothing commutes": stated(
        Equal(trace(Sigma), eps / (2 * S) * trace(A**-1 * C)), of="sgd"
    ),
}  # fmt: skip


@pytest.mark.parametrize("sentence", TRUE)
def test_what_is_true_is_proved(sentence):
    assert TRUE[sentence].find().verdict == "proved"


@pytest.mark.strong
def test_a_product_in_the_wrong_order_needs_what_makes_it_right():
    found = stated(Equal(A * H * Sigma + Sigma * H * A, eps / S * H * C * H), of="sgd").find()
    assert found.verdict == "proved-if"
    assert found.condition == "A and H commute"


def test_a_missing_factor_is_gathered():
    wrong = Equal(A * Sigma + Sigma * A, (1 - mu) / eps * second("v", "v"))
    found = stated(wrong, of="momentum", time="discrete").find()
    assert found.corrected.text == "A*Sigma + Sigma*A = (2 - mu)*E[v v^T]/eps"


def test_what_no_theory_has_a_formula_for_is_open():
    ratio = over(k ** (-2 * third), k, 1, K) / over(k**-third, k, 1, K)
    assert stated(Order(ratio, "Theta", K**-third, growing(K))).find().verdict == "inconclusive"


def test_the_end_of_a_range_of_powers_is_found():
    t, a = letter("t"), letter("a")
    found = stated(Adds(a / t, "to a finite sum", growing(t))).find()
    assert found.verdict == "refuted"


FILE = """
import sympy as sp
from verification.notation import A, N, Sigma, identity
from verification.statements import Equal, claim
gamma = sp.Symbol("gamma", positive=True)
ula = claim("ula", at="Eq. 1", title="T", of="lmc", time="discrete",
            printed=Equal(A * Sigma + Sigma * A - gamma * N * A * Sigma * A, 2 / N * identity))
"""


@pytest.mark.strong
def test_a_proof_about_a_sampler_with_another_papers_letter_is_measured(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    (found,) = documents(select((str(tmp_path / "mine.py"),)), seed=1)
    assert found["verdict"] == "proved", found["reason"]
    assert any(e["route"] == "ensemble" for e in found["evidence"])
