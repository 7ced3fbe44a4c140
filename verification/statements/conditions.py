"""What would make a false statement true: a condition on its letters, or a factor in front of a side."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, islice
from typing import Any

import sympy as sp

from verification.miner.conditions import Condition, conditions
from verification.miner.mine import Mined, mine
from verification.miner.scalars import scalar_conditions
from verification.miner.stated import Holds
from verification.refuter.places import Space
from verification.refuter.search import Look
from verification.relations.base import Relation
from verification.relations.compare import Compare
from verification.statements import telling
from verification.terms.arithmetics.symbols import in_symbols as symbols
from verification.terms.comparing import OTHER
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term, number
from verification.verdict import Correction, Gap

_NUMBERS = ("4", "2", "1", "1/2", "1/4")  # weakest first
_GLANCE, _COUNTED = 200, 400  # small places


def weakest(question: Any) -> Relation | None:
    """The weakest condition ``letter, product or ratio <= number`` under which a statement is proved.

    Each is tried at small exact places first: most are refuted there at once.
    """
    found: list[Relation] = []
    if not any(one.one_sided for one in question.statement.relations):
        return None  # only inequalities are mended by inequalities
    for monomial in _monomials(question.statement.letters, question.statement.relations):
        for bound in _NUMBERS:
            condition = Compare(monomial, "<=", number(bound))
            narrower = question.under(condition)
            if narrower.failure(_GLANCE) is None and narrower.proved:
                found.append(condition)
                break  # smaller numbers are stronger conditions
    return max(found, key=lambda one: _admitted(question.under(one)), default=None)


def _admitted(question: Any) -> int:
    """At how many small places a narrower statement still says something."""
    return sum(map(question.admits, islice(question.space.small(), _COUNTED)))


def _monomials(letters: tuple[Letter, ...], relations: tuple[Relation, ...]) -> Iterator[Term]:
    """Letters, the ratio of the two sides, products and ratios of two letters."""
    matrices = [a for a in letters if a.kind == "matrix"]
    letters = tuple(a for a in letters if a.kind not in ("matrix", "dimension"))
    if any(a.name == "Sigma" for a in matrices):  # of a law: the step times the largest curvature
        curvature = Applied("lambda_max", (Letter("A", "matrix"),))
        yield from (a * curvature for a in letters if a.name in ("eps", "gamma"))
    yield from sorted(letters, key=lambda a: a.name)
    if len(relations) == 1 and isinstance(relations[0], Compare) and not matrices:
        yield from _ratio_of_terms(relations[0])
    for x, y in combinations(sorted(letters, key=lambda a: a.name), 2):
        yield from (x * y, x / y, y / x)


def _ratio_of_terms(relation: Compare) -> Iterator[Term]:
    """Where one product of letters is to be below another: their ratio, without its number."""
    small, large, _ = relation.upward
    terms = sp.Add.make_args(sp.expand(symbols(small) - symbols(large)))
    if len(terms) == 2:
        added = [t for t in terms if not t.could_extract_minus_sign()]
        if len(added) == 1:
            (other,) = (t for t in terms if t is not added[0])
            yield from_sympy((-added[0] / other).as_coeff_Mul()[1])


def weaker(question: Any) -> Iterator[Relation]:
    """The relation with simple factors that make it weaker, the smallest that numbers admit first."""
    if len(question.statement.relations) != 1:
        return
    summit = question.summit
    if summit is None or summit.to_zero or summit.to_infinity:
        return
    (relation,) = question.statement.relations
    for factor in _simple_factors():
        if factor >= summit.value:
            found = relation.weaker(number(factor))
            if found is not None:
                yield found


def _simple_factors() -> list[Fraction]:
    return sorted({Fraction(a, b) for a in range(1, 13) for b in (1, 2, 3, 4)} - {Fraction(1)})


def gap(question: Any) -> Gap | None:
    """The slowest of the gaps that vanish with the step."""
    gaps = [question.ask(one, "gap") for one in question.statement.relations]
    known: list[Gap] = [g for g in gaps if g is not None]
    return min(known, key=lambda g: Fraction(g.order)) if len(known) == len(gaps) else None


def correction(claim: Any, question: Any) -> Correction | None:
    """The relation with the smallest simple factor that makes it true, or what a theory says instead."""
    relations = (claim.statement if question.equating else question.statement).relations
    others = question.ask(relations[0], "instead") if len(relations) == 1 else ()
    for true in chain(weaker(question), others):
        fixed = question.saying(question.meant(true) if question.equating else true)
        if question.equating and not fixed.is_plausible:
            continue
        if fixed.proved and (not question.equating or all(fixed.at_random())):
            return Correction(true.latex(), true.text(), "proved", "by certificate", (true,))
    found: Correction | None = question.ask(relations[0], "formula") if len(relations) == 1 else None
    return found or _as_defined(claim)


def _as_defined(claim: Any) -> Correction | None:
    """What a letter alone on the left of an equation is, where the claim is given that."""
    for one in claim.statement.relations:
        if one.relation == "=" and one.left in claim.definitions:
            true = one.with_sides(one.left, claim.definitions[one.left])
            return Correction(true.latex(), true.text(), "proved", "as it is defined", (true,))
    return None


def as_relations(given: tuple[Condition, ...]) -> Iterator[Relation]:
    """What is given of parameters as relations between letters."""
    for one in (p for c in given for p in c.parts if isinstance(p, Holds)):
        yield Compare(from_sympy(one.lower), "<" if one.strict else "<=", from_sympy(one.upper))


def in_symbols(given: tuple[Relation, ...]) -> Iterator[Condition]:
    """Relations between letters as conditions that a formula can be written under."""
    for one in given:
        if isinstance(one, Compare):
            small, large, may_be_equal = one.upward
            lower, upper = symbols(small), symbols(large)
            names = tuple(sorted(s.name for s in (upper - lower).free_symbols))
            yield Holds(names, lower, upper, not may_be_equal)


@dataclass(frozen=True)
class _Mine:
    """A question as the miner of conditions asks it."""

    question: Any
    necessity_looks: int = 40

    @property
    def id(self) -> str:
        """What random places are seeded from."""
        return str(self.question.seed)

    def space(self) -> Space:
        """Where it is looked at."""
        found: Space = self.question.space
        return found

    def look(self, time: str) -> Look:
        """What it says at a place."""
        found: Look = self.question.look()
        return found

    def letters(self) -> tuple[str, ...]:
        """The matrices on which a condition can lie; C stands for its factor B."""
        names = (n for n in self.space().matrices if not n.endswith(OTHER))
        return tuple("C" if n == "B" else n for n in names)

    def holds_at_random(
        self, time: str, source: random.Random, under: Condition | None = None
    ) -> bool | None:
        """At a random place under a condition."""
        question = self.question if under is None else self.question.under(under)
        place = question.random(source)
        seen = None if place is None else question.seen(place)
        return None if seen is None else bool(seen.holds)

    def prove_under(self, time: str, under: Condition) -> Any:
        """The proof under a condition."""
        narrower = self.question.under(under)
        return telling.proof_under(narrower.answers) if narrower.proved else None

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """Of matrices where there are some, else of positive letters."""
        space = self.space()
        if space.matrices:
            return conditions(self.letters())
        return tuple(scalar_conditions(tuple(n for n, k in space.scalars.items() if k == "positive")))


def found(question: Any) -> tuple[tuple[Any, ...], tuple[Mined, ...]]:
    """The weakest conditions under which a statement is proved, and what was mined on the way."""
    if not (question.limiting or question.equating):
        one = weakest(question)
        return (() if one is None else (one,)), ()
    mined = mine(_Mine(question), "")
    return tuple(m.condition for m in mined if m.proof is not None), mined
