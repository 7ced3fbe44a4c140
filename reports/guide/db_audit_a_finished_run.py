"""A run that is finished, held against the law that its sampler should have."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import Any

from reports.document import Block, Bullets, Code, Heading, Paragraph, prose
from reports.guide._running import command, python

TITLE = "Audit a finished run"
SUMMARY = "Is a run what it should be: settled, at the right temperature and step? How much is it worth?"

_PROBLEM = """\
{"hessian": [[2, 1], [1, 3]], "noise": [[1, 0], [0, 2]], "N": 100, "S": 10,
 "params": {"eps": "1/2000"}}
"""

_RUN = """\
import numpy as np

A, C = np.array([[2, 1], [1, 3]]), np.diag([1, 2])

def run(eps, temperature=1.0, start=0.0, warm=1000, draws=5000, seed=7):
    rng, x = np.random.default_rng(seed), np.full((2, 2), start)
    kept = []
    for k in range(warm + draws):
        gradient = x @ A + rng.normal(size=(2, 2)) @ np.sqrt(C / 10)
        x = x - eps / 2 * 100 * gradient + np.sqrt(eps * temperature) * rng.normal(size=(2, 2))
        kept.append(x)
    return np.stack(kept[warm:], axis=1)  # (chains, draws, coordinates)

np.save("run.npy", run(eps=1 / 2000))"""

_TWINS = """\
from verification.finished import audit_run

problem = {"hessian": A.tolist(), "noise": C.tolist(), "N": 100, "S": 10, "params": {"eps": "1/2000"}}
for wrong in (
    {"eps": 1 / 1000},
    {"eps": 1 / 2000, "temperature": 1.3},
    {"eps": 1 / 2000, "start": 2.0, "warm": 0},
):
    found = audit_run(run(**wrong), problem, like="sgld")
    print(wrong, "->", found.verdict)
    for reason in found.because:
        print("   ", reason.words)"""


def blocks() -> tuple[Block, ...]:
    """A right run, wrong ones, how to hand over one's own, and what it rests on."""
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        made = python(_RUN, names)
        audited = command(
            "sgtheory audit-run run.npy --problem problem.json --like sgld",
            {"problem.json": _PROBLEM, "run.npy": Path(folder, "run.npy").read_bytes()},
        )
    return (
        Paragraph(
            prose(
                "`check` runs a sampler; often there is a run already, and no sampler to run again. What"
                " should be in it is known: the curvature $A$ and the covariance $C$ of gradients at the"
                " mode, and the numbers of the sampler, say its whole law, autocorrelations included."
                " Somebody's SGLD, written in NumPy:"
            )
        ),
        *made,
        *audited,
        Heading(2, "What is wrong with a run"),
        Paragraph(
            "Every draw is held against the one before, so that a run need not have settled to be"
            " judged, and a long memory is no excuse. What does not fit is told by name, if the run then"
            " has the law of that fault:"
        ),
        *python(_TWINS, names),
        Heading(2, "Your own run"),
        Bullets(
            (
                prose(
                    "A file `.npy` or `.npz` with an array (chains, draws, D) or (draws, D), a file of"
                    " ArviZ (`idata.to_netcdf`), or Parquet with a row to a draw. `--state w,b` names"
                    " the variables where there are several. Of Parquet, sizes are read at the"
                    " file's end: a page made to unpack to more than is said there takes that memory,"
                    " up to 2 GB."
                ),
                prose(
                    "`--every 10` says that it kept every tenth step, `--burn-in 500` leaves out draws."
                ),
                prose(
                    "The problem is $A$ and $C$, or the data: then $A$, $C$ and the mode are found, and"
                    " minibatches are the real ones. From per-example gradients of a model of your own,"
                    ' `sgtheory.estimate.read("gradients.npz").problem(S, params)` is the problem, and'
                    " `--mode` says where the loss is smallest (or `--mode run`, where the run is)."
                ),
            )
        ),
        Code("sgtheory audit-run idata.nc --problem wine.json --like sgld --every 10 --state w,b", "sh"),
        Heading(2, "What it rests on"),
        Paragraph(
            "Of a linear sampler with normal noise, what a draw is off from its prediction by all"
            " earlier ones is independent normal numbers of a known covariance, also where a velocity is"
            " hidden. Their means and sizes are tested exactly; whether they depend on where the chain"
            " was, by e-values that hold at every length. All tests share one false-alarm probability, 1"
            " in 1,000 unless one says otherwise. With real minibatches noise is not normal, and the"
            " probability is approximate. A run that fits is what it should be, which is not yet the"
            " posterior: how far the law itself is off is said too."
        ),
    )
