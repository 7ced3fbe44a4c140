"""A compiled step beside the interpreter's: states and noise as its dicts, and the size of roundings."""

import dataclasses

import numpy as np

from simulators import interpret


def states_of(b, flat):
    """A flat array of final states as the interpreter's dict."""
    return {s: flat[:, k * b.D : (k + 1) * b.D] for k, s in enumerate(b.program.states)}


def noise_of(b, engine, step, chain, chains, seed):
    """The noise that the compiled kernels draw, as the interpreter's dict."""
    drawn = {}
    for d in b.program.body.draws:
        count = b.program.body.normals(d.purpose) * b.D
        z = engine.draws(d.purpose, chain + chains, step, count, seed)[chain:]
        drawn[d.name] = z[:, d.slot * b.D : (d.slot + 1) * b.D]
    return drawn


def magnitude(b, state, noise):
    """The step with every number made positive: what roundings are relative to."""
    exact = {k: np.abs(v) for k, v in b.exact.items()}
    positive = dataclasses.replace(b, exact=exact, dtype=np.dtype("float64"))
    absolute = [{k: np.abs(v).astype(float) for k, v in part.items()} for part in (state, noise)]
    return interpret.run_block(positive, positive.program.body, *absolute, {})
