"""Every sampler's page: it has all that is known, and what it tells its reader to type works."""

import json
import zlib
from html import unescape

import pytest
from sympy import Pow

from reports.blocks import Code, Equation, Paragraph
from reports.emit import html
from reports.pages.sampler import example, sampler_page
from reports.pages.simulated import simulated
from sgtheory import law, registry
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from tests.sgtheory.scanning import affine, nonlinear, period


@pytest.mark.parametrize("name", registry.names("samplers"))
def test_the_example_runs(name):
    sampler = registry.sampler(name)
    problem = Problem.of(json.loads(example(sampler)))
    if name in nonlinear():
        found = simulated(sampler, problem, steps=20)
        divided_by = {p.base.name for _, e in sampler.updates for p in e.atoms(Pow)
                      if p.base.is_Symbol and p.exp.is_negative}  # fmt: skip
        # printed algorithms that divide by a momentum break down, and no others
        assert (found.finite < found.chains) == bool(divided_by & {"u", "u_old"})
        assert {r.state for r in found.rows} == {s.name for s in sampler.state}
        return
    at = 100 if Setting(sampler, problem.model).period is None else None
    found = law(name, problem, at=at)
    assert found.stable
    assert found.covariance["theta", "theta"].any()


ASKED = {
    "momentum": (
        "stable exactly", "autocorrelation time", "pass over the data", "rule in print",
        "posterior itself", "window of length",
    ),
    "underdamped": ("configurational temperature", "Read after update 1", "kinetic temperature"),
    "iasg": ("period", "rule in print"),
    **dict.fromkeys([n for n in affine() if period(n) is None], ("never alike",)),
    **dict.fromkeys(nonlinear(), ("No closed form", "chains in one dimension")),
}  # fmt: skip


ALL = registry.names("samplers")
SLOW = ("sghmc",)
LATER = [n for n in ALL if n not in ("iasg", "psgld") and zlib.crc32(n.encode()) % 8]


def _text(spans):
    return spans if isinstance(spans, str) else "".join(getattr(one, "text", one) for one in spans)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=[pytest.mark.long] * (n in LATER) + [pytest.mark.strong] * (n in SLOW))
        for n in ALL
    ],
)
def test_a_page_has_what_there_is(name):
    page = sampler_page(registry.sampler(name))
    words = "\n".join(_text(b.spans) for b in page.blocks if isinstance(b, Paragraph))
    typed = [b.text for b in page.blocks if isinstance(b, Code)]
    asked = "simulate" if name in nonlinear() else "law"
    assert any(t.startswith(f"sgtheory {asked} {name}") for t in typed)
    assert any(isinstance(b, Equation) for b in page.blocks)
    for phrase in ASKED.get(name, ("stationary covariance at modes i and j", "stable exactly")):
        assert phrase in words, phrase
    # the wrong twin: momentum has no temperature of its own, and a clock leaves none
    setting = Setting(registry.sampler(name), registry.model("quadratic"))
    if name in affine():
        assert ("temperature" in words) == bool(setting.sampler.kinetic and setting.period == 1)
    # it is written as a page of a report is
    assert f"<h1>{page.title}" in unescape(html.render(page))
