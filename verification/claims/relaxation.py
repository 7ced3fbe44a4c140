"""Claims that a chain slows down: its slowest mode decays less and less as a letter vanishes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Self

import sympy as sp

from sgtheory.affine import LAMBDA, mode_form
from sgtheory.fields import Rows
from sgtheory.matrixwords import SIGMA
from sgtheory.pairs import LI
from sgtheory.roots import characteristic, hurwitz_stable, schur_stable
from sgtheory.running import linear_map
from verification.asymptotics import Undecided, first_terms, sign
from verification.claims.trend import _FAR, DOWN, UP, Eventually
from verification.miner.conditions import Condition
from verification.rational import point_of
from verification.refuter.places import Place, Space
from verification.refuter.script import _HEAD, array
from verification.refuter.search import Failure, Look, Sides

# the time in which the slowest decaying direction shrinks by a factor e
RELAXATION = sp.Symbol("tau_relax", positive=True)
_SCRIPT_POINTS, _LOOKS = (2, 3, 4), 40


@dataclass(frozen=True)
class SlowsDown(Eventually):
    """``printed`` is one ``Trend(RELAXATION, letter)``.

    The relaxation time is -1/log(rho), rho the spectral radius of one step; -1/Re(s) in continuous time,
    s the eigenvalue of the drift that is nearest to the imaginary axis.
    """

    def quantities(self) -> tuple[Any, ...]:
        """The letters of a problem."""
        return (SIGMA,)

    def space(self) -> Space:
        """Along one eigenvector: the slowest of several is one of them."""
        return replace(super().space(), sizes=(1,))

    def failure(self, time: str, evaluations: int = _LOOKS) -> Failure | None:
        """Among few places: an answer takes many tests of stability."""
        return super().failure(time, min(evaluations, _LOOKS))

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = None,
    ) -> bool | None:
        """In one dimension."""
        return super().holds_at_random(time, source, under, 1)

    def look(self, time: str) -> Look:
        """Steps at three points near the limit, told apart by exact tests of stability."""

        def at(place: Place) -> Sides | None:
            steps = [self._step(place, k, time) for k in _FAR]
            if not all(_decays(step, Fraction(0), time) for step in steps):
                return None
            order = [_compared(a, b, time) for a, b in pairwise(steps)]
            words = {1: "larger", 0: "equal", -1: "smaller"}
            holds = all(o == self._wanted for o in order)
            return Sides(f"then {words[order[-1]]}", f"always {words[self._wanted]}", holds)

        return at

    def _step(self, place: Place, k: int, time: str) -> Rows:
        assert self.law_of is not None
        moved = self.path.at(place, Fraction(1, 16**k))
        return linear_map(self.law_of, time, point_of(self.law_of, moved))[0]

    def formula(self, time: str) -> tuple[Any, str] | None:
        """From the characteristic polynomial of one mode: two states at most."""
        assert self.law_of is not None
        M = sp.Matrix(mode_form(self.law_of, time).M.subs(LAMBDA, LI).subs(dict(self.where)))
        found = _slowest(M, self.variable, self.limit, time)
        scope = "along every eigenvector of A, for small enough values"
        return None if found is None else (found, scope)

    def script(self, failure: Failure, time: str) -> str:
        """Relaxation times by NumPy at three points."""
        lines = [f"# {self.heading}", f"# {self.path.words()}", "steps = ["]
        lines += [f"    {array(self._step(failure.place, k, time))}," for k in _SCRIPT_POINTS]
        eigenvalues = "np.linalg.eigvals(M.astype(float))"
        rate = (
            f"-np.log(abs({eigenvalues}).max())" if time == "discrete" else f"-{eigenvalues}.real.max()"
        )
        compare = ">" if self._wanted == 1 else "<"
        lines += [
            "]",
            f"times = [1 / ({rate}) for M in steps]",
            "print(*times)",
            f"print(bool(times[2] {compare} times[1] * (1 + 1e-9) and times[1] {compare} times[0]))",
        ]
        return _HEAD + "\n".join(lines) + "\n"

    def corrupted(self, finding: Any) -> Iterator[tuple[str, Self]]:
        """The other direction; what is set grows without bounds."""
        one = self.trend
        turned = DOWN if one.relation == UP else UP
        yield "relation turned", replace(self, printed=(replace(one, relation=turned),))
        for k, (letter, value) in enumerate(self.where):
            wrong = (*self.where[:k], (letter, value / self.variable**2), *self.where[k + 1 :])
            yield f"{letter}: over {self.variable}^2", replace(self, where=wrong)

    def values(self, place: Place, time: str, steps: tuple[int, ...]) -> tuple[Any, ...] | None:
        """None of them is rational."""
        return ()


def _slowest(M: sp.Matrix, x: Any, limit: str, time: str) -> Any:
    """The relaxation time of a step of one or two states, for x near its limit."""
    if M.rows == 1:
        return -1 / sp.log(M[0, 0]) if time == "discrete" else -1 / M[0, 0]
    if M.rows != 2:
        return None
    total, product = sp.expand(M.trace()), sp.factor(M.det())
    spread = sp.factor(total**2 - 4 * product)
    try:
        way = sign(first_terms(spread, x, limit, 1)[0].coefficient)
        up = sign(first_terms(total, x, limit, 1)[0].coefficient)
    except (Undecided, ZeroDivisionError):
        return None
    if way == -1:  # a pair of complex numbers: |z|^2 is their product, Re z half their sum
        return -2 / sp.log(product) if time == "discrete" else -2 / total
    if way == 1 and up is not None:
        largest = (
            (up * total + sp.sqrt(spread)) / 2 if time == "discrete" else (total + sp.sqrt(spread)) / 2
        )
        return -1 / sp.log(largest) if time == "discrete" else -1 / largest
    return None


def _decays(step: Rows, shift: Fraction, time: str) -> bool:
    """Whether it decays faster than at a rate: |z| < 1 - shift, or Re s < -shift."""
    size = range(len(step))
    if time == "discrete":
        scaled = [[x / (1 - shift) for x in row] for row in step]
        return schur_stable(characteristic(scaled))
    moved = [[x + (shift if i == j else 0) for j, x in enumerate(step[i])] for i in size]
    return hurwitz_stable(characteristic(moved))


def _compared(first: Rows, second: Rows, time: str) -> int:
    """1 where the second is slower, by a rate at which only the first still decays faster."""
    low, high = Fraction(0), Fraction(1)
    if time == "continuous":
        while _decays(first, high, time) or _decays(second, high, time):
            high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        one, two = _decays(first, middle, time), _decays(second, middle, time)
        if one != two:
            return 1 if one else -1
        low, high = (middle, high) if one else (low, middle)
    return 0
