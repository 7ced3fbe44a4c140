"""Statements about every linear chain that sees the loss through stochastic gradients only.

Such a chain has a state x whose first part is theta, and x <- M x + K (g(y) + noise) + R zeta, with y
and M linear in x, and zeta any independent noise. It does not know the optimum, so every theta has to
be a point of rest where the gradient vanishes: M E = E and y(E theta) = theta for some E. Momentum,
look-ahead, averaging, preconditioning, friction and injected noise are all of this form. What is asked
is what a sample costs: how many gradients of one example a mean of iterates needs, per sample of the
posterior to which it is worth as much.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Self

import sympy as sp

from sgtheory.declare import N, S
from sgtheory.independent.fields import Mod, Rows, add, inverse, multiply, transpose
from sgtheory.independent.roots import characteristic, schur_stable
from sgtheory.modepairs.pairs import LI
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.printing import plain
from verification.claims.base import Claim, Printed, Proof
from verification.laws.elimination import solve_stationary
from verification.laws.rational import number
from verification.refuter.linearscript import linear_script
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.theories.positivity import nowhere_negative
from verification.verdicts.verdict import (
    Answer,
    Correction,
    Counterexample,
    Evidence,
    Finding,
    RoutesDisagree,
    differ,
)

COST = sp.Symbol("G", positive=True)  # gradients of one example, per sample of the posterior
_HOLDS = {">=": lambda a, b: a >= b, "<=": lambda a, b: a <= b, "=": lambda a, b: a == b}
_MOST = 3  # vectors in a state, in symbols
_POINTS = 3
_LEAST = 150


@dataclass(frozen=True)
class LinearChains(Claim):
    """``printed`` relates ``COST`` to the sizes, for every stable chain of the class where A = B B^T.

    ``noise``: the covariance of a minibatch's gradient is noise * A / S.
    """

    noise: Any = sp.S.One

    def space(self) -> Space:
        """Momentum with look-ahead and injected noise: enough to reach the bound and to miss it."""
        free = {"eps": "positive", **dict.fromkeys(("c", "y", "r"), "real")}
        letters = {s.name for s in sp.sympify(self.noise).free_symbols} - {"N", "S"}
        free |= dict.fromkeys(sorted(letters), "positive")
        return Space({}, {"N": "count", "S": "count", LI.name: "positive", **free})

    def look(self, time: str) -> Look:
        """The cost from the stationary moments, summed over all lags."""
        printed = self.printed[0]

        def at(place: Place) -> Sides | None:
            known = place.scalars
            noise = number(self.noise, known)
            if known["S"] > known["N"] or noise <= 0:
                return None
            cost = cost_at(known, noise)
            if cost is None:
                return None
            left, right = (number(s, {**known, "G": cost}) for s in (printed.left, printed.right))
            return Sides(str(left), str(right), _HOLDS[printed.relation](left, right))

        return at

    def prove(self, time: str) -> Proof:
        """What the gradient noise adds is the same for the whole class; injected noise only adds."""
        printed, least = self.printed[0], N * self.noise
        evidence = (self._told(), self._in_matrices())
        left = sp.sympify(printed.left)
        if printed.relation != ">=" or left.diff(COST).is_positive is not True:
            return Proof(None, "Only a lower bound of the cost is proved.", evidence)
        apart = int(self.noise.subs(N, S) == 0)  # a minibatch of all examples has no noise
        more, rest = sp.symbols("_more _rest", positive=True)
        sizes = {N: 1 + apart + more + rest, S: 1 + more}  # no minibatch is larger than the data
        larger = left.subs(COST, least) - printed.right
        certificate = nowhere_negative(larger.subs(sizes, simultaneous=True))
        if certificate is None:
            return Proof(None, f"The least cost of the class is {plain(least)}.", evidence)
        reason = f"No chain of the class costs less than {plain(least)} gradients: {_WHY}."
        return Proof(True, reason, evidence)

    def correct(self, time: str) -> Correction | None:
        """The bound that is reached."""
        true = Printed(COST, sp.factor(N * self.noise), ">=")
        if replace(self, printed=(true,)).prove(time).holds is not True:
            return None
        said = "for every chain of the class, in every dimension; reached without injected noise"
        return Correction(true.latex(), true.text(), "proved", said, (true,))

    def reason(self, verdict: str, time: str, mined: Any, proof: Proof) -> str:
        """The counterexample is in the class."""
        return (
            proof.reason if verdict != "refuted" else f"A chain of the class violates it. {proof.reason}"
        )

    def script(self, failure: Failure, time: str) -> str:
        """The chain, its moments, and the cost."""
        printed, known = self.printed[0], failure.place.scalars
        relation = (printed.left, printed.right, printed.relation)
        return linear_script(self.heading, *step_at(known, number(self.noise, known)), known, relation)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The numbers of the chain."""
        shown = {n: str(x) for n, x in failure.place.scalars.items()}
        return Counterexample(shown, failure.sides.left, failure.sides.right, _CHAIN)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """What is printed, corrupted, and the relation turned or sharpened."""
        for name, twin in super().corrupted(finding):
            if "sqrt(" not in name:  # a root of a size is a weaker bound
                yield name, twin
        (printed,) = self.printed
        for relation in sorted(set(_HOLDS) - {printed.relation}):
            yield (
                f"{relation} for {printed.relation}",
                replace(self, printed=(replace(printed, relation=relation),)),
            )

    def failure(self, time: str, evaluations: int = 1_000) -> Failure | None:
        """Among enough places for minibatches of several examples."""
        return super().failure(time, max(evaluations, _LEAST))

    def has_discrete_reading(self) -> bool:
        """It is about algorithms."""
        return False

    def _told(self) -> Evidence:
        """The response at frequency zero, for a state of one, two and three vectors."""
        sizes = range(1, _MOST + 1)
        responses = [response(m) for m in sizes]
        if any(sp.simplify(gradient + 1 / LI) != 0 for gradient, _ in responses):
            found = ", ".join(str(gradient) for gradient, _ in responses)
            known = Answer("what is known", "the response to gradient noise is -1/lambda")
            raise RoutesDisagree(self.id, known, Answer("elimination", f"it is {found}"))
        to_gradients = tuple(
            Equation(Formula(rf"h_{m}", f"h_{m}"), g) for m, (g, _) in zip(sizes, responses, strict=True)
        )
        to_injected = tuple(
            Equation(Formula(rf"i_{m}", f"i_{m}"), sp.factor(i))
            for m, (_, i) in zip(sizes, responses, strict=True)
        )
        cost = Equation(
            Formula("G", "G"), sp.factor(N * self.noise) + sp.Symbol("i", real=True) ** 2 * N * S * LI
        )
        steps = (
            Step(
                "Sums of steps",
                "Summed over steps, x <- M x + K (lambda y + noise) + R zeta leaves only its ends on the"
                " left. So sums of theta respond to sums of gradient noise, for so many vectors:",
                to_gradients,
            ),
            Step("Injected noise", "and to sums of what is injected:", to_injected),
            Step("The cost", "S N lambda times the sum of all autocovariances:", (cost,)),
        )
        return Evidence(
            "symbolic",
            "For generic M, K, R and y, by elimination.",
            {"dimensions": "every", "vectors": list(sizes)},
            Derivation("What a sample costs", steps, (Result("cost", cost),)),
        )

    def _in_matrices(self) -> Evidence:
        """The same response for matrices that do not commute, modulo a prime."""
        source = random.Random(self.id)
        for _ in range(_POINTS):
            if not matrix_response(source):
                raise differ(
                    self.id,
                    "letters",
                    "the response to gradient noise is -1/lambda",
                    "matrices modulo a prime",
                    "it is not -A^(-1)",
                )
        words = "For random matrices A, M, K modulo 2^61 - 1 the response to gradient noise is -A^(-1)."
        return Evidence("exact", words, {"points": _POINTS, "holds": True})


_CHAIN = "left and right side, for v <- c v - eps g(theta + y v), theta <- theta + v + r zeta"
_WHY = "the gradients' noise reaches the mean as -1/lambda times itself, whatever the chain does"


@cache
def response(m: int) -> tuple[Any, Any]:
    """How theta answers to lasting gradient noise and to lasting injected noise, in m x m symbols.

    >>> response(1)
    (-1/lambda_i, -r_1/(k_1*lambda_i))
    """
    inner = sp.Matrix(m, m, lambda i, j: int(i == j == 0) if j == 0 else sp.Symbol(f"m_{i + 1}{j + 1}"))
    K, R = (sp.Matrix([sp.Symbol(f"{n}_{i + 1}") for i in range(m)]) for n in "kr")
    y = sp.Matrix([[1, *(sp.Symbol(f"y_{i + 2}") for i in range(m - 1))]])
    away = sp.eye(m) - inner - LI * K * y
    solved = away.adjugate() / away.det(method="berkowitz")
    return tuple(sp.factor(sp.cancel(sp.together((solved * v)[0]))) for v in (K, R))


def matrix_response(source: random.Random) -> bool:
    """Whether sums of theta answer -A^(-1) to gradient noise, for a state of two 2 x 2 parts."""

    def full(rows: int, columns: int) -> Rows:
        return [[Mod(source.randrange(2**60)) for _ in range(columns)] for _ in range(rows)]

    d, size = 2, 4
    A, K, y = (
        full(d, d),
        full(size, d),
        [[*(Mod(int(i == j)) for j in range(d)), *full(1, d)[0]] for i in range(d)],
    )
    right = full(size, d)
    M = [[*(Mod(int(i == j)) for j in range(d)), *right[i]] for i in range(size)]
    moved = multiply(K, multiply(A, y))
    away = [[Mod(int(i == j)) - M[i][j] - moved[i][j] for j in range(size)] for i in range(size)]
    answer = multiply(inverse(away), K)[:d]
    return bool(add(answer, inverse(A)) == [[Mod(0)] * d for _ in range(d)])


def step_at(known: Any, noise: Fraction) -> tuple[Rows, Rows]:
    """One step, and its noise: v <- c v - eps g(theta + y v), theta <- theta + v + r zeta."""
    k, r = (-known["eps"], -known["eps"]), (known["r"], Fraction(0))
    curvature, y = known[LI.name], (Fraction(1), known["y"])
    M = [[Fraction(1), known["c"]], [Fraction(0), known["c"]]]
    step = [[M[i][j] + k[i] * curvature * y[j] for j in range(2)] for i in range(2)]
    size = noise * curvature / known["S"]
    return step, [[size * k[i] * k[j] + r[i] * r[j] for j in range(2)] for i in range(2)]


def cost_at(known: Any, noise: Fraction) -> Fraction | None:
    """S N lambda times the sum of all autocovariances of theta; None where the chain is not stable."""
    return _cost_at(tuple(sorted(known.items())), noise)


@lru_cache(maxsize=20_000)  # a claim and its twins are looked at in the same places
def _cost_at(scalars: tuple[tuple[str, Fraction], ...], noise: Fraction) -> Fraction | None:
    known = dict(scalars)
    step, squared = step_at(known, noise)
    if not schur_stable(characteristic(step)):
        return None
    P = solve_stationary(step, squared, "discrete")
    sums = inverse(
        [[Fraction(int(i == j)) - x for j, x in enumerate(row)] for i, row in enumerate(step)]
    )
    later = multiply(sums, P)
    total = later[0][0] + transpose(later)[0][0] - P[0][0]
    return Fraction(known["S"] * known["N"] * known[LI.name] * total)
