"""The colours of pages and drawings can be told from what is under them: WCAG 2.2, level AA."""

import re
from importlib import resources

import pytest

from reports import plotting
from reports.document import SIGNS

TEXT, GRAPHIC = 4.5, 3.0  # success criteria 1.4.3 and 1.4.11
RULES = resources.files("reports.emit").joinpath("page.css").read_text("utf-8")
GROUNDS = ("paper", "field")
DRAWN = ("plot-1", "plot-2", "plot-3", "plot-4")


def colours(scheme):
    """The colours by name; those of the dark are laid over those of the light."""
    blocks = re.findall(r":root \{(.*?)\}", RULES.partition("@media print")[0], re.DOTALL)
    assert len(blocks) == 2
    told = "".join(blocks if scheme == "dark" else blocks[:1])
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", told))


def light(colour):
    parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def text_colours():
    """Every colour that words are written in, found in the rules."""
    return sorted({*re.findall(r"(?<![-\w])color: var\(--([\w-]+)\)", RULES),
                   *re.findall(r"--tone: var\(--([\w-]+)\)", RULES)} - {"tone"})  # fmt: skip


def pairs():
    for scheme in ("light", "dark"):
        yield from ((scheme, text, ground, TEXT) for text in text_colours() for ground in GROUNDS)
        yield from ((scheme, line, "paper", GRAPHIC) for line in DRAWN)


def test_the_formula_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)  # the well-known near miss


def test_all_colours_of_words_are_looked_at():
    assert set(text_colours()) == {"ink", "quiet", "link", "good", "half", "bad"}
    grounds = set(re.findall(r"background(?:-color)?: var\(--([\w-]+)", RULES))
    assert grounds <= {*GROUNDS, "tone", "rule"}  # the last two are bars, told in words beside them


@pytest.mark.parametrize(("scheme", "colour", "ground", "least"), list(pairs()))
def test_colours_can_be_told_apart(scheme, colour, ground, least):
    known = colours(scheme)
    assert contrast(known[colour], known[ground]) >= least


def test_a_faint_colour_would_be_seen():
    known = colours("light")
    assert contrast("#9a988f", known["paper"]) < TEXT


def test_drawings_have_the_colours_of_the_pages():
    for scheme, drawn in (("light", plotting._LIGHT), ("dark", plotting._DARK)):
        assert tuple(colours(scheme)[name] for name in DRAWN) == drawn


def test_lines_differ_in_grey_or_by_their_dashes():
    dashes = [repr(line["linestyle"]) for line in plotting.LINES]
    assert len(set(dashes)) == len(dashes)


def test_every_verdict_has_a_colour_or_is_quiet():
    coloured = {
        name
        for line in RULES.splitlines()
        if "--tone: var" in line
        for name in re.findall(r"\.([a-z-]+)", line)
    }
    quiet = {"inconclusive", "a-matter-of-degree", "definition", "not-mathematical"}
    assert {word.replace(" ", "-") for word in SIGNS} <= coloured | quiet
