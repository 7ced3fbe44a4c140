"""Numbers as people write them in Python, turned into what a problem file holds.

NumPy arrays and scalars of any dtype, pandas and polars frames, SymPy numbers and matrices, Fractions,
Decimals, tuples, ranges, and mixtures of them become lists, whole numbers, Fractions and floats. None
of these libraries is imported: a value is asked for what it can do.

One rule holds for all floats, those of JSON and TOML too: a float means the shortest decimal that names
it in its own type. ``0.1`` is one tenth, and so are ``np.float32(0.1)`` and ``sp.Float(0.1)``.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.reader.numbers import of_text

_AS_THEY_ARE = (str, bool, int, float, Fraction, type(None))
_DEEPEST = 12  # lists in lists; numbers of a problem file need three
LONG = 20_000  # numbers of data beyond which nothing is summed in fractions
_DOUBLE = 53  # bits of a SymPy Float that was a Python float


def plain(value: Any, depth: int = 0) -> Any:
    """The value in lists, dicts and plain numbers; what has no such form is returned as it is.

    >>> import numpy as np, sympy as sp
    >>> plain({"hessian": np.eye(2, dtype=int), "start": {"theta": sp.Matrix([1, sp.Rational(1, 3)])}})
    {'hessian': [[1, 0], [0, 1]], 'start': {'theta': [1, Fraction(1, 3)]}}
    >>> plain([np.float32(0.1), Decimal("0.1"), np.float64(0.1), sp.Float(0.1)])
    [Fraction(1, 10), Fraction(1, 10), 0.1, 0.1]
    """
    if type(value) in _AS_THEY_ARE:
        return value
    if depth > _DEEPEST:
        raise UnusableInput("plain lists of rows", "lists nested too deeply", "write [[2, 1], [1, 3]]")
    if isinstance(value, Mapping):
        return {_key(key): plain(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, numbers.Number | str):
        return scalar(value)
    if hasattr(value, "free_symbols"):  # of SymPy
        return _of_sympy(value, depth)
    array = _array(value)
    if array is not None:
        return _of_array(array, depth)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [plain(entry, depth + 1) for entry in value]
    return value


def content(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A problem in plain numbers, but for long arrays, which data are read from as they are."""
    long = {key: value for key, value in given.items() if is_long(value)}
    return {**plain({key: value for key, value in given.items() if key not in long}), **long}


def scalar(value: Any) -> Any:
    """One number as an int, a Fraction or a float; what is none is returned as it is.

    >>> import numpy as np
    >>> scalar(np.int8(3)), scalar(np.array(2.5)), scalar(Decimal("1.50"))
    (3, 2.5, Fraction(3, 2))
    """
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "free_symbols"):
        return _of_sympy(value, 0)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal):
        return of_text(str(value), "a Decimal") if value.is_finite() else float(value)
    if isinstance(value, float):  # np.float64 among them
        return float(value)
    if isinstance(value, numbers.Real):  # np.float16, np.float32, np.longdouble
        return _of_text(str(value))
    array = _array(value)
    return value if array is None or array.ndim else _of_array(array, 0)


def is_long(value: Any) -> bool:
    """Whether data have more numbers than are summed in fractions.

    >>> is_long([[1, 2]] * 9_000), is_long([[1, 2, 3]] * 9_000)
    (False, True)
    """
    if isinstance(value, list | tuple):
        return len(value) * (len(value[0]) if value and isinstance(value[0], list | tuple) else 1) > LONG
    shape = getattr(value, "shape", ())
    return isinstance(shape, tuple) and bool(shape) and math.prod(shape) > LONG


def long_array(value: Any) -> Any:
    """A long array of float64 or whole numbers, as float64; None for anything else.

    Long data need no detour over exact numbers: these floats are what the detour ends in.
    """
    array = _array(value) if is_long(value) else None
    if array is None or (array.dtype.kind not in "iu" and array.dtype != float):
        return None
    return array.astype(float)


def _key(key: Any) -> Any:
    """A name: of a SymPy letter, the letter's."""
    return key if isinstance(key, str) else getattr(key, "name", key)


def _array(value: Any) -> Any:
    """What is, holds, or gives a NumPy array, as that array; None for anything else."""
    if isinstance(value, type):
        return None
    for give in ("to_numpy", "toarray", "__array__"):
        if hasattr(value, give):
            import numpy as np

            try:
                return np.asarray(getattr(value, give)())
            except Exception as error:  # a tensor with gradients, on a device, a frame of another kind
                raise UnusableInput(
                    "an array of numbers", f"{type(value).__name__}: {error}", "give numpy.asarray of it"
                ) from None
    return None


def _of_array(array: Any, depth: int) -> Any:
    if array.dtype.kind == "f" and array.itemsize != 8:
        rows = array.tolist() if array.itemsize < 8 else array.astype(object).tolist()
        kind = array.dtype.type
        return _each(rows, lambda x: _of_text(str(kind(x))))
    if array.dtype.kind == "O":
        return _each(array.tolist(), lambda x: plain(x, depth + 1))
    return array.tolist()


def _each(rows: Any, turn: Any) -> Any:
    return [_each(row, turn) for row in rows] if isinstance(rows, list) else turn(rows)


def _of_text(decimal: str) -> Fraction | float:
    return float(decimal) if "n" in decimal else of_text(decimal, "an entry")  # nan, inf


def _of_sympy(value: Any, depth: int) -> Any:
    """A number, or the rows of a matrix, or of a column its entries; else its text, for a message."""
    if hasattr(value, "tolist"):
        rows = value.tolist()
        if getattr(value, "cols", 0) == 1 and len(rows) > 1:
            rows = [entry for (entry,) in rows]
        return [plain(row, depth + 1) for row in rows]
    if getattr(value, "is_Rational", False):
        return int(value.p) if value.q == 1 else Fraction(int(value.p), int(value.q))
    if getattr(value, "is_Float", False):
        return float(value) if value._prec == _DOUBLE else _of_text(str(value))
    return str(value)
