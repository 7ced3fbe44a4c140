"""Series in small changes of letters as scripts have them: Python text, by the name that it gives."""

_SERIES = """class _T:  # a power series in small changes of letters, to some order; of none, a number
    order, zero = 0, ()
    def __init__(s, t): s.t = {k: c for k, c in t.items() if c and sum(k) <= _T.order}
    c = property(lambda s: s.t.get(_T.zero, d(0)))
    def __add__(s, o):
        t = dict(s.t)
        for k, c in _to(o).t.items(): t[k] = t.get(k, d(0)) + c
        return _T(t)
    def __mul__(s, o):
        t = {}
        for j, a in s.t.items():
            for k, b in _to(o).t.items():
                e = tuple(map(int.__add__, j, k)); t[e] = t.get(e, d(0)) + a * b
        return _T(t)
    def through(s, f):  # f(c, k) is the k-th Taylor coefficient about the value c
        away, found = s - s.c, _to(0)
        for k in reversed(range(_T.order + 1 if away.t else 1)): found = found * away + f(s.c, k)
        return found
    def __pow__(s, n):
        found = _to(1)
        if isinstance(n, _T): return (s.ln() * n).exp()
        for _ in range(abs(int(n))): found = found * s
        return found if n >= 0 else 1 / found
    def __rpow__(s, o): return (s * d(o).ln()).exp()
    __radd__, __rmul__, __neg__ = __add__, __mul__, lambda s: s * d(-1)
    def __sub__(s, o): return s + _to(o) * d(-1)
    def __rsub__(s, o): return s * d(-1) + o
    def __truediv__(s, o): return s * (1 / _to(o))
    def __rtruediv__(s, o): return s.through(lambda c, k: (-1) ** k / c ** (k + 1)) * o
    def __abs__(s): return abs(s.c)
    def __float__(s): return float(s.c)
    def exp(s): return (s - s.c).through(_over_k) * s.c.exp()
    def ln(s): return s.through(lambda c, k: (-1) ** (k + 1) / (k * c ** k) if k else c.ln())
    def sqrt(s):
        half = lambda k: d(1) if k == 0 else half(k - 1) * (d(3) / 2 - k) / k
        return s.through(lambda c, k: c.sqrt() * half(k) / c ** k if k else c.sqrt())
def _to(x): return x if isinstance(x, _T) else _T({_T.zero: d(x)})
def _over_k(c, k): return d(1) if k == 0 else _over_k(c, k - 1) / k"""
_PLACE = "def _place(x): return next(e for e in x.t if any(e)).index(1)"
_DERIVATIVE = """def _D(f, x):  # the derivative
    k = _place(x)
    return _T({(*e[:k], e[k] - 1, *e[k + 1:]): c * e[k] for e, c in _to(f).t.items() if e[k]})"""
_DENSITY = (
    "def _rho(H): H = _to(H) * d(-1); return (H - H.c).through(_over_k) * (d(3) / d(7))  # unnormalised"
)
_POLYNOMIAL = """def _at(f, *xs):  # a polynomial
    total = d(0)
    for e, c in f.items():
        if len(e) != len(xs): raise ArithmeticError("another number of arguments")
        for x, n in zip(xs, e): c = c * x ** n if n else c
        total = total + c
    return total"""
_LOG_INTEGRAL = """def _log_integral(a, *over):  # of exp(a), a quadratic: by completing the square
    a, at = _to(a).t, [_place(y) for y in over]
    if any(sum(e) > 2 for e in a): raise ArithmeticError("not Gaussian")
    of = lambda *k: a.get(tuple(k.count(j) for j in range(len(_T.zero))), d(0))
    A, b, total = [[-of(i, j) * (1 + (i == j)) for j in at] for i in at], [of(i) for i in at], of()
    for k in range(len(at)):
        total += b[k] ** 2 / (2 * A[k][k]) + (2 * pi / A[k][k]).ln() / 2
        for i in range(k + 1, len(at)):
            share = A[i][k] / A[k][k]
            b[i], A[i] = b[i] - share * b[k], [x - share * y for x, y in zip(A[i], A[k])]
    return total"""
_MEAN = """def _mean_under(a, f, *over):  # of a polynomial, under exp(a), a quadratic
    a, f, at = _to(a).t, _to(f).t, [_place(y) for y in over]
    if any(sum(e) > 2 for e in a) or any(sum(e) >= _T.order for e in f):
        raise ArithmeticError("not Gaussian, or no polynomial")
    of, R = lambda *k: a.get(tuple(k.count(j) for j in range(len(_T.zero))), d(0)), range(len(at))
    W = [[-of(i, j) * (1 + (i == j)) for j in at] + [d(i == j) for j in at] + [of(i)] for i in at]
    for k in R:
        if W[k][k] <= 0: raise ArithmeticError("no such density")
        W[k] = [x / W[k][k] for x in W[k]]
        for i in R: W[i] = W[i] if i == k else [x - W[i][k] * y for x, y in zip(W[i], W[k])]
    def mean(e):  # by E[(x - mu) g] = C E[grad g]
        if not any(e): return d(1)
        i = next(k for k in R if e[k]); e = [n - (k == i) for k, n in enumerate(e)]
        less = lambda j: mean([n - (k == j) for k, n in enumerate(e)])
        return W[i][-1] * mean(e) + sum(W[i][len(R) + j] * e[j] * less(j) for j in R if e[j])
    found = _to(0)
    for e, c in f.items():
        others = tuple(0 if k in at else n for k, n in enumerate(e))
        found = found + _T({others: c * mean([e[k] for k in at])})
    return found"""
_ABOUT = """def _about(order, f, *at):  # what f comes to, its letters having small changes
    _T.order, _T.zero, R = order, (0,) * len(at), range(len(at))
    found = f(*(_T({_T.zero: x, tuple(int(j == k) for j in R): d(1)}) for k, x in enumerate(at)))
    return found.c if isinstance(found, _T) else found"""
_DERIVED = """def _derived(f, *by):  # a polynomial that is differentiated so often by each argument
    found = {}
    for e, c in f.items():
        for n, k in zip(e, by):
            for j in range(k): c = c * (n - j)
        if c: found[tuple(n - k for n, k in zip(e, by))] = c
    return found"""
_GENERATED = """def _generated(f, n, *parts):  # drift times slopes, half covariance times second ones
    xs, rows, total = parts[:n], iter(parts[2 * n:]), _to(0)
    for i in range(n):
        slope = _D(f, xs[i]); total = total + parts[n + i] * slope
        for j in range(i + 1): total = total + next(rows) / d(1 + (i == j)) * _D(slope, xs[j])
    return total"""
_OVER_NOISE = """def _over_noise(f, *noises):  # the mean of a polynomial in standard normal letters
    at, found = [_place(w) for w in noises], {}
    for e, c in _to(f).t.items():
        for k in at: c = 0 if e[k] % 2 else c * prod(range(e[k] - 1, 0, -2))
        e = tuple(0 if k in at else n for k, n in enumerate(e)); found[e] = found.get(e, 0) + c
    return _T(found)"""
OF_SERIES = (
    ("_T _to _over_k", _SERIES),  # it gives three names
    ("_place", _PLACE),
    ("_D", _DERIVATIVE),
    ("_rho", _DENSITY),
    ("_at", _POLYNOMIAL),
    ("_log_integral", _LOG_INTEGRAL),
    ("_mean_under", _MEAN),
    ("_about", _ABOUT),
    ("_derived", _DERIVED),
    ("_generated", _GENERATED),
    ("prod", "from math import prod"),
    ("_over_noise", _OVER_NOISE),
)
