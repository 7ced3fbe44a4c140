"""The words of matrices; sums, products and inverses are those of numbers."""

from __future__ import annotations

from math import isqrt
from typing import Any

from verification.terms.printing import Written, subscripted
from verification.terms.term import Applied, Name, Term, term
from verification.terms.walking import Unspelt
from verification.terms.words import POWER, PRODUCT, SUM, WHOLE, Word, function


def _entry_latex(a: Written, i: Written, j: Written) -> tuple[str, int]:
    return subscripted(a.within(WHOLE), f"{int(i.form) + 1}{int(j.form) + 1}"), WHOLE


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
    raise Unspelt("another law is spelt out before anything is worked out of it")


def _mean(law: Written, of: str) -> str:
    return rf"\mathbb{{E}}_{{{law.form}}}\left[{of}\right]"


def _form(m: Written) -> str:
    return rf"\theta^{{\top}} {m.within(WHOLE)} \theta"


def _form_text(m: Written) -> str:
    return f"theta^T {m.within(WHOLE)} theta"


def _transposed(a: Written) -> tuple[str, int]:
    of = a.within(WHOLE)
    return (rf"{{{of}}}^{{\top}}" if "^" in a.form else rf"{of}^{{\top}}", POWER)


def _exp_block(i: Written, j: Written, *blocks: Written) -> tuple[str, int]:
    rows = _in_rows(blocks, " & ", r"\\ ")
    place = f"{int(i.form) + 1}{int(j.form) + 1}"
    return rf"\left(\exp \begin{{pmatrix}} {rows} \end{{pmatrix}}\right)_{{{place}}}", WHOLE


def _spread_block(i: Written, j: Written, *blocks: Written) -> tuple[str, int]:
    name = rf"\operatorname{{spread}}_{{{int(i.form) + 1}{int(j.form) + 1}}}"
    return rf"{name}\left({', '.join(b.form for b in blocks)}\right)", WHOLE


_TR, _RANK, _DIAG = (rf"\operatorname{{{name}}}" for name in ("Tr", "rank", "diag"))

tr = function("tr", lambda o, a: o.trace(a), "the trace of {0}", _TR, of_multiples="one")
det = function("det", lambda o, a: o.determinant(a), "the determinant of {0}", of_multiples="one")
rank = function(
    "rank", lambda o, a: o.rank(a), "the rank of {0}", _RANK, counts=True, of_multiples="none"
)
transpose = function(
    "transpose",
    lambda o, a: o.transpose(a),
    "the transpose of {0}",
    _transposed,
    keeps_matrices=True,
    of_multiples="every",
)

WORDS = (
    tr,
    det,
    rank,
    function(
        "lambda_min",
        lambda o, a: o.extreme(a, -1),
        "the smallest eigenvalue of {0}, which is symmetric",
        r"\lambda_{\min}",
        of_multiples="every",
    ),
    function(
        "lambda_max",
        lambda o, a: o.extreme(a, 1),
        "the largest eigenvalue of {0}, which is symmetric",
        r"\lambda_{\max}",
        of_multiples="every",
    ),
    function(
        "entry",
        lambda o, a, i, j: o.entry(a, i, j),
        "the entry of {0} in row {1}, column {2}, counted from 0",
        _entry_latex,
        of_multiples="one",
    ),
    transpose,
    function(
        "diag",
        lambda o, a: o.diagonal(a),
        "{0} without what is off its diagonal",
        _DIAG,
        keeps_matrices=True,
        of_multiples="every",
    ),
    Word(
        "exp_block",
        lambda o, i, j, *blocks: o.exp_block(i, j, *blocks),
        _exp_block,
        lambda i, j, *blocks: (f"exp([{_in_rows(blocks, ', ', '; ')}])[{i.form}, {j.form}]", WHOLE),
        "the block in row {0}, column {1}, counted from 0, of the exponential of a matrix of blocks",
        keeps_matrices=True,
    ),
    Word(
        "spread_block",
        lambda o, i, j, *blocks: o.spread_block(i, j, *blocks),
        _spread_block,
        lambda i, j, *b: (f"spread({', '.join(x.form for x in b)})[{i.form}, {j.form}]", WHOLE),
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
        lambda m, x: (_form(m), PRODUCT),
        lambda m, x: (_form_text(m), PRODUCT),
        "theta^T {0} theta at the theta whose outer product is {1}",
    ),
    Word(
        "mean_form",
        lambda o, m, v, q: o.mean_form(m, v, q),
        lambda m, v, q: (_mean(q, _form(m)), WHOLE),
        lambda m, v, q: (f"E_{q.form}[{_form_text(m)}]", WHOLE),
        "the mean of theta^T {0} theta under {2}, the normal law with covariance {1}",
    ),
    Word(
        "mean_log",
        lambda o, w, f, v, q: o.mean_log(w, f, v, q),
        lambda w, f, v, q: (_mean(q, rf"\log {f.form}(\theta)"), WHOLE),
        lambda w, f, v, q: (f"E_{q.form}[log {f.form}(theta)]", WHOLE),
        "the mean of the log density of {1}, N(0, {0}), under {3}, which is N(0, {2})",
    ),
    function(
        "KL",
        lambda o, v, q, w, f: o.divergence(v, q, w, f),
        "the divergence of {1}, N(0, {0}), from {3}, N(0, {2})",
        lambda v, q, w, f: (rf"\mathrm{{KL}}({q.form} \| {f.form})", WHOLE),
    ),
    Word(
        "normal_W2",
        lambda o, v, q, w, f: o.transported(v, q, w, f),
        lambda v, q, w, f: (rf"W_2\left({q.form}, {f.form}\right)", WHOLE),
        lambda v, q, w, f: (f"W_2({q.form}, {f.form})", WHOLE),
        "the Wasserstein distance of {1}, N(0, {0}), and {3}, N(0, {2})",
    ),
    Word(
        "normal_TV",
        lambda o, v, q, w, f: o.total_variation(v, q, w, f),
        lambda v, q, w, f: (rf"\mathrm{{TV}}\left({q.form}, {f.form}\right)", WHOLE),
        lambda v, q, w, f: (f"TV({q.form}, {f.form})", WHOLE),
        "the total variation distance of {1}, N(0, {0}), and {3}, N(0, {2}), of numbers",
    ),
)


def elsewhere(x: Any, *changes: tuple[Any, Any], of: Any = "") -> Term:
    """A quantity with parameters changed, ``(eps, eps / mu)``, or of another sampler's law.

    ``of`` is one of our samplers by its name, or a declaration.
    """
    parts = (term(part) for change in changes for part in change)
    name = of if isinstance(of, str) else of.name or f"the sampler {dict(of.updates)}"
    return Applied("elsewhere", (term(x), Name(name, None if isinstance(of, str) else of), *parts))
