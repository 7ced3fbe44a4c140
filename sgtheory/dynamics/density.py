"""Densities of diffusions: examined, found from a process, and with coordinates integrated out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.dynamics.coefficients import Relation, coefficients, relations
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.errors import UnusableInput
from sgtheory.polynomials import is_zero


@dataclass(frozen=True)
class Examined:
    """What the Fokker-Planck operator leaves of a density, relative to it.

    ``ways`` are relations of the parameters under any of which nothing is left.
    """

    remainder: Any
    ways: tuple[tuple[Relation, ...], ...]

    @property
    def invariant(self) -> bool:
        """Whether nothing is left."""
        return bool(self.remainder == 0)


def examine(process: Diffusion, log_density: Any) -> Examined:
    """Whether a process leaves a density as it is, and if not, what it makes of it.

    >>> x = sp.Symbol("x", real=True)
    >>> U, G = (sp.Function(n)(x) for n in "UG")
    >>> examine(Diffusion((x,), (-G * U.diff(x) + G.diff(x),), ((sp.sqrt(2 * G),),)), -U).invariant
    True
    >>> examine(Diffusion((x,), (-G * U.diff(x),), ((sp.sqrt(2 * G),),)), -U).remainder
    -Derivative(G(x), x)*Derivative(U(x), x) + Derivative(G(x), (x, 2))
    """
    rest = process.residual(log_density)
    equations = coefficients(rest, process.state)
    left = [e for e in equations if not is_zero(e)]
    if not left:
        return Examined(sp.Integer(0), ())
    return Examined(sp.expand(sp.cancel(sp.together(rest))), relations(left))


def stationary_density(process: Diffusion) -> Any:
    """The log density that a process in one dimension leaves invariant, where it can be written.

    Without its divergence term a preconditioned diffusion has p/G, not p:

    >>> x = sp.Symbol("x", real=True)
    >>> U, G = (sp.Function(n)(x) for n in "UG")
    >>> stationary_density(Diffusion((x,), (-G * U.diff(x),), ((sp.sqrt(2 * G),),)))
    -U(x) - log(G(x))
    """
    if process.dimension != 1:
        return None
    (x,), (b,), ((a,),) = process.state, process.ito_drift, process.covariance
    if a == 0:
        return None
    integral = sp.integrate(sp.expand(sp.cancel(2 * b / a)), x)
    if integral.has(sp.Integral):
        return None
    found = sp.expand(integral - sp.expand_log(sp.log(a), force=True))
    return sp.Add(*(t for t in sp.Add.make_args(found) if t.has(x)))


def separable_density(process: Diffusion, potential: Any) -> Any:
    """The log density -b U - sum k_s (s - c_s)^2/2 that a process keeps, or None where none does.

    U depends on the first state; b, k and c are found.

    >>> x, u, z = sp.symbols("x u z", real=True)
    >>> beta, A = sp.symbols("beta A", positive=True)
    >>> U = sp.Function("U")(x)
    >>> noise = ((0,), (sp.sqrt(2 * A),), (0,))
    >>> thermostat = Diffusion((x, u, z), (u, -U.diff(x) - z * u, u**2 - 1 / beta), noise)
    >>> separable_density(thermostat, U)
    -beta*u**2/2 - beta*(-A*beta + z)**2/2 - beta*U(x)
    """
    others = process.state[1:]
    b, *ks = (sp.Symbol(f"_k{i}", positive=True) for i in range(len(process.state)))
    cs = [sp.Symbol(f"_c{i}", real=True) for i in range(len(others))]
    squares = (k * (s - c) ** 2 / 2 for k, s, c in zip(ks, others, cs, strict=True))
    form = -b * potential - sp.Add(*squares)
    equations = coefficients(process.residual(form), process.state)
    for found in sp.solve(equations, (b, *ks, *cs), dict=True) if equations else [{}]:
        put = form.subs(found)
        left = {b, *ks, *cs} & put.free_symbols
        scales = [sp.sympify(found.get(k, k)) for k in (b, *ks)]
        if not left and all(e.is_positive for e in scales) and examine(process, put).invariant:
            return put
    return None


@dataclass(frozen=True)
class Turning:
    """Why no reversible density exists: d_j u_i - d_i u_j is not zero for what would be its score u."""

    places: tuple[Any, Any]
    curl: Any


def reversible_density(process: Diffusion) -> Any | Turning:
    """The log density whose current vanishes, in any dimension, or the curl that forbids one.

    >>> x, y = sp.symbols("x y", real=True)
    >>> p = sp.Function("p")(x, y)
    >>> def preconditioned(g, h):
    ...     drift = (g * sp.log(p).diff(x), h * sp.log(p).diff(y))
    ...     return Diffusion((x, y), drift, ((sp.sqrt(2 * g), 0), (0, sp.sqrt(2 * h))))
    >>> g, h, both = sp.Function("g")(x), sp.Function("h")(y), sp.Function("g")(x, y)
    >>> reversible_density(preconditioned(g, h))
    -log(g(x)) - log(h(y)) + log(p(x, y))
    >>> reversible_density(preconditioned(both, both))
    -log(g(x, y)) + log(p(x, y))
    >>> reversible_density(preconditioned(both, h)).places
    (x, y)
    """
    a = sp.Matrix(process.covariance) / 2
    if sp.simplify(a.det()) == 0:
        raise UnusableInput(
            "noise in every direction", "a singular covariance", "ask recipe() for a density instead"
        )
    flow = sp.Matrix([b - g for b, g in zip(process.ito_drift, process.divergence, strict=True)])
    slope = [sp.expand(sp.cancel(sp.together(u))) for u in a.LUsolve(flow)]
    state = process.state
    for i, y in enumerate(state):
        for j, z in enumerate(state[:i]):
            curl = sp.cancel(sp.together(sp.diff(slope[j], y) - sp.diff(slope[i], z)))
            if not is_zero(curl):
                return Turning((z, y), sp.factor(curl))
    total: Any = sp.Integer(0)
    for y, u in zip(state, slope, strict=True):
        part = sp.integrate(sp.expand(u - sp.diff(total, y)), y)
        if part.has(sp.Integral):
            raise UnusableInput("a score with a written integral", str(u), "name its potential")
        total = sp.expand(sp.expand_log(total + part, force=True))
    return sp.Add(*(t for t in sp.Add.make_args(total) if t.free_symbols & set(state)))


def marginal(log_density: Any, state: Sequence[Any], kept: Sequence[Any]) -> Any:
    """The log density of the kept states, where all others are Gaussian given them.

    A process has its target as a marginal law where this is the target's log density.

    >>> x, p, z = sp.symbols("x p z", real=True)
    >>> U, G = (sp.Function(n)(x) for n in "UG")
    >>> marginal(-(U + p**2 / 2 + (z - G) ** 2 / 2), (x, p, z), (x,))
    -U(x)
    >>> M = sp.Function("M", positive=True)(x)
    >>> marginal(-(U + p**2 / (2 * M)), (x, p), (x,))
    -U(x) + log(M(x))/2
    """
    energy = sp.expand(-sp.sympify(log_density))
    others = [s for s in state if s not in kept]
    A = sp.hessian(energy, others)
    curved = [e for e in A if e.free_symbols & set(others)]
    if curved:
        raise UnusableInput(
            f"a log density that is quadratic in {', '.join(map(str, others))}",
            f"the second derivative {curved[0]}",
            "integrate it by hand",
        )
    for k in range(1, len(others) + 1):
        minor = sp.simplify(A[:k, :k].det())
        if not minor.is_positive:
            raise UnusableInput("a positive definite form", f"the minor {minor}", "declare it positive")
    origin = dict.fromkeys(others, 0)
    c = sp.Matrix([sp.diff(energy, y).subs(origin) for y in others])
    least = energy.subs(origin) - (c.T * A.inv() * c)[0] / 2
    found = sp.expand(-least - sp.expand_log(sp.log(sp.factor(A.det())), force=True) / 2)
    terms = sp.Add.make_args(sp.expand(sp.cancel(sp.together(found))))
    return sp.Add(*(t for t in terms if t.free_symbols & set(kept)))
