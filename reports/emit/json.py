"""A page as JSON, schema ``sgtheory.page/1``: the document model itself, for scripts."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from typing import Any

from reports.document import Equation, Figure, Page

SCHEMA = "sgtheory.page/1"
SUFFIX = ".json"


def render(page: Page) -> str:
    """The page as JSON text.

    >>> print(render(Page("sgd", "Constant SGD", ())))
    {
     "schema": "sgtheory.page/1",
     "type": "page",
     "slug": "sgd",
     "title": "Constant SGD",
     "blocks": [],
     "kind": "page",
     "summary": "",
     "trail": []
    }
    <BLANKLINE>
    """
    return json.dumps({"schema": SCHEMA, **record(page)}, indent=1, ensure_ascii=False) + "\n"


def render_all(pages: Sequence[Page]) -> str:
    """Several pages as one document, schema ``sgtheory.pages/1``."""
    records = [{"schema": SCHEMA, **record(page)} for page in pages]
    document = {"schema": "sgtheory.pages/1", "pages": records}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def record(page: Page) -> dict[str, Any]:
    """The page as nested dictionaries; each names its type."""
    found: dict[str, Any] = _plain(page, page.numbers)
    return found


def _plain(value: Any, numbers: dict[str, int]) -> Any:
    if isinstance(value, tuple):
        return [_plain(item, numbers) for item in value]
    if not dataclasses.is_dataclass(value):
        return value
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(value).__name__).lower()
    fields = {f.name: _plain(getattr(value, f.name), numbers) for f in dataclasses.fields(value)}
    if isinstance(value, Figure) and value.live is None:
        del fields["live"]
    if isinstance(value, Equation) and value.label:
        fields |= {"number": numbers[value.label], "anchor": value.anchor}
    return {"type": name, **fields}
