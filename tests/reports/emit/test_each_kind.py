"""Pages of every kind, of real claims, in the formats beside HTML: LaTeX compiles, notebooks run."""

import json
import re
import shutil
import subprocess

import pytest

from reports.emit import render
from tests.reports import demo
from tests.reports.emit.test_html import evil_page
from tests.reports.emit.test_notebook import run

KINDS = ["index", "paper", "claim", "sampler", "guide", "experiment", "errata", "reference", "gallery"]


def unbalanced(tex):
    """Environments and braces that are not closed in order: what can be seen without a TeX."""
    verbatim = re.compile(r"\\begin\{(verbatim|Verbatim|lstlisting)\}.*?\\end\{\1\}", re.DOTALL)
    text = re.sub(r"\\[\\{}%]", "", verbatim.sub("", tex))
    text = re.sub(r"(?<!\\)%.*", "", text)
    found, opened = [], []
    for kind, name in re.findall(r"\\(begin|end)\{([A-Za-z*]+)\}", text):
        if kind == "begin":
            opened.append(name)
        elif not opened or opened.pop() != name:
            found.append(name)
    return found + opened + ["braces"] * (text.count("{") != text.count("}"))


@pytest.mark.parametrize("page", [*demo.pages(), evil_page()], ids=lambda page: page.slug)
def test_latex_closes_what_it_opens(page):
    assert unbalanced(render((page,), "latex")) == []


@pytest.mark.parametrize("spoilt", ["\\begin{aligned}", "{"])
def test_what_is_left_open_would_be_seen(spoilt):
    tex = render((demo.claim(),), "latex")
    assert unbalanced(tex.replace(r"\end{document}", spoilt + "\n" + r"\end{document}"))


@pytest.fixture(scope="module")
def pages():
    from tests.reports.sixpages import all_pages

    return all_pages()


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_as_latex(pages, kind, tmp_path):
    tex = render(pages[kind], "latex")
    assert unbalanced(tex) == []
    if shutil.which("pdflatex") is None:
        pytest.skip("balanced; not compiled, as pdflatex is not installed")
    (tmp_path / "report.tex").write_text(tex, encoding="utf-8")
    command = [
        "pdflatex",
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        "report.tex",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout.decode("latin-1")[-2000:]


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_as_a_notebook_runs(pages, kind):
    for page in pages[kind]:
        notebook = json.loads(render((page,), "notebook"))
        assert notebook["cells"]
        run(notebook)
