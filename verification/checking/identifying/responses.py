"""How positions answer a move of the start: to rounding, for the noise of two runs cancels.

Chains that draw the same random numbers from two starts differ by what the drift makes of the move, and
by nothing else where a step is affine. So a drift is known to ten digits after twenty steps of four
chains, and its parameters are numbers that a formula meets or does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from sgtheory.errors import NotAffine, UnusableInput
from verification.checking.cases import Case
from verification.checking.child import Job
from verification.checking.faults.variant import Numbers, Variant, abbreviated, first, one_step
from verification.checking.identifying.letters import DIMENSIONS, Letters, moved, tries
from verification.checking.judging import ENDING

Array = Any
REFUSED = (
    UnusableInput, NotAffine, ArithmeticError, ValueError, TypeError, KeyError, AttributeError,
    np.linalg.LinAlgError,
)  # fmt: skip
_TRIES = 24  # problems of one dimension, from which the one that tells most is taken
_AGAIN = 12  # times that tries are gone on with after one that a step refused
_RUNAWAY = 50.0  # times the move of the start
_MIDDLE = 0.5  # what is left of a move after some steps, where it tells most
EXACT = {"float64": 1e-10, "float32": 3e-5}  # of the move
LONGEST = 4  # steps that a position may remember
_SMALL = 0.011
_SEEN, _FLAT, _LEANS = 10.0, 1e-7, 1e-3  # of directions in which values change a response
_MOVED = 1e-3  # of a value, to see what it does
_STARTS, _EVALUATED = 6, 600


@dataclass(frozen=True)
class Response:
    """What a move of the start becomes, after each step, in units of the move; to some accuracy."""

    case: Case
    path: Array  # (steps, D)
    exact: float
    affine: bool  # whether twice the move became twice as much

    def residuals(self, path: Array) -> Array:
        """In units of the accuracy."""
        return ((path - self.path) / self.exact).ravel()


@dataclass(frozen=True)
class Seen:
    """The responses of a step, or why there are none."""

    responses: tuple[Response, ...]
    fault: tuple[str, str] = ("", "")
    letters: Letters | None = None

    @property
    def affine(self) -> bool:
        """Whether all of them are linear in the move."""
        return bool(self.responses) and all(r.affine for r in self.responses)


def look(there: Any, letters: Letters, seed: int, loss: str = "") -> Seen:
    """The responses of a target on problems on which it stays."""
    found: list[Response] = []
    fault = ("", "")
    for k in range(len(DIMENSIONS)):
        best: tuple[float, Case, Any] | None = None
        left = list(tries(letters, k, seed, loss, _TRIES))
        for _ in range(_AGAIN):
            pairs = [c for case in left for c in (case, moved(case, 1))]
            before: tuple[Case, Any] | None = None
            count = 0
            for case, one in there.runs(Job("", None, letters.sampler, tuple(pairs), 4)):
                count += 1
                if one.fault:
                    fault, before = (one.fault, one.words), None
                elif count % 2:
                    before = case, one
                elif before is not None:
                    score = _score(before[0], before[1], one)
                    if np.isfinite(score) and (best is None or score < best[0]):
                        best = score, before[0], before[1]
            left = left[(count + 1) // 2 :]
            if not left or there_is_none(there) or (best is None and fault[0] in ENDING and not found):
                break
        if best is None:
            if not found and k:
                break
            continue
        found.append(_response(there, letters, best[1]))
    return Seen(tuple(found), fault, letters) if found else Seen((), fault, letters)


def there_is_none(there: Any) -> bool:
    """Whether the process of a target has ended."""
    return getattr(there, "lost", None) is not None


def _path(one: Any, other: Any, case: Case) -> tuple[Array, float]:
    """The difference of two runs after each step, in units of the move, and how large positions are."""
    size = float(np.abs(_start(case)).max())
    gap = (other.shown - one.shown).mean(axis=0).reshape(-1, case.D) / size
    return gap, float(np.abs(one.shown).max()) / size


def _start(case: Case) -> Array:
    return np.array([float(x) for x in case.problem.start["theta"]])


def _score(case: Case, one: Any, other: Any) -> float:
    """How far from telling most: where after some steps about half of the move is left."""
    path, _ = _path(one, other, case)
    sizes = np.abs(path).max(axis=1)
    if not np.isfinite(path).all() or sizes.max() > _RUNAWAY or np.abs(np.diff(path, axis=0)).max() == 0:
        return float("inf")
    return float(abs(np.log(max(np.median(sizes), 1e-12) / _MIDDLE)))


def _response(there: Any, letters: Letters, case: Case) -> Response:
    pair = (replace(case, name=f"{case.name} again"), moved(case, 1), moved(case, 2))
    base, one, *rest = (m for _, m in there.runs(Job("", None, letters.sampler, pair, 4)))
    path, size = _path(base, one, case)
    exact = EXACT[base.dtype] * (1 + size)
    affine = False
    if rest and not rest[0].fault:
        twice, _ = _path(base, rest[0], case)
        affine = bool(np.abs(twice - 2 * path).max() < exact * (1 + np.abs(path).max()))
    return Response(case, path, exact * (1 + float(np.abs(path).max())), affine)


def begun(variant: Variant, numbers: Numbers) -> Array:
    """By how much all states of a declaration move where the start does, in units of the move."""
    case = numbers.case
    numbers = abbreviated(variant, numbers)
    start, far = (first(variant, replace(numbers, case=c))[0] for c in (case, moved(case, 1)))
    return (far - start) / np.abs(_start(case)).max()


def path_of(variant: Variant, numbers: Numbers, gap: Array = None) -> Array:
    """The response of a declaration, in units of the move; ``gap`` is what it begins with, if known."""
    case, D = numbers.case, numbers.case.D
    gap = begun(variant, numbers) if gap is None else gap
    numbers = abbreviated(variant, numbers)
    at = [s.name for s in variant.states].index(case.shown) * D
    found, M = [], None
    for k in range(max(case.times)):
        if M is None or variant.sees_the_clock:
            M, _, _ = one_step(variant, numbers, k)
        gap = M @ gap
        found.append(gap[at : at + D])
    return np.array(found)


def memory(path: Array, before: float, exact: float) -> tuple[float, ...]:
    """The shortest recurrence that a path in one dimension meets; empty where none of few steps does.

    >>> [round(x, 9) for x in memory(np.array([[0.5], [0.25], [0.125], [0.0625]]), 1.0, 1e-12)]
    [0.5]
    """
    y = np.concatenate([[before], path[:, 0]])
    for m in range(1, LONGEST + 1):
        rows = np.array([y[k - m : k][::-1] for k in range(m, len(y))])
        if len(rows) < 2 * m:
            break
        found, *_ = np.linalg.lstsq(rows, y[m:], rcond=None)
        if np.abs(rows @ found - y[m:]).max() < 10 * exact:
            return tuple(map(float, found))
    return ()


def steps_of(responses: Sequence[Response]) -> int:
    """How many steps a position remembers, by the problems of one dimension; 0 where there are many."""
    small = [r for r in responses if r.case.D == 1]
    return _most([memory(r.path, sign(r.case), r.exact) for r in small])


def steps_in(variant: Variant, numbers: Sequence[Numbers], free: Sequence[Any]) -> int:
    """The same of a declaration, where its parameters are small numbers that nothing has chosen."""
    chosen = {p.name: _SMALL * (k + 1) for k, p in enumerate(free)}
    found = []
    try:
        for own in (n for n in numbers if n.case.D == 1):
            with np.errstate(all="ignore"):
                path = path_of(variant, own.with_scalars(**chosen))
            found.append(memory(path, sign(own.case), EXACT["float64"] * np.abs(path).max()))
    except REFUSED:
        return 0
    return _most(found)


def _most(found: Sequence[tuple[float, ...]]) -> int:
    return 0 if () in found else max(map(len, found), default=0)


def sign(case: Case) -> float:
    """The move of the start in one dimension, in units of its size."""
    return float(np.sign(_start(case)[0]))


@dataclass(frozen=True)
class Drift:
    """Values of parameters in one problem under which a declaration answers as the target does."""

    values: tuple[float, ...]
    errors: tuple[float, ...]
    hidden: int = 0  # of directions in which values may move without any other response
    begun: tuple[int, ...] = ()  # the numbers of the guesses that led there


def fit(
    variant: Variant,
    numbers: Numbers,
    free: Sequence[Any],
    response: Response,
    guesses: Sequence[float],
    hints: Sequence[tuple[int, ...]] = (),
) -> Drift | None:
    """The values of what is free that meet a response to its accuracy; None where none do.

    ``hints`` say which of the guesses to begin with, as they led to an end in another problem.
    """
    if not free:
        return Drift((), ()) if _met(variant, numbers, response) else None
    names = [p.name for p in free]
    try:
        gap = begun(variant, numbers.with_scalars(**dict.fromkeys(names, 0.5)))
    except REFUSED:
        return None

    def residuals(x: Any) -> Array:
        try:
            with np.errstate(all="ignore"):
                known = numbers.with_scalars(**dict(zip(names, map(float, x), strict=True)))
                found = response.residuals(path_of(variant, known, gap))
        except REFUSED:
            return np.full(response.path.size, 1e6)
        return np.nan_to_num(np.clip(found, -1e12, 1e12), nan=1e12)

    def height(chosen: tuple[int, ...]) -> float:
        return float(np.square(residuals([guesses[k] for k in chosen])).sum())

    every = list(product(range(len(guesses)), repeat=len(names)))
    for some in (hints, every[:: max(len(every) // _EVALUATED, 1)]):
        for _, chosen in sorted((height(c), c) for c in some)[:_STARTS]:
            x = np.array([guesses[k] for k in chosen])
            found = least_squares(
                residuals, x, x_scale=np.maximum(np.abs(x), 1e-6), method="lm",
                max_nfev=60 * (len(x) + 1), xtol=1e-14, ftol=1e-14, gtol=1e-14,
            )  # fmt: skip
            if np.abs(found.fun).max() < 1:
                return Drift(tuple(map(float, found.x)), *_errors(residuals, found.x), chosen)
    return None


def _errors(residuals: Callable[[Any], Array], x: Array) -> tuple[tuple[float, ...], int]:
    """How far values may be off for all that the response says; infinite where it does not say.

    With the number of directions of which it says nothing.
    """
    turned = _slopes(residuals, x)  # in units of the values themselves
    errors = np.full(len(x), np.inf)
    _, sizes, directions = np.linalg.svd(turned, full_matrices=False)
    unseen = sizes < max(_SEEN, _FLAT * sizes.max(initial=0.0))
    known = ~(np.abs(directions[unseen]) > _LEANS).any(axis=0)
    if known.any():
        inside = np.linalg.pinv(turned.T @ turned, rcond=_FLAT**2)
        errors[known] = np.abs(x[known]) * (np.sqrt(np.diag(inside)[known]) + 1e-12)
    return tuple(map(float, errors)), int(unseen.sum())


def _slopes(residuals: Callable[[Any], Array], x: Array) -> Array:
    """How residuals move with the logarithm of each value: so exactly that no direction looks seen.

    >>> found = _slopes(lambda x: np.array([x[0] ** 3 / x[1]]), np.array([2.0, 4.0]))
    >>> bool(np.allclose(found, [[6.0, -2.0]]))
    True
    """

    def apart(k: int, by: float) -> Array:
        one, other = (np.where(np.arange(len(x)) == k, x * (1 + s), x) for s in (by, -by))
        return residuals(one) - residuals(other)

    return np.column_stack(
        [(8 * apart(k, _MOVED) - apart(k, 2 * _MOVED)) / (12 * _MOVED) for k in range(len(x))]
    )


def _met(variant: Variant, numbers: Numbers, response: Response) -> bool:
    try:
        with np.errstate(all="ignore"):
            return bool(np.abs(response.residuals(path_of(variant, numbers))).max() < 1)
    except REFUSED:
        return False


def guesses(numbers: Numbers) -> tuple[float, ...]:
    """Where to look first: the step's own numbers, and what libraries make of them, in one order."""
    own = [x for n, x in sorted(numbers.scalars.items()) if n not in ("D", "N", "S", "f")]
    made = [y for x in own for y in (x, abs(1 - x), x / 2, 2 * x, x * x, x**0.5)]
    return (*made, 0.01, 0.1, 0.5, 1.0)
