"""Inequalities of Bayesian linear regression in one dimension, under a printed bound on the step.

Data are three numbers x_i and y_i. The letters of a statement are worked out from them: the precision
Sigma, the mode, variances of a minibatch's gradient (V11) and curvature (V22) at the mode, the mean
squared factor of one step, and W2, which moments bound from below and coupled chains from above.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice
from random import Random
from typing import Any, Self

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex, plain
from verification.claims.base import Claim, Printed, Proof
from verification.laws.direction import Chain, Examples, after
from verification.refuter.distancescript import (
    compiled,
    data_lines,
    decimals,
    distance_script,
    number,
    shown,
)
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, seen, shrink
from verification.refuter.twins import corruptions
from verification.theories.positivity import nowhere_negative
from verification.verdicts.verdict import Correction, Counterexample, Evidence, Finding
from verification.verdicts.wording import under

gamma, Sigma, SQUARES, SPREAD, FACTOR = sp.symbols("gamma Sigma x_squared spread factor", positive=True)
V11, V22 = sp.symbols("V11 V22", positive=True)
W2 = sp.Symbol("W2", positive=True)
mu = sp.Symbol("mu", positive=True)
N, p, n = sp.symbols("N p n", integer=True, positive=True)

MEAN_SQUARE = (1 - gamma * Sigma) ** 2 + gamma**2 * V22  # of what one step multiplies theta - theta* by
SOME, EVERY, OWN = "some mu", "every mu", "its own mu"
_LETTERS = {
    "share": "up to one", "p": "count", "n": "count", "prior_variance": "positive",
    "noise_variance": "positive", "x1": "real", "x2": "real", "x3": "real", "y1": "real", "y2": "real",
    "y3": "real",
}  # fmt: skip
_MARGIN = Fraction(1, 10**20)  # of differences of roots with fifty digits
_NOTHING = Fraction(1, 10**40)
_SPACE = Space({}, _LETTERS, most=3_000)


@dataclass(frozen=True)
class RegressionBound(Claim):
    """``printed`` holds at all steps up to ``limit``; ``mu`` is some number up to ``top``, or any.

    Letters: ``SQUARES`` is the sum of x_i^2, ``SPREAD`` the printed sum over the examples, ``FACTOR``
    the mean squared factor of a step. ``W2`` is between the laws of ``pair`` after n steps from theta*.
    """

    limit: Any = None
    pair: tuple[str, str] = ("sgld", "sgldfp")
    quantifier: str = ""
    top: Any = 1 - gamma * Sigma

    @property
    def relation(self) -> Printed:
        """What is printed."""
        (printed,) = self.printed
        return printed

    def has_discrete_reading(self) -> bool:
        """It is about the algorithm itself."""
        return False

    def letters(self) -> tuple[str, ...]:
        """No condition lies on a matrix."""
        return ()

    def lattice(self, time: str) -> tuple[Any, ...]:
        """The condition that is looked for is on the step."""
        return ()

    def space(self) -> Space:
        """Three examples, and the step as a share of its printed limit."""
        return _SPACE

    @cached_property
    def _right(self) -> Any:
        """With mu at the end of its range that decides: the sums grow with it."""
        witness = (1 - gamma * Sigma) ** 2
        chosen = {SOME: witness, EVERY: self.top, OWN: FACTOR, "": mu}[self.quantifier]
        return sp.sympify(self.relation.right).subs(mu, chosen)

    # -- exact numbers ----------------------------------------------------------------------------

    def values(self, place: Place) -> tuple[dict[str, Any], Examples, Fraction] | None:
        """All letters at a place."""
        s = place.scalars
        rows = [(s[f"x{k}"], s[f"y{k}"]) for k in (1, 2, 3)]
        squares = sum(x * x for x, _ in rows)
        if squares == 0:
            return None
        groups = tuple((x * x / s["noise_variance"], x * y / s["noise_variance"], 1) for x, y in rows)
        examples = Examples((1 / s["prior_variance"], Fraction(0)), groups, int(s["p"]))
        mode, size = examples.mode, examples.N
        spread = sum(
            ((x * mode - y) * x / s["noise_variance"] + mode / (size * s["prior_variance"])) ** 2
            for x, y in rows
        )
        found = {
            "Sigma": examples.curvature, "x_squared": squares, "spread": spread, "N": size,
            "p": examples.batch, "n": int(s["n"]), "V11": examples.V11, "V22": examples.V22,
        }  # fmt: skip
        step = s["share"] * compiled(self.limit)(found)
        found["factor"] = (1 - step * examples.curvature) ** 2 + step**2 * examples.V22
        return {**found, "gamma": step}, examples, step

    def look(self, time: str) -> Look:
        """The left side, or two numbers around W2, against the right side."""
        about_distance = self.relation.left == W2
        right_of = compiled(self._right)
        left_of = None if about_distance else compiled(sp.sympify(self.relation.left))

        def at(place: Place) -> Sides | None:
            known = self.values(place)
            if known is None:
                return None
            letters, examples, step = known
            right = right_of(letters)
            if left_of is not None:
                left = left_of(letters)
                return Sides(left, right, _holds(self.relation.relation, left, right))
            zero = (Fraction(0), Fraction(0))
            names = Chain(self.pair[0]), Chain(self.pair[1])
            found = after(names, examples, step, zero, int(place.scalars["n"]))
            assert found is not None
            if right <= _NOTHING or found.least[1] >= right**2 * (1 - _MARGIN):
                return Sides(found.least[1], right**2, True)
            return Sides(found.coupled, right**2, False) if found.coupled < right**2 else None

        return at

    def failure(self, time: str, evaluations: int = 1_000) -> Failure | None:
        """Small places; then large residuals, or the same data measured in other units."""
        distance = self.relation.left == W2
        found = super().failure(time, min(evaluations, 100) if distance else evaluations)
        if found is not None or evaluations < 100:
            return found
        look, source = self.look(time), Random(4)
        drawn = (self.space().random(source) for _ in range(60))
        for place in chain(islice(self.space().small(), 100), drawn):
            far = place.but(y1=1000, n=3)
            if not distance:
                far = place.but(**{k: 10 * place.scalars[k] for k in ("x1", "x2", "x3")})
            sides = seen(look, far)
            if sides is not None and not sides.holds:
                return shrink(Failure(far, sides), look, self.space())
        return None

    # -- the symbolic route -----------------------------------------------------------------------

    def prove(self, time: str) -> Proof:
        """W2 is at least the difference of standard deviations, whose factor grows with mu."""
        if self.relation.left != W2:
            return self._from_letters()
        if not self.quantifier or self.relation.relation != ">=":
            return Proof(None, "Nothing is known of it.")
        base = {SOME: (1 - gamma * Sigma) ** 2, EVERY: self.top, OWN: MEAN_SQUARE}[self.quantifier]
        growth = sp.sqrt((1 - mu**n) / (1 - mu))
        rest = sp.simplify(sp.sympify(self.relation.right) / growth)
        known = sp.sqrt(2 * gamma + gamma**2 * V11) - sp.sqrt(2 * gamma)
        same = sp.simplify(rest.subs(SPREAD, V11 * p / N) - known) == 0
        if not same or not _spread_is_the_variance():
            return Proof(None, "The sum is not the difference of standard deviations.")
        below = nowhere_negative(sp.expand(MEAN_SQUARE - base))
        if below is None:
            words = (
                f"With mu = {plain(base)} the right side can be larger than coupled chains are apart."
            )
            return Proof(None, words)
        lines = (
            Equation(_formula(W2), _formula(growth.subs(mu, FACTOR) * known), ">="),
            Equation(_formula(FACTOR), _formula(MEAN_SQUARE)),
        )
        told = Step(
            "Moments", "Both laws have mean theta*; their variances grow by the same factor:", lines
        )
        derivation = Derivation("A lower bound of W2", (told,), ())
        words = f"It holds with mu = {plain(base)}, whatever the step: {below.words}"
        return Proof(True, words, (Evidence("symbolic", words, {"dimensions": "1"}, derivation),))

    def _difference(self) -> Any:
        """Larger side minus smaller, in the letters."""
        left, right = (
            sp.sympify(x).subs(FACTOR, MEAN_SQUARE) for x in (self.relation.left, self._right)
        )
        return right - left if self.relation.relation in ("<=", "<") else left - right

    def _from_letters(self) -> Proof:
        """For all positive precisions and spreads of curvature, where the limit is one of these."""
        share = sp.Symbol("t", positive=True)
        within = self._difference().subs(gamma, self.limit / (1 + share))
        why = nowhere_negative(sp.cancel(within)) if within.free_symbols <= {share, Sigma, V22} else None
        if why is None:
            return Proof(None, "The printed limit of the step does not give it.")
        words = f"Up to that step: {why.words}"
        return Proof(True, words, (Evidence("symbolic", words, {"dimensions": "1"}),))

    def find(self, time: str | None = None) -> Finding:
        """Where it fails, the limit of the step that it takes."""
        finding = super().find(time)
        needed = self._needed() if finding.verdict == "refuted" and self.relation.left != W2 else None
        if needed is None:
            return finding
        condition, proof = needed
        reason = (
            f"At the printed limit of the step it fails. It holds exactly where"
            f" {condition.text()}, which"
            " the printed limit does not imply."
        )
        return under(finding, proof, condition.text(), condition, reason)

    def _needed(self) -> tuple[Printed, Proof] | None:
        """The largest step at which it holds, with a certificate below it."""
        over = sp.cancel(sp.expand(self._difference()) / gamma)
        numerator = sp.Poly(sp.fraction(over)[0], gamma)
        if numerator.degree() != 1:
            return None
        (largest,) = sp.solve(over, gamma)
        below = sp.Symbol("t", positive=True)
        why = nowhere_negative(sp.cancel(over.subs(gamma, largest / (1 + below))))
        if why is None:
            return None
        word = "<" if self.relation.relation == "<" else "<="
        evidence = Evidence("symbolic", f"Below that step: {why.words}", {"dimensions": "1"})
        return Printed(gamma, sp.factor(largest), word), Proof(True, why.words, (evidence,))

    def true_statement(self, finding: Finding) -> Self | None:
        """With the limit of the step that was found."""
        if isinstance(finding.needs, Printed):
            share = sp.Rational(99, 100) if finding.needs.relation == "<" else 1
            return replace(self, limit=share * finding.needs.right)
        true = super().true_statement(finding)
        return true if true is None or finding.verdict == "proved" else replace(true, quantifier=OWN)

    def correct(self, time: str) -> Correction | None:
        """With the mean squared factor of a step for mu."""
        if self.quantifier != EVERY:
            return None
        own = replace(self, quantifier=OWN)
        if not own.prove(time).holds:
            return None
        words = "for mu = (1 - gamma Sigma)^2 + gamma^2 V22, V22 the variance of a minibatch's curvature"
        text = f"{self.relation.text()}, mu = (1 - gamma*Sigma)**2 + gamma**2*V22"
        return Correction(self.relation.latex(), text, "proved", words, self.printed)

    # -- what is exported -------------------------------------------------------------------------

    def script(self, failure: Failure, time: str) -> str:
        """The data, both sides."""
        known = self.values(failure.place)
        assert known is not None
        _, examples, step = known
        s = failure.place.scalars
        names = Chain(self.pair[0]), Chain(self.pair[1])
        lines = data_lines(names, examples, step, (Fraction(0), Fraction(0)))
        lines += [f"xs = [{', '.join(number(s[k]) for k in ('x1', 'x2', 'x3'))}]"]
        end = [
            f"Sigma, n_, p_, x_squared = c, {s['n']}, p, sum(x * x for x in xs)",
            "of_prior = (prior[0] * mode - prior[1]) / N",
            "spread = sum(k * (s * mode - b + of_prior) ** 2 for s, b, k in groups)",
            "curvatures = [prior[0] + N * s for s, _, _ in groups]",
            "V22 = together(curvatures, curvatures) - c**2",
            "factor = together(*[[1 - gamma * s for s in curvatures]] * 2)",
            f"assert gamma <= {decimals(self.limit)} * (1 + d(10) ** -40)  # the printed limit",
        ]
        distance = self.relation.left == W2
        left = "seen[0].sqrt()" if distance else decimals(sp.sympify(self.relation.left))
        end += [
            f"left, right = {left}, {decimals(self._right)}",
            "print(float(left), float(right))",
            f"print(bool(left {self.relation.relation} right))",
        ]
        use = f"seen.append(distances({s['n']})[1])"
        return distance_script(self.heading, [(lines, use)], end)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """Both sides; of a distance the squares."""
        left, right = shown(failure.sides.left), shown(failure.sides.right)
        words = "left and right side"
        if self.relation.left == W2:
            words = "squared distance of coupled chains, at least W2^2, and the square of the right side"
        return Counterexample(failure.place.to_json(), left, right, words)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The right side corrupted, and a step ten times as large where the limit matters."""
        right = sp.sympify(self.relation.right)
        wrongs: Any = corruptions(right)
        if self.relation.left == W2:
            wrongs = (
                ("doubled", 2 * right),
                ("sum over examples four times", right.subs(SPREAD, 4 * SPREAD)),
                ("p for 1/p, and twice", 2 * right.subs(p, 1 / p)),
                ("N^2 for N", right.subs(N, N**2)),
                ("right side and injected noise", right + sp.sqrt(2 * gamma)),
            )
        for name, wrong in wrongs:
            yield f"right: {name}", replace(self, printed=(replace(self.relation, right=wrong),))
        if self.relation.left != W2:
            yield "ten times the step", replace(self, limit=10 * self.limit)

    def is_caught(self, time: str) -> bool:
        """At small and random places, with residuals small and large."""
        look, source, space = self.look(time), Random(5), self.space()
        drawn = [space.random(source) for _ in range(30)]
        moved = [p.but(y1=1000, n=1 + k % 3) for k, p in enumerate(drawn)]
        edge = [p.but(share=1) for p in drawn]
        found = (seen(look, p) for p in chain(moved, edge, islice(space.small(), 150)))
        return any(sides is not None and not sides.holds for sides in found)


def _holds(relation: str, left: Fraction, right: Fraction) -> bool:
    margin = _MARGIN * max(abs(left), abs(right))
    return {
        "<=": left <= right + margin,
        "<": left < right,
        ">=": left >= right - margin,
        ">": left > right,
    }[relation]


def _spread_is_the_variance() -> bool:
    """(N/p) times the printed sum is the variance of a minibatch's gradient, for all data (N = 3)."""
    xs, ys = sp.symbols("x1:4"), sp.symbols("y1:4")
    v, w = sp.symbols("v w", positive=True)
    mode = sum(x * y for x, y in zip(xs, ys, strict=True)) / (sum(x**2 for x in xs) + v / w)
    gradients = [(x * mode - y) * x / v for x, y in zip(xs, ys, strict=True)]
    mean = sum(gradients) / 3
    residual = sum((g + mode / (3 * w)) ** 2 - (g - mean) ** 2 for g in gradients)
    return bool(sp.cancel(sp.together(residual)) == 0)


def _formula(expr: Any) -> Formula:
    return Formula(latex(expr), plain(expr))
