"""In which form a step wants its state, where it cannot do with the one that it was handed: by trying.

A step that fails at its first call, or returns something else than it was given, is called again with
few chains in each other form that people write: an array or a dict or a tuple, all chains or one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

Array = Any
Call = Callable[[Any], Any]

FEW = 7  # chains: not a dimension of any problem, so that a wrong shape shows


def explained(call: Call, states: Mapping[str, Array], words: str, made: Any = None) -> str:
    """What went wrong, with the form that works in place of the one that was handed.

    ``call`` makes one step from a state of few chains; ``made`` is the first state that an ``init`` of
    its own makes, where it has one.

    >>> two = {"theta": np.ones((7, 2)), "v": np.zeros((7, 2))}
    >>> print(explained(lambda x: x - 1, two, "TypeError"))
    TypeError; the step was handed a dict of theta, v, each an array (chains, D), and works on an array \
alone: take state["theta"], state["v"] and return a dict with the same keys
    """
    handed = _words(states)
    if made is not None:
        keys = f": {', '.join(map(str, made))}" if isinstance(made, Mapping) else ""
        return f"{words}; it was handed what its init made{keys}"
    for form, remedy in _others(states):
        if _works(call, form):
            return f"{words}; the step was handed {handed}, and works on {remedy}"
    return f"{words}; the step was handed {handed}"


def _words(states: Mapping[str, Array]) -> str:
    if len(states) == 1:
        return "an array of all chains, (chains, D)"
    return f"a dict of {', '.join(states)}, each an array (chains, D)"


def _others(states: Mapping[str, Array]) -> Iterator[tuple[Any, str]]:
    """Each other form of a first state, and what to write where the step works on it."""
    names = tuple(states)
    every = {n: x[:FEW] for n, x in states.items()}
    one = {n: x[0] for n, x in states.items()}
    keys = ", ".join(f'state["{n}"]' for n in names)
    single = "draw rng.standard_normal(theta.shape), write g @ H.T for H @ g, sum over axis -1"
    if len(names) > 1:
        yield every["theta"], f"an array alone: take {keys} and return a dict with the same keys"
        told = ", ".join(names)
        yield tuple(every.values()), f"a tuple ({told}): write {told} = {keys} and return a dict"
        yield dict(one), f"one chain alone, arrays (D,): {single}"
        yield tuple(one.values()), f"a tuple of one chain, arrays (D,): {single}; take {keys}"
    else:
        yield dict(every), "a dict: take the array itself and return the next one"
        yield one["theta"], f"one chain alone, an array (D,): {single}"
    for name in ("x", "q", "position", "params", "w"):
        renamed = {name if n == "theta" else n: x for n, x in every.items()}
        yield renamed, f"a dict with {name}: call the position theta"
        if len(names) > 1:
            yield {name: every["theta"], "p": every[names[1]]}, f"{name} and p: call them {names}"


def _works(call: Call, form: Any) -> bool:
    """Whether a step takes a form and returns it."""
    try:
        with np.errstate(all="ignore"):
            return _alike(form, call(form))
    except Exception:  # any other form is as good a guess
        return False


def _alike(form: Any, after: Any) -> bool:
    if isinstance(form, Mapping):
        return isinstance(after, Mapping) and all(
            n in after and _alike(x, after[n]) for n, x in form.items()
        )
    if isinstance(form, tuple):
        return isinstance(after, tuple) and len(after) == len(form) and all(map(_alike, form, after))
    return bool(np.shape(after) == np.shape(form))


def misfit(after: Any, handed: Any) -> str:
    """Why what a step returned is no state, and what to write; empty where it may be one.

    >>> print(misfit((x for x in ()), np.ones(2)))
    the step is a generator (it yields): return the next state, one step at each call
    >>> print(misfit(np.ones((99, 7, 2)), np.ones((7, 2))))
    the step returned a whole chain, of shape (99, 7, 2): return the next state alone, of shape (7, 2)
    """
    if isinstance(after, Iterator):
        return "the step is a generator (it yields): return the next state, one step at each call"
    if inspect.iscoroutine(after):
        after.close()
        return "the step is asynchronous: write def in place of async def"
    if isinstance(after, list) and isinstance(handed, np.ndarray):
        after = _stacked(after)
    if isinstance(after, np.ndarray) and isinstance(handed, np.ndarray):
        if after.shape[1:] == handed.shape:
            told = f"a whole chain, of shape {after.shape}"
            return f"the step returned {told}: return the next state alone, of shape {handed.shape}"
        return ""
    if isinstance(after, tuple) and not isinstance(handed, tuple):
        given = "a dict" if isinstance(handed, Mapping) else "an array"
        told = ", ".join(type(x).__name__ for x in after)
        words = f"the step was given {given} and returned a tuple of {len(after)} ({told})"
        return f"{words}: return {given} of the same form, the next state, and nothing beside it"
    return _unknown(after, "the step returned")


def no_state(made: Any) -> str:
    """Why what an ``init`` made is no state, and what to write; empty where it may be one.

    >>> print(no_state(object()))
    the init made an object: a state is an array (chains, D), or a dict of such arrays with theta
    """
    return _unknown(made, "the init made")


def _unknown(state: Any, words: str) -> str:
    parts = list(state.values()) if isinstance(state, Mapping) else [state]
    parts = [y for x in parts for y in (x if isinstance(x, tuple | list) else [x])]
    odd = next((x for x in parts if np.asarray(x).dtype == object), None)
    if odd is None:
        return ""
    name = type(odd).__name__
    article = "an" if name[0] in "aeiou" else "a"
    return (
        f"{words} {article} {name}: a state is an array (chains, D), or a dict of such arrays with theta"
    )


def _stacked(parts: list[Any]) -> Any:
    """A list of arrays of one shape as one array; the list itself where they are not."""
    try:
        found = np.array(parts)
    except ValueError:
        return parts
    return parts if found.dtype == object else found
