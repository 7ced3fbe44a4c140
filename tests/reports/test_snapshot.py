"""The verdicts that are kept as Markdown are those that the machine finds."""

import pytest

from reports.pages.row import Row
from reports.snapshot import FOLDER, line_of, of_document, snapshot
from verification.judging.judge import judge, plans
from verification.library import all_claims, select

# Of each paper one or two that take no time; -m long looks at all.
QUICK = (
    "brosse2018.sec2.unique_minimiser", "brosse2018.thm4.units", "li2016psgld.sec5.risk",
    "chen2016santa.table1.cnn_significantly",
)  # fmt: skip


def lines():
    texts = [path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))]
    found = [line for text in texts for line in text.splitlines() if line.startswith("| ")]
    return {line.split(" | ")[0].removeprefix("| "): line for line in found}


def rows(claims):
    return [Row.of_verdict(judge(*planned)) for planned in plans(claims, seed=1)]


def test_every_claim_is_there_and_nothing_else():
    kept = lines()
    known = {claim.id: claim.at for claim in all_claims()}
    assert set(kept) - {"claim", ":---"} == set(known)
    assert all(at.replace("|", r"\|") in kept[name] for name, at in known.items())


def test_some_verdicts_are_what_is_kept():
    kept = lines()
    found = rows(select(QUICK))
    assert [line_of(row) for row in found] == [kept[row.id] for row in found]
    assert len({row.word for row in found}) > 1


def test_a_changed_verdict_would_be_seen():
    (row,) = rows(select(QUICK[:1]))
    changed = Row(**{**vars(row), "word": "refuted"})
    assert line_of(row) == lines()[row.id] != line_of(changed)


@pytest.mark.long
def test_all_verdicts_are_what_is_kept(tmp_path):
    for name, text in snapshot(rows(all_claims())).items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text


def test_a_verdict_file_gives_the_same_lines():
    """What is kept, put into the form of a verdict file and read again."""
    kept, claims = lines(), []
    for claim in all_claims():
        said, read = kept[claim.id].removesuffix(" |").split(" | ")[-2:]
        word, _, scope = said.removesuffix(")").partition(" (")
        twins = {"tried": 0, "rejected": 0}
        discrete = {"discrete": {"verdict": read.strip()}} if read.strip() else {}
        claims.append({"id": claim.id, "verdict": word, "scope": scope, "twins": twins, **discrete})
    found = of_document({"claims": claims})
    assert [line_of(row) for row in found] == [kept[claim.id] for claim in all_claims()]
