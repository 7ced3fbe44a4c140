"""The sign of a difference of numbers, wherever what is given holds."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.notation.printing import plain
from sgtheory.notation.sentence import say
from sgtheory.polynomials import cancelled
from verification.terms.arithmetics.symbols import in_symbols, symbol
from verification.terms.term import Applied, Letter, Term, number
from verification.theories import minima, one_product, sizes
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.exponentials import nowhere_negative
from verification.theories.positivity import sum_of_squares
from verification.theories.signs import BELOW_ONE, KNOWN, Bound, Case, certified, range_of, strongest

_CONSTANTS = (1, 2, 4, 5, 16)
_LOOKS, _ROUNDING = 400, 1e-9
_PLACES, _SEEN = 20_000, 20  # at which what is given is looked at, and where it has to hold
_LARGER = "The larger side minus the smaller"
_KINDS = ("positive", "real", "nonnegative", "count", *BELOW_ONE)  # others are what proofs know of them
_FROM_ZERO = {"nonnegative": "positive", "unit": "up to one"}  # kinds without zero
_MOST_REAL = 4  # letters of both signs: each doubles the cases


def has_sign(
    left: Term, right: Term, wanted: tuple[int, ...], given: Sequence[tuple[Term, Term, bool]] = ()
) -> Answer:
    """Whether left minus right has one of the wanted signs where in each given pair the first is less.

    With the pairs stands whether the two may be equal.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> has_sign(2 * x * y, x**2 + y**2, (-1, 0)).lemma
    'The larger side minus the smaller is nowhere negative.'
    >>> from verification.theories.scalars.words import largest
    >>> has_sign(largest(x, y), x + y, (-1, 0)).lemma
    'The larger side minus the smaller is nowhere negative.'
    >>> has_sign(1 - 2 * x, (1 - x) ** -2, (-1, 0)).lemma
    'The larger side minus the smaller is a product of factors whose signs are given, or certified.'
    >>> has_sign(x, y, (-1, 0), [(x, y, True)]).lemma
    'The larger side minus the smaller is nowhere negative, by what is given.'
    >>> has_sign(x, y, (-1,), [(x, y, True)]).why.value, has_sign(x, y, (-1,), [(x, y, False)]).lemma
    ('no certificate was found', 'The larger side minus the smaller is positive, by what is given.')
    """
    terms = (left, right, *(t for a, b, _ in given for t in (a, b)))
    letters = tuple(dict.fromkeys(a for t in terms for a in t.letters))
    known = {a: Letter(a.name, KNOWN.get(a.kind, "real")) for a in letters if a.kind not in _KINDS}
    if known:
        within = [x for a, x in known.items() if a.kind == "within one"]
        ends = [pair for x in within for pair in ((-number(1), x, True), (x, number(1), True))]
        there = [(a.put(known), b.put(known), equal) for a, b, equal in given]
        return has_sign(left.put(known), right.put(known), wanted, [*there, *ends])
    kinds = ("nonnegative",) if 0 in wanted else tuple(_FROM_ZERO)  # zero is beyond the new letters
    from_zero = next((a for a in letters if a.kind in kinds), None)
    if from_zero is not None:
        return _with_zero_apart(from_zero, left, right, wanted, given)
    difference = _apart(in_symbols(left), in_symbols(right))
    if wanted[0] > 0:
        difference = -difference
    whole = strongest([(in_symbols(a), in_symbols(b), equal) for a, b, equal in given])
    difference = _settled(difference, letters, whole)
    answer: Answer = Silent(Silence.NO_CERTIFICATE)
    tried: list[Any] = []
    for bounds in (whole, _needed(whole), strongest([*whole, *_of_terms(whole)])):
        if bounds in tried:
            continue
        tried.append(bounds)
        answer = _under(difference, letters, 0 not in wanted, bounds)
        if isinstance(answer, Proved):
            return answer
    if one_product.nowhere_negative(difference, whole, 0 not in wanted):
        word = "nowhere negative" if 0 in wanted else "positive"
        return Proved(f"{_LARGER} is {word}: {one_product.WHY}")
    powers = _powers_of_counts(left, right)
    return _with_power(powers.pop(), left, right, wanted, given) if len(powers) == 1 else answer


def _apart(left: Any, right: Any) -> Any:
    """Right minus left, or of their squares where there are sizes: what is nowhere negative grows so.

    >>> x, y = sp.symbols("x y", real=True)
    >>> _apart(2 * abs(x), abs(y)), _apart(abs(x), y)
    (-4*x**2 + y**2, y - Abs(x))
    """
    sizes = (left - right).atoms(sp.Abs)
    real = all(one.args[0].is_rational_function() for one in sizes)
    if sizes and real and left.is_extended_nonnegative and right.is_extended_nonnegative:
        squares = {one**2: one.args[0] ** 2 for one in sizes}
        left, right = (sp.expand(e**2).subs(squares) for e in (left, right))
    return right - left


def _powers_of_counts(*sides: Term) -> set[Applied]:
    """Powers of what has letters, whose exponent is a letter for a whole number."""
    parts = (t for side in sides for t in side.subterms() if isinstance(t, Applied) and t.head == "**")
    return {t for t in parts if t.of[0].letters and getattr(t.of[1], "kind", "") == "count"}


def _with_power(
    power: Applied, left: Term, right: Term, wanted: tuple[int, ...], given: Sequence[Any]
) -> Answer:
    """With a letter for a power x^n, n = 1, 2, ...: between 0 and x, beyond x, or between x and -x.

    >>> from verification.terms.term import Letter
    >>> x, n = Letter("x", "fraction"), Letter("n", "count")
    >>> has_sign(x**n, x, (-1, 0)).lemma
    'The larger side minus the smaller is nowhere negative, by what is given.'
    >>> has_sign(x**n, x, (-1,)).why.value
    'no certificate was found'
    """
    base, zero, one, name = power.of[0], number(0), number(1), f"power_{power.of[1]}"

    def less(small: Term, large: Term, strictly: bool = True) -> bool:
        return isinstance(has_sign(small, large, (-1,) if strictly else (-1, 0), given), Proved)

    bounds: list[tuple[Term, Term, bool]]
    if less(base, one) and less(zero, base, strictly=False):
        found = Letter(name, "positive" if less(zero, base) else "nonnegative")
        bounds = [(found, base, True)]
    elif less(one, base):
        found, bounds = Letter(name, "positive"), [(base, Letter(name, "positive"), True)]
    elif less(base, zero) and less(-one, base):
        found = Letter(name, "real")
        bounds = [(base, found, True), (found, -base, True)]
    else:
        return Silent(Silence.NO_CERTIFICATE)
    there = left.named({power: found}), right.named({power: found})
    return has_sign(there[0], there[1], wanted, [*given, *bounds])


def _under(difference: Any, letters: tuple[Letter, ...], strict: bool, bounds: list[Bound]) -> Answer:
    """Whether a difference is nowhere negative under some bounds, or positive where it is strict."""
    pairs = tuple((a, b) for a, b, _ in bounds)
    cases: list[Case] = []
    seen = False
    for s in _signs(letters):
        put = tuple((a.subs(s), b.subs(s)) for a, b in pairs)
        if any((b - a).is_negative for a, b in put):  # what is given excludes these signs
            continue
        seen, whole = True, minima.in_pieces(difference.subs(s))
        chosen = _chosen(whole, put)
        cases.extend(Case(c, known, s) for c, known in chosen if strict or not _is_given(c, known))
    if seen and not cases:
        return Proved(f"{_LARGER} is nowhere negative, by what is given.")
    ranges = {symbol(a): range_of(a) for a in letters if a.kind not in ("positive", "real")}
    by_factors = Proved(f"{_LARGER} is a product of factors whose signs are given, or certified.")
    if bounds and _of_factors(difference, bounds, letters, ranges, strict):
        return by_factors
    if strict and _has_sign(difference, [(b - a, equal) for a, b, equal in bounds], strict):
        return Proved(f"{_LARGER} is positive, by what is given.")
    more = range(len(bounds) + 1, max((len(c.given) for c in cases), default=0) + 1)
    closed = _closed(letters, bounds) | {sp.Symbol(f"t_{k}", positive=True) for k in more}
    answer = certified(cases, ranges, closed, strict)
    if not (bounds or isinstance(answer, Proved)):  # a factor of even power may be any below the line
        answer = by_factors if _of_factors(difference, bounds, letters, ranges, strict) else answer
    if isinstance(answer, Proved) or strict or any(a.kind == "real" for a in letters):
        return answer
    counts = tuple(symbol(a) for a in letters if a.kind == "count")
    known = nowhere_negative(difference, counts) if difference.has(sp.exp) else None
    return answer if known is None else Proved(say("Larger minus smaller: {}.", known))


def _settled(difference: Any, letters: tuple[Letter, ...], bounds: list[Bound]) -> Any:
    """With the largest of some numbers, or the smallest, where what is given says which one it is."""
    for one in sorted(difference.atoms(sp.Max, sp.Min), key=str) if bounds else ():
        sign = 1 if isinstance(one, sp.Max) else -1
        for a in one.args:
            ahead = (_under(sign * (a - b), letters, False, bounds) for b in one.args if b != a)
            if all(isinstance(answer, Proved) for answer in ahead):
                difference = difference.xreplace({one: a})
                break
    return difference


def _of_terms(bounds: list[Bound]) -> Iterator[Bound]:
    """What bounds of sums of positive terms say of each term."""
    for small, large, _ in bounds:
        terms = sp.Add.make_args(sp.expand(small))
        if len(terms) > 1 and large.is_positive and all(one.is_positive for one in terms):
            yield from ((one, large, False) for one in terms)


def _needed(bounds: list[Bound]) -> list[Bound]:
    """Without those that hold, as far as numbers show, wherever the others do: fewer ask for more."""
    left = list(bounds)
    for bound in bounds if len(bounds) > 2 else ():
        others = [one for one in left if one is not bound]
        letters = sorted({s for a, b, _ in left for s in (b - a).free_symbols}, key=str)
        rooms = [b - a for a, b, _ in (bound, *others)]
        asked = sp.lambdify(letters, rooms, "numpy", dummify=True)
        places = 10 ** np.random.default_rng(1).uniform(-2, 2, size=(len(letters), _PLACES))
        with suppress(ArithmeticError, ValueError, TypeError), np.errstate(all="ignore"):
            own, *further = (room + np.zeros(_PLACES) for room in asked(*places))
            held = own[np.all([room > 0 for room in further], axis=0)]
            left = others if held.size >= _SEEN and (held > 0).all() else left
    return left


def _with_zero_apart(
    letter: Letter, left: Term, right: Term, wanted: tuple[int, ...], given: Sequence[Any]
) -> Answer:
    """The same where a letter is zero, unless it is given to be above something, and where it is not."""
    above = Letter(letter.name, _FROM_ZERO[letter.kind])
    answer: Answer = Silent(Silence.NO_CERTIFICATE)
    for value in (number(0), above):
        there = [(a.put({letter: value}), b.put({letter: value}), equal) for a, b, equal in given]
        if any(_cannot_be(in_symbols(a) - in_symbols(b), equal) for a, b, equal in there):
            continue  # nothing is said where what is given fails, or is undefined
        less, more = left.put({letter: value}), right.put({letter: value})
        if (in_symbols(less) - in_symbols(more)).has(sp.zoo, sp.nan):
            continue
        answer = has_sign(less, more, wanted, there)
        if not isinstance(answer, Proved):
            return answer
    return answer


def _cannot_be(over: Any, equal: bool) -> bool:
    """Whether a number by which the smaller side is over the larger says that it is no smaller."""
    return bool(over.has(sp.zoo, sp.nan) or over.is_positive or (not equal and over.is_nonnegative))


def _of_factors(
    difference: Any,
    bounds: Sequence[Bound],
    letters: Sequence[Letter],
    ranges: Mapping[Any, Any],
    strict: bool,
) -> bool:
    """Whether a quotient is nowhere negative, or positive: each factor is given so, or certified."""
    rational = difference.is_rational_function(*difference.free_symbols)
    parts = sp.fraction(cancelled(difference) if rational else sp.together(difference))
    if not all(p.is_polynomial() for p in parts) or any(a.kind == "real" for a in letters):
        return False
    (number, above), (under, below) = map(sp.factor_list, parts)
    number = number * under
    factors = [(f, k) for f, k in (*above, *below) if not f.is_positive and (strict or k % 2)]
    rooms, pairs = [(b - a, equal) for a, b, equal in bounds], [(a, b) for a, b, _ in bounds]
    sign, closed = int(sp.sign(number)), _closed(letters, bounds)
    if len(factors) < 2 and not below:
        return False
    for f, k in factors:
        seen = _seen_signs(f, pairs)
        here = next(iter(seen)) if len(seen) == 1 else 0
        if not here or not (
            _has_sign(here * f, rooms, strict)
            or (
                (len(factors) > 1 or below)
                and isinstance(certified([Case(here * f, pairs)], ranges, closed, strict), Proved)
            )
        ):
            return False
        sign *= here**k
    return bool(factors) and sign > 0


def _is_given(expr: Any, pairs: Sequence[tuple[Any, Any]]) -> bool:
    """Whether a difference is zero, or given to be nowhere negative."""
    return expr == 0 or _has_sign(expr, [(b - a, True) for a, b in pairs], strict=False)


def _seen_signs(expr: Any, pairs: Sequence[tuple[Any, Any]]) -> set[int]:
    """The signs of a number at some places where what is given holds."""
    letters = sorted(
        {*expr.free_symbols, *(s for p in pairs for e in p for s in e.free_symbols)}, key=str
    )
    asked = sp.lambdify(letters, [expr, *(b - a for a, b in pairs)], "math", dummify=True)
    source, found = random.Random(1), set()
    for _ in range(_LOOKS):
        with suppress(ArithmeticError, ValueError):
            value, *given = asked(*(10 ** source.uniform(-2, 2) for _ in letters))
            if min(given, default=0) >= 0 and value != 0:
                found.add(1 if value > 0 else -1)
    return found


def _has_sign(expr: Any, rooms: Sequence[tuple[Any, bool]], strict: bool) -> bool:
    """Whether it is a positive multiple of what is given to be positive, or that and more.

    >>> x, y = sp.symbols("x y", positive=True)
    >>> [_has_sign(2 - x, [(4 - 2 * x - y, True)], strict) for strict in (False, True)]
    [True, True]
    >>> [_has_sign(y - 2, [(4 - 2 * x - y, True)], strict) for strict in (False, True)]
    [False, False]
    """
    own = sp.expand(expr).as_coefficients_dict()
    for r, equal in rooms:
        known = sp.expand(r).as_coefficients_dict()
        times = {known[m] / c for m, c in own.items() if m in known}
        more = [sp.expand(c * expr - r) for c in times if c.is_positive]
        if any(one.is_positive or (one == 0 and not (strict and equal)) for one in more):
            return True
        if r != 0 and not (strict and equal) and cancelled(expr / r).is_positive:
            return True
    return False


def is_bounded(left: Term, right: Term, given: Sequence[tuple[Term, Term]] = ()) -> Answer:
    """Whether left is at most a number of times right: by the sizes of powers, or by a sign.

    >>> from verification.terms.term import letters
    >>> a, b = letters("a b", "real")
    >>> is_bounded((a + b) ** 2, a**2 + b**2).lemma
    'With C = 2: the larger side minus the smaller is a sum of squares.'
    """
    sized = sizes.is_bounded(left, right, given)
    kinds = {a.kind for a in (*left.letters, *right.letters)}
    if not isinstance(sized, Silent) or "real" not in kinds or not kinds <= {"real", "positive"}:
        return sized
    a, b = in_symbols(left), in_symbols(right)
    least = _largest_ratio(a, b)
    for c in [c for c in _CONSTANTS if c >= least][:2]:
        squares = _squares(c * b - a)
        if squares is not None:
            facts = {"squares": plain(squares)}
            lemma = say("With $C = {}$: the larger side minus the smaller is a sum of squares.", c)
            return Proved(lemma, facts=facts)
    return sized


def _squares(expr: Any) -> Any:
    """What a numerator is as a sum of squares, its positive letters being squares of others."""
    top, bottom = sp.fraction(sp.together(expr))
    if not bottom.is_positive:
        return None
    roots = {s: sp.Symbol(f"sqrt_{s}", real=True) ** 2 for s in expr.free_symbols if s.is_positive}
    found = sum_of_squares(sp.Poly(sp.expand(top.subs(roots))))
    return None if not found else sp.Add(*(c * q**2 for c, q in found))


def _largest_ratio(left: Any, right: Any) -> float:
    """The largest quotient at some places: they show quickly what has no certificate."""
    symbols, source = sorted(left.free_symbols | right.free_symbols, key=str), random.Random(1)
    sides, found = sp.lambdify(symbols, (left, right), "math"), 0.0
    for _ in range(_LOOKS):
        place = (
            10 ** source.uniform(-3, 3) * (s.is_positive or source.choice((-1, 0, 1))) for s in symbols
        )
        with suppress(ZeroDivisionError):
            a, b = sides(*place)
            found = max(found, a / b if b > 0 else 0.0)
    return found * (1 - _ROUNDING)


def scaled(left: Term, right: Term) -> Iterator[Term]:
    """What may bound an exponential instead: the right side over a letter that it lacks."""
    if any(isinstance(t, Applied) and t.head == "exp" for t in left.subterms()):
        yield from (right / a for a in left.letters if a not in right.letters)


def _chosen(difference: Any, given: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """The difference with each of the numbers that may be the largest, or smallest, of some.

    Where one is known to be no larger than another, it need not be the largest.
    """
    found = sorted(difference.atoms(sp.Max, sp.Min), key=str)
    if not found:
        yield difference, given
        return
    cases = []
    for one in found[0].args:
        pairs = [(other, one) for other in found[0].args if other != one]
        ordered = pairs if isinstance(found[0], sp.Max) else [pair[::-1] for pair in pairs]
        cases.append((one, ordered))
    needed = [c for c in cases if not any(pair[::-1] in given for pair in c[1])]
    for one, ordered in needed or cases:
        known = (*given, *(pair for pair in ordered if pair not in given))
        yield from _chosen(difference.xreplace({found[0]: one}), known)


def _signs(letters: Sequence[Letter]) -> Iterator[dict[Any, Any]]:
    """Letters of both signs as positive ones, with either sign; none where there are too many."""
    both = [symbol(a) for a in letters if a.kind == "real"]
    if len(both) > _MOST_REAL:
        return
    for chosen in product((1, -1), repeat=len(both)):
        yield {
            s: sign * sp.Symbol(f"size_{s}", positive=True) for s, sign in zip(both, chosen, strict=True)
        }


def _closed(letters: Sequence[Letter], bounds: Sequence[Bound]) -> set[Any]:
    """The new letters that may also be zero: at the ends of what is given."""
    ends = {f"t_{k + 1}" for k, (_, _, may_be_equal) in enumerate(bounds) if may_be_equal}
    ends |= {f"t_{a.name}" for a in letters if a.kind in ("count", "up to one", "unit")}
    above = {str(large) for small, large, may_be_equal in bounds if small == 0 and not may_be_equal}
    ends |= {f"size_{a.name}" for a in letters if a.kind == "real" and a.name not in above}
    return {sp.Symbol(name, positive=True) for name in ends}
