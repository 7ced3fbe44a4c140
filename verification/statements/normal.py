"""The one form in which a statement is decided, however it is spelt.

Where a sampler settles is said along each eigenvector of A: an order between matrices that are made of
A, or a bound of its largest eigenvalue, is one of each eigenvalue. In dimension one the largest is the
only one. A condition has no part that holds anyway, and stands behind what it is a condition of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import sympy as sp

from verification import notation
from verification.relations.base import Relation
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.relations.iff import Iff
from verification.relations.joined import All, at_once
from verification.relations.stable import EIGENVALUE
from verification.statements.asking import prove
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.asymptotics import sign
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Number, Term, number, term
from verification.terms.walking import able
from verification.theories.answers import Proved

CURVATURE, _I = Letter("A", "matrix"), Letter("I", "matrix")
LARGEST, SMALLEST = (Applied(head, (term(notation.A),)) for head in ("lambda_max", "lambda_min"))
# words of what one matrix is made of
_BY_ENTRIES = ("+", "-", "negative", "*", "/", "**", "transpose", "sqrt")


def oriented(given: Any) -> Any:
    """What is given of a letter with the letter on the left: ``a I = A`` says what A is.

    An entry of a sequence or a mean is given itself, as in ``x_0 = u``.

    >>> from verification.statements import Equal, letters
    >>> a, b = letters("a b")
    >>> print(oriented(Equal(2 * a, b)), "|", oriented(Equal(a, b)))
    b = 2*a | a = b
    """
    if not isinstance(given, Equal) or not isinstance(given.right, Letter) or given.right == _I:
        return given
    itself = isinstance(given.left, Letter) or getattr(given.left, "head", "") in ("at", "mean")
    return given if itself else given.with_sides(given.right, given.left)


def statement(said: Any, given: Iterable[Relation] = (), single: bool = False, each: bool = True) -> Any:
    """A statement in the form in which it is decided, in dimension one where that is the ``single`` one.

    Of ``each`` eigenvalue, unless steps have matrices that do not share the eigenvectors of A.

    >>> from verification.statements import Stable, letters
    >>> eps, eigenvalue = letters("eps lambda")
    >>> print(statement(Iff(All(eps * eigenvalue > 0, eps * eigenvalue < 2), Stable())))
    it settles if and only if eps*lambda < 2
    """
    found = [_turned(one, tuple(given), single, each) for one in said.relations]
    changed = any(one is not old for one, old in zip(found, said.relations, strict=True))
    if not changed:
        return said
    return found[0] if len(found) == 1 and isinstance(said, Relation) else All(*found)


def hypotheses(
    given: Iterable[Relation], said: Any, single: bool = False, each: bool = True
) -> tuple[Relation, ...]:
    """What is given of a statement: where a sampler settles, of each eigenvalue."""
    given = tuple(given)
    if not each or not all(one.settling for one in said.relations):
        return given
    # no proof of stability takes an equation: it has the bounds that the equation gives
    found = tuple(_of_one(r) if r.relation == "=" else of_each(r, given, single) for r in given)
    if any(getattr(one, "settles", True) for one in said.relations):
        equal = {one.left for one in given if one.relation == "="}  # whose other bound is of one end
        return tuple(r for r in found if r.left not in equal or _of_one(r) == r or r.relation == "=")
    ends = (end for end in (LARGEST, SMALLEST) if any(_at_end(end, one) != one for one in found))
    end = next(ends, LARGEST)  # what does not settle along one eigenvector does not
    return tuple(_at_end(end, one) for one in found)


def _of_one(one: Any) -> Any:
    """A relation with both ends of the spectrum as one eigenvalue: these places have no other."""
    ends = {LARGEST: EIGENVALUE, SMALLEST: EIGENVALUE}
    return one.with_terms(lambda side: side.named(ends))


def _at_end(end: Term, one: Any) -> Any:
    """What is said of an end of the spectrum, along its eigenvector."""
    named = isinstance(one, Compare) and one.relation != "!="
    return one.with_terms(lambda side: side.named({end: EIGENVALUE})) if named else one


def _turned(one: Any, given: tuple[Relation, ...], single: bool, each: bool) -> Any:
    """``Iff`` with a condition behind it, of each eigenvalue and without what holds anyway."""
    if not isinstance(one, Iff):
        return one
    first, when = one.statement, one.when
    if when.relations[0].settling and not any(r.settling for r in first.relations):
        first, when = when, first
    found = [*when.relations]
    if len(found) > 1:
        needed = [r for r in found if not _holds_anyway(r, given)]
        found = needed or found[:1]
    if each and any(r.settling for r in first.relations):
        settles = all(getattr(r, "settles", True) for r in first.relations)
        if settles or len(found) == 1:  # two that are said of some eigenvalue may be of two
            found = [of_each(r, given, single, settles) for r in found]
    if first is one.statement and found == [*one.when.relations]:
        return one
    return Iff(first, at_once(found))


def _holds_anyway(one: Any, given: tuple[Relation, ...]) -> bool:
    """Whether a part of a condition says no more than the declarations of its letters do."""
    if not isinstance(one, Compare) or len({LARGEST, SMALLEST} & {*_parts(one)}) > 1:
        return False
    there = of_eigenvalue(one)  # which may be any
    return one not in given and isinstance(prove(there, _of_numbers(given)), Proved)


def _parts(one: Any) -> Iterator[Term]:
    return (part for side in one.sides for part in side.subterms())


def of_each(
    relation: Any, given: tuple[Relation, ...] = (), single: bool = False, settles: bool = True
) -> Any:
    """The same of each eigenvalue, where that says the same: of matrices, and of monotone bounds.

    Where nothing ``settles``, it is said of some eigenvalue: that is no order between matrices.

    >>> from verification.statements import letters
    >>> eps, mu = letters("eps mu")
    >>> print(of_each(eps < 2 / LARGEST), "|", of_each(eps * CURVATURE < 2 * _I))
    eps < 2/lambda | eps*lambda < 2
    >>> print(of_each(eps < 2 + LARGEST))
    eps < 2 + lambda_max(A)
    """
    if not hasattr(relation, "upward"):
        return relation
    if single or relation.between_matrices:
        return of_eigenvalue(relation) if single or settles else relation
    for end in (LARGEST, SMALLEST):
        at_end, way = _at_end(end, relation), "<" if (end == LARGEST) is settles else ">"
        if at_end != relation and _trend(at_end, way, given):
            return at_end
    return relation


def of_ends(relation: Any, given: tuple[Relation, ...] = ()) -> Any:
    """What is said of every eigenvalue, of the largest or of the smallest, where that says the same.

    >>> from verification.statements import letters
    >>> eps, eigenvalue = letters("eps lambda")
    >>> print(of_ends(eps * eigenvalue < 2), "|", of_ends(eps < eigenvalue))
    eps*lambda_max(A) < 2 | eps < lambda_min(A)
    """
    if not hasattr(relation, "upward") or EIGENVALUE not in relation.letters:
        return relation
    ends = [end for end, way in ((LARGEST, "<"), (SMALLEST, ">")) if _trend(relation, way, given)]
    return relation.put({EIGENVALUE: ends[0]}) if ends else relation


def as_said(
    true: Iff, said: Iterable[Any], given: tuple[Relation, ...] = (), single: bool = False
) -> Iff:
    """Where it settles, found of each eigenvalue, as it was said: of ends of them, of A, or of each.

    >>> from verification.statements import Stable, letters
    >>> eps, eigenvalue = letters("eps lambda")
    >>> found = Iff(Stable(), eps * eigenvalue < 2)
    >>> print(as_said(found, [eps < 1 / LARGEST]))
    it settles if and only if eps*lambda_max(A) < 2
    >>> print(as_said(found, [eps * CURVATURE < _I]))
    it settles if and only if eps*A < 2*I as matrices
    """
    spoken = {part for r in said if isinstance(r, Compare) for part in _parts(r)}
    if EIGENVALUE in spoken:
        return true
    if {LARGEST, SMALLEST} & spoken:
        told = [of_ends(r, given) for r in true.when.relations]
        if any(EIGENVALUE in r.letters for r in told):  # one of the same for all, or none
            return true
    elif CURVATURE in spoken:
        told = [_of_curvature(r, single) for r in true.when.relations]
    else:
        return true
    return Iff(true.statement, at_once(told))


def _of_curvature(relation: Any, single: bool) -> Any:
    """The same with A for each eigenvalue: an order of matrices, but in dimension one of numbers."""
    if not isinstance(relation, Compare) or EIGENVALUE not in relation.letters:
        return relation
    itself = {EIGENVALUE: CURVATURE}
    return relation.with_terms(
        lambda side: side.put(itself) if single or EIGENVALUE in side.letters else side * _I
    )


def _trend(relation: Compare, way: str, given: tuple[Relation, ...]) -> bool:
    """Whether the smaller side less the larger grows with the eigenvalue ("<"), or falls (">")."""
    small, large, _ = relation.upward
    excess = able(lambda: in_symbols(small - large), None)
    by = next((s for s in getattr(excess, "free_symbols", ()) if s.name == EIGENVALUE.name), None)
    if excess is None or by is None:
        return False
    below = sp.Mul.make_args(sp.factor(sp.fraction(sp.together(excess))[1]))
    if any(factor.has(by) and sign(factor) is None for factor in below):  # it may jump at a pole
        return False
    own = {a.name: a for a in relation.letters}  # of their kinds
    known = _of_numbers(given)
    found = 1 if way == "<" else -1
    for factor in sp.Mul.make_args(sp.factor(sp.diff(excess, by))):
        base, power = factor.as_base_exp()
        found *= 1 if power.is_even else _sign_of(base, own, known)
    return found == 1


def _sign_of(base: Any, own: dict[str, Any], given: tuple[Relation, ...]) -> int:
    """The sign of a factor, by itself or under what is given; 0 where it is not known."""
    if (known := sign(base)) is not None:
        return known
    value = able(lambda: from_sympy(base), None)
    value = (
        None if value is None else value.put({a: own[a.name] for a in value.letters if a.name in own})
    )
    ways = () if value is None else ((1, "<"), (-1, ">"))
    proved = (k for k, w in ways if isinstance(prove(Compare(number(0), w, value), given), Proved))
    return next(proved, 0)


def _of_numbers(given: Iterable[Relation]) -> tuple[Relation, ...]:
    return tuple(
        r for r in given if isinstance(r, Compare) and not any(a.kind == "matrix" for a in r.letters)
    )


def of_eigenvalue(relation: Compare) -> Compare:
    """The same of one eigenvalue, where its sides are made of A, its ends and numbers alone."""
    sides = [_at_eigenvalue(side) for side in relation.sides]
    return relation if None in sides else Compare(sides[0], relation.relation, sides[1], relation.needed)


def _at_eigenvalue(of: Term) -> Term | None:
    """What a function of A is along an eigenvector; None of what has other matrices in it."""
    if of in (CURVATURE, LARGEST, SMALLEST):
        return EIGENVALUE
    if of == _I:
        return number(1)
    if isinstance(of, Letter | Number) or not isinstance(of, Applied):
        return None if getattr(of, "kind", "") in ("matrix", "dimension") else of
    found = [_at_eigenvalue(part) for part in of.of]
    parts = tuple(part for part in found if part is not None)
    if of.head not in _BY_ENTRIES or len(parts) < len(found):
        return None
    scaled = of.head == "*" and parts[1:] == (number(1),)  # a number times I
    return parts[0] if scaled or of.head == "transpose" else of.with_parts(parts)
