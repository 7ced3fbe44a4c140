"""A wrong equation with exponentials, integrals or averages as a script that needs NumPy only.

It computes in decimals: exponentials by their series, averages by the moment equations of the process
and its integral (or step by step), integrals by Gauss's rule. The law is asserted to be the step's.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.setting import Setting
from verification.kinds import Transpose
from verification.refuter.places import Place
from verification.refuter.script import _Script
from verification.spectral.numbers import Closed
from verification.spectral.plain import linear_at, with_noise
from verification.spectral.words import LAW_LETTERS, Averaged, Lagged, MatrixExp, MatrixPower

_HEAD = """import numpy as np
from decimal import Decimal, getcontext
from fractions import Fraction
getcontext().prec = 120
num = lambda x: Decimal(Fraction(x).numerator) / Decimal(Fraction(x).denominator)
rows = lambda text: np.array([[num(x) for x in row.split()] for row in text.split(";")])
"""
_EXP = """def expm(X):  # by its series, of so small a part that it is short, and squaring
    one = np.array([[Decimal(int(i == j)) for j in range(len(X))] for i in range(len(X))])
    m = max(0, int(np.abs(X).max() * len(X))).bit_length()
    total = term = one
    for k in range(1, 60):
        term = term @ X / (k * 2**m)
        total = total + term
    for _ in range(m):
        total = total @ total
    return total
"""
_INV = """def inv(X):  # by elimination; positive pivots need no exchange
    n = len(X)
    Y = np.array([[*X[i], *(Decimal(int(i == j)) for j in range(n))] for i in range(n)])
    for i in range(n):
        Y[i] = Y[i] / Y[i, i]
        for j in range(n):
            if i != j:
                Y[j] = Y[j] - Y[j, i] * Y[i]
    return Y[:, n:]
"""
_INTEGRAL = """nodes, weights = np.polynomial.legendre.leggauss(10)
def integral(f, a, b):  # by Gauss's rule, on one panel to each unit of length
    panels = max(1, int(b - a))
    h = (b - a) / panels / 2
    mids = [a + h * (2 * k + 1) for k in range(panels)]
    at = [(h * num(float(w)), h * num(float(x))) for x, w in zip(nodes, weights)]
    return sum(w * f(m + x) for m in mids for x, w in at)
"""
_LAGGED = {
    "continuous": "lagged = lambda t, s: expm(M * (t - s)) @ P if t >= s else P @ expm(M.T * (s - t))\n",
    "discrete": """def lagged(t, s):
    X = P
    for _ in range(int(abs(t - s))):
        X = M @ X
    return X if t >= s else X.T
""",
}
_AVERAGED = {
    "continuous": """def averaged(M, P, Q, T):  # theta and its integral: X' = K X + X K^T + noise
    n = len(M)
    Z, one = 0 * M, expm(0 * M)
    K, X, R = np.block([[M, Z], [one, Z]]), np.block([[P, Z], [Z, Z]]), np.block([[Q, Z], [Z, Z]])
    m = int(max(1, np.abs(K).max()) * T * n).bit_length()
    h, flow, term, noise = T / 2**m, expm(K * T / 2**m), R * T / 2**m, R * T / 2**m
    for k in range(2, 60):  # what the noise of a short time adds up to
        term = (K @ term + term @ K.T) * h / k
        noise = noise + term
    for _ in range(m):
        noise, flow = flow @ noise @ flow.T + noise, flow @ flow
    return (flow @ X @ flow.T + noise)[n:, n:] / T**2
""",
    "discrete": """def averaged(M, P, Q, T):  # moments of theta and of the sum of its values so far
    mixed, total = 0 * M, 0 * M
    for _ in range(int(T)):
        mixed = M @ mixed + P
        total = total + mixed + mixed.T - P
    return total / T**2
""",
}
_EXACT, _QUADRATURE = "1e-40", "1e-10"
_BALANCE = {"continuous": "M @ P + P @ M.T + Q", "discrete": "M @ P @ M.T + Q - P"}


class Text(_Script):
    """Expressions as text in decimals."""

    def __init__(self, gained: bool) -> None:
        super().__init__()
        self.gained = gained

    def _word(self, word: Any) -> str:
        base, power = word.as_base_exp()
        text = self._base(base)
        text = f"inv({text})" if power < 0 else text
        return " @ ".join([text] * abs(int(power)))

    def _base(self, base: Any) -> str:
        if base.is_Symbol:
            return str(base.name)
        if isinstance(base, MatrixExp):
            return f"expm({self.matrix(base.args[0])})"
        if isinstance(base, MatrixPower):
            inner, power = self.matrix(base.args[0]), self.scalar(base.args[1])
            return f"np.linalg.multi_dot([I, I, *([{inner}] * int({power}))])"
        if isinstance(base, Transpose):
            return f"({self.matrix(base.args[0])}).T"
        if isinstance(base, Lagged):
            return f"lagged({self.scalar(base.args[0])}, {self.scalar(base.args[1])})"
        if isinstance(base, Averaged):
            law = "M, P, Q" if len(base.args) == 2 or not self.gained else "M0, P0, Q0"
            return f"averaged({law}, {self.scalar(base.args[0])})"
        if isinstance(base, sp.Integral):
            return self._integral(base.function, base.limits)
        if isinstance(base, sp.Derivative):
            return f"({self.matrix(sp.expand(base.doit()))})"
        return f"({self.matrix(base)})"

    def _integral(self, function: Any, limits: Any) -> str:
        if not limits:
            return self.matrix(function)
        *inner, (x, low, high) = limits
        ends = self.scalar(high), f"{self.scalar(high)} - 40"
        low = ends[1] if low.is_infinite else self.scalar(low)
        return f"integral(lambda {x}: {self._integral(function, inner)}, {low}, {ends[0]})"

    def _print_Rational(self, expr: Any) -> str:
        return f"num('{expr.p}/{expr.q}')"

    def _print_Integer(self, expr: Any) -> str:
        return f"num({expr.p})"

    _print_One = _print_NegativeOne = _print_Zero = _print_Integer
    _print_Half = _print_Rational

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        base, power = expr.args
        text = f"({self._print(base)})"
        if power.is_Integer:
            return f"{text}**({int(power)})"
        return f"{text}.sqrt()**({int(2 * power)})"

    def _print_Derivative(self, expr: Any) -> str:
        return str(self._print(expr.doit()))

    def _print_exp(self, expr: Any) -> str:
        return f"({self._print(expr.args[0])}).exp()"


def setup(
    comment: str, setting: Setting | None, place: Place, time: str, exprs: tuple[Any, ...]
) -> tuple[str, str, Text]:
    """What stands before the two sides: functions; letters and the law; and the printer."""
    printer = Text("H" in place.matrices)
    body = " ".join(printer.matrix(sp.sympify(e)) for e in exprs)
    head = _HEAD + (_EXP if "expm(" in body or "averaged(" in body or "lagged(" in body else "")
    head += (_INV if "inv(" in body else "") + (_INTEGRAL if "integral(" in body else "")
    head += _LAGGED[time] if "lagged(" in body else ""
    head += _AVERAGED[time] if "averaged(" in body else ""
    D = place.D
    lines = [f"# {comment}", *(f"{n} = {_array(m)}" for n, m in place.matrices.items())]
    if place.scalars:
        lines.append("; ".join(f"{n} = num('{x}')" for n, x in place.scalars.items()))
    lines.append(f"I = {_array([[int(i == j) for j in range(D)] for i in range(D)])}")
    used = {s.name for e in exprs for s in sp.sympify(e).free_symbols}
    for name in ("U", "Lambda"):
        if name in used:
            value = [[x.rational for x in row] for row in Closed(place).letter(name)]
            lines.append(f"{name} = {_array(value)}")
    if "Lambda" in used and "U" in used:
        lines.append("assert np.abs(U @ Lambda @ U.T - A).max() < num('1/10') ** 40")
    if setting is not None and (
        any(w in body for w in ("lagged(", "averaged(")) or not used.isdisjoint(LAW_LETTERS)
    ):
        lines += _law(setting, place, time, used, "M0" in body)
    return head, "\n".join(lines) + "\n", printer


def equation_script(
    comment: str, setting: Setting | None, place: Place, time: str, left: Any, right: Any
) -> str:
    """Both sides, and whether they are equal."""
    head, letters, printer = setup(comment, setting, place, time, (left, right))
    room = _QUADRATURE if "integral(" in head else _EXACT
    sides = f"{printer.matrix(sp.sympify(left))}, {printer.matrix(sp.sympify(right))}"
    return (
        f"{head}{letters}left, right = {sides}\n"
        "print(np.array(left, dtype=float), np.array(right, dtype=float), sep='\\n')\n"
        f"print(bool(np.abs(left - right).max() <= Decimal('{room}') * (1 + np.abs(left).max())))\n"
    )


def _law(setting: Setting, place: Place, time: str, used: set[str], without: bool) -> list[str]:
    lines = []
    places = [("", place)]
    if without:
        plain = {n: m for n, m in place.matrices.items() if n != "H"}
        places.append(("0", Place(plain, place.scalars)))
    for end, at in places:
        law = linear_at(setting, with_noise(at), time)
        assert law is not None
        lines += [
            f"M{end} = {_array(law.step)}  # one step{' without the gain' if end else ''}",
            f"Q{end} = {_array(law.noise)}  # its noise",
            f"P{end} = {_array(law.law)}  # the stationary covariance",
        ]
        balance = _BALANCE[time]
        for letter in ("M", "P", "Q"):
            balance = balance.replace(letter, letter + end)
        lines.append(f"assert np.abs({balance}).max() < num('1/10') ** 40")
    named = zip(LAW_LETTERS, ("P", "M", "Q"), strict=True)
    return [*lines, *(f"{name} = {value}" for name, value in named if name in used and name != value)]


def _array(m: Any) -> str:
    return "rows('" + "; ".join(" ".join(str(x) for x in row) for row in m) + "')"
