"""Claims that a printed parameter minimises KL(law || posterior)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import sympy as sp

from sgtheory.fields import Itself, Rows, inverse, multiply
from sgtheory.problem import Problem
from verification.claims.base import Claim, Printed, Proof
from verification.claims.best import (
    DIAGONAL_OVER,
    GAIN_OVER,
    MULTIPLE,
    STEP_OVER,
    best_value,
    share_of_gain,
    told,
    told_proportional,
)
from verification.claims.lettered import rooted_dimension
from verification.claims.posterior import gain_at, posterior_covariance, with_gain
from verification.claims.searching import search
from verification.miner.conditions import AreProportional, Condition, IsDiagonal, implies
from verification.notation import C, Diagonal, N
from verification.rational import (
    Numbers,
    numbers_of,
    problem_space,
    scalar_value,
    stationary_moments,
)
from verification.refuter.lawscript import divergence_script
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, seen
from verification.verdict import Correction, Counterexample, Evidence, Finding

_DIAGONAL_NOISE = IsDiagonal(("C",))
_PROPORTIONAL = AreProportional(("A", "C"))
_BETTER = 1e-7  # a divergence is better by more than what a minimisation is uncertain of


@dataclass(frozen=True)
class Minimiser(Claim):
    """``parameter = right side`` minimises the divergence from the law to the posterior."""

    over: str = STEP_OVER

    def space(self) -> Space:
        """Small problems; the printed value goes in place of the parameter."""
        return problem_space(self.setting)

    def look(self, time: str) -> Look:
        """The exact derivatives of the divergence at the printed value, against zeros."""

        def at(place: Place) -> Sides | None:
            placed = self._placed(place)
            slopes = self._slopes(placed, time) if placed else None
            if slopes is None:
                return None
            return Sides(slopes, dict.fromkeys(slopes, Fraction(0)), not any(slopes.values()))

        return at

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = 2,
    ) -> bool | None:
        """At random 2 x 2 problems, where solves in dual numbers are quick; 4 x 4 for roots of D."""
        if rooted_dimension(self.printed[0].right):
            size = 4
        return super().holds_at_random(time, source, under, size)

    def prove(self, time: str) -> Proof:
        """By a closed form of the divergence, or by the one gain at which it is zero."""
        best = best_value(self.setting, time, self.over)
        printed = self.printed[0].right
        if any(implies(c, _DIAGONAL_NOISE, ("A", "C")) for c in self.conditions):
            printed = printed.replace(Diagonal, lambda m: m)
        evidence = (told(best, self.over),)
        if best.value is None:
            return Proof(False, best.reason, evidence)
        if self.over == DIAGONAL_OVER and any(
            implies(c, _PROPORTIONAL, ("A", "C")) for c in self.conditions
        ):
            return self._prove_proportional(time)
        same = best.is_solved_by(printed)
        if same:
            return Proof(True, best.reason, evidence)
        # a diagonal gain may be the best diagonal one without making the divergence zero
        decided = None if self.over == DIAGONAL_OVER else False
        return Proof(decided, f"The divergence is smallest elsewhere. {best.otherwise}", evidence)

    def _prove_proportional(self, time: str) -> Proof:
        """Where A is a multiple of B B^T the covariance is one of H, and the divergence a sum."""
        share, printed = share_of_gain(self.setting, time), self.printed[0].right
        if share is None:
            return Proof(None, "The covariance is no multiple of the gain.")
        value = sp.cancel(MULTIPLE / (N * share)) * Diagonal(C) ** -1
        same = sp.expand(printed - value) == 0
        reason = "The covariance is a multiple of the gain, and the divergence a sum over its entries."
        return Proof(same, reason, (told_proportional(share, value),))

    def correct(self, time: str) -> Correction | None:
        """The value at which the divergence is smallest, where there is a closed form."""
        best = best_value(self.setting, time, self.over)
        if best.value is None:
            return None
        true = Printed(self.printed[0].left, best.value)
        where = "among all gains" if self.over == DIAGONAL_OVER else "in every dimension"
        return Correction(true.latex(), true.text(), "proved", where, (true,))

    def tested(self, time: str, expected: bool | None = None) -> Evidence:
        """Exact derivatives at random problems, and a search for a better point."""
        evidence = super().tested(time, expected)
        if not (expected and evidence.data["holds"]):
            return evidence
        gain = self.better_by(time)
        return replace(
            evidence,
            words="The exact derivatives of the divergence vanish at random rational problems; a search"
            f" from other starting points found nothing better (by more than {_BETTER}).",
            data={**evidence.data, "holds": gain < _BETTER, "better_by": max(gain, 0.0)},
        )

    def better_by(self, time: str) -> float:
        """How much smaller the divergence can be made than at the printed value, by searching."""
        source, found = random.Random(self.id), []
        for _ in range(20):
            place = self._placed(self.space().random(source, 2))
            if place is not None and seen(self.look(time), place) is not None:
                here, best = search(self.of, place, time, self.over)
                found.append(here - best.divergence)
            if len(found) == 2:
                break
        return max(found, default=0.0)

    def script(self, failure: Failure, time: str) -> str:
        """The divergence at the printed value and at a better one."""
        placed = self._placed(failure.place)
        assert placed is not None
        _, best = search(self.of, placed, time, self.over)
        return divergence_script(self.heading, self.setting, placed, best.place, time)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The problem with the printed value in it, and the slopes there."""
        placed = self._placed(failure.place)
        assert placed is not None
        return Counterexample(
            placed.to_json(),
            {k: str(v) for k, v in failure.sides.left.items()},
            {k: str(v) for k, v in failure.sides.right.items()},
            "derivative of KL(law || posterior) at the printed value, and at a minimum",
        )

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Only values that can be a step or a gain at all."""
        for name, twin in super().corrupted(finding):
            right = twin.printed[0].right
            if name.startswith("right") and right != 0 and "sign flipped" not in name:
                yield name, twin

    def printed_covariance(self, problem: Any) -> Any:
        """The posterior's, where the printed minimum is zero."""
        return posterior_covariance(problem) if self.over == GAIN_OVER else None

    def usual_problem(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """A problem with the parameter set as printed."""
        problem = Problem.of({**content, "N": 16})
        return {**problem.to_json(), "params": self.printed_params(problem)}

    def printed_params(self, problem: Any) -> dict[str, Any]:
        """The step, or the gain."""
        value = self.printed[0].right
        if self.over != STEP_OVER:
            return {"eps": 1, "H": gain_at(problem, value)}
        roots = {k: Itself(v) for k, v in {**problem.sizes, "D": Fraction(problem.D)}.items()}
        noise = [list(row) for row in problem.matrices["C"]]
        return {"eps": str(scalar_value(value, Numbers(Fraction, {"C": noise}, roots)))}

    def _placed(self, problem: Place) -> Place | None:
        """The problem with the parameter set to the printed value."""
        value = self.printed[0].right
        if self.over != STEP_OVER:
            return with_gain(problem, value)
        step = scalar_value(value, numbers_of(problem, {}))
        return problem.but(eps=step) if step > 0 else None

    def _slopes(self, problem: Place, time: str) -> dict[str, Fraction] | None:
        """The exact derivatives of the divergence along every free direction."""
        d = problem.D
        directions: dict[str, Any] = {}
        if self.over == STEP_OVER:
            directions["eps"] = {"eps": 1}
        else:
            for i in range(d):
                for j in range(i, d if self.over == GAIN_OVER else i + 1):
                    directions[f"H[{i}][{j}]"] = {"H": _unit(d, i, j)}
        slopes = {}
        for name, along in directions.items():
            slope = divergence_slope(self.setting, problem, time, along)
            if slope is None:
                return None
            slopes[name] = slope
        return slopes


def divergence_slope(setting: Any, problem: Place, time: str, along: dict[str, Any]) -> Fraction | None:
    """d/dx KL(law || posterior) as an exact fraction: (N Tr(A S') - Tr(S^-1 S'))/2."""
    moments = stationary_moments(setting, problem, time, along)
    if moments is None:
        return None
    value = [[x.value for x in row] for row in moments["theta,theta"]]
    slope = [[x.slope for x in row] for row in moments["theta,theta"]]
    try:
        entropy = _trace(multiply(inverse(value), slope))
    except ZeroDivisionError:  # singular: the divergence is infinite
        return None
    A = [list(row) for row in problem.A]
    return (problem.scalars["N"] * _trace(multiply(A, slope)) - entropy) / 2


def _trace(rows: Rows) -> Fraction:
    return sum((rows[k][k] for k in range(len(rows))), Fraction(0))


def _unit(d: int, i: int, j: int) -> list[list[int]]:
    return [[int((a, b) in ((i, j), (j, i))) for b in range(d)] for a in range(d)]
