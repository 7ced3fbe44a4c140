"""How letters of a sampler's block are drawn: ``xi ~ uniform(-1, 1)``, ``a ~ (m, s^2)``."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from verification.texts.shapes import only_number
from verification.texts.unclear import Unclear

_FONT = r"(?:\\(?:mathcal|mathrm|operatorname|text)\s*\{?\s*)?"
_STANDARD = re.compile(rf"{_FONT}N\}}?\s*\(\s*0\s*,\s*[I1]\s*\)")
_SIGNS = re.compile(r"(?:±|\\pm|\+/-|\+-)\s*1(?:\s+with\b[^,]*)?$")
_LAW = re.compile(
    rf"(?:{_FONT}(?P<law>N|[Uu]niform|Unif|U|[Ss]igns?|Rademacher|Laplace|[Ss]tudent|t"
    r"|Exp(?:onential)?|exponential|Bernoulli)\}?)?\s*(?:_\{?(?P<below>[^}\s]+)\}?|[(\[](?P<of>.*)[)\]])?$"
)
_ORDER = {"mean": 1, "first cumulant": 1, "variance": 2, "second cumulant": 2}
_ORDER |= {f"{name} cumulant": k for k, name in enumerate(("third", "fourth", "fifth", "sixth"), 3)}
_SAID = re.compile(rf"(?:a\s+|the\s+)?(?P<which>{'|'.join(_ORDER)})\s+(?P<value>.+)$")
_LISTED = re.compile(r"(?:the\s+)?cumulants\s+(.+)")
_KNOWN = "N(0, 1), uniform(l, r), signs, Laplace(b), Student(nu), Exp(1), Bernoulli(p), or cumulants"
_FORMS: dict[str, tuple[str, int]] = {  # by their first letters: the law, and how many numbers it has
    "uni": ("uniform", 2), "u": ("uniform", 2), "sig": ("signs", 0), "rad": ("signs", 0),
    "lap": ("laplace", 1), "stu": ("student", 1), "t": ("student", 1), "exp": ("exponential", 1),
    "ber": ("bernoulli", 1), "n": ("normal", 2), "": ("", 2),
}  # fmt: skip
_ALONE = ("laplace", "exponential")


@dataclass(frozen=True)
class Drawn:
    """Letters, their law and its numbers, as trees; no law of a mean and a variance alone."""

    names: tuple[str, ...]
    law: str
    numbers: tuple[Any, ...] = ()


def drawn(names: tuple[str, ...], said: str, how: str, formula: Callable[[str], Any]) -> Drawn | None:
    """What a line says of its letters; None where that is no law."""
    if how in ("~", "∼", "\\sim") and _STANDARD.match(said):
        return Drawn(names, "standard")
    if _SIGNS.match(said):
        return Drawn(names, "signs")
    if how not in ("~", "∼", "\\sim"):
        return _of_moments(names, said, formula)
    found = _LAW.match(said)
    if found is None or not said:
        return None
    word = (found["law"] or "").lower()
    law, count = _FORMS[word if word in _FORMS else word[:3]]
    inside = found["of"] or found["below"] or ""
    numbers = _listed(formula(f"({inside})")) if inside else []
    if numbers is None:
        return None
    if not numbers and law in _ALONE:
        numbers = [formula("1")]
    if law == "laplace" and len(numbers) == 2 and only_number(numbers[0]) == "0":
        numbers = numbers[1:]
    if len(numbers) != count or (law == "exponential" and only_number(numbers[0]) != "1"):
        raise Unclear(f"a law such as {_KNOWN}", said, "scale it in the update", 0)
    return Drawn(names, law, tuple(numbers))


def _listed(tree: Any) -> list[Any] | None:
    """What stands between one pair of brackets, by commas; None of more than that."""
    (product, *others) = tree.children
    group, *more = product.children
    return None if others or more else list(group.children[0].children)


def _of_moments(names: tuple[str, ...], said: str, formula: Callable[[str], Any]) -> Drawn | None:
    """A mean and a variance; cumulants in their order, the mean zero where it is not said."""
    if listed := _LISTED.fullmatch(said):
        return Drawn(
            names, "cumulants", tuple(formula(one) for one in re.split(r",|\band\b", listed[1]))
        )
    known = dict[int, Any]()
    for one in filter(None, map(str.strip, re.split(r",|\band\b", said))):
        told = _SAID.match(one)
        if told is None:
            if "cumulant" not in said:
                return None
            raise Unclear("mean 0, variance c, third cumulant k", one, "name each cumulant", 0)
        known[_ORDER[told["which"]]] = formula(told["value"])
    if "cumulant" not in said:
        return Drawn(names, "", (known[1], known[2])) if {1, 2} == {*known} else None
    known.setdefault(1, formula("0"))
    missing = next((k for k in range(1, max(known) + 1) if k not in known), None)
    if missing is not None:
        raise Unclear(f"a cumulant of order {missing} too", said, "say it, 0 perhaps", 0)
    return Drawn(names, "cumulants", tuple(known[k] for k in sorted(known)))
