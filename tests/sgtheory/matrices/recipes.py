"""Random expressions, read twice: as normal forms, and as plain arithmetic on matrices of numbers.

A recipe is a nested tuple. The second reading uses nothing of the package but ``independent.fields``.
"""

from fractions import Fraction

import sympy as sp
from hypothesis import strategies as st

from sgtheory.independent.fields import Dual, add, inverse, multiply, total, transpose
from sgtheory.matrices import diagonal_part, logdet, matrix, tr
from sgtheory.matrices import inverse as symbolic_inverse

LETTERS = {
    "A": matrix("A", "positive_definite"),
    "C": matrix("C", "positive_definite"),
    "S": matrix("S", "symmetric"),
    "B": matrix("B"),
    "G": matrix("G", "invertible"),
    "d": matrix("d", "diagonal"),
    "p": matrix("p", "diagonal", "positive_definite"),
    "Q": matrix("Q", "orthogonal"),
}
small = st.integers(-2, 2)
fractions = st.fractions(min_value=-3, max_value=3, max_denominator=3)


def rows(n):
    return st.lists(st.lists(small.map(Fraction), min_size=n, max_size=n), min_size=n, max_size=n)


def eye(n, x=1):
    return [[Fraction(x if i == j else 0) for j in range(n)] for i in range(n)]


def gram(m):
    return add(multiply(m, transpose(m)), eye(len(m)))


def orthogonal(m):
    skew = [[m[i][j] - m[j][i] for j in range(len(m))] for i in range(len(m))]
    minus = [[-v for v in r] for r in skew]
    return multiply(add(eye(len(m)), minus), inverse(add(eye(len(m)), skew)))


def unitriangular(m):
    return [[v if j < i else Fraction(int(i == j)) for j, v in enumerate(r)] for i, r in enumerate(m)]


@st.composite
def values(draw, sizes=(1, 4), commuting=None):
    """A value of every letter; A, C and S commute with one another where that is asked for."""
    n = draw(st.integers(*sizes))
    m = {k: draw(rows(n)) for k in "ACSBGQ"}
    commuting = draw(st.booleans()) if commuting is None else commuting
    entries = draw(st.lists(st.integers(-2, 3), min_size=n, max_size=n))
    diag = [[Fraction(entries[i] if i == j else 0) for j in range(n)] for i in range(n)]
    return {
        "A": gram(m["A"]),
        "C": gram(gram(m["A"])) if commuting else gram(m["C"]),
        "S": gram(m["A"]) if commuting else add(m["S"], transpose(m["S"])),
        "B": m["B"],
        "G": multiply(unitriangular(m["G"]), transpose(unitriangular(m["B"]))),
        "d": diag,
        "p": add(multiply(diag, diag), eye(n)),
        "Q": orthogonal(m["Q"]),
    }


definite = st.recursive(
    st.sampled_from("ACp").map(lambda n: ("letter", n)),
    lambda inner: st.one_of(
        st.tuples(st.just("sum"), inner, inner),
        st.tuples(st.just("congruence"), st.sampled_from("ABGd"), inner).map(
            lambda t: ("sum", ("letter", "C"), t)
        ),
        st.tuples(st.just("inverse"), inner),
    ),
    max_leaves=2,
)


def matrix_recipes(letters="ACSBGdpQ", leaves=4):
    base = st.sampled_from(letters).map(lambda n: ("letter", n))
    return st.recursive(
        st.one_of(base, base, st.tuples(st.just("inverse"), definite)),
        lambda inner: st.one_of(
            st.tuples(st.just("sum"), inner, inner),
            st.tuples(st.just("product"), inner, inner),
            st.tuples(st.just("product"), inner, inner),
            st.tuples(st.just("transpose"), inner),
            st.tuples(st.just("scaled"), fractions, inner),
            st.tuples(st.just("diagonal"), inner),
        ),
        max_leaves=leaves,
    )


def symbolic(recipe):
    """The normal form."""
    kind, *args = recipe
    if kind == "letter":
        return LETTERS[args[0]]
    if kind == "congruence":
        return LETTERS[args[0]] * symbolic(args[1]) * LETTERS[args[0]].T
    if kind == "scaled":
        return sp.Rational(args[0].numerator, args[0].denominator) * symbolic(args[1])
    parts = [symbolic(a) for a in args]
    return {
        "sum": lambda: parts[0] + parts[1],
        "product": lambda: parts[0] * parts[1],
        "transpose": lambda: parts[0].T,
        "inverse": lambda: symbolic_inverse(parts[0]),
        "diagonal": lambda: diagonal_part(parts[0]),
    }[kind]()


def numeric(recipe, at, lift=Fraction):
    """The same in numbers: ``at`` gives rows over any field."""
    kind, *args = recipe
    if kind == "letter":
        return at[args[0]]
    if kind == "congruence":
        return multiply(multiply(at[args[0]], numeric(args[1], at, lift)), transpose(at[args[0]]))
    if kind == "scaled":
        return [[lift(args[0]) * v for v in r] for r in numeric(args[1], at, lift)]
    parts = [numeric(a, at, lift) for a in args]
    if kind == "diagonal":
        zero = lift(Fraction(0))
        return [[v if i == j else zero for j, v in enumerate(r)] for i, r in enumerate(parts[0])]
    return {"sum": add, "product": multiply, "transpose": transpose, "inverse": inverse}[kind](*parts)


def as_sympy(recipe):
    """The same in SymPy's non-commuting symbols."""
    kind, *args = recipe
    if kind == "letter":
        return sp.Symbol(args[0], commutative=False)
    if kind == "congruence":
        outer = as_sympy(("letter", args[0]))
        return outer * as_sympy(args[1]) * sp.transpose(outer)
    if kind == "scaled":
        return sp.Rational(args[0].numerator, args[0].denominator) * as_sympy(args[1])
    parts = [as_sympy(a) for a in args]
    return {
        "sum": lambda: parts[0] + parts[1],
        "product": lambda: parts[0] * parts[1],
        "transpose": lambda: sp.transpose(parts[0]),
        "inverse": lambda: parts[0] ** -1,
        "diagonal": lambda: sp.Function("Diagonal")(parts[0]),
    }[kind]()


# -- scalars -----------------------------------------------------------------------------------


def scalar_recipes(letters="ACSBGdpQ", logs=True):
    trace = st.tuples(st.just("tr"), matrix_recipes(letters, leaves=3))
    rational = st.recursive(
        trace,
        lambda inner: st.one_of(
            st.tuples(st.just("plus"), inner, inner),
            st.tuples(st.just("times"), inner, inner),
            st.tuples(st.just("over"), inner, definite),
        ),
        max_leaves=2,
    )
    if not logs:
        return rational
    return st.one_of(rational, st.tuples(st.just("logdet"), rational, fractions.filter(bool), definite))


def symbolic_scalar(recipe):
    kind, *args = recipe
    if kind == "tr":
        return tr(symbolic(args[0]))
    first = symbolic_scalar(args[0])
    if kind == "over":  # the trace of a definite matrix is not zero
        return first / tr(symbolic(args[1]))
    if kind == "logdet":
        weight = sp.Rational(args[1].numerator, args[1].denominator)
        return first + weight * logdet(symbolic(args[2]))
    second = symbolic_scalar(args[1])
    return first + second if kind == "plus" else first * second


def trace_of_rows(m):
    return total((r[i] for i, r in enumerate(m)), m[0][0] - m[0][0])


def determinant(m):
    """By elimination."""
    m = [list(r) for r in m]
    out = None
    for k in range(len(m)):
        pivot = m[k][k]  # of definite matrices only: never zero
        out = pivot if out is None else out * pivot
        for i in range(k + 1, len(m)):
            factor = m[i][k] * pivot**-1
            m[i] = [a - factor * b for a, b in zip(m[i], m[k], strict=True)]
    return out


def exact_log(x):
    """The logarithm of a positive fraction, by primes."""
    return sum((k * sp.log(p) for p, k in sp.factorrat(sp.Rational(x)).items()), sp.S.Zero)


def numeric_scalar(recipe, at):
    """The value, an exact SymPy expression where there are logarithms."""
    kind, *args = recipe
    if kind == "tr":
        return sp.Rational(trace_of_rows(numeric(args[0], at)))
    first = numeric_scalar(args[0], at)
    if kind == "over":
        return first / sp.Rational(trace_of_rows(numeric(args[1], at)))
    if kind == "logdet":
        return first + sp.Rational(args[1]) * exact_log(determinant(numeric(args[2], at)))
    second = numeric_scalar(args[1], at)
    return first + second if kind == "plus" else first * second


def slope(recipe, at, lift):
    """The derivative of a scalar recipe at dual matrices; a log det adds to the slope only."""
    kind, *args = recipe
    if kind == "tr":
        return trace_of_rows(numeric(args[0], at, lift))
    if kind == "logdet":
        det = determinant(numeric(args[2], at, lift))
        first = slope(args[0], at, lift)
        return Dual(first.value, first.slope + args[1] * det.slope / det.value)
    first = slope(args[0], at, lift)
    if kind == "over":
        return first * trace_of_rows(numeric(args[1], at, lift)) ** -1
    second = slope(args[1], at, lift)
    return first + second if kind == "plus" else first * second
