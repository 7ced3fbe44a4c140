"""Where a sampler is stable: polynomial conditions on the step, from the mode form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from typing import Any

import sympy as sp

from sgtheory.notation.printing import tidy
from sgtheory.notation.sentence import Sentence, listed, say
from sgtheory.onestep.affine import LAMBDA, ModeForm

_PLACES = (sp.Rational(9, 10), sp.Rational(1, 2), sp.Integer(3), sp.Rational(1, 9))  # of letters
_MOST = 400


@dataclass(frozen=True)
class Stability:
    """``conditions`` are expressions that must all be positive at every eigenvalue of A.

    ``limit`` is the largest step, as a function of the largest eigenvalue lambda, where the
    conditions bound the step from above and no other one asks more of it (of other parameters they
    may); else None. ``given`` is what the sampler declares of its parameters where a condition is
    left out because of it: beyond that range the conditions are not sufficient.
    """

    conditions: tuple[Any, ...]
    limit: Any
    given: tuple[Any, ...] = ()

    @property
    def range(self) -> Sentence | str:
        """The declared range in words; empty where the conditions need none.

        >>> alpha = sp.Symbol("alpha")
        >>> print(Stability((), None, (alpha <= 1,)).range)
         (with alpha <= 1)
        """
        return say(" (with {})", listed(self.given, by=" and ")) if self.given else ""


@cache
def stability(form: ModeForm) -> Stability:
    """The stability region of a mode form.

    Discrete time maps the unit disc to the left half plane, z = (1 + s)/(1 - s); what is left is
    the criterion of Hurwitz on the characteristic polynomial.

    >>> from sgtheory import registry
    >>> from sgtheory.onestep.affine import mode_form
    >>> from sgtheory.setting import Setting
    >>> setting = Setting(registry.sampler("momentum"), registry.model("quadratic"))
    >>> stability(mode_form(setting)).limit
    2*(2 - mu)/lambda
    >>> setting = Setting(registry.sampler("sghmc"), registry.model("quadratic"))
    >>> region = stability(mode_form(setting))
    >>> region.conditions, region.given  # 4 - 2 alpha + eta N lambda > 0 needs no word up to alpha = 1
    ((alpha - eta*N*lambda,), (alpha <= 1,))
    """
    conditions = tuple(dict.fromkeys(sp.factor(c) for c in criterion(form) if not c.is_positive))
    given = form.setting.sampler.given
    primitive = map(_primitive, conditions)
    open_ones = [c for c in primitive if not _is_positive(c, ())]
    informative = tuple(tidy(c) for c in open_ones if not _is_positive(c, given))
    assumed = {x for c in open_ones if _is_positive(c, given) for x in c.free_symbols}
    relevant = tuple(c for c in given if c.lhs in assumed and c.free_symbols <= assumed)
    return Stability(informative, _limit(informative, given, form.setting.sampler.step), relevant)


@cache
def criterion(form: ModeForm) -> tuple[Any, ...]:
    """What has to be positive along a mode for the step to be stable: necessary and sufficient.

    >>> from sgtheory import registry
    >>> from sgtheory.onestep.affine import mode_form
    >>> from sgtheory.setting import Setting
    >>> setting = Setting(registry.sampler("momentum"), registry.model("quadratic"))
    >>> criterion(mode_form(setting, "continuous"))
    (1, mu, eps*lambda)
    """
    return of_matrix(form.M, form.time)


def of_matrix(matrix: Any, time: str = "discrete") -> tuple[Any, ...]:
    """What has to be positive for the powers of a matrix to vanish, or in continuous time its flow.

    >>> x = sp.Symbol("x", positive=True)
    >>> of_matrix(sp.Matrix([[1 - x]]))
    (2 - x, x)
    """
    z, s = sp.symbols("z s")
    m = matrix.rows  # a determinant, as SymPy cannot sort all factors of a polynomial with roots
    polynomial = sp.expand((z * sp.eye(m) - matrix).det(method="berkowitz"))
    if time == "discrete":
        moved = sp.expand(sp.cancel((1 - s) ** m * polynomial.subs(z, (1 + s) / (1 - s))))
        coefficients = [moved.coeff(s, m - k) for k in range(m + 1)]
    else:
        coefficients = [polynomial.coeff(z, m - k) for k in range(m + 1)]
    return (*coefficients, *_hurwitz_minors(coefficients))


def _hurwitz_minors(coefficients: list[Any]) -> list[Any]:
    """The leading minors of Hurwitz's matrix that positive coefficients do not already ensure."""
    m = len(coefficients) - 1
    if m <= 2:
        return []

    def entry(i: int, j: int) -> Any:
        k = 2 * j - i + 1
        return coefficients[k] if 0 <= k <= m else sp.Integer(0)

    hurwitz = sp.Matrix(m, m, entry)
    return [hurwitz[:k, :k].det() for k in range(2, m)]


def _primitive(condition: Any) -> Any:
    """The condition without its positive factors, and with -1 for a negative number.

    >>> x = sp.Symbol("x", positive=True)
    >>> _primitive(2 * x - 2 * x**2)
    1 - x
    """
    factors = [f for f in sp.Mul.make_args(sp.factor(condition)) if not f.is_positive]
    return sp.Mul(*(sp.sign(f) if f.is_number else f for f in factors))


def _is_positive(expr: Any, given: tuple[Any, ...]) -> bool:
    """Whether an expression is positive for all parameters that a sampler admits, such as mu <= 1."""
    if expr.is_positive or _has_no_root(expr):
        return True
    room = {c.lhs: c.rhs - sp.Dummy(nonnegative=True) for c in given if isinstance(c, sp.LessThan)}
    below = {c.lhs: c.rhs - sp.Dummy(positive=True) for c in given if isinstance(c, sp.StrictLessThan)}
    return any(bool(form(expr.subs(room | below)).is_positive) for form in (sp.expand, sp.factor))


def _has_no_root(expr: Any) -> bool:
    """Whether it is a quadratic in a letter with no real root and a positive leading coefficient.

    >>> x, y = sp.symbols("x y", positive=True)
    >>> _has_no_root(2 - 2 * x * y + x**2 * y**2), _has_no_root(1 - 3 * x * y + x**2 * y**2)
    (True, False)
    """
    for letter in sorted(expr.free_symbols, key=str):
        if not expr.is_polynomial(letter) or sp.degree(expr, letter) != 2:
            continue
        a, b, c = sp.Poly(expr, letter).all_coeffs()
        if a.is_positive and sp.expand(4 * a * c - b**2).is_positive:
            return True
    return False


def bound_of(condition: Any, given: tuple[Any, ...], step: Any) -> Any:
    """Below which step a condition holds, where it is of the form a - b step or a - b step^2.

    >>> x, a = sp.symbols("x a", positive=True)
    >>> bound_of(a - 4 * x**2 * LAMBDA, (), x), bound_of(a - x + x**2, (), x)
    (sqrt(a)/(2*sqrt(lambda)), None)
    """
    written = sp.expand(condition)
    powers = [k for (k,) in sp.Poly(written, step).monoms()] if written.has(step) else []
    if powers not in ([1, 0], [2, 0]):
        return None
    slope = written.coeff(step, powers[0])
    if not _is_positive(sp.cancel(-slope / LAMBDA), given):
        return None
    bound = tidy(sp.cancel(written.coeff(step, 0) / -slope))
    return sp.root(bound, powers[0])


def _limit(conditions: tuple[Any, ...], given: tuple[Any, ...], step: Any) -> Any:
    """The least bound; None where a condition on the step fails below it."""
    bounds = [b for c in conditions if (b := bound_of(c, given, step)) is not None]
    rest = [c for c in conditions if bound_of(c, given, step) is None]
    on_step, on_others = [c for c in rest if c.has(step)], [c for c in rest if not c.has(step)]
    if not bounds or (on_step and _fails_below(on_step, bounds, (*on_others, *given), step)):
        return None
    return bounds[0] if len(bounds) < 2 else sp.Min(*bounds)  # Min would rewrite a single bound


def _fails_below(on_step: list[Any], bounds: list[Any], given: tuple[Any, ...], step: Any) -> bool:
    """Whether a condition fails at a step that every bound admits: looked for among simple numbers.

    They satisfy what is given: relations, and expressions that are positive.
    """
    letters = sorted(set().union(*(e.free_symbols for e in (*on_step, *bounds))) - {step}, key=str)
    asked = [c if c.is_Relational else c > 0 for c in given]
    chosen = product(_PLACES, repeat=len(letters))
    for numbers in islice(chosen, _MOST):
        at = dict(zip(letters, numbers, strict=True))
        if any(c.subs(at) == sp.false for c in asked):
            continue
        least = min(b.subs(at) for b in bounds)
        steps = [least * share for share in _PLACES if share < 1] if least > 0 else []
        if any(c.subs(at).subs(step, x) <= 0 for c in on_step for x in steps):
            return True
    return False
