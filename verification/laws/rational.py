"""The exact law of a rational problem, by running the declared updates and eliminating.

The second route to every verdict: it shares the declaration with the symbolic one and nothing
else. Fractions, or dual numbers over them where a derivative is wanted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from sgtheory.declare import MatrixName, Root
from sgtheory.independent.fields import (
    SURDS,
    Dual,
    Itself,
    Rows,
    dual,
    multiply,
    transpose,
)
from sgtheory.independent.running import Point, linear_map
from sgtheory.reader import exact
from sgtheory.setting import Setting
from verification.laws.elimination import solve_stationary
from verification.refuter.follow import following
from verification.refuter.kinds import triangular_root
from verification.refuter.places import Place, Space
from verification.terms.arithmetics import RATIONAL
from verification.terms.from_sympy import from_sympy
from verification.terms.walking import walk as evaluated


def point_of(setting: Setting, problem: Place, along: Mapping[str, Any] | None = None) -> Point:
    """The problem as a point of exact arithmetic.

    ``along`` asks for a derivative: it maps "eps" to a slope, or "H" to a matrix of slopes.
    """
    along = along or {}
    lift: Any = dual if along else Fraction
    one = exact.identity(problem.D)

    def scalar(symbol: Any) -> Any:
        if symbol in short and symbol.name not in problem.scalars:
            raise TypeError(f"{symbol} has no value here")
        value = problem.scalars.get(symbol.name, Fraction(1))
        slope = Fraction(along.get(symbol.name, 0))
        root = _root(value)
        if root is None and not along and value > 0:
            return SURDS.root(value)
        if root is None:
            return Itself(Dual(value, slope) if along else value)
        return Dual(root, slope / (2 * root)) if along else root

    def matrix(m: exact.Matrix, name: str) -> Rows:
        slope = along.get(name)
        return [
            [Dual(x, Fraction(slope[i][j])) if slope else lift(x) for j, x in enumerate(row)]
            for i, row in enumerate(m)
        ]

    short = {letter for letter, _ in setting.sampler.where}
    symbols = {s for _, e in setting.updates for s in e.free_symbols}
    symbols |= {s for _, e in setting.sampler.where for s in e.free_symbols}
    roots = {s: scalar(s) for s in symbols if not isinstance(s, MatrixName)}
    matrices = {"H": one, **problem.matrices}
    if "H" not in problem.matrices:
        matrices["Root(H)"] = one
    elif takes_root_of_gain(setting):
        root = triangular_root(problem.matrices["H"])
        if root is None or along:
            raise TypeError("this gain has no rational root")
        matrices["Root(H)"] = root  # any factor will do: only its square reaches a covariance
    return Point(
        field=SURDS if not along else dual,
        roots=roots,
        eigenvalues=(),
        matrices={name: matrix(m, name) for name, m in matrices.items()},
        G=matrix(one, ""),
    )


def takes_root_of_gain(setting: Setting) -> bool:
    """Whether the updates have H^(1/2) in them."""
    return any(e.has(Root) for _, e in setting.updates)


def _root(value: Fraction) -> Fraction | None:
    """The exact square root, or None."""
    if value < 0:
        return None
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    root = Fraction(top, bottom)
    return root if root * root == value else None


def rooted(value: Fraction) -> Any:
    """The square root where it is rational, else what stands for it in even powers."""
    root = _root(value)
    return Itself(value) if root is None else root


def stationary_moments(
    setting: Setting,
    problem: Place,
    time: str,
    along: Mapping[str, Any] | None = None,
    stable: bool = True,
) -> dict[str, Rows] | None:
    """All stationary second moments, E[a b^T] under the key ``"a,b"``; None where unstable.

    Their equations may be solved where there is no law, too.
    """
    if along is None and stable:
        return _moments(setting, problem, time)
    return _solved(setting, problem, time, along, stable)


@lru_cache(maxsize=20_000)  # a claim and all its twins are looked at in the same small places
def _moments(setting: Setting, problem: Place, time: str) -> dict[str, Rows] | None:
    return _solved(setting, problem, time, None, True)


def _solved(
    setting: Setting, problem: Place, time: str, along: Mapping[str, Any] | None, stable: bool
) -> dict[str, Rows] | None:
    step, noise = linear_map(setting, time, point_of(setting, problem, along))
    if stable and not _stable(step, time, bool(along)):
        return None
    P = solve_stationary(step, multiply(noise, transpose(noise)), time)
    names = [s.name for s in setting.state]
    d = len(step) // len(names)
    return {
        f"{a},{b}": [row[j * d : (j + 1) * d] for row in P[i * d : (i + 1) * d]]
        for i, a in enumerate(names)
        for j, b in enumerate(names)
    }


def is_stable(setting: Setting, problem: Place, time: str) -> bool:
    """Whether a law exists at an exact problem."""
    return _stable(linear_map(setting, time, point_of(setting, problem))[0], time, False)


def _stable(step: Rows, time: str, duals: bool) -> bool:
    from sgtheory.independent.roots import characteristic, hurwitz_stable, schur_stable

    plain = [[x.value for x in row] for row in step] if duals else step
    polynomial = characteristic(plain)
    return schur_stable(polynomial) if time == "discrete" else hurwitz_stable(polynomial)


@dataclass(frozen=True)
class LawNumbers:
    """The law of an exact problem: one step, its noise, all second moments."""

    step: Rows
    noise: Rows
    moments: Rows


def law_numbers(setting: Setting, problem: Place, time: str) -> LawNumbers:
    """The matrices of one step and of its noise, and the moments that they leave as they are."""
    step, noise = linear_map(setting, time, point_of(setting, problem))
    moments = stationary_moments(setting, problem, time)
    assert moments is not None
    names, d = [s.name for s in setting.state], problem.D
    stacked = [[x for b in names for x in moments[f"{a},{b}"][i]] for a in names for i in range(d)]
    return LawNumbers(step, multiply(noise, transpose(noise)), stacked)


def value_at(expr: Any, place: Place, **more: Any) -> Any:
    """A formula of matrices and numbers at an exact place, by FLINT, and of what more is given."""
    term = from_sympy(expr)
    known = {**place.scalars, "D": Fraction(place.D), **plain_matrices(place.matrices, place.D), **more}
    return evaluated(term, RATIONAL, {a.name: RATIONAL.number(known[a.name]) for a in term.letters})


def fractions(x: Any) -> Any:
    """FLINT's number as a fraction, or its matrix as rows of them."""
    if hasattr(x, "nrows"):
        return tuple(tuple(fractions(entry) for entry in row) for row in x.table())
    return Fraction(int(x.p), int(x.q))


def plain_matrices(given: Mapping[str, Any], size: int, field: Any = Fraction) -> dict[str, Rows]:
    """The given letters, the identity for a gain that is not, and the products B B^T and E E^T."""
    one = [[field(int(i == j)) for j in range(size)] for i in range(size)]
    found = {"I": one, "H": one, **{n: [list(row) for row in m] for n, m in given.items()}}
    for name, product in (("B", "C"), ("E", "EE^T")):
        if name in found:
            found[product] = multiply(found[name], transpose(found[name]))
    return found


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
        p.name: shares.get(p.name, _kind_under_roots(p.name, rooted, doubled))
        for p in parameters
        if not isinstance(p, MatrixName)
    }
    matrices = {"A": "positive definite", "B": "any"}
    if gain:
        matrices["H"] = "squared" if takes_root_of_gain(setting) else "positive definite"
    if any(p.name == "E" and isinstance(p, MatrixName) for p in parameters):
        matrices["E"] = "any"
    sized, follows = {**scalars, "N": "square count", "S": "square count"}, following(setting)
    made = follows.names if follows is not None else frozenset()
    return Space(matrices, {n: k for n, k in sized.items() if n not in made}, follows=follows)


def _kind_under_roots(name: str, rooted: set[str], doubled: set[str]) -> str:
    return "half square" if name in doubled else "square" if name in rooted else "positive"


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
