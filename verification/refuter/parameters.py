"""Conditions on numbers: relations between letters, stated in Python or found by the machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from itertools import permutations
from numbers import Rational
from typing import Any

import sympy as sp

from sgtheory.declare import Size
from sgtheory.dynamics import coefficients
from sgtheory.errors import DeclarationError, shown
from sgtheory.independent.fields import evaluate
from sgtheory.notation.sentence import Sentence, say, sentence
from verification.refuter.conditions import Both, Condition
from verification.refuter.places import Place

_HALVINGS = 8
_FINE = 10**6  # the largest denominator of a bound that is no fraction


@dataclass(frozen=True)
class OnScalars(Condition):
    """A relation between scalars; of letters that a place has not, nothing is asked."""

    on_numbers = True

    def holds(self, place: Place) -> bool:
        """Exactly."""
        return not set(self.letters) <= set(place.scalars) or self._is_met(place)

    def _is_met(self, place: Place) -> bool:
        raise NotImplementedError

    def _put(self, expr: Any, letter: Any, value: Any) -> Any:
        """A formula in place of a letter, in the formula's own symbols."""
        own = {s.name: s for s in expr.free_symbols}
        if letter.name not in own:
            return expr
        value = sp.sympify(value)
        value = value.xreplace({s: own.get(s.name, s) for s in value.free_symbols})
        return expr.subs(own[letter.name], value)


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
    def words(self) -> Sentence:
        """As it is written."""
        return say("${} {} {}$", self.lower, "<" if self.strict else "<=", self.upper)

    def _is_met(self, place: Place) -> bool:
        room = _value(self.upper - self.lower, place)
        return bool(room > 0 or (room == 0 and not self.strict))

    def imposed(self, place: Place) -> Place:
        """The place with two letters exchanged; with one as a share of its bound, halved or doubled."""
        if self.holds(place):
            return place
        if len(self.letters) == 2 and self.lower.is_Symbol and self.upper.is_Symbol:
            names = (self.lower.name, self.upper.name)
            turned = place.but(**dict(zip(names, (place.scalars[n] for n in names[::-1]), strict=True)))
            if self.holds(turned):
                return turned
        if self.lower.is_Symbol and self.lower not in self.upper.free_symbols:
            name, most = self.lower.name, _fraction(_value(self.upper, place))
            share = 1 / (1 + 1 / (8 * (place.scalars[name] or 1)))  # near its bound, where much is tight
            if most > 0 and self.holds(shared := place.but(**{name: most * share})):
                return shared
        for k in range(1, _HALVINGS):
            for name in self.letters:
                for factor in (Fraction(1, 2**k), Fraction(2**k)):
                    moved = place.but(**{name: place.scalars[name] * factor})
                    if self.holds(moved):
                        return moved
        return place

    @property
    def bounded(self) -> tuple[str, Any] | None:
        """The one letter that stays strictly below a positive number, and that number."""
        if self.strict and self.lower.is_Symbol and self.upper.is_number and self.upper.is_positive:
            return self.lower.name, self.upper
        return None

    @property
    def _more(self) -> Any:
        return sp.Symbol(f"_within_{'_'.join(self.letters)}", positive=True)

    @property
    def _raises(self) -> bool:
        """Whether it says that a letter is above a number, or another letter."""
        above = self.lower.is_number or self.lower.is_Symbol
        return bool(self.strict and self.upper.is_Symbol and above)

    def written(self, expr: Any) -> Any:
        """A letter below a number as a share of it; one above something as it and something more."""
        more = self._more
        if self.bounded is not None:
            return self._put(expr, self.lower, self.upper * more / (1 + more))
        return self._put(expr, self.upper, self.lower + more) if self._raises else expr

    def read_back(self, expr: Any) -> Any:
        """In the letters themselves again."""
        if self.bounded is not None:
            own = self.lower / (self.upper - self.lower)
        elif self._raises:
            own = self.upper - self.lower
        else:
            return expr
        return sp.factor(sp.sympify(expr).subs(self._more, own))


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
    said: str = ""  # in words, where they are better than the equation

    @property
    def words(self) -> Sentence:
        """As it is written."""
        return sentence(self.said) if self.said else say("${} = {}$", self.letter, self.value)

    def _is_met(self, place: Place) -> bool:
        return bool(place.scalars[self.letter.name] == self._at(place))

    def imposed(self, place: Place) -> Place:
        """The letter is set."""
        if self.holds(place):
            return place
        value = self._at(place)
        return place.but(**{self.letter.name: value}) if isinstance(value, Fraction) else place

    def _at(self, place: Place) -> Any:
        """The formula's value; None where it has none."""
        try:
            return _value(self.value, place)
        except ZeroDivisionError:
            return None

    def written(self, expr: Any) -> Any:
        """The formula in place of the letter."""
        return self._put(expr, self.letter, self.value)


def together(relations: tuple[coefficients.Relation, ...]) -> Condition:
    """A few relations as one condition; the first was put into the others, so it is imposed last."""
    single: list[Condition] = [related(r) for r in reversed(relations)]
    return reduce(lambda a, b: Both((), a, b), single)


def related(relation: coefficients.Relation) -> Is:
    """An equation between parameters, told as it is, such as sigma^2 = 2 gamma T."""
    names = tuple(sorted(s.name for s in relation.polynomial.free_symbols))
    return Is(names, relation.symbol, relation.value, f"${relation.text}$")


def is_one(name: str, said: str = "") -> Is:
    """A letter is 1.

    >>> is_one("S").words
    'S = 1'
    """
    return Is((name,), sp.Symbol(name, positive=True), sp.Integer(1), said)


def scalar_conditions(names: tuple[str, ...]) -> Iterator[Condition]:
    """The relations between some positive scalars and 1, the weak before the strong.

    >>> [c.words for c in scalar_conditions(("a",))]
    ['a < 1', '1 < a', 'a = 1']
    """
    letters = (*(sp.Symbol(n, positive=True) for n in names), sp.Integer(1))
    for a, b in permutations(letters, 2):
        yield from _conditions(sp.StrictLessThan(a, b, evaluate=False))
    for k, a in enumerate(letters[:-1]):
        for b in letters[k + 1 :]:
            yield from _conditions(sp.Eq(a, b, evaluate=False))


def read_back(expr: Any, given: tuple[Condition, ...]) -> Any:
    """What ``written_under`` has put in, taken out again."""
    parts = [part for condition in given for part in condition.parts]
    return reduce(lambda e, part: part.read_back(e), reversed(parts), expr)


def written_under(expr: Any, given: tuple[Condition, ...]) -> Any:
    """A formula with the relations between its scalars put into its letters."""
    parts = (part for condition in given for part in condition.parts)
    return reduce(lambda e, part: part.written(e), parts, sp.sympify(expr))


def _fraction(value: Any) -> Fraction:
    """A number, or one near it where it has no fraction."""
    exact = isinstance(value, Rational) or getattr(value, "is_Rational", False)
    return Fraction(str(value)) if exact else Fraction(float(value)).limit_denominator(_FINE)


def _value(expr: Any, place: Place) -> Any:
    """A formula at a place: a fraction where it is one."""
    from verification.laws.rational import rooted

    try:
        roots = {s: rooted(place.scalars[s.name]) for s in expr.free_symbols}
        return evaluate(expr, roots, Fraction)
    except (TypeError, ValueError, KeyError, AttributeError, NotImplementedError):  # a root, or exp
        exact = {s: sp.Rational(str(place.scalars[s.name])) for s in expr.free_symbols}
        return expr.xreplace(exact)


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
    left, right = equation.args
    said, names = f"${left} = {right}$", tuple(sorted(s.name for s in equation.free_symbols))
    if left.is_Symbol and (right.is_Symbol or right == 1):
        return Is(names, left, right, said)
    rest = left - right
    scalars = [s for s in rest.free_symbols if s.is_Symbol and s.is_commutative]
    for letter in sorted(scalars, key=lambda s: (isinstance(s, Size), s != left, s.name)):
        slope = sp.diff(rest, letter)
        if len(scalars) == len(rest.free_symbols) and slope != 0 and not slope.has(letter):
            value = sp.cancel(-rest.subs(letter, 0) / slope)
            if value.is_number and (value.is_real is False or (letter.is_positive and value <= 0)):
                raise DeclarationError("a hypothesis that can hold", sentence(said), "mend the equation")
            return Is(names, letter, value, said)
    remedy = "solve it for one of its letters"
    raise DeclarationError("an equation that is linear in a letter", said, remedy)
