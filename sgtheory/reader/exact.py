"""Exact numbers: reading them, checking matrices of them, and the one place where they become floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import fmpq, fmpq_mat

from sgtheory.errors import UnusableInput, shown
from sgtheory.reader import limits, native, numbers
from sgtheory.reader.row import Row, are_plain, is_same

if TYPE_CHECKING:
    import numpy as np

Matrix = tuple[tuple[Fraction, ...], ...]
Vector = tuple[Fraction, ...]

# Numbers of larger matrices come from floats, and are definite within rounding.
_EXACT_LIMIT = 12
# Rows of matrices up to which all entries are made fractions when they are read: some megabytes of them.
_MADE = 200


def number(value: Any, where: str) -> Fraction:
    """An exact number from any kind of number, or from a string such as ``"3/2"``.

    >>> number("3/2", "eps"), number("0.1", "eps"), number(0.1, "eps")
    (Fraction(3, 2), Fraction(1, 10), Fraction(1, 10))
    """
    value = native.scalar(value)
    if isinstance(value, float):
        return numbers.of_float(value, where)
    if isinstance(value, str):
        return numbers.of_text(value, where)
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise UnusableInput(f"a number for {where}", shown(value), 'write 3, 0.5 or "3/2"')
    return numbers.in_range(value if isinstance(value, Fraction) else Fraction(value), where)


def matrix(value: Any, where: str, limit: int = limits.ROWS) -> Matrix:
    """A square matrix of exact numbers; a bare number is a 1 x 1 matrix."""
    value = native.plain(value)
    if isinstance(value, int | str | float | Fraction) and not isinstance(value, bool):
        return ((number(value, where),),)
    rows = value if isinstance(value, list | tuple) else None
    if not rows or not all(isinstance(r, list | tuple) for r in rows):
        raise UnusableInput(
            f"{where} as a list of rows", shown(value), "write [[2, 1], [1, 3]] for a 2 x 2 matrix"
        )
    if len(rows) > limit:
        gigabytes = 8 * len(rows) ** 2 / 1e9
        raise UnusableInput(
            f"{where} with at most {limit} rows",
            f"{len(rows)} rows ({gigabytes:,.0f} GB as a dense matrix)",
            "reduce the dimension, or study a block of the problem",
        )
    widths = {len(r) for r in rows}
    if widths != {len(rows)}:
        seen = "x".join(str(w) for w in sorted(widths)[:3])
        raise UnusableInput(
            f"{where} to be square",
            f"{len(rows)} rows of length {seen}",
            "give as many columns as rows",
        )
    if len(rows) <= _MADE:
        return tuple(_numbers(row, f"{where}[{i}]") for i, row in enumerate(rows))
    words: dict[str, Fraction] = {}  # fractions as text: there are many times more of them than values
    return tuple(Row(_kept(row, f"{where}[{i}]", words)) for i, row in enumerate(rows))


def _numbers(row: Any, where: str) -> Vector:
    return tuple(number(x, f"{where}[{j}]") for j, x in enumerate(row))


def _kept(row: Any, where: str, words: dict[str, Fraction]) -> Any:
    """The entries of a row as they are, in range; those that are written as text are made once."""
    return row if are_plain(row) else _each(row, where, words, number)


def _each(row: Any, where: str, words: dict[str, Any], made: Callable[[Any, str], Any]) -> list[Any]:
    """What is made of the entries of a row; of one text in many places, once."""

    def once(x: Any, where: str) -> Any:
        found = made(x, where)
        if isinstance(x, str):
            if len(words) >= limits.FRACTIONS:
                raise numbers.too_many(where)
            words[str(x)] = found
        return found

    return [
        words[x] if type(x) is str and x in words else once(x, f"{where}[{j}]")
        for j, x in enumerate(row)
    ]


def _rounded(x: Any, where: str) -> float:
    return x if type(x) is int and abs(x) <= limits.MOST else float(number(x, where))


def long_rows(value: Any, where: str) -> Any:
    """Rows of very many numbers, or one such row, in float64: what fractions of them would end in.

    >>> long_rows([[1, 0.5], ["1/4", 2]], "X").tolist()
    [[1.0, 0.5], [0.25, 2.0]]
    """
    import numpy as np

    nested = isinstance(value[0], list | tuple)
    listed = value if nested else [value]
    width, known = len(listed[0]), dict[str, float]()
    for i, row in enumerate(listed):
        if not isinstance(row, list | tuple) or len(row) != width:
            got = f"length {len(row)}" if isinstance(row, list | tuple) else shown(row)
            raise UnusableInput(f"{where}[{i}] as a list of {width} numbers", got, "match the dimension")
    if not set().union(*(map(type, row) for row in listed)) <= {int, float, Fraction}:
        listed = [_each(row, f"{where}[{i}]", known, _rounded) for i, row in enumerate(listed)]
    try:
        found = np.array(listed, float)
    except OverflowError:  # a whole number beyond floats
        raise UnusableInput(
            f"numbers of at most 1e100 in {where}", "a larger one", "replace it"
        ) from None
    return found if nested else found[0]


def vector(value: Any, where: str, dimension: int) -> Vector:
    """A vector of exact numbers of the given length; a column of a matrix is one too."""
    value = native.plain(value)
    if isinstance(value, list | tuple) and all(
        isinstance(x, list | tuple) and len(x) == 1 for x in value
    ):
        value = [x for (x,) in value]
    if not isinstance(value, list | tuple) or len(value) != dimension:
        got = f"length {len(value)}" if isinstance(value, list | tuple) else shown(value)
        raise UnusableInput(f"{where} as a list of {dimension} numbers", got, "match the dimension")
    return _numbers(value, where)


def diagonal(entries: Vector) -> Matrix:
    """The diagonal matrix with these entries."""
    n, zero = len(entries), Fraction(0)
    return tuple((zero,) * i + (entries[i],) + (zero,) * (n - i - 1) for i in range(n))


def root(x: Fraction, where: str) -> Fraction:
    """The square root, exact where it is rational, to 40 digits where it is not.

    >>> root(Fraction(9, 4), "C")
    Fraction(3, 2)
    """
    if x < 0:
        raise UnusableInput(f"{where} from 0", _show(x), "check the problem")
    above, below = math.isqrt(x.numerator), math.isqrt(x.denominator)
    if above**2 == x.numerator and below**2 == x.denominator:
        return Fraction(above, below)
    scale = 10 ** (40 + len(str(x.denominator)))
    return Fraction(math.isqrt(x.numerator * scale**2 // x.denominator), scale)


def rows(value: Any, where: str) -> tuple[Vector, ...]:
    """Rows of exact numbers, all of one length; bare numbers are rows of one."""
    value = native.plain(value)
    if not isinstance(value, list | tuple) or not value:
        raise UnusableInput(f"{where} as a list of rows", shown(value), "write [[1, 2], [3, 4]]")
    listed = [r if isinstance(r, list | tuple) else [r] for r in value]
    width = len(listed[0])
    return tuple(vector(row, f"{where}[{i}]", width) for i, row in enumerate(listed))


def identity(dimension: int) -> Matrix:
    """The identity matrix."""
    return diagonal((Fraction(1),) * dimension)


def example(dimension: int) -> str:
    """A matrix of a dimension as one types it; of a large one, its size.

    >>> example(2), example(50)
    ('[[1, 0], [0, 1]]', 'a 50 x 50 matrix')
    """
    if dimension > 4:
        return f"a {dimension} x {dimension} matrix"
    return str([[int(x) for x in row] for row in identity(dimension)])


def check_symmetric(m: Matrix, where: str) -> None:
    """Refuse a matrix that is not symmetric, and show an entry that says so."""
    given = [_given(row) for row in m]
    for i, row in enumerate(given):
        for j in range(i):
            if not is_same(row[j], given[j][i]):
                raise UnusableInput(
                    f"{where} to be symmetric",
                    f"entry [{i}][{j}] = {_show(m[i][j])} but [{j}][{i}] = {_show(m[j][i])}",
                    f"replace {where} by its symmetric part",
                )


def check_definite(m: Matrix, where: str, strictly: bool = True) -> None:
    """Refuse a symmetric matrix with a negative eigenvalue (or a zero one, when ``strictly``)."""
    if is_definite(m, strictly):
        return
    word = "definite" if strictly else "semidefinite"
    lowest = min_eigenvalue(m)
    raise UnusableInput(
        f"{where} to be positive {word}",
        f"smallest eigenvalue {lowest:.6g}",
        f"check {where}" + (", or drop the flat directions" if strictly else ""),
    )


def is_definite(m: Matrix, strictly: bool) -> bool:
    """Whether a symmetric matrix is positive definite, or semidefinite where not ``strictly``."""
    if len(m) > _EXACT_LIMIT:
        import numpy as np

        array = floats(m)
        noise = len(m) * np.finfo(float).eps * float(np.abs(np.diag(array)).max())
        try:  # an entry of a definite matrix is no larger than its diagonal: noise bounds the rounding
            np.linalg.cholesky(array + (-noise if strictly else noise) * np.eye(len(m)))
        except np.linalg.LinAlgError:
            return False
        return True
    return is_exactly_definite(m, strictly)


def is_exactly_definite(m: Matrix, strictly: bool) -> bool:
    """The same whatever the size: the signs of the characteristic polynomial tell, whose roots are real.

    >>> one = Fraction(1)
    >>> [is_exactly_definite(((one, one), (one, one)), strictly) for strictly in (True, False)]
    [False, True]
    """
    entries = [fmpq(x.numerator, x.denominator) for row in m for x in row]
    coefficients = fmpq_mat(len(m), len(m), entries).charpoly().coeffs()
    signed = (c if k % 2 == 0 else -c for k, c in enumerate(reversed(coefficients)))
    return all(c > 0 if strictly else c >= 0 for c in signed)


def semidefinite(m: Matrix) -> Matrix:
    """A covariance that was computed in floats: where rounding made it indefinite, the square of a root.

    >>> tenth, three = Fraction(1, 10), Fraction(3, 10)
    >>> rounded = ((tenth**2, tenth * three), (tenth * three, three**2 - Fraction(1, 10**18)))
    >>> is_definite(rounded, strictly=False), is_definite(semidefinite(rounded), strictly=False)
    (False, True)
    """
    if len(m) > _EXACT_LIMIT or is_definite(m, strictly=False):
        return m
    import numpy as np

    sizes, axes = np.linalg.eigh(floats(m))
    sizes = np.where(sizes > len(m) * np.finfo(float).eps * sizes[-1], sizes, 0.0)
    root_ = [[Fraction(x) for x in row] for row in (axes * np.sqrt(sizes)).tolist()]
    return tuple(
        tuple(sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0)) for b in root_) for a in root_
    )


def min_eigenvalue(m: Matrix) -> float:
    """The smallest eigenvalue, in floating point, for messages."""
    import numpy as np

    return float(np.linalg.eigvalsh(floats(m))[0])


def _given(row: Any) -> Any:
    """The entries of a row as they were given, of which none is made a fraction."""
    return row.given if isinstance(row, Row) else row


def _divided(x: Any) -> float:
    return x if isinstance(x, float) else x.numerator / x.denominator


def floats(m: Matrix, dtype: Any = float) -> np.ndarray[Any, Any]:
    """The matrix as floating-point numbers, each rounded once.

    With ``dtype=numpy.longdouble`` the extra digits are kept where the platform has them.
    """
    import numpy as np

    if np.dtype(dtype).itemsize <= 8:
        # whole numbers are divided with one rounding, in half the time of float(x)
        return np.array([[_divided(x) for x in _given(row)] for row in m], dtype)
    # numerator and denominator may not fit: split off the float and add what it missed
    high = np.array([[float(x) for x in row] for row in m])
    low = [[float(x - Fraction(float(x))) for x in row] for row in m]
    return np.asarray(high.astype(dtype) + np.array(low).astype(dtype))


def _show(x: Fraction) -> str:
    return str(x) if len(str(x)) < 16 else f"{float(x):.9g}"
