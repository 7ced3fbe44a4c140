"""Words and derivations of the other rooms, as blocks of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from reports.document import Block, Equation, Link, Math, Mono, Page, Paragraph, Span, Step, Steps
from reports.math.mathml import BadLatex, mathml
from reports.math.plain import plain
from reports.math.writing import formula, terms_of
from sgtheory.notation.derivation import Derivation
from sgtheory.notation.sentence import Formula, sentence

_LONG = 44  # letters of LaTeX beyond which a formula may be broken between its terms
# In plain words: what is typed, and a number with a power, as programs print them.
_MARKED = re.compile(
    r"`(?P<typed>[^`]+)`|(?<![\w.^])(?P<number>\d+(?:\.\d+)?)(?:e(?P<e>[+-]?\d+)|\^(?P<power>-?\d+))\b"
)
_BELOW = "0123456789aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"
_LOWER = str.maketrans(*_BELOW)
_STANDS = {
    "printed": "The paper prints",
    "read": "The paper says, as we read it",
    "derived": "What follows from the paper",
    "common": "What is commonly said, in our words",
}


def begins(stands: str) -> str:
    """How a page begins that shows a formula of a source; of a word that is none, the plain form.

    >>> begins("printed"), begins("prnted")
    ('The paper prints', 'The paper says')
    """
    return _STANDS.get(stands, "The paper says")


def typeset(words: str) -> tuple[Span, ...]:
    r"""A sentence, with what is marked in it as formulas.

    >>> from sgtheory.notation.sentence import sentence
    >>> typeset(sentence("$A$ and $B B^T$ commute"))
    (Math(latex='A', text='A'), ' and ', Math(latex='B B^{\\top}', text='B B^T'), ' commute')
    """
    return tuple(span for piece in sentence(words).pieces for span in _spans(piece)) or ("",)


def _spans(piece: str | Formula) -> Sequence[Span]:
    """A piece of a sentence; a long formula in its terms, so that a line may end between them."""
    if isinstance(piece, str):
        return _marked(piece.replace("+-", "±"))
    latex = piece.latex or formula(piece.text)
    if latex is None or not _can_be_typeset(latex):
        return [piece.text]
    terms = terms_of(latex) if len(latex) > _LONG else [latex]
    if len(terms) == 1:
        return [Math(latex, piece.text)]
    return [span for term in terms for span in (" ", Math(term))][1:]


def _marked(words: str) -> list[Span]:
    r"""Plain words, with names as they are typed and powers as formulas.

    >>> [getattr(s, "latex", s) for s in _marked("3.2e-05 of 10^5")], _marked("by `law sgd`")
    (['3.2 \\cdot 10^{-5}', ' of ', '10^{5}'], ['by ', Mono(text='law sgd')])
    """
    spans: list[Span] = []
    end = 0
    for found in _MARKED.finditer(words):
        spans += [words[end : found.start()]] if found.start() > end else []
        end = found.end()
        if found["typed"]:
            spans.append(Mono(found["typed"]))
            continue
        power = f"^{{{int(found['e'] or found['power'])}}}"
        tens = "10" if found["number"] == "1" else rf"{found['number']} \cdot 10"
        spans.append(Math((tens if found["e"] else found["number"]) + power, found[0]))
    return [*spans, *([words[end:]] if end < len(words) else [])]


def _can_be_typeset(latex: str) -> bool:
    """Sentences come from anywhere: what only looks like a formula stays as it was written."""
    try:
        mathml(latex)
    except BadLatex:
        return False
    return True


def title_of(words: str) -> str:
    """A title, which is plain text, with the signs that mathematics has.

    >>> title_of("At most $1 - gamma Sigma$"), title_of("$W_2 <= N^(-1/2)$"), title_of("err_max")
    ('At most 1 - γ Σ', 'W₂ ≤ N^(-1/2)', 'errₘₐₓ')
    """
    spans = typeset(words)
    told = "".join(
        plain(s.latex) if isinstance(s, Math) else s.text if isinstance(s, Mono) else str(s)
        for s in spans
    )
    return re.sub(rf"(?<=\w)_([{_BELOW[0]}]+)\b", lambda m: m[1].translate(_LOWER), told)


def steps_of(derivation: Derivation) -> Steps:
    """A derivation as numbered steps."""
    return Steps(
        tuple(
            Step(
                title_of(step.title),
                typeset(step.words),
                tuple(Equation(e.latex, text=e.text) for e in step.equations),
            )
            for step in derivation.steps
        )
    )


def page_of(derivation: Derivation, name: str) -> Page:
    """A derivation alone: its steps, and its results with labels to refer to."""
    results = (
        Equation(r.equation.latex, label=re.sub(r"[^A-Za-z0-9]+", "-", r.name), text=r.equation.text)
        for r in derivation.results
    )
    slug = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
    return Page(slug, title_of(derivation.title), (steps_of(derivation), *results))


def matrix_latex(rows: Sequence[Sequence[str]]) -> str:
    r"""Exact entries as a LaTeX matrix; fractions as fractions.

    >>> matrix_latex([["1", "1/2"]])
    '\\begin{pmatrix} 1 & \\tfrac{1}{2} \\end{pmatrix}'
    """
    body = r" \\ ".join(" & ".join(exact_latex(x) for x in row) for row in rows)
    return rf"\begin{{pmatrix}} {body} \end{{pmatrix}}"


def exact_latex(given: object) -> str:
    r"""An exact number, or a formula as programs print them, in LaTeX; LaTeX stays as it is.

    >>> exact_latex("-1/2"), exact_latex("x**2/4 + 1"), exact_latex(r"\text{all}")
    ('-\\tfrac{1}{2}', '\\frac{x^{2}}{4} + 1', '\\text{all}')
    """
    number = str(given)
    top, slash, bottom = number.partition("/")
    if slash and top.removeprefix("-").isdigit() and bottom.isdigit():
        sign = "-" if top.startswith("-") else ""
        return rf"{sign}\tfrac{{{top.removeprefix('-')}}}{{{bottom}}}"
    small = re.fullmatch(r"(-?[\d.]+)e([+-]?\d+)", number)
    if small:
        return rf"{small[1]} \cdot 10^{{{int(small[2])}}}"
    latex = formula(number)
    if latex is not None:
        return latex
    return number if re.search(r"[\\{}]", number) else rf"\text{{{_plainer(number)}}}"


def _plainer(words: str) -> str:
    return re.sub(r"[_^$&%#]", " ", words)


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
            parts.append(f"{letter_latex(name)} = {matrix_latex(value)}")
        else:
            parts.append(f"{letter_latex(name)} = {exact_latex(str(value))}")
    return r", \quad ".join(parts)


def letter_latex(name: str) -> str:
    r"""A letter of a problem; a name of several letters in upright words.

    >>> letter_latex("sigma_1"), letter_latex("prior_variance"), letter_latex("x2")
    ('\\sigma_{1}', '\\text{prior variance}', 'x_{2}')
    """
    first = name.partition("_")[0]
    latex = formula(name)
    if latex is None or (len(first) > 1 and latex.startswith(r"\text")):
        return rf"\text{{{_plainer(name)}}}"
    return latex


def installed() -> Paragraph:
    """What stands before a command that is to be typed."""
    return Paragraph(("With sgtheory ", Link("installed", "guide-first-ten-minutes#install"), ":"))


def paragraphs(blocks: Sequence[Block | None]) -> tuple[Block, ...]:
    """The blocks that are there."""
    return tuple(b for b in blocks if b is not None)
