"""Claims about the stationary second moments of a sampler: equations between matrices."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.exact import diagonal
from sgtheory.fields import evaluate
from sgtheory.matrixwords import SIGMA
from sgtheory.pairs import LI, LJ, PairCovariance, stationary
from sgtheory.printing import latex, plain, tidy
from verification.claims.base import Claim, Printed, Proof
from verification.miner.conditions import Commute, Condition, implies
from verification.miner.mine import Mined
from verification.pairform import (
    DELTA,
    NOISE,
    pair_symbol,
    to_pair,
)
from verification.rational import (
    Numbers,
    as_strings,
    escape_probability,
    is_zero,
    law_numbers,
    matrix_value,
    numbers_of,
    problem_space,
    random_numbers,
    rooted,
    stationary_moments,
)
from verification.refuter.lawscript import law_script
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, seen
from verification.standing import (
    COMMUTING,
    HOLDS,
    LEADING,
    ORDER,
    Standing,
    stand,
    true_equation,
)
from verification.twins import corruptions, spread
from verification.verdict import Correction, Counterexample, Evidence, Finding, Gap, Twins, differ

COMMUTE = Commute(("A", "C"))


@dataclass(frozen=True)
class StationaryLaw(Claim):
    """Equations that the stationary second moments of a sampler are printed to satisfy."""

    def space(self) -> Space:
        """Small problems of the sampler."""
        return problem_space(self.setting)

    def look(self, time: str) -> Look:
        """The first printed equation that the exact moments of a problem violate, or the last."""
        setting = self.setting

        def at(place: Place) -> Sides | None:
            moments = stationary_moments(setting, place, time)
            if moments is None:
                return None
            numbers = numbers_of(place, moments)
            for printed in self.printed:
                left, right = (matrix_value(e, numbers) for e in (printed.left, printed.right))
                if left != right:
                    return Sides(left, right, False)
            return Sides(left, right, True)

        return at

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = None,
    ) -> bool | None:
        """On 3 x 3 problems modulo a prime: stability plays no part in an identity."""
        extra = (*self.conditions, *([under] if under else []))
        numbers = random_numbers(self.setting, time, source, extra)
        return all(is_zero(matrix_value(p.residual, numbers), numbers.field) for p in self.printed)

    def prove(self, time: str) -> Proof:
        """Substitute the derived law into what is printed, at a generic pair of modes."""
        pair, standings = self._standings(time)
        worst = _worst(standings)
        given = self.conditions
        holds = worst.word == HOLDS or (
            worst.word == COMMUTING and any(implies(c, COMMUTE, ("A", "C")) for c in given)
        )
        return Proof(holds, _reason(worst, time), (_symbolic_evidence(standings, pair),))

    def gap(self, time: str) -> Gap | None:
        """What is left over, relative to the equation's own terms, as the step vanishes."""
        return _gap_of(_worst(self._standings(time)[1]))

    def correct(self, time: str) -> Correction | None:
        """What the law satisfies instead, proved by the same two routes."""
        pair, standings = self._standings(time)
        fixed = [s.printed if s.word == HOLDS else true_equation(s.printed, pair) for s in standings]
        if any(f is None for f in fixed):
            return _pair_correction(standings, pair)
        equations = tuple(f for f in fixed if f is not None)
        checked = replace(self, printed=equations, time=time)
        verdict = checked.find().verdict
        if verdict == "inconclusive":
            return None
        if verdict != "proved":
            words = "; ".join(e.text() for e in equations)
            raise differ(self.id, "the law in symbols", words, "its own check", f"that is {verdict}")
        return Correction(
            r" \qquad ".join(e.latex() for e in equations),
            "; ".join(e.text() for e in equations),
            "proved",
            "for every dimension, commuting or not",
            equations,
        )

    def reason(self, verdict: str, time: str, mined: tuple[Mined, ...], proof: Proof) -> str:
        """In terms of modes, where a condition was found."""
        if verdict != "proved-if":
            return proof.reason
        where = "the continuous-time process" if time == "continuous" else "the discrete algorithm"
        need = _necessity(_worst(self._standings(time)[1]), mined[0])
        return (
            f"For {where} it holds when {mined[0].words}, and {need}."
            " The paper does not state the condition."
        )

    def tested(self, time: str, expected: bool | None = None) -> Evidence:
        """The other route, with the chance that it is misled."""
        evidence = super().tested(time, expected)
        chance = escape_probability(self.setting, evidence.data["places"])
        words = "satisfy" if evidence.data["holds"] else "violate"
        return replace(
            evidence,
            words=f"Random 3 x 3 problems modulo 2^61 - 1, solved by elimination from the declared step,"
            f" {words} the printed equation (chance of being misled below {chance}).",
            data={**evidence.data, "error_probability": float(chance)},
        )

    def script(self, failure: Failure, time: str) -> str:
        """The first printed equation that fails, at the law of the problem."""
        numbers = law_numbers(self.setting, failure.place, time).numbers
        faulty = next(p for p in self.printed if _violated(p, numbers))
        relation = (faulty.left, faulty.right, faulty.relation)
        return law_script(self.heading, self.setting, failure.place, time, relation)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """Both sides of the equation that fails."""
        return Counterexample(
            failure.place.to_json(),
            as_strings(failure.sides.left),
            as_strings(failure.sides.right),
            "left and right side of the printed equation",
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

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Where what is true is only known pair by pair, that formula is corrupted."""
        found = super().twins(finding, most)
        if found.tried or finding.verdict == "proved":
            return found
        _, standings = self._standings(self.time)
        rest = next((s.left_over for s in standings if s.left_over), {})
        return _pair_twins(self, rest, most) if rest else found

    def _standings(self, time: str) -> tuple[PairCovariance, list[Standing]]:
        pair = stationary(self.setting, time)
        return pair, [stand(p, pair, self.conditions) for p in self.printed]


def _violated(printed: Printed, numbers: Numbers) -> bool:
    return bool(matrix_value(printed.left, numbers) != matrix_value(printed.right, numbers))


def _worst(standings: list[Standing]) -> Standing:
    return max(standings, key=lambda s: ORDER.index(s.word))


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
    with np.errstate(divide="ignore", invalid="ignore"):  # what is printed may have a pole here
        entries = formula(eigenvalues[:, None], eigenvalues[None, :], shared, same)
    return U @ np.broadcast_to(entries, shared.shape) @ U.T  # what is printed may be one number


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


def _pair_twins(claim: StationaryLaw, left_over: dict[Any, Any], most: int | None) -> Twins:
    """Corruptions of what left minus right really is, held against the exact law of one problem."""
    (symbol, rest), *_ = left_over.items()
    source, tried, rejected, survivors = random.Random(claim.id), 0, 0, []
    space = claim.space()
    squares = {n: "square count" if "count" in k else "square" for n, k in space.scalars.items()}
    known = diagonal((Fraction(4), Fraction(9)))  # squares, for corruptions that take roots
    places = [replace(space, scalars=squares).random(source, 2).but(A=known) for _ in range(40)]
    looked = [(p, s) for p in places if (s := seen(claim.look(claim.time), p)) is not None][:3]
    for name, wrong in spread(corruptions(rest), most):
        tried += 1
        if any(_at_pair(wrong, symbol, p) != s.left[0][1] - s.right[0][1] for p, s in looked):
            rejected += 1
        else:
            survivors.append(name)
    return Twins(tried, rejected, tuple(survivors))


def _at_pair(formula: Any, symbol: Any, place: Place) -> Any:
    """A pair formula times the entry of its noise, for the first and second mode of a diagonal A."""
    roots = {s: rooted(place.scalars[s.name]) for s in formula.free_symbols if s.name in place.scalars}
    roots |= {LI: rooted(place.A[0][0]), LJ: rooted(place.A[1][1])}
    noise = place.C[0][1] if symbol is NOISE else Fraction(0)
    return evaluate(formula, roots, Fraction) * noise


def _reason(worst: Standing, time: str) -> str:
    where = "the continuous-time process" if time == "continuous" else "the discrete algorithm"
    if worst.word == HOLDS:
        return (
            f"The law of {where} satisfies it, in every dimension, whether or not A and B B^T commute."
        )
    if worst.word == COMMUTING:
        return f"For {where} it holds where the matrices commute."
    if worst.word == LEADING:
        return f"For {where} it is right to leading order in the step, and no further."
    return f"The law of {where} violates it, already where A and B B^T commute."


def _necessity(standing: Standing, mined: Mined) -> str:
    """What is left over vanishes only for equal eigenvalues, if its other factors keep their sign."""
    rest = next(iter(standing.left_over.values()))
    factors = [f.as_base_exp()[0] for f in sp.Mul.make_args(sp.factor(sp.fraction(rest)[0]))]
    others = [f for f in factors if sp.expand(f - (LI - LJ)) != 0 and sp.expand(f + (LI - LJ)) != 0]
    if all(f.is_positive or f.is_negative for f in others):
        return "only then: what is left over is a nonzero multiple of (lambda_i - lambda_j) C_ij"
    return mined.necessity


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
