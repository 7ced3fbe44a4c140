"""Formulas with powers, exponentials and logarithms that are equal for all values of their letters.

Every exponential of a letter becomes a letter of its own and logarithms of products are taken apart; the
two formulas are equal where nothing is left over.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import listed, say
from verification.terms.arithmetics.symbols import in_symbols, symbol
from verification.terms.term import Letter, Term
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.verdicts.verdict import Correction

LEMMA = "Both sides are the same formula, term by term."


def vanishes(left: Term, right: Term) -> Answer:
    """Whether left minus right is zero for all values of the letters.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> vanishes((x + y) ** 2, x**2 + 2 * x * y + y**2).lemma
    'Both sides are the same formula, term by term.'
    >>> vanishes((x + y) ** 2, x**2 + y**2).left_over
    '2*x*y'
    """
    rest = _reduced(in_symbols(left) - in_symbols(right))
    shown = Equation(Formula(r"\text{left} - \text{right}", "left - right"), rest)
    words = (
        "Multiplied out, with letters for exponentials, and logarithms taken apart, if there are any:"
    )
    step = Step("Left minus right", words, (shown,))
    derivation = Derivation("Difference", (step,), ())
    if rest == 0:
        return Proved(LEMMA, derivation)
    return Silent(Silence.LEFT_OVER, say("{}", rest), derivation, rest=rest)


def is_constant(left: Term, right: Term, moving: tuple[Letter, ...]) -> Answer:
    """Whether left minus right does not change with some letters.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> is_constant(x * y + y, x * y, (x,)).lemma
    'The difference of the two sides does not change with x.'
    """
    rest = in_symbols(left) - in_symbols(right)
    slopes = [_reduced(sp.diff(rest, symbol(a))) for a in moving]
    if any(s != 0 for s in slopes):
        return Silent(Silence.LEFT_OVER, say("{}", _reduced(rest)))
    names = listed(moving, by=" and ")
    return Proved(say("The difference of the two sides does not change with {}.", names))


def is_free_of(quantity: Term, letter: Letter) -> Answer:
    """Whether a formula does not change with a letter.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> is_free_of(x * y / x, x).lemma, is_free_of(x * y, x).lemma
    ('Its derivative with respect to x vanishes.', 'Its derivative with respect to x does not vanish.')
    """
    about = say("Its derivative with respect to {}", letter)
    if _reduced(sp.diff(in_symbols(quantity), symbol(letter))) == 0:
        return Proved(say("{} vanishes.", about))
    return Disproved(say("{} does not vanish.", about))


def slope(quantity: Term, letter: Letter) -> Correction:
    """The derivative with respect to a letter."""
    value = sp.factor(sp.diff(in_symbols(quantity), symbol(letter)))
    name = rf"\frac{{\partial q}}{{\partial {letter.latex()}}}"
    told = Formula(f"{name} = {latex(value)}", f"dq/d{letter} = {plain(value)}")
    return Correction((told,), "proved", "for all values of its letters")


def _reduced(expr: Any) -> Any:
    """Zero where the two formulas are one."""
    taken = sp.expand_log(sp.expand(expr), force=True)
    letters: dict[Any, Any] = {}
    for e in sorted(taken.atoms(sp.exp), key=str):
        parts = [sp.exp(t) for t in sp.Add.make_args(sp.expand(e.args[0]))]
        for part in parts:
            letters.setdefault(part, sp.Dummy(positive=True))
        taken = taken.subs(e, sp.Mul(*(letters[p] for p in parts)))
    plainly = taken.replace(sp.log, lambda x: sp.log(sp.factor(sp.together(x))))
    rest = sp.simplify(sp.expand(sp.expand_log(plainly, force=True)))
    back = {v: k for k, v in letters.items()}
    return sp.expand(rest.subs(back)) if rest != 0 else sp.Integer(0)
