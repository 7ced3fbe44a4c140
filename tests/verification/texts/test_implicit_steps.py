"""Where a step settles whose gradient is taken in part at its end: given of the largest eigenvalue."""

import pytest

from tests.verification.texts.quick import judged

HEAD = """| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step |
| kappa | in [0, 1] | |
| A | symmetric positive definite matrix | curvature |

```sampler implicit
xi ~ N(0, I)
theta' = theta - h ((1 - kappa) grad(theta) + kappa grad(theta')) + sqrt(2 h) xi
```

Sampler: implicit, in discrete time.

"""


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("If kappa >= 1/2, the chain is stable.", "proved"),
        ("If kappa >= 1/3, the chain is stable.", "proved-if"),
        ("The chain is stable if and only if h lambda_max(A) (1 - 2 kappa) < 2.", "proved"),
        ("The chain is stable if and only if h lambda_min(A) (1 - 2 kappa) < 2.", "refuted"),
        ("The chain is stable if and only if h lambda_max(A) (1 - kappa) < 2.", "refuted"),
        ("The chain is stable if and only if h lambda_max(A) (2 kappa - 1) < 2.", "refuted"),
        ("The chain is stable if and only if h lambda_max(A) (1 - 2 kappa) <= 2.", "refuted"),
        ("The chain is stable if and only if h lambda_max(A) (1 - 2 kappa) < 1.", "refuted"),
        ("The chain is stable if and only if kappa >= 1/2.", "refuted"),  # at small steps it is
        ("If h lambda_max(A) (1 - 2 kappa) < 2, the chain is stable.", "proved"),
        ("If h lambda_max(A) (1 - 2 kappa) < 3, the chain is stable.", "refuted"),
        ("If h lambda_min(A) (1 - 2 kappa) < 2, the chain is stable.", "refuted"),
        ("If kappa >= 1/2, Sigma <= A^{-1}.", "proved"),
        ("If kappa >= 1/3, Sigma <= A^{-1}.", "proved-if"),
    ],
)
def test_where_it_settles(text, said, word):
    (one,) = text(f"**Statement 1.** {said}\n").read
    assert judged(one).word == word
