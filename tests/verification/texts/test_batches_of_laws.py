"""How minibatches are drawn, in statements about laws: by the noise that a law has."""

from fractions import Fraction
from itertools import combinations

import pytest

from tests.verification.texts.quick import judged

HEAD = """| letter | kind | what it is |
| --- | --- | --- |
| h | positive | |
| N, S | whole number | |
| A, C | positive definite matrix | |

```sampler plain
theta' = theta - h g(theta)
```

```sampler diagonal_noise
xi ~ N(0, I)
theta' = theta - h g(theta) + h C^{1/2} xi
```
"""
WITHOUT, LAW = "If minibatches are drawn without replacement", "h/S tr(C (2 I - h A)^{-1})"
SAID = [
    (f"{WITHOUT}, then tr(A Sigma) = (N - S)/(N - 1) {LAW}", "proved"),
    (f"{WITHOUT} and S = N, then Sigma = 0", "proved"),
    (f"If minibatches are drawn with replacement, then tr(A Sigma) = {LAW}", "proved"),
    (f"If minibatches are drawn with replacement, then tr(A Sigma) = (N - S)/(N - 1) {LAW}", "refuted"),
    (f"{WITHOUT}, then tr(A Sigma) = {LAW}", "refuted"),
    (f"{WITHOUT}, then tr(A Sigma) = (N - S)/N {LAW}", "refuted"),
    (f"{WITHOUT}, then tr(A Sigma) = (N - S)/(N + 1) {LAW}", "refuted"),
    (f"{WITHOUT}, then tr(A Sigma) = (N - 1)/(N - S) {LAW}", "refuted"),
    (f"{WITHOUT}, N >= 4 and S = N/2, then tr(A Sigma) = {LAW}/2", "refuted"),  # of the eighth exam
    (f"{WITHOUT}, then Sigma = 0", "refuted"),
    (f"{WITHOUT} and S = 1, then tr(A Sigma) = {LAW}/2", "refuted"),
    (f"{WITHOUT} and S = N/2, then Sigma = 0", "refuted"),
]


@pytest.mark.parametrize(("said", "word"), SAID)
def test_drawing_is_a_factor_of_the_noise(stated, said, word):
    verdict = judged(stated("plain, in discrete time", said))
    assert verdict.word.replace("proved-if", "refuted").replace("limit-only", "refuted") == word


@pytest.mark.parametrize(("N", "S"), [(3, 1), (4, 2), (5, 4), (5, 5)])
def test_the_factor_is_that_of_all_minibatches(N, S):
    gradients = [Fraction(k * k + 1) for k in range(N)]
    mean = sum(gradients) / N
    batches = [sum(b) / S - mean for b in combinations(gradients, S)]
    C = sum((x - mean) ** 2 for x in gradients) / N
    assert sum(b * b for b in batches) / len(batches) == C / S * Fraction(N - S, N - 1)


def test_noise_of_ones_own_made_of_C_is_left_alone(stated):
    verdict = judged(stated("diagonal_noise, in discrete time", f"{WITHOUT} and S = N, then Sigma = 0"))
    assert verdict.word != "proved"
