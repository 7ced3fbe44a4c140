"""The index: every claim with its verdict, every sampler, and what the words mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from reports.document import Block, Heading, Link, Page, Paragraph, Table, Text, VerdictWord
from verification.library import paper

MEANINGS = (
    ("proved", "a symbolic proof, re-checked by an independent exact evaluator"),
    ("proved-if", "true under a condition that the paper does not state; the condition is given"),
    ("limit-only", "true to leading order; the order of the gap and its first term are given"),
    ("refuted", "an exact counterexample, and the corrected statement where there is one"),
)


def index_page(verdicts: Sequence[Any], samplers: Sequence[Any]) -> Page:
    """The first page of a report."""
    keys = list(dict.fromkeys(v.claim.paper for v in verdicts))
    blocks: list[Block] = [
        Paragraph(
            "Stochastic-gradient samplers are biased by design. These pages hold what papers print about"
            " them against the law that the algorithms really have."
        )
    ]
    for key in keys:
        blocks += _paper(key, [v for v in verdicts if v.claim.paper == key])
    blocks += [
        Heading(2, "Samplers"),
        Table(
            ("sampler", "what it is"),
            tuple((Link(s.name, f"sampler-{s.name}"), s.title) for s in samplers),
            align="ll",
        ),
        Heading(2, "What the words mean"),
        Table(("verdict", "meaning"), tuple((VerdictWord(w), m) for w, m in MEANINGS), align="ll"),
    ]
    return Page(
        slug="index",
        title="What the papers say, and what is so",
        blocks=tuple(blocks),
        kind="index",
        summary="Every claim with its verdict.",
    )


def _paper(key: str, verdicts: Sequence[Any]) -> list[Block]:
    about = paper(key)
    counts = Counter(v.word for v in verdicts)
    tally = ", ".join(f"{n} {word}" for word, n in counts.most_common())
    tried, rejected = (sum(getattr(v.twins, n) for v in verdicts) for n in ("tried", "rejected"))
    rows: list[tuple[Text, ...]] = [
        (
            Link(v.claim.at, v.claim.id),
            v.claim.title,
            VerdictWord(v.word),
            VerdictWord(v.discrete.verdict) if v.discrete else "–",
        )
        for v in verdicts
    ]
    return [
        Heading(2, about.title, key),
        Paragraph(f"{about.authors}, {about.year}. {about.venue}. {len(verdicts)} claims: {tally}."),
        Paragraph(f"Corrupted on purpose: {rejected} of {tried} wrong statements were noticed."),
        Table(
            ("where", "claim", "as printed", "for the discrete algorithm"),
            tuple(rows),
            align="llll",
            caption=(
                "The papers argue in continuous time; the last column holds the same statement"
                " against the discrete algorithm."
            ),
        ),
    ]
