"""Functions of positive letters that are nowhere negative: certificates of inequalities.

What is given (``x <= y``) is built in by new positive letters; then the numerator of the difference has
no negative coefficient, no root of odd order, or is a sum of squares (``positivity``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from sgtheory.declare import Size
from sgtheory.notation.derivation import Derivation, Equation, Step
from sgtheory.notation.sentence import formula_of, joined
from sgtheory.polynomials import cancelled, factored, is_readable, quotient
from verification.refuter.places import NUMBERS
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.asymptotics import sign, taken_and_added
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter, Term, number
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.positivity import Certificate, nowhere_negative
from verification.theories.subject import About, subject_of

# what proofs know of kinds of letters: of those that are at most one, and of all; others are real
BOUNDED = {"cosquare": "fraction", "cosine": "fraction", "fraction": "fraction"}
BOUNDED |= {"up to one": "up to one", "unit": "unit"}
BELOW_ONE = tuple(dict.fromkeys(BOUNDED.values()))
_POSITIVE = ("positive", "count", "dimension", "square", "half square", "square count")
KNOWN = {**BOUNDED, "nonnegative": "nonnegative", "zero or one": "unit"}
KNOWN |= dict.fromkeys(_POSITIVE, "positive")
Bound = tuple[Any, Any, bool]  # the smaller side, the larger, and whether they may be equal


def strongest(bounds: Sequence[Bound]) -> list[Bound]:
    """One bound of each product of positive letters, the others being numbers of times it; all the rest.

    What follows from others through something in between is left out.

    >>> x, y = sp.symbols("x y", positive=True)
    >>> strongest([(x * y, sp.Integer(2), False), (x * y, sp.Integer(1), True), (-x, y, True)])
    [(x*y, 1, True), (-x, y, True)]
    >>> strongest([(x, sp.Integer(1), False), (x, y, False), (y, sp.Integer(1), False)])
    [(x, y, False), (y, 1, False)]
    """
    known: dict[Any, tuple[Any, Bound]] = {}
    for k, (small, large, equal) in enumerate(bounds):
        positive = small.is_positive and large.is_positive
        number, product = sp.cancel(small / large).as_coeff_Mul() if positive else (0, k)
        if product not in known or (number, not equal) > known[product][0]:
            known[product] = ((number, not equal), (small, large, equal))
    left = [bound for _, bound in known.values()]
    for bound in list(left):
        others = [one for one in left if one is not bound]
        if _follows(bound, others):
            left = others
    return left


def _follows(bound: Bound, others: Sequence[Bound]) -> bool:
    """Whether a bound is a chain of others, one of them strict where it is."""
    start, end, may_be_equal = bound
    reached, strictly = {start}, set[Any]()
    for _ in others:
        for small, large, equal in others:
            if small in reached:
                reached.add(large)
                strictly |= {large} if small in strictly or not equal else set()
    return end in (reached if may_be_equal else strictly)


@dataclass(frozen=True)
class Case:
    """A difference in positive letters, what is given (smaller, larger), and what was put in."""

    difference: Any
    given: Sequence[tuple[Any, Any]]
    put: Mapping[Any, Any] = field(default_factory=dict)


def certified(
    cases: Iterable[Case], ranges: Mapping[Any, Any], closed: set[Any], strict: bool
) -> Answer:
    """Whether a difference is nowhere negative (positive, if strict) in each of some cases.

    ``ranges`` writes letters that are not just positive in ones that are; ``closed`` may also be zero.
    """
    found = []
    for case in cases:
        forms = onto_positive(case.difference, ranges, case.given)
        enough = (form for form in forms if not strict or _is_certain(*form, closed))
        certificate, replaced = next(enough, (None, {}))
        if certificate is None:
            return Silent(Silence.NO_CERTIFICATE)
        found.append((certificate, replaced | dict(case.put)))
    if not found:
        return Silent(Silence.NO_CERTIFICATE)
    words = "positive" if strict else "nowhere negative"
    lemma = f"The larger side minus the smaller is {words}."
    return Proved(lemma, _told(*found[0], cases=len(found)))


def under(expr: Any, bounds: Sequence[Bound], strictly: bool, may_vanish: Iterable[Any] = ()) -> Answer:
    """Whether an expression is nowhere negative (positive, if strictly) wherever some bounds hold.

    Its letters are positive; some of them may also be zero.
    """
    case = Case(expr, [bound[:2] for bound in bounds])
    closed = {sp.Symbol(f"t_{k}", positive=True) for k, (*_, equal) in enumerate(bounds, 1) if equal}
    closed.update(may_vanish)
    return certified([case], sizes_in([case]), closed, strictly)


def _is_certain(certificate: Certificate, replaced: Mapping[Any, Any], closed: set[Any]) -> bool:
    """Whether it is positive also where letters are zero that may be: x = 1/(1 + t) is zero nowhere."""
    reached = all(sp.sympify(replaced[x]).is_polynomial() for x in closed if x in replaced)
    return reached and _is_positive(certificate, closed)


def _is_positive(certificate: Certificate, closed: set[Any]) -> bool:
    """Whether what is nowhere negative vanishes nowhere: a term is left with closed letters zero."""
    right = sp.sympify(certificate.identity[1])
    if certificate.kind != "coefficients":  # squares may vanish in between
        return bool(right.is_number and right > 0)
    right = right.subs(dict.fromkeys(closed, 0))
    if right.is_number:
        return bool(right > 0)
    return any(c > 0 for c in sp.Poly(right, *sorted(right.free_symbols, key=str)).coeffs())


def onto_positive(
    expr: Any, ranges: Mapping[Any, Any], given: Sequence[tuple[Any, Any]]
) -> Iterator[tuple[Certificate, dict[Any, Any]]]:
    """Certificates of an expression in new positive variables that run over the places that are given.

    ``x <= y`` becomes x = y/(1 + t) or y = x + t, whichever has a letter to put in place.
    """
    # what is given is solved for letters first: then these may be any positive numbers, which is more
    tried = set()
    ways = [({}, ranges, False), ({}, ranges, True), (ranges, {}, False)]
    numbered = list(enumerate(given, 1))
    turns = [numbered, numbered[::-1]] if len(given) > 1 else [numbered]  # the stronger first, or last
    for (first, last, above), turn in ((way, turn) for turn in turns for way in ways):
        replaced = _solve(dict(first), turn, above)
        rest = {k: v for k, v in last.items() if k not in replaced}
        replaced = {k: v.subs(rest) for k, v in replaced.items()} | rest
        inside = expr.subs(replaced)
        if inside in tried:
            continue
        tried.add(inside)
        certificate = nowhere_negative(inside)
        if certificate is not None:
            yield certificate, replaced


def _solve(
    replaced: dict[Any, Any], given: Iterable[tuple[int, tuple[Any, Any]]], above: bool
) -> dict[Any, Any]:
    """Letters as functions of new ones, such that what is given holds.

    What can be solved for no letter, or holds anyway, is left out: then more is proved than is asked.
    Of two letters the smaller is put in by the larger; ``above``, the larger by the smaller.
    """
    for k, (small, large) in given:
        small, large = _apart(small.subs(replaced), large.subs(replaced))
        t = sp.Symbol(f"t_{k}", positive=True)
        below_it = isinstance(small, sp.Symbol) and small not in large.free_symbols
        above_it = isinstance(large, sp.Symbol) and large not in small.free_symbols
        if below_it and not (above and above_it):
            new = {small: large / (1 + t)}
        elif above_it:
            new = {large: small + t}
        else:
            new = _solved(small, large, t)
        replaced = {key: value.subs(new) for key, value in replaced.items()} | new
    return replaced


def sizes_in(cases: Iterable[Case]) -> dict[Any, Any]:
    """Numbers of examples, which are at least one, by positive letters: roots are taken of them."""
    sizes = {s for case in cases for s in sp.sympify(case.difference).atoms(Size)}
    return {s: (1 + sp.Symbol(f"t_{s}", positive=True)) ** 2 for s in sizes}


def range_of(letter: Letter) -> Any:
    """A letter of a kind by one that is positive: whole numbers are at least one, fractions below."""
    t = sp.Symbol(f"t_{letter.name}", positive=True)
    # a square, as roots are taken of numbers of examples
    return {"count": (1 + t) ** 2, **dict.fromkeys(BELOW_ONE, 1 / (1 + t))}[letter.kind]


def _apart(small: Any, large: Any) -> tuple[Any, Any]:
    """The same relation with what is taken away on the one side put onto the other.

    >>> x, y = sp.symbols("x y", positive=True)
    >>> _apart(sp.Integer(0), 1 - x), _apart(sp.Integer(0), x - 2 * y)
    ((x, 1), (2*y, x))
    >>> _apart(sp.Integer(0), 1 - sp.Symbol("x", real=True))
    (0, 1 - x)
    """
    if small != 0:
        return small, large
    less, more = taken_and_added(large)
    # a letter of either sign would not run over all of its places as a share of the larger side
    return (less, more) if less.is_positive and more.is_positive else (small, large)


def _solved(small: Any, large: Any, t: Any) -> dict[Any, Any]:
    """A monomial bounded by another, such as eps*L <= 1 or 2 <= eps*L: one letter is solved for.

    The smaller side has to be positive, and then so is the larger wherever it holds: of a negative one
    a quotient below one says nothing.

    >>> x, y, t = sp.symbols("x y t", positive=True)
    >>> _solved(x * y, sp.Integer(1), t), _solved(-x, y * (y - 1), t), _solved(x**2, sp.Integer(4), t)
    ({x: 1/(y*(t + 1))}, {}, {x: 2/(t + 1)})
    """
    if not small.is_positive or not is_readable(small / large):
        return {}
    ratio = quotient(small / large)
    for letter in sorted((small / large).free_symbols, key=str):
        power = ratio.power_of(letter)
        if power is not None and power > 0:
            rest = cancelled(ratio.expr / letter**power)
            if power == 1:
                return {letter: 1 / ((1 + t) * rest)}
            most = (1 / rest) ** sp.Rational(1, power)
            if most.is_rational_function():
                return {letter: most / (1 + t)}
        elif power == -1:
            least = factored(ratio.expr * letter)
            if least.is_positive and large.is_positive:
                return {letter: (1 + t) * least}
    return {}


def _told(certificate: Certificate, replaced: dict[Any, Any], cases: int) -> Derivation:
    new = tuple(Equation(formula_of(k), formula_of(v)) for k, v in replaced.items())
    steps = [Step("Positive letters", "What is given is built in by new letters:", new)] if new else []
    left, right = certificate.identity
    signs = f"One of {cases} choices of signs; the others have certificates too." if cases > 1 else ""
    about = (
        "Times a positive factor, the larger side minus the smaller is the left side of this identity."
    )
    steps.append(
        Step(
            "The difference",
            joined(about, certificate.words, signs),
            (Equation(formula_of(left), formula_of(right)),),
        )
    )
    return Derivation("A certificate of the inequality", tuple(steps), ())


@dataclass(frozen=True)
class Known:
    """What is known of numbers: the kinds of letters, and pairs of which the first is smaller."""

    kinds: Mapping[str, str]
    pairs: tuple[tuple[Term, Term, bool], ...]  # and whether both may be equal

    def _lettered(self, side: Term) -> Term:
        kinds = {a: KNOWN.get(self.kinds.get(a.name, a.kind), "real") for a in side.letters}
        return side.put({a: Letter(a.name, kind) for a, kind in kinds.items()})

    def _is_positive(self, expr: Any, strictly: bool = True) -> bool:
        """By itself, or as those find that know numbers."""
        zero, side = number(0), self._lettered(from_sympy(expr))
        if expr == 0 or sign(in_symbols(side)) == 1:
            return expr != 0 or not strictly
        plain = (p for p in self.pairs if all(a.kind in NUMBERS for x in p[:2] for a in x.letters))
        pairs = [(self._lettered(a), self._lettered(b), equal) for a, b, equal in plain]
        numbers = subject_of(About(zero < side))
        answer = numbers.has_sign(zero, side, (-1,) if strictly else (-1, 0), pairs)
        return isinstance(answer, Proved)

    def rest(self, expr: Any) -> Any:
        """An expression without the factors that are surely positive, or negative: with their sign."""
        found = sp.Integer(1)
        for factor in sp.Mul.make_args(factored(expr)):
            known = next((k for k in (1, -1) if self._is_positive(k * factor)), None)
            found *= factor if known is None else known
        return found

    def says(self, expr: Any, strictly: bool = True) -> bool:
        """Whether it is positive, or nowhere negative."""
        rest = self.rest(expr)
        return self._is_positive(rest) or (not strictly and self._is_positive(rest, strictly=False))
