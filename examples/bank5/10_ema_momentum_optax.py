"""SGD along an exponential moving average of gradients, as an optax transformation.

It is heavy-ball momentum whose buffer is normalised, so the learning rate does not depend on ``decay``.
"""

import optax


def sgd_with_ema_gradients(learning_rate: float, decay: float) -> optax.GradientTransformation:
    return optax.chain(
        optax.zero_nans(),
        optax.ema(decay, debias=False),
        optax.scale(-learning_rate),
    )
