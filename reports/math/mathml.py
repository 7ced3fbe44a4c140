"""LaTeX to MathML, by Temml in the QuickJS engine: no browser, no script in the page."""

from __future__ import annotations

import threading
from functools import cache
from importlib import resources
from typing import Any
from xml.etree import ElementTree

from reports.math.mending import mend
from reports.results import keep, kept
from sgtheory.errors import UnusableInput

_KEPT = "formulas"
_OPTIONS = {
    True: "{displayMode: true, throwOnError: true, wrap: 'none'}",
    False: "{displayMode: false, throwOnError: true, wrap: 'tex'}",
}


class BadLatex(UnusableInput):
    """A formula that cannot be typeset; the message names it."""


def mathml(latex: str, display: bool = False) -> str:
    """The formula as a MathML element.

    >>> mathml("x")
    '<math><mi>x</mi></math>'
    """
    known = _known()
    if (latex, display) not in known:
        known[latex, display] = _typeset(latex, display)
    return known[latex, display]


@cache
def _known() -> dict[tuple[str, bool], str]:
    """Formulas that are typeset: by this process, and by reports before it."""
    return kept(_KEPT, dict)


def keep_formulas() -> None:
    """Keep all that is typeset, for the next report."""
    keep(_KEPT, _known())


def _typeset(latex: str, display: bool) -> str:
    import quickjs

    convert = _converter(threading.get_ident(), display)
    try:
        formula = ElementTree.fromstring(str(convert(latex)))
        _check(formula)
    except (quickjs.JSException, ElementTree.ParseError) as error:
        reason = str(error).partition("\n")[0].removeprefix("ParseError:").strip()
        raise BadLatex("LaTeX that can be typeset", f"{latex} ({reason})", "correct it") from error
    mend(formula)
    return ElementTree.tostring(formula, encoding="unicode", short_empty_elements=False)


@cache
def _converter(thread: int, display: bool) -> Any:
    """Temml, loaded once per thread: an engine belongs to the thread that made it."""
    import quickjs

    engine = quickjs.Context()
    engine.eval(resources.files("reports.vendor").joinpath("temml.min.js").read_text("utf-8"))
    # Long strings are ropes inside the engine, which it cannot hand out; join makes them flat.
    return engine.eval(f"latex => [temml.renderToString(latex, {_OPTIONS[display]}), ''].join('')")


def _check(formula: ElementTree.Element) -> None:
    """What goes into a page unescaped must be mathematics and nothing else."""
    for element in formula.iter():
        acts = [name for name in element.attrib if name.startswith("on") or name in ("href", "src")]
        if not (element.tag.startswith("m") or element.tag == "none") or acts:
            raise ElementTree.ParseError(f"<{element.tag}> is no mathematics")
