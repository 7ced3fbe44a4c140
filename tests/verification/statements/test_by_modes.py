"""Orders of laws at each eigenvalue of A: proved where they hold, and how far where they do not."""

from pathlib import Path

import pytest

from verification.judging.judge import Plan, found
from verification.texts import read

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| T | positive | temperature |

```sampler sgd_of_the_text
theta' = theta - h g(theta)
```

```sampler lmc_of_the_text
xi ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(2 h T) xi
```

"""
SGD, TARGET = "Sampler: sgd_of_the_text, in discrete time.\n\n", "N(0, T A^{-1})"
ORDERS = (
    ("tr(Sigma) increases with h", "proved", ""),
    ("Sigma increases with h", "proved", ""),
    (f"if h < 2/lambda_max(A), then KL(q || {TARGET}) >= KL({TARGET} || q)", "proved", ""),
    (f"KL(q || {TARGET}) < KL({TARGET} || q)", "refuted", ""),
    (
        "if h < 1/lambda_max(A), then 2 Sigma - Sigma[h -> 2 h] is positive definite",
        "proved-if",
        "h < 2/(3*lambda_max(A))",
    ),
    ("2 Sigma[h -> h/2] - Sigma > 0", "proved-if", "3*h*lambda_max(A) < 4"),
    ("2 Sigma[h -> h/2] - Sigma < 0", "proved-if", "4 < 3*h*lambda_min(A)"),
)
OF_NOISE = (
    ("if A C = C A and S = 1, then Sigma >= h/2 C A^{-1}", "proved"),
    ("if A C = C A and S = 1, then Sigma >= h C A^{-1}", "proved-if"),
    ("if S = 1, then tr(Sigma[h -> 2 h]) >= 2 tr(Sigma)", "proved"),
    ("Sigma[S -> 2 S] <= Sigma", "proved"),
    ("Sigma[S -> 2 S] >= Sigma", "refuted"),
)


def _judged(tmp_path, body):
    path = Path(tmp_path, "notes.md")
    path.write_text(f"{HEAD}{body}")
    (one,) = read(path).read
    return found(one.claim, Plan("quick", "cpu", 1, 1e-6)).finding


@pytest.mark.strong
@pytest.mark.parametrize(("said", "word", "condition"), ORDERS, ids=[s for s, *_ in ORDERS])
def test_an_order_is_decided_at_each_eigenvalue(tmp_path, said, word, condition):
    finding = _judged(tmp_path, f"**Claim 1**. In discrete time, {said}.")
    assert (finding.verdict, finding.condition or "") == (word, condition)


@pytest.mark.strong
@pytest.mark.parametrize(("said", "word"), OF_NOISE, ids=[s for s, _ in OF_NOISE])
def test_a_noise_that_commutes_goes_with_its_modes(tmp_path, said, word):
    assert _judged(tmp_path, f"{SGD}**Claim 1**. {said}.").verdict == word


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("if h < 2/lambda_max(A), then (A P + P A)/h - A P A is positive semidefinite", "refuted"),
        ("if h < 2/lambda_max(A), then A P A is positive semidefinite", "proved"),
    ],
)
def test_a_matrix_of_the_text_has_places_beside_a_sampler(tmp_path, said, word):
    path = Path(tmp_path, "notes.md")
    rows = "| P | symmetric positive definite matrix | |\n\n```sampler sgd_of"
    text = HEAD.replace("\n```sampler sgd_of", rows, 1)
    path.write_text(f"{text}{SGD}**Claim 1**. {said}.")
    (one,) = read(path).read
    assert one.claim.find("discrete").verdict == word
