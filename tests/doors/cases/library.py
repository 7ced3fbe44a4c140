"""Samplers of libraries by their names, and what check writes."""

from __future__ import annotations

from tests.doors.case import Case, Step

SGLD = """\
import numpy as np


def step(theta, gradient, rng, eps, N):
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * rng.standard_normal(theta.shape)
"""
CASES = (
    Case(
        "library.torch_sgd",
        "torch.sgd by its name",
        (Step("sgtheory check torch.sgd --dimensions 2,1", has=("conforms",)),),
        needs=("torch",),
    ),
    Case(
        "library.torch_nesterov",
        "torch.sgd_nesterov by its name",
        (Step("sgtheory check torch.sgd_nesterov --dimensions 2,1", has=("conforms",)),),
        needs=("torch",),
    ),
    Case(
        "library.optax_momentum",
        "optax.sgd_momentum by its name",
        (Step("sgtheory check optax.sgd_momentum --dimensions 2,1", has=("conforms",)),),
        needs=("optax",),
    ),
    Case(
        "library.absent",
        "a library that is not installed is one line",
        (Step("sgtheory check posteriors.sgld", status=(2,), has=("posteriors",), one_line=True),),
    ),
    Case(
        "library.page",
        "check --page writes a page, --json a document",
        (
            Step(
                "sgtheory check mine.py:step --like sgld --dimensions 2,1 --page check.html",
                wrote=("check.html",),
                has=("conforms",),
            ),
            Step(
                "sgtheory check mine.py:step --like sgld --dimensions 2,1 --json",
                facts={
                    "schema": "sgtheory.check/1",
                    "verdict": "conforms",
                    "diagnosis": [],
                    "like": "sgld",
                },
            ),
        ),
        {"mine.py": SGLD},
    ),
    Case(
        "library.module",
        "check of module:attribute, in this folder and in a package of it",
        (
            Step("sgtheory check mine:step --like sgld --dimensions 2,1", has=("conforms",)),
            Step("sgtheory check package.inner:step --like sgld --dimensions 2,1", has=("conforms",)),
            Step("sgtheory check package/inner.py:step --like sgld --dimensions 2,1", has=("conforms",)),
        ),
        {
            "mine.py": SGLD,
            "package/__init__.py": "",
            "package/inner.py": "from mine import step\n\n__all__ = ['step']\n",
        },
    ),
    Case(
        "library.fix",
        "check with a parameter at one value",
        (
            Step(
                "sgtheory check mine.py:step --like sgld --fix H=identity --dimensions 2,1",
                has=("conforms",),
            ),
        ),
        {"mine.py": SGLD},
    ),
    Case(
        "library.default_is_said",
        "a matrix that the step does not name is the identity, and the report says so",
        (
            Step(
                "sgtheory check mine.py:step --like sgld --dimensions 2,1",
                has=("conforms", "H .{0,40}identity|identity"),
            ),
        ),
        {"mine.py": SGLD},
    ),
    Case(
        "library.diff",
        "two verdict files that say the same, and a claim by itself",
        (
            Step(
                "sgtheory verify mandt2017.eq25 --json a.json",
                document="a.json",
                facts={"schema": "sgtheory.verdicts/1"},
            ),
            Step(
                "sgtheory verify mandt2017.eq25 --json b.json",
                document="b.json",
                facts={"claims/0/id": "mandt2017.eq25"},
            ),
            Step("sgtheory diff a.json b.json"),
        ),
    ),
    Case(
        "library.cite",
        "cite a paper, a sampler, a claim",
        (
            Step("sgtheory cite mandt2017", has=("@", "Mandt")),
            Step("sgtheory cite momentum", has=("@", "Mandt")),
            Step("sgtheory cite sgnht", has=("@", "Ding")),
            Step("sgtheory cite mandt2017.eq25", has=("@", "Mandt")),
        ),
    ),
    Case(
        "library.convert",
        "convert says what one's step is in another's letters: eps = 2 dt",
        (
            Step(
                "sgtheory convert --from blackjax.sgld --to sgld step_size=0.01",
                has=(r"eps\s*=\s*(0\.02|1/50)",),
            ),
        ),
    ),
)
