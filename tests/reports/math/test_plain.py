"""LaTeX to a line of text."""

import pytest

from reports.math.plain import plain
from tests.reports.demo import FORMULAS


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{1}{2}", "1/2"),
        (r"\frac{a+b}{c d}", "(a+b)/(c d)"),
        (r"\frac{\frac{a}{b}}{c}", "(a/b)/c"),
        (r"\Sigma A + A \Sigma = \frac{\epsilon}{S} B B^{\top}", "Σ A + A Σ = ε/S B Bᵀ"),
        (r"\sum_{k=0}^{\infty} M^{k}", "Σ_(k=0)^∞ M^k"),
        (r"A^{-1} x^{10} \theta^{\star}", "A⁻¹ x¹⁰ θ*"),
        (r"\left.\frac{dx}{dt}\right|_{t=0}", "dx/dt|_(t=0)"),
        (r"\hat{g} \bar x \widehat{xy} \vec{v}", "ĝ x̄ hat(xy) v⃗"),
        (r"\begin{pmatrix} 1 & 0 \\ 0 & \tfrac{1}{2} \end{pmatrix}", "[1, 0; 0, 1/2]"),
        (r"\begin{array}{cc} a & b \end{array}", "a b"),
        (r"\begin{aligned} a &= b \\ &= c \end{aligned}", "a = b; = c"),
        (r"a \stackrel{c}{=} b \stackrel{!}{=} d", "a =c= b = d"),
        (r"\underbrace{a + b}_{\text{two}} + \overset{!}{=}", "a + b + ="),
        (r"\operatorname*{arg\,min}_{H \succ 0}", "arg min_(H ≻ 0)"),
        (r"\text{if $x$ is small}", "if x is small"),
        (r"\lambda_{\max} \{x\} 50\%", "λ_max {x} 50%"),
        (r"\mathrm{KL}(q \,\|\, f) \le \sqrt{2}", "KL(q ‖ f) ≤ √2"),
        ("x", "x"),
    ],
)
def test_plain(latex, text):
    assert plain(latex) == text


@pytest.mark.parametrize("name", FORMULAS)
def test_no_command_is_left_behind(name):
    assert not set("\\{}&") & (set(plain(FORMULAS[name])) - set("{}" if name == "cases" else ""))


@pytest.mark.parametrize("broken", [r"\frac{a", "{", "^", r"\begin{pmatrix} a", "_", "\\", r"\sqrt"])
def test_broken_latex_still_gives_text(broken):
    assert isinstance(plain(broken), str)
