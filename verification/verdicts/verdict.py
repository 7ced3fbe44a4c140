"""What the machine found out about a claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sgtheory.notation.derivation import Derivation, Formula
from sgtheory.notation.display import Shown
from sgtheory.notation.printing import tidy
from sgtheory.notation.sentence import formula_of, sentence

WORDS = (
    "proved",
    "proved-if",
    "limit-only",
    "refuted",
    "confirmed",
    "inconclusive",
    "a matter of degree",
    "definition",
    "not-mathematical",
)


@dataclass(frozen=True)
class Answer:
    """What one route says of a statement."""

    route: str  # such as "symbols", "exact numbers", "the exported script"
    says: str

    def __str__(self) -> str:
        return f"{self.route}: {self.says}"


class RoutesDisagree(AssertionError):
    """Two independent routes gave answers that differ: the toolkit itself is wrong somewhere.

    It cannot be made without both answers: a route that stays silent raises ``NoAnswer``.

    >>> str(RoutesDisagree("p.eq1", Answer("symbols", "true"), Answer("exact numbers", "false")))
    'p.eq1: symbols: true; exact numbers: false'
    """

    def __init__(self, about: str, first: Answer, second: Answer) -> None:
        if first.says == second.says:
            raise ValueError(f"expected two answers that differ; got {first.says!r} twice; name both")
        self.about, self.answers = about, (first, second)
        super().__init__(f"{about}: {first}; {second}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.about, *self.answers)


class NoAnswer(Exception):
    """A route that a verdict leans on found no place to look at, or met what it does not know.

    >>> str(NoAnswer("p.eq1", "no random place has a law"))
    'p.eq1: no random place has a law'
    """

    def __init__(self, about: str, reason: str) -> None:
        self.about, self.reason = about, reason
        super().__init__(f"{about}: {reason}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.about, self.reason)


def differ(about: str, route: str, says: str, other: str, it_says: str) -> RoutesDisagree:
    """Two routes with their answers, as an error to raise.

    >>> differ("p.eq1", "letters", "true", "fractions", "false").answers[1].says
    'false'
    """
    return RoutesDisagree(about, Answer(route, says), Answer(other, it_says))


def unseen_by_script(about: str) -> RoutesDisagree:
    """An exact counterexample at which the exported script says that the statement holds."""
    return RoutesDisagree(
        about,
        Answer("exact numbers", "it fails at the counterexample"),
        Answer("the exported script", "it holds there"),
    )


@dataclass(repr=False, frozen=True)
class Broken(Shown):
    """Why a claim could not be judged: what kind of failure, and where, for whoever mends it."""

    kind: str  # "exception", "routes disagree", "no answer", "out of time" or "process died"
    error: str  # the exception's type and message, on one line
    answers: tuple[Answer, ...] = ()  # of routes that disagree
    traceback: str = ""

    def to_json(self) -> dict[str, Any]:
        """What there is of it."""
        document: dict[str, Any] = {"kind": self.kind, "error": self.error}
        if self.answers:
            document["answers"] = [{"route": a.route, "says": a.says} for a in self.answers]
        if self.traceback:
            document["traceback"] = self.traceback
        return document


@dataclass(repr=False, frozen=True)
class Counterexample(Shown):
    """Exact numbers at which a printed statement is false, and both of its sides there."""

    problem: Mapping[str, Any]  # a problem file's content
    left: Any  # exact matrices or numbers, as strings
    right: Any
    words: str
    script: str = ""  # decides the printed relation at these numbers; needs NumPy only
    told_at: str = ""  # what both sides are, without more words
    in_words: str = ""  # what is wrong there, where both sides do not say it

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", sentence(self.words))

    def to_json(self) -> dict[str, Any]:
        """Exact numbers, and the script that shows them."""
        sides = {"left": self.left, "right": self.right}
        document = {"problem": dict(self.problem), **sides, "words": self.words}
        return {**document, "script": self.script} if self.script else document


@dataclass(repr=False, frozen=True)
class Evidence(Shown):
    """One route's contribution: ``route`` is symbolic, exact, ensemble, search or operator."""

    route: str
    words: str
    data: Mapping[str, Any]
    derivation: Derivation | None = None

    def __post_init__(self) -> None:
        """Formulas stand between dollar signs in the words, here and in the records below."""
        object.__setattr__(self, "words", sentence(self.words))

    def to_json(self) -> dict[str, Any]:
        """Flat, with the route first."""
        document: dict[str, Any] = {"route": self.route, "words": self.words, **self.data}
        if self.derivation is not None:
            document["derivation"] = self.derivation.to_json()
        return document


@dataclass(frozen=True)
class Correction:
    """What is true instead, line by line, with its own verdict."""

    lines: tuple[Formula, ...]
    verdict: str
    words: str
    printed: tuple[Any, ...] = ()  # as data, where it can be put in place of what is printed
    under: tuple[Any, ...] = ()  # what has to be given for that
    said: str = ""  # in one line of text, where that is more than the lines
    sets: tuple[Any, ...] = ()  # what letters are set to instead, with which what is printed is true

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", sentence(self.words))

    @property
    def latex(self) -> str:
        """All lines in one, for scripts."""
        return r" \qquad ".join(line.latex for line in self.lines)

    @property
    def text(self) -> str:
        """All lines in one, for terminals and scripts."""
        return self.said or "; ".join(line.text for line in self.lines)


def lines_of(statement: Any) -> tuple[Formula, ...]:
    """The lines in which a statement is shown; most have one."""
    lines = getattr(statement, "in_short", (statement,))
    return tuple(Formula(line.latex(), line.text()) for line in lines)


def lines_under(statement: Any, condition: Any) -> tuple[Formula, ...]:
    """The same, with a condition that it needs on the last line."""
    *lines, last = lines_of(statement)
    latex = rf"{last.latex} \quad \text{{({condition.words})}}"
    return (*lines, Formula(latex, f"{last.text}, where {condition.words}"))


@dataclass(repr=False, frozen=True)
class Twins(Shown):
    """Corrupted versions of a claim: how many were tried, and which survived."""

    tried: int
    rejected: int
    survivors: tuple[str, ...] = ()
    equivalent: tuple[str, ...] = ()  # corruptions that say the same thing, not counted
    none: str = ""  # why none was tried, or not all

    def __post_init__(self) -> None:
        object.__setattr__(self, "survivors", tuple(map(sentence, self.survivors)))

    def to_json(self) -> dict[str, Any]:
        """The counts, and names where there is something to explain."""
        document: dict[str, Any] = {"tried": self.tried, "rejected": self.rejected}
        if self.survivors:
            document["survivors"] = list(self.survivors)
        if self.equivalent:
            document["equivalent"] = list(self.equivalent)
        if self.none:
            document["none"] = self.none
        return document


@dataclass(frozen=True)
class Converse:
    """What is known of a statement where none of the conditions holds under which it is proved.

    It is *necessary* that one of them holds, by a proof; or they are only *sufficient*, as exact
    numbers show at which it holds without them; or neither is known.
    """

    conditions: tuple[Any, ...]
    known: str  # "necessary", "sufficient" or "not known"
    without: Mapping[str, Any] | None = None  # exact numbers at which it holds all the same
    failing: int = 0  # exact places without them at which it fails, as far as it was looked

    @property
    def told(self) -> str:
        """What a condition may be called."""
        return "necessary and sufficient" if self.known == "necessary" else "sufficient"

    def fields(self) -> dict[str, Any]:
        """What a document has of it: what is known, and a place."""
        document: dict[str, Any] = {"condition_is": self.told}
        if self.without is not None:
            document["holds_without_it_at"] = dict(self.without)
        return document


@dataclass(frozen=True)
class Gap:
    """How far a statement is from the truth, relative to its own size, as a parameter vanishes."""

    parameter: str
    order: str
    term: Formula  # the first term
    words: str = "relative gap"
    of_many: bool = False  # whether the parameter vanishes where there are many of something
    faster: str = ""  # what vanishes beside it, faster

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", sentence(self.words))

    @classmethod
    def of(cls, parameter: Any, order: Any, term: Any, faster: str = "") -> Gap:
        """With a first term in symbols: with factors that are positive for small steps, if rational."""
        shown = tidy(term) if term.is_rational_function(*term.free_symbols) else term
        many = bool(getattr(parameter, "is_Pow", False))
        return cls(str(parameter), str(order), formula_of(shown), of_many=many, faster=faster)

    @property
    def text(self) -> str:
        """Such as ``relative gap eps*lambda, of order 1 in eps``."""
        beside = f", where {self.faster} vanishes faster" if self.faster else ""
        return f"{self.words} {self.term.text}, of order {self.order} in {self.parameter}{beside}"


@dataclass(frozen=True)
class Finding:
    """What the proof and the exact search of a claim say, before it is measured and corrupted."""

    verdict: str
    reason: str  # one sentence
    evidence: tuple[Evidence, ...]
    condition: str | None = None
    needs: Any = None  # the condition as data
    converse: Converse | None = None  # whether it holds without the condition too
    gap: Gap | None = None
    corrected: Correction | None = None
    counterexample: Counterexample | None = None
    scope: str = ""  # what its proof covers, where that is not all

    def __post_init__(self) -> None:
        """What holds under a condition says under which."""
        object.__setattr__(self, "reason", sentence(self.reason))
        if self.condition is not None:
            object.__setattr__(self, "condition", sentence(self.condition))
        if self.verdict == "proved-if" and not self.condition:
            raise ValueError("expected the condition of what is proved-if; got none; name it")

    def fields(self) -> dict[str, Any]:
        """What a document has of a reading beside its word: condition, gap, and what is true instead."""
        document: dict[str, Any] = {"condition": self.condition} if self.condition else {}
        if self.converse is not None:
            document |= self.converse.fields()
        if self.gap:
            document["gap_order"] = self.gap.text
        if self.corrected:
            document["corrected"] = {n: getattr(self.corrected, n) for n in ("latex", "text", "verdict")}
        return document

    @property
    def loss(self) -> Evidence | None:
        """What a printed recipe loses at worst, where it fails and that was looked at."""
        return next((e for e in self.evidence if "loss" in e.data), None)


@dataclass(repr=False, frozen=True)
class Verdict(Shown):
    """The verdict on a claim with all its evidence."""

    claim: Any
    finding: Finding
    discrete: Finding | None  # the same statement read for the discrete algorithm
    measured: Evidence | None
    twins: Twins
    provenance: Mapping[str, Any] = field(default_factory=dict)
    again: str = ""  # the command that makes this verdict again
    minibatches: tuple[Evidence, ...] = ()  # ensembles with the noise of real data
    broken: Broken | None = None  # why it could not be judged
    consequence: Any = None  # of which kind it is that it does not hold as it stands, and how large

    @property
    def word(self) -> str:
        """One of the verdict words."""
        return self.finding.verdict

    @property
    def scope(self) -> str:
        """Of which part of what is said the word is."""
        from verification.verdicts.wording import scope_of

        return scope_of(self.claim, self.finding)

    def _as_printed(self) -> bool | None:
        from verification.verdicts.wording import stands_as_printed

        return None if self.broken else stands_as_printed(self.claim, self.finding)

    def _given(self) -> list[str]:
        """What is given, in words; nothing of a record that could not be judged."""
        from verification.statements.entry import given_words

        return [] if self.broken else [*given_words(self.claim)]

    def _printed(self) -> list[str]:
        """In LaTeX; a record that could not be judged may not be able to say it."""
        if self.broken is None:
            found: list[str] = self.claim.printed_latex()
            return found
        try:
            return list(self.claim.printed_latex())
        except Exception:
            return []

    def to_json(self) -> dict[str, Any]:
        """One entry of ``claims`` in schema sgtheory.verdicts/1."""
        claim, finding = self.claim, self.finding
        measured = [*([self.measured] if self.measured else []), *self.minibatches]
        evidence = [*finding.evidence, *measured]
        document: dict[str, Any] = {
            "id": claim.id,
            "paper": claim.paper,
            "locator": claim.at,
            "title": claim.title,
            "verdict": finding.verdict,
            "reason": finding.reason,
            "printed": self._printed(),
            "as_printed": self._as_printed(),
            "stands": claim.stands,
            "says": claim.says,
            "given": self._given(),
            "scope": self.scope or None,
            **finding.fields(),
        }
        document |= {} if self.consequence is None else self.consequence.to_json()
        if finding.counterexample:
            document["counterexample"] = finding.counterexample.to_json()
        if self.discrete is not None:
            from verification.verdicts.wording import scope_of

            found, scope = self.discrete, scope_of(claim, self.discrete)
            own = {"verdict": found.verdict, "reason": found.reason, "scope": scope or None}
            more = {"counterexample": found.counterexample, "loss": found.loss}
            document["discrete"] = {**own, **found.fields()}
            document["discrete"] |= {name: one.to_json() for name, one in more.items() if one}
        document["evidence"] = [e.to_json() for e in evidence]
        document["twins"] = self.twins.to_json()
        if self.provenance:
            document["provenance"] = dict(self.provenance)
        if self.broken is not None:
            document["broken"] = self.broken.to_json()
        document["reproduce"] = self.again or f"sgtheory verify {claim.id}"
        return document
