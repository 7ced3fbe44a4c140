"""Claims that divergence picks one gain and one minibatch size: "the" pair at which it is smallest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

from sgtheory.independent.fields import inverse
from sgtheory.notation.printing import latex, plain
from verification.claims.base import Claim, Printed, Proof
from verification.laws.gains import posterior_equation
from verification.laws.rational import law_numbers, problem_space, stationary_moments
from verification.notation import S
from verification.refuter.conditions import Condition
from verification.refuter.lawscript import stationary_facts
from verification.refuter.places import Place, Space
from verification.refuter.script import array
from verification.refuter.search import Failure, Look, Sides
from verification.theories.matrices.freedom import with_gain
from verification.verdicts.verdict import Counterexample, Evidence, Finding

_OTHER = "S_other"


@dataclass(frozen=True)
class Pair(Printed):
    """``Pair(H, S)``: the gain and the minibatch size at which the divergence is smallest."""

    def latex(self) -> str:
        """The set of both."""
        names = [latex(self.left), latex(self.right)]
        stars = ", ".join(f"{n}^{{*}}" for n in names)
        return rf"\{{{stars}\}} = \arg\min_{{{', '.join(names)}}} \mathrm{{KL}}(q \| f)"

    def text(self) -> str:
        """On one line."""
        return f"{{{self.left}*, {self.right}*}} = argmin KL(q || f)"


@dataclass(frozen=True)
class OneMinimum(Claim):
    """``printed`` is one ``Pair``; there is one pair at which the divergence is smallest."""

    def space(self) -> Space:
        """Small problems, and a second minibatch size."""
        found = problem_space(self.setting)
        return replace(found, scalars={**found.scalars, _OTHER: found.scalars["S"]})

    def pairs(self, place: Place, time: str) -> tuple[Place, Place] | None:
        """The problem with each minibatch size and the gain that goes with it."""
        gain = posterior_equation(self.setting, time).solution
        scalars = {n: x for n, x in place.scalars.items() if n != _OTHER}
        bare = Place(place.matrices, scalars)
        both = [
            with_gain(self.setting, bare.but(S=s), gain) for s in (scalars["S"], place.scalars[_OTHER])
        ]
        first, second = both
        if first is None or second is None or first.scalars["S"] == second.scalars["S"]:
            return None
        return first, second

    def look(self, time: str) -> Look:
        """Whether two different pairs both have the posterior as their law."""

        def at(place: Place) -> Sides | None:
            pairs = self.pairs(place, time)
            if pairs is None:
                return None
            exact = []
            for one in pairs:
                moments = stationary_moments(self.setting, one, time)
                if moments is None:
                    return None
                wanted = inverse([[one.scalars["N"] * x for x in row] for row in one.A])
                exact.append(moments["theta,theta"] == wanted)
            told = [f"S = {p.scalars['S']}, H = {_written(p)}" for p in pairs]
            return Sides(told[0], told[1], not all(exact))

        return at

    def prove(self, time: str) -> Proof:
        """The gain with divergence zero exists for every minibatch size."""
        gain = posterior_equation(self.setting, time).solution
        words = f"For every S the gain H = {plain(gain)} makes the divergence zero."
        evidence = Evidence("symbolic", words, {"dimensions": "every", "gain": plain(gain)})
        if S not in gain.free_symbols:
            return Proof(None, "One gain is best for every minibatch size.", (evidence,))
        return Proof(False, f"{words} The minibatch size is not determined by it.", (evidence,))

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """No property of the matrices determines it."""
        return ()

    def script(self, failure: Failure, time: str) -> str:
        """Two laws, and whether one of them is not the posterior."""
        pairs = self.pairs(failure.place, time)
        assert pairs is not None
        lines = [
            f"# {self.heading}",
            "import numpy as np",
            "from fractions import Fraction as F",
            "rows = lambda text: np.array([[F(x) for x in row.split()] for row in text.split(';')])",
            f"A, N, I = {array(pairs[0].A)}, {pairs[0].scalars['N']}, {array(_one(pairs[0].D))}",
        ]
        for k, place in enumerate(pairs, start=1):
            lines.append(f"S_{k}, H_{k} = {place.scalars['S']}, {array(place.H or ())}")
            law = law_numbers(self.setting, place, time)
            lines += stationary_facts(law, self.setting, time, (f"M{k}", f"Q{k}", f"P{k}"))
        lines += ["exact = [(N * A @ P == I).all() for P in (P1, P2)]", "print(exact)"]
        lines.append("print(bool(S_1 == S_2 or not all(exact)))")
        return "\n".join(lines) + "\n"

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """Both pairs."""
        words = "two pairs at which the divergence is zero"
        pairs = self.pairs(failure.place, time)
        shown = pairs[0] if pairs else failure.place
        return Counterexample(shown.to_json(), failure.sides.left, failure.sides.right, words)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Nothing is printed that could be corrupted."""
        return iter(())

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """A set is not measured."""
        return finding, None


def _written(place: Place) -> str:
    return "[" + "; ".join(" ".join(map(str, row)) for row in place.H or ()) + "]"


def _one(size: int) -> list[list[int]]:
    return [[int(i == j) for j in range(size)] for i in range(size)]
