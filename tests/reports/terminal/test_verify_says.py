"""What ``verify`` says at its end, with and without a terminal, and with which status it leaves."""

import json
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from reports.terminal import cli, tally

HEAD = """
from verification.statements.entry import Assumption
from verification.terms.printed import Printed
from verification.statements.entry import Claim
from verification.statements.stationary import StationaryLaw
from verification.notation import A, C, S, Sigma, eps, trace
from verification.statements import Equal, claim

def law(key, right, **more):
    return StationaryLaw(key, at="Eq. 1", title="A title that goes on and on and on, " * 6, says="S.",
                         of="sgd", printed=(Printed(A * Sigma + Sigma * A, right),), **more)

def identity(key, left, right):
    return claim(key, at="Eq. 2", title="T", says="S.", printed=Equal(left, right))
"""


def run(*arguments):
    """The command, with standard output and standard error apart."""
    return CliRunner().invoke(cli, list(arguments))


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("SGTHEORY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(tmp_path)

    def write(name, body):
        (tmp_path / name).write_text(HEAD + body)
        return name

    return write


def test_a_line_says_of_which_time_a_verdict_is_where_the_other_has_another():
    said = {"id": "p.a", "verdict": "refuted", "locator": "Eq. 1", "title": "T"}
    both = said | {"discrete": {"verdict": "proved"}}
    shown = click.unstyle(tally.line(both, 100))
    assert shown.endswith("Eq. 1: T [in continuous time; discrete: proved]")
    alike = said | {"discrete": {"verdict": "refuted"}}
    assert tally.line(alike, 100) == tally.line(said, 100)


@pytest.mark.strong
def test_a_line_a_claim_and_a_table_at_the_end(file):
    same = "b = identity('b', trace(A * C), trace(C * A))\n"
    one = file("one.py", "a = identity('a', A * C, C * A)\n" + same)
    done = run("verify", one)
    lines = done.stdout.splitlines()
    assert lines[0].split()[:2] == ["proved-if", "one.a"]
    assert lines[1].split()[:2] == ["proved", "one.b"]
    assert lines[2] == ""
    assert lines[3].split() == ["paper", "proved", "proved-if", "not", "as", "printed"]
    assert lines[4].split() == ["one", "1", "1", "1"]
    assert "not as printed: one.a" in lines
    assert "against the last run: there was none" in lines
    assert "JSON: sgtheory verify one.py --json FILE" in lines
    assert "pages: sgtheory report one.py" in lines
    assert max(map(len, lines)) <= tally.WIDTH
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", done.stdout)
    assert done.exit_code == 0
    assert "holds if" not in done.stdout
    file("one.py", "a = identity('a', trace(A * A * C), trace(A * C * A))\n" + same)
    again = run("verify", one, "-v", "--json", "v.json").stdout
    assert "  one.a: was proved-if, is proved" in again.splitlines()
    assert "JSON: v.json" in again.splitlines()
    assert "Both sides have the same normal form" in again


@pytest.mark.strong
def test_what_is_right_to_leading_order_is_not_as_printed_unless_that_is_said(file):
    said = "given=(Assumption('small steps', small='eps'),)"
    off = file("off.py", "a = law('a', eps / S * C, time='discrete')\n")
    right = file("right.py", f"a = law('a', eps / S * C, time='discrete', {said})\n")
    assert run("verify", off).exit_code == 0
    strict = run("verify", off, "--strict", "--json", "off.json")
    assert strict.exit_code == 1
    assert "not as printed: off.a" in strict.stdout
    (claim,) = json.loads(Path("off.json").read_text())["claims"]
    assert (claim["verdict"], claim["as_printed"]) == ("limit-only", False)
    done = run("verify", right, "--strict")
    assert done.exit_code == 0
    assert "not as printed" not in done.stdout


@pytest.mark.strong
def test_a_broken_claim_is_3_a_broken_file_2_and_a_false_claim_1(file):
    true = "t = identity('t', trace(A * C), trace(C * A))\n"
    odd = "class Odd(Claim):\n    def find(self, time=None):\n        return 1 / 0\n"
    broken = file("broken.py", odd + true + "x = Odd('x', at='Eq. 3', title='T', says='S.')\n")
    assert run("verify", broken).exit_code == 3
    false = file("false.py", true + "x = identity('x', trace(A), trace(C))\n")
    assert run("verify", broken, false).exit_code == 1
    unread = file("unread.py", "import nothere\n")
    done = run("verify", unread, false)
    assert done.exit_code == 2
    assert "false.t" in done.stdout  # judged all the same
    (line,) = done.stderr.strip().splitlines()
    assert re.search(r"line \d+ of unread.py", line)


def verdict(**changes):
    same = {"id": "p.a", "paper": "p", "verdict": "proved", "locator": "Eq. 1", "title": "word " * 60}
    return {**same, "stands": "printed", "as_printed": True, **changes}


@pytest.mark.parametrize("columns", [40, 80, 100, 200])
def test_lines_and_tables_fit_the_terminal(columns):
    words = ["proved", "proved-if", "limit-only", "refuted", "confirmed", "inconclusive", "definition"]
    found = [verdict(paper=f"paper{k}", verdict=w) for k in range(3) for w in words]
    assert len(click.unstyle(tally.line(verdict(), columns))) <= columns
    assert all(len(row) <= columns for row in tally.table(found, columns))
    together = " ".join(tally.table(found, 200))
    assert together.split().count("3") == len(words)
