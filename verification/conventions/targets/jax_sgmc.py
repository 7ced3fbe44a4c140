"""jax-sgmc's integrators as steps of one chain, on a potential whose gradient is ours."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax_sgmc import integrator
from jax_sgmc.scheduler import schedule

Array = Any


def _data() -> Any:
    """A minibatch is a key: a new one at each call."""

    def following(state: Array, information: bool = False) -> Any:
        one, other = jax.random.split(state)
        return one, (other, None)

    return (lambda **_: jax.random.PRNGKey(0)), following, None


def _potential(gradient: Any) -> Any:
    """A function whose derivative at a position is the gradient there."""

    def of(position: Array, batch: Any, state: Any = None, likelihoods: bool = False) -> Any:
        pull = gradient(jax.lax.stop_gradient(position), batch[0])
        worth = jnp.dot(jax.lax.stop_gradient(pull), position)
        return (worth, (jnp.ones(2), state)) if likelihoods else (worth, state)

    return of


def _at(step_size: float, temperature: float = 1.0) -> Any:
    return schedule(
        step_size=jnp.asarray(step_size),
        temperature=jnp.asarray(temperature),
        burn_in=jnp.asarray(0.0),
        accept=jnp.asarray(True),
    )


def _moved(made: Any, held: Any, key: Array, parameters: Any) -> Any:
    own, data = jax.random.split(key)
    return made[1](held._replace(key=own, data_state=data), parameters)


def langevin_diffusion(
    theta: Array, gradient: Any, key: Array, step_size: float, temperature: float
) -> Array:
    """SGLD."""
    made = integrator.langevin_diffusion(_potential(gradient), _data())
    after = _moved(made, made[0](theta), key, _at(step_size, temperature))
    return after.latent_variables


def obabo(
    state: Any, gradient: Any, key: Array, step_size: float, temperature: float, friction: float
) -> dict[str, Array]:
    """One step of OBABO."""
    made = integrator.obabo(_potential(gradient), _data(), steps=1, friction=friction)
    held = made[0](state["theta"])._replace(momentum=state["m"])
    after = _moved(made, held, key, _at(step_size, temperature))
    return {"theta": after.positions, "m": after.momentum}


def friction_leapfrog(
    theta: Array, gradient: Any, key: Array, step_size: float, friction: float, steps: float
) -> Array:
    """One call of SGHMC: all its steps."""
    made = integrator.friction_leapfrog(
        _potential(gradient), _data(), steps=int(steps), friction=friction
    )
    return _moved(made, made[0](theta), key, _at(step_size)).positions


langevin_diffusion.kind = obabo.kind = friction_leapfrog.kind = "jax"  # type: ignore[attr-defined]
langevin_diffusion.loss = obabo.loss = friction_leapfrog.loss = "sum"  # type: ignore[attr-defined]
