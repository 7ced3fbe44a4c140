"""What a reader who has never been here finds on the first page: first of all, which theorems hold."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from reports.document import Details, Heading, Link, Table, Tally, VerdictWord, spans_of, walk
from reports.emit import html
from reports.emit.words import words
from reports.pages.errata import Entry, entry, errata_page
from reports.pages.index import index_page
from reports.pages.paper import PENDING, about, table_of, tallies
from reports.pages.row import Row
from reports.snapshot import FOLDER
from tests.reports.emit.validity import faults
from verification.judging.judge import judge, plans
from verification.library import paper_keys


def kept(key):
    """The rows that are kept of a paper, each cell by the name that heads its column."""
    lines = (FOLDER / f"{key}.md").read_text("utf-8").splitlines()
    tabled = [
        re.split(r"(?<!\\) \| ", s.removeprefix("| ").removesuffix(" |")) for s in lines if s[:1] == "|"
    ]
    for cells in tabled[2:]:
        named = dict(zip(tabled[0], cells, strict=True))
        stands = named["stands"]
        word, _, scope = named["verdict"].removesuffix(")").partition(" (")
        read, _, read_scope = named["for the discrete algorithm"].removesuffix(")").partition(" (")
        yield Row(
            named["claim"],
            key,
            named["where"].replace(r"\|", "|"),
            "a title",
            "",
            word,
            read or None,
            1,
            1,
            stands=stands,
            scope=scope,
            read_scope=read_scope,
        )


@pytest.fixture(scope="module")
def page():
    return index_page([(about(key), list(kept(key))) for key in paper_keys()], ())


def test_the_first_table_says_which_theorems_hold(page):
    headings = [b for b in page.blocks if isinstance(b, Heading)]
    assert headings[0].text == "Which theorems hold"
    table = next(b for b in page.blocks if isinstance(b, Table))
    assert 0 < len(table.rows) < len(paper_keys())
    assert {len(row) for row in table.rows} == {5}
    assert table.rows[0][4] == Link("errata", "errata-mandt2017")
    assert (
        words(table.rows[0][0]) == "Mandt, Hoffman and Blei 2017"
    )  # the paper with most claims is first
    running = [s.word for s in spans_of(table.rows[0][3]) if isinstance(s, VerdictWord)]
    assert "limit-only" in running
    assert (
        "proved" not in running
    )  # every numbered theorem is printed for the limit, and true there only


def test_counts_are_those_of_the_kept_verdicts(page):
    """Another route: what is printed, counted from the Markdown, line by line."""
    text = (FOLDER / "mandt2017.md").read_text("utf-8")
    lines = re.findall(r"^\| \S+ \| (?:Theorem|Corollary|Lemma|Proposition) \d+[^|]* \| .*$", text, re.M)
    cells = [line.strip("| ").split(" | ") for line in lines if "proof" not in line.split(" | ")[1]]
    stands = Counter(c[2] for c in cells)
    cells = [c for c in cells if c[2] == "printed"]
    counts = Counter(c[-1].strip() if len(c) > 4 and c[-1].strip() else c[3] for c in cells)
    table = next(b for b in page.blocks if isinstance(b, Table))
    told = re.findall(r"(\d+)\s\S ([a-z-]+)", words(table.rows[0][3]).replace("\u00a0", " "))
    assert {word: int(n) for n, word in told} == dict(counts)
    assert (stands["read"], stands["derived"]) == (1, 0)
    assert words(table.rows[0][2]).endswith("; beside them 1 read")


def test_a_work_without_numbered_theorems_is_told_with_all_its_statements(page):
    """Each work stands in one of the two tables; the second counts what is printed, or said."""
    tables = [b for b in walk(page.blocks) if isinstance(b, Table)]  # the second may be folded
    with_theorems, others = [b for b in tables if b.headers[0] == "paper"]
    assert len(with_theorems.rows) + len(others.rows) == len(paper_keys())
    for _, claims, fares, *_ in others.rows:
        printed = f"of {words(claims)} common: "  # what is told in our words has no other way to stand
        assert words(fares).startswith(printed) or "; beside them " in words(fares)


def test_a_report_that_is_being_made_says_of_no_work_how_it_fares():
    page = index_page([(about(key), ()) for key in paper_keys()], ())
    (folded,) = [b for b in page.blocks if isinstance(b, Details) and b.summary.startswith("All ")]
    (table,) = folded.blocks
    assert {tuple(map(words, row[2:])) for row in table.rows} == {(PENDING,) * 3}


def test_the_first_link_leads_to_the_theorems(page):
    table = next(b for b in page.blocks if isinstance(b, Table))
    links = [row[0] for row in table.rows if isinstance(row[0], Link)]
    assert len(links) == len(table.rows)
    assert {link.target[1] for link in links} <= set(page.anchors)
    assert links[0].href == "#theorems-mandt2017"


def test_long_tables_of_theorems_are_folded(page):
    shown = [b for b in page.blocks if isinstance(b, Table) and not b.search]
    assert max(len(b.rows) for b in shown) <= 15


def test_the_page_is_valid(page):
    assert faults(html.render(page)) == []


def test_a_paper_counts_apart_what_is_printed_read_and_derived():
    """Each table counts what it says; a page on which all is printed has none."""
    verdicts = [("printed", "proved"), ("printed", "refuted"), ("read", "proved"), ("derived", "proved")]
    rows = [Row(f"p.{k}", "p", "", "", "", w, None, 0, 0, "", s) for k, (s, w) in enumerate(verdicts)]
    table = _ways(rows)[0]
    assert [words(cell).partition(":")[0] for cell in table.headers] == [
        "verdict", "printed", "read", "derived",
    ]  # fmt: skip
    assert [[words(cell) for cell in row] for row in table.rows] == [
        ["claims", "2", "1", "1"],
        ["✓ proved", "1", "1", "1"],
        ["✗ refuted", "1", "–", "–"],
    ]
    assert _ways(rows[:2]) == []


def test_a_paper_counts_first_what_is_printed():
    """Neither a consequence of ours nor what is a matter of degree is in the first count."""
    told = [("printed", "proved"), ("printed", "a matter of degree"), ("derived", "refuted")]
    rows = [
        Row(f"p.{k}", "p", "", "", "", w, "limit-only", 0, 0, "", s) for k, (s, w) in enumerate(told)
    ]
    first, of_continuous = [words(b.words) for b in tallies(rows) if isinstance(b, Tally)]
    assert (first, of_continuous) == ("1 ✓ proved", "1 ≈ limit-only")
    said = words(tallies(rows)[0].spans)
    assert said.startswith("1 of 3 claims is printed")
    assert said.endswith("Counted apart: 1 derived, 1 a matter of degree.")
    assert words(tallies(rows[1:2])[0].spans).startswith("Its one claim is a matter of degree")
    assert words(tallies(rows[2:])[0].spans).startswith("Its one claim is derived")


def test_what_is_proved_in_part_of_the_algorithm_is_counted_apart():
    told = ("", "long windows", "one dimension")
    rows = [
        Row(f"p.{k}", "p", "Eq. 1", "A law", "", "refuted", "proved", 0, 0, read_scope=s)
        for k, s in enumerate(told)
    ]
    stated, running = [words(b.words) for b in tallies(rows) if isinstance(b, Tally)]
    assert (stated, running) == ("3 ✗ refuted", "1 ✓ proved, 2 ✓ proved (in part)")
    assert words(table_of(rows).rows[1][3]) == "✓ proved (long windows)"


def test_a_column_is_headed_as_printed_where_all_of_it_is():
    printed = Row("p.a", "p", "Eq. 1", "A law", "", "proved", None, 0, 0)
    read = replace(printed, stands="read")
    heads = [words(table_of(rows).headers[2]) for rows in ([printed], [printed, read], [read])]
    assert heads == ["as printed", "as it stands", "as it stands"]


@pytest.mark.parametrize(
    ("stands", "begins", "counted"),
    [
        ("printed", "The paper prints", ""),
        ("read", "The paper says, as we read it", "0 are about formulas that are printed, 1 about sent"),
        ("derived", "What follows from the paper", "1 about consequences that are not printed"),
    ],
)
def test_errata_blame_no_paper_for_what_it_does_not_print(stands, begins, counted):
    from verification.statements import Equal, claim, letters

    x, y = letters("x y")
    wrong = claim("k", at="Eq. 1", title="A square", **{stands: Equal((x + y) ** 2, x**2 + y**2)})
    ((_, plan),) = plans([wrong], seed=1)
    page = html.render(errata_page(about("", "notes.py"), [entry(judge(wrong, plan))]))
    assert begins in page
    assert counted in page
    assert ("Of these" in page) == bool(counted)


def test_errata_say_how_much_of_what_holds_is_proved_in_part():
    told = [
        Row(f"p.{k}", "p", "", "", "", "proved", None, 0, 0, scope=s)
        for k, s in enumerate(("", "D = 1"))
    ]
    said = html.render(errata_page(about("", "notes.py"), [Entry(row, ()) for row in told]))
    assert "2 hold as they stand (1 of them in part, which is of less than is said)" in said
    whole = html.render(errata_page(about("", "notes.py"), [Entry(told[0], ())]))
    assert "in part" not in whole


def _ways(rows):
    return [b for b in tallies(rows) if isinstance(b, Table)]
