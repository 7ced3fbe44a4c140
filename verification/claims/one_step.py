"""Claims that a printed difference equation is one step of a declared sampler.

What is compared are the first two moments of a step, given the state before it: the matrices on the
states, and the covariance of the noise. For normal noise that is the step's whole law. Symbols do it
for every dimension; the exact route runs the declared updates on unit vectors with every sign of every
coordinate of the noise, which has the moments of a standard normal one, and averages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any, Self

import sympy as sp

from sgtheory import matrices as mx
from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.errors import UnusableInput
from sgtheory.fields import Rows
from sgtheory.matrixwords import H
from sgtheory.running import Point, run_step
from verification.claims.base import Claim, Printed, Proof
from verification.claims.rows import caught, corrupted_rows, has_square_roots_only
from verification.miner.conditions import Commute, Condition
from verification.miner.scalars import written_under
from verification.rational import as_strings, matrix_value, numbers_of, point_of, problem_space
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.refuter.stepscript import step_script
from verification.verdict import Correction, Counterexample, Evidence, Finding
from verification.wiener import (
    After,
    Difference,
    Forms,
    NoiseLetter,
    in_letters,
    of_step,
    read,
    written,
)

_TRAITS = {"positive definite": ("positive_definite",), "squared": ("positive_definite",)}
_NOISE_NAMES = ("W", "V", "U")


@dataclass(frozen=True)
class Stepwise(Claim):
    """``printed`` are rows: what a step, or a moment of time, does to the states on their left sides.

    A sampler's gain is the identity where no H is printed. ``lasts`` is the time that a step takes.
    """

    lasts: Any = field(default=1, kw_only=True)

    @property
    def targets(self) -> tuple[str, ...]:
        """The states that the rows are about."""
        return tuple(row.left.args[0].name for row in self.printed)

    @property
    def has_gain(self) -> bool:
        """Whether the gain is printed."""
        return any(H in sp.sympify(row.right).free_symbols for row in self.printed)

    @property
    def forms(self) -> Forms:
        """What is printed, for one step."""
        return read(tuple(replace(row, right=self._stated(row.right)) for row in self.printed))

    def _stated(self, expr: Any) -> Any:
        """An expression under the hypotheses on scalars."""
        return written_under(expr, self.conditions)

    def space(self) -> Space:
        """Small problems of the sampler."""
        space = problem_space(self.setting, gain=self.has_gain)
        parameters = {p.name for p in self.setting.sampler.parameters}
        used = {s for row in self.printed for s in sp.sympify(row.right).free_symbols}
        more = {s.name: "positive" for s in sorted(used, key=str) if s.is_commutative and s.is_Symbol}
        parameters |= space.follows.names if space.follows else frozenset()
        scalars = {n: k for n, k in more.items() if n not in parameters} | dict(space.scalars)
        powers = {p for row in self.printed for p in sp.sympify(row.right).atoms(sp.Pow)}
        rooted = {p.base.name for p in powers if p.base.is_Symbol and not p.exp.is_Integer}
        squares = {n: "square" for n, k in scalars.items() if n in rooted and k == "positive"}
        return replace(space, scalars=scalars | squares)

    def has_discrete_reading(self) -> bool:
        """A step is one already."""
        return False

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """An ensemble shows laws, and not what one step does given the state before it."""
        return finding, None

    # -- in symbols ---------------------------------------------------------------------------

    def derived(self, time: str) -> Forms:
        """What the declared updates do in one step."""
        found = of_step(self.setting, time, self.has_gain)
        drift = {k: self._stated(x) for k, x in found.drift.items()}
        noise = {k: (self._stated(x), M) for k, (x, M) in found.noise.items()}
        return Forms({k: x for k, x in drift.items() if x != 0}, noise)

    def compared(self, time: str) -> list[tuple[str, mx.Proof]]:
        """Drift by drift and covariance by covariance: is what is printed what is derived?"""
        printed, derived, length = self.forms, self.derived(time), self._stated(self.lasts)
        letters = {n: mx.matrix(n, *_TRAITS.get(k, ())) for n, k in self.space().matrices.items()}
        given = [
            mx.commute(*(letters[n] for n in part.letters))
            for c in self.conditions
            for part in c.parts
            if isinstance(part, Commute) and set(part.letters) <= set(letters)
        ]
        found = []
        for a in self.targets:
            sources = {s for t, s in (*printed.drift, *derived.drift) if t == a}
            for s in sorted(sources):
                left = in_letters(length * printed.drift.get((a, s), sp.Integer(0)), letters)
                right = in_letters(derived.drift.get((a, s), sp.Integer(0)), letters)
                name = f"drift of {a} by {s}" if len(self.setting.state) > 1 else "drift"
                found.append((name, mx.prove_equal(left, right, given)))
        for k, a in enumerate(self.targets):
            for b in self.targets[k:]:
                left = in_letters(length, letters) * printed.covariance_in_letters(a, b, letters)
                right = derived.covariance_in_letters(a, b, letters)
                name = f"noise of {a}" if a == b else f"joint noise of {a} and {b}"
                name = name if len(self.setting.state) > 1 else "noise"
                found.append((name, mx.prove_equal(left, right, given)))
        return found

    def prove(self, time: str) -> Proof:
        """By the normal form of matrix expressions."""
        try:
            found = self.compared(time)
        except UnusableInput as refused:
            return Proof(None, f"The matrix engine does not take it: {refused}")
        evidence = (_told(found),)
        wrong = [(name, p) for name, p in found if not p.proved]
        if not wrong:
            return Proof(True, self.agreement(time), evidence)
        if not any(p.verdict == "differs" for _, p in wrong):
            return Proof(None, "No proof was found.", evidence)
        names = [name for name, p in wrong if p.verdict == "differs"]
        those = "that" if len(names) == 1 else "those"
        verb = "is" if len(names) == 1 else "are"
        words = f"The {' and the '.join(names)} {verb} not {those} of {self.compared_with(time)}."
        return Proof(False, words, evidence)

    def compared_with(self, time: str) -> str:
        """What is held against the rows."""
        return "the declared step" if time == "discrete" else "the declared step to first order"

    def agreement(self, time: str) -> str:
        """One sentence, where it is true."""
        return "A step has this mean and this covariance, given the state before it, in every dimension."

    # -- in exact numbers -----------------------------------------------------------------------

    def look(self, time: str) -> Look:
        """The matrices that are printed, and those that running the updates shows."""

        def at(place: Place) -> Sides | None:
            if not self._admits(place):
                return None
            left = self.printed_at(place)
            right = self.seen_at(place, time)
            return Sides(_stacked(left), _stacked(right), left == right)

        return at

    def printed_at(self, place: Place) -> tuple[Rows, Rows]:
        """Drift and covariance as printed, stacked over the states on the left sides."""
        numbers = numbers_of(place, {})
        forms, states = read(self.printed), [s.name for s in self.setting.state]
        length = matrix_value(sp.sympify(self.lasts), numbers)[0][0]
        blocks = [
            [matrix_value(sp.expand(forms.drift.get((a, s), sp.Integer(0))), numbers) for s in states]
            for a in self.targets
        ]
        noise = [[forms.covariance(a, b, numbers) for b in self.targets] for a in self.targets]
        return _times(length, _joined(blocks)), _times(length, _joined(noise))

    def seen_at(self, place: Place, time: str) -> tuple[Rows, Rows]:
        """Drift and covariance of one declared step, by averaging over signs."""
        point = point_of(self.setting, place)
        states, d = self.setting.state, place.D
        rows = [k * d + i for k, s in enumerate(states) if s.name in self.targets for i in range(d)]
        order = [s.name for s in states if s.name in self.targets]
        rows = [rows[order.index(t) * d + i] for t in self.targets for i in range(d)]
        runs = self._runs(point, time, None)
        rest = _mean(runs)
        columns = []
        for k in range(len(states) * d):
            moved = _mean(self._runs(point, time, k))
            columns.append([moved[i] - rest[i] for i in rows])
        drift = [[c[i] for c in columns] for i in range(len(rows))]
        share = point.field(len(runs)) ** -1
        noise = [[share * sum(((r[i] - rest[i]) * (r[j] - rest[j]) for r in runs), point.field(0))
                  for j in rows] for i in rows]  # fmt: skip
        return drift, noise

    def _runs(self, point: Point, time: str, unit: int | None) -> list[list[Any]]:
        """By how much a step changes the states, from a unit vector or from zero, for all signs."""
        d, one, zero = point.size, point.field(1), point.field(0)
        states = self.setting.state
        noises = (*self.setting.gradient_noises, *self.setting.injected_noises)
        start = [one if k == unit else zero for k in range(len(states) * d)]
        before = {s: start[k * d : (k + 1) * d] for k, s in enumerate(states)}
        found = []
        for signs in product((one, zero - one), repeat=len(noises) * d):
            env = {w: list(signs[k * d : (k + 1) * d]) for k, w in enumerate(noises)}
            after = run_step(self.setting, time, {**before, **env}, point)
            old = start if time == "discrete" else [zero] * len(start)
            found.append([x - y for x, y in zip(after, old, strict=True)])
        return found

    # -- what is true instead, and twins ----------------------------------------------------------

    def row(self, target: str, right: Any) -> Printed:
        """A row with another right side."""
        old = next(r for r in self.printed if r.left.args[0].name == target)
        return replace(old, right=right)

    def corrected_rows(self, time: str) -> tuple[Printed, ...]:
        """What the declared updates do, in the printed letters where there are as many noises."""
        derived = self.derived(time)
        own = (*self.setting.gradient_noises, *self.setting.injected_noises)
        names = {w.name: self.noise_letter(k) for k, w in enumerate(own)}
        bright = {k: (_bright(Y), M) for k, (Y, M) in derived.noise.items()}
        length = self._stated(self.lasts)
        forms = Forms(
            {k: sp.expand(x / length) for k, x in derived.drift.items()},
            {k: (sp.expand(Y / sp.sqrt(length)), M) for k, (Y, M) in bright.items()},
        )
        return tuple(self.row(t, self.row_of(forms, t, names)) for t in self.targets)

    def row_of(self, forms: Forms, target: str, names: dict[str, Any]) -> Any:
        """The right side of a row: of a difference, or of the state after a step."""
        total = written(forms, target, names, sp.Integer(1))
        (left,) = (r.left for r in self.printed if r.left.args[0].name == target)
        return total + left.args[0] if isinstance(left, After) else total

    def noise_letter(self, k: int) -> Any:
        """The name of a noise in a correction: the gradient's first."""
        return NoiseLetter(_NOISE_NAMES[k], commutative=False)

    def correct(self, time: str) -> Correction | None:
        """The right drift and the right noise."""
        rows = self.corrected_rows(time)
        if replace(self, printed=rows).prove(time).holds is not True:
            return None
        return Correction(
            r" \qquad ".join(r.latex() for r in rows),
            "; ".join(r.text() for r in rows),
            "proved",
            "in every dimension",
            rows,
        )

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """Only that letters commute: no other property of matrices mends a drift."""
        return tuple(Commute(pair) for pair in combinations(self.letters(), 2))

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The matrix in front of a state or a noise corrupted, or dropped."""
        forms = read(self.printed)
        for k, row in enumerate(self.printed):
            rows = corrupted_rows(row, forms, self.targets[k])
            for name, wrong in ((n, w) for n, w in rows if has_square_roots_only(w.right)):
                yield name, replace(self, printed=(*self.printed[:k], wrong, *self.printed[k + 1 :]))

    def is_caught(self, time: str) -> bool:
        """At a few places, random ones first; nothing is shrunk."""
        return caught(self, time)

    def _admits(self, place: Place) -> bool:
        return all(c.holds(place) for c in self.conditions)

    def says_the_same(self, other: Self) -> bool:
        """Noise with its sign turned, for instance, is the same noise."""
        return bool(self.prove(self.time).holds)

    # -- how a counterexample is shown ---------------------------------------------------------------

    def script(self, failure: Failure, time: str) -> str:
        """The updates on all signs of the noise, against what is printed."""
        return step_script(
            self.heading, self.setting, failure.place, time, self.targets, read(self.printed), self.lasts
        )

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """Both pairs of matrices."""
        return Counterexample(
            failure.place.to_json(),
            as_strings(failure.sides.left),
            as_strings(failure.sides.right),
            "drift matrix beside noise covariance, as printed and of the algorithm",
        )


@dataclass(frozen=True)
class OneStep(Stepwise):
    """Rows ``After(theta) = ...`` or ``Difference(theta) = ...``: a step of the algorithm itself."""

    time: str = "discrete"

    @property
    def forms(self) -> Forms:
        """By how much a state changes, also where its new value is printed."""
        return read(tuple(replace(row, right=self._stated(row.right)) for row in self._changes()))

    def printed_at(self, place: Place) -> tuple[Rows, Rows]:
        """As changes."""
        return Stepwise.printed_at(replace(self, printed=self._changes()), place)

    def script(self, failure: Failure, time: str) -> str:
        """As changes."""
        return Stepwise.script(replace(self, printed=self._changes()), failure, time)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """As changes."""
        yield from Stepwise.corrupted(replace(self, printed=self._changes()), finding)

    def _changes(self) -> tuple[Printed, ...]:
        """Rows of differences; new values that stand on a right side are written out."""
        found = []
        known: dict[Any, Any] = {}
        for row in self.printed:
            (state,) = row.left.args
            right = sp.sympify(row.right).subs(known)
            if isinstance(row.left, After):
                known[row.left] = right
                right -= state
            found.append(replace(row, left=Difference(state), right=right))
        return tuple(found)


def _bright(factor: Any) -> Any:
    """A noise's factor with a plus sign in front: its sign is nothing."""
    first = sp.Add.make_args(factor)[0]
    return -factor if first.could_extract_minus_sign() else factor


def _mean(runs: list[list[Any]]) -> list[Any]:
    zero = runs[0][0] - runs[0][0]
    return [sum((r[k] for r in runs), zero) / len(runs) for k in range(len(runs[0]))]


def _joined(blocks: list[list[Rows]]) -> Rows:
    """A matrix from its blocks."""
    return [[x for block in row for x in block[i]] for row in blocks for i in range(len(row[0]))]


def _times(x: Any, rows: Rows) -> Rows:
    return [[x * y for y in row] for row in rows]


def _stacked(both: tuple[Rows, Rows]) -> Rows:
    """Drift and covariance side by side."""
    return [[*a, *b] for a, b in zip(*both, strict=True)]


def _told(found: list[tuple[str, mx.Proof]]) -> Evidence:
    steps = tuple(
        Step(
            name.capitalize(),
            "Printed minus derived, in normal form:",
            (
                Equation(
                    Formula(r"\text{printed} - \text{derived}", "printed - derived"),
                    sp.Integer(0)
                    if p.proved
                    else Formula(mx.latex(p.difference), mx.plain(p.difference)),
                ),
            ),
        )
        for name, p in found
    )
    words = "; ".join(f"{name}: {'agrees' if p.proved else p.verdict}" for name, p in found)
    derivation = Derivation("First two moments of a step", steps, ())
    return Evidence("symbolic", f"By normal form: {words}.", {"dimensions": "every"}, derivation)
