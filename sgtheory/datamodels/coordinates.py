"""Words for single examples: vectors written out in their coordinates, and what tables are made of."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.declaring.noises import Vector
from sgtheory.notation.inletters import WrittenWord

Expr = Any


class Letter(sp.Symbol):
    """A number within an example's gradient: a coordinate of the point or of a row, or made of these."""


class Coordinates(WrittenWord, sp.Function):
    """A vector in the data of one example, written out coordinate by coordinate.

    Its arguments are the point, the example's row and its number; the letters for the coordinates of the
    point and of the row; numbers that are named on the way, each in those before; and the coordinates.
    """

    is_commutative = True

    @classmethod
    def of(cls, among: Any, points: Any, row: Any, steps: Any, values: Any) -> Expr:
        """The vector of these parts, the first being the point, the example's row and its number."""
        named = sp.Tuple(*(sp.Tuple(name, expr) for name, expr in steps))
        return cls(*among, sp.Tuple(*points), sp.Tuple(*row), named, sp.Tuple(*values))

    @property
    def points(self) -> tuple[Expr, ...]:
        """The coordinates of the point."""
        return tuple(self.args[3])

    @property
    def row(self) -> tuple[Expr, ...]:
        """The coordinates of an example's row."""
        return tuple(self.args[4])

    @property
    def steps(self) -> tuple[tuple[Expr, Expr], ...]:
        """What is named on the way."""
        return tuple((pair[0], pair[1]) for pair in self.args[5])

    @property
    def values(self) -> tuple[Expr, ...]:
        """The coordinates of the vector."""
        return tuple(self.args[6])

    def _sympystr(self, printer: Any) -> str:
        return f"slope({', '.join(printer._print(a) for a in self.args[:3])})"

    def _latex(self, printer: Any) -> str:
        return rf"\nabla \ell({', '.join(printer._print(a) for a in self.args[:3])})"


class Curvatures(Coordinates):
    """The coordinatewise slope of such a gradient."""

    def _sympystr(self, printer: Any) -> str:
        return f"curvature({', '.join(printer._print(a) for a in self.args[:3])})"

    def _latex(self, printer: Any) -> str:
        among = ", ".join(printer._print(a) for a in self.args[:3])
        return rf"\operatorname{{diag}} \nabla^2 \ell({among})"


class Seen(WrittenWord, sp.Function):
    """``Seen(a, x, k)``: the table a, with x for the examples of the k-th minibatch."""


class Drawn(WrittenWord, sp.Function):
    """``Drawn(n, k)``: how often example n is in the k-th minibatch."""

    is_extended_real = True


class ExampleRow(Vector):
    """The row of one example."""

    def __new__(cls, of: Any, number: int) -> ExampleRow:
        """The row of a name, of the example with that number."""
        made = super().__new__(cls, f"{of.name}_{number}", real=True)
        made.of, made.number = of.name, number
        return made

    of: str
    number: int


class ExampleNumber(sp.Symbol):
    """A number of one example."""

    def __new__(cls, of: Any, number: int) -> ExampleNumber:
        """The number of a name, of the example with that number."""
        made = super().__new__(cls, f"{of.name}_{number}", real=True)
        made.of, made.number = of.name, number
        return made

    of: str
    number: int
