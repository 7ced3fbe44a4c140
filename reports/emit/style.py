"""The style of HTML pages, with the math fonts inside where a page has formulas."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources


@cache
def script() -> str:
    """The script: search, choices at long tables, drawings that move; a page is complete without it."""
    kept = (line.strip() for line in _own("page.js").splitlines() if not line.startswith("//"))
    return "".join(f"{line}\n" for line in kept if line)


@cache
def script_hash() -> str:
    """By which a page's policy lets this script run and no other."""
    digest = hashlib.sha256(script().encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


@cache
def head_style(with_math: bool, with_plots: bool = False) -> str:
    """What stands in a page's style element."""
    plots = _plot_style() if with_plots else ""
    return _small(_own("page.css")) + plots + (_math_style() if with_math else "")


def _own(file: str) -> str:
    return resources.files("reports.emit").joinpath(file).read_text("utf-8")


def _plot_style() -> str:
    """The rules of words in drawings, with their fonts."""
    slanted = _font("SG Plot", "sg-plot-italic.woff2").replace("{", "{ font-style: italic;", 1)
    return _font("SG Plot", "sg-plot.woff2") + slanted + _small(_own("plot.css"))


def _math_style() -> str:
    """Temml's rules with our fonts in place of the files that it names."""
    rules = resources.files("reports.vendor").joinpath("temml.css").read_text("utf-8")
    rules = re.sub(r"@font-face\s*{[^}]*}", "", _without_comments(rules))
    rules = rules.replace('"Latin Modern Math"', '"SG Math"')
    # Browsers that have no block of mathematics take the first of the two.
    block, display = (
        "math.tml-display {\n  display: block;",
        'math[display="block"] {\n  display: block;',
    )
    rules = rules.replace(block, f"{display}\n  display: block math;")
    return _font("SG Math", "sg-math.woff2") + _font("Temml", "temml-script.woff2") + _small(rules)


def _font(family: str, file: str) -> str:
    data = base64.b64encode(resources.files("reports.vendor").joinpath(file).read_bytes()).decode(
        "ascii"
    )
    return (
        f'@font-face {{ font-family: "{family}"; font-display: block;'
        f' src: url("data:font/woff2;base64,{data}") format("woff2") }}\n'
    )


def _without_comments(rules: str) -> str:
    return re.sub(r"/\*.*?\*/", "", rules, flags=re.DOTALL)


def _small(rules: str) -> str:
    """Rules without what only a reader needs.

    >>> _small("a :is(b, c) {\\n  color: red; /* so */\\n}")
    'a :is(b,c){color:red}'
    """
    short = re.sub(r"\s+", " ", _without_comments(rules))
    return re.sub(r"(?<=[:;{},]) | (?=[{}])", "", short).replace(";}", "}").strip()
