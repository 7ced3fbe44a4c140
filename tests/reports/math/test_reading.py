"""Formulas in sentences: what is one is found whole, and words stay words."""

import pytest

from reports.math.mathml import mathml
from reports.math.reading import formula, formulas_in


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("gamma <= Sigma/(Sigma**2 + V22)", r"\gamma \le \frac{\Sigma}{\Sigma^{2} + V_{22}}"),
        ("N^(-1/2)", "N^{-1/2}"),
        ("epsilon[t] = 1/t", r"{\epsilon}_{t} = \frac{1}{t}"),
        ("(1 + kappa)(3 + kappa)/2", r"\frac{\left(1 + \kappa\right) \left(3 + \kappa\right)}{2}"),
        ("U''(x)*f_p", r"U''\left(x\right) f_{p}"),
        ("Derivative(f(x), (x, 2))", r"\partial_{x}^{2} f\left(x\right)"),
        ("Derivative(a + b, x)", r"\partial_{x} \left(a + b\right)"),
        ("Integral(exp(-x**2), (x, -oo, oo))", r"\int_{-\infty}^{\infty} e^{-x^{2}} \, dx"),
        ("Sum(w[i], (i, 1, n))", r"\sum_{i=1}^{n} {w}_{i}"),
        ("B B^T", r"B B^{\top}"),
        ("-1/2", r"-\frac{1}{2}"),
        ("2*3", r"2 \cdot 3"),
        ("a - (b - c)", r"a - \left(b - c\right)"),
        ("x_squared", r"x_{\text{squared}}"),
        ("thetahat", r"\hat{\theta}"),
        ("L -> infinity", r"L \to \infty"),
        ("1e-07", r"1 \cdot 10^{-7}"),
    ],
)  # fmt: skip
def test_a_formula_alone(text, latex):
    assert formula(text) == latex
    mathml(latex)


@pytest.mark.parametrize("text", ["", "no formula", "a (b", "x +", "half of it", "1, 2"])
def test_what_is_no_formula(text):
    assert formula(text) is None


def found(words):
    return [latex for _, latex in formulas_in(words) if latex]


@pytest.mark.parametrize(
    ("words", "formulas"),
    [
        ("A step of SGLD, and a burn-in of 100,000 steps.", []),
        ("Theorem 2 ii of section 3 (Eq. 4) needs H1; see appendix B.", []),
        ("The eigenvalues of A are positive.", ["A"]),
        ("A matrix is symmetric.", []),
        ("A and C commute.", ["A", "C"]),
        ("the examples' gradients, SGD's law, the Ornstein-Uhlenbeck process", []),
        ("the k-th of n terms", ["k", "n"]),
        ("With kappa at least L/m, such as 2 Ltilde/c.", [r"\kappa", "L/m", r"\frac{2 \tilde{L}}{c}"]),
        ("and/or left/right", []),
        ("Random 3 x 3 problems, a chance of 1e-47.", [r"1 \cdot 10^{-47}"]),
        ("It is so that the sum, or what one shows, is chat.", []),
        ("at most 1/(2 L~)", [r"\frac{1}{2 \tilde{L}}"]),
        ("It differs by x - y - half of it", ["x - y"]),
        ("by g*slope(theta)**2 in all", [r"g {\operatorname{slope}\left(\theta\right)}^{2}"]),
        ("form of sqrt(V*(full + off)**2).", [r"\sqrt{V \left(\text{full} + \text{off}\right)^{2}}"]),
        ("gradients at theta* differ", [r"\theta^{*}"]),
    ],
)  # fmt: skip
def test_formulas_in_sentences(words, formulas):
    assert found(words) == formulas


def test_nothing_of_a_sentence_is_lost():
    words = "Where gamma <= 1/(2*N) the law of x_i, at most N^(-1) off, is a normal one (3 looked at)."
    assert "".join(piece for piece, _ in formulas_in(words)) == words


def test_a_long_formula_may_be_broken_between_its_terms():
    words = "It is " + " + ".join(f"a_{k}*b_{k}/(c_{k} + 1)" for k in range(6)) + "."
    pieces = found(words)
    assert len(pieces) == 6
    assert pieces[1] == r"+ \frac{a_{1} b_{1}}{c_{1} + 1}"
