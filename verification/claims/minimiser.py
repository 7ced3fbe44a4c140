"""Claims that a printed parameter minimises KL(law || posterior)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, Self

import sympy as sp

from sgtheory.fields import Itself, Rows, inverse, multiply
from sgtheory.problem import Problem
from verification.claims import diagonal as along_diagonal
from verification.claims import formulas
from verification.claims.base import Assumption, Claim, Proof
from verification.claims.best import (
    MULTIPLE,
    Balance,
    Best,
    balance,
    best_value,
    share_of_gain,
    told,
    told_proportional,
)
from verification.claims.freedom import DIAGONAL_OVER, GAIN_OVER, STEP_OVER, Along, Freedom
from verification.claims.lettered import rooted_dimension
from verification.claims.posterior import posterior_covariance
from verification.claims.searching import search
from verification.miner.conditions import (
    AreProportional,
    Condition,
    IsDiagonal,
    OneDimensional,
    implies,
    restrict,
)
from verification.miner.mine import Mined
from verification.miner.scalars import OnScalars, written_under
from verification.notation import C, D, Diagonal, H, N, eps
from verification.rational import Numbers, as_strings, matrix_value, scalar_value, stationary_moments
from verification.refuter.lawscript import divergence_script
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, seen
from verification.regret import loss_of
from verification.verdict import Correction, Counterexample, Evidence, Finding, Gap

_PROPORTIONAL = AreProportional(("A", "C"))
_FULL_RANK = Assumption("B B^T has full rank")
_EPS, _MU = Fraction(1, 4), Fraction(1, 2)  # where a recipe leaves them to the user
_BETTER = 1e-7  # a divergence is better by more than what a minimisation is uncertain of


@dataclass(frozen=True)
class Minimiser(Claim):
    """``parameter = right side`` minimises a divergence between the law and the posterior.

    A step may multiply a ``gain`` that is printed beside it. The left side may be a step over
    something, as in ``eps/(mu S) = ...``: then the other letters are as the user has them. Letters that
    no problem has, such as a number of examples that is not that of the posterior, are any numbers.
    """

    over: str = STEP_OVER
    gain: Any = None
    reverse: bool = False

    @property
    def freedom(self) -> Freedom:
        """What is chosen, and which divergence is to be small."""
        return Freedom(self.over, self.gain, self.reverse)

    @cached_property
    def value(self) -> Any:
        """What is printed for the parameter itself."""
        left, right = self.printed[0].left, self.printed[0].right
        return right if left in (eps, H) else right * sp.cancel(eps / left)

    def space(self) -> Space:
        """Small problems; the printed value goes in place of the parameter."""
        own = self.freedom.space(self.setting, regular=_FULL_RANK in self.given)
        return replace(own, scalars={**own.scalars, **dict.fromkeys(self.foreign, "count")})

    @property
    def foreign(self) -> tuple[str, ...]:
        """Letters of the printed value that the sampler's problems do not have."""
        own = {*self.freedom.space(self.setting).scalars, "D"}
        names = {s.name for s in sp.sympify(self.value).free_symbols if s.is_commutative}
        return tuple(sorted(names - own))

    def look(self, time: str) -> Look:
        """The exact derivatives of the divergence at the printed value, against zeros."""

        def at(place: Place) -> Sides | None:
            stated = all(c.holds(place) for c in self.conditions if isinstance(c, OnScalars))
            placed = self.placed(place) if stated else None
            slopes = self.slopes(placed, time) if placed else None
            if placed is None or slopes is None or self._is_no_minimum(placed, slopes, time):
                return None  # a saddle is no minimum, though its slopes vanish
            return Sides(slopes, dict.fromkeys(slopes, Fraction(0)), not any(slopes.values()))

        return at

    def _is_no_minimum(self, placed: Place, slopes: dict[str, Fraction], time: str) -> bool:
        """Whether another diagonal gain has the same trace and a larger determinant of Sigma."""
        if self.over != DIAGONAL_OVER or placed.D != 2 or any(slopes.values()):
            return False
        one, half = Fraction(3, 2), Fraction(1, 2)
        better = [self.freedom.times(placed, pair) for pair in ((one, half), (half, one))]
        laws = [stationary_moments(self.setting, p, time) for p in (placed, *better)]
        here, *there = [m["theta,theta"] for m in laws if m is not None]
        A = [list(row) for row in placed.A]
        return any(
            _trace(multiply(A, m)) <= _trace(multiply(A, here)) and _volume(m) > _volume(here)
            for m in there
        )

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

    def best(self, time: str) -> Best:
        """The best value, in closed form where there is one."""
        return best_value(self.setting, time, self.freedom, self.conditions)

    def balance(self, time: str) -> Balance:
        """The covariance as a function of a step, or of the h of a gain h I."""
        return balance(self.setting, time, self.freedom, self.conditions)

    def prove(self, time: str) -> Proof:
        """By a closed form of the divergence, or by the one gain at which it is zero."""
        best = self.best(time)
        if any(isinstance(p, OneDimensional) for c in self.conditions for p in c.parts):
            return self._prove_in_one_dimension(best)
        if self.over == DIAGONAL_OVER:
            return self._prove_diagonal(time, best)
        evidence = (told(best),)
        if best.value is None:
            return Proof(False, best.reason, evidence)
        if best.is_solved_by(self.value):
            return Proof(True, best.reason, evidence)
        return Proof(False, f"The divergence is smallest elsewhere. {best.otherwise}", evidence)

    def _prove_in_one_dimension(self, best: Best) -> Proof:
        """A value with D in it is another one there."""
        if best.value is None:
            return Proof(None, best.reason, (told(best),))
        there = replace(best, value=sp.sympify(best.value).subs(D, 1))
        if there.is_solved_by(sp.sympify(self.value).replace(Diagonal, lambda m: m).subs(D, 1)):
            return Proof(True, best.reason, (told(best),))
        return Proof(False, f"The divergence is smallest elsewhere. {best.otherwise}", (told(best),))

    def _prove_diagonal(self, time: str, best: Best) -> Proof:
        """Zero divergence where the noise is diagonal; a sum over entries where A is such a multiple."""
        letters = self.letters()
        if any(implies(c, _PROPORTIONAL, letters) for c in self.conditions):
            return self._prove_proportional(time)

        def kept(inner: Any) -> Any:
            own = {"EE^T": "E"}.get(inner.name, inner.name) if inner.is_Symbol else ""
            known = own in letters and any(
                implies(c, IsDiagonal((own,)), letters) for c in self.conditions
            )
            return inner if known else Diagonal(inner)

        if best.is_solved_by(self.value.replace(Diagonal, kept)):
            return Proof(True, best.reason, (told(best),))
        reason = (
            "The covariance is no product of the gain and a matrix without it, so the divergence is no"
            " sum over the entries of a diagonal gain; the best one solves equations in all of them at"
            " once."
        )
        found = along_diagonal.stationarity(self.setting, time, self.conditions)
        return Proof(None, reason, (along_diagonal.told(found),))

    def _prove_proportional(self, time: str) -> Proof:
        """Where A is a multiple of B B^T the covariance is one of H, and the divergence a sum."""
        share = share_of_gain(self.setting, time)
        if share is None:
            return Proof(None, "The covariance is no multiple of the gain.")
        value = written_under(sp.cancel(MULTIPLE / (N * share)), self.conditions) * Diagonal(C) ** -1
        same = sp.expand(self.value - value) == 0
        reason = "The covariance is a multiple of the gain, and the divergence a sum over its entries."
        return Proof(same, reason, (told_proportional(share, value),))

    def find(self, time: str | None = None) -> Finding:
        """The verdict; where the recipe fails, how much is lost by it, and whether a formula exists."""
        time = time or self.time
        finding = super().find(time)
        if finding.verdict not in ("refuted", "proved-if", "limit-only"):
            return finding
        more = (loss_of(self, time), formulas.no_formula(self, time))
        evidence = tuple(e for e in more if e is not None)
        return replace(finding, evidence=(*finding.evidence, *evidence))

    @property
    def necessity_looks(self) -> int:
        """Fewer where the law is that of several vectors, which takes a larger solve."""
        return 80 if len(self.setting.state) == 1 else 25

    def reason(self, verdict: str, time: str, mined: tuple[Mined, ...], proof: Proof) -> str:
        """What is right to leading order is said to be so first."""
        said = super().reason(verdict, time, mined, proof)
        return (
            f"To leading order it is right, not at a finite step. {said}"
            if verdict == "limit-only"
            else said
        )

    def is_caught(self, time: str) -> bool:
        """As always; a failure is not made small."""
        small = islice((p for p in self.space().small() if all(c.holds(p) for c in self.conditions)), 20)
        sides = (seen(self.look(time), place) for place in small)
        if any(s is not None and not s.holds for s in sides):
            return True
        source = random.Random(self.heading)
        return any(self.holds_at_random(time, source) is False for _ in range(3))

    def correct(self, time: str) -> Correction | None:
        """The best value where there is a closed form, else the equations that it solves."""
        return formulas.correct(self, time)

    def gap(self, time: str) -> Gap | None:
        """How far the printed value is from the best one, to leading order."""
        return formulas.gap(self, time)

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
            place = self.space().random(source, 2)
            for condition in self.conditions:
                place = restrict(place, condition)
            placed = self.placed(place)
            if placed is not None and seen(self.look(time), placed) is not None:
                here, best = search(self.setting, placed, time, self.freedom)
                found.append(here - best.divergence)
            if len(found) == 2:
                break
        return max(found, default=0.0)

    def script(self, failure: Failure, time: str) -> str:
        """The divergence at the printed value and at a better one."""
        placed = self.placed(failure.place)
        assert placed is not None
        _, best = search(self.setting, placed, time, self.freedom)
        return divergence_script(self.heading, self.setting, (placed, best.place), time, self.reverse)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The problem with the printed value in it, and the slopes there."""
        placed = self.placed(failure.place)
        assert placed is not None
        more = ", ".join(f"{n} = {placed.scalars[n]}" for n in self.foreign)
        own = {n: x for n, x in placed.scalars.items() if n not in self.foreign}
        return Counterexample(
            replace(placed, scalars=own).to_json(),
            {k: str(v) for k, v in failure.sides.left.items()},
            {k: str(v) for k, v in failure.sides.right.items()},
            f"derivative of {self.freedom.divergence} at the printed value{more and f' ({more})'},"
            " and at a minimum",
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
        """A problem with the parameter set as printed, minibatches small against the data."""
        sizes = Place({}, {"N": Fraction(16), "S": Fraction(content["S"])})
        for condition in self.conditions:
            sizes = condition.imposed(sizes) if isinstance(condition, OnScalars) else sizes
        content = {**content, **{n: str(x) for n, x in sizes.scalars.items()}}
        if self.space().matrices["B"] == "rational lengths":
            content["noise"] = [["1", "1"], ["1", "4"]]
        problem = Problem.of(content)
        return {**problem.to_json(), "params": self.printed_params(problem)}

    def printed_params(self, problem: Any) -> dict[str, Any] | None:
        """The step and the gain as printed, E = I; None where they are not for this problem."""
        sizes = Place({}, dict(problem.sizes))
        if any(isinstance(c, OnScalars) and not c.holds(sizes) for c in self.conditions):
            return None
        if self.foreign:
            return None
        names = {p.name for p in self.setting.sampler.parameters}
        one = [[Fraction(int(i == j)) for j in range(problem.D)] for i in range(problem.D)]
        given = {"E": as_strings(one)} if "E" in names else {}
        matrices = {n: [list(row) for row in problem.matrices[n]] for n in "AC"}
        scalars = {**problem.sizes, "D": Fraction(problem.D), "eps": _EPS, "mu": _MU}
        roots = {k: Itself(v) for k, v in scalars.items()}
        numbers = Numbers(Fraction, {**matrices, "EE^T": one}, roots)
        try:
            if self.over != STEP_OVER:
                gain = as_strings(matrix_value(self.value, numbers))
                return {"eps": str(_EPS) if self.value.has(eps) else 1, "H": gain, **given}
            params = {"eps": str(scalar_value(self.value, numbers)), **given}
            if self.gain is not None:
                params["H"] = as_strings(matrix_value(self.gain, numbers))
        except TypeError:  # the noise has no rational root
            return None
        return {**params, "mu": str(_MU)} if "mu" in names else params

    def placed(self, problem: Place) -> Place | None:
        """The problem with the parameter set to the printed value."""
        return self.freedom.put(self.setting, problem, self.value)

    def slopes(self, problem: Place, time: str) -> dict[str, Fraction] | None:
        """The exact derivatives of the divergence along every free direction; None without a law."""
        slopes = {}
        for name, along in self.freedom.directions(problem.D).items():
            slope = divergence_slope(self.setting, problem, time, along, self.reverse)
            if slope is None:
                return None
            slopes[name] = slope
        return slopes


def divergence_slope(
    setting: Any, problem: Place, time: str, along: Along, reverse: bool = False
) -> Fraction | None:
    """d/dx of a divergence, exactly: (N Tr(A S') - Tr(S^-1 S'))/2 of KL(law || posterior)."""
    moments = stationary_moments(setting, problem, time, along)
    if moments is None:
        return None
    value = [[x.value for x in row] for row in moments["theta,theta"]]
    slope = [[x.slope for x in row] for row in moments["theta,theta"]]
    A, size = [list(row) for row in problem.A], problem.scalars["N"]
    try:
        relative = multiply(inverse(value), slope)
        if reverse:  # (Tr(S^-1 S') - Tr(A^-1 S^-1 S' S^-1)/N)/2
            inner = multiply(relative, inverse(multiply(value, A)))
            return (_trace(relative) - _trace(inner) / size) / 2
    except ZeroDivisionError:  # singular: the divergence is infinite
        return None
    return (size * _trace(multiply(A, slope)) - _trace(relative)) / 2


def _volume(rows: Rows) -> Fraction:
    return Fraction(rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0])


def _trace(rows: Rows) -> Fraction:
    return sum((rows[k][k] for k in range(len(rows))), Fraction(0))
