"""Sizes |x|, and the largest and the smallest of numbers, where what is given orders them."""

import pytest

from tests.verification.texts.quick import judged

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h, a, m, M, gam | positive | |
| x, y | real | |

"""
LMC = """```sampler lmc
xi ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(2 h) xi
```

Sampler: lmc, in discrete time.

"""
RATE = "max(|1 - h m|, |1 - h M|)"
DAMPED = "min(gam - sqrt(max(gam^2 - 4 m^2, 0)), gam - sqrt(max(gam^2 - 4 M^2, 0)))/2"


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("If h a < 2, then |1 - h a| < 1.", "proved"),
        ("If h a < 3, then |1 - h a| < 1.", "refuted"),
        ("|x + y| <= |x| + |y|.", "proved"),
        ("|x + y| < |x| + |y|.", "refuted"),
        ("|x - y| >= |x| - |y|.", "proved"),
        ("|x - y| <= |x| - |y|.", "refuted"),
        ("|x y| = |x| |y|.", "proved"),
        ("max(x, y) = (x + y + |x - y|)/2.", "proved"),
        ("max(x, y) = (x + y + |x + y|)/2.", "refuted"),
        ("If x < y, then |x - y| = y - x.", "proved"),
        ("If x < y, then |x - y| = x - y.", "refuted"),  # not "where x = y", which is excluded
        ("If m <= M, then max(m - M, 0) = 0.", "proved"),
        ("If m <= M + 1, then max(m - M, 0) = 0.", "refuted"),
        (f"If h M < 1 and m <= M, then {RATE} = 1 - h m.", "proved"),
        (f"If h M < 1 and m <= M, then {RATE} = 1 - h M.", "refuted"),
        (f"If m <= M and h = 2/(m + M), then {RATE} = (M - m)/(M + m).", "proved"),
        (f"If m <= M and gam = 2 m, then {DAMPED} = m.", "proved"),
        (f"If m <= M and gam = 2 M, then {DAMPED} = M.", "refuted"),
    ],
)
def test_numbers(text, said, word):
    (one,) = text(f"Sampler: none\n\n**Statement 1.** {said}\n").read
    found = judged(one)
    assert found.word == word
    assert found.twins is None or found.twins.rejected == found.twins.tried


@pytest.mark.parametrize(
    ("said", "word", "condition"),
    [
        (r"$|2 \Sigma[h \to h/2] - \Sigma - 1/a| < |\Sigma[h \to h/2] - 1/a|$", "proved-if", "a*h < 1"),
        (r"$|tr(\Sigma[h \to h/2]) - 1/a| < |tr(\Sigma) - 1/a|$", "proved", None),
        (r"$|tr(\Sigma) - 1/a| < |tr(\Sigma[h \to h/2]) - 1/a|$", "refuted", None),
    ],
)
def test_laws_in_one_dimension(text, said, word, condition):
    (one,) = text(LMC + f"**Statement 1.** If D = 1 and A = a I, then {said}.\n").read
    found = judged(one)
    assert found.word == word
    assert condition is None or str(found.finding.condition) == condition
