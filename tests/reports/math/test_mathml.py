"""LaTeX to MathML: nasty formulas come out whole, bad ones raise and are named."""

import re
import threading
from xml.etree import ElementTree

import pytest

from reports.math.mathml import BadLatex, mathml
from reports.vendor.make_math_font import characters
from tests.reports.demo import FORMULAS


def tags(latex, display=True):
    return [element.tag for element in ElementTree.fromstring(mathml(latex, display)).iter()]


def letters(latex):
    return "".join(ElementTree.fromstring(mathml(latex, True)).itertext())


@pytest.mark.parametrize("name", FORMULAS)
def test_formula_is_well_formed_mathematics(name):
    assert set(tags(FORMULAS[name])) <= {
        "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup",
        "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded",
        "menclose",
    }  # fmt: skip


@pytest.mark.parametrize("name", FORMULAS)
def test_the_embedded_font_has_every_character(name):
    drawn = (c for c in letters(FORMULAS[name]) if not c.isspace())
    assert set(map(ord, drawn)) <= set(characters())


def test_the_font_is_known_not_to_have_everything():
    assert not set(map(ord, letters(r"\mathfrak{A}"))) <= set(characters())


def test_aligned_lines_are_a_table_of_two_rows():
    assert tags(FORMULAS["aligned"]).count("mtr") == 2
    assert "&" not in letters(FORMULAS["aligned"])


def test_matrices_and_cases_keep_every_cell():
    assert tags(FORMULAS["matrices"]).count("mtd") == 12
    assert tags(FORMULAS["cases"]).count("mtd") == 4
    assert tags(FORMULAS["block"]).count("mtr") == 3


def test_letters_are_kept_apart():
    assert {"𝔼", "ℝ", "ε", "ϵ", "ϑ", "φ", "ϕ", "v", "ν", "𝜽"} <= set(letters(FORMULAS["letters"]))


def test_limits_stand_under_sums_and_operators():
    assert tags(FORMULAS["sums"]).count("munderover") == 2
    assert "munder" in tags(r"\operatorname*{arg\,min}_{x} f")
    assert "munder" in tags(FORMULAS["underbrace"])


@pytest.mark.parametrize(
    "latex", [r"\frac{a}{", r"\nosuch{x}", "a & b", r"\begin{pmatrix} a", r"x^{2}^{3}", r"\left( x", "}"]
)
def test_bad_latex_is_named(latex):
    with pytest.raises(BadLatex, match=re.escape(latex)):
        mathml(latex)


@pytest.mark.parametrize(
    "latex",
    [
        r"\href{javascript:alert(1)}{x}", r"\url{http://x.org}", r"\class{word}{x}", r"\data{a=b}{x}",
        r"\includegraphics{http://x.org/y.png}", r"\style{background:url(http://x.org)}{x}",
    ],
)  # fmt: skip
def test_latex_that_would_act_is_refused(latex):
    with pytest.raises(BadLatex):
        mathml(latex)


def test_text_inside_a_formula_cannot_become_markup():
    assert "<script" not in mathml(r"\text{<script>alert(1)</script>}")
    assert "&lt;script&gt;" in mathml(r"\text{<script>alert(1)</script>}")


def test_low_brackets_do_not_stretch_and_tall_ones_do():
    low, stretches = '<mo stretchy="false">', "<mo>("  # which every browser supposes
    assert low in mathml(r"\operatorname{Tr}\left(A^{-1}\right)", True)
    assert low in mathml(r"\left(1 - \tfrac{1}{2}\hat{x}\right)", True)
    assert stretches in mathml(r"\left(\frac{a}{b}\right)", True)
    assert stretches in mathml(r"\left(\sum_i x_i\right)", True)
    assert low not in mathml(r"\left(\frac{a}{b}\right)", True)


def test_wide_accents_fit_what_is_under_them():
    assert "tml-hat-1" in mathml(r"\widehat{\theta}")
    assert "tml-hat-3" in mathml(r"\widehat{xyz}")
    assert "tml-tilde" not in mathml(r"\widetilde{\lambda}")


def test_other_threads_have_their_own_engine():
    found = []
    thread = threading.Thread(target=lambda: found.append(mathml(r"\sqrt{7} + 3")))
    thread.start()
    thread.join()
    assert found == [mathml(r"\sqrt{7} + 3")]
