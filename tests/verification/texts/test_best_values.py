"""Best values of a letter, with keys of their own: proofs are held against a search over a grid."""

import re
from itertools import pairwise
from math import sqrt

import pytest
from click.testing import CliRunner

from reports.terminal import cli
from tests.verification.texts.quick import judged
from verification.texts import read

HEAD = """# Best values

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| A | symmetric positive definite matrix | curvature |
| C | symmetric positive definite matrix | gradient noise covariance |
| a, c, T | positive | |
| b | in (-1, 1) | |
| beta | in [0, 1) | |
| f | in (0, 1) | |

```sampler plain
theta' = theta - h g(theta)
```

```sampler free
v' = b v - h g(theta)
theta' = theta + v'
```

```sampler heavy
v' = beta v - h g(theta)
theta' = theta + v'
```

```sampler warm
xi ~ N(0, I)
theta' = theta - h g(theta) + sqrt(2 h T) xi
```
"""
LINE = "If D = 1, S = 1, A = a I, C = c I"


def momentum(x, h, a, c):  # the variance of heavy balls: exam 5, statement 9
    return h * c * (1 + x) / (a * (1 - x) * (2 * (1 + x) - h * a))


def warm(x, T, a, c):
    return (2 * T + c * x) / (a * (2 - a * x))


# the sampler, what is said, the word, what is told with it, and how a grid sees it: of what, where, best
SAID = [
    (
        "free", LINE + " and h a < 4, then Sigma is least at b = sqrt(h a) - 1.", "proved", "",
        lambda x: momentum(x, 0.7, 1.3, 0.4), (0.91 / 2 - 1, 1), sqrt(0.91) - 1,
    ),
    (
        "free", LINE + " and h a < 4, then the minimiser of Sigma over b is 1 - sqrt(h a).", "refuted",
        "b = sqrt(a*h) - 1 minimises", lambda x: momentum(x, 2.5, 1.3, 0.4), (3.25 / 2 - 1, 1),
        sqrt(3.25) - 1,
    ),
    (
        "heavy", LINE + " and h a < 2, then Sigma is least at beta = sqrt(h a) - 1.", "proved-if",
        "1 <= a*h", lambda x: momentum(x, 1.5, 1.2, 0.4), (0, 1), sqrt(1.8) - 1,
    ),
    (
        "heavy", LINE + " and h a < 1, then Sigma is least at beta = 0.", "proved", "",
        lambda x: momentum(x, 0.7, 1.3, 0.4), (0, 1), 0,
    ),
    (
        "plain", "If D = 1 and S = 1, then (tau_int(theta) - 1)^2 is smallest at h = 1/A.", "proved", "",
        lambda x: ((2 - 1.7 * x) / (1.7 * x) - 1) ** 2, (0, 2 / 1.7), 1 / 1.7,
    ),
    (
        "plain", "If D = 1 and S = 1, then (tau_int(theta) - 1)^2 is least at h A = 1/2.", "refuted",
        "h*A = 1 minimises", lambda x: ((2 - 1.7 * x) / (1.7 * x) - 1) ** 2, (0, 2 / 1.7), 1 / 1.7,
    ),
    (
        "plain", "If D = 1 and S = 1, then tau_int(theta) is least at h = 1/A.", "refuted",
        "falls strictly with h, so that no value of it is best", None, None, None,
    ),
    (
        "warm", LINE + ", then Sigma/h is least at h = 1/a.", "refuted",
        "h = 2*sqrt(T)*(sqrt(T*a + c) - sqrt(T)*sqrt(a))/(sqrt(a)*c)",
        lambda x: warm(x, 0.8, 1.3, 0.4) / x,
        (0, 2 / 1.3), 2 * sqrt(0.8) * (sqrt(1.04 + 0.4) - sqrt(1.04)) / (sqrt(1.3) * 0.4),
    ),
    (
        "none", "If 0 < h < 2/a, then the h that minimises c/h + 1/(2 - h a) is 1/a.", "refuted",
        "h = 2*sqrt(c)/(sqrt(a)*(sqrt(a*c) + 1))", lambda x: 0.4 / x + 1 / (2 - 1.3 * x), (0, 2 / 1.3),
        2 * sqrt(0.4) / (sqrt(1.3) * (sqrt(0.52) + 1)),
    ),
    (
        "none", "The maximiser of h (2 - h a) over h in (0, 2/a) is h = 1/a.", "proved", "",
        lambda x: -x * (2 - 1.3 * x), (0, 2 / 1.3), 1 / 1.3,
    ),
    (
        "none", "If h <= 1/(2 a), then h (2 - h a) is largest at h = 1/a.", "refuted", "h = 1/(2*a)",
        lambda x: -x * (2 - 1.3 * x), (0, 1 / 2.6), 1 / 2.6,
    ),
    ("none", "(f - 2)^2 is least at f = 2.", "refuted", "", None, None, None),
]  # fmt: skip


def _marked(said):
    slow = said[0] in ("heavy", "warm")
    return pytest.param(
        said, id=f"{said[0]}: {said[1][-50:]}", marks=[pytest.mark.strong] if slow else []
    )


@pytest.mark.parametrize("said", list(map(_marked, SAID)))
def test_what_is_said_of_a_best_value(said, tmp_path):
    """The word, and the condition or the value that is told with it."""
    sampler, sentence, word, told, *_ = said
    path = tmp_path / "notes.md"
    time = "" if sampler == "none" else ", in discrete time"
    path.write_text(f"{HEAD}\nSampler: {sampler}{time}.\n\n**Claim 1.** {sentence}\n")
    text = read(path)
    assert not text.refused, text.refused
    verdict = judged(text.read[0])
    found = verdict.finding
    corrected = found.corrected.text if found.corrected else ""
    assert verdict.word == word, found.reason
    assert told in f"{found.condition} {corrected}"


@pytest.mark.parametrize("said", [one for one in SAID if one[4]], ids=lambda said: said[1][-50:])
def test_the_keys_are_what_a_grid_says(said):
    """None of our formulas is used: numbers are put into the quantity, written out by hand."""
    *_, of, (low, high), best = said
    size = 4000
    grid = [low + (high - low) * k / size for k in range(1, size)]
    at = min(grid, key=of)
    assert abs(at - best) <= 2 * (high - low) / size
    assert all(of(x) > of(y) for x, y in pairwise(x for x in grid if x < best - (high - low) / size))


SHAPED = """| letter | kind | what it is |
| --- | --- | --- |
| h, c | positive | |
| A, C | symmetric positive definite matrix | |
| Q | diagonal matrix | |

```sampler own
theta' = theta - h Q g(theta)
```

Sampler: own, in continuous time.

**Claim 1.** KL(q || p) is minimised at Q = 2 S/(h N) diag(C)^{-1}.

**Claim 2.** If C = c A, then KL(q || p) is minimised at Q = 2 S/(h N) diag(C)^{-1}.

**Claim 3.** If C = c A, then KL(q || p) is minimised at Q = 3 S/(h N) diag(C)^{-1}.
"""


def test_a_best_matrix_is_held_against_those_of_its_shape_alone(tmp_path):
    """Among diagonal ones claim 2 is true (Mandt et al. 2017); one that is not diagonal refuted it."""
    path = tmp_path / "notes.md"
    path.write_text(SHAPED)
    noisy, multiple, wrong = map(judged, read(path).read)
    assert noisy.finding.verdict == wrong.finding.verdict == "refuted"
    assert multiple.finding.verdict in ("proved", "inconclusive")
    tried = re.findall(r"Q = \[(\S+) (\S+); (\S+) (\S+)\]", str(noisy.finding.reason))
    assert len(tried) == 3  # the place, the printed value and a better one
    assert all(above == below == "0" for _, above, below, _ in tried)


BROKEN = (
    HEAD
    + """
Sampler: none

**Claim 1.** a <= a + c.

**Claim 2.** a is gorgeous.

**Claim 3.** a < a + c.
"""
)


@pytest.mark.parametrize(
    ("only", "status", "told"),
    [((), 2, "Claim 2"), (("--only", "claim1"), 0, ""), (("--only", "claim2"), 2, "Claim 2")],
)
def test_what_is_not_asked_for_is_not_told(only, status, told, tmp_path):
    """--only printed what was not understood of other statements too, and ended with 2."""
    path = tmp_path / "notes.md"
    path.write_text(BROKEN)
    done = CliRunner().invoke(cli, ["verify", str(path), *only])
    assert done.exit_code == status
    assert told in done.stderr
    assert bool(told) == ("gorgeous" in done.stderr)
