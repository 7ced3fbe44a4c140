"""Every operation on expressions, against the same operation on matrices of exact numbers."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sgtheory.independent.fields import add, multiply, transpose
from sgtheory.independent.fields import inverse as inverted
from sgtheory.matrices import (
    ZERO,
    Sign,
    all_commute,
    both_sides,
    congruence,
    determinant,
    equation,
    evaluate,
    from_sympy,
    gradient,
    logdet,
    matrix,
    prove_equal,
    quadratic_sign,
    root,
    second_differential,
    sign,
    solve_for,
    substitute,
    symmetric_part,
    tr,
    trace_of,
    under,
)
from sgtheory.matrices.obeying import particular
from tests.sgtheory.matrices.recipes import (
    LETTERS,
    as_sympy,
    definite,
    eye,
    gram,
    matrix_recipes,
    numeric,
    numeric_scalar,
    rows,
    scalar_recipes,
    small,
    symbolic,
    symbolic_scalar,
    trace_of_rows,
    values,
)
from tests.sgtheory.matrices.recipes import determinant as eliminated

A, C, S, B, G = (LETTERS[k] for k in "ACSBG")
H, Y, X = matrix("H", "positive_definite"), matrix("Y", "positive_definite"), matrix("X", "invertible")
eps, free = sp.Symbol("eps", positive=True), sp.Symbol("free")
fewer = settings(max_examples=settings().max_examples // 2)
FREE_POINTS, COMMUTING = values(sizes=(1, 3), commuting=False), values(sizes=(1, 3), commuting=True)


def at(point):
    return {LETTERS[k]: v for k, v in point.items()}


# -- scalars, and above all sums of traces -----------------------------------------------------


@given(recipe=scalar_recipes(), point=values())
def test_scalars(recipe, point):
    found = evaluate(symbolic_scalar(recipe), at(point))
    assert sp.expand(sp.sympify(found) - numeric_scalar(recipe, point)) == 0


@pytest.mark.strong
@given(parts=st.lists(matrix_recipes(leaves=2), min_size=2, max_size=4), point=values())
def test_sums_of_traces(parts, point):
    """The trace of a sum, the sum of the traces, and that of the transposes are one number."""
    apart = sum((tr(symbolic(r)) for r in parts), sp.S.Zero)
    together = tr(sum((symbolic(r) for r in parts[1:]), symbolic(parts[0])))
    assert prove_equal(apart, together)
    assert prove_equal(apart, sum((tr(symbolic(r).T) for r in parts), sp.S.Zero))
    assert evaluate(apart, at(point)) == sum(trace_of_rows(numeric(r, point)) for r in parts)


@settings(max_examples=settings().max_examples // 4)
@given(x=matrix_recipes(leaves=2), y=matrix_recipes(leaves=2), point=values(sizes=(2, 3)))
def test_turned_products_in_a_sum_of_traces(x, y, point):
    a, b = symbolic(x), symbolic(y)
    assert prove_equal(tr(a * b) + tr(b * a), 2 * tr(a * b))
    assert prove_equal(tr(b * a) + tr(b.T * a.T), tr(a * b) + tr(a.T * b.T))
    m, n = numeric(x, point), numeric(y, point)
    assert evaluate(tr(a * b) + tr(b), at(point)) == trace_of_rows(multiply(m, n)) + trace_of_rows(n)
    wrong = trace_of_rows(multiply(m, transpose(n)))
    assume(wrong != trace_of_rows(multiply(m, n)))
    assert not prove_equal(tr(a * b), tr(a * b.T))


def test_where_sympy_is_silently_wrong():
    """SymPy 1.14 differentiates a sum of traces to zero; d/dX tr(A X) + tr(X B) is A^T + B^T."""
    a, b, x = (sp.MatrixSymbol(k, 2, 2) for k in "ABX")
    sympys = (sp.Trace(a * x) + sp.Trace(x * b)).diff(x)
    K, L, Z = matrix("K"), matrix("L"), matrix("Z")
    ours = gradient(tr(K * Z) + tr(Z * L), Z).value
    k, m = [[1, 2], [3, 4]], [[5, 6], [7, 9]]
    assert evaluate(ours, {K: k, L: m, Z: eye(2)}) == [[6, 10], [8, 13]]
    assert sympys != a.T + b.T


# -- hypotheses and substitution ---------------------------------------------------------------


@pytest.mark.strong
@fewer
@given(recipe=matrix_recipes(), scalar=scalar_recipes(), point=COMMUTING)
def test_under_commuting_hypotheses(recipe, scalar, point):
    hypotheses = all_commute(A, C, S)
    assert evaluate(under(symbolic(recipe), hypotheses), at(point)) == numeric(recipe, point)
    found = evaluate(under(symbolic_scalar(scalar), hypotheses), at(point))
    assert sp.expand(sp.sympify(found) - numeric_scalar(scalar, point)) == 0


@pytest.mark.strong
@fewer
@given(
    recipe=matrix_recipes(),
    scalar=scalar_recipes(),
    b=matrix_recipes(leaves=2),
    a=definite,
    point=FREE_POINTS,
)
def test_substitution_is_simultaneous(recipe, scalar, b, a, point):
    new = {B: symbolic(b), A: symbolic(a)}
    moved = {**point, "B": numeric(b, point), "A": numeric(a, point)}
    assert evaluate(substitute(symbolic(recipe), new), at(point)) == numeric(recipe, moved)
    found = evaluate(substitute(symbolic_scalar(scalar), new), at(point))
    assert sp.expand(sp.sympify(found) - numeric_scalar(scalar, moved)) == 0


@pytest.mark.strong
@settings(max_examples=settings().max_examples // 4)
@given(x=definite, y=definite, b=matrix_recipes(leaves=2), point=FREE_POINTS)
def test_substitution_for_a_scalar(x, y, b, point):
    whole = (symbolic(x) + eps * symbolic(y)) ** -1 * symbolic(b) * free
    found = evaluate(substitute(whole, {eps: eps / 2, free: eps**2}), at(point), {eps: Fraction(2, 3)})
    pencil = add(numeric(x, point), [[v / 3 for v in r] for r in numeric(y, point)])
    by_hand = multiply(inverted(pencil), numeric(b, point))
    assert found == [[v * Fraction(4, 9) for v in r] for r in by_hand]


@fewer
@given(recipe=matrix_recipes(letters="ABG"), point=FREE_POINTS, data=st.data())
def test_congruence_for_a_gain(recipe, point, data):
    n = len(point["B"])
    half, y = gram(data.draw(rows(n))), gram(data.draw(rows(n)))
    found = evaluate(congruence(symbolic(recipe), A, Y, H), {**at(point), Y: y}, roots={H: half})
    assert found == numeric(recipe, {**point, "A": multiply(multiply(half, y), half)})


@fewer
@given(recipe=matrix_recipes(), point=FREE_POINTS)
def test_from_sympy(recipe, point):
    read = ZERO + from_sympy(as_sympy(recipe), LETTERS.values())  # SymPy forgets that a zero is a matrix
    assert evaluate(read, at(point)) == numeric(recipe, point)


# -- equations ---------------------------------------------------------------------------------


@fewer
@given(x=matrix_recipes(leaves=2), y=matrix_recipes(leaves=2), u=definite, point=FREE_POINTS)
def test_both_sides_and_traces(x, y, u, point):
    said = equation(symbolic(x), symbolic(y))
    nx, ny, nu = (numeric(r, point) for r in (x, y, u))
    found = both_sides(said, symbolic(u), B)
    assert evaluate(found.left, at(point)) == multiply(multiply(nu, nx), point["B"])
    assert evaluate(found.right, at(point)) == multiply(multiply(nu, ny), point["B"])
    assert evaluate(trace_of(said, symbolic(u)).right, at(point)) == trace_of_rows(multiply(nu, ny))
    assert evaluate(symmetric_part(symbolic(x)), at(point)) == [
        [(a + b) / 2 for a, b in zip(r, s, strict=True)] for r, s in zip(nx, transpose(nx), strict=True)
    ]


@fewer
@given(
    u=definite, v=definite, w=matrix_recipes(leaves=2), power=st.sampled_from([1, -1]), point=FREE_POINTS
)
def test_solutions_solve(u, v, w, power, point):
    found = solve_for(equation(symbolic(u) * X**power * symbolic(v), symbolic(w)), X)
    value = evaluate(found.value, at(point))
    by_hand = multiply(multiply(numeric(u, point), value), numeric(v, point))
    assert found.power == power
    assert by_hand == numeric(w, point)


@given(m=rows(3), weights=st.lists(small.map(Fraction), min_size=3, max_size=3), data=st.data())
def test_linear_systems(m, weights, data):
    target = [sum(w * column[i] for w, column in zip(weights, m, strict=True)) for i in range(3)]
    found = particular(m, target)
    assert [sum(w * column[i] for w, column in zip(found, m, strict=True)) for i in range(3)] == target
    flat = [[*column, Fraction(0)] for column in m]
    assert particular(flat, [*target, Fraction(1)]) is None


# -- powers, determinants, certificates --------------------------------------------------------


@fewer
@given(recipe=definite, k=st.integers(-2, 3), point=FREE_POINTS)
def test_powers_and_log_determinants(recipe, k, point):
    value = numeric(recipe, point)
    by_hand = eye(len(value))
    for _ in range(abs(k)):
        by_hand = multiply(by_hand, value if k > 0 else inverted(value))
    assert evaluate(symbolic(recipe) ** k, at(point)) == by_hand
    det = eliminated(value)
    assert determinant(value) == det
    k = max(-1, min(k, 1))  # the factors of A^2 + A C + C A + C^2 are not found again
    found = evaluate(logdet(symbolic(recipe) ** k * G), at(point))
    expected = sp.log(sp.Rational(abs(det**k * determinant(point["G"]))))
    assert sp.expand_log(sp.expand(found - expected), force=True).equals(0)


@pytest.mark.parametrize("k", [-2, -1, 1, 2, 4])
def test_roots_of_powers(k):
    half = [[Fraction(2), Fraction(1)], [Fraction(1), Fraction(3)]]
    by_hand = half if k > 0 else inverted(half)
    for _ in range(abs(k) - 1):
        by_hand = multiply(by_hand, half if k > 0 else inverted(half))
    assert evaluate(root(H**k), {}, roots={H: half}) == by_hand


@given(recipe=matrix_recipes(leaves=3), point=FREE_POINTS, data=st.data())
def test_certified_signs(recipe, point, data):
    found = sign(symbolic(recipe))
    assume(found)
    value = numeric(recipe, point)
    x = data.draw(st.lists(small, min_size=len(value), max_size=len(value)))
    form = sum(a * v * b for a, row in zip(x, value, strict=True) for v, b in zip(row, x, strict=True))
    assert value == transpose(value)
    assert form > 0 if found is Sign.DEFINITE and any(x) else form >= 0


@given(recipe=matrix_recipes(leaves=4), point=FREE_POINTS)
def test_certified_traces(recipe, point):
    f = tr(symbolic(recipe))
    value = trace_of_rows(numeric(recipe, point))
    assert value > 0 or not f.is_positive
    assert value >= 0 or not f.is_nonnegative


def test_traces_of_products_of_definite_matrices_are_positive():
    assert tr(A * C).is_positive
    assert tr(A * B * C * B.T).is_nonnegative
    assert not tr(A * B * C * B.T).is_positive
    assert tr(A * C * H).is_positive is None


@pytest.mark.parametrize(
    ("f", "certain"),
    [
        (tr(A * H) - logdet(H), Sign.DEFINITE),
        (tr(A * H * C * H), Sign.DEFINITE),
        (tr(A * H**-1), Sign.DEFINITE),
        (tr(H * H * B * B.T), Sign.SEMIDEFINITE),
        (tr(H * H * B * B.T) + tr(H * H), Sign.DEFINITE),
        (tr(H * C) ** 2, Sign.UNKNOWN),  # convex, but no sum of certified terms
        (tr(B * H * B.T * H), Sign.UNKNOWN),  # not convex
    ],
)
@settings(max_examples=settings().max_examples // 8)
@given(point=FREE_POINTS, data=st.data())
def test_certified_minima(f, certain, point, data):
    dH = matrix("dH", "symmetric")
    form = second_differential(f, H, dH)
    found = quadratic_sign(form, dH)
    assert found is certain
    n = len(point["B"])
    step = data.draw(rows(n))
    step = add(step, transpose(step))
    value = evaluate(form, {**at(point), H: gram(data.draw(rows(n))), dH: step})
    if found is Sign.DEFINITE and any(map(any, step)):
        assert value > 0
    elif found:
        assert value >= 0


# -- verdicts ----------------------------------------------------------------------------------


@given(
    x=matrix_recipes(letters="ACSBG", leaves=3),
    y=matrix_recipes(letters="ACSBG", leaves=3),
    point=values(),
)
def test_verdicts_agree_with_numbers(x, y, point):
    """What is proved holds at a random point; a witness is one for the plain reading too."""
    for left, right in ((x, y), (("sum", x, y), ("sum", y, x)), (("product", x, y), ("product", y, x))):
        found = prove_equal(symbolic(left), symbolic(right))
        if found:
            assert numeric(left, point) == numeric(right, point)
        elif found.witness:
            there = {**found.witness.letters}
            spare = {k: eye(found.witness.size) for k in LETTERS}
            assert numeric(left, {**spare, **there}) != numeric(right, {**spare, **there})
