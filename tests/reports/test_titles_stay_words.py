"""A claim's title, whatever is in it, is words on its page, in tables and in every format."""

import json
import re
from dataclasses import replace

import pytest

from reports.emit import html, render
from reports.pages.claim import claim_page
from reports.pages.errata import entry, errata_page
from reports.pages.index import index_page
from reports.pages.paper import about, paper_page
from reports.pages.row import Row
from tests.reports.emit.test_html import EVIL, Reader
from tests.reports.emit.validity import faults
from verification.judging.judge import judge, plans
from verification.library import select

MARKUP = re.compile(r"<script\b|<img src=x")


@pytest.fixture(scope="module")
def pages():
    (claim,) = select(["brosse2018.thm4.units"])
    evil = replace(claim, title=EVIL, says=EVIL, at=EVIL)
    ((judged, plan),) = plans([evil], seed=1)
    verdict = judge(judged, plan)
    row, of = Row.of_verdict(verdict), about("brosse2018")
    made = claim_page(verdict, of)
    return made, paper_page(of, [row]), index_page([(of, [row])], ()), errata_page(of, [entry(verdict)])


@pytest.mark.parametrize("number", range(4))
def test_html(pages, number):
    text = html.render(pages[number])
    assert faults(text) == []
    read = Reader(text)
    assert not read.all("img")
    assert text.count("<script>") == ("<table data-filter" in text)  # ours alone


@pytest.mark.parametrize("style", ["markdown", "notebook"])
def test_markdown_and_notebooks(pages, style):
    for page in pages:
        text = render((page,), style)
        if style == "notebook":
            cells = json.loads(text)["cells"]
            text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
        outside = re.sub(r"(`{3,})[^`]*?\n.*?\n\s*\1|`[^`\n]*`", "", text, flags=re.DOTALL)
        assert not MARKUP.search(outside)
        assert "alert" in outside or "alert" not in text  # the words are there all the same


def test_latex_and_json(pages):
    for page in pages[:1]:
        tex = render((page,), "latex")
        assert r"'\&amp;" in tex
        assert "alert(1)" in tex
        assert "alert(1)" in json.loads(render((page,), "json"))["title"]


def test_what_is_not_escaped_would_be_seen(pages):
    assert MARKUP.search(render(pages[:1], "markdown").replace("&lt;", "<"))
