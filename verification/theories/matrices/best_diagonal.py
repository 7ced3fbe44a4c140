"""What the best diagonal gain solves: the divergence's slope along a diagonal, through an adjoint.

The law is R(Sigma, H) = 0, a sum of words. With Y solving <Y, dR/dSigma> = N A - Sigma^(-1), the
derivative of 2 KL along H_kk is -[dR/dH]_kk: of each word p H q the entry (q Y p)_kk.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.independent.fields import Rows
from sgtheory.modepairs.matrixform import law_equation
from sgtheory.modepairs.pairs import stationary
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.matrixwords import SIGMA, A, H
from sgtheory.notation.printing import latex, plain
from sgtheory.setting import Setting
from verification.laws.elimination import solve_linear
from verification.laws.gains import with_default_step, written
from verification.laws.rational import Numbers, matrix_value, numbers_of, stationary_moments
from verification.notation import C, N
from verification.refuter.conditions import Condition
from verification.refuter.parameters import written_under
from verification.refuter.places import Place
from verification.verdicts.verdict import Correction, Evidence

Y = sp.Symbol("Y", commutative=False)


@dataclass(frozen=True)
class Stationarity:
    """diag(slope) = 0 where adjoint = N A - Sigma^(-1), and the law = 0."""

    law: Any
    law_sides: tuple[Any, Any]
    size: Any = N  # the posterior is that of so many examples

    @property
    def direction(self) -> Any:
        """Twice the derivative of the divergence with respect to Sigma."""
        return self.size * A - SIGMA**-1

    @cached_property
    def adjoint(self) -> Any:
        """The words that Sigma is taken out of, around Y."""
        return sp.expand(_around(self.law, SIGMA))

    @cached_property
    def slope(self) -> Any:
        """Minus 2 dKL/dH, on the diagonal; a word and its transpose have the same one."""
        found: dict[Any, Any] = {}
        for term in sp.Add.make_args(sp.expand(_around(self.law, H))):
            scalars, words = term.args_cnc()
            word = tuple(_letters(words))
            word = min(word, word[::-1], key=lambda w: [str(x) for x in w])
            found[word] = found.get(word, 0) + sp.Mul(*scalars)
        return sp.Add(*(c * sp.Mul(*word) for word, c in found.items()))

    def at(self, setting: Setting, place: Place, time: str) -> list[Fraction] | None:
        """dKL/dH_kk at an exact place, by this formula."""
        moments = stationary_moments(setting, place, time)
        if moments is None:
            return None
        numbers = numbers_of(place, moments)
        known = replace(numbers, matrices={**numbers.matrices, "Y": self._solved(numbers)})
        value = matrix_value(self.slope, known)
        return [-value[k][k] / 2 for k in range(place.D)]

    def _solved(self, numbers: Numbers) -> Rows:
        """Y, from its linear equation."""
        d = range(len(numbers.one))
        right = matrix_value(self.direction, numbers)
        columns = []
        for i in d:
            for j in d:
                unit = [[Fraction(int((a, b) == (i, j))) for b in d] for a in d]
                put = replace(numbers, matrices={**numbers.matrices, "Y": unit})
                columns.append([x for row in matrix_value(self.adjoint, put) for x in row])
        system = [list(row) for row in zip(*columns, strict=True)]
        flat = solve_linear(system, [x for row in right for x in row])
        return [flat[k * len(d) : (k + 1) * len(d)] for k in d]


def stationarity(setting: Setting, time: str, given: tuple[Condition, ...] = ()) -> Stationarity:
    """From the equation of the law in matrices.

    >>> from sgtheory import registry
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> found = stationarity(sgd, "continuous")
    >>> found.slope, found.adjoint
    (2*A*Sigma*Y - 2*C*H*Y/S, A*H*Y + Y*H*A)
    """
    equation = law_equation(stationary(setting, time))
    left, right = (with_default_step(setting, side) for side in (equation.left, equation.right))
    left, right = (written_under(side, given) for side in (left, right))
    return Stationarity(sp.expand(left - right), (left, right), written_under(N, given))


def correction_of(found: Stationarity) -> Correction:
    """The equations, for the page."""
    slope = sp.expand(found.slope / 2)
    parts = (
        (rf"\operatorname{{diag}}\left({_tex(slope)}\right) = 0", f"diag({plain(slope)}) = 0"),
        (
            rf"{_tex(found.adjoint)} = {_tex(found.direction)}",
            f"{plain(found.adjoint)} = {plain(found.direction)}",
        ),
        tuple(" = ".join(f(side) for side in found.law_sides) for f in (_tex, plain)),
    )
    words = "for a diagonal H, in every dimension; no formula is known for its solution"
    text = "the best diagonal H solves " + ", with ".join(p[1] for p in parts)
    return Correction(r" \qquad ".join(p[0] for p in parts), text, "proved", words)


def told(found: Stationarity) -> Evidence:
    """Where the equations come from."""
    zero = sp.Integer(0)
    direction = Formula(r"\left\langle Y, \partial_\Sigma R \right\rangle", "<Y, dR/dSigma>")
    condition = Formula(r"\operatorname{diag}(\partial_H R)", "diag(dR/dH)")
    slope = sp.expand(found.slope / 2)
    steps = (
        Step("The law", "R is left minus right:", (Equation(written(found.law), zero),)),
        Step(
            "The adjoint",
            f"2 dKL = Tr(({plain(found.direction)}) dSigma); Y is to turn dSigma into dH:",
            (
                Equation(direction, written(found.adjoint)),
                Equation(written(found.adjoint), found.direction),
            ),
        ),
        Step(
            "The slopes",
            "Then 2 dKL = -Tr(Y dR/dH dH), and the slopes along a diagonal vanish where this does:",
            (Equation(condition, written(slope)),),
        ),
    )
    result = Result("stationarity", Equation(condition, zero))
    return Evidence(
        "symbolic",
        "The slopes along a diagonal gain, for every dimension.",
        {"dimensions": "every"},
        Derivation("What the best diagonal gain solves", steps, (result,)),
    )


def _around(law: Any, letter: Any) -> Any:
    """The sum of c q Y p over the occurrences of a letter in words c p letter q."""
    total = sp.Integer(0)
    for term in sp.Add.make_args(law):
        scalars, words = term.args_cnc()
        flat = _letters(words)
        for k, found in enumerate(flat):
            if found == letter:
                total += sp.Mul(*scalars) * sp.Mul(*flat[k + 1 :], Y, *flat[:k])
    return total


def _letters(words: list[Any]) -> list[Any]:
    """Powers of letters, and of products of letters, written out."""
    flat: list[Any] = []
    for word in words:
        base, power = word.as_base_exp()
        inner = _letters(list(base.args)) if base.is_Mul else [base]
        flat += inner * int(power)
    return flat


def _tex(expr: Any) -> str:
    return latex(sp.sympify(expr).subs(C, sp.Symbol("BB^T", commutative=False)))
