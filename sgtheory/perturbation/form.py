"""What a sampler has to be: a point, moved against an unbiased gradient, and standard normal noise.

Then ``theta' = theta - gamma Ug(theta) + sqrt(2 gamma T) xi`` with U the potential of all N examples,
``Ug`` its gradient plus minibatch noise, T the temperature: 1 for Langevin samplers, 0 for SGD.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.declaring.noises import Noise, Normal
from sgtheory.errors import UnusableInput
from sgtheory.language import Apply, FullGradient, Gradient, N, Root, mode, t
from sgtheory.polynomials import cancelled


@dataclass(frozen=True)
class Form:
    """``multiplicative``: minibatches at theta. ``additive``: the share of their noise at the mode.

    ``gains`` are matrices that the sampler has and that are the identity here.
    """

    sampler: Any
    gamma: Any
    temperature: Any
    multiplicative: bool
    additive: Any
    gains: tuple[str, ...] = ()

    @property
    def small(self) -> str:
        """What the moments are expanded in: 1/N at fixed eta = gamma N, or eta itself."""
        return "eta" if self.additive != 0 else "1/N"


def form_of(sampler: Any) -> Form:
    """A sampler in this form, or an error that names what keeps it from it.

    >>> found = form_of("sgldfp")
    >>> found.gamma, found.temperature, found.multiplicative, found.additive, found.small
    (gamma, 1, True, 0, '1/N')
    >>> form_of("sgd").gamma, form_of("sgd").temperature
    (eps/N, 0)
    """
    sampler = registry.sampler(sampler)
    if len(sampler.state) != 1 or len(sampler.updates) != 1:
        names = ", ".join(s.name for s in sampler.state)
        raise _refused(sampler, f"{len(sampler.updates)} updates of the states {names}")
    if sampler.batches != "independent":
        raise _refused(sampler, "minibatches that depend on those before")
    (theta,), ((_, update),) = sampler.state, sampler.updates
    gains = {
        a.args[0].args[0] if isinstance(a.args[0], Root) else a.args[0] for a in update.atoms(Apply)
    }
    for gain in sorted(gains, key=str):
        if not gain.is_Symbol or sampler.default(gain) != "identity":
            raise _refused(
                sampler, f"the matrix {gain} before the gradient, by default not the identity"
            )
    plain = sp.sympify(update).replace(Apply, lambda _, x: x)
    return _read(sampler, theta, sp.expand(plain), tuple(sorted(g.name for g in gains)))


def _read(sampler: Any, theta: Any, update: Any, gains: tuple[str, ...]) -> Form:
    vectors = [theta, *_calls(sampler, Gradient), *_calls(sampler, FullGradient), *sampler.noises]
    found = {v: update.coeff(v) for v in vectors}
    rest = sp.expand(update - sp.Add(*(c * v for v, c in found.items())))
    if rest != 0 or found[theta] != 1 or any(c.has(*vectors) for c in found.values()):
        raise _refused(sampler, "an update that is no sum of these")
    if any(c.has(t) for c in found.values()):
        raise _refused(sampler, "a step that changes with time")
    here, at_mode, whole, injected = (sp.Integer(0),) * 4
    for v, c in found.items():
        if isinstance(v, Noise):
            injected += _variance(sampler, v, c)
        elif v == theta:
            continue
        elif v.args[0] not in (theta, mode):
            raise _refused(sampler, f"a gradient at {v.args[0]}")
        elif isinstance(v, Gradient):
            here, at_mode = (here - c, at_mode) if v.args[0] == theta else (here, at_mode - c)
        elif v.args[0] == theta:
            whole -= c
    if len(sampler.gradients) > 1:
        raise _refused(sampler, "several minibatches in a step")
    if whole != 0 and here != 0:
        raise _refused(sampler, "a gradient mixed of the whole data and a minibatch")
    drift = here + whole
    share = cancelled(at_mode / drift) + 1 if here != 0 else sp.Integer(0)
    temperature = cancelled(injected * N / (2 * drift))
    if not share.is_number or not temperature.is_number:
        raise _refused(sampler, f"a share {share} of the noise at the mode, temperature {temperature}")
    return Form(sampler, cancelled(drift / N), temperature, bool(here != 0), share, gains)


def _calls(sampler: Any, kind: Any) -> list[Any]:
    return sorted(sampler.updates[0][1].atoms(kind), key=str)


def _variance(sampler: Any, noise: Any, coefficient: Any) -> Any:
    if not isinstance(noise, Normal):
        raise _refused(sampler, f"the noise {noise}, which is not normal")
    return coefficient**2


def _refused(sampler: Any, got: str) -> UnusableInput:
    return UnusableInput(
        "theta - gamma (unbiased gradient of U at theta) + sqrt(2 gamma T) xi, one update of one state",
        f"{sampler.name or 'a sampler'} with {got}",
        "its invariant law has no expansion here: take sgtheory.operator for its numbers in D = 1",
    )
