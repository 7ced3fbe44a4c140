"""The problems on which a foreign sampler is run, and the exact law that it should have there.

A case is a small Gaussian problem with everything that a fault may hide behind set to a number of
its own: no size, temperature or friction is 1, the curvature is not diagonal, the mode is not 0.
The law is that of the positions at several steps together, so that one comparison sees means,
covariances and autocovariances.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.onestep.affine import is_affine
from sgtheory.onestep.full import center, full_step, start
from sgtheory.problem import Problem, Values
from sgtheory.reader.formulas import formula
from sgtheory.setting import Setting
from verification.checking.gains import definite, gain, is_matrix, sized

Array = Any

TIMES = (1, 2, 5, 20)  # steps after which positions are looked at
DIMENSIONS = (1, 2, 3, 5, 10, 2, 1, 2)
CLOCK = "t"  # the formula for a parameter that is the number of steps before
_SAID = ("seed", "times", "gradient", "loss", "chains", "again", "keep", "called", "shown", "beyond")
_WHOLE = {"N": (10, 20, 30), "S": (2, 3, 5), "T": (2, 3), "L": (2, 3), "burnin": (4, 12)}
_COUNTS = (2, 3)  # of any other whole number
_NUMERATORS = tuple(k for k in range(24, 96) if k != 48)
_SMALLEST = 12  # of a parameter: 2 to the power of minus this
_TRIES, _CHOICES = 1_000, 5
_CHANGED = Fraction(3, 4)  # of a parameter, to see what it does
_FAR = 3  # standard deviations from the mode at the start
_SLOWEST, _FASTEST = 0.995, 0.02  # of the spectral radius of one step
IDENTITY = "identity"  # the value of a matrix that is none
MODE = "mode"  # where the loss is smallest, as steps and formulas call it
_QUIET = Fraction(1, 2**16)  # of C, where injected noise alone is to be seen


class Count(int):
    """How many steps there were before, for a step that asks for that: another number each time."""


@dataclass(frozen=True)
class Case:
    """A problem, where its mode is, when the positions are looked at, and what gradients are made of."""

    name: str
    problem: Problem
    mode: tuple[float, ...]
    seed: int
    times: tuple[int, ...] = TIMES
    gradient: str = "noise"  # or "minibatches" of a data model, or "none": no noise at all
    loss: str = ""  # "mean" or "sum"; as the target says where it is empty
    chains: int = 0  # where it needs a number of its own
    again: bool = True  # it is run once more, to see whether a seed says everything
    keep: bool = False  # the positions of all chains are wanted, not their moments only
    called: tuple[tuple[str, str], ...] = ()  # a step's own parameters, as formulas in the sampler's
    shown: str = "theta"  # the state that is looked at: the position, or an average of positions
    beyond: float = 0.0  # where chains of a right sampler leave: no farther from the mode is told apart

    def within(self, positions: Array) -> Array:
        """Positions at all times; where chains may leave, those that did are all at one place for good.

        Which coordinate leaves first, and what no number can hold, is a matter of rounding.
        """
        if not self.beyond:
            return positions
        near = np.abs(positions - np.resize(self.mode, positions.shape[1])) < self.beyond
        stays = np.logical_and.accumulate(near.reshape(len(near), -1, self.D).all(axis=2), axis=1)
        return np.where(np.repeat(stays, self.D, axis=1), positions, self._far(positions))

    def left(self, positions: Array) -> Array:
        """Which chains did leave, of those positions."""
        return (positions == self._far(positions)).any(axis=1) & (self.beyond > 0)

    def _far(self, positions: Array) -> Array:
        """In a number that every type has."""
        return np.resize(np.float32(np.add(self.mode, self.beyond)), positions.shape[1])

    @property
    def D(self) -> int:
        """The dimension."""
        return self.problem.D

    @cached_property
    def minimiser(self) -> Array:
        """Where the loss is smallest: what a sampler with control variates is told."""
        examples = self.problem.examples
        return np.array(self.mode) + (0.0 if examples is None else np.asarray(examples.center, float))

    @cached_property
    def A(self) -> Array:
        """The curvature of the mean loss."""
        return np.array([[float(x) for x in row] for row in self.problem.matrices["A"]])

    @cached_property
    def noise_root(self) -> Array:
        """A factor of the covariance C/S of a minibatch's gradient."""
        C = np.array([[float(x) for x in row] for row in self.problem.matrices["C"]])
        values, vectors = np.linalg.eigh(C / float(self.problem.sizes["S"]))
        return vectors * np.sqrt(np.clip(values, 0, None))

    def __reduce__(self) -> Any:
        """For the way to another process, where a problem's read-only mappings cannot go."""
        said = {n: getattr(self, n) for n in _SAID}
        content = {**self.problem.to_json(), "params": {}}
        return _rebuilt, (self.name, content, dict(self.problem.params), self.mode, said)

    def parameters(self, sampler: Any) -> dict[str, Any]:
        """What a step is first called with: the sampler's parameters and the sizes, as numbers."""
        values = self.problem.values(sampler)
        asked = {p.name for p in registry.sampler(sampler, self.problem.params).parameters}
        exactly = {n: x for n, x in values.scalars.items() if n in asked | {"N", "S"}}
        arrays = {n: np.array(values.arrays[n]) for n in sorted(asked & set(values.matrices))}
        if self.called:
            vectors = {**arrays, MODE: self.minimiser}
            own = {n: _worth(text, exactly, vectors, self.D) for n, text in self.called if text != CLOCK}
            own |= {n: Count(0) for n, text in self.called if text == CLOCK}
            return {n: float(exactly[n]) for n in ("N", "S")} | {MODE: self.minimiser} | own
        return {n: float(x) for n, x in exactly.items()} | arrays | {MODE: self.minimiser}


def _worth(text: str, scalars: Mapping[str, Any], arrays: Mapping[str, Array], D: int) -> Any:
    """A formula's value, computed exactly or to 30 digits and rounded once; an array by its name."""
    name = text.strip()
    if name in arrays or name in scalars:  # also a letter that no formula can have, such as lambda
        return arrays[name] if name in arrays else float(scalars[name])
    if name == IDENTITY:
        return np.eye(D)
    scalars = {**scalars, "D": D}
    letters = {n: sp.Symbol(n, positive=True) for n in scalars}
    found = formula(text, letters, "a parameter", "write step_size=eps/2")
    return float(found.subs({letters[n]: sp.Rational(str(x)) for n, x in scalars.items()}).evalf(30))


def _rebuilt(name: str, problem: Any, params: Any, mode: Any, said: Mapping[str, Any]) -> Case:
    return Case(name, having(Problem.of(problem), params), mode, **said)


def having(problem: Problem, params: Mapping[str, Any]) -> Problem:
    """A problem with more parameters, of a sampler that need not be one of ours."""
    return replace(problem, params=MappingProxyType({**problem.params, **params}))


@dataclass(frozen=True)
class Law:
    """Mean and covariance of the positions at all times of a case, one below the other."""

    mean: Array
    covariance: Array
    names: tuple[str, ...]


def law_of(sampler: Any, case: Case) -> Law:
    """The exact law of a declared sampler on a case.

    >>> problem = Problem.of({"model": "quadratic", "hessian": [[2]], "noise": [[3]], "N": 10,
    ...                       "S": 1, "params": {"eps": "1/4"}, "start": {"theta": [1]}})
    >>> law_of("sgd", Case("one", problem, (0.0,), seed=1, times=(1, 2))).mean
    array([0.5 , 0.25])
    """
    setting = Setting(registry.sampler(sampler, case.problem.params), case.problem.model)
    values = case.problem.values(setting.sampler)
    return _joint(setting, values, case)


def _joint(setting: Setting, values: Values, case: Case) -> Law:
    """Step by step: what is recorded, and how it varies together with the state."""
    D, mean, own = case.D, *start(setting, values)
    at = [s.name for s in setting.state].index(case.shown) * D
    seen: list[Array] = []
    kept: Array = np.zeros((0, 0))
    cross: Array = np.zeros((0, len(mean)))
    steps = 1 if setting.period == 1 else max(case.times)
    maps = [full_step(setting, values, "discrete", clock=k) for k in range(steps)]
    for k in range(max(case.times)):
        one = maps[k % len(maps)]
        mean, own, cross = one.M @ mean, one.M @ own @ one.M.T + one.Q, cross @ one.M.T
        if k + 1 in case.times:
            new = slice(at, at + D)
            seen.append(mean[new] + np.array(case.mode))
            kept = np.block([[kept, cross[:, new]], [cross[:, new].T, own[new, new]]])
            cross = np.vstack([cross, own[new]])
    return Law(np.concatenate(seen), kept, names_of(case))


def names_of(case: Case) -> tuple[str, ...]:
    """The positions of a case in words, in the order in which laws have them."""
    of = "" if case.shown == "theta" else f"{case.shown} "
    return tuple(
        f"{of}{i + 1} after {t} steps" if t > 1 else f"{of}{i + 1} after 1 step"
        for t in case.times
        for i in range(case.D)
    )


def cases(sampler: Any, seed: int = 1, dimensions: tuple[int, ...] = DIMENSIONS) -> tuple[Case, ...]:
    """Random stable problems of a sampler, in one to ten dimensions, the same for the same seed."""
    from verification.checking.nonlinear import check_possible

    setting = Setting(registry.sampler(sampler), registry.model("quadratic"))
    check_possible(setting.sampler)
    source = random.Random(seed)
    return tuple(
        _case(setting, D, f"problem {k + 1}, D = {D}", Turns(source, k))
        for k, D in enumerate(dimensions)
    )


@dataclass(frozen=True)
class Turns:
    """Random choices of the k-th problem: what has few values takes each of them in turn."""

    source: random.Random
    k: int

    def of(self, name: str, values: tuple[int, ...]) -> int:
        """One of few values: another one for the next problem."""
        return values[(self.k + len(name)) % len(values)]

    @property
    def quiet(self) -> bool:
        """Whether gradients have little noise: in every other problem, of small and large dimensions."""
        return (self.k + self.k // 4) % 2 == 1


def _case(setting: Setting, D: int, name: str, turns: Turns) -> Case:
    """Of some problems on which the step contracts, that on which every parameter matters most."""
    from verification.checking.nonlinear import moves_with_the_mode

    source = turns.source
    problem, found = _matrices(setting, D, turns), []
    seed = source.randrange(2**32)
    if not is_affine(setting):
        return _without_law(setting, problem, name, turns, seed)
    anywhere = moves_with_the_mode(setting.sampler)
    for _ in range(_TRIES):
        given = {**scalars(setting, turns), **sized(setting.sampler, problem, _NUMERATORS, source)}
        tried = _stable(setting, problem, given, source)
        if tried is not None:
            mode = _mode(source, D)
            found.append(Case(name, tried, mode if anywhere else (0.0,) * D, seed))
            if len(found) == _CHOICES:
                return max(found, key=lambda case: sensitivity(setting.sampler, case))
    raise _nowhere(setting, D)


def _nowhere(setting: Setting, D: int) -> UnusableInput:
    return UnusableInput(
        f"a sampler that is stable somewhere in {D} dimensions", setting.sampler.name, "check it"
    )


def _mode(source: random.Random, D: int) -> tuple[float, ...]:
    return tuple(round(source.uniform(-2, 2), 3) for _ in range(D))


def _without_law(setting: Setting, problem: Problem, name: str, turns: Turns, seed: int) -> Case:
    """A problem on which our own chains stay; the mode is 0 only where it must be."""
    from verification.checking.nonlinear import moves_with_the_mode, settled

    source, D = turns.source, problem.D
    mode = _mode(source, D) if moves_with_the_mode(setting.sampler) else (0.0,) * D

    def tries() -> Iterator[Case]:
        while True:
            size = 2.0 ** -source.uniform(-1, 4)
            tried = having(problem, scalars(setting, turns, (2, 6, _SMALLEST)))
            first = begin(source, D, size)
            yield Case(name, replace(tried, start={"theta": first}), mode, seed)

    found = settled(setting, tries()) or settled(setting, tries(), leaving=True)
    if found is None:
        raise _nowhere(setting, D)
    return found


def begin(source: random.Random, D: int, size: float) -> tuple[Fraction, ...]:
    """A start so far from the mode, in no direction of the axes."""
    far = [_FAR * size * source.choice((-1, 1)) * (1 + k / 4) for k in range(D)]
    return tuple(Fraction(round(1024 * x), 1024) for x in far)


def _stable(
    setting: Setting, problem: Problem, params: Mapping[str, Any], source: random.Random
) -> Problem | None:
    """The problem with a start some deviations of the noise from its mode, if the step contracts."""
    try:
        problem = having(problem, params)
        values = problem.values(setting.sampler)
        step = full_step(setting, values, "discrete")
    except (UnusableInput, ArithmeticError, ValueError):
        return None
    radius = np.max(np.abs(np.linalg.eigvals(step.M)))
    if setting.period == 1 and not _FASTEST < radius < _SLOWEST:
        return None
    size = math.sqrt(max(float(np.trace(step.Q)), 1e-12) / problem.D)
    return replace(problem, start={"theta": begin(source, problem.D, size)})


def sensitivity(sampler: Any, case: Case) -> float:
    """How much the law changes, at least, when a parameter does: in standard deviations."""
    near = replace(case, times=(1, 2))
    law, found = law_of(sampler, near), []
    for name, value in case.problem.params.items():
        if isinstance(value, Fraction) and name not in _WHOLE:
            try:
                other = law_of(
                    sampler, replace(near, problem=having(case.problem, {name: value * _CHANGED}))
                )
            except UnusableInput:  # out of its range
                continue
            found.append(difference(law, other))
    return min(found, default=0.0)


def difference(law: Law, other: Law) -> float:
    """The largest difference of two laws, in standard deviations and variances of the first."""
    sigma = np.sqrt(np.diag(law.covariance))
    scale = np.where(sigma > 0, sigma, 1e-9)
    means = np.abs(other.mean - law.mean) / scale
    return float(
        max(means.max(), (np.abs(other.covariance - law.covariance) / np.outer(scale, scale)).max())
    )


def _matrices(setting: Setting, D: int, turns: Turns) -> Problem:
    """A curvature, a noise covariance and gains that share no axis, none far from the identity."""
    source, parameters = turns.source, setting.sampler.parameters
    whole = {n: str(turns.of(n, _WHOLE[n])) for n in ("N", "S")}
    matrices = {p.name: gain(p, D, source) for p in parameters if is_matrix(p)}
    return Problem.of(
        {
            "model": "quadratic",
            "hessian": definite(D, source),
            "noise": _noise(setting, definite(D, source), turns),
            **whole,
            "params": matrices,
        }
    )


def _noise(setting: Setting, C: list[list[str]], turns: Turns) -> list[list[str]]:
    """Next to much noise of the gradients no one sees how small injected noise is: here it is alone."""
    if not (turns.quiet and setting.sampler.noises and is_affine(setting)):
        return C
    return [[str(Fraction(x) * _QUIET) for x in row] for row in C]


def scalars(setting: Setting, turns: Turns, smallest: Any = (_SMALLEST,)) -> dict[str, Any]:
    """No parameter is 1, so that no power of one is hidden."""
    found: dict[str, Any] = {}
    source = turns.source
    for parameter in setting.sampler.parameters:
        if parameter.is_integer:
            values = _WHOLE.get(parameter.name, _COUNTS)
            found[parameter.name] = Fraction(turns.of(parameter.name, values))
        elif not is_matrix(parameter):
            small = 2 ** source.randrange(source.choice(smallest))
            found[parameter.name] = Fraction(source.choice(_NUMERATORS), 48 * small)
    return found


def start_of(sampler: Any, case: Case, chains: int, rng: Any) -> Mapping[str, Array]:
    """First states of all chains: the position where the case says, all else as declared."""
    setting = Setting(registry.sampler(sampler, case.problem.params), case.problem.model)
    given = case.problem.values(setting.sampler)
    if not is_affine(setting):
        from verification.checking.reference import first_states

        return first_states(setting, given, case, chains, rng)
    mean, covariance = start(setting, given)
    values, vectors = np.linalg.eigh(covariance)
    drawn = (
        mean + rng.standard_normal((chains, len(mean))) @ (vectors * np.sqrt(np.clip(values, 0, None))).T
    )
    D = case.D
    states = {s.name: drawn[:, k * D : (k + 1) * D] for k, s in enumerate(setting.state)}
    moves = {s.name for s in setting.sampler.positions}
    moving = {n: x + np.array(case.mode) + center(given) for n, x in states.items() if n in moves}
    return {**states, **moving}
