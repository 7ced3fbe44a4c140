"""The words of matrices; sums, products and inverses are those of numbers."""

from __future__ import annotations

from math import isqrt
from typing import Any

from verification.terms.printing import Written
from verification.terms.term import Applied, Name, Term, term
from verification.terms.words import POWER, PRODUCT, SUM, WHOLE, Word


def _entry_latex(a: Written, i: Written, j: Written) -> tuple[str, int]:
    of, number = a.within(WHOLE), f"{int(i.form) + 1}{int(j.form) + 1}"
    if of.endswith("}") and "_{" in of:  # a letter has one subscript
        return rf"{of[:-1]}, {number}}}", WHOLE
    return rf"{of}_{{{number}}}", WHOLE


def _in_rows(blocks: tuple[Written, ...], beside: str, below: str) -> str:
    size = isqrt(len(blocks))
    forms = [block.form for block in blocks]
    return below.join(beside.join(forms[k * size : (k + 1) * size]) for k in range(size))


def _changed(changes: tuple[Written, ...], arrow: str) -> list[str]:
    return [f"{a.form} {arrow} {b.form}" for a, b in zip(changes[::2], changes[1::2], strict=True)]


def _elsewhere_latex(q: Written, sampler: Written, *changes: Written) -> tuple[str, int]:
    name = rf"_{{\text{{{sampler.form}}}}}" if sampler.form else ""
    moved = r",\; ".join(_changed(changes, r"\to"))
    return q.within(WHOLE) + name + (rf"\big|_{{{moved}}}" if moved else ""), WHOLE


def _elsewhere(q: Written, sampler: Written, *changes: Written) -> tuple[str, int]:
    name, moved = f" of {sampler.form}" if sampler.form else "", ", ".join(_changed(changes, "->"))
    return f"({q.form}){name}" + (f" with {moved}" if moved else ""), SUM


def _unspelt(*_: Any) -> Any:
    raise TypeError("another law is spelt out before anything is worked out of it")


def _mean(law: Written, of: str) -> str:
    return rf"\mathbb{{E}}_{{{law.form}}}\left[{of}\right]"


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
        "rank",
        lambda o, a: o.rank(a),
        lambda a: (rf"\operatorname{{rank}}\left({a.form}\right)", WHOLE),
        lambda a: (f"rank({a.form})", WHOLE),
        "the rank of {0}",
        counts=True,
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
    Word(
        "transpose",
        lambda o, a: o.transpose(a),
        lambda a: (
            rf"{{{a.within(WHOLE)}}}^{{\top}}" if "^" in a.form else rf"{a.within(WHOLE)}^{{\top}}",
            POWER,
        ),
        lambda a: (f"transpose({a.form})", WHOLE),
        "the transpose of {0}",
        keeps_matrices=True,
    ),
    Word(
        "diag",
        lambda o, a: o.diagonal(a),
        lambda a: (rf"\operatorname{{diag}}\left({a.form}\right)", WHOLE),
        lambda a: (f"diag({a.form})", WHOLE),
        "{0} without what is off its diagonal",
        keeps_matrices=True,
    ),
    Word(
        "exp_block",
        lambda o, i, j, *blocks: o.exp_block(i, j, *blocks),
        lambda i, j, *blocks: (
            rf"\left(\exp \begin{{pmatrix}} {_in_rows(blocks, ' & ', chr(92) * 2 + ' ')}"
            rf" \end{{pmatrix}}\right)_{{{int(i.form) + 1}{int(j.form) + 1}}}",
            WHOLE,
        ),
        lambda i, j, *blocks: (f"exp([{_in_rows(blocks, ', ', '; ')}])[{i.form}, {j.form}]", WHOLE),
        "the block in row {0}, column {1}, counted from 0, of the exponential of a matrix of blocks",
        keeps_matrices=True,
    ),
    Word(
        "spread_block",
        lambda o, i, j, *blocks: o.spread_block(i, j, *blocks),
        lambda i, j, *blocks: (
            rf"\operatorname{{spread}}_{{{int(i.form) + 1}{int(j.form) + 1}}}"
            rf"\left({', '.join(b.form for b in blocks)}\right)",
            WHOLE,
        ),
        lambda i, j, *blocks: (
            f"spread({', '.join(b.form for b in blocks)})[{i.form}, {j.form}]",
            WHOLE,
        ),
        "the block in row {0}, column {1} of what noise leaves in a unit of time, by drift and noise",
        keeps_matrices=True,
    ),
    Word(
        "elsewhere",
        _unspelt,
        _elsewhere_latex,
        _elsewhere,
        "{0} of the law of {1}, with parameters changed",
        keeps_matrices=True,
    ),
    Word(
        "form_at",
        lambda o, m, x: o.form_at(m, x),
        lambda m, x: (rf"\theta^{{\top}} {m.within(WHOLE)} \theta", PRODUCT),
        lambda m, x: (f"form_at({m.form}, {x.form})", WHOLE),
        "theta^T {0} theta at the theta whose outer product is {1}",
    ),
    Word(
        "mean_form",
        lambda o, m, v, q: o.mean_form(m, v, q),
        lambda m, v, q: (_mean(q, rf"\theta^{{\top}} {m.within(WHOLE)} \theta"), WHOLE),
        lambda m, v, q: (f"mean_form({m.form}, {v.form}, {q.form})", WHOLE),
        "the mean of theta^T {0} theta under {2}, the normal law with covariance {1}",
    ),
    Word(
        "mean_log",
        lambda o, w, f, v, q: o.mean_log(w, f, v, q),
        lambda w, f, v, q: (_mean(q, rf"\log {f.form}(\theta)"), WHOLE),
        lambda w, f, v, q: (f"mean_log({w.form}, {f.form}, {v.form}, {q.form})", WHOLE),
        "the mean of the log density of {1}, N(0, {0}), under {3}, which is N(0, {2})",
    ),
    Word(
        "KL",
        lambda o, v, q, w, f: o.divergence(v, q, w, f),
        lambda v, q, w, f: (rf"\mathrm{{KL}}({q.form} \| {f.form})", WHOLE),
        lambda v, q, w, f: (f"KL({v.form}, {q.form}, {w.form}, {f.form})", WHOLE),
        "the divergence of {1}, N(0, {0}), from {3}, N(0, {2})",
    ),
)


def elsewhere(x: Any, *changes: tuple[Any, Any], of: str = "") -> Term:
    """A quantity with parameters changed, ``(eps, eps / mu)``, or of another sampler's law."""
    parts = (term(part) for change in changes for part in change)
    return Applied("elsewhere", (term(x), Name(of), *parts))


def tr(x: Any) -> Term:
    """The trace."""
    return Applied("tr", (term(x),))


def det(x: Any) -> Term:
    """The determinant."""
    return Applied("det", (term(x),))


def rank(x: Any) -> Term:
    """The rank."""
    return Applied("rank", (term(x),))


def transpose(x: Any) -> Term:
    """The transpose."""
    return Applied("transpose", (term(x),))
