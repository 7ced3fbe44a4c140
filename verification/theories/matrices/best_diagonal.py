"""What the best diagonal gain solves: the divergence's slope along a diagonal, through an adjoint.

The law is R(Sigma, H) = 0, a sum of words. With Y solving <Y, dR/dSigma> = N A - Sigma^(-1), the
derivative of 2 KL along H_kk is -[dR/dH]_kk: of each word p H q the entry (q Y p)_kk.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.independent.fields import transpose
from sgtheory.modepairs.matrixform import law_equation
from sgtheory.modepairs.pairs import stationary
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.matrixwords import SIGMA
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import say
from sgtheory.reader.exact import identity
from sgtheory.setting import Setting
from verification.laws.gains import with_default_step, written
from verification.laws.pair_form import by_word, letters_of
from verification.laws.rational import law_numbers, value_at
from verification.notation import A, C, H, N
from verification.refuter.conditions import Condition
from verification.refuter.parameters import written_under
from verification.refuter.places import Place
from verification.terms.arithmetics.rational import RATIONAL, fractions
from verification.verdicts.verdict import Correction, Evidence

if TYPE_CHECKING:
    from verification.theories.matrices.recipes import Recipe

Y = sp.Symbol("Y", commutative=False)


@dataclass(frozen=True)
class Stationarity:
    """diag(slope) = 0 where adjoint = N A - Sigma^(-1), and the law = 0."""

    setting: Setting
    time: str
    sides: tuple[Any, Any]  # of the law
    size: Any = N  # the posterior is that of so many examples

    @cached_property
    def law(self) -> Any:
        """Left minus right."""
        return sp.expand(self.sides[0] - self.sides[1])

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
        for word, scalar in by_word(_around(self.law, H)).items():
            letters = tuple(letters_of(word.args_cnc()[1]))
            letters = min(letters, letters[::-1], key=lambda w: [str(x) for x in w])
            found[letters] = found.get(letters, 0) + scalar
        return sp.Add(*(c * sp.Mul(*word) for word, c in found.items()))

    def at(self, place: Place) -> list[Fraction] | None:
        """dKL/dH_kk at an exact place, by this formula; Y solves its linear equation there."""
        law = law_numbers(self.setting, place, self.time)
        if law is None:
            return None
        d, known = place.D, {"Sigma": law.sigma}
        units = [tuple(tuple(int((a, b) == (i, j)) for b in range(d)) for a in range(d))
                 for i in range(d) for j in range(d)]  # fmt: skip
        columns = [_flat(value_at(self.adjoint, place, **known, Y=unit)) for unit in units]
        right = [[x] for x in _flat(value_at(self.direction, place, **known))]
        solved = RATIONAL.number(transpose(columns)).solve(RATIONAL.number(right))
        own = fractions(solved)
        value = value_at(
            self.slope, place, **known, Y=[_flat(own[k * d : (k + 1) * d]) for k in range(d)]
        )
        return [-value[k][k] / 2 for k in range(d)]

    def correction(self) -> Correction:
        """The equations, for the page."""
        slope = sp.expand(self.slope / 2)
        lines = (
            Formula(
                rf"\operatorname{{diag}}\left({in_latex(slope)}\right) = 0", f"diag({plain(slope)}) = 0"
            ),
            *(Formula(*(" = ".join(map(shown, sides)) for shown in (in_latex, plain)))
              for sides in ((self.adjoint, self.direction), self.sides)),
        )  # fmt: skip
        words = "for a diagonal $H$, in every dimension; no formula is known for its solution"
        said = "the best diagonal H solves " + ", with ".join(line.text for line in lines)
        return Correction(lines, "proved", words, said=said)

    def told(self) -> Derivation:
        """Where the equations come from."""
        zero = sp.Integer(0)
        turned = Formula(r"\left\langle Y, \partial_\Sigma R \right\rangle", "<Y, dR/dSigma>")
        condition = Formula(r"\operatorname{diag}(\partial_H R)", "diag(dR/dH)")
        adjoint = (
            Equation(turned, written(self.adjoint)),
            Equation(written(self.adjoint), self.direction),
        )
        force = in_latex(self.direction)
        whole = Formula(
            rf"2 \, d\mathrm{{KL}} = \operatorname{{Tr}}\left(({force}) \, d\Sigma\right)",
            f"2 dKL = Tr(({plain(self.direction)}) dSigma)",
        )
        turned_whole = Formula(
            r"2 \, d\mathrm{KL} = -\operatorname{Tr}(Y \, \partial_H R \, dH)", "2 dKL = -Tr(Y dR/dH dH)"
        )
        two = say("{}; $Y$ is to turn $dSigma$ into $dH$:", whole)
        then = say("Then {}, and the slopes along a diagonal vanish where this does:", turned_whole)
        steps = (
            Step("The law", "$R$ is left minus right:", (Equation(written(self.law), zero),)),
            Step("The adjoint", two, adjoint),
            Step("The slopes", then, (Equation(condition, written(sp.expand(self.slope / 2))),)),
        )
        result = Result("stationarity", Equation(condition, zero))
        return Derivation("What the best diagonal gain solves", steps, (result,))


def stationarity(setting: Setting, time: str, given: tuple[Condition, ...] = ()) -> Stationarity:
    """From the equation of the law in matrices.

    >>> from sgtheory import registry
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> found = stationarity(sgd, "continuous")
    >>> found.slope, found.adjoint
    (2*A*Sigma*Y - 2*C*H*Y/S, A*H*Y + Y*H*A)
    """
    law = law_equation(stationary(setting, time))
    left, right = (
        written_under(with_default_step(setting, side), given) for side in (law.left, law.right)
    )
    return Stationarity(setting, time, (left, right), written_under(N, given))


def _around(law: Any, letter: Any) -> Any:
    """The sum of c q Y p over the occurrences of a letter in words c p letter q."""
    total = sp.Integer(0)
    for word, scalar in by_word(law).items():
        flat = letters_of(word.args_cnc()[1])
        for k, found in enumerate(flat):
            if found == letter:
                total += scalar * sp.Mul(*flat[k + 1 :], Y, *flat[:k])
    return total


def _flat(rows: Any) -> list[Any]:
    return [x for row in rows for x in row]


def no_symmetric_formula(recipe: Recipe) -> Evidence | None:
    """A problem that exchanging coordinates leaves as it is, whose best gain does not stay as it is.

    There a formula that treats coordinates alike gives h I; the best h is that of the printed gain, and
    a gain with the same trace but other entries is better.
    """
    B = ((Fraction(2), Fraction(1)), (Fraction(1), Fraction(2)))
    scalars = {**dict.fromkeys(recipe.space.scalars, Fraction(1)), "N": Fraction(16)}
    matrices = {"A": identity(2), "B": B, "E": B}
    letters = {n: m for n, m in matrices.items() if n in recipe.space.matrices}
    printed = recipe.placed(Place(letters, scalars))
    if printed is None or recipe.time == "discrete":
        return None
    better = recipe.times(printed, (Fraction(3, 2), Fraction(1, 2)))
    pair, slopes = [recipe.law(place) for place in (printed, better)], recipe.slopes(printed)
    if None in pair or slopes is None or any(slopes.values()):
        return None
    (first, one), (second, other) = (  # A = I
        (m[0][0] + m[1][1], m[0][0] * m[1][1] - m[0][1] ** 2) for m in pair
    )
    if first != second or other <= one:
        return None
    more = " and $E = B$" if "E" in letters else ""
    words = (
        "No formula that treats coordinates alike gives the best diagonal gain: $A = I$,"
        " $B = [2 1; 1 2]${} stay as they are when the coordinates are exchanged; among gains $h I$ the"
        " printed one is best, yet $(3/2, 1/2)$ times it has the same $Tr(A Sigma)$ and {} {} times as"
        " large. So there are two best gains, each the other with its entries exchanged."
    )
    volume = Formula(r"\det \Sigma", "det Sigma")
    told = say(words, more, volume, other / one)
    return Evidence("exact", told, {"volume_ratio": str(other / one)})


def in_latex(expr: Any) -> str:
    """With C as the papers write it."""
    return latex(sp.sympify(expr).subs(C, sp.Symbol("BB^T", commutative=False)))
