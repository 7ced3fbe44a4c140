"""What parts of a formula look like, before anything is made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lark import Token, Tree


def at(tree: Any) -> int:
    """Where a part of a statement begins."""
    if isinstance(tree, Token):
        return int(tree.start_pos or 0)
    found = [at(part) for part in tree.children]
    return min(found, default=0)


def is_name(tree: Any, name: str) -> bool:
    """Whether a part is this name."""
    return getattr(tree, "data", "") == "name" and str(tree.children[0]) == name


def only_name(tree: Any) -> str:
    """The name that a part consists of."""
    while isinstance(tree, Tree) and tree.data in ("sum", "product", "name") and len(tree.children) == 1:
        tree = tree.children[0]
    return str(tree) if isinstance(tree, Token) else ""


def names_in(tree: Any) -> set[str]:
    """The names that occur without a prime."""
    if isinstance(tree, Token) or tree.data == "primed":
        return set()
    if tree.data == "name":
        return {str(tree.children[0])}
    return {name for part in tree.children for name in names_in(part)}


def put(tree: Any, instead: Callable[[Any], Any]) -> Any:
    """A tree with what stands ``instead`` of some parts of it, where that is not None."""
    if isinstance(tree, Token):
        return tree
    found = instead(tree)
    return Tree(tree.data, [put(part, instead) for part in tree.children]) if found is None else found


def is_normal(parts: list[Any]) -> bool:
    """Whether two factors are ``N(0, V)``."""
    name, group = parts
    inside = group.children[0].children if getattr(group, "data", "") == "group" else []
    return is_name(name, "N") and len(inside) == 2 and zero(inside[0])


def zero(tree: Any) -> bool:
    """Whether a part is 0."""
    return only_number(tree) == "0"


def only_number(tree: Any) -> str:
    """The number that a part consists of."""
    while isinstance(tree, Tree) and len(tree.children) == 1:
        tree = tree.children[0]
    return str(tree)


def changes(tree: Any) -> list[tuple[Any, Any]]:
    """The letters that change in ``Sigma[h -> h/2]``."""
    if getattr(tree, "data", "") != "group":
        return []
    inside = tree.children[0].children
    if not inside or any(getattr(part, "data", "") != "change" for part in inside):
        return []
    return [(part.children[0], part.children[1]) for part in inside]


def factors(tree: Any, called: Mapping[str, str]) -> list[str]:
    """A product of states under a mean, as words; what is ``called`` otherwise by its own name."""
    while isinstance(tree, Tree) and tree.data in ("sum", "product") and len(tree.children) == 1:
        tree = tree.children[0]
    parts = tree.children if getattr(tree, "data", "") == "product" else [tree]
    return [factor(part, called) for part in parts]


def factor(part: Any, called: Mapping[str, str]) -> str:
    """A factor of such a product."""
    if getattr(part, "data", "") == "raised":
        base, power = part.children
        above = "T" if getattr(power, "data", "") in ("top", "group") else only_name(power)
        above = above or (str(power.children[0]) if getattr(power, "data", "") == "number" else "?")
        return f"{called.get(only_name(base), only_name(base))}^{above}"
    return called.get(only_name(part), only_name(part)) or "?"
