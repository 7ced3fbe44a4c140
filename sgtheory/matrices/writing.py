"""Matrix expressions as text and as LaTeX."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.matrices.letters import Block, DiagonalPart, Factor, Word
from sgtheory.matrices.sums import Matrix
from sgtheory.notation import printing


class _Style:
    """How one notation writes factors, products and sums."""

    times, identity = "*", "I"

    def scalar(self, c: Any) -> str:
        return printing.plain(c)

    def name(self, name: str) -> str:
        return name

    def bracket(self, inner: str) -> str:
        return f"({inner})"

    def diagonal(self, inner: str) -> str:
        return f"diag({inner})"

    def raised(self, base: str, power: Fraction, transposed: bool) -> str:
        out = base + ("^T" if transposed else "")
        if power == 1:
            return out
        return f"{out}^{power}" if power.denominator == 1 else f"{out}^({power})"

    def in_front(self, c: Any, word: str) -> str:
        top, bottom = sp.fraction(c)
        left = "" if top == 1 else self._factor(top) + self.times
        right = "" if bottom == 1 else "/" + self._factor(bottom, below=True)
        return f"{left}{word}{right}"

    def _factor(self, c: Any, below: bool = False) -> str:
        text = self.scalar(c)
        return f"({text})" if c.is_Add or (below and not c.is_Atom) else text


class _Latex(_Style):
    times, identity = " ", r"\mathbf{I}"

    def scalar(self, c: Any) -> str:
        return printing.latex(c)

    def name(self, name: str) -> str:
        return printing.latex(sp.Symbol(name))

    def bracket(self, inner: str) -> str:
        return rf"\left({inner}\right)"

    def diagonal(self, inner: str) -> str:
        return rf"\operatorname{{diag}}\left({inner}\right)"

    def raised(self, base: str, power: Fraction, transposed: bool) -> str:
        if power == 1:
            return base + (r"^{\top}" if transposed else "")
        if transposed:
            return rf"{base}^{{-\top}}" if power == -1 else rf"\left({base}^{{\top}}\right)^{{{power}}}"
        return rf"{base}^{{{power}}}"

    def in_front(self, c: Any, word: str) -> str:
        if c == 1:
            return word
        text = self.scalar(c)
        return (self.bracket(text) if c.is_Add else text) + " " + word


_PLAIN, _LATEX = _Style(), _Latex()


def _write_factor(f: Factor, style: _Style) -> str:
    if isinstance(f.base, Block):
        base = style.bracket(_write_sum(f.base.terms, style))
    elif isinstance(f.base, DiagonalPart):
        base = style.diagonal(_write_word(f.base.word, style))
    else:
        base = style.name(f.base.name)
    return style.raised(base, f.power, f.transposed)


def _write_word(word: Word, style: _Style) -> str:
    return style.times.join(_write_factor(f, style) for f in word) or style.identity


def _write_sum(terms: tuple[tuple[Word, Any], ...], style: _Style) -> str:
    out = ""
    for word, c in terms:
        tidy = sp.factor(c)
        minus = tidy.could_extract_minus_sign()
        text = style.in_front(-tidy if minus else tidy, _write_word(word, style))
        if out:
            out += f" - {text}" if minus else f" + {text}"
        else:
            out = f"-{text}" if minus else text
    return out or "0"


def _write(value: Any, style: _Style) -> str:
    if isinstance(value, Matrix):
        return _write_sum(value.terms, style)
    if hasattr(value, "left") and hasattr(value, "right"):
        return f"{_write(value.left, style)} = {_write(value.right, style)}"
    return style.scalar(sp.sympify(value))


def plain(value: Any) -> str:
    """A matrix, a scalar or an equation on one line of text.

    >>> from sgtheory.matrices.sums import matrix
    >>> A, B = matrix("A", "positive_definite"), matrix("B")
    >>> plain(A**-1 * B.T / 2 - 3)
    '-3*I + A^-1*B^T/2'
    """
    return _write(value, _PLAIN)


def latex(value: Any) -> str:
    r"""A matrix, a scalar or an equation in LaTeX.

    >>> from sgtheory.matrices.sums import matrix
    >>> A, B = matrix("A", "positive_definite"), matrix("B")
    >>> print(latex(A**-1 * B.T / 2 - 3))
    -3 \mathbf{I} + \frac{1}{2} A^{-1} B^{\top}
    """
    return _write(value, _LATEX)


def word_plain(word: Word) -> str:
    """A word on one line of text."""
    return _write_word(word, _PLAIN)


def word_latex(word: Word) -> str:
    """A word in LaTeX."""
    return _write_word(word, _LATEX)
