"""What commands print as LaTeX goes through a real TeX, where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

import sgtheory as sg
from reports.emit.latex import _PREAMBLE, fragment
from reports.pages.words import page_of

SAMPLERS = ["sgd", "momentum", "sgld", "psgld:no_gamma", "reshuffled_sgd", "underdamped:OBABO", "adam"]


def _compiled(text: str, folder) -> str:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    (folder / "page.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    for _ in range(2):  # references are known the second time
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
        assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def fragments():
    return {name: fragment(page_of(sg.derive(name).derivation("all"), name)) for name in SAMPLERS}


@pytest.mark.strong
def test_formulas_in_words_are_formulas_and_results_have_labels(fragments):
    for name, text in fragments.items():
        assert r"\^{}" not in text
        assert not re.search(r"\\(\^|textasciicircum)\{\}", text), name
        labels = re.findall(r"\\label\{([^}]*)\}", text)
        assert labels or "adam" in name or "psgld" in name
        assert len(set(labels)) == len(labels)
        assert all(re.fullmatch(r"eq:[A-Za-z0-9-]+:[A-Za-z0-9-]+", label) for label in labels)


@pytest.mark.strong
def test_derivations_compile(fragments, tmp_path):
    body = "\n\n".join(fragments.values())
    told = _compiled(f"{_PREAMBLE}\\begin{{document}}\n{body}\n\\end{{document}}\n", tmp_path)
    assert "multiply defined" not in told


@pytest.mark.strong
def test_what_python_gives_compiles_with_amsmath_alone(tmp_path):
    body = "\n\n".join(sg.derive(name).derivation("all").to_latex() for name in SAMPLERS[:3])
    head = "\\documentclass{article}\n\\usepackage{amsmath,amssymb}\n\\begin{document}\n"
    _compiled(f"{head}{body}\n\\end{{document}}\n", tmp_path)


MINE = """
from verification.statements import Printed
from verification.statements.stationary import StationaryLaw
from verification.notation import A, C, S, Sigma, eps

root_of_eps = StationaryLaw(
    "eq1",
    at="Eq. 1",
    title="Covariance of SGD_50%, with eps^(1/2) & more",
    says="An equation for the covariance, eps^(1/2) times what it should be, in x_1 #2 ~ {3}.",
    of="sgd",
    printed=(Printed(Sigma * A + A * Sigma, 2 * eps**2 / S * C),),
)
"""


def _typed(folder, *words):
    command = [sys.executable, "-m", "reports.terminal", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr[-2000:]
    return done.stdout


def _looked_at(text, folder):
    """What a document says compiles, has labels that are there once, and powers that are powers."""
    outside = re.sub(r"\\begin\{verbatim\}.*?\\end\{verbatim\}", "", text, flags=re.DOTALL)
    assert not re.search(r"\\(\^|textasciicircum)(\{\})? ?[({\d]", outside)
    labels = re.findall(r"\\label\{([^}]*)\}", outside)
    assert labels
    assert len(set(labels)) == len(labels)
    told = _compiled(text, folder)
    assert "multiply defined" not in told
    assert "undefined references" not in told


@pytest.mark.strong
@pytest.mark.parametrize("target", ["mandt2016poster", "mandt2017.eq25", "my-paper_1.py"])
def test_errata_compile(target, tmp_path):
    (tmp_path / "my-paper_1.py").write_text(MINE, encoding="utf-8")
    text = _typed(tmp_path, "errata", target, "--format", "latex")
    _looked_at(text, tmp_path)


@pytest.mark.strong
def test_a_report_on_a_file_compiles(tmp_path):
    (tmp_path / "my-paper_1.py").write_text(MINE, encoding="utf-8")
    _typed(tmp_path, "report", "my-paper_1.py", "--format", "latex,html", "--out", "pages")
    _looked_at((tmp_path / "pages" / "report.tex").read_text(encoding="utf-8"), tmp_path)


@pytest.mark.strong
def test_a_sampler_of_a_file_compiles(tmp_path):
    _typed(tmp_path, "new", "sampler", "my_sampler.py")
    _typed(tmp_path, "report", "my_sampler.py", "--format", "latex", "--out", "pages")
    _looked_at((tmp_path / "pages" / "report.tex").read_text(encoding="utf-8"), tmp_path)
