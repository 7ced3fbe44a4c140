"""The weakest condition on letters under which a false inequality is proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, combinations, islice
from typing import Any

import sympy as sp

from verification.relations.base import Relation
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.statements import thresholds
from verification.terms.arithmetics.symbols import in_symbols as symbols
from verification.terms.asymptotics import taken_and_added
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter, Term, number
from verification.terms.walking import able, while_able
from verification.theories import one_product

_NUMBERS = ("4", "2", "1", "1/2", "1/4")  # weakest first
_FROM_ZERO = ("nonnegative", "unit")
_GLANCE, _COUNTED = 200, 400  # small places


def weakest(question: Any) -> Relation | None:
    """The weakest condition ``letter, product or ratio <= number`` under which a statement is proved.

    Each is tried at small exact places first: most are refuted there at once.
    """
    found: list[Relation] = []
    if question.subject.stepwise:
        return None
    if all(one.relation == "O" for one in question.statement.relations):
        large = (one for one in _may_be_large(question) if _admitted(question.under(one > 1)))
        return next((c for c in (one >= 1 for one in large) if question.under(c).proved), None)
    if not question.subject.climbs or not any(one.one_sided for one in question.statement.relations):
        return None  # only inequalities are mended by inequalities
    order, own = _order(question), None
    exact: list[tuple[Iterator[Relation], Any]] = [(_above_zero(question), question)]
    if order is not None:
        own, alone = _ratio_of_products(order), replace(question, given=())
        exact += [(_solved(question, order), alone), (_factor_left(question, order), question)]
    for conditions, proving in exact:
        for one in _of_first(question, conditions):
            narrower = question.under(one)
            if not _fails(narrower) and proving.under(one).proved and narrower.at_random():
                return one
    if order is not None:
        last = chain(_along_one(question, order, own), _where_equal(question, order))
        for one in _of_first(question, last):
            if question.under(one).proved:
                return one
    monomials = [  # a bound of what the statement bounds says what that says
        one for one in _monomials(question) if own is None or not sp.cancel(own / symbols(one)).is_number
    ]
    seen = thresholds.bounds(question, monomials)
    if seen is not None:
        return next((one for one in seen if question.under(one).proved), None)
    for monomial in monomials:
        for bound in _NUMBERS:
            condition = Compare(monomial, "<=", number(bound))
            narrower = question.under(condition)
            if narrower.failure(_GLANCE) is None and narrower.proved:
                found.append(condition)
                break  # smaller numbers are stronger conditions
    return max(found, key=lambda one: _admitted(question.under(one)), default=None)


def _may_be_large(question: Any) -> Iterator[Any]:
    """Letters, and products of two such as a time, that a bound may need to be at least one."""
    letters = [a for a in question.statement.letters if a.kind == "positive"]
    yield from (*letters, *(x * y for x, y in combinations(letters, 2)))


def _of_first(question: Any, found: Iterator[Relation]) -> Iterator[Relation]:
    """Those that say nothing of letters for larger values of others."""
    known = while_able(found)  # of what is spelt out first there is no formula
    return (one for one in known if question.seconds.isdisjoint(a.name for a in one.letters))


def _order(question: Any) -> Any:
    """The smaller side, the larger one and whether they may be equal; None of no order of numbers."""
    (relation, *others) = question.statement.relations
    plain = not others and hasattr(relation, "upward") and not relation.between_matrices
    return relation.upward if plain else None


def _ratio_of_products(order: Any) -> Any:
    """The smaller side over the larger where each is a product of letters; None where it is not.

    None also where their ratio is of one letter, which the statement does not name alone: to solve
    `beta^2 <= beta` for beta says something.
    """
    small, large = (able(partial(_expanded, side), 0) for side in order[:2])
    if 0 in (small, large) or small.is_Add or large.is_Add:
        return None
    ratio = small / large
    solved = small.is_number or large.is_number
    return ratio if solved or len(ratio.free_symbols) > 1 else None


def _expanded(side: Any) -> Any:
    return sp.expand(symbols(side))


def _solved(question: Any, order: Any) -> Iterator[Relation]:
    """What an inequality says of a letter that is bounded already, where it is linear in that."""
    small, large, may_be_equal = order
    top = sp.fraction(sp.together(symbols(large) - symbols(small)))[0]
    for letter in (one.upward[0] for one in question.given if hasattr(one, "upward")):
        if not isinstance(letter, Letter) or not top.is_polynomial(symbols(letter)):
            continue
        powers = sp.Poly(top, symbols(letter)).terms()  # the highest first
        if len(powers) == 2 and powers[0][0][0] == powers[1][0][0] + 1:
            bound = sp.factor(-powers[1][1] / powers[0][1])
            if bound.free_symbols:  # numbers are tried besides
                yield Compare(letter, "<=" if may_be_equal else "<", from_sympy(bound))


def _where_equal(question: Any, order: Any) -> Iterator[Relation]:
    """Of a difference that has the wrong sign wherever it is not zero: where it is."""
    small, large, may_be_equal = order
    if may_be_equal and question.saying(Compare(large, "<=", small)).proved:
        yield from (Equal(*pair) for pair in question.known.roots(small, large))


def _factor_left(question: Any, order: Any) -> Iterator[Relation]:
    """Of a difference that is a product: that the one factor has its sign which has it not by itself."""
    small, large, may_be_equal = order
    top, bottom = sp.fraction(sp.cancel(symbols(large) - symbols(small)))
    if not (top.is_polynomial() and bottom.is_polynomial()):
        return
    (number, above), (under, below) = map(sp.factor_list, (top, bottom))
    sign, left = int(sp.sign(number * under)), list[tuple[Any, int]]()
    for f, k in (*above, *below) if len(above) + len(below) > 1 else ():
        signs = (s for s in (1, -1) if f.is_positive or _is_given(question, s * f))
        here = 1 if k % 2 == 0 and may_be_equal else next(signs, 0)
        sign, left = sign * (here or 1), left if here else [*left, (f, k)]
    if any(one in below for one in left):
        return
    if len(left) == 1 and left[0][1] % 2:
        less, more = map(sp.factor, taken_and_added(sign * left[0][0]))
        yield Compare(from_sympy(less), "<=" if may_be_equal else "<", from_sympy(more))


def _along_one(question: Any, order: Any, own: Any) -> Iterator[Relation]:
    """Of a difference whose sign depends on one product of letters: the one bound of that.

    Not where both sides are products with the ratio ``own``: that bound is what the statement says.
    """
    small, large, may_be_equal = order
    given = [one.upward for one in question.given if hasattr(one, "upward")]
    bounds = [(symbols(a), symbols(b), equal) for a, b, equal in given]
    for product, upward, end in one_product.ends(symbols(large) - symbols(small), bounds):
        if own is not None and any(sp.cancel(own * x).is_number for x in (product, 1 / product)):
            continue
        sign = ("<" if upward else ">") + "=" * may_be_equal
        yield Compare(from_sympy(product), sign, from_sympy(end))


def _is_given(question: Any, expr: Any) -> bool:
    """Whether a number is nowhere negative where what is given holds."""
    alone = question.saying(Compare(from_sympy(expr), ">=", 0))
    return not _fails(alone) and bool(alone.proved)


def _above_zero(question: Any) -> Iterator[Relation]:
    """That a letter which may be zero is not, where a strict inequality has it."""
    for one in (r for r in question.statement.relations if r.relation in ("<", ">")):
        said = able(partial(symbols, one.left - one.right), sp.nan)
        letters = (a for a in one.letters if a.kind in _FROM_ZERO)
        own = (
            a for a in letters if not sp.cancel(said / symbols(a)).is_number
        )  # else that is what it says
        yield from (Compare(a, ">", number(0)) for a in own)


def _fails(question: Any) -> bool:
    """Whether it is soon seen to be false, in floats or at small exact places."""
    found = thresholds.fails(question)
    return question.failure(_GLANCE) is not None if found is None else found


def _admitted(question: Any) -> int:
    """At how many small places a narrower statement still says something."""
    return sum(map(question.admits, islice(question.space.small(), _COUNTED)))


def _monomials(question: Any) -> Iterator[Term]:
    """Letters, the ratio of the two sides, products and ratios of two letters."""
    every, relations = question.statement.letters, question.statement.relations
    matrices = any(a.kind == "matrix" for a in every)
    second = question.seconds
    own = (a for a in every if a.kind not in ("matrix", "dimension") and a.name not in second)
    letters = sorted(own, key=lambda a: a.name)
    yield from question.subject.monomials(every)
    yield from letters
    if len(relations) == 1 and hasattr(relations[0], "upward") and not matrices:
        yield from _ratio_of_terms(relations[0])
    for x, y in combinations(letters, 2):
        yield from (x * y, x / y, y / x, x**2 * y, x * y**2)
    for x, y, z in combinations(letters, 3):
        yield from (x * y / z, x * z / y, y * z / x)


def _ratio_of_terms(relation: Compare) -> Iterator[Term]:
    """Where one product of letters is to be below another: their ratio, without its number."""
    small, large, _ = relation.upward
    terms = sp.Add.make_args(sp.expand(symbols(small) - symbols(large)))
    if len(terms) == 2:
        added = [t for t in terms if not t.could_extract_minus_sign()]
        if len(added) == 1:
            (other,) = (t for t in terms if t is not added[0])
            yield from_sympy((-added[0] / other).as_coeff_Mul()[1])
