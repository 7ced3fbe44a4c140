"""What the tests of the report room share."""

from __future__ import annotations

from pathlib import Path

import pytest

from reports.emit import FORMATS, write
from tests.reports import demo


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo report in every format."""
    folder = tmp_path_factory.mktemp("report")
    write(demo.pages(), folder, FORMATS)
    return folder
