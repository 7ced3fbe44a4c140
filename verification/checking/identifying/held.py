"""With which options a step is held against what it was found to be: the way back, solved."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.notation.printing import plain
from verification.checking.identifying.drifts import IDENTITY
from verification.checking.identifying.explaining import Explanation
from verification.checking.identifying.letters import Letters


def options(e: Explanation, letters: Letters) -> tuple[str, ...] | None:
    """What to type behind ``--like``; None where no options say it.

    >>> from sgtheory import registry
    >>> lr, momentum = sp.symbols("lr momentum")
    >>> given = (("alpha", 1 - momentum), ("eta", lr), ("tau", sp.Rational(1, 2)))
    >>> sghmc = registry.sampler("sghmc")
    >>> options(Explanation("sghmc", given, 1.0, sghmc, None), Letters(("momentum", "lr")))
    ('--with momentum="1 - alpha"', '--with lr=eta', '--fix tau=1/2')
    """
    if e.heat != 1 or e.decay != 0:
        return None
    found = []
    names = {sp.Symbol(letter): name for name, letter in letters.letter.items()}
    solved = _solved(e, list(names))
    if solved is None:
        return None
    for symbol, value in solved.items():
        text = plain(value)
        if text != names[symbol]:
            found.append(f"--with {names[symbol]}=" + (f'"{text}"' if " " in text else text))
    defaults = {p.name: e.sampler.default(p) for p in e.sampler.parameters}
    for name, value in e.given:
        fixed = value == IDENTITY or not sp.sympify(value).free_symbols
        if fixed and str(value) != str(defaults.get(name)):
            found.append(f"--fix {name}={value}")
    return tuple(found)


def _solved(e: Explanation, letters: list[Any]) -> dict[Any, Any] | None:
    """Each letter of the step that says something, in the declaration's; None without one way."""
    hidden = {s: sp.Symbol(f"own_{s}", positive=True) for s in letters}
    equations, wanted = [], set()
    for name, value in e.given:
        expr = _bare(sp.sympify(value))
        here = expr.free_symbols & set(letters)
        if value == IDENTITY or not expr.free_symbols:
            continue
        if not here:  # of sizes alone: no option says that
            return None
        wanted |= here
        equations.append(expr.subs(hidden) - sp.Symbol(name, positive=True))
    if not equations:
        return {}
    unknown = [hidden[s] for s in letters if s in wanted]
    try:
        found = sp.solve(equations, unknown, dict=True)
    except NotImplementedError:
        return None
    if len(found) != 1 or set(found[0]) != set(unknown):
        return None
    return {s: _bare(sp.simplify(found[0][hidden[s]])) for s in letters if s in wanted}


def _bare(expr: Any) -> Any:
    """With plain symbols, so that the same letter is the same."""
    return expr.xreplace({s: sp.Symbol(s.name) for s in expr.free_symbols})
