"""Names in formulas: words upright, letters as letters; whatever a claim prints can be read."""

import pytest
import sympy as sp

from sgtheory.matrices import latex as matrix_latex
from sgtheory.notation.matrixwords import A
from sgtheory.notation.printing import latex
from tests.reports.math.italics import italic_words

NAMES = {
    "eps": r"\epsilon",
    "MSE": r"\mathrm{MSE}",
    "V_new": r"V_{\mathrm{new}}",
    "KL_SGD_wine": r"\mathrm{KL}_{\mathrm{SGD}\,\mathrm{wine}}",
    "C_ij": "C_{ij}",
    "f_px": "f_{px}",
    "BB_kk": r"(B B^{\top})_{kk}",
    "sigma_1": r"\sigma_{1}",
    "x2": "x_{2}",
    "lambda_i": r"\lambda_{i}",
    "dW": "dW",
    "dtheta": r"d\theta",
    "phi_bar": r"\bar{\phi}",
    "thetahat": r"\hat{\theta}",
    "theta_star": r"\theta^{\star}",
    "tprime": "t'",
    "log_f": r"\log f",
    "logprior": r"\log \mathrm{prior}",
    "sum_R_Q_R": r"{\textstyle\sum} R Q R",
    "root_of_G": "G^{1/2}",
    "L_over_m": "L/m",
    "two_pi": r"2 \pi",
    "tr(C)": r"\operatorname{Tr}\left(C\right)",
    "tr(A^-1*Sigma)_0": r"\operatorname{Tr}\left(\frac{\Sigma}{A}\right)_{0}",
    "xi_free^T": r"\xi_{\mathrm{free}}^{\top}",
    "logdet(A)": r"\log \det\left(A\right)",
    "p(X|theta)": r"p\left(X \mid \theta\right)",
    "G[1 - a*eta]": r"G\left[1 - a \eta\right]",
    "phi_hat - phi_bar": r"\hat{\phi} - \bar{\phi}",
    "B_eps/S": r"B_{\epsilon/S}",
    "the time of phi": r"\text{the time of phi}",
    "pSGLD_wide_800": r"\mathrm{pSGLD}_{\mathrm{wide}\,800}",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_written_as_people_write_it(name):
    assert latex(sp.Symbol(name)) == NAMES[name]
    assert italic_words(NAMES[name]) == []


def test_what_was_wrong_would_be_seen():
    assert italic_words(r"MSE + v_{new} + KL_{SGD wine}") == ["MSE", "new", "KL", "SGD", "wine"]
    assert italic_words("Nsum_{RQR}") == ["Nsum"]


def test_powers_of_names_are_powers_of_the_whole():
    assert latex(sp.Symbol("log_f") ** 2) == r"\left(\log f\right)^{2}"
    assert latex(sp.Symbol("L_over_m") ** 2) == r"\left(L/m\right)^{2}"
    assert latex(1 / sp.Symbol("log_f")) == r"\frac{1}{\log f}"
    assert latex(sp.Symbol("MSE") ** 2) == r"\mathrm{MSE}^{2}"


def test_functions_and_matrices_have_names_of_the_same_kind():
    x = sp.Symbol("x")
    assert latex(sp.Function("loss")(x)).startswith(r"\mathrm{loss}")
    assert matrix_latex(A).strip() == "A"


@pytest.mark.long
def test_whatever_is_printed_has_its_words_upright():
    from verification.library import all_claims

    wrong = {c.id: (w, f) for c in all_claims() for f in c.printed_latex() if (w := italic_words(f))}
    assert wrong == {}
