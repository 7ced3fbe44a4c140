"""What was judged and found before: no word changes without a reason; counts of readings are right."""

import re
from collections import Counter
from pathlib import Path

from tests.verification.papers.test_every_claim import EXPECTED
from verification import papers

FOLDER = Path(__file__).parent / "expected"
(PAPERS,) = map(Path, papers.__path__)
# the words of each entry, and of the algorithm, in commit 2b48cbc
BEFORE = {id_: words for id_, *words in map(str.split, (FOLDER / "before.txt").read_text().splitlines())}
NAMES = {id_.partition(".")[0] for id_ in EXPECTED}


def named(table):
    """The entries that rows of a table begin with: a paper's name holds for all after it."""
    found = set()
    for row in table.splitlines():
        paper = ""
        for name in re.findall(
            r"[A-Za-z]\w*(?:\.\w+)*", row.split("|")[1] if row.startswith("|") else ""
        ):
            key = name.partition(".")[0]
            paper = key if key in NAMES else paper
            found.add(name if key == paper else f"{paper}.{name}")
    return found


def unexplained(before, now, table):
    """Entries whose words are others than before, or that are gone, without a row."""
    changed = {id_ for id_, words in before.items() if now.get(id_) != words}
    return changed - named(table)


def test_each_word_that_changed_has_a_row_with_the_reason():
    now = {
        id_: [word.replace(" ", "-"), discrete or "-"] for id_, (word, discrete, *_) in EXPECTED.items()
    }
    table = (FOLDER / "changes.md").read_text()
    assert unexplained(BEFORE, now, table) == set()


def test_a_word_that_changed_without_a_row_is_found():
    table = "| entry | was |\n| mandt2017.eq1, eq2 (algorithm); li2016psgld.eq3 | proved |"
    before = {id_: ["proved", "-"] for id_ in ("mandt2017.eq2", "mandt2017.eq4", "li2016psgld.eq3")}
    assert unexplained(before, {**before, "mandt2017.eq2": ["refuted", "-"]}, table) == set()
    assert unexplained(before, {**before, "mandt2017.eq4": ["proved", "-"]}, table) == set()
    moved = {**before, "mandt2017.eq4": ["proved", "refuted"]}
    assert unexplained(before, moved, table) == {"mandt2017.eq4"}
    assert unexplained(before, {}, table) == {"mandt2017.eq4"}


def findings(piece):
    """The severity of each finding of a piece, and what came of it: mended, kept or open."""
    for line in piece.splitlines():
        cells = line.split(" | ")
        severity = [m[1] for c in cells[1:4] if (m := re.match(r"(\d)(?:[ ,(-]|$)", c.strip()))]
        if severity:
            came = re.findall(r"\*(mended|kept)\*|\| (mended|kept)\b", line)
            yield severity[0], "".join(came[-1]) if came else "open"


def counted(piece):
    """Severities 3, 2 and 1, mended, kept and open: a row of the table of readings."""
    found = Counter(word for finding in findings(piece) for word in finding)
    return [found[word] for word in ("3", "2", "1", "mended", "kept", "open")]


def test_what_came_of_a_finding_stands_at_its_end():
    lines = (
        "ID | kind | severity | what",
        "a | kind | 3 | was *kept* | x. | mended: y",
        "b | kind | 1 (unsure) | x | *kept*: y",
        "c | kind | 2, unsure | z | mended it",
        "d | kind | 1 | was mended |",
    )
    assert counted("\n".join(lines)) == [1, 1, 2, 2, 1, 1]


def recounted(review):
    """The review with the counts of its pieces; a table's last row is the sum of its others."""
    sums, lines = [0] * 6, []
    for line in review.splitlines(keepends=True):
        cells = line.split(" | ")
        if piece := re.match(r"\| \[\d\]\((review/\w+\.md)\)", line):
            counts = counted((PAPERS / piece[1]).read_text())
            sums = [a + b for a, b in zip(sums, counts, strict=True)]
            line = " | ".join([*cells[:2], *map(str, counts)]) + " |\n"
        elif line.startswith("| | all |"):
            line = f"| | all | {' | '.join(map(str, sums))} |\n"
            sums = [0] * 6
        lines.append(line)
    return "".join(lines)


def test_the_counts_of_a_reading_are_those_of_its_pieces():
    """After work on a piece, ``python -m tests.verification.papers.test_changes`` writes them."""
    review = (PAPERS / "REVIEW.md").read_text()
    assert review == recounted(review)
    told = re.findall(r"\| \[\d\]\(review/(\w+)\.md\)", review)
    assert sorted(told) == sorted(p.stem for p in (PAPERS / "review").glob("*.md"))


def test_a_count_that_is_wrong_is_found():
    review = (PAPERS / "REVIEW.md").read_text()
    assert recounted(review.replace("| | all | 36 |", "| | all | 37 |")) == review
    row = next(line for line in review.splitlines() if "reading_1_piece_1" in line)
    assert recounted(review.replace(row, row.replace("| 5 |", "| 6 |"))) == review


if __name__ == "__main__":
    found = recounted((PAPERS / "REVIEW.md").read_text())
    (PAPERS / "REVIEW.md").write_text(found)
