"""Integrated autocorrelation times in texts: of the position, and of its square."""

from pathlib import Path

import pytest

from verification.judging.judge import Plan, found
from verification.texts import read

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


def _text(folder, sampler, said):
    path = Path(folder, "notes.md")
    path.write_text(f"{HEAD}Sampler: {sampler}, in discrete time.\n\n**Claim 1**. {said}.\n")
    return read(path)


@pytest.mark.strong
@pytest.mark.parametrize(("sampler", "said", "word"), SAID, ids=[s for _, s, _ in SAID])
def test_a_sum_over_lags_is_judged(tmp_path, sampler, said, word):
    (one,) = _text(tmp_path, sampler, said).read
    assert found(one.claim, Plan("quick", "cpu", 1, 1e-6)).finding.verdict == word


def test_of_what_it_can_be_said_is_told(tmp_path):
    (error,) = _text(tmp_path, "heavy", "tau_int(v) = 1").refused
    assert "tau_int(theta)" in str(error)
