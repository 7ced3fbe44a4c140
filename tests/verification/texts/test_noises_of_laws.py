"""Chains whose noise has a law of its own, as texts say them: all moments, which law it is, how many."""

import math

import numpy as np
import pytest
import sympy as sp

from sgtheory.dynamics.firstorder import LineStep
from sgtheory.dynamics.noises import NoiseLaw
from tests.verification.texts.quick import judged
from verification.texts.python import called, said
from verification.theories.chains import moments

HEAD = r"""| letter | kind | what it is |
| --- | --- | --- |
| h, T, c, a, b, kappa | positive | |
| nu | positive | |
| l | real | |
| U | function | a potential |

```sampler coins
xi ~ signs
x' = x - h (a x + sqrt(c) xi)
```

```sampler known
xi has mean 0, variance c, third cumulant l, fourth cumulant kappa
x' = x - h (a x + xi)
```

```sampler flat
xi ~ uniform(-1, 1)
x' = x - h a x + sqrt(h) xi
```

```sampler two_sided
xi ~ Laplace(b)
x' = x - h a x + h xi
```

```sampler heavy
xi ~ Student(nu)
x' = x - h a x + h xi
```

```sampler waiting
xi ~ Exp(1)
x' = x/2 + xi - 1
```

```sampler random_slope
xi ~ signs
zeta ~ N(0, T)
x' = (1 - h (a + b xi)) x + zeta
```

```sampler still
xi ~ signs
x' = 3 x + h xi^2
```

```sampler implicit
xi ~ N(0, 1)
x' = x - h U'(x') + sqrt(2 h T) xi
```

"""
STATED = (
    # the two that the fifth exam lost, with what is near them
    ("known", r"If h a < 2, then $Kurt(x) - 3 = \frac{\kappa (1 - (1 - h a)^2)}{c^2 (1 + (1 - h a)^2)}$",
     "proved"),
    ("known", r"If h a < 2, then $Kurt(x) - 3 = \frac{\kappa (1 - (1 - h a)^4)}{c^2 (1 + (1 - h a)^2)}$",
     "refuted"),
    ("coins", "If h a < 2, the stationary law is uniform if and only if h a = 1/2", "refuted"),
    ("coins", "If h a = 1/2, the stationary law is uniform on an interval", "proved"),
    ("coins", "If h a = 3/2, the stationary law is uniform on an interval", "proved"),
    ("coins", "If h a = 1/3, the stationary law is uniform on an interval", "refuted"),
    # others
    ("coins", "If h a < 2, then E[x^4] = 3 E[x^2]^2", "refuted"),
    ("coins", "If h a < 2, then E[x^3] = 0", "proved"),
    ("coins", "The stationary law is normal", "refuted"),
    ("known", "If h a < 2, then E[x^3] = -h^3 l/(1 - (1 - h a)^3)", "proved"),
    ("known", "If h a < 2, then E[x^3] = h^3 l/(1 - (1 - h a)^3)", "refuted"),
    ("known", "If h a < 2, then E[x] = 0", "proved"),
    ("flat", "E[x^2] = 1/(3 a (2 - h a))", "proved"),
    ("flat", "The chain has exactly one stationary law", "proved-if"),
    ("flat", "The chain has a stationary law if and only if h a < 2", "proved"),
    ("flat", "The chain has a stationary law if and only if h a < 1", "refuted"),
    ("flat", "The chain has a stationary law for all small enough h", "proved"),
    ("still", "The chain has no stationary law", "inconclusive"),  # it stays at -h/2
    ("two_sided", "Kurt(x) = 3 + 3 (1 - (1 - h a)^2)/(1 + (1 - h a)^2)", "proved"),
    ("heavy", "If nu > 4, then E[x^2] = h nu/(a (nu - 2) (2 - h a))", "proved"),
    ("heavy", "If nu > 4, then E[x^2] = h/(a (2 - h a))", "refuted"),
    ("waiting", "E[x^3] = 16/7", "proved"),
    ("waiting", "Skew(x) = 2", "refuted"),
    ("random_slope", "E[x^2] = T/(h (2 a - h (a^2 + b^2)))", "proved"),
    ("random_slope", "E[x^2] = T/(h (2 a - h a^2))", "refuted"),
    ("implicit", "If U(x) = x^4/4, then E[x^4] = T - h/2 E[x^6]", "proved"),
    ("implicit", "If U(x) = x^4/4, then E[x^4] = T + h/2 E[x^6]", "refuted"),
    ("implicit", "E[x U'] = T - h/2 E[U'^2]", "proved"),
    ("implicit", "E[U'] = 0", "proved"),
)  # fmt: skip


@pytest.mark.strong
@pytest.mark.parametrize(("sampler", "statement", "verdict"), STATED)
def test_statements_beyond_second_moments_are_judged(stated, sampler, statement, verdict):
    found = judged(stated(sampler, statement))
    assert (found.word, found.broken) == (verdict, None)


@pytest.mark.parametrize(("sampler", "statement"), [one[:2] for one in STATED[:12]])
def test_the_python_that_says_the_same_loads(stated, sampler, statement):
    one = stated(sampler, statement)
    names: dict[str, object] = {}
    exec(said(one.claim, one.given, one.python), names)
    assert names[called(one.claim.key)].statement.text() == one.claim.statement.text()


_X = np.linspace(-60, 60, 600_001)
_WIDTH = _X[1] - _X[0]
DENSITIES = {
    NoiseLaw(): np.exp(-(_X**2) / 2) / math.sqrt(2 * math.pi),
    NoiseLaw("laplace", (sp.Rational(1, 2),)): np.exp(-2 * abs(_X)),
    NoiseLaw("exponential", (sp.Integer(1),)): np.exp(-abs(_X)) * (1 + np.sign(_X)) / 2,
    NoiseLaw("uniform", (sp.Integer(-1), sp.Integer(2))): ((_X > -1) & (_X < 2)) / 3,
    NoiseLaw("bernoulli", (sp.Rational(1, 3),)): None,
}


@pytest.mark.parametrize("law", DENSITIES, ids=lambda one: one.name)
def test_moments_are_integrals(law):
    for n in range(1, 7):
        density = DENSITIES[law]
        value = 1 / 3 if density is None else float(np.sum(_X**n * density) * _WIDTH)
        assert abs(value - float(law.moment(n))) < 1e-3 * max(1, abs(value))


def test_moments_and_cumulants_of_signs_are_told_by_two_routes():
    signs = NoiseLaw("signs")
    for n in range(2, 9):
        told = sum(sp.bernoulli(n) / n * c * r**n for c, r in signs.waves["bernoulli"])
        assert signs.cumulant(n) == told
    assert NoiseLaw("student", (sp.Integer(9),)).moment(4) == sp.Rational(81 * 3, 7 * 5)


def test_a_state_is_a_sum_of_noises():
    """Cumulants of independent sums: c^n kappa_n/(1 - a^n), beside the equations of the moments."""
    x, xi = sp.symbols("x xi", real=True)
    a, c = sp.Rational(2, 5), sp.Rational(3, 2)
    for law in (*DENSITIES, NoiseLaw("signs")):
        step = LineStep(a * x + c * xi, x, (xi,), None, (law,))
        raw = [moments.moment(step, n) for n in range(7)]
        kappa = [sp.Integer(0)]
        for n in range(1, 7):
            parts = (math.comb(n - 1, k - 1) * kappa[k] * raw[n - k] for k in range(1, n))
            kappa.append(raw[n] - sum(parts))
            assert sp.simplify(kappa[n] - c**n * law.cumulant(n) / (1 - a**n)) == 0


def test_random_slopes_are_followed_step_by_step():
    x, xi, w = sp.symbols("x xi w", real=True)
    after = (sp.Rational(1, 2) + xi / 4) * x + w
    step = LineStep(after, x, (xi, w), None, (NoiseLaw("signs"), NoiseLaw()))
    second, fourth = 0.0, 0.0  # E[x^2] and E[x^4], averaged over both slopes at every step
    for _ in range(200):
        slopes = (0.75, 0.25)
        fourth = sum(s**4 * fourth + 6 * s**2 * second + 3 for s in slopes) / 2
        second = sum(s**2 * second + 1 for s in slopes) / 2
    assert abs(second - float(moments.moment(step, 2))) < 1e-12
    assert abs(fourth - float(moments.moment(step, 4))) < 1e-11
