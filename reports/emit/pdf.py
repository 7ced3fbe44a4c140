"""Pages as PDF: the LaTeX document, compiled by the TeX distribution of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from reports.document import Page
from reports.emit import latex
from sgtheory.errors import UnusableInput
from sgtheory.files.writing import TemporaryFolder, write

_RUNS = 3  # references settle in two, long tables in three
_LIMIT = 600  # seconds a run may take
_REMEDY = "install the package that TeX misses, or print the pages as LaTeX and compile them by hand"


def compiler() -> str | None:
    """The TeX program that would be used, if there is one."""
    return shutil.which("pdflatex")


def check_compiler() -> str:
    """The TeX program that will be used; raises where there is none."""
    program = compiler()
    if program is None:
        raise UnusableInput(
            "a TeX distribution (pdflatex on the PATH)",
            "none",
            "install one, or print the HTML pages from a browser",
        )
    return program


def render(pages: Sequence[Page], title: str = "") -> bytes:
    """The pages as one document; the same pages give the same bytes."""
    program = check_compiler()
    with TemporaryFolder("sgtheory-") as name:
        folder = Path(name)
        write(folder / "report.tex", latex.render(pages, title), durable=False)
        for _ in range(_RUNS):
            _run(program, folder)
        return (folder / "report.pdf").read_bytes()


def _run(program: str, folder: Path) -> None:
    # nothing of a document may run programs or read files outside; and no dates
    fixed = {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1", "openin_any": "p", "openout_any": "p"}
    options = ["-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode"]
    done = subprocess.run(
        [program, *options, "report.tex"],
        cwd=folder,
        env={**os.environ, **fixed},
        capture_output=True,
        timeout=_LIMIT,
        check=False,
    )
    if done.returncode:
        told = [line for line in done.stdout.decode("utf-8", "replace").splitlines() if line[:1] == "!"]
        raise UnusableInput("LaTeX that compiles", told[0] if told else "an error", _REMEDY)
