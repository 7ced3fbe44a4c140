"""The words of matrices; sums, products and inverses are those of numbers."""

from __future__ import annotations

from typing import Any

from verification.terms.printing import Written
from verification.terms.term import Applied, Term, term
from verification.terms.words import WHOLE, Word


def _entry_latex(a: Written, i: Written, j: Written) -> tuple[str, int]:
    of, number = a.within(WHOLE), f"{int(i.form) + 1}{int(j.form) + 1}"
    if of.endswith("}") and "_{" in of:  # a letter has one subscript
        return rf"{of[:-1]}, {number}}}", WHOLE
    return rf"{of}_{{{number}}}", WHOLE


WORDS = (
    Word(
        "tr",
        lambda o, a: o.trace(a),
        lambda a: (rf"\operatorname{{Tr}}\left({a.form}\right)", WHOLE),
        lambda a: (f"tr({a.form})", WHOLE),
        "the trace of {0}",
    ),
    Word(
        "det",
        lambda o, a: o.determinant(a),
        lambda a: (rf"\det\left({a.form}\right)", WHOLE),
        lambda a: (f"det({a.form})", WHOLE),
        "the determinant of {0}",
    ),
    Word(
        "lambda_min",
        lambda o, a: o.extreme(a, -1),
        lambda a: (rf"\lambda_{{\min}}\left({a.form}\right)", WHOLE),
        lambda a: (f"lambda_min({a.form})", WHOLE),
        "the smallest eigenvalue of {0}, which is symmetric",
    ),
    Word(
        "lambda_max",
        lambda o, a: o.extreme(a, 1),
        lambda a: (rf"\lambda_{{\max}}\left({a.form}\right)", WHOLE),
        lambda a: (f"lambda_max({a.form})", WHOLE),
        "the largest eigenvalue of {0}, which is symmetric",
    ),
    Word(
        "entry",
        lambda o, a, i, j: o.entry(a, i, j),
        _entry_latex,
        lambda a, i, j: (f"entry({a.form}, {i.form}, {j.form})", WHOLE),
        "the entry of {0} in row {1}, column {2}, counted from 0",
    ),
)


def tr(x: Any) -> Term:
    """The trace."""
    return Applied("tr", (term(x),))


def det(x: Any) -> Term:
    """The determinant."""
    return Applied("det", (term(x),))
