"""Claims that a printed operator on matrices is invertible for every small enough step.

The operator is a sum of words that are linear in Q: D2U Q + Q D2U - gamma (D2U Q D2U + K_Q), where
K_Q is K(Q). Its determinant is a polynomial in gamma. Where it is not zero at gamma = 0 it is not for a
while; how long is bounded by the norm of what gamma multiplies.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
import sympy as sp

from sgtheory.declare import Parameter
from sgtheory.derivation import Derivation, Equation, Formula, Step
from verification.claims.base import Claim
from verification.refuter.script import run
from verification.theories.invariants.balance import examples
from verification.twins import corruptions, spread
from verification.verdict import Counterexample, Evidence, Finding, Twins, differ, unseen_by_script


class _AtMode(sp.Symbol):
    """The Hessian of U at the mode, with its longer name on paper."""

    def _latex(self, printer: Any) -> str:
        return r"\nabla^2 U(\theta^{\star})"


D2U, gamma = _AtMode("D2U", commutative=False), Parameter("gamma", positive=True)
ARGUMENT, NOISE = sp.Symbol("Q", commutative=False), sp.Symbol("K_Q", commutative=False)
_LOOKS, _SIZES = 6, (1, 2)


@dataclass(frozen=True)
class Invertible(Claim):
    """``operator``: what Q is taken to, in D2U, Q, K_Q and gamma."""

    operator: Any = None
    time: str = "discrete"

    def has_discrete_reading(self) -> bool:
        """It is about an operator."""
        return False

    def printed_latex(self) -> list[str]:
        """Nothing beside the sentence: the operator is printed elsewhere."""
        return []

    def matrix(self, A: Any, K: Any, step: Any) -> Any:
        """The operator on the entries of Q, columns for unit matrices."""
        D = len(A)
        columns = []
        for k in range(D):
            for j in range(D):
                unit = A * 0
                unit[k, j] = unit[k, j] + 1
                columns.append(_value(self.operator, A, unit, K, step).reshape(-1))
        return np.array(columns, object).T

    def at_zero(self) -> tuple[Any, ...]:
        """The determinant at gamma = 0 in the eigenbasis of the Hessian, in one and two dimensions."""
        found = []
        for D in _SIZES:
            values = sp.symbols(f"lambda_1:{D + 1}", positive=True)
            A = np.array(sp.diag(*values).tolist(), object)
            K = np.zeros((D,) * 4, object)
            found.append(sp.factor(sp.Matrix(self.matrix(A, K, sp.Integer(0)).tolist()).det()))
        return tuple(found)

    def in_letters(self) -> bool:
        """Products of sums of eigenvalues with one sign have no zero."""
        return all(_is_never_zero(d) for d in self.at_zero())

    def _somewhere(self) -> Iterator[tuple[Any, Any]]:
        source = random.Random(self.key)
        for k in range(_LOOKS):
            data = examples(_SIZES[k % 2], source.randrange(100))
            yield data.total(2, 4), data.spread(4, 1)[0]

    def in_fractions(self) -> bool:
        """At exact Hessians: no zero of the determinant on a grid up to the bound."""
        for A, K in self._somewhere():
            still = self.matrix(A, K, Fraction(0))
            if _determinant(still) == 0:
                return False
            bound = _bound(still, self.matrix(A, K, Fraction(1)) - still)
            steps = [bound * k / 8 for k in range(1, 8)]
            if any(_determinant(self.matrix(A, K, s)) == 0 for s in steps):
                raise differ(
                    self.id,
                    "the bound on the step",
                    f"regular for every step below {bound}",
                    "fractions",
                    "singular at one of them",
                )
        return self._regular_for_equal_curvatures()

    def _regular_for_equal_curvatures(self) -> bool:
        one = np.array([[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]], object)
        return _determinant(self.matrix(one, np.zeros((2,) * 4, object) + Fraction(0), Fraction(0))) != 0

    def find(self, time: str | None = None) -> Finding:
        """Both routes; and a step at which it is singular, so that small is needed."""
        symbolic, exact = self.in_letters(), self.in_fractions()
        if symbolic is not exact:
            raise differ(self.id, "letters", f"{symbolic}", "fractions", f"{exact}")
        shown = tuple(
            Equation(Formula(rf"\det{{}}_{{D={D}}}", f"det, D = {D}, gamma = 0"), d)
            for D, d in zip(_SIZES, self.at_zero(), strict=True)
        )
        derivation = Derivation(
            "The determinant without a step", (Step("In the eigenbasis", "", shown),), ()
        )
        evidence = (
            Evidence("symbolic", "A polynomial in gamma that has no zero at 0 has none near it.",
                     {"dimensions": "D = 1, 2"}, derivation),
            Evidence("exact", "Exact determinants at steps up to 1/|L^-1 (L - operator)/gamma|.",
                     {"holds": exact, "singular_at": str(self.singular())}),
        )  # fmt: skip
        if symbolic:
            words = (
                "Without a step its eigenvalues are sums of two curvatures, and it changes continuously;"
                f" with curvature 1 and K = 0 it is singular at gamma = {self.singular()}."
            )
            return Finding("proved", words, evidence)
        script = _SCRIPT.format(heading=self.heading, operator=_numpy(self.operator))
        if run(script):
            raise unseen_by_script(self.id)
        place = {"D2U": [["1", "0"], ["0", "1"]], "gamma": "0"}
        words = "the determinant in two dimensions, and what it is said not to be"
        shown_at = Counterexample(place, "0", r"\text{not } 0", words, script)
        return Finding("refuted", "It is singular without a step.", evidence, counterexample=shown_at)

    def singular(self) -> Any:
        """The first step at which it is singular, with curvature 1 and no noise, in one dimension."""
        one, none = np.array([[sp.Integer(1)]], object), np.zeros((1,) * 4, object)
        step = sp.Symbol("gamma", positive=True)
        roots = sp.solve(self.matrix(one, none, step)[0, 0], step)
        return min(roots) if roots else "no step"

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """There is no ensemble."""
        return finding, None

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Corrupted operators; fractions see those that are singular."""
        if finding.verdict != "proved":
            return Twins(0, 0)
        tried, rejected, survivors, equivalent = 0, 0, [], []
        for name, twin in spread(self.corrupted(finding), most):
            if twin.in_letters():
                equivalent.append(name)
                continue
            tried += 1
            caught = not twin.in_fractions()
            rejected += caught
            survivors += [] if caught else [name]
        return Twins(tried, rejected, tuple(survivors), tuple(equivalent))

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """What is linear in Q again."""
        first = sp.expand(self.operator).subs(gamma, 0)
        for name, wrong in corruptions(first):
            if wrong.has(ARGUMENT) and _is_linear(wrong):
                yield name, replace(self, operator=wrong + sp.expand(self.operator) - first)


def _is_linear(expr: Any) -> bool:
    return all(
        sum(w == ARGUMENT for w in sp.sympify(t).args_cnc()[1]) == 1 for t in sp.Add.make_args(expr)
    )


def _value(operator: Any, A: Any, Q: Any, K: Any, step: Any) -> Any:
    known = {D2U: A, ARGUMENT: Q, NOISE: np.einsum("ijkl,kl->ij", K, Q)}
    total = A * 0
    for term in sp.Add.make_args(sp.expand(operator)):
        scalars, words = term.args_cnc()
        factor = sp.Mul(*scalars)
        product = known[words[0]]
        for word in words[1:]:
            product = product @ known[word]
        power = sp.degree(factor, gamma) if factor.has(gamma) else 0
        number = factor.subs(gamma, 1)
        total = total + product * step**power * int(number.p) / int(number.q)
    return total


def _determinant(m: Any) -> Fraction:
    """By elimination."""
    rows, found = [list(r) for r in m], Fraction(1)
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k] != 0), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            rows[k], rows[pivot], found = rows[pivot], rows[k], -found
        found *= rows[k][k]
        for i in range(k + 1, len(rows)):
            ratio = rows[i][k] / rows[k][k]
            rows[i] = [a - ratio * b for a, b in zip(rows[i], rows[k], strict=True)]
    return found


def _bound(still: Any, slope: Any) -> Fraction:
    """Steps below it leave 1 + gamma L^-1 slope invertible, by the largest row sum."""
    ratio = np.linalg.inv(still.astype(float)) @ slope.astype(float)
    norm = np.abs(ratio).sum(axis=1).max()
    return (
        Fraction(1)
        if norm == 0
        else Fraction(1 / float(norm)).limit_denominator(10**6) * Fraction(9, 10)
    )


def _is_never_zero(d: Any) -> bool:
    if d == 0:
        return False
    return all(
        f.is_number or f.is_positive or all(t.could_extract_minus_sign() for t in sp.Add.make_args(f))
        for f, _ in (x.as_base_exp() for x in sp.Mul.make_args(d))
    )


_SCRIPT = """# {heading}
import numpy as np
A, gamma = np.eye(2), 0.0
columns = []
for k in range(4):
    Q = np.zeros(4)
    Q[k] = 1
    Q = Q.reshape(2, 2)
    K_Q = 0 * Q
    columns.append(({operator}).ravel())
determinant = np.linalg.det(np.array(columns).T)
print(determinant)
print(bool(abs(determinant) > 1e-9))
"""


def _numpy(expr: Any) -> str:
    terms = []
    for term in sp.Add.make_args(sp.expand(expr)):
        scalars, words = term.args_cnc()
        names = " @ ".join({D2U: "A", ARGUMENT: "Q", NOISE: "K_Q"}[w] for w in words)
        terms.append(f"({sp.Mul(*scalars)}) * ({names})")
    return " + ".join(terms)


def operator(noise: bool) -> Any:
    """H, or G with the noise of Hessians."""
    whole = D2U * ARGUMENT + ARGUMENT * D2U - gamma * D2U * ARGUMENT * D2U
    return whole - gamma * NOISE if noise else whole
