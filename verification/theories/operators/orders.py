"""What is left over first as a letter vanishes, whatever the functions left open."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import formula_of, joined, say
from verification.refuter.parameters import Is
from verification.terms.arithmetics.symbols import symbol
from verification.terms.dynamics import flowed
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Term
from verification.terms.walking import Unable, Undefined, walk
from verification.terms.ways import Way
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent, called
from verification.theories.operators.arguments import FreeOfArgument, Smooth
from verification.theories.operators.powers import Powers

_SPARE, _HIGHEST = (0, 4, 10), 12  # half powers that quotients cost, and that are looked at
_KNOWN = 256
_FURTHER = 2  # powers of the step beyond what is claimed that the first error is looked for


@lru_cache(maxsize=_KNOWN)
def _series(given: tuple[Any, ...], side: Term, way: Way, most: int) -> tuple[Powers, Any] | None:
    """A side to a half power, with what its coefficients are polynomials in."""
    if way.to != "0" or way.where:
        return None
    free = tuple(p for p in given if isinstance(p, FreeOfArgument))
    smooth = {p.name: p.derivatives for p in given if isinstance(p, Smooth)}
    for spare in _SPARE:
        powers = Powers(way.letter, max(most, 1) + spare, free, smooth)
        arithmetic = powers.arithmetic("series in a small letter", exact=True)
        values = {a.name: powers.letter(a) for a in side.letters if a.kind != "variable"}
        try:
            for one in reversed([p for p in given if isinstance(p, Is)]):
                value = from_sympy(one.value)
                known = {a.name: values.get(a.name, powers.letter(a)) for a in value.letters}
                values[one.letter.name] = walk(value, arithmetic, known)
            found = walk(side, arithmetic, values)
        except Unable:
            return None
        except Undefined:  # what is divided by may only begin further on
            continue
        if found.known >= most:
            return powers, found
    return None


def expanded(theory: Any, side: Term, way: Way, most: int) -> dict[int, Any] | None:
    """Coefficients by half powers below one, as expressions; None where there is no such series."""
    found = _series(tuple(p for c in theory.given for p in c.parts), side, way, most)
    if found is None:
        return None
    powers, series = found
    return {k: powers.expression(p) for k, p in sorted(series.at.items()) if k < most}


def first(theory: Any, side: Term, way: Way, furthest: int = _HIGHEST) -> tuple[int, Any] | None:
    """The first half power, and what is in front of it; None where there is none that is looked at."""
    for most in range(2, furthest + 1, 2):
        found = expanded(theory, side, way, most)
        if found:
            return next(iter(found.items()))
    return None


def left_over(theory: Any, left: Term, right: Term, way: Way) -> dict[int, Any] | None:
    """What stands in front of the half powers below the right side."""
    bound = first(theory, right, way)
    return expanded(theory, left, way, bound[0]) if bound else None


def has_order(
    theory: Any, left: Term, word: str, right: Term, way: Way, given: tuple[Any, ...] = ()
) -> Answer:
    """Whether nothing of the left side is left over below the right."""
    bound = first(theory, right, way) if word == "O" else None
    rest = expanded(theory, left, way, bound[0]) if bound else None
    if bound is None or rest is None:
        return Silent(Silence.NO_FORMULA)
    if not rest:
        of_a_step = _first_error(theory, left, way, bound[0])
        if of_a_step is not None:
            return of_a_step
        found = first(theory, left, way, bound[0] + 2)
        if found is None:
            lemma = "Nothing is left over below {}, whatever the functions left open."
            return Proved(say(lemma, right))
        told, shown = told_of(*found, way)
        return Proved(
            say("To first order, whatever the functions left open, {} is {}.", called(left), shown), told
        )
    told, shown = told_of(*next(iter(rest.items())), way)
    return Disproved(say("To first order {} is {}.", called(left), shown), told)


def _first_error(theory: Any, left: Term, way: Way, bound: int) -> Proved | None:
    """Of a mean after a step, less what its process makes of it below a bound: what is the step's own.

    More powers of the process are taken away for that.
    """
    order, flow = bound // 2 - 1, left.parts[-1] if left.parts else left
    if order < 1 or not isinstance(flow, Applied) or flow.head != "+":
        return None
    parts = (t for t in flow.subterms() if isinstance(t, Applied))
    generated = next((t for t in parts if t.head == "generated"), None)
    if generated is None or flow != flowed(flow.of[0], generated.of[1:], way.letter, order):
        return None
    for k in range(1, _FURTHER + 1):
        more = flowed(flow.of[0], generated.of[1:], way.letter, order + k)
        found = first(theory, left.with_parts((left.parts[0], more)), way, bound + 2 * k)
        if found is not None:
            told, shown = told_of(*found, way)
            better = f"It is in fact of order {found[0] // 2 - 1}." if found[0] > bound else ""
            return Proved(joined(say("The first error of one step is {}.", shown), better), told)
    return None


def told_of(power: int, coefficient: Any, way: Way) -> tuple[Derivation, Formula]:
    """A first term, as it is derived and in words."""
    h = symbol(way.letter) ** sp.Rational(power, 2)
    shown = Equation(Formula(r"\text{left}", "left"), _times(h, coefficient), "~")
    step = Step("The first term", say("By Taylor series about the point, as {}:", way), (shown,))
    return Derivation("First terms", (step,), ()), shown.right


def _times(h: Any, coefficient: Any) -> Formula:
    if h == 1:
        return formula_of(coefficient)
    return Formula(
        rf"{latex(h)} \left({latex(coefficient)}\right)", f"{plain(h)}*({plain(coefficient)})"
    )


def first_term(
    theory: Any, left: Term, way: Way, given: tuple[Any, ...] = ()
) -> tuple[tuple[Term, ...], Term | None]:
    """No formula that holds everywhere; the power of the first term."""
    found = first(theory, left, way)
    return (), from_sympy(symbol(way.letter) ** sp.Rational(found[0], 2)) if found else None


def without_left_over(theory: Any, left: Term, right: Term, way: Way) -> Term | None:
    """The left side less what is left over below the right."""
    rest = left_over(theory, left, right, way)
    terms = [sp.factor(c) * symbol(way.letter) ** sp.Rational(k, 2) for k, c in (rest or {}).items()]
    return left - from_sympy(sp.Add(*terms)) if terms else None
