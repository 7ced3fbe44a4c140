"""A claim: a statement with the place where it stands, and how it stands there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sgtheory.errors import DeclarationError
from verification.claims.base import Claim, Hypothesis, Proof, refuse_malformed
from verification.miner.scalars import ONE, OnScalars
from verification.refuter.places import Space
from verification.refuter.search import Failure, Look
from verification.relations.base import Relation
from verification.statements import telling
from verification.terms.term import Letter, Term, number, term
from verification.theories.answers import Disproved
from verification.theories.matrices import Law, with_second
from verification.theories.sequences import Steps, defines, steps_of
from verification.verdict import Finding, Twins

_FEW = 200  # small places of sequences, which have many entries


@dataclass(frozen=True)
class Stated(Claim):
    """A claim in the language of statements.

    ``numbers`` are those that the source prints for letters; ``where`` says what letters of the source
    stand for, one after the other, and ``sets`` which letters of the problem are formulas.
    """

    statement: Any = None
    numbers: tuple[tuple[Letter, str], ...] = ()
    where: tuple[tuple[Letter, Term], ...] = ()
    sets: tuple[tuple[Letter, Term], ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """What pages show is the statement's relations."""
        object.__setattr__(self, "printed", self.statement.relations)

    @property
    def printed_numbers(self) -> dict[str, Fraction]:
        """The numbers that are printed, by name."""
        return {a.name: Fraction(text) for a, text in self.numbers}

    @property
    def at_numbers(self) -> Any:
        """The statement with definitions and printed numbers in the place of their letters."""
        return self.meant(self.statement)

    def meant(self, statement: Any) -> Any:
        """A statement in the letters of the problem."""
        for letter, value in self.where:
            statement = statement.put({letter: value})
        values = {a: number(text) for a, text in self.numbers}
        return statement.put(self.definitions).put(values)

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
        return {r.left: r.right for r in relations if r.relation == "=" and isinstance(r.left, Letter)}

    @property
    def steps(self) -> Steps | None:
        """What is known of its sequences, where there are any."""
        given = tuple(r for h in self.given for r in getattr(h, "relations", ()))
        return steps_of(self._terms, given)

    def space(self) -> Space:
        """The letters that have no printed number; of sequences, the entries of a few steps."""
        steps = self.steps
        if steps is not None:
            out = (s for r in self.at_numbers.relations for _, s in steps.written_out(r))
            return Space({}, {a.name: a.kind for one in out for a in one.letters}, most=_FEW)
        letters = (*self.at_numbers.letters, *(a for r in self.given_relations for a in r.letters))
        law, relations = self.law(self.time), self.at_numbers.relations
        set_here = tuple(a for r in relations if r.limiting for a in r.way.set_here)
        parts = (p for c in self.conditions for p in c.parts if isinstance(p, OnScalars))
        held = {n for p in parts for n in p.letters} - {ONE}
        moving = [a for r in relations for a in r.constant_in]
        if law is None:
            own = dict.fromkeys(sorted(held - {a.name for a in set_here}), "positive")
            return with_second(
                Space({}, {**own, **{a.name: a.kind for a in letters}, **dict(self.kinds)}), moving
            )
        found: Space = law.space((*self._terms, *letters), set_here, held)
        return with_second(found, moving)

    @property
    def _terms(self) -> tuple[Term, ...]:
        """Every side, and what is set on the way to a limit."""
        relations = self.at_numbers.relations
        ways = (r.way.terms for r in relations if r.limiting)
        return (*(t for r in relations for t in r.sides), *(t for terms in ways for t in terms))

    def law(self, time: str) -> Law | None:
        """What the matrices theory knows of it: the law of its sampler, or its matrices."""
        if not (
            self.of or any(a.kind in ("matrix", "dimension") for t in self._terms for a in t.letters)
        ):
            return None
        setting = self.setting if self.of else None
        return Law(setting, time, self.kinds, self.sets, self.conditions, self.where)

    def has_discrete_reading(self) -> bool:
        """Only where a law in its own time is meant."""
        law = self.law(self.time)
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
        """By the one order."""
        from verification.statements.deciding import find

        return find(self, time)

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, Any]:
        """A limit is not measured: every ensemble is at one value of the letter."""
        if any(r.limiting for r in self.statement.relations):
            return finding, None
        return super().measured(finding, plan)

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
) -> Stated:
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
    )
    refuse_malformed(stated)
    return stated
