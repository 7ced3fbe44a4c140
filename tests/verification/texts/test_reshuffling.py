"""Random reshuffling for every number of examples: formulas held against all orders of small data."""

from fractions import Fraction as F
from itertools import permutations

import pytest
import sympy as sp

from sgtheory import registry
from sgtheory.declare import N, S
from sgtheory.setting import Setting
from tests.verification.texts.quick import judged
from verification.laws.second_moments import second_moments

POINTS = tuple(map(F, ("-2", "1/2", "3", "0", "5/3", "-1")))


def by_all_orders(size, batch, a, h):
    """The variance at the ends of epochs, E[x] = 0: x <- r x + h (a mean of the batch's points)."""
    points = POINTS[:size]
    centred = [a * (c - sum(points) / size) for c in points]
    r, n = 1 - h * a, size // batch
    kicks = []
    for order in permutations(centred):
        x = F(0)
        for k in range(n):
            x = r * x + h * sum(order[k * batch : (k + 1) * batch]) / batch
        kicks.append(x)
    assert sum(kicks) == 0
    noise = sum(g * g for g in centred) / size
    return sum(x * x for x in kicks) / len(kicks) / (1 - r ** (2 * n)), noise


@pytest.mark.parametrize(("size", "batch"), [(2, 1), (3, 1), (5, 1), (4, 2), (6, 2), (6, 3)])
@pytest.mark.parametrize(("a", "h"), [(F(1), F(1, 3)), (F(3, 2), F(1))])
def test_the_law_is_that_of_all_orders(size, batch, a, h):
    """Of one coordinate, for any minibatches: no formula of ours is in the other route."""
    found = second_moments(Setting(registry.sampler("reshuffled_sgd"), registry.model("quadratic")))
    V, noise = by_all_orders(size, batch, a, h)
    values = {"A": a, "C": noise, "eps": h, "H": F(1)}
    put = {s: values[s.name] for s in found.moments["Sigma"].free_symbols if s.name in values}
    assert found.moments["Sigma"].subs({N: size, S: batch} | put) == sp.Rational(str(V))


HEAD = """# Reshuffling

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| A | symmetric positive definite matrix | curvature |
| C | symmetric positive definite matrix | gradient noise covariance |
| N | whole number, at least 2 | number of examples |
| a, c, T, sigma | positive | |

```sampler fresh
theta' = theta - h g(theta)
examples in a fresh random order in every epoch
```

```sampler warm
xi ~ N(0, I)
theta' = theta - h g(theta) + sqrt(2 h T) xi
minibatches are reshuffled
```
"""
ORDER = r"$\operatorname{tr} \Sigma = \frac{N (N + 1)}{24} a h^3 c + O(h^4)$ as $h \to 0$."
WARM = r"$\operatorname{tr} \Sigma = \frac{T}{a} + \frac{h T}{2} + O(h^2)$ as $h \to 0$."
LINE = "If D = 1, S = 1, A = a I, C = c I, then "
SAID = [  # of a law by sums over permutations: exam 5, statement 32, and its kin
    (
        "fresh",
        LINE.replace("c I", "a^2 sigma^2 I") + r"$\Sigma = \frac{N (N + 1)}{24} a^3 h^3 \sigma^2 I$.",
        "limit-only",
    ),
    ("fresh", LINE + ORDER, "proved"),
    ("fresh", LINE + ORDER.replace("N + 1", "N - 1"), "refuted"),
    ("fresh", LINE + "tr Sigma is of order h^2 as h -> 0.", "refuted"),
    ("fresh", LINE + r"$\operatorname{tr} \Sigma = \frac{h c}{a (2 - h a)}$.", "refuted"),
    ("fresh", "If D = 1 and S = 1, then the chain is stable if and only if h A < 2.", "proved"),
    (
        "fresh",
        LINE.replace("then", "N = 2, then")
        + r"$\Sigma = \frac{h^3 a c}{(2 - h a) (2 - 2 h a + h^2 a^2)} I$.",
        "proved",
    ),
    ("warm", LINE + WARM, "proved"),
    ("warm", LINE + WARM.replace("+ O", r"+ \frac{h c}{2 a} + O"), "refuted"),
    ("reshuffled_sgd", LINE + ORDER, "proved"),
]  # fmt: skip


@pytest.mark.parametrize("said", SAID, ids=lambda said: f"{said[0]}: {said[1][-45:]}")
def test_what_is_said_of_reshuffling(said, stated):
    sampler, sentence, word = said
    verdict = judged(stated(f"{sampler}, in discrete time.", sentence))
    assert verdict.word == word, verdict.finding.reason
    if word == "limit-only":
        assert "(1 - a*h)**N" in verdict.finding.corrected.text
