"""Strategies for whole problems: every parameter that a sampler declares, within what it admits."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp
from hypothesis import strategies as st

from sgtheory import registry
from sgtheory.declare import DiagonalName, MatrixName
from sgtheory.errors import UnusableInput
from sgtheory.problem import Problem
from sgtheory.reader import reading
from verification.refuter.places import Place
from verification.strategies import exact, steps

_PAIRS = ("any", "commuting", "noncommuting")
_SQUARES = (1, 4, 9, 16)  # sizes whose roots are exact


@st.composite
def problems(
    draw: Any,
    sampler: Any = "sgd",
    *,
    dims: tuple[int, int] = (1, 4),
    pair: str = "any",
    condition: exact.Number | None = None,
    rank: int | None = None,
    gain: bool = True,
    radius: Fraction | float | None = None,
    most: int = 50,
) -> Problem:
    """Quadratic problems on which a sampler is stable, with every parameter that it needs.

    ``pair`` asks that A and C commute or do not; ``rank`` is that of C; ``radius`` asks for nearly
    unstable steps, of a spectral radius from there to 1; ``most`` bounds N. Without ``gain`` an
    optional H stays the identity. Shrinks to the smallest dimension, A = C = I and N = S = 1.

    >>> from verification.strategies import minimal
    >>> found = minimal(problems("momentum", radius=0.9), lambda problem: problem.sizes["S"] > 1)
    >>> found.to_json()["hessian"], found.to_json()["params"]["mu"]
    ([[1]], 1)
    """
    declared = registry.sampler(sampler)
    # What does not depend on the dimension comes first: shrinking the dimension then leaves it alone.
    N = draw(st.integers(1, most))
    S = draw(exact.batch_sizes(N))
    if declared.batches == "reshuffled":
        N = S * max(N // S, 1)
    params = draw(_scalars(declared))
    place = draw(steps.SHARES if radius is None else steps.HALVINGS)
    d = draw(st.integers(max(dims[0], 2 if pair == "noncommuting" else 1), dims[1]))
    A, C = draw(_curvature_and_noise(d, pair, condition, rank))
    params |= draw(_matrices(declared, d, gain, all(C[k][k] for k in range(d))))
    content: dict[str, Any] = {"hessian": _plain(A), "noise": _plain(C), "N": N, "S": S}
    problem = Problem.of({**content, "params": params, "start": draw(_start(d))})
    if radius is None:
        step = steps.stable_step(sampler, problem, place)
    else:
        step = steps.nearly_unstable_step(sampler, problem, radius, place)
    return problem.with_params(**{steps.step_name(declared): step})


def _curvature_and_noise(
    d: int, pair: str, condition: exact.Number | None, rank: int | None
) -> st.SearchStrategy[tuple[Any, Any]]:
    if pair not in _PAIRS:
        raise UnusableInput(f"one of {', '.join(_PAIRS)}", repr(pair), "choose one")
    if pair == "any":
        return st.tuples(exact.spd(d, condition), exact.noises(d, rank))
    if rank is not None:
        raise UnusableInput("a rank, or a pair that commutes or does not", "both", "leave one out")
    return {"commuting": exact.commuting_pairs, "noncommuting": exact.noncommuting_pairs}[pair](
        d, condition
    )


def _plain(m: Any) -> Any:
    return [[reading.plain(x) for x in row] for row in m]


def _start(d: int) -> st.SearchStrategy[dict[str, list[int]]]:
    entries = st.lists(st.integers(-3, 3), min_size=d, max_size=d)
    return entries.map(lambda theta: {"theta": theta} if any(theta) else {})


@st.composite
def _scalars(draw: Any, sampler: Any) -> dict[str, Any]:
    """All numbers but the step. A parameter below another, as beta <= alpha, is a share of it."""
    found: dict[str, Any] = {}
    below = {c.lhs: c.rhs for c in sampler.given if isinstance(c, sp.LessThan)}
    step = steps.step_name(sampler)
    numbers = [p for p in sampler.parameters if not isinstance(p, MatrixName) and p.name != step]
    for parameter in _in_order(numbers, below):
        name = parameter.name
        if parameter.is_integer:
            # from 2: a velocity that is refreshed at every step meets no gradient
            found[name] = draw(st.integers(2, 5))
        elif parameter in below:
            bound = sp.sympify(below[parameter])
            known = {s: sp.Rational(str(found[s.name])) for s in bound.free_symbols}
            most = Fraction(str(bound.subs(known)))
            found[name] = reading.plain(most * draw(_shares(positive=bool(parameter.is_positive))))
        else:
            found[name] = reading.plain(draw(_positive()))
    return found


@st.composite
def _matrices(draw: Any, sampler: Any, d: int, gain: bool, noisy: bool) -> dict[str, Any]:
    """Gains and factors of injected noise; ``noisy`` where every coordinate has gradient noise."""
    found: dict[str, Any] = {}
    for parameter in sampler.parameters:
        if isinstance(parameter, MatrixName):
            default = sampler.default(parameter)
            if isinstance(parameter, DiagonalName) and not noisy:
                default = None  # a rule may divide by the noise
            matrix = draw(_matrix(parameter, default, d, gain))
            if matrix is not None:
                found[parameter.name] = matrix
    return found


def _in_order(parameters: Any, below: Mapping[Any, Any]) -> list[Any]:
    """Each parameter after those that bound it."""
    ordered: list[Any] = []
    waiting = list(parameters)
    while waiting:
        free = [p for p in waiting if not sp.sympify(below.get(p, 0)).free_symbols & set(waiting)]
        ordered += free
        waiting = [p for p in waiting if p not in free]
    return ordered


def _shares(positive: bool) -> st.SearchStrategy[Fraction]:
    return exact.rationals(8, Fraction(1, 8) if positive else 0, 1)


def _positive() -> st.SearchStrategy[Fraction]:
    return exact.rationals(4, Fraction(1, 4))


def _matrix(parameter: Any, default: Any, d: int, gain: bool) -> st.SearchStrategy[Any]:
    if default is not None and (default != "identity" or not gain):
        return st.none()  # what the sampler itself would choose
    if isinstance(parameter, DiagonalName):
        return exact.gains(d, diagonal=True).map(_plain)
    if parameter.is_positive:
        chosen = exact.gains(d).map(_plain)
        return st.none() | chosen if default is not None else chosen
    row = st.lists(st.integers(-2, 2), min_size=d, max_size=d)
    return st.lists(row, min_size=d, max_size=d).map(_about_identity)


def _about_identity(rows: list[list[int]]) -> list[list[int]]:
    return [[x + (i == j) for j, x in enumerate(row)] for i, row in enumerate(rows)]


@st.composite
def regressions(
    draw: Any,
    sampler: Any = "sgd",
    *,
    dims: tuple[int, int] = (1, 3),
    examples: tuple[int, int] = (2, 6),
    replacement: bool | None = None,
) -> Problem:
    """Linear regression on small whole numbers, its minibatches real, with a stable step.

    Stable here means that second moments settle, which is a stronger thing than that means do. The
    data shrink to a column of ones and a response that is 1 in the last example.

    >>> from verification.strategies import minimal
    >>> found = minimal(regressions("sgd"), lambda problem: True).to_json()
    >>> found["X"], found["y"], found["ridge"], found["S"]
    ([[1], [1]], [0, 1], 1, 1)
    """
    declared = registry.sampler(sampler)
    n = draw(st.integers(*examples))
    S = draw(exact.batch_sizes(n))
    if declared.batches == "reshuffled":
        S = max(k for k in range(1, S + 1) if n % k == 0)
    content = {
        "model": "linear_regression", "S": S,
        "ridge": reading.plain(draw(_positive())),
        "sigma2": reading.plain(draw(_positive())),
        "replacement": not draw(st.booleans()) if replacement is None else replacement,
    }  # fmt: skip
    params, share = draw(_scalars(declared)), draw(steps.SHARES)
    y = [draw(st.integers(-2, 2)) + (k == n - 1) for k in range(n)]
    d = draw(st.integers(*dims))
    row = st.lists(st.integers(-2, 2), min_size=d, max_size=d)
    X = [[x + (j == 0) for j, x in enumerate(draw(row))] for _ in range(n)]
    params |= draw(_matrices(declared, d, gain=True, noisy=False))
    problem = Problem.of({**content, "X": X, "y": y, "params": params, "start": draw(_start(d))})
    return problem.with_params(**{steps.step_name(declared): steps.stable_step(sampler, problem, share)})


@st.composite
def rational_problems(
    draw: Any, sampler: Any = "sgd", *, dims: tuple[int, int] = (1, 2), gain: bool = False
) -> Place:
    """Problems for exact elimination (``verification.laws.rational``): C by a factor, N and S squares.

    The step is a square too, so that the roots which sgd, momentum, nesterov and sgld take are exact.
    """
    declared = registry.sampler(sampler)
    N = draw(st.sampled_from(_SQUARES))
    S = draw(st.sampled_from([s for s in _SQUARES if s <= N]))
    params = draw(_scalars(declared))
    d = draw(st.integers(*dims))
    A, columns = draw(exact.spd(d)), draw(exact.factors(d))
    B = tuple(tuple(Fraction(v[i]) for v in columns) for i in range(d))
    matrices = draw(_matrices(declared, d, gain, noisy=False))
    shown = {"hessian": _plain(A), "noise": _plain(A), "N": N, "S": S}
    top = steps.limit(sampler, Problem.of({**shown, "params": {**params, **matrices}}))
    root = steps.simplest(*(Fraction((top * share) ** 0.5) for share in (0.1, 0.6)))
    scalars = {k: Fraction(v) for k, v in params.items()}
    scalars |= {"N": Fraction(N), "S": Fraction(S), steps.step_name(declared): root**2}
    H = matrices.get("H")
    place = Place({"A": A, "B": B}, scalars)
    return place if H is None else place.but(H=tuple(tuple(Fraction(x) for x in row) for row in H))
