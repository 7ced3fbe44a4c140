"""Derivatives against exact differentiation of plain arithmetic, entry by entry, with dual numbers."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sgtheory.independent.fields import Dual, dual
from sgtheory.matrices import (
    I,
    derivative,
    diagonal_part,
    differential,
    evaluate,
    gradient,
    inverse,
    logdet,
    matrices,
    matrix,
    prove_equal,
    quadratic_sign,
    second_differential,
    tr,
)
from tests.sgtheory.matrices.recipes import (
    LETTERS,
    matrix_recipes,
    numeric,
    rows,
    scalar_recipes,
    slope,
    symbolic,
    symbolic_scalar,
    values,
)

A, C, S, B, G, d, p, Q = (LETTERS[k] for k in "ACSBGdpQ")
X, dX, K = matrix("X"), matrix("dX"), matrix("K")
PENCIL = inverse(A + tr(X) * C, declared=True)
eps = sp.Symbol("eps", positive=True)
MOVING = {
    "B": "unconstrained",
    "G": "unconstrained",
    "S": "symmetric",
    "A": "symmetric",
    "p": "diagonal",
}


def at(point):
    return {LETTERS[k]: v for k, v in point.items()}


def moved(point, name, direction):
    """The point as dual matrices, one letter moving."""
    out = {k: [[dual(v) for v in r] for r in m] for k, m in point.items()}
    pairs = zip(point[name], direction, strict=True)
    out[name] = [[Dual(v, w) for v, w in zip(r, s, strict=True)] for r, s in pairs]
    return out


def directions(name, n):
    """A basis of the space in which a letter moves."""
    kind = MOVING[name]
    for i in range(n):
        for j in range(n):
            if kind == "unconstrained" or (kind == "symmetric" and i <= j) or i == j:
                both = {(i, j), (j, i)} if kind == "symmetric" else {(i, j)}
                yield [[Fraction(int((a, b) in both)) for b in range(n)] for a in range(n)]


def paired(g, direction):
    """tr(G^T E)."""
    return sum(g[i][j] * direction[i][j] for i in range(len(g)) for j in range(len(g)))


@pytest.mark.strong
@settings(max_examples=settings().max_examples * 3 // 4)
@given(recipe=scalar_recipes(), point=values(), name=st.sampled_from(sorted(MOVING)))
def test_gradients_entry_by_entry(recipe, point, name):
    found = gradient(symbolic_scalar(recipe), LETTERS[name])
    assert found.convention == MOVING[name]
    value, plain = evaluate(found.value, at(point)), evaluate(found.plain, at(point))
    for direction in directions(name, len(value)):
        expected = slope(recipe, moved(point, name, direction), dual).slope
        assert paired(value, direction) == paired(plain, direction) == expected
    n = range(len(value))
    if found.convention == "symmetric":
        assert all(value[i][j] == value[j][i] for i in n for j in n)
    if found.convention == "diagonal":
        assert all(value[i][j] == 0 for i in n for j in n if i != j)


@given(recipe=matrix_recipes(), point=values(sizes=(1, 3)), data=st.data())
def test_differentials_of_matrices(recipe, point, data):
    n = len(point["B"])
    for letter, towards in (("B", "general"), ("A", "symmetric")):
        step = data.draw(rows(n))
        if towards == "symmetric":
            step = [[step[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
        direction = matrix("E", *(["symmetric"] if towards == "symmetric" else []))
        found = evaluate(
            differential(symbolic(recipe), LETTERS[letter], direction), {**at(point), direction: step}
        )
        exact = numeric(recipe, moved(point, letter, step), dual)
        assert found == [[v.slope for v in r] for r in exact]


@settings(max_examples=settings().max_examples // 4)
@given(recipe=scalar_recipes(), point=values(sizes=(1, 3)), data=st.data())
def test_second_differentials(recipe, point, data):
    n = len(point["G"])
    step, E = data.draw(rows(n)), matrix("E")
    f = symbolic_scalar(recipe)
    first = differential(f, G, E)
    along = {**{LETTERS[k]: v for k, v in moved(point, "G", step).items()}}
    along[E] = [[dual(v) for v in r] for r in step]
    expected = evaluate(first, along, lift=dual).slope
    assert evaluate(second_differential(f, G, E), {**at(point), E: step}) == expected


@pytest.mark.parametrize(
    ("scalar", "letter", "right", "wrong"),
    [
        (tr(X.T * X) + tr(A * X), X, 2 * X + A, 2 * X.T + A),
        (tr(B * X) + tr(X * K), X, B.T + K.T, B + K),
        # SymPy 1.14 differentiates this sum, and most sums of traces, to zero
        (tr(B * X.T) + tr(X), X, B + I, B.T + I),
        (tr(A * X * C * X.T), X, 2 * A * X * C, 2 * C * X * A),
        (tr(B * X * K * X.T), X, B * X * K + B.T * X * K.T, 2 * B * X * K),
        (tr(B * X) ** 2 + tr(X), X, 2 * tr(B * X) * B.T + I, 2 * B.T + I),
        (tr(X) / tr(A), X, I / tr(A), I),
        (tr(dX * X * K * X), X, dX.T * X.T * K.T + K.T * X.T * dX.T, 2 * dX.T * X.T * K.T),
        (tr(diagonal_part(B * X) * K), X, B.T * diagonal_part(K), diagonal_part(K) * B.T),
        (tr(diagonal_part(K * X) * B), X, K.T * diagonal_part(B), diagonal_part(B) * K.T),
        (tr(diagonal_part(X) ** 2), X, 2 * diagonal_part(X), 2 * X),
        (tr(PENCIL), X, -tr(PENCIL**2 * C) * I, I),
        (logdet(G), G, (G**-1).T, G**-1),
        (tr(B * G**-1), G, -(G**-1 * B * G**-1).T, -(G**-1) * B * G**-1),
        (tr(B * S), S, (B + B.T) / 2, B.T),
        (logdet(A) + tr(C * A), A, A**-1 + C, A**-1 - C),
        (tr(B * d) + tr(d * A * d), d, diagonal_part(B) + 2 * d * diagonal_part(A), B + A * d + d * A),
        (
            logdet(A + B * C * B.T),
            B,
            2 * inverse(A + B * C * B.T) * B * C,
            inverse(A + B * C * B.T) * B * C,
        ),
    ],
)
def test_known_gradients_and_their_wrong_twins(scalar, letter, right, wrong):
    found = gradient(scalar, letter).value
    assert prove_equal(found, right)
    assert prove_equal(found, wrong).verdict == "differs"


@pytest.mark.parametrize(
    "expr",
    [
        (I + eps * A) ** -1,
        eps * A * inverse(A + eps * C) / (1 + eps),
        tr(A * inverse(A + eps * C)) ** 2 + eps,
        tr(B * inverse(eps * A + C) ** 2) / eps,
    ],
)
def test_derivatives_by_a_scalar(expr):
    point = {A: [[2, 1], [1, 3]], C: [[1, 0], [0, 5]], B: [[0, 1], [2, 3]]}
    lifted = {k: [[dual(v) for v in r] for r in m] for k, m in point.items()}
    exact = evaluate(expr, lifted, {eps: Dual(Fraction(2, 3), Fraction(1))}, lift=dual)
    found = evaluate(derivative(expr, eps), point, {eps: Fraction(2, 3)})
    slopes = [[v.slope for v in r] for r in exact] if isinstance(exact, list) else exact.slope
    assert found == slopes
    if not isinstance(exact, list):  # SymPy's own diff goes through the same rule
        assert prove_equal(sp.diff(expr, eps), derivative(expr, eps))
        assert prove_equal(sp.diff(expr, eps, 2), derivative(derivative(expr, eps), eps))


def test_logarithms_by_a_scalar():
    f = logdet(A + eps * C)
    assert prove_equal(derivative(f, eps), tr(inverse(A + eps * C) * C))
    assert prove_equal(derivative(f, eps), tr(inverse(A + eps * C) * A)).verdict == "differs"
    assert f.subs(eps, 2) == logdet(A + 2 * C)


def test_minima_are_certified_and_saddles_are_not():
    Y, E = matrix("Y", "positive_definite"), matrix("E", "symmetric")
    assert quadratic_sign(second_differential(tr(A * Y) - logdet(Y), Y, E), E).name == "DEFINITE"
    assert quadratic_sign(second_differential(tr(A * Y) + logdet(Y), Y, E), E).name == "UNKNOWN"
    assert quadratic_sign(second_differential(tr(A * Y * C * Y), Y, E), E).name == "DEFINITE"
    assert quadratic_sign(second_differential(tr(A * Y * B * Y), Y, E), E).name == "UNKNOWN"
    assert (
        quadratic_sign(second_differential(tr(A * X * B.T * B * X.T), X, dX), dX).name == "SEMIDEFINITE"
    )
    assert quadratic_sign(second_differential(tr(X * X), X, dX), dX).name == "UNKNOWN"


def test_directions_may_be_any_matrix():
    one, two = matrices("E F")
    assert prove_equal(
        differential(X**3, X, one + two), differential(X**3, X, one) + differential(X**3, X, two)
    )
