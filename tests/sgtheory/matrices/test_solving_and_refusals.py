"""Letters read off equations, and everything that is refused instead of guessed."""

import pickle

import pytest
import sympy as sp

from sgtheory.errors import DeclarationError, UnusableInput
from sgtheory.independent.fields import dual
from sgtheory.matrices import (
    I,
    commute,
    congruence,
    derivative,
    diagonal_part,
    differential,
    equation,
    evaluate,
    from_sympy,
    gradient,
    inverse,
    latex,
    logdet,
    matrices,
    matrix,
    plain,
    prove_equal,
    quadratic_sign,
    root,
    solve_for,
    substitute,
    to_sympy,
    tr,
    trace_of,
    under,
)

A, C, H = matrices("A C H", "positive_definite")
B, G, Q = matrix("B"), matrix("G", "invertible"), matrix("Q", "orthogonal")
X, d = matrix("X", "invertible"), matrix("d", "diagonal")
eps, free = sp.Symbol("eps", positive=True), sp.Symbol("free")


@pytest.mark.parametrize(
    ("left", "right", "power", "value"),
    [
        (A * X * C, B, 1, A**-1 * B * C**-1),
        (2 * X + B, eps * X, 1, B / (eps - 2)),
        (A * X + C * X, B, 1, inverse(A + C) * B),
        (X * A + X, B, 1, B * inverse(A + I)),
        (A * X.T * C, B, 1, C**-1 * B.T * A**-1),
        (X * A * X, X * B + C * X, None, None),
        (X * A * X, X * B, 1, A**-1 * B),
        (A * X**-1 * C, B, -1, A**-1 * B * C**-1),
        (X * A * X + X * C * X, X, -1, A + C),
        (A * X + X * A, C, None, None),
        (X * X, A, None, None),
        (tr(X) * X, B, None, None),
        ((A + C) * X * (B * B.T + A), C, 1, inverse(A + C) * C * inverse(B * B.T + A)),
        (A * X * A + C * X * C, B, None, None),
        (X + inverse(A + X * X.T), C, None, None),
    ],
)
def test_a_letter_is_read_off_or_refused(left, right, power, value):
    problem = equation(left, right)
    if power is None:
        with pytest.raises(UnusableInput, match="isolated"):
            solve_for(problem, X)
        return
    found = solve_for(problem, X)
    assert (found.power, found.value) == (power, value)
    assert prove_equal(left, right, [found.equation]).verdict == "proved"
    assert prove_equal(left, right).verdict == "differs"


def test_what_was_divided_by_is_said():
    found = solve_for(equation(2 * X - eps * X, B), X)
    assert found.nonzero == (eps - 2,)
    assert solve_for(equation(eps * X, B), X).nonzero == ()  # eps is positive


REFUSED = {
    "inverse of an arbitrary matrix": lambda: B**-1,
    "inverse of a difference": lambda: inverse(A - C),
    "inverse with a sign that is not known": lambda: inverse(A + free * C),
    "inverse of a semidefinite sum": lambda: inverse(B * B.T + d * d),
    "inverse of zero": lambda: inverse(A - A),
    "root of a product": lambda: root(A * C),
    "root of an indefinite letter": lambda: root(matrix("M", "symmetric")),
    "cube root": lambda: A ** sp.Rational(1, 3),
    "floats": lambda: 0.5 * A,
    "strings": lambda: A + "1",
    "transcendental coefficients": lambda: sp.sin(free) * A,
    "irrational coefficients": lambda: sp.sqrt(2) * A,
    "matrices of SymPy as scalars": lambda: sp.Symbol("M", commutative=False) * A,
    "log det of a singular matrix": lambda: logdet(B),
    "log det with an unknown sign": lambda: logdet(free * A),
    "log det of an indefinite sum": lambda: logdet(A - C),
    "derivative of a root": lambda: differential(root(H), H, matrix("dH", "symmetric")),
    "derivative in an orthogonal matrix": lambda: gradient(tr(Q * B), Q),
    "derivative by an expression": lambda: gradient(tr(A * B), A + C),
    "derivative by something else": lambda: derivative(A, A),
    "substituting what is not symmetric": lambda: substitute(A, {A: B}),
    "substituting what is not definite": lambda: substitute(A, {A: A - C}),
    "substituting a product without hypothesis": lambda: substitute(A, {A: A * C}),
    "substituting what is not diagonal": lambda: substitute(d, {d: A}),
    "substituting what is not orthogonal": lambda: substitute(Q, {Q: G}),
    "substituting what is not invertible": lambda: substitute(G, {G: B}),
    "substituting what is not positive": lambda: substitute(inverse(A + eps * C), {eps: free}),
    "the same through SymPy": lambda: tr(inverse(A + eps * C)).subs(eps, -1),
    "one name for two letters": lambda: prove_equal(tr(matrix("P")), tr(matrix("P", "symmetric"))),
    "a name that is a product": lambda: matrix("A B"),
    "the identity's name": lambda: matrix("I"),
    "substituting for a sum": lambda: substitute(A, {A + C: A}),
    "a root of what is not definite": lambda: congruence(A, A, C, B),
    "a letter that commutes with itself": lambda: commute(A, A),
    "commuting sums": lambda: commute(A + C, H),
    "hypotheses that are none": lambda: prove_equal(A, C, given=[A]),
    "a bare hypothesis": lambda: prove_equal(A, C, given=commute(A, C)),
    "hypotheses that contradict": lambda: prove_equal(A, C, [equation(G, 0 * I)]),
    "one side": lambda: prove_equal(A),
    "solving scalars": lambda: solve_for(equation(tr(A), 1), A),
    "division by zero": lambda: A / (eps - eps),
    "division by what turns out to be zero": lambda: A / ((eps + 1) ** 2 - eps**2 - 2 * eps - 1),
    "division by zero inside a scalar": lambda: A * (1 / ((eps + 1) ** 2 - eps**2 - 2 * eps - 1)),
    "substituting for a text": lambda: substitute(A, {"A": C}),
    "an unknown matrix": lambda: from_sympy(sp.Symbol("M", commutative=False), [A]),
    "a diagonal part for SymPy": lambda: to_sympy(diagonal_part(B)),
    "a missing value": lambda: evaluate(A * C, {A: [[1]]}),
    "a missing scalar": lambda: evaluate(eps * A, {A: [[1]]}),
    "a missing root": lambda: evaluate(root(A), {A: [[4]]}),
    "a wrong root": lambda: evaluate(root(A), {A: [[5]]}, roots={A: [[2]]}),
    "sizes that differ": lambda: evaluate(A * C, {A: [[1]], C: [[1, 0], [0, 1]]}),
    "a matrix that is not square": lambda: evaluate(A, {A: [[1, 2]]}),
    "a value that is not symmetric": lambda: evaluate(A, {A: [[1, 2], [0, 1]]}),
    "a value that is not definite": lambda: evaluate(A, {A: [[1, 2], [2, 1]]}),
    "a value that is not orthogonal": lambda: evaluate(Q, {Q: [[2]]}),
    "a value that is not diagonal": lambda: evaluate(d, {d: [[1, 1], [1, 1]]}),
    "a root that is not definite": lambda: evaluate(root(A), {}, roots={A: [[-2]]}),
    "inexact values": lambda: evaluate(A, {A: [[0.5]]}),
    "irrational values": lambda: evaluate(sp.sqrt(eps) * A, {A: [[1]]}, {eps: 2}),
    "logarithms of dual numbers": lambda: evaluate(logdet(A), {A: [[dual(2)]]}, lift=dual),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_what_was_expected_what_came_and_a_remedy(name):
    with pytest.raises(UnusableInput) as refusal:
        REFUSED[name]()
    assert refusal.value.expected
    assert refusal.value.got
    assert refusal.value.remedy


def test_contradicting_declarations():
    with pytest.raises(DeclarationError, match="one matrix for each name"):
        A + matrix("A")
    with pytest.raises(DeclarationError, match="the identity"):
        matrix("P", "orthogonal", "positive_definite")
    with pytest.raises(DeclarationError, match="assumptions among"):
        matrix("P", "hermitian")


def test_declaring_is_a_way_out():
    assert inverse(A - C, declared=True) * (A - C) == I
    assert prove_equal(tr(inverse(A + free * C, declared=True) * (A + free * C)), tr(I))
    assert under(substitute(A, {A: A * C}, [commute(A, C)]), []) == A * C


def test_a_quadratic_form_that_is_none_is_unknown():
    assert quadratic_sign(tr(A), B).name == "UNKNOWN"
    assert quadratic_sign(tr(B) * tr(B), B).name == "UNKNOWN"


def test_singular_values_are_a_division_by_zero():
    with pytest.raises(ZeroDivisionError):
        evaluate(G**-1, {G: [[1, 1], [1, 1]]})


@pytest.mark.parametrize(
    ("value", "text", "tex"),
    [
        (A**-1 * B.T, "A^-1*B^T", r"A^{-1} B^{\top}"),
        (root(H) * C, "H^(1/2)*C", r"H^{1/2} C"),
        (G.T**-1, "G^T^-1", r"G^{-\top}"),
        (inverse(A + eps * C), "(A + eps*C)^-1", r"\left(A + \epsilon C\right)^{-1}"),
        (A - eps / 2 * I, "-eps*I/2 + A", r"-\frac{\epsilon}{2} \mathbf{I} + A"),
        (A - A, "0", "0"),
        ((1 - eps) * A, "-(eps - 1)*A", r"-\left(\epsilon - 1\right) A"),
        (tr(A * B), "tr(A*B)", r"\operatorname{tr}\left(A B\right)"),
        (logdet(A), "logdet(A)", r"\log\det A"),
        (logdet(A + C), "logdet(A + C)", r"\log\det \left(A + C\right)"),
        (logdet(G), "log|det G|", r"\log\left|\det G\right|"),
        (tr(A) ** 2, "tr(A)**2", r"\operatorname{tr}\left(A\right)^{2}"),
        (diagonal_part(B), "diag(B)", r"\operatorname{diag}\left(B\right)"),
        (equation(A, B), "A = B", "A = B"),
        (matrix("Sigma"), "Sigma", r"\Sigma"),
    ],
)
def test_how_it_is_written(value, text, tex):
    assert plain(value) == text
    assert latex(value) == tex


@pytest.mark.parametrize(
    "value",
    [
        A * B.T - 3 * C**-1,
        inverse(A + eps * C) ** 2 * B + 1,
        root(H) * C * root(H) ** -1 / eps,
        G.T**-1 * G,
    ],
)
def test_to_sympy_and_back(value):
    assert from_sympy(to_sympy(value), [A, B, C, G, H]) == value


def test_sympy_symbols_in_the_wrong_order_are_another_matrix():
    a, c = sp.symbols("A C", commutative=False)
    assert from_sympy(a * c, [A, C]) == A * C != from_sympy(c * a, [A, C])
    assert from_sympy(sp.Symbol("B^T", commutative=False), [B]) == B.T
    assert from_sympy(sp.Function("Trace")(a * c) * 2, [A, C]) == 2 * tr(C * A)
    assert from_sympy(1 + sp.Symbol("I", commutative=False), []) == 2 * I
    assert to_sympy(tr(A)) == tr(A)
    assert from_sympy(sp.transpose(a * sp.Symbol("B", commutative=False)), [A, B]) == B.T * A


def test_records_travel():
    for value in (A * inverse(A + eps * C), tr(A * inverse(A + eps * C)) + logdet(A), commute(A, C)):
        assert pickle.loads(pickle.dumps(value)) == value


def test_traces_see_their_letters_declarations():
    """Equal names with different assumptions are different traces, also for SymPy's caches."""
    assert tr(matrix("P")) != tr(matrix("P", "symmetric"))
    pencil = [inverse(A + e * C, declared=True) for e in (eps, sp.Symbol("eps"))]
    assert tr(pencil[0]) != tr(pencil[1])
    assert trace_of(equation(B, B.T)).left == trace_of(equation(B, B.T)).right
