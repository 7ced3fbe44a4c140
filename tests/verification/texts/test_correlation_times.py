"""Integrated autocorrelation times in texts: of the position, and of its square."""

import pytest

from tests.verification.texts.quick import QUICK
from verification.judging.judge import found

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| beta | in [0, 1) | momentum |

```sampler plain
theta' = theta - h g(theta)
```

```sampler heavy
v' = beta v - h g(theta)
theta' = theta + v'
```

"""
SAID = (
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
