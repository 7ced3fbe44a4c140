"""How a claim was read, on the terminal: formulas, letters, and the Python that says the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click


def readings(claims: Sequence[Any]) -> Iterator[str]:
    """Before any verdict: how the statements of texts were read, a line each."""
    from verification.library.kinds import is_text
    from verification.statements.entry import given_words

    found = [claim for claim in claims if claim.source and is_text(claim.source)]
    for claim in found:
        given = " and ".join(given_words(claim))
        told = "; ".join(one.text() for one in claim.printed) + (f", given {given}" if given else "")
        yield f"{claim.id} is read as: {told}"
    if found:
        yield "letters, and the same in Python: --show"
        yield ""


def understood(claim: Any) -> Iterator[str]:
    """Lines on one claim, of a text or of a file of claims."""
    from verification.library.reading import how_read
    from verification.statements.entry import given_words

    yield click.style(f"{claim.id}", bold=True) + f"  {claim.at}: {claim.title}"
    for one in claim.printed:
        yield f"  {one.text()}"
    for one in given_words(claim):
        yield f"  given: {one}"
    if claim.whose:
        told = "step by step" if claim.time == "discrete" else "in the limit, in continuous time"
        yield f"  of {claim.whose}, {told}"
    found = how_read(claim)
    if found is None:
        return
    for name, said in found.letters:
        yield f"  {name}: {said}"
    yield ""
    yield from (f"  {line}".rstrip() for line in found.python.splitlines())
