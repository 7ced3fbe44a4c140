"""Such equations at a generic pair of modes: entry (i, j) in the eigenbasis of A, in symbols.

There f(A) X g(A) has the entry f(lambda_i) X_ij g(lambda_j), so an equation that holds for symbolic
eigenvalues holds in every dimension. With a gain H the eigenbasis is that of H^(1/2) A H^(1/2), in which
a covariance X is H^(1/2) X' H^(1/2) and a curvature the same with H^(-1/2): indices tell which.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp

from sgtheory.affine import LAMBDA
from sgtheory.longrun import window_sums
from sgtheory.matrixwords import H
from sgtheory.pairs import LI, LJ, stationary
from sgtheory.setting import Setting
from verification.kinds import Transpose
from verification.pairform import DELTA, NOISE, NotInPairForm
from verification.spectral.calculus import Unordered, integral
from verification.spectral.words import Averaged, Continuous, Lagged, MatrixExp, MatrixPower

# log(1 - eps lambda), so that powers are exponentials; negative, for they decay
ELL_I, ELL_J = sp.symbols("ell_i ell_j", negative=True)
H_I = sp.Symbol("h_i", positive=True)
# what an index belongs to: a gradient, a position, a mode
_DOWN, _UP, _MODE = -1, 1, 0


@dataclass(frozen=True)
class Entry:
    """Coefficients of the entries X_ij, those of functions of A under delta_ij; and two indices."""

    parts: Mapping[Any, Any]
    left: int | None = None
    right: int | None = None

    @property
    def is_function(self) -> bool:
        """Whether it is a function of A alone."""
        return set(self.parts) <= {DELTA}


@dataclass(frozen=True)
class Reading:
    """How a printed expression is read: the sampler's law, the time, what is known of the letters.

    ``noise`` and ``single`` come from conditions: C as a function of one eigenvalue, and whether both
    modes are one. ``gain`` says whether H is the frame ("frame") or, with single modes, a number.
    """

    setting: Setting | None = None
    time: str = "continuous"
    noise: Any = None
    single: bool = False
    gain: str = ""
    ordered: tuple[tuple[Any, Any], ...] = ()  # pairs of times, the earlier first
    known: Mapping[Any, Any] = field(default_factory=dict)  # letters put in place of letters

    def of(self, expr: Any) -> dict[Any, Any]:
        """Coefficients by entry, of an expression in letters."""
        found = self.entry(sp.sympify(expr)).parts
        alike = {LJ: LI, ELL_J: ELL_I}
        found = {k: c.subs(alike) if self.single or k == DELTA else c for k, c in found.items()}
        return {k: c for k, c in found.items() if c != 0}

    # -- the tree ------------------------------------------------------------------------------

    def entry(self, expr: Any) -> Entry:
        """The entry of an expression, by its form."""
        if expr.is_commutative:
            return Entry({DELTA: self.scalar(expr)})
        if expr.is_Symbol:
            return self._letter(expr)
        if expr.is_Add:
            return _sum([self.entry(a) for a in expr.args], bool(self.gain))
        if expr.is_Mul:
            return self._product(expr.args)
        if expr.is_Pow:
            return self._power(expr)
        if isinstance(expr, sp.Integral):
            return self._integral(expr.function, expr.limits)
        if isinstance(expr, sp.Derivative):
            (x, times), *more = expr.variable_count
            if more or times != 1:
                raise NotInPairForm(f"{expr} is no first derivative")
            inside = self.entry(expr.expr)
            return replace(inside, parts={k: sp.diff(c, x) for k, c in inside.parts.items()})
        return self._function(expr)

    def scalar(self, expr: Any) -> Any:
        """A number, with matrices in none of its parts."""
        expr = expr.doit() if expr.has(sp.Derivative) else expr
        return expr.subs(self.known) if self.known else expr

    def _letter(self, symbol: Any) -> Entry:
        name = symbol.name
        if name == "Lambda":
            return Entry({DELTA: LI}, _MODE, _MODE)
        if name == "A":
            return Entry({DELTA: LI}, _DOWN, _DOWN)
        if name == "U":
            return Entry({DELTA: sp.Integer(1)}, _UP, _MODE)
        if name == "I":
            return Entry({DELTA: sp.Integer(1)})
        if name == "C":
            if self.noise is not None:
                return Entry({DELTA: self.noise}, _DOWN, _DOWN)
            return Entry({NOISE: sp.Integer(1)}, _DOWN, _DOWN)
        if name == "H":
            value = H_I if self.gain == "number" else sp.Integer(1)
            return Entry({DELTA: value}, _UP, _UP)
        if name == "F" and self.setting is not None:
            return Entry({DELTA: self.rate.subs(LAMBDA, LI)}, _UP, _DOWN)
        if name == "Q" and self.setting is not None:
            return Entry(dict(self._noises(self.gain == "number")), _UP, _UP)
        if name == "Sigma" and self.setting is not None:
            return self._lagged(sp.Integer(0), sp.Integer(1), self.gain == "number")
        return Entry({sp.Symbol(f"{name}_ij", real=True): sp.Integer(1)})

    def _product(self, factors: Any) -> Entry:
        total = Entry({DELTA: sp.Integer(1)})
        for factor in factors:
            total = _times(total, self.entry(factor), bool(self.gain))
        return total

    def _power(self, expr: Any) -> Entry:
        base, power = expr.as_base_exp()
        inside = self.entry(base)
        if not power.is_Integer:
            raise NotInPairForm(f"{expr} is no whole power")
        if power < 0:
            if not inside.is_function:
                raise NotInPairForm(f"{base} is inverted and no function of A")
            (value,) = inside.parts.values()
            left, right = (None if x is None else -x for x in (inside.right, inside.left))
            inside = Entry({DELTA: 1 / value}, left, right)
        total = inside
        for _ in range(abs(int(power)) - 1):
            total = _times(total, inside, bool(self.gain))
        return total

    def _function(self, expr: Any) -> Entry:
        if isinstance(expr, MatrixExp):
            inside = self.entry(sp.expand(expr.args[0]))
            if not inside.is_function:
                raise NotInPairForm(f"{expr} is no exponential of a function of A")
            return replace(inside, parts={DELTA: sp.exp(inside.parts.get(DELTA, sp.Integer(0)))})
        if isinstance(expr, MatrixPower):
            return self._letter_power(*expr.args)
        if isinstance(expr, Lagged):
            return self._two_times(*expr.args)
        if isinstance(expr, Averaged):
            return self._averaged(*expr.args)
        if isinstance(expr, Continuous):
            return replace(self, time="continuous").entry(expr.args[0])
        if isinstance(expr, Transpose):
            inside = self.entry(expr.args[0])
            turned = {k: _turned(c) for k, c in inside.parts.items()}
            if not set(turned) <= {DELTA, NOISE}:
                raise NotInPairForm(f"{expr}: what is transposed is not known to be symmetric")
            return Entry(turned, inside.right, inside.left)
        raise NotInPairForm(f"{expr} has no entry at a pair of modes")

    def _letter_power(self, base: Any, power: Any) -> Entry:
        inside = self.entry(base)
        value = sp.expand(inside.parts.get(DELTA, sp.Integer(0)))
        rate = sp.expand(self.rate.subs(LAMBDA, LI)) if self.setting is not None else None
        if not inside.is_function or self.time != "discrete" or value != rate:
            raise NotInPairForm("a power that is a letter is taken of one step of the algorithm")
        return replace(inside, parts={DELTA: sp.exp(power * ELL_I)})

    # -- the law -------------------------------------------------------------------------------

    @property
    def rate(self) -> Any:
        """What one mode is multiplied by in a step, or its rate of change."""
        assert self.setting is not None
        form = stationary(self.setting, self.time).form
        if len(form.states) != 1:
            raise NotInPairForm(f"{self.setting.sampler.name} has more than one state")
        rate = form.M[0, 0]
        return rate.subs(LAMBDA, H_I * LAMBDA) if self.gain == "number" else rate

    def _noises(self, gained: bool) -> list[tuple[Any, Any]]:
        assert self.setting is not None
        pairs = stationary(self.setting, self.time)
        found = []
        for coupling, symbol in zip(pairs.form.couplings, pairs.symbols, strict=True):
            size = pairs.form.noise_block(coupling, LI, LJ)[0, 0]
            if symbol == NOISE and self.noise is not None:
                symbol, size = DELTA, size * self.noise
            found.append((symbol, size * H_I**2 if gained else size))
        return found

    def _rates(self, gained: bool) -> tuple[Any, Any]:
        rate = self.rate if gained else self.rate.subs(H_I, 1)
        return rate.subs(LAMBDA, LI), rate.subs(LAMBDA, LJ)

    def _lagged(self, later_left: Any, sign: Any, gained: bool = False) -> Entry:
        """E[theta(t) theta(s)^T] with t - s = sign * lag: the noise so far, by the isometry of Ito."""
        a, b = self._rates(gained)
        first, ell = (a, ELL_I) if sign == 1 else (b, ELL_J)
        parts: dict[Any, Any] = {}
        for symbol, size in self._noises(gained):
            if self.time == "discrete":
                value = size / (1 - a * b) * sp.exp(later_left * ell)
            else:
                u = sp.Symbol("_u", positive=True)
                value = integral(size * sp.exp(first * later_left + (a + b) * u), u, 0, sp.oo)
            parts[symbol] = parts.get(symbol, sp.Integer(0)) + value
        return Entry(parts, _UP, _UP)

    def _two_times(self, t: Any, s: Any) -> Entry:
        t, s = self.scalar(t), self.scalar(s)
        sign = order_of(t, s, self.ordered)
        return self._lagged(sp.expand((t - s) * sign), sign, self.gain == "number")

    def _averaged(self, window: Any, gain: Any = None) -> Entry:
        """1/T^2 times the double integral of the lagged products, or their double sum."""
        if gain is not None and gain != H:
            raise NotInPairForm(f"{gain} is not the gain")
        if gain is None and self.gain == "frame":
            raise NotInPairForm("an average without the gain beside letters with it")
        window, gained = self.scalar(window), self.gain == "number" and gain is not None
        if self.time == "discrete":
            law, a, b = self._lagged(sp.Integer(0), 1, gained), *self._rates(gained)
            sums = [
                window_sums(x, "discrete", _WINDOW)[0].subs(x**_WINDOW, sp.exp(window * ell))
                for x, ell in ((_A, ELL_I), (_B, ELL_J))
            ]
            total = (window + sums[0] + sums[1]).subs({_A: a, _B: b, _WINDOW: window})
            return replace(law, parts={k: c * total / window**2 for k, c in law.parts.items()})
        t, s = sp.symbols("_t _s", positive=True)
        parts: dict[Any, Any] = {}
        for sign, low, high in ((1, 0, t), (-1, t, window)):  # s before t, and after
            law = self._lagged((t - s) * sign, sign, gained)
            for k, c in law.parts.items():
                both = integral(integral(c, s, low, high), t, 0, window)
                parts[k] = parts.get(k, sp.Integer(0)) + both / window**2
        return Entry(parts, _UP, _UP)

    # -- integrals -----------------------------------------------------------------------------

    def _integral(self, function: Any, limits: Any) -> Entry:
        """The outermost first: within it its variable lies between its limits."""
        if not limits:
            return self.entry(function)
        *inner, (x, low, high) = limits
        low, high = self.scalar(low), self.scalar(high)
        between = tuple((a, b) for a, b in ((low, x), (x, high), (low, high)) if not a.is_infinite)
        within = replace(self, ordered=(*self.ordered, *between))
        try:
            inside = within._integral(function, inner)
        except Unordered as missing:
            cut = missing.other(x)
            if cut is None or cut in (low, high):
                raise
            halves = [
                self._integral(function, (*inner, (x, *ends))) for ends in ((low, cut), (cut, high))
            ]
            return _sum(halves, bool(self.gain))
        return replace(inside, parts={k: integral(c, x, low, high) for k, c in inside.parts.items()})


_A, _B, _WINDOW = sp.Symbol("_a"), sp.Symbol("_b"), sp.Symbol("_window")


def order_of(t: Any, s: Any, ordered: tuple[tuple[Any, Any], ...]) -> Any:
    """1 where t is not before s, -1 where it is before; by what is known of the order of times."""
    if sp.expand(t - s) == 0 or _before(s, t, ordered):
        return sp.Integer(1)
    if _before(t, s, ordered):
        return sp.Integer(-1)
    raise Unordered(t, s)


def _before(a: Any, b: Any, ordered: tuple[tuple[Any, Any], ...]) -> bool:
    reached, waiting = {a}, [a]
    while waiting:
        x = waiting.pop()
        new = [q for p, q in ordered if p == x and q not in reached]
        reached |= set(new)
        waiting += new
    return b in reached or bool(sp.expand(b - a).is_nonnegative)


def _turned(coefficient: Any) -> Any:
    return coefficient.subs({LI: LJ, LJ: LI, ELL_I: ELL_J, ELL_J: ELL_I}, simultaneous=True)


def _sum(entries: list[Entry], framed: bool) -> Entry:
    parts: dict[Any, Any] = {}
    for e in entries:
        for k, c in e.parts.items():
            parts[k] = parts.get(k, sp.Integer(0)) + c
    left = _common([e.left for e in entries], framed)
    return Entry(parts, left, _common([e.right for e in entries], framed))


def _common(indices: list[int | None], framed: bool) -> int | None:
    """The index that terms of a sum have; of positions and gradients either, where there is no gain."""
    known = {x for x in indices if x is not None}
    if len(known) > 1 and (framed or _MODE in known):
        raise NotInPairForm("a sum of what is given in different coordinates")
    return max(known) if known else None


def _times(x: Entry, y: Entry, framed: bool) -> Entry:
    """The product of two entries, one of them a function of A."""
    if None not in (x.right, y.left):
        fits = x.right == -(y.left or 0) if framed else (x.right == _MODE) == (y.left == _MODE)
        if not fits:
            raise NotInPairForm("a product of what is given in different coordinates")
    left = y.left if x.left is None else x.left
    right = x.right if y.right is None else y.right
    if x.is_function:
        f = x.parts.get(DELTA, sp.Integer(0))
        return Entry({k: f * c for k, c in y.parts.items()}, left, right)
    if y.is_function:
        g = _to_right(y.parts.get(DELTA, sp.Integer(0)))
        return Entry({k: _under(k, c, g) for k, c in x.parts.items()}, left, right)
    raise NotInPairForm("a product of two matrices besides functions of A")


def _to_right(f: Any) -> Any:
    return f.subs({LI: LJ, ELL_I: ELL_J})


def _under(letter: Any, c: Any, g: Any) -> Any:
    return c * (g.subs({LJ: LI, ELL_J: ELL_I}) if letter == DELTA else g)
