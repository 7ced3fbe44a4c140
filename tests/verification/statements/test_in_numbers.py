"""Laws in one dimension: read in numbers, proved, refuted at a place, and how far they hold."""

from pathlib import Path

import pytest
import sympy as sp

from verification.judging.judge import Plan, found
from verification.statements import thresholds
from verification.statements.claim import claim
from verification.statements.deciding import asked
from verification.statements.weakest import weakest
from verification.terms.term import letter, letters
from verification.texts import read
from verification.theories.scalars.signs import has_sign
from verification.theories.signs import strongest

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| T | positive | temperature |
| gamma | positive | friction |
| C | symmetric positive definite matrix | gradient noise covariance |
| beta | in [0, 1) | momentum |
| k | whole number | window |
| b | positive | a number |

```sampler heavy
v' = beta v - h g(theta)
theta' = theta + v'
```

```sampler plain
theta' = theta - h g(theta)
```

```sampler damped
xi ~ N(0, I)
v' = (1 - h gamma) v - h g(theta) + sqrt(2 gamma h T) xi
theta' = theta + h v'
```

```sampler lmc_of_the_text
xi ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(2 h T) xi
```

"""
SAID = (
    ("heavy", "if D = 1, then Sigma increases with h", "proved", ""),
    ("heavy", "if D = 1, then Sigma increases with beta", "proved-if", "A*h <= 1"),
    ("heavy", "if D = 1 and h A <= 1, then Sigma increases with beta", "proved", ""),
    ("heavy", "if D = 1, then E[v v^T] increases with beta", "proved-if", "A*h/beta <= 4"),
    ("heavy", "if D = 1, then Sigma[h -> (1 - beta) h] <= Sigma[beta -> 0]", "proved", ""),
    ("heavy", "if D = 1, then Sigma[h -> (1 - beta) h] >= Sigma[beta -> 0]", "proved-if", "beta = 0"),
    ("damped", "if D = 1, then A Sigma > T", "proved", ""),
    (
        "lmc_of_the_text",
        "if D = 1, A = b I and h b < 2, then W_2(N(0, Sigma), N(0, T A^{-1})) <= h/2 sqrt(T b)",
        "proved-if",
        "b*h <= sqrt(5) - 1",
    ),
    ("plain", "if D = 1, S = 1 and h A < 2, then averaged(k) <= C/(k A^2)", "proved-if", "A*h <= 1"),
    ("damped", "if D = 1, then A Sigma < T", "refuted", ""),
    (
        "lmc_of_the_text",
        "if D = 1, then 2 Sigma[h -> h/2] - Sigma > T/(2 A)",
        "proved-if",
        "A*h*(A*h + 6) < 8",
    ),
)


def judged(tmp_path, sampler, said):
    path = Path(tmp_path, "notes.md")
    path.write_text(
        f"{HEAD}Sampler: {sampler}, in discrete time.\n\n**Claim 1**. In discrete time, {said}."
    )
    (one,) = read(path).read
    return found(one.claim, Plan("quick", "cpu", 1, 1e-6)).finding


@pytest.mark.strong
@pytest.mark.parametrize(("sampler", "said", "word", "condition"), SAID, ids=[one[1] for one in SAID])
def test_in_one_dimension_a_law_is_a_number(tmp_path, sampler, said, word, condition):
    finding = judged(tmp_path, sampler, said)
    assert (finding.verdict, str(finding.condition or "")) == (word, condition)


@pytest.mark.strong
def test_the_other_order_is_told_where_it_is_the_true_one(tmp_path):
    finding = judged(tmp_path, "damped", "if D = 1, then A Sigma < T")
    assert finding.corrected.printed[0].relation == ">"


def variance(h, lam, beta):
    return h * (1 + beta) / (lam * (1 - beta) * (2 * (1 + beta) - h * lam))


def test_the_weakest_bound_is_seen_and_proved():
    h, lam = letters("h lam")
    one, more = letter("beta", "unit"), letter("beta_more", "unit")
    given = (h * lam < 2, one < more, one < 1, more < 1)
    grows = claim(
        "x",
        at="1",
        title="It grows",
        read=variance(h, lam, more) > variance(h, lam, one),
        given=given,
    )
    assert str(weakest(asked(grows))) == "h*lam <= 1"


def test_a_bound_is_not_told_of_what_holds_everywhere():
    x, y = letters("x y")
    plain = claim("x", at="1", title="A sum", read=x < x + y)
    assert list(thresholds.bounds(asked(plain), [x, y])) == []


def test_what_follows_from_others_is_no_bound_of_its_own():
    x, y = sp.symbols("x y", positive=True)
    chain = [(x, sp.Integer(1), True), (x, y, True), (y, sp.Integer(1), True)]
    assert strongest(chain) == chain[1:]
    strict = [(x, sp.Integer(1), False), *chain[1:]]
    assert strongest(strict) == strict


def test_a_letter_that_may_be_zero_is_looked_at_there():
    x, y = letter("x", "unit"), letter("y")
    assert "positive" in has_sign(y, (1 + x) * y * 2, (-1,)).lemma
    assert not hasattr(has_sign(y, (1 + x) * y, (-1,)), "lemma")  # they are one where x = 0
