"""What may be true instead of a wrong equation: small slips mended, and laws in closed form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from verification import notation
from verification.terms.term import Applied, Term, number, term
from verification.theories.time.spelling import Pairs, has, has_law, is_before
from verification.theories.time.words import expm

A, Sigma, eps, IDENTITY = map(term, (notation.A, notation.Sigma, notation.eps, notation.identity))
_FACTORS = sorted({Fraction(a, b) for a in range(1, 5) for b in range(1, 5)} - {Fraction(1)})


def slips(side: Term) -> Iterator[Term]:
    """A side with other letters, sign or factors in one of its exponents, or times a simple number.

    >>> from verification.terms.term import letters
    >>> from verification.theories.scalars.words import exp
    >>> x, y = letters("x y")
    >>> [str(one) for one in slips(exp(x / y))][:3]
    ['exp(y/x)', 'exp(-x/y)', 'exp(2*(x/y))']
    """
    yield from (one for _, one in side.changed(_of_exponent))
    for factor in _FACTORS:
        yield number(factor) * side


def _of_exponent(side: Term) -> Iterator[tuple[str, Term]]:
    if isinstance(side, Applied) and side.head in ("exp", "expm"):
        (inside,) = side.of
        numbers = sorted({a for a in inside.letters if a.kind not in ("matrix", "variable")}, key=str)
        turned = (inside.put({a: b, b: a}) for a, b in combinations(numbers, 2))
        changes = (*turned, -inside, 2 * inside, *_fewer(inside))
        yield from (("", Applied(side.head, (one,))) for one in changes)


def _fewer(product: Term) -> Iterator[Term]:
    """A product without one of its numbers."""
    if not isinstance(product, Applied):
        return
    if product.head in ("*", "/", "negative"):
        for k, part in enumerate(product.of):
            others = product.of[:k] + product.of[k + 1 :]
            if len(others) == 1 and not any(a.kind == "matrix" for a in part.letters):
                rest = others[0] if product.head == "*" or k else number(1) / others[0]
                yield -rest if isinstance(part, Applied) and part.head == "negative" else rest
            for one in _fewer(part):
                yield Applied(product.head, (*product.of[:k], one, *product.of[k + 1 :]))


@dataclass(frozen=True)
class Closed:
    """Laws of constant SGD written out, in one reading of time.

    ``sigma`` and ``summed`` are the stationary and the long-run covariance where they are functions of
    A; ``ordered`` has pairs of times, the earlier first.
    """

    time: str
    ordered: Pairs = ()
    sigma: Term | None = None
    summed: Term | None = None

    def of(self, side: Term) -> Term:
        """A term with every average and every lagged product in closed form."""
        if side == Sigma:
            return self.sigma or Sigma
        if not isinstance(side, Applied):
            return side
        if side.head == "lagged":
            t, s = side.of
            if is_before(t, s, self.ordered):
                return self.of(Sigma) * self.power(s - t, A)
            return self.power(t - s, A) * self.of(Sigma)
        if side.head == "averaged":
            return self.average(*side.of)
        if side.head == "remembered":
            (window,) = side.of
            return -self._rest(window, A) * A**-1 / (eps * window)
        if side.head == "long_run" and self.summed is not None:
            return self.summed
        return side.with_parts(tuple(map(self.of, side.of)))

    def power(self, steps: Term, rate: Term) -> Term:
        """What so many steps multiply a mean by."""
        if self.time == "continuous":
            return expm(-eps * steps * rate)
        return (IDENTITY - eps * rate) ** steps

    def average(self, window: Term, gain: Term | None = None) -> Term:
        """The covariance of the average over a window, from one step and the covariance."""
        rates = (A, A) if gain is None else (gain * A, A * gain)
        left, right = (self._rest(window, rate) for rate in rates)
        if gain is None and self.sigma is not None and self.summed is not None:
            return self.summed / window + 2 / (eps * window) ** 2 * A**-2 * left * self.sigma
        first, second = (rate**-1 for rate in rates)
        total = (first * Sigma + Sigma * second) / (eps * window)
        more = (rates[0] ** -2 * left * Sigma + Sigma * rates[1] ** -2 * right) / (eps * window) ** 2
        return total + more if self.time == "continuous" else total + more - Sigma / window

    def _rest(self, window: Term, rate: Term) -> Term:
        rest = self.power(window, rate) - IDENTITY
        return rest if self.time == "continuous" else (IDENTITY - eps * rate) * rest


def is_of_law(side: Term) -> bool:
    """Whether a side is made of what the law says, and not of formulas for it."""
    return has_law(side) and not has(side, "expm", "integral")


def mends(wrong: Term, right: Term) -> bool:
    """Whether a slip is about the same matrices: one without them would be no correction."""
    names = [{a for a in side.letters if a.kind == "matrix"} for side in (wrong, right)]
    return names[0] == names[1]
