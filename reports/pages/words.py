"""Words and derivations of the other rooms, as blocks of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from reports.document import Block, Equation, Math, Span, Step, Steps
from sgtheory.derivation import Derivation

# Plain names in the sentences of other rooms, and how a page typesets them.
_TYPESET = (
    (r"\(lambda_i - lambda_j\)\^2 C_ij", r"(\lambda_i - \lambda_j)^2 C_{ij}"),
    (r"alpha H \+ H W H = 0", r"\alpha H + H W H = 0"),
    (r"H = -alpha W\^\(-1\)", r"H = -\alpha W^{-1}"),
    (r"Sigma = A\^\(-1\)/N", r"\Sigma = A^{-1}/N"),
    (r"log det Sigma = D log eps", r"\log \det \Sigma = D \log \epsilon"),
    (r"KL\(q \|\| f\) = 0", r"\mathrm{KL}(q \,\|\, f) = 0"),
    (r"P_ij\(0\) = 0", r"P_{ij}(0) = 0"),
    (r"2\^61 - 1", r"2^{61} - 1"),
    (r"H\^\(1/2\)", r"H^{1/2}"),
    (r"H\^\(-1\)", r"H^{-1}"),
    (r"\bB B\^T", r"B B^{\top}"),
    (r"lambda_i\b", r"\lambda_i"),
    (r"lambda_j\b", r"\lambda_j"),
    (r"\blambda\b", r"\lambda"),
    (r"\(theta, v\)", r"(\theta, v)"),
    (r"\(theta\)", r"(\theta)"),
    (r"\bexp\(F k\)", r"e^{F k}"),
    (r"\bM\^k\b", r"M^k"),
)
_ANY = re.compile("|".join(f"(?:{pattern})" for pattern, _ in _TYPESET))


def typeset(words: str) -> tuple[Span, ...]:
    r"""A sentence with its mathematical names as formulas.

    >>> typeset("A and B B^T commute")
    ('A and ', Math(latex='B B^{\\top}', text='B B^T'), ' commute')
    """
    spans: list[Span] = []
    end = 0
    for found in _ANY.finditer(words):
        if found.start() > end:
            spans.append(words[end : found.start()])
        spans.append(Math(_latex_of(found[0]), found[0]))
        end = found.end()
    if end < len(words):
        spans.append(words[end:])
    return tuple(spans) or ("",)


def _latex_of(name: str) -> str:
    return next(latex for pattern, latex in _TYPESET if re.fullmatch(pattern, name))


def steps_of(derivation: Derivation) -> Steps:
    """A derivation as numbered steps."""
    return Steps(
        tuple(
            Step(
                step.title,
                typeset(step.words),
                tuple(Equation(e.latex, text=e.text) for e in step.equations),
            )
            for step in derivation.steps
        )
    )


def matrix_latex(rows: Sequence[Sequence[str]]) -> str:
    r"""Exact entries as a LaTeX matrix; fractions as fractions.

    >>> matrix_latex([["1", "1/2"]])
    '\\begin{pmatrix} 1 & \\tfrac{1}{2} \\end{pmatrix}'
    """
    body = r" \\ ".join(" & ".join(exact_latex(x) for x in row) for row in rows)
    return rf"\begin{{pmatrix}} {body} \end{{pmatrix}}"


def exact_latex(number: str) -> str:
    r"""An exact number in LaTeX; a formula stays as it is.

    >>> exact_latex("-1/2"), exact_latex("x**2/4 + 1")
    ('-\\tfrac{1}{2}', 'x**2/4 + 1')
    """
    top, slash, bottom = str(number).partition("/")
    if not (slash and top.removeprefix("-").isdigit() and bottom.isdigit()):
        return str(number)
    sign = "-" if top.startswith("-") else ""
    return rf"{sign}\tfrac{{{top.removeprefix('-')}}}{{{bottom}}}"


def problem_latex(problem: Mapping[str, Any]) -> str:
    """The exact numbers of a small problem in one formula."""
    parts = []
    if "hessian" in problem:
        parts += [
            f"A = {matrix_latex(problem['hessian'])}",
            rf"B B^{{\top}} = {matrix_latex(problem['noise'])}",
        ]
        scalars = {k: problem[k] for k in ("N", "S") if k in problem} | dict(problem["params"])
    else:
        scalars = dict(problem)
    for name, value in scalars.items():
        if isinstance(value, list):
            parts.append(f"{_letter(name)} = {matrix_latex(value)}")
        else:
            parts.append(f"{_letter(name)} = {exact_latex(str(value))}")
    return r", \quad ".join(parts)


_GREEK = {"eps": r"\epsilon", "mu": r"\mu"}


def _letter(name: str) -> str:
    """A name with everything after its first underscore below it."""
    first, _, below = name.partition("_")
    return f"{first}_{{{below.replace('_', ', ')}}}" if below else _GREEK.get(name, name)


def paragraphs(blocks: Sequence[Block | None]) -> tuple[Block, ...]:
    """The blocks that are there."""
    return tuple(b for b in blocks if b is not None)
