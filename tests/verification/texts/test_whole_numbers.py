"""A whole number of a sampler's own, such as a sample size in its step, is no number of steps."""

import pytest

from tests.verification.texts.quick import judged

HEAD = """| letter | kind | what it is |
| --- | --- | --- |
| h, beta, gam | positive | |
| n, k | whole number | |
| S | whole number | minibatch size |
| A | symmetric positive definite matrix | curvature |
| C | symmetric positive definite matrix | gradient noise covariance |

```sampler tempered
xi ~ N(0, I)
theta' = theta - h (n beta g(theta) + gam theta) + sqrt(2 h) xi
```

Sampler: tempered, in discrete time.

"""
P = r"(n \beta A + gam I)"
BOTH = rf"{P}^{{-1}} (I - \frac{{h}}{{2}} {P})^{{-1}}"
LOSS = rf"$\frac{{n \beta}}{{2}} E[\theta^T A \theta] = \frac12 tr(n \beta A {BOTH}"


@pytest.mark.parametrize(
    ("said", "word"),
    [
        (rf"{LOSS} (I + \frac{{h n^2 \beta^2}}{{2 S}} C))$.", "proved"),
        (rf"{LOSS} (I + \frac{{h n^2 \beta^2}}{{S}} C))$.", "refuted"),
        (rf"{LOSS} (I + \frac{{h n \beta^2}}{{2 S}} C))$.", "refuted"),
        (rf"{LOSS} (I - \frac{{h n^2 \beta^2}}{{2 S}} C))$.", "refuted"),
        ("tr(A Sigma) increases with n.", "refuted"),
        ("If h (n beta lambda_max(A) + gam) < 2, the chain is stable.", "proved"),
        ("If h (n beta lambda_max(A) + gam) < 3, the chain is stable.", "proved-if"),
    ],
)
def test_in_a_step(text, said, word):
    (one,) = text(f"**Statement 1.** {said}\n").read
    assert judged(one).word == word
