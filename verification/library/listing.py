"""What there is, as rows of words: samplers, models, claims, papers, experiments, conventions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Row = dict[str, Any]


def _samplers() -> list[dict[str, Any]]:
    from sgtheory.notation.printing import plain
    from sgtheory.registry import samplers
    from verification.conventions.cards import elsewhere

    return [
        {
            "name": name,
            "title": s.title,
            "words": _words(name),
            "update": [f"{target} -> {plain(expr)}" for target, expr in s.updates],
            "parameters": ", ".join(p.name for p in s.parameters),
            "loss": s.convention.loss,
            "drift": s.convention.drift,
            "noise": s.convention.noise,
            "N": s.convention.N,
            "temperature": s.convention.temperature,
            "order": s.convention.order,
            "elsewhere": [
                *(f"{theirs}: {match}; {seen}" for theirs, match, seen in elsewhere(name)),
                *(f"{t.library}: {t.words} (neither proved nor run)" for t in s.convention.translations),
            ],
            "cites": ", ".join(s.cites),
        }
        for name, s in samplers().items()
    ]


def _words(name: str) -> str:
    """Members of a family, as they are named in commands."""
    from sgtheory.registry import family

    found = family(name)
    if found is None:
        return ""
    return ", ".join(f"{name}:{word}" for word in found.examples) + ", and so on"


def _models() -> list[dict[str, Any]]:
    from sgtheory.notation.printing import plain
    from sgtheory.registry import models

    return [
        {
            "name": name,
            "title": m.title,
            "gradient": "of the examples drawn; no closed law" if m.nonlinear else plain(m.gradient),
            "example": plain(m.example) if m.example is not None else "",
            "problem keys": ", ".join(m.keys),
        }
        for name, m in models().items()
    ]


def _claims() -> list[dict[str, Any]]:
    from verification.library import all_claims

    return [
        {"name": c.id, "title": c.title, "at": c.at, "says": c.says, "stands": c.stands}
        for c in all_claims()
    ]


def _conventions() -> list[dict[str, Any]]:
    from verification.conventions.cards import cards

    return cards()


def _papers() -> list[dict[str, Any]]:
    from verification.library import claims, paper, paper_keys

    return [
        {
            "name": key,
            "title": paper(key).title,
            "authors": paper(key).authors,
            "venue": paper(key).venue,
            "claims": str(len(claims(key))),
        }
        for key in paper_keys()
    ]


def _experiments() -> list[dict[str, Any]]:
    from verification.experiments import experiments

    return [
        {
            "name": e.name,
            "title": e.title,
            "at": f"{e.paper} {e.locator}".strip(),
            "laptop": e.changed,
            "not printed": ", ".join(s.name for s in e.missing),
        }
        for e in experiments()
    ]


SCANS: Mapping[str, Callable[[], list[Row]]] = {
    "samplers": _samplers,
    "models": _models,
    "claims": _claims,
    "papers": _papers,
    "experiments": _experiments,
    "conventions": _conventions,
}
