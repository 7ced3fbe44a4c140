"""Quantities of letters and laws as lines of a script, which asserts that moments are a step's own."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.notation.matrixwords import Determinant
from sgtheory.setting import Setting
from verification.laws.lagsums import lag_lines
from verification.laws.quantities import in_scalars, is_matrix, letters, numbers_at, times_of
from verification.laws.rational import law_numbers, point_of, stationary_moments
from verification.refuter.lawscript import stationary_facts
from verification.refuter.places import Place
from verification.refuter.script import _HEAD, _Script, array, identifier

_DECIMALS = """from decimal import Decimal, getcontext
getcontext().prec = 120
d = lambda x: Decimal(x.numerator) / Decimal(x.denominator)
"""
_DET = (
    "det = lambda X: F(1) if not len(X) else"
    " sum((-1)**j * X[0, j] * det(np.delete(X[1:], j, 1)) for j in range(len(X)))\n"
)
_INV = (
    "inv = lambda X: np.array([[(-1)**(i + j) * det(np.delete(np.delete(X, j, 0), i, 1)) / det(X)"
    " for j in range(len(X))] for i in range(len(X))])\n"
)


class _Quantity(_Script):
    """Quantities as Python: fractions as long as they are rational, decimals beyond."""

    def __init__(self, decimals: bool = False) -> None:
        super().__init__()
        self.decimals = decimals

    def _print_Symbol(self, expr: Any) -> str:
        return super()._print_Symbol(expr)

    def _print_Pi(self, expr: Any) -> str:
        return f"Decimal('{sp.N(expr, 130)}')"

    def _word(self, word: Any) -> str:
        base, power = word.as_base_exp()
        if power.is_Integer and power < 0:
            name = f"inv({super()._word(base)})"
            return " @ ".join([name] * int(-power))
        return super()._word(word)

    def _print_Trace(self, expr: Any) -> str:
        return f"np.trace({self.matrix(expr.args[0])})"

    def _print_Determinant(self, expr: Any) -> str:
        return f"det({self.matrix(expr.args[0])})"

    def _print_Entry(self, expr: Any) -> str:
        return f"({self.matrix(expr.args[0])})[{expr.args[1]}, {expr.args[2]}]"

    def _print_log(self, expr: Any) -> str:
        inner = self._print(expr.args[0])
        return f"({inner}).ln()" if self.decimals else f"d({inner}).ln()"

    def _print_exp(self, expr: Any) -> str:
        return f"({self._print(expr.args[0])}).exp()"

    def _print_Rational(self, expr: Any) -> str:
        return f"d(F({expr.p}, {expr.q}))" if self.decimals else super()._print_Rational(expr)

    def _print_Integer(self, expr: Any) -> str:
        return f"Decimal({expr.p})" if self.decimals else super()._print_Integer(expr)

    _print_One = _print_NegativeOne = _print_Zero = _print_Integer
    _print_Half = _print_Rational

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        base, power = expr.args
        if self.decimals and not power.is_Integer:
            return f"({self._print(base)})**({self._print(power)})"
        return super()._print_Pow(expr)


def quantity_text(expr: Any, decimals: bool = False) -> str:
    """A quantity as a line of Python; in decimals where it has roots, or logarithms as terms."""
    expr = sp.sympify(expr)
    printer = _Quantity(decimals and in_scalars(expr))
    if is_matrix(expr):
        return printer.matrix(expr)
    if printer.decimals or not decimals:
        return str(printer.doprint(expr))
    parts = []
    for term in sp.Add.make_args(sp.expand_mul(expr, deep=False)):
        logs = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.log)]
        factor = f"d({printer.doprint(term / logs[0] if logs else term)})"
        parts.append(f"{factor} * {printer.doprint(logs[0])}" if logs else factor)
    return " + ".join(parts)


def needs_decimals(exprs: tuple[Any, ...]) -> bool:
    """Whether some quantity is no rational function of letters, traces and determinants."""

    def rational(expr: Any) -> bool:
        return bool(expr.is_rational_function(*expr.free_symbols))

    return any(
        e.has(sp.pi) or not rational(e) if in_scalars(e) else e.has(sp.log)
        for e in (sp.sympify(e) for e in exprs)
    )


def head_for(exprs: tuple[Any, ...]) -> str:
    """The imports and helpers that the quantities need."""
    plain = all(in_scalars(e) for e in exprs)
    decimals = _DECIMALS if needs_decimals(exprs) else ""
    if plain:
        return "from fractions import Fraction as F\n" + decimals
    inverted = any(
        p.exp.is_negative and not p.is_commutative for e in exprs for p in sp.sympify(e).atoms(sp.Pow)
    )
    found = _HEAD + decimals
    if inverted or any(sp.sympify(e).has(Determinant) for e in exprs):
        found += _DET
    if inverted:
        found += _INV
    return found


def law_lines(exprs: tuple[Any, ...], setting: Setting | None, place: Place, time: str) -> list[str]:
    """The letters of some quantities at one place: moments are asserted to be those of the step."""
    names, lines, d = letters(*exprs), [], place.D
    numbers = numbers_at(exprs, setting, place, time)
    assert numbers is not None
    for name, written in (("A", "A"), ("C", "C"), ("H", "H"), ("E", "E"), ("EE^T", "E")):
        if name in names and written in numbers.matrices:  # a number may be called E
            lines.append(f"{written} = {array(numbers.matrices[written])}")
    scalars = [f"{identifier(n)} = F('{x}')" for n, x in place.scalars.items() if n in names]
    lines += ["; ".join(scalars)] if scalars else []
    lines.append(f"D, I = {d}, {array([[int(i == j) for j in range(d)] for i in range(d)])}")
    for ending, when in times_of(exprs, time).items():
        assert setting is not None
        lines += stationary_facts(law_numbers(setting, place, when), setting, when)
        for i, a in enumerate(s.name for s in setting.state):
            for j, b in enumerate(s.name for s in setting.state):
                block = ("Sigma" if a == b == "theta" else f"P_{a}_{b}") + ending
                if block in names:
                    part = f"P[{i * d}:{(i + 1) * d}, {j * d}:{(j + 1) * d}]"
                    lines.append(f"{block} = {part}")
        if not ending:
            solved = stationary_moments(setting, place, when)
            assert solved is not None
            lines += lag_lines(setting, point_of(setting, place), when, solved, names)
    return lines
