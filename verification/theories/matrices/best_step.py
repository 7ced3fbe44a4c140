"""The best step of a law that is not proportional to it: the equation it solves, and how far it is.

With Sigma = eps Sigma_0 + eps^2 Sigma_1 + ... the divergence is that of Sigma_0 and corrections, so a
recipe that is best for Sigma_0 is right to leading order, and the next term is a trace of Sigma_1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.independent.fields import Itself, evaluate
from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.notation.derivation import Formula
from sgtheory.notation.printing import latex, plain
from verification.laws.pair_form import LETTERS
from verification.laws.rational import numbers_of
from verification.notation import A, C, D, trace
from verification.refuter.places import Place
from verification.theories.matrices.best_values import SCALE, Balance, noises, tied
from verification.verdicts.verdict import Correction, Evidence, Gap

_LARGEST = 5  # dimensions in which the equation is looked at


def leading(found: Balance, gain: Any = None) -> Balance:
    """The same with the covariance to first order in the parameter."""
    p = found.parameter
    return tied(replace(found, entry=sp.cancel(found.entry / p).subs(p, 0) * p, tied=None), gain)


def gap_of(found: Balance, gain: Any = None) -> Gap | None:
    """By how much of itself a value that is best for Sigma_0 is too large, to first order."""
    p = found.parameter
    second = sp.cancel(sp.diff(sp.cancel(found.entry / p), p).subs(p, 0))
    if second == 0:
        return None
    name, letter = (latex(p), plain(p))
    if found.reverse:
        shown = rf"\frac{{{name}}}{{D}} \operatorname{{Tr}}(\Sigma_0^{{-1}} \Sigma_1)"
        text = f"{letter}*Tr(Sigma_0^(-1)*Sigma_1)/D"
    else:
        shown = (
            rf"{name} \left("
            r"\frac{2 \operatorname{Tr}(A \Sigma_1)}{\operatorname{Tr}(A \Sigma_0)}"
            r" - \frac{1}{D} \operatorname{Tr}(\Sigma_0^{-1} \Sigma_1)\right)"
        )
        text = f"{letter}*(2*Tr(A*Sigma_1)/Tr(A*Sigma_0) - Tr(Sigma_0^(-1)*Sigma_1)/D)"
    explicit = _commuting_gap(found, second) if gain is None else None
    where = rf", \quad \Sigma = {name} \Sigma_0 + {name}^2 \Sigma_1 + \dots"
    text += f" with Sigma = {letter}*Sigma_0 + {letter}^2*Sigma_1 + ..."
    if explicit is not None:
        tex, words = _commuting(found)
        shown += rf" = {_tex(explicit)} {tex}"
        text += f", which is {plain(explicit)} {words}"
    return Gap("eps" if p == SCALE else "S/N", "1", Formula(shown + where, text))


def _commuting(found: Balance) -> tuple[str, str]:
    """The condition that all matrices commute, in LaTeX and in words."""
    if len(noises(found.entry)) > 1:
        named = r"A, B B^{\top}, E E^{\top}", "A, B B^T and E E^T"
    else:
        named = r"A, B B^{\top}", "A and B B^T"
    return rf"\text{{ where }} {named[0]} \text{{ commute}}", f"where {named[1]} commute"


def _commuting_gap(found: Balance, second: Any) -> Any:
    """The same in letters, where all matrices have one eigenbasis."""
    p = found.parameter
    first = sp.cancel(found.entry / p).subs(p, 0).subs(LJ, LI)
    ratio = sp.cancel(second.subs(LJ, LI) / first)
    if noises(ratio) or not ratio.is_polynomial(LI):
        return None
    mean = _as_trace(ratio) / D
    if found.reverse:
        return sp.expand(p * mean)
    shares = {s: sp.cancel(LI * sp.diff(first, s)) for s in noises(first)}
    common = list(shares.values())[-1]
    noise = [(sp.cancel(x / common), LETTERS[s.name]) for s, x in shares.items()]
    ratios = sp.Add(*(c * _as_trace(ratio, letter) for c, letter in noise))
    return p * (2 * ratios / sp.Add(*(c * trace(letter) for c, letter in noise)) - mean)


def _as_trace(polynomial: Any, factor: Any = None) -> Any:
    one = sp.Integer(1) if factor is None else factor
    terms = sp.Poly(polynomial, LI).terms()
    return sp.Add(*(c * (trace(A**k * one) if k or factor is not None else D) for (k,), c in terms if c))


@dataclass(frozen=True)
class StepEquation:
    """What the best step solves where A and B B^T commute: a sum over modes that is zero."""

    parameter: Any
    term: Any  # in lambda_i and the variances of the noise
    noises: tuple[Any, ...]

    def slope(self, modes: tuple[Any, ...], known: dict[Any, Any]) -> Any:
        """Twice the derivative of the divergence, as a function of the parameter."""
        return sp.Add(*(self.term.subs({LI: mode, **known}) for mode in modes))


def equation_of(found: Balance) -> StepEquation:
    """The derivative of N lambda Sigma - log Sigma, or of 1/(N lambda Sigma) + log Sigma."""
    p = found.parameter
    sigma = sp.cancel(found.entry.subs(LJ, LI).subs({s: _variance(s) for s in noises(found.entry)}))
    share = found.size * LI * sigma
    inner = 1 / share + sp.log(sigma) if found.reverse else share - sp.log(sigma)
    return StepEquation(p, sp.factor(sp.together(sp.diff(inner, p))), tuple(noises(found.entry)))


def _variance(noise: Any) -> Any:
    return sp.Symbol(noise.name.replace("_ij", "_ii"), positive=True)


def holds_at(equation: StepEquation, place: Place, slope: Fraction) -> bool:
    """At a place with diagonal matrices: the sum is twice the exact derivative."""
    numbers, symbols = numbers_of(place, {}), equation.term.free_symbols
    total = Fraction(0)
    matrices = {_variance(s).name: numbers.matrices[str(LETTERS[s.name])] for s in equation.noises}
    for k in range(place.D):
        h = numbers.matrices["H"][k][k]
        g = Fraction(1) if SCALE in symbols else h  # a gain beside the step: modes are those of G A G
        own = {s: g * matrices[s.name][k][k] for s in symbols if s.name in matrices}
        known = {**own, LI: g * place.A[k][k], SCALE: h}
        roots = {s: Itself(known.get(s, place.scalars.get(s.name))) for s in symbols}
        total += evaluate(equation.term, roots, Fraction)
    return total == 2 * slope


def correction_of(found: Balance, equation: StepEquation, gain: Any, words: str) -> Correction:
    """The equations of the best step, in general and where all matrices commute."""
    p, (tex, commuting) = found.parameter, _commuting(found)
    name, letter = latex(p), plain(p)
    basis = "A's eigenbasis"
    if gain is not None:  # the law in the coordinates in which the gain is a multiple of one
        basis = "the eigenbasis of H^(1/2) A H^(1/2), C standing for H^(1/2) B B^T H^(1/2)"
    inner = rf"\partial_{{{name}}} \Sigma"
    whole = "A" if found.size == 1 else f"{found.size} A"  # the posterior's precision
    outer, said = rf"{whole} - \Sigma^{{-1}}", f"{whole} - Sigma^(-1)"
    if found.reverse:
        outer = rf"\Sigma^{{-1}} - \Sigma^{{-1}} ({whole})^{{-1}} \Sigma^{{-1}}"
        said = f"Sigma^(-1) - Sigma^(-1) ({whole})^(-1) Sigma^(-1)"
    general = rf"\operatorname{{Tr}}\left(({outer})\, {inner}\right) = 0"
    law = rf"\Sigma_{{ij}} = {latex(found.entry)}"
    special = rf"\sum_i {latex(equation.term)} = 0 {tex}"
    text = (
        f"Tr(({said}) dSigma/d{letter}) = 0 with Sigma_ij = {plain(found.entry)} in {basis};"
        f" {commuting}: sum over i of {plain(equation.term)} = 0"
    )
    return Correction(r" \qquad ".join((special, general, law)), text, "proved", words)


def no_formula(equation: StepEquation, stable: Any) -> Evidence | None:
    """An exact problem whose best step is no expression in roots: its equation has no solvable group.

    ``stable`` says which real numbers are steps of a stable law.
    """
    from sympy.polys.numberfields.galoisgroups import galois_group

    p = equation.parameter
    for size in range(2, _LARGEST + 1):
        modes = tuple(sp.Integer(k) for k in range(1, size + 1))
        known = {s: sp.Integer(1) for s in equation.term.free_symbols - {p, LI}}
        known |= {s: sp.Rational(1, 2) for s in known if s.name == "mu"}
        top = sp.numer(sp.cancel(sp.together(equation.slope(modes, known))))
        factors = [f for f, _ in sp.Poly(top, p).factor_list()[1]]
        roots = [(f, x) for f in factors for x in f.real_roots() if stable(modes, float(x))]
        if len(roots) != 1 or not 4 < roots[0][0].degree() <= 6:
            continue
        polynomial = roots[0][0]
        group, _ = galois_group(polynomial)
        if not group.is_solvable:
            return _told_group(polynomial, modes, group, known)
    return None


def _told_group(polynomial: Any, modes: Any, group: Any, known: Any) -> Evidence:
    n = len(modes)
    named = ((s, v) for s, v in known.items() if s.name in ("mu", "eps"))
    more = "".join(f", {s} = {v}" for s, v in named)
    more += ", E E^T = I" if any(s.name.startswith("EE") for s in known) else ""
    shown = plain(polynomial.as_expr())
    return Evidence(
        "symbolic",
        f"No formula in roots gives the best step: with A = diag({', '.join(map(str, modes))}),"
        f" B B^T = I and N = S{more} it is the one root of {shown} in the stable range, whose Galois"
        f" group has order {group.order()} and is not solvable.",
        {"polynomial": shown, "galois_group_order": int(group.order()), "dimension": n},
    )


def _tex(expr: Any) -> str:
    return latex(expr.subs(C, sp.Symbol("BB^T", commutative=False)))
