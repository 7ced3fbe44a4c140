"""Gains beside injected noise, with which the process samples the posterior."""

from dataclasses import replace

from verification.claims.base import Printed
from verification.claims.posterior_noise import SamplesPosteriorWithNoise
from verification.notation import EE, C, H, N, S, eps
from verification.papers.mandt2017.hypotheses import ONE_EXAMPLE


def gain(right, *given):
    return SamplesPosteriorWithNoise(
        "key", at="here", title="t", says="s.", of="sgfs", paper="test", given=given,
        printed=(Printed(H, right),),
    )  # fmt: skip


def test_gains_beside_injected_noise():
    printed = gain(2 / N * (eps * C + EE) ** -1, ONE_EXAMPLE)
    assert printed.find().verdict == "proved"
    assert printed.twins(printed.find()).survivors == ()
    discrete = printed.find("discrete")
    assert discrete.verdict == "limit-only"
    assert discrete.gap.term.text == "O(1/N)"
    exact = replace(printed, printed=discrete.corrected.printed)
    assert exact.find("discrete").verdict == "proved"
    any_minibatch = printed.without(ONE_EXAMPLE)
    assert any_minibatch.find().verdict == "refuted"
    assert any_minibatch.find().corrected.text == "H = 2*(EE^T + eps*C/S)**(-1)/N"
    assert gain(2 / N * (eps / S * C + EE) ** -1).find().verdict == "proved"
