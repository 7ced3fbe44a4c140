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
from sympy.polys.fields import field

from sgtheory.declare import MatrixName
from sgtheory.independent.fields import Itself, Rows, add, inverse, multiply, transpose
from sgtheory.independent.running import Point
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.printing import plain
from verification.laws.rational import (
    Numbers,
    is_stable,
    matrix_value,
    moments_at,
    scalar_value,
    stationary_moments,
)
from verification.refuter.places import Place
from verification.theories.matrices.freedom import DIAGONAL_OVER, STEP_OVER, Freedom
from verification.theories.matrices.plane import PLANE, bounded_in_the_plane, is_best_for_the_trace
from verification.theories.matrices.searching import search
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

    kind: str  # "unstable", "unbounded", "bounded in two dimensions" or "found"
    place: Place  # with the printed value in it
    better: Place
    value: float
    words: str
    derivation: Derivation | None = None
    bound: float | None = None  # of every problem in two dimensions

    @property
    def bounded(self) -> bool | None:
        """Whether the loss has a bound over all problems; None where that is not known."""
        return None if self.kind in ("found", PLANE) else False

    def evidence(self) -> Evidence:
        """For a finding, with the numbers under the key ``loss``."""
        proved = self.kind not in ("found", PLANE)
        numbers = {
            "kind": self.kind,
            "bounded": self.bounded,
            "value": self.value if math.isfinite(self.value) else "infinite",
            "how": "exact" if proved else "found by search, not proved to be the largest",
            **({"bound": self.bound} if self.bound is not None else {}),
            "problem": self.place.to_json(),
            "better": _parameter(self.better, self.place),
        }
        route = {"unstable": "exact", "found": "search"}.get(self.kind, "symbolic")
        return Evidence(route, self.words, {"loss": numbers}, self.derivation)


def loss_of(recipe: Recipe) -> Evidence | None:
    """What is lost at worst, as far as it is known."""
    found = _unstable(recipe) if recipe.time == "discrete" else None
    found = found or _unbounded(recipe) or _found(recipe)
    if found is None:
        return None
    if recipe.over == STEP_OVER and found.kind == "found":
        balance = recipe.balance
        if is_best_for_the_trace(balance, recipe.value):
            found = bounded_in_the_plane(balance, found) or found
    return found.evidence()


def _parameter(better: Place, place: Place) -> dict[str, Any]:
    shown = better.to_json()["params"]
    return {k: v for k, v in shown.items() if v != place.to_json()["params"][k]}


# -- beyond the limit of stability ---------------------------------------------------------------


def _unstable(recipe: Recipe) -> Loss | None:
    setting, freedom = recipe.setting, recipe.freedom
    for printed in _steep_places(recipe):
        slightly = freedom.times(printed, (Fraction(15, 16),))
        if is_stable(setting, slightly, "discrete"):
            continue
        smaller = next(_stable_ones(recipe, printed), None)
        if smaller is None:
            continue
        _, best = search(setting, smaller, "discrete", freedom, starts=1)
        what = "step" if freedom.over == STEP_OVER else "gain"
        return Loss(
            "unstable",
            printed,
            best.place,
            math.inf,
            f"Where the curvature is large against N/S times the noise, the printed {what} lies beyond"
            f" the limit of stability, and the loss is infinite: {_numbers(printed, what)} the chain has"
            f" no stationary law, while the best {what} leaves a divergence of"
            f" {abs(best.divergence):.3g}.",
        )
    return None


def _steep_places(recipe: Recipe) -> Iterator[Place]:
    """Small problems with fewer examples in a minibatch than there are, printed value put in."""
    wanted = (p for p in recipe.space.small() if p.scalars["N"] > p.scalars["S"])
    for place in islice((p for p in wanted if all(c.holds(p) for c in recipe.conditions)), _PLACES):
        for factor in _STEEPER:
            steep = place.but(A=tuple(tuple(factor * x for x in row) for row in place.A))
            try:
                printed = recipe.placed(steep)
            except (ZeroDivisionError, TypeError):
                printed = None
            if printed is not None:
                yield printed


def _stable_ones(recipe: Recipe, printed: Place) -> Iterator[Place]:
    """The same problem with a smaller value that has a law, and a divergence."""
    for k in range(1, _SHORTER):
        place = recipe.freedom.times(printed, (Fraction(1, 2**k),))
        moments = stationary_moments(recipe.setting, place, "discrete")
        if moments is not None:
            if _determinant(moments["theta,theta"]) != 0:
                yield place
            return


def _numbers(place: Place, what: str) -> str:
    if place.D > 1:
        return "at the problem shown"
    step = what == "step"
    value = place.scalars["eps"] if step else place.matrices["H"][0][0]
    rest = {k: x for k, x in place.scalars.items() if k in ("N", "S", "mu", "" if step else "eps")}
    if "E" in place.matrices:
        rest["E"] = place.matrices["E"][0][0]
    more = ", ".join(f"{k} = {x}" for k, x in sorted(rest.items()))
    start = f"with A = {place.A[0][0]}, B B^T = {place.C[0][0]}, {more}"
    return f"{start} the recipe says {'eps' if step else 'H'} = {value};"


# -- families ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Family:
    """Problems in one letter u: noise that becomes singular as u vanishes, and a curvature."""

    A: tuple[tuple[int, ...], ...]
    factors: tuple[Any, ...]  # what the printed value is multiplied with; functions of u

    def words(self) -> str:
        """Its matrices."""
        rows = "; ".join(" ".join(map(str, row)) for row in self.A)
        return f"A = [{rows}], B = [1 1-u; 1-u 1]"


_FIELD, _U = field("u", sp.QQ)
_CURVATURES = (((1, 0), (0, 1)), ((1, 0), (0, 2)), ((2, 1), (1, 2)))


def _families(over: str) -> Iterator[Family]:
    half = _FIELD(1) / 2
    apart = ((3 * half, half),) if over == DIAGONAL_OVER else ()
    for A, factors in product(_CURVATURES, (*apart, (_U,), (1 / _U,))):
        yield Family(A, factors)


def _unbounded(recipe: Recipe) -> Loss | None:
    """A family on which the loss grows without bound, if one of those that are tried does."""
    if any(not _holds_on_families(c) for c in recipe.conditions):
        return None
    for family in _families(recipe.over):
        try:
            found = _compared(recipe, family)
        except (ZeroDivisionError, TypeError):
            continue
        if found is not None and _diverges(*found):
            return _told(recipe, family, *found)
    return None


def _holds_on_families(condition: Any) -> bool:
    place = Place({}, {"N": Fraction(_N), "S": Fraction(1)})
    return condition.letters == ("S",) and bool(condition.holds(place))


def _compared(recipe: Recipe, family: Family) -> tuple[Any, Any] | None:
    """T and R: the printed divergence exceeds the other one by (T + log R)/2."""
    numbers = _numbers_of(recipe, family)
    printed = _put(recipe, numbers, numbers.one, numbers.field(1))
    if printed is None:
        return None
    moved = _moved(recipe.freedom, printed, family.factors)
    first, second = (_covariance(recipe, numbers, each) for each in (printed, moved))
    A, size = numbers.matrices["A"], numbers.field(_N)
    ratio = _determinant(second) / _determinant(first)
    if not recipe.reverse:
        rest = multiply(A, add(first, [[-x for x in row] for row in second]))
        return size * _trace(rest), ratio
    turned = [inverse(multiply(m, A)) for m in (first, second)]
    return (_trace(turned[0]) - _trace(turned[1])) / size, 1 / ratio


def _numbers_of(recipe: Recipe, family: Family) -> Numbers:
    one, zero = _FIELD(1), _FIELD(0)
    B = [[one, one - _U], [one - _U, one]]
    C = multiply(B, transpose(B))
    matrices = {"A": [[_FIELD(x) for x in row] for row in family.A], "B": B, "C": C, "E": B, "EE^T": C}
    roots = dict.fromkeys(("eps", "mu", "S"), one) | {
        "N": _FIELD(math.isqrt(_N)),
        "D": Itself(_FIELD(2)),
    }
    return Numbers(_FIELD, {**matrices, "I": [[one, zero], [zero, one]]}, roots)


def _put(recipe: Recipe, numbers: Numbers, H: Rows, eps: Any) -> tuple[Any, Rows] | None:
    """The printed step and gain on a family."""
    if recipe.over != STEP_OVER:
        return eps, matrix_value(recipe.value, numbers)
    gain = H if recipe.gain is None else matrix_value(recipe.gain, numbers)
    return scalar_value(recipe.value, replace(numbers, matrices={**numbers.matrices, "H": gain})), gain


def _moved(freedom: Freedom, printed: tuple[Any, Rows], factors: tuple[Any, ...]) -> tuple[Any, Rows]:
    eps, H = printed
    if freedom.over == STEP_OVER:
        return eps * factors[0], H
    if len(factors) == 1:
        return eps, [[x * factors[0] for x in row] for row in H]
    return eps, [[x * factors[i] if i == j else x for j, x in enumerate(row)] for i, row in enumerate(H)]


def _covariance(recipe: Recipe, numbers: Numbers, put: tuple[Any, Rows]) -> Rows:
    eps, H = put
    symbols = {s for _, e in recipe.setting.updates for s in e.free_symbols}
    known = {**numbers.roots, "eps": Itself(eps) if recipe.over == STEP_OVER else numbers.roots["eps"]}
    roots = {s: known.get(s.name) for s in symbols if not isinstance(s, MatrixName)}
    point = Point(_FIELD, roots, (), {**numbers.matrices, "H": H}, numbers.one)
    return moments_at(recipe.setting, point, recipe.time)["theta,theta"]


def _diverges(linear: Any, ratio: Any) -> bool:
    """Whether T + log R goes to infinity with 1/u: T has a limit, or grows, and R grows."""
    order, sign = _order(linear)
    return (order >= 0 or sign > 0) and _order(ratio)[0] < 0


def _order(x: Any) -> tuple[float, int]:
    """The power of u with which a rational function begins at u = 0, and the sign there."""
    if x == 0:
        return math.inf, 0
    low = [min(p.terms(), key=lambda t: t[0]) for p in (x.numer, x.denom)]
    sign = 1 if low[0][1] * low[1][1] > 0 else -1
    return low[0][0][0] - low[1][0][0], sign


def _told(recipe: Recipe, family: Family, linear: Any, ratio: Any) -> Loss:
    u = sp.Symbol("u", positive=True)
    parts = [sp.factor(x.as_expr().subs(sp.Symbol("u"), u)) for x in (linear, ratio)]
    difference = (parts[0] + sp.log(parts[1])) / 2
    k = next(k for k in range(1, 200) if float(difference.subs(u, sp.Rational(1, 2**k))) > 1)
    value = float(difference.subs(u, sp.Rational(1, 2**k)))
    shown = Formula(r"\mathrm{KL}_{\text{printed}} - \mathrm{KL}", "KL_printed - KL")
    factors = ", ".join(str(f.as_expr()) for f in family.factors)
    each = " entry by entry" if len(family.factors) > 1 else ""
    problems = f"{family.words()}, N = {_N}, S = 1{_more(recipe)}"
    grows = (
        f"The argument of the logarithm begins with u^({_order(ratio)[0]}), the rest is bounded below."
    )
    steps = (
        Step("The problems", f"{problems}, with u between 0 and 1."),
        Step(
            "A better value",
            f"The printed one times {factors}{each}:",
            (Equation(shown, difference),),
        ),
        Step("As u vanishes", grows),
    )
    place = _place(recipe, family, Fraction(1, 2**k))
    there = [f.as_expr().subs(sp.Symbol("u"), sp.Rational(1, 2**k)) for f in family.factors]
    words = (
        f"Where it fails its loss has no bound: on the problems {problems} the printed value times"
        f" {factors}{each} is better by {plain(difference)}, which grows without bound as u vanishes; at"
        f" u = 1/{2**k} it is {value:.3g}."
    )
    result = Result("loss", Equation(shown, difference))
    return Loss(
        "unbounded",
        place,
        recipe.freedom.times(place, tuple(Fraction(str(f)) for f in there)),
        value,
        words,
        Derivation("The loss along a family of problems", steps, (result,)),
    )


def _more(recipe: Recipe) -> str:
    names = {p.name for p in recipe.setting.sampler.parameters}
    more = ", E = B" if "E" in names else ""
    return more + (", mu = 1" if "mu" in names else "")


def _place(recipe: Recipe, family: Family, u: Fraction, mu: Fraction | None = None) -> Place:
    """A member of a family as a problem, with the printed value in it."""
    one = Fraction(1)
    B = ((one, one - u), (one - u, one))
    A = tuple(tuple(Fraction(x) for x in row) for row in family.A)
    matrices = {"A": A, "B": B, **({"E": B} if "E" in recipe.space.matrices else {})}
    scalars = {**dict.fromkeys(recipe.space.scalars, one), "N": Fraction(_N)}
    if mu is not None and "mu" in scalars:
        scalars["mu"] = mu
    placed = recipe.placed(Place(matrices, scalars))
    assert placed is not None
    return placed


# -- searches ------------------------------------------------------------------------------------


def _found(recipe: Recipe) -> Loss | None:
    """The largest loss on a few members of families, by searching for the best value on each."""
    if any(not _holds_on_families(c) for c in recipe.conditions):
        return None
    best: Loss | None = None
    damped = "mu" in recipe.space.scalars
    for mu, k in product((Fraction(1, 4), Fraction(1, 16)) if damped else (Fraction(1),), (2, 4, 6)):
        family = Family(_CURVATURES[1], (_U,))
        place = _place(recipe, family, Fraction(1, 2**k), mu)
        here, better = search(recipe.setting, place, recipe.time, recipe.freedom, starts=1)
        lost = here - better.divergence
        if math.isfinite(lost) and (best is None or lost > best.value):
            more = f", mu = {mu}" if damped else ""
            words = (
                f"The largest loss that a search found is {lost:.3g}, with {family.words()} at u ="
                f" 1/{2**k}, N = {_N}, S = 1{more}"
            )
            unproved = "; it is not proved to be the largest there is."
            best = Loss("found", place, better.place, lost, words + unproved)
    return best


def _trace(rows: Rows) -> Any:
    return sum((rows[k][k] for k in range(1, len(rows))), rows[0][0])


def _determinant(rows: Rows) -> Any:
    if len(rows) == 1:
        return rows[0][0]
    minors = ([[x for j, x in enumerate(row) if j != k] for row in rows[1:]] for k in range(len(rows)))
    signed = [rows[0][k] * _determinant(minor) * (1 - 2 * (k % 2)) for k, minor in enumerate(minors)]
    return sum(signed[1:], signed[0])
