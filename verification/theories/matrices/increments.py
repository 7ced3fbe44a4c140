"""What an instant, or one step of the algorithm, adds to first and second moments of a sampler's states.

Moments are letters of their own here, for nothing is stationary; what is added is a letter too, which is
set as a formula of the moments. In continuous time that is Ito's calculus, per unit of time.

>>> from verification.statements import Equal, claim
>>> of_velocity = claim("v", at="", title="", of="momentum", read=Equal(rate_of_mean("v"), mean_of("v")))
>>> str(added((rate_of_mean("v"),), of_velocity.setting, "continuous")[rate_of_mean("v")])
'-mu*E[v] - eps*A*E[theta]'
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any

import sympy as sp

from sgtheory.affine import LAMBDA, mode_form
from sgtheory.matrixform import block_symbol
from sgtheory.matrixwords import A, identity
from sgtheory.pairs import LI, LJ, coupling_symbol
from sgtheory.setting import Setting
from verification.pairform import DELTA, LETTERS
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter, Term


def mean_of(state: str) -> Letter:
    """The mean of a state, E[v]."""
    return Letter(f"Mean_{state}", "matrix")


def rate_of_mean(state: str) -> Letter:
    """What is added to the mean of a state, dE[v]/dt."""
    return Letter(f"dE[{state}]/dt", "matrix")


def rate(a: str, b: str) -> Letter:
    """What is added to a second moment, dE[a b^T]/dt."""
    return Letter(f"dE[{a} {b}^T]/dt", "matrix")


def products(a: str, b: str) -> tuple[Letter, Letter, Letter, Letter]:
    """What is added to E[a b^T], and the three means that it is the sum of."""
    names = (f"dE[{a} {b}^T]", f"E[d {a} {b}^T]", f"E[{a} d {b}^T]", f"E[d {a} d {b}^T]")
    first, second, third, fourth = (Letter(name, "matrix") for name in names)
    return first, second, third, fourth


def noise_of(a: str, b: str) -> Letter:
    """What noise alone brings to the mean of both increments, per unit of time or in a step."""
    return Letter(f"E[d {a} d {b}^T]/dt", "matrix")


def added(terms: Iterable[Term], setting: Setting, time: str) -> dict[Letter, Term] | None:
    """The letters in some terms that say what is added, as formulas of moments; a gain is I.

    None where the terms are about neither means nor what is added to them.
    """
    letters = {a.name: a for side in terms for a in side.letters}
    if not any(name.startswith(("E[", "dE[", "Mean_")) for name in letters):
        return None
    known = _formulas(setting, time)
    return {a: from_sympy(sp.expand(known[name])) for name, a in letters.items() if name in known}


@cache
def _formulas(setting: Setting, time: str) -> dict[str, Any]:
    form = mode_form(setting, time)
    drift = form.M.subs(form.short) - (sp.eye(form.M.rows) if time == "discrete" else 0 * form.M)
    states = [s.name for s in form.states]
    moments = sp.Matrix(len(states), len(states), lambda i, j: block_symbol(states[i], states[j]))
    noise = sp.zeros(len(states), len(states))
    for coupling in form.couplings:
        symbol = coupling_symbol(coupling)
        core = identity if symbol == DELTA else LETTERS[str(symbol)]
        block = form.noise_block(coupling, LI, LJ).subs(form.short)
        noise += block.applyfunc(lambda x, core=core: _between(x, core))
    means = sp.Matrix([sp.Symbol(mean_of(a).name, commutative=False) for a in states])
    step = drift.applyfunc(_in_matrices)
    left, right = step * moments, moments * step.T
    both = noise + (left * step.T if time == "discrete" else 0 * noise)
    found = {f"dE[{a}]/dt": (step * means)[i] for i, a in enumerate(states)}
    for (i, a), (j, b) in product(enumerate(states), repeat=2):
        parts = left[i, j], right[i, j], both[i, j]
        values = (sum(parts), *parts, sum(parts), noise[i, j])
        found |= dict(zip(_names_of(a, b), values, strict=True))
    return found


def kinds(setting: Setting) -> tuple[tuple[str, str], ...]:
    """Moments are any matrices, as the equations ask for no law."""
    names = [s.name for s in setting.state]
    blocks = {str(block_symbol(a, b)) for a, b in product(names, repeat=2)}
    return tuple((name, "any") for name in sorted(blocks | {mean_of(a).name for a in names}))


def _names_of(a: str, b: str) -> tuple[str, ...]:
    return (*(letter.name for letter in products(a, b)), rate(a, b).name, noise_of(a, b).name)


def _in_matrices(entry: Any) -> Any:
    """A polynomial in an eigenvalue as one in A."""
    powers = sp.Poly(entry, LAMBDA).terms()
    return sum((c * (A**k if k else 1) for (k,), c in powers), sp.Integer(0))


def _between(entry: Any, core: Any) -> Any:
    """A polynomial in two eigenvalues as powers of A on both sides of a matrix."""
    terms = sp.Poly(entry, LI, LJ).terms()
    found = (c * (A**i if i else 1) * core * (A**j if j else 1) for (i, j), c in terms)
    return sum(found, sp.Integer(0))
