"""Claims about the stationary second moments of a sampler: equations between matrices."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.matrixwords import SIGMA
from sgtheory.pairs import LI, LJ, PairCovariance, stationary
from sgtheory.printing import latex, plain, tidy
from verification.claims.base import Claim, Printed
from verification.pairform import (
    DELTA,
    NOISE,
    pair_symbol,
    responses,
    substitute_law,
    to_pair,
)
from verification.probes import probes
from verification.rational import (
    as_strings,
    escape_probability,
    is_zero,
    matrix_value,
    numbers_of,
    random_numbers,
    stationary_moments,
)
from verification.standing import (
    COMMUTING,
    FAILS,
    HOLDS,
    LEADING,
    ORDER,
    Standing,
    stand,
    true_equation,
    what_holds,
)
from verification.twins import corruptions
from verification.verdict import (
    Correction,
    Counterexample,
    Evidence,
    Finding,
    Gap,
    RoutesDisagree,
    Twins,
)

_VERDICT = {HOLDS: "proved", COMMUTING: "proved-if", LEADING: "limit-only", FAILS: "refuted"}
CONDITION = "A and B B^T commute"


@dataclass(frozen=True)
class StationaryLaw(Claim):
    """Equations that the stationary second moments of a sampler are printed to satisfy."""

    def find(self, time: str | None = None) -> Finding:
        """Substitute the derived law into what is printed, at a generic pair of modes."""
        time = time or self.time
        pair = stationary(self.setting, time)
        standings = [stand(p, pair) for p in self.printed]
        worst = max((s.word for s in standings), key=ORDER.index)
        evidence = [_symbolic_evidence(standings, pair), self._exact_evidence(standings, time)]
        counterexample = None if worst == HOLDS else self._counterexample(time)
        if worst != HOLDS and counterexample is None:
            raise RoutesDisagree(f"{self.id}: refuted in symbols, but every exact probe satisfies it")
        faulty = next((s for s in standings if s.word == worst), standings[0])
        return Finding(
            verdict=_VERDICT[worst],
            reason=_reason(worst, faulty, time),
            evidence=tuple(evidence),
            condition=_condition(faulty) if worst == COMMUTING else None,
            gap=_gap_of(faulty),
            corrected=None if worst == HOLDS else self._correct(standings, pair, time),
            counterexample=counterexample,
        )

    def _exact_evidence(self, standings: list[Standing], time: str) -> Evidence:
        """The other route: random 3 x 3 problems modulo a prime, by elimination."""
        source = random.Random(self.id)
        numbers = [random_numbers(self.setting, time, source) for _ in range(2)]
        holds = [
            all(is_zero(matrix_value(s.printed.residual, n), n.field) for n in numbers)
            for s in standings
        ]
        for standing, held in zip(standings, holds, strict=True):
            if held != (standing.word == HOLDS):
                raise RoutesDisagree(f"{self.id}: symbols say {standing.word}, exact numbers {held}")
            if standing.word == COMMUTING and not self._holds_commuting(standing.printed, time):
                raise RoutesDisagree(f"{self.id}: exact commuting matrices violate it")
        words = "satisfy" if all(holds) else "violate"
        if any(s.word == COMMUTING for s in standings):
            words += " the printed equation; with commuting matrices they satisfy it"
        else:
            words += " the printed equation"
        chance = escape_probability(self.setting, len(numbers))
        return Evidence(
            "exact",
            f"Random 3 x 3 problems modulo 2^61 - 1, solved by elimination from the declared step,"
            f" {words} (chance of being misled below {chance}).",
            {"problems": len(numbers), "holds": all(holds), "error_probability": float(chance)},
        )

    def _holds_commuting(self, printed: Printed, time: str) -> bool:
        source = random.Random(self.id + "commuting")
        numbers = random_numbers(self.setting, time, source, commuting=True)
        return is_zero(matrix_value(printed.residual, numbers), numbers.field)

    def _counterexample(self, time: str) -> Counterexample | None:
        for problem in probes(self.setting):
            moments = stationary_moments(self.setting, problem, time)
            if moments is None:
                continue
            numbers = numbers_of(problem, moments)
            for which, printed in zip(_ordinals(len(self.printed)), self.printed, strict=True):
                left = matrix_value(printed.left, numbers)
                right = matrix_value(printed.right, numbers)
                if left != right:
                    return Counterexample(
                        problem.to_json(),
                        as_strings(left),
                        as_strings(right),
                        f"left and right sides of the {which}printed equation",
                    )
        return None

    def _correct(self, standings: list[Standing], pair: PairCovariance, time: str) -> Correction | None:
        """What the law satisfies instead, proved by the same two routes."""
        fixed = [s.printed if s.word == HOLDS else true_equation(s.printed, pair) for s in standings]
        if any(f is None for f in fixed):
            return _pair_correction(standings, pair)
        equations = [f for f in fixed if f is not None]
        for equation in equations:
            if stand(equation, pair).word != HOLDS:
                raise RoutesDisagree(f"{self.id}: the corrected equation does not hold")
        checked = StationaryLaw(
            self.key, self.at, self.title, self.says, self.of, tuple(equations), time=time
        )
        checked._exact_evidence([stand(e, pair) for e in equations], time)
        return Correction(
            r" \qquad ".join(e.latex() for e in equations),
            "; ".join(e.text() for e in equations),
            "proved",
            "for every dimension, commuting or not",
        )

    def printed_covariance(self, problem: Any) -> Any:
        """The covariance that the printed equation alone would give, where it fixes it."""
        if len(self.printed) != 1:
            return None
        at_pair = to_pair(self.printed[0].residual)
        solved = sp.solve(at_pair, pair_symbol(SIGMA))
        if len(solved) != 1 or any(s.name.startswith("P_") for s in solved[0].free_symbols):
            return None
        return covariance_of(solved[0], problem, self.of)

    def twins(self, finding: Finding) -> Twins:
        """Corrupt each printed equation (or its correction) term by term."""
        pair = stationary(self.setting, self.time)
        tried = rejected = 0
        survivors, equivalent = [], []
        for printed in self.printed:
            base, offset = what_holds(printed, pair)
            for name, twin in _twins_of(base):
                difference = to_pair(twin.residual) - to_pair(base.residual)
                if sp.expand(difference) == 0:
                    equivalent.append(name)
                    continue
                tried += 1
                left_over = substitute_law(to_pair(twin.residual), pair) - offset
                if responses(left_over):
                    rejected += 1
                else:
                    survivors.append(name)
        return Twins(tried, rejected, tuple(survivors), tuple(equivalent))


def covariance_of(at_pair: Any, problem: Any, sampler: str) -> Any:
    """A pair formula for Sigma_ij in numbers, in the coordinates of a problem without a gain."""
    import numpy as np

    from sgtheory.exact import floats

    A, noise = floats(problem.matrices["A"]), floats(problem.matrices["C"])
    eigenvalues, U = np.linalg.eigh(A)
    scalars = problem.values(sampler).scalars
    known = {s: float(scalars[s.name]) for s in at_pair.free_symbols if s.name in scalars}
    formula = sp.lambdify((LI, LJ, NOISE, DELTA), at_pair.subs(known), "numpy")
    shared, same = U.T @ noise @ U, np.eye(len(A))
    return U @ formula(eigenvalues[:, None], eigenvalues[None, :], shared, same) @ U.T


def _condition(standing: Standing) -> str:
    others = [s for s in standing.left_over if s not in (NOISE, DELTA)]
    return CONDITION if not others else "A commutes with B B^T and with E E^T"


def _ordinals(n: int) -> tuple[str, ...]:
    return ("",) if n == 1 else ("first ", "second ", "third ", "fourth ")[:n]


def _twins_of(base: Printed) -> list[tuple[str, Printed]]:
    left = [(f"left: {n}", Printed(t, base.right)) for n, t in corruptions(base.left)]
    right = [(f"right: {n}", Printed(base.left, t)) for n, t in corruptions(base.right)]
    return left + right


def _pair_correction(standings: list[Standing], pair: PairCovariance) -> Correction:
    """Where no single block is concerned: what the two sides really differ by, pair by pair."""
    faulty = next(s for s in standings if s.word != HOLDS)
    (symbol, rest), *_ = faulty.left_over.items()
    value = tidy(rest) * symbol
    difference = Printed(faulty.printed.residual, sp.Integer(0))
    left = rf"\left({difference.latex().removesuffix(' = 0')}\right)_{{ij}}"
    text = f"({difference.text().removesuffix(' = 0')})_ij"
    return Correction(
        f"{left} = {latex(value)}", f"{text} = {plain(value)}", "proved", "for every pair of modes"
    )


def _reason(worst: str, standing: Standing, time: str) -> str:
    where = "the continuous-time process" if time == "continuous" else "the discrete algorithm"
    if worst == HOLDS:
        return (
            f"The law of {where} satisfies it, in every dimension, whether or not A and B B^T commute."
        )
    if worst == COMMUTING:
        need = _necessity(standing)
        return (
            f"For {where} it holds when A and B B^T commute, and {need}."
            " The paper does not state the condition."
        )
    if worst == LEADING:
        return f"For {where} it is right to leading order in the step, and no further."
    return f"The law of {where} violates it, already where A and B B^T commute."


def _necessity(standing: Standing) -> str:
    """What is left over vanishes only for equal eigenvalues, if its other factors keep their sign."""
    rest = next(iter(standing.left_over.values()))
    factors = [f.as_base_exp()[0] for f in sp.Mul.make_args(sp.factor(sp.fraction(rest)[0]))]
    others = [f for f in factors if sp.expand(f - (LI - LJ)) != 0 and sp.expand(f + (LI - LJ)) != 0]
    if all(f.is_positive or f.is_negative for f in others):
        return "only then: what is left over is a nonzero multiple of (lambda_i - lambda_j)^2 C_ij"
    return "a counterexample shows that it can fail otherwise"


def _gap_of(standing: Standing) -> Gap | None:
    if standing.gap is None or standing.gap[0] <= 0:
        return None
    order, term = standing.gap
    return Gap("eps", str(order), Formula(latex(term), plain(term)))


def _symbolic_evidence(standings: list[Standing], pair: PairCovariance) -> Evidence:
    steps = []
    names = [s.name for s in pair.form.states]
    blocks = [
        Equation(Formula(*_block_names(a, b)), tidy(pair.entry(a, b))) for a in names for b in names
    ]
    steps.append(Step("The law", "The derived second moments at a pair of modes:", tuple(blocks)))
    for number, standing in enumerate(standings, start=1):
        at_pair = to_pair(standing.printed.residual)
        rest = sp.Add(*(tidy(r) * s for s, r in standing.left_over.items()))
        steps.append(
            Step(
                f"Substitute into equation {number}" if len(standings) > 1 else "Substitute",
                "Left minus right at the pair, first as printed, then with the law put in:",
                (
                    Equation(Formula(r"\text{left} - \text{right}", "left - right"), at_pair),
                    Equation(Formula(r"\text{left} - \text{right}", "left - right"), rest),
                ),
            )
        )
    results = tuple(
        Result(f"equation_{k}", Equation(Formula("0", "0"), sp.Integer(0)))
        for k, s in enumerate(standings, start=1)
        if s.word == HOLDS
    )
    derivation = Derivation("Substitution of the law", tuple(steps), results)
    words = "; ".join(f"equation {k}: {s.word}" for k, s in enumerate(standings, start=1))
    data = {"dimensions": "every", "standing": words}
    return Evidence("symbolic", f"By mode pairs, valid in every dimension: {words}.", data, derivation)


def _block_names(a: str, b: str) -> tuple[str, str]:
    if a == b == "theta":
        return r"\Sigma_{ij}", "Sigma_ij"
    return rf"(P^{{{latex(sp.Symbol(a))} {latex(sp.Symbol(b))}}})_{{ij}}", f"P_{a}_{b}_ij"
