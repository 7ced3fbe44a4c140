"""HTML: complete without scripts or network, in order, and closed to markup from outside."""

import itertools
import re
from html.parser import HTMLParser

import pytest

from reports.document import (
    Bullets,
    Code,
    Details,
    Equation,
    Figure,
    Heading,
    Link,
    Math,
    Mono,
    Note,
    Number,
    Page,
    Paragraph,
    Step,
    Steps,
    Strong,
    Table,
    Verdict,
)
from reports.emit import html
from reports.emit.site import Site
from reports.emit.style import head_style
from tests.reports import demo

EVIL = "\"><script>alert(1)</script><img src=x onerror=alert(1)>'&amp;</title></style>"
EMPTY = {"meta", "link", "img", "br", "hr", "input", "col", "wbr"}


class Reader(HTMLParser):
    """Collects elements and says where they do not nest."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.faults, self.words = [], [], [], []
        self.feed(text)
        self.faults += self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data):
        self.words.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module", params=range(len(demo.pages())), ids=lambda n: demo.pages()[n].slug)
def reader(request):
    return Reader(html.render(demo.pages()[request.param]))


def test_elements_nest(reader):
    assert reader.faults == []


def test_nothing_acts_and_nothing_is_fetched(reader):
    names = {name for name, _ in reader.elements}
    assert not names & {"script", "iframe", "object", "embed", "form", "base", "audio", "video"}
    for _, attributes in reader.elements:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "srcset")]
    assert [link["href"] for link in reader.all("link")] == ["data:,"]
    policy = next(m["content"] for m in reader.all("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none'")


def test_names_are_used_once_and_links_inside_arrive(reader):
    names = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(names) == len(set(names))
    wanted = [a["href"][1:] for a in reader.all("a") if a["href"].startswith("#")]
    assert set(wanted) <= set(names)


def test_headings_are_in_order(reader):
    levels = [int(name[1]) for name, _ in reader.elements if re.fullmatch(r"h\d", name)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_tables_say_what_their_headers_are_for(reader):
    assert all("scope" in attributes for attributes in reader.all("th"))


def test_drawings_have_descriptions():
    reader = Reader(html.render(demo.claim()))
    assert [d["aria-label"] for d in reader.all("div") if d.get("role") == "img"] == [demo.drawing().alt]


def test_what_stands_already_is_pointed_at():
    """A step with formulas, and a long formula; what is as short as the way to it stands again."""
    long = Equation(" + ".join(["a_{1}"] * 60))
    same, said = Step("Take it", "So.", (Equation("a"),)), Step("Say it", "So.")
    steps = Steps((said, said, same, Step("Another", "", (Equation("b"),)), same))
    text = html.render(Page("p", "P", (steps, long, Equation("a"), Equation("a"), long)))
    reader = Reader(text)
    names = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(names) == len(set(names))
    assert (text.count("the same as above"), text.count("the formula above")) == (1, 1)
    assert text.count("<summary>Say it</summary>") == 2
    assert {a["href"][1:] for a in reader.all("a") if a["href"].startswith("#")} <= set(names)
    assert text.count('class="equation"') == 5


@pytest.mark.parametrize("header", ["x,y", "x," + "y" * 500])
def test_long_data_begin_with_what_their_columns_are(header):
    rows = "\n".join([header, *[",".join(["1" * 300, "2"])] * 30])
    page = Page(
        "p", "P", (Figure(demo.drawing().svg, "Seen.", "It is seen.", rows, "one"),), kind="claim"
    )
    text = html.render(page, Site(home="p", shared=("claim",)))
    (shown,) = re.findall(r"</summary><pre><code>(.*?)</code></pre>", text, re.S)
    assert shown.splitlines()[0] == header
    assert len(shown) < max(401, len(header) + 2)
    assert "all of them" in text


def test_a_displayed_formula_is_a_line_of_its_own():
    """It says so itself nowhere: browsers with a block of mathematics take the second of the two."""
    rules = re.sub(r"\s", "", head_style(with_math=True))
    assert 'math[display="block"]{display:block;display:blockmath;' in rules
    assert '<math display="block">' in html.render(demo.claim())


def test_every_displayed_formula_has_its_source():
    text = html.render(demo.claim())
    assert text.count("<summary>LaTeX</summary>") == len(re.findall('class="equation"', text)) == 5


def test_the_font_is_inside_only_where_there_are_formulas():
    assert "font/woff2" in html.render(demo.claim())
    assert "font/woff2" not in html.render(demo.index())


def test_pages_stay_small():
    assert len(html.render(demo.claim())) < 220_000
    assert len(html.render(demo.index())) < 20_000


def evil_page():
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'
    return Page(
        slug="evil",
        title=EVIL,
        summary=EVIL,
        trail=(Link(EVIL, "evil"),),
        blocks=(
            Heading(2, EVIL, "evil"),
            Paragraph(
                (EVIL, Strong(EVIL), Mono(EVIL), Number(EVIL), Link(EVIL, "https://x.org/?a=1&b"))
            ),
            Paragraph((Math(r"\text{<script>alert(1)</script>}"),)),
            Equation(r"\text{</details><script>alert(1)</script>}", text=EVIL, alt=EVIL),
            Steps((Step(EVIL, EVIL, (), EVIL),)),
            Table((EVIL,), ((EVIL,),), EVIL),
            Figure(svg, EVIL, EVIL, EVIL),
            Code(EVIL, "sh", EVIL),
            Verdict("refuted", EVIL),
            Bullets((EVIL,)),
            Details(EVIL, (Note("note", (Paragraph(EVIL),)),)),
        ),
    )


def test_text_cannot_become_markup():
    reader = Reader(html.render(evil_page(), Site(name=EVIL)))
    assert reader.faults == []
    assert not reader.all("script")
    assert not reader.all("img")
    assert not any("onerror" in attributes for _, attributes in reader.elements)
    assert "".join(reader.words).count("<script>alert(1)</script>") >= 20


def test_the_reader_sees_what_is_not_escaped():
    spoilt = html.render(evil_page()).replace("&lt;", "<").replace("&gt;", ">")
    assert Reader(spoilt).all("script")


def test_a_formula_keeps_the_full_stop_after_it():
    text = html.render(Page("p", "P", (Paragraph(("so ", Math("x"), ". Then ", Math("y"), " is")),)))
    assert "</math>.</span> Then <math" in text


def test_powers_of_ten():
    text = html.render(Page("p", "P", (Paragraph((Number("1.5e-07", "certified", "2e+3"),)),)))
    assert "1.5·10<sup>−7</sup> ± 2·10<sup>3</sup>" in text
