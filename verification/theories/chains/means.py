"""Means of a chain in numbers: by its transition density, or on the points that its steps reach."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
import sympy as sp
from flint import arb
from scipy.integrate import cumulative_simpson

from sgtheory.dynamics.firstorder import LineStep
from sgtheory.dynamics.noises import nodes
from sgtheory.errors import UnusableInput
from sgtheory.notation.sentence import say
from sgtheory.operator import line
from sgtheory.polynomials import is_zero
from verification.terms.comparing import Compared
from verification.terms.term import Letter, Term
from verification.terms.walking import Unable
from verification.terms.ways import Way
from verification.theories.chains import existence, local, moments, scripts
from verification.theories.chains.reading import (
    ROUGH,
    Differs,
    Laws,
    Reading,
    Settled,
    Under,
    linear,
    over_noise,
)
from verification.theories.named import Numbers

CLOSE = 1e-7  # below which two means are not told apart
_SMALL, _FAINT = 1e-8, 0.02  # below which a first term is none, or nothing is said
_NODES, _DEEP = 6_001, 60.0
# nothing is known: a step that is not smooth, a box that never holds, what is not real
_UNKNOWN = (UnusableInput, ArithmeticError, TypeError, ValueError, NameError, NotImplementedError)
_X = sp.Symbol("x", real=True)


def potential(x: Any, numbers: Mapping[str, Any]) -> Any:
    """One that is nearly a parabola, for an open function in a step or in a density."""
    steep, bend, shift = (numbers[n] for n in ("steep", "bend", "shift"))
    return steep * (x**2 + bend * sp.cos(x + shift)) / 2


def tested(x: Any, numbers: Mapping[str, Any]) -> Any:
    """One whose mean is looked at, for any other open function."""
    return x**2 + numbers["slope"] * x + numbers["wave"] * sp.cos(x) / 2


POTENTIAL = {"steep": "positive", "bend": "unit", "shift": "unit"}
TESTED = {"slope": "unit", "wave": "unit"}


def _certain(value: float, error: float) -> tuple[float, float]:
    """A number to the digits that its error leaves, which are what is shown of it.

    >>> _certain(0.1149293, 5.5e-5)[0]
    0.1149
    """
    if not 0 < error < math.inf:
        return value, error
    shown = round(value, -math.ceil(math.log10(error)))
    return shown, error + abs(shown - value)


class Means(Numbers):
    """The numbers of a place, where a letter may be on its way to a limit."""

    points = (1, 2)  # 16^-1 and 16^-2

    def __init__(self, values: Mapping[str, Any], place: Any, law: Any, way: Way | None = None) -> None:
        super().__init__(values, place, law)
        self.way = way

    def __bool__(self) -> bool:
        """A place without letters has means too."""
        return True

    @property
    def told_at(self) -> Any:
        """Which values a counterexample shows."""
        if not self.law.ways:
            raise AttributeError("both sides are shown as they are")
        letter = self.law.ways[0].letter
        both = "the first terms of the left side, and the right"
        if any(getattr(one, "is_expansion", False) for one in self.law.relations):
            both = "first terms of the left side less the formula, and the order"
        return say(f"{both}, at ${{}} = 1/16$ and $1/256$", letter)

    @cached_property
    def reading(self) -> Reading:
        """Functions as they are here."""
        known = {n: sp.Rational(x.numerator, x.denominator) for n, x in self.place.scalars.items()}
        made = {n: potential(_X, known) for n in self.law.potentials}
        made |= {n: tested(_X, known) for n in self.law.tested}
        written = {n: sp.Lambda(_X, e) for n, e in made.items()}
        return Reading({**written, **self.law.defined})

    def put(self, expr: Any, *but: str) -> Any:
        """An expression with numbers for letters."""
        known = {s: self[s.name] for s in expr.free_symbols if s.name in self and s.name not in but}
        return expr.subs({s: sp.Rational(x.numerator, x.denominator) for s, x in known.items()})

    def further(self, way: Way, k: int) -> Means | None:
        """At a point on the way."""
        known = self.moved(way, k)
        return None if known is None else Means(known, self.place, self.law, way)

    # -- at one value of every letter -----------------------------------------------------------------

    def worth(self, side: Term) -> tuple[Any, float]:
        """A side, and how far it may be off."""
        expr = self.reading.of(self.law.meant(side))
        found = {a: self._mean(a) for a in expr.atoms(Settled, Laws, Under, Differs)}
        names = {a: sp.Dummy() for a in found}
        expr = self.put(expr.xreplace(names))
        at = {names[a]: value for a, (value, _) in found.items()}
        exact = expr.subs(at)
        if exact.is_Rational:
            return Fraction(int(exact.p), int(exact.q)), 0.0
        value = sp.N(exact)
        if not value.is_real:  # nor infinite
            raise Unable("a number there")
        error = sum(abs(float(sp.diff(expr, names[a]).subs(at))) * e for a, (_, e) in found.items() if e)
        return _certain(float(value), float(error))

    def _mean(self, atom: Any) -> tuple[Any, float]:
        if isinstance(atom, Laws):
            return existence.counted(self.numbered(atom.args[0])), 0.0
        if isinstance(atom, Differs):
            return moments.differs(self.numbered(atom.args[0]), str(atom.args[1])), 0.0
        if isinstance(atom, Under):
            density, x, body = atom.args
            return under(self.put(density), x, self.put(body)), 1e-10
        step = self.numbered(atom.args[0])
        return mean(step, self.put(atom.args[1]))

    def numbered(self, name: Any) -> LineStep:
        """A step with numbers for letters."""
        return self.reading.steps[str(name)].put(self.put)

    def compared(self, left: Term, right: Term) -> Compared | None:
        """Both sides; alike where they are as near as their errors."""
        if any(a.kind == "variable" for side in (left, right) for a in side.letters):
            return self._as_functions(left, right)
        try:
            (a, e), (b, f) = self.worth(left), self.worth(right)
        except _UNKNOWN:
            return None
        if e + f > 1e-3 * (1 + abs(a)):
            return None
        if isinstance(a, Fraction) and isinstance(b, Fraction):
            return Compared(a, b, (a > b) - (a < b))
        far = abs(a - b) > CLOSE * (1 + abs(a)) + 10 * (e + f)
        return Compared(_fraction(a), _fraction(b), (1 if a > b else -1) if far else None)

    def _as_functions(self, left: Term, right: Term) -> Compared | None:
        """What is given of functions: whether they are one, or in which order at many places."""
        try:
            rest = self.put(self.reading.of(left) - self.reading.of(right))
        except _UNKNOWN:
            return None
        free = list(rest.free_symbols)
        if is_zero(rest):
            return Compared(Fraction(0), Fraction(0), 0)
        if len(free) != 1:
            return None
        signs = set(np.sign(scripts.function(rest, free[0])(np.linspace(-40, 40, 4001))))
        return Compared(Fraction(0), Fraction(0), int(signs.pop())) if len(signs) == 1 else None

    # -- on the way to a limit ------------------------------------------------------------------------

    def size(self, side: Term) -> Any:
        """The size of the first two terms of a side; None where they are not known."""
        way = self.way
        if way is None or way.to != "0":
            return None
        try:
            expr, h = self.reading.of(self.law.meant(side)), self.law.letter(way)
            if not expr.atoms(Settled, Under, Laws):
                return arb(str(abs(sp.N(self.put(expr), 30))))
            if expr.atoms(Laws):
                return arb(abs(float(self.worth(side)[0])))
            terms = self._first_terms(expr, way.letter.name, h)
        except _UNKNOWN:
            return None
        step = float(self[way.letter.name])
        kept = [c if abs(c) > _SMALL else 0.0 for c in terms]
        if any(0 < abs(c) < _FAINT for c in kept):
            return None  # beside terms that follow it a script would not see it
        return arb(abs(sum(c * step**k for k, c in enumerate(kept))))

    def _first_terms(self, expr: Any, name: str, h: Any) -> tuple[float, ...]:
        expr = self.put(expr, name)
        found, rests = {}, True
        for atom in expr.atoms(Settled, Under):
            if isinstance(atom, Under):
                density, x, body = (self.put(a, name) for a in atom.args)
                if density.has(h) or body.has(h):
                    raise UnusableInput("a density without the step", str(density), "mend it")
                found[atom] = sp.Float(under(density, x, body))
                continue
            step, body = self.reading.steps[str(atom.args[0])], self.put(atom.args[1], name)
            if body.has(h):
                raise UnusableInput("a mean of what does not have the step", str(body), "mend it")
            step = step.put(lambda a: self.put(a, name))
            with suppress(*_UNKNOWN, sp.PolynomialError):
                known = local.series(step, h, body)
                found[atom] = sp.Add(*(sp.Float(sp.N(c)) * h**k for k, c in enumerate(known)))
                continue
            rests = False
            zero, one = first_terms(step, h, body)
            found[atom] = sp.Float(zero) + h * sp.Float(one)
        whole = expr.xreplace(found)
        count = local.ORDERS if rests and not expr.atoms(Under) else 2
        slopes = (sp.diff(whole, h, k).subs(h, 0) / math.factorial(k) for k in range(count))
        return tuple(float(sp.N(c)) for c in slopes)

    # -- in a script ----------------------------------------------------------------------------------

    def called(self, letters: Iterable[Letter]) -> dict[str, str]:
        """What a script calls letters: numbers of the place, and means by their number."""
        return {a.name: f"_of[{a.name!r}]" for a in letters}

    def lines(self) -> list[str]:
        """The same in a script."""
        if self.way is None and any(r.limiting for r in self.law.relations):
            return []
        return scripts.lines(self)


def _fraction(x: float | Fraction) -> Fraction:
    return x if isinstance(x, Fraction) else Fraction(x).limit_denominator(10**12)


@cache
def mean(step: LineStep, body: Any) -> tuple[Any, float]:
    """The mean of a function under the law of a step in numbers, and its error."""
    if moments.affine(step) is not None and body.is_polynomial(step.place, *step.noises):
        return moments.worth(step, body), 0.0
    if not step.is_normal or (linear(step) is None and existence.by_sign(step) is None):
        return _followed(step).expect(scripts.over_nodes(step, body))
    if body.has(*step.noises):
        body = over_noise(body, step)
    if existence.which(step) == "none":
        raise UnusableInput("a chain that settles", str(step.after), "none does")
    function = scripts.function(body, step.place)
    if linear(step) is None:
        return existence.on_points(step, function)
    return _law(step).expect(function)


@cache
def _followed(step: LineStep) -> line.LineLaw:
    if len(step.noises) != 1 or step.new is not None or existence.which(step) not in ("one", "some"):
        raise UnusableInput("a chain that settles, with one noise", str(step.after), "mend it")
    return line.followed(
        scripts.function(step.after, step.place, step.noises[0]), nodes(step.law(step.noises[0]))
    )


@cache
def _law(step: LineStep) -> line.LineLaw:
    found = linear(step)
    assert found is not None
    move, square, push = found
    y = step.new if step.new is not None else step.place
    pushed = y + push
    parts = (
        (step.place, move),
        (step.place, sp.sqrt(square)),
        (y, pushed),
        (y, sp.diff(pushed, y)),
    )
    made = (scripts.function(e, s) for s, e in parts)
    return line.settled(line.LineStep(*made))


@cache
def _grid(density: Any, x: Any) -> tuple[Any, Any]:
    """Nodes where exp of it is not negligible, and weights that sum to one."""
    f, half = scripts.function(density, x), 4.0
    for _ in range(60):
        nodes = np.linspace(-half, half, _NODES)
        with np.errstate(all="ignore"):
            values = f(nodes)
        top = np.nanmax(values)
        if max(values[0], values[-1]) < top - _DEEP:
            weights = np.exp(values - top)
            return nodes, weights / weights.sum()
        half *= 1.5
    raise UnusableInput("a density that can be normalised", str(density), "mend the potential")


def under(density: Any, x: Any, body: Any) -> float:
    """The mean of a function under exp of another."""
    nodes, weights = _grid(density, x)
    return float(weights @ scripts.function(body, x)(nodes))


@cache
def first_terms(step: LineStep, h: Any, body: Any) -> tuple[float, float]:
    """The mean in the limit, and how fast it moves with the step: slopes are added up on nodes."""
    if step.after.has(*ROUGH):
        raise UnusableInput("a step that is smooth", str(step.after), "its first term needs another way")
    score, slope = step.score(h), step.slope(h)
    x = step.place
    density = _antiderivative(score, x)
    nodes, weights = _grid(density, x)
    values = scripts.function(body, x)(nodes)
    slopes = scripts.function(slope, x)(nodes)
    g = cumulative_simpson(slopes, x=nodes, initial=0)
    centred = g - weights @ g
    return float(weights @ values), float(weights @ (values * centred))


@cache
def _antiderivative(expr: Any, x: Any) -> Any:
    found = sp.integrate(expr, x)
    if found.has(sp.Integral):
        raise UnusableInput("a drift with a potential", str(expr), "write it as a slope")
    return found
