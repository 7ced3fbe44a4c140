"""How results show themselves in a notebook: small tables, with every word escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_MOST = 8  # rows and columns of a matrix that are shown


def table(title: str, rows: Mapping[str, Any]) -> str:
    """Names and values as an HTML table.

    >>> table("<law>", {"stable": True})
    '<table><caption>&lt;law&gt;</caption><tr><th>stable</th><td>yes</td></tr></table>'
    """
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{cell(v)}</td></tr>" for name, v in rows.items())
    return f"<table><caption>{escape(title)}</caption>{cells}</table>"


def cell(value: Any) -> str:
    """A value: a number to six digits, a matrix as a table in the cell, all else in words.

    >>> cell(1 / 3), cell("a & b")
    ('0.333333', 'a &amp; b')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return _rows(value)
    return escape(str(value))


def _rows(value: Sequence[Any]) -> str:
    rows = value if value and all(isinstance(row, list | tuple) for row in value) else [value]
    shown = [[*map(cell, row[:_MOST]), *(["…"] if len(row) > _MOST else [])] for row in rows[:_MOST]]
    shown += [["…"]] if len(rows) > _MOST else []
    return (
        "<table>"
        + "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in shown)
        + "</table>"
    )
