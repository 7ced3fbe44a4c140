"""A notebook is whole, and its Python runs; PDF where there is a TeX."""

import contextlib
import io
import json

import pytest

from reports.document import Code, Details, Figure, Page, Paragraph
from reports.emit import pdf, render
from sgtheory.errors import UnusableInput
from tests.reports import demo

SCRIPT = """\
left = 1 / 3
right = 1 / 2
print("they differ" if left != right else "they agree")
"""


def page():
    script = Details("As a script", (Code(SCRIPT, "python"),))
    return Page("p", "A page", (Paragraph("Words."), script, Paragraph("End.")))


def run(notebook):
    """What the code cells print, run one after the other as Jupyter would."""
    names, printed = {"__name__": "__main__"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
    return printed.getvalue()


def test_its_python_runs():
    notebook = json.loads(render((page(),), "notebook"))
    assert [c["cell_type"] for c in notebook["cells"]] == ["markdown", "code", "markdown"]
    assert run(notebook) == "they differ\n"


def test_python_that_fails_would_be_seen():
    notebook = json.loads(render((Page("p", "P", (Code("assert 1 == 2", "python"),)),), "notebook"))
    with pytest.raises(AssertionError):
        run(notebook)


@pytest.mark.parametrize("number", range(len(demo.pages())))
def test_it_is_of_format_4_5(number):
    notebook = json.loads(render((demo.pages()[number],), "notebook"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    names = [cell["id"] for cell in notebook["cells"]]
    assert len(set(names)) == len(names)
    for cell in notebook["cells"]:
        wanted = {"cell_type", "id", "metadata", "source"}
        wanted |= {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == wanted
        assert all(isinstance(line, str) for line in cell["source"])


def test_formulas_and_drawings_are_as_jupyter_reads_them():
    cells = json.loads(render((demo.claim(),), "notebook"))["cells"]
    text = "".join(line for c in cells for line in c["source"])
    assert "```math" not in text
    assert "$`" not in text
    assert text.count("$$\n") == 2 * 5
    drawings = sum(isinstance(b, Figure) for b in demo.claim().blocks)
    assert text.count("data:image/svg+xml;base64,") == drawings


def test_a_pdf_is_the_same_every_time():
    if pdf.compiler() is None:
        pytest.skip("no pdflatex is installed")
    first = pdf.render((page(),))
    assert first[:5] == b"%PDF-"
    assert pdf.render((page(),)) == first


def test_without_tex_it_is_said_what_to_do(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(UnusableInput, match="print the HTML"):
        pdf.render((page(),))


def test_latex_that_fails_is_told(tmp_path):
    if pdf.compiler() is None:
        pytest.skip("no pdflatex is installed")
    text = r"\documentclass{article}\begin{document}\nothing\end{document}"
    (tmp_path / "report.tex").write_text(text)
    with pytest.raises(UnusableInput, match="Undefined control sequence"):
        pdf._run(pdf.compiler(), tmp_path)
