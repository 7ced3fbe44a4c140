"""Writes the golden pages anew: ``python -m tests.reports.golden.regenerate``; then look."""

from __future__ import annotations

import re
from pathlib import Path

from reports.emit import render
from tests.reports import demo

FOLDER = Path(__file__).parent


def golden() -> dict[str, str]:
    """The files by name. Drawings and styles are left out: the one depends on Matplotlib's version."""
    claim = (demo.claim(),)
    html = re.sub(r"<style>.*?</style>", "<style></style>", render(claim, "html"), flags=re.DOTALL)
    html = re.sub(r"<svg.*?</svg>", "<svg></svg>", html, flags=re.DOTALL)
    json = re.sub(r'"svg": "(?:[^"\\]|\\.)*"', '"svg": ""', render(claim, "json"))
    return {
        "claim.html": html,
        "claim.json": json,
        "claim.md": render(claim, "markdown"),
        "claim.txt": render(claim, "text"),
        "report.tex": render(demo.pages(), "latex"),
    }


if __name__ == "__main__":
    for name, content in golden().items():
        (FOLDER / name).write_text(content, encoding="utf-8")
