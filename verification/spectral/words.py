"""The words of such equations: exponentials and powers of matrices, two times, averages over a window.

``U`` and ``Lambda`` are the eigenvectors and eigenvalues of A = U Lambda U^T. Integrals and derivatives
are SymPy's own, with plain symbols for what is integrated over; a time that is free is a parameter.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.declare import Parameter
from sgtheory.matrixwords import H, identity
from verification.kinds import Transpose

U, Lambda = sp.symbols("U Lambda", commutative=False)
F, Q = sp.symbols("F Q", commutative=False)  # drift and noise covariance of the sampler's process
T = Parameter("T", positive=True)  # the length of a window, in steps
LAW_LETTERS = ("Sigma", "F", "Q")
_STEP = "eps"


class MatrixExp(sp.Function):
    """The exponential of a multiple of one matrix.

    >>> from verification.notation import A, eps
    >>> from sgtheory.printing import latex
    >>> latex(MatrixExp(-eps * T * A))
    'e^{- T \\\\epsilon A}'
    """

    nargs = 1
    is_commutative = False

    @classmethod
    def eval(cls, exponent: Any) -> Any:
        """The exponential of nothing is the identity."""
        return identity if exponent == 0 else None

    def _latex(self, printer: Any, exp: Any = None) -> str:
        text = rf"e^{{{printer._print(self.args[0])}}}"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _sympystr(self, printer: Any) -> str:
        return f"exp({printer._print(self.args[0])})"

    def _eval_derivative(self, x: Any) -> Any:
        return sp.diff(self.args[0], x) * self


class MatrixPower(sp.Function):
    """A matrix to a whole power that is a letter: ``MatrixPower(identity - eps * A, T)``."""

    nargs = 2
    is_commutative = False

    def _latex(self, printer: Any, exp: Any = None) -> str:
        base, power = (printer._print(a) for a in self.args)
        text = rf"\left({base}\right)^{{{power}}}"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _sympystr(self, printer: Any) -> str:
        base, power = (printer._print(a) for a in self.args)
        return f"({base})^({power})"


class Lagged(sp.Function):
    """E[theta(t) theta(s)^T] in the stationary state, for two times."""

    nargs = 2
    is_commutative = False

    def _latex(self, printer: Any, exp: Any = None) -> str:
        t, s = (printer._print(a) for a in self.args)
        return rf"\mathbb{{E}}[\theta({t}) \theta({s})^{{\top}}]"

    def _sympystr(self, printer: Any) -> str:
        t, s = (printer._print(a) for a in self.args)
        return f"E[theta({t}) theta({s})^T]"


class Averaged(sp.Function):
    """The covariance of the time average of a stationary process over a window of so many steps.

    With a gain as second argument, that of the process whose gradients it multiplies.
    """

    nargs = (1, 2)
    is_commutative = False

    def _latex(self, printer: Any, exp: Any = None) -> str:
        text = rf"\operatorname{{Cov}}\hat{{\mu}}'_{{{printer._print(self.args[0])}}}"
        return text if len(self.args) == 1 else rf"{text}[{printer._print(self.args[1])}]"

    def _sympystr(self, printer: Any) -> str:
        window, *gain = (printer._print(a) for a in self.args)
        return f"Cov[average over {window}" + (f" with gain {gain[0]}]" if gain else "]")


class Continuous(sp.Function):
    """What stands inside, of the continuous-time process, whichever time the statement is about."""

    nargs = 1
    is_commutative = False

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return rf"\left[{printer._print(self.args[0])}\right]_{{\text{{continuous}}}}"

    def _sympystr(self, printer: Any) -> str:
        return f"[{printer._print(self.args[0])} in continuous time]"


LAWS = (Lagged, Averaged)


def has_law(expr: Any) -> bool:
    """Whether a quantity of the sampler's law is in it."""
    expr = sp.sympify(expr)
    return bool(expr.has(*LAWS)) or not {s.name for s in expr.free_symbols}.isdisjoint(LAW_LETTERS)


def has_gain(expr: Any) -> bool:
    """Whether the gain is in it."""
    return bool(sp.sympify(expr).has(H))


def transposed(expr: Any) -> Any:
    """X^T."""
    return Transpose(expr)


def times_in(exprs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The free letters that count steps: what windows and pairs of times are made of."""
    found: set[Any] = set()
    for expr in exprs:
        atoms = sp.sympify(expr).atoms(*LAWS, MatrixPower)
        found |= {s for a in atoms for x in _counts(a) for s in sp.sympify(x).free_symbols}
        exponents = [a.args[0].free_symbols for a in sp.sympify(expr).atoms(MatrixExp)]
        found |= {s for e in exponents if _STEP in {x.name for x in e} for s in e if s.is_commutative}
    free = set().union(*(sp.sympify(e).free_symbols for e in exprs))
    return tuple(sorted((s for s in found & free if s.name not in ("S", "eps")), key=str))


def _counts(atom: Any) -> tuple[Any, ...]:
    if isinstance(atom, MatrixPower):
        return (atom.args[1],)
    return tuple(atom.args[:1] if isinstance(atom, Averaged) else atom.args)
