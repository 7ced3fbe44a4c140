"""Only drawings that neither act nor fetch may enter a page."""

import pytest

from reports.drawing import check_svg, inline_svg
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
