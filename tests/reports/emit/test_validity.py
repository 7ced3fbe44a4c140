"""Pages follow the HTML standard, read by a parser of it; a page with a fault is told."""

import pytest

from reports.emit import html, write
from reports.emit.style import head_style
from tests.reports import demo
from tests.reports.emit.test_html import EVIL, evil_page
from tests.reports.emit.test_site import listed
from tests.reports.emit.validity import faults, read, site_faults, words_of

PAGES = {page.slug: page for page in (*demo.pages(), listed(), evil_page())}


@pytest.fixture(scope="module")
def claim():
    return html.render(demo.claim())


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_valid(name):
    assert faults(html.render(PAGES[name])) == []


# What is changed in a page that is valid, and what has to be told of it.
TWINS = {
    "never closed": ("</main>", "", "end"),
    "a paragraph with a block": ("<p>In the", "<p><div>x</div>In the", "line"),
    "words between rows": ("<tbody>", "<tbody>words", "bare words"),
    "the same name": ("<main", '<div id="content"></div><main', "used twice"),
    "an unknown place": ('href="#content"', 'href="#nowhere"', "not there"),
    "a level left out": ("<h2 ", "<h4 ", "headings"),
    "two titles": ("</main>", "<h1>x</h1></main>", "headings"),
    "an undescribed drawing": ('role="img" aria-label', "aria-x", "without a description"),
    "an undescribed picture": ("</main>", "<img></main>", "without a description"),
    "a header of nothing": (' scope="col"', "", "without a scope"),
    "an obsolete element": ("<strong>", "<font><strong>", "<font>"),
    "an obsolete attribute": ("<table", "<table border", "<table border>"),
    "what acts": ("<table", '<table onclick="x"', "onclick"),
    "an unknown element": ("</main>", "<blink></blink></main>", "<blink>"),
    "a list of words": ("<ul>", "<ul><p>x</p>", "<ul> holds"),
    "a row too short": ('<tr><th scope="row"', '<tr><td></td><th scope="row"', "cells"),
    "folded without a name": ("<details><summary>", "<details><p></p><summary>", "does not begin"),
    "a style from elsewhere": ("</style>", "@import 'x';</style>", "fetches"),
    "a font from elsewhere": ("</style>", "a { src: url(x.woff2) }</style>", "fetches"),
    "a picture": ("</main>", '<img alt="x" src="x.png"></main>', "is fetched"),
    "no language": (' lang="en"', "", "no language"),
    "no policy": ("Content-Security-Policy", "Refresh", "Content-Security-Policy"),
    "a block in a line": ("<details><summary>", "<details><summary><div></div>", "<summary> holds"),
    "a link without words": ("Skip to the content", "", "without words"),
    "markup in a formula": ("<mi>", "<mi><video></video>", "<video>"),
}  # fmt: skip


@pytest.mark.parametrize("name", TWINS)
def test_a_fault_is_told(claim, name):
    old, new, told = TWINS[name]
    assert old in claim
    found = faults(claim.replace(old, new, 1))
    assert any(told in words for words in found), found


def test_a_folder_is_valid_and_its_links_arrive(tmp_path):
    write(demo.pages(), tmp_path)
    assert site_faults(tmp_path) == {}


@pytest.mark.parametrize("href", ["nowhere.html", "index.html#nowhere", "../outside.html", "."])
def test_a_link_that_does_not_arrive_is_told(tmp_path, href):
    (tmp_path / "outside.html").write_text("x")
    write(demo.pages(), tmp_path / "site")
    page = tmp_path / "site" / "formulas.html"
    page.write_text(page.read_text().replace('href="index.html"', f'href="{href}"'))
    (told,) = site_faults(tmp_path / "site").values()
    assert "a link to" in told[0]


def test_a_title_arrives_as_it_is():
    tree, _ = read(html.render(evil_page()))
    (heading,) = (e for e in tree.iter() if str(e.tag).endswith("}h1"))
    assert words_of(heading) == EVIL


def test_the_style_that_pages_share_is_whole():
    rules = head_style(with_math=True)
    assert rules.count("{") == rules.count("}")
