"""Integrated autocorrelation times in texts: of the position, and of its square."""

import pytest

from tests.verification.texts.quick import QUICK
from verification.judging.judge import found

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| beta | in [0, 1) | momentum |
| a | positive | |
| A | symmetric positive definite matrix | curvature |

```sampler plain
theta' = theta - h g(theta)
```

```sampler heavy
v' = beta v - h g(theta)
theta' = theta + v'
```

```sampler warm
xi ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(2 h) xi
```

```sampler keeping
xi ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(h/2) (z + xi)
z' = xi
```

"""
LONG = "long_run = 2/h A^{-2}"
SQUARE = "(2 - 2 h A + h^2 A^2)/(h A (2 - h A))"
# Sigma_lags was read as Sigma where words of time stand beside it: 1 was tau_int, and the truth failed
TOGETHER = tuple(
    (sampler, f"If D = 1{given} and h A < 2, then {said}", word)
    for sampler, given, said, word in (
        ("warm", "", f"{LONG} and tau_int(theta) = (2 - h A)/(h A)", "proved"),
        ("warm", "", f"{LONG} and tau_int(theta) = 1", "refuted"),
        ("warm", "", f"{LONG} and tau_int(theta) = 2/(h A)", "limit-only"),
        ("warm", "", f"{LONG} and tau_int(theta^2) = {SQUARE}", "proved"),
        ("warm", "", f"{LONG} and tau_int(theta^2) = 2 {SQUARE}", "refuted"),
        ("warm", "", "long_run = 3/h A^{-2} and tau_int(theta) = (2 - h A)/(h A)", "refuted"),
        ("warm", ", A = a I", "long_run = 2/(h a^2) and tau_int(theta) = (2 - h a)/(h a)", "proved"),
        ("warm", ", A = a I", "long_run = 2/(h a^2) and tau_int(theta) = (3 - h a)/(h a)", "refuted"),
        ("keeping", "", f"{LONG} and tau_int(theta) = 2/(h A)", "proved"),
        ("keeping", "", f"{LONG} and tau_int(theta) = (1 - h A)/(h A)", "refuted"),
        ("keeping", "", f"{LONG} and tau_int(theta) = (2 - h A)/(h A) + 1", "proved"),
        (
            "plain",
            ", S = 1",
            "long_run = A^{-1} C A^{-1} and tau_int(theta) = (2 - h A)/(h A)",
            "proved",
        ),
        (
            "plain",
            ", S = 1",
            "long_run = A^{-1} C A^{-1} and tau_int(theta) = (1 - h A)/(h A)",
            "refuted",
        ),
    )
)
SAID = (
    *TOGETHER,
    ("plain", "If D = 1, then tau_int(theta) = (2 - h A)/(h A)", "proved"),
    ("plain", "If D = 1, then tau_int(theta) = (1 - h A)/(h A)", "refuted"),
    ("plain", "If D = 1, then tau_int(theta) = 2/(h A)", "limit-only"),
    ("plain", "If D = 1, then tau_int(theta^2) = 1/2 tau_int(theta)", "limit-only"),
    (
        "heavy",
        "If D = 1, then tau_int(theta) = (1 - beta)/(1 + beta) (2 (1 + beta) - h A)/(h A)",
        "proved",
    ),
    ("heavy", "If D = 1, then tau_int(theta) = (2 (1 + beta) - h A)/(h A)", "refuted"),
    ("plain", "If S = 1, then long_run = A^{-1} C A^{-1}", "proved"),
    ("plain", "If S = 2, then long_run = A^{-1} C A^{-1}", "refuted"),
)


@pytest.mark.strong
@pytest.mark.parametrize(("sampler", "said", "word"), SAID, ids=[s for _, s, _ in SAID])
def test_a_sum_over_lags_is_judged(stated, sampler, said, word):
    assert found(stated(f"{sampler}, in discrete time", said).claim, QUICK).finding.verdict == word


def test_of_what_it_can_be_said_is_told(text):
    (error,) = text("Sampler: heavy, in discrete time.\n\n**Claim 1**. tau_int(v) = 1.\n").refused
    assert "tau_int(theta)" in str(error)
