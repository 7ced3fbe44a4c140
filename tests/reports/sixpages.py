"""A small report of real claims, with a page of each kind, for what is looked at in a browser."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from reports.build import SITE
from reports.document import Link, Page
from reports.emit import write
from reports.experiments import kept_results
from reports.guide import _page
from reports.keeping import made
from reports.pages.errata import errata_page
from reports.pages.experiment import experiment_page, experiments_page
from reports.pages.gallery import gallery_page
from reports.pages.glossary import words_page
from reports.pages.index import index_page
from reports.pages.paper import about, paper_page
from reports.pages.sampler import sampler_page
from reports.pages.section import section_page
from reports.reference import room_page
from sgtheory import registry
from verification.judging.judge import plans
from verification.library import parts, select

CLAIMS = (
    "mandt2017.thm1", "mandt2017.eq13", "mandt2017.thm1.sigma_0_free_of_s", "mandt2017.fig1"
)  # fmt: skip


@cache
def all_pages() -> dict[str, tuple[Page, ...]]:
    """The pages by their kind."""
    guide = _page("a_first_ten_minutes")
    found = [made(*planned) for planned in plans(select(CLAIMS), seed=1)]
    samplers = tuple(registry.sampler(name) for name in sorted({m.row.of for m in found if m.row.of}))
    rows, of = [m.row for m in found], about("mandt2017")
    results = kept_results([of.key])
    pages = tuple(map(sampler_page, samplers))
    known = {m.row.id: m.row.href for m in found} | {"paper-mandt2017": "paper-mandt2017"}
    own = [(m.row, m.page) for m in found]
    sections = [p for p in parts(of.key) if {r.id for r in rows} & set(p.ids)]
    gallery = gallery_page([*(m.page for m in found), *pages])
    reference = (room_page("reports"), gallery)
    return {
        "index": (index_page([(of, rows)], samplers, (guide,), results, reference),),
        "paper": (paper_page(of, rows, results),),
        "claim": tuple(m.page for m in found if not m.row.place),
        "section": tuple(
            section_page(of, p, [(r, page) for r, page in own if r.id in p.ids]) for p in sections
        ),
        "sampler": pages,
        "guide": (guide,),
        "experiment": tuple(experiment_page(r, known) for r in results),
        "experiments": (experiments_page(results),),
        "reference": reference[:1],
        "gallery": reference[1:],
        "words": (words_page(),),
        "errata": (errata_page(of, [m.entry for m in found]),),
    }


def written(folder: Path) -> dict[str, str]:
    """Writes the report; the slug of a page of each kind."""
    pages = all_pages()
    rows = tuple(tuple(Link(p.title, p.slug) for p in some) for some in pages.values())
    ways = (Link("Papers", "index"), Link("Figures", "experiments"), Link("Words", "words"))
    site = replace(SITE, navigation=ways, rows=rows)
    write([page for some in pages.values() for page in some], folder, ("html",), site)
    return {kind: some[0].slug for kind, some in pages.items() if some}
