"""Claims about the variance of a mean of correlated numbers, through sums of autocovariances.

Each side is linear in the autocovariances A(0), A(1), ... of a stationary sequence, so that it is
known by its weights. ``DOUBLE`` is the sum of A(|i - j|) over all pairs of T steps, ``WHOLE`` that over
all lags from minus to plus infinity, ``SINGLE`` that over lags below T with weights T - |t|, ``BEYOND``
that over lags larger than 2 T, ``LATER`` that over lags from one on; ``MEAN_SQUARE`` is the mean square
of the sum of T deviations. ``=`` is for every T, ``~`` means that T times the difference vanishes as T
grows, for every A that is summable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, Self

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex, plain
from verification.claims.base import Claim, Printed, Proof
from verification.refuter.script import run
from verification.verdicts.verdict import (
    Correction,
    Counterexample,
    Evidence,
    Finding,
    Gap,
    differ,
    unseen_by_script,
)
from verification.verdicts.wording import of_false

T = sp.Symbol("T", integer=True, positive=True)
DOUBLE, WHOLE, BEYOND, LATER = sp.symbols("Pairs_A All_A Beyond_2T_A Later_A", real=True)
MEAN_SQUARE, NOW, SINGLE = sp.symbols("Mean_square A_0 Below_T_A", real=True)
SUMS = (DOUBLE, WHOLE, BEYOND, LATER, MEAN_SQUARE, NOW, SINGLE)
lag = sp.Symbol("t", integer=True, positive=True)
_STEPS, _LAGS, _FAR = range(1, 4), range(7), (16, 64)
_SHOWN = {
    DOUBLE: r"\sum_{i=1}^{T} \sum_{j=1}^{T} A(|i-j|)",
    WHOLE: r"\sum_{t=-\infty}^{\infty} A(|t|)",
    BEYOND: r"\sum_{|t| > 2T} A(|t|)",
    LATER: r"\sum_{t=1}^{\infty} A(t)",
    NOW: "A(0)",
    SINGLE: r"\sum_{|t| < T} (T - |t|) A(|t|)",
    MEAN_SQUARE: r"\mathbb{E}\left(\sum_{i=1}^{T} (\bar\phi_\eta - \phi(\theta_i))\right)^2",
}


_IN_WORDS = {
    DOUBLE: "(sum over i, j = 1..T of A(|i-j|))",
    WHOLE: "(sum over all t of A(|t|))",
    BEYOND: "(sum over |t| > 2 T of A(|t|))",
    LATER: "(sum over t >= 1 of A(t))",
    NOW: "A(0)",
    SINGLE: "(sum over |t| < T of (T - |t|) A(|t|))",
    MEAN_SQUARE: "E[(sum over i = 1..T of phi_eta - phi(theta_i))^2]",
}


@dataclass(frozen=True)
class Lags(Printed):
    """A relation between sums over lags."""

    def latex(self) -> str:
        """With the sums written out."""
        sides = []
        for side in (self.left, self.right):
            text = latex(sp.sympify(side))
            for symbol, shown in _SHOWN.items():
                text = text.replace(latex(symbol), shown)
            sides.append(text)
        return rf"{sides[0]} {'=' if self.relation == '=' else chr(92) + 'sim'} {sides[1]}"

    def text(self) -> str:
        """In words."""
        sides = []
        for side in (self.left, self.right):
            shown = plain(sp.sympify(side))
            for symbol, words in _IN_WORDS.items():
                shown = shown.replace(str(symbol), words)
            sides.append(shown)
        return f"{sides[0]} {self.relation} {sides[1]}"


def weight(symbol: Any, t: int, steps: int) -> int:
    """How often A(t) occurs in a sum over lags.

    >>> [weight(DOUBLE, t, 3) for t in range(4)]
    [3, 4, 2, 0]
    """
    if symbol in (DOUBLE, SINGLE):
        return steps if t == 0 else 2 * max(steps - t, 0)
    if symbol == MEAN_SQUARE:  # every pair of steps
        return sum(abs(i - j) == t for i, j in product(range(steps), repeat=2))
    if symbol == WHOLE:
        return 1 if t == 0 else 2
    if symbol == BEYOND:
        return 2 * (t > 2 * steps)
    return int(t == 0) if symbol == NOW else int(t > 0)


@dataclass(frozen=True)
class LagSums(Claim):
    """``printed`` is one ``Lags``; ``where`` says what letters stand for."""

    where: tuple[tuple[Any, Any], ...] = ()
    time: str = "discrete"

    def has_discrete_reading(self) -> bool:
        """Steps are discrete already."""
        return False

    @cached_property
    def one(self) -> Printed:
        """The relation, with what letters stand for."""
        (printed,) = self.printed
        put = dict(self.where)
        left, right = (sp.sympify(s).subs(put) for s in (printed.left, printed.right))
        return replace(printed, left=left, right=right)

    @cached_property
    def difference(self) -> Any:
        """Left minus right, linear in the sums."""
        return sp.expand(sp.simplify(sp.expand(self.one.left) - sp.expand(self.one.right)))

    def coefficient(self, t: int, steps: int) -> Fraction:
        """With which A(t) occurs in the difference."""
        return sum(
            (x * weight(symbol, t, steps) for symbol, x in self._factors(steps).items()), Fraction(0)
        )

    def _factors(self, steps: int) -> dict[Any, Fraction]:
        found = {}
        for symbol, factor in self.factors.items():
            c = factor.subs(T, steps)
            found[symbol] = Fraction(int(c.p), int(c.q))
        return found

    @cached_property
    def factors(self) -> dict[Any, Any]:
        """With which each sum occurs in the difference."""
        return {s: sp.sympify(self.difference.coeff(s)) for s in SUMS if self.difference.has(s)}

    def _basis(self) -> dict[str, Any]:
        """The difference by weights that are independent: lag 0, all later, (T - t)+, beyond 2 T."""
        c = {**dict.fromkeys(SUMS, sp.Integer(0)), **self.factors}
        pairs = c[DOUBLE] + c[MEAN_SQUARE] + c[SINGLE]
        return {
            "lag 0": sp.simplify(T * pairs + c[WHOLE] + c[NOW]),
            "later lags": sp.simplify(2 * c[WHOLE] + c[LATER]),
            "lags below T": sp.simplify(2 * pairs),
            "lags beyond 2 T": sp.simplify(2 * c[BEYOND]),
        }

    def _linear(self) -> bool:
        rest = self.difference - sum(self.difference.coeff(s) * s for s in SUMS)
        return bool(sp.simplify(rest) == 0)

    def prove(self, time: str) -> Proof:
        """Weights of all lags: equal, or equal in the limit, where a lag is below T and not beyond."""
        if not self._linear():
            return Proof(None, "It is not linear in the autocovariances.")
        basis = self._basis()
        shown = tuple(Equation(Formula(r"\text{" + n + "}", n), x) for n, x in basis.items())
        told = Derivation("Weights", (Step("Left minus right", "Weights by kind of lag:", shown),), ())
        evidence = (Evidence("symbolic", "Weights of all lags.", {"steps": "every"}, told),)
        if all(x == 0 for x in basis.values()):
            return Proof(True, "Every lag has the same weight on both sides.", evidence)
        now = sp.limit(sp.simplify(T * basis["lag 0"]), T, sp.oo)
        later = sp.limit(
            sp.simplify(T * (basis["later lags"] + basis["lags below T"] * (T - lag))), T, sp.oo
        )
        largest = T * (abs(basis["later lags"]) + abs(basis["lags below T"]) * T)
        most = sp.limit(sp.simplify(largest + T * abs(basis["lags beyond 2 T"])), T, sp.oo)
        if self.one.relation == "~" and now == later == 0 and most.is_finite:
            words = "T times the weight of each lag vanishes as T grows, and stays bounded for all lags."
            return Proof(True, words, evidence)
        return Proof(False, "Some lag has another weight on both sides.", evidence)

    def find(self, time: str | None = None) -> Finding:
        """The proof, and weights counted for a few T."""
        proof = self.prove(self.time)
        failing = self.failing()
        words = "agree" if failing is None else "do not agree"
        exact = Evidence("exact", f"Weights that were counted {words}.", {"holds": failing is None})
        if proof.holds is None:
            return Finding("inconclusive", proof.reason, (exact,))
        if proof.holds is not (failing is None):
            raise differ(self.id, "symbols", proof.reason, "weights that were counted", f"they {words}")
        if failing is None:
            return Finding("proved", proof.reason, (*proof.evidence, exact))
        gap = self.gap(self.time)
        t, steps = failing
        reason = f"With T = {steps} the autocovariance at lag {t} has another weight on both sides."
        return Finding(
            of_false(None, gap),
            reason,
            (*proof.evidence, exact),
            gap=gap,
            corrected=self.correct(self.time),
            counterexample=self._shown(t, steps),
        )

    def failing(self) -> tuple[int, int] | None:
        """A lag and a number of steps at which weights differ."""
        if self.one.relation == "~":
            sizes = [(t, [abs(n * self.coefficient(t, n)) for n in _FAR]) for t in range(3)]
            return next(((t, _FAR[-1]) for t, s in sizes if s[-1] > 0 and s[-1] > s[0] / 3), None)
        return next(((t, n) for n in _STEPS for t in _LAGS if self.coefficient(t, n)), None)

    def gap(self, time: str) -> Gap | None:
        """What is left, compared with the size of a variance, as T grows."""
        if self.one.relation != "=" or not replace(self, printed=(self._like(),)).prove(time).holds:
            return None
        basis = self._basis()
        later = sp.simplify(T * (basis["later lags"] + basis["lags below T"] * (T - lag)))
        power = sp.limit(sp.simplify(later * T), T, sp.oo)
        if power == 0 or not power.is_finite:
            return None
        term = power / T
        words = "weight of A(t), compared with those that count,"
        return Gap("1/T", "1", Formula(latex(term), plain(term)), words)

    def _like(self) -> Printed:
        return replace(self.printed[0], relation="~")

    def correct(self, time: str) -> Correction | None:
        """The sum over pairs, which is what the mean square is for every T."""
        if self.one.relation != "=":
            return None
        for right in (SINGLE / T**2, (NOW + LATER * 2) / T):
            line = replace(self.printed[0], right=right)
            if replace(self, printed=(line,)).prove(time).holds:
                return Correction(line.latex(), line.text(), "proved", "for every T", (line,))
        return None

    def _shown(self, t: int, steps: int) -> Counterexample:
        pair = {symbol: weight(symbol, t, steps) for symbol in SUMS}
        lines = [f"# {self.heading}", "from fractions import Fraction as F"]
        lines += [f"T, lag = F({steps}), {t}  # A is 1 at this lag, and 0 at all others"]
        names = {s: f"s{k}" for k, s in enumerate(SUMS)}
        counted = {
            DOUBLE: f"sum(abs(i - j) == lag for i in range({steps}) for j in range({steps}))",
            MEAN_SQUARE: f"sum(abs(i - j) == lag for i in range({steps}) for j in range({steps}))",
            SINGLE: "sum(T - abs(k) for k in range(-lag, lag + 1) if abs(k) == lag and lag < T)",
            WHOLE: "sum(abs(k) == lag for k in range(-lag, lag + 1))",
            BEYOND: "sum(abs(k) == lag for k in range(-lag, lag + 1) if abs(k) > 2 * T)",
            LATER: "sum(k == lag for k in range(1, lag + 1))",
            NOW: "int(lag == 0)",
        }
        lines += [f"{names[s]} = {counted[s]}" for s in SUMS]
        text = {s: sp.Symbol(n) for s, n in names.items()}
        value = sp.sstr(self.difference.subs(text))
        lines += [f"difference = {value}", "print(difference)"]
        close = "difference == 0" if self.one.relation == "=" else "T * abs(difference) < F(1, 5)"
        lines.append(f"print(bool({close}))")
        script = "\n".join(lines) + "\n"
        if run(script):
            raise unseen_by_script(self.id)
        sides = []
        for side in (self.one.left, self.one.right):
            e = sp.expand(side)
            sides.append(str(sum(e.coeff(s) * w for s, w in pair.items()).subs(T, steps)))
        words = "weight of A at one lag on the left and on the right"
        return Counterexample({"T": str(steps), "lag": str(t)}, sides[0], sides[1], words, script)

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """Nothing is simulated."""
        return finding, None

    def fails_at_once(self, time: str) -> bool:
        """As whether it is caught: that is quick here."""
        return self.is_caught(time)

    def is_caught(self, time: str) -> bool:
        """By counting."""
        return self._linear() and self.failing() is not None

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Terms of the right side doubled or dropped, T squared; the mean square for another sum."""
        (printed,) = self.printed
        right = sp.expand(sp.sympify(printed.right))
        terms = sp.Add.make_args(right)
        changes = [("doubled", 2 * right), ("with its sign flipped", -right), ("over T", right / T)]
        changes += [(f"{x} doubled", right + x) for x in terms if len(terms) > 1]
        changes += [(f"{x} dropped", right - x) for x in terms if len(terms) > 1]
        for name, wrong in changes:
            yield name, replace(self, printed=(replace(printed, right=wrong),))
