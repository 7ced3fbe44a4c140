"""Processes near a printed one that leave a density invariant, and what a printed one leaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.density import stationary_density
from sgtheory.dynamics.diffusion import Diffusion, score
from sgtheory.dynamics.halfpowers import Inconsistent
from sgtheory.dynamics.limit import limit
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.walking import NoRule
from sgtheory.errors import UnusableInput
from sgtheory.notation.sentence import Sentence, listed, say
from verification.theories.operators.polynomials import functions_in

__all__ = ["corrected_processes", "stationary_density", "steps_near"]

_HIGHEST = 2  # degree of a term that is added


def corrected_processes(process: Diffusion, log_density: Any) -> Iterator[tuple[Sentence, Diffusion]]:
    """Candidates with what each adds to the drift, the nearest first; whoever asks has to prove them."""
    base = process.with_drift(process.ito_drift)
    for drift in _drifts(base, log_density):
        rest = (sp.factor(new - old) for new, old in zip(drift, base.drift, strict=True))
        added = [
            say("{} added to the drift of {}", more, y)
            for more, y in zip(rest, base.state, strict=True)
            if more != 0
        ]
        yield say("with {}", listed(added, by=" and ")), base.with_drift(tuple(map(sp.expand, drift)))


def _drifts(process: Diffusion, log_density: Any) -> Iterator[list[Any]]:
    """With forces, with a polynomial in one driven state, and the reversible drift of the noise."""
    yield from _with_forces(process, log_density)
    yield from _with_added_term(process, log_density)
    if sp.simplify(sp.Matrix(process.covariance).det()) == 0:
        return
    slopes = score(log_density, process.state)
    yield [
        sp.Add(*(a * s for a, s in zip(row, slopes, strict=True))) / 2 + g
        for row, g in zip(process.covariance, process.divergence, strict=True)
    ]


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


def _with_forces(process: Diffusion, log_density: Any) -> Iterator[list[Any]]:
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
    drift = list(process.drift)
    for powers, coefficient in terms:
        k = powers.index(1)
        drift[driven[k]] -= coefficient / sp.simplify(slopes[letters[k]])
    yield drift


def _with_added_term(process: Diffusion, log_density: Any) -> Iterator[list[Any]]:
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
                yield [b + (term if k == i else 0) for k, b in enumerate(process.drift)]
