"""How much is lost by a printed recipe where it fails: its divergence less that of the best choice.

Three routes. *Unstable*: an exact problem at which the printed value lies beyond the limit of stability,
and a smaller one does not. *Unbounded*: a family of problems in one letter u, on which the printed value
and a better one are compared as rational functions of u; the difference grows without bound as u
vanishes, which the orders of two functions at u = 0 prove. *Found*: the largest of a few searches, with
a bound in two dimensions where one is known.
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
from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.matrixwords import Determinant
from sgtheory.notation.printing import plain
from sgtheory.notation.sentence import say
from verification.laws.pair_form import LETTERS
from verification.laws.rational import is_stable, value_at
from verification.notation import D, Sigma, trace
from verification.refuter.places import Place
from verification.theories.matrices.best import Balance, noises
from verification.theories.matrices.components import Components
from verification.theories.matrices.freedom import DIAGONAL_OVER, STEP_OVER, scaled, search
from verification.theories.positivity import nowhere_negative
from verification.verdicts.verdict import Evidence

if TYPE_CHECKING:
    from verification.theories.matrices.recipes import Recipe

PLANE = "bounded in two dimensions"
_PLACES = 400  # small ones, looked at for an unstable step
_STEEPER = tuple(map(Fraction, (1, 4, 16, 64)))  # A is made so much larger
_SHORTER = 24  # halvings of a step, until it is stable
_N = 16  # of a family: with S = 1, minibatches are small against the data
_BOUND = 1.5 * math.log(1.5) - 0.5
_MOST = Formula(
    rf"\tfrac{{3}}{{2}} \log \tfrac{{3}}{{2}} - \tfrac{{1}}{{2}} = {_BOUND:.3g}",
    f"3/2 log(3/2) - 1/2 = {_BOUND:.3g}",
)
_VOLUME, _STEP = Formula(r"\log \det \Sigma", "log det Sigma"), Formula(r"\log \epsilon", "log eps")


@dataclass(frozen=True)
class Loss:
    """A problem, the printed value, a better one, and how much smaller the divergence is there."""

    kind: str  # "unstable", "unbounded", "bounded in two dimensions" or "found"
    place: Place  # with the printed value in it
    better: Place
    value: float
    words: str
    derivation: Derivation | None = None
    caveat: str = ""  # what is not known of it

    def evidence(self) -> Evidence:
        """For a finding, with the numbers under the key ``loss``."""
        proved = self.kind not in ("found", PLANE)
        mine, best = (p.to_json()["params"] for p in (self.place, self.better))
        numbers = {
            "kind": self.kind,
            "bounded": False if proved else None,
            "value": self.value if math.isfinite(self.value) else "infinite",
            "how": "exact" if proved else "found by search, not proved to be the largest",
            **({"bound": _BOUND} if self.kind == PLANE else {}),
            "problem": self.place.to_json(),
            "better": {k: v for k, v in best.items() if v != mine[k]},
        }
        route = {"unstable": "exact", "found": "search"}.get(self.kind, "symbolic")
        words = say("{}{}.", self.words, self.caveat)
        return Evidence(route, words, {"loss": numbers}, self.derivation)


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
        bare = {"A": A, "B": B, "E": B, **noise, "H": one}
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


def _value(expr: Any, matrices: dict[str, Any]) -> Any:
    found = _with_numbers(Components(matrices, 2).value(expr))
    return found.applyfunc(sp.cancel) if hasattr(found, "rows") else sp.cancel(found)


def _with_numbers(found: Any, free: tuple[Any, ...] = ()) -> Any:
    values = {"N": _N, "D": 2}
    return found.subs({s: values.get(s.name, 1) for s in found.free_symbols - {_U, *free}})


def _covariance(recipe: Recipe, matrices: dict[str, Any], eps: Any) -> Any:
    """The solution of the law's equation."""
    law = law_equation(stationary(recipe.setting, recipe.time))
    step = recipe.setting.sampler.step
    a, b, c = unknown = sp.symbols("_a _b _c", real=True)
    there = {**matrices, "Sigma": sp.Matrix([[a, b], [b, c]])}
    rest = Components(there, 2).value(sp.expand(law.left - law.right)).subs(step, eps)
    (solved,) = sp.linsolve(list(_with_numbers(rest, unknown)), *unknown)
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
                f" $u = 1/{2**k}$, $N = {_N}$, $S = 1${more}"
            )
            caveat = "; it is not proved to be the largest there is"
            best = Loss("found", place, better, lost, words, caveat=caveat)
    return best


def is_best_for_the_trace(found: Balance, value: Any) -> bool:
    """Whether N Tr(A Sigma) is D at the printed step: only such a step is bounded here.

    >>> from sgtheory import registry
    >>> from sgtheory.setting import Setting
    >>> from verification.theories.matrices.best import balance
    >>> from verification.theories.matrices.freedom import Freedom
    >>> from verification.notation import C, N, S
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> found = balance(sgd, "continuous", Freedom("step"))
    >>> steps = (2 * D * S / (N * trace(C)), 2 / trace(C))
    >>> [is_best_for_the_trace(found, step) for step in steps]
    [True, False]
    """
    p, traced = found.parameter, sp.Integer(0)
    for noise in found.noises:
        share = sp.cancel(LI * sp.diff(found.entry.subs(LJ, LI), noise) / p)
        if share.has(LI) or share.has(p):
            return False
        traced += found.size * share * value * trace(LETTERS[noise.name])
    return bool(not value.has(p) and sp.cancel(traced - D) == 0)


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
    words = (
        "In two dimensions the loss is at most {}: the slope of {} in {} lies between 2 and 3."
        " {}. For more dimensions no bound is known"
    )
    told = say(words, _MOST, _VOLUME, _STEP, worst.words)
    return replace(worst, kind=PLANE, words=told, caveat="")
