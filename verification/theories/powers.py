"""Powers that are formulas in letters, ``t**(-gamma)``: what they tend to, and whether they have a sum.

Each term is a product of powers, so that it goes like one power of what moves; whether that power is
large enough is a question of sign, and where it has no one sign it says where the statement holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import sympy as sp

from sgtheory.notation.sentence import say
from verification.refuter.parameters import Holds, read_back
from verification.terms.arithmetics.symbols import symbol
from verification.terms.asymptotics import Undecided, first_terms, sign, taken_and_added
from verification.terms.from_sympy import from_sympy
from verification.terms.ways import Way
from verification.theories import signs
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent

_WANTED = {"O": False, "o": True}  # whether a power has to be above zero


def adds_up(
    terms: Any, finite: bool, way: Way, given: tuple[Any, ...] = (), positive: tuple[Any, ...] = ()
) -> Answer:
    """Whether terms for t = 1, 2, 3, ... have a finite sum, or an infinite one.

    ``positive`` are formulas that are known to be, such as 1 - beta of a fraction.

    >>> from verification.terms.term import letter
    >>> from verification.terms.ways import growing
    >>> t, a = sp.symbols("t a", positive=True)
    >>> adds_up(t ** (-1 - a), True, growing(letter("t"))).lemma
    'The terms fall like t**(-a - 1), so that their sum is finite.'
    >>> print(adds_up(t**-a, True, growing(letter("t"))).only_if)
    1 < a
    """
    x = symbol(way.letter)
    power, turn = _power(terms, x, way)
    if power is None:
        return Silent(Silence.NO_FORMULA)
    known = _known(given, positive)
    beyond, before = _signs(-1 - power, known)[0], _signs(1 + power, known)[1]
    told = beyond if isinstance(beyond, Proved) else before
    if not isinstance(told, Proved):
        return Silent(Silence.SIGN, only_if=_needed(-1 - power if finite else 1 + power, finite, given))
    size = "finite" if told is beyond else "infinite" if turn > 0 else "minus infinity"
    lemma = say("The terms fall like {}, so that their sum is {}.", x ** _shown(power, given), size)
    right = told is beyond if finite else size == "infinite"
    return (Proved if right else Disproved)(lemma, told.derivation)


def has_order(
    left: Any,
    right: Any,
    word: str,
    way: Way,
    given: tuple[Any, ...] = (),
    positive: tuple[Any, ...] = (),
) -> Answer | None:
    """Whether a sum of powers is at most, or less than, of the order of one power; None where no one is.

    >>> from verification.terms.term import letter
    >>> from verification.terms.ways import growing
    >>> t, a, b = sp.symbols("t a b", positive=True)
    >>> has_order(t**-a + b * t ** (-2 * a), t**-a, "O", growing(letter("t"))).lemma
    'It is at most of that order: t**(-a), t**(-2*a) beside t**(-a).'
    >>> print(has_order(t ** (1 - a), sp.Integer(1), "o", growing(letter("t"))).only_if)
    1 < a
    """
    x, terms = symbol(way.letter), sp.Add.make_args(left)
    against, _ = _power(right, x, way)
    found, turns = zip(*(_power(one, x, way) for one in terms), strict=True)
    if word not in _WANTED or against is None or None in found:
        return None
    rooms = [way.sign * (one - against) for one in found]
    strict = _WANTED[word]
    known = _known(given, positive)
    answers = [_signs(room, known)[not strict] for room in rooms]
    powers = [x ** _shown(one, given) for one in (*found, against)]
    shown = say(f"{', '.join(['{}'] * len(found))} beside {{}}", *powers)
    if all(isinstance(one, Proved) for one in answers):
        size = "smaller than" if strict else "at most of"
        return Proved(say("It is {} that{}: {}.", size, "" if strict else " order", shown))
    against_it = [_signs(-room, known)[strict] for room in rooms]
    if len(set(turns)) == 1 and any(isinstance(one, Proved) for one in against_it):
        return Disproved(say("It is larger than that: {}.", shown))
    needed = _needed(rooms[0], strict, given) if len(rooms) == 1 else None
    return Silent(Silence.SIGN, only_if=needed)


def _power(of: Any, x: Any, way: Way) -> tuple[Any, int]:
    """The power, a formula in letters, that a product of powers goes like, and its sign.

    What it is over that power tends to a number that is not zero; None where that is not seen.
    """
    total, turn = sp.Integer(0), 1
    for one in sp.Mul.make_args(sp.powdenest(of)):
        base, above = one.as_base_exp()
        try:
            (term,) = first_terms(base, x, way.to, 1)
        except (Undecided, ZeroDivisionError, NotImplementedError):
            return None, 0
        if above.has(x) or term.logs or abs(term.power) == math.inf:
            return None, 0
        here = sign(term.coefficient)
        if not here or (here < 0 and above != 1):
            return None, 0
        turn *= here
        total += sp.Rational(str(term.power)) * above
    return total, turn


def _known(given: Iterable[Any], positive: Iterable[Any]) -> list[tuple[Any, Any, bool]]:
    """What is smaller than what, and whether it is never equal."""
    relations = [(c.lower, c.upper, c.strict) for c in given if isinstance(c, Holds)]
    return [*relations, *((sp.Integer(0), one, True) for one in positive)]


def _signs(room: Any, known: list[tuple[Any, Any, bool]]) -> tuple[Answer, Answer]:
    """Whether a formula is positive by what is known, and whether it is nowhere negative."""
    pairs, strictly = ([(a, b) for a, b, strict in known if strict or one] for one in (True, False))
    positive = signs.certified([signs.Case(room, strictly)], {}, set(), strict=True)
    return positive, signs.certified([signs.Case(room, pairs)], {}, set(), strict=False)


def _needed(room: Any, strict: bool, given: tuple[Any, ...]) -> Any:
    """That a formula is positive, or not negative; solved for a lone letter."""
    room = _shown(room, given)
    small, large = taken_and_added(room)
    if len(room.free_symbols) == 1:
        (letter,) = room.free_symbols
        slope = sp.diff(room, letter)
        if slope.is_number:
            (bound,) = sp.solve(room, letter)
            small, large = (bound, letter) if slope > 0 else (letter, bound)
    less, more = from_sympy(small), from_sympy(large)
    return less < more if strict else less <= more


def _shown(power: Any, given: tuple[Any, ...]) -> Any:
    return sp.factor(sp.together(read_back(power, given)))
