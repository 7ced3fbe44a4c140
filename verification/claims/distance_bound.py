"""Claims that the laws of two chains are no further apart than a printed bound, for every convex U.

The proof couples the chains and holds for every potential that is meant. The other route goes through
quadratic potentials with real minibatches, where moments are exact: a bound below the distance of
normal laws with these moments is violated, one above the distance of coupled chains is met.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation, localcontext
from fractions import Fraction
from functools import cache, cached_property
from itertools import islice
from typing import Any, Self

import sympy as sp

from sgtheory.dynamics.leading import leading
from sgtheory.perturbation.symbols import GAMMA
from sgtheory.printing import latex, plain
from sgtheory.wasserstein import DIFFUSION, Between
from verification.claims.base import Claim, Printed, Proof
from verification.direction import FOREVER, Chain, Examples, after
from verification.prover import couplings
from verification.prover.couplings import W0, Compared, Envelope, R, compared, d, envelope, gamma, n
from verification.refuter.decimals import Decimals
from verification.refuter.distancescript import data_lines, distance_script
from verification.refuter.inpython import name_of
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, seen, shrink
from verification.verdict import Counterexample, Evidence, Finding

_LETTERS = {
    "prior": "unit", "slope1": "unit", "slope2": "unit", "pull1": "real", "pull2": "real",
    "copies": "count", "p": "count", "share": "up to one",
}  # fmt: skip
_MOVING = {"n": "count", "x": "real", "y": "real", "d": "count"}
_DIGITS = 50
_MARGIN = Fraction(1, 10**40)  # of decimals with fifty digits
_NAMES = {
    "lmc": r"R_{\text{LMC}}^{n}", "sgld": r"R_{\text{SGLD}}^{n}", "sgd": r"R_{\text{SGD}}^{n}",
    "sgldfp": r"R_{\text{FP}}^{n}", DIFFUSION: r"P_{n \gamma}",
}  # fmt: skip


@dataclass(frozen=True)
class AtMost(Printed):
    """``left`` and ``second`` are samplers, or the diffusion; W2^2 of their laws is at most ``right``.

    The bound is in the letters of ``verification.prover.couplings``: W0 is the squared distance of the
    laws that they start from, R the second moment of the second about theta*.
    """

    second: str = ""
    relation: str = "<="

    def latex(self) -> str:
        """As typeset."""
        laws = rf"\lambda {_NAMES[self.left]}, \mu {_NAMES[self.second]}"
        word = r"\le" if self.relation == "<=" else r"\ge"
        right = latex(sp.sympify(self.right).subs(W0, sp.Symbol("W_0"))).replace(
            "W_{0}", r"W_2^2(\lambda, \mu)"
        )
        return rf"W_2^2({laws}) {word} {right}"

    def text(self) -> str:
        """On one line."""
        return f"W2^2({self.left}, {self.second}) {self.relation} {plain(self.right)}"


@dataclass(frozen=True)
class DistanceBound(Claim):
    """``printed`` is one ``AtMost``; ``centre`` says what the second does about a point off theta*."""

    centre: str = ""

    @property
    def bound(self) -> AtMost:
        """What is printed."""
        (printed,) = self.printed
        assert isinstance(printed, AtMost)
        return printed

    def has_discrete_reading(self) -> bool:
        """It is about the algorithm itself."""
        return False

    def letters(self) -> tuple[str, ...]:
        """No condition lies on a matrix."""
        return ()

    def lattice(self, time: str) -> tuple[Any, ...]:
        """None is looked for."""
        return ()

    def space(self) -> Space:
        """Two examples and their copies, a prior, a step as a share of 1/L, and where chains start."""
        return _space(bool(self.centre))

    def look(self, time: str) -> Look:
        """The squared distance between its two bounds, against the printed one."""
        value = compiled(self.bound.right)

        def at(place: Place) -> Sides | None:
            numbers = _setting(place, self.bound.left, self.bound.second, self.centre)
            if numbers is None:
                return None
            letters, least, most = numbers
            right = value(letters)
            if self.bound.relation == ">=":
                return None if most >= right > least else Sides(least, right, least >= right)
            if least > right * (1 + _MARGIN):
                return Sides(least, right, False)
            return Sides(most, right, True) if most <= right * (1 + _MARGIN) else None

        return at

    @cached_property
    def _parts(self) -> tuple[Envelope, tuple[Compared, ...]] | None:
        found = None if self.centre else envelope(self.bound.left, self.bound.second)
        if found is None or self.bound.relation != "<=":
            return None
        return found, compared(self.bound.right, found)

    def prove(self, time: str) -> Proof:
        """Each part of the printed bound is at least that of the bound which coupling gives."""
        if self._parts is None:
            return Proof(None, "Coupling gives no bound in these letters.")
        found, parts = self._parts
        missing = [c.part for c in parts if c.words is None]
        if missing:
            return Proof(None, f"Nothing shows that {' and '.join(missing)} suffices.")
        slack = [f"{c.part} {_by(c.ratio)}" for c in parts if c.ratio != 1]
        words = (
            f"Coupled chains do better: the printed bound is larger in {', '.join(slack)}."
            if slack
            else "It is what the recursion of coupled chains gives."
        )
        told = "Each part of it is at least what one-step inequalities leave, which are certified."
        evidence = Evidence("symbolic", told, {"dimensions": "every"}, found.derivation())
        return Proof(True, f"Proved by coupling, in every dimension. {words}", (evidence,))

    def reason(self, verdict: str, time: str, mined: Any, proof: Proof) -> str:
        """A violation speaks for itself."""
        if verdict == "refuted":
            return "It is violated: the laws of the chains below are further apart than the bound."
        return super().reason(verdict, time, mined, proof)

    # -- how good it is ---------------------------------------------------------------------------

    def find(self, time: str | None = None) -> Finding:
        """The usual order; beside it, how near examples come to it and where it says nothing."""
        finding = super().find(time)
        if finding.verdict != "proved" or not self.stays:
            return finding
        more = tuple(e for e in (self.tightness(), self.order(), self.emptiness()) if e is not None)
        return replace(finding, evidence=(*finding.evidence, *more))

    @property
    def stays(self) -> Any:
        """What is left of the bound after a long time."""
        return sp.factor(sp.sympify(self.bound.right).subs({W0: 0, R: 0}))

    def summit(self) -> tuple[Fraction, Place] | None:
        """The invariant laws that come nearest to what stays of the bound, of those looked at."""
        return _summit(self.bound.left, self.bound.second, self.stays) if self.stays != 0 else None

    def tightness(self) -> Evidence | None:
        """The largest ratio of squared distance and bound among invariant laws of quadratic U."""
        summit = self.summit()
        if summit is None:
            return None
        ratio = float(summit[0])
        word = "it is attained" if ratio == 1 else "the largest ratio found"
        words = f"Invariant laws of quadratic U reach {ratio:.4g} of what stays: {word}."
        return Evidence("search", words, {"supremum": ratio, "at": summit[1].to_json()})

    def order(self) -> Evidence | None:
        """The power of the step in the bound and in the squared distance itself."""
        found = Between(self.bound.left, self.bound.second, minibatches=True).leading(GAMMA, sp.oo)
        printed = leading(self.stays, gamma)
        if printed is None:
            return None
        words = (
            f"As the step vanishes invariant laws of quadratic U are gamma^({found[0]}) apart (squared,"
            f" by their moments), the bound is of order gamma^({printed[0]})."
        )
        return Evidence("symbolic", words, {"true": str(found[0]), "printed": str(printed[0])})

    def emptiness(self) -> Evidence | None:
        """Where the bound is larger than what independent chains are known to be apart."""
        chains = [envelope(x, x) if x != DIFFUSION else None for x in self._names]
        additive = [Chain(x).traits[1] for x in self._names]
        power = leading(self.stays, gamma)
        if any(additive) or power is None or power[0] != 1:
            return None
        free = sp.Add(*(d / couplings.m * (1 if c is None else 2) for c in chains))
        limit = sp.factor(sp.cancel(free * gamma / self.stays))
        words = (
            f"Independent chains in their invariant laws are at most {plain(free)} apart (squared), so"
            f" the bound says something only where gamma < {plain(limit)}."
        )
        return Evidence("symbolic", words, {"says something below": plain(limit)})

    @property
    def _names(self) -> tuple[str, str]:
        return self.bound.left, self.bound.second

    # -- what is exported -------------------------------------------------------------------------

    def script(self, failure: Failure, time: str) -> str:
        """The squared distance from below at the numbers of the failure, and the bound."""
        pair, examples, step, start = _numbers(failure.place, *self._names, self.centre)
        s = failure.place.scalars
        lines = data_lines(pair, examples, step, start)
        end = [
            "largest = max(prior[0], *(s for s, _, _ in groups))",
            f"dimension, n_, m, L_, p_ = d({s['d']}), {s['n']}, c, (N + 1) * largest, p",
            "W0, R_ = dimension * (x - y) ** 2, dimension * y**2",
            f"left, right = dimension * seen[0], {_as_script(self.bound.right)}",
            "print(float(left), float(right))",
            "print(bool(left <= right))",
        ]
        return distance_script(self.heading, [(lines, f"seen.append(distances({s['n']})[0])")], end)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The squared distance from below, and the bound."""
        left, right = shown(failure.sides.left), shown(failure.sides.right)
        words = "squared distance of normal laws with these moments, and the printed bound"
        return Counterexample(failure.place.to_json(), left, right, words)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Parts dropped, rates and constants that some example beats, and the relation turned."""
        bound = sp.sympify(self.bound.right)
        first = sp.expand(bound, power_base=False, power_exp=False).coeff(W0)
        for name, wrong in (
            ("the first distance dropped", bound.subs(W0, 0)),
            ("nine times as fast at first", bound.subs(W0, 0) + first.subs(n, 9 * n) * W0),
            ("what stays dropped", bound - self.stays),
            ("the start's share dropped", bound.subs(R, 0)),
        ):
            if sp.simplify(wrong - bound) != 0:
                yield name, self._with(wrong)
        summit = self.summit()
        if summit is not None:
            reached = sp.Rational(summit[0].numerator, summit[0].denominator)
            yield (
                "nine tenths of what examples reach",
                self._with(bound - self.stays * (1 - reached * sp.Rational(9, 10))),
            )
        yield "relation turned", replace(self, printed=(replace(self.bound, relation=">="),))

    def _with(self, right: Any) -> Self:
        return replace(self, printed=(replace(self.bound, right=right),))

    def failure(self, time: str, evaluations: int = 200) -> Failure | None:
        """Small places; then invariant laws that are far apart, and starts far from theta*."""
        found = super().failure(time, min(evaluations, 200))
        if found is not None or evaluations < 100:
            return found
        look, space = self.look(time), self.space()
        for place in self._telling():
            sides = seen(look, place)
            if sides is not None and not sides.holds:
                return shrink(Failure(place, sides), look, space)
        return None

    def _telling(self) -> Iterator[Place]:
        source = random.Random(3)
        for best in (_summit(*self._names, d), self.summit()):  # far apart, or near the bound
            if best is not None:
                yield best[1].but(x=0, y=0, n=40, d=1, h=0)
        places = [self.space().random(source) for _ in range(60)]
        yield from (p.but(x=40, y=40 * (k % 2), n=1 + k % 3) for k, p in enumerate(places))
        yield from places

    def is_caught(self, time: str) -> bool:
        """At the summit, then at small and random places, and from far away starts."""
        look = self.look(time)
        found = (seen(look, p) for p in self._telling())
        return any(sides is not None and not sides.holds for sides in found)


def _by(ratio: Any) -> str:
    """How much larger."""
    if ratio.is_number:
        return f"by {ratio}"
    return f"(as the step vanishes by {plain(sp.factor(ratio.subs(gamma, 0)))})"


@cache
def _space(off: bool) -> Space:
    return Space({}, {**_LETTERS, **_MOVING, **({"h": "real"} if off else {})}, most=600)


def _numbers(
    place: Place, first: str, second: str, centre: str
) -> tuple[tuple[Chain, Chain], Examples, Fraction, tuple[Fraction, Fraction]]:
    s = place.scalars
    copies = int(s["copies"])
    groups = ((s["slope1"], s["pull1"], copies), (s["slope2"], s["pull2"], copies))
    examples = Examples((s["prior"], Fraction(0)), groups, int(s["p"]))
    pair = (Chain(first), Chain(second, centre, s.get("h", Fraction(0)) if centre else Fraction(0)))
    return (
        pair,
        examples,
        s["share"] / examples.lipschitz,
        (s.get("x", Fraction(0)), s.get("y", Fraction(0))),
    )


def _setting(
    place: Place, first: str, second: str, centre: str, forever: bool = False
) -> tuple[dict[str, Any], Fraction, Fraction] | None:
    """Letters of the bound, and two squares between which the squared distance lies."""
    pair, examples, step, (x, y) = _numbers(place, first, second, centre)
    steps = FOREVER if forever else int(place.scalars["n"])
    found = after(pair, examples, step, (x, y), steps)
    if found is None:
        return None
    count = 1 if forever else int(place.scalars["d"])
    letters = {
        "gamma": step, "m": examples.curvature, "L": examples.lipschitz, "p": examples.batch, "d": count,
        "n": steps or 0, "W0": count * (x - y) ** 2, "R": count * y**2,
    }  # fmt: skip
    return letters, count * found.least[0], count * found.coupled


@cache
def _summit(first: str, second: str, stays: Any) -> tuple[Fraction, Place] | None:
    """Among small and random examples, and many copies of them."""
    value, source = compiled(stays), random.Random(2)
    space = Space({}, _LETTERS, most=400)
    tried = [*islice(space.small(), 40), *(space.random(source) for _ in range(20))]
    best = None
    for place in (p.but(copies=k) for p in tried for k in (1, 1000)):
        try:
            found = _setting(place, first, second, "", forever=True)
        except ZeroDivisionError:
            continue
        bound = None if found is None else value(found[0])
        if found is not None and bound and (best is None or found[1] / bound > best[0]):
            best = (found[1] / bound, place)
    return best


@cache
def compiled(expr: Any) -> Any:
    """A formula as a function of fractions by name, to fifty digits."""
    text = compile(_as_script(expr), "bound", "eval")

    def at(letters: dict[str, Any]) -> Fraction:
        with localcontext() as context:
            context.prec = _DIGITS
            known = {_written(k): _decimal(v) for k, v in letters.items()}
            try:
                found = eval(text, {"d": Decimal}, known)  # our own text, printed above
            except InvalidOperation as why:  # 0/0, the root of a negative number
                raise ZeroDivisionError(str(expr)) from why
            return nearest(Fraction(found))

    return at


def nearest(x: Fraction) -> Fraction:
    """The short fraction that a number of fifty digits stands for, where there is one.

    >>> nearest(Fraction("0." + 50 * "3"))
    Fraction(1, 3)
    """
    short = x.limit_denominator(10**12)
    return short if abs(short - x) <= _MARGIN * abs(x) else x


def shown(x: Fraction) -> str:
    """A short fraction as it is, anything else to twelve digits."""
    return str(x) if x.denominator <= 10**12 else f"{float(x):.12g}"


def _decimal(x: Any) -> Decimal:
    x = Fraction(x)
    return Decimal(x.numerator) / Decimal(x.denominator)


def _written(name: str) -> str:
    """A letter's name in the text of a formula; d is a decimal number there."""
    return "dimension" if name == "d" else name_of(sp.Symbol(name))


def _as_script(expr: Any) -> str:
    return str(Decimals().doprint(sp.sympify(expr).subs(d, sp.Symbol("dimension", positive=True))))
