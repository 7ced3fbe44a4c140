"""How a foreign function may be called: with what is handed to it, and parameters by their names."""

from __future__ import annotations

import dis
import inspect
import numbers
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import CodeType
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.finding import suggest

INIT, LIBRARY = "init", "library"
_SHOWN = 150  # characters of a list of names that are told
_VALUE = 40  # characters of a value that are told
_ELSEWHERE = "as in your code"  # the value of an option whose default stands within the code


_CLOCKS = ("t", "iteration", "iter", "step_number", "n_step")
_STEP = 3  # of what a step is handed by place: a state, a gradient, what is random


@dataclass(frozen=True)
class Asks:
    """The parameters that a target has names for, and whether it takes any others besides.

    ``optional`` are those with a value of their own. ``shown`` is how the target is written, for
    messages. ``begins`` says who makes the first state, where it is not the one that is handed over:
    ``INIT``, a function of the target's own, or ``LIBRARY``. ``own`` are the values of what is optional,
    as words, and ``bound`` those that ``functools.partial`` has bound: these are asked for no more.
    ``is_step`` says that it is called at each step, and not once to make what is.
    """

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    anything: bool = False
    shown: str = "the step"
    begins: str = ""
    own: tuple[tuple[str, str], ...] = ()
    bound: tuple[tuple[str, str], ...] = ()
    is_step: bool = False

    @property
    def names(self) -> frozenset[str]:
        """All that it has a name for."""
        return frozenset((*self.required, *self.optional))

    @property
    def clocks(self) -> tuple[str, ...]:
        """What a step asks for that is called as the number of steps before it is."""
        return tuple(n for n in self.required if self.is_step and n in _CLOCKS)

    def without(self, *names: str) -> Asks:
        """The same but for some names, which are handed otherwise."""
        required = tuple(n for n in self.required if n not in names)
        optional = tuple(n for n in self.optional if n not in names)
        return replace(self, required=required, optional=optional)


def asks_of(
    function: Any,
    given: int,
    init: Callable[..., Any] | None = None,
    begins: str = "",
) -> Asks | None:
    """What a step asks for beyond what is handed in by place, together with its ``init``.

    A name that a catch-all is asked for in the code (``params["H"]``) is one that it has. An attribute
    ``parameters`` of the step says all of them. None where it cannot be looked into.

    >>> found = asks_of(lambda theta, gradient, rng, eps, N, H=None, **rest: rest["tau"], 3)
    >>> found.required, found.optional, found.anything, found.own
    (('eps', 'N'), ('H', 'tau'), True, (('H', 'None'),))
    >>> found = asks_of(partial(lambda theta, gradient, rng, eps, kT=1.0: theta, kT=2.0), 3)
    >>> found.names, found.bound
    (frozenset({'eps'}), (('kT', '2.0'),))
    """
    said = getattr(function, "parameters", None)
    if isinstance(said, tuple | list) and all(isinstance(n, str) for n in said):
        return Asks((), tuple(said), True, _name(function), begins or (INIT if init else ""))
    found = [_asked(f, k) for f, k in ((function, given), (init, 2)) if f is not None]
    if any(x is None for x in found):
        return None
    parts = [x for x in found if x is not None]
    required = tuple(dict.fromkeys(n for x in parts for n in x.required))
    optional = tuple(dict.fromkeys(n for x in parts for n in x.optional if n not in required))
    anything = any(x.anything for x in parts)
    own = tuple({n: v for x in reversed(parts) for n, v in x.own if n in optional}.items())
    held = tuple((n, _words(v)) for n, v in bound(function).items())
    return Asks(
        required, optional, anything, _name(function), begins or (INIT if init else ""), own, held,
        given == _STEP and begins != LIBRARY,
    )  # fmt: skip


def _asked(function: Callable[..., Any], given: int) -> Asks | None:
    if not callable(function):
        return None
    try:
        every = tuple(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    placed = [p for p in every if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    named = [p for p in placed[given:] if p.kind is p.POSITIONAL_OR_KEYWORD]
    named += [p for p in every if p.kind is p.KEYWORD_ONLY]
    held = bound(function)
    named = [p for p in named if p.name not in held]
    required = tuple(p.name for p in named if p.default is p.empty)
    own = {p.name: _words(p.default) for p in named if p.default is not p.empty}
    optional = tuple(own)
    anything = any(p.kind is p.VAR_KEYWORD for p in every)
    if anything:
        keys = {n: needed for n, needed in _keys(function) if n not in (*required, *own, *held)}
        optional += tuple(keys)
        own |= {n: _ELSEWHERE for n, needed in keys.items() if not needed}
    return Asks(required, optional, anything, own=tuple(own.items()))


def bound(function: Any) -> dict[str, Any]:
    """The values that ``functools.partial`` has bound, by name: whoever calls it gets these.

    >>> bound(partial(lambda x, eps, heat=1.0: x, heat=3.0)), bound(len)
    ({'heat': 3.0}, {})
    """
    found: dict[str, Any] = {}
    function = inspect.unwrap(function) if callable(function) else function
    while isinstance(function, partial):
        try:
            placed = inspect.signature(function.func).bind_partial(*function.args).arguments
        except (TypeError, ValueError):  # of something that cannot be looked into
            placed = {}
        found = {**placed, **function.keywords, **found}
        function = inspect.unwrap(function.func)
    return found


def _words(value: Any) -> str:
    """A value as it is told: a number with all its digits, anything else in brief."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return str(int(value)) if isinstance(value, numbers.Integral) else repr(float(value))
    return repr(value)[:_VALUE]


def _keys(function: Any) -> Iterator[tuple[str, bool]]:
    """The words in quotes in the code of a function: the keys that a catch-all may be asked for.

    With each, whether the code cannot do without it: ``params["tau"]``, and not ``params.get("tau")``.

    >>> sorted(_keys(lambda **rest: rest["tau"] + rest.get("kT", 1.0)))
    [('kT', False), ('tau', True)]
    """
    while isinstance(function, partial):
        function = function.func
    code = getattr(inspect.unwrap(function), "__code__", None)
    held = [code] if isinstance(code, CodeType) else []
    while held:
        told = list(dis.get_instructions(held.pop()))
        for k, one in enumerate(told):
            if isinstance(one.argval, CodeType):
                held.append(one.argval)
            elif one.opname.startswith("LOAD_CONST") and isinstance(one.argval, str):
                after = told[k + 1].opname, told[k + 1].argrepr
                if one.argval.isidentifier():
                    yield one.argval, after[0] == "BINARY_SUBSCR" or after == ("BINARY_OP", "[]")


_ROLES = {
    "gradient": ("gradient", "grad", "grads", "grad_fn", "gradient_fn", "grad_estimator", "grad_logp"),
    "rng": ("rng", "generator", "random_state", "prng", "key"),
}  # names that are clearly one of what a step is handed by place
_NO_ROLE = frozenset(
    (
        "batch",
        "minibatch",
        "data",
        "batch_size",
        "eps",
        "lr",
        "step_size",
        "N",
        "v",
        "velocity",
        "momentum",
    )
)  # names that are clearly none

OF_A_STEP = frozenset(
    (
        "gradient",
        "grad",
        "grads",
        "theta",
        "state",
        "params",
        "grad_estimator",
        "rng",
        "generator",
        "key",
    )
)  # names of what a step is handed, and a factory of an optimizer is not


def spoken(function: Any) -> dict[str, Any]:
    """The names in the code of a function, with what they stand for in its file, where they do.

    >>> spoken(lambda x: len(inspect.signature(x)))["inspect"] is inspect
    True
    """
    code = getattr(function, "__code__", None)
    known = getattr(function, "__globals__", {})
    return {n: known.get(n) for n in code.co_names} if isinstance(code, CodeType) else {}


def _name(function: Any) -> str:
    found = getattr(function, "__name__", "the step")
    return found if found.isidentifier() else "the step"


def accepted(function: Callable[..., Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """Those parameters that a function has a name for; all of them where it takes any.

    What ``functools.partial`` has bound stays as it is.

    >>> accepted(partial(lambda x, eps, heat=1.0: x, heat=3.0), {"eps": 1, "heat": 1, "N": 5})
    {'eps': 1}
    """
    held = bound(function)
    params = {n: x for n, x in params.items() if n not in held}
    try:
        known = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return dict(params)
    if any(p.kind is p.VAR_KEYWORD for p in known):
        return dict(params)
    names = {p.name for p in known if p.kind is not p.POSITIONAL_ONLY}
    return {n: x for n, x in params.items() if n in names}


def check_signature(
    function: Callable[..., Any], given: Sequence[str], params: Mapping[str, Any]
) -> None:
    """Raise where a function asks for what no one will hand to it: our own words before its TypeError.

    ``given`` are the names, for the message, of what is handed in first and by place.

    >>> def step(theta, gradient, rng, epsilon): ...
    >>> check_signature(step, ("state", "gradient", "rng"), {"eps": 0.1, "N": 10})
    Traceback (most recent call last):
    sgtheory.errors.UnusableInput: expected parameters of step among eps, N; got epsilon; rename it eps
    """
    try:
        every = tuple(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of something that cannot be looked into
        return
    name = _name(function)
    check_places(function, given)
    placed = [p for p in every if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    named = [*placed[len(given) :], *(p for p in every if p.kind is p.KEYWORD_ONLY)]
    unknown = [p.name for p in named if p.default is p.empty and p.name not in params]
    if unknown:
        known = ", ".join(params) or "none"
        near = suggest.near(unknown[0], params)
        remedy = f"rename it {near[0]}" if near else "give it a default"
        raise UnusableInput(f"parameters of {name} among {known}", ", ".join(unknown), remedy)


def check_places(function: Callable[..., Any], given: Sequence[str], more: str = "") -> None:
    """Raise where a function has no place for what is handed in first and by place.

    >>> check_places(lambda eps: eps, ("state", "gradient"), "; or say what it is")
    Traceback (most recent call last):
    sgtheory.errors.UnusableInput: expected the step(state, gradient, **params); got the step(eps); \
take these, in this order; or say what it is
    """
    try:
        every = tuple(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of something that cannot be looked into
        return
    placed = [p.name for p in every if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    enough = len(placed) >= len(given) or any(p.kind is p.VAR_POSITIONAL for p in every)
    remedy = _misplaced(placed, given)
    if not enough and not remedy:
        remedy = f"take these, in this order{more}"
    if remedy:
        name = _name(function)
        got = f"{name}({', '.join(p.name for p in every)})"
        raise UnusableInput(f"{name}({', '.join(given)}, **params)", got[:_SHOWN], remedy)


def _misplaced(placed: Sequence[str], given: Sequence[str]) -> str:
    """What to write where a name says that it is something else than what stands in its place.

    >>> _misplaced(("theta", "gradient", "rng", "eps"), ("state", "gradient", "rng"))
    ''
    >>> print(_misplaced(("theta", "v", "gradient", "rng"), ("state", "gradient", "rng")))
    take one state, a dict: theta, v = state["theta"], state["v"]; return a dict with the same keys
    """
    roles = {n: role for role, names in _ROLES.items() for n in names}
    if placed[:1] == ["self"]:
        return "it is a method of a class: make an object in your file, bound = NAME(...).step"
    if not set(given) <= {"state", "gradient", "rng"}:
        return ""
    at = {roles[n]: (k, n) for k, n in reversed(list(enumerate(placed))) if n in roles}
    for k, role in enumerate(given):
        place, name = at.get(role, (k, role))
        keys = placed[: at["gradient"][0]] if "gradient" in at else []
        if place > k > 0 and len(keys) > 1 and not set(keys) & set(roles):
            states = ", ".join(f'state["{n}"]' for n in keys)
            return (
                f"take one state, a dict: {', '.join(keys)} = {states}; return a dict with the same keys"
            )
        if place != k:
            return f"take {role} in place {k + 1}, where {name} stands in place {place + 1}" + (
                "" if "gradient" in at else ": the gradient is handed in, of data that are drawn here"
            )
    wrong = [n for n in placed[1 : len(given)] if n in _NO_ROLE and len(placed) >= len(given)]
    return (
        f"take these, in this order: in the place of {wrong[0]} something else is handed"
        if wrong
        else ""
    )
