"""The verdicts that are kept as Markdown are those that the machine finds."""

from collections import Counter
from pathlib import Path

import pytest

from reports.pages.paper import short
from reports.pages.row import COUNTED, Row
from reports.snapshot import FOLDER, line_of, of_document, snapshot
from tests.reports.test_index import kept
from tests.verification.papers.test_every_claim import EXPECTED
from verification.judging.judge import judge, plans
from verification.library import all_claims, paper, paper_keys, select
from verification.verdicts.wording import PART, UNDECIDED, with_scope

README = Path(__file__).parents[2] / "README.md"

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
    there = lines()
    known = {claim.id: claim.at for claim in all_claims()}
    assert set(there) - {"claim", ":---"} == set(known)
    assert all(at.replace("|", r"\|") in there[name] for name, at in known.items())


def test_some_verdicts_are_what_is_kept():
    there = lines()
    found = rows(select(QUICK))
    assert [line_of(row) for row in found] == [there[row.id] for row in found]
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
    there, claims = lines(), []
    for claim in all_claims():
        said, read = there[claim.id].removesuffix(" |").split(" | ")[-2:]
        word, _, scope = said.removesuffix(")").partition(" (")
        twins = {"tried": 0, "rejected": 0}
        running, _, part = read.strip().removesuffix(")").partition(" (")
        discrete = {"discrete": {"verdict": running, "scope": part}} if running else {}
        claims.append({"id": claim.id, "verdict": word, "scope": scope, "twins": twins, **discrete})
    found = of_document({"claims": claims})
    assert [line_of(row) for row in found] == [there[claim.id] for claim in all_claims()]


def test_the_first_lines_count_what_is_kept():
    """Made again from the lines of each table."""
    for key in paper_keys():
        ((name, text),) = snapshot(list(kept(key))).items()
        assert (FOLDER / name).read_text(encoding="utf-8") == text


def test_words_that_are_kept_are_those_that_are_expected():
    """Two tables of the same verdicts, one of which each judged claim is held to."""
    rows = [row for key in paper_keys() for row in kept(key)]
    assert {r.id: (r.word, r.read, r.scope, r.stands) for r in rows} == EXPECTED


def test_the_readme_counts_what_is_expected():
    """What is printed by its verdicts, beside it what is read or derived; the undecided is apart."""
    counts = Counter(
        (id_.partition(".")[0], word if word in UNDECIDED else stands, with_scope(word, scope and PART))
        for id_, (word, _, scope, stands) in EXPECTED.items()
    )
    papers = dict.fromkeys(k for k, stands, _ in counts if stands == "printed")
    works = {k for k, stands, _ in counts if stands == "common"}
    words = [w.said for w in COUNTED]
    used = [w for w in words if any(counts[k, "printed", w] for k in papers)]
    apart = ("read", "derived", *UNDECIDED)
    lines = [
        f"| paper | printed | {' | '.join((*used, *apart))} |",
        f"| --- |{' ---: |' * (len(used) + 5)}",
    ]
    for key in (k for k in paper_keys() if k in papers):
        n = [sum(counts[key, way, w] for w in words) for way in ("printed", *apart)]
        cells = [n[0], *(counts[key, "printed", w] for w in used), *n[1:]]
        lines += [f"| {short(paper(key))} | {' | '.join(map(str, cells))} |"]
    common = Counter({w: sum(counts[k, "common", w] for k in works) for w in words})
    told = ", ".join(f"{common[w]} {w}" for w in words if common[w])
    lines += [
        "",
        f"Of {len(works)} other works {common.total()} statements are held in our words: {told}.",
    ]
    assert "\n".join(["", *lines, ""]) in README.read_text("utf-8"), "\n".join(lines)
