"""Steps of a text on a line that are no linear updates, or whose noise has a law that is named."""

from __future__ import annotations

import re
from typing import Any

from verification.terms.term import Letter, Term
from verification.texts.drawn import drawn, names_a_law
from verification.texts.expressions import expression
from verification.texts.formulas import Formulas
from verification.texts.letters import FUNCTIONS, Letters, canonical
from verification.texts.unclear import Unclear
from verification.texts.updates import NOISE, STATE
from verification.theories.chains.words import Chain, chain

_BENT = re.compile(r"\b(?:sign|sgn|clip|abs|tanh|sin|cos|max|min)(?![A-Za-z])|\|")
_NEW = "next"


_GRADIENT = re.compile(r"(?<![A-Za-z])g(?:rad)?\s*\(")


def is_bent(body: str, letters: Letters) -> bool:
    """Whether some lines have more in them than numbers times vectors, or noise of its own law."""
    own_law = any(names_a_law(line) and not NOISE.match(line) for line in body.splitlines())
    if own_law and not _GRADIENT.search(body):  # else it is a coefficient of a linear step
        return True
    lines = [line for line in body.splitlines() if (STATE.match(line) and not NOISE.match(line))]
    known = {n for row in letters.rows if row.kind in FUNCTIONS for n in row.names}
    names = known - {"g"}  # which is the gradient of a minibatch
    return any(_is_bent(line, names) for line in lines)


def is_on_a_line(body: str) -> bool:
    """Whether it is one update in which no gradient is taken."""
    return sum(map(bool, map(STATE.match, body.splitlines()))) == 1 and not _GRADIENT.search(body)


def _is_bent(line: str, functions: set[str]) -> bool:
    told = STATE.match(line)
    assert told is not None
    right, state = line[told.end() :], re.escape(told[1])
    called = any(re.search(rf"(?<![A-Za-z]){re.escape(n)}(?![A-Za-z])", right) for n in functions)
    powers = re.search(
        rf"(?<![A-Za-z]){state}(?:_\{{?[tkn]\}}?|\s*['′])?\s*(?:\^|\*\*)\s*\{{?\s*\d", right
    )
    return bool(called or powers or _BENT.search(right))


def _implicit(state: str) -> re.Pattern[str]:
    """Where the place after a step stands in the step."""
    return re.compile(rf"(?<![A-Za-z]){state}(?:\s*['′]|_\{{?[tkn]\s*\+\s*1\}}?)")


def chain_of(body: str, name: str, letters: Letters, tex: bool = False) -> Chain:
    """The chain that such a block is."""
    lines = [(found.start(), found[0]) for found in re.finditer(r"[^\n]+", body) if found[0].strip()]
    said = [line for _, line in lines if names_a_law(line) and not NOISE.match(line)]
    noises = [n for _, line in lines for n in _noises(line)]
    updates = [(s, line) for s, line in lines if not NOISE.match(line) and line not in said]
    if len(updates) != 1:
        told = "a step with signs, clips, powers or open functions has one state"
        raise Unclear("one line of updates", str(len(updates)), told, updates[-1][0] if updates else 0)
    ((start, line),) = updates
    state = STATE.match(line)
    if state is None:
        raise Unclear("an update or a noise", line.strip()[:40], "x' = ..., or xi ~ N(0, 1)", start)
    place, right = canonical(state[1]), line[state.end() :].rstrip(" \\.;,\n").replace("$", " ")
    right = _implicit(re.escape(state[1])).sub(lambda _: f" {_NEW} ", right)
    right = re.sub(r"(\\?[A-Za-z]+)_\{?[tkn]\}?(?![A-Za-z0-9])", r"\1", right)
    plain = letters.of("")
    own = [one for line in said for one in drawn(line, lambda text: _formula(text, plain, tex))]
    kinds = [(n, "variable") for n in (place, _NEW, *noises, *(a.name for a, _, _ in own))]
    try:
        found = _formula(right, plain.binding(kinds), tex)
    except Unclear as error:
        error.at = start
        raise
    put: dict[Any, Any] = {a: whole for a, whole, _ in own if whole != a}
    made: list[Any] = [Letter(n, "variable") for n in (place, *noises)]
    return chain(name, found.put(put), *made, *(law for _, _, law in own))


def _formula(written: str, letters: Letters, tex: bool) -> Term:
    return Formulas(letters).term(expression(written.replace("$", " "), letters, tex))


def _noises(line: str) -> list[str]:
    found = NOISE.match(line)
    if found is None:
        return []
    return [canonical(n) for n in re.findall(r"\\?[A-Za-z]+", re.sub(r"_\{?[tkn]\}?", "", found[1]))]
