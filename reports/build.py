"""Building a report: all pages, from the verdicts and the samplers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from reports.document import Page
from reports.emit.site import Site
from reports.keeping import Made, kept

# A report of everything has more than a thousand pages of claims: these share one style.
SITE = Site(shared=("claim",))


def pages(found: Sequence[Made]) -> tuple[Page, ...]:
    """The index, a page to each paper and its errata, and a page to each claim and sampler."""
    from reports.pages.errata import errata_page
    from reports.pages.index import index_page
    from reports.pages.paper import about, paper_page
    from reports.pages.sampler import sampler_page
    from sgtheory.registry import samplers

    by_paper: dict[str, list[Made]] = {}
    for made in found:
        by_paper.setdefault(made.row.paper, []).append(made)
    papers = [(about(key, some[0].row.source), some) for key, some in by_paper.items()]
    rows = [(of, [m.row for m in some]) for of, some in papers]
    known = samplers()
    return (
        index_page(rows, tuple(known.values())),
        *(paper_page(of, some) for of, some in rows),
        *(made.page for made in found),
        *(errata_page(of, [m.entry for m in some]) for of, some in papers),
        *(kept(f"sampler {name}", partial(sampler_page, s)) for name, s in known.items()),
    )
