"""Two declarations side by side: as it should be, as it seems to be, what differs underlined."""

from __future__ import annotations

from typing import Any

from reports.document import Block, Equation, Paragraph
from sgtheory.notation.derivation import Equation as Formula
from sgtheory.notation.printing import Latex, latex


def updates_beside(true: Any, wrong: Any) -> list[Block]:
    """The updates of two samplers, with the terms that are in one of them only underlined.

    >>> from sgtheory import registry
    >>> first, second = registry.sampler("momentum"), registry.sampler("sghmc_velocity_first")
    >>> [type(block).__name__ for block in updates_beside(first, second)][:2]
    ['Paragraph', 'Equation']
    """
    return [
        Paragraph("As it should be, in this order:"),
        *_updates(true, wrong),
        Paragraph("As it seems to be, what differs underlined:"),
        *_updates(wrong, true),
    ]


def _updates(sampler: Any, other: Any) -> list[Block]:
    """Each update as it is printed on the sampler's own page, held against the same one of the other."""
    against = _paired(sampler, other)
    blocks: list[Block] = []
    for (target, expr), twin in zip(sampler.updates, against, strict=True):
        text = Formula(target, expr, "<-").text
        left = latex(target)
        if twin is None:
            left = rf"\underline{{{left}}}"
        blocks.append(Equation(rf"{left} \leftarrow {marked(expr, twin)}", text=text))
    return blocks


def _paired(sampler: Any, other: Any) -> list[Any]:
    """For each update that of the other which writes the same state as often; None if there is none."""
    mine, theirs = ([t for t, _ in s.updates] for s in (sampler, other))
    if mine == theirs:
        return [expr for _, expr in other.updates]
    counted = [(t, mine[:k].count(t)) for k, t in enumerate(mine)]
    known = {(t, theirs[:k].count(t)): expr for k, (t, expr) in enumerate(other.updates)}
    return [known.get(key) for key in counted]


def marked(expr: Any, twin: Any) -> str:
    r"""An expression with the terms that another does not have underlined.

    >>> import sympy as sp
    >>> x, y, z = sp.symbols("x y z")
    >>> marked(x - y, x - z)
    'x \\;\\underline{- y}'
    """
    if twin is None or expr == twin:
        return latex(expr)
    if not expr.is_Add:
        return rf"\underline{{{latex(expr)}}}"
    common, written = set(twin.as_ordered_terms()), ""
    for term in Latex({})._as_ordered_terms(expr):
        one = latex(term)
        sign = "" if not written or one.startswith("-") else "+ "
        if term not in common:
            part = rf"\underline{{{sign}{one}}}"
            written += rf" \;{part}" if written else part
        else:
            written += f" {sign}{one}" if written else one
    return written
