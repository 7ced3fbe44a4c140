"""A formula at two places as a script: which value is smaller."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.setting import Setting
from verification.quantities import letters
from verification.refuter.alongscript import head_for, law_lines, needs_decimals, quantity_text
from verification.refuter.places import Place
from verification.refuter.script import array, identifier


def _text(expr: Any, decimals: bool) -> str:
    """A quantity whose letters are fractions; logarithms, which may stand as terms, are decimals."""
    if not decimals:
        return quantity_text(expr)
    parts = []
    for term in sp.Add.make_args(sp.expand_mul(sp.sympify(expr), deep=False)):
        log = next((x for x in sp.Mul.make_args(term) if isinstance(x, sp.log)), None)
        factor = f"d(F({quantity_text(term if log is None else term / log)}))"
        parts.append(factor if log is None else f"{factor} * d({quantity_text(log.args[0])}).ln()")
    return " + ".join(parts)


def place_lines(exprs: tuple[Any, ...], setting: Setting | None, place: Place, time: str) -> list[str]:
    """All letters at a place; moments of a law are asserted to be those of its step."""
    lines = [] if not place.matrices else law_lines(exprs, setting, place, time)
    known = ("A", "C", "H", "E", "B")
    if setting is None:
        used = letters(*exprs)
        lines += [f"{n} = {array(m)}" for n, m in place.matrices.items() if n in used and n not in known]
    if not place.matrices:
        lines += [f"{identifier(n)} = F('{x}')" for n, x in place.scalars.items()]
    return lines


def minimum_script(
    comment: str, formula: Any, setting: Setting | None, places: list[Place], time: str
) -> str:
    """A formula at two places: the first is to be smaller."""
    lines = [f"# {comment}"]
    decimals = needs_decimals((formula,))
    for k, place in enumerate(places, start=1):
        lines += place_lines((formula,), setting, place, time)
        lines.append(f"value_{k} = {_text(formula, decimals)}  # {'as printed' if k == 1 else 'better'}")
    lines += ["print(value_1, value_2, sep='\\n')", "print(bool(value_1 < value_2))"]
    return head_for((formula,)) + "\n".join(lines) + "\n"
