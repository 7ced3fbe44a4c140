"""A slip of the pen, undone: a statement that is true with one symbol of the printed one changed.

That tells a misprint from a result that fails: of a formula that is wrong through and through no other
symbol makes a true one. Of bounds many do, so there the source has to go on with the other symbol.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from sgtheory.errors import DeclarationError
from verification.library import claims, paper_keys
from verification.relations.bounded import Bounded
from verification.relations.equal import Equal
from verification.statements.corrupting import corruptions
from verification.statements.deciding import asked
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.term import Applied, Letter, Term, number
from verification.terms.walking import able

_MOST = 60  # changes that are tried
_PLACES = 40  # exact places at which one has to hold before it is proved


def undone(claim: Any) -> Any:
    """The statement with one symbol changed, where that is proved; None where none is found."""
    (one, *others) = getattr(getattr(claim, "statement", None), "relations", ()) or (None,)
    if one is None or others or type(one) not in (Equal, Bounded):
        return None
    if claim.stands not in ("printed", "read"):
        return None  # nothing is written that a pen could have missed
    subject = asked(claim).subject
    if subject.solves or subject.slow or any(_same(side, number(0)) for side in one.sides):
        return None
    found = islice(_changed(one), _MOST)
    return next((s for s in found if (_is_true if type(one) is Equal else _goes_on)(claim, s)), None)


def _changed(one: Any) -> Iterator[Any]:
    """The relation with another letter, index, sign or factor at one place."""
    means = [any(getattr(part, "head", "") == "mean" for part in side.subterms()) for side in one.sides]
    for k, side in enumerate(one.sides):
        if means[k] and not all(means):
            continue  # the mean of what a sampler draws is meant, and the other side printed
        more = (
            (t for _, t in corruptions(side) if _leaves(t) == _leaves(side))
            if type(one) is Equal
            else ()
        )
        for wrong in (*_symbols(side, one.letters), *more):
            try:
                yield one.with_sides(*(wrong if j == k else s for j, s in enumerate(one.sides)))
            except DeclarationError:  # both sides are one
                yield None


def _leaves(side: Term) -> int:
    """How many symbols it has, but for signs and roots: a term that is left out is no slip of a pen."""
    return sum(map(_leaves, side.parts)) if side.parts else 1


def _symbols(side: Term, letters: tuple[Letter, ...]) -> Iterator[Term]:
    """Another letter of its kind for a letter, or an entry of a sequence at the index beside it; and
    once what is printed twice over."""
    if isinstance(side, Applied) and side.head == "at":
        sequence, index = side.of
        yield from (Applied("at", (sequence, one)) for one in (index - number(1), index + number(1)))
        return
    if isinstance(side, Applied) and side.head == "*" and side.of[0] == side.of[1]:
        yield side.of[0]
    if side in letters:
        yield from (a for a in letters if a != side and a.kind == getattr(side, "kind", ""))
    for k, part in enumerate(side.parts):
        for wrong in _symbols(part, letters):
            yield side.with_parts((*side.parts[:k], wrong, *side.parts[k + 1 :]))


def _is_true(claim: Any, statement: Any) -> bool:
    if statement is None or any(_same(side, number(0)) for side in statement.sides):
        return False
    question = asked(replace(claim, statement=statement))
    return question.failure(_PLACES) is None and question.proved


def _goes_on(claim: Any, statement: Any) -> bool:
    """Whether both sides are one then, or another entry of the source says so and is proved."""
    if statement is None or _same(*statement.sides):
        return True
    known: tuple[Any, ...] = claims(claim.paper) if claim.paper in paper_keys() else ()
    same = (c for c in known if c.id != claim.id and _says(c, statement))
    return any(c.find().verdict == "proved" for c in same)


def _says(claim: Any, one: Any) -> bool:
    relations: list[Any] = [*getattr(getattr(claim, "statement", None), "relations", ())]
    if len(relations) != 1 or type(relations[0]) is not type(one):
        return False
    pairs = zip(relations[0].sides, one.sides, strict=True)
    return all(_same(*pair) for pair in pairs)


def _same(one: Term, other: Term) -> bool:
    return bool(able(lambda: in_symbols(one) == in_symbols(other), False))
