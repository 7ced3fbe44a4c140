"""A counterexample as a short script that needs NumPy only, and its answer.

The script is written from the same declaration and the same printed relation, and decides for itself:
its last line prints whether the printed relation holds at the numbers shown. It shares no arithmetic
with the toolkit, so running it is one more check of the counterexample.
"""

from __future__ import annotations

import contextlib
import io
import keyword
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.printing.str import StrPrinter

_HEAD = """import numpy as np
from fractions import Fraction as F
rows = lambda text: np.array([[F(x) for x in row.split()] for row in text.split(";")])
"""
_TAKEN = frozenset(
    (
        "F",
        "I",
        "M",
        "P",
        "Q",
        "R",
        "d",
        "np",
        "rows",
        "left",
        "right",
        "print",
        "bool",
        "int",
        "abs",
        "all",
    )
)
_EQUAL = {"=": "==", "<=": "<=", ">=": ">=", "<": "<", ">": ">"}


class _Script(StrPrinter):
    """Expressions in non-commuting symbols as NumPy text; inverses become letters of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.inverses: dict[str, str] = {}

    def matrix(self, expr: Any) -> str:
        """A sum of words."""
        return " + ".join(self._term(t) for t in sp.Add.make_args(sp.expand(expr)))

    def _term(self, term: Any) -> str:
        scalars, words = term.args_cnc()
        product = " @ ".join(self._word(w) for w in words) or "I"
        factor = sp.Mul(*scalars)
        return product if factor == 1 else f"{self.scalar(factor)} * ({product})"

    def _word(self, word: Any) -> str:
        base, power = word.as_base_exp()
        if type(base).__name__ == "Transpose":
            name = f"({self.matrix(base.args[0])}).T"
        elif base.is_Function:
            name = f"np.diag(np.diag({self.matrix(base.args[0])}))"
        else:
            name = base.name if base.is_Symbol else f"({self.matrix(base)})"
        name = {"EE^T": "E @ E.T"}.get(name, name)
        if power < 0:
            inverse = self.inverses.setdefault(name, f"inverse_{len(self.inverses) + 1}")
            name = inverse
        return " @ ".join([name] * abs(int(power)))

    def scalar(self, expr: Any) -> str:
        """A scalar, exact: rational numbers are fractions, traces are taken."""
        return f"({self.doprint(expr)})"

    def _print_Symbol(self, expr: Any) -> str:
        return identifier(str(super()._print_Symbol(expr)))

    def _print_Rational(self, expr: Any) -> str:
        return f"F({expr.p}, {expr.q})"

    def _print_Integer(self, expr: Any) -> str:
        return f"F({expr.p})"

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        base, power = expr.args
        if power.is_Integer:
            return f"{self.parenthesize(base, 1000)}**({int(power)})"
        return f"F(int({self.parenthesize(base, 1000)}**{power} * 2**40), 2**40)"

    def _print_Function(self, expr: Any) -> str:
        return f"np.trace({self.matrix(expr.args[0])})"


def identifier(letter: str, taken: frozenset[str] = _TAKEN) -> str:
    """A letter of a formula as a name that Python has no other use for, the one for every script.

    >>> identifier("lambda"), identifier("in"), identifier("F"), identifier("x'"), identifier("T")
    ('lambda_', 'in_', 'F_', 'x_', 'T')
    >>> identifier("M"), identifier("M_")  # two letters are two names
    ('M_', 'M__')
    """
    name = re.sub(r"\W", "_", letter)
    bare = name.rstrip("_")
    return f"{name}_" if keyword.iskeyword(bare) or bare in taken else name


def array(rows: Any) -> str:
    """A matrix of fractions as text for the script.

    >>> array([[1, 0], [0, Fraction(1, 2)]])
    "rows('1 0; 0 1/2')"
    """
    return "rows('" + "; ".join(" ".join(str(x) for x in row) for row in rows) + "')"


def scalar_text(expr: Any) -> str:
    """A scalar formula for the script.

    >>> scalar_text(sp.Symbol("x") / 3)
    '(x/F(3))'
    """
    return _Script().scalar(expr)


def relation_script(
    comment: str,
    matrices: Mapping[str, Any],
    scalars: Mapping[str, Fraction],
    relation: tuple[Any, Any, str],
    facts: tuple[str, ...] = (),
) -> str:
    """Letters, facts about them that are asserted, and one printed relation that is decided.

    >>> one = [[Fraction(1)]]
    >>> A, x = sp.Symbol("A", commutative=False), sp.Symbol("x")
    >>> text = relation_script("x A", {"A": one}, {"x": Fraction(2)}, (x * A, A, "="))
    >>> run(text)
    False
    """
    left, right, word = relation
    printer = _Script()
    sides = [_side(printer, side) for side in (left, right)]
    size = len(next(iter(matrices.values()), [[0]]))
    lines = [f"# {comment}", *(f"{n} = {array(m)}" for n, m in matrices.items())]
    if scalars:
        lines.append("; ".join(f"{identifier(n)} = F('{x}')" for n, x in scalars.items()))
    lines += [f"I, D = {array([[int(i == j) for j in range(size)] for i in range(size)])}, {size}"]
    lines += facts
    known = dict(matrices)
    for inverted, name in printer.inverses.items():  # what stands inside another comes before it
        known[name] = value = _inverse_of(inverted, known, scalars)
        lines += [f"{name} = {array(value)}", f"assert ({inverted} @ {name} == I).all()"]
    lines += [f"left, right = {sides[0]}, {sides[1]}", "print(left, right, sep='\\n')"]
    lines.append(f"print(bool(np.all(left {_EQUAL[word]} right)))")
    return _HEAD + "\n".join(lines) + "\n"


def _side(printer: _Script, side: Any) -> str:
    side = sp.sympify(side)
    return printer.scalar(side) if side.is_commutative else printer.matrix(side)


def _inverse_of(text: str, matrices: Mapping[str, Any], scalars: Mapping[str, Fraction]) -> Any:
    """The inverse of a NumPy text in the letters, by elimination in fractions."""
    import numpy as np

    from sgtheory.independent.fields import inverse

    known = {n: np.array([[Fraction(x) for x in row] for row in m]) for n, m in matrices.items()}
    size = len(next(iter(known.values())))
    letters = {identifier(n): x for n, x in scalars.items()}
    known["I"] = np.array([[Fraction(int(i == j)) for j in range(size)] for i in range(size)])
    value = eval(text, {"np": np, "F": Fraction, **letters}, known)  # our own text, printed above
    return inverse(value.tolist())


def run(script: str) -> bool:
    """What the script prints last."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(script, "counterexample", "exec"), {})
    return shown.getvalue().strip().splitlines()[-1] == "True"
