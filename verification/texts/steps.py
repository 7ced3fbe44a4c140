"""Lines of a sampler's block that name a part of a step, or change a state in place, written out."""

from __future__ import annotations

import re
from collections.abc import Iterable

from verification.texts.letters import canonical
from verification.texts.tokens import LONGEST
from verification.texts.unclear import Unclear
from verification.texts.updates import NOISE, STATE

_SET = re.compile(
    r"\s*\$?\s*(\\?[A-Za-z]+)(?:_\{?[tkn]\}?)?\s*(?P<how>=|<-|←|:=|\\leftarrow(?![A-Za-z])|\\gets(?![A-Za-z]))"
)
_BETWEEN = re.compile(r"_\{\s*[tkn]\s*\+\s*(?:\\frac\s*\{?(\d)\}?\s*\{?(\d)\}?|(\d)\s*/\s*(\d))\s*\}")


def written_out(body: str, taken: Iterable[str]) -> str:
    """A block without them: a name stands for its formula, a state for what it is when it is read.

    Names that are ``taken`` are letters of a table, and are nobody's to give.

    >>> print(written_out("u = v - h g(x)\\nx' = x + h u", "h"))
    <BLANKLINE>
    x' = x + h (v - h g(x))
    >>> print(written_out("v <- v - h g(x)\\nx <- x + h v", "h").strip())
    v' = (v - h g(x))
    x' = (x + h (v - h g(x)))
    """
    body = _BETWEEN.sub(lambda m: "at" + "".join("abcdefghij"[int(d)] for d in m.groups() if d), body)
    states = {canonical(m[1]) for line in body.splitlines() if (m := STATE.match(line))}
    kept, known, changed, seen = list[str](), dict[str, str](), list[str](), ""
    for line in body.splitlines():
        found = None if STATE.match(line) or NOISE.match(line) else _SET.match(line)
        name = "" if found is None else canonical(found[1])
        if found is None or name in {*taken, *states}:
            kept.append(_put(line, known) if STATE.match(line) else line)
            continue
        right = line[found.end() :].replace("&", " ").replace("$", " ").strip(" \\.;,")
        if found["how"] != "=" and name not in known and _names(name).search(f"{seen} {right}"):
            changed.append(name)
        seen += f" {right}"
        known[name] = f"({_put(right, known)})"
        kept.append("")
    if states and changed:
        told = f"write the line of {changed[0]} with a prime, or each of them with an arrow"
        raise Unclear("states after a step, or changes in place", "both", told, 0)
    return "\n".join((*kept, *(f"{name}' = {known[name]}" for name in changed)))


def _names(name: str) -> re.Pattern[str]:
    """Where a name stands by itself: not with a prime, or an index of another step."""
    return re.compile(rf"(?<![A-Za-z\\])\\?{re.escape(name)}(?:_\{{?[tkn]\}}?)?(?![A-Za-z_'′])")


def _put(line: str, known: dict[str, str]) -> str:
    told = STATE.match(line)
    start = "" if told is None else line[: told.end()]
    names = re.compile("|".join(_names(n).pattern for n in known)) if known else None
    right = line[len(start) :]
    if names is not None:
        right = names.sub(lambda m: known[canonical(re.sub(r"_\{?[tkn]\}?$", "", m[0]))], right)
    if len(right) > LONGEST:
        raise Unclear(f"a step of at most {LONGEST} characters", "more", "name fewer parts", 0)
    return start + right
