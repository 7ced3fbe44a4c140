"""``sgtheory audit``: a line for a finding, a document, a table, and a status."""

import json

from click.testing import CliRunner

from reports.terminal import cli
from verification.auditing import all_checks

GOOD = """\
from verification.statements import Equal, claim, letters

x, y = letters("x y")
square = claim("eq1", at="Eq. 1", title="A square", printed=Equal((x + y) ** 2, x**2 + 2 * x * y + y**2))
"""
BAD = (
    GOOD
    + """
from verification.statements import at

unique = at("thm1", "Theorem 1").attribution("Its law is unique", "It is ascribed to others.")
"""
)


def run(folder, *words):
    return CliRunner().invoke(cli, ["audit", *words, "--jobs", "1"], catch_exceptions=False)


def test_nothing_is_found_in_a_file_in_which_nothing_is_wrong(tmp_path):
    (tmp_path / "good.py").write_text(GOOD)
    done = run(tmp_path, str(tmp_path / "good.py"))
    assert (done.exit_code, done.stdout) == (0, "1 entry looked at: nothing\n")


def test_what_is_found_is_told_with_what_to_do(tmp_path):
    (tmp_path / "bad.py").write_text(BAD)
    done = run(tmp_path, str(tmp_path / "bad.py"))
    assert done.exit_code == 1
    assert "bad.thm1  not mathematical: It is not judged" in done.stdout
    assert "What to do: judge it" in done.stdout


def test_the_document_says_what_the_table_says(tmp_path):
    (tmp_path / "bad.py").write_text(BAD)
    table = tmp_path / "AUDIT.md"
    done = run(tmp_path, str(tmp_path / "bad.py"), "--json", "-", "--markdown", str(table))
    document = json.loads(done.stdout)
    assert document["schema"] == "sgtheory.audit/1"
    (only,) = document["findings"]
    assert {"id", "kind", "words", "evidence"} <= set(only)
    assert f"| {only['id']} | {only['kind']} | {only['words']} |" in table.read_text()


def test_of_one_check_alone(tmp_path):
    (tmp_path / "bad.py").write_text(BAD)
    assert run(tmp_path, str(tmp_path / "bad.py"), "--only", "corrections").exit_code == 0


def test_every_check_is_in_the_guide():
    from reports.guide import c_verify_your_paper as page

    text = " ".join(str(block) for block in page.blocks())
    assert all(check.sentence in text for check in all_checks())
