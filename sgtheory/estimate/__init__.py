"""A and C from gradients: what a problem needs, measured on any smooth loss.

``from_gradients`` and ``read`` take the gradients of all examples, at the mode or at points around it;
``measure`` finds the mode of a model of the user's own, with A, C and what is not quadratic about it;
``sketch`` is for models with more parameters than a whole curvature can have, ``blocks`` for those of
several tensors, each with two factors;
``of_problem`` does the same for a data model; ``Online`` follows C along a run, as Mandt et al. do.
"""

from sgtheory.estimate.blocks import Blocks, blocks
from sgtheory.estimate.gradients import Estimate, from_gradients, of_problem, read
from sgtheory.estimate.online import Online, online_bias, online_expectation
from sgtheory.estimate.sketch import Sketch, sketch
from sgtheory.estimate.usermodel import Measured, UserModel, jax_model, measure, torch_model

__all__ = [
    "Blocks",
    "Estimate",
    "Measured",
    "Online",
    "Sketch",
    "UserModel",
    "blocks",
    "from_gradients",
    "jax_model",
    "measure",
    "of_problem",
    "online_bias",
    "online_expectation",
    "read",
    "sketch",
    "torch_model",
]
