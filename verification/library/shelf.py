"""The shelf: works of which some central statements are held, each a text named by its key.

The text stands in ``verification/papers``, the work in ``references.bib``. It is read as anybody's
text is: a work of the shelf has no words of its own.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from unicodedata import normalize

from verification.library.references import REFERENCES

_FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*?)\},?$", re.MULTILINE)


@cache
def shelf() -> dict[str, Path]:
    """The texts by the keys of their works."""
    from verification import papers

    texts = (path for folder in papers.__path__ for path in sorted(Path(folder).glob("*.md")))
    return {path.stem: path for path in texts if path.stem in REFERENCES}


def described(key: str) -> tuple[str, str, int, str, str]:
    """Title, authors, year and venue of a work, and its BibTeX.

    >>> described("durmus2019")[1:3]
    ('Alain Durmus, Éric Moulines', 2019)
    >>> described("duchi2011")[1:4]
    ('John Duchi, Elad Hazan, Yoram Singer', 2011, 'Journal of Machine Learning Research 12')
    """
    found = {name: _plain(value) for name, value in _FIELD.findall(REFERENCES[key])}
    names = (name.partition(", ") for name in found["author"].split(" and "))
    authors = ", ".join(f"{first} {last}".strip() for last, _, first in names)
    where = next((found[n] for n in ("journal", "booktitle", "howpublished") if n in found), "")
    venue = f"{where} {found.get('volume', '')}".strip()
    return found["title"], authors, int(found["year"]), venue, REFERENCES[key]


_ACCENTS = {
    "'": "\N{COMBINING ACUTE ACCENT}",
    "`": "\N{COMBINING GRAVE ACCENT}",
    '"': "\N{COMBINING DIAERESIS}",
}


def _plain(value: str) -> str:
    """A field without braces, its accents set."""
    bare = re.sub(r"[{}]", "", value)
    return re.sub(r"""\\(['`"])(\w)""", lambda m: normalize("NFC", m[2] + _ACCENTS[m[1]]), bare)
