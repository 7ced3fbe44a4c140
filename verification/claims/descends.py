"""Claims that an optimiser comes to the least value of a potential from every start.

At a critical point, without momentum, a step that sees only the slope stands still. So where a potential
has critical points of different heights the statement is false, and the chain that begins there shows
it. For one critical point and an affine step the criterion of Jury decides, if the signs of its
polynomials are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result
from sgtheory.derivation import Step as Told
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.taylor import Exactly
from sgtheory.dynamics.walking import walk
from sgtheory.printing import latex, plain
from verification.claims.base import Proof
from verification.claims.formal import Formal, kind_of, symbols_in, values_of
from verification.refuter.inpython import name_of, python
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.terms.printing import Line
from verification.twins import corruptions
from verification.verdict import Counterexample, Evidence, Finding

_STEPS = 40
_LITTLE = Fraction(1, 10**9)
_SCRIPTED = 100


@dataclass(frozen=True, kw_only=True)
class Descends(Formal):
    """``potential`` at ``position`` tends to its least value under ``step``, whatever the start.

    The step's own slope is the potential's; all other states are zero at rest.
    """

    step: Step
    potential: Any
    position: Any

    @property
    def parameters(self) -> tuple[Any, ...]:
        """Of step and potential."""
        found = {*self.step.parameters, *symbols_in([self.potential])} - {*self.step.state}
        return tuple(sorted(found, key=lambda s: s.name))

    def lines(self) -> tuple[Line, ...]:
        """The updates, the potential, and where it goes."""
        shown = [
            Line(rf"{latex(t)} \leftarrow {latex(e)}", f"{t} <- {plain(e)}")
            for t, e in self.step.updates
        ]
        shown.append(Line(rf"U = {latex(self.potential)}", f"U = {plain(self.potential)}"))
        return (*shown, Line(r"U \to \min U", "U -> min U"))

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced."""
        return replace(self, step=self.step.put(values), potential=self.potential.subs(values))

    def space(self) -> Space:
        """Parameters."""
        return Space({}, {s.name: kind_of(s) for s in self.parameters})

    @property
    def critical(self) -> tuple[Any, ...]:
        """Where the potential is level; its slope has to be a product of linear factors."""
        slope = sp.Poly(sp.expand(sp.diff(self.potential, self.position)), self.position)
        found = sp.roots(slope)
        if sum(found.values()) != slope.degree():
            raise ArithmeticError("a slope with factors that are not linear")
        return tuple(sorted(found, key=str))

    def _stays(self, r: Any) -> bool:
        at: dict[Any, Any] = dict.fromkeys(self.step.state, sp.Integer(0)) | {self.position: r}
        drawn: dict[Any, Any] = {w: sp.Symbol(w.name, real=True) for w in self.step.noises}
        after = self.step.after({**at, **drawn})
        return all(sp.simplify(after[s] - at[s]) == 0 for s in self.step.state)

    def prove_freely(self, time: str) -> Proof:
        """Where it stands still; or that it does so nowhere else, and is stable."""
        standing = [r for r in self.critical if self._stays(r)]
        heights = {r: sp.factor(self.potential.subs(self.position, r)) for r in self.critical}
        shown = tuple(Equation(Formula(latex(r), plain(r)), u) for r, u in heights.items())
        steps = (Told("The potential at critical points", "", shown),)
        results = tuple(Result(f"height_{k}", e) for k, e in enumerate(shown))
        told = Evidence(
            "symbolic",
            "Critical points, whether a step leaves them, and the potential there.",
            {"standing": [plain(r) for r in standing]},
            Derivation("At rest", steps, results),
        )
        for r in standing:
            lower = [s for s in heights if sp.simplify(heights[s] - heights[r]) != 0]
            if lower:
                words = (
                    f"At rest at {plain(r)} a step changes nothing, and U differs at {plain(lower[0])}."
                )
                return Proof(False, words, (told,))
        if len(self.critical) == 1 and standing and self._stable():
            return Proof(
                True, f"There is one point of rest, and it is stable: {plain(standing[0])}.", (told,)
            )
        return Proof(None, "Its points of rest do not decide it.", (told,))

    def _stable(self) -> bool:
        """All eigenvalues of an affine step in two states are inside of the unit circle."""
        states = self.step.state
        after = self.step.after({s: s for s in states})
        M = sp.Matrix([[sp.diff(after[s], t) for t in states] for s in states])
        if M.shape != (2, 2) or any(e.free_symbols & {*states, *self.step.noises} for e in M):
            return False
        trace, det = sp.trace(M), M.det()
        conditions = (1 - det, 1 + det, 1 - trace + det, 1 + trace + det)
        return all(sp.factor(sp.together(sp.expand(c))).is_positive for c in conditions)

    def look_freely(self, time: str) -> Look:
        """The step, carried out from every critical point or its rate of decay about the only one."""
        critical = self.critical

        def at(place: Place) -> Sides | None:
            known = Exactly(values_of(self.parameters, place))
            points = [Fraction(walk(sp.sympify(r), known)) for r in critical]
            heights = [self._height(r, known) for r in points]
            least = min(heights)
            for r, u in zip(points, heights, strict=True):
                after = self._height(self._after(r, known, _STEPS), known)
                if u > least and after == u:
                    return Sides(after, least, False)
            if len(points) > 1:
                return Sides(least, least, True)
            rate = self._decay(points[0], known)
            return Sides(rate, 1, rate < 1)

        return at

    def _decay(self, x: Fraction, known: Exactly) -> float:
        """The spectral radius of the step about a point: by moving each state a little."""
        import numpy as np

        states = self.step.state
        rest: dict[Any, Any] = dict.fromkeys(states, Fraction(0)) | {self.position: x}
        quiet = known.but(dict.fromkeys(self.step.noises, Fraction(0)))
        here = self.step.run(quiet, rest)
        columns = []
        for s in states:
            moved = self.step.run(quiet, rest | {s: rest[s] + _LITTLE})
            columns.append([float((moved[t] - here[t]) / _LITTLE) for t in states])
        return float(np.abs(np.linalg.eigvals(np.array(columns))).max())

    def _height(self, x: Fraction, known: Exactly) -> Fraction:
        return Fraction(walk(sp.sympify(self.potential), known.but({self.position: x})))

    def _after(self, x: Fraction, known: Exactly, steps: int) -> Fraction:
        states: dict[Any, Any] = dict.fromkeys(self.step.state, Fraction(0)) | {self.position: x}
        quiet = known.but(dict.fromkeys(self.step.noises, Fraction(0)))
        for _ in range(steps):
            new = self.step.run(quiet, states)
            if new == states:
                break
            states = {s: Fraction(v).limit_denominator(10**30) for s, v in new.items()}
        return Fraction(states[self.position])

    def script(self, failure: Failure, time: str) -> str:
        """The chain from the critical point that shows it."""
        claim, place = self.resolved, failure.place
        known = Exactly(values_of(claim.parameters, place))
        points = [Fraction(walk(sp.sympify(r), known)) for r in claim.critical]
        start = next(r for r in points if claim._height(r, known) == failure.sides.left)
        least = min(points, key=lambda r: claim._height(r, known))
        lines = [f"# {self.heading}", "from fractions import Fraction as F"]
        lines += [f"{name_of(s)} = F('{x}')" for s, x in values_of(claim.parameters, place).items()]
        lines.append(f"U = lambda {name_of(claim.position)}: {python(claim.potential)}")
        lines += [f"{name_of(s)} = F(0)" for s in claim.step.state]
        lines.append(f"{name_of(claim.position)} = F('{start}')")
        lines.append(f"for _ in range({_SCRIPTED}):")
        lines += [f"    {name_of(w)} = F(0)" for w in claim.step.noises]
        lines += [f"    {name_of(t)} = {python(e)}" for t, e in claim.step.updates]
        lines.append(f"least = U(F('{least}'))")
        lines.append(
            f"print('U after {_SCRIPTED} steps', U({name_of(claim.position)}), 'and elsewhere', least)"
        )
        lines.append(f"print(U({name_of(claim.position)}) <= least)")
        return "\n".join(lines) + "\n"

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The potential's numbers, and both heights."""
        left, right = str(failure.sides.left), str(failure.sides.right)
        words = "the potential where the chain begins and stays, and at its lowest"
        return Counterexample(failure.place.to_json(), left, right, words)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """One update corrupted."""
        for k, (target, expr) in enumerate(self.step.updates):
            for name, wrong in corruptions(sp.expand(expr)):
                updates = (*self.step.updates[:k], (target, wrong), *self.step.updates[k + 1 :])
                yield (
                    f"update of {target}: {name}",
                    replace(self, step=replace(self.step, updates=updates)),
                )
