"""What CI does with README: its commands as they stand there, in a bare environment."""

import importlib.util
import tomllib
from pathlib import Path

import pytest

from sgtheory.files import keeper

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("readme", ROOT / ".ci" / "readme.py")
readme = importlib.util.module_from_spec(spec)
spec.loader.exec_module(readme)


def test_the_commands_are_those_of_readme():
    report, tests = readme.commands((ROOT / "README.md").read_text("utf-8"))
    assert report.endswith("sgtheory report")
    assert "pip install --quiet . " in report  # no extra: nothing optional is there
    assert tests.endswith("python -m pytest -n auto")
    text = "```sh\none\n```\nwords\n```sh\ntwo && \\\nthree\n```\n## One minute\n```sh\nfour\n```\n"
    assert readme.commands("\n" + text) == ("one", "two && \\\nthree")


@pytest.mark.parametrize(
    "text", ["", "```sh\none\n```\n## One minute", "```sh\n1\n```\n```sh\n2\n```\n"]
)
def test_a_readme_without_two_commands_ends_the_run(text):
    with pytest.raises(SystemExit, match="mend README"):
        readme.commands("\n" + text)


def test_the_environment_is_bare(tmp_path):
    given = {
        "PATH": "/tmp/venv/bin:/usr/bin", "VIRTUAL_ENV": "/tmp/venv", "PYTHONPATH": "/elsewhere",
        "SGTHEORY_CACHE": "/cache", "PIP_INDEX_URL": "https://index.example", "HOME": "/home/somebody",
    }  # fmt: skip
    assert readme.bare(tmp_path / "home", given) == {
        "PATH": "/usr/bin",
        "HOME": str(tmp_path / "home"),
        "PIP_INDEX_URL": "https://index.example",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def test_the_second_stage_reads_what_the_report_has_kept(monkeypatch):
    """A home is all that a bare environment says of where things are kept."""
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert 'readme.py report "$scratch/reported"' in script
    for variable in ("SGTHEORY_CACHE", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", "$scratch/reported")
    assert f'SGTHEORY_CACHE="{keeper.folder()}" XDG_STATE_HOME="{keeper.state().parent}"' in script


def test_files_that_were_left_out_are_found():
    tracked = ["reports/emit/page.css", "sgtheory/py.typed", "tests/conftest.py", "README.md"]
    assert readme.missing(tracked, ["sgtheory/py.typed"]) == ["reports/emit/page.css"]


def test_dead_links_are_found(tmp_path):
    page = '<a href="b.html#x">b</a> <a href="#y">y</a> <a href="https://example.org/c.html">c</a>'
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    assert list(readme.dead_links(tmp_path)) == ["a.html -> b.html"]
    (tmp_path / "b.html").write_text("b", encoding="utf-8")
    assert list(readme.dead_links(tmp_path)) == []


def test_a_claim_that_was_not_judged_and_a_twin_that_survived_end_the_run():
    good = {"id": "p.eq1", "twins": {"tried": 2, "rejected": 2}}
    broken = {"id": "p.eq2", "twins": {"tried": 0}, "broken": {"error": "NameError: x"}}
    survived = {"id": "p.eq3", "twins": {"tried": 2, "rejected": 1, "survivors": ["left: one more"]}}
    assert readme.unsound({"claims": [good]}) == []
    assert readme.unsound({"claims": [good, broken, survived]}) == [
        "p.eq2: NameError: x", "p.eq3: left: one more survives"
    ]  # fmt: skip


@pytest.fixture
def versions():
    source = (ROOT / ".ci" / "versions").read_text("utf-8")
    found = {"__name__": "versions", "__file__": str(ROOT / ".ci" / "versions")}
    exec(compile(source, "versions", "exec"), found)
    return found


@pytest.mark.parametrize(
    ("digests", "said", "differ"),
    [
        (["a", "a"], "the same bytes in 2", False),
        (["a", "a", "b"], "DIFFERENT", True),
        (["a", ""], "not compared: 1 of 2", False),
        ([], "not compared", False),
    ],
)
def test_bytes_are_compared_where_there_are_two(versions, digests, said, differ):
    told, found = versions["compared"](digests)
    assert said in told
    assert found is differ


def test_the_lowest_versions_are_those_of_pyproject(versions):
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    assert len(versions["lowest"](told)) == len(told)
    assert versions["lowest"](["sympy>=1.13", "dask[distributed]>=2025.1"]) == [
        "sympy==1.13", "dask[distributed]==2025.1"
    ]  # fmt: skip
    for loose in ("sympy", "sympy<2", "sympy==1.13"):
        with pytest.raises(SystemExit, match="lower bound"):
            versions["lowest"]([loose])
