"""A model of one's own, from its gradients to a run held against its law: what holds, what does not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reports.document import Block, Bullets, Code, Heading, Paragraph, Table, Text, prose
from reports.guide._running import python

TITLE = "Your own model, end to end"
SUMMARY = "A small network: its mode, A and C, what is not quadratic, a choice, a run held against it."

_KEPT = Path(__file__).with_name("your_own_model.json")

DATA = """\
import numpy as np

rng = np.random.default_rng(0)
three = "01110 10001 00001 00110 00001 10001 01110"
eight = "01110 10001 10001 01110 10001 10001 01110"
labels = rng.choice([-1.0, 1.0], 4000)
drawn = {s: np.array([float(c) for c in d if c != " "]) for s, d in ((1, three), (-1, eight))}
pixels = np.array([drawn[int(s)] for s in labels]) + 1.5 * rng.normal(size=(4000, 35))
pixels -= pixels.mean(axis=0)
X = pixels @ np.linalg.eigh(pixels.T @ pixels)[1][:, -3:]  # three principal components"""

NETWORK = """\
from sgtheory.estimate import UserModel, measure

N, inputs, hidden = *X.shape, 2
sizes = np.cumsum([inputs * hidden, hidden, hidden])


def gradients(theta, which):  # of log(1 + exp(-y f)) + |theta|^2/(2 N), for all chains at once
    W, b, v, c = np.split(theta, sizes, axis=-1)
    W = W.reshape(*theta.shape[:-1], hidden, inputs)
    x, y = X[which], labels[which]
    h = np.tanh(np.einsum("...hi,...ni->...nh", W, x) + b[..., None, :])
    f = np.einsum("...nh,...h->...n", h, v) + c
    out = -y / (1 + np.exp(np.clip(y * f, -500, 500)))
    back = out[..., None] * v[..., None, :] * (1 - h**2)
    first = (back[..., None] * x[..., None, :]).reshape(*out.shape, -1)
    parts = (first, back, out[..., None] * h, out[..., None])
    return np.concatenate(parts, axis=-1) + theta[..., None, :] / N


start = np.random.default_rng(1).normal(size=sizes[-1] + 1)
found = measure(UserModel(gradients, N, start))"""

_BEYOND = """\
print("along the axes, narrowest first")
print("mean, in deviations", found.shift.round(2))
print("curvature changes  ", found.change.round(2))"""

ADVICE = """\
import sgtheory as sg

advice = sg.advise(found.problem(), passes=20, samplers=["sgld"], fixed={"S": 10}, start="mode")
plain = next(option for option in advice.options if option.name == "sgld")
eps, S, schedule = plain.params["eps"], plain.params["S"], plain.schedule"""

RUN = """\
def run(eps, S, steps, burn_in, chains=100, seed=2):
    rng, theta = np.random.default_rng(seed), np.tile(found.mode, (chains, 1))
    total, squares = np.zeros_like(theta), np.zeros_like(theta)
    for step in range(steps):
        which = rng.integers(N, size=(chains, S))
        g = gradients(theta, which).mean(axis=-2)
        theta = theta - eps / 2 * N * g + np.sqrt(eps) * rng.normal(size=theta.shape)
        if step >= burn_in:
            along = (theta - found.mode) @ axes / deviations
            total, squares = total + along, squares + along**2
    return total / (steps - burn_in), squares / (steps - burn_in)


deviations, axes = found.axes"""

COMPARE = """\
means, seconds = run(eps, S, schedule.steps, schedule.burn_in)
foretold = np.diag(axes.T @ plain.chain.products(schedule) @ axes) / deviations**2
measured, error = seconds.mean(axis=0), seconds.std(axis=0) / np.sqrt(len(seconds))"""

_SHOW = """\
print("axis  change  squares foretold, measured")
for j in range(len(measured)):
    print(f"{j:3d} {found.change[j]:8.2f} {foretold[j]:10.2f} {measured[j]:8.2f} +- {error[j]:.2f}")"""


_LARGE = """\
from sgtheory.estimate import sketch

model = UserModel(gradients, N, found.mode)
print(*sketch(model, top=4).left_out, sep="\\n")"""

_TENSORS = """\
from sgtheory.estimate import blocks

tensors = [(hidden, inputs), (hidden,), (hidden,), (1,)]
print(*blocks(model, tensors).left_out, sep="\\n")"""


def blocks() -> tuple[Block, ...]:
    """The model, its quadratic, a choice and a run; then the same on a part of MNIST, as measured."""
    names: dict[str, Any] = {}
    return (
        Paragraph(
            prose(
                "All that is asked for are gradients of single examples, at some parameters and of those"
                " examples that are named. `torch_model(module, loss, x, y)` of `sgtheory.estimate` has"
                " it of a PyTorch module with a loss, `jax_model(log_density, start, x, y)` of a log"
                " density in JAX, and `read` takes gradients from a file. Here it is NumPy, so that"
                " nothing else is needed: noisy threes and eights, and a network with one hidden layer."
            )
        ),
        *python(DATA, names),
        *python(NETWORK, names),
        Paragraph(
            prose(
                "`measure` finds the mode by Newton's method, and A and C there: of all examples, or of"
                " some with `seen=1000`, with standard errors. A network is not quadratic. How much that"
                " matters is told along each principal axis: how far the posterior's mean is from the"
                " mode, by third derivatives, and by how much the curvature is another at draws of the"
                " posterior than at the mode."
            )
        ),
        *python(_BEYOND, names),
        Paragraph(
            "The quadratic goes where every problem goes: here a step of plain SGLD for 20 passes,"
            " begun at the mode."
        ),
        *python(f"{ADVICE}\nprint(eps, schedule, round(plain.error.value, 2))", names),
        Paragraph(
            "Its own sampler, a hundred chains of it. The mean squares over a run, from the mode and in"
            " units of the posterior, are held against what its law foretells for that run, from its"
            " start. A square far below 1 is an axis along which the run has not got far yet:"
        ),
        *python(RUN, names),
        *python(COMPARE, names),
        *python(_SHOW, names),
        Paragraph(
            prose(
                "A model of more than 600 parameters has no whole curvature here. `sketch` finds the"
                " largest eigenvalues with bounds, the mean of the rest with its error, and the noise of"
                " gradients along the axes, at the parameters that a training has come to. Its"
                " `problem()` goes where every problem goes, and `left_out` says what that is without:"
            )
        ),
        *python(_LARGE, names),
        Paragraph(
            prose(
                "A network has tensors. Curvature and noise of each may be near a Kronecker product of"
                " two small matrices, one for its rows and one for its columns. `blocks` finds the"
                " nearest, and how much they miss; a model made by `torch_model` knows its tensors."
            )
        ),
        *python(_TENSORS, names),
        *_recorded(json.loads(_KEPT.read_text())),
    )


def _recorded(kept: Mapping[str, Any]) -> list[Block]:
    """What was measured on MNIST: axes in three groups, by how much the curvature changes."""
    rows = tuple(
        (
            group["what"],
            f"{group['axes']}",
            f"{group['reached']:.2f}",
            f"{100 * group['off']:.0f} %",
            f"{100 * group['worst']:.0f} %",
        )
        for group in kept["groups"]
    )
    headers = ("curvature changes by", "axes", "squares foretold", "off, root mean square", "at most")
    return [
        Heading(2, "On a part of MNIST", "mnist"),
        Paragraph(
            f"The same network with {kept['hidden']} hidden units on {kept['inputs']} principal"
            f" components of {kept['N']:,} threes and eights of MNIST: {kept['D']} parameters."
            f" {kept['chains']} chains of SGLD, {kept['steps']:,} steps of {kept['eps']:g} with"
            f" {kept['S']} examples each, begun at the mode. The share by which mean squares are off"
            " from what was foretold:"
        ),
        Table(headers, rows, align="lrrrr"),
        Bullets(_holds(kept)),
        Code(kept["command"], "sh"),
    ]


def _holds(kept: Mapping[str, Any]) -> tuple[Text, ...]:
    """Sentences on what was measured."""
    off = [group["off"] for group in kept["groups"]]
    return (
        prose(
            f"What holds: the law of the quadratic, from its start, is right to {100 * min(off):.0f} to"
            f" {100 * max(off):.0f} % for a run of this length, though nothing of the network but its A"
            " and C went into it."
        ),
        prose(
            "What does not: no exactness. Where the curvature changes within the posterior by a"
            " tenth or more, so does what a run shows, the more so the further it gets: a"
            " choice made by it should be checked by a run, as here."
        ),
    )
