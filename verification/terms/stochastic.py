"""Stochastic updates and differential equations as they are printed: matrices on states and noises.

States, noises and ``dt`` are letters that stand at the right end of a product. What a row says is then
one matrix to each of them: its drift is the matrices on states, its noise the sum of the matrices on
independent standard normal (or Wiener) letters, of which only covariances matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.declare import S
from sgtheory.errors import UnusableInput
from sgtheory.notation.matrixwords import EE, A, B, C, E, H, identity
from sgtheory.notation.printing import latex, plain
from verification.terms.kinds import Transpose
from verification.terms.printed import Printed
from verification.terms.term import Letter

SYMMETRIC = (A, C, H, EE, identity)
_SHOWN = {"DeltaW": r"\Delta W", "g": r"g(\theta)", "ghat": r"\hat{g}_S(\theta)"}


class Vector(sp.Symbol):
    """A vector, or the time that passes: it stands at the right end of a product."""

    def _latex(self, printer: Any) -> str:
        return _SHOWN.get(self.name) or str(printer._print_Symbol(self))


class StateLetter(Vector):
    """A state of a sampler."""


class NoiseLetter(Vector):
    """A vector of independent standard normal numbers, or of Wiener processes."""


class Operator(sp.Function):
    """What is written about one letter or formula, typeset and on one line."""

    is_commutative = False
    typeset, told = "{}", "{}"

    def _latex(self, printer: Any) -> str:
        return self.typeset.format(latex(self.args[0]))

    def _sympystr(self, printer: Any) -> str:
        return self.told.format(plain(self.args[0]))


class MatrixRoot(Operator):
    """The symmetric square root of a positive semidefinite matrix expression."""

    typeset, told = r"\sqrt{{{}}}", "sqrt({})"


class Change(Operator):
    """``Change(theta)``: the left side of a stochastic differential equation, d theta."""

    typeset, told = "d{}", "d {}"


class After(Operator):
    """``After(theta)``: the state after a step."""

    typeset, told = "{}_{{t+1}}", "{}(t+1)"


class Difference(Operator):
    """``Difference(theta)``: the state after a step less the one before."""

    typeset, told = r"\Delta {}", "Delta {}"


theta, v = (StateLetter(n, commutative=False) for n in ("theta", "v"))
dW, dV, DeltaW, W, V = (NoiseLetter(n, commutative=False) for n in ("dW", "dV", "DeltaW", "W", "V"))
dt = Vector("dt", commutative=False)
_DRAWN = NoiseLetter("w", commutative=False)  # of the minibatch

# The gradient of the mean loss, and that of a minibatch: at a point any vector is A theta for some A.
GRADIENT, NOISY_GRADIENT = (Vector(n, commutative=False) for n in ("g", "ghat"))
_GRADIENTS = {GRADIENT: A * theta, NOISY_GRADIENT: A * theta + B * _DRAWN / sp.sqrt(S)}


@dataclass(frozen=True)
class Row(Printed):
    """One line: what changes on the left, what it becomes or by how much on the right."""

    plainly: bool = False  # C is a letter of its own here, not B B^T

    def latex(self) -> str:
        """Drift first, then noise."""
        return f"{self._side(self.left, True)} {self._relation(True)} {self._side(self.right, True)}"

    def text(self) -> str:
        """On one line."""
        return f"{self._side(self.left, False)} {self._relation(False)} {self._side(self.right, False)}"

    def _relation(self, typeset: bool) -> str:
        return r"\sim" if typeset and self.relation == "~" else self.relation

    def _side(self, side: Any, typeset: bool) -> str:
        product = sp.Symbol("BB^T", commutative=False)
        if typeset and not self.plainly:
            side = sp.sympify(side).subs(C, product)
        shown = ""
        for term in sorted(sp.Add.make_args(side), key=_place):
            minus = term.could_extract_minus_sign()
            text = (_typeset if typeset else plain)(-term if minus else term).replace("^{T}", r"^{\top}")
            shown += (" - " if minus else " + ") + text
        return shown.removeprefix(" + ") if shown.startswith(" + ") else shown.replace(" - ", "-", 1)


def _typeset(term: Any) -> str:
    scalars, words = term.args_cnc()
    factor = sp.Mul(*scalars)
    if not words:
        return latex(factor)
    front = rf"\left({latex(factor)}\right)" if factor.is_Add else latex(factor)
    return latex(sp.Mul(*words)) if factor == 1 else f"{front} {latex(sp.Mul(*words))}"


def _place(term: Any) -> tuple[bool, bool, int, str]:
    """Old values first, then drift, then noise."""
    return bool(term.atoms(NoiseLetter)), not isinstance(term, Vector), len(str(term)), str(term)


def mean_of(state: str) -> Letter:
    """The mean of a state, E[v]."""
    return Letter(f"Mean_{state}", "matrix")


def rate_of_mean(state: str) -> Letter:
    """What is added to the mean of a state, dE[v]/dt."""
    return Letter(f"dE[{state}]/dt", "matrix")


def noise_of(a: str, b: str) -> Letter:
    """What noise alone brings to the mean of both increments, per unit of time or in a step."""
    return Letter(f"E[d W_{a} d W_{b}^T]/dt", "matrix")


@dataclass(frozen=True)
class Forms:
    """A matrix to each state and to each noise, for every state that changes.

    A noise carries a factor Y R, where R is the identity or the root of a matrix M: its covariance is
    Y M Y^T. Some letters are ``symmetric`` matrices.
    """

    drift: Mapping[tuple[str, str], Any]  # (what changes, what acts)
    noise: Mapping[tuple[str, Any], tuple[Any, Any]]  # (what changes, which noise): Y and M
    symmetric: tuple[Any, ...] = SYMMETRIC

    def mean(self, a: str) -> Any:
        """What is added to the mean of a state, from the means of all."""
        acting = ((x, mean_of(s).name) for (t, s), x in self.drift.items() if t == a)
        return sp.Add(*(x * sp.Symbol(mean, commutative=False) for x, mean in acting))

    def covariance(self, a: str, b: str) -> Any:
        """What noise brings to two states together: C for B B^T, and so for E."""
        total = sp.Integer(0)
        for z in dict.fromkeys(z for t, z in self.noise if t == a and (b, z) in self.noise):
            (left, M), (right, other) = self.noise[a, z], self.noise[b, z]
            if other != M:
                raise UnusableInput(
                    "one matrix root to a noise", f"{M} and {other} for {z}", "split it in two"
                )
            total += left * M * self.transposed(right)
        return sp.Add(*map(_with_squares, sp.Add.make_args(sp.expand(total))))

    def transposed(self, expr: Any) -> Any:
        """The transpose of a sum of products of letters."""
        total = sp.Integer(0)
        for term in sp.Add.make_args(sp.expand(expr)):
            scalars, words = term.args_cnc()
            total += sp.Mul(*scalars) * sp.Mul(*map(self._turned, reversed(words)))
        return total

    def _turned(self, word: Any) -> Any:
        base, power = word.as_base_exp()
        if base in self.symmetric:
            return word
        return (base.args[0] if isinstance(base, Transpose) else Transpose(base)) ** power


def _with_squares(term: Any) -> Any:
    scalars, words = term.args_cnc()
    for factor, square in ((B, C), (E, EE)):
        for k in range(len(words) - 1):
            if words[k : k + 2] == [factor, Transpose(factor)]:
                words[k : k + 2] = [square]
    return sp.Mul(*scalars) * sp.Mul(*words)


def read(rows: tuple[Printed, ...]) -> Forms:
    """What printed rows say.

    >>> from verification.notation import eps
    >>> forms = read((Row(Change(theta), -eps * A * theta * dt + eps * B * dW),))
    >>> forms.drift, forms.noise
    ({('theta', 'theta'): -eps*A}, {('theta', dW): (eps*B, 1)})
    """
    drift: dict[tuple[str, str], Any] = {}
    noise: dict[tuple[str, Any], tuple[Any, Any]] = {}
    for row in rows:
        (target,) = row.left.args if row.left.args else (row.left,)
        for vector, matrix in _parts(row.right).items():
            if isinstance(vector, NoiseLetter):
                noise[target.name, vector] = _with_root(matrix)
            else:
                drift[target.name, vector.name] = matrix
    return Forms(drift, noise)


def _parts(expr: Any) -> dict[Any, Any]:
    """The matrix in front of each vector."""
    found: dict[Any, Any] = {}
    for term in sp.Add.make_args(sp.expand(sp.sympify(expr).subs(_GRADIENTS))):
        if term == 0:
            continue
        scalars, words = term.args_cnc()
        if words and words[-1] == dt:
            words = words[:-1]
        alone = not any(isinstance(w, Vector) for w in words[:-1])
        if not (words and alone and isinstance(words[-1], StateLetter | NoiseLetter)):
            raise UnusableInput("a state or a noise at the right end", str(term), "write A*theta*dt")
        found[words[-1]] = found.get(words[-1], sp.Integer(0)) + sp.Mul(*scalars) * sp.Mul(*words[:-1])
    return found


def _with_root(matrix: Any) -> tuple[Any, Any]:
    """Y and M of a factor Y sqrt(M)."""
    roots = matrix.atoms(MatrixRoot)
    if not roots:
        return matrix, sp.Integer(1)
    front = sp.Integer(0)
    for term in sp.Add.make_args(matrix):
        scalars, words = term.args_cnc()
        if len(roots) != 1 or not words or words[-1] not in roots:
            raise UnusableInput("one root, right before its noise", str(matrix), "split the noise")
        front += sp.Mul(*scalars) * sp.Mul(*words[:-1])
    return front, roots.pop().args[0]


def written(forms: Forms, target: str, names: Mapping[str, Any], clock: Any = dt) -> Any:
    """A row's right side again, from its matrices; ``names`` gives the letter of each noise."""
    total = sp.Integer(0)
    for (t, source), matrix in forms.drift.items():
        if t == target:
            total += _front(matrix) * StateLetter(source, commutative=False) * clock
    for (t, z), (Y, M) in forms.noise.items():
        if t == target:
            root = sp.Integer(1) if M == 1 else MatrixRoot(M)
            total += _front(Y) * root * names.get(z.name, z)
    return total


def _front(matrix: Any) -> Any:
    return sp.Add(*(sp.powsimp(t) for t in sp.Add.make_args(matrix)))
