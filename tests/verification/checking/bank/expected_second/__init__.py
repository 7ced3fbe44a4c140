"""What an expert calls the faults of the second set: written without sight of the checker.

A pattern asks for the fault's own words or its formula, within one phrase, so that a diagnosis that only
names the same noise or line does not match. Where two descriptions have one law, both are taken.
"""

from tests.verification.checking.bank.entry import Entry
from tests.verification.checking.bank.expected_second.in_jax import JAX
from tests.verification.checking.bank.expected_second.in_numpy import NUMPY
from tests.verification.checking.bank.expected_second.in_torch import TORCH

RIGHT = (
    ("momentum_of_means", "momentum"),
    ("nesterov_by_two_points", "nesterov"),
    ("noisy_gradient_hamiltonian", "sghmc_velocity_first"),
    ("aboba_by_flows", "underdamped:ABOBA"),
    ("preconditioned_langevin", "psgld:no_gamma"),
    ("thermostat_with_a_number", "sgnht"),
    ("window_by_sums", "iasg"),
    ("riemannian_langevin", "sgrld"),
)

ENTRIES = (
    *NUMPY,
    *JAX,
    *TORCH,
    *(Entry(f"numpy_second_right.py:{name}", like, "right") for name, like in RIGHT),
)
