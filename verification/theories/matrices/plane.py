"""A bound in two dimensions on what is lost by a step that is best for the trace alone."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ
from verification.laws.pair_form import LETTERS
from verification.notation import D, trace
from verification.prover.positivity import nowhere_negative
from verification.theories.matrices.best_values import Balance, noises

if TYPE_CHECKING:
    from verification.theories.matrices.losses import Loss

PLANE = "bounded in two dimensions"


def is_best_for_the_trace(found: Balance, value: Any) -> bool:
    """Whether N Tr(A Sigma) is D at the printed step: only such a step is bounded here.

    >>> from sgtheory import registry
    >>> from sgtheory.setting import Setting
    >>> from verification.theories.matrices.best_values import balance
    >>> from verification.theories.matrices.freedom import Freedom
    >>> from verification.notation import C, N, S
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> found = balance(sgd, "continuous", Freedom("step"))
    >>> steps = (2 * D * S / (N * trace(C)), 2 / trace(C))
    >>> [is_best_for_the_trace(found, step) for step in steps]
    [True, False]
    """
    p, traced = found.parameter, sp.Integer(0)
    if value.has(p):
        return False
    for noise in noises(found.entry):
        share = sp.cancel(LI * sp.diff(found.entry.subs(LJ, LI), noise) / p)
        if share.has(LI) or share.has(p):
            return False
        traced += found.size * share * value * trace(LETTERS[noise.name])
    return bool(sp.cancel(traced - D) == 0)


def bounded_in_the_plane(found: Balance, worst: Loss) -> Loss | None:
    """A bound for D = 2, where the trace is proportional to the step and log det Sigma nearly so.

    If D <= d log det Sigma/d log eps <= D + 1 everywhere, the derivative of the divergence in log eps
    lies between (D x - D - 1)/2 and (D x - D)/2, x the step over the printed one; so the best x is
    between 1 and 3/2 for D = 2, and the loss is at most the integral of (3/2 - x)/x between them.
    """
    p, entry = found.parameter, found.entry
    if worst.kind != "found" or found.reverse or sp.cancel(entry.subs(LJ, LI) / p).has(p):
        return None
    if len(noises(entry)) != 1:
        return None
    a, b, s = sp.symbols("a b s", positive=True)  # eigenvalues a and a + b, C_12^2 = C_11 C_22/(1 + s)
    per_noise = sp.diff(entry, noises(entry)[0])
    first, both, second = (
        per_noise.subs({LI: x, LJ: y}) for x, y in ((a, a), (a, a + b), (a + b, a + b))
    )
    share = sp.cancel(both**2 / (first * second * (1 + s)))
    excess = sp.cancel(-p * sp.diff(share, p) / (1 - share))  # the slope of log det Sigma, less D
    certificates = [nowhere_negative(excess), nowhere_negative(sp.cancel(1 - excess))]
    if any(c is None or not c.rechecked() for c in certificates):
        return None
    bound = 1.5 * math.log(1.5) - 0.5
    start = worst.words.partition("; it is")[0]
    return replace(
        worst,
        kind=PLANE,
        bound=bound,
        words=f"In two dimensions the loss is at most 3/2 log(3/2) - 1/2 = {bound:.3g}: the slope of log"
        f" det Sigma in log eps lies between 2 and 3. {start}. For more dimensions no bound is known.",
    )
