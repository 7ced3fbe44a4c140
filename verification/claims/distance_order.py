"""Claims on how far apart two laws are as the number N of examples grows: O, Omega or Theta of a power.

The step is eta N^(-beta), minibatches have N^alpha examples, curvature grows like N. For every convex U
an upper bound comes from coupling; on quadratic U with real minibatches (Bayesian linear regression)
moments are exact, and give a lower bound and, of coupled chains, an upper one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.printing import latex, plain
from sgtheory.wasserstein import DIFFUSION
from sgtheory.wasserstein.directions import STEPS
from verification.claims.base import Claim, Printed, Proof
from verification.direction import AT_CENTRE, EQ5, FOREVER, Chain, Examples, Moments, after
from verification.notation import N
from verification.prover import distances
from verification.prover.distances import Term
from verification.refuter.distancescript import data_lines, distance_script
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, refute, seen
from verification.twins import spread
from verification.verdict import Correction, Counterexample, Evidence, Finding, Twins, differ
from verification.word import of_false, of_true

AT_MOST, AT_LEAST, EXACTLY = "O", "Omega", "Theta"
LATE, SOON = "the invariant laws", "n steps"  # of fixed n
AT_MODE, ANYWHERE = "theta*", "a fixed point"
CONVEX, REGRESSION = "convex U", "linear regression"
ANY, SOME, NONE = "any", "some", "none"  # gradient noise at the mode
_NAMES = {"lmc": "LMC", "sgld": "SGLD", "sgd": "SGD", "sgldfp": "FP", DIFFUSION: ""}
_FAR = (10, 14)  # N = 4^k
_SHOWN = (3, 5)
_CLOSE = Fraction(1, 8)
_NOISE = {
    SOME: "gradients at theta* differ between examples, (1/N) sum_i |grad U_i(theta*) - mean|^2 staying"
    " above a positive constant",
    NONE: "all examples have the same gradient at theta*",
}
ALIKE = "curvatures alike"
_LABELS = {
    SOME: " where the examples' gradients at theta* differ",
    NONE: " where they do not",
}
_STARTED = "chains start at theta*"


@dataclass(frozen=True)
class Order(Printed):
    """W2 of the laws of ``left`` and ``second`` is ``relation``(``right``), a power of N."""

    second: str = ""
    relation: str = AT_MOST

    @property
    def power(self) -> Fraction:
        """Of 1/N."""
        exponent = sp.sympify(self.right).as_powers_dict().get(N, sp.Integer(0))
        return -Fraction(int(exponent.p), int(exponent.q))

    def latex(self) -> str:
        """As typeset."""
        names = [
            rf"\pi_{{\text{{{_NAMES[x]}}}}}" if _NAMES[x] else r"\pi" for x in (self.left, self.second)
        ]
        word = {"O": "O", "Omega": r"\Omega", "Theta": r"\Theta"}[self.relation]
        return rf"W_2({', '.join(names)}) = {word}\left({latex(sp.sympify(self.right))}\right)"

    def text(self) -> str:
        """On one line."""
        return f"W2({self.left}, {self.second}) = {self.relation}({plain(sp.sympify(self.right))})"


@dataclass(frozen=True)
class DistanceOrder(Claim):
    """``printed`` is one ``Order``, as N grows: of invariant laws, or after n steps for each n."""

    when: str = LATE
    start: str = AT_MODE
    scope: str = CONVEX
    noise: str = ANY
    alpha: str = "0"
    beta: str = "1"
    centre: str = ""  # what the second takes for theta* is off by h/sqrt(N)

    @property
    def order(self) -> Order:
        """What is printed."""
        (printed,) = self.printed
        assert isinstance(printed, Order)
        return printed

    def has_discrete_reading(self) -> bool:
        """It is about the algorithm itself."""
        return False

    # -- the symbolic route -----------------------------------------------------------------------

    def powers(self, noise: str, alike: bool = False) -> tuple[Term, Term]:
        """Power of 1/N and first coefficient of two squares around W2^2, for linear regression."""
        second = "sgld" if self.centre == AT_CENTRE else self.order.second
        steps = STEPS if self.when == SOON else sp.oo
        letters = distances.scaled(self.alpha, self.beta, noise != NONE, bool(self.centre), alike)
        start = distances.X if self.start == ANYWHERE else sp.Integer(0)
        lower, upper = distances.between(self.order.left, second, start, steps, letters)
        if self.centre != EQ5:
            return lower, upper
        moved = distances.shifted(steps, letters)
        return min(lower, moved, key=lambda t: t[0]), min(upper, moved, key=lambda t: t[0])

    def prove(self, time: str) -> Proof:
        """By powers of 1/N: both bounds have to be on the right side of the printed one."""
        wanted = 2 * sp.Rational(self.order.power.numerator, self.order.power.denominator)
        kinds = (SOME, NONE) if self.noise == ANY else (self.noise,)
        found = {k: self.powers(k) for k in kinds}
        if self.order.relation != AT_MOST:
            found |= {f"{k}, {ALIKE}": self.powers(k, alike=True) for k in kinds}
        told = [self._told(k, *found[k]) for k in found]
        derivation = Derivation("Orders in 1/N", tuple(told), ())
        evidence = [
            Evidence(
                "symbolic",
                "Moments of linear regression, expanded.",
                {"dimensions": "every"},
                derivation,
            )
        ]
        above = self.order.relation != AT_LEAST
        below = self.order.relation != AT_MOST
        if above and any(low[0] < wanted for low, _ in found.values()):
            return Proof(False, self._why(found, "further apart"), tuple(evidence))
        if below and any(up[0] > wanted for _, up in found.values()):
            return Proof(False, self._why(found, "closer"), tuple(evidence))
        if below and any(low[0] > wanted or not distances.positive(low[1]) for low, _ in found.values()):
            return Proof(None, "The lower bound does not show it.", tuple(evidence))
        if above and self.scope == CONVEX and not self.centre:
            pair = self.order.left, self.order.second
            known = self.start == AT_MODE
            power = distances.coupled(*pair, self.alpha, self.beta) if known else None
            if power is None or power < wanted:
                return Proof(None, "Coupling does not show it for every convex U.", tuple(evidence))
            words = f"For every convex U coupled chains are N^(-{power}) apart (squared)."
            evidence.append(Evidence("symbolic", words, {"power": str(power)}))
        elif above and any(up[0] < wanted for _, up in found.values()):
            return Proof(None, "The upper bound does not show it.", tuple(evidence))
        return Proof(True, self._why(found, "as printed"), tuple(evidence))

    def _told(self, kind: str, low: tuple[Any, Any], up: tuple[Any, Any]) -> Step:
        lines = tuple(
            Equation(Formula(rf"\text{{{name}}}", name), _formula(c * N ** (-e) if e != sp.oo else 0))
            for name, (e, c) in (("W_2^2 from below", low), ("W_2^2 from above", up))
        )
        words = f"With gradient noise at theta*: {kind}. v11, v12, v22 are those of the data, over N."
        return Step("First terms", words, lines)

    def _why(self, found: Any, word: str) -> str:
        shown = []
        for kind, (low, up) in found.items():
            label = _LABELS[kind.partition(",")[0]] if self.noise == ANY else ""
            label += " and curvatures are alike" if kind.endswith(ALIKE) else ""
            a, b = (_root(e) for e in (up[0], low[0]))
            shown.append((f"{a}" if a == b else f"between {a} and {b}", label))
        kept = [x for x in shown if "alike" not in x[1]]
        if all((x, label.partition(" and curv")[0]) in kept for x, label in shown):
            shown = kept  # whether curvatures are alike makes no difference
        if len({x for x, _ in shown}) == 1:
            shown = [(shown[0][0], "")]
        about = "" if word == "as printed" else f"They are {word} than printed: "
        start = "In linear regression" if about == "" else f"{about}in linear regression"
        return f"{start} W2 is of order {', '.join(x + label for x, label in shown)}."

    # -- exact numbers ----------------------------------------------------------------------------

    def space(self) -> Space:
        """Two kinds of examples; the step as a share of what is stable for each minibatch."""
        kinds = ("positive", "unit", "real", "real", "fraction")
        letters = dict(zip(("slope1", "slope2", "pull1", "pull2", "share"), kinds, strict=True))
        more = {"x": "real"} if self.start == ANYWHERE else {}
        return Space({}, letters | more | ({"h": "real"} if self.centre else {}), most=400)

    def sized(self, place: Place, k: int) -> tuple[Any, Examples, Fraction, tuple[Fraction, Fraction]]:
        """The pair at N = 4^k."""
        s, half = place.scalars, 4**k // 2
        batch = 2 ** (k * int(2 * Fraction(self.alpha)))
        groups = ((s["slope1"], s["pull1"], half), (s["slope2"], s["pull2"], half))
        examples = Examples((Fraction(0), Fraction(0)), groups, batch)
        eta = s["share"] / max(s["slope1"], s["slope2"])
        root = Fraction(2) ** k
        gamma = eta / root ** int(2 * Fraction(self.beta))
        chains = (
            Chain(self.order.left),
            Chain(self.order.second, self.centre, s.get("h", Fraction(0)) / root),
        )
        x = s.get("x", Fraction(0))
        return chains, examples, gamma, (x, x)

    def admits(self, place: Place) -> bool:
        """Whether the noise at the mode, and the start, are what is meant."""
        noisy = self.sized(place, 2)[1].V11 != 0
        kind = self.noise == ANY or noisy == (self.noise == SOME)
        return kind and place.scalars.get("x") != 0 and place.scalars.get("h") != 0

    def moments(self, place: Place, k: int) -> Moments | None:
        """Of both chains at N = 4^k."""
        return after(*self.sized(place, k), FOREVER if self.when == LATE else 3)

    def look(self, time: str) -> Look:
        """Powers of 1/N between two large N, in exact numbers."""
        wanted, relation = 2 * self.order.power, self.order.relation

        def at(place: Place) -> Sides | None:
            if not self.admits(place):
                return None
            near, far = (self.moments(place, k) for k in _FAR)
            if near is None or far is None:
                return None
            low = _power(near.least[0], far.least[0])
            up = _power(near.coupled, far.coupled)
            above, below = relation != AT_LEAST, relation != AT_MOST
            if (above and low < wanted - _CLOSE) or (below and up > wanted + _CLOSE):
                return Sides(_written(up), _written(float(wanted)), False)
            sure = (not above or up > wanted - _CLOSE) and (not below or low < wanted + _CLOSE)
            return Sides(_written(up), _written(float(wanted)), True) if sure else None

        return at

    def failure(self, time: str, evaluations: int = 200) -> Failure | None:
        """Among small places."""
        return refute(self.look(time), self.space(), evaluations=min(evaluations, 200))

    def held(self, time: str) -> int:
        """At how many places it is seen to hold; a place where it fails is a contradiction."""
        source, look, space = random.Random(1), self.look(time), self.space()
        found = 0
        for place in (*islice(space.small(), 40), *(space.random(source) for _ in range(12))):
            sides = seen(look, place)
            if sides is not None and not sides.holds:
                raise differ(
                    self.id, "symbols", "it holds", "exact numbers", f"it fails at {place.to_json()}"
                )
            found += sides is not None
        return found

    # -- how it is decided ------------------------------------------------------------------------

    def find(self, time: str | None = None) -> Finding:
        """By powers and by numbers; a condition on noise or start where one mends it."""
        time = time or self.time
        proof = self.prove(time)
        if proof.holds:
            places = self.held(time)
            told = Evidence(
                "exact", f"Seen at {places} places, N up to 4^{_FAR[1]}.", {"places": places}
            )
            return Finding(of_true(proof.holds, places), proof.reason, (*proof.evidence, told))
        failure = self.failure(time) if proof.holds is False else None
        if failure is None:
            if proof.holds is False:
                reason = f"{proof.reason} But no small example shows it."
                return Finding("inconclusive", reason, proof.evidence)
            return Finding("inconclusive", proof.reason, proof.evidence)
        shown = self.shown(failure, time)
        mended = self.mended(time)
        if mended is not None:
            words, claim, why = mended
            reason = f"{proof.reason} It holds where {words}. The paper does not say so."
            evidence = (*proof.evidence, *why.evidence)
            word = of_false(why.holds, None)
            return Finding(word, reason, evidence, words, claim, counterexample=shown)
        word, corrected = of_false(None, None), self.correct(time)
        return Finding(word, proof.reason, proof.evidence, corrected=corrected, counterexample=shown)

    def mended(self, time: str) -> tuple[str, Self, Proof] | None:
        """The first of some conditions under which it is proved."""
        ways = []
        if self.noise == ANY:
            ways += [(_NOISE[SOME], replace(self, noise=SOME))]
        if self.start == ANYWHERE:
            ways += [(_STARTED, replace(self, start=AT_MODE))]
        for words, claim in ways:
            proof = claim.prove(time)
            if proof.holds and claim.held(time):
                return words, claim, proof
        return None

    def correct(self, time: str) -> Correction | None:
        """The true order, where the bounds agree on it; else where gradients differ; else a bound."""
        ways = [(EXACTLY, self.noise, "by both bounds")]
        ways += [(EXACTLY, SOME, f"where {_NOISE[SOME]}")] if self.noise == ANY else []
        for relation, noise, words in (*ways, (AT_MOST, self.noise, "by the upper bound")):
            for quarters in range(6, -1, -1):
                order = replace(self.order, right=N ** -sp.Rational(quarters, 4), relation=relation)
                if replace(self, printed=(order,), noise=noise).prove(time).holds:
                    return Correction(order.latex(), order.text(), "proved", words, (order,))
        return None

    def true_statement(self, finding: Finding) -> Self | None:
        """With its condition."""
        if isinstance(finding.needs, DistanceOrder):
            return replace(self, noise=finding.needs.noise, start=finding.needs.start)
        true = super().true_statement(finding)
        if true is not None and finding.corrected is not None and not true.prove(self.time).holds:
            return replace(true, noise=SOME)
        return true

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Other powers, other relations."""
        for name, power in (
            ("half a power less", sp.Rational(-1, 2)),
            ("half a power more", sp.Rational(1, 2)),
        ):
            yield name, replace(self, printed=(replace(self.order, right=self.order.right * N**power),))
        for relation in (AT_MOST, AT_LEAST, EXACTLY):
            if relation != self.order.relation:
                yield (
                    f"{relation} instead",
                    replace(self, printed=(replace(self.order, relation=relation),)),
                )

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Numbers have to see what is false; what the bounds leave open is no lie."""
        true = self.true_statement(finding)
        if true is None:
            return Twins(0, 0)
        tried, rejected, survivors, equivalent = 0, 0, [], []
        for name, twin in spread(true.corrupted(finding), most):
            proof = twin.prove(self.time)
            if proof.holds is not False:
                equivalent.append(name)
                continue
            tried += 1
            caught = twin.failure(self.time) is not None
            rejected += caught
            survivors += [] if caught else [name]
        return Twins(tried, rejected, tuple(survivors), tuple(equivalent))

    # -- what is exported -------------------------------------------------------------------------

    def script(self, failure: Failure, time: str) -> str:
        """Squares times N^(2 q) at two sizes: they grow, or vanish."""
        low = self.order.relation == AT_MOST or (
            self.order.relation == EXACTLY and self._too_far(failure.place)
        )
        steps = "None" if self.when == LATE else "3"
        parts = []
        for k in _SHOWN:
            lines = data_lines(*self.sized(failure.place, k))
            twice = 2 * self.order.power
            power = f"d({4**k}) ** (d({twice.numerator}) / {twice.denominator})"
            parts.append((lines, f"seen.append(distances({steps})[{0 if low else 1}] * {power})"))
        end = ["print([float(x) for x in seen])"]
        end.append(
            "print(bool(seen[1] <= 2 * seen[0]))" if low else "print(bool(2 * seen[1] >= seen[0] > 0))"
        )
        return distance_script(self.heading, parts, end)

    def _too_far(self, place: Place) -> bool:
        near, far = (self.moments(place, k) for k in _FAR)
        assert near is not None
        assert far is not None
        return _power(near.least[0], far.least[0]) < 2 * self.order.power - _CLOSE

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """Two kinds of examples in equal numbers, and the power of N seen there."""
        shown = {k: str(v) for k, v in failure.place.scalars.items()}
        words = (
            "order of W2^2 that is seen and the printed one, in 1/N; half of the examples have the"
            " gradient slope1 theta - pull1, half slope2 theta - pull2"
        )
        return Counterexample(shown, failure.sides.left, failure.sides.right, words)


def _power(near: Fraction, far: Fraction) -> float:
    return distances.power_between(near, far, 2 * (_FAR[1] - _FAR[0]))


def _written(power: float) -> str:
    return "0" if power == math.inf else f"N^(-{power:.3g})" if power else "1"


def _root(power: Any) -> str:
    return "zero" if power == sp.oo else "1" if power == 0 else f"N^(-{sp.Rational(power) / 2})"


def _formula(expr: Any) -> Formula:
    return Formula(latex(sp.sympify(expr)), plain(sp.sympify(expr)))
