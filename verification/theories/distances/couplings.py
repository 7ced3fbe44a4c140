"""Upper bounds of the distance of two chains for every smooth strongly convex U, by coupling.

The chains see the same minibatches and the same injected noise. What one step does to the mean squared
distance is bounded by inequalities of convex analysis, each certified; the recursion that they leave is
solved. U is m-strongly convex, gradients of minibatches are L-Lipschitz and monotone, gamma <= 1/L.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex
from sgtheory.notation.sentence import formula_of, joined, say
from sgtheory.polynomials import cancelled, factored
from sgtheory.wasserstein import DIFFUSION
from verification.laws.direction import traits_of
from verification.terms.printed import Printed
from verification.theories.signs import Case, onto_positive, sizes_in

gamma, m, L, d, W0, R = sp.symbols("gamma m L d W0 R", positive=True)
p = sp.Symbol("p", integer=True, positive=True)
n = sp.Symbol("n", integer=True, nonnegative=True)

SMALL_STEP = Printed(gamma * L, sp.Integer(1), "<=")
CONVEX = Printed(m, L, "<=")
_SQUARE, _PRODUCT, _GRADIENTS = sp.symbols(
    "distance_squared inner_product gradients_squared", positive=True
)
_INNER = Formula(
    rf"{latex(_PRODUCT)} = \langle x - y, \mathbb{{E}} G(x) - \mathbb{{E}} G(y) \rangle",
    "inner_product = <x - y, E G(x) - E G(y)>",
)
_LEAST = Formula(
    latex((m * L * _SQUARE + _GRADIENTS) / (m + L)), "(m L distance_squared + gradients_squared)/(m + L)"
)


@dataclass(frozen=True)
class Envelope:
    """W2^2 <= rate^n W0 + constant + n late decay^(n-1) R; ``steps`` tell why."""

    rate: Any
    constant: Any
    late: Any
    decay: Any
    steps: tuple[Step, ...]

    def square(self) -> Any:
        """The bound after n steps."""
        return self.rate**n * W0 + self.constant + n * self.late * self.decay ** (n - 1) * R

    def derivation(self) -> Derivation:
        """All steps."""
        return Derivation("One step of coupled chains, and what the recursion leaves", self.steps, ())


def certified(printed: Printed, where: tuple[Printed, ...]) -> str | None:
    """The words of a certificate of an inequality, for all positive letters that obey others.

    >>> certified(Printed(gamma * m, sp.Integer(1), "<="), (SMALL_STEP, CONVEX))
    'Its numerator has no negative coefficient.'
    """
    expr = sp.sympify(printed.right - printed.left)
    plain_letters = [s for s in expr.free_symbols if not s.is_positive]
    expr = expr.subs({s: sp.Symbol(s.name, positive=True) for s in plain_letters})
    upward = [(w.left, w.right) if w.relation in ("<", "<=") else (w.right, w.left) for w in where]
    return next(
        (form[0].words for form in onto_positive(expr, sizes_in([Case(expr, ())]), upward)), None
    )


def contraction() -> Step:
    """E|x - y - gamma (G(x) - G(y))|^2 <= (1 - m gamma) |x - y|^2, G the gradient of a minibatch."""
    after = _SQUARE - 2 * gamma * _PRODUCT + gamma**2 * _GRADIENTS
    where = (
        Printed(m * _SQUARE, _PRODUCT, "<="),
        Printed(_GRADIENTS, L * _PRODUCT, "<="),
        SMALL_STEP,
    )
    return _step(
        "The gradients",
        say(
            "With $distance_squared = |x - y|^2$, {}, at least $m$ $distance_squared$, and"
            " $gradients_squared = E|G(x) - G(y)|^2$, at most $L$ $inner_product$ because $G$ is the"
            " gradient of a convex function that is $L$-smooth:",
            _INNER,
        ),
        Printed(after, (1 - m * gamma) * _SQUARE, "<="),
        where,
    )


@cache
def envelope(first: str, second: str) -> Envelope | None:
    """What is known of a pair; None where coupling gives no bound in these letters.

    >>> envelope("sgld", "sgd").constant
    2*d/m
    >>> envelope("lmc", "sgldfp").constant
    2*L**2*d*gamma/(m**2*p)
    """
    if second == DIFFUSION and traits_of(first) == (0, 0, 1) and first != DIFFUSION:
        return _against_the_diffusion()
    if DIFFUSION in (first, second):
        return None
    (s, u, T), (t, v, _) = traits_of(first), traits_of(second)
    heat = 2 * gamma * d * (T - traits_of(second)[2]) ** 2
    steps = [contraction()]
    noise = sp.Integer(0)
    if s != t:
        if s > t or u or v:
            return None
        noise = gamma**2 * L**2 / p
        steps.append(
            _told(
                "The minibatch",
                "A mean of $p$ gradients drawn with replacement differs from the whole gradient at $y$"
                " by a variance of at most $L^2/p$ times $|y - theta*|^2$, for $N$ times the Lipschitz"
                " constant of an example is at most $L$, and the minibatch's gradient at $theta*$ is"
                " subtracted:",
                (("gamma^2 E|noise|^2 / |y - theta*|^2, at most", noise),),
            )
        )
        steps.append(
            _told(
                "The second chain",
                "By the same contraction towards $theta*$, $E|y_k - theta*|^2$ is at most:",
                (("second moment", (1 - m * gamma) ** n * R + 2 * d / m),),
            )
        )
    elif u != v:
        return None
    if heat:
        steps.append(_told("Injected noise", "One chain has it, one has not:", (("per step", heat),)))
    constant = cancelled((heat + noise * 2 * d / m) / (m * gamma))
    steps.append(_told("Summed", "The geometric series is at most:", (("what stays", constant),)))
    return Envelope(1 - m * gamma, constant, noise, 1 - m * gamma, tuple(steps))


def _against_the_diffusion() -> Envelope:
    """Young's inequality with the weight that leaves half of the contraction."""
    kappa = 2 * m * L / (m + L)
    inner = Printed((m * L * _SQUARE + _GRADIENTS) / (m + L), _PRODUCT, "<=")
    after = _SQUARE - 2 * gamma * _PRODUCT + gamma**2 * _GRADIENTS
    gradients = _step(
        "The gradients",
        say("For a strongly convex and smooth $U$ the product is at least {}:", _LEAST),
        Printed(after, (1 - kappa * gamma) * _SQUARE, "<="),
        (inner, SMALL_STEP, CONVEX),
    )
    late = (2 / kappa - gamma) * L**4 * gamma**3 / 3
    per_step = (2 / kappa - gamma) * L**2 * (d * gamma**2 + d * L**2 * gamma**4 / 12)
    constant = cancelled((per_step + late * d / m) / (kappa * gamma / 2))
    assert cancelled((1 - kappa * gamma / 2) - (1 - kappa * gamma) * (1 + _young(kappa))) == 0
    steps = (
        gradients,
        _told(
            "Young's inequality",
            "$|a + b|^2 <= (1 + e)|a|^2 + (1 + 1/e)|b|^2$ with this $e$ leaves half of the contraction:",
            (("e", _young(kappa)), ("1 + 1/e", cancelled(1 + 1 / _young(kappa)))),
        ),
        _told(
            "The diffusion within a step",
            "$f(s) = E|Y_s - Y_0|^2$ has $f' <= 2 d + 2 L^2 (s g + d s^2/2)$, $g = |Y_0 - theta*|^2$,"
            " by convexity and $E|Y_u - theta*|^2 <= g + 2 d u$; so $gamma L^2$ times its integral over"
            " a step is at most:",
            (
                (
                    "E|b|^2",
                    gamma * L**2 * (d * gamma**2 + d * L**2 * gamma**4 / 12 + L**2 * gamma**3 * R / 3),
                ),
            ),
        ),
        _told(
            "Summed",
            "$E|Y_k - theta*|^2 <= e^(-2 m k gamma) R + d/m$; the rate and $e^(-2 m gamma)$ are both at"
            " most $e^(-m gamma/2)$, for $kappa >= m$:",
            (("what stays", constant),),
        ),
    )
    decay = sp.exp(-m * gamma / 2)
    return Envelope(1 - m * L * gamma / (m + L), constant, late, decay, steps)


def _young(kappa: Any) -> Any:
    return (kappa * gamma / 2) / (1 - kappa * gamma)


@dataclass(frozen=True)
class Compared:
    """A printed bound against the envelope: which part is known to be no smaller, and its ratio."""

    part: str
    ratio: Any  # printed over envelope
    words: str | None  # of the certificate; None where there is none


def compared(bound: Any, found: Envelope) -> tuple[Compared, ...]:
    """The three parts of a printed bound, which has to be linear in W0 and R."""
    bound = sp.expand(bound, power_base=False, power_exp=False)
    first, last = bound.coeff(W0), bound.coeff(R)
    constant = cancelled(bound.subs({W0: 0, R: 0}))
    rest = cancelled(bound - first * W0 - last * R - bound.subs({W0: 0, R: 0}))
    if rest != 0 or {W0, R} & (first.free_symbols | last.free_symbols | constant.free_symbols):
        return (Compared("its form", sp.nan, None),)
    per_step = factored(last / n)
    parts = [
        ("the first distance", _start(first), sp.Integer(1)),
        ("its rate", _base(first), found.rate),
        ("what stays", constant, found.constant),
    ]
    if found.late != 0:
        parts += [
            ("the start's share", per_step.subs(n, 1), found.late),
            ("the rate of that share", _base(per_step), found.decay),
        ]
    elif last != 0:
        parts.append(("the start's share", last, sp.Integer(0)))
    return tuple(_compare(*part) for part in parts)


def _start(coefficient: Any) -> Any:
    return sp.sympify(coefficient).subs(n, 0)


def _base(power: Any) -> Any:
    """b of c b^n."""
    if power == 0:
        return sp.Integer(0)
    ratio = sp.powsimp(power.subs(n, n + 1) / power)
    return ratio.replace(sp.exp, lambda x: sp.exp(sp.expand(x)))


def _compare(part: str, printed: Any, known: Any) -> Compared:
    if printed.has(n, sp.exp):
        same = printed == known
        return Compared(part, sp.Integer(1), "They are the same." if same else None)
    if printed == known:
        return Compared(part, sp.Integer(1), "They are the same.")
    ratio = sp.zoo if known == 0 else factored(cancelled(printed / known))
    if ratio == 1:
        return Compared(part, sp.Integer(1), "They are the same.")
    if not all((printed - known).subs(at).is_nonnegative for at in _points()):
        return Compared(part, ratio, None)
    words = certified(Printed(known, printed, "<="), (SMALL_STEP, CONVEX))
    return Compared(part, ratio, words)


@cache
def _points() -> tuple[dict[Any, Any], ...]:
    """A few numbers of the letters: no certificate need be looked for where one speaks against it."""
    half = sp.Rational(1, 2)
    points = product((1, 4), (1, half, half**4), (1, half**3, half**9), (1, 5), (1, 3))
    return tuple({L: a, m: a * b, gamma: c / sp.Integer(a), d: e, p: f} for a, b, c, e, f in points)


def _step(title: str, words: str, printed: Printed, where: tuple[Printed, ...]) -> Step:
    why = certified(printed, where)
    assert why is not None, title
    line = Equation(formula_of(printed.left), formula_of(printed.right), printed.relation)
    return Step(title, joined(words, why), (line,))


def _told(title: str, words: str, lines: tuple[tuple[str, Any], ...]) -> Step:
    return Step(
        title, words, tuple(Equation(Formula(rf"\text{{{a}}}", a), formula_of(b)) for a, b in lines)
    )
