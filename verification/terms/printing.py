"""Terms as text and as LaTeX: brackets where they are needed, nothing else is changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.notation.printing import latex as sympy_latex
from sgtheory.notation.printing import plain
from verification.terms.term import Applied, Letter, Name, Number, Term
from verification.terms.words import POWER, WHOLE, Word, word

_PRODUCTS = (r"B B^{\top}", r"E E^{\top}")  # letters that are typeset as what they are made of


@dataclass(frozen=True)
class Line:
    """A printed line, in LaTeX and as text."""

    as_latex: str
    as_text: str

    def latex(self) -> str:
        """As typeset."""
        return self.as_latex

    def text(self) -> str:
        """On one line."""
        return self.as_text


@dataclass(frozen=True)
class Written:
    """A part as it is written, and how tightly that holds together."""

    form: str
    tight: int
    brackets: tuple[str, str]

    def within(self, tight: int) -> str:
        """The form, in brackets where it holds together less tightly."""
        left, right = self.brackets
        return self.form if self.tight >= tight else f"{left}{self.form}{right}"


def subscripted(of: str, index: str) -> str:
    """A typeset letter with one more index: it has one subscript.

    >>> subscripted("x", "1"), subscripted("x_{t}", "1")
    ('x_{1}', 'x_{t, 1}')
    """
    return rf"{of[:-1]}, {index}}}" if of.endswith("}") and "_{" in of else rf"{of}_{{{index}}}"


def in_latex(term: Term) -> str:
    r"""A term as it is typeset.

    >>> from verification.terms.term import letters
    >>> x, eps = letters("x eps")
    >>> print(in_latex((x + x) * eps**2 / 3))
    \frac{\left(x + x\right) \epsilon^{2}}{3}
    """
    return _written(term, lambda w: w.latex, _letter_latex, (r"\left(", r"\right)")).form


def in_text(term: Term) -> str:
    """A term on one line."""
    return _written(term, lambda w: w.text, _letter_text, ("(", ")")).form


def _written(
    term: Term,
    way: Callable[[Word], Any],
    of_letter: Callable[[Letter], str],
    brackets: tuple[str, str],
) -> Written:
    if isinstance(term, Letter):
        form = of_letter(term)
        return Written(form, POWER if form in _PRODUCTS else WHOLE, brackets)
    if isinstance(term, Name):
        in_latex = brackets[0] != "("
        name = term.name.replace("oo", r"\infty") if in_latex else term.name
        return Written(name, WHOLE, brackets)
    if isinstance(term, Number):
        return Written(term.printed, WHOLE, brackets)
    assert isinstance(term, Applied)
    parts = [_written(part, way, of_letter, brackets) for part in term.of]
    form, tight = way(word(term.head))(*parts)
    return Written(form, tight, brackets)


def _letter_text(letter: Letter) -> str:
    """A second moment of a sampler's law is written as a mean."""
    return plain(sp.Symbol(letter.name)) if letter.kind == "matrix" else letter.name


def _letter_latex(letter: Letter) -> str:
    """The noise covariance is B B^T, as in the papers."""
    product = letter.name == "C" and letter.kind == "matrix"
    return sympy_latex(sp.Symbol("BB^T" if product else letter.name))
