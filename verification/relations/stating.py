"""What an author gives as a statement, as one of ours."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.errors import DeclarationError, shown
from verification.relations.compare import Compare
from verification.relations.equal import Equal

_SIGNS = {sp.Eq: "=", sp.Ne: "!=", sp.Lt: "<", sp.Le: "<=", sp.Gt: ">", sp.Ge: ">="}


def statement(given: Any) -> Any:
    """A statement of ours as it is, a relation of SymPy as one of ours; all else is refused.

    >>> from sympy.abc import x, y
    >>> statement(x <= y).text()
    'x <= y'
    """
    if hasattr(given, "relations"):
        return given
    sign = _SIGNS.get(type(given))
    if sign is None:
        raise DeclarationError(
            "a statement",
            shown(given),
            "give a relation: Equal(a, b), a <= b, or several in All()",
        )
    return Equal(given.lhs, given.rhs) if sign == "=" else Compare(given.lhs, sign, given.rhs)
