"""Orders of laws in the step for any A and C: first terms are solutions of Lyapunov's equation."""

from fractions import Fraction

import numpy as np
import pytest

from sgtheory import registry
from sgtheory.setting import Setting
from tests.verification.texts.quick import judged
from verification.laws.per_mode import COMMUTE
from verification.notation import Sigma, eps, identity
from verification.papers.mandt2017.letters import logdet
from verification.statements import Order, letters, vanishing
from verification.theories.matrices.reader import general

HEAD = """# Orders

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| A | symmetric positive definite matrix | curvature |
| C | symmetric positive definite matrix | gradient noise covariance |
| P | symmetric positive definite matrix | |
| T | positive | temperature |
| beta | in [0, 1) | momentum |

```sampler plain
theta' = theta - h g(theta)
```

```sampler warm
xi ~ N(0, I)
theta' = theta - h g(theta) + sqrt(2 h T) xi
```

```sampler exact
xi ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(2 h T) xi
```

```sampler heavy
v' = beta v - h g(theta)
theta' = theta + v'
```
"""
DET = r"$\det(A \Sigma) = T^D (1 + \frac{h}{2} \operatorname{tr} A) + O(h^2)$ as $h \to 0$."
SECOND = (
    r"$\det \Sigma = \det(T A^{-1}) (1 + \frac{h}{2} \operatorname{tr} A"
    r" + \frac{h^2}{8} (\operatorname{tr} A)^2 + \frac{h^2}{8} \operatorname{tr}(A^2))"
    r" + O(h^3)$ as $h \to 0$."
)
LOG = (
    r"If S = 1, then $\log \det \Sigma = \log \det(T A^{-1}) + \frac{h}{2} \operatorname{tr} A"
    r" + \frac{h}{2 T} \operatorname{tr} C + O(h^2)$ as $h \to 0$."
)
LINE = "If S = 1 and A P + P A = C, then "
EXACT = r"$\log \det(A \Sigma) = \log \det A + \log \det \Sigma$."
SAID = [
    ("plain", EXACT, "proved"),
    ("warm", r"$\log \det(2 \Sigma) = D \log 2 + \log \det \Sigma$.", "proved"),
    ("warm", EXACT.replace(r"= \log", r"= 2 \log"), "refuted"),
    ("plain", LINE + "Sigma = h P + O(h^2) as h -> 0.", "proved"),
    ("plain", LINE.replace("= C", "= 2 C") + "Sigma = h P + O(h^2) as h -> 0.", "refuted"),
    ("warm", LINE + r"$\Sigma = T A^{-1} + h (P + \frac{T}{2} I) + O(h^2)$ as h -> 0.", "proved"),
    ("warm", LINE + r"$\Sigma = T A^{-1} + h (P + T I) + O(h^2)$ as h -> 0.", "refuted"),
    ("heavy", LINE + r"$\Sigma = \frac{h}{1 - \beta} P + O(h^2)$ as h -> 0.", "proved"),
    ("heavy", r"If S = 1 and $h = T (1 - \beta)$, then $A \Sigma + \Sigma A = T C$.", "limit-only"),
    ("exact", DET, "proved"),
    ("exact", DET.replace("{h}{2}", "{h}{4}"), "refuted"),
    ("exact", SECOND, "proved"),
    ("exact", SECOND.replace(r"\frac{h^2}{8} \operatorname{tr}(A^2)", "h^2"), "refuted"),
    ("warm", LOG, "proved"),
    ("warm", LOG.replace("{2 T}", "{T}"), "refuted"),
    ("warm", LOG.replace("O(h^2)", "O(h^3)"), "refuted"),
    ("heavy", LINE + r"$\Sigma = \frac{h}{(1 - \beta)^2} P + O(h^2)$ as h -> 0.", "refuted"),
]


@pytest.mark.parametrize("said", SAID, ids=lambda said: f"{said[0]}: {said[1][-40:]}")
def test_what_is_said_of_a_first_term(said, stated):
    sampler, sentence, word = said
    verdict = judged(stated(f"{sampler}, in discrete time.", sentence))
    assert verdict.word == word, verdict.finding.reason


def _solved(step, noise):
    size = len(step) ** 2
    return np.linalg.solve(np.eye(size) - np.kron(step, step), noise.ravel()).reshape(step.shape)


@pytest.mark.parametrize("which", ["plain", "warm", "heavy"])
def test_the_keys_are_what_steps_in_numbers_say(which):
    """The covariance of steps that are written out by hand, for A and C that do not commute."""
    A, C = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([[1.0, 0.3], [0.3, 2.0]])
    one, T, beta = np.eye(2), 1.3, 0.4
    P = np.linalg.solve(np.kron(A, one) + np.kron(one, A), C.ravel()).reshape(2, 2)
    sizes = []
    for h in (1e-2, 1e-3):
        if which == "heavy":
            step = np.block([[one - h * A, beta * one], [-h * A, beta * one]])
            law = _solved(step, h * h * np.block([[C, C], [C, C]]))[:2, :2]
            first = h / (1 - beta) * P
        else:
            warm = 2 * h * T * one if which == "warm" else 0 * one
            law = _solved(one - h * A, h * h * C + warm)
            first = h * P + (T * np.linalg.inv(A) + h * T / 2 * one if which == "warm" else 0)
        sizes.append(np.abs(law - first).max() / h**2)
    assert sizes[1] == pytest.approx(sizes[0], rel=0.2)


def test_an_order_is_not_refuted_before_its_limit_is_near():
    """At 16^-4 and 16^-16 the ratio 1/(x + e) still grows where e is small; beyond them it stays."""
    x, e = letters("x e")
    bounded = Order(x**2 / (x + e), "O", x**2, vanishing(x))
    assert bounded.at({"e": Fraction(1, 10**9)}).holds
    assert not Order(x**2 / (x + e), "O", x**3, vanishing(x)).at({"e": Fraction(1, 10**9)}).holds


def test_what_is_left_out_of_a_log_determinant_is_known_on_a_way_alone():
    plain = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    log = logdet(identity + eps * Sigma)
    assert general(log, plain, "discrete") is None
    apart, together = (general(log, plain, "discrete", c, way=vanishing(eps)) for c in ((), (COMMUTE,)))
    assert apart.scope == "for every dimension, commuting or not"
    assert together.scope == "where A and B B^T commute"
    assert apart.parts != together.parts


def test_the_keys_of_determinants_are_what_numbers_say():
    A, C, T = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([[1.0, 0.3], [0.3, 2.0]]), 1.3
    one, tr = np.eye(2), np.trace
    found = []
    for h in (1e-2, 1e-3):
        exact = T * np.linalg.inv(A @ (one - h / 2 * A))
        warm = _solved(one - h * A, h * h * C + 2 * h * T * one)
        det, log = np.linalg.det, np.log
        second = 1 + h / 2 * tr(A) + h**2 / 8 * (tr(A) ** 2 + tr(A @ A))
        found.append((
            (det(A @ exact) - T**2 * (1 + h / 2 * tr(A))) / h**2,
            (det(exact) / det(T * np.linalg.inv(A)) - second) / h**3,
            (log(det(warm @ A / T)) - h / 2 * tr(A) - h / (2 * T) * tr(C)) / h**2,
        ))  # fmt: skip
    assert found[1] == pytest.approx(found[0], rel=0.2)
    assert abs(found[1][2]) > 0.01  # so that O(h^3) is false
