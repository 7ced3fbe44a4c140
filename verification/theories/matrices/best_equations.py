"""What is true instead of a printed recipe: the equations that the best value solves, and how far it is.

Every equation is held against exact derivatives of the divergence, before it is told.
With Sigma = eps Sigma_0 + eps^2 Sigma_1 + ... a recipe that is best for Sigma_0 is right to leading
order, and the next term is a trace of Sigma_1.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.independent.fields import Itself, evaluate
from sgtheory.modepairs.matrixform import law_equation
from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.notation.derivation import Formula
from sgtheory.notation.matrixwords import SIGMA
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import formula_of, say
from sgtheory.reader.exact import diagonal, identity
from sgtheory.telling.covariance import tidy_matrix
from verification.laws.gains import inverted
from verification.laws.pair_form import LETTERS, by_word
from verification.laws.rational import value_at
from verification.notation import A, D, H, N, S, eps, trace
from verification.refuter.conditions import IsDiagonal
from verification.refuter.parameters import written_under
from verification.refuter.places import Place
from verification.terms.printed import Printed
from verification.theories.matrices.best import SCALE, Balance, best_number, noises, tied
from verification.theories.matrices.best_diagonal import in_latex, no_symmetric_formula, stationarity
from verification.theories.matrices.freedom import (
    DIAGONAL_OVER,
    GAIN_OVER,
    MULTIPLE_OVER,
    STEP_OVER,
    divergence_at,
)
from verification.verdicts.verdict import Correction, Evidence, Gap, NoAnswer, differ, lines_of

if TYPE_CHECKING:
    from verification.theories.matrices.recipes import Recipe

_PLACES = 2
_LARGEST = 5  # dimensions in which an equation is looked at


def equations(recipe: Recipe) -> Correction:
    """What the best value solves, where it has no closed form; held against exact derivatives."""
    if recipe.over == DIAGONAL_OVER:
        along = stationarity(recipe.setting, recipe.time, recipe.conditions)
        _agree(recipe, along.at)
        return along.correction()
    found = recipe.balance
    if found.reverse and found.is_proportional:
        _agree(recipe, lambda place: _slope_of_reverse(recipe, place))
        return _reverse_step()
    equation = equation_of(found)
    _agree(recipe, lambda place: [equation.at(place)], in_one_basis=True)
    words = "in every dimension; of several solutions that of least divergence is best"
    if recipe.over == STEP_OVER and not recipe.reverse:
        words += f"; `sgtheory tune {recipe.of} --only eps` solves it"
    return equation.correction(found, _law(recipe), recipe.gain is None, words)


def _law(recipe: Recipe) -> Printed:
    """The equation of the covariance, in matrices, with the gain that stands beside the step."""
    law = law_equation(stationary(recipe.setting, recipe.time))
    gain = H if recipe.gain is not None else SCALE if recipe.over == MULTIPLE_OVER else 1
    sides = (written_under(side.subs(H, gain), recipe.conditions) for side in (law.left, law.right))
    left, right = (
        tidy_matrix(sp.Add(*(sp.factor(c) * word for word, c in by_word(side).items())))
        for side in sides
    )
    for place, _ in _random_slopes(recipe):
        h = {SCALE.name: place.H[0][0]} if place.H else {}
        rest = value_at(left - right, place, Sigma=recipe.law(place), **h)
        if any(x != 0 for row in rest for x in row):
            where = f"another one at {place.to_json()}"
            raise differ(recipe.text, "symbols", "an equation of the law", "exact numbers", where)
    return Printed(left, right)


def _agree(recipe: Recipe, formula: Callable[[Place], Any], in_one_basis: bool = False) -> None:
    for place, slopes in _random_slopes(recipe, in_one_basis):
        if formula(place) != list(slopes.values()):
            found = f"the slopes at {place.to_json()} are others"
            raise differ(
                recipe.text, "symbols", "equations of the best value", "exact derivatives", found
            )


def _random_slopes(
    recipe: Recipe, in_one_basis: bool = False
) -> Iterator[tuple[Place, dict[str, Fraction]]]:
    """Places with the printed value, made smaller where it is too large, and the slopes there."""
    source, left = random.Random(recipe.text), _PLACES
    bases = [IsDiagonal((letter,)) for letter in recipe.letters] if in_one_basis else []
    for _ in range(40):
        place = recipe.space.random(source, 2)
        for condition in (*recipe.conditions, *bases):
            place = condition.imposed(place)
        placed = recipe.placed(place)
        for _ in range(12):
            slopes = None if placed is None else recipe.slopes(placed)
            if placed is None or slopes:
                break
            placed = recipe.times(placed, (Fraction(1, 4),))
        if placed is not None and slopes:
            yield placed, slopes
            left -= 1
        if left == 0:
            return
    raise NoAnswer(recipe.text, "no random place that was tried has a law")


@dataclass(frozen=True)
class StepEquation:
    """What the best step solves where A and B B^T commute: a sum over modes that is zero."""

    parameter: Any
    term: Any  # in lambda_i and the variances of the noise
    noises: tuple[Any, ...]

    def slope(self, modes: tuple[Any, ...], known: dict[Any, Any]) -> Any:
        """Twice the derivative of the divergence, as a function of the parameter."""
        return sp.Add(*(self.term.subs({LI: mode, **known}) for mode in modes))

    def at(self, place: Place) -> Fraction:
        """The derivative at a place with diagonal matrices."""
        symbols, total = self.term.free_symbols, Fraction(0)
        of_noise = {_variance(s).name: value_at(LETTERS[s.name], place) for s in self.noises}
        for k in range(place.D):
            h = place.H[k][k] if place.H else Fraction(1)
            g = Fraction(1) if SCALE in symbols else h  # a gain beside the step: modes are of G A G
            known = {n: g * m[k][k] for n, m in of_noise.items()}
            known |= {LI.name: g * place.A[k][k], SCALE.name: h}
            roots = {s: Itself(known.get(s.name, place.scalars.get(s.name))) for s in symbols}
            total += evaluate(self.term, roots, Fraction)
        return total / 2

    def correction(self, found: Balance, law: Printed, alone: bool, words: str) -> Correction:
        """The equation of the best step with that of the law; where all matrices commute, in one.

        With a gain beside the step there is no such sum in the eigenvalues of A alone.
        """
        p, (tex, commuting) = found.parameter, _commuting(found)
        name, letter = latex(p), plain(p)
        whole = "A" if found.size == 1 else f"{found.size} A"  # the posterior's precision
        outer, said = rf"{whole} - \Sigma^{{-1}}", f"{whole} - Sigma^(-1)"
        if found.reverse:
            outer = rf"\Sigma^{{-1}} - \Sigma^{{-1}} ({whole})^{{-1}} \Sigma^{{-1}}"
            said = f"Sigma^(-1) - Sigma^(-1) ({whole})^(-1) Sigma^(-1)"
        general = rf"\operatorname{{Tr}}\left(({outer})\, \partial_{{{name}}} \Sigma\right) = 0"
        lines = Formula(general, f"Tr(({said}) dSigma/d{letter}) = 0"), *lines_of(law)
        said = f"the best {letter} solves " + " with ".join(line.text for line in lines)
        if alone:
            of_modes = f"{commuting}: sum over i of {plain(self.term)} = 0"
            lines = Formula(rf"\sum_i {latex(self.term)} = 0 {tex}", of_modes), *lines
            said = f"{said}; {of_modes}"
        return Correction(lines, "proved", words, said=said)


def equation_of(found: Balance) -> StepEquation:
    """The derivative of N lambda Sigma - log Sigma, or of 1/(N lambda Sigma) + log Sigma."""
    variances = {s: _variance(s) for s in found.noises}
    sigma = sp.cancel(found.entry.subs(LJ, LI).subs(variances))
    share = found.size * LI * sigma
    inner = 1 / share + sp.log(sigma) if found.reverse else share - sp.log(sigma)
    term = sp.factor(sp.together(sp.diff(inner, found.parameter)))
    return StepEquation(found.parameter, term, tuple(found.noises))


def _variance(noise: Any) -> Any:
    return sp.Symbol(noise.name.replace("_ij", "_ii"), positive=True)


def _commuting(found: Balance) -> tuple[str, str]:
    """The condition that all matrices commute, in LaTeX and in words."""
    if len(found.noises) > 1:
        named = r"A, B B^{\top}, E E^{\top}", "A, B B^T and E E^T"
    else:
        named = r"A, B B^{\top}", "A and B B^T"
    return rf"\text{{ where }} {named[0]} \text{{ commute}}", f"where {named[1]} commute"


def _slope_of_reverse(recipe: Recipe, place: Place) -> list[Fraction]:
    """For Sigma = eps Sigma_0: Tr((N A Sigma)^(-1)) = D at the best step."""
    moments, step = recipe.law(place.but(eps=1)), place.scalars["eps"]
    assert moments is not None
    share = value_at(trace(SIGMA**-1 * A**-1) / N, place, Sigma=moments) / step
    return [(place.D - share) / (2 * step)]


def _reverse_step() -> Correction:
    lines = (
        Formula(
            r"\epsilon = \frac{S}{N D} \operatorname{Tr}(A^{-1} \Sigma_0^{-1})",
            "eps = S*Tr(A^(-1)*Sigma_0^(-1))/(N*D)",
        ),
        Formula(r"A \Sigma_0 + \Sigma_0 A = B B^{\top}", "A*Sigma_0 + Sigma_0*A = C"),
    )
    said = " with ".join(line.text for line in lines)
    return Correction(lines, "proved", "in every dimension, for every $A$ and $B$", said=said)


def no_formula(recipe: Recipe) -> Evidence | None:
    """An exact problem whose best value is no expression in roots, or that no formula can serve."""
    if recipe.over == GAIN_OVER or recipe.gain is not None:
        return None
    if recipe.over == DIAGONAL_OVER:
        return no_symmetric_formula(recipe)
    found = recipe.balance
    if not sp.cancel(found.entry.subs(LJ, LI) / found.parameter).has(found.parameter):
        return None
    equation, p = equation_of(found), found.parameter
    for size in range(2, _LARGEST + 1):
        modes = tuple(sp.Integer(k) for k in range(1, size + 1))
        known = {s: sp.Integer(1) for s in equation.term.free_symbols - {p, LI}}
        known |= {s: sp.Rational(1, 2) for s in known if s.name == "mu"}
        top = sp.numer(sp.cancel(sp.together(equation.slope(modes, known))))
        factors = [f for f, _ in sp.Poly(top, p).factor_list()[1]]
        roots = [f for f in factors for x in f.real_roots() if _is_stable(recipe, modes, float(x))]
        if len(roots) == 1 and 4 < roots[0].degree() <= 6:
            told = _with_its_group(roots[0], modes, known)
            if told is not None:
                return told
    return None


def _is_stable(recipe: Recipe, modes: tuple[Any, ...], x: float) -> bool:
    """Whether a real number is a step, or a gain, with a law."""
    if x <= 0:
        return False
    d = len(modes)
    scalars = dict.fromkeys(recipe.space.scalars, Fraction(1))
    scalars |= {"mu": Fraction(1, 2)} if "mu" in scalars else {}
    A = diagonal(tuple(Fraction(int(m)) for m in modes))
    place = Place({"A": A, "B": identity(d), "E": identity(d)}, scalars)
    step = Fraction(x).limit_denominator(10**6)
    put = place.but(eps=step) if recipe.over == STEP_OVER else place.but(H=diagonal((step,) * d))
    return divergence_at(recipe.setting, put, recipe.time) < float("inf")


def _with_its_group(polynomial: Any, modes: Any, known: Any) -> Evidence | None:
    """What is said of an equation whose Galois group is not solvable."""
    from sympy.polys.numberfields.galoisgroups import galois_group

    group, _ = galois_group(polynomial)
    if group.is_solvable:
        return None
    more = "".join(f", ${s} = {v}$" for s, v in known.items() if s.name in ("mu", "eps"))
    more += ", $E E^T = I$" if any(s.name.startswith("EE") for s in known) else ""
    words = (
        f"No formula in roots gives the best step: with $A = diag({', '.join(map(str, modes))})$,"
        f" $B B^T = I$ and $N = S${more} it is the one root of {{}} in the stable range, whose Galois"
        f" group has order {group.order()} and is not solvable."
    )
    shown = formula_of(polynomial.as_expr())
    data = {"polynomial": shown.text, "galois_group_order": int(group.order()), "dimension": len(modes)}
    return Evidence("symbolic", say(words, shown), data)


# -- how far a printed value is from the best one --------------------------------------------------


def gap(recipe: Recipe) -> Gap | None:
    """Where the printed value is best to leading order: by how much it is off."""
    if recipe.over == DIAGONAL_OVER:
        return None
    if recipe.over == GAIN_OVER:
        return _gain_gap(recipe.best.value, recipe.value)
    found = recipe.balance
    if found.tied is not None:
        return None
    first = sp.cancel(found.entry / found.parameter).subs(found.parameter, 0) * found.parameter
    leading = best_number(tied(replace(found, entry=first, tied=None), recipe.gain), recipe)
    if leading.value is None or not leading.is_solved_by(recipe.value):
        return None
    return _step_gap(found, recipe)


def _step_gap(found: Balance, recipe: Recipe) -> Gap | None:
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
    explicit = _commuting_gap(found, second) if recipe.gain is None else None
    where = rf", \quad \Sigma = {name} \Sigma_0 + {name}^2 \Sigma_1 + \dots"
    text += f" with Sigma = {letter}*Sigma_0 + {letter}^2*Sigma_1 + ..."
    if explicit is not None:
        tex, words = _commuting(found)
        shown += rf" = {in_latex(explicit)} {tex}"
        text += f", which is {plain(explicit)} {words}"
    name, small = _smallness(recipe.value)
    return Gap(name, "1", Formula(shown + where, text), of_many=small == 1 / N and p == SCALE)


def _smallness(printed: Any) -> tuple[str, Any]:
    """What is small where a printed value is nearly the best: a gain without N in it has the step.

    With many examples it is 1/N, also where injected noise is singular and the gain as large as 1/eps.
    """
    if printed.has(N):
        return ("S/N" if printed.has(S) else "1/N"), 1 / N
    return ("eps", eps) if printed.has(eps) else ("S/N", S)


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


def _gain_gap(best: Any, printed: Any) -> Gap | None:
    """By which power of what is small the inverses of the best and the printed gain differ."""
    turned = inverted(printed)
    excess = sp.expand(inverted(best) - turned)
    if excess == 0:
        return None
    name, small = _smallness(printed)
    order = _lowest(excess, small) - _lowest(turned, small)
    if order <= 0:
        return None
    term = sp.expand(excess * H)
    told = Formula(latex(term), f"{plain(term)} with the printed H")
    return Gap(name, str(order), told, of_many=name == "1/N")


def _lowest(expr: Any, letter: Any) -> int:
    """The lowest power of a scalar, or of its inverse, in a sum of words."""
    base, power = letter.as_base_exp()
    found = (sp.cancel(x).as_coeff_exponent(base)[1] for x in by_word(expr).values())
    return min(int(power * k) for k in found)
