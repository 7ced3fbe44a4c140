"""Matrices that need not commute: a term as a series in a small number, in words of its letters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import say
from verification.terms.arithmetics.series import Around, Jet
from verification.terms.arithmetics.symbols import SYMBOLS, symbol
from verification.terms.notation import I
from verification.terms.term import Term, number
from verification.terms.walking import Unable, Undefined, walk
from verification.terms.ways import Way
from verification.theories.answers import Answer, Proved, Silence, Silent, called

_HIGHEST = 4  # power that is looked at
NOTHING = (_HIGHEST + 1, sp.Integer(0))
_WORDS = replace(SYMBOLS, sign=lambda x: 0 if x == 0 else None)


def first_word(side: Term, way: Way) -> tuple[int, Any]:
    """The lowest power of the letter that is left, and its coefficient.

    >>> from verification.terms.term import letter
    >>> from verification.terms.ways import vanishing
    >>> from verification.theories.time.words import expm
    >>> h, A, B = letter("h"), letter("A", "matrix"), letter("B", "matrix")
    >>> first_word(expm(h * A) * expm(h * B) - expm(h * (A + B)), vanishing(h))
    (2, A*B/2 - B*A/2)
    """
    around = Around(_WORDS, 1, _HIGHEST)
    values = {a.name: Jet({around.zero: symbol(a)}) for a in side.letters}
    values |= {I.name: around.number(1), way.letter.name: around.variable(0, 0)}

    def expm(a: Jet) -> Jet:
        if sp.expand(around.constant(a)) != 0:
            raise Unable("an exponential of what does not vanish")
        return around.relative(around.off(a))

    series = around.over_base()
    found = walk(side, replace(series, operations={**series.operations, "expm": expm}), values)
    words = ((n, sp.expand(c)) for (n,), c in sorted(found.terms.items()))
    return next(((n, c) for n, c in words if c != 0), NOTHING)


def has_order(theory: Any, left: Term, word: str, right: Term, way: Way) -> Answer:
    """Whether the left side is of the order of a power of the letter, for all matrices."""
    one, other = lowest(theory, left, way), lowest(theory, right, way)
    if word not in ("O", "o") or one is None or other is None or other == NOTHING:
        return Silent(Silence.NO_FORMULA)
    shown = Equation(Formula(r"\text{left}", "left"), one[1])
    told = Derivation("Series", (Step("First term", f"At the power {one[0]}:", (shown,)),), ())
    if one == NOTHING:
        return Proved(f"Nothing is left over below the power {_HIGHEST + 1}.", told)
    if one[0] > other[0] or (word == "O" and one[0] == other[0]):
        power, factor = one
        first = Formula(
            rf"{way.letter.latex()}^{{{power}}} \left({latex(factor)}\right)",
            f"{way.letter}**{power}*({plain(factor)})",
        )
        return Proved(say("To first order {} is {}.", called(left), first), told)
    return Silent(Silence.LEFT_OVER, derivation=told)  # matrices of some kinds may commute


def lowest(theory: Any, side: Term, way: Way) -> tuple[int, Any] | None:
    """The first word where there is no law, so that letters are free; None where there is one."""
    if way.to != "0" or way.where or getattr(theory, "setting", theory) is not None:
        return None
    try:
        return first_word(side, way)
    except (Unable, Undefined, KeyError, TypeError):  # what has no such series
        return None


def power(theory: Any, side: Term, way: Way) -> Term | None:
    """The power of the letter in the first word."""
    found = lowest(theory, side, way)
    if found is None or found == NOTHING:
        return None
    return way.letter if found[0] == 1 else way.letter ** number(found[0])
