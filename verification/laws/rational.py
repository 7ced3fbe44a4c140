"""The exact law of a rational problem, by running the declared updates and eliminating.

The second route to every verdict: it shares the declaration with the symbolic one and nothing
else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.declare import Apply, DiagonalName, MatrixName, Noise, Root, Sampler
from sgtheory.independent.fields import (
    SURDS,
    Itself,
    NotReal,
    Rows,
    add,
    multiply,
    square_root,
    transpose,
)
from sgtheory.independent.running import Point, linear_map, state_map
from sgtheory.reader import exact
from sgtheory.setting import Setting
from verification.laws.elimination import solve_stationary
from verification.refuter.follow import following
from verification.refuter.places import Place, Space
from verification.terms.arithmetics.rational import exactly, fractions
from verification.terms.from_sympy import from_sympy


@cache
def own_matrices(sampler: Sampler) -> tuple[Any, ...]:
    """The matrices of a sampler of the user's own beside A: pairs of modes do not know them.

    >>> own_matrices(registry.sampler("sgd"))
    ()
    """
    if sampler.name in registry.names("samplers") or registry.family(sampler.name):
        return ()
    found = (p for p in sampler.parameters if isinstance(p, MatrixName) and p.name != "A")
    return tuple(sorted(found, key=str))


def point_of(setting: Setting, problem: Place) -> Point:
    """The problem as a point of exact arithmetic."""
    one = exact.identity(problem.D)

    def root(symbol: Any) -> Any:
        if symbol in short and symbol.name not in problem.scalars:
            raise TypeError(f"{symbol} has no value here")
        value = problem.scalars.get(symbol.name, Fraction(1))
        return SURDS.root(SURDS(value)) if value >= 0 else Itself(SURDS(value))

    short = {letter for letter, _ in setting.sampler.where}
    roots = {s: root(s) for s in _numbers_of(setting)}
    matrices = {"H": one, "B": one, **problem.matrices}  # without B, C is a letter of its own
    rows = {name: [list(map(SURDS, row)) for row in m] for name, m in matrices.items()}
    for n in (n for n in _roots_of(setting) if n in matrices):
        if problem.D > 1 and not _stands_before_a_noise_alone(setting, n):
            raise TypeError(f"the root of {n} need not be rational")
        rows[f"Root({n})"] = _factor(matrices[n])
    if "C" not in rows and {"B", "C"} & {*problem.matrices}:  # of which a step may be made
        rows["C"] = [list(map(SURDS, row)) for row in problem.C]
    return Point(SURDS, roots, (), rows, [list(map(SURDS, row)) for row in one])


@cache
def _numbers_of(setting: Setting) -> frozenset[Any]:
    """The letters for numbers that stand in the updates, and in what letters of them stand for."""
    exprs = (e for _, e in (*setting.updates, *setting.sampler.where))
    return frozenset(s for e in exprs for s in e.free_symbols if not isinstance(s, MatrixName))


@cache
def _roots_of(setting: Setting) -> frozenset[str]:
    """The matrices of which the updates have roots, by name."""
    return frozenset(r.args[0].name for _, e in setting.updates for r in e.atoms(Root))


@cache
def takes_root_of_gain(setting: Setting) -> bool:
    """Whether the updates have H^(1/2) in them."""
    return any(str(r.args[0]) == "H" for _, e in setting.updates for r in e.atoms(Root))


@cache
def _stands_before_a_noise_alone(setting: Setting, name: str) -> bool:
    """Whether a root is seen in covariances only: any factor has the same there."""
    noises = set[Any]()
    for _, e in setting.updates:
        for one in (a for a in e.atoms(Apply) if isinstance(a.args[0], Root)):
            if one.args[0].args[0].name == name:
                noises.add(one.args[1])
    hidden = {e.replace(Apply, _without_roots_of(name)) for _, e in setting.updates}
    return all(isinstance(w, Noise) for w in noises) and not any(e.has(*noises) for e in hidden)


def _without_roots_of(name: str) -> Any:
    def bare(matrix: Any, x: Any) -> Any:
        is_root = isinstance(matrix, Root) and matrix.args[0].name == name
        return sp.Integer(0) if is_root else Apply(matrix, x)

    return bare


def _factor(m: Any) -> Rows:
    """L D^(1/2) of a matrix L D L^T: as any factor, it has the covariance of the symmetric root.

    >>> two = Fraction(2)
    >>> [[x * x for x in row] for row in _factor(((two, two), (two, 2 * two)))]
    [[2, 0], [2, 2]]
    """
    size = len(m)
    rest, columns = [list(map(SURDS, row)) for row in m], []
    for k in range(size):
        pivot = rest[k][k]
        column = [rest[i][k] / pivot if pivot != 0 else SURDS(Fraction(0)) for i in range(size)]
        if pivot < 0 or (pivot == 0 and any(rest[i][k] != 0 for i in range(size))):
            raise NotReal("a matrix with a negative eigenvalue has no real root")
        scale = SURDS.root(pivot)
        columns.append([scale * x for x in column])
        rest = [[rest[i][j] - pivot * column[i] * column[j] for j in range(size)] for i in range(size)]
    return transpose(columns)


def rooted(value: Fraction) -> Any:
    """The square root where it is rational, else what stands for it in even powers."""
    try:
        return square_root(value, Fraction)
    except TypeError:
        return Itself(value)


@dataclass(frozen=True)
class LawNumbers:
    """A law in numbers: one step of all states, the covariance of its noise, and that of the states."""

    states: tuple[str, ...]
    time: str
    step: Rows
    noise: Rows
    moments: Rows

    @property
    def here(self) -> slice:
        """Which rows are the position's."""
        return self._rows(self.states.index("theta"))

    @property
    def sigma(self) -> Rows:
        """The covariance of the position."""
        return [row[self.here] for row in self.moments[self.here]]

    def named(self, ending: str = "") -> dict[str, Rows]:
        """Second moments under the names that claims use."""
        pairs = product(enumerate(self.states), repeat=2)
        blocks = {
            f"P_{a}_{b}{ending}": [row[self._rows(j)] for row in self.moments[self._rows(i)]]
            for (i, a), (j, b) in pairs
        }
        return {**blocks, f"Sigma{ending}": self.sigma}

    def _rows(self, k: int) -> slice:
        d = len(self.step) // len(self.states)
        return slice(k * d, (k + 1) * d)


@lru_cache(maxsize=20_000)  # a claim and all its twins are looked at in the same small places
def law_numbers(setting: Setting, place: Place, time: str, stable: bool = True) -> LawNumbers | None:
    """The law at an exact place; None where it is unstable, or where the step is not real.

    The equations of its moments may be solved where there is no law, too.
    """
    try:
        step, noise = step_and_noise(setting, place, time)
    except NotReal:
        return None
    if stable and not _stable(step, time):
        return None
    states = tuple(s.name for s in setting.state)
    return LawNumbers(states, time, step, noise, solve_stationary(step, noise, time))


def slope_of_sigma(
    law: LawNumbers, setting: Setting, along: Callable[[Fraction], Place], h: Fraction
) -> Rows:
    """The derivative of the position's covariance along a line of places, at its start, the law's place.

    Differences to places at h and 2 h give it exactly: a step and its noise are polynomials along the
    line, of degree four at most.
    """
    near = [step_and_noise(setting, along(k * h), law.time) for k in (1, -1, 2, -2)]

    def slope(parts: list[Rows]) -> Rows:
        entries = (zip(*rows, strict=True) for rows in zip(*parts, strict=True))
        return [[(8 * (a - b) - (c - d)) / (12 * h) for a, b, c, d in row] for row in entries]

    M, Q = (slope([one[k] for one in near]) for k in (0, 1))
    moved = multiply(M, law.moments)
    moved = moved if law.time == "continuous" else multiply(moved, transpose(law.step))
    rest = add(Q, add(moved, transpose(moved)))
    return replace(law, moments=solve_stationary(law.step, rest, law.time)).sigma


def step_and_noise(setting: Setting, place: Place, time: str) -> tuple[Rows, Rows]:
    """What a step multiplies the states by, and the covariance of its noise."""
    step, factor = linear_map(setting, time, point_of(setting, place))
    drawn = factor if "B" in place.matrices else multiply(factor, _covariance_drawn(setting, place))
    return plainly(step), plainly(multiply(drawn, transpose(factor)))


def _covariance_drawn(setting: Setting, place: Place) -> Rows:
    """Of all noises of a step: C of each that minibatches make, the identity of the others."""
    one, d = exact.identity(place.D), place.D
    blocks = [place.C] * len(setting.gradient_noises) + [one] * len(setting.injected_noises)
    size = range(d * len(blocks))
    return [[SURDS(blocks[i // d][i % d][j % d] if i // d == j // d else 0) for j in size] for i in size]


def step_of(setting: Setting, place: Place, time: str) -> Rows:
    """What one step multiplies the states by at an exact place, or their rate of change."""
    return plainly(state_map(setting, time, point_of(setting, place)))


def is_stable(setting: Setting, place: Place, time: str) -> bool:
    """Whether a law exists at an exact place."""
    return _stable(step_of(setting, place, time), time)


def _stable(step: Rows, time: str) -> bool:
    from sgtheory.independent.roots import characteristic, hurwitz_stable, schur_stable

    polynomial = characteristic(step)
    return schur_stable(polynomial) if time == "discrete" else hurwitz_stable(polynomial)


def value_at(expr: Any, place: Place, **more: Any) -> Any:
    """A formula of matrices and numbers at an exact place, and of what more is given."""
    known = {**place.scalars, "D": Fraction(place.D), **plain_matrices(place.matrices, place.D), **more}
    return exactly(from_sympy(expr), known)


def plainly(rows: Rows) -> Rows:
    """Rows of FLINT's numbers as fractions."""
    return [list(map(fractions, row)) for row in rows]


def plain_matrices(given: Mapping[str, Any], size: int) -> dict[str, Rows]:
    """The given letters, the identity for a gain that is not, and the products B B^T and E E^T."""
    one = [[Fraction(i == j) for j in range(size)] for i in range(size)]
    found = {"I": one, "H": one, **{n: [list(row) for row in m] for n, m in given.items()}}
    for name, square in (("B", "C"), ("E", "EE^T")):
        if name in found:
            found[square] = multiply(found[name], transpose(found[name]))
    return found


@cache
def problem_space(setting: Setting, gain: bool = False) -> Space:
    """The problems on which a sampler's claims are looked at; squares stand under roots."""
    parameters = setting.sampler.parameters
    rooted = {
        p.base.name
        for _, e in setting.updates
        for p in e.atoms(sp.Pow)
        if p.base.is_Symbol and not p.exp.is_Integer
    }
    doubled = {n for n in rooted if any(_has_root_of_twice(e, n) for _, e in setting.updates)}
    shares = _kinds_of_shares(setting)
    scalars = {
        p.name: shares.get(p.name, _kind_of_number(p, rooted, doubled))
        for p in parameters
        if not isinstance(p, MatrixName)
    }
    matrices = {"A": "positive definite", "B": "any"}
    if gain:
        matrices["H"] = "squared" if takes_root_of_gain(setting) else "positive definite"
    if any(p.name == "E" and isinstance(p, MatrixName) for p in parameters):
        matrices["E"] = "any"
    matrices |= {p.name: _kind_of_matrix(p) for p in own_matrices(setting.sampler) if p.name != "C"}
    sized, follows = {**scalars, "N": "square count", "S": "square count"}, following(setting)
    made = follows.names if follows is not None else frozenset()
    return Space(matrices, {n: k for n, k in sized.items() if n not in made}, follows=follows)


def _kind_of_matrix(p: Any) -> str:
    return "diagonal" if isinstance(p, DiagonalName) else "positive definite" if p.is_positive else "any"


def _kind_of_number(p: Any, rooted: set[str], doubled: set[str]) -> str:
    if p.is_nonnegative and p.name in rooted:
        return "half square" if p.name in doubled else "square"
    return "positive" if p.is_positive else "nonnegative" if p.is_nonnegative else "real"


def _kinds_of_shares(setting: Setting) -> dict[str, str]:
    """Letters x of whose 1 - x, or 1 - x^2, the updates take a root: drawn where that is rational."""
    found = {}
    for _, e in setting.updates:
        for p in e.atoms(sp.Pow):
            letters = p.base.free_symbols
            if p.exp.is_Rational and p.exp.q == 2 and len(letters) == 1:
                (x,) = letters
                if sp.expand(p.base - (1 - x)) == 0:
                    found[x.name] = "cosquare"
                elif sp.expand(p.base - (1 - x**2)) == 0:
                    found[x.name] = "cosine"
    return found


def _has_root_of_twice(expr: Any, name: str) -> bool:
    """Whether sqrt(2 x) is in an update: then 2 x has to be a square."""
    return any(
        sp.sqrt(2) in m.args and any(a.is_Pow and str(a.base) == name and a.exp.q == 2 for a in m.args)
        for m in expr.atoms(sp.Mul)
    )
