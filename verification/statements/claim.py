"""A claim: a statement with the place where it stands, and how it stands there."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from sgtheory.errors import DeclarationError, UnusableInput
from sgtheory.finding import suggest
from sgtheory.modepairs.matrixform import blocks
from sgtheory.setting import Setting
from verification.laws.rational import own_matrices
from verification.refuter.conditions import IsDiagonal, OneDimensional
from verification.refuter.parameters import OnScalars
from verification.refuter.places import MATRIX_KINDS, Place, Space
from verification.refuter.search import Look
from verification.relations.base import Relation
from verification.relations.best import Best
from verification.relations.exists import is_somewhere
from verification.relations.joined import Needed
from verification.relations.stating import statement as as_statement
from verification.statements import normal, telling
from verification.statements.entry import Claim, Hypothesis, refuse_malformed, small_letters
from verification.statements.given_numbers import in_numbers
from verification.statements.innumbers import InNumbers
from verification.statements.obeying import of_a_factor, with_bounds
from verification.terms.term import Letter, Term, number, term
from verification.terms.walking import CANNOT
from verification.terms.words import defines, refuse_misused
from verification.theories.subject import (
    About,
    Subject,
    condition_of,
    lawless,
    letters_of_problem,
    subject_of,
    with_second,
    words_and_kinds,
)
from verification.verdicts.verdict import Finding, Twins


@dataclass(frozen=True)
class Stated(Claim):
    """A claim in the language of statements.

    ``numbers`` are those that the source prints for letters; ``where`` says what letters of the source
    stand for, one after the other, and ``sets`` which letters of the problem are formulas. It holds for
    all values of ``states``: conditions lie on other letters. ``laws`` come before all.
    """

    statement: Any = None
    numbers: tuple[tuple[Letter, str], ...] = ()
    where: tuple[tuple[Letter, Term], ...] = ()
    sets: tuple[tuple[Letter, Term], ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    states: tuple[Letter, ...] = ()
    laws: tuple[InNumbers, ...] = ()  # by which it is put in other letters first

    def __post_init__(self) -> None:
        """What pages show is the statement's relations, or its lines where it has any."""
        super().__post_init__()
        shown = getattr(self.statement, "lines", self.statement.relations)
        object.__setattr__(self, "printed", shown)
        if any(isinstance(h, Relation) for h in self.given):
            about = About(self.statement, setting=self.setting_found, given=self.given)  # type: ignore[arg-type]
            object.__setattr__(self, "given", tuple(_as_condition(one, about) for one in self.given))

    @property
    def setting_found(self) -> Setting | None:
        """Its sampler on a quadratic; None of none, and of one that is not there: that is told later."""
        try:
            return self.setting if self.of else None
        except UnusableInput:
            return None

    @property
    def printed_numbers(self) -> dict[str, Fraction]:
        """The numbers that are printed, by name."""
        return {a.name: Fraction(text) for a, text in self.numbers}

    @cached_property
    def at_numbers(self) -> Any:
        """The statement with definitions and printed numbers in the place of their letters."""
        shapes = (IsDiagonal((name,)) for name, kind in self.kinds if kind == "diagonal")
        return self.meant(self.statement).among_shaped((*self.conditions, *shapes))

    @property
    def whose(self) -> Any:
        """The sampler that it names, also where its law is told in numbers."""
        return self.laws[0].of if self.laws else self.of

    def in_time(self, time: str) -> Stated:
        """The same, where it says something else of the algorithm than of the process."""
        read = getattr(self.statement, "in_time", None)
        return self if read is None else replace(self, statement=read(time))

    def meant(self, statement: Any) -> Any:
        """A statement in the letters of the problem."""
        for law in self.laws:
            statement = law.meant(statement)
        for letter, value in self.where:
            statement = statement.put({letter: value})
        values = {a: number(text) for a, text in self.numbers}
        known = self.definitions
        if any(one.settling for one in statement.relations):  # no letter of its step is among them
            found = statement.with_terms(lambda side: side.put(known)).put(values)
        else:
            found = statement.put(known).put(values)
        return normal.statement(found, self._told_relations, self._single, self._has_modes)

    def as_said(self, true: Any, said: Any) -> Any:
        """A range of stability of each eigenvalue in the letters in which another one is said."""
        told = [one.put(self.definitions) for one in (said.statement, *said.when.relations)]
        return normal.as_said(true, told, self._told_relations, self._single)

    def in_source(self, statement: Any) -> Any:
        """A statement in which what is given as a formula is called by its letter again."""
        known = {value: a for a, value in self.definitions.items()}
        return statement.with_terms(lambda side: side.named(known)) if known else statement

    @property
    def given_relations(self) -> tuple[Relation, ...]:
        """The hypotheses that are relations, in the form in which the statement is decided."""
        told = with_bounds(self._told_relations)
        return normal.hypotheses(told, self.statement, self._single, self._has_modes)

    @property
    def _has_modes(self) -> bool:
        """Whether a step of its sampler, if any, is one along each eigenvector of A."""
        return self.setting_found is None or not own_matrices(self.setting_found.sampler)

    @property
    def _single(self) -> bool:
        """Whether it is stated of dimension one alone."""
        return any(isinstance(one, OneDimensional) for one in self.conditions)

    @cached_property
    def _told_relations(self) -> tuple[Relation, ...]:
        """The hypotheses that are relations, with definitions and printed numbers in them too."""
        values = {a: number(text) for a, text in self.numbers}
        known, told = self._defined
        relations = (r for h in self.given for r in getattr(h, "relations", ()))
        left = (r for r in relations if not any(r is one for one in told) and not defines(r))
        return tuple(r.put(known).put(values) if known else r.put(values) for r in left)

    @property
    def definitions(self) -> dict[Letter, Term]:
        """Letters that are given as formulas: ``given=(Equal(h, 2 / n),)``."""
        return self._defined[0]

    @property
    def _defined(self) -> tuple[dict[Letter, Term], tuple[Relation, ...]]:
        """Definitions, each free of the letters of the others, and the hypotheses that they are.

        A letter that is given twice, or by itself in the end, leaves an equation that has to hold.
        """
        relations = [r for h in self.given for r in getattr(h, "relations", ())]
        pairs = ((r, r if self.of else of_a_factor(r)) for r in relations if r.relation == "=")
        equations = [(r, one) for r, one in pairs if isinstance(one.left, Letter)]
        own = {"I"}  # the identity is no letter of ours
        if equations and self.of:  # what its law says is no letter of ours, and has to be so
            own |= {*letters_of_problem(self.setting), *blocks(s.name for s in self.setting.state)}
        known, told = dict[Letter, Term](), []
        for printed, one in equations:
            value = one.right.put(known) if known else one.right
            taken = one.left.name in own or one.left in known or one.left in value.letters
            if taken or one.left.kind == "dimension":  # a place has one of its own
                continue
            known = {a: v.put({one.left: value}) for a, v in known.items()} | {one.left: value}
            told.append(printed)
        return known, tuple(told)

    def about(self, time: str = "") -> About:
        """What theories look at, to see whose it is."""
        told = tuple(r for h in self.given for r in getattr(h, "relations", ()))
        known = (self.conditions, self.given_relations, told, self.kinds, self.sets, self.where)
        setting, others = self.setting if self.of else None, (self.states, small_letters(self))
        return About(self.at_numbers, time or self.time, setting, *known, *others)

    def subject(self, time: str = "") -> Subject:
        """What the theory knows whose statement it is."""
        return subject_of(self.about(time))

    def space(self) -> Space:
        """The letters that have no printed number; of those that move, second values."""
        about = self.about()
        return with_second(subject_of(about).places(about), about.moving)

    def has_discrete_reading(self) -> bool:
        """Only where a law in its own time is meant."""
        about = self.about()
        if any(way.letter.name == "eps" and way.to == "oo" for way in about.ways):
            return False  # no algorithm has a law with steps beyond all bounds
        return self.time == "continuous" and "" in subject_of(about).times(about.terms)

    def look(self, time: str) -> Look:
        """What it says at a place."""
        from verification.statements.deciding import asked

        return asked(self, time).seen

    def find(self, time: str | None = None) -> Finding:
        """By the one order, or by that for what it needs, or for where it is so; else part by part."""
        from verification.statements import apiece, at_eigenvalues, deciding, needing, somewhere

        if apiece.is_mixed(self.statement):  # no theory takes both of its kinds
            return apiece.find(self, time)
        terms = self.about().terms
        if not self.subject(time or "").reads(terms):
            return Finding("inconclusive", telling.no_common_theory(*words_and_kinds(terms)), ())
        needs = isinstance(getattr(self.statement, "form", None), Needed)
        order: Any = needing if needs else somewhere if is_somewhere(self.statement) else deciding
        try:
            found: Finding = order.find(self.in_time(time or self.time), time)
        except CANNOT as error:
            found = Finding("inconclusive", telling.cannot_be_asked(error), ())
        found = at_eigenvalues.beside(self, found, time) if order is deciding else found
        decided = order is not deciding or found.verdict not in ("inconclusive", "refuted")
        return found if decided else apiece.find(self, time, found)

    @cached_property
    def at_eigenvalues(self) -> Stated | None:
        """The same at each eigenvalue of A, of which the law is a function without gradient noise."""
        met = dict.fromkeys((*self.statement.letters, *(a for h in self.given for a in _letters(h))))
        found = in_numbers(self.of, self.time, self.statement, self.given, met, noiseless=True)
        kinds = tuple(k for k in self.kinds if k[1] not in MATRIX_KINDS)
        return found and replace(self, laws=(found[0],), of="", given=found[1], kinds=kinds)

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, Any]:
        """No limit, as an ensemble is at one value of the letter; no equivalence."""
        lasting = any(r.limiting or r.complete for r in self.statement.relations)
        if lasting or not self.subject().measurable:
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
        return self.subject().parameters(chosen, names, problem)

    @cached_property
    def predicted(self) -> Any:
        """What gives the covariance that its equation alone fixes, on a problem of a sampler."""
        (relation, *others) = self.at_numbers.relations
        best = None if self.best is None else self.best.asked
        return None if others else self.subject().covariance(relation, best)

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Its corruptions."""
        from verification.statements.surviving import twins

        return twins(self, finding, most)


def _letters(given: Any) -> tuple[Letter, ...]:
    return tuple(getattr(given, "letters", ()))


def claim(
    key: str = "",
    *,
    at: str | None = None,
    title: str | None = None,
    says: str = "",
    printed: Any = None,
    read: Any = None,
    derived: Any = None,
    common: Any = None,
    given: tuple[Hypothesis | Relation, ...] = (),
    numbers: Mapping[Letter, str] | None = None,
    of: Any = "",
    time: str = "continuous",
    where: tuple[tuple[Any, Any], ...] = (),
    sets: tuple[tuple[Any, Any], ...] = (),
    kinds: tuple[tuple[str, str], ...] = (),
    states: tuple[Any, ...] = (),
    scope: str = "",
    **unknown: Any,
) -> Any:
    """A statement as it is printed, as a sentence is read, as it is derived, or as it is commonly told.

    ``numbers`` may be a whole table: what does not occur in the statement is left out. ``scope`` is that
    part of what is said which the statement covers, such as ``"one dimension"``, where it is not all.

    >>> from verification.statements import Equal, letters
    >>> a, b = letters("a b")
    >>> wrong = Equal((a + b) ** 2, a**2 + b**2)
    >>> claim("eq1", at="Eq. 1", title="A binomial", printed=wrong).find().verdict
    'refuted'
    """
    missing = [name for name, x in (("a key", key or None), ("at=", at), ("title=", title)) if x is None]
    if at is None or title is None or missing:
        told = 'such as claim("eq5", at="Eq. 5", title="A bound", printed=a <= b)'
        raise DeclarationError(
            "a key, at= and title= of a claim", f"no {' and no '.join(missing)}", told
        )
    if unknown:
        name, known = next(iter(unknown)), tuple(inspect.signature(claim).parameters)[:-1]
        raise DeclarationError(
            f"what claim() takes: {', '.join(known)}", f"{name}=", suggest.remedy(name, known, "mend it")
        )
    ways = {"printed": printed, "read": read, "derived": derived, "common": common}
    given_ways = [(name, s) for name, s in ways.items() if s is not None]
    if len(given_ways) != 1:
        raise DeclarationError(
            "one of printed=, read=, derived=, common=",
            f"{len(given_ways)} of them",
            "give the statement once",
        )
    ((stands, given_statement),) = given_ways
    statement = as_statement(given_statement)
    refuse_misused(statement)
    given = tuple(map(normal.oriented, given))
    of_given = (a for h in given for a in _letters(h))
    met = dict.fromkeys((*statement.letters, *(numbers or {}), *of_given))
    law = in_numbers(of, time, statement, given, met)
    laws, of, given = ((), of, given) if law is None else ((law[0],), "", law[1])
    occurring = {a: text for a, text in (numbers or {}).items() if a in met}
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
        scope=scope,
        where=tuple((term(a), term(value)) for a, value in where),  # type: ignore[misc]
        sets=tuple((term(a), term(value)) for a, value in sets),  # type: ignore[misc]
        kinds=tuple(k for k in kinds if not (laws and k[1] in MATRIX_KINDS)),
        states=tuple(map(term, states or getattr(statement, "states", ()))),  # type: ignore[arg-type]
        laws=laws,
    )
    refuse_malformed(stated)
    fixed = [str(a) for a, _ in stated.sets if a.name in ("A", "B", "C")] if stated.of else []
    if fixed:
        raise DeclarationError(
            "sets= of parameters, sizes and gains",
            fixed[0],
            "say what is known of it: given=(Equal(C, A),)",
        )
    refuse_unknown_letters(stated)
    asked = "" if stated.of else _without_a_law(stated)
    if asked:
        raise DeclarationError(f"a sampler to whose law {asked} belongs", "none", 'name it: of="sgd"')
    return stated


def _without_a_law(stated: Stated) -> str:
    """What has a value under a law alone; a hypothesis that cannot hold is told where it is judged."""
    try:
        return lawless(stated.about())
    except DeclarationError:
        return ""


def refuse_unknown_letters(stated: Stated) -> None:
    """Refuse that something is free of a letter which is neither in it nor a sampler's."""
    if stated.of and stated.setting_found is None:
        return
    own = frozenset() if stated.setting_found is None else letters_of_problem(stated.setting_found)
    given = {a.name for h in stated.given for a in getattr(h, "letters", ()) if isinstance(a, Letter)}
    for one in stated.statement.relations:
        named = {a.name for a in one.left.letters} | {"N", "S"} | own | given
        unknown = [a.name for a in one.constant_in if one.relation == "free of" and a.name not in named]
        if unknown:
            raise DeclarationError(
                f"a letter of the quantity or of its sampler ({', '.join(sorted(named))})",
                unknown[0],
                "name the parameter as it is declared",
            )


def _as_condition(one: Any, about: About) -> Any:
    """What is given; a relation between letters of the problem as the condition that it is."""
    found = condition_of(one, about) if isinstance(one, Relation) else None
    return one if found is None else found
