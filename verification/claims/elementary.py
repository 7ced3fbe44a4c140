"""Claims that two formulas with logarithms and exponentials are equal, whatever their letters.

In symbols every exponential of a letter becomes a letter of its own, and logarithms of products are
taken apart; what is left has to vanish. In numbers both sides are enclosed in intervals, which either
have a point in common to forty digits or none.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from keyword import iskeyword
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.printing import plain
from verification.claims.base import Claim, Proof
from verification.miner.conditions import Condition
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.verdict import Evidence, Finding

_DIGITS, _CLOSE = 60, "1e-40"
_LOOKS = 150


@dataclass(frozen=True)
class Elementary(Claim):
    """``left = right`` for all values of the letters; ``kinds`` names those that are not positive."""

    kinds: tuple[tuple[str, str], ...] = ()

    def space(self) -> Space:
        """Numbers for all letters."""
        symbols = {s for p in self.printed for side in (p.left, p.right) for s in side.free_symbols}
        scalars = {s.name: _kind(s) for s in sorted(symbols, key=str)}
        return Space({}, {**scalars, **dict(self.kinds)})

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """Scalars are not mined here: a formula for a loss holds or it does not."""
        return ()

    def has_discrete_reading(self) -> bool:
        """It is about formulas."""
        return False

    def failure(self, time: str, evaluations: int = _LOOKS) -> Failure | None:
        """Among few places: intervals take their time."""
        return super().failure(time, min(evaluations, _LOOKS))

    def is_caught(self, time: str) -> bool:
        """At random places first: at small ones much is zero."""
        source = random.Random(self.heading)
        drawn = [self.holds_at_random(time, source) for _ in range(4)]
        silent = all(holds is None for holds in drawn)  # the logarithm of what is negative
        return silent or False in drawn or super().is_caught(time)

    def look(self, time: str) -> Look:
        """Both sides in intervals."""

        def at(place: Place) -> Sides | None:
            for printed in self.printed:
                left, right = (_enclosed(s, place) for s in (printed.left, printed.right))
                same = bool(left - right in _narrow())
                if not same:
                    return Sides(_short(left), _short(right), False)
            return Sides(_short(left), _short(right), True)

        return at

    def prove(self, time: str) -> Proof:
        """Left minus right, with exponentials as letters and logarithms taken apart."""
        rest = [_reduced(p.left - p.right) for p in self.printed]
        zero = all(r == 0 for r in rest)
        shown = tuple(Equation(Formula(r"\text{left} - \text{right}", "left - right"), r) for r in rest)
        steps = (Step("Left minus right", "Exponentials are letters, logarithms taken apart:", shown),)
        words = "The difference vanishes." if zero else "A difference is left over."
        evidence = Evidence("symbolic", words, {"left_over": [plain(r) for r in rest]},
                            Derivation("Difference", steps, ()))  # fmt: skip
        if zero:
            return Proof(True, "Both sides are one formula, term by term.", (evidence,))
        left_over = "; ".join(plain(r) for r in rest if r != 0)
        return Proof(None, f"Printed and true differ by {left_over}.", (evidence,))

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The printed side, term by term; the right side is what it is held against."""
        for name, twin in super().corrupted(finding):
            if name.startswith("left") and name.endswith(("doubled", "flipped", "dropped")):
                yield name, twin

    def script(self, failure: Failure, time: str) -> str:
        """Both sides in decimals."""
        lines = [
            f"# {self.heading}",
            "from decimal import Decimal as d, getcontext",
            f"getcontext().prec = {_DIGITS}",
        ]
        lines += [
            f"{_name(n)} = d({x.numerator}) / d({x.denominator})"
            for n, x in failure.place.scalars.items()
        ]
        printer = _Decimals()
        pairs = [f"({printer.doprint(p.left)}, {printer.doprint(p.right)})" for p in self.printed]
        lines += [
            f"pi = d('{sp.N(sp.pi, _DIGITS)}')",
            f"sides = [{', '.join(pairs)}]",
            "print(*sides)",
            f"print(all(abs(a - b) < d('{_CLOSE}') for a, b in sides))",
        ]
        return "\n".join(lines) + "\n"


class _Decimals(sp.printing.str.StrPrinter):
    """Formulas for Python's decimals."""

    def _print_Symbol(self, expr: Any) -> str:
        return _name(expr.name)

    def _print_log(self, expr: Any) -> str:
        return f"({self._print(expr.args[0])}).ln()"

    def _print_exp(self, expr: Any) -> str:
        return f"({self._print(expr.args[0])}).exp()"

    def _print_Integer(self, expr: Any) -> str:
        return f"d({expr.p})"

    _print_One = _print_NegativeOne = _print_Zero = _print_Integer

    def _print_Rational(self, expr: Any) -> str:
        return f"(d({expr.p}) / d({expr.q}))"

    _print_Half = _print_Rational

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        return f"({self._print(expr.base)})**({self._print(expr.exp)})"


def _name(letter: str) -> str:
    """Python has a word lambda."""
    return f"{letter}_" if iskeyword(letter) else letter


def _kind(symbol: Any) -> str:
    if symbol.is_integer:
        return "count"
    return "positive" if symbol.is_positive else "real"


def _enclosed(expr: Any, place: Place) -> Any:
    """An interval that contains the value."""
    import mpmath

    iv = mpmath.iv
    iv.dps = _DIGITS

    def value(e: Any) -> Any:
        if e.is_Symbol or e.is_Rational:
            x = place.scalars[e.name] if e.is_Symbol else Fraction(int(e.p), int(e.q))
            return iv.mpf(x.numerator) / x.denominator
        if e is sp.pi:
            return iv.pi
        if e.is_Add or e.is_Mul:
            parts = [value(a) for a in e.args]
            found = parts[0]
            for part in parts[1:]:
                found = found + part if e.is_Add else found * part
            return found
        if isinstance(e, sp.exp):
            return iv.exp(value(e.args[0]))
        if isinstance(e, sp.log):
            inner = value(e.args[0])
            if not inner > 0:
                raise TypeError("the logarithm of what is not positive")
            return iv.log(inner)
        if e.is_Pow and e.exp.is_Integer:
            return value(e.base) ** int(e.exp)
        if e.is_Pow:
            return iv.exp(value(e.exp) * iv.log(value(e.base)))
        raise TypeError(f"{e} is no formula of powers, logarithms and exponentials")

    return value(sp.sympify(expr))


def _narrow() -> Any:
    import mpmath

    return mpmath.iv.mpf([f"-{_CLOSE}", _CLOSE])


def _short(x: Any) -> str:
    import mpmath

    return str(mpmath.nstr(mpmath.mpf(x.mid), 12))


def _reduced(expr: Any) -> Any:
    """Zero where the two formulas are one."""
    taken = sp.expand_log(sp.expand(expr), force=True)
    letters: dict[Any, Any] = {}
    for e in sorted(taken.atoms(sp.exp), key=str):
        parts = [sp.exp(t) for t in sp.Add.make_args(sp.expand(e.args[0]))]
        for part in parts:
            letters.setdefault(part, sp.Dummy(positive=True))
        taken = taken.subs(e, sp.Mul(*(letters[p] for p in parts)))
    plainly = taken.replace(sp.log, lambda x: sp.log(sp.factor(sp.together(x))))
    rest = sp.simplify(sp.expand(sp.expand_log(plainly, force=True)))
    back = {v: k for k, v in letters.items()}
    return sp.expand(rest.subs(back)) if rest != 0 else sp.Integer(0)
