"""What a theory's formulas do as a letter tends to a limit: lemmas on first terms.

A theory gives the formula of a term (``formula``, a ``General``) and what has to be positive where its
laws exist (``positive``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex, plain, tidy
from sgtheory.notation.sentence import formula_of, listed, say
from verification.laws.pair_form import DELTA, LETTERS
from verification.laws.per_mode import General, spelt
from verification.refuter.parameters import read_back, written_under
from verification.terms.arithmetics.symbols import in_symbols, symbol
from verification.terms.asymptotics import NOTHING, Undecided, first_terms, is_zero, known_signs, sign
from verification.terms.asymptotics import Term as FirstTerm
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Term
from verification.terms.ways import Way
from verification.theories import noncommuting, powers
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent, called
from verification.verdicts.verdict import Correction, Gap

_UNKNOWN = Silent(Silence.NO_FORMULA)


@dataclass(frozen=True)
class First:
    """A first term, the sign that its coefficient surely has (None: it may vanish), and of what."""

    term: FirstTerm
    sure: int | None
    of: General
    way: Way
    given: tuple[Any, ...]
    finite: bool = False  # whether what the expansion divides by vanishes nowhere
    each: tuple[FirstTerm, ...] = ()  # of a matrix, for every noise

    @property
    def x(self) -> Any:
        """What tends to a limit."""
        return symbol(self.way.letter)

    @property
    def size(self) -> tuple[Any, int]:
        """Larger for what vanishes faster."""
        if abs(self.term.power) == math.inf:
            return math.inf, 0
        return self.term.power * self.way.sign, -self.term.logs

    @property
    def written(self) -> Any:
        """As a formula in the letters of the statement."""
        return self._written(self.term)

    def _written(self, term: FirstTerm) -> Any:
        known = term.written(self.x)
        if self.way.to == "oo" and term.logs:
            known = FirstTerm(term.power, term.coefficient).written(self.x) * sp.log(self.x) ** term.logs
        return read_back(known, self.given)

    @property
    def entry(self) -> Any:
        """The same; of a matrix as its entry at a pair of modes, with every noise of that order."""
        if len(self.of.noises) != len(self.each):
            return self.written * (self.of.noises[0] if len(self.of.noises) == 1 else 1)
        pairs = zip(self.each, self.of.noises, strict=True)
        alike = [(t, n) for t, n in pairs if (t.power, t.logs) == (self.term.power, self.term.logs)]
        return sp.Add(*(self._written(t) * n for t, n in alike)) if alike else self.written


def in_letters(side: Term, given: tuple[Any, ...] = (), way: Any = None) -> General | None:
    """A number in letters is its own formula, where its integrals exist and are of normal densities."""
    try:
        return General((in_symbols(side),), "formula", "for all values of its letters")
    except UnusableInput:
        return None


def formula(theory: Any, side: Term, way: Way, given: tuple[Any, ...]) -> General | None:
    """A side in symbols, with what the way sets and what is given put in."""
    of = getattr(theory, "formula", None)  # a theory may know no formulas
    found: General | None = None if of is None else of(side, given, way)
    if found is None:
        return None
    x = symbol(way.letter)
    short = {c: spelt(meaning, x) for c, meaning in getattr(theory, "abbreviations", ())}
    moving = {c: meaning for c, meaning in short.items() if meaning.has(x)}
    parts = [spelt(p, x).subs(moving) for p in found.parts]
    for letter, value in way.where:
        a, put = symbol(letter), theory.constant(value, given)
        parts = [spelt(spelt(p, a).subs(a, put), x) for p in parts]
    return replace(found, parts=tuple(written_under(p, given) for p in parts))


def _alone(theory: Any, side: Term, way: Way, given: tuple[Any, ...]) -> General | None:
    """A side that is one formula everywhere."""
    found = formula(theory, side, way, given)
    return found if found is not None and found.form == "formula" and len(found.parts) == 1 else None


def _expanded(way: Way, *parts: Any) -> list[FirstTerm] | None:
    """The first term of each; None where there is none."""
    try:
        return [first_terms(p, symbol(way.letter), way.to, 1)[0] for p in parts]
    except (Undecided, ZeroDivisionError, NotImplementedError):
        return None


def first(
    theory: Any, side: Term, beside: Iterable[Term], way: Way, given: tuple[Any, ...]
) -> First | None:
    """The first term that the parts of a side have together; None where that is not known.

    Its sign is sure where it has one at all places, and no denominator of the expansion vanishes.
    """
    found = formula(theory, side, way, given)
    if found is None:
        return _of_divergence(theory, side, way, given)
    positive, one = theory.positive((side, *beside)), found.at_equal_modes
    generic = _expanded(way, *found.parts)
    equal = generic if one == found.parts else _expanded(way, *one)
    if generic is None or equal is None:
        return None
    best = min(generic, key=lambda t: (t.power * way.sign, -t.logs), default=NOTHING)
    if abs(best.power) == math.inf:
        return First(best, 1, found, way, given)
    leading = [t for t in equal if (t.power, t.logs) == (best.power, best.logs)]
    signs = {sign(known_signs(t.coefficient, positive)) for t in leading}
    finite = all(_divides(t, positive) for t in (*generic, *equal))
    known = signs.pop() if len(signs) == 1 and finite else None
    return First(best, known, found, way, given, finite, tuple(generic))


def _divides(term: FirstTerm, positive: tuple[Any, ...]) -> bool:
    """Whether what the expansion divides by vanishes nowhere."""
    below = sp.fraction(sp.together(known_signs(term.coefficient, positive)))[1]
    return None not in (sign(known_signs(d, positive)) for d in (term.divisor, below))


def _of_divergence(theory: Any, side: Term, way: Way, given: tuple[Any, ...]) -> First | None:
    """Of a divergence: a quarter of the squared norm of X - I, X = N A^1/2 Sigma A^1/2.

    With x the eigenvalues of X, the divergence is the sum of (x - 1 - log x)/2, and each term is
    (x - 1)^2/4 as x tends to 1. So its order is twice that of N A Sigma - I, in every dimension.
    """
    factor, off = getattr(theory, "divergence", lambda _: (None, None))(side)
    seen = None if off is None or way.where else first(theory, off, (), way, given)
    if seen is None or seen.sure is None or not 0 < seen.size[0] < math.inf:
        return None
    scope = (
        "$c$ a quarter of the squared norm of the first term of $N A^(1/2) Sigma A^(1/2) - I$,"
        " in every dimension"
    )
    term = FirstTerm(2 * seen.term.power, factor * sp.Symbol("c", positive=True))
    of = General(seen.of.parts, "sum", scope)
    return First(term, 1, of, way, given)


def has_order(
    theory: Any, left: Term, word: str, right: Term, way: Way, given: tuple[Any, ...] = ()
) -> Answer:
    """Whether left is of the order of right, at most or at least of it, smaller, or equal in the limit.

    >>> from verification.terms.term import letters
    >>> from verification.terms.ways import vanishing
    >>> from verification.theories.scalars import NUMBERS
    >>> x, a = letters("x a")
    >>> has_order(NUMBERS, a * x + x**2, "Theta", x, vanishing(x)).lemma
    'To first order, for all values of its letters, the left side is a*x, which is nowhere zero.'
    """
    both = (left, right)
    one = first(theory, left - right if word == "~" else left, both, way, given)
    other = first(theory, right, both, way, given)
    if one is None or other is None:
        alone = [_alone(theory, side, way, given) for side in both]
        parts = [one.parts[0] for one in alone if one is not None]
        by_letters = (
            None
            if len(parts) < 2
            else powers.has_order(parts[0], parts[1], word, way, given, theory.positive(both))
        )
        return by_letters or noncommuting.has_order(theory, left, word, right, way)
    told = _told(one, word, way)
    facts: dict[str, Any] = {"dimensions": one.of.scope}
    if word == "~":
        facts |= {"left_over": plain(one.entry), "right": plain(other.entry)}
        if one.size <= other.size and one.term != NOTHING:
            return Disproved(say("To first order left minus right is {}.", one.entry), told, facts)
        if other.sure is None or not (one.sure or _divides(one.term, theory.positive(both))):
            return Silent(Silence.MAY_VANISH, derivation=told, facts=facts)
        gap = "nothing" if one.term == NOTHING else one.entry
        at = " at modes $i$ and $j$" if other.of.noises else ""
        words = "To first order, {}, left minus right is {}{}, and the right side {}."
        return Proved(say(words, other.of.scope, gap, at, other.entry), told, facts)
    exact, shown = one.size == other.size, formula_of(one.entry)
    facts |= {"order": shown.text, "tight": exact}
    smaller, larger = one.size > other.size, one.size < other.size
    if not {"Theta": exact, "O": exact or smaller, "o": smaller, "Omega": exact or larger}[word]:
        zero, lemma = "The quantity is zero.", say("To first order {} is {}.", called(left), shown)
        return Disproved(zero if one.term == NOTHING else lemma, told, facts)
    if word == "O" and one.sure is None and one.finite and other.sure is not None:
        return Proved(
            say("To first order, {}, {} is {}.", one.of.scope, called(left), shown), told, facts
        )
    if one.sure is None or other.sure is None:
        free = noncommuting.has_order(theory, left, word, right, way)
        may_vanish = Silent(Silence.MAY_VANISH, derivation=told, facts=facts)
        return free if isinstance(free, Proved) else may_vanish
    if one.term == NOTHING:
        return Proved("The quantity is zero.", told, facts)
    if not exact:
        words = "To first order, {}, {} is {}, which is of {} order than the right side{}."
        than = "smaller" if smaller else "larger"
        tight = "" if word == "o" else ", so that the bound is not tight"
        return Proved(say(words, one.of.scope, called(left), shown, than, tight), told, facts)
    tight = ", so that the bound is tight" if word in ("O", "Omega") else ""
    noises = [s for s in one.of.noises if s in one.entry.free_symbols and s != DELTA]
    only = "zero only where {} is" if len(noises) == 1 else "zero only where {} are"
    zero = say(only, listed(noises)) if noises else "nowhere zero"
    words = "To first order, {}, {} is {}, which is {}{}."
    return Proved(say(words, one.of.scope, called(left), shown, zero, tight), told, facts)


def _told(one: First, word: str, way: Way) -> Derivation:
    name = ("left - right", r"\text{left} - \text{right}") if word == "~" else ("left", r"\text{left}")
    shown = Equation(Formula(name[1], name[0]), one.entry, "->")
    words = say("By expansion as {}, {}:", way, one.of.scope)
    return Derivation("First terms", (Step("The first term", words, (shown,)),), ())


def first_term(
    theory: Any, left: Term, way: Way, given: tuple[Any, ...]
) -> tuple[tuple[Term, ...], Term | None]:
    """The first term of a side where it is one formula everywhere; its power, where it is one."""
    found = first(theory, left, (), way, given)
    if found is None:
        return (), noncommuting.power(theory, left, way)
    if found.sure is None or found.term == NOTHING or is_zero(found.term.coefficient):
        return (), None
    power = Fraction(found.term.power)
    exact = sp.Rational(power.numerator, power.denominator)
    order = None if found.term.logs else from_sympy(found.x**exact)
    return ((from_sympy(found.written),) if found.of.form == "formula" else ()), order


def relative_gap(theory: Any, left: Term, right: Term, way: Way, given: tuple[Any, ...]) -> Gap | None:
    """left/right - 1 to first order, where that is one formula or a matrix of one noise."""
    one, other = (formula(theory, side, way, given) for side in (left - right, right))
    if one is None or other is None or len(one.parts) != 1 or len(other.parts) != 1:
        return None
    if other.form == "sum":
        return None  # a quotient of sums is no sum of quotients
    terms = _expanded(way, sp.cancel(sp.together(one.parts[0] / other.parts[0])))
    if terms is None:
        return None
    (term,) = terms
    found = First(term, None, one, way, given)
    if found.size <= (0, 0) or abs(term.power) == math.inf:
        return None
    written = found.written
    if one.noises != other.noises:
        noise = "".join(s.name for s in one.noises)
        if other.noises != (DELTA,) or noise not in LETTERS:
            return None  # the ratio of two matrices is no number
        written = written * LETTERS[noise]
    return Gap(way.letter.name, str(term.power), formula_of(written))


def moves(theory: Any, side: Term, wanted: int, way: Way, given: tuple[Any, ...] = ()) -> Answer:
    """Whether a number grows (1) or shrinks (-1) near the limit: the first term of its derivative.

    >>> from verification.terms.term import letters
    >>> from verification.terms.ways import vanishing
    >>> from verification.theories.scalars import NUMBERS
    >>> x, a = letters("x a")
    >>> moves(NUMBERS, 1 / (a + x), 1, vanishing(x)).lemma
    'It grows as x -> 0, and tends to 1/a, for all values of its letters.'
    """
    found, x = _alone(theory, side, way, given), symbol(way.letter)
    value = sp.Integer(0) if found is None else found.parts[0]
    slope = sp.diff(value, x)
    terms = _expanded(way, value, slope)
    if found is None or terms is None:
        return _UNKNOWN
    start, term = terms
    of = First(term, None, found, way, given)
    shown = (
        Equation(Formula("q", "q"), _short(value)),
        Equation(Formula(rf"\partial q / \partial {latex(x)}", f"dq/d{x}"), _short(slope)),
        Equation(Formula(r"\text{first term}", "first term"), _short(of.written), "->"),
    )
    told = Derivation("A trend", (Step("The derivative", say("As {}:", way), shown),), ())
    if term.power == math.inf:
        return Disproved(say("It does not depend on {}: it is {}.", x, _short(value)), told)
    turn = sign(known_signs(term.coefficient, theory.positive((side,))))
    if turn is None:
        return Silent(Silence.SIGN, derivation=told)
    first_shown = _short(sp.expand_log(replace(of, term=start).written))
    bounded = start.power == 0 and start.logs == 0
    ends = say("tends to {}" if bounded else "is {} to first order", first_shown)
    goes = -turn * way.sign
    word = "grows" if goes > 0 else "shrinks"
    lemma = say("It {} as {}, and {}, {}.", word, way, ends, found.scope)
    return Proved(lemma, told) if goes == wanted else Disproved(lemma, told)


def adds_up(theory: Any, side: Term, finite: bool, way: Way, given: tuple[Any, ...] = ()) -> Answer:
    """Whether terms for t = 1, 2, 3, ... have a finite sum, or an infinite one, by their first term.

    A sum of t^p log(t)^q is finite where p < -1, and where p = -1 for q < -1; with it is one of terms
    whose ratio to these tends to a positive number.

    >>> from verification.terms.term import letters
    >>> from verification.terms.ways import growing
    >>> from verification.theories.scalars import NUMBERS
    >>> t, a = letters("t a")
    >>> adds_up(NUMBERS, a / (t**2 + t), True, growing(t)).lemma
    'The terms are a/t**2 to first order, so that their sum is finite.'
    >>> adds_up(NUMBERS, t ** -(1 + a), True, growing(t)).lemma
    'The terms fall like t**(-a - 1), so that their sum is finite.'
    """
    one = first(theory, side, (), way, given)
    if one is None:
        alone = _alone(theory, side, way, given)
        return (
            _UNKNOWN
            if alone is None
            else powers.adds_up(alone.parts[0], finite, way, given, theory.positive((side,)))
        )
    if one.of.form == "matrix":
        return _UNKNOWN
    told = _told(one, "", way)
    facts = {"dimensions": one.of.scope, "power": str(one.term.power)}
    if one.sure is None:
        return Silent(Silence.MAY_VANISH, derivation=told, facts=facts)
    is_finite = one.term == NOTHING or (one.term.power, one.term.logs) < (-1, -1)
    size = "finite" if is_finite else "infinite" if one.sure > 0 else "minus infinity"
    lemma = say("The terms are {} to first order, so that their sum is {}.", one.written, size)
    right = is_finite if finite else size == "infinite"
    return Proved(lemma, told, facts) if right else Disproved(lemma, told, facts)


def value(theory: Any, side: Term, way: Way, given: tuple[Any, ...]) -> Correction | None:
    """What a side is, where its formula is another than what is written."""
    found = _alone(theory, side, way, given)
    if found is None or theory.constant(side) == found.parts[0]:
        return None
    shown = _short(found.parts[0])
    told = Formula(f"{side.latex()} = {latex(shown)}", f"{side} = {plain(shown)}")
    return Correction((told,), "proved", found.scope)


def _short(expr: Any) -> Any:
    return tidy(sp.factor(expr)) if expr.is_rational_function(*expr.free_symbols) else expr
