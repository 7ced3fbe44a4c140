"""Building a report: all pages, from the verdicts and the samplers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

from reports.document import Page
from reports.emit.site import Site
from reports.guide import guide_pages, guide_tasks
from reports.keeping import Made, is_kept, kept
from reports.reference import reference_pages, reference_tasks
from sgtheory import registry

# A report of everything has more than a thousand pages; what one sends alone has its style inside.
SITE = Site(shared=("claim", "sampler", "guide", "experiment", "experiments", "reference", "gallery"))


def sampler_pages(jobs: int = 1, whole: bool = True) -> tuple[Page, ...]:
    """A page to each sampler, made ahead by several processes, as are those of guide and reference."""
    names = registry.names("samplers")
    tasks: list[tuple[str, Callable[[], Page]]] = [
        *guide_tasks(),
        *(reference_tasks() if whole else ()),
        *((_named(n), partial(_sampler_page, n)) for n in names),
    ]
    missing = [make for name, make in tasks if not is_kept(name)]
    if min(jobs, len(missing) // 4) > 1:
        with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
            for done in [pool.submit(_made, make) for make in missing]:
                done.result()
    return tuple(map(_sampler_page, names))


def _made(make: Callable[[], Page]) -> None:
    """A page is kept when it is made; it need not travel."""
    make()


def _sampler_page(name: str) -> Page:
    from reports.pages.sampler import sampler_page

    return kept(_named(name), partial(sampler_page, registry.sampler(name)))


def _named(name: str) -> str:
    return f"sampler {name}"


def pages(found: Sequence[Made], jobs: int = 1) -> tuple[Page, ...]:
    """The index, a page to each paper and its errata, and to each claim, sampler and guide.

    The reference, whose every example is run, belongs to a report of all papers alone.
    """
    from reports.pages.errata import errata_page
    from reports.pages.experiment import experiment_page, experiments_page
    from reports.pages.gallery import gallery_page
    from reports.pages.index import index_page
    from reports.pages.paper import about, paper_page
    from verification.library import paper_keys

    by_paper: dict[str, list[Made]] = {}
    for made in found:
        by_paper.setdefault(made.row.paper, []).append(made)
    papers = [(about(key, some[0].row.source), some) for key, some in by_paper.items()]
    rows = [(of, [m.row for m in some]) for of, some in papers]
    whole = set(paper_keys()) <= set(by_paper)
    results = _results(tuple(by_paper), whole)
    known = {f"paper-{key}" for key in by_paper} | {made.row.id for made in found}
    tried = [experiment_page(result, known) for result in results]
    samplers = sampler_pages(jobs, whole)
    guides, reference = guide_pages(), reference_pages() if whole else ()
    gallery = gallery_page((*(made.page for made in found), *samplers))
    return (
        index_page(rows, tuple(registry.samplers().values()), guides, results, (gallery, *reference)),
        *(
            paper_page(of, some, [r for r in results if r.experiment.paper == of.key])
            for of, some in rows
        ),
        *(made.page for made in found),
        *(errata_page(of, [m.entry for m in some]) for of, some in papers),
        *samplers,
        *guides,
        *((experiments_page(results), *tried) if tried else ()),
        gallery,
        *reference,
    )


def _results(papers: tuple[str, ...], whole: bool) -> tuple[Any, ...]:
    """What the experiments of some papers came to; of all papers, those of none too."""
    from reports.experiments import kept_results

    return kept_results(None if whole else papers)
