"""Orders of a law's covariances at two values of a letter, for any noise and in every dimension."""

import numpy as np
import pytest

from verification.texts import read

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step |
| k | positive | |
| beta | in [0, 1) | momentum |
| A | positive definite matrix | curvature |
| P | positive definite matrix | |

```sampler plain
theta' = theta - h g(theta)
```

```sampler heavy
v' = beta v - h g(theta)
theta' = theta + v'
```

"""
SMALL = "If S = 1 and h lambda_max(A) < 1, then"


def word(text, sampler, said):
    """The verdict of one statement."""
    text.write_text(f"{HEAD}Sampler: {sampler}, in discrete time.\n\n**Claim 1.** {said}\n")
    found = read(text)
    assert not found.refused, str(found.refused[0])
    return found.claims[0].find().verdict


@pytest.mark.parametrize(
    ("sampler", "said"),
    [
        ("plain", "Sigma increases with h in the Loewner order."),
        ("heavy", "Sigma increases with h in the Loewner order."),
        ("plain", f"{SMALL} Sigma[h -> 2h] >= 2 Sigma in the Loewner order."),
        ("plain", "If S = 1, h < k and k < 2/lambda_max(A), then Sigma <= Sigma[h -> k]."),
        ("plain", "If S = 1, C > 0, h < k and k < 2/lambda_max(A), then Sigma < Sigma[h -> k]."),
        ("plain", f"{SMALL} det(Sigma[h -> 2h]) >= 2 det(Sigma)."),
        ("plain", f"{SMALL} tr(P Sigma[h -> 2h]) >= 2 tr(P Sigma)."),
        ("plain", f"{SMALL} lambda_min(Sigma[h -> 2h]) >= 2 lambda_min(Sigma)."),
        (
            "heavy",
            "If S = 1 and h < 2 (1 - beta)/lambda_max(A),"
            " then tr(Sigma) <= tr(Sigma_{plain}[h -> h/(1 - beta)]).",
        ),
    ],
)
def test_true_for_every_noise(tmp_path, sampler, said):
    """By positive kernels of two eigenvalues, and what grows with a matrix."""
    assert word(tmp_path / "notes.md", sampler, said) == "proved"


@pytest.mark.parametrize(
    ("sampler", "said"),
    [
        # true where A and C commute, and of every entry on the diagonal
        ("plain", "If S = 1 and h lambda_max(A) <= 2/3, then Sigma[h -> 2h] <= 4 Sigma."),
        ("plain", "If S = 1 and h lambda_max(A) < 1/2, then Sigma[h -> 2h] <= 3 Sigma."),
        ("plain", f"{SMALL} Sigma[h -> 2h] >= 3 Sigma."),
        ("plain", f"{SMALL} tr(P Sigma[h -> 2h]) >= 3 tr(P Sigma)."),
        ("plain", "Sigma increases with h."),  # strictly, and C may be singular
        ("heavy", "Sigma increases with beta in the Loewner order."),
        (  # one of the noises' orders at twice the step, beside a trace that holds
            "heavy",
            "If S = 1 and h < 2 (1 - beta)/lambda_max(A),"
            " then Sigma <= Sigma_{plain}[h -> h/(1 - beta)].",
        ),
    ],
)
def test_what_is_nearly_so_is_not_proved(tmp_path, sampler, said):
    """Each fails for some noise of rank one, or for a zero in it."""
    assert word(tmp_path / "notes.md", sampler, said) != "proved"


def test_kernels_in_numbers():
    """By another route: the least eigenvalue of the difference of two kernels at random places."""
    draw = np.random.default_rng(7)

    def kernel(h, beta, x):
        X, Y = np.meshgrid(x, x)
        below = (1 - beta) ** 2 * ((1 + beta) * (X + Y) - h * X * Y) + h * beta * (X - Y) ** 2
        return h * (1 - beta**2) / below

    for _ in range(2000):
        x, beta = draw.uniform(0.05, 3, 4), draw.uniform(0, 0.95)
        k = draw.uniform(0, 2 * (1 + beta) / x.max())
        rest = np.linalg.eigvalsh(kernel(k, beta, x) - kernel(k * draw.uniform(), beta, x))
        assert rest[0] >= -1e-9 * rest[-1]
