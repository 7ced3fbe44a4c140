"""Claims about the size of a bias or a covariance of an invariant law: Theta, O or Omega of a power.

``regime`` is "N" (N grows at fixed eta = gamma N) or "eta" (eta vanishes, and N is at least 1/eta). The
first term is a formula in letters, which vanishes where a letter does; data with that letter zero are
then a linear regression, whose moments are known exactly at every size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.printing import latex, plain
from verification.claims.base import Claim, Printed
from verification.invariants import letters
from verification.invariants.balance import Examples, examples
from verification.invariants.sizes import (
    GENERIC,
    SPECIAL,
    in_letters,
    on_logistic,
    quantity,
    regression,
    without,
)
from verification.invariants.sizescript import size_script
from verification.invariants.words import N, eta
from verification.refuter.script import run
from verification.twins import spread
from verification.verdict import (
    Answer,
    Correction,
    Counterexample,
    Evidence,
    Finding,
    NoAnswer,
    RoutesDisagree,
    Twins,
    unseen_by_script,
)
from verification.word import of_false

_APART, _FAR = 64, 8  # of two sizes; how far a ratio of scaled values may be from one
_TOLERANCE, _LONG = 0.3, 20
_SIGNS = {"Theta": r"\Theta", "O": "O", "Omega": r"\Omega", "o": "o"}
_SAID = {
    "bias": "bias",
    "covariance": "covariance",
    "off": "distance of the mean from the mode",
    "gradient": "variance of the stochastic gradient",
    "run": "squared distance of a run's average from the mode",
    "spread": "variance of a run's average",
}
_NEEDS = {
    "u3": "the third derivative of U/N at the mode stays away from 0",
    "v11": "the gradients of the examples at the mode differ, M/N staying away from 0",
    "v22": "the Hessians of the examples at the mode differ, K/N^2 staying away from 0",
}


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
        return int(-power if base == N else power)

    def latex(self) -> str:
        """As typeset."""
        name = rf"\text{{{_SAID[self.what]} of }} \pi_{{\mathrm{{{self.name}}}}}"
        return rf"{name} = {_SIGNS[self.relation]}\left({latex(sp.sympify(self.right))}\right)"

    def text(self) -> str:
        """On one line."""
        return f"{_SAID[self.what]} of {self.name} = {self.relation}({plain(self.right)})"

    @property
    def name(self) -> str:
        """The sampler, as it is written."""
        return self.law.upper()


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
        small, fixed = letters.small_in(size.law), self.regime == "N"
        if small == "eta" and size.what in ("gradient", "spread"):
            # M is there whatever eta is; an average over n = N/eta steps has the variance V11/(n U2^2)
            v11, u2 = sp.Symbol("v11", real=True), sp.Symbol("u2", positive=True)
            return (-2, v11) if size.what == "gradient" else (1, eta * v11 / u2**2)
        factor = letters.leading(size.law, in_letters(size.law, size.what))
        if small == "eta":  # at fixed eta 1/N is nothing beside it
            power, factor = 0 if fixed else 1, sp.factor(factor.subs(letters.TAU, 0))
        else:
            power = 1 if fixed else 2
        if size.what == "gradient":
            return power - 2, factor
        squared = size.what in ("run", "spread")
        return (2 * power, sp.factor(factor)) if squared else (power, factor)

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
        generic["o"] = size.power < power
        spoiling = self.may_vanish(size) if size.relation not in ("O", "o") else ()
        return generic[size.relation], spoiling

    # -- exact places --------------------------------------------------------------------------------

    def _places(self) -> tuple[tuple[int, Fraction], ...]:
        """N and eta at two sizes."""
        if any(s.what in ("run", "spread") for s in self._all()):
            return ((4096, Fraction(1, 8)), (4096 * _APART, Fraction(1, 8)))
        if self.regime == "N":
            return ((4096, Fraction(1, 64)), (4096 * _APART, Fraction(1, 64)))
        return ((4096, Fraction(1, 64)), (4096 * _APART**2, Fraction(1, 64 * _APART)))

    def scaled(self, size: Size, data: Examples) -> tuple[Fraction, ...]:
        """The quantity over the printed size, at both places."""
        small = (lambda n, _: Fraction(1, n)) if self.regime == "N" else (lambda _, e: e)
        return tuple(
            quantity(size.law, size.what, data, n, e) / small(n, e) ** size.power
            for n, e in self._places()
        )

    def holds_at(self, size: Size, data: Examples) -> bool:
        """Whether the scaled values are of one size."""
        near, far = self.scaled(size, data)
        below = far == 0 or (near != 0 and abs(far) <= _FAR * abs(near))
        above = far != 0 and (near == 0 or _FAR * abs(far) >= abs(near))
        less = far == 0 or _FAR * abs(far) < abs(near)
        return {"Theta": below and above, "O": below, "Omega": above, "o": less}[size.relation]

    def in_fractions(self, size: Size) -> tuple[bool, tuple[str, ...]]:
        """At generic data, and at those of which a letter is zero."""
        spoiling = tuple(
            n for n in _NEEDS if n not in self.needing and not self.holds_at(size, without(n))
        )
        return self.holds_at(size, examples(1, 3)), spoiling

    # -- laws ------------------------------------------------------------------------------------------

    def rate(self, size: Size) -> float:
        """The power between two sizes, on logistic regression."""
        near, far = (
            [on_logistic(size.law, size.what, n, e) for n, e in ((1200, 1 / 8), (4800, 1 / 8))]
            if self.regime == "N"
            else [on_logistic(size.law, size.what, int(72 / eta), eta) for eta in (1 / 32, 1 / 128)]
        )
        return log(abs(near / far), 4)

    def in_numbers(self, size: Size) -> bool:
        """Whether that power is the printed one, or on the printed side of it."""
        off = self.rate(size) - size.power
        below, above = off > -_TOLERANCE, off < _TOLERANCE
        return {"Theta": below and above, "O": below, "Omega": above, "o": off > _TOLERANCE}[
            size.relation
        ]

    # -- the verdict -----------------------------------------------------------------------------------

    def find(self, time: str | None = None) -> Finding:
        """Letters, fractions and laws; a letter that may vanish is a condition."""
        evidence: list[Evidence] = []
        generic, spoiling = True, []
        for size in self._all():
            (holds, spoils), (exact, seen) = self.in_letters(size), self.in_fractions(size)
            letters_say = Answer("letters", f"{size.text()} is {holds}, but for {spoils}")
            if holds is not exact or (holds and set(seen) - set(spoils)):
                raise RoutesDisagree(
                    self.id, letters_say, Answer("fractions", f"{exact}, but for {seen}")
                )
            if holds is not self.in_numbers(size):
                raise RoutesDisagree(self.id, letters_say, Answer("laws in numbers", f"{not holds}"))
            generic = generic and holds
            spoiling += [n for n in spoils if n not in spoiling]
            evidence += self._told(size)
        if generic and not spoiling:
            words = "In one dimension the first term has the printed size and cannot vanish."
            return Finding("proved", words, tuple(evidence))
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
            f"It fails in general: the first term has the factor {' '.join(spoiling)}. The numbers"
            f" below are exact, on a linear regression. In one dimension it holds where {condition}."
            " The paper does not say so."
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
        small = sp.Integer(1) / N if self.regime == "N" else eta
        return tuple(
            replace(
                s,
                right=small ** self.first_term(s)[0],
                relation="Theta" if s.relation == "o" else s.relation,
            )
            for s in self._all()
        )

    def _shown(self, letter: str) -> Counterexample:
        """A linear regression, or generic data, with the two scaled values."""
        data = regression(letter) if letter else regression("")
        failing = [s for s in self._all() if not self.holds_at(s, data)]
        if not failing:
            raise NoAnswer(self.id, "no regression that is at hand shows the failure")
        size = failing[0]
        X, y = SPECIAL.get(letter, GENERIC)
        script = size_script(self.heading, X, y, size.law, size.what, size.relation,
                             self._places(), self.regime, size.power, _FAR)  # fmt: skip
        if run(script):
            raise unseen_by_script(self.id)
        near, far = self.scaled(size, data)
        (first, near_eta), (last, far_eta) = self._places()
        shown = {
            "X": [[str(x)] for x in X],
            "y": [[str(v)] for v in y],
            "p": "1",
            "N_1": str(first),
            "eta_1": str(near_eta),
            "N_2": str(last),
            "eta_2": str(far_eta),
        }
        words = (
            f"{_SAID[size.what]} of {size.name} over the printed size, at both sizes, for linear"
            " regression with unit variances and a standard normal prior"
        )
        wanted = {"o": r"\text{falling to } 0", "O": r"\text{bounded}"}
        right = wanted.get(size.relation, r"\text{positive numbers of one size}")
        return Counterexample(shown, f"{_shortly(near)}, {_shortly(far)}", right, words, script)

    def _told(self, size: Size) -> tuple[Evidence, ...]:
        power, factor = self.first_term(size)
        small = "1/N" if self.regime == "N" else "eta"
        left = Formula(rf"\mathrm{{{size.what}}}", f"{_SAID[size.what]} of {size.name}, first factor")
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

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Other powers, and stronger relations."""
        true = self.true_statement(finding)
        assert true is not None
        tried, rejected, survivors, equivalent = 0, 0, [], []
        for name, twin in spread(true.corrupted(finding), most):
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
        small = sp.Integer(1) / N if self.regime == "N" else eta
        for k, size in enumerate(self._all()):
            for power in (size.power + 1, size.power + 2, size.power - 1):
                wrong = replace(size, right=small**power)
                changed = (*self.printed[:k], wrong, *self.printed[k + 1 :])
                yield wrong.text(), replace(self, printed=changed)


def _shortly(x: Fraction) -> str:
    """As it is, where that can be read."""
    return str(x) if x.denominator < 10**_LONG else f"{float(x):.6g}"
