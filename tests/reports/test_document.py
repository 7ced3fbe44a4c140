"""What a page must satisfy when it is made."""

import dataclasses

import pytest

from reports.document import (
    SIGNS,
    Bullets,
    Code,
    Details,
    Equation,
    EquationRef,
    Figure,
    Heading,
    Link,
    Math,
    Note,
    Number,
    Page,
    Paragraph,
    Step,
    Steps,
    Table,
    Verdict,
    VerdictWord,
    prose,
    walk,
)
from sgtheory.errors import UnusableInput
from tests.reports import demo
from verification.verdicts.verdict import WORDS

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'


def page(*blocks, **named):
    return Page("slug", "Title", blocks, **named)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Heading(1, "the title is level one"),
        lambda: Heading(2, " "),
        lambda: Heading(2, "text", "9 is no anchor"),
        lambda: Paragraph(["a list"]),
        lambda: Paragraph(("words", 3)),
        lambda: Paragraph("a \x00 character"),
        lambda: Equation(""),
        lambda: Equation("$x$"),
        lambda: Equation("x\n\ny"),
        lambda: Equation("x", label="two words"),
        lambda: Math("$$x$$"),
        lambda: Steps(()),
        lambda: Steps((Equation("x"),)),
        lambda: Step("title", equations=[Equation("x")]),
        lambda: Step(""),
        lambda: Table((), ()),
        lambda: Table(("a", "b"), (("one cell",),)),
        lambda: Table(("a",), (("x",),), align="x"),
        lambda: Table(("a",), ("ab",)),
        lambda: Figure(SVG, "", "caption", "x,y\n"),
        lambda: Figure(SVG, "alt", "caption", ""),
        lambda: Figure("<svg", "alt", "caption", "x,y\n"),
        lambda: Code(""),
        lambda: Code("x", "Python 3"),
        lambda: Verdict("maybe", "who knows"),
        lambda: VerdictWord("true"),
        lambda: Bullets(()),
        lambda: Details("", (Paragraph("x"),)),
        lambda: Details("summary", Paragraph("no tuple")),
        lambda: Note("warning", (Paragraph("x"),)),
        lambda: Number("1", "guessed"),
        lambda: Number("1", "exact", "0.1"),
        lambda: Link("x", "javascript:alert(1)"),
        lambda: Link("x", "data:text/html,x"),
        lambda: Link("x", ""),
        lambda: Link("x", "../outside"),
        lambda: Link("", "index"),
        lambda: Page("../slug", "Title", ()),
        lambda: Page("slug", "", ()),
        lambda: Page("slug", "Title", ("words",)),
        lambda: Page("slug", "Title", (), kind="Claim!"),
        lambda: page(Heading(3, "skips a level")),
        lambda: page(Heading(2, "twice"), Heading(2, "twice")),
        lambda: page(Equation("x", "one"), Details("more", (Equation("y", "one"),))),
        lambda: page(Paragraph((EquationRef("missing"),))),
    ],
)
def test_refuses(wrong):
    with pytest.raises(UnusableInput, match=r"expected .*; got .*; "):
        wrong()


def test_the_demo_holds_every_kind_of_block_and_is_accepted():
    kinds = {type(block) for page in demo.pages() for block in walk(page.blocks)}
    assert kinds == {
        Heading, Paragraph, Equation, Steps, Table, Figure, Code, Verdict, Bullets, Details, Note,
    }  # fmt: skip


def test_pages_cannot_be_written_to():
    with pytest.raises(dataclasses.FrozenInstanceError):
        demo.claim().title = "another"


def test_equations_are_numbered_in_reading_order_those_of_steps_too():
    assert demo.claim().numbers == {"printed": 1, "exact": 2, "stein": 3}
    assert "eq-stein" in demo.claim().anchors


def test_every_verdict_word_has_a_sign():
    assert set(WORDS) <= set(SIGNS)


def test_prose_leaves_lone_marks_alone():
    assert prose("5 $ and 2 * 3") == ("5 $ and 2 * 3",)
    assert prose("") == ()


def test_numbers_stand_to_the_right():
    table = Table(("a", "b", "c"), (("x", Number("1"), ("", Number("2"))), ("y", Number("1"), "z")))
    assert table.alignment == "lrl"
