"""Expressions that stand by themselves, the right side of an update or a density; means under laws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verification.terms.term import Applied, Letter, Term, number
from verification.texts.letters import Letters
from verification.texts.parsing import parsed
from verification.texts.shapes import at
from verification.texts.tokens import Tokens
from verification.texts.unclear import Unclear


def expression(written: str, letters: Letters, tex: bool = False, steps: bool = False) -> Any:
    """Its tree; of a line of ``steps``, where letters have a step and nabla is a gradient."""
    tokens = Tokens(f"$0 = {written}$", letters, (), tex, steps).read()
    return parsed(tokens, len(written)).children[0].children[0].children[0].children[-1]


def moments(formulas: Any, name: str, group: Any, mean: Callable[[Term], Term]) -> Term:
    """A mean, a variance or a covariance, by what means are."""
    parts = [formulas.term(part) for part in group.children[0].children]
    if len(parts) > 2 - (name != "Cov"):
        raise Unclear(f"one formula under {name}", str(len(parts)), "state it of each", at(group))
    if name == "E":
        return mean(parts[0])
    if name in ("Skew", "Kurt"):  # of a number less its mean, over its standard deviation
        power = number(3 if name == "Skew" else 4)
        first, second = mean(parts[0]), mean(parts[0] ** number(2))
        rest = mean(parts[0] ** number(3)) - 3 * first * second + 2 * first**3
        if name == "Kurt":
            rest = mean(parts[0] ** power) - 4 * first * mean(parts[0] ** number(3))
            rest = rest + 6 * first**2 * second - 3 * first**4
        return rest / (second - first**2) ** (power / 2)
    return mean(parts[0] * parts[-1]) - mean(parts[0]) * mean(parts[-1])


def under(formulas: Any, name: str, density: str, group: Any) -> Term:
    """The same under a density of the table of letters, in the place of a chain."""
    letters: Letters = formulas.letters
    if not letters.place:
        told = "name a sampler of the text that is a step on a line"
        raise Unclear(f"a place for the density {density}", "none", told, at(group))
    written = formulas.term(expression(letters.densities[density], letters))
    power = written.of[0] if isinstance(written, Applied) and written.head == "exp" else None
    over = Applied("log", (written,)) if power is None else power
    place = letters.find(letters.place)
    return moments(formulas, name, group, lambda body: Applied("mean_under", (over, body, place)))


def applied(formulas: Any, name: str, parts: list[Term], tree: Any) -> Term:
    """A function of the table, with as many derivatives as its name has primes."""
    plain = name.rstrip("'")
    found: Term = Applied("of", (formulas.letters.find(plain), *parts))
    if name != plain and not (len(parts) == 1 and isinstance(parts[0], Letter)):
        raise Unclear("a letter in the brackets", str(found), "a derivative is at a letter", at(tree))
    for _ in name[len(plain) :]:
        found = Applied("partial", (found, parts[0]))
    return found
