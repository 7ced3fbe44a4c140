"""A text's own matrix named as a factor of noise is in our laws is what the text says that it is."""

import pytest

from tests.verification.texts.quick import judged
from verification.texts import read

HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| A | symmetric positive definite matrix | curvature |
| {name} | symmetric positive definite matrix | |
"""


@pytest.mark.parametrize("name", ["B", "E", "P"])
@pytest.mark.parametrize(
    ("said", "word"), [("A {0} A > 0", "proved"), ("A + {0} > 0", "proved"), ("A + {0} <= 0", "refuted")]
)
def test_a_matrix_of_the_table_has_the_kind_that_is_said(tmp_path, name, said, word):
    path = tmp_path / "notes.md"
    path.write_text(f"{HEAD.format(name=name)}\nSampler: none\n\n**Claim 1.** {said.format(name)}.\n")
    (one,) = read(path).read
    assert judged(one).finding.verdict == word


def test_it_is_no_other_matrix_of_the_table(tmp_path):
    """`B` was called `B_0` within, and so were two matrices one."""
    path = tmp_path / "notes.md"
    rows = "| B_0 | symmetric positive definite matrix | |\n"
    path.write_text(f"{HEAD.format(name='B')}{rows}\nSampler: none\n\n**Claim 1.** A B = A B_0.\n")
    (one,) = read(path).read
    assert judged(one).finding.verdict == "refuted"
