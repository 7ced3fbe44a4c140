"""What is true instead of a statement about minibatches that is not, and what careless ones say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from sgtheory.printing import latex, plain
from verification.batchwords import Average, BatchAverage, Degree, First
from verification.claims.base import Printed
from verification.miner.drawing import Drawn
from verification.prover.closed import written
from verification.prover.draws import Form, Reader, degree_of
from verification.prover.vectors import Misfit
from verification.verdict import Correction

IRREDUCIBLE = "cannot be simplified"


@dataclass(frozen=True)
class NoSimpler(Printed):
    """``left`` cannot be written without its expectation over minibatches."""

    right: Any = 0
    relation: str = IRREDUCIBLE

    def latex(self) -> str:
        """As typeset."""
        return rf"{latex(sp.sympify(self.left))} \quad \text{{cannot be simplified}}"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} cannot be simplified"


def corrected(claim: Any) -> Correction | None:
    """The right side times what is missing, else the left side as averages over the data."""
    found: dict[str, tuple[Printed, ...]] = {}
    for scheme in claim.schemes:
        made = [_corrected(claim, p, scheme) for p in claim.printed]
        if any(m is None for m in made):
            return None
        found[scheme] = tuple(m for m in made if m is not None)
    if not found or set(found.values()) == {claim.printed}:
        return None
    for scheme, printed in found.items():
        given = (*claim.given, Drawn((), scheme))
        if replace(claim, printed=printed, given=given, grows=None).find().verdict != "proved":
            return None
    if len(set(found.values())) == 1:
        printed = next(iter(found.values()))
        sizes = "for every N, S and dimension, and all data"
        words = sizes if claim.is_random else "for all data, in every dimension"
        return Correction(
            _joined(printed, latex_of), _joined(printed, text_of), "proved", words, printed
        )
    parts = [(w, p) for w, p in found.items() if p != claim.printed]
    shown = r" \qquad ".join(rf"{_joined(p, latex_of)} \quad \text{{({w})}}" for w, p in parts)
    text = "; ".join(f"{_joined(p, text_of)} ({w})" for w, p in parts)
    return Correction(shown, text, "proved", "for every N, S and dimension, and all data", parts[0][1])


def _corrected(claim: Any, printed: Printed, scheme: str) -> Printed | None:
    reader = claim.reader(scheme)
    try:
        if printed.relation == "<=":
            return replace(printed, right=degrees(printed.left, reader))
        left, right = claim.forms(printed, scheme)
    except (Misfit, NotImplementedError):
        return None
    if printed.relation == "=" and left.terms == right.terms:
        return printed
    factor = _factor(left, right)
    if factor is not None:
        return Printed(printed.left, reader.written(factor) * printed.right)
    shown = written(left, reader)
    return None if shown is None else Printed(printed.left, shown)


def degrees(expr: Any, reader: Reader) -> Any:
    """A number made of degrees."""
    return sp.sympify(expr).replace(
        lambda e: isinstance(e, Degree), lambda e: sp.Integer(degree_of(reader.read(e.args[0])))
    )


def _factor(left: Form, right: Form) -> Any:
    """A number by which the right side has to be multiplied, or None."""
    if set(left.terms) != set(right.terms) or not left.terms:
        return None
    ratios = {left.terms[m] / right.terms[m] for m in left.terms}
    return ratios.pop() if len(ratios) == 1 else None


def latex_of(p: Printed) -> str:
    """One relation."""
    return p.latex()


def text_of(p: Printed) -> str:
    """One relation."""
    return p.text()


def _joined(printed: tuple[Printed, ...], write: Any) -> str:
    return (r" \qquad " if write is latex_of else "; ").join(write(p) for p in printed)


def exchanged(expr: Any) -> Iterator[tuple[str, Any]]:
    """Averages over the data, over a minibatch, and single examples taken for each other."""
    for one, other in ((Average, BatchAverage), (BatchAverage, First)):
        if expr.has(one):
            wrong = expr.replace(one, other)
            yield f"{other.__name__} for {one.__name__}", wrong
