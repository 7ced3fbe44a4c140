"""Lines of a block that say which law a noise has: ``xi ~ uniform(-1, 1)``, ``xi ~ Student(nu)``."""

from __future__ import annotations

import re
from collections.abc import Callable

from verification.statements import number, sqrt
from verification.terms.term import Letter, Term
from verification.texts.letters import canonical
from verification.texts.unclear import Unclear
from verification.theories.chains.words import of_law

_INDEX = r"(?:_\{?[tkn]\}?)?"
_NAMES = rf"\s*+\$?\s*+(?P<names>(?:(?!\\sim)\\?[A-Za-z]++{_INDEX}\s*+(?:,\s*+)?)++)"
_FONT = r"(?:\\(?:mathcal|mathrm|operatorname|text)\s*\{?\s*)?"
_LAW = re.compile(
    rf"{_NAMES}(?:~|\\sim|∼)\s*{_FONT}(?P<law>N|[Uu]niform|Unif|U|[Ss]igns?|Rademacher|Laplace|[Ss]tudent|t"
    r"|Exp(?:onential)?|exponential|Bernoulli)\}?\s*(?:_\{?(?P<below>[^}\s]+)\}?|[(\[](?P<of>[^)\]]*)[)\]])?"
    r"[\s$.;]*$"
)
_SIGNS = re.compile(rf"{_NAMES}(?:=|~|\\sim|∼)\s*(?:±|\\pm|\+/-|\+-)\s*1(?:\s+with\b[^,]*)?[\s$.;]*$")
_CUMULANTS = re.compile(
    rf"\s*+\$?(?P<names>\\?[A-Za-z]+{_INDEX}(?:\s*,\s*\\?[A-Za-z]+{_INDEX})*)\$?\s+(?:has|have|with)"
    r"\s+(?P<said>.*\bcumulants?\b.*?)[\s$.;]*$"
)
_ORDER = {"mean": 1, "first cumulant": 1, "variance": 2, "second cumulant": 2}
_ORDER |= {f"{name} cumulant": k for k, name in enumerate(("third", "fourth", "fifth", "sixth"), 3)}
_SAID = re.compile(rf"(?:a\s+|the\s+)?(?P<which>{'|'.join(_ORDER)})\s+(?P<value>.+)$")
_KNOWN = "N(0, 1), uniform(l, r), signs, Laplace(b), Student(nu), Exp(1), Bernoulli(p), or cumulants"
_FORMS: dict[str, tuple[str, int]] = {  # by their first letters: the law, and how many numbers it has
    "uni": ("uniform", 2), "u": ("uniform", 2), "sig": ("signs", 0), "rad": ("signs", 0),
    "lap": ("laplace", 1), "stu": ("student", 1), "t": ("student", 1), "exp": ("exponential", 1),
    "ber": ("bernoulli", 1), "n": ("normal", 2),
}  # fmt: skip
_ALONE = {"laplace": "1", "exponential": "1"}


def names_a_law(line: str) -> bool:
    """Whether a line says that a noise has a law, another than the standard normal one."""
    return bool(_LAW.match(line) or _SIGNS.match(line) or _CUMULANTS.match(line))


def drawn(line: str, formula: Callable[[str], Term]) -> list[tuple[Letter, Term, Term]]:
    """Each noise of such a line: its letter, what stands for it in the step, and its law."""
    found = _SIGNS.match(line) or _CUMULANTS.match(line) or _LAW.match(line)
    assert found is not None
    names = [canonical(n) for n in re.findall(r"\\?[A-Za-z]+", re.sub(_INDEX, "", found["names"]))]
    law, numbers = _law(found, formula)
    made: list[tuple[Letter, Term, Term]] = []
    for letter in (Letter(n, "variable") for n in names):
        if law == "normal":
            mean, variance = numbers
            made.append((letter, mean + sqrt(variance) * letter, letter))
        else:
            made.append((letter, letter, of_law(letter, law, *numbers)))
    return made


def _law(found: re.Match[str], formula: Callable[[str], Term]) -> tuple[str, list[Term]]:
    parts = found.groupdict()
    if "said" in parts:
        return "cumulants", _cumulants(parts["said"], formula)
    if "law" not in parts:
        return "signs", []
    said = parts["law"].lower()
    law, count = _FORMS[said if said in _FORMS else said[:3]]
    written = [one for one in re.split(r",", parts["of"] or parts["below"] or "") if one.strip()]
    if not written and law in _ALONE:
        written = [_ALONE[law]]
    if law == "laplace" and len(written) == 2 and written[0].strip() == "0":
        written = written[1:]
    if len(written) != count or (law == "exponential" and written[0].strip() != "1"):
        raise Unclear(f"a law such as {_KNOWN}", found[0].strip(), "scale it in the update", 0)
    return law, [formula(one) for one in written]


def _cumulants(said: str, formula: Callable[[str], Term]) -> list[Term]:
    """In their order, the mean zero where it is not said."""
    known: dict[int, Term] = {1: number(0)}
    listed = re.fullmatch(r"(?:the\s+)?cumulants\s+(.+)", said)
    if listed:
        return [formula(one) for one in re.split(r",|\band\b", listed[1])]
    for one in filter(None, map(str.strip, re.split(r",|\band\b", said.replace("$", " ")))):
        told = _SAID.match(one)
        if told is None:
            raise Unclear("mean 0, variance c, third cumulant k", one, "name each cumulant", 0)
        known[_ORDER[told["which"]]] = formula(told["value"])
    missing = next((k for k in range(1, max(known) + 1) if k not in known), None)
    if missing is not None:
        raise Unclear(f"a cumulant of order {missing} too", said, "say it, 0 perhaps", 0)
    return [known[k] for k in sorted(known)]
