"""In which form a step wants its state, where it cannot do with the one that it was handed: by trying.

A step that fails at its first call, or returns something else than it was given, is called again with
few chains in each other form that people write: an array or a dict or a tuple, all chains or one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

Array = Any
Call = Callable[[Any], Any]

FEW = 7  # chains: not a dimension of any problem, so that a wrong shape shows


def explained(call: Call, states: Mapping[str, Array], words: str, own: bool = False) -> str:
    """What went wrong, with the form that works in place of the one that was handed.

    ``call`` makes one step from a state of few chains; ``own`` says that an ``init`` made the form.

    >>> two = {"theta": np.ones((7, 2)), "v": np.zeros((7, 2))}
    >>> print(explained(lambda x: x - 1, two, "TypeError"))
    TypeError; the step was handed a dict of theta, v, each an array (chains, D), and works on an array \
alone: take state["theta"], state["v"] and return a dict with the same keys
    """
    handed = _words(states)
    if own:
        return f"{words}; it was handed what its init made"
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
            after = call(form)
    except Exception:  # any other form is as good a guess
        return False
    return _alike(form, after)


def _alike(form: Any, after: Any) -> bool:
    if isinstance(form, Mapping):
        return isinstance(after, Mapping) and all(
            n in after and _alike(x, after[n]) for n, x in form.items()
        )
    if isinstance(form, tuple):
        return isinstance(after, tuple) and len(after) == len(form) and all(map(_alike, form, after))
    return bool(np.shape(after) == np.shape(form))
