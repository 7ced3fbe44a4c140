"""Processes near a printed one that leave a density invariant, and what a printed one leaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.coefficients import coefficients
from sgtheory.dynamics.density import stationary_density
from sgtheory.dynamics.diffusion import Diffusion, score
from sgtheory.dynamics.halfpowers import Inconsistent
from sgtheory.dynamics.limit import limit
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.walking import NoRule
from sgtheory.errors import UnusableInput
from sgtheory.notation.sentence import listed, say
from sgtheory.polynomials import is_zero
from verification.theories.operators.polynomials import functions_in

__all__ = ["corrected_processes", "stationary_density", "steps_near"]

_K = sp.Symbol("_k", real=True)
_HIGHEST = 2  # degree of a term that is added


def corrected_processes(process: Diffusion, log_density: Any) -> Iterator[tuple[str, Diffusion]]:
    """Candidates, the nearest first; whoever asks has to prove them."""
    gamma = process.divergence
    base = process.with_drift(process.ito_drift)
    yield from _with_divergence(base, gamma, log_density)
    yield from _with_forces(base, log_density)
    yield from _with_one_term(base, log_density)
    yield from _with_noise(base, log_density)
    yield from _with_added_term(base, log_density)
    if sp.simplify(sp.Matrix(process.covariance).det()) == 0:
        return
    drift = tuple(
        sp.Add(*(a * s for a, s in zip(row, score(log_density, process.state), strict=True))) / 2 + g
        for row, g in zip(process.covariance, gamma, strict=True)
    )
    yield "with the reversible drift of this noise", base.with_drift(tuple(map(sp.expand, drift)))


def steps_near(process: Diffusion, steps: Any, h: Any) -> Iterator[tuple[str, Diffusion, Step, Any]]:
    """A step with the noise of its equation, and the updates that change; or the step's own equation."""
    ((_, step), *others) = steps
    if others:
        return
    found = _with_own_noise(process, step, h)
    if found is not None:
        words = "with the square root of the step size times the noise of the equation"
        yield words, process, *found
    try:
        solved = limit(step, h)
    except (UnusableInput, NoRule, Inconsistent):
        return
    known = functions_in([e for _, e in step.updates])
    yield "the equation that this step solves", _with_functions(solved, known), step, None


def _with_own_noise(
    process: Diffusion, step: Step, h: Any
) -> tuple[Step, tuple[tuple[Any, Any], ...]] | None:
    """A step whose noises come with sqrt(h) times the rows of the equation; the updates that changed."""
    if len(process.noise[0]) != len(step.noises):
        return None
    rows, updates, changed = dict(zip(process.state, process.noise, strict=True)), [], []
    for target, expr in step.updates:
        if expr.free_symbols & set(step.noises):
            if target not in rows:
                return None
            pairs = zip(rows[target], step.noises, strict=True)
            expr = expr.subs(dict.fromkeys(step.noises, 0)) + sp.Add(
                *(sp.sqrt(h) * e * w for e, w in pairs)
            )
            changed.append((target, expr))
        updates.append((target, expr))
    return replace(step, updates=tuple(updates)), tuple(changed)


def _with_functions(process: Diffusion, known: Mapping[str, Any]) -> Diffusion:
    """Functions as they were declared, positive where they were; without noises that drive nothing."""

    def declared(e: Any) -> Any:
        return e.replace(
            lambda f: isinstance(f, AppliedUndef) and f.func.__name__ in known,
            lambda f: known[f.func.__name__].func(*f.args),
        )

    driving = [k for k, column in enumerate(zip(*process.noise, strict=True)) if any(column)] or [0]
    noise = tuple(tuple(declared(row[k]) for k in driving) for row in process.noise)
    return replace(process, drift=tuple(map(declared, process.drift)), noise=noise)


def _with_divergence(
    process: Diffusion, gamma: tuple[Any, ...], log_density: Any
) -> Iterator[tuple[str, Diffusion]]:
    if all(is_zero(g) for g in gamma):
        return
    tried = process.with_drift([b + _K * g for b, g in zip(process.drift, gamma, strict=True)])
    for k in _solutions(tried, log_density):
        added = listed((say("({})", sp.expand(g)) for g in gamma if g != 0), by=" + ")
        times = "" if k == 1 else say("{} times ", k)
        words = say("with {}the divergence term {} in the drift", times, added)
        yield (
            words,
            process.with_drift(
                [sp.expand(b + k * g) for b, g in zip(process.drift, gamma, strict=True)]
            ),
        )


def _with_one_term(process: Diffusion, log_density: Any) -> Iterator[tuple[str, Diffusion]]:
    """One term of the drift is another multiple of itself."""
    for i, b in enumerate(process.drift):
        terms = sp.Add.make_args(sp.expand(b))
        for k, term in enumerate(terms):
            if term == 0:
                continue
            others = sp.Add(*terms[:k], *terms[k + 1 :])
            for value in _solutions(_changed(process, i, others + _K * term), log_density):
                words = say("with {} for {} in the drift", sp.expand(value * term), term)
                yield words, _changed(process, i, others + value * term)


def _with_forces(process: Diffusion, log_density: Any) -> Iterator[tuple[str, Diffusion]]:
    """In several dimensions: forces on driven states, in which what is left over is linear.

    Where the density falls like exp(-k y^2/2) in a driven y, a force w on it adds k w y.
    """
    driven = [k for k, row in enumerate(process.noise) if any(row)]
    letters = [process.state[k] for k in driven]
    rest = sp.sympify(process.residual(log_density))
    if len(driven) < 2 or rest == 0 or not rest.is_polynomial(*letters):
        return
    slopes = {y: -sp.diff(log_density, y) / y for y in letters}
    terms = sp.Poly(rest, *letters).terms()
    if any(sum(powers) != 1 for powers, _ in terms):
        return
    if any(sp.simplify(k).free_symbols & set(process.state) for k in slopes.values()):
        return
    found, shown = process, []
    for powers, coefficient in terms:
        k = powers.index(1)
        force = sp.factor(-coefficient / sp.simplify(slopes[letters[k]]))
        found = _changed(found, driven[k], found.drift[driven[k]] + force)
        shown.append(say("{} added to the drift of {}", force, letters[k]))
    yield say("with {}", listed(shown, by=" and ")), found


def _changed(process: Diffusion, i: int, drift: Any) -> Diffusion:
    return process.with_drift((*process.drift[:i], sp.expand(drift), *process.drift[i + 1 :]))


def _with_noise(process: Diffusion, log_density: Any) -> Iterator[tuple[str, Diffusion]]:
    """The noise is another multiple of itself."""
    scale = sp.Symbol("_s", positive=True)
    noise = tuple(tuple(scale * e for e in row) for row in process.noise)
    tried = replace(process, noise=noise)
    equations = coefficients(tried.residual(log_density), process.state)
    for value in _common([e.subs(scale**2, _K).subs(scale, sp.sqrt(_K)) for e in equations], _K):
        if value.is_nonpositive or value.is_zero:
            continue
        root = sp.sqrt(value)
        rows = tuple(tuple(sp.simplify(root * e) for e in row) for row in process.noise)
        yield say("with the noise multiplied by {}", root), replace(process, noise=rows)


def _with_added_term(process: Diffusion, log_density: Any) -> Iterator[tuple[str, Diffusion]]:
    """A polynomial in a driven state is added to its drift, so that the flux has no divergence."""
    rest = process.residual(log_density)
    for i, (y, row) in enumerate(zip(process.state, process.noise, strict=True)):
        if not any(row) or not sp.sympify(rest).is_polynomial(y):
            continue
        unknown = sp.symbols(f"_a0:{_HIGHEST + 1}")
        added = sp.Add(*(a * y**k for k, a in enumerate(unknown)))
        left = sp.expand(rest - sp.diff(added, y) - added * sp.diff(log_density, y))
        if not left.is_polynomial(y):
            continue
        for solution in sp.solve(sp.Poly(left, y).coeffs(), unknown, dict=True):
            term = sp.expand(added.subs(solution).subs(dict.fromkeys(unknown, 0)))
            if term != 0:
                words = say("with {} added to the drift of {}", term, y)
                yield words, _changed(process, i, process.drift[i] + term)


def _solutions(tried: Diffusion, log_density: Any) -> list[Any]:
    return _common(coefficients(tried.residual(log_density), tried.state), _K)


def _common(equations: Any, unknown: Any) -> list[Any]:
    """Values of one unknown that satisfy all equations."""
    asked = [e for e in equations if e.has(unknown)]
    if not asked or any(not e.has(unknown) and e != 0 for e in equations):
        return []
    values = sp.solve(min(asked, key=sp.count_ops), unknown)
    return [v for v in values if v != 0 and all(is_zero(e.subs(unknown, v)) for e in equations)]
