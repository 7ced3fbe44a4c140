"""Claims whose content is expressions in symbols: parameters, states, unspecified functions.

A place of such a claim is a set of exact numbers: values of parameters and states, coefficients of
polynomials that stand for the functions. Conditions are relations between parameters, found by
asking when all coefficients of what should vanish do.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import chain, islice
from typing import Any, Self

import sympy as sp

from sgtheory.dynamics import coefficients
from verification.claims.base import Claim, Proof
from verification.miner.conditions import Condition, conditions
from verification.miner.mine import Mined
from verification.miner.relations import Related, together
from verification.refuter.places import Place
from verification.refuter.search import Failure, Look, refute, seen
from verification.terms.printing import Line
from verification.verdicts.verdict import Evidence, Finding

_DRAWS = 400  # until a place satisfies what it has to
_SEARCHED, _DRAWN = 1_000, 40


@dataclass(frozen=True)
class Formal(Claim):
    """What the types have in common that are about expressions."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "printed", self.lines())

    def lines(self) -> tuple[Line, ...]:
        """What is printed, made from the content."""
        raise NotImplementedError

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The symbols that a condition can be about."""
        raise NotImplementedError

    def put(self, values: Mapping[Any, Any]) -> Self:
        """The same statement with parameters replaced."""
        raise NotImplementedError

    def equations(self, time: str) -> tuple[Any, ...]:
        """Polynomials in the parameters that vanish exactly where the statement holds."""
        return ()

    def prove_freely(self, time: str) -> Proof:
        """The proof of a statement that has no relations among what is given."""
        raise NotImplementedError

    def look_freely(self, time: str) -> Look:
        """What such a statement says at a place."""
        raise NotImplementedError

    @property
    def resolved(self) -> Self:
        """The statement with the relations that are given put in."""
        related = [p for c in self.conditions for p in c.parts if isinstance(p, Related)]
        if not related:
            return self
        statement = replace(self, given=tuple(h for h in self.given if h not in self.conditions))
        for condition in reversed(related):
            statement = statement.put({condition.relation.symbol: condition.relation.value})
        return statement

    def prove(self, time: str) -> Proof:
        """The proof, with what is given put in."""
        return self.resolved.prove_freely(time)

    def look(self, time: str) -> Look:
        """At a place that has values for all parameters."""
        return self.resolved.look_freely(time)

    def relations(self, time: str) -> tuple[Condition, ...]:
        """Where all coefficients vanish."""
        return tuple(together(way) for way in _relations(self.resolved.equations(time)) if way)

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """Relations between parameters, then conditions on matrices where there are any."""
        return (*self.relations(time), *(conditions(self.letters()) if self.letters() else ()))

    def prove_under(self, time: str, under: Condition) -> Evidence | None:
        """The proof with the relation put in."""
        proof = self.resolved.under(under).prove(time)
        return proof.evidence[0] if proof.holds and proof.evidence else None

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = None,
    ) -> bool | None:
        """At the first random place of many at which the statement says anything."""
        look, space = self.look(time), self.space()
        for _ in range(_DRAWS):
            place = self.drawn(source)
            try:
                place = under.imposed(place) if under is not None else place
            except (StopIteration, ZeroDivisionError, TypeError):
                continue
            sides = seen(look, place) if space.has(place) else None
            if sides is not None:
                return sides.holds
        return None

    def failure(self, time: str, evaluations: int = _SEARCHED) -> Failure | None:
        """The smallest exact place at which it is false, with what is given put in."""
        statement = self.resolved
        return refute(statement.look_freely(time), statement.space(), evaluations=evaluations)

    def is_caught(self, time: str) -> bool:
        """Whether any place shows it: random ones first, for nothing need be small here.

        What has no value at any of many places (the root of a negative number) says nothing at all.
        """
        statement, source = self.resolved, random.Random(1)
        look, space = statement.look_freely(time), statement.space()
        drawn = (statement.drawn(source) for _ in range(_DRAWN))
        silent = True
        for k, place in enumerate(chain(drawn, islice(space.small(), _DRAWS))):
            sides = seen(look, place)
            if sides is not None and not sides.holds:
                return True
            silent = silent and sides is None
            if silent and k == 2 * _DRAWN:
                return True
        return silent

    def find(self, time: str | None = None) -> Finding:
        """As every claim; but without any exact place there is no second route, and so no proof."""
        finding = super().find(time)
        looked = [e.data["places"] for e in finding.evidence if e.route == "exact"]
        if finding.verdict != "proved" or any(looked):
            return finding
        reason = f"{finding.reason} But no exact place was found at which to check it."
        return replace(finding, verdict="inconclusive", reason=reason)

    def drawn(self, source: random.Random) -> Place:
        """A random place."""
        return self.space().random(source)

    def reason(self, verdict: str, time: str, mined: tuple[Mined, ...], proof: Proof) -> str:
        """A relation between parameters is needed where it came from coefficients."""
        if verdict != "proved-if":
            return proof.reason
        if not self.needed(mined[0].condition):
            return f"It fails in general and holds when {mined[0].words}: {mined[0].necessity}."
        return (
            f"It fails in general and holds when {mined[0].words}, and only then: the coefficients of"
            " what is left over are independent. The paper does not state the relation."
        )

    def needed(self, condition: Condition) -> bool:
        """Whether a condition came from coefficients all of which have to vanish."""
        return all(isinstance(p, Related) and not p.said for p in condition.parts)

    def true_statement(self, finding: Finding) -> Self | None:
        """The corrected claim travels with the correction."""
        if finding.verdict == "proved":
            return self
        if finding.needs is not None:
            return self.under(finding.needs)
        if finding.corrected is not None and finding.corrected.printed:
            return finding.corrected.printed[0]
        return None


@cache
def _relations(equations: tuple[Any, ...]) -> tuple[tuple[coefficients.Relation, ...], ...]:
    return coefficients.relations(equations)


def kind_of(symbol: Any) -> str:
    """The kind of numbers that a parameter's assumptions allow."""
    if symbol.is_integer and symbol.is_positive:
        return "count"
    return "positive" if symbol.is_positive else "real"


def symbols_in(expressions: Any) -> tuple[Any, ...]:
    """All free symbols, by name."""
    found: set[Any] = set().union(*(sp.sympify(e).free_symbols for e in expressions))
    return tuple(sorted(found, key=lambda s: s.name))


def values_of(symbols: Any, place: Place) -> dict[Any, Fraction]:
    """The numbers of symbols."""
    return {s: place.scalars[s.name] for s in symbols}
