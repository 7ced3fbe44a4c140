"""Hypotheses on parameters as they are written in Python, ``beta < 1``: conditions like any other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from sgtheory.errors import DeclarationError, shown
from sgtheory.independent.fields import evaluate
from verification.miner.conditions import Condition
from verification.miner.scalars import ONE, Equal, OnScalars
from verification.refuter.places import Place

_HALVINGS = 8


@dataclass(frozen=True)
class Holds(OnScalars):
    """One formula in scalars is smaller than another, or not larger.

    >>> beta = sp.Symbol("beta", positive=True)
    >>> (condition,) = stated((beta < 1,))
    >>> condition.words, condition.holds(Place({}, {"beta": Fraction(1)}))
    ('beta < 1', False)
    """

    lower: Any
    upper: Any
    strict: bool

    @property
    def words(self) -> str:
        """As it is written."""
        return f"{self.lower} {'<' if self.strict else '<='} {self.upper}"

    def holds(self, place: Place) -> bool:
        """Exactly; of letters that a place has not, nothing is asked."""
        if not set(self.letters) <= set(place.scalars):
            return True
        room = _value(self.upper - self.lower, place)
        return bool(room > 0 or (room == 0 and not self.strict))

    def imposed(self, place: Place) -> Place:
        """The place with one letter halved or doubled until it holds, where that helps."""
        if self.holds(place):
            return place
        for k in range(1, _HALVINGS):
            for name in self.letters:
                for factor in (Fraction(1, 2**k), Fraction(2**k)):
                    moved = self._set(place, {name: place.scalars[name] * factor})
                    if self.holds(moved):
                        return moved
        return place

    @property
    def bounded(self) -> tuple[str, Any] | None:
        """The one letter that stays strictly below a positive number, and that number."""
        if self.strict and self.lower.is_Symbol and self.upper.is_number and self.upper.is_positive:
            return self.lower.name, self.upper
        return None

    def written(self, expr: Any) -> Any:
        """A letter below a number as a share of it; a letter above one as it and something more."""
        more = sp.Symbol(f"_within_{'_'.join(self.letters)}", positive=True)
        if self.bounded is not None:
            name, most = self.bounded
            x, value = self._symbol(expr, name), most * more / (1 + more)
        elif self.strict and self.upper.is_Symbol and self.lower.is_number:
            x, value = self._symbol(expr, self.upper.name), self.lower + more
        else:
            return expr
        return expr if x is None else expr.subs(x, value)

    def read_back(self, expr: Any) -> Any:
        """In the letter itself again."""
        more = sp.Symbol(f"_within_{'_'.join(self.letters)}", positive=True)
        if self.bounded is not None:
            x = sp.Symbol(self.bounded[0], positive=True)
            return sp.factor(sp.sympify(expr).subs(more, x / (self.bounded[1] - x)))
        if self.strict and self.upper.is_Symbol and self.lower.is_number:
            return sp.factor(sp.sympify(expr).subs(more, self.upper - self.lower))
        return expr


@dataclass(frozen=True)
class Is(OnScalars):
    """A letter is a formula in others, or a number: ``beta = 1/2``, ``M = S/2``.

    >>> beta = sp.Symbol("beta", positive=True)
    >>> (condition,) = stated((sp.Eq(beta, sp.Rational(1, 2)),))
    >>> condition.words, condition.imposed(Place({}, {"beta": Fraction(3)})).scalars
    ('beta = 1/2', {'beta': Fraction(1, 2)})
    """

    letter: Any
    value: Any
    said: str = ""  # as it is written

    @property
    def words(self) -> str:
        """As it is written."""
        return self.said or f"{self.letter} = {self.value}"

    def holds(self, place: Place) -> bool:
        """Exactly; of letters that a place has not, nothing is asked."""
        if not set(self.letters) <= set(place.scalars):
            return True
        return bool(place.scalars[self.letter.name] == _value(self.value, place))

    def imposed(self, place: Place) -> Place:
        """The letter is set."""
        if self.holds(place):
            return place
        value = _value(self.value, place)
        return self._set(place, {self.letter.name: value}) if isinstance(value, Fraction) else place

    def written(self, expr: Any) -> Any:
        """The formula in place of the letter."""
        x = self._symbol(expr, self.letter.name)
        return expr if x is None else expr.subs(x, self.value)


def _value(expr: Any, place: Place) -> Any:
    """A formula at a place: a fraction where it is one."""
    from verification.laws.rational import rooted

    try:
        roots = {s: rooted(place.scalars[s.name]) for s in expr.free_symbols}
        return evaluate(expr, roots, Fraction)
    except (TypeError, ValueError, KeyError, AttributeError, NotImplementedError):  # a root, or exp
        exact = {s: sp.Rational(str(place.scalars[s.name])) for s in expr.free_symbols}
        return expr.subs(exact)


@cache
def stated(given: tuple[Any, ...]) -> tuple[Condition, ...]:
    """The hypotheses that a machine can impose: conditions, and relations between parameters.

    >>> h, beta = sp.symbols("h beta", positive=True)
    >>> [c.words for c in stated((0 < h, beta <= 1, h * beta < 2, sp.Eq(h, beta)))]
    ['beta <= 1', 'beta*h < 2', 'h = beta']
    >>> S, M = sp.symbols("S M", positive=True)
    >>> [c.words for c in stated((sp.Eq(S, 2 * M), sp.Eq(beta, sp.Rational(1, 2))))]
    ['S = 2*M', 'beta = 1/2']
    """
    return tuple(c for h in given for c in _conditions(h))


def _conditions(hypothesis: Any) -> Iterator[Condition]:
    if isinstance(hypothesis, Condition):
        yield hypothesis
    elif isinstance(hypothesis, sp.And):
        for part in hypothesis.args:
            yield from _conditions(part)
    elif isinstance(hypothesis, sp.Eq):
        first, second = hypothesis.args
        if first.is_Symbol and (second.is_Symbol or second == 1):
            yield Equal((first.name, ONE if second == 1 else second.name))
        else:
            yield _solved(hypothesis)
    elif isinstance(hypothesis, sp.StrictLessThan | sp.LessThan | sp.StrictGreaterThan | sp.GreaterThan):
        names = tuple(sorted(s.name for s in hypothesis.free_symbols))
        strict = isinstance(hypothesis, sp.StrictLessThan | sp.StrictGreaterThan)
        yield Holds(names, sp.sympify(hypothesis.lts), sp.sympify(hypothesis.gts), strict)
    elif hypothesis is True or hypothesis is sp.true:
        return
    elif hypothesis is False or hypothesis is sp.false:
        raise DeclarationError("a hypothesis that can hold", "one that never does", "mend the relation")
    elif not hasattr(hypothesis, "words"):
        got, remedy = shown(hypothesis), "write beta < 1, without quotes, or Assumption(...)"
        raise DeclarationError("a hypothesis: a relation between letters, or words", got, remedy)


def _solved(equation: Any) -> Is:
    """An equation that is linear in one of its letters, as what that letter is; sizes stay free."""
    from sgtheory.declare import Size

    left, right = equation.args
    rest, names = left - right, tuple(sorted(s.name for s in equation.free_symbols))
    scalars = [s for s in rest.free_symbols if s.is_Symbol and s.is_commutative]
    for letter in sorted(scalars, key=lambda s: (isinstance(s, Size), s != left, s.name)):
        slope = sp.diff(rest, letter)
        if len(scalars) == len(rest.free_symbols) and slope != 0 and not slope.has(letter):
            value = sp.cancel(-rest.subs(letter, 0) / slope)
            if value.is_number and (value.is_real is False or (letter.is_positive and value <= 0)):
                said = f"{left} = {right}"
                raise DeclarationError("a hypothesis that can hold", said, "mend the equation")
            return Is(names, letter, value, f"{left} = {right}")
    remedy = "solve it for one of its letters"
    raise DeclarationError("an equation that is linear in a letter", f"{left} = {right}", remedy)
