"""Places and numbers of such statements as they are shown."""

from __future__ import annotations

from typing import Any

from verification.refuter.places import Place
from verification.spectral.exponomials import Exponomial

_DIGITS = 12  # of numbers that are not rational


def shown_problem(claim: Any, place: Place) -> tuple[dict[str, Any], str]:
    """A place as a problem file's content, and what is not in one."""
    if not claim.of:
        return place.to_json(), ""
    matrices = {n: [[str(x) for x in row] for row in m] for n, m in place.matrices.items()}
    scalars = {n: str(x) for n, x in place.scalars.items()}
    own = {p.name for p in claim.setting.sampler.parameters}
    content: dict[str, Any] = {"model": "quadratic"}
    content |= {n: scalars[n] for n in ("N", "S") if n in scalars}
    given = {n: v for n, v in (*scalars.items(), *matrices.items()) if n in own}
    content |= {"params": given, "hessian": matrices["A"], "noise": matrices.get("C", matrices["A"])}
    rest = {n: x for n, x in scalars.items() if n not in own | {"N", "S"}}
    return content, ", ".join(f"{n} = {x}" for n, x in rest.items())


def as_text(rows: Any) -> list[list[str]]:
    """Entries as fractions, or to twelve digits."""
    return [[_number(x) for x in row] for row in rows]


def _number(x: Exponomial) -> str:
    import mpmath

    try:
        return str(x.rational)
    except TypeError:
        return str(mpmath.nstr(x.decimal(), _DIGITS))


def precision(sides: Any) -> str:
    """How both sides are shown, where they are not exact."""
    entries = [x for rows in (sides.left, sides.right) for row in rows for x in row]
    return " to twelve digits" if any("." in x for x in entries) else ""
