"""Only drawings that neither act nor fetch may enter a page."""

import re
from importlib import resources
from xml.etree import ElementTree

import pytest

from reports.drawing import SMALL, check_svg, inline_svg
from reports.plotting import LETTERS, LINES, canvas, finish, logarithmic
from sgtheory.errors import UnusableInput

OPEN = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        '<g onload="alert(1)"/>',
        '<use href="http://example.org/x.svg#a"/>',
        '<use xlink:href="//example.org/x.svg#a"/>',
        '<image href="x.png"/>',
        '<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>',
        "<style>@import 'x.css';</style>",
        '<path style="fill: url(http://example.org/x)"/>',
        '<path fill="url(http://example.org/x)"/>',
        '<a href="#x"><path/></a>',
        "<path>",
    ],
)
def test_refuses(inside):
    with pytest.raises(UnusableInput):
        check_svg(f"{OPEN}{inside}</svg>")


def test_accepts_references_inside():
    check_svg(f'{OPEN}<defs><path id="a"/></defs><use href="#a"/><path clip-path="url(#a)"/></svg>')


def test_refuses_what_is_no_drawing():
    for wrong in (None, "words", "<html/>", '<!DOCTYPE svg [<!ENTITY a "b">]><svg/>'):
        with pytest.raises(UnusableInput):
            check_svg(wrong)


def test_names_inside_two_drawings_do_not_meet():
    svg = '<?xml version="1.0"?>\n<svg><g id="a"/><use href="#a"/><g clip-path="url(#a)"/></svg>'
    assert inline_svg(svg, "one").count("one-a") == 3
    assert inline_svg(svg, "one").startswith("<svg")


def labelled():
    with canvas(4.4, 2.9) as figure:
        axes = figure.subplots()
        axes.scatter([1, 10, 100], [1, 2, 3], s=5, color=LINES[0]["color"], linewidths=0)
        axes.set(xlabel=r"step $\epsilon_{12}^2$, in units", ylabel=r"mean of $\bar\theta$")
        logarithmic(axes, x=True, y=False)
        return finish(figure)


def test_words_are_text_with_every_letter_where_its_outline_was():
    svg = labelled()
    written = inline_svg(svg, "one", set(), LETTERS)
    found = ElementTree.fromstring(written)
    texts = [e for e in found.iter() if e.tag.endswith("}text")]
    words = ["".join(e.itertext()) for e in texts]
    assert "step ε212, in units" in words
    assert words.count("100") + words.count("102") >= 1
    for text in texts:
        for run in (text, *text):
            assert len(run.get("x").split()) == len(run.text)
    before = svg[: svg.index('<use href="#R-73" x="0"')]  # the s of "step", at its outline's place
    across, down = re.findall(r"translate\((\S+) (\S+)\)", before)[-1]
    step = texts[words.index("step ε212, in units")]
    assert float(step.get("x").split()[0]) == pytest.approx(float(across), abs=0.051)
    assert float(step.get("y")) == pytest.approx(float(down), abs=0.2)


def test_a_letter_that_no_font_has_stays_an_outline_and_is_there():
    written = inline_svg(labelled(), "one", set(), LETTERS)
    used = set(re.findall(r'href="#([^"]*)"', written))
    assert used  # the bar over a theta
    assert used <= set(re.findall(r'id="([^"]*)"', written))


def test_words_have_the_size_that_drawings_are_made_for():
    rules = resources.files("reports.emit").joinpath("plot.css").read_text("utf-8")
    assert f"text {{ font: {LETTERS:g}px" in rules
    assert f".s {{ font-size: {SMALL * LETTERS:g}px" in rules


def test_dots_are_as_many_as_points():
    (dots,) = re.findall(r'd="([^"]*)" style="[^"]*stroke-linecap:round"', labelled())
    assert len(re.findall(r"M\S+ \S+?h0(?=M|$)", dots)) == 3
