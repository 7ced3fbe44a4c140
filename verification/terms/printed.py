"""Relations as they are printed, in formulas of SymPy: of definitions, and of files without terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.notation.matrixwords import B, C
from sgtheory.notation.printing import latex, plain

RELATIONS = {
    "=": "=",
    "<=": r"\le",
    ">=": r"\ge",
    "<": "<",
    ">": ">",
    "!=": r"\ne",
    "~": r"\sim",
    "propto": r"\propto",
    "->": r"\to",
    "=c=": r"\stackrel{c}{=}",
}


@dataclass(frozen=True)
class Printed:
    """A relation as a paper prints it: both sides are data, nothing says whether it is true."""

    left: Any
    right: Any
    relation: str = "="

    def __getstate__(self) -> dict[str, Any]:
        """As it is written: SymPy would evaluate it anew where another process reads it."""
        return {name: _as_tree(value) for name, value in self.__dict__.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """What was sent, as it was written."""
        self.__dict__.update({name: _as_written(value) for name, value in state.items()})

    @property
    def residual(self) -> Any:
        """Left minus right."""
        return self.left - self.right

    @property
    def is_one_expression(self) -> bool:
        """Whether both sides are written alike, so that nothing is said."""
        return bool(self.left == self.right)

    def latex(self) -> str:
        """As typeset; the noise covariance is B B^T, as in the papers, where B is not written itself."""
        sides = [sp.sympify(side) for side in (self.left, self.right)]
        if not any(side.has(B) for side in sides):
            sides = [_as_product(side) for side in sides]
        left, right = map(latex, sides)
        return f"{left} {RELATIONS[self.relation]} {right}"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} {self.relation} {plain(self.right)}"


@dataclass(frozen=True)
class _Tree:
    """A formula that is written out otherwise than SymPy would write it."""

    head: Any
    parts: tuple[Any, ...]


def _as_tree(side: Any) -> Any:
    if isinstance(side, sp.Basic) and any(map(_is_written_out, sp.preorder_traversal(side))):
        return _Tree(side.func, tuple(map(_as_tree, side.args)))
    return side


def _is_written_out(part: Any) -> bool:
    return isinstance(part, sp.Add | sp.Mul | sp.Pow) and part.func(*part.args) != part


def _as_written(side: Any) -> Any:
    if not isinstance(side, _Tree):
        return side
    parts = tuple(map(_as_written, side.parts))
    found = side.head(*parts)
    return found if found.args == parts else side.head(*parts, evaluate=False)


def _as_product(side: Any) -> Any:
    """With B B^T for C; nothing else is changed, and nothing that is written out is evaluated."""
    if side == C:
        return sp.Symbol("BB^T", commutative=False)
    if not side.has(C):
        return side
    parts = [_as_product(part) for part in side.args]
    return side.func(
        *parts, **({"evaluate": False} if isinstance(side, sp.Mul | sp.Add | sp.Pow) else {})
    )
