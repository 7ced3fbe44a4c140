"""What is said of algorithms: two of them are one, and what one samples as its step vanishes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.vanishing import Loss, at_rest
from sgtheory.errors import DeclarationError
from verification.relations.bounded import Bounded
from verification.relations.equal import Equal
from verification.relations.joined import All, OnlyIf
from verification.relations.limits import Order, growing, vanishing
from verification.relations.preserves import Preserves
from verification.terms.dynamics import same_steps
from verification.terms.term import Letter, Term, letter

_X = sp.Symbol("x", real=True)
U = sp.Function("U")(_X)  # minus the log posterior
G = sp.Function("G", positive=True)(_X)  # the preconditioner for this position, at rest
_EACH = tuple(sp.Function(f"G{i}", positive=True)(_X) for i in (1, 2))  # of either of two examples
_SIGNS = (1, -1)


def same(first: Any, second: Any, change: tuple[tuple[Any, Any], ...] = ()) -> All:
    """Two algorithms are one after a change of variables: for each state of the second an equation.

    They are steps, samplers, or names of samplers; without a change states are those of the same name.

    >>> len(same("sgd", "sgd").relations)
    1
    """
    steps = [s if isinstance(s, Step) else Step.of(registry.sampler(s)) for s in (first, second)]
    missing = [str(s) for s in steps[1].state if s not in steps[0].state]
    if not change and missing:
        raise DeclarationError(
            "a change of variables", "none", f"give ({', '.join(missing)}) in states of the first"
        )
    both = same_steps(steps[0], steps[1], change or tuple((s, s) for s in steps[1].state))
    return All(*(Equal(left, right, repeats=True) for left, right in both))


def samples_posterior(
    sampler: str,
    params: tuple[tuple[str, Any], ...] = (),
    examples: int = 1,
    then: tuple[tuple[str, Any], ...] = (),
) -> All:
    """As its step vanishes, a sampler samples exp(-U).

    Its position follows a diffusion that is read off the declaration, in terms of U and of G, the
    preconditioner at rest, for both signs that a gradient can have. ``params`` sets parameters, ``then``
    those of the diffusion; with two ``examples`` one is drawn in each step.
    """
    known = dict(then)

    def put(e: Any) -> Any:
        return e.subs({s: known[s.name] for s in e.free_symbols if s.name in known})

    processes = (
        replace(p, drift=tuple(map(put, p.drift)), noise=tuple(tuple(map(put, r)) for r in p.noise))
        for p in followed(sampler, params, examples)
    )
    of = tuple((process, -U) for process in processes)
    own = registry.sampler(sampler).title
    conditioned = any(e.has(G) for process, _ in of for e in process.drift)
    title = f"{own} with full gradients" if conditioned and examples == 1 else own
    return Preserves(of, limit_of=title, then=then)


def averages_within(
    error: Term, bound: Term, count: Letter, sampler: str, extra: Term | None = None, to_one: Any = None
) -> All:
    """A bound on the mean square error of averages over ``count`` steps of a sampler.

    As steps vanish averages tend to means under the limit of the sampler's law. Where the bound vanishes
    as there are more steps, that has to be the posterior. An ``extra`` term may stay; where it vanishes
    as a parameter goes to one, it has to be the posterior in this limit.
    """
    premises = [Order(bound, "o", 1, growing(count))]
    if extra is None:
        return OnlyIf(Bounded(error, bound), samples_posterior(sampler), tuple(premises))
    less = letter("delta")
    premises.append(Order(extra.put({to_one: 1 - less}), "o", 1, vanishing(less)))
    needed = samples_posterior(sampler, then=((to_one.name, 1),))
    return OnlyIf(Bounded(error, bound + extra), needed, tuple(premises))


def averages_tend(error: Term, count: Letter, sampler: str) -> All:
    """The mean square error of averages over ``count`` steps of a sampler vanishes, as steps do.

    Averages tend to means under the limit of the sampler's law, which then has to be the posterior.
    """
    return OnlyIf(Order(error, "o", 1, growing(count)), samples_posterior(sampler))


@cache
def followed(sampler: str, params: tuple[tuple[str, Any], ...], examples: int) -> tuple[Diffusion, ...]:
    """What the position follows, for each sign of the gradient."""
    found = []
    for sign in _SIGNS:
        N, lam = sp.Symbol("N", positive=True), sp.Symbol("lambda", positive=True)
        if examples == 1:
            losses: Any = Loss(_X, U.diff(_X) / N, sign * (1 / G - lam), sign)
        else:  # N = 2: the mean of both gradients is U'/2
            shares = [sign * (1 / g - lam) for g in _EACH]
            rest = U.diff(_X) / 2 - sum(shares) / 2
            losses = tuple(Loss(_X, share + rest, share, sign) for share in shares)
        known = dict(params) | ({"N": examples} if examples > 1 else {})
        found.append(at_rest(registry.sampler(sampler), losses, known).process)
    return tuple(found)
