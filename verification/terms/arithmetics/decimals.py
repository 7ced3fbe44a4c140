"""Python text in decimals: what a term is worth, written out for a script that needs nothing but Python.

A value is text and how tightly it holds is not asked: every operation stands in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache, lru_cache
from keyword import iskeyword, issoftkeyword
from typing import Any

import mpmath

from verification.refuter.distancescript import DISTANCES
from verification.terms.arithmetics.normalscripts import OF_NORMALS
from verification.terms.arithmetics.scripted import OF_SERIES
from verification.terms.walking import Arithmetic

_POWER = """def power(a, b):
    if b == int(b):
        return d(1) if b == 0 else a ** int(b) if b > 0 else 1 / a ** -int(b)
    return (b * a.ln()).exp()"""
_SINE = """def _sine(x, first=1):  # by its series; from 0 on it is the cosine
    x %= 2 * pi
    total, term, k = d(0), x if first else d(1), first
    while abs(term) > d(10) ** -_c.prec or k < 20:
        total, k = total + term, k + 2
        term = -term * x * x / (k * (k - 1))
    return total"""
_DET = """def _det(X):  # along rows, each minor of the last ones once
    known = {(): _d(1)}
    def minor(columns):
        if columns not in known:
            row = X[len(X) - len(columns)]
            known[columns] = sum((-1) ** j * row[columns[j]] * minor(columns[:j] + columns[j + 1:])
                                 for j in range(len(columns)))
        return known[columns]
    return minor((*range(len(X)),))"""
_INV = """def _inv(X):  # by the theorem of Cayley and Hamilton
    M = _eye(len(X))
    for k in range(1, len(X)):
        M = X @ M - np.trace(X @ M) / k * _eye(len(X))
    return M / np.trace(X @ M) * len(X)"""
_POW = """def _pow(a, b):
    if not _many(a): return power(a, b)
    if b != int(b): raise ArithmeticError("a broken power of a matrix")
    return _dec(np.linalg.matrix_power(a if b > 0 else _inv(a), abs(int(b))))"""
_ROOT = """def _root(a):  # of a number, or of a symmetric matrix of two rows
    a = _dec(a)
    if not _many(a): return a.sqrt()
    if len(a) == 1: return np.array([[a[0, 0].sqrt()]])
    if len(a) > 2: raise ArithmeticError("the root of a matrix of more than two rows")
    area = _det(a).sqrt()
    return (a + area * _eye(2)) / (np.trace(a) + 2 * area).sqrt()"""
_EIGENVALUES = """def _extreme(X, sign):  # of two rows, or of a diagonal matrix
    if len(X) == 2:
        return (X[0, 0] + X[1, 1] + sign * ((X[0, 0] - X[1, 1]) ** 2 + 4 * X[0, 1] * X[1, 0]).sqrt()) / 2
    if any(x for i, row in enumerate(X) for j, x in enumerate(row) if i != j):
        raise ArithmeticError("eigenvalues of a matrix of more than two rows")
    return max(np.diag(X), key=lambda x: sign * x)"""
_DEFINITE = """def _definite(X, strictly, close):  # all pivots of a symmetric matrix are positive
    X, n = [list(row) for row in X], range(len(X))
    if any(abs(X[i][j] - X[j][i]) > close for i in n for j in n): return False
    for k in n:
        if X[k][k] < -close: return False
        if X[k][k] <= close and (strictly or any(abs(x) > close for x in X[k][k:])): return False
        for i in range(k + 1, len(X)):
            if X[k][k] > close: X[i] = [x - X[i][k] / X[k][k] * y for x, y in zip(X[i], X[k])]
    return True"""
_RANK = """def _rank(X):  # by elimination, largest pivots first
    X, found, close = np.array(X), 0, d(10) ** -40 * _size(X)
    while X.size and max(abs(X).flat) > close:
        i, j = np.unravel_index(np.argmax(abs(X)), X.shape)
        X, found = X - np.outer(X[:, j], X[i]) / X[i, j], found + 1
        X = np.delete(np.delete(X, i, 0), j, 1)
    return _d(found)"""
_AVERAGE = "_average = lambda values: sum(values[1:], values[0]) / _d(len(values))"
_SLOPE = """def _slope(f, theta, k):  # exact for polynomials of degree four and below
    e = np.array([[_d(int(j == k))] for j in range(len(theta))])
    value = lambda h: np.asarray(f(theta + _d(h) * e)).item()
    return (8 * (value(1) - value(-1)) - (value(2) - value(-2))) / 12"""
_GRADIENT = "_gradient = lambda f, theta: np.array([[_slope(f, theta, k)] for k in range(len(theta))])"
_HESSIAN = """_hessian = lambda f, theta: np.array([[_slope(lambda t, i=i: _slope(f, t, i), theta, j)
                                       for j in range(len(theta))] for i in range(len(theta))])"""
_DEGREE = """def _degree(f, theta):  # the highest differences along a line that do not vanish
    line = np.array([[_d(1 + 2 * k)] for k in range(len(theta))])
    values, found, order = [np.atleast_1d(f(theta + _d(t) * line)) for t in range(8)], 0, 0
    close = _d(10) ** -40 * max([_d(1), *(abs(x) for v in values for x in np.ravel(v))])
    while len(values) > 1:
        values, order = [b - a for a, b in zip(values, values[1:])], order + 1
        found = order if any(abs(x) > close for v in values for x in np.ravel(v)) else found
    return _d(found)"""
_ONLINE = """def _online(each):  # C_t = (1 - 1/t) C_{t-1} + X_t / t in expectation
    found = 7 * each
    for t in (1, 2, 3):
        found = (1 - _d(1) / t) * found + each / _d(t)
    return found"""
_NORMAL_MEAN = """def _normal_mean(f, *like):  # over all that has the moments of standard normal numbers
    ends, total = [*np.cumsum([0, *(z.size for z in like)])], 0
    for chosen in product(drawn, repeat=int(ends[-1])):
        values, weight = np.array([x for x, _ in chosen]), _d(1)
        for _, w in chosen: weight *= w
        parts = (values[a:b].reshape(z.shape) for a, b, z in zip(ends, ends[1:], like))
        total = total + weight * f(*parts)
    return total"""
_ERF = """def _erf(x):  # by its series
    total, term, k = x, x, 0
    while abs(term) > d(10) ** -_c.prec * max(abs(x), d(10) ** -_c.prec):
        k += 1
        term = -term * x * x / k
        total += term / (2 * k + 1)
    return 2 * total / pi.sqrt()"""
_DEC = "_dec = lambda x: np.array([[_one(y) for y in row] for row in x]) if _many(x) else _one(x)"
_EYE = "_eye = lambda n: np.array([[_d(int(i == j)) for j in range(n)] for i in range(n)])"
_EXPONENTIAL = """def _expm(X):  # by its series, of so small a part that it is short, and squaring
    if not _many(X): return X.exp()
    m, least = int(_size(X) * 2**12).bit_length(), d(10) ** -_c.prec
    X, term, k = X / d(2) ** m, _eye(len(X)), 1
    total = term
    while k < 3 or sum(map(abs, term.flat)) > least:
        term = term @ X / k
        total, k = total + term, k + 1
    for _ in range(m): total = total @ total
    return total"""
_ASSEMBLED = """def _assembled(blocks, d):  # one matrix of blocks, multiples of the identity among them
    n, parts = int(len(blocks) ** 0.5), [b if _many(b) else b * _eye(d) for b in blocks]
    return np.block([parts[k * n:(k + 1) * n] for k in range(n)])
def _block(X, i, j, blocks):
    d = max(len(b) if _many(b) else 0 for b in blocks)
    i, j = int(i) * max(d, 1), int(j) * max(d, 1)
    return X[i:i + d, j:j + d] if d else X[i, j]
_width = lambda blocks: max(len(b) if _many(b) else 1 for b in blocks)"""
_EXP_BLOCK = """_exp_block = lambda i, j, *blocks: _block(
    _expm(_assembled(blocks, _width(blocks))), i, j, blocks)"""
_SPREAD = """def _spread_block(i, j, *blocks):  # what noise Q leaves in a unit of time with a drift F
    half, d = len(blocks) // 2, _width(blocks)
    F, Q = _assembled(blocks[:half], d), _assembled(blocks[half:], d)
    X = _expm(np.block([[F, Q], [0 * F, -F.T]]))
    return _block(X[:len(F), len(F):] @ X[:len(F), :len(F)].T, i, j, blocks)"""
_DOUBLE = """def _double(F, n, J):  # the corner of [[F, 1, 0], [0, J, 1], [0, 0, J]], raised to a power
    one, zero = _eye(len(F)), 0 * F
    X = np.block([[F, one, zero], [zero, J * one, one], [zero, zero, J * one]])
    X = _pow(X, n + 1) if J else _expm(n * X)
    return X[:len(F), -len(F):]"""
_INTEGRAL = """def _legendre(n):  # where Gauss's rule looks, and the weights
    for k in range(n // 2):
        x = d(float(np.cos(np.pi * (k + 0.75) / (n + 0.5))))
        for _ in range(7):
            p, q = d(1), x
            for j in range(2, n + 1): p, q = q, ((2 * j - 1) * x * q - (j - 1) * p) / j
            slope = n * (x * q - p) / (x * x - 1)
            x -= q / slope
        yield from ((y, 2 / ((1 - x * x) * slope * slope)) for y in (x, -x))
_nodes = [*_legendre(20)]
def _gauss(f, a, b, parts):
    h = (b - a) / parts / 2
    return sum(h * w * f(a + (2 * k + 1) * h + h * x) for k in range(parts) for x, w in _nodes)
def _integral(f, a, b):  # by Gauss's rule; from minus infinity on parts that double
    if a is not None: return _gauss(f, a, b, max(1, int((b - a) / 4)))
    total, w, part = _gauss(f, b - 1, b, 1), d(1), 1
    while w < 10000 and (w < 4 or _size(part) > d(10) ** -50):
        part = _gauss(f, b - 2 * w, b - w, 2)
        total, w = total + part, 2 * w
    return total"""
# what a script may use, by the names that it gives, each after what it needs itself
_OF_NUMBERS = (
    ("_size", "_size = abs"),
    ("_minus", "_minus = lambda a, b: a - b"),
    ("_erf", _ERF),
    *OF_SERIES,
)
_OF_MATRICES = (
    ("distances", DISTANCES),
    ("np", "import numpy as np"),
    ("F", "from fractions import Fraction as F"),
    ("rows", 'rows = lambda text: np.array([[F(x) for x in row.split()] for row in text.split(";")])'),
    ("_many", "_many = lambda x: isinstance(x, np.ndarray)"),
    ("_one", "_one = lambda x: x if isinstance(x, _d) else _d(x.numerator) / _d(x.denominator)"),
    ("_dec", _DEC),
    ("_eye", _EYE),
    ("_like", "_like = lambda a, b: a * _eye(len(b)) if _many(b) and not _many(a) else a"),
    ("_add", "_add = lambda a, b: _like(a, b) + _like(b, a)"),
    ("_mul", "_mul = lambda a, b: a @ b if _many(a) and _many(b) else a * b"),
    ("_det", _DET),
    ("_erf", _ERF),
    ("_inv", _INV),
    ("_over", "_over = lambda a, b: _mul(a, _inv(b) if _many(b) else 1 / b)"),
    ("_root", _ROOT),
    ("_pow", _POW),
    ("_size", "_size = lambda x: sum(y * y for y in np.ravel(x)).sqrt()"),
    ("_minus", "_minus = lambda a, b: _add(a, -b)"),
    ("_rank", _RANK),
    ("_extreme", _EIGENVALUES),
    ("_definite", _DEFINITE),
    ("_expm", _EXPONENTIAL),
    ("_assembled", _ASSEMBLED),
    ("_exp_block", _EXP_BLOCK),
    ("_spread_block", _SPREAD),
    ("_double", _DOUBLE),
    ("_integral", _INTEGRAL),
    ("_diag", "_diag = lambda X: X * _eye(len(X))"),
    ("_form", "_form = lambda M, V: np.trace(M @ V)"),
    *OF_NORMALS,
    ("_average", _AVERAGE),
    ("_normal_mean", _NORMAL_MEAN),
    ("_online", _ONLINE),
    ("_slope", _SLOPE),
    ("_gradient", _GRADIENT),
    ("_hessian", _HESSIAN),
    ("_degree", _DEGREE),
)


class _Literal(str):
    """A number in a script, which knows what it is."""

    value: Fraction


def _literal(x: Any) -> _Literal:
    written = _Literal(_number(x).replace("d(", "_d("))
    written.value = Fraction(x)
    return written


def _power(a: str, b: str) -> str:
    """A power; one of a half is a whole one of a root, so that scripts without any have no root."""
    if isinstance(b, _Literal) and b.value.denominator == 2:
        return f"_pow(_root({a}), {_literal(2 * b.value)})"
    return f"_pow({a}, {b})"


def _normal_mean(body: str, *noises: str) -> str:
    drawn = ", ".join(noises)
    return f"_normal_mean(lambda {drawn}: {body}, {drawn})"


def _integral(body: Any, x: str, low: str, high: str) -> str:
    return f"_integral(lambda _{x}: {body(f'_{x}')}, {'None' if low == '-oo' else low}, {high})"


def preamble(digits: int, script: str, matrices: bool = False) -> list[str]:
    """Decimals of so many digits, and what a script uses of what it may use."""
    ours = (
        ("_d", "_d = d"),
        ("power", _POWER),
        ("_sign_of", "_sign_of = lambda x: d((x > 0) - (x < 0))"),
        ("pi", f'pi = d("{mpmath.nstr(_pi(digits), digits)}")'),
        ("_sine", _SINE),
    )
    found: list[str] = []
    used = set(_names(script))
    for names, text in reversed((*ours, *(_OF_MATRICES if matrices else _OF_NUMBERS))):
        if not used.isdisjoint(names.split()):
            found.insert(0, text)
            used |= _names(text)
    precision = f"_c.prec, _c.Emax, _c.Emin = {digits}, MAX_EMAX, MIN_EMIN"
    imported = "from decimal import Decimal as d, MAX_EMAX, MIN_EMIN, getcontext"
    return [imported, "_c = getcontext()", precision, *found]


@lru_cache(maxsize=100)
def _names(script: str) -> frozenset[str]:
    """The names in a script that are not attributes."""
    return frozenset(re.findall(r"(?<![\w.])\w+", script))


@cache
def _pi(digits: int) -> Any:
    with mpmath.workdps(digits + 10):
        return +mpmath.pi


_OF_PYTHON = "d getcontext MAX_EMAX MIN_EMIN print max min abs left right same holds power pi"
_TAKEN = {*_OF_PYTHON.split(), "_c", "_d", "_T", "_to", "_over_k", "_way", *(n for n, _ in _OF_NUMBERS)}


def _number(x: Any) -> str:
    whole = Fraction(x)
    return (
        f"d({whole})" if whole.denominator == 1 else f"(d({whole.numerator}) / d({whole.denominator}))"
    )


def names(letters: Iterable[str]) -> dict[str, str]:
    """An identifier for each letter: no word of Python, no name that the script has, no two alike.

    >>> names(["lambda", "x'", "d"])
    {'lambda': 'lambda_', "x'": 'x_', 'd': 'd_'}
    """
    found: dict[str, str] = {}
    for letter in letters:
        name = "".join(c if (c.isalnum() and c.isascii()) or c == "_" else "_" for c in letter)
        name = name if name[:1].isalpha() or name[:1] == "_" else f"x{name}"
        while iskeyword(name) or issoftkeyword(name) or name in _TAKEN or name in found.values():
            name += "_"
        found[letter] = name
    return found


def _loop(body: Callable[[str], str], index: str, first: str, last: str) -> str:
    (name,) = names([index]).values()
    return f"sum(({body(name)} for {name} in map(d, range(int({first}), int({last}) + 1))), d(0))"


def _states(parts: tuple[str, ...]) -> int:
    return next(n for n in range(1, len(parts)) if n * (n + 5) == 2 * len(parts))


def _put(body: Callable[[str], str], x: str, value: str) -> str:
    (name,) = names([x]).values()
    return f"(lambda {name}: {body(name)})({value})"


DECIMALS = Arithmetic(
    "Python's decimals",
    _number,
    {
        "add": "({} + {})".format,
        "subtract": "({} - {})".format,
        "multiply": "({} * {})".format,
        "over": "({} / {})".format,
        "negative": "(-{})".format,
        "power": "power({}, {})".format,
        "root": "{}.sqrt()".format,
        "exp": "{}.exp()".format,
        "log": "{}.ln()".format,
        "erf": "_erf({})".format,
        "pi": lambda: "pi",
        "sine": "_sine({})".format,
        "cosine": "_sine({}, 0)".format,
        "sign_of": "_sign_of({})".format,
        "largest": "max({}, {})".format,
        "smallest": "min({}, {})".format,
        "loop": _loop,
        "apply": lambda f, *arguments: f"_at({', '.join((f, *arguments))})",
        "partial": "_D({}, {})".format,
        "density": "_rho({})".format,
        "log_integral": lambda a, *over: f"_log_integral({', '.join((a, *over))})",
        "mean_under": lambda a, f, *over: f"_mean_under({', '.join((a, f, *over))})",
        "put": _put,
        "derived": lambda f, by, *arguments: f"_at({', '.join((f'_derived({f}, {by})', *arguments))})",
        "generated": lambda f, *parts: f"_generated({f}, {_states(parts)}, {', '.join(parts)})",
        "over_noise": lambda a, *noises: f"_over_noise({', '.join((a, *noises))})",
    },
    exact=False,
)

MATRICES = Arithmetic(
    "NumPy's matrices of decimals",
    _literal,
    {
        **DECIMALS.operations,
        "add": "_add({}, {})".format,
        "subtract": "_add({}, -{})".format,
        "multiply": "_mul({}, {})".format,
        "over": "_over({}, {})".format,
        "power": _power,
        "expm": "_expm({})".format,
        "exp_block": lambda *parts: f"_exp_block({', '.join(parts)})",
        "spread_block": lambda *parts: f"_spread_block({', '.join(parts)})",
        "double_integral": "_double({}, {}, 0)".format,
        "double_sum": "_double({}, {}, 1)".format,
        "integral": _integral,
        "trace": "np.trace({})".format,
        "determinant": "_det({})".format,
        "law": lambda name, steps, *more: "None" if steps == "oo" else steps,
        "distance": "max(distances({})[_end], d(0)).sqrt()".format,
        "moment": "moment('{}', '{}')".format,
        "undone": "({1} / undo['{0}'])".format,
        "third": "(at_mode['U3'] * {})".format,
        "at_mode": "at_mode['{}']".format,
        "rank": "_rank({})".format,
        "entry": "{}[int({}), int({})]".format,
        "extreme": "_extreme({}, {})".format,
        "transpose": "({}).T".format,
        "diagonal": "_diag({})".format,
        "form_at": "_form({}, {})".format,
        "mean_form": "_form({0}, {1})".format,
        "mean_log": "_log_mean({0}, {2})".format,
        "divergence": "_kl({0}, {2})".format,
        "transported": "_w2({0}, {2})".format,
        "total_variation": "_tv({0}, {2})".format,
        "mean_n": "_average([{} for n in range(N)])".format,
        "mean_s": "_average([{} for n in b])".format,
        "first_s": "[{} for n in b[:1]][0]".format,
        "E": "_average([{} for b in batches])".format,
        "over_noise": lambda a, *noises: _normal_mean(a, *(x.removesuffix("[n]") for x in noises)),
        "online_average": "_online(_average([{} for b in batches]))".format,
        "grad": "_gradient(lambda theta: {}, theta)".format,
        "hess": "_hessian(lambda theta: {}, theta)".format,
        "degree": "_degree(lambda theta: {}, theta)".format,
        "inner": "np.sum({} * {})".format,
        "at_theta": "(lambda theta: {})({} + _d(0) * theta)".format,
    },
    exact=False,
)
