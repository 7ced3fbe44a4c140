"""Relations between sums over steps: up to a constant, and limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.printing import latex, plain
from verification.claims.base import Printed


@dataclass(frozen=True)
class UpTo(Printed):
    """``left <= C right`` for some C that is the same for all steps and sequences."""

    relation: str = "<= C"

    def latex(self) -> str:
        """As typeset."""
        return rf"{latex(sp.sympify(self.left))} \le C \cdot {latex(sp.sympify(self.right))}"

    def text(self) -> str:
        """On one line."""
        return f"{plain(sp.sympify(self.left))} <= C * ({plain(sp.sympify(self.right))})"


@dataclass(frozen=True)
class Vanishes(Printed):
    """``left -> 0`` as the steps go on, for all steps of the kind ``steps``."""

    right: Any = 0
    relation: str = "->"
