"""How a foreign function may be called: with what is handed to it, and parameters by their names."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sgtheory.errors import UnusableInput


def accepted(function: Callable[..., Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """Those parameters that a function has a name for; all of them where it takes any."""
    try:
        known = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return dict(params)
    if any(p.kind is p.VAR_KEYWORD for p in known):
        return dict(params)
    names = {p.name for p in known if p.kind is not p.POSITIONAL_ONLY}
    return {n: x for n, x in params.items() if n in names}


def check_signature(
    function: Callable[..., Any], given: Sequence[str], params: Mapping[str, Any]
) -> None:
    """Raise where a function asks for what no one will hand to it: our own words before its TypeError.

    ``given`` are the names, for the message, of what is handed in first and by place.

    >>> def step(theta, gradient, rng, epsilon): ...
    >>> check_signature(step, ("state", "gradient", "rng"), {"eps": 0.1, "N": 10})
    Traceback (most recent call last):
    sgtheory.errors.UnusableInput: expected parameters of step among eps, N; got epsilon; rename it eps
    """
    try:
        every = tuple(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of something that cannot be looked into
        return
    name = getattr(function, "__name__", "the step")
    placed = [p for p in every if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(placed) < len(given) and not any(p.kind is p.VAR_POSITIONAL for p in every):
        called = f"{name}({', '.join(given)}, **params)"
        raise UnusableInput(
            called, f"{name}({', '.join(p.name for p in every)})", "take these, in this order"
        )
    named = [*placed[len(given) :], *(p for p in every if p.kind is p.KEYWORD_ONLY)]
    unknown = [p.name for p in named if p.default is p.empty and p.name not in params]
    if unknown:
        known = ", ".join(params) or "none"
        near = difflib.get_close_matches(unknown[0], list(params), 1)
        remedy = f"rename it {near[0]}" if near else "give it a default"
        raise UnusableInput(f"parameters of {name} among {known}", ", ".join(unknown), remedy)
