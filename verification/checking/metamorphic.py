"""Laws that need no law: what a change of the problem must not change, whatever the sampler does.

A record says how a case changes, and how positions come back to where they can be compared. Which
samplers have it is asked of the declaration, or of our own step. A foreign sampler is held against
itself: its positions on the case and on the changed case are two samples of one law.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.setting import Setting
from simulators.bind import bind
from simulators.interpret import trajectory
from simulators.lower import lower
from verification.checking.cases import Case, having
from verification.checking.nonlinear import moves_with_the_mode
from verification.checking.scaling import scaled, weights

Array = Any

_FACTOR = Fraction(4)  # of the loss: a square, since powers may be halves
_COS, _SIN = Fraction(3, 5), Fraction(4, 5)
_SAME = 1e-10  # relative, after all steps: far above rounding, far below what any test sees


@dataclass(frozen=True)
class Changed:
    """A case after a change, and the matrix by which its positions are turned back."""

    case: Case
    words: str
    back: Array = None

    def returned(self, positions: Array) -> Array:
        """Positions at all times, as those of the case that was changed."""
        if self.back is None:
            return positions
        D = self.case.D
        times = positions.reshape(len(positions), -1, D)
        return (times @ self.back.T).reshape(len(positions), -1)


@dataclass(frozen=True)
class Law:
    """A name, what it says, and the change; None where a sampler has no such law."""

    name: str
    says: str
    change: Callable[[Any, Case], Changed | None]


def of_temperature(sampler: Any, case: Case) -> Changed | None:
    """(U, T) -> (cU, cT) at steps that belong to each other; of optimisers the loss and the step."""
    powers = weights(sampler)
    problem = None if powers is None else scaled(case.problem, powers, _FACTOR)
    if problem is None or powers is None:
        return None
    told = ", ".join(f"{n} times {_FACTOR}^{p}" for n, p in powers.items() if p)
    return Changed(replace(case, problem=problem), f"the loss times {_FACTOR}, {told}")


def of_summed_loss(sampler: Any, case: Case) -> Changed | None:
    """The summed loss is the mean loss of one example: N times the loss, and 1 for N."""
    count = case.problem.sizes["N"]
    powers = weights(sampler, of_n=-1)
    problem = None if powers is None else scaled(case.problem, powers, count)
    if problem is None or powers is None or any(p.is_integer for p in sampler.parameters):
        return None
    one = MappingProxyType({**problem.sizes, "N": Fraction(1)})
    told = "".join(f", {n} times N^{p}" for n, p in powers.items() if p)
    return Changed(replace(case, problem=replace(problem, sizes=one)), f"N L for L, 1 for N{told}")


def of_basis(sampler: Any, case: Case) -> Changed | None:
    """Everything in another orthonormal basis, if our own step does not see the basis."""
    turn = _rotation(case.D)
    if case.D < 2 or not moves_with_the_mode(sampler):
        return None
    problem = case.problem
    matrices = {n: _turned(turn, m) for n, m in problem.matrices.items()}
    params = {n: _turned(turn, v) for n, v in problem.params.items() if isinstance(v, tuple)}
    begin = {n: _times(turn, v) for n, v in problem.start.items()}
    changed = replace(
        having(problem, params), matrices=MappingProxyType(matrices), start=MappingProxyType(begin)
    )
    O = np.array([[float(x) for x in row] for row in turn])  # noqa: E741
    mode = tuple(float(x) for x in O @ np.array(case.mode))
    other = replace(case, problem=changed, mode=mode)
    try:
        same = _sees_no_basis(sampler, case, other, O)
    except UnusableInput:  # such as a diagonal gain that is not diagonal any more
        return None
    return Changed(other, "everything in another orthonormal basis", O.T) if same else None


LAWS = (
    Law("loss and temperature", "(U, T) and (cU, cT) have one law at steps that belong to each other",
        of_temperature),
    Law("summed loss", "the summed loss with N = 1 is the mean loss with N", of_summed_loss),
    Law("basis", "positions turn with the basis in which everything is written", of_basis),
)  # fmt: skip


def _rotation(D: int) -> tuple[tuple[Fraction, ...], ...]:
    """Turns in the planes of neighbouring axes, one after the other: exact and orthogonal."""
    rows = [[Fraction(i == j) for j in range(D)] for i in range(D)]
    for k in range(D - 1):
        a, b = rows[k], rows[k + 1]
        rows[k] = [_COS * x - _SIN * y for x, y in zip(a, b, strict=True)]
        rows[k + 1] = [_SIN * x + _COS * y for x, y in zip(a, b, strict=True)]
    return tuple(map(tuple, rows))


def _times(matrix: Any, vector: Any) -> tuple[Fraction, ...]:
    return tuple(sum((a * x for a, x in zip(row, vector, strict=True)), Fraction(0)) for row in matrix)


def _turned(turn: Any, matrix: Any) -> tuple[tuple[Fraction, ...], ...]:
    """O M O^T."""
    half = [_times(turn, column) for column in zip(*matrix, strict=True)]  # columns of O M
    return tuple(_times(turn, row) for row in zip(*half, strict=True))


def _sees_no_basis(sampler: Any, case: Case, other: Case, turn: Array) -> bool:
    """Our own step on a few chains, without the noise of gradients, in both bases."""
    rng = np.random.default_rng(case.seed)
    straight = _few_steps(sampler, case, np.eye(case.D), rng.bit_generator.state)
    turned = _few_steps(sampler, other, turn, rng.bit_generator.state)
    size = np.abs(straight).max() + 1e-300
    return bool(np.abs(turned - straight @ turn.T).max() < _SAME * size)


def _few_steps(sampler: Any, case: Case, turn: Array, state: Any) -> Array:
    """Positions after all steps of a case, on noise that is turned."""
    chains, rng = 8, np.random.default_rng()
    rng.bit_generator.state = state
    values = case.problem.values(sampler)
    bound = bind(lower(Setting(sampler, case.problem.model)), values)
    first = {s: np.zeros((chains, case.D)) for s in bound.program.states}
    first["theta"] = rng.standard_normal((chains, case.D)) @ turn.T
    body = bound.program.body
    quiet = {d.name for d in body.draws if d.name.startswith("w")}

    def noise(step: int) -> dict[str, Array]:
        drawn = {d.name: rng.standard_normal((chains, case.D)) @ turn.T for d in body.draws}
        return {n: x * (n not in quiet) for n, x in drawn.items()}

    *_, last = trajectory(bound, np.arange(chains), 0, max(case.times), 0, first, noise)
    return np.asarray(last["theta"])
