"""Claims about printed numbers: settings of an experiment, or a table, held against printed formulas.

A relation between letters, and the numbers that the paper gives them. Rational values are compared
exactly; where exponentials, roots or logarithms occur, both sides are enclosed in intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any, Self

import sympy as sp
from sympy.printing.str import StrPrinter

from sgtheory.errors import UnusableInput
from sgtheory.printing import plain
from verification.claims.base import Claim, Printed
from verification.refuter.jetscript import name_of
from verification.refuter.script import run
from verification.twins import spread
from verification.verdict import Counterexample, Evidence, Finding, RoutesDisagree, Twins

_DIGITS = (30, 60, 120, 240)
_HOLDS: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}


@dataclass(frozen=True)
class AtSettings(Claim):
    """``settings`` are letters with the numbers that are printed for them, as text."""

    settings: tuple[tuple[Any, str], ...] = ()

    def has_discrete_reading(self) -> bool:
        """It is about numbers that are given."""
        return False

    @property
    def values(self) -> Mapping[Any, sp.Rational]:
        """The numbers, exactly as printed."""
        return {letter: sp.Rational(Fraction(text)) for letter, text in self.settings}

    def find(self, time: str | None = None) -> Finding:
        """Each relation exactly or by intervals, and again by the script that is exported."""
        shown, evidence = [], []
        for printed in self.printed:
            left, right, holds = self.sides(printed)
            if run(self.script_of(printed)) is not holds:
                raise RoutesDisagree(f"{self.id}: intervals and decimals disagree on {printed.text()}")
            words = f"With these numbers the left side is {left}, the right side {right}."
            evidence.append(Evidence("exact", words, {"holds": holds, "left": left, "right": right}))
            shown.append((printed, left, right, holds))
        false = [s for s in shown if not s[3]]
        if not false:
            return Finding("proved", evidence[0].words, tuple(evidence))
        printed, left, right, _ = false[0]
        script = self.script_of(printed)
        numbers = {str(letter): text for letter, text in self.settings}
        counterexample = Counterexample(numbers, left, right, "left and right side", script)
        reason = f"With the printed numbers the left side is {left}, the right side {right}."
        return Finding("refuted", reason, tuple(evidence), counterexample=counterexample)

    def sides(self, printed: Printed) -> tuple[str, str, bool]:
        """Both sides as they are shown, and whether the relation holds."""
        left, right = (sp.sympify(s).subs(self.values) for s in (printed.left, printed.right))
        missing = left.free_symbols | right.free_symbols
        if missing:
            names = ", ".join(sorted(str(s) for s in missing))
            raise UnusableInput("a number for every letter", f"none for {names}", "add it to settings")
        holds = _HOLDS[printed.relation]
        difference = left - right
        difference = difference if difference.is_Rational else sp.simplify(difference)
        if difference.is_Rational:
            return _shown(left), _shown(right), bool(holds(difference, 0))
        for digits in _DIGITS:
            low, high = _interval(difference, digits)
            if low > 0 or high < 0:
                return _shown(left), _shown(right), bool(holds(1 if low > 0 else -1, 0))
        raise UnusableInput(
            "sides that differ, or are rational", printed.text(), "write it as two bounds"
        )

    def script_of(self, printed: Printed) -> str:
        """The numbers, both sides, and whether the relation holds."""
        lines = [
            f"# {self.heading}",
            "from decimal import Decimal as d, getcontext",
            "getcontext().prec = 60",
            *(f"{name_of(letter)} = d({x.p}) / d({x.q})" for letter, x in self.values.items()),
            f"left, right = {_Decimals().doprint(sp.sympify(printed.left))},"
            f" {_Decimals().doprint(sp.sympify(printed.right))}",
            "if abs(left - right) <= d(10) ** -50 * max(abs(left), abs(right)):",
            "    left = right",
            "print(float(left), float(right))",
            f"print(left {'==' if printed.relation == '=' else printed.relation} right)",
        ]
        return "\n".join(lines) + "\n"

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """Nothing is simulated: the numbers are the paper's."""
        return finding, None

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Sides corrupted, and settings ten times as large or a tenth."""
        yield from super().corrupted(finding)
        for k, (letter, text) in enumerate(self.settings):
            for name, factor in (("ten times", Fraction(10)), ("a tenth of", Fraction(1, 10))):
                moved = (letter, str(Fraction(text) * factor))
                settings = (*self.settings[:k], moved, *self.settings[k + 1 :])
                yield f"{name} {letter}", replace(self, settings=settings)

    def other_than(self, true: Self) -> tuple[Printed, ...]:
        """The relations that are not those of another statement at its numbers."""
        known = true.values
        moved = {letter for letter, x in self.values.items() if x != known.get(letter)}
        return tuple(
            p
            for p in self.printed
            if p not in true.printed or moved & sp.Tuple(p.left, p.right).free_symbols
        )

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """What still holds of corrupted numbers is weaker, or the same: it is set aside."""
        if finding.verdict != "proved":
            return Twins(0, 0)
        rejected, equivalent = 0, []
        for name, twin in spread(self.corrupted(finding), most):
            try:
                holds = all(twin.sides(p)[2] for p in twin.other_than(self))
            except (UnusableInput, TypeError, ZeroDivisionError):
                continue
            if holds:
                equivalent.append(name)
            else:
                rejected += 1
        return Twins(rejected, rejected, (), tuple(equivalent))


def _interval(expr: Any, digits: int) -> tuple[Any, Any]:
    """Bounds on a number: mpmath rounds outwards."""
    import mpmath

    before = mpmath.iv.dps
    try:
        mpmath.iv.dps = digits
        value = _enclosed(expr, mpmath.iv)
        return value.a, value.b
    finally:
        mpmath.iv.dps = before


def _enclosed(expr: Any, iv: Any) -> Any:
    if expr.is_Rational:
        return iv.mpf(int(expr.p)) / int(expr.q)
    if expr == sp.E:
        return iv.exp(1)
    parts = [_enclosed(a, iv) for a in expr.args]
    if expr.is_Add:
        return sum(parts[1:], parts[0])
    if expr.is_Mul:
        return prod(parts[1:], start=parts[0])
    if isinstance(expr, sp.exp):
        return iv.exp(parts[0])
    if isinstance(expr, sp.log):
        return iv.log(parts[0])
    if expr.is_Pow and expr.exp.is_Integer:
        return parts[0] ** int(expr.exp)
    if expr.is_Pow:
        return iv.exp(parts[1] * iv.log(parts[0]))
    raise UnusableInput("sums, products, powers, exp and log", plain(expr), "write it with these")


class _Decimals(StrPrinter):
    """Expressions as Python text in decimals."""

    def _print_Symbol(self, expr: Any) -> str:
        return name_of(expr)

    def _print_Integer(self, expr: Any) -> str:
        return f"d({expr.p})"

    def _print_Rational(self, expr: Any) -> str:
        return f"(d({expr.p}) / d({expr.q}))"

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        return f"({self._print(expr.base)}) ** ({self._print(expr.exp)})"

    def _print_exp(self, expr: Any) -> str:
        return f"({self._print(expr.args[0])}).exp()"

    def _print_Max(self, expr: Any) -> str:
        return f"max({', '.join(self._print(a) for a in expr.args)})"

    def _print_Exp1(self, expr: Any) -> str:
        return "d(1).exp()"

    def _print_log(self, expr: Any) -> str:
        return f"({self._print(expr.args[0])}).ln()"


def _shown(value: Any) -> str:
    """A whole number as it is, anything else to six digits."""
    value = sp.sympify(value)
    return str(value) if value.is_Integer else f"{float(value):.6g}"
