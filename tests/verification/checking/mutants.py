"""Edited declarations as foreign steps: an interpreter of updates that knows arrays, and no laws."""

from inspect import Parameter, Signature
from types import SimpleNamespace

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.declare import Apply, FullGradient, Gradient, MatrixName, Root, mode, ones
from sgtheory.onestep.full import symmetric_root
from verification.checking.faults.operators import operator
from verification.checking.faults.variant import Variant


def foreign(sampler, variant):
    """A step, with an init, that does what the variant says."""
    short = dict(registry.sampler(sampler).where)

    def step(state, gradient, rng, **params):
        theta = state["theta"]
        env = {s: state[s.name] for s in variant.states}
        env |= {w: rng.standard_normal(theta.shape) for w in variant.noises}
        env |= {ones: np.ones_like(theta), mode: params["mode"] * np.ones_like(theta)}
        scalars = {n: x for n, x in params.items() if np.ndim(x) == 0} | {"t": state["t"][0, 0]}
        scalars["D"] = theta.shape[1]
        meanings = {str(s): e for s, e in (*short.items(), *variant.where)}
        for name, meaning in meanings.items():
            scalars[name] = _scalar(sp.sympify(meaning), scalars)
        world = SimpleNamespace(env=env, scalars=scalars, params=params, gradient=gradient, batches={})
        for target, expr in variant.updates:
            env[target] = _vector(expr, world)
        return {s.name: env[s] for s in variant.states} | {"t": state["t"] + 1}

    def init(theta, rng, **params):
        scalars = {n: x for n, x in params.items() if np.ndim(x) == 0}
        env = {w: rng.standard_normal(theta.shape) for w in variant.noises}
        env |= {ones: np.ones_like(theta)}
        world = SimpleNamespace(env=env, scalars=scalars, params=params, gradient=None, batches={})
        declared = dict(variant.start)
        found = {s.name: np.zeros_like(theta) for s in variant.states}
        found |= {s.name: _vector(e, world) for s, e in declared.items()}
        moving = {s.name for s in variant.positions}
        found |= {n: x + params["mode"] for n, x in found.items() if n in moving}
        return found | {"theta": theta, "t": np.zeros((len(theta), theta.shape[1]))}

    step.__signature__ = _taking("state", "gradient", "rng", registry.sampler(sampler))
    init.__signature__ = _taking("theta", "rng", registry.sampler(sampler))
    step.init = init
    return step


def _taking(*names):
    """The signature with these, and with all parameters of a sampler by name."""
    *given, sampler = names
    asked = dict.fromkeys([*(p.name for p in sampler.parameters), "N", "S", "mode"])
    return Signature(
        [Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in given]
        + [Parameter(n, Parameter.KEYWORD_ONLY) for n in asked]
    )


def _scalar(expr, scalars):
    known = {s: scalars[s.name] for s in expr.free_symbols}
    return float(expr.subs(known))


def _vector(expr, world):
    if expr in world.env:
        return world.env[expr]
    if expr == 0:
        return 0.0
    if isinstance(expr, sp.Add):
        return sum(_vector(a, world) for a in expr.args)
    if isinstance(expr, sp.Mul):
        vectors = [a for a in expr.args if _is_vector(a, world)]
        front = sp.Mul(*(a for a in expr.args if a not in vectors))
        return _scalar(front, world.scalars) * _vector(vectors[0], world)
    if isinstance(expr, Apply):
        return _vector(expr.args[1], world) @ _matrix(expr.args[0], world.params).T
    if isinstance(expr, Gradient):
        at, draw = _vector(expr.args[0], world), int(expr.args[1])
        if draw not in world.batches:
            world.batches[draw] = world.gradient.draw(at)
        return world.gradient(at, world.batches[draw])
    if isinstance(expr, FullGradient):
        return world.gradient.full(_vector(expr.args[0], world))
    if isinstance(expr, sp.Piecewise):
        known = {s: world.scalars[s.name] for _, c in expr.args for s in c.free_symbols}
        return _vector(next(e for e, c in expr.args if c.subs(known) == sp.true), world)
    raise TypeError(expr)


def _is_vector(expr, world):
    return any(s in world.env or s in (ones, mode) for s in expr.atoms(sp.Symbol)) and not isinstance(
        expr, MatrixName
    )


def _matrix(letter, params):
    if isinstance(letter, Root):
        return symmetric_root(params[str(letter.args[0])])
    name = str(letter)
    if name == "minibatch":
        return params["minibatch"]
    if name in params:
        return params[name]
    gains = {n: x for n, x in params.items() if np.ndim(x) == 2}
    return operator(name, gains, len(params["mode"]))


def declared(name):
    return foreign(name, Variant.of(registry.sampler(name)))
