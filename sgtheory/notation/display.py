"""How results show themselves in a notebook: small tables, with every word escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_WIDE, _LONG = 110, 40  # letters of a line, and of a value in it
_MOST = 8  # rows and columns of a matrix that are shown


class Shown:
    """A result: one line in a terminal, a table in a notebook; its ``to_json`` says what it holds.

    What is part of a claim or a problem keeps a dataclass's whole ``repr``: verdicts are kept under it.

    >>> class Rate(Shown):
    ...     def to_json(self):
    ...         return {"rate": 0.5, "of": "sgd", "tried": [1, 2, 3]}
    >>> Rate()
    <Rate: rate 0.5, of sgd, 3 tried>
    """

    def to_json(self) -> Any:
        """What it holds, as JSON has it."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {_line(self.to_json())}"[:_WIDE].rstrip(" ,") + ">"

    def _repr_html_(self) -> str:
        held = self.to_json()
        return table(type(self).__name__, held if isinstance(held, Mapping) else {"value": held})


def _line(held: Any) -> str:
    if not isinstance(held, Mapping):
        return _short("value", held)
    told = {name: value for name, value in held.items() if name != "schema"}
    return ", ".join(_short(n, value) for n, value in told.items() if value not in (None, "", {}, []))


def _short(name: str, value: Any) -> str:
    """A name with a short value, or with how many there are."""
    if isinstance(value, float):
        value = f"{value:.6g}"
    if isinstance(value, list | tuple | Mapping):
        return f"{len(value)} {name}"
    words = " ".join(str(value).split())
    return f"{name} {words}" if len(words) <= _LONG else f"{name} {words[:_LONG]}…"


def shortened(value: Any) -> str:
    """A value of a problem on one line.

    >>> shortened({"eps": "1/10", "H": [[1, 0], [0, 1]]})
    'eps = 1/10, H = [[1, 0], [0, 1]]'
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {shortened(entry)}" for name, entry in value.items())
    text = str(value).replace("'", "")
    return text if len(text) <= 2 * _LONG else f"{text[:_LONG]}… ({len(value)} rows)"


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
