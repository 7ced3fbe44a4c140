"""Statements that are linear in the autocovariances A[0], A[1], ... of a stationary sequence.

What is linear in them is known from A[t] = x^t, for all x between 0 and 1: the coefficient of x^t is the
weight that lag t has. Sums of such powers are geometric, also over all lags.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, fields
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.sentence import formula_of, say
from verification.laws.pair_form import NotInPairForm
from verification.refuter.places import Place, Space
from verification.terms.arithmetics import SYMBOLS
from verification.terms.comparing import compared
from verification.terms.term import INFINITY, MINUS_INFINITY, Applied, Letter, Term, number, total
from verification.terms.walking import Unable
from verification.terms.ways import LENGTHS, Way, grows
from verification.terms.words import defines, word
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.exponentials import added_up, algebraic
from verification.theories.sequences import steps
from verification.theories.sequences.averages import Averages
from verification.theories.sequences.chains import chain_of
from verification.theories.sequences.far import Far, far_of
from verification.theories.sequences.growth import Family
from verification.theories.sequences.moments import moments_of
from verification.theories.sequences.steps import Steps, symbol_of
from verification.theories.sequences.symbols import T
from verification.theories.sequences.words import over, size
from verification.theories.subject import About
from verification.verdicts.verdict import Gap

AUTOCOVARIANCES = "autocovariances"
_RATE = sp.Symbol("rho", positive=True)  # A[t] = exp(-rho t)
_x, _y, _t = sp.symbols("x y t", positive=True)
_ENDS = {INFINITY: sp.oo, MINUS_INFINITY: -sp.oo}
_LAGS, _SHARE = (0, 1, 3), number("1/3")
_FAR: dict[Term, Any] = {
    INFINITY: number(_LAGS[-1]),
    MINUS_INFINITY: -number(_LAGS[-1]),
}  # beyond which all are zero


@dataclass(frozen=True)
class Lags(Steps):
    """What is known of autocovariances; ``products`` are those of entries whose means they are."""

    products: tuple[tuple[Term, Term], ...] = ()

    # -- at a few numbers of steps, and along more and more ---------------------------------------

    def ordered(self, space: Space) -> tuple[Any, ...]:
        """So that no spectrum is negative: at places lag zero is twice what all others add up to."""
        found = []
        for zero, *later in self._lags(space.scalars):
            others = [size(Letter(one, "real")) for one in later]
            found.append(2 * total(others or [number(0)]) <= Letter(zero, "real"))
        return (*super().ordered(space), *found)

    def calm(self, place: Place) -> Place:
        """Lag zero is made as large as it has to be."""
        worth = place.scalars
        least = {zero: 2 * sum(abs(worth[a]) for a in later) for zero, *later in self._lags(worth)}
        return place.but(**{zero: x + abs(worth[zero]) for zero, x in least.items()})

    def _lags(self, names: Collection[str]) -> Iterator[list[str]]:
        """The entries of autocovariances, by lags, that are among names; those that have lag zero."""
        for a in (a for a in self.letters if a.kind == AUTOCOVARIANCES):
            entries = [f"{a}[{k}]" for k in range(2 * max(steps.LENGTHS) + 1)]
            if entries[0] in names:
                yield [one for one in entries if one in names]

    def _meant(self, side: Term) -> Term:
        """With autocovariances in the place of means of products, inside of sums."""
        side = super()._meant(side)
        if isinstance(side, Applied) and side.head == "mean":
            (body,) = side.of
            if isinstance(body, Applied) and body.head == "sum":
                return self._meant(body.with_parts((Applied("mean", body.of[:1]), *body.of[1:])))
            return dict(self.products).get(body, side)
        return side.with_parts(tuple(map(self._meant, side.parts)))

    def _outgrown(self, left: Term, right: Term, endless: bool) -> Any:
        """Along autocovariances of one lag beside lag zero, by the sizes of both sides.

        To the right is added what is smaller than the left: it may be zero.
        """
        assert self.count is not None
        (name, *_) = (a for a in self.letters if a.kind == AUTOCOVARIANCES)
        found = None
        for lag in _LAGS:
            step = Letter("t", "index")
            formula = number(0) ** step**2
            formula = formula + _SHARE * number(0) ** (step - lag) ** 2 if lag else formula
            known = Family(((name, formula),), (), step)
            large, small = (size(known.along(self._meant(s).named(_FAR))) for s in (left, right))
            sides = large, small + large / self.count
            if any(a.kind not in ("count", "index") for side in sides for a in side.letters):
                return None  # a mean that no autocovariance is, say
            seen = [compared(*sides, {self.count.name: n}) for n in LENGTHS]
            if None in seen:
                continue
            found = (*sides, self.count, ((f"{name}[t]", str(formula)),))
            if grows([one.left / one.right for one in seen if one is not None]) is not endless:
                break
        return found

    # -- for every number of steps ----------------------------------------------------------------

    def weights(self, side: Term) -> Weights | None:
        """The weights of all lags; None where a side is not linear in autocovariances."""
        try:
            return Weights.of(_generating(self._meant(side), self._in_symbols, {}))
        except (NotInPairForm, Unable):
            return None

    def vanishes(self, left: Term, right: Term) -> Answer:
        """Whether every lag has the same weight on both sides."""
        rest = self.weights(left - right)
        if rest is None:
            return Silent(Silence.NO_FORMULA)
        if not rest.parts:
            lemma = "Every lag has the same weight on both sides."
            return Proved(lemma, rest.told, {"steps": "every"})
        return Disproved("Some lag has another weight on both sides.", rest.told)

    def has_order(
        self, _: Any, left: Term, relation: str, right: Term, way: Way, given: Any = ()
    ) -> Answer:
        """Whether weights over a power of the number of steps vanish and are bounded together."""
        rest = self.weights(left / right) if relation == "o" and way.letter == self.count else None
        if rest is None:
            return Silent(Silence.NO_FORMULA)
        if rest.vanish_together:
            lemma = "As {}, over {} the weight of each lag vanishes, and all stay bounded."
            return Proved(say(lemma, way, right), rest.told, {"steps": "every"})
        if rest.vanish:  # of finitely many lags it is true
            return Silent(Silence.BETWEEN_BOUNDS, derivation=rest.told)
        lemma = say("As {}, over {} the weights do not all vanish.", way, right)
        return Disproved(lemma, rest.told)

    def mended(self, left: Term, right: Term, constant_in: Any = ()) -> Iterator[tuple[Term, Term]]:
        """The left side with its double sums lag by lag."""
        yield left, _by_lags(self._meant(left))

    def gap(self, left: Term, right: Term, constant_in: Any = ()) -> Gap | None:
        """How the weights differ, beside that of lag zero, as the number of steps grows."""
        rest, own = self.weights(left - right), self.weights(right)
        if not rest or not own or not rest.parts or not own.at_zero:
            return None
        ratio = sp.cancel(rest.near / own.at_zero)
        power = -sum(sign * sp.degree(p, T) for sign, p in zip((1, -1), sp.fraction(ratio), strict=True))
        if power <= 0 or not Weights.of(rest.generating / own.at_zero).vanish_together:
            return None
        words = "weight of $A(t)$, compared with those that count,"
        return Gap(f"1/{T}", str(power), formula_of(ratio), words, of_many=True)


@dataclass(frozen=True)
class Weights:
    """Weights w of lags by the sum of w exp(-rho t) over all lags t.

    With x = exp(-rho) it is a sum of x^(a T + b) c/(1 - x)^k: ``parts`` has all (a, b, c, k), and c adds
    its binomial coefficient from the lag a T + b on.
    """

    generating: Any
    parts: tuple[tuple[Any, Any, Any, int], ...]

    @classmethod
    def of(cls, generating: Any) -> Weights:
        """The weights of a generating function."""
        formula, letters = algebraic(generating)
        powers = {letter: sp.cancel(e.args[0] / _RATE) for letter, e in letters.items()}
        put = {letter: (1 / _y if q.has(T) else _x**-q) for letter, q in powers.items()}
        step = next((q / T for q in powers.values() if q.has(T)), 0)
        top, bottom = sp.fraction(sp.cancel(sp.together(formula.subs(put))))
        if bottom.has(_y):
            raise NotInPairForm(f"{generating} is no sum of powers")
        found: list[tuple[Any, Any, Any, int]] = []
        for (n,), c in sp.Poly(top, _y).terms() if top != 0 else ():
            for term in sp.Add.make_args(sp.expand(sp.apart(sp.cancel(c / bottom), _x))):
                power, k = (sp.degree(part, _x) for part in sp.fraction(sp.together(term)))
                alone = sp.cancel(term * _x ** (k - power))
                share = alone if not alone.has(_x) else sp.cancel(term * (1 - _x) ** k)
                if share.has(_x):
                    raise NotInPairForm(f"{generating} has another pole")
                one = (power - k, 0) if share == alone else (0, k)
                found.append((n * step, one[0], share, one[1]))
        return cls(generating, tuple(found))

    @property
    def told(self) -> Derivation:
        """As it is shown."""
        name = Formula(r"\sum_t w_t e^{-\rho t}", "sum of w_t exp(-rho t)")
        words = (
            "A sum of weights $w_t$ times $A(t)$ is known by what it is for all $A(t) = exp(-rho t)$:"
        )
        step = Step("Weights of lags", words, (Equation(name, sp.factor(self.generating)),))
        return Derivation("Weights of lags", (step,), ())

    @property
    def near(self) -> Any:
        """The weight of a lag t below the number of steps, but for a few."""
        return sp.factor(sum(_binomial(c, _t, k) for a, _, c, k in self.parts if a == 0))

    @property
    def at_zero(self) -> Any:
        """The weight of lag zero."""
        here = ((b, c, k) for a, b, c, k in self.parts if a == 0)
        return sp.factor(sum(c for b, c, k in here if k or b == 0))

    @property
    def vanish(self) -> bool:
        """Whether that of each lag vanishes as steps grow in number."""
        return all(sp.limit(c, T, sp.oo) == 0 for a, _, c, _ in self.parts if a == 0)

    @property
    def vanish_together(self) -> bool:
        """Whether they also stay bounded, all by one number."""
        last = sum(_binomial(c, _t - a * T, k) for a, _, c, k in self.parts)
        sizes = (sp.limit(c * T ** max(k - 1, 0), T, sp.oo) for *_, c, k in self.parts)
        return self.vanish and not sp.expand(last).has(_t) and all(size.is_finite for size in sizes)


def _binomial(c: Any, n: Any, k: int) -> Any:
    """c times the coefficient of x^n in (1 - x)^(-k); of a single lag, nothing."""
    return c * sp.expand(sp.expand_func(sp.ff(n + k - 1, k - 1))) / sp.factorial(k - 1) if k else 0


def _generating(side: Term, symbolic: Callable[[Term], Any], ranges: dict[Any, Any]) -> Any:
    """A side with A[t] = exp(-rho t); ``ranges`` has the ends of letters that run over steps.

    It has to be linear in entries and sums, at each level.
    """
    atoms: dict[Term, Any] = {}
    whole = _with_letters(side, symbolic, atoms)
    top, bottom = sp.fraction(sp.cancel(sp.together(whole)))
    if top == 0:
        return top
    if atoms and not bottom.has(*atoms.values()):
        form = sp.Poly(top, *atoms.values())
        if all(sum(powers) == 1 for powers in form.monoms()):
            worth = (_worth(one, symbolic, ranges) for one in atoms)
            return (
                sum(form.coeff_monomial(s) * v for s, v in zip(atoms.values(), worth, strict=True))
                / bottom
            )
    raise NotInPairForm(f"{side} is not linear in autocovariances")


def _with_letters(side: Term, symbolic: Callable[[Term], Any], atoms: dict[Term, Any]) -> Any:
    if isinstance(side, Applied) and side.head in ("at", "sum"):
        return atoms.setdefault(side, sp.Dummy(f"{side.head}_{len(atoms)}"))
    if isinstance(side, Applied) and side.head != "abs":
        return word(side.head).value(SYMBOLS, *(_with_letters(p, symbolic, atoms) for p in side.of))
    return symbolic(side)


def _worth(one: Term, symbolic: Callable[[Term], Any], ranges: dict[Any, Any]) -> Any:
    assert isinstance(one, Applied)
    if one.head == "at":
        return sp.exp(-_RATE * symbolic(one.of[1]))
    body, running, *ends = one.of
    assert isinstance(running, Letter)
    k = symbol_of(running)
    low, high = (_ENDS[end] if end in _ENDS else symbolic(end) for end in ends)
    found = _generating(body, symbolic, {**ranges, k: (low, high)})
    bent = [a for a in found.atoms(sp.Abs) if a.has(k)]
    if not bent:
        return added_up(found, k, low, high)
    inside = bent[0].args[0]
    at = sp.solve(inside, k)[0]
    first, last = ranges.get(at, (at, at))
    sides: tuple[tuple[int, Any], ...] = ((-1, (low, at)), (1, (at + 1, high)))
    if (first - high).is_extended_nonnegative:
        sides = ((-1, (low, high)),)
    elif (low - last).is_extended_nonnegative:
        sides = ((1, (low, high)),)
    elif len(bent) > 1 or not all(e.is_extended_nonnegative for e in (first - low + 1, high - last)):
        raise NotInPairForm(f"{one} has no one place at which the size turns")
    return sum(added_up(found.subs(bent[0], sign * (k - at)), k, *ends) for sign, ends in sides)


def _by_lags(side: Term) -> Term:
    """Double sums of what depends on how far apart two steps are, as sums over that."""
    if isinstance(side, Applied) and side.head == "sum":
        body, i, *ends = side.of
        if isinstance(body, Applied) and body.head == "sum" and list(body.of[2:]) == ends:
            inner, j = body.of[:2]
            apart = size(i - j)
            if isinstance(inner, Applied) and inner.head == "at" and inner.of[1] == apart:
                first, last = ends
                assert isinstance(i, Letter)
                t = Letter("t", "index")
                lags = last if first == number(1) else last - first + 1
                return over(
                    (lags - size(t)) * Applied("at", (inner.of[0], size(t))), t, 1 - lags, lags - 1
                )
    return side.with_parts(tuple(map(_by_lags, side.parts)))


def subject(about: About) -> Steps | Far | None:
    """What has sequences in it, autocovariances or a chain among them, or letters that are random.

    What is given may say of which products of entries autocovariances are the means.
    """
    known = [r for r in about.defining if defines(r) and _has_lags(r.right)]
    others = tuple(r for r in about.defining if r not in known)
    found = steps.steps_of((*about.terms, *(r.right for r in known)), others)
    if found is None:
        return None
    own = {f.name: getattr(found, f.name) for f in fields(found)}
    if any(map(_has_lags, found.letters)):
        return Lags(**own, products=tuple((r.left.of[0], r.right) for r in known))
    moments = moments_of(found)
    if moments is not None and (moments.takes_all(about) or chain_of(found) is None):
        return far_of(moments, about) or moments
    chain = found.count is not None and any(a.kind == "noises" for a in found.letters)
    return Averages(**own) if chain else found


def _has_lags(side: Term) -> bool:
    return any(a.kind == AUTOCOVARIANCES for a in side.letters)
