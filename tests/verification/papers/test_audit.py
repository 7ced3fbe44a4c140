"""The audit of all entries finds nothing that is not in the table beside them."""

import re
from pathlib import Path

import pytest

from verification import papers
from verification.auditing import audit
from verification.auditing.reasons import with_reasons
from verification.library import claims, paper_keys

(FOLDER,) = papers.__path__
ROW = re.compile(r"^\| (\S+) \| ([a-z ]+) \|", re.MULTILINE)


def in_the_table():
    return set(ROW.findall((Path(FOLDER) / "AUDIT.md").read_text()))


@pytest.mark.long
@pytest.mark.parametrize("key", paper_keys())
def test_nothing_new_is_found(key):
    found = with_reasons(audit(claims(key), jobs=2))
    open_ = {(one.id, one.kind) for one, reason in found if not reason}
    assert open_ <= in_the_table()


def test_a_row_of_the_table_is_read():
    assert ROW.findall("| p.eq1 | one display | It shows what p.eq2 shows. | do |") == [
        ("p.eq1", "one display")
    ]


@pytest.mark.parametrize("key", ["sec3_1.operations_sgldfp", "sec3_1.operations_lmc"])
def test_a_correction_that_fails_at_a_place_is_not_told(key):
    """From theta* itself the distance vanishes: Theta(1) is false of a start that is not given."""
    (entry,) = (c for c in claims("brosse2018") if c.key == key)
    assert entry.find().corrected.text.count("O(1)") == 1
