"""Claims of measured values: at stated settings an algorithm gives a number, within a tolerance."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, Self

import sympy as sp

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.independent.fields import Itself
from sgtheory.notation.matrixwords import Entry
from sgtheory.notation.printing import latex, plain
from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from sgtheory.reader import exact
from sgtheory.setting import Setting
from verification.claims.base import Claim, Printed
from verification.claims.deciding import BATCHES, Decision, decide
from verification.laws.decimals import DIGITS, DecimalLaw, decimal, decimal_law, plain_law
from verification.laws.quantities import amounts, is_matrix, letters, plain_matrices
from verification.laws.rational import Numbers
from verification.measuring.ensembles import Plan, enough_steps
from verification.refuter.alongscript import head_for, quantity_text
from verification.refuter.script import array, run
from verification.refuter.twins import spread
from verification.statistics import chains_for, effect_of
from verification.verdicts.verdict import (
    Counterexample,
    Evidence,
    Finding,
    Twins,
    differ,
    unseen_by_script,
)

MEAN = sp.Symbol("Mean", commutative=False)  # the means of theta, on a diagonal
_ROUNDING = Decimal("1e-40")
_AGREE = 1e-9  # of the floating-point law and the one to sixty digits


def mean_of(k: int) -> Any:
    """The mean of a coordinate of theta, counted from 0."""
    return Entry(MEAN, k, k)


_LEFT = 1e-8  # of a squared transient: the stationary value is meant


@dataclass(frozen=True)
class Value(Printed):
    """``left = right``, plus or minus a tolerance."""

    tolerance: Any = 0

    def latex(self) -> str:
        """As typeset."""
        return rf"{latex(sp.sympify(self.left))} = {self.right} \pm {self.tolerance}"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} = {self.right} +- {self.tolerance}"


@dataclass(frozen=True)
class Empirical(Claim):
    """``printed`` is one ``Value``; ``problem`` a problem file's content, ``steps`` from its start.

    Without ``steps`` the stationary state is meant, which has to be known: the sampler affine.
    """

    problem: Mapping[str, Any] = field(default_factory=dict, hash=False)
    steps: int | None = None

    @property
    def value(self) -> Value:
        """What is printed."""
        (printed,) = self.printed
        assert isinstance(printed, Value)
        return printed

    @property
    def content(self) -> Problem:
        """The settings, read and checked."""
        return Problem.of(self.problem)

    @property
    def setting(self) -> Setting:
        """The sampler on the model of the settings."""
        return Setting(registry.sampler(self.of, self.content.params), self.content.model)

    @property
    def is_affine(self) -> bool:
        """Whether the exact law is known."""
        return bool(self.content.model.name == "quadratic")

    def has_discrete_reading(self) -> bool:
        """It is about the algorithm already."""
        return False

    # -- the exact law ---------------------------------------------------------------------------

    def exactly(self) -> Decimal:
        """The quantity to fifty digits, by the declared step alone."""
        found = decimal_law(self.setting, self.content.values(self.of), self.steps)
        with localcontext() as context:
            context.prec = DIGITS
            matrices = {n: [[decimal(x) for x in row] for row in m] for n, m in self._given().items()}
            moments = {**plain_law(found), "Mean": _on_diagonal(found.mean[: found.size])}
            roots = {n: Itself(decimal(x)) for n, x in self._scalars().items()}
            (amount,) = amounts(self.value.left, self._numbers(Decimal, {**matrices, **moments}, roots))
            total = Decimal(amount.rational)
            for c, a in amount.logs:
                total += c * a.ln()
            return total

    def by_modes(self) -> float:
        """The same in floating point, from pairs of modes."""
        found = law(self.of, self.content, at=self.steps).require_stable()
        return self._in_floats(found.mean["theta"], found.covariance)

    def _in_floats(self, mean: Any, covariance: Any) -> float:
        """The quantity from means and covariances in floating point."""
        moments: dict[str, Any] = {"Mean": _on_diagonal([float(x) for x in mean])}
        for key, m in covariance.items():
            a, b = key.split(",") if isinstance(key, str) else key
            moments[f"P_{a}_{b}"], moments[f"P_{b}_{a}"] = m.tolist(), m.T.tolist()
        moments["Sigma"] = moments["P_theta_theta"]
        given = {n: exact.floats(m).tolist() for n, m in self._given().items()}
        roots = {n: Itself(float(x)) for n, x in self._scalars().items()}
        (amount,) = amounts(self.value.left, self._numbers(float, {**given, **moments}, roots))
        return float(amount.rational) + sum(float(c) * math.log(a) for c, a in amount.logs)

    def _given(self) -> dict[str, Any]:
        found = dict(self.content.values(self.of).matrices)
        return {n: m for n, m in found.items() if n in letters(self.value.left) | {"A"}}

    def _scalars(self) -> dict[str, Fraction]:
        return {**self.content.values(self.of).scalars, "D": Fraction(self.content.D)}

    def _numbers(self, kind: Any, matrices: dict[str, Any], roots: dict[str, Any]) -> Numbers:
        if is_matrix(self.value.left):
            raise UnusableInput(
                "a number", f"the matrix {plain(self.value.left)}", "name an entry: Entry(Sigma, 0, 0)"
            )
        return Numbers(kind, plain_matrices(matrices, kind, self.content.D), roots)

    def find(self, time: str | None = None) -> Finding:
        """Exactly, where the law is known; else it is for the ensemble to say."""
        if not self.is_affine:
            if self.steps is None:
                raise UnusableInput(
                    "the number of steps", "none", f"{self.content.model.name} has no law in closed form"
                )
            why = "No exact law is known for this model: an ensemble decides."
            return Finding("inconclusive", why, ())
        again, value = self.by_modes(), self.exactly()
        if abs(float(value) - again) > _AGREE * max(1.0, abs(again)):
            raise differ(self.id, "the declared step", f"{value:.12}", "modes", f"{again!r}")
        room = _as_decimal(self.value.tolerance) + _ROUNDING
        holds = abs(value - _as_decimal(self.value.right)) <= room
        at = "in the stationary state" if self.steps is None else f"after {self.steps} steps"
        evidence = Evidence(
            "exact",
            f"Run on exact numbers, the declared step gives {value:.10} {at}; so do the modes.",
            {"value": f"{value:.40}", "by_modes": again, "holds": holds},
        )
        if holds:
            return Finding(
                "proved", f"The exact value is {value:.10}, within the tolerance.", (evidence,)
            )
        return Finding(
            "refuted",
            f"The exact value is {value:.10}, outside the tolerance.",
            (evidence,),
            counterexample=self._shown_value(value),
        )

    def _shown_value(self, value: Decimal) -> Counterexample:
        found = decimal_law(self.setting, self.content.values(self.of), self.steps)
        script = self._script(found)
        if run(script):
            raise unseen_by_script(self.id)
        return Counterexample(
            self.content.to_json(),
            f"{value:.20}",
            rf"{self.value.right} \pm {self.value.tolerance}",
            "exact value, to twenty digits, and printed value",
            script,
        )

    def _script(self, found: DecimalLaw) -> str:
        """The law by repeating one step (until nothing changes), and the quantity there."""
        names, d = letters(self.value.left), found.size
        lines = [f"# {self.heading}", f"M = {array(_short(found.step))}  # one step of {found.names}"]
        lines.append(f"Q = {array(_short(found.noise))}  # its noise")
        lines.append(f"D, I = {d}, {array([[int(i == j) for j in range(d)] for i in range(d)])}")
        given = plain_matrices(self._given(), Fraction, d)
        lines += [f"{n} = {array(m)}" for n, m in given.items() if n in names and n in ("A", "C", "H")]
        lines += [f"{n} = F('{x}')" for n, x in self._scalars().items() if n in names - {"D"}]
        if self.steps is None:
            lines += [f"P = {array(_short(found.covariance))}  # all second moments"]
            lines += ["assert abs(M @ P @ M.T + Q - P).max() < F('1e-30')"]
            lines += [f"mean = np.zeros({len(found.mean)}, int)"]
        else:
            values = self.content.values(self.of)
            start = [str(x) for n in found.names for x in values.start.get(n, (0,) * d)]
            lines += [f"mean, P = rows('{'; '.join(start)}'), 0 * Q"]
            lines += [f"for _ in range({self.steps}):", "    mean, P = M @ mean, M @ P @ M.T + Q"]
            # fractions would grow without end: thirty digits are kept
            lines += ["    P = np.vectorize(lambda x: F(round(x * 10**40), 10**40))(P)"]
            lines += ["    mean = np.vectorize(lambda x: F(round(x * 10**40), 10**40))(mean)"]
        for i, a in enumerate(found.names):
            for j, b in enumerate(found.names):
                name = "Sigma" if a == b == "theta" else f"P_{a}_{b}"
                if name in names:
                    lines.append(f"{name} = P[{i * d}:{(i + 1) * d}, {j * d}:{(j + 1) * d}]")
        if "Mean" in names:
            lines.append(f"Mean = np.diag(np.ravel(mean)[:{d}])")
        decimals = self.value.left.has(sp.log)
        lines.append(f"value = {quantity_text(self.value.left, decimals)}")
        lines.append(f"print(float(value), 'printed: {self.value.right} +- {self.value.tolerance}')")
        right, room = (f"F('{Fraction(str(x))}')" for x in (self.value.right, self.value.tolerance))
        if decimals:
            right, room = f"d({right})", f"d({room})"
        lines.append(f"print(bool(abs(value - {right}) <= {room}))")
        return head_for((self.value.left,)) + "\n".join(lines) + "\n"

    # -- the measurement -------------------------------------------------------------------------

    def measured(self, finding: Finding, plan: Plan) -> tuple[Finding, Evidence | None]:
        """Independent ensembles; where there is no exact law the verdict is theirs."""
        steps = self.steps if self.steps is not None else enough_steps(law(self.of, self.content), _LEFT)
        runs = self._ensembles(plan, steps)
        decision = self._decided([v for v, _ in runs], plan)
        low, high = decision.interval
        if finding.verdict != "inconclusive" and not low <= float(self.exactly()) <= high:
            raise differ(
                self.id,
                "the exact value",
                f"{float(self.exactly()):.12g}",
                "the ensemble",
                f"{low:.12g} to {high:.12g}",
            )
        evidence = self._seen(decision, runs, steps, plan)
        if finding.verdict != "inconclusive":
            return finding, evidence
        return replace(
            finding, verdict=decision.word, reason=evidence.words, measurement=decision
        ), evidence

    def _decided(self, values: list[float], plan: Plan) -> Decision:
        printed, room = float(self.value.right), float(self.value.tolerance)
        return decide(values, printed, room, plan.false_alarm, _chains(plan))

    def _ensembles(self, plan: Plan, steps: int) -> list[tuple[float, Any]]:
        """One value to each of a few ensembles with seeds of their own."""
        from simulators.ensemble import simulate

        values, chains = self.content.values(self.of), _chains(plan) // BATCHES
        found = []
        for k in range(BATCHES):
            run_ = simulate(
                self.setting,
                values,
                chains=chains,
                steps=steps,
                seed=(plan.seed + k) % 2**32,
                device=plan.device,
            )
            unbiased = {key: m * (chains / (chains - 1)) for key, m in run_.covariance.items()}
            found.append((self._in_floats(run_.mean["theta"], unbiased), run_))
        return found

    def _seen(
        self, decision: Decision, runs: list[tuple[float, Any]], steps: int, plan: Plan
    ) -> Evidence:
        first, chains = runs[0][1], _chains(plan)
        low, high = decision.interval
        words = (
            f"{chains:,} chains of {self.of} after {steps} steps: the value is between {low:.6g} and"
            f" {high:.6g} (each end wrong with probability {plan.false_alarm / 2:.1g}),"
        )
        if decision.word == "inconclusive":
            more = f" about {decision.chains_needed:,} chains would" if decision.chains_needed else ""
            words += f" which does not decide;{more or ' it lies on the edge of the tolerance'}."
        else:
            words += f" {'inside' if decision.word == 'confirmed' else 'outside'} what is printed."
        shifted = replace(self, printed=(_moved(self.value, decision),))
        twin = shifted._decided([v for v, _ in runs], plan).word == "refuted"
        truth = float(self.exactly()) if self.is_affine else decision.value
        point = {
            "label": plain(self.value.left),
            "measured": decision.value,
            "standard_error": decision.standard_error,
            "exact": truth,
            "limit": truth,
            "printed": float(self.value.right),
        }
        return Evidence(
            "ensemble",
            words,
            {
                "chains": chains,
                "steps": steps,
                "seed": plan.seed,
                "device": first.device,
                "dtype": first.dtype,
                "digest": [run_.digest for _, run_ in runs],
                "kernel": first.source,
                "problem": json.loads(json.dumps(self.content.to_json())),
                "decision": decision.word,
                "interval": [low, high],
                "false_alarm": plan.false_alarm,
                "chains_needed": decision.chains_needed,
                "twin": {"what": "printed value moved past tolerance and interval", "rejected": twin},
                "points": [point] if self.is_affine else [],
            },
        )

    # -- wrong twins -----------------------------------------------------------------------------

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Other values and quantities, decided by the same number or the same interval."""
        if finding.verdict not in ("proved", "confirmed"):
            return Twins(0, 0)
        tried, rejected, survivors, equivalent = 0, 0, [], []
        decision = finding.measurement
        for name, twin in spread(self.corrupted(finding), most):
            printed, room = float(twin.value.right), float(twin.value.tolerance)
            far = 0.0 if decision is None else 2 * decision.half_width
            if abs(printed - float(self.value.right)) <= 2 * room + far:
                equivalent.append(name)  # within what the claim itself leaves open
                continue
            tried += 1
            if decision is None:
                wrong = twin.find().verdict == "refuted"
            else:
                low, high = decision.interval
                wrong = high < printed - room or low > printed + room
            rejected += wrong
            survivors += [] if wrong else [name]
        return Twins(tried, rejected, tuple(survivors), tuple(equivalent))

    def corrupted(self, finding: Any) -> Iterator[tuple[str, Self]]:
        """The printed number with a factor, a sign, a power or a digit wrong."""
        v = sp.nsimplify(self.value.right, rational=True)
        room = sp.nsimplify(self.value.tolerance, rational=True)
        for name, wrong in (
            ("doubled", 2 * v),
            ("halved", v / 2),
            ("sign flipped", -v),
            ("squared", v**2),
            ("ten times", 10 * v),
            ("a tenth", v / 10),
            ("one more", v + 1),
            ("three tolerances more", v + 3 * room),
            ("three tolerances less", v - 3 * room),
        ):
            yield f"right: {name}", replace(self, printed=(replace(self.value, right=wrong),))


def _chains(plan: Plan) -> int:
    """As many as find the relative error of a variance that the budget stands for."""
    return BATCHES * math.ceil(chains_for(effect_of(plan.budget), plan.false_alarm) / BATCHES)


def _moved(value: Value, decision: Decision) -> Value:
    return replace(value, right=decision.value + float(value.tolerance) + 2 * decision.half_width)


def _as_decimal(x: Any) -> Decimal:
    return decimal(Fraction(str(x)))


def _on_diagonal(values: Any) -> Any:
    zero = values[0] - values[0]
    return [[x if i == j else zero for j in range(len(values))] for i, x in enumerate(values)]


def _short(rows: Any) -> Any:
    """Forty digits, and as fractions where they are short ones."""
    return [[_short_number(x) for x in row] for row in rows]


def _short_number(x: Decimal) -> Fraction:
    near = Fraction(x).limit_denominator(10**6)
    close = abs(near - Fraction(x)) < Fraction(1, 10**45)
    return near if close else Fraction(round(Fraction(x) * 10**40), 10**40)
