"""Patterns of the sentences of verdicts, each of which was read by eye: what stays when numbers change.

``python -m tests.verification.papers.patterns`` judges all claims and prints the patterns that nobody
has read; read them aloud, mend those that a reader cannot understand, and put the others into the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from sgtheory.notation.sentence import Sentence

FILE = Path(__file__).parent / "expected" / "sentences.txt"
READ = frozenset(FILE.read_text("utf-8").splitlines())
_NUMBER = re.compile(r"[+-]?\d[\d.,/^]*(?:e[+-]?\d+)?(?<![.,])")
_SEVERAL = (re.compile(r"(ƒ|#)(?:,? (?:and )?\1(?![%\w]))+"), r"\1, \1")


def pattern(words: Sentence, sampler: str = "") -> str:
    """Words with a sign for each formula, number and list of these, and for the sampler's name.

    >>> from sgtheory.notation.sentence import say
    >>> pattern(say("At ${} = {}$, 5 chains of sgd are 3.5 % off.", "x", 2), "sgd")
    'At ƒ, # chains of SAMPLER are # % off.'
    """
    told = "".join(p if isinstance(p, str) else "ƒ" for p in words.pieces)
    told = re.sub(rf"(?<=of ){re.escape(sampler)}(?= )", "SAMPLER", told) if sampler else told
    return _SEVERAL[0].sub(_SEVERAL[1], _NUMBER.sub("#", told))


def patterns(verdict: Any) -> set[str]:
    """Those of everything that is said in a verdict, sentence by sentence."""
    found = (pattern(words, str(verdict.claim.of)) for words in _said(verdict))
    return {one for told in found for one in re.split(r"(?<=[.:]) (?=[A-Z])", told) if one}


def _said(thing: Any) -> Iterator[Sentence]:
    if isinstance(thing, Sentence):
        yield thing
    elif isinstance(thing, Mapping):
        yield from _said(tuple(thing.values()))
    elif isinstance(thing, tuple | list):
        for part in thing:
            yield from _said(part)
    elif is_dataclass(thing):
        names = (f.name for f in fields(thing))
        yield from _said(tuple(getattr(thing, name) for name in names if name != "claim"))


def main() -> None:
    """Prints what nobody has read."""
    from verification.judging.judge import judge, plans
    from verification.library import all_claims

    for claim, plan in plans(all_claims()):
        for new in patterns(judge(claim, plan)) - READ:
            print(f"{claim.id}: {new}", flush=True)


if __name__ == "__main__":
    main()
