"""That a relation holds exactly where another one does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import mul
from typing import Any, Self

from sgtheory.errors import DeclarationError
from sgtheory.notation.sentence import joined, say
from verification.relations import stating
from verification.relations.base import Relation
from verification.relations.compare import Compare, as_conditions
from verification.relations.equal import Equal
from verification.terms.term import Letter, Term
from verification.terms.walking import able
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent, scope_of
from verification.verdicts.both import Both


@dataclass(frozen=True, init=False, repr=False)
class Iff(Relation):
    """``statement`` holds where ``when`` does, which may be several relations, and nowhere else.

    >>> from verification.notation import A, C, Sigma
    >>> from verification.statements import Equal, claim
    >>> commute = Iff(Equal(A * Sigma, Sigma * A), Equal(A * C, C * A))
    >>> claim("k", at="section 4", title="They commute", of="sgd", read=commute).find().verdict
    'proved'
    """

    left: Any = field(init=False)  # as in its first relation
    right: Any = field(init=False)
    statement: Any
    when: Any

    def __init__(self, statement: Any, when: Any) -> None:
        """Of two relations."""
        statement, when = map(stating.statement, (statement, when))
        if not isinstance(statement, Relation) and isinstance(when, Relation):  # it says the same
            statement, when = when, statement
        for one in (statement, *getattr(when, "relations", (when,))):
            if not isinstance(one, Relation):
                raise DeclarationError(
                    "if and only if between two relations", str(one), "such as Equal(A * C, C * A)"
                )
        object.__setattr__(self, "statement", statement)
        object.__setattr__(self, "when", when)
        super().__init__(statement.left, statement.right)

    relation = "iff"
    may_repeat = True
    complete = True
    told_at = Both("whether the statement holds", "whether the condition does")

    @property
    def sides(self) -> tuple[Term, ...]:  # type: ignore[override]
        """Those of both."""
        return tuple(s for one in (self.statement, *self.when.relations) for s in one.sides)

    @property
    def letters(self) -> tuple[Letter, ...]:
        """Those of both."""
        return tuple(dict.fromkeys((*self.statement.letters, *self.when.letters)))

    @property
    def opens(self) -> bool:  # type: ignore[override]
        """As the statement does."""
        return bool(self.statement.opens)

    @property
    def settling(self) -> bool:  # type: ignore[override]
        """Whether either is about where a sampler settles."""
        return any(one.settling for one in (self.statement, *self.when.relations))

    @property
    def chosen(self) -> tuple[Letter, ...]:  # type: ignore[override]
        """As in the statement."""
        return tuple(self.statement.chosen)

    def put(self, values: dict[Letter, Any]) -> Self:
        """With terms in the place of letters, in both."""
        return type(self)(self.statement.put(values), self.when.put(values))

    def with_terms(self, change: Callable[[Term], Term]) -> Self:
        """With every side changed."""
        return type(self)(self.statement.with_terms(change), self.when.with_terms(change))

    def with_sides(self, left: Term, right: Term) -> Self:
        """Another statement under the same condition."""
        return type(self)(self.statement.with_sides(left, right), self.when)

    def latex(self) -> str:
        """With an arrow in both directions."""
        return rf"{self.statement.latex()} \iff {self.when.latex()}"

    def text(self) -> str:
        """On one line."""
        return f"{self.statement.text()} if and only if {self.when.text()}"

    def at(self, place: Mapping[str, Any]) -> Any:
        """Whether the statement holds there, beside whether the condition does."""
        inside, given = self.statement.at(place), self.when.at(place)
        if inside is None or given is None:
            return None
        told = f"the statement {'holds' if inside.holds else 'fails'}"
        beside = f"the condition {'holds' if given.holds else 'fails'}"
        words, holds = f"{told}, and {beside}", inside.holds == given.holds
        return replace(inside, left=told, right=beside, holds=holds, in_words=words)

    def prove(self, theory: Any, given: tuple[Any, ...] = ()) -> Answer:
        """Both directions: the statement under the condition, and the condition under the statement."""
        differ = self.when.relations
        both = (self.statement, *differ)
        if all(one.relation == "!=" and opposite(one) is not None for one in both):  # or both fail
            rest = reduce(mul, (one.left - one.right for one in differ))
            fails = opposite(differ[0]) if len(differ) == 1 else Equal(rest, 0)
            return type(self)(opposite(self.statement), fails).prove(theory, given)
        there: Answer = _prove(self.statement, theory, given, self.when.relations)
        if not isinstance(there, Proved):
            return Silent(there.why) if isinstance(there, Silent) else Disproved(there.lemma)
        everywhere = [_prove(one, theory, given, ()) for one in (self.statement, *self.when.relations)]
        if isinstance(everywhere[0], Proved) and not all(isinstance(one, Proved) for one in everywhere):
            return Disproved("The statement holds everywhere: no condition is needed.")
        back = [self._back(one, theory, given) for one in self.when.relations]
        if not all(isinstance(one, Proved) for one in back):
            return Silent(Silence.NO_FORMULA)
        both = (there, *back)
        lemmas = dict.fromkeys(one.lemma for one in both if isinstance(one, Proved))
        facts = {k: v for one in back if isinstance(one, Proved) for k, v in one.facts.items()}
        lemma = joined("Where the condition holds:", *lemmas)
        return Proved(lemma, there.derivation, facts, scope_of(both))

    def _back(self, when: Relation, theory: Any, given: tuple[Any, ...]) -> Answer:
        """A condition under the statement; of inequalities, the statement fails where it does."""
        follows = getattr(theory, "follows", None)
        if follows is not None:
            found: Answer = follows(when, self.statement)
            return found
        if self._only_there(when, theory, given):
            return Proved(say("It holds nowhere else than where ${}$.", when))
        there = opposite(self.statement)
        there = getattr(self.statement, "other", None) if there is None else there
        here = opposite(when)
        if there is None or here is None:
            said = _prove(self.statement, theory, given, ())
            if isinstance(said, Silent) and _says_the_same(said.only_if, when):
                return Proved(say("It fails wherever ${}$ does not hold.", when))
            return _prove(when, theory, given, (self.statement,))
        answer = _prove(there, theory, given, (here,))
        return (
            replace(answer, lemma=say("Elsewhere: {}", answer.lemma))
            if isinstance(answer, Proved)
            else answer
        )

    def _only_there(self, when: Relation, theory: Any, given: tuple[Any, ...]) -> bool:
        """Whether the difference of both sides is known to vanish nowhere else."""
        if when.relation != "=" or self.statement.settling:
            return False
        known = able(lambda: tuple(as_conditions(given)), ())
        return bool(theory.holds_only_where((self.statement,), (when,), known))

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """With the condition that a theory knows to be the exact one, or where both sides are equal."""
        said = _prove(self.statement, theory, given, ())
        if isinstance(said, Silent) and hasattr(said.only_if, "relations"):
            yield type(self)(self.statement, said.only_if)
        if self.statement.relation in ("=", "!="):
            own = [one.left for one in self.when.relations if isinstance(one.left, Letter)]
            every = (tuple(theory.roots(*self.statement.sides, *first)) for first in (own, ()))
            for at in (Equal(*found[0]) for found in dict.fromkeys(every) if len(found) == 1):
                there = at if self.statement.relation == "=" else opposite(at)
                yield type(self)(self.statement, there)

    def script(self, text: Callable[[Term], str], point: Any) -> tuple[list[str], str]:
        """Whether each of them holds."""
        lines, holds = self.statement.script(text, point)
        lines += [f"_holds, _given = bool({holds}), True"]
        for one in self.when.relations:
            when, given = one.script(text, point)
            lines += [*when, f"_given = _given and bool({given})"]
        return lines, "_holds == _given"

    def turned(self) -> Iterator[tuple[str, Self]]:
        """The statement itself corrupted."""
        for name, wrong in self.statement.turned():
            yield name, type(self)(wrong, self.when)


def opposite(one: Any) -> Any:
    """What holds of numbers where a relation fails; None where that cannot be said.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> print(opposite(x < y), "|", opposite(Equal(x, y)), "|", opposite(Compare(x, "!=", y)))
    x >= y | x != y | x = y
    """
    if one.relation in ("=", "!=") and not (one.between_matrices or getattr(one, "constant_in", ())):
        return Compare(one.left, "!=", one.right) if one.relation == "=" else Equal(*one.sides)
    return getattr(one, "negated", None)


def _says_the_same(first: Any, other: Any) -> bool:
    """Whether two inequalities are one, whichever side stands first."""
    if not (hasattr(first, "upward") and hasattr(other, "upward")):
        return False
    return tuple(as_conditions((first,))) == tuple(as_conditions((other,)))


def _prove(one: Relation, theory: Any, given: tuple[Any, ...], under: tuple[Relation, ...]) -> Answer:
    """A relation where others are given: as conditions of a law, or beside what is given."""
    beside = False  # whether a condition is only told, so that a theory may have passed it over
    for k, condition in enumerate(under):
        known = theory.supposing(condition)
        beside = beside or known is theory
        values = [*theory.roots(*condition.sides)] if condition.relation == "=" and beside else []
        if values:  # a letter is one of these, and nothing else where the condition holds
            return _at_each(values, one, theory, given, under[:k] + under[k + 1 :])
        given = (*given, condition) if known is theory else given
        theory = known
        if known is None:
            return Silent(Silence.NO_FORMULA)
    hypotheses: tuple[Any, ...] = tuple(as_conditions(given)) if one.limiting else given
    found: Answer = one.prove(theory, hypotheses)
    return Silent(Silence.NO_FORMULA) if beside and isinstance(found, Disproved) else found


def _at_each(
    values: list[Any], one: Relation, theory: Any, given: tuple[Any, ...], under: tuple[Relation, ...]
) -> Answer:
    """A relation at each of some values of letters, which have to be among those that are given."""
    found: Answer = Silent(Silence.NO_FORMULA)
    for pair in values:
        put = dict([pair])
        told = tuple(r.put(put) for r in given)
        found = _prove(one.put(put), theory, told, tuple(r.put(put) for r in under))
        if not isinstance(found, Proved):
            return Silent(Silence.NO_FORMULA)
    return found
