"""All chains of a foreign JAX sampler at once: one is traced, then mapped, compiled and looped.

A step is compiled once for each problem, with its parameters as plain numbers, so that it may compute
with them in Python. What can be seen without statistics is seen in what JAX traced: another shape,
another number type, random numbers that are not drawn from keys, a key from which nothing is drawn.
"""

from __future__ import annotations

import importlib
import inspect
import pickle
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from verification.checking.cases import Count
from verification.checking.gradients import Gradient, Refused
from verification.checking.jax_gradients import JaxGradient, bits_of

Array = Any
_BLOCK = 2**11  # chains that are moved together: one shape to compile for, and bounded memory
_DTYPES = ("float64", "float32")
_ROUNDS = 3  # after which the number types of a state must repeat

IGNORED = (
    "ignores its key",
    "The step draws nothing from its key: what noise it adds, if any, is the same in every chain.",
)
REPEATED = (
    "repeats its noise",
    "The step draws from a key in its state, which it leaves as it was: every step adds the same noise.",
)


@dataclass(frozen=True)
class Pair:
    """What an adapter makes of its target: of one chain, from states by name and parameters."""

    init: Callable[[Mapping[str, Array], Array, Mapping[str, Any]], Any]  # (states, key, params)
    step: Callable[[Any, JaxGradient, Array, Mapping[str, Any]], Any]  # (state, gradient, key, params)
    position: Callable[[Any], Array]


@dataclass(frozen=True)
class Block:
    """So many chains as are moved together: their states and keys."""

    state: Any
    keys: Array
    gradient_keys: Array


@dataclass(frozen=True)
class Chains:
    """All chains, in blocks of one size: the last has some too many. And how many steps they made."""

    blocks: tuple[Block, ...]
    count: int
    done: int = 0


@dataclass(frozen=True)
class Program:
    """A compiled step, and what was seen in it."""

    advance: Callable[..., Any]
    remarks: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class JaxRunner:
    """Chains of a pair; ``dtype`` is that of the first positions, float32 only where JAX is left so."""

    pair: Pair
    loss: str = ""
    dtype: str = "float64"
    declared: Pair | None = None  # the same, from the declared states
    programs: dict[bytes, Program] = field(default_factory=dict, compare=False)
    beginnings: dict[bytes, Callable[..., Any]] = field(default_factory=dict, compare=False)

    def begun_as_declared(self) -> JaxRunner:
        """The same, from the declared states where the target has names for them; compiled already."""
        return replace(self, pair=self.declared or self.pair, beginnings={})

    def start(self, states: Mapping[str, Array], rng: Any, params: Mapping[str, Any]) -> Chains:
        """The first state of every chain, with a key of its own."""
        chains = len(states["theta"])
        whole = -(-chains // _BLOCK) * _BLOCK
        given = {n: np.resize(x, (whole, *x.shape[1:])).astype(self.dtype) for n, x in states.items()}
        with precision(self.dtype):
            keys = [_keys(rng, whole) for _ in range(3)]
            begin = self._beginning(params)
            found = []
            for k in range(0, whole, _BLOCK):
                some = {n: x[k : k + _BLOCK] for n, x in given.items()}
                first, *rest = (key[k : k + _BLOCK] for key in keys)
                found.append(Block(_plainly(begin, some, first), *rest))
        return Chains(tuple(found), chains)

    def step(self, chains: Chains, gradient: Gradient, rng: Any, params: Mapping[str, Any]) -> Chains:
        """One step of all chains."""
        return self.run(chains, gradient, rng, params, 1)

    def run(
        self, chains: Chains, gradient: Gradient, rng: Any, params: Mapping[str, Any], steps: int
    ) -> Chains:
        """Several steps of all chains."""
        with precision(self.dtype):
            advance = self._program(chains, gradient, params).advance
            moved = [
                replace(b, state=advance(b.state, b.keys, b.gradient_keys, chains.done, steps))
                for b in chains.blocks
            ]
        return Chains(tuple(moved), chains.count, chains.done + steps)

    def position(self, chains: Chains) -> Array:
        """Where the chains are, of the number type that the step left."""
        found = [np.asarray(self.pair.position(block.state)) for block in chains.blocks]
        return np.concatenate(found)[: chains.count]

    def named(self, chains: Chains, name: str) -> Any:
        """Another part of the states, where they have names."""
        states = [block.state for block in chains.blocks]
        if not all(isinstance(s, Mapping) and name in s for s in states):
            return None
        return np.concatenate([np.asarray(s[name]) for s in states])[: chains.count]

    def remarks(self) -> tuple[tuple[str, str], ...]:
        """What was seen in the traces of the step."""
        return tuple(sorted({r for p in self.programs.values() for r in p.remarks}))

    def _beginning(self, params: Mapping[str, Any]) -> Callable[..., Any]:
        import jax

        name = pickle.dumps(sorted(params.items()))
        if name not in self.beginnings:
            self.beginnings[name] = jax.jit(jax.vmap(lambda x, key: self.pair.init(x, key, params)))
        return self.beginnings[name]

    def _program(self, chains: Chains, gradient: Gradient, params: Mapping[str, Any]) -> Program:
        """The compiled step for a problem: the same for another number of chains and other seeds."""
        import jax

        ticking = [n for n, x in params.items() if isinstance(x, Count)]
        still = {n: x for n, x in params.items() if n not in ticking}
        name = pickle.dumps((gradient.source, gradient.factor, ticking, sorted(still.items())))
        if name not in self.programs:

            def one(state: Any, key: Array, gradient_key: Array, done: Any) -> Any:
                handed = JaxGradient(gradient.source, gradient_key, gradient.factor)
                return self.pair.step(state, handed, key, {**still, **dict.fromkeys(ticking, done)})

            block = chains.blocks[0]
            whole = (block.state, block.keys, block.gradient_keys)
            self.programs[name] = _plainly(_compiled, one, jax.tree.map(lambda x: x[0], whole))
        return self.programs[name]


def precision(dtype: str) -> AbstractContextManager[Any]:
    """Whether JAX has doubles, in this block only; newer and older versions say it differently."""
    import jax

    if dtype not in _DTYPES:
        raise Refused("number type", f"the target asks for {dtype}, expected float64 or float32")
    where = jax if hasattr(jax, "enable_x64") else importlib.import_module("jax.experimental")
    return where.enable_x64(dtype == "float64")


def _keys(rng: Any, chains: int) -> Array:
    """A key for each chain, from the generator that the check hands in."""
    import jax

    high, low = (int(x) for x in rng.integers(0, 2**31, 2))
    return jax.random.split(jax.random.fold_in(jax.random.key(high), low), chains)


def _jitted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiled with less effort where that can be said: steps are run a few times only."""
    import jax

    if jax.default_backend() != "cpu" or "compiler_options" not in inspect.signature(jax.jit).parameters:
        return jax.jit(function)
    return jax.jit(function, compiler_options={"xla_backend_optimization_level": 1})


def _plainly(function: Callable[..., Any], *arguments: Any) -> Any:
    """What foreign code raises while it is traced, in one line."""
    try:
        return function(*arguments)
    except Refused:
        raise
    except Exception as error:
        first = (str(error).strip().splitlines() or [""])[0]
        raise Refused("crashed", f"{type(error).__name__}: {first}") from error


def _compiled(one: Callable[..., Any], first: tuple[Any, Array, Array]) -> Program:
    import jax

    state, traced = _settled(lambda *x: one(*x, jax.numpy.asarray(0)), *first)
    leaves, shape = jax.tree.flatten(state)
    dtypes = [x.dtype for x in leaves]
    both = jax.vmap(
        lambda s, a, b, k: one(s, jax.random.fold_in(a, k), jax.random.fold_in(b, k), k),
        in_axes=(0, 0, 0, None),
    )

    def cast(state: Any) -> Any:
        return shape.unflatten(_cast(x, d) for x, d in zip(jax.tree.leaves(state), dtypes, strict=True))

    def advance(state: Any, keys: Array, gradient_keys: Array, done: Any, steps: Any) -> Any:
        def body(k: Any, state: Any) -> Any:
            return cast(both(state, keys, gradient_keys, k))

        return jax.lax.fori_loop(done, done + steps, body, cast(state))

    return Program(_jitted(advance), _seen(traced, len(leaves)))


def _settled(one: Callable[..., Any], state: Any, key: Array, gradient_key: Array) -> tuple[Any, Any]:
    """A state of the number types that the step leaves, and its trace; shapes must stay the same."""
    import jax

    state = jax.tree.map(jax.numpy.asarray, state)
    for _ in range(_ROUNDS):
        traced, after = jax.make_jaxpr(one, return_shape=True)(state, key, gradient_key)
        _same_form(state, after)
        types = [(x.dtype, y.dtype) for x, y in _pairs(state, after)]
        if all(x == y for x, y in types):
            _pure(one, traced, state, key, gradient_key)
            return state, traced
        state = jax.tree.map(lambda x, y: _cast(x, y.dtype), state, after)
    raise Refused("number type", f"the state changes its number type in every step: {types}")


def _cast(value: Array, dtype: Any) -> Array:
    import jax.numpy as jnp

    value = jnp.asarray(value)
    return value if value.dtype == dtype else value.astype(dtype)


def _pairs(before: Any, after: Any) -> list[tuple[Any, Any]]:
    import jax

    return list(zip(jax.tree.leaves(before), jax.tree.leaves(after), strict=True))


def _same_form(before: Any, after: Any) -> None:
    import jax

    if after is None:
        raise Refused("shape", "the step returned None, expected the next state")
    was, is_ = jax.tree.structure(before), jax.tree.structure(after)
    if was != is_:
        words = f"the step was given {was} and returned {is_}"
        raise Refused(
            "shape", f"{words}: an init(theta, key) makes a first state of the step's own form"
        )
    for x, y in _pairs(before, after):
        if x.shape != y.shape:
            raise Refused(
                "shape", f"an array of the state had shape {x.shape} and has {y.shape} after a step"
            )


def _pure(one: Callable[..., Any], traced: Any, *arguments: Any) -> None:
    """Traced again, a step must be the same: numbers drawn by NumPy are fixed while JAX traces."""
    import jax

    def anew() -> Any:  # a function of its own, which no cache knows
        return lambda *given: one(*given)

    again = jax.make_jaxpr(anew())(*arguments)
    if _text(again) == _text(traced) and all(
        np.array_equal(x, y) for x, y in zip(again.consts, traced.consts, strict=True)
    ):
        return
    found = [jax.tree.leaves(jax.jit(anew())(*arguments)) for _ in range(2)]
    plain = [[bits_of(x) for x in leaves] for leaves in found]
    if not all(np.array_equal(x, y) for x, y in zip(*plain, strict=True)):
        words = "the same state and key gave another state when the step was traced again"
        raise Refused("ignores its seed", f"{words}: random numbers must come from the key")


def _text(traced: Any) -> str:
    return re.sub("0x[0-9a-f]+", "", str(traced.jaxpr))


def _seen(traced: Any, leaves: int) -> tuple[tuple[str, str], ...]:
    """Whether the next state depends on the key, or at least a key in the state moves on."""
    graph = traced.jaxpr
    used = {v for v in graph.outvars if not hasattr(v, "val")}
    for line in reversed(graph.eqns):
        if used.intersection(line.outvars):
            used.update(v for v in line.invars if not hasattr(v, "val"))
    state, key = graph.invars[:leaves], graph.invars[leaves]
    if key in used:
        return ()
    held = [k for k in range(leaves) if _is_key(state[k].aval)]
    moving = [k for k in held if graph.outvars[k] is not state[k]]
    if moving:
        return ()
    return (REPEATED,) if any(_matters(graph, state[k]) for k in held) else (IGNORED,)


def _is_key(value: Any) -> bool:
    return "key" in str(value.dtype) or (str(value.dtype) == "uint32" and value.shape[-1:] == (2,))


def _matters(graph: Any, held: Any) -> bool:
    """Whether anything is computed from a part of the state."""
    return any(held in [v for v in line.invars if not hasattr(v, "val")] for line in graph.eqns)
