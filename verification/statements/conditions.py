"""What would make a false statement true: a condition on its letters, or a factor in front of a side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import chain, combinations
from typing import Any

from sgtheory.notation.sentence import Formula
from verification.refuter.conditions import Condition
from verification.refuter.parameters import Holds
from verification.relations.base import Relation
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.relations.iff import Iff
from verification.relations.joined import All, at_once
from verification.relations.stable import EIGENVALUE
from verification.statements.factors import (
    gathered,
    other_factors,
    other_roots,
    says_nothing,
    with_another_term,
    with_left_over,
)
from verification.statements.innumbers import IN_TIME
from verification.statements.mining import Mined, edges, for_all_values, mine
from verification.statements.normal import CURVATURE
from verification.statements.weakest import weakest
from verification.terms.from_sympy import from_sympy
from verification.terms.term import number
from verification.terms.walking import while_able
from verification.terms.words import is_matrix
from verification.theories.answers import Proved, Silence, Silent
from verification.verdicts.verdict import Correction, Gap, lines_of, lines_under

_GLANCE = 200  # small places


def supposed(question: Any, mended: bool) -> tuple[Relation, ...]:
    """The first equation between letters under which an equation is proved, and others beside it.

    That two letters are one is supposed only where nothing else mends the statement.
    """
    if any(one.relation not in ("=", "O") for one in question.statement.relations):
        return ()
    letters = tuple(sorted(question.statement.letters, key=str))
    pairs = question.subject.suppositions(letters)
    if not mended and question.statement.relations[0].relation != "O":
        pairs = chain(pairs, combinations([a for a in letters if a.kind == "real"], 2))
    for condition in (Equal(*pair) for pair in pairs):
        narrower = question.under(condition)
        apart = [one for one in question.given if one.relation in ("<", ">")]
        put = {condition.left: condition.right}
        if any(one.left.put(put) == one.right.put(put) for one in apart):
            continue  # what is given excludes it
        if narrower.failure(_GLANCE) is None and narrower.proved:
            return (condition, *other_roots(question, condition))
    return ()


def weaker(question: Any) -> Iterator[Relation]:
    """The relation or an equation; with simple factors that make it weaker, the smallest first."""
    if len(question.statement.relations) != 1:
        return
    summit = question.summit
    if summit is None or summit.value < 1 or summit.to_zero or summit.to_infinity:
        return
    (relation,) = question.statement.relations
    if summit.value == 1 and hasattr(relation, "or_equal"):
        yield relation.or_equal
    for factor in _simple_factors():
        if factor >= summit.value:
            found = relation.weaker(number(factor))
            if found is not None:
                yield found


def _simple_factors() -> list[Fraction]:
    return sorted({Fraction(a, b) for a in range(1, 13) for b in (1, 2, 3, 4)} - {Fraction(1)})


def gap(question: Any) -> Gap | None:
    """The slowest of the gaps that vanish with the step."""
    pairs = zip(question.statement.relations, question.answers, strict=True)
    gaps = [question.ask(one, "gap") for one, said in pairs if not isinstance(said, Proved)]
    known: list[Gap] = [g for g in gaps if g is not None]
    return min(known, key=lambda g: Fraction(g.order)) if len(known) == len(gaps) else None


def correction(claim: Any, question: Any) -> Correction | None:
    """The relation with the smallest simple factor that makes it true, or what a theory says instead."""
    for condition, given in question.subject.stronger():
        if replace(question, conditions=given).proved:
            true, lines = claim.statement, lines_under(claim.statement, condition)
            return Correction(lines, "proved", condition.told_as, (true,), (condition,))
    if question.subject.cases:
        return _by_cases(question, {value: a for a, value in claim.where})
    if question.subject.mined or (question.equating and _form(claim.statement) is not None):
        return _of_the_whole(claim, question)
    relations = (claim.statement if question.equating else question.statement).relations
    if len(relations) == 1:
        own = claim.statement.relations
        return (
            _where_it_settles(claim, question, own[0])
            or _where_it_holds(claim, question, own[0])
            or _as_printed(claim, relations[0], _corrected(question, relations[0]))
            or _proved(question, other_factors(own, question))
            or _as_defined(claim, question)
            or _proved(question, with_left_over(own, question))
        )
    if not (question.equating or question.limiting):
        return _as_defined(claim, question)
    found = [_corrected(question, one) for one in relations]
    known = [one for one in found if one is not None]
    if len(known) < len(found) or not all(one.printed for one in known):
        return next((one for one in known if not one.printed), None) or _as_defined(claim, question)
    true = All(*(one.printed[0] for one in known))
    return Correction(lines_of(true), "proved", known[0].words, (true,))


def otherwise(claim: Any, question: Any) -> Correction | None:
    """What is said where there is no condition: one term in the place of another, or what is given."""
    alone = len((claim.statement if question.equating else question.statement).relations) == 1
    own = claim.statement.relations
    found = _proved(question, with_another_term(own, question)) if alone else None
    return found or _as_defined(claim, question, alone=False) or _as_it_is(question)


def _where_it_settles(claim: Any, question: Any, said: Any) -> Correction | None:
    """The exact range, which is found of each eigenvalue, in the letters in which one is said."""
    if said.relation != "iff" or not said.settling:
        return None
    ends = {value: a for a, value in claim.definitions.items() if value.letters}
    asked = question.meant(said).with_terms(question.subject.spelt)  # as its condition is not looked at
    if not asked.settling:  # a law in numbers is put in: it settles where that law exists
        own = next(one for one in (said.statement, *said.when.relations) if one.settling)
        told = Iff(own, All(*question.meant(own).relations))
        return _instead(told) if question.saying(question.meant(told)).proved else None
    for true in question.ask(asked, "instead"):
        for told in (claim.as_said(true, said), true):
            if _is_true(question, told):
                return _instead(told, told.with_terms(lambda side: side.named(ends)))
    return None


def _where_it_holds(claim: Any, question: Any, said: Any) -> Correction | None:
    """A statement with the weakest condition that is found for it, and with no other, where it is so."""
    if said.relation != "iff" or said.settling or not hasattr(question.statement, "when"):
        return None
    alone = question.saying(question.statement.statement)
    if any(one.complete for one in alone.statement.relations) or alone.failure(_GLANCE) is None:
        return None
    for condition in (c for c in found(alone, False)[0][:1] if isinstance(c, Relation)):
        if question.saying(Iff(question.statement.statement, condition)).proved:
            return _instead(Iff(said.statement, condition))
    return None


def _as_printed(claim: Any, relation: Relation, found: Correction | None) -> Correction | None:
    """With the sides that it keeps as they are printed, where a law in numbers was put in."""
    (own,) = claim.statement.relations
    spoken = len(own.sides) != len(relation.sides)  # such as: it settles
    if found is None or spoken or not (found.printed and claim.laws):
        return found
    names = dict(zip(relation.sides, own.sides, strict=True))
    (true,) = found.printed
    return replace(found, lines=lines_of(true.with_terms(lambda side: names.get(side, side))))


def _proved(question: Any, candidates: Iterator[Relation]) -> Correction | None:
    """The first of some relations in the letters of the source that is proved, and says something."""
    told = (one for one in candidates if not says_nothing(one))
    true = next((one for one in told if question.saying(question.meant(one)).proved), None)
    return None if true is None else _instead(true)


def _corrected(question: Any, relation: Relation) -> Correction | None:
    """One relation, itself where it is true."""
    alone = question.saying(question.meant(relation) if question.equating else relation)
    if alone.proved and len(question.statement.relations) > 1:
        return _instead(relation)
    asked = (
        question.meant(relation) if relation.limiting else relation
    )  # powers are those of what is meant
    for true in chain(weaker(alone), alone.ask(asked, "instead")):
        if relation.limiting and true.left == asked.left:
            true = replace(true, left=relation.left)
        if _is_true(question, true):
            return _instead(true)
    found: Correction | None = alone.ask(relation, "formula")
    if found is None:
        return None
    narrower = reduce(lambda asked, one: asked.under(one), found.under, question)
    return found if all(_is_true(narrower, one) for one in found.printed) else None


def _is_true(question: Any, true: Any) -> bool:
    """Whether another statement says something and is proved; of matrices, at random places too."""
    if says_nothing(true):
        return False
    meant = question.equating or question.subject.mined
    fixed = question.saying(question.meant(true) if meant else true)
    if question.equating and not fixed.is_plausible:
        return False
    searched = any(isinstance(a, Silent) and a.why != Silence.NO_FORMULA for a in question.answers)
    if question.subject.climbs and not question.equating:
        if not searched and not fixed.proved:
            return False  # where no formula is known that is sooner seen than where it fails
        if fixed.failure(_GLANCE) is not None:
            return False  # sooner seen than that there is no proof
    return fixed.proved and (not question.equating or all(fixed.at_random()))


def _instead(true: Any, shown: Any = None) -> Correction:
    shown, words = shown or true, getattr(_form(true), "words", "by certificate")
    return Correction(lines_of(shown), "proved", words, (true,))


def _by_cases(question: Any, names: Mapping[Any, Any]) -> Correction | None:
    """What is true instead in each case that a theory tells apart, where it can be said in all.

    Terms that the source has letters for are called by them.
    """
    found: dict[str, tuple[Any, Condition]] = {}
    for words, case in question.subject.cases:
        narrower = question.under(case)
        made = [_true_instead(narrower, one) for one in question.statement.relations]
        if None in made:
            return None
        true = at_once(made)
        if not all(narrower.saying(true).at_random()):
            return None
        found[words] = true, case
    wrong = [(w, true, case) for w, (true, case) in found.items() if true != question.statement]
    if not wrong:
        return None
    _, first, case = wrong[0]
    told = [(w, true.with_terms(lambda side: side.named(names))) for w, true, _ in wrong]
    if len({true for true, _ in found.values()}) == 1:
        ((_, one), *_) = told
        return Correction(lines_of(one), "proved", "by normal form", (first,))
    lines = tuple(Formula(rf"{t.latex()} \quad \text{{({w})}}", f"{t.text()} ({w})") for w, t in told)
    return Correction(lines, "proved", "by normal form, in each case", (first,), (case,))


def _true_instead(question: Any, relation: Relation) -> Any:
    for one in (relation, *question.ask(relation, "instead")):
        if isinstance(question.ask(one, "prove"), Proved):
            return one
    return None


def _of_the_whole(claim: Any, question: Any) -> Correction | None:
    """What a statement that is written out says instead, or one with one relation mended."""
    form = _form(claim.statement)
    if form is None:
        mended = (one for one in _with_one_mended(question) if question.saying(one).proved)
        true = next(mended, None)
        return _as_defined(claim, question) if true is None else _instead(true, claim.in_source(true))
    for true in while_able(form.instead(question.known)):
        if _is_true(question, true):
            return _instead(true)
    return None


def _form(statement: Any) -> Any:
    """What it is written out from; None of what is stated as relations."""
    return getattr(statement, "form", None)


def _with_one_mended(question: Any) -> Iterator[Any]:
    """The statement with the one relation of it that is not proved replaced.

    What one side of several relations comes to by itself corrects none of them.
    """
    relations = question.statement.relations
    false = [k for k, a in enumerate(question.answers) if not isinstance(a, Proved)]
    for true in question.ask(relations[false[0]], "instead") if len(false) == 1 else ():
        if len(relations) == 1:
            yield true
        elif true.left != relations[false[0]].left:
            yield question.statement.with_relation(false[0], true)


def _as_defined(claim: Any, question: Any, alone: bool = True) -> Correction | None:
    """What the left of a false relation is, where the claim is given that of it, or of its letters."""
    for one in claim.statement.relations:
        itself = one.left in claim.definitions or getattr(one.left, "head", "") in IN_TIME
        told = itself if alone else itself or {*one.left.letters} & {*claim.definitions}
        told = told and claim.meant(one).left != one.left
        equates = one.relation == "=" or (isinstance(one, Compare) and not alone)
        if equates and told and not question.saying(claim.meant(one)).proved:
            true = Equal(one.left, gathered(claim.meant(one).left))
            true = true.put({EIGENVALUE: CURVATURE}) if is_matrix(one.left) else true
            if not says_nothing(true):
                return Correction(lines_of(true), "proved", "as it is defined", (true,))
    return None


def _as_it_is(question: Any) -> Correction | None:
    """What one side of a false order is, where a theory has a formula for that."""
    (one, *others) = question.statement.relations
    if others or not isinstance(one, Compare) or not question.subject.solves:
        return None
    for side, other in (one.sides, one.sides[::-1]):
        for true in question.ask(Equal(side, other), "instead"):
            if true.left == side and _is_true(question, true):
                return _instead(true)
    return None


def as_relations(given: tuple[Condition, ...]) -> Iterator[Relation]:
    """What is given of parameters as relations between letters."""
    for one in (p for c in given for p in c.parts if isinstance(p, Holds)):
        yield Compare(from_sympy(one.lower), "<" if one.strict else "<=", from_sympy(one.upper))


def known_exactly(question: Any) -> Any:
    """Where a statement holds and nowhere else, as relations between letters, where a theory says so."""
    silent = (a.only_if for a in question.answers if isinstance(a, Silent))
    return next((one for one in silent if hasattr(one, "relations")), None)


def found(question: Any, mended: bool, failing: Any = None) -> tuple[tuple[Any, ...], tuple[Mined, ...]]:
    """The weakest conditions under which a statement is proved, and what was mined on the way."""
    if any(one.complete for one in question.statement.relations):
        return (), ()
    exactly = known_exactly(question)
    if exactly is not None:
        narrower = question.under(exactly)
        # beside what letters are given as, a condition may hold nowhere
        possible = all(r.relation != "=" for r in question.given) or narrower.at_random()
        return ((exactly,) if narrower.proved and possible else ()), ()
    edge = next(edges(question), None)
    if edge is not None:
        return (edge,), ()
    if not (question.limiting or question.equating or question.moving or question.subject.mined):
        one = weakest(question)
        return (supposed(question, mended) if one is None else (one,)), ()
    mined = mine(question, failing)
    return for_all_values(mined), mined
