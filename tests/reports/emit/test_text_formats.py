"""Markdown, LaTeX, JSON and text."""

import json
import re
import shutil
import subprocess

import pytest

from reports.document import (
    Bullets,
    Code,
    Equation,
    Heading,
    Link,
    Math,
    Mono,
    Number,
    Page,
    Paragraph,
    Step,
    Steps,
    Table,
)
from reports.emit import render
from reports.emit.markdown import fenced
from reports.emit.text import render_steps
from reports.emit.texwords import escaped, verbatim
from sgtheory.errors import UnusableInput
from tests.reports import demo
from tests.reports.emit.test_html import evil_page


def page(*blocks):
    return (Page("p", "P", blocks),)


def test_every_formula_stands_in_a_fence_of_its_own():
    text = render((demo.formulas(),), "markdown")
    inside = re.findall(r"^```math\n(.*?)\n```$", text, flags=re.MULTILINE | re.DOTALL)
    assert inside == list(demo.FORMULAS.values())


def test_fences_are_longer_than_any_inside():
    assert fenced("```\nx\n```", "sh") == "````sh\n```\nx\n```\n````"


def test_markdown_leaves_words_as_they_are():
    blocks = (Paragraph("1. a_b *c* <b> [d](e) | $f$"), Bullets(("- x", "# y")))
    text = render(page(*blocks), "markdown")
    assert r"1\. a\_b \*c\* &lt;b&gt; \[d\](e) \| \$f\$" in text
    assert "- \\- x\n- \\# y" in text


def test_markdown_tables_keep_their_columns():
    table = Table(("a|b", Math(r"\|x\|")), ((Mono("c|d"), Number("1")),))
    lines = render(page(table), "markdown").splitlines()[2:]
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in lines if line] == [3, 3, 3]


@pytest.mark.parametrize("style", ["markdown", "latex", "html"])
def test_bad_latex_raises_in_every_format_for_readers(style):
    for block in (Equation(r"\frac{1}{"), Paragraph((Math(r"\nosuch"),))):
        with pytest.raises(UnusableInput, match=r"frac|nosuch"):
            render(page(block), style)


def test_latex_words():
    assert escaped("a_b & 5% {x} \\y ~ ^ #") == (
        r"a\_b \& 5\% \{x\} \textbackslash{}y \textasciitilde{} \textasciicircum{} \#"
    )
    assert escaped("Ünal, λ and Ω, 日") == r"Ünal, \(\lambda\) and \(\Omega\), [U+65E5]"


def test_latex_code_cannot_end_its_environment():
    assert r"\end{verbatim}" not in verbatim(r"x \end{verbatim} \input{y} λ → 日")


def test_latex_labels_match_their_references():
    text = render(demo.pages(), "latex")
    labels = set(re.findall(r"\\label\{([^}]*)\}", text))
    wanted = set(re.findall(r"\\(?:eq)?ref\{([^}]*)\}", text))
    assert wanted
    assert wanted <= labels


@pytest.mark.parametrize("pages", [demo.pages, lambda: (evil_page(),)], ids=["demo", "evil"])
def test_latex_compiles(tmp_path, pages):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    (tmp_path / "report.tex").write_text(render(pages(), "latex"), encoding="utf-8")
    command = [
        "pdflatex",
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        "report.tex",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout.decode("latin-1")[-2000:]


def test_json_is_the_model():
    found = json.loads(render((demo.claim(),), "json"))
    assert found["schema"] == "sgtheory.page/1"
    assert [block["type"] for block in found["blocks"]][:3] == ["paragraph", "equation", "verdict"]
    assert found["blocks"][1]["number"] == 1
    assert found["blocks"][1]["anchor"] == "eq-printed"
    several = json.loads(render(demo.pages(), "json"))
    assert several["schema"] == "sgtheory.pages/1"
    assert [page["slug"] for page in several["pages"]] == [page.slug for page in demo.pages()]


def test_text_lines_fit_the_terminal():
    table = Table(("a", "b"), (("word " * 30, "x " * 40),), caption="caption " * 30)
    blocks = (Paragraph("word " * 60), table, Bullets(("word " * 40,)), Heading(2, "H"))
    for line in render(page(*blocks), "text").splitlines():
        assert len(line) <= 88


def test_steps_alone():
    steps = Steps((Step("One", "Say.", (Equation(r"x^2", text="x squared"),), "by hand"), Step("Two")))
    assert render_steps(steps) == "1. One\n   Say.\n       x squared\n   ✓ by hand\n\n2. Two"


def test_links_and_code_in_text():
    text = render(page(Paragraph((Link("there", "p"), " now")), Code("a\n  b")), "text")
    assert "there now\n\n    a\n      b\n" in text
