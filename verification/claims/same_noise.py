"""Claims that two noises are one in law: sums of matrices on independent standard normal vectors.

Both sides are normal with mean zero, so they are equal in law where their covariances are: symbols show
it for every dimension. The exact route averages outer products over all signs of all coordinates, and
where a matrix root stands before a noise it uses the square of the root alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any, Self

import sympy as sp

from sgtheory import matrices as mx
from sgtheory.declare import Size
from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.errors import UnusableInput
from sgtheory.fields import Rows, add, multiply, transpose
from sgtheory.matrixwords import EE, B, C, E
from verification.claims.base import Claim, Proof
from verification.claims.rows import caught, corrupted_rows, has_square_roots_only
from verification.miner.conditions import Condition
from verification.miner.scalars import written_under
from verification.quantities import plain_matrices
from verification.rational import Numbers, as_strings, matrix_value, rooted
from verification.refuter.places import Place, Space
from verification.refuter.script import array, identifier
from verification.refuter.search import Failure, Look, Sides
from verification.refuter.stepscript import HEAD, matrix
from verification.verdict import Correction, Counterexample, Evidence, Finding
from verification.wiener import Change, Forms, MatrixRoot, NoiseLetter, Row, read, theta

B_T, E_T = sp.symbols("B^T E^T", commutative=False)
_DEFINITE = ("A", "H")
_X = "theta"  # what both sides drive


@dataclass(frozen=True)
class SameNoise(Claim):
    """``printed`` is one ``Row(left, right, "~")``; ``kinds`` says of which kind a matrix is.

    A and H are positive definite, all other matrices are any. ``C`` and ``EE^T`` are the products
    B B^T and E E^T, unless a row says that C is a letter of its own.
    """

    kinds: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)

    @property
    def row(self) -> Row:
        """What is printed."""
        (row,) = self.printed
        assert isinstance(row, Row)
        return row

    def sides(self) -> tuple[Forms, Forms]:
        """Both sides, as noises of one vector."""
        left, right = (written_under(s, self.conditions) for s in (self.row.left, self.row.right))
        return tuple(read((Row(Change(theta), s),)) for s in (left, right))  # type: ignore[return-value]

    def has_discrete_reading(self) -> bool:
        """It is about noises alone."""
        return False

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """There is nothing to run."""
        return finding, None

    def space(self) -> Space:
        """All letters; what stands under a root is a square."""
        both = [sp.sympify(s) for s in (self.row.left, self.row.right)]
        symbols = {s for side in both for s in side.free_symbols if not isinstance(s, NoiseLetter)}
        powers = {p for side in both for p in side.atoms(sp.Pow) if not p.exp.is_Integer}
        rooted_names = {p.base.name for p in powers if p.base.is_Symbol}
        matrices: dict[str, str] = {}
        scalars: dict[str, str] = {}
        for s in sorted(symbols, key=str):
            name = self._letter(s.name)
            if s.is_commutative:
                kinds = ("square count", "count") if isinstance(s, Size) else ("square", "positive")
                scalars[name] = kinds[name not in rooted_names]
            elif name != "I":
                matrices[name] = "positive definite" if name in _DEFINITE else "any"
        return Space({**matrices, **dict(self.kinds)}, scalars)

    def _letter(self, name: str) -> str:
        """The letter that a place has: products and transposes are made from it."""
        name = name.removesuffix("^T") if name != EE.name else name
        if name == "C" and not self.row.plainly:
            return "B"
        return "E" if name == "EE^T" else name

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """Cross terms vanish for no property of matrices that the miner knows."""
        return ()

    # -- in symbols ---------------------------------------------------------------------------

    def covariances(self) -> tuple[Any, Any]:
        """Both covariances as matrix expressions."""
        traits = {"positive definite": ("positive_definite",), "symmetric": ("symmetric",)}
        letters = {n: mx.matrix(n, *traits.get(k, ())) for n, k in self.space().matrices.items()}
        left, right = self.sides()
        return (
            left.covariance_in_letters(_X, _X, letters),
            right.covariance_in_letters(_X, _X, letters),
        )

    def prove(self, time: str) -> Proof:
        """By the normal form of matrix expressions."""
        try:
            left, right = self.covariances()
            proof = mx.prove_equal(left, right)
        except UnusableInput as refused:
            return Proof(None, f"The matrix engine does not take it: {refused}")
        evidence = (_told(left, right, proof),)
        if proof.proved:
            return Proof(True, "Both are normal and have one covariance, in every dimension.", evidence)
        holds = False if proof.verdict == "differs" else None
        shown = mx.plain(proof.difference)
        return Proof(holds, f"Their covariances differ by {shown}.", evidence)

    # -- in exact numbers -----------------------------------------------------------------------

    def look(self, time: str) -> Look:
        """Both covariances at a place."""

        def at(place: Place) -> Sides | None:
            if not all(c.holds(place) for c in self.conditions):
                return None
            matrices = plain_matrices(place.matrices, Fraction, place.D)
            matrices |= {f"{n}^T": transpose(matrices[n]) for n in place.matrices}
            numbers = Numbers(Fraction, matrices, {n: rooted(x) for n, x in place.scalars.items()})
            left, right = (averaged(side, numbers) for side in self.sides())
            return Sides(left, right, left == right)

        return at

    def correct(self, time: str) -> Correction | None:
        """The root of the true covariance in front of one noise."""
        left, right = (f.noises for f in self.sides())
        if not left:
            return None
        noise = right[0] if len(right) == 1 else left[0]
        covariance = mx.to_sympy(self.covariances()[0])
        if not self.row.plainly:
            covariance = covariance.subs({B * B_T: C, E * E_T: EE})
        true = replace(self.row, right=MatrixRoot(covariance) * noise)
        if replace(self, printed=(true,)).prove(time).holds is not True:
            return None
        return Correction(true.latex(), true.text(), "proved", "in every dimension", (true,))

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """A matrix on either side corrupted."""
        for side in ("left", "right"):
            row = Row(Change(theta), getattr(self.row, side))
            for name, wrong in corrupted_rows(row, read((row,)), _X):
                if has_square_roots_only(wrong.right) and wrong.right != 0:
                    yield (
                        f"{side}, {name}",
                        replace(self, printed=(replace(self.row, **{side: wrong.right}),)),
                    )

    def is_caught(self, time: str) -> bool:
        """At a few places; nothing is shrunk."""
        return caught(self, time)

    def says_the_same(self, other: Self) -> bool:
        """A sign turned, for instance."""
        return bool(self.prove(self.time).holds)

    def script(self, failure: Failure, time: str) -> str:
        """Both covariances from their factors."""
        place = failure.place
        lines = [f"# {self.heading}", HEAD.rstrip()]
        lines += [f"{n} = {array(m)}" for n, m in place.matrices.items()]
        if place.scalars:
            lines.append("; ".join(f"{identifier(n)} = F('{x}')" for n, x in place.scalars.items()))
        lines.append(f"I = np.diag([F(1)] * {place.D})")
        for name, form in zip(("left", "right"), self.sides(), strict=True):
            parts = (
                f"{matrix(Y, self.row.plainly)} @ {matrix(M, self.row.plainly)}"
                f" @ {matrix(Z, self.row.plainly)}.T"
                for Y, M, Z in form.shared(_X, _X)
            )
            lines.append(f"{name} = {' + '.join(parts) or '0 * I'}  # covariance")
        lines += ["print(left, right, sep='\\n')", "print(bool((left == right).all()))"]
        return "\n".join(lines) + "\n"

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """Both covariances."""
        left, right = (as_strings(m) for m in (failure.sides.left, failure.sides.right))
        return Counterexample(failure.place.to_json(), left, right, "covariances of the two noises")


def averaged(form: Forms, numbers: Numbers) -> Rows:
    """A covariance: by averaging over signs, or from the square of a root."""
    d = len(numbers.one)
    total = [[numbers.field(0)] * d for _ in range(d)]
    for z in form.noises:
        Y, M = form.noise[_X, z]
        factor = matrix_value(sp.expand(Y), numbers)
        if M != 1:
            inner = matrix_value(sp.expand(M), numbers)
            total = add(total, multiply(multiply(factor, inner), transpose(factor)))
            continue
        for signs in product((1, -1), repeat=d):
            x = [
                sum((a * s for a, s in zip(row, signs, strict=True)), numbers.field(0)) for row in factor
            ]
            total = add(total, [[a * b / Fraction(2**d) for b in x] for a in x])
    return total


def _told(left: Any, right: Any, proof: mx.Proof) -> Evidence:
    names = [Formula(r"\text{left}", "left"), Formula(r"\text{right}", "right")]
    shown = [Formula(mx.latex(e), mx.plain(e)) for e in (left, right)]
    both = tuple(Equation(n, e) for n, e in zip(names, shown, strict=True))
    steps = (Step("Covariances", "Factor times transpose, summed over independent noises:", both),)
    return Evidence(
        "symbolic",
        f"By normal form: {proof.verdict}.",
        {"dimensions": "every"},
        Derivation("Covariances of two noises", steps, ()),
    )
