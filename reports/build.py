"""Building a report: all pages, from the verdicts and the samplers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reports.document import Page


def pages(verdicts: Sequence[Any]) -> tuple[Page, ...]:
    """The index, a page to each claim, each paper's errata, and a page to each sampler."""
    from reports.pages.claim import claim_page
    from reports.pages.errata import errata_page
    from reports.pages.index import index_page
    from reports.pages.sampler import sampler_page
    from sgtheory.registry import samplers
    from verification.library import paper

    keys = list(dict.fromkeys(v.claim.paper for v in verdicts))
    return (
        index_page(verdicts, tuple(samplers().values())),
        *(claim_page(v, paper(v.claim.paper)) for v in verdicts),
        *(errata_page(key, [v for v in verdicts if v.claim.paper == key]) for key in keys),
        *(sampler_page(s) for s in samplers().values()),
    )
