"""Chains with noise inside of what is bounded, as texts say them: laws, and means that vanish."""

import numpy as np
import pytest
import sympy as sp

from sgtheory.dynamics.firstorder import LineStep
from sgtheory.dynamics.noises import NoiseLaw, nodes
from sgtheory.operator.line import followed
from verification.theories.chains.existence import which

HEAD = """| letter | kind | what it is |
| --- | --- | --- |
| h, a, s, tau, T | positive | |

```sampler clipped
xi ~ N(0, 1)
x' = x - h clip_tau(a x + s xi)
```

```sampler skewed
xi ~ Exp(1)
x' = x - h clip_tau(a x + s (xi - 1))
```

```sampler signs
xi ~ N(0, 1)
x' = x - h sign(a x + s xi)
```

```sampler soft
xi ~ N(0, 1)
x' = x - h tanh(a x + s xi)
```

```sampler coins
xi ~ signs
x' = x - h clip_tau(a x + s xi)
```

```sampler tamed
xi ~ N(0, 1)
x' = x - h x^3/(1 + h |x|^3) + sqrt(2 h T) xi
```

"""
STATED = (
    ("clipped", "The chain has a stationary law if and only if h a < 2", "refuted"),  # of the fifth exam
    ("clipped", "The chain has exactly one stationary law", "proved"),
    ("clipped", "The chain has no stationary law", "refuted"),
    ("clipped", "If h a > 2, the chain has a stationary law", "proved"),
    ("soft", "The chain has exactly one stationary law", "proved"),
    ("coins", "The chain has a stationary law", "proved"),
    ("coins", "The chain has exactly one stationary law", "inconclusive"),
    ("tamed", "The chain has exactly one stationary law", "proved"),
)  # fmt: skip
MEANS = (
    ("clipped", "E[x] = 0", "proved"),
    ("clipped", "$E[clip_\\tau(a x + s \\xi)] = 0$", "proved"),
    ("signs", "$E[x^T sign(a x + s \\xi)] = D h/2$", "proved"),  # of the seventh
    ("signs", "$E[x^T sign(a x + s \\xi)] = h/2$", "refuted"),
    ("signs", "If D = 1, $E[x^T sign(a x + s \\xi)] = h/2$", "proved"),
    ("signs", "If D = 1, $E[x^T sign(a x + s \\xi)] = h$", "refuted"),
    ("skewed", "E[x] = 0", "refuted"),  # of the fourth
    (
        "clipped",
        "$E[x clip_\\tau(a x + s \\xi)] = \\frac{h}{2} E[clip_\\tau(a x + s \\xi)^2]$",
        "proved",
    ),
    ("clipped", "$E[x clip_\\tau(a x + s \\xi)] = h E[clip_\\tau(a x + s \\xi)^2]$", "refuted"),
)


@pytest.mark.parametrize(("sampler", "statement", "verdict"), STATED)
def test_whether_there_is_a_law(stated, sampler, statement, verdict):
    assert stated(sampler, statement).claim.find().verdict == verdict


@pytest.mark.strong
@pytest.mark.parametrize(("sampler", "statement", "verdict"), MEANS)
def test_means(stated, sampler, statement, verdict):
    assert stated(sampler, statement).claim.find().verdict == verdict


def test_a_law_on_nodes_is_that_of_chains():
    """Of 20,000 chains that are run 400 steps, within five standard errors."""
    z, share = nodes(NoiseLaw())
    law = followed(lambda x, w: x - np.clip(x + w, -1, 1), (z, share))
    value, error = law.expect(lambda x: x**2)
    draw, x = np.random.default_rng(5).standard_normal, np.zeros(20_000)
    for _ in range(400):
        x = x - np.clip(x + draw(len(x)), -1, 1)
    assert abs(value - np.mean(x**2)) < 5 * np.std(x**2) / np.sqrt(len(x)) + error


def test_what_leads_outwards_has_no_law():
    x, xi = sp.symbols("x xi", real=True)
    h, a = sp.symbols("h a", positive=True)
    clip = sp.Max(-1, sp.Min(1, a * x + xi))
    told = [
        which(LineStep(x + k * h * clip + b, x, (xi,)))
        for k, b in ((-1, 0), (1, 0), (-1, h), (-1, h / 2))
    ]
    assert told == ["one", "none", "open", "one"]
