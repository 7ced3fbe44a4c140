"""Corrupted declarations: every one is noticed by its exact law, or is the same algorithm."""

import pytest

from sgtheory import registry
from tests.sgtheory.scanning import affine
from verification.refuter import sampler_twins
from verification.refuter.sampler_twins import twins

EVERY_RUN = ("sgd", "momentum", "sgld", "sgfs", "sghmc", "reshuffled_sgd", "sgldfp")
SAMPLERS = [pytest.param(n, marks=[] if n in EVERY_RUN else [pytest.mark.long]) for n in affine()]


SAME = "g: m for t"  # a gradient at a snapshot that stays is the same at every step of an epoch


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.strong
def test_every_twin_of_a_sampler_is_rejected(name):
    found = twins(registry.sampler(name))
    assert found.tried >= 8
    assert found.survivors == ()
    # the sign of a noise that is symmetric is all that may be changed without being noticed
    assert all("sign" in e or "mode" in e or "exchanged" in e or e == SAME for e in found.equivalent)


def test_a_check_that_resolves_nothing_lets_twins_through(monkeypatch):
    monkeypatch.setattr(sampler_twins, "RESOLVED", 1e9)
    found = twins(registry.sampler("sgd"))
    assert found.survivors != ()
