"""Names of several letters that stand in a formula as if they were products: ``MSE`` for M S E.

``python -m tests.reports.math.italics FOLDER`` reads all formulas of a report in JSON.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_UPRIGHT = re.compile(
    r"\\(?:text|mathrm|operatorname\*?|mathbf|mathbb|mathcal|mathsf|boldsymbol|begin|end)\s*\{[^{}]*\}"
)
# Differentials, entries of matrices, second derivatives, and products that are meant.
_LETTERS = re.compile(r"d[a-zA-Z]|[ijklmn]{2}|[pqrxyz]{2,3}|[RQ]{3}|hL|kT|[ABCEH]{2}")
_WORD = re.compile(r"[A-Za-z]{2,}")


def italic_words(latex: str) -> list[str]:
    r"""Words of a formula that a reader would take for products.

    >>> italic_words(r"MSE \le \mathrm{MSE}_{wide} + C_{ij}\, dt")
    ['MSE', 'wide']
    """
    for _ in range(3):  # words in words
        latex = _UPRIGHT.sub(" ", latex)
    words = _WORD.findall(re.sub(r"\\[A-Za-z]+", " ", latex))
    return [word for word in words if not _LETTERS.fullmatch(word)]


def formulas(content: Any) -> Iterator[str]:
    """All formulas of a page in JSON."""
    if isinstance(content, dict):
        if isinstance(content.get("latex"), str):
            yield content["latex"]
        content = list(content.values())
    if isinstance(content, list):
        for part in content:
            yield from formulas(part)


if __name__ == "__main__":
    seen: dict[str, str] = {}
    for path in sorted(Path(sys.argv[1]).rglob("*.json")):
        for latex in formulas(json.loads(path.read_text("utf-8"))):
            for word in italic_words(latex):
                seen.setdefault(word, f"{path.name}: {latex[:120]}")
    for word, where in seen.items():
        print(word, where)
    sys.exit(bool(seen))
