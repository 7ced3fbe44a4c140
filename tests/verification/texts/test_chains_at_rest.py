"""Chains that come to rest as the step vanishes, as texts say them: means in powers of the step."""

import pytest
import sympy as sp

from sgtheory.dynamics.firstorder import LineStep
from sgtheory.dynamics.noises import NoiseLaw
from sgtheory.errors import UnusableInput
from verification.theories.chains import moments
from verification.theories.chains.existence import on_points
from verification.theories.chains.local import series
from verification.theories.chains.means import mean

HEAD = """| letter | kind | what it is |
| --- | --- | --- |
| h, a, c | positive | |

```sampler signs
xi ~ N(0, 1)
x' = x - h sign(a x + sqrt(c) xi)
```

```sampler wavy
xi ~ N(0, 1)
x' = x - h (x - 2 sin(x)/3 + xi)
```

"""
STATED = (
    # of the fifth exam: only as h -> 0
    ("signs", r"$Var(x) = \frac{h}{2 a} \sqrt{\frac{\pi c}{2}}$", "limit-only"),
    ("signs", r"$Var(x) = \frac{h}{2 a} \sqrt{\frac{\pi c}{2}} + O(h^2)$", "proved"),
    ("signs", r"$Var(x) = \frac{h}{2 a} \sqrt{\frac{\pi c}{2}} + \pi h^2/16 + O(h^3)$", "proved"),
    ("signs", r"$Var(x) = \frac{h}{2 a} \sqrt{\frac{\pi c}{2}} + \pi h^2/8 + O(h^3)$", "refuted"),
    ("signs", r"$Var(x) = \frac{h}{a} \sqrt{\frac{\pi c}{2}} + O(h^2)$", "refuted"),
    ("signs", r"$Var(x) = \frac{h}{a} \sqrt{\frac{\pi c}{2}}$", "refuted"),
    ("wavy", "$E[x^2] = 3 h/2 - 2 h^2 + O(h^3)$", "proved"),
    ("wavy", "$E[x^2] = 3 h/2 + O(h^3)$", "refuted"),
    ("wavy", "$E[x] = O(h^2)$", "proved"),
)  # fmt: skip


@pytest.mark.strong
@pytest.mark.parametrize(("sampler", "statement", "verdict"), STATED)
def test_means_in_powers_of_the_step(stated, sampler, statement, verdict):
    assert stated(sampler, statement).claim.find().verdict == verdict


X, XI = sp.symbols("x xi", real=True)
H = sp.Symbol("h", positive=True)


def test_signs_are_those_of_their_lattice():
    """By detailed balance on the points that a chain reaches: what is left is h^3."""
    step = LineStep(X - H * sp.sign(2 * X + XI), X, (XI,))
    known = series(step, H, X**2)
    left = []
    for h in (sp.Rational(1, 20), sp.Rational(1, 40)):
        exact = on_points(LineStep(step.after.subs(H, h), X, (XI,)), lambda x: x**2)[0]
        left.append(exact - float(sum(c * h**k for k, c in enumerate(known))))
    assert 6 < left[0] / left[1] < 10


def test_a_law_on_nodes_has_the_same_terms():
    step = LineStep(X - H * (X - sp.sin(2 * X) / 4 + sp.cos(X) / 4 - sp.Rational(1, 4) + XI), X, (XI,))
    for body in (X, X**2):
        known = series(step, H, body)
        left = []
        for h in (sp.Rational(1, 8), sp.Rational(1, 16)):
            exact = mean(LineStep(step.after.subs(H, h), X, (XI,)), body)[0]
            left.append(float(exact) - float(sum(c * h**k for k, c in enumerate(known))))
        assert abs(left[1]) < abs(left[0]) / 5


def test_linear_steps_have_the_terms_of_their_closed_forms():
    law = NoiseLaw("laplace", (sp.Integer(1),))
    step = LineStep(X - H * (2 * X + XI), X, (XI,), None, (law,))
    for n in (2, 4):
        exact = sp.series(moments.moment(step, n), H, 0, 3).removeO()
        assert sp.expand(exact - sum(c * H**k for k, c in enumerate(series(step, H, X**n)))) == 0


def test_other_places_that_hold_a_chain_are_seen():
    """Of a double well, and of a loss with a saddle, means are not those about one minimum."""
    a, b = sp.symbols("a b", positive=True)
    for slope in (X - 2 * sp.sin(X) + X, X + b * X**2, X**3 - 3 * X**2 + X, X + a * X**3 + 1):
        with pytest.raises(UnusableInput):
            series(LineStep(X - H * (slope + XI), X, (XI,)), H, X**2)
