"""Statements about a divergence that need A and B B^T to commute, by kernels between modes.

Let K_ij = K(lambda_i, lambda_j) be positive semidefinite, definite where the lambda_i are distinct, and
1 on the diagonal; let X be positive definite, in the eigenbasis of A, and X o Y entry by entry. Then
M = X^(-1) o X - I is positive semidefinite with M 1 = 0 (Fiedler), and det(K o X) >= det X (Oppenheim);
Tr(M K) = 0, or equal determinants, leave no entry of X between different eigenvalues: X commutes with A.
That K is such a kernel is seen from the law: a state's own variance where B B^T = 1 1^T is a covariance,
and definite where the eigenvalues differ, as then every mode is reached by that noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.modepairs.matrixform import block_symbol
from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.notation.matrixwords import SIGMA, C
from verification.laws.pair_form import NOISE
from verification.notation import D, trace
from verification.terms.asymptotics import sign
from verification.terms.term import Letter
from verification.theories import zeros
from verification.theories.matrices import elsewhere
from verification.theories.matrices.freedom import STEP_OVER
from verification.theories.matrices.recipes import Recipe, recipe_of

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

_COUNTS = ("count", "square count")
_POSITION = Letter("Sigma", "matrix")


def commuting_is_needed(law: Law, one: Any) -> bool:
    """Whether a printed step is best, or two divergences are equal, only where A and C commute."""
    if law.setting is None:
        return False
    if one.relation == "best":
        recipe = recipe_of(law, one.asked)
        return recipe is not None and _of_a_best_step(law, recipe)
    return one.relation == "=" and _of_two_laws(law, one)


def _of_a_best_step(law: Law, recipe: Recipe) -> bool:
    """Where twice curvature times variance is p k C_ii, and the printed step that of commuting A and C.

    Reverse: the best one has Tr((N A Sigma)^(-1)) = D, and of all A Sigma with one symmetric part the
    symmetric one has the largest such trace. Else p d log det Sigma/dp is D + Tr(M K) with
    K = p d log Sigma_ij/dp, and the slope of the divergence is below zero at the printed step.
    """
    found, p = recipe.balance, recipe.balance.parameter
    if recipe.over != STEP_OVER or recipe.gain is not None or found.noises != [NOISE]:
        return False
    own = sp.cancel(2 * LI * found.entry.subs(LJ, LI) / (p * NOISE))
    if own.has(LI, p):
        return False
    if recipe.reverse:
        plain = sp.cancel(found.entry * (LI + LJ) / (p * NOISE) - own) == 0
        return plain and _is(recipe.value, 2 * trace(C**-1) / (own * found.size * D))
    slope = sp.cancel(p * sp.diff(found.entry, p) / found.entry)
    printed = _is(recipe.value, 2 * D / (own * found.size * trace(C)))
    return printed and any(sp.cancel(slope - K) == 0 for K in _kernels(law, None))


def _of_two_laws(law: Law, one: Any) -> bool:
    """Where the one covariance is (t + (1 - t) K) times the other, entry by entry, with 0 < t < 1."""
    found = list(elsewhere.moments((one.right,)).items())
    if len(found) != 1 or elsewhere.moments((one.left,)) or law.divergence(one.left)[0] in (None, 0):
        return False
    ((letter, (moment, other)),) = found
    there = law.symbols(elsewhere.spelt(one.right)).xreplace({law.symbols(letter): SIGMA})
    if moment != _POSITION or sp.expand(there - law.symbols(one.left)) != 0:
        return False
    assert law.setting is not None
    first = stationary(law.setting, law.time).entry("theta", "theta")
    second = other.entry(law, moment)
    if sp.cancel((first - second).subs(LJ, LI)) != 0:
        return False
    ways = ((sp.cancel(second / first), other), (sp.cancel(first / second), None))
    return any(_is_between(law, r, K) for r, of in ways for K in _kernels(law, of))


def _is_between(law: Law, ratio: Any, kernel: Any) -> bool:
    """Whether a ratio is t + (1 - t) K, with t between 0 and 1 whatever the letters are."""
    if ratio.has(NOISE) or sp.cancel(kernel - 1) == 0:
        return False
    share = sp.cancel((ratio - kernel) / (1 - kernel))
    if share.has(LI, LJ):
        return False
    kinds = dict(law.kinds)
    counts = {
        s: 1 + sp.Symbol(f"_{s}", nonnegative=True)
        for s in share.free_symbols
        if kinds.get(s.name) in _COUNTS
    }
    share = zeros.in_range(share, kinds).subs(counts)
    return sign(sp.factor(share)) == 1 and sign(sp.factor(sp.together(1 - share))) == 1


def _kernels(law: Law, other: Any) -> Iterator[Any]:
    """Of each state that gradient noise enters: its variance between modes, made 1 on the diagonal."""
    assert law.setting is not None
    pair = stationary(law.setting, law.time)
    if pair.symbols != (NOISE,):
        return
    (coupling,) = pair.form.couplings
    enters = pair.form.noise_block(coupling, LI, LJ)
    for k, state in enumerate(s.name for s in pair.form.states):
        if enters[k, k] == 0 or enters[k, k].has(LI, LJ):
            continue
        block = Letter(str(block_symbol(state, state)), "matrix")
        entry = pair.entry(state, state) if other is None else other.entry(law, block)
        own = sp.cancel(entry / entry.subs(LJ, LI))
        if not sp.cancel(entry.subs(LJ, LI) / NOISE).has(LI):
            yield own


def _is(printed: Any, value: Any) -> bool:
    return bool(sp.expand(sp.sympify(printed) - value) == 0)
