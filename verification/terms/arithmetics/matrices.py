"""Matrices over an arithmetic, by FLINT: a number beside a matrix is that multiple of the unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from math import isqrt
from typing import Any

from verification.terms import gaussians
from verification.terms.walking import Unable, Undefined

_WORD = 2**32
LARGEST_POWER = 4_000  # of exact numbers
Operations = Mapping[str, Callable[..., Any]]


def with_matrices(numbers: Operations, Matrix: Any) -> dict[str, Callable[..., Any]]:
    """The operations of an arithmetic, for matrices of a type too."""

    def like(a: Any, b: Any) -> Any:
        """The first as a matrix, where the second is one."""
        if isinstance(a, Matrix) or not isinstance(b, Matrix):
            return a
        return Matrix(b.nrows(), b.nrows(), [int(i == j) for i in _range(b) for j in _range(b)]) * a

    def both(V: Any, W: Any) -> tuple[list[list[Any]], list[list[Any]]]:
        """The covariances of two laws, of which one may be told as a number."""
        return _rows(like(V, W)), _rows(like(W, V))

    def power(a: Any, b: Any) -> Any:
        if not isinstance(a, Matrix):
            return numbers["power"](a, b)
        if hasattr(b, "q") and b.q != 1 and _is_diagonal(a):  # the root of each entry
            on = [numbers["power"](a[k, k], b) for k in _range(a)]
            return Matrix(
                len(on), len(on), [x * int(i == j) for i in _range(a) for j, x in enumerate(on)]
            )
        if _is_half(b):
            root = _rooted(a)
            return power(root, 2 * b)
        steps = whole(b)
        if hasattr(b, "p") and abs(steps) > LARGEST_POWER:
            raise Unable("a power with too many digits")
        found = _raised(a, abs(steps))
        return _inverse(found) if steps < 0 else found

    def _rooted(a: Any) -> Any:
        """The root of a symmetric positive definite matrix of two rows."""
        if a.nrows() == 1:
            return Matrix(1, 1, [numbers["root"](a[0, 0])])
        if a.nrows() != 2:
            raise Unable("the root of a matrix of more than two rows")
        area = numbers["root"](a.det())
        one = Matrix(2, 2, [1, 0, 0, 1])
        return (a + one * area) * numbers["over"](
            type(area)(1), numbers["root"](a[0, 0] + a[1, 1] + 2 * area)
        )

    def over(a: Any, b: Any) -> Any:
        if isinstance(b, Matrix):
            return a * _inverse(b)
        return a * numbers["over"](type(b)(1), b) if isinstance(a, Matrix) else numbers["over"](a, b)

    def extreme(a: Any, sign: int) -> Any:
        """The largest (1) or smallest eigenvalue of a symmetric matrix."""
        values = [a[k, k] for k in _range(a)]
        if any(a[i, j] != 0 for i in _range(a) for j in range(i)):
            if len(values) != 2:
                raise Unable("eigenvalues of more than two dimensions")
            half = numbers["over"](a[0, 0] - a[1, 1], type(a[0, 0])(2))
            spread = numbers["root"](half * half + a[0, 1] * a[1, 0])
            values = [a[1, 1] + half - spread, a[1, 1] + half + spread]
        return reduce(numbers["largest" if sign > 0 else "smallest"], values)

    def rank(a: Any) -> Any:
        if not hasattr(a, "rank"):  # balls do not say what is zero
            raise Unable("a rank that is not of rational numbers")
        return type(a[0, 0])(a.rank())

    def exponential(a: Any) -> Any:
        if not isinstance(a, Matrix):
            return numbers["exp"](a)
        if hasattr(a, "exp"):
            return a.exp()
        if any(entries(a)):
            raise Unable("an exponential that is not rational")
        return like(a[0, 0] + 1, a)

    def assembled(blocks: Any, d: int) -> Any:
        """One matrix of so many blocks in rows; a number among them is that multiple of the identity."""
        n, one = isqrt(len(blocks)), Matrix(d, d, [int(i == j) for i in range(d) for j in range(d)])
        parts = [(b if isinstance(b, Matrix) else one * b).table() for b in blocks]
        rows = [x for r in range(n) for k in range(d) for b in parts[r * n : (r + 1) * n] for x in b[k]]
        return Matrix(n * d, n * d, rows)

    def block(X: Any, i: Any, j: Any, d: int, alone: bool) -> Any:
        i, j = d * whole(i), d * whole(j)
        return X[i, j] if alone else Matrix(d, d, [X[i + k, j + m] for k in range(d) for m in range(d)])

    def size_of(blocks: Any) -> tuple[int, bool]:
        """The dimension of blocks, and whether all of them are numbers."""
        sizes = [b.nrows() for b in blocks if isinstance(b, Matrix)]
        return (sizes[0], False) if sizes else (1, True)

    def exp_block(i: Any, j: Any, *blocks: Any) -> Any:
        size, alone = size_of(blocks)
        return block(exponential(assembled(blocks, size)), i, j, size, alone)

    def spread_block(i: Any, j: Any, *blocks: Any) -> Any:
        """From the corners of exp([[F, Q], [0, -F^T]])."""
        size, alone = size_of(blocks)
        F, Q = (
            assembled(half, size) for half in (blocks[: len(blocks) // 2], blocks[len(blocks) // 2 :])
        )
        both = assembled([F, Q, F * 0, -F.transpose()], F.nrows())
        n, found = range(F.nrows()), exponential(both)
        grown = Matrix(len(n), len(n), [found[k, m] for k in n for m in n])
        corner = Matrix(len(n), len(n), [found[k, len(n) + m] for k in n for m in n])
        return block(corner * grown.transpose(), i, j, size, alone)

    def double(F: Any, length: Any, discrete: bool) -> Any:
        """The corner of a block matrix [[F, I, 0], [0, J, I], [0, 0, J]], J = 0 or I, raised."""
        n, zero = F.nrows(), F[0, 0] - F[0, 0]
        blocks = [[zero] * (3 * n) for _ in range(3 * n)]
        for i in range(n):
            blocks[i][:n] = [F[i, j] for j in range(n)]
            for k in (0, 1):
                blocks[k * n + i][(k + 1) * n + i] = zero + 1
                blocks[(k + 1) * n + i][(k + 1) * n + i] = zero + int(discrete)
        whole_matrix = Matrix(3 * n, 3 * n, [x for row in blocks for x in row])
        raised = power(whole_matrix, length + 1) if discrete else exponential(whole_matrix * length)
        return Matrix(n, n, [raised[i, 2 * n + j] for i in range(n) for j in range(n)])

    return {
        **numbers,
        "expm": exponential,
        "exp_block": exp_block,
        "spread_block": spread_block,
        "double_integral": lambda F, length: double(F, length, False),
        "double_sum": lambda F, length: double(F, length, True),
        "add": lambda a, b: like(a, b) + like(b, a),
        "subtract": lambda a, b: like(a, b) - like(b, a),
        "power": power,
        "over": over,
        "trace": lambda a: sum((a[k, k] for k in _range(a)), type(a[0, 0])(0)),
        "determinant": lambda a: a.det(),
        "rank": rank,
        "extreme": extreme,
        "transpose": lambda a: a.transpose(),
        "diagonal": lambda a: Matrix(
            a.nrows(), a.nrows(), [a[i, j] * int(i == j) for i in _range(a) for j in _range(a)]
        ),
        "form_at": lambda M, X: sum(
            (M[i, j] * X[i, j] for i in _range(M) for j in _range(M)), M[0, 0] * 0
        ),
        "mean_form": lambda M, V, q: gaussians.Chain.of(_rows(V)).mean(_rows(M)),
        "mean_log": lambda W, f, V, q: gaussians.mean_log_density(_rows(W), _rows(V), numbers),
        "divergence": lambda V, q, W, f: gaussians.divergence(*both(V, W), numbers),
        "transported": lambda V, q, W, f: gaussians.transported(*both(V, W), numbers),
        "total_variation": lambda V, q, W, f: gaussians.total_variation(*both(V, W), numbers),
        "entry": lambda a, i, j: a[whole(i), whole(j)],
    }


def _is_half(x: Any) -> bool:
    """Whether a power is half of an odd number."""
    if hasattr(x, "p"):
        return bool(x.q == 2)
    return bool(not x.is_integer() and (2 * x).is_integer())


def _is_diagonal(a: Any) -> bool:
    return all(a[i, j] == 0 for i in _range(a) for j in _range(a) if i != j)


def entries(x: Any) -> list[Any]:
    """The entries of a matrix, or a number alone."""
    return [x[i, j] for i in _range(x) for j in _range(x)] if hasattr(x, "nrows") else [x]


def _rows(x: Any) -> list[list[Any]]:
    """The rows of a matrix; a number is one of one entry."""
    return [[x[i, j] for j in _range(x)] for i in _range(x)] if hasattr(x, "nrows") else [[x]]


def _raised(a: Any, n: int) -> Any:
    """A whole power, for FLINT takes none beyond the words of a machine."""
    over, rest = divmod(n, _WORD)
    return _raised(a**_WORD, over) * a**rest if over else a**n


def whole(x: Any) -> int:
    """A whole number; undefined where it is none."""
    if hasattr(x, "p"):
        if x.q != 1:
            raise Undefined("a broken power of a matrix")
        return int(x.p)
    found = x.unique_fmpz()
    if found is None:
        raise Undefined("a broken power of a matrix")
    return int(found)


def _range(x: Any) -> range:
    return range(x.nrows())


def _inverse(x: Any) -> Any:
    try:
        return x.inv()
    except ZeroDivisionError as error:
        raise Undefined("the inverse of a singular matrix") from error
