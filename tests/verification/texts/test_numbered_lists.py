"""Statements of a numbered list, where none has a name; prose between them, and lists beside claims."""

from verification.texts import read

TEXT = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| Q | symmetric matrix | |
| x | positive | |

What follows was seen on a walk.

1. $x + 1 > x$

2. (Eq. 7) For all x, $x^2 + 1 > 2 x$.
3) The matrix is positive: `Q >= 0`
4. This line has no formula.
"""


def claims_of(tmp_path, text):
    (tmp_path / "notes.md").write_text(text)
    return read(tmp_path / "notes.md").claims


def test_each_with_a_formula_is_a_statement(tmp_path):
    found = claims_of(tmp_path, TEXT)
    assert [(c.at, c.stands, c.find().verdict) for c in found] == [
        ("Statement 1", "read", "proved"),
        ("Eq. 7", "printed", "refuted"),  # at x = 1 both sides are equal
        ("Statement 3", "read", "refuted"),
    ]


def test_where_a_statement_has_a_name_a_list_is_none(tmp_path):
    found = claims_of(tmp_path, TEXT + "\n**Claim 1.** $x^2 > 0$\n")
    assert [(c.at, c.find().verdict) for c in found] == [("Claim 1", "proved")]
