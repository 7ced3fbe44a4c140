"""Shapes and units of printed formulas: what can be added, multiplied, inverted, and set equal."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.notation.matrixwords import Determinant, Diagonal, OfFormulas, Trace
from sgtheory.notation.sentence import Formula, Sentence, say, sentence

LOSS, PARAMETER, TIME = sp.symbols("loss parameter time", positive=True)
_LENGTHS = {"D": 3, "K": 2, "N": 4}  # numbers that stand for dimensions, all different


class Clash(ValueError):
    """A formula that adds, multiplies or compares what does not fit."""

    def __init__(self, words: str) -> None:
        """With what does not fit; formulas stand between dollar signs."""
        super().__init__(words)
        self.words = sentence(words)


@dataclass(frozen=True)
class Kind:
    """A shape, () for a number, and a unit: a product of powers of loss, parameter, time and others.

    >>> Kind(("D", "D"), LOSS / PARAMETER**2).shape_text
    'D x D'
    """

    shape: tuple[str, ...] = ()
    unit: Any = sp.S.One

    @property
    def shape_text(self) -> Sentence:
        """In words."""
        if not self.shape:
            return sentence("a number")
        return Sentence(Formula(r" \times ".join(self.shape), " x ".join(self.shape)))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The shape in numbers."""
        return tuple(_LENGTHS[n] if n in _LENGTHS else int(n) for n in self.shape)

    def random(self, source: random.Random) -> Any:
        """Positive numbers of this shape; square matrices are well-conditioned."""
        import numpy as np

        if not self.shape:
            return source.uniform(0.5, 2)
        found = np.array([source.uniform(0.1, 1) for _ in range(int(np.prod(self.sizes)))])
        found = found.reshape(self.sizes)
        return found + 2 * np.eye(self.sizes[0]) if len(set(self.sizes)) == 1 else found


class Transpose(OfFormulas):
    """The transpose of a matrix or a column."""

    is_commutative = False

    def _latex(self, printer: Any) -> str:
        inner = printer._print(self.args[0])
        return rf"{inner}^{{\top}}" if self.args[0].is_Symbol else rf"\left({inner}\right)^{{\top}}"

    def _sympystr(self, printer: Any) -> str:
        inner = printer._print(self.args[0])
        return f"{inner}^T" if self.args[0].is_Symbol else f"({inner})^T"


def number(unit: Any = 1) -> Kind:
    """A scalar with a unit."""
    return Kind((), sp.sympify(unit))


def square(unit: Any = 1) -> Kind:
    """A D x D matrix with a unit."""
    return Kind(("D", "D"), sp.sympify(unit))


def column(unit: Any = 1) -> Kind:
    """A vector of length D, as a column."""
    return Kind(("D", "1"), sp.sympify(unit))


def unit_text(unit: Any) -> str:
    """Such as ``loss/parameter**2``; ``no unit`` for 1."""
    return "no unit" if unit == 1 else str(unit)


def kind_of(expr: Any, kinds: Mapping[Any, Kind]) -> Kind:
    """The kind of a formula by the rules; raises ``Clash``.

    >>> A, theta = sp.symbols("A theta", commutative=False)
    >>> known = {A: square(LOSS / PARAMETER**2), theta: column(PARAMETER)}
    >>> kind_of(Transpose(theta) * A * theta, known)
    Kind(shape=(), unit=loss)
    """
    expr = sp.sympify(expr)
    if expr in kinds:
        return kinds[expr]
    if expr.is_number and not expr.has(Trace, Determinant, Diagonal):
        return number()
    if expr.is_Symbol and expr.name == "I":
        return square()
    if expr.is_Add:
        return _sum([(t, kind_of(t, kinds)) for t in expr.args])
    if expr.is_Mul:
        return _product(expr, kinds)
    if expr.is_Pow:
        return _power(expr, kinds)
    if isinstance(expr, Transpose):
        inner = kind_of(expr.args[0], kinds)
        return Kind(inner.shape[::-1], inner.unit)
    if isinstance(expr, Trace | Determinant | Diagonal):
        return _of_square(expr, kind_of(expr.args[0], kinds))
    if isinstance(expr, sp.log | sp.exp):
        inner = kind_of(expr.args[0], kinds)
        if inner != number():
            raise Clash(
                say("${}$ is taken of {} in ${}$", str(expr), inner.shape_text, unit_text(inner.unit))
            )
        return number()
    if isinstance(expr, sp.Integral):
        inner, over = (kind_of(part, kinds) for part in (expr.function, expr.variables[0]))
        return Kind(inner.shape, inner.unit * over.unit)
    if isinstance(expr, sp.Sum):
        return kind_of(expr.function, kinds)
    raise Clash(say("${}$ has no kind: declare it", str(expr)))


def _sum(terms: list[tuple[Any, Kind]]) -> Kind:
    (first, kind), *rest = terms
    for term, other in rest:
        if other.shape != kind.shape:
            shapes = kind.shape_text, other.shape_text
            raise Clash(
                say("${}$, {}, is added to ${}$, {}", str(first), shapes[0], str(term), shapes[1])
            )
        if sp.simplify(other.unit / kind.unit) != 1:
            units = unit_text(kind.unit), unit_text(other.unit)
            words = "${}$, in ${}$, is added to ${}$, in ${}$"
            raise Clash(say(words, str(first), units[0], str(term), units[1]))
    return kind


def _product(expr: Any, kinds: Mapping[Any, Kind]) -> Kind:
    scalars, words = expr.args_cnc()
    unit, shape = sp.Integer(1), None
    for factor in scalars:
        kind = kind_of(factor, kinds)
        if kind.shape:
            raise Clash(say("${}$ is {} and stands as a number", str(factor), kind.shape_text))
        unit *= kind.unit
    for word in words:
        kind = kind_of(word, kinds)
        unit *= kind.unit
        if not kind.shape:
            continue
        if shape is not None and shape[1] != kind.shape[0]:
            told = "${}$, {}, stands right of something {}"
            raise Clash(say(told, str(word), kind.shape_text, Kind(shape).shape_text))
        shape = kind.shape if shape is None else (shape[0], kind.shape[1])
        if shape == ("1", "1"):
            shape = None
    return Kind(shape or (), sp.powsimp(unit))


def _power(expr: Any, kinds: Mapping[Any, Kind]) -> Kind:
    base, power = expr.args
    kind = kind_of(base, kinds)
    if kind.shape and (kind.shape[0] != kind.shape[-1] or not power.is_Integer):
        raise Clash(say("${}$ is a power of something {}", str(expr), kind.shape_text))
    if not power.is_number:
        if kind_of(power, kinds) != number() or kind.unit != 1:
            raise Clash(say("${}$ has a unit in its exponent, or below it", str(expr)))
        return kind
    return Kind(kind.shape, kind.unit**power)


def _of_square(expr: Any, inner: Kind) -> Kind:
    if len(inner.shape) != 2 or inner.shape[0] != inner.shape[1]:
        raise Clash(say("${}$ is taken of something {}", str(expr), inner.shape_text))
    if isinstance(expr, Diagonal):
        return inner
    if isinstance(expr, Determinant):
        if inner.unit != 1:
            raise Clash(say("${}$ has a unit to the power of the dimension", str(expr)))
        return number()
    return number(inner.unit)


def value_of(expr: Any, letters: Mapping[Any, Any]) -> Any:
    """A formula in floating point; arrays that do not fit raise ``Clash``."""
    import numpy as np

    expr = sp.sympify(expr)
    if expr in letters:
        return letters[expr]
    if expr.is_number and not expr.has(Trace, Determinant, Diagonal):
        return float(expr)
    if expr.is_Symbol and expr.name == "I":
        return np.eye(_LENGTHS["D"])
    if expr.is_Add:
        parts = [value_of(t, letters) for t in expr.args]
        if len({np.shape(p) for p in parts}) > 1:
            raise Clash(f"{expr} adds arrays of unlike shapes")
        return sum(parts[1:], parts[0])
    if expr.is_Mul:
        scalars, words = expr.args_cnc()
        result = float(np.prod([_number(value_of(s, letters), s) for s in scalars] or [1.0]))
        for word in words:
            result = _times(result, value_of(word, letters))
        return result
    if expr.is_Pow:
        base, power = value_of(expr.base, letters), value_of(expr.exp, letters)
        if np.ndim(base) == 0:
            return base**power
        if base.shape[0] != base.shape[1] or power != int(power):
            raise Clash(f"{expr} is a power of an array {base.shape}")
        return np.linalg.matrix_power(base, int(power))
    if isinstance(expr, sp.Integral):  # of what is constant, over an interval of length one unit
        return value_of(expr.function, letters) * value_of(expr.variables[0], letters)
    if isinstance(expr, sp.Sum):  # of as many terms, all alike
        _, first, last = expr.limits[0]
        return value_of(expr.function, letters) * (value_of(last - first + 1, letters))
    inner = value_of(expr.args[0], letters)
    return _function(expr, inner)


def _number(x: Any, what: Any) -> float:
    import numpy as np

    if np.ndim(x):
        raise Clash(f"{what} is an array and stands as a number")
    return float(x)


def _times(x: Any, y: Any) -> Any:
    import numpy as np

    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return x * y
    try:
        product = x @ y
    except ValueError as error:
        raise Clash(str(error)) from None
    return float(product[0, 0]) if product.shape == (1, 1) else product


def _function(expr: Any, inner: Any) -> Any:
    import numpy as np

    if isinstance(expr, Transpose):
        return np.transpose(inner)
    if isinstance(expr, Trace | Determinant | Diagonal):
        if np.ndim(inner) != 2 or inner.shape[0] != inner.shape[1]:
            raise Clash(f"{expr} is taken of an array of shape {np.shape(inner)}")
        if isinstance(expr, Diagonal):
            return np.diag(np.diag(inner))
        return float(np.trace(inner) if isinstance(expr, Trace) else np.linalg.det(inner))
    if np.ndim(inner):
        raise Clash(f"{expr} is taken of an array")
    return float(np.log(inner) if isinstance(expr, sp.log) else np.exp(inner))
