"""Writing: the same bytes every time, whole files, links that arrive."""

import hashlib
from pathlib import Path

import pytest

from reports.document import Figure, Heading, Link, Page, Paragraph
from reports.emit import FORMATS, Site, render, write
from sgtheory.errors import UnusableInput
from tests.reports import demo


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def linked(href, **named):
    return Page("here", "Here", (Heading(2, "Place"), Paragraph((Link("x", href),))), **named)


def test_two_writes_are_the_same_to_the_byte(report, tmp_path):
    write(demo.pages(), tmp_path, FORMATS)
    assert digests(tmp_path) == digests(report)


def test_what_is_written_is_what_is_there(tmp_path):
    written = write(demo.pages(), tmp_path, ("html", "markdown", "latex"))
    assert {str(p.relative_to(tmp_path)) for p in written} == set(digests(tmp_path))
    assert len(written) == len(set(written))
    assert (tmp_path / "mandt2017.eq13.variance-over-step.svg").exists()
    assert (tmp_path / "mandt2017.eq13.variance-over-step.csv").exists()


@pytest.mark.parametrize("href", ["nowhere", "here#nowhere", "#nowhere", "there#place"])
def test_links_that_lead_nowhere_raise_before_anything_is_written(tmp_path, href):
    with pytest.raises(UnusableInput, match=r"links of page 'here'"):
        write((linked(href), Page("there", "There", ())), tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("href", ["here", "here#place", "#place", "there", "https://example.org/#x"])
def test_links_that_arrive_are_accepted(tmp_path, href):
    assert write((linked(href), Page("there", "There", ())), tmp_path)


def test_links_of_the_trail_and_of_the_site_are_checked_too(tmp_path):
    with pytest.raises(UnusableInput):
        write((Page("a", "A", (), trail=(Link("x", "nowhere"),)),), tmp_path)
    with pytest.raises(UnusableInput):
        write((Page("a", "A", ()),), tmp_path, site=Site(home="a", navigation=(Link("x", "b"),)))


def test_pages_in_folders_find_each_other(tmp_path):
    pages = (
        Page("index", "Index", (Paragraph((Link("x", "deep/down"),)),)),
        Page("deep/down", "Down", (Paragraph((Link("up", "index"), Link("side", "deep/side"))),)),
        Page("deep/side", "Side", ()),
    )
    write(pages, tmp_path)
    assert 'href="deep/down.html"' in (tmp_path / "index.html").read_text()
    down = (tmp_path / "deep" / "down.html").read_text()
    assert 'href="../index.html"' in down
    assert 'href="side.html"' in down


def test_pages_that_would_be_one_file_raise(tmp_path):
    with pytest.raises(UnusableInput, match="whatever their case"):
        write((Page("Eq1", "A", ()), Page("eq1", "B", ())), tmp_path)


def test_figures_that_would_be_one_file_raise(tmp_path):
    svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
    twice = (Figure(svg, "a", "", "x\n", "same"), Figure(svg, "b", "", "y\n", "same"))
    with pytest.raises(UnusableInput, match="different names"):
        write((Page("p", "P", twice),), tmp_path)


def test_a_failure_leaves_the_old_file_whole(tmp_path, monkeypatch):
    write((Page("p", "Old", ()),), tmp_path)
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(UnusableInput, match="full"):
        write((Page("p", "New", ()),), tmp_path)
    assert "Old" in (tmp_path / "p.html").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["p.html"]


def test_unknown_formats_raise(tmp_path):
    for make in (lambda: render(demo.pages(), "pdf"), lambda: write(demo.pages(), tmp_path, ("pdf",))):
        with pytest.raises(UnusableInput, match="a format"):
            make()
