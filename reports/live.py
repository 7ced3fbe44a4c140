"""Drawings that a reader moves: closed forms as programs, which the script of a page runs.

A program is in postfix notation, for a machine with a stack that knows ``+``, ``*``, ``^``, ``exp`` and
``log``: nothing else can be said in it, whatever a formula holds.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from sgtheory.errors import UnusableInput

SCALES = ("log", "linear", "whole")


@dataclass(frozen=True)
class Slider:
    """A letter of a closed form, from where to where it goes, and where it begins."""

    letter: str
    label: str
    least: float
    most: float
    value: float
    scale: str = "log"

    def __post_init__(self) -> None:
        if not self.least <= self.value <= self.most or self.least == self.most:
            got = f"{self.value} in {self.least} to {self.most}"
            raise UnusableInput(f"a value of {self.letter} in a range", got, "widen the range")
        if self.scale not in SCALES or (self.scale == "log" and self.least <= 0):
            got = f"{self.scale} from {self.least}"
            raise UnusableInput(f"a scale among {', '.join(SCALES)}", got, "log needs positive ends")


@dataclass(frozen=True)
class Live:
    """Curves over one letter, with sliders for all; they end where a condition is no longer positive."""

    across: Slider
    sliders: tuple[Slider, ...]
    curves: tuple[tuple[str, str], ...]  # the name of a curve, and its program
    conditions: tuple[str, ...]
    says: str  # what is drawn

    def json(self) -> str:
        """What the script reads."""
        return json.dumps(asdict(self), separators=(",", ":"))


def program(expression: Any) -> str | None:
    """A closed form in postfix notation; None where it holds what the machine has not.

    >>> import sympy as sp
    >>> eps, mu = sp.symbols("eps mu")
    >>> program(eps / (2 - mu)), program(sp.sqrt(eps)), program(sp.erf(eps))
    ('eps 2 -1 mu * + -1 ^ *', 'eps 0.5 ^', None)
    """
    import sympy as sp

    e = sp.sympify(expression)
    if e.is_Symbol:
        return str(e.name)
    if e.is_Number or e in (sp.pi, sp.E):
        return f"{float(e):.17g}" if e.is_finite else None
    parts = [program(a) for a in e.args]
    if not parts or None in parts:
        return None
    said = [p for p in parts if p is not None]
    if isinstance(e, sp.exp | sp.log) and len(said) == 1:
        return f"{said[0]} {type(e).__name__}"
    sign = next(
        (s for kind, s in ((sp.Add, "+"), (sp.Mul, "*"), (sp.Pow, "^")) if isinstance(e, kind)), ""
    )
    return " ".join([said[0], *(f"{p} {sign}" for p in said[1:])]) if sign else None
