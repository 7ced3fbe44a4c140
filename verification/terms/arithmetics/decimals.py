"""Python text in decimals: what a term is worth, written out for a script that needs nothing but Python.

A value is text and how tightly it holds is not asked: every operation stands in brackets.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from keyword import iskeyword, issoftkeyword
from typing import Any

import mpmath

from verification.terms.walking import Arithmetic

MATRIX_HEAD = """import numpy as np
from fractions import Fraction as F
rows = lambda text: np.array([[F(x) for x in row.split()] for row in text.split(";")])
_many = lambda x: isinstance(x, np.ndarray)
_one = lambda x: x if isinstance(x, _d) else _d(x.numerator) / _d(x.denominator)
_dec = lambda x: np.array([[_one(y) for y in row] for row in x]) if _many(x) else _one(x)
_eye = lambda n: np.array([[_d(int(i == j)) for j in range(n)] for i in range(n)])
_like = lambda a, b: a * _eye(len(b)) if _many(b) and not _many(a) else a
_add = lambda a, b: _like(a, b) + _like(b, a)
_mul = lambda a, b: a @ b if _many(a) and _many(b) else a * b
_det = lambda X: _d(1) if not len(X) else sum(
    (-1) ** j * X[0, j] * _det(np.delete(X[1:], j, 1)) for j in range(len(X)))
_inv = lambda X: np.array([[(-1) ** (i + j) * _det(np.delete(np.delete(X, j, 0), i, 1)) / _det(X)
                            for j in range(len(X))] for i in range(len(X))])
_over = lambda a, b: _mul(a, _inv(b) if _many(b) else 1 / b)
_pow = lambda a, b: power(a, b) if not _many(a) else (
    np.linalg.matrix_power(a, int(b)) if b > 0 else np.linalg.matrix_power(_inv(a), -int(b)))
_size, _minus = lambda x: sum(y * y for y in np.ravel(x)).sqrt(), lambda a, b: _add(a, -b)"""
_EIGENVALUES = """_extreme = lambda X, sign: X[0, 0] if len(X) == 1 else (
    X[0, 0] + X[1, 1] + sign * ((X[0, 0] - X[1, 1]) ** 2 + 4 * X[0, 1] * X[1, 0]).sqrt()) / 2"""
# helpers that a script has where it needs them, by the name under which they are used
HELPERS = {
    "_extreme(": _EIGENVALUES,
    "_diag(": "_diag = lambda X: X * _eye(len(X))",
    "_form(": "_form = lambda M, V: np.trace(M @ V)",
    "_log_mean(": "_log_mean = lambda W, V: -(len(W) * (2 * pi).ln() + _det(W).ln()"
    " + np.trace(_inv(W) @ V)) / 2",
    "_kl(": "_kl = lambda V, W: (np.trace(_inv(W) @ V) + _det(W).ln() - _det(V).ln() - len(V)) / 2",
}


def head(digits: int) -> str:
    """What every script begins with."""
    return f"""from decimal import Decimal as d, MAX_EMAX, MIN_EMIN, getcontext
_c = getcontext()
_c.prec, _c.Emax, _c.Emin = {digits}, MAX_EMAX, MIN_EMIN
_d, _size, _minus = d, abs, lambda a, b: a - b
def power(a, b):
    if b == int(b):
        return d(1) if b == 0 else a ** int(b) if b > 0 else 1 / a ** -int(b)
    return (b * a.ln()).exp()
pi = d("{mpmath.nstr(_pi(digits), digits)}")"""


def _pi(digits: int) -> Any:
    with mpmath.workdps(digits + 10):
        return +mpmath.pi


_TAKEN = frozenset(
    {
        "d",
        "getcontext",
        "_c",
        "_d",
        "_size",
        "_minus",
        "_way",
        "MAX_EMAX",
        "MIN_EMIN",
        "holds",
        "power",
        "pi",
        "left",
        "right",
        "same",
        "print",
        "max",
        "min",
        "abs",
    }
)


def _number(x: Any) -> str:
    whole = Fraction(x)
    return (
        f"d({whole})" if whole.denominator == 1 else f"(d({whole.numerator}) / d({whole.denominator}))"
    )


def names(letters: Iterable[str]) -> dict[str, str]:
    """An identifier for each letter: no word of Python, no name that the script has, no two alike.

    >>> names(["lambda", "x'", "d"])
    {'lambda': 'lambda_', "x'": 'x_', 'd': 'd_'}
    """
    found: dict[str, str] = {}
    for letter in letters:
        name = "".join(c if (c.isalnum() and c.isascii()) or c == "_" else "_" for c in letter)
        name = name if name[:1].isalpha() or name[:1] == "_" else f"x{name}"
        while iskeyword(name) or issoftkeyword(name) or name in _TAKEN or name in found.values():
            name += "_"
        found[letter] = name
    return found


DECIMALS = Arithmetic(
    "Python's decimals",
    _number,
    {
        "add": "({} + {})".format,
        "subtract": "({} - {})".format,
        "multiply": "({} * {})".format,
        "over": "({} / {})".format,
        "negative": "(-{})".format,
        "power": "power({}, {})".format,
        "root": "{}.sqrt()".format,
        "exp": "{}.exp()".format,
        "log": "{}.ln()".format,
        "pi": lambda: "pi",
        "largest": "max({}, {})".format,
        "smallest": "min({}, {})".format,
    },
    exact=False,
)

MATRICES = Arithmetic(
    "NumPy's matrices of decimals",
    lambda x: _number(x).replace("d(", "_d("),
    {
        **DECIMALS.operations,
        "add": "_add({}, {})".format,
        "subtract": "_add({}, -{})".format,
        "multiply": "_mul({}, {})".format,
        "over": "_over({}, {})".format,
        "power": "_pow({}, {})".format,
        "trace": "np.trace({})".format,
        "determinant": "_det({})".format,
        "entry": "{}[int({}), int({})]".format,
        "extreme": "_extreme({}, {})".format,
        "transpose": "({}).T".format,
        "diagonal": "_diag({})".format,
        "form_at": "_form({}, {})".format,
        "mean_form": "_form({0}, {1})".format,
        "mean_log": "_log_mean({0}, {2})".format,
        "divergence": "_kl({0}, {2})".format,
    },
    exact=False,
)
