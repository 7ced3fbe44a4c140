"""How far a statement on the process is from the discrete algorithm: first terms of gaps."""

from __future__ import annotations

import math
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Formula
from sgtheory.notation.printing import latex, plain
from verification.refuter.parameters import Is, written_under
from verification.terms.asymptotics import Undecided, first_terms
from verification.theories.matrices.balance import Balance, in_one_dimension
from verification.verdicts.verdict import Gap


def gap_of(sides: tuple[Any, ...], step: Any, up_to_constant: bool, about: Balance) -> Gap | None:
    """How far two sides are apart as the step, or what is small beside it, vanishes, in one dimension.

    In all others the discrete law tends to the process's as fast.
    """
    values = in_one_dimension(sides, about)
    if values is None:
        return None
    equations = tuple(c for c in about.given if isinstance(c, Is))
    small, (letter,) = sp.Dummy(positive=True), step.free_symbols
    of_small = small if step == letter else 1 / small
    left, right = (written_under(v, equations).subs(letter, of_small) for v in values)
    try:
        if up_to_constant:
            terms = first_terms(left - right, small, count=2)
            term = next((t for t in terms if t.power > 0), None)
        else:
            term = first_terms(sp.cancel((left - right) / right), small, count=1)[0]
    except (Undecided, ZeroDivisionError):
        return None
    if term is None or not 0 < term.power < math.inf:
        return None
    written = sp.factor(term.written(small).subs(small, step))
    words = "gap beyond the constant" if up_to_constant else "relative gap"
    return Gap(plain(step), str(term.power), Formula(latex(written), plain(written)), words)
