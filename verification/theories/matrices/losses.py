"""How much is lost by a printed recipe where it fails: its divergence less that of the best choice.

Three routes. *Unstable*: an exact problem at which the printed value lies beyond the limit of stability,
and a smaller one does not. *Unbounded*: a family of problems in one letter u, on which the printed value
and a better one are compared as rational functions of u; the difference grows without bound as u
vanishes, which the orders of two functions at u = 0 prove. *Found*: the largest of a few searches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.dynamics.leading import leading
from sgtheory.modepairs.matrixform import law_equation
from sgtheory.modepairs.pairs import stationary
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.matrixwords import Determinant
from sgtheory.notation.printing import plain
from sgtheory.notation.sentence import sentence
from verification.laws.rational import is_stable, value_at
from verification.notation import Sigma
from verification.refuter.places import Place
from verification.terms.arithmetics.symbols import SYMBOLS
from verification.terms.from_sympy import from_sympy
from verification.terms.walking import walk
from verification.theories.matrices.freedom import DIAGONAL_OVER, STEP_OVER, scaled, search
from verification.verdicts.verdict import Evidence

if TYPE_CHECKING:
    from verification.theories.matrices.recipes import Recipe

_PLACES = 400  # small ones, looked at for an unstable step
_STEEPER = tuple(map(Fraction, (1, 4, 16, 64)))  # A is made so much larger
_SHORTER = 24  # halvings of a step, until it is stable
_N = 16  # of a family: with S = 1, minibatches are small against the data


@dataclass(frozen=True)
class Loss:
    """A problem, the printed value, a better one, and how much smaller the divergence is there."""

    kind: str  # "unstable", "unbounded" or "found"
    place: Place  # with the printed value in it
    better: Place
    value: float
    words: str
    derivation: Derivation | None = None

    def evidence(self) -> Evidence:
        """For a finding, with the numbers under the key ``loss``."""
        proved = self.kind != "found"
        mine, best = (p.to_json()["params"] for p in (self.place, self.better))
        numbers = {
            "kind": self.kind,
            "bounded": False if proved else None,
            "value": self.value if math.isfinite(self.value) else "infinite",
            "how": "exact" if proved else "found by search, not proved to be the largest",
            "problem": self.place.to_json(),
            "better": {k: v for k, v in best.items() if v != mine[k]},
        }
        route = {"unstable": "exact", "found": "search"}.get(self.kind, "symbolic")
        return Evidence(route, sentence(f"{self.words}."), {"loss": numbers}, self.derivation)


def loss_of(recipe: Recipe) -> Evidence | None:
    """What is lost at worst, as far as it is known."""
    found = _unstable(recipe) if recipe.time == "discrete" else None
    found = found or _unbounded(recipe) or _found(recipe)
    return None if found is None else found.evidence()


# -- beyond the limit of stability ---------------------------------------------------------------


def _unstable(recipe: Recipe) -> Loss | None:
    for printed in _steep_places(recipe):
        slightly = recipe.times(printed, (Fraction(15, 16),))
        smaller = None if is_stable(recipe.setting, slightly, "discrete") else _stable(recipe, printed)
        if smaller is None:
            continue
        _, best, left = search(recipe.setting, smaller, "discrete", recipe)
        what = "step" if recipe.over == STEP_OVER else "gain"
        words = (
            f"Where the curvature is large against the noise, the printed {what} lies beyond"
            f" the limit of stability, and the loss is infinite: {_numbers(printed, what)} the chain has"
            f" no stationary law, while the best {what} leaves a divergence of {abs(left):.3g}"
        )
        return Loss("unstable", printed, best, math.inf, words)
    return None


def _steep_places(recipe: Recipe) -> Iterator[Place]:
    """Small problems with fewer examples in a minibatch than there are, printed value put in."""
    wanted = (p for p in recipe.space.small() if p.scalars["N"] > p.scalars["S"])
    for place in islice((p for p in wanted if all(c.holds(p) for c in recipe.conditions)), _PLACES):
        for factor in _STEEPER:
            steep = place.but(A=tuple(tuple(factor * x for x in row) for row in place.A))
            try:
                printed = recipe.placed(steep)
            except ArithmeticError:
                printed = None
            if printed is not None:
                yield printed


def _stable(recipe: Recipe, printed: Place) -> Place | None:
    """The same problem with a smaller value that has a law, and a divergence."""
    for k in range(1, _SHORTER):
        place = recipe.times(printed, (Fraction(1, 2**k),))
        sigma = recipe.law(place)
        if sigma is not None:
            volume = value_at(Determinant(Sigma), place, Sigma=sigma)
            return place if volume != 0 else None
    return None


def _numbers(place: Place, what: str) -> str:
    if place.D > 1:
        return "at the problem shown"
    step = what == "step"
    value = place.scalars["eps"] if step else place.matrices["H"][0][0]
    rest = {k: x for k, x in place.scalars.items() if k in ("N", "S", "mu", "" if step else "eps")}
    if "E" in place.matrices:
        rest["E"] = place.matrices["E"][0][0]
    more = ", ".join(f"${k} = {x}$" for k, x in sorted(rest.items()))
    start = f"with $A = {place.A[0][0]}$, $B B^T = {place.C[0][0]}$, {more}"
    return f"{start} the recipe says ${'eps' if step else 'H'} = {value}$;"


# -- families ------------------------------------------------------------------------------------

_U = sp.Symbol("u", positive=True)
_B = ((1, 1 - _U), (1 - _U, 1))  # noise that becomes singular as u vanishes
_CURVATURES = (((1, 0), (0, 1)), ((1, 0), (0, 2)), ((2, 1), (1, 2)))


@dataclass(frozen=True)
class Family:
    """Problems in one letter u, with a curvature; and what the printed value is multiplied with."""

    A: tuple[tuple[int, ...], ...]
    factors: tuple[Any, ...]

    def words(self) -> str:
        """Its matrices."""
        rows = "; ".join(" ".join(map(str, row)) for row in self.A)
        return f"$A = [{rows}]$, $B = [1 1-u; 1-u 1]$"

    def compared(self, recipe: Recipe) -> tuple[Any, Any]:
        """T and R: the printed divergence exceeds the other one by (T + log R)/2."""
        A, B, one = sp.Matrix(self.A), sp.Matrix(_B), sp.eye(2)
        noise = {"C": B * B.T, "EE^T": B * B.T}
        bare = {"A": A, "B": B, "E": B, **noise, "H": one, "I": one}
        if recipe.over == STEP_OVER:
            gain = one if recipe.gain is None else _value(recipe.gain, bare)
            eps, H = _value(recipe.value, {**bare, "H": gain}), gain
            values = ((eps, H), (eps * self.factors[0], H))
        else:
            H = _value(recipe.value, bare)
            values = ((sp.Integer(1), H), (sp.Integer(1), sp.Matrix(scaled(H.tolist(), self.factors))))
        first, second = (_covariance(recipe, {**bare, "H": H}, eps) for eps, H in values)
        ratio = second.det() / first.det()
        if not recipe.reverse:
            return sp.cancel(_N * (A * (first - second)).trace()), sp.cancel(ratio)
        turned = [(m * A).inv().trace() for m in (first, second)]
        return sp.cancel((turned[0] - turned[1]) / _N), sp.cancel(1 / ratio)

    def place(self, recipe: Recipe, u: Fraction, mu: Fraction | None = None) -> Place:
        """A member of the family as a problem, with the printed value in it."""
        B = tuple(tuple(Fraction(str(sp.sympify(x).subs(_U, str(u)))) for x in row) for row in _B)
        A = tuple(tuple(Fraction(x) for x in row) for row in self.A)
        matrices = {"A": A, "B": B, **({"E": B} if "E" in recipe.space.matrices else {})}
        scalars = {**dict.fromkeys(recipe.space.scalars, Fraction(1)), "N": Fraction(_N)}
        if mu is not None and "mu" in scalars:
            scalars["mu"] = mu
        placed = recipe.placed(Place(matrices, scalars))
        assert placed is not None
        return placed


def _families(over: str) -> Iterator[Family]:
    apart = ((sp.Rational(3, 2), sp.Rational(1, 2)),) if over == DIAGONAL_OVER else ()
    for A, factors in product(_CURVATURES, (*apart, (_U,), (1 / _U,))):
        yield Family(A, factors)


def _unbounded(recipe: Recipe) -> Loss | None:
    """A family on which the loss grows without bound, if one of those that are tried does."""
    if any(not _holds_on_families(c) for c in recipe.conditions):
        return None
    for family in _families(recipe.over):
        try:
            linear, ratio = family.compared(recipe)
        except NotImplementedError:  # a root that is no rational function
            continue
        order, first = leading(linear, _U) or (sp.oo, 0)
        if (order >= 0 or first > 0) and _order(ratio) < 0:  # T has a limit, or grows, and R grows
            return _told(recipe, family, linear, ratio)
    return None


def _holds_on_families(condition: Any) -> bool:
    """A condition on the noise alone that one member of a family has is one that almost all have."""
    half = tuple(tuple(Fraction(str(sp.sympify(x).subs(_U, "1/2"))) for x in row) for row in _B)
    place = Place({"B": half}, {"N": Fraction(_N), "S": Fraction(1)})
    return condition.letters in (("S",), ("C",)) and bool(condition.holds(place))


def _power(base: Any, exponent: Any) -> Any:
    if hasattr(base, "rows") and not exponent.is_Integer:
        raise NotImplementedError("a root has no entries that are rational")
    return base**exponent


_BY_ENTRIES = {"power": _power, "trace": sp.Matrix.trace, "diagonal": lambda m: sp.diag(*m.diagonal())}
_ENTRIES = replace(SYMBOLS, operations={**SYMBOLS.operations, **_BY_ENTRIES})


def _value(expr: Any, known: dict[str, Any]) -> Any:
    """A formula with matrices of two rows for its letters, and a number for each that has none."""
    side, numbers = from_sympy(expr), {"N": sp.Integer(_N), "D": sp.Integer(2)}
    values = {a.name: known.get(a.name, numbers.get(a.name, sp.Integer(1))) for a in side.letters}
    found = walk(side, _ENTRIES, values)
    return found.applyfunc(sp.cancel) if hasattr(found, "rows") else sp.cancel(found)


def _covariance(recipe: Recipe, matrices: dict[str, Any], eps: Any) -> Any:
    """The solution of the law's equation."""
    law = law_equation(stationary(recipe.setting, recipe.time))
    a, b, c = unknown = sp.symbols("_a _b _c", real=True)
    there = {**matrices, "Sigma": sp.Matrix([[a, b], [b, c]]), str(recipe.setting.sampler.step): eps}
    (solved,) = sp.linsolve(list(_value(sp.expand(law.left - law.right), there)), *unknown)
    return there["Sigma"].subs(dict(zip(unknown, solved, strict=True)))


def _order(x: Any) -> Any:
    """The power of u with which a rational function begins at u = 0."""
    return (leading(x, _U) or (sp.oo, 0))[0]


def _told(recipe: Recipe, family: Family, linear: Any, ratio: Any) -> Loss:
    difference = (sp.factor(linear) + sp.log(sp.factor(ratio))) / 2
    k = next(k for k in range(1, 200) if float(difference.subs(_U, sp.Rational(1, 2**k))) > 1)
    value = float(difference.subs(_U, sp.Rational(1, 2**k)))
    lost = Formula(r"\mathrm{KL}_{\text{printed}} - \mathrm{KL}", "KL_printed - KL")
    shown = Equation(lost, difference)
    factors = ", ".join(f"${x}$" for x in family.factors)
    factors += " entry by entry" if family.factors[1:] else ""
    names = {p.name for p in recipe.setting.sampler.parameters}
    more = (", $E = B$" if "E" in names else "") + (", $mu = 1$" if "mu" in names else "")
    problems = f"{family.words()}, $N = {_N}$, $S = 1${more}"
    grows = (
        f"The argument of the logarithm begins with $u^({_order(ratio)})$, the rest is bounded below."
    )
    steps = (
        Step("The problems", f"{problems}, with $u$ between 0 and 1."),
        Step("A better value", f"The printed one times {factors}:", (shown,)),
        Step("As $u$ vanishes", grows),
    )
    place = family.place(recipe, Fraction(1, 2**k))
    there = tuple(Fraction(str(f.subs(_U, sp.Rational(1, 2**k)))) for f in family.factors)
    words = (
        f"Where it fails, what it adds to the divergence has no bound: on the problems {problems} the"
        f" printed value times {factors} is better by ${plain(difference)}$, which grows without end as"
        f" $u$ vanishes; at $u = 1/{2**k}$ it is {value:.3g}"
    )
    told = Derivation("The loss along a family of problems", steps, (Result("loss", shown),))
    return Loss("unbounded", place, recipe.times(place, there), value, words, told)


# -- searches ------------------------------------------------------------------------------------


def _found(recipe: Recipe) -> Loss | None:
    """The largest loss on a few members of families, by searching for the best value on each."""
    if any(not _holds_on_families(c) for c in recipe.conditions):
        return None
    best: Loss | None = None
    damped, family = "mu" in recipe.space.scalars, Family(_CURVATURES[1], (_U,))
    for mu, k in product((Fraction(1, 4), Fraction(1, 16)) if damped else (Fraction(1),), (2, 4, 6)):
        place = family.place(recipe, Fraction(1, 2**k), mu)
        here, better, there = search(recipe.setting, place, recipe.time, recipe)
        lost = here - there
        if math.isfinite(lost) and (best is None or lost > best.value):
            more = f", $mu = {mu}$" if damped else ""
            words = (
                f"The largest loss that a search found is {lost:.3g}, with {family.words()} at"
                f" $u = 1/{2**k}$, $N = {_N}$, $S = 1${more}; it is not proved to be the largest there"
                " is"
            )
            best = Loss("found", place, better, lost, words)
    return best
