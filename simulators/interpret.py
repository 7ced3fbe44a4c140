"""The plain reader: one NumPy function per operation. Slow, short, and the judge of the others.

A state is a dict of arrays (chains, D). Multiplication followed by addition is rounded twice
here and once in compiled code; otherwise the operations and their order are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from simulators import philox
from simulators.bind import ELEMENTWISE, Bound
from simulators.program import MINIBATCH, START, Block, Weight

Array = np.ndarray[Any, Any]
State = dict[str, Array]
Noise = Mapping[str, Array]  # draw name -> (chains, D)


def _matvec(matrix: Array, x: Array, total: Array | None = None) -> Array:
    """Sum over columns in order, beginning with ``total`` where there is one."""
    for j in range(matrix.shape[1]):
        term = matrix[:, j] * x[:, j : j + 1]
        total = term if total is None else total + term
    assert total is not None
    return total


def _dot(x: Array, y: Array) -> Array:
    x, y = np.atleast_2d(x), np.atleast_2d(y)  # one may be a constant
    total = x[:, :1] * y[:, :1]
    for j in range(1, x.shape[1]):
        total = total + x[:, j : j + 1] * y[:, j : j + 1]
    return total


OPS: Mapping[str, Any] = {**ELEMENTWISE, "matvec": _matvec, "dot": _dot}


def _batch(bound: Bound, weight: Weight, chosen: Array | None, x: Array | None) -> Array:
    """Weights times covariates, summed over each chain's minibatch, or over all examples."""
    rows = bound.constant(weight.covariates)
    if chosen is None:
        chosen = np.broadcast_to(np.arange(len(rows)), (1 if x is None else len(x), len(rows)))
    seen = rows[chosen]  # (chains, examples, D)
    known: dict[str, Any] = {n: bound.constant(n)[chosen] for n in weight.numbers}
    known |= {c.name: bound.constant(c.name) for c in bound.program.constants if c.shape == "scalar"}
    if x is not None:
        known["m"] = (seen * x[:, None, :]).sum(axis=2)
        known |= {f"p{i}": x[:, i : i + 1] for i in range(bound.D)}
        known |= {f"r{j}": seen[:, :, j] for j in range(bound.D)}
    for instruction in weight.instructions:
        args = [known[a] for a in instruction.args]
        with np.errstate(all="ignore"):
            known[instruction.result] = OPS[instruction.op](*args)
    if weight.results:
        each = [np.broadcast_to(known[r], chosen.shape).sum(axis=1) for r in weight.results]
        return np.stack(each, axis=1)
    weights, seen = np.broadcast_to(known[weight.result], chosen.shape), seen**weight.power
    return np.asarray((weights[:, :, None] * seen).sum(axis=1))


def draw(bound: Bound, block: Block, chains: Array, step: int, seed: int) -> State:
    """The noise of one step of a block."""
    noise: State = {}
    for d in block.batches:
        assert bound.batches is not None
        n, size = bound.batches.examples, bound.batches.size
        replace = d.law == "with replacement"
        noise[d.name] = philox.indices(seed, MINIBATCH, chains, step, d.slot, n, size, replace)
    for purpose in block.purposes:
        vectors = block.normals(purpose)
        z = philox.normals(seed, purpose, chains, step, vectors * bound.D, bound.dtype)
        for d in block.draws:
            if d.purpose == purpose:
                noise[d.name] = z[:, d.slot * bound.D : (d.slot + 1) * bound.D]
    return noise


def run_block(bound: Bound, block: Block, state: State, noise: Noise, scheduled: Any) -> State:
    """One pass of a block on given noise and scheduled values."""
    shape = next(iter(state.values())).shape
    known: dict[str, Any] = {**state, **noise, **scheduled}
    for constant in bound.program.constants:
        known[constant.name] = bound.constant(constant.name)
    for instruction in block.instructions:
        args: list[Any] = [known.get(a) for a in instruction.args]
        if instruction.op == "broadcast":
            result = np.broadcast_to(args[0], shape)
        elif instruction.op == "count":
            found = (args[0] == int(instruction.args[1])).sum(axis=1, keepdims=True)
            result = found.astype(bound.dtype)
        elif instruction.op == "batch":
            weight = bound.program.weight(instruction.args[0])
            point = np.broadcast_to(args[2], shape) if len(args) > 2 else None
            result = _batch(bound, weight, args[1], point)
        else:
            with np.errstate(all="ignore"):  # a diverging chain is a result, not a mishap
                result = OPS[instruction.op](*args)
        known[instruction.result] = result
    return {**state, **{s: np.broadcast_to(known[value], shape) for s, value in block.outputs}}


def start(bound: Bound, chains: Array, seed: int) -> State:
    """The states before the first step."""
    shape = (len(chains), bound.D)
    state = {s: np.zeros(shape, bound.dtype) for s in bound.program.states}
    block = bound.program.start
    if block.outputs:
        noise = draw(bound, block, chains, 0, seed)
        state = run_block(bound, block, state, noise, {})
    for name, vector in bound.start.items():
        state[name] = np.broadcast_to(vector.astype(bound.dtype), shape)
    assert all(philox.purpose_of(d.purpose) == START for d in block.draws)
    return state


def trajectory(
    bound: Bound, chains: Array, first_step: int, steps: int, seed: int, state: State,
    noise: Any = None,
) -> Iterator[State]:  # fmt: skip
    """The state after each step; ``noise`` may be a function of the step that replaces the draws."""
    names = bound.program.scheduled
    for step in range(first_step, first_step + steps):
        row = bound.schedule(step, 1)[0]
        drawn = noise(step) if noise else draw(bound, bound.program.body, chains, step, seed)
        scheduled = dict(zip(names, row, strict=True))
        state = run_block(bound, bound.program.body, state, drawn, scheduled)
        yield state


def interpret(
    bound: Bound, chains: Array, first_step: int, steps: int, seed: int, state: State,
    noise: Any = None,
) -> State:  # fmt: skip
    """The state after ``steps`` steps.

    >>> from sgtheory import Problem, registry
    >>> from sgtheory.setting import Setting
    >>> from simulators.bind import bind
    >>> from simulators.lower import lower
    >>> problem = Problem.of({"model": "quadratic", "hessian": [[2]], "noise": [[1]], "S": 4,
    ...                       "params": {"eps": "1/4"}, "start": {"theta": [8]}})
    >>> sgd = registry.sampler("sgd")
    >>> bound = bind(lower(Setting(sgd, problem.model)), problem.values(sgd))
    >>> chains = np.arange(1)
    >>> quiet = lambda step: {"w0": np.zeros((1, 1))}
    >>> interpret(bound, chains, 0, 3, 0, start(bound, chains, 0), noise=quiet)["theta"]
    array([[1.]])
    """
    for after in trajectory(bound, chains, first_step, steps, seed, state, noise):
        state = after
    return state
