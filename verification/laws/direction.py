"""Two chains on a quadratic potential in one direction, with real minibatches, in exact numbers.

Example i has the gradient c_i theta - b_i; the prior's is never drawn. Chains
see the same minibatches and the same injected noise, so that E (theta - vartheta)^2 bounds the squared
distance of their laws from above, and means and variances bound it from below (Gelbrich).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, cached_property

from flint import fmpq, fmpq_mat

from sgtheory.perturbation.form import form_of
from sgtheory.wasserstein import DIFFUSION

FOREVER = None  # the number of steps of an invariant law
_DIGITS = 50
AT_CENTRE, EQ5 = "with its gradient", "as Eq. 5 has it"  # what is done about a point that is not theta*


@dataclass(frozen=True)
class Examples:
    """The prior's slope and pull; groups of equal examples (c, b, how many); how many are drawn.

    They are drawn with replacement.

    >>> zero, one, three = Fraction(0), Fraction(1), Fraction(3)
    >>> two = Examples((zero, zero), ((one, zero, 1), (three, zero, 1)), 1)
    >>> [str(x) for x in (two.curvature, two.V22, two.lipschitz)]
    ['4', '4', '9']
    """

    prior: tuple[Fraction, Fraction]
    groups: tuple[tuple[Fraction, Fraction, int], ...]
    batch: int

    @cached_property
    def N(self) -> int:
        """How many examples there are."""
        return sum(k for _, _, k in self.groups)

    @cached_property
    def curvature(self) -> Fraction:
        """That of the whole potential."""
        return self.prior[0] + sum((c * k for c, _, k in self.groups), Fraction(0))

    @cached_property
    def mode(self) -> Fraction:
        """Where the whole gradient vanishes."""
        return (self.prior[1] + sum((b * k for _, b, k in self.groups), Fraction(0))) / self.curvature

    @cached_property
    def lipschitz(self) -> Fraction:
        """L = (N + 1) times the largest slope."""
        return (self.N + 1) * max(self.prior[0], *(c for c, _, _ in self.groups))

    @cached_property
    def V11(self) -> Fraction:
        """The variance of a minibatch's gradient at the mode."""
        return self._noise(self._gradients, self._gradients)

    @cached_property
    def V12(self) -> Fraction:
        """Its covariance with the minibatch's curvature."""
        return self._noise(self._gradients, self._slopes)

    @cached_property
    def V22(self) -> Fraction:
        """The variance of that curvature."""
        return self._noise(self._slopes, self._slopes)

    @property
    def _gradients(self) -> tuple[Fraction, ...]:
        return tuple(c * self.mode - b for c, b, _ in self.groups)

    @property
    def _slopes(self) -> tuple[Fraction, ...]:
        return tuple(c for c, _, _ in self.groups)

    def _noise(self, a: tuple[Fraction, ...], b: tuple[Fraction, ...]) -> Fraction:
        counts = [k for _, _, k in self.groups]
        mean = [
            sum((x * k for x, k in zip(e, counts, strict=True)), Fraction(0)) / self.N for e in (a, b)
        ]
        moved = ((x - mean[0]) * (y - mean[1]) * k for x, y, k in zip(a, b, counts, strict=True))
        return self.N * sum(moved, Fraction(0)) / self.batch


@dataclass(frozen=True)
class Chain:
    """A sampler, or the Langevin diffusion at its times; what it takes for theta* may be off by h."""

    name: str
    centre: str = ""
    h: Fraction = Fraction(0)

    @property
    def traits(self) -> tuple[int, int, int]:
        """Whether minibatches are at theta, the share of their noise at the mode, the temperature."""
        return traits_of(self.name)


@cache
def traits_of(name: str) -> tuple[int, int, int]:
    """Of a declared sampler.

    >>> [traits_of(name) for name in ("lmc", "sgldfp", "sgld", "sgd")]
    [(0, 0, 1), (1, 0, 1), (1, 1, 1), (1, 1, 0)]
    """
    if name == DIFFUSION:
        return 0, 0, 1
    form = form_of(name)
    return int(form.multiplicative), int(form.additive), int(form.temperature)


@dataclass(frozen=True)
class Moments:
    """First and second moments about theta* of both, and of their product."""

    mx: Fraction
    my: Fraction
    xx: Fraction
    yy: Fraction
    xy: Fraction

    @property
    def coupled(self) -> Fraction:
        """The mean squared distance of the chains: at least the squared distance of the laws."""
        return self.xx + self.yy - 2 * self.xy

    @property
    def least(self) -> tuple[Fraction, Fraction]:
        """Two numbers between which the least squared distance with these moments lies."""
        v, w = self.xx - self.mx**2, self.yy - self.my**2
        low, high = root_between(v * w)
        gap = (self.mx - self.my) ** 2 + v + w
        return max(gap - 2 * high, Fraction(0)), gap - 2 * low


def root_between(x: Fraction) -> tuple[Fraction, Fraction]:
    """A square root between two fractions, equal where it is rational.

    >>> low, high = root_between(Fraction(2))
    >>> low**2 < 2 < high**2, float(high - low) < 1e-40
    (True, True)
    """
    above, below = math.isqrt(x.numerator), math.isqrt(x.denominator)
    if above**2 == x.numerator and below**2 == x.denominator:
        return Fraction(above, below), Fraction(above, below)
    scale = 10**_DIGITS * (1 + x.denominator // max(x.numerator, 1))
    floor = math.isqrt(x.numerator * scale**2 // x.denominator)
    return Fraction(floor, scale), Fraction(floor + 1, scale)


@cache
def exponential(x: Fraction) -> Fraction:
    """e^x to fifty digits."""
    with localcontext() as context:
        context.prec = _DIGITS
        return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).exp())


def after(
    pair: tuple[Chain, Chain],
    examples: Examples,
    gamma: Fraction,
    start: tuple[Fraction, Fraction | None],
    steps: int | None,
) -> Moments | None:
    """Both after so many steps from two points (given about theta*), or for ever; None if unstable.

    Without a point the second, the diffusion, begins in its invariant law.
    """
    move = _Move(pair, examples, _number(gamma))
    if steps is FOREVER:
        return _told(move.rest())
    x = _number(start[0])
    if start[1] is None:
        return _told(move.many(steps, (x, fmpq(0), x * x, 1 / move.curvature, fmpq(0))))
    y = _number(start[1])
    return _told(move.many(steps, (x, y, x * x, y * y, x * y)))


def _number(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def _told(found: Sequence[fmpq] | None) -> Moments | None:
    return None if found is None else Moments(*(Fraction(int(x.p), int(x.q)) for x in found))


@dataclass(frozen=True)
class _Move:
    """One step of both, in FLINT's fractions. It is affine, so many steps are a power of a matrix."""

    pair: tuple[Chain, Chain]
    examples: Examples
    gamma: fmpq

    @cached_property
    def curvature(self) -> fmpq:
        return _number(self.examples.curvature)

    @cached_property
    def rates(self) -> tuple[fmpq, ...]:
        return tuple(self._rate(c) for c in self.pair)

    @cached_property
    def pushes(self) -> tuple[fmpq, ...]:
        step = self.gamma * self.curvature
        return tuple(step * _number(c.h) if c.centre == EQ5 else fmpq(0) for c in self.pair)

    @cached_property
    def noise(self) -> tuple[fmpq, ...]:
        return tuple(map(_number, (self.examples.V11, self.examples.V12, self.examples.V22)))

    def _rate(self, chain: Chain) -> fmpq:
        step = self.gamma * self.curvature
        if chain.name != DIFFUSION:
            return 1 - step
        return _number(exponential(Fraction(-int(step.p), int(step.q))))

    def many(self, steps: int, here: Sequence[fmpq]) -> Sequence[fmpq]:
        """The moments after so many."""
        size = len(here)
        still = self._once([fmpq(0)] * size)
        units = ([fmpq(int(i == k)) for i in range(size)] for k in range(size))
        moved = ([a - b for a, b in zip(self._once(e), still, strict=True)] for e in units)
        whole = fmpq_mat([*([*column, fmpq(0)] for column in moved), [*still, fmpq(1)]]).transpose()
        found = whole**steps * fmpq_mat([[x] for x in (*here, fmpq(1))])
        return [row[0] for row in found.table()[:size]]

    def _once(self, here: Sequence[fmpq]) -> tuple[fmpq, ...]:
        means = here[0], here[1]
        moved = (r * m + f for r, m, f in zip(self.rates, means, self.pushes, strict=True))
        pairs = zip(((0, 0), (1, 1), (0, 1)), here[2:], strict=True)
        return (*moved, *(self._product(i, j, moment, means) for (i, j), moment in pairs))

    def _product(self, i: int, j: int, moment: fmpq, means: tuple[fmpq, ...]) -> fmpq:
        a, b = self.pair[i], self.pair[j]
        f, g, mx, my = self.pushes[i], self.pushes[j], means[i], means[j]
        moved = self.rates[i] * self.rates[j] * moment + self.rates[i] * mx * g + self.rates[j] * my * f
        V11, V12, V22 = self.noise
        (s, u, _), (t, v, _) = a.traits, b.traits
        h, k = (_number(c.h) if c.centre else fmpq(0) for c in (a, b))
        noisy = s * t * V22 * (moment - h * my - k * mx + h * k) + u * v * V11
        noisy += s * v * V12 * (mx - h) + u * t * V12 * (my - k)
        return moved + f * g + self.gamma**2 * noisy + self._heat(a, b, i, j)

    def _heat(self, a: Chain, b: Chain, i: int, j: int) -> fmpq:
        flows = [c.name == DIFFUSION for c in (a, b)]
        warm = a.traits[2] * b.traits[2]
        if all(flows):
            return (1 - self.rates[i] * self.rates[j]) / self.curvature
        if any(flows):
            return 2 * warm * (1 - self.rates[i if flows[0] else j]) / self.curvature
        return 2 * self.gamma * warm

    def rest(self) -> tuple[fmpq, ...] | None:
        """Where it stays as it is: each moment solves an equation of its own."""
        means = tuple(f / (1 - r) for r, f in zip(self.rates, self.pushes, strict=True))
        found = []
        for i, j in ((0, 0), (1, 1), (0, 1)):
            still = self._product(i, j, fmpq(0), means)
            factor = self._product(i, j, fmpq(1), means) - still
            if abs(factor) >= 1:
                return None
            found.append(still / (1 - factor))
        return (*means, *found)
