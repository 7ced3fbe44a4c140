"""The reference: names from the sources, examples that were run, commands; the gallery."""

import doctest

import pytest
from click.testing import CliRunner

from reports.document import Code, Figure, Heading, Page, Table, walk
from reports.emit import html
from reports.pages.gallery import gallery_page, kind_of
from reports.reference import (
    ROOMS,
    commands_page,
    names_page,
    parts_of,
    reference_tasks,
    room_page,
)
from reports.reference.examples import run, signature
from reports.reference.names import names_of, offering
from reports.terminal import cli
from sgtheory.errors import UnusableInput
from tests.reports import demo
from tests.reports.emit.validity import faults
from tests.test_architecture import public


@pytest.fixture(scope="module")
def reports_room():
    return room_page("reports")


def test_every_public_name_is_there(reports_room):
    (table,) = (b for b in reports_room.blocks if isinstance(b, Table) and b.search)
    assert len(table.rows) == len(names_of("reports")) > 150
    names = {str(row[0]) for row in table.rows}
    assert any("names_of" in name for name in names)
    assert not any("_table" in name for name in names)


def test_names_that_are_too_many_for_a_page_have_pages_of_their_own():
    parts = parts_of("verification")
    assert [n for part in parts for n in part.names] == list(names_of("verification"))
    assert len(parts) > 1
    slugs = [task.announced.slug for task in reference_tasks()]
    assert len(set(slugs)) == len(slugs)
    for k, part in enumerate(parts):
        page = names_page("verification", k)
        assert page.slug in slugs
        assert len(html.render(page)) < 400_000, part.title


@pytest.mark.parametrize(
    "room", [pytest.param(r, marks=[pytest.mark.long] if r == "verification" else []) for r in ROOMS]
)
def test_names_are_those_that_must_have_docstrings(room):
    """Another route: the scan of the architecture test."""
    import ast
    from pathlib import Path

    root = Path(__file__).parents[2]
    sources = [p for p in (root / room).rglob("*.py") if p.name != "__main__.py"]
    found = sorted(node.name for p in sources for node in public(ast.parse(p.read_text())))
    assert sorted(n.name.partition("(")[0] for n in names_of(room)) == found
    assert all(n.summary for n in names_of(room))


def test_what_a_room_offers_is_told_with_examples(reports_room):
    told = {b.text for b in reports_room.blocks if isinstance(b, Heading)}
    assert {module for module, _ in offering("reports")} | {"Page", "prose"} <= told
    code = [b.text for b in reports_room.blocks if isinstance(b, Code)]
    assert any(text.startswith(">>> ") for text in code)
    assert faults(html.render(reports_room)) == []


@pytest.mark.long
@pytest.mark.parametrize("room", ["sgtheory", "simulators", "verification"])
def test_examples_of_every_room_print_what_they_say(room):
    assert faults(html.render(room_page(room))) == []


def example(source, want):
    return doctest.Example(source, want)


def test_an_example_is_shown_with_what_it_printed():
    assert run(example("2 + 3\n", "5\n"), {}) == ">>> 2 + 3\n5"
    assert run(example("x = 1\n", ""), {}) == ">>> x = 1"


def test_an_example_that_prints_something_else_stops_the_build():
    with pytest.raises(UnusableInput, match="mend the docstring"):
        run(example("2 + 3\n", "6\n"), {})


def test_an_error_that_is_expected_is_shown():
    failing = doctest.Example("1 / 0\n", "", exc_msg="ZeroDivisionError: division by zero\n")
    assert "ZeroDivisionError" in run(failing, {})


def test_signatures_keep_their_words():
    def call(time: str = "discrete", *, of: "list[int] | None" = None) -> "str":
        raise NotImplementedError

    assert "time: str = 'discrete'" in signature("call", call)
    assert "of: list[int] | None = None" in signature("call", call).replace("\n    ", " ")


def test_every_command_has_its_help():
    page = commands_page()
    told = {b.text: page.blocks[k + 1].text for k, b in enumerate(page.blocks) if isinstance(b, Heading)}
    assert set(told) == set(cli.list_commands(None))
    by_hand = CliRunner().invoke(cli, ["law", "--help"]).output
    assert [w for w in by_hand.split() if w.startswith("--")] == [
        w for w in told["law"].split() if w.startswith("--")
    ]


def test_the_gallery_has_a_drawing_of_each_kind_once():
    twice = Page("second", "Second", demo.claim().blocks)
    page = gallery_page((demo.claim(), twice))
    figures = [b for b in walk(page.blocks) if isinstance(b, Figure)]
    assert [f.name for f in figures] == ["gallery-variance-over-step"]
    assert figures[0].svg == demo.drawing().svg
    assert kind_of("measured-eq24-first") == "measured"
