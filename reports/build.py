"""Building a report: pages of verdicts, samplers and more, each written as soon as it is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from reports.book import Book
from reports.document import Block, Link, Page, place_of, relinked
from reports.emit.site import Site
from reports.experiments import kept_result, kept_results
from reports.guide import guide_tasks
from reports.keeping import Made, claim_task, died, undecided
from reports.making import DIED, Died, Fault, Task, announced, attempted, failed
from reports.math.mathml import keep_formulas
from reports.pages.consequences import to_claim
from reports.pages.errata import errata_page
from reports.pages.experiment import TRAIL, experiment_page, experiments_page, titled
from reports.pages.gallery import gallery_page
from reports.pages.glossary import SLUG as WORDS
from reports.pages.glossary import synonyms, words_page
from reports.pages.index import coming, index_page, not_made
from reports.pages.paper import PENDING, about, paper_page
from reports.pages.row import Row, sampler_slug, section_slug
from reports.pages.sampler import sampler_page
from reports.pages.section import section_page, undecided_of
from reports.reference import reference_tasks
from reports.results import is_kept, kept
from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.files.writing import try_folder
from verification.judging.judge import clock, plans
from verification.judging.processes import each
from verification.library import Paper, Part, paper_keys, parts
from verification.measuring.ensembles import Plan
from verification.verdicts.provenance import content

# A report of everything has more than a thousand pages; what one sends alone has its style inside.
SITE = Site(
    shared=(
        "claim", "sampler", "guide", "experiment", "experiments", "reference", "gallery", "words",
        "section", "paper",
    ),
    searched=True,
    synonyms=synonyms(),
)  # fmt: skip
WORTH = 8  # pages to be made, from which on other processes are started: each takes seconds to begin
_ANEW = 5.0  # seconds after which the index is written anew, where pages have come
_SHARE = 50  # and at the least so many times what writing it takes
_PHASES = {
    "guide": "pages of the guide", "claim": "claims", "reference": "pages of the reference",
    "sampler": "samplers", "experiment": "figures and tables",
}  # fmt: skip
_LAST = "what all pages have together"
_LOST = RuntimeError("the process that made this page died: memory ran out, perhaps")
_AGAIN = "sgtheory report"
_TRAIL = (Link("All papers", "index"),)
_INDEX = announced("index", "What the papers say, and what is so", "index")
_GALLERY = announced("gallery", "Gallery", "gallery", trail=_TRAIL)
_WORDS = announced(WORDS, "Words", "words", trail=_TRAIL)

Tell = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Finished:
    """What came out: the files, the verdicts in the order of their claims, and what went wrong."""

    files: int
    found: tuple[Made, ...]
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class Order:
    """What a report is to be of, in which formats, and how it is asked for.

    One that is ``alone`` has pages of its claims, of its samplers and of those that its claims speak
    of; any other has those of all our samplers and the guide beside them.
    """

    claims: tuple[Any, ...] = ()
    samplers: tuple[Any, ...] = ()
    formats: tuple[str, ...] = ("html",)
    again: str = _AGAIN
    alone: bool = False


def build(
    order: Order,
    folder: Path,
    jobs: int = 1,
    tell: Tell = lambda phase, done, total: None,
    **settings: Any,
) -> Finished:
    """Make and write a report; settings are those of ``verification.judging.judge.plans``.

    The reference, whose every example is run, belongs to a report of all papers alone.
    """
    making = _Making(order, list(plans(order.claims, **settings)), folder)
    making.begin()
    for task, outcome in _outcomes(making.tasks(), jobs, tell):
        making.take(task, outcome)
    tell(_LAST, 0, 1)
    found = making.finish()
    tell(_LAST, 1, 1)
    return Finished(len(making.book.files), found, tuple(making.book.faults))


def announce(folder: Path, papers: Sequence[str]) -> None:
    """The index of a report before its claims are read, which takes seconds: its papers."""
    book = Book(try_folder(folder), ("html",), SITE, _AGAIN)
    book.pages[_INDEX.slug] = _INDEX  # links to it arrive; an index without its note is never written
    page = index_page([(about(key), ()) for key in papers], (), notes=coming())
    book.replace(relinked(page, book.has, f" {PENDING}"))


def _outcomes(tasks: Sequence[Task], jobs: int, tell: Tell) -> Iterator[tuple[Task, Any]]:
    """What each task makes, in their order; what is not kept is made by several processes."""
    missing = [(t,) for t in tasks if not (t.is_kept or t.here)]
    about = [t.about for (t,) in missing]
    made = each(attempted, missing, jobs if len(missing) >= WORTH else 1, DIED, about)
    totals, done = Counter(t.announced.kind for t in tasks), Counter[str]()
    for task in tasks:
        kind = task.announced.kind
        if not done[kind]:
            tell(_PHASES[kind], 0, totals[kind])
        yield task, attempted(task) if task.is_kept or task.here else next(made)
        done[kind] += 1
        tell(_PHASES[kind], done[kind], totals[kind])


class _Making:
    """A report while it is made: what there is of it, and what is still to come."""

    def __init__(self, order: Order, planned: Sequence[tuple[Any, Plan]], folder: Path) -> None:
        self.claims = [claim_task(claim, plan) for claim, plan in planned]
        self.made: dict[Task, Made] = {}
        self.papers = {p.key: p for p in (about(c.paper, c.source) for c, _ in planned)}
        self.of = dict(zip(self.claims, planned, strict=True))
        self.own: dict[str, list[Task]] = {key: [] for key in self.papers}
        for task, (claim, _) in self.of.items():
            self.own[place_of(claim.paper)].append(task)
        whole = set(paper_keys()) <= set(self.papers)
        self.results = kept_results(None if whole else tuple(self.papers))
        self.guides = [] if order.alone else guide_tasks()
        places = {f"paper-{key}": f"paper-{key}" for key in self.papers}
        places |= {c.id: Row.of_claim(c).href for c, _ in planned}
        self.tried = [_tried_task(result, places) for result in self.results]
        self.reference = reference_tasks() if whole else []
        known = {} if order.alone else registry.samplers()
        met = {s.name: s for s in (*order.samplers, *_spoken_of(planned))}
        self.declared = {**known, **{n: s for n, s in met.items() if n and n not in known}}
        sent = [pair for task, pair in self.of.items() if not (task.here or pair[0].source)]
        ours = {*registry.own("samplers"), *(s.name for s in _spoken_of(sent))}
        self.samplers = [_sampler_task(s, is_ours=name in ours) for name, s in self.declared.items()]
        site = replace(SITE, navigation=tuple(self._ways()), rows=tuple(self._rows()))
        self.book = Book(try_folder(folder), order.formats, site, order.again, order.alone)
        self.due = 0.0  # when the index is written anew

    def tasks(self) -> list[Task]:
        """All pages that take time; one's own claims first."""
        tasks = [*self.guides, *self.claims, *self.tried, *self.reference, *self.samplers]
        return sorted(tasks, key=lambda task: not task.here)

    def _ways(self) -> Iterator[Link]:
        """The links on every page: to what there is of each kind."""
        yield Link("Papers", "index")
        if self.samplers:
            yield Link("Samplers", "index#samplers")
        if self.results:
            yield Link("Figures", "experiments")
        if self.guides:
            yield Link("Guide", "index#guide")
        if self.reference:
            yield Link("Reference", "index#reference")
        yield Link("Words", WORDS)

    def _rows(self) -> Iterator[tuple[Link, ...]]:
        """The pages that follow one another: those of a paper's claims, and of each other kind."""
        for key in self.papers:
            rows = [Row.of_claim(c) for c, _ in self.of.values() if place_of(c.paper) == key]
            yield tuple(to_claim(row) for row in rows if not row.place)
            yield tuple(Link(p.short, section_slug(key, p)) for p, _ in self._parts(key))
        for tasks in (self.guides, self.samplers, self.tried, self.reference):
            yield tuple(Link(t.announced.title, t.announced.slug) for t in tasks)

    def _parts(self, key: str) -> list[tuple[Part, list[Task]]]:
        """The sections of a paper with their claims, where there are some."""
        own = {self.of[t][0].id: t for t in self.own[key] if not self.of[t][0].source}
        known = parts(key) if own and key in paper_keys() else ()
        tasks = [(part, [own[i] for i in part.ids if i in own]) for part in known]
        return [(part, some) for part, some in tasks if some]

    def rows(self) -> list[Row]:
        """Every claim as tables show it, whether it is judged or not."""
        return [
            self.made[task].row if task in self.made else Row.of_claim(claim)
            for task, (claim, _) in self.of.items()
        ]

    def begin(self) -> None:
        """The first index, and the pages that take no time."""
        self.index()
        self.book.made(_WORDS, words_page)
        if self.results:
            page = announced("experiments", "Figures and tables, made again", "experiments")
            self.book.made(page, partial(experiments_page, self.results))

    def take(self, task: Task, outcome: Any) -> None:
        """A page that was made, or one that says why not; with its last claim, a paper's."""
        if task.announced.kind == "claim":
            self._take_claim(task, outcome)
        elif isinstance(outcome, Died):
            self.book.put(*failed(task.announced, _LOST, self.book.again))
        else:
            self.book.put(*(outcome if isinstance(outcome, tuple) else (outcome,)))
        if clock() > self.due:
            self.index()

    def _take_claim(self, task: Task, outcome: Any) -> None:
        if isinstance(outcome, Died):
            outcome = died(*self.of[task])
        elif isinstance(outcome, tuple):
            outcome = undecided(self.of[task][0], *outcome)
        self.made[task] = outcome
        if not outcome.row.place:
            self.book.put(outcome.page, outcome.fault)
        elif outcome.fault is not None:  # its page is a part of another
            self.book.faults.append(replace(outcome.fault, slug=outcome.row.place))
        paper = outcome.row.paper
        if all(t in self.made for t in self.own[paper]):
            self._paper(self.papers[paper], [self.made[t] for t in self.own[paper]])

    def _paper(self, of: Paper, made: Sequence[Made]) -> None:
        tried = [r for r in self.results if r.experiment.paper == of.key]
        parted = self._parts(of.key)
        for part, tasks in parted:
            page = announced(section_slug(of.key, part), part.title, "section", trail=_TRAIL)
            self.book.made(page, partial(section_page, of, part, [self._shown(t) for t in tasks]))
        in_sections = {self.made[task].row.id for _, tasks in parted for task in tasks}
        rest = undecided_of([(m.row, m.page) for m in made if m.row.id not in in_sections])
        page = announced(f"paper-{of.key}", of.title, "paper", trail=_TRAIL)
        self.book.made(page, lambda: paper_page(of, [m.row for m in made], tried, rest))
        page = announced(f"errata-{of.key}", f"Notes on: {of.title}", "errata", trail=_TRAIL)
        self.book.made(page, lambda: errata_page(of, [m.entry for m in made]))

    def _shown(self, task: Task) -> tuple[Row, Page]:
        return self.made[task].row, self.made[task].page

    def finish(self) -> tuple[Made, ...]:
        """The gallery, links that arrive, the whole index, and formats that have all pages in them."""
        shown = [self.made[t].page for t in self.claims]
        shown += [self.book.pages[t.announced.slug] for t in self.samplers]
        self.book.made(_GALLERY, lambda: gallery_page(shown))
        self.index(is_last=True)
        self.book.mend()
        if self.book.faults:
            self.index(is_last=True)
        self.book.index()
        self.book.others(self._order())
        keep_formulas()
        return tuple(self.made[t] for t in self.claims)

    def index(self, is_last: bool = False) -> None:
        """The index as things stand, with links to what is there."""
        began = clock()
        total = len(self.tasks())
        notes = not_made(self.book.faults) if is_last else coming(self._done(), total)
        try:
            page = self._index(notes, is_last)
        except Exception as error:
            page, fault = failed(_INDEX, error, self.book.again)
            self.book.faults += [fault] if is_last else []
        self.book.replace(page if is_last else relinked(page, self.book.has, f" {PENDING}"))
        self.due = clock() + max(_ANEW, _SHARE * (clock() - began))

    def _done(self) -> int:
        return sum(t.announced.slug in self.book.pages for t in self.tasks())

    def _index(self, notes: Sequence[Block], is_last: bool) -> Page:
        rows = self.rows()
        papers = [(of, [r for r in rows if r.paper == key]) for key, of in self.papers.items()]
        samplers = tuple(self.declared.values())
        guides, reference = (self._as_they_are(tasks) for tasks in (self.guides, self.reference))
        more = (self.book.pages.get(_GALLERY.slug, _GALLERY), *reference)
        claims = {m.row.id: m.page for m in self.made.values()} if is_last else {}
        return index_page(papers, samplers, guides, self.results, more, notes, claims.get)

    def _as_they_are(self, tasks: Sequence[Task]) -> tuple[Page, ...]:
        return tuple(self.book.pages.get(t.announced.slug, t.announced) for t in tasks)

    def _order(self) -> tuple[str, ...]:
        """In which pages follow one another where they are one document."""
        tried = [t.announced.slug for t in self.tried]
        order = (
            "index",
            *(f"paper-{key}" for key in self.papers),
            *(section_slug(key, part) for key in self.papers for part, _ in self._parts(key)),
            *(t.announced.slug for t in self.claims),
            *(f"errata-{key}" for key in self.papers),
            *(t.announced.slug for t in (*self.samplers, *self.guides)),
            *(("experiments", *tried) if tried else ()),
            _GALLERY.slug,
            WORDS,
            *(t.announced.slug for t in self.reference),
        )
        return tuple(dict.fromkeys(slug for slug in order if slug in self.book.pages))


def _spoken_of(planned: Sequence[tuple[Any, Plan]]) -> Iterator[Any]:
    """The samplers of claims; where one is not there, its claim says so."""
    for claim, _ in planned:
        if claim.of:
            with suppress(UnusableInput):
                found = registry.sampler(claim.of)
                if found.title:
                    yield found


def _tried_task(result: Any, places: Mapping[str, str]) -> Task:
    """The page of an experiment, with links to the papers and claims that it speaks of."""
    about = result.experiment
    named = {f"paper-{about.paper}", *about.ids, *(c.formula for c in result.findings.contradictions)}
    known = {name: places[name] for name in sorted(named & places.keys())}
    page = announced(f"experiment-{about.name}", titled(about), "experiment", trail=TRAIL)
    called = f"experiment {about.name} {known}"
    make = partial(kept, called, partial(_tried_page, about.name, known))
    return Task(page, make, _AGAIN, is_kept(called))


def _tried_page(name: str, known: Mapping[str, str]) -> Page:
    return experiment_page(kept_result(name), known)


def _sampler_task(sampler: Any, is_ours: bool) -> Task:
    """The page of a sampler; one of somebody's file is not kept, and is made in this process.

    Ours are known by their names in any process, and those that texts of our papers declare are sent.
    """
    page = announced(sampler_slug(sampler.name), sampler.title or sampler.name, "sampler", trail=_TRAIL)
    if not is_ours:
        return Task(page, partial(sampler_page, sampler), _AGAIN, here=True)
    called = f"sampler {content(sampler)}"
    named = not registry.is_elsewhere(sampler.name)
    make = partial(kept, called, partial(_sampler_page, sampler.name if named else sampler))
    return Task(page, make, _AGAIN, is_kept(called))


def _sampler_page(which: Any) -> Page:
    return sampler_page(registry.sampler(which))
