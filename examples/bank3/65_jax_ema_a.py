"""SGD with a moving average of the parameters over pytrees."""
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


@jax.tree_util.register_dataclass
@dataclass
class TrainState:
    params: dict
    ema: dict


@jax.jit
def train_step(state: TrainState, grads, lr, decay) -> TrainState:
    params = jax.tree_util.tree_map(lambda p, g: p - lr * g, state.params, grads)
    ema = jax.tree_util.tree_map(lambda e, p: decay * e + (1 - decay) * p, state.ema, params)
    return TrainState(params, ema)


def step(state, gradient, rng, lr, decay):
    wrap = lambda x: {"layer": {"w": jnp.asarray(x)}}
    new = train_step(
        TrainState(wrap(state["theta"]), wrap(state["m"])), wrap(gradient(state["theta"])), lr, decay
    )
    return {"theta": np.array(new.params["layer"]["w"]), "m": np.array(new.ema["layer"]["w"])}
