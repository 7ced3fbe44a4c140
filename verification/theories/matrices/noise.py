"""The whole noise of a step: where it is a multiple of A, a covariance is a multiple of its gain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.modepairs.matrixform import law_equation
from sgtheory.modepairs.pairs import stationary
from sgtheory.notation.matrixwords import SIGMA, A, C, H
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import Formula, Sentence, say
from sgtheory.reader.exact import diagonal, is_definite
from verification.laws.pair_form import by_word
from verification.laws.rational import value_at
from verification.refuter.conditions import AreProportional, Condition, NotImposed
from verification.refuter.parameters import written_under
from verification.refuter.places import Place
from verification.terms.term import Letter, Term

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law
    from verification.theories.matrices.recipes import Recipe

_DIVIDED = (SIGMA * H**-1, H**-1 * SIGMA)


@dataclass(frozen=True)
class NoiseIsMultiple(Condition):
    """All noises of a step together have a covariance that is a multiple of the curvature."""

    noise: Any = field(default=None, compare=True)  # a sum of covariances, as a formula

    @property
    def words(self) -> Sentence:
        """Such as ``E E^T + eps*B B^T is a multiple of A``."""
        text = plain(self.noise).replace("EE^T", "E E^T").replace("C", "B B^T")
        return say("{} is a multiple of $A$", Formula(latex(self.noise), text))

    @property
    def reads(self) -> frozenset[str]:
        """The curvature, both covariances and the numbers in front of them."""
        return frozenset({"A", *(s.name for s in self.noise.free_symbols if s.is_commutative)})

    def holds(self, place: Place) -> bool:
        """In exact numbers."""
        return bool(AreProportional(("V", "A"))._has(_value(self.noise, place), place.A))

    def imposed(self, place: Place) -> Place:
        """The curvature becomes three times the noise."""
        made = tuple(tuple(3 * x for x in row) for row in _value(self.noise, place))
        if not is_definite(made, strictly=True):
            raise NotImposed("a curvature that is a multiple of singular noise")
        return place.but(A=made)


def _value(noise: Any, place: Place) -> Any:
    """Of a sum of covariances at a place; numbers are 1 where matrices alone are asked about."""
    names = {s.name: s.is_commutative for s in noise.free_symbols}
    known: dict[str, Any] = {n: Fraction(1) for n, number in names.items() if number}
    known |= {n: x for n, x in place.scalars.items() if n in known}
    known |= {n: place.value(n) for n, number in names.items() if not number}
    return value_at(noise, place, **known)


def fitting_curvatures(law: Law, place: Place) -> Iterator[Place]:
    """The place with the diagonal of the whole noise V for its curvature, and with A W + W A = V.

    With W diagonal the law is W at no gain, and W H at every diagonal one.
    """
    noise = whole_noise(law)
    if noise is None or not {"A", "B"} <= set(place.matrices):
        return
    try:
        rows = _value(noise, place)
    except (KeyError, ZeroDivisionError):
        return
    shared = tuple(tuple(x / (i + j + 2) for j, x in enumerate(row)) for i, row in enumerate(rows))
    for made in (diagonal(tuple(row[k] for k, row in enumerate(rows))), shared):
        if is_definite(made, strictly=True):
            yield place.but(A=made)


def whole_noise(law: Law | Recipe) -> Any:
    """The noise W of a law of which H A Sigma + Sigma A H = H W H is the equation; None of another."""
    if law.setting is None or law.time != "continuous":
        return None
    equation = law_equation(stationary(law.setting, law.time))
    left, right = (by_word(sp.expand(side)) for side in (equation.left, equation.right))
    if left != {H * A * SIGMA: 1, SIGMA * A * H: 1}:
        return None
    inner = [(c, H**-1 * word * H**-1) for word, c in right.items()]
    return sp.Add(*(c * word for c, word in inner))


def conditions_on_noise(law: Law) -> tuple[Condition, ...]:
    """That the whole noise is a multiple of the curvature, where several make it."""
    whole = whole_noise(law)
    noise = None if whole is None else written_under(whole, law.given)
    names = () if noise is None else tuple(str(w) for w in by_word(sp.expand(noise)))
    several = len(names) > 1 and set(names) <= {"C", "EE^T"}
    return (NoiseIsMultiple(("A", *names), noise),) if several else ()


def divided_by_gain(law: Law, quantity: Term, letter: Letter) -> bool:
    """Whether a quantity is Sigma H^(-1), or its transpose, for every positive definite gain H."""
    known = letter.name == "H" and whole_noise(law) is not None
    free = dict(law.kinds).get("H", "positive definite") == "positive definite"
    if not (known and free) or any("H" in c.letters for c in law.given):
        return False
    words = by_word(sp.expand(law.symbols(quantity)))
    return len(words) == 1 and set(words) <= set(_DIVIDED) and not next(iter(words.values())).has(H)


def is_multiple(law: Law, condition: Any) -> bool:
    """Whether a condition says that the whole noise is a multiple of the curvature."""
    noise = whole_noise(law)
    if isinstance(condition, NoiseIsMultiple):
        rest = None if noise is None else written_under(condition.noise - noise, law.given)
        return rest is not None and sp.expand(rest) == 0
    alone = noise is not None and set(by_word(sp.expand(noise))) == {C}
    return alone and condition in (AreProportional(("A", "C")), AreProportional(("C", "A")))
