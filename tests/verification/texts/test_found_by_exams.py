"""What encoders of blind exams met: tracebacks, and verdicts that were lost."""

from pathlib import Path

import pytest

from verification.judging.judge import Plan, judge
from verification.texts import read

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| A | symmetric positive definite matrix | curvature |
| tau | positive | temperature |
| Q | symmetric positive definite matrix | noise |
| xi | noises | |

"""
LOST = """```sampler injected
theta' = theta - h g(theta) + Q^{1/2} xi
```

Sampler: sgd, in discrete time.

**Claim 1** (a). If S = 1, then $A \\Sigma + \\Sigma A - h A \\Sigma A = h C$.
"""
TWO = """Sampler: underdamped:BAOAB, in discrete time.

**Claim 39** (b). If h^2 lambda_max(A) < 4, then Sigma = tau A^{-1} and E[v v^T] = tau I.
"""


@pytest.fixture
def text(tmp_path):
    def made(body):
        path = Path(tmp_path, "notes.md")
        path.write_text(HEAD + body)
        return read(path)

    return made


def test_an_update_that_fits_no_value_is_told_and_the_rest_is_read(text):
    """The root of a matrix beside a vector was a TypeError that lost the whole file."""
    found = text(LOST)
    assert any("TypeError" in one.got for one in found.refused), found.refused
    (one,) = found.read
    assert judge(one.claim, Plan("quick", "cpu", 1, 1e-6)).word == "proved"


def test_two_equations_under_a_hypothesis_are_judged(text):
    """What is true instead of two equations could not be written in the sampler's own letters."""
    (one,) = text(TWO).read
    verdict = judge(one.claim, Plan("quick", "cpu", 1, 1e-6))
    assert verdict.broken is None
    assert verdict.word != "proved"  # the velocity's variance is not tau at a finite step
