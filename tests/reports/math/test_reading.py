"""Formulas as programs print them: what is one is read whole, anything else is none."""

import pytest

from reports.math.mathml import mathml
from reports.math.writing import formula, terms_of


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
        ("2 Ltilde/c", r"\frac{2 \tilde{L}}{c}"),
        ("1/(2 L~)", r"\frac{1}{2 \tilde{L}}"),
        ("g*slope(theta)**2", r"g {\operatorname{slope}\left(\theta\right)}^{2}"),
        ("theta*", r"\theta^{*}"),
        ("2 g_(t-1) eta", r"2 {g}_{t - 1} \eta"),
        ("E|y - theta*|^2", r"\mathbb{E}\left[{\left|y - \theta^{*}\right|}^{2}\right]"),
        ("(1 + e)|a|^2", r"\left(1 + e\right) {\left|a\right|}^{2}"),
        ("B = [1 1-u; 1-u 1]", r"B = \begin{pmatrix} 1 & 1 - u \\ 1 - u & 1 \end{pmatrix}"),
        ("[-1, 1]", r"\left[-1, 1\right]"),
    ],
)  # fmt: skip
def test_a_formula_alone(text, latex):
    assert formula(text) == latex
    mathml(latex)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no formula",
        "a (b",
        "x +",
        "half of it",
        "1, 2",
        "a | b",
        "f(x",
        "[1, 2",
        "x = ",
        "$",
        "a\\b",
    ],
)
def test_what_is_no_formula(text):
    assert formula(text) is None


def test_a_long_formula_may_be_broken_between_its_terms():
    latex = formula(" + ".join(f"a_{k}*b_{k}/(c_{k} + 1)" for k in range(6)))
    assert latex is not None
    assert len(terms_of(latex)) == 6
    assert terms_of(latex)[1] == r"+ \frac{a_{1} b_{1}}{c_{1} + 1}"
