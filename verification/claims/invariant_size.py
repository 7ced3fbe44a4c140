"""Claims about the size of a bias or a covariance of an invariant law: Theta, O or Omega of a power.

``regime`` is "N" (N grows at fixed eta = gamma N) or "eta" (eta vanishes, and N is at least 1/eta). The
first term is a formula in letters, which vanishes where a letter does; data with that letter zero are
then a linear regression, whose moments are known exactly at every size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import log
from typing import Any, Self

import numpy as np
import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.printing import latex, plain
from verification.claims.base import Claim, Printed
from verification.invariants import letters
from verification.invariants.balance import Examples, balanced, examples
from verification.invariants.laws import Logistic, moments
from verification.invariants.sizescript import size_script
from verification.refuter.script import run
from verification.verdict import Correction, Counterexample, Evidence, Finding, RoutesDisagree, Twins
from verification.word import of_false

_APART, _FAR = 64, 8  # of two sizes; how far a ratio of scaled values may be from one
_TOLERANCE = 0.3
_DATA = ((2.0, 2.0, 1.0), (1.0, 1.0, 0.0))
_SIGNS = {"Theta": r"\Theta", "O": "O", "Omega": r"\Omega"}
_SAID = {"bias": "bias", "covariance": "covariance", "off": "distance of the mean from the mode"}
_NEEDS = {
    "u3": "the third derivative of U/N at the mode stays away from 0",
    "v11": "the gradients of the examples at the mode differ, M/N staying away from 0",
}
_SPECIAL = {"u3": ((1, 2), (2, -1)), "v11": ((1, 2), (0, 0))}  # X and y of regressions; mode 0


@dataclass(frozen=True)
class Size(Printed):
    """``what`` of the law of a sampler is of the size of the right side."""

    relation: str = "Theta"
    law: str = ""
    what: str = "covariance"

    @property
    def power(self) -> int:
        """Of N or eta, as it vanishes: 1/N and eta have 1, a constant has 0."""
        base, power = sp.sympify(self.right).as_base_exp()
        if not base.is_Symbol:
            return 0
        return int(-power if base == letters.N else power)

    def latex(self) -> str:
        """As typeset."""
        name = rf"\mathrm{{{_SAID[self.what]}}}(\pi_{{\mathrm{{{self.law}}}}})"
        return rf"{name} = {_SIGNS[self.relation]}\left({latex(sp.sympify(self.right))}\right)"

    def text(self) -> str:
        """On one line."""
        return f"{_SAID[self.what]} of {self.law} = {self.relation}({plain(self.right)})"


def sizes(what: str, right: Any, *laws: str, relation: str = "Theta") -> tuple[Size, ...]:
    """The same size for some samplers."""
    nothing = sp.Symbol(what)
    return tuple(Size(nothing, sp.sympify(right), relation, law, what) for law in laws)


@dataclass(frozen=True)
class InvariantSize(Claim):
    """``printed`` are sizes."""

    regime: str = "N"
    needing: tuple[str, ...] = ()  # letters that are away from zero, where that is given
    time: str = "discrete"

    def has_discrete_reading(self) -> bool:
        """It is about algorithms."""
        return False

    # -- letters -----------------------------------------------------------------------------------

    def first_term(self, size: Size) -> tuple[int, Any]:
        """Its power of what vanishes, and its factor in letters."""
        what = "second" if size.what == "covariance" else "mean"
        found = letters.truth(size.law, what)
        if size.what == "bias":
            found -= letters.truth(letters.POSTERIOR, "mean")
        factor = letters.leading(size.law, found)
        small = letters.small_in(size.law)
        if small == "eta" and self.regime == "N":  # fixed eta: 1/N is nothing beside it
            return 0, sp.factor(factor.subs(letters.TAU, 0))
        if small == "eta":
            return 1, sp.factor(factor.subs(letters.TAU, 0))
        return (1 if self.regime == "N" else 2), factor

    def may_vanish(self, size: Size) -> tuple[str, ...]:
        """The letters whose vanishing makes the first term vanish."""
        _, factor = self.first_term(size)
        numerator = sp.fraction(sp.together(factor))[0]
        free = sorted(s.name for s in numerator.free_symbols if s.name in _NEEDS)
        zero = tuple(n for n in free if sp.expand(numerator.subs(sp.Symbol(n, real=True), 0)) == 0)
        return tuple(n for n in zero if n not in self.needing)

    def in_letters(self, size: Size) -> tuple[bool, tuple[str, ...]]:
        """Whether it is so where no letter vanishes, and the letters that spoil it."""
        power, _ = self.first_term(size)
        generic = {"Theta": size.power == power, "O": size.power <= power, "Omega": size.power >= power}
        spoiling = self.may_vanish(size) if size.relation != "O" else ()
        return generic[size.relation], spoiling

    # -- exact places --------------------------------------------------------------------------------

    def _places(self) -> tuple[tuple[int, Fraction], ...]:
        """N and eta at two sizes."""
        if self.regime == "N":
            return ((4096, Fraction(1, 64)), (4096 * _APART, Fraction(1, 64)))
        return ((4096, Fraction(1, 64)), (4096 * _APART**2, Fraction(1, 64 * _APART)))

    def scaled(self, size: Size, data: Examples) -> tuple[Fraction, ...]:
        """The quantity over the printed size, at both places."""
        found = []
        for N, eta in self._places():
            value = _quantity(size.law, size.what, data, N, eta)
            small = Fraction(1, N) if self.regime == "N" else eta
            found.append(value / small**size.power)
        return tuple(found)

    def holds_at(self, size: Size, data: Examples) -> bool:
        """Whether the scaled values are of one size."""
        near, far = self.scaled(size, data)
        below = far == 0 or (near != 0 and abs(far) <= _FAR * abs(near))
        above = far != 0 and (near == 0 or _FAR * abs(far) >= abs(near))
        return {"Theta": below and above, "O": below, "Omega": above}[size.relation]

    def in_fractions(self, size: Size) -> tuple[bool, tuple[str, ...]]:
        """At generic data, and at those of which a letter is zero."""
        spoiling = tuple(
            n for n in _NEEDS if n not in self.needing and not self.holds_at(size, _without(n))
        )
        return self.holds_at(size, examples(1, 3)), spoiling

    # -- laws ------------------------------------------------------------------------------------------

    def rate(self, size: Size) -> float:
        """The power between two sizes, on logistic regression."""
        near, far = (
            [_on_logistic(size.law, size.what, N, eta) for N, eta in ((1200, 1 / 8), (4800, 1 / 8))]
            if self.regime == "N"
            else [_on_logistic(size.law, size.what, int(72 / eta), eta) for eta in (1 / 32, 1 / 128)]
        )
        return log(abs(near / far), 4)

    def in_numbers(self, size: Size) -> bool:
        """Whether that power is the printed one, or on the printed side of it."""
        off = self.rate(size) - size.power
        return {"Theta": abs(off) < _TOLERANCE, "O": off > -_TOLERANCE, "Omega": off < _TOLERANCE}[
            size.relation
        ]

    # -- the verdict -----------------------------------------------------------------------------------

    def find(self, time: str | None = None) -> Finding:
        """Letters, fractions and laws; a letter that may vanish is a condition."""
        evidence = []
        generic, spoiling = True, []
        for size in self._all():
            (holds, spoils), (exact, seen) = self.in_letters(size), self.in_fractions(size)
            missed = holds and set(seen) - set(spoils)
            if holds is not exact or missed or holds is not self.in_numbers(size):
                raise RoutesDisagree(f"{self.id}: {size.text()}: {holds, spoils} and {exact, seen}")
            generic = generic and holds
            spoiling += [n for n in spoils if n not in spoiling]
            evidence += self._told(size)
        if generic and not spoiling:
            return Finding("proved", "In one dimension the first term has the printed size and cannot vanish.",
                           tuple(evidence))  # fmt: skip
        if not generic:
            true = self._true()
            words = "The first term is of another size: " + "; ".join(s.text() for s in true) + "."
            correction = Correction(
                r" \qquad ".join(s.latex() for s in true), "; ".join(s.text() for s in true), "proved",
                "where no letter of the first term vanishes", true,
            )  # fmt: skip
            return Finding("refuted", words, tuple(evidence), corrected=correction,
                           counterexample=self._shown(""))  # fmt: skip
        condition = " and ".join(_NEEDS[n] for n in spoiling)
        words = (
            f"It fails in general: the first term has the factor {' '.join(spoiling)}. The numbers below are"
            " exact, on a linear regression. In one dimension it holds where"
            f" {condition}. The paper does not say so."
        )
        return Finding(
            of_false(True, None),
            words,
            tuple(evidence),
            condition=condition,
            needs=tuple(spoiling),
            counterexample=self._shown(spoiling[0]),
        )

    def _all(self) -> tuple[Size, ...]:
        return tuple(p for p in self.printed if isinstance(p, Size))

    def _true(self) -> tuple[Size, ...]:
        small = sp.Integer(1) / letters.N if self.regime == "N" else letters.eta
        return tuple(replace(s, right=small ** self.first_term(s)[0]) for s in self._all())

    def _shown(self, letter: str) -> Counterexample:
        """A linear regression, or generic data, with the two scaled values."""
        data = _regression(letter) if letter else _regression("")
        failing = [s for s in self._all() if not self.holds_at(s, data)]
        if not failing:
            raise RoutesDisagree(f"{self.id}: no regression shows the failure")
        size = failing[0]
        X, y = _SPECIAL.get(letter, _GENERIC)
        script = size_script(self.heading, X, y, size.law, size.what, size.relation,
                             self._places(), self.regime, size.power, _FAR)  # fmt: skip
        if run(script):
            raise RoutesDisagree(f"{self.id}: the exported script does not see the counterexample")
        near, far = self.scaled(size, data)
        shown = {"X": list(map(str, X)), "y": list(map(str, y)), "prior precision": "1", "p": "1",
                 "N": [str(N) for N, _ in self._places()],
                 "eta": [str(e) for _, e in self._places()]}  # fmt: skip
        words = f"{_SAID[size.what]} of {size.law} over the printed size, at both sizes, on linear regression"
        return Counterexample(shown, str(near), str(far), words, script)

    def _told(self, size: Size) -> tuple[Evidence, ...]:
        power, factor = self.first_term(size)
        small = "1/N" if self.regime == "N" else "eta"
        left = Formula(rf"\mathrm{{{size.what}}}", f"{_SAID[size.what]} of {size.law}, first factor")
        step = Step("First term", f"In one dimension, the factor of ({small})^{power}; u2, u3 are"
                    " derivatives of U/N, v11 and v22 variances of one example's gradient and Hessian:",
                    (Equation(left, factor),))  # fmt: skip
        derivation = Derivation("The first term", (step,), ())
        exact, seen = self.in_fractions(size)
        return (
            Evidence("symbolic", f"{size.text()}: the first term in letters.",
                     {"power": power, "may_vanish": list(self.may_vanish(size))}, derivation),
            Evidence("exact", f"{size.text()}: exact moments at two sizes, of generic data and of linear"
                     " regressions.", {"holds": exact, "fails_where_zero": list(seen)}),
            Evidence("operator", f"{size.text()}: on logistic regression the power is"
                     f" {self.rate(size):.3f}.", {"rate": round(self.rate(size), 4)}),
        )  # fmt: skip

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """Laws are computed, not simulated."""
        return finding, None

    def true_statement(self, finding: Finding) -> Self | None:
        """With the letters away from zero, or with the right powers."""
        if finding.verdict == "proved-if":
            return replace(self, needing=(*self.needing, *finding.needs))
        if finding.verdict == "refuted":
            spoiling = {n for s in self._true() for n in self.may_vanish(s)}
            return replace(self, printed=self._true(), needing=tuple(sorted(spoiling)))
        return self

    def twins(self, finding: Finding) -> Twins:
        """Other powers, and stronger relations."""
        true = self.true_statement(finding)
        assert true is not None
        tried, rejected, survivors, equivalent = 0, 0, [], []
        for name, twin in true.corrupted(finding):
            (size,) = (s for s, t in zip(twin._all(), true._all(), strict=True) if s != t)
            exact, seen = twin.in_fractions(size)
            if twin.in_letters(size) == (True, ()):
                equivalent.append(name)
                continue
            tried += 1
            caught = not exact or bool(seen) or not twin.in_numbers(size)
            rejected += caught
            survivors += [] if caught else [name]
        return Twins(tried, rejected, tuple(survivors), tuple(equivalent))

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """One size at a time."""
        small = sp.Integer(1) / letters.N if self.regime == "N" else letters.eta
        for k, size in enumerate(self._all()):
            for power in (size.power + 1, size.power + 2, size.power - 1):
                wrong = replace(size, right=small**power)
                changed = (*self.printed[:k], wrong, *self.printed[k + 1 :])
                yield wrong.text(), replace(self, printed=changed)


_GENERIC = ((1, 2), (2, -1))


@cache
def _without(letter: str) -> Examples:
    """Generic data with the third derivatives zero, or the gradients at the mode."""
    order, data = {"u3": 2, "v11": 0}[letter], examples(1, 3)

    def zeroed(one: Any) -> Any:
        return tuple(x * 0 if k == order else x for k, x in enumerate(one))

    return Examples(zeroed(data.prior), tuple(map(zeroed, data.kinds)))


def _regression(letter: str) -> Examples:
    """Linear regression with unit variances, about its mode 0: x (x theta - y) is an example's gradient."""
    X, y = _SPECIAL.get(letter, _GENERIC)

    def array(x: int, rank: int) -> Any:
        return np.array([Fraction(x)], object).reshape((1,) * rank)

    kinds = tuple(
        (array(-a * b, 1), array(a * a, 2), array(0, 3)) for a, b in zip(X, y, strict=True)
    )
    return Examples((array(0, 1), array(1, 2), array(0, 3)), kinds)


def _quantity(law: str, what: str, data: Examples, N: int, eta: Fraction) -> Fraction:
    """In fractions: exact for linear regression, else the first term."""
    mean, second = balanced(law, data, N, 1, eta / N)
    if what == "covariance":
        return Fraction(second[0, 0])
    if what == "off":
        return Fraction(mean[0])
    U2, U3 = data.total(2, N)[0, 0], data.total(3, N)[0, 0, 0]
    return Fraction(mean[0] + U3 / (2 * U2**2))


def _on_logistic(law: str, what: str, N: int, eta: float) -> float:
    data = Logistic(*_DATA, N)
    found = moments(law, data, eta / N)
    if what == "covariance":
        return found.second - found.mean**2
    return found.mean - (moments(letters.POSTERIOR, data, 0.0).mean if what == "bias" else 0.0)
