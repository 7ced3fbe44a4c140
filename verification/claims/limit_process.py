"""Claims that a printed stochastic differential equation is the limit of a declared sampler.

In continuous time its drift and its noise are compared with those of a declared step, where all right
sides see the old values: that is how papers pass to the limit. Against the algorithm itself it is held
over the time that a step takes: the process moves the mean by the exponential of its drift matrix, the
step by a matrix of its own. What is dropped is the gap, and it shrinks with the step, or does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import sympy as sp

from sgtheory.affine import LAMBDA, mode_form
from sgtheory.derivation import Formula
from sgtheory.fields import Rows, add, multiply, transpose
from sgtheory.language import STEP, step_in
from sgtheory.printing import latex, plain
from verification.claims.base import Proof
from verification.claims.one_step import Stepwise
from verification.miner.conditions import Condition
from verification.miner.scalars import ONE, Equal, written_under
from verification.rational import as_strings
from verification.refuter.places import Place
from verification.refuter.search import Failure, Look, Sides
from verification.refuter.stepscript import transition_script
from verification.verdict import Correction, Counterexample, Finding, Gap
from verification.wiener import Forms, NoiseLetter, read, written

TERMS = 24  # of the exponential series; what is left out is bounded
_LARGEST = 3  # a drift matrix of larger norm would need more of them
_NOISE_NAMES = ("dW", "dV", "dU")


@dataclass(frozen=True)
class LimitProcess(Stepwise):
    """Rows ``Change(theta) = ... * dt + ... * dW``: what a sampler is said to go over into."""

    def has_discrete_reading(self) -> bool:
        """Held against the algorithm over the time of a step."""
        return True

    def agreement(self, time: str) -> str:
        """Where it is true."""
        return "Drift and noise are those of the declared step to first order, in every dimension."

    def row_of(self, forms: Forms, target: str, names: dict[str, Any]) -> Any:
        """With dt behind the drift."""
        return written(forms, target, names)

    def noise_letter(self, k: int) -> Any:
        """Wiener noises."""
        return NoiseLetter(_NOISE_NAMES[k], commutative=False)

    # -- the algorithm over the time of a step ----------------------------------------------------

    @cached_property
    def modes(self) -> tuple[Any, Any] | None:
        """The drift and a step at one mode, where the rows are right to first order; else None.

        Rows that leave a state out stand by themselves only where a step does.
        """
        whole = set(self.targets) == {s.name for s in self.setting.state}
        if whole and super().prove("continuous").holds:
            F, M = (mode_form(self.setting, t).M for t in ("continuous", "discrete"))
        elif super().prove("discrete").holds:
            kept = [k for k, s in enumerate(self.setting.state) if s.name in self.targets]
            M = mode_form(self.setting, "discrete").M.extract(kept, kept)
            F = M - sp.eye(len(kept))
        else:
            return None
        return F.applyfunc(self._damped), M.applyfunc(self._damped)

    def _damped(self, expr: Any) -> Any:
        """Under the hypotheses on scalars, of which the step size stays a letter."""
        given = tuple(c for c in self.conditions if not _sets_the_step(c))
        return sp.expand(written_under(expr, given))

    def prove(self, time: str) -> Proof:
        """In continuous time by normal forms; over a step, by what is left of the exponential."""
        found = super().prove("continuous")
        if time == "continuous":
            return found
        if self.modes is None:
            words = found.reason.removesuffix(".")
            words = words[0].lower() + words[1:]
            return Proof(False, f"It is another process already to first order in the step: {words}.")
        rest = self.first_left_over
        if rest is None:
            words = (
                "Its mean moves by the exponential of the drift matrix, a step by another matrix, also"
                " as the step size vanishes with all else fixed."
            )
            return Proof(False, words)
        return Proof(False, rest[2])

    @property
    def first_left_over(self) -> tuple[Any, Any, str] | None:
        """Order and first term of the gap, relative to the drift, in words too; None where it stays."""
        if self.modes is None:
            return None
        F, M = self.modes
        step = step_in(sp.Add(*M))
        if all(sp.limit(x, step, 0) == 0 for x in F):
            return self._small_drift(F, M, step)
        return self._balanced(F, M, step)

    def _small_drift(self, F: Any, M: Any, step: Any) -> tuple[Any, Any, str] | None:
        """All of the drift is small with the step: one state."""
        if F.shape != (1, 1):
            return None
        f, m = F[0, 0], M[0, 0]
        relative = sp.series(sp.exp(f), step, 0, 3).removeO() - m
        term = sp.factor(sp.expand(relative / f).as_leading_term(step))
        order = sp.expand(term).as_coeff_exponent(step)[1]
        if not order > 0:
            return None
        size = self._stated(-term if term.could_extract_minus_sign() else term)
        gain = ", lambda an eigenvalue of H A" if self.has_gain else ""
        words = (
            f"In the time of a step its mean moves by {plain(self._stated(sp.exp(f)))} at a mode, the"
            f" algorithm's by {plain(self._stated(m))}{gain}; they agree to first order in the step."
        )
        return order, size, words

    def _balanced(self, F: Any, M: Any, step: Any) -> tuple[Any, Any, str] | None:
        """With velocities and dampings of the order of the root of the step, the rest may be small."""
        root = sp.Symbol("_r", positive=True)
        damped = [p for p in F.free_symbols if p not in (step, LAMBDA) and not p.is_integer]
        kept = {p: sp.Symbol(f"_{p}", positive=True) * root for p in damped}
        scale = sp.diag(
            *(1 if s in self.setting.sampler.positions else root for s in self.setting.state)
        )
        near, far = (
            (scale.inv() * X.subs({step: root**2, **kept}) * scale).applyfunc(sp.expand) for X in (F, M)
        )
        if any(sp.limit(x / root, root, 0).is_infinite for x in near):
            return None
        rest = (sp.eye(len(near.row(0))) + near + near * near / 2 - far).applyfunc(sp.expand)
        if any(sp.limit(x / root, root, 0) != 0 for x in rest):
            return None
        names = " and ".join(sorted(str(p) for p in damped))
        words = (
            "With all else fixed, it is not what the algorithm does as the step size vanishes; where"
            f" {names} shrinks with the root of the step size, the two agree to first order."
        )
        return sp.Rational(1, 2), sp.sqrt(step), words

    def gap(self, time: str) -> Gap | None:
        """What is dropped, relative to the drift."""
        found = self.first_left_over if time == "discrete" else None
        if found is None:
            return None
        order, term, _ = found
        if any(map(_sets_the_step, self.conditions)):
            return Gap("H", str(order), Formula(latex(term), plain(term)))
        words = f"O({plain(term)})" if order < 1 else plain(term)
        shown = f"O({latex(term)})" if order < 1 else latex(term)
        return Gap("eps", str(order), Formula(shown, words))

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """No condition on matrices makes an exponential end after its second term."""
        return super().lattice(time) if time == "continuous" else ()

    def look(self, time: str) -> Look:
        """Over a step: mean and covariance of the process by their series, against the algorithm's."""
        if time == "continuous":
            return super().look(time)

        def at(place: Place) -> Sides | None:
            if not self._admits(place):
                return None
            drift, noise = self.printed_at(place)
            states = [s.name for s in self.setting.state]
            seen = self.seen_at(place, "discrete")
            order = [states.index(t) * place.D + i for t in self.targets for i in range(place.D)]
            beside = [k for k in range(len(drift[0])) if k not in order]  # of states without a row
            left = transition([[row[j] for j in order] for row in drift], noise)
            if left is None:
                return None
            mean, covariance, error = left
            M = [[row[j] for j in order] for row in seen[0]]
            one = [[x + (i == j) for j, x in enumerate(row)] for i, row in enumerate(M)]
            rest = [[[row[k] for k in beside] for row in m] for m in (drift, seen[0])]
            sides = [[*a, *b, *c] for a, b, c in zip(mean, covariance, rest[0], strict=True)]
            other = [[*a, *b, *c] for a, b, c in zip(one, seen[1], rest[1], strict=True)]
            worst = max(
                abs(x - y) for r, s in zip(sides, other, strict=True) for x, y in zip(r, s, strict=True)
            )
            if 0 < worst <= error:  # too close to tell
                return None
            return Sides([[x.limit_denominator(10**6) for x in row] for row in sides], other, worst == 0)

        return at

    def correct(self, time: str) -> Correction | None:
        """Of the algorithm: the process that a step of it is a sample of, where there is one."""
        return (
            super().correct("continuous") if time == "continuous" or not self.modes else self._between()
        )

    def _between(self) -> Correction | None:
        """For one state: log M as its drift, and the noise that gives a step's covariance."""
        assert self.modes is not None
        _, M = self.modes
        if M.shape != (1, 1):
            return None
        i, j = sp.symbols("lambda_i lambda_j", positive=True)
        m = self._stated(M[0, 0])
        f, rate = sp.log(m), sp.Symbol("f")
        left, right = f.subs(LAMBDA, i), f.subs(LAMBDA, j)
        share = (left + right) / (m.subs(LAMBDA, i) * m.subs(LAMBDA, j) - 1)
        # over a step the covariance is the noise times (exp(f_i + f_j) - 1)/(f_i + f_j)
        grown = share * (sp.exp(sp.expand_log(left + right)) - 1) / (left + right)
        if sp.simplify(grown - 1) != 0 or sp.exp(rate).subs(rate, f) != m:
            return None
        drift = f"{latex(left)} \\, \\theta_i", f"{plain(left)} theta_i"
        words = (
            "at a pair of modes, with Q the covariance of a step's noise and K that of the process,"
            f" while {plain(m)} is positive"
        )
        return Correction(
            rf"d\,\mathbb{{E}}\theta_i/dt = {drift[0]} \qquad K_{{ij}} = Q_{{ij}} {latex(share)}",
            f"dE theta_i/dt = {drift[1]}; K_ij = Q_ij*{plain(share)}",
            "proved",
            words,
        )

    def script(self, failure: Failure, time: str) -> str:
        """Over a step: the series, with a bound of what it leaves out."""
        if time == "continuous":
            return super().script(failure, time)
        return transition_script(
            self.heading,
            self.setting,
            failure.place,
            self.targets,
            read(self.printed),
            self.lasts,
            TERMS,
        )

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """Both pairs of matrices."""
        if time == "continuous":
            return super().counterexample_of(failure, time)
        return Counterexample(
            failure.place.to_json(),
            as_strings(failure.sides.left),
            as_strings(failure.sides.right),
            "mean's matrix beside covariance, of the process after a step's time and of the algorithm",
        )

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Rows, and the time that a step takes."""
        yield from super().corrupted(finding)
        yield "a step takes twice as long", replace(self, lasts=2 * sp.sympify(self.lasts))


def _sets_the_step(condition: Condition) -> bool:
    """Whether the step size is one: then a gain stands for it."""
    return isinstance(condition, Equal) and condition.letters == (STEP.name, ONE)


def transition(drift: Rows, noise: Rows) -> tuple[Rows, Rows, Fraction] | None:
    """exp(F), the covariance after a unit of time, and a bound of the error of both series.

    >>> half = Fraction(1, 2)
    >>> mean, _, error = transition([[-half]], [[half]])
    >>> abs(float(mean[0][0]) - 2.718281828459045**-0.5) < 1e-12 and error < 1e-12
    True
    """
    size = max((sum(abs(x) for x in row) for row in (*drift, *transpose(drift))), default=Fraction(0))
    if size > _LARGEST:
        return None
    n = range(len(drift))
    mean = power = [[Fraction(i == j) for j in n] for i in n]
    covariance = term = noise
    for k in range(1, TERMS):
        power = [[x / k for x in row] for row in multiply(power, drift)]
        mean = add(mean, power)
        both = add(multiply(drift, term), multiply(term, transpose(drift)))
        term = [[x / (k + 1) for x in row] for row in both]  # L^k(Q)/(k + 1)!
        covariance = add(covariance, term)
    # entries of L^k(Q) are at most (2 size)^k |Q|, and 2 size <= TERMS/4: twice the first term left out
    ended = all(x == 0 for m in (power, term) for row in m for x in row)
    norm = max((sum(abs(x) for x in row) for row in noise), default=Fraction(0))
    bound = 2 * (2 * size) ** TERMS * (1 + norm) / math.factorial(TERMS)
    return mean, covariance, Fraction(0) if ended else bound
