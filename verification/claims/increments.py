"""Claims about increments: of a mean, of a product of two states, and of the noise in both.

In continuous time an increment is that of Ito's calculus, per unit of time; for the algorithm it is what
one step adds. Moments are free symbols: nothing here is stationary.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, Self

import sympy as sp

from sgtheory.affine import LAMBDA, mode_form
from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.exact import diagonal, identity
from sgtheory.fields import Mod, Rows, add, multiply, transpose
from sgtheory.printing import latex, plain
from sgtheory.running import linear_map, random_point
from sgtheory.setting import Setting
from verification.claims.base import Claim
from verification.rational import Numbers, is_zero, matrix_value, point_of
from verification.refuter.places import Place
from verification.refuter.script import _HEAD, _Script, array, identifier, run
from verification.twins import corruptions, spread
from verification.verdict import (
    Correction,
    Counterexample,
    Evidence,
    Finding,
    Twins,
    differ,
    unseen_by_script,
)

_POINTS = 2


def mean(name: str) -> Any:
    """E[x] of a state, free.

    >>> mean("v")
    E[v]
    """
    return sp.Symbol(f"E[{name}]", commutative=False)


_HOLDS = {True: "the printed increment is the true one", False: "it is another"}


@dataclass(frozen=True)
class Increment(Claim):
    """A statement about what one step, or an instant, adds; decided by comparing two formulas."""

    def label(self, time: str) -> Formula:
        """What is added to."""
        raise NotImplementedError

    def derived(self, time: str) -> Any:
        """The true increment at a mode or a pair of modes, in free moments."""
        raise NotImplementedError

    def stated(self, time: str) -> Any:
        """The printed one."""
        raise NotImplementedError

    def residual(self, step: Rows, noise: Rows, numbers: Numbers, time: str) -> Rows:
        """Printed minus true in exact numbers, from one declared step and its noise covariance."""
        raise NotImplementedError

    def lines(self, place: Place, time: str) -> list[str]:
        """Python that leaves both in ``left`` (true) and ``right`` (printed)."""
        raise NotImplementedError

    @property
    def states(self) -> list[str]:
        """Of the sampler, in order."""
        return [s.name for s in self.setting.state]

    def find(self, time: str | None = None) -> Finding:
        """In symbols at a pair of modes, and in random matrices modulo a prime."""
        when = time or self.time
        derived = sp.expand(self.derived(when))
        difference = sp.expand(self.stated(when) - derived)
        agrees = self.agrees(when)
        if agrees != (difference == 0):
            raise differ(
                self.id, "symbols", _HOLDS[difference == 0], "matrices modulo a prime", _HOLDS[agrees]
            )
        words = "agree" if agrees else "differ"
        what = "Ito's calculus" if when == "continuous" else "one step of the algorithm"
        evidence = (
            self._evidence(derived, difference, when),
            Evidence(
                "exact",
                "The declared step in random 3 x 3 matrices modulo 2^61 - 1, with free moments:"
                f" both {words}.",
                {"points": _POINTS, "holds": agrees},
            ),
        )
        if agrees:
            return Finding("proved", f"It is what {what} gives, in every dimension.", evidence)
        true = self.true_equations(derived, when)
        return Finding(
            "refuted",
            f"It is not what {what} gives: {self.why(difference, when)}.",
            evidence,
            corrected=Correction(
                r" \qquad ".join(e.latex for e in true),
                "; ".join(e.text for e in true),
                "proved",
                "at every pair of modes",
            ),
            counterexample=self.shown_at(when),
        )

    def true_equations(self, derived: Any, time: str) -> tuple[Equation, ...]:
        """What is so."""
        return (Equation(self.label(time), _factored(derived)),)

    def why(self, difference: Any, time: str) -> str:
        """A phrase: what is wrong."""
        return f"printed minus true is {plain(_factored(difference))}"

    def agrees(self, time: str) -> bool:
        """The second route."""
        source = random.Random(self.id)
        for _ in range(_POINTS):
            step, noise, numbers = _at_random(self.setting, time, source, self.states)
            if not is_zero(self.residual(step, noise, numbers, time), Mod):
                return False
        return True

    def shown_at(self, time: str) -> Counterexample:
        """The smallest of a few problems that shows it."""
        for size, eps in product((1, 2), (Fraction(1), Fraction(1, 2), Fraction(1, 3))):
            A, one = (diagonal(tuple(map(Fraction, v[:size]))) for v in ((1, 2), (1, 1)))
            names = {p.name for p in self.setting.sampler.parameters}
            values = {n: (eps if n == "eps" else Fraction(1, 2)) for n in sorted(names - {"H"})}
            place = Place({"A": A, "B": one}, {**values, "N": Fraction(1), "S": Fraction(1)})
            script = self.script_at(place, time)
            if not run(script):
                left, right = _values(script)
                words = "the true increment and the printed one, with the moments of the script"
                return Counterexample(place.to_json(), left, right, words, script)
        raise unseen_by_script(self.id)

    def script_at(self, place: Place, time: str) -> str:
        """A few lines of NumPy that decide."""
        step, noise = linear_map(self.setting, time, point_of(self.setting, place))
        word = "one step" if time == "discrete" else "drift"
        lines = [
            f"# {self.heading}",
            "; ".join(f"{identifier(n)} = F('{x}')" for n, x in place.scalars.items()),
            f"A, B = {array(place.A)}, {array(place.matrices['B'])}",
            f"I = {array(identity(place.D))}",
            "C = B @ B.T",
            f"M = {array(step)}  # {word} of {', '.join(self.states)}",
            f"Q = {array(multiply(noise, transpose(noise)))}  # covariance of its noise",
            *self.lines(place, time),
            "print(left, right, sep='\\n')",
            "print(bool(np.all(left == right)))",
        ]
        return _HEAD + "\n".join(lines) + "\n"

    def _evidence(self, derived: Any, difference: Any, time: str) -> Evidence:
        name = Formula(r"\text{printed} - \text{true}", "printed - true")
        steps = (
            Step(
                "The increment",
                "With every moment a free symbol:",
                (Equation(self.label(time), derived),),
            ),
            Step("Compare", "What is left over:", (Equation(name, difference),)),
        )
        derivation = Derivation(
            "Increments", steps, (Result("rate", Equation(self.label(time), derived)),)
        )
        return Evidence("symbolic", "An identity in free moments.", {"dimensions": "every"}, derivation)

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Each corruption decided by the second route, where the first says that it is one."""
        tried = rejected = 0
        survivors, equivalent = [], []
        if finding.verdict != "proved":
            return Twins(0, 0)
        for name, twin in spread(self.corrupted(finding), most):
            if sp.expand(twin.stated(self.time) - self.stated(self.time)) == 0:
                equivalent.append(name)
                continue
            tried += 1
            wrong = not twin.agrees(self.time)
            rejected += wrong
            survivors += [] if wrong else [name]
        return Twins(tried, rejected, tuple(survivors), tuple(equivalent))

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """It is an identity of one step."""
        return finding, None

    def block(self, rows: Rows, a: str, b: str) -> Rows:
        """The part of a matrix over all states that two of them share."""
        d = len(rows) // len(self.states)
        i, j = self.states.index(a) * d, self.states.index(b) * d
        return [row[j : j + d] for row in rows[i : i + d]]


@dataclass(frozen=True)
class MeanEquation(Increment):
    """``printed`` is one ``Printed(0, right)``: d E[x]/dt = right, for the state ``of_state``."""

    of_state: str = "theta"

    def label(self, time: str) -> Formula:
        """The rate of a mean, or its change in a step."""
        x = latex(sp.Symbol(self.of_state))
        if time == "continuous":
            return Formula(rf"\frac{{d}}{{dt}} \mathbb{{E}}[{x}]", f"dE[{self.of_state}]/dt")
        return Formula(rf"\Delta \mathbb{{E}}[{x}]", f"E[{self.of_state}(t+1)] - E[{self.of_state}(t)]")

    def printed_latex(self) -> list[str]:
        """With the derivative on the left."""
        return [f"{self.label('continuous').latex} = {latex(self.printed[0].right)}"]

    def derived(self, time: str) -> Any:
        """A row of the step, less what was there."""
        form = mode_form(self.setting, time)
        row = increment_of(form.M, time)[self.states.index(self.of_state), :]
        return sum(c * _one(mean(n)) for c, n in zip(row, self.states, strict=True))

    def stated(self, time: str) -> Any:
        """Words A^k E[x] along an eigenvector."""
        total = sp.Integer(0)
        for term in sp.Add.make_args(sp.expand(self.printed[0].right)):
            scalars, words = term.args_cnc()
            factors = [
                _one(w) if w.is_Symbol and str(w) != "A" else LAMBDA ** w.as_base_exp()[1] for w in words
            ]
            total += sp.Mul(*scalars, *factors)
        return total

    def residual(self, step: Rows, noise: Rows, numbers: Numbers, time: str) -> Rows:
        """A mean stands for any matrix with the right number of rows."""
        right = matrix_value(sp.expand(self.printed[0].right), numbers)
        left = numbers.matrices[str(mean(self.of_state))]
        true = [[x - x for x in row] for row in left]
        for n in self.states:
            true = add(
                true, multiply(self.block(step, self.of_state, n), numbers.matrices[str(mean(n))])
            )
        if time == "discrete":
            true = less(true, left)
        return less(right, true)

    def lines(self, place: Place, time: str) -> list[str]:
        """Means of 1, 2, ..."""
        names = {mean(n): sp.Symbol(f"mean_{n}", commutative=False) for n in self.states}
        d = place.D
        found = [f"mean_{n} = {array([[k]] * d)}" for k, n in enumerate(self.states, start=1)]
        k = self.states.index(self.of_state) * d
        found.append(f"means = np.vstack([{', '.join(f'mean_{n}' for n in self.states)}])")
        less = f" - mean_{self.of_state}" if time == "discrete" else ""
        found.append(f"left = (M @ means)[{k}:{k + d}]{less}")
        return [*found, f"right = {_Script().matrix(self.printed[0].right.subs(names))}"]

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The right side, term by term."""
        (one,) = self.printed
        for name, wrong in corruptions(one.right):
            if "order reversed" not in name:
                yield name, replace(self, printed=(replace(one, right=wrong),))


def increment_of(M: Any, time: str) -> sp.Matrix:
    """What is added to the states: F per unit of time, or M - I in a step."""
    return sp.Matrix(M - sp.eye(M.rows)) if time == "discrete" else sp.Matrix(M)


def less(x: Rows, y: Rows) -> Rows:
    """x - y, modulo the prime."""
    return add(x, scaled(y, -1))


def scaled(x: Rows, times: int) -> Rows:
    """A whole multiple, modulo the prime."""
    return [[v * Mod(times) for v in row] for row in x]


def _one(symbol: Any) -> Any:
    return sp.Symbol(str(symbol), real=True)


def _factored(expr: Any) -> Any:
    """Collected by moments."""
    moments = [s for s in expr.free_symbols if "_ij" in s.name or s.name.startswith("E[")]
    return sp.collect(sp.expand(expr), sorted(moments, key=str), sp.factor)


def _at_random(
    setting: Setting, time: str, source: random.Random, states: list[str]
) -> tuple[Rows, Rows, Numbers]:
    """A random problem modulo the prime: one step, its noise, and free moments."""
    point = random_point(setting, None, source)
    d = point.size

    def full(n: int) -> Rows:
        return [[Mod(source.randrange(1, 2**60)) for _ in range(n)] for _ in range(n)]

    A, B = full(d), full(d)
    one = [[Mod(int(i == j)) for j in range(d)] for i in range(d)]
    matrices = {**point.matrices, "A": multiply(A, transpose(A)), "B": B, "H": one, "Root(H)": one}
    placed = replace(point, matrices=matrices, G=one)
    step, noise = linear_map(setting, time, placed)
    P = full(d * len(states))
    letters: Mapping[str, Rows] = {
        **matrices,
        "C": multiply(B, transpose(B)),
        "P": multiply(P, transpose(P)),
        **{str(mean(n)): full(d) for n in states},
    }
    roots = {"N": Mod(source.randrange(1, 2**60)), **{s.name: r for s, r in point.roots.items()}}
    return step, multiply(noise, transpose(noise)), Numbers(Mod, letters, roots)


def _values(script: str) -> tuple[str, str]:
    """Both sides that a script comes to."""
    import contextlib
    import io

    import numpy as np

    known: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(script, "counterexample", "exec"), known)
    left, right = (", ".join(str(Fraction(x)) for x in np.ravel(known[n])) for n in ("left", "right"))
    return left, right
