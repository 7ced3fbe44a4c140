"""What is given is put in (``A = a I``, ``h = eta (1 - beta)``); steps with random coefficients."""

import pytest
import sympy as sp

from sgtheory import registry
from sgtheory.declare import Card, Sampler, normal, positive, state
from sgtheory.independent.roots import characteristic, schur_stable
from sgtheory.setting import Setting
from verification.laws import second_moments as of_steps
from verification.texts.python import said as in_python

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| A | symmetric positive definite matrix | curvature |
| C | symmetric positive definite matrix | gradient noise covariance |
| S | whole number | minibatch size |
| D | whole number | dimension |
| a, b, l, s, v, G, T, w, eta | positive | |
| kappa | whole number | |
| q | in [0, 1] | |
| Q | symmetric positive definite matrix | |
| beta | in [0, 1) | momentum |

"""
PLAIN = """```sampler plain
theta' = theta - h g(theta)
```

"""
HEAVY = """```sampler heavy
v' = beta v - h g(theta)
theta' = theta + v'
```

"""
DECAY = """```sampler decay
theta' = theta - h (g(theta) + w theta)
```

"""
RANDOM = """```sampler random
xi ~ N(0, I)
a_k ~ (l, s^2)
theta' = (1 - h a_k) theta + sqrt(2 h T) xi
```

"""
DATA = """```sampler data
a has mean l and variance v
zeta ~ N(0, I)
theta' = theta - h a theta - h sqrt(G) zeta
```

"""
MINIBATCH = """```sampler minibatch
a ~ N(0, s^2)
theta' = theta - h g(theta) - h a theta
```

"""
TRAPEZOID = """```sampler trapezoid
xi ~ N(0, I)
theta' = Q (theta - h (1 - b) grad(theta) + sqrt(2 h T) xi)
```

"""
IMPLICIT = """```sampler implicit
xi_k ~ N(0, I)
theta_{k+1} = theta_k - h grad(q theta_{k+1} + (1 - q) theta_k) + sqrt(2 h T) xi_k
```

"""
GAIN = """```sampler preconditioned
theta' = theta - h Q g(theta)
```

"""
ROOTED = """```sampler rooted
xi ~ N(0, I)
theta' = theta - h Q grad(theta) + sqrt(2 h T) Q^{1/2} xi
```

"""
CORRECTED = """```sampler corrected
xi ~ N(0, I)
theta' = theta - h g(theta) + Q xi
```

"""


@pytest.mark.parametrize(
    ("sampler", "said", "word"),
    [
        (PLAIN, r"If A = a I and C = b I, then $\Sigma = \frac{h b}{S a (2 - h a)} I$", "proved"),
        (PLAIN, r"If A = a I and C = b I, then $\Sigma = \frac{h b}{2 S a} I$", "limit-only"),
        (PLAIN, "If A = a I, then Sigma[h -> kappa h, S -> kappa S] = Sigma", "limit-only"),
        (PLAIN, "If A = a I and C = b A, then $S A Sigma (2 I - h A) = h b A$", "proved"),
        (PLAIN, "If A = a I, then the chain is stable if and only if h a < 2", "proved"),
        (PLAIN, "If A = a I, then the chain is stable if and only if h a < 1", "refuted"),
        (DECAY, "If A = a I, then Sigma < Sigma[w -> 0]", "proved-if"),
        (
            HEAVY,
            r"If A = a I, C = b I, S = 1 and h = eta (1 - beta),"
            r" then $\Sigma = \frac{\eta b}{a (2 - \frac{1 - \beta}{1 + \beta} \eta a)} I$",
            "proved",
        ),
        (
            HEAVY,
            r"If A = a I, C = b I, S = 1 and h = eta (1 - beta),"
            r" then $\Sigma = \frac{\eta b}{a (2 - \eta a)} I$",
            "refuted",
        ),
        (RANDOM, r"E[\theta^2] = \frac{2 T}{2 l - h (l^2 + s^2)}", "proved"),
        (RANDOM, r"E[\theta^2] = \frac{2 T}{2 l - h l^2}", "limit-only"),
        (RANDOM, "the chain is stable if and only if h (l^2 + s^2) < 2 l", "proved"),
        (RANDOM, "the chain is stable if and only if h l < 2", "refuted"),
        (RANDOM, r"the chain is stable and $\Sigma = \frac{2 T}{2 l - h (l^2 + s^2)}$", "proved-if"),
        (RANDOM, "Sigma increases with s", "proved"),
        (RANDOM, "Sigma > 2 T/l", "proved-if"),
        (DATA, r"$\Sigma = \frac{h G}{2 l - h (l^2 + v)}$", "proved"),
        (MINIBATCH, r"If D = 1, then $S \Sigma = \frac{h C}{2 A - h (A^2 + s^2)}$", "proved"),
        (MINIBATCH, r"If D = 1, then $S \Sigma = \frac{h C}{2 A - h (A^2 - s^2)}$", "limit-only"),
        (
            TRAPEZOID,
            r"If Q = (I + h b A)^{-1}, then $\Sigma = T A^{-1} (I + h (b - 1/2) A)^{-1}$",
            "proved",
        ),
        (TRAPEZOID, r"If Q = (I + h b A)^{-1}, then $\Sigma = T A^{-1} (I + h b A)^{-1}$", "limit-only"),
        (TRAPEZOID, "If Q (I + h A/2) = I and b = 1/2, then the chain is stable", "proved"),
        (IMPLICIT, r"$\Sigma = T A^{-1} (I + h (q - 1/2) A)^{-1}$", "proved"),
        (IMPLICIT, r"$\Sigma = T A^{-1} (I + h q A)^{-1}$", "limit-only"),
        (GAIN, r"If S = 1 and Q C = I, then $\Sigma^{-1} = \frac{2}{h} A - A Q A$", "proved"),
        (GAIN, r"If S = 1 and C = Q^{-1}, then $\Sigma^{-1} = \frac{2}{h} A - A Q A$", "proved"),
        (GAIN, r"If S = 1 and Q C = I, then $\Sigma^{-1} = \frac{2}{h} A$", "limit-only"),
        (GAIN, r"If S = 1, then $\Sigma^{-1} = \frac{2}{h} A - A Q A$", "refuted"),
        (ROOTED, r"If h lambda_max(Q A) < 2, then $\Sigma = T (A - \frac{h}{2} A Q A)^{-1}$", "proved"),
        (ROOTED, r"$\Sigma = T (A + \frac{h}{2} A Q A)^{-1}$", "limit-only"),
        (ROOTED, r"$Q A \Sigma + \Sigma A Q - h Q A \Sigma A Q = T Q$", "refuted"),
        (IMPLICIT, "If q = 1/2, then the chain is stable", "proved"),
        (IMPLICIT, "the chain is stable", "proved-if"),
        (IMPLICIT, "the chain is stable if and only if h lambda_max(A) < 2", "refuted"),
        (
            TRAPEZOID,
            "If Q (I + h A/4) = I and b = 1/4,"
            " then the chain is stable if and only if h lambda_max(A) < 4",
            "proved",
        ),
        (
            TRAPEZOID,
            "If Q (I + h A/4) = I and b = 1/4,"
            " then the chain is stable if and only if h lambda_max(A) < 2",
            "refuted",
        ),
        (
            CORRECTED,
            "If S = 1, D = 1 and $Q^2 = 2 h T I - h^2 (A T + C)$, then $\\Sigma A = T I$",
            "proved",
        ),
        (
            CORRECTED,
            "If S = 1, D = 1 and $Q^2 = 2 h T I - h^2 A T$, then $\\Sigma A = T I$",
            "limit-only",
        ),
    ],
)
def test_what_is_given_is_put_in(text, sampler, said, word):
    formula = said if "$" in said or "[" not in said or "->" in said else f"${said}$"
    found = text(f"{sampler}**Claim 1**. In discrete time, {formula}.\n")
    assert not found.refused
    assert found.read[0].claim.find().verdict == word


def test_conditions_are_found_in_numbers(text):
    found = text(f"{DECAY}**Claim 1**. In discrete time, if A = a I, then Sigma < Sigma[w -> 0].\n")
    assert str(found.read[0].claim.find().condition) == "h*(2*a + w) < 2"


def test_the_range_of_another_law_is_given_too(text):
    """That a variance grows with a letter was refuted where the larger one has no law."""
    (one,) = text(f"{RANDOM}**Claim 1**. In discrete time, Sigma increases with s.\n").read
    assert "h*(l**2 + (s + delta)**2) < 2*l" in [str(r) for r in one.claim.given]


def test_both_doors_have_random_numbers(text):
    (one,) = text(f"{RANDOM}**Claim 1**. In discrete time, Sigma > T/l.\n").read
    names = {}
    exec(in_python(one.claim, one.given, one.python), names)
    assert names["claim1"].given == one.claim.given
    assert names["claim1"].laws[0].settles == one.claim.laws[0].settles


H, L, S_, B, T_ = positive("h l s beta T")
THETA, V = state("theta v")
ZETA, XI = normal("zeta xi")
CARD = Card(loss="mean", drift="as it is written")


def _heavy(noise):
    kick = B * V - H * (L * THETA + S_ * ZETA * THETA) + noise
    return Sampler((V, THETA), ((V, kick), (THETA, THETA + V)), CARD, noises=(ZETA, XI))


@pytest.mark.parametrize("noise", [sp.sqrt(2 * H * T_) * XI, H * V * XI])
def test_criteria_of_second_moments_are_those_of_schur(noise):
    """Positive minors of one solution, and the characteristic polynomial of the map, at numbers."""
    setting = Setting(_heavy(noise), registry.model("quadratic"))
    found = of_steps.second_moments(setting)
    z, x, y, u = sp.symbols("z x y u")
    after = sp.expand(B * x - H * (L + S_ * z) * y + (noise / XI).subs(V, x) * u)
    moved = [sp.expand(e) for e in (after**2, after * (y + after), (y + after) ** 2)]
    mean = [e.coeff(z, 0) + e.coeff(z, 2) for e in moved]
    mean = [sp.expand(e.coeff(u, 0) + e.coeff(u, 2)) for e in mean]
    T = sp.Matrix([[sp.Poly(e, x, y).coeff_monomial(m) for m in (x**2, x * y, y**2)] for e in mean])
    settled = set()
    for h in ("1/10", "1/2", "1", "3/2", "2", "3"):
        for s in ("1/5", "1", "2"):
            for beta in ("0", "1/2", "9/10"):
                at = {H: sp.Rational(h), S_: sp.Rational(s), B: sp.Rational(beta), L: 1, T_: 1}
                rows = [[sp.Rational(c) for c in row] for row in T.subs(at).tolist()]
                exact = schur_stable(characteristic([[_fraction(c) for c in row] for row in rows]))
                here = {q: at[k] for q in found.settles[0].free_symbols for k in at if k.name == q.name}
                said = all(c.subs(here | at) > 0 for c in found.settles)
                assert said == exact, at
                settled.add(exact)
    assert settled == {True, False}


def _fraction(x):
    from fractions import Fraction

    return Fraction(int(x.p), int(x.q))
