"""How far apart both sides of a false statement are at the numbers that show it, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sgtheory.notation.sentence import Sentence, say, sentence
from verification.statements import telling
from verification.verdicts.both import Both, are
from verification.verdicts.verdict import Counterexample

_LINE = 130  # letters of a place, and of what both sides are there
_BEYOND = re.compile(r"[eE][+-]?\d{5}")  # an exponent that no fraction can hold
_TIMES = 2  # from which on a side is so many times the other, rather than so many percent larger


def violated(shown: Counterexample) -> Sentence:
    """Why a statement is refuted that numbers alone refute: where, and how far apart its sides are.

    >>> at = {"A": [["1"]], "eps": "1/2"}
    >>> print(violated(Counterexample(at, [["1/3"]], [["1/2"]], Both())))
    At A = 1, eps = 1/2 the left side is 1/3 and the right side 1/2, 50 % larger.
    """
    where = telling.exact_numbers(plain(shown.problem))
    said = sentence(shown.in_words) if shown.in_words else apart(shown)
    if said is None:
        return telling.BY_NUMBERS
    if not 0 < len(where) <= _LINE:
        return say("It is violated at the numbers below: {}.", said)
    return say("At {}, {}." if shown.in_words else "At {} {}.", where, said)


def apart(shown: Counterexample) -> Sentence | None:
    """Both sides at a counterexample, and by what they differ; None where that is too long.

    >>> at, bounds = {"x": "1"}, "a proved bound from below, and the bound as printed, " * 3
    >>> print(apart(Counterexample(at, "1", "2/3", bounds)))
    the left side is 1 and the right side 2/3
    """
    sides = [printed(side) for side in (shown.left, shown.right)]
    left, right = (_in_full(side) for side in (shown.left, shown.right))
    if len(left) + len(right) > _LINE:
        return None
    words = shown.words
    if len(left) + len(right) + len(words) > _LINE:
        shape = "the left side is ${}$ and the right side ${}$"
        return say(shape if all(sides) else shape.replace("$", ""), left, right)
    if not isinstance(words, Both) or not words.alone:
        shape = "${}$" if all(sides) else "{}"
        otherwise = "{} come to {} and {}" if all(sides) else "{}: {}; {}"
        return are(words, say(shape, left), say(shape, right), otherwise)
    how = _compared(*(side[0] for side in sides)) if all(len(side) == 1 for side in sides) else ""
    more = f", {how}" if how else ""
    return say("the left side is ${}$ and the right side ${}${}{}", left, right, more, words.after)


def _in_full(side: Any) -> str:
    """A side as it is shown, a matrix on one line and of one entry as that entry."""
    alone = isinstance(side, list | tuple) and len(side) == 1 and isinstance(side[0], list | tuple)
    return telling.matrix(side[0][0] if alone and len(side[0]) == 1 else side)


def _compared(a: Decimal, b: Decimal) -> str:
    """What the second is beside the first; nothing where one is zero, or their signs differ.

    >>> _compared(Decimal(1), Decimal(3)), _compared(Decimal(3), Decimal(2))
    ('3 times as large', '33 % smaller')
    >>> _compared(Decimal(1), Decimal(1)), _compared(Decimal(1), Decimal(-1))
    ('the same in all digits that are shown', '')
    """
    if a * b <= 0:
        return ""
    size = " in size" * (a < 0)
    a, b = abs(a), abs(b)
    if a == b:
        return "the same in all digits that are shown"
    if b >= _TIMES * a:
        return f"{short(b / a)} times as large{size}"
    return f"{percent(abs(1 - b / a))} {'larger' if b > a else 'smaller'}{size}"


def side_in_words(side: Any) -> Any:
    """A side as it is shown, as a formula where it is a number."""
    found = printed(side)
    alone = isinstance(side, list | tuple) and len(found) == 1
    text = short(found[0]) if alone else telling.matrix(side)
    return say("${}$", text) if found else text


def printed(side: Any) -> list[Decimal]:
    """Numbers that a side is shown as; none where it is something else, or beyond all decimals."""
    if isinstance(side, list | tuple):
        return [x for part in side for x in printed(part)]
    if _BEYOND.search(str(side)):
        return []
    try:
        return numbers([Fraction(part) for part in str(side).split(", ")])
    except ValueError:
        return []


def plain(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of a place, matrices of one entry as that entry."""
    found: dict[str, Any] = {}
    for name, x in problem.items():
        if isinstance(x, Mapping) and name != "params":
            continue  # coefficients of a function, which is there by its formula
        alone = isinstance(x, list | tuple) and len(x) == 1 and len(x[0]) == 1
        found[name] = plain(x) if isinstance(x, Mapping) else x[0][0] if alone else x
    return found


def numbers(side: Any) -> list[Decimal]:
    """The entries of a side as decimals, of a matrix by rows; none of what is no number."""
    if hasattr(side, "tolist"):
        side = side.tolist()
    if isinstance(side, list | tuple):
        return [x for part in side for x in numbers(part)]
    if isinstance(side, Decimal):
        return [side]
    return [Decimal(side.numerator) / side.denominator] if hasattr(side, "numerator") else []


def share(left: list[Decimal], right: list[Decimal]) -> Decimal | None:
    """The size of the difference over that of the larger side."""
    if len(left) != len(right) or not left:
        return None
    largest = max(_norm(left), _norm(right))
    return _norm([a - b for a, b in zip(left, right, strict=True)]) / largest if largest else None


def _norm(entries: list[Decimal]) -> Decimal:
    return sum((x * x for x in entries), Decimal(0)).sqrt()


def percent(share: Decimal) -> str:
    """Two digits of it, where these are not far behind the point.

    >>> percent(Decimal("0.3071")), percent(Decimal("0.00512")), percent(Decimal("9.8e-8"))
    ('31 %', '0.51 %', 'less than 0.0001 %')
    """
    least = Decimal("0.0001")
    return f"{short(100 * share, 2)} %" if 100 * share >= least else f"less than {least} %"


def short(x: Decimal, digits: int = 3) -> str:
    """A few digits of a number, without powers of ten where it is of usual size."""
    rounded = float(f"{float(x):.{digits}g}")
    return f"{rounded:.{digits}g}" if not 1e-4 < abs(rounded) < 10**7 else f"{rounded:,.10g}"
