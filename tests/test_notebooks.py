"""The notebooks that ship are what their maker writes, short, and run from beginning to end."""

import contextlib
import io
import json
import runpy
import time
from pathlib import Path

import pytest

from reports.emit.notebook import render

FOLDER = Path(__file__).parent.parent / "examples" / "notebooks"
MADE = {page.slug: page for page in runpy.run_path(str(FOLDER / "make.py"))["ALL"]}
SAID = {
    "student": ("eps*C_ij", "2/lambda", "Sigma_ij(eps, eps/2)", "kl_to_posterior"),
    "maintainer": ("conforms", "deviates", "differs"),
    "practitioner": ("foretold;", "curvature 2.0", "passes:"),
}


def kept(name):
    return (FOLDER / f"{name}.ipynb").read_text()


def code_of(name):
    cells = json.loads(kept(name))["cells"]
    return ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]


@pytest.mark.parametrize("name", MADE)
def test_a_notebook_is_what_its_maker_writes_and_short(name):
    assert kept(name) == render(MADE[name])
    assert len(json.loads(kept(name))["cells"]) < 15
    for code in code_of(name):
        compile(code, name, "exec")


@pytest.mark.parametrize("name", MADE)
def test_a_notebook_is_in_the_format_of_jupyter(name):
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbformat.validate(nbformat.reads(kept(name), as_version=4))


@pytest.mark.strong
@pytest.mark.parametrize("name", MADE)
def test_a_notebook_runs(name):
    names, printed, begun = {"__name__": "__main__"}, io.StringIO(), time.process_time()
    with contextlib.redirect_stdout(printed):
        for code in code_of(name):
            last = code.splitlines()[-1]
            exec(compile(code, name, "exec"), names)
            if not last.startswith((" ", "print")) and "=" not in last.split("(")[0]:
                print(repr(eval(last, names)))
    assert time.process_time() - begun < 20
    for words in SAID[name]:
        assert words in printed.getvalue(), printed.getvalue()
