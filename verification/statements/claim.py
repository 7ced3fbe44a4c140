"""A claim: a statement with the place where it stands, and how it stands there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from sgtheory.errors import DeclarationError
from verification.claims.base import Claim, Hypothesis, Proof, refuse_malformed
from verification.refuter.parameters import OnScalars, Related
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look
from verification.relations.base import Relation
from verification.relations.best import Best
from verification.relations.joined import OnlyIf
from verification.statements import telling
from verification.statements.given import as_conditions, of_problem
from verification.terms.term import Applied, Letter, Term, number, term
from verification.terms.words import owners
from verification.theories.answers import Disproved
from verification.theories.distances import laws_of
from verification.theories.invariants import Invariant
from verification.theories.matrices import Law, increments, predicted, with_second
from verification.theories.minibatches import Draws
from verification.theories.minibatches.words import KINDS as OF_DATA
from verification.theories.operators import Calculus, calculus_of
from verification.theories.sequences import Steps, defines, steps_of
from verification.theories.time import Law as LawInTime
from verification.verdicts.verdict import Finding, Twins

_FEW = 200  # small places of sequences, which have many entries


@dataclass(frozen=True)
class Stated(Claim):
    """A claim in the language of statements.

    ``numbers`` are those that the source prints for letters; ``where`` says what letters of the source
    stand for, one after the other, and ``sets`` which letters of the problem are formulas. It holds for
    all values of ``states``: conditions lie on other letters.
    """

    statement: Any = None
    numbers: tuple[tuple[Letter, str], ...] = ()
    where: tuple[tuple[Letter, Term], ...] = ()
    sets: tuple[tuple[Letter, Term], ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    states: tuple[Letter, ...] = ()

    def __post_init__(self) -> None:
        """What pages show is the statement's relations, or its lines where it has any."""
        shown = getattr(self.statement, "lines", self.statement.relations)
        object.__setattr__(self, "printed", shown)

    @property
    def printed_numbers(self) -> dict[str, Fraction]:
        """The numbers that are printed, by name."""
        return {a.name: Fraction(text) for a, text in self.numbers}

    @cached_property
    def at_numbers(self) -> Any:
        """The statement with definitions and printed numbers in the place of their letters."""
        return self.meant(self.statement)

    def in_time(self, time: str) -> Stated:
        """The same, where it says something else of the algorithm than of the process."""
        read = getattr(self.statement, "in_time", None)
        return self if read is None else replace(self, statement=read(time))

    def meant(self, statement: Any) -> Any:
        """A statement in the letters of the problem."""
        for letter, value in self.where:
            statement = statement.put({letter: value})
        values = {a: number(text) for a, text in self.numbers}
        return statement.put(self.definitions).put(values)

    def in_source(self, statement: Any) -> Any:
        """A statement in which what is given as a formula is called by its letter again."""
        known = {value: a for a, value in self.definitions.items()}
        return statement.with_terms(lambda side: side.named(known)) if known else statement

    @property
    def given_relations(self) -> tuple[Relation, ...]:
        """The hypotheses that are relations, with printed numbers in the place of their letters."""
        values = {a: number(text) for a, text in self.numbers}
        relations = (r for h in self.given for r in getattr(h, "relations", ()))
        known = self.definitions
        return tuple(r.put(values) for r in relations if r.left not in known and not defines(r))

    @property
    def definitions(self) -> dict[Letter, Term]:
        """Letters that are given as formulas: ``given=(Equal(h, 2 / n),)``."""
        relations = (r for h in self.given for r in getattr(h, "relations", ()))
        found = {r.left: r.right for r in relations if r.relation == "=" and isinstance(r.left, Letter)}
        own = of_problem(self.setting) if found and self.of else frozenset()
        return {a: value for a, value in found.items() if a.name not in own}

    @property
    def steps(self) -> Steps | None:
        """What is known of its sequences, where there are any."""
        given = tuple(r for h in self.given for r in getattr(h, "relations", ()))
        return steps_of(self._terms, given)

    @property
    def calculus(self) -> Calculus | None:
        """What is known of its functions and states, where there are any."""
        return calculus_of(self._terms, self.states)

    def space(self) -> Space:
        """The letters that have no printed number; of sequences, the entries of a few steps."""
        steps = self.steps
        if steps is not None:
            found: Space = steps.space(self.at_numbers, _FEW)
            return found
        letters = (*self.at_numbers.letters, *(a for r in self.given_relations for a in r.letters))
        law, relations = self.law(self.time), self.at_numbers.relations
        set_here = tuple(a for r in relations if r.limiting for a in r.way.set_here)
        set_here += tuple(a for r in relations for a in r.chosen)
        parts = (p for c in self.conditions for p in c.parts if isinstance(p, OnScalars))
        held = {n for p in parts for n in p.letters}
        moving = [a for r in relations for a in r.constant_in]
        calculus = self.calculus if law is None else None
        if calculus is not None:
            related = (p for c in self.conditions for p in c.parts if isinstance(p, Related))
            own = {s.name: "positive" for p in related for s in p.relation.polynomial.free_symbols}
            own |= calculus.kinds() | dict(self.kinds)
            moved_on = {a.name for a in set_here}
            own = {name: kind for name, kind in own.items() if name not in moved_on}
            return with_second(Space({}, own), moving)
        if law is None:
            own = dict.fromkeys(sorted(held - {a.name for a in set_here}), "positive")
            return with_second(
                Space({}, {**own, **{a.name: a.kind for a in letters}, **dict(self.kinds)}), moving
            )
        found = law.space((*self._terms, *letters), set_here, held)
        return with_second(found, moving)

    @cached_property
    def _terms(self) -> tuple[Term, ...]:
        """Every side, and what is set on the way to a limit."""
        relations = self.at_numbers.relations
        ways = (r.way.terms for r in relations if r.limiting)
        return (*(t for r in relations for t in r.sides), *(t for terms in ways for t in terms))

    def law(self, time: str) -> Any:
        """What a theory knows of it: the law of its sampler, its matrices, its times, or its data."""
        supposed = tuple(t for r in self.given_relations for t in r.sides)
        if any(a.kind in OF_DATA for t in (*self._terms, *supposed) for a in t.letters):
            limiting = any(r.limiting for r in self.at_numbers.relations)
            return Draws((*self._terms, *supposed), limiting, self.conditions)
        heads = {t.head for side in self._terms for t in side.subterms() if isinstance(t, Applied)}
        asked = {owners()[head] for head in heads}
        for name, laws in (("distances", laws_of), ("invariants", Invariant)):
            if name in asked:
                ways = tuple(r.way for r in self.at_numbers.relations if r.limiting)
                return laws(self._terms, ways, self.conditions)
        setting = self.setting if self.of else None
        letters = [a for t in self._terms for a in t.letters]
        if setting is not None and increments.are_about(letters):
            gain, given = any(a.name == "H" for a in letters), self.conditions
            return Law(None, time, self.kinds, self.sets, given, self.where, runs=setting, gain=gain)
        known = (setting, time, self.kinds, self.sets, self.conditions, self.where)
        asked |= {getattr(p, "theory", "") for c in self.conditions for p in c.parts}
        steps = {a.name for t in self._terms for a in t.letters if a.kind == "count"} - {"N", "S"}
        if "time" in asked or (self.of and steps and "elsewhere" not in heads):
            return LawInTime(*known, self._terms, self.given_relations)
        matrices = any(a.kind in ("matrix", "dimension") for t in self._terms for a in t.letters)
        return Law(*known) if self.of or matrices else None

    def has_discrete_reading(self) -> bool:
        """Only where a law in its own time is meant."""
        law, relations = self.law(self.time), self.statement.relations
        if any(r.limiting and r.way.letter.name == "eps" and r.way.to == "oo" for r in relations):
            return False  # no algorithm has a law with steps beyond all bounds
        return self.time == "continuous" and law is not None and "" in law.times(self._terms)

    def look(self, time: str) -> Look:
        """What it says at a place."""
        from verification.statements.deciding import asked

        return asked(self, time).look()

    def script(self, failure: Failure, time: str) -> str:
        """Lines that show a failure."""
        from verification.statements.deciding import asked
        from verification.statements.scripts import script_of

        question = asked(self, time)
        return script_of(question.statement, question.values(failure.place) or {}, self.heading)

    def prove(self, time: str) -> Proof:
        """What theories make of it."""
        from verification.statements.deciding import asked

        question = asked(self, time)
        fails = any(isinstance(a, Disproved) for a in question.answers)
        holds = True if question.proved else False if fails else None
        shown = (telling.proof(question.statement.relations, question.answers),)
        return Proof(holds, telling.reason(question.answers, fails), shown)

    def find(self, time: str | None = None) -> Finding:
        """By the one order, or by that for what it needs."""
        from verification.statements import deciding, needing

        order = needing if isinstance(self.statement, OnlyIf) else deciding
        return order.find(self.in_time(time or self.time), time)

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, Any]:
        """No limit, as an ensemble is at one value of the letter; no times, no equivalence."""
        law = self.law(self.time)
        in_time = isinstance(law, LawInTime) or (self.of and law is not None and law.setting is None)
        if in_time or any(r.limiting or r.complete for r in self.statement.relations):
            return finding, None
        return super().measured(finding, plan)

    @property
    def best(self) -> Best | None:
        """The parameter of its sampler that it calls best, where that is all it says."""
        relation, *others = self.at_numbers.relations
        names = {p.name for p in self.setting.sampler.parameters} if self.of else set()
        if others or not isinstance(relation, Best) or relation.by.name not in names:
            return None
        return relation

    def printed_params(self, problem: Any) -> dict[str, Any] | None:
        """What it calls best, and what the recipe leaves to the user; None where that is no number."""
        sizes = Place({}, dict(problem.sizes))
        at_sizes = (c for c in self.conditions if isinstance(c, OnScalars))
        names = {p.name for p in self.setting.sampler.parameters} if self.of else set()
        is_set = any(a.name in names for a, _ in self.sets)
        if not (self.best or is_set) or not all(c.holds(sizes) for c in at_sizes):
            return None
        chosen = None if self.best is None else self.best.asked
        return predicted.parameters(self.law(self.time), chosen, names, problem)

    def printed_covariance(self, problem: Any) -> Any:
        """The covariance that its equation alone would give, where it is one that fixes it."""
        law, (relation, *others) = self.law(self.time), self.at_numbers.relations
        if law is None or law.setting is None or isinstance(law, LawInTime):
            return None
        if self.best is not None:
            return predicted.where_a_divergence_vanishes(law, self.best.asked, problem)
        if others or relation.relation != "=" or not relation.between_matrices:
            return None
        return predicted.covariance(law, relation.left, relation.right, problem, self.of)

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Its corruptions."""
        from verification.statements.surviving import twins

        return twins(self, finding, most)


def claim(
    key: str,
    *,
    at: str,
    title: str,
    says: str = "",
    printed: Any = None,
    read: Any = None,
    derived: Any = None,
    given: tuple[Hypothesis | Relation, ...] = (),
    numbers: Mapping[Letter, str] | None = None,
    of: Any = "",
    time: str = "continuous",
    where: tuple[tuple[Any, Any], ...] = (),
    sets: tuple[tuple[Any, Any], ...] = (),
    kinds: tuple[tuple[str, str], ...] = (),
    states: tuple[Any, ...] = (),
) -> Any:
    """A statement as it is printed, as a sentence is read, or as it is derived: one of the three.

    ``numbers`` may be a whole table: what does not occur in the statement is left out.

    >>> from verification.statements import Equal, letters
    >>> a, b = letters("a b")
    >>> wrong = Equal((a + b) ** 2, a**2 + b**2)
    >>> claim("eq1", at="Eq. 1", title="A binomial", printed=wrong).find().verdict
    'refuted'
    """
    ways = {"printed": printed, "read": read, "derived": derived}
    given_ways = [(name, s) for name, s in ways.items() if s is not None]
    if len(given_ways) != 1:
        raise DeclarationError(
            "one of printed=, read=, derived=", f"{len(given_ways)} of them", "give the statement once"
        )
    ((stands, statement),) = given_ways
    occurring = {a: text for a, text in (numbers or {}).items() if a in statement.letters}
    stated = Stated(
        key=key,
        at=at,
        title=title,
        says=says,
        given=given,  # type: ignore[arg-type]  # old claims know no relations
        statement=statement,
        stands=stands,
        numbers=tuple(occurring.items()),
        of=of,
        time=time,
        where=tuple((term(a), term(value)) for a, value in where),  # type: ignore[misc]
        sets=tuple((term(a), term(value)) for a, value in sets),  # type: ignore[misc]
        kinds=kinds,
        states=tuple(map(term, states or getattr(statement, "states", ()))),  # type: ignore[arg-type]
    )
    refuse_malformed(stated)
    fixed = [str(a) for a, _ in stated.sets if a.name in ("A", "B", "C")] if stated.of else []
    if fixed:
        raise DeclarationError(
            "sets= of parameters, sizes and gains",
            fixed[0],
            "say what is known of it: given=(Equal(C, A),)",
        )
    if stated.of and any(hasattr(h, "relation") for h in given):
        told = tuple(t for r in statement.relations for t in r.sides)
        stated = replace(stated, given=tuple(as_conditions(given, stated.setting, told)))
    return stated
