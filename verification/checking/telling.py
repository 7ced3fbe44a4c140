"""A check in lines of plain text: for terminals, for tests that fail, and for annotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sgtheory.notation.printing import plain
from verification.checking.protocol import LAW

EXACT = "the exact law of"
_MANY = 9.0  # times: beyond that no one reads per cent
_SHOWN = 3  # problems that a failing test names


def headline(found: Any) -> str:
    """The verdict in a line."""
    whose = held_against(found)
    words = {
        "conforms": "has" if whose == EXACT else "is not told apart from",
        "deviates": "does not have" if whose == EXACT else "differs from",
        "crashed": "came to no end that could be held against",
        "inconclusive": "could not be held against",
    }
    return f"{found.target} {words[found.verdict]} {whose} {found.like}"


def held_against(found: Any) -> str:
    """What it was held against: an exact law, or where the step has none samples of our own."""
    held = [o for o in found.outcomes if o.comparison is not None]
    return EXACT if any(o.kind == LAW for o in held) or not held else "samples of"


def diagnosed(found: Any) -> Iterator[str]:
    """The likeliest fault with its formula, as it should be and as it seems to be; then the others."""
    for k, diagnosis in enumerate(found.diagnosis):
        if k:
            yield f"or: {diagnosis.words}"
            continue
        named = diagnosis.score == 1 and (subject(diagnosis) is not None or diagnosis.formula)
        yield f"{'likely' if named else 'finding'}: {diagnosis.words}"
        if subject(diagnosis) is not None:
            yield from _beside(found.sampler or found.like, subject(diagnosis))
        elif diagnosis.formula:
            yield f"  {diagnosis.formula}"
        if diagnosis.translation:
            told = (f"{name} = {plain(value)}" for name, value in diagnosis.translation)
            yield f"  {'with':9}  {', '.join(told)}"


def subject(diagnosis: Any) -> Any:
    """What has the updates as they seem to be, or None where they cannot be written in symbols."""
    if diagnosis.sampler is not None or diagnosis.candidate is None or diagnosis.candidate.free:
        return diagnosis.sampler
    return diagnosis.candidate.variant


def _beside(like: Any, wrong: Any) -> Iterator[str]:
    from verification.checking.asked import declared

    true, _ = declared(like)
    for label, sampler, other in (("should be", true, wrong), ("seems", wrong, true)):
        # where only the order differs, all of them
        own = [u for u in sampler.updates if u not in other.updates] or list(sampler.updates)
        for k, (target, expr) in enumerate(own):
            yield f"  {(label if k == 0 else '').ljust(9)}  {_update(target, expr)}"


def _update(target: Any, expr: Any) -> str:
    return f"{plain(target)} <- {plain(expr)}"


def in_a_line(outcome: Any) -> str:
    """What came out on one problem."""
    found = outcome.comparison
    if found is None:
        return " ".join(f"{outcome.measured.fault}: {outcome.measured.words}".split())
    if found.agrees:
        return f"agrees: {len(found.tests)} tests of {outcome.measured.chains:,} chains"
    share = f"{len(found.rejected)} of {len(found.tests)} tests reject"
    worst = farthest(found)
    return f"{share}; most of all {worst.name}: {off_by(worst)}"


def each(found: Any, outcomes: Sequence[Any]) -> Iterator[tuple[Any, str]]:
    """What came out on each problem; a fault whose words were said before is only named."""
    said = "\n".join(diagnosed(found))
    for outcome in outcomes:
        words = outcome.measured.words
        if outcome.comparison is None and words and words in said:
            yield outcome, outcome.measured.fault
        else:
            yield outcome, in_a_line(outcome)
            said += f"\n{words}"


def farthest(compared: Any) -> Any:
    """The test that rejects most clearly; of those too small for a double the entry farthest off."""

    def place(test: Any) -> tuple[float, bool, float]:
        of_all = not test.name.startswith(("mean ", "var ", "cov "))
        return test.p_value, of_all, -abs(test.effect)

    return min(compared.tests, key=place)


def off_by(test: Any) -> str:
    """How far off a test is, in its own unit.

    >>> from verification.statistics import Test
    >>> off_by(Test("var 1", 3.0, 0.1, 0.5)), off_by(Test("mean 1", 3.0, 0.1, -0.5))
    ('+50 %', '-0.5 sd')
    """
    if "mean" in test.name:
        return f"{test.effect:+.3g} sd"
    if test.effect > _MANY:
        return f"{1 + test.effect:.3g} times"
    return f"{100 * test.effect:+.3g} %"


def failure(found: Any) -> list[str]:
    """What a failing test says: verdict, diagnosis, and the first problems that say so."""
    bad = [o for o in found.outcomes if not o.agrees]
    lines = [headline(found), *(f"  {line}" for line in (*found.taken, *diagnosed(found)))]
    lines += [f"  {o.case.name}: {words}" for o, words in each(found, bad[:_SHOWN])]
    if len(bad) > _SHOWN:
        lines.append(f"  and {len(bad) - _SHOWN} of {len(found.outcomes)} problems more")
    return lines
