"""Questions to ``advise``, and to the newer options of ``law``, with values that do not fit."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.hostile import problems
from tests.hostile.trial import Case

_ODD = (
    "nan", "inf", "-1", "0", "1e999", "1e99999999999", "1/0", "", " ", ",", "x", "1,2,3", "1e308",
    "1e-300",
    "1" * 5000, "\x1b[31m", "1_0", "0x1", "0,0",
)  # fmt: skip
_ASKED: dict[str, tuple[str, ...]] = {
    "--care": ("both", "mean", "variance", "worst", "coefficient", "kl", "no"),
    "--of": ("1,0", "1,-1", "1/3,2", *_ODD),
    "--samplers": ("sgld", "sgd", "sgd,sgd", "svrg_ld", "psgld:x", "reshuffled_sgd", "own.py",
        *_ODD[:8]),
    "--start": ("typical", "mode", "zero", "given", "no"),
    "--keep": ("2", "1", "1000000000000", "-1", "x"),
    "--fix": ("S=2", "eps=1/100", "S=0", "no=1", "eps=1e9", *(f"{n}={x}" for n in ("S", "eps",
        "H") for x in _ODD)),
}  # fmt: skip
_OF_LAW: dict[str, tuple[str, ...]] = {
    "--coefficient": ("1", "100", "1000000000", "10000000000", *_ODD[:9]),
    "--burn-in": ("0", "10", "1000000000000", *_ODD[:9]),
    "--gradient": ("eps", "mu", "no", "", "A", "N", "\x1b"),
    "--average": ("1", "10", "1000000000", *_ODD[:9]),
}
_SEARCH = 20.0  # seconds that an answer may take


def advised(draw: Random) -> Case:
    """A question about a small problem, of which something is wrong; cheap where it is right."""
    made: Any = json.loads(json.dumps(draw.choice((*problems.VALID[:3], *problems.VALID[6:9]))))
    if draw.random() < 0.4:
        made = problems.changed(draw, made)
    files = {"p.json": json.dumps(made).encode("utf-8", "surrogatepass")}
    if draw.random() < 0.35:
        words = ["law", draw.choice(("sgd", "sgld", "momentum")), "--problem", "p.json"]
        return Case("advised", (*words, *_some(draw, _OF_LAW)), files)
    words = ["advise", "--problem", "p.json"]
    if draw.random() < 0.9:
        given = draw.choice(_ODD) if draw.random() < 0.6 else draw.choice(("1e-9", "0.01", "3", "1e14"))
        words += [draw.choice(("--passes", "--passes", "--gradients", "--seconds")), given]
    return Case("advised", (*words, *_some(draw, _ASKED)), files, most=_SEARCH)


def _some(draw: Random, options: dict[str, tuple[str, ...]]) -> list[str]:
    found = [[name, draw.choice(values)] for name, values in options.items() if draw.random() < 0.4]
    return [word for pair in found for word in pair]
