"""A report while it is made: the index first, what fails says so, and what was made is not lost."""

import io
import re
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from reports import book, keeping
from reports import build as building
from reports.book import Book
from reports.build import SITE, Order, build
from reports.document import Heading, Link, Page, Paragraph
from reports.emit.site import dead_links
from reports.making import Task, announced
from reports.terminal.commands.report import command
from reports.terminal.phases import phases
from sgtheory.errors import UnusableInput
from verification.judging.judge import plans
from verification.library import select

CLAIMS = ("mandt2017.eq13", "mandt2017.eq14")
README = Path(__file__).parents[2] / "README.md"


def page(slug, *blocks, kind="sampler"):
    return Page(slug, slug, (Paragraph("Made."), *blocks), kind)


class Pages:
    """Stands for what takes time in a report: the pages of guide and samplers."""

    def __init__(self, folder, failing=(), stop=(), linking=()):
        self.folder, self.failing, self.stop, self.linking = folder, failing, stop, linking
        self.asked = []
        self.index = []

    def guide(self):
        blocks = (Heading(2, "Install"),)
        return [self.task("guide-first-ten-minutes", "guide", blocks)]

    def sampler(self, sampler, is_ours):
        slug = f"sampler-{sampler.name}"
        blocks = (Paragraph(("To ", Link("nowhere", "not-there"))),) if slug in self.linking else ()
        return self.task(slug, "sampler", blocks)

    def tried(self, result, places):
        return self.task(f"experiment-{result.experiment.name}", "experiment")

    def task(self, slug, kind, blocks=()):
        def make():
            self.asked.append(slug)
            self.index.append((self.folder / "index.html").read_text("utf-8"))
            if slug in self.stop:
                raise KeyboardInterrupt
            if slug in self.failing:
                raise ModuleNotFoundError("No module named 'something'")
            return page(slug, *blocks, kind=kind)

        return Task(announced(slug, slug, kind), make, "sgtheory report", here=True)


@pytest.fixture
def report(tmp_path, monkeypatch):
    def of(name="out", targets=CLAIMS, formats=("html",), **how):
        pages = Pages(tmp_path / name, **how)
        monkeypatch.setattr(building, "guide_tasks", pages.guide)
        monkeypatch.setattr(building, "_sampler_task", pages.sampler)
        monkeypatch.setattr(building, "_tried_task", pages.tried)
        pages.done = build(Order(select(targets), formats=formats), pages.folder, seed=1)
        return pages

    return of


def links(text):
    return set(re.findall(r'href="([^"#:]+)(?:#[^"]*)?"', text))


def everything(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.strong
def test_the_index_is_there_before_any_page_and_marks_what_is_not(report):
    pages = report()
    first = pages.index[0]
    assert "This report is being made: 0 of" in first
    assert links(first) <= {"style.css"}
    assert (
        "Covariance" in first or "stationary" in first.lower()
    )  # claims are named before they are judged
    last = (pages.folder / "index.html").read_text("utf-8")
    assert "being made" not in last
    assert "…" not in last
    assert {"words.html", "sampler-sgd.html", "paper-mandt2017.html"} <= links(last)
    assert '"mandt2017.eq13.html"' in (pages.folder / "search.js").read_text("utf-8")


def test_papers_are_announced_before_their_claims_are_read(tmp_path):
    building.announce(tmp_path, ("mandt2017", "brosse2018"))
    text = (tmp_path / "index.html").read_text("utf-8")
    assert "This report is being made" in text
    assert "Stochastic Gradient Descent as Approximate Bayesian Inference" in text
    assert links(text) <= {"style.css"}


def test_no_link_is_dead_when_all_is_made(report):
    folder = report().folder
    for path in folder.glob("*.html"):
        assert not [to for to in links(path.read_text("utf-8")) if not (folder / to).exists()], path


def test_what_no_computation_decides_stands_on_another_page(report, tmp_path):
    """On its section's; of a file, which has no sections, on the file's own page."""
    own = tmp_path / "own.py"
    own.write_text(
        "from verification.statements import at\n"
        'said = at("said", "section 9").attribution("It was done before", "It is ascribed to others.")\n'
    )
    pages = report(targets=("mandt2017.fig1", str(own)))
    assert pages.done.faults == ()
    for name, place in (
        ("section-mandt2017.section_7_1", "mandt2017.fig1"),
        ("paper-own", "own.said"),
    ):
        text = (pages.folder / f"{name}.html").read_text("utf-8")
        assert f'id="{place}"' in text
        assert not (pages.folder / f"{place}.html").exists()
        paper = (pages.folder / f"paper-{place.partition('.')[0]}.html").read_text("utf-8")
        assert f"#{place}" in paper
    found = (pages.folder / "search.js").read_text("utf-8")
    assert "section-mandt2017.section_7_1.html#mandt2017.fig1" in found


@pytest.mark.strong
def test_a_page_that_fails_says_so_and_all_others_are_there(report):
    pages = report(failing={"sampler-sgld"})
    text = (pages.folder / "sampler-sgld.html").read_text("utf-8")
    assert "This page could not be made." in text
    assert "ModuleNotFoundError: No module named &#x27;something&#x27;" in text
    assert "sgtheory report" in text
    assert [(f.slug, f.reason) for f in pages.done.faults] == [
        ("sampler-sgld", "ModuleNotFoundError: No module named 'something'")
    ]
    index = (pages.folder / "index.html").read_text("utf-8")
    assert "Not all pages could be made" in index
    assert "sampler-sgld.html" in links(index)
    assert "Made." in (pages.folder / "sampler-svrg_ld.html").read_text("utf-8")


@pytest.mark.strong
def test_a_page_that_cannot_be_typeset_says_so(report, monkeypatch):
    def files(page, site, whole=book.html_files):
        if page.slug == "mandt2017.eq13" and page.kind == "claim":
            raise UnusableInput("LaTeX that can be typeset", "a formula", "correct it")
        return whole(page, site)

    monkeypatch.setattr(book, "html_files", files)
    pages = report()
    assert [f.slug for f in pages.done.faults] == ["mandt2017.eq13"]
    assert "could not be made" in (pages.folder / "mandt2017.eq13.html").read_text("utf-8")


BROKEN = """
import os

def dies(*given):
    os._exit(7)

def raises(*given):
    raise RuntimeError("two lines\\nof a reason")

from verification.statements import Stated


class Raising(Stated):
    find = raises

class Dying(Stated):
    find = dies

same = {"title": "Fails", "says": "This.", "of": "sgd", "statement": wrong_by_two.statement}
raising, dying = Raising("raising", at="Eq. 2", **same), Dying("dying", at="Eq. 3", **same)
"""


def own_paper():
    """README's example of a file of claims."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    (text,) = (b for b in blocks if b.startswith("# my_paper.py"))
    return text


@pytest.mark.strong
def test_claims_that_raise_or_die_are_pages_and_others_are_judged(report, tmp_path):
    path = tmp_path / "my_paper.py"
    path.write_text(own_paper() + BROKEN, encoding="utf-8")
    pages = report(targets=(str(path),))
    reasons = {f.slug: f.reason for f in pages.done.faults}
    assert set(reasons) == {"my_paper.raising", "my_paper.dying"}
    assert "died" in reasons["my_paper.dying"]
    words = {m.page.slug: m.row.word for m in pages.done.found}
    assert words == {
        "my_paper.eq1": "refuted", "my_paper.raising": "inconclusive", "my_paper.dying": "inconclusive"
    }  # fmt: skip
    for slug in words:
        assert (pages.folder / f"{slug}.html").is_file()


@pytest.mark.strong
def test_a_page_of_a_verdict_that_fails_is_not_kept(monkeypatch):
    def raising(verdict, paper):
        raise RuntimeError("two lines\nof a reason")

    ((claim, plan),) = plans(select(CLAIMS[:1]), seed=77)
    with monkeypatch.context() as patch:
        patch.setattr(keeping, "claim_page", raising)
        first = keeping.made(claim, plan)
    assert first.fault.reason == "RuntimeError: two lines of a reason"
    assert first.row.word == "proved"
    assert first.document["verdict"] == "proved"
    assert keeping.made(claim, plan).fault is None


def test_a_link_that_leads_nowhere_is_words_and_is_said(report):
    pages = report(linking={"sampler-sgd"})
    assert "not-there" not in (pages.folder / "sampler-sgd.html").read_text("utf-8")
    (fault,) = pages.done.faults
    assert fault.slug == "sampler-sgd"
    assert "not-there" in fault.reason


def test_an_interrupted_report_goes_on_to_the_same_bytes(report):
    whole = everything(report("whole").folder)
    with pytest.raises(KeyboardInterrupt):
        report("broken", stop={"sampler-sgfs"})
    folder = report("broken").folder
    assert everything(folder) == whole
    assert len(whole) > 40


def test_formats_of_all_pages_are_written_and_a_page_that_fails_is_in_them(report):
    pages = report(formats=("html", "markdown", "json"), failing={"sampler-sgd"})
    assert "could not be made" in (pages.folder / "sampler-sgd.md").read_text("utf-8")
    assert (pages.folder / "index.json").is_file()


def test_pages_of_one_name_are_told():
    held = Book(Path(), (), SITE, "sgtheory report")
    held.put(page("one"))
    held.put(page("One"))
    assert [f.slug for f in held.faults] == ["one"]


def test_links_to_places_of_a_page_that_failed_arrive_at_its_top():
    there = Page("there", "There", (), "failed")
    here = Page("here", "Here", (Paragraph((Link("place", "there#place"),)),))
    assert not list(dead_links((there, here), SITE))
    assert list(dead_links((Page("there", "There", ()), here), SITE))


@pytest.mark.strong
@pytest.mark.parametrize("name", ["my_paper.py", "2016 paper.py"])
def test_a_claim_of_ones_own_has_its_page(report, tmp_path, name):
    """It has no BibTeX, and is in a file of any name."""
    (tmp_path / name).write_text(own_paper(), encoding="utf-8")
    pages = report(targets=(str(tmp_path / name),))
    assert not pages.done.faults
    assert pages.done.found[0].row.word == "refuted"
    assert (pages.folder / f"{pages.done.found[0].page.slug}.html").is_file()


@pytest.mark.strong
def test_the_command_lists_what_failed_and_ends_with_status_1(monkeypatch, tmp_path, report):
    pages = Pages(tmp_path / "out", failing={"sampler-sgd"})
    monkeypatch.setattr(building, "guide_tasks", pages.guide)
    monkeypatch.setattr(building, "_sampler_task", pages.sampler)
    done = CliRunner().invoke(command, ["mandt2017.eq13", "--out", str(tmp_path / "out"), "--jobs", "1"])
    assert done.exit_code == 1, done.output
    assert "1 could not be made" in done.stderr
    assert "  sampler-sgd: ModuleNotFoundError" in done.stderr
    assert (tmp_path / "out" / "verdicts.json").is_file()


def test_ctrl_c_is_one_line_that_says_how_to_go_on(monkeypatch, tmp_path):
    def stop(*args, **settings):
        raise KeyboardInterrupt

    monkeypatch.setattr(building, "build", stop)
    done = CliRunner().invoke(command, ["mandt2017.eq13", "--out", str(tmp_path)])
    assert done.exit_code == 130
    assert done.stderr.splitlines()[-1] == (
        "sgtheory: stopped; what was made is kept, and sgtheory report mandt2017.eq13 goes on from there"
    )
    assert "Traceback" not in done.output


def test_what_cannot_be_used_is_one_line(tmp_path):
    from tests.reports.terminal.test_terminal import refused, run

    refused(run("report", "no_such_paper", "--out", tmp_path / "out"))


def test_a_full_disk_is_one_line(report, monkeypatch):
    def full(*args, **settings):
        raise UnusableInput("room", "No space left on device", "make some")

    monkeypatch.setattr(book, "put", full)
    with pytest.raises(UnusableInput, match="No space left on device"):
        report()


def test_without_a_terminal_there_are_lines_now_and_then():
    told = io.StringIO()
    with phases("work", every=0.05, file=told) as tell:
        tell("first", 0, 2)
        time.sleep(0.2)
        tell("first", 1, 2)
        tell("second", 0, 7)
    lines = told.getvalue().splitlines()
    assert lines[0] == "work: first 0 of 2, 0 s"
    assert lines.count("work: first 0 of 2, 0 s") > 2  # nothing was done, and that is said too
    assert lines[-1] == "work: second 0 of 7, 0 s"


def test_on_a_terminal_there_is_a_bar():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    told = Terminal()
    with phases("work", file=told) as tell:
        tell("first", 1, 2)
        time.sleep(0.3)
    assert "work: first" in told.getvalue()
    assert "1/2" in told.getvalue()


def test_every_index_of_a_report_that_is_made_says_so(tmp_path, monkeypatch):
    """Who looks at the first moment sees no empty page."""
    written = []
    monkeypatch.setattr(book, "put", lambda path, text, **_: written.append((path.name, text)) or path)
    building.announce(tmp_path, ["mandt2016poster"])
    indices = [text for name, text in written if name == "index.html"]
    assert indices
    assert all("This report is being made" in text for text in indices)
