"""The guide: every page builds, and what it prints was computed."""

import importlib
import pkgutil

import pytest

from reports import guide
from reports.document import Code
from reports.emit import html
from reports.guide._running import python
from sgtheory import derive

PAGES = sorted(
    m.name for m in pkgutil.iter_modules(guide.__path__) if m.name[1] == "_" and m.name[0] != "_"
)
SLOW = ("c_verify_your_paper", "cb_write_it_in_a_text", "d_check_your_sampler")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.long] if n in SLOW else []) for n in PAGES]
)
def test_a_page_builds(name):
    page = guide._page(name)
    assert page.title in html.render(page)
    assert len(page.blocks) > 2


def test_what_is_printed_was_computed():
    printed = [b.text for b in guide._page("a_first_ten_minutes").blocks if isinstance(b, Code)]
    assert repr(derive("sgd").covariance.pair) in printed
    assert any("KL" in text or "covariance" in text for text in printed)


@pytest.mark.long
def test_the_checked_sampler_conforms_and_its_twin_does_not():
    printed = [b.text for b in guide._page("d_check_your_sampler").blocks if isinstance(b, Code)]
    assert "conforms" in printed[2]
    assert "deviates" in printed[4]


def test_code_that_fails_stops_the_build():
    with pytest.raises(ZeroDivisionError):
        python("1 / 0", {})


def test_every_module_has_a_summary():
    for name in PAGES:
        module = importlib.import_module(f"reports.guide.{name}")
        assert module.SUMMARY[-1] in ".?"
