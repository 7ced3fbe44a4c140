"""One quantity of two laws whose covariances become one as the step vanishes: how fast it does too.

Sigma is linear in traces, which vanish with it; the logarithm of its determinant changes by the trace of
Sigma^(-1) times the change, whose entries are rho_ij Sigma_ij in the eigenbasis of A.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from sgtheory.dynamics.leading import leading
from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.notation.derivation import Formula
from sgtheory.notation.matrixwords import SIGMA, Determinant
from sgtheory.notation.printing import latex, plain, tidy
from sgtheory.notation.sentence import say
from verification.laws.pair_form import pair_symbol
from verification.notation import N, Sigma
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Term
from verification.theories.matrices import elsewhere
from verification.verdicts.verdict import Gap

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law


def gap(law: Law, left: Term, right: Term) -> Gap | None:
    """By how much a divergence of a law differs from that of the other, to leading order in the step."""
    moments, own = elsewhere.moments((left, right)), from_sympy(Sigma)
    if law.setting is None or len(moments) != 1 or {a for a, _ in moments.values()} != {own}:
        return None
    (moment,) = moments
    here, there = (law.expanded(elsewhere.spelt(side).put({moment: own})) for side in (left, right))
    logs = [log for log in here.atoms(sp.log) if log.has(SIGMA)]
    if here != there or len(logs) != 1 or not isinstance(logs[0].args[0], Determinant):
        return None
    rest, share = here.expand().coeff(logs[0], 0), here.expand().coeff(logs[0], 1)
    if share.free_symbols or {law.setting.sampler.step} & rest.free_symbols:
        return None
    entry = stationary(law.setting, law.time).entry("theta", "theta")
    ratio = sp.cancel(elsewhere.entries(law, left, right)[pair_symbol(moment.name)] / entry)
    step = law.setting.sampler.step
    found = leading(sp.cancel(1 - ratio), step)
    if found is None or found[0] <= 0:
        return None
    order, rho = found[0], tidy(sp.factor(found[1]) * share)
    size, said = latex(step**order), plain(step**order)
    term = Formula(
        rf"{size} \operatorname{{Tr}}\left(\Sigma_0^{{-1}} (\rho_{{ij}} \Sigma_{{0,ij}})\right), \quad"
        rf" \rho_{{ij}} = {latex(rho)}, \quad \Sigma = {latex(step)} \Sigma_0 + \dots",
        f"{said}*Tr(Sigma_0^(-1)*(rho_ij*Sigma_0_ij)) with rho_ij = {plain(rho)},"
        f" Sigma = {plain(step)}*Sigma_0 + ...",
    )
    words = say("gap, with {} fixed,", N) if rest.has(N) and rho.subs(LJ, LI) != 0 else "gap"
    return Gap(step.name, str(order), term, words)
