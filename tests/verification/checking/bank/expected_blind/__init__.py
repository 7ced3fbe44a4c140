"""The part of the bank by a hand that has not read the checker.

Its author had the declarations of the algorithms and the form of a step, and nothing of how the checker
looks for faults or of what it says. The names were written before any of these samplers was checked.
"""

from tests.verification.checking.bank.entry import Entry
from tests.verification.checking.bank.expected_blind.adaptive import ADAPTIVE
from tests.verification.checking.bank.expected_blind.descent import DESCENT
from tests.verification.checking.bank.expected_blind.hamilton import HAMILTON
from tests.verification.checking.bank.expected_blind.langevin import LANGEVIN
from tests.verification.checking.bank.expected_blind.thermostats import THERMOSTATS

RIGHT = {
    "numpy_blind_right.py": (
        ("columns_of_chains", "sgld"),
        ("upper_factor", "sgld"),
        ("chains_in_blocks", "sgld"),
        ("noise_then_drift", "lmc"),
        ("scored_in_the_gradient", "sgfs"),
        ("unit_velocity", "momentum"),
        ("averaging_momentum", "momentum"),
        ("look_ahead", "nesterov"),
        ("summed_window", "iasg"),
        ("by_friction", "sghmc_velocity_first"),
        ("refreshed_at_the_end", "sghmc_refreshed"),
        ("symplectic_langevin", "underdamped:BAO"),
        ("position_verlet", "underdamped:OABAO"),
        ("nose_hoover_by_norms", "sgnht"),
        ("coordinates_with_thermostats", "msgnht"),
        ("rms_langevin", "psgld:no_gamma"),
        ("adam_with_one_rate", "adam"),
        ("own_clock", "sgld_decreasing"),
    ),
    "jax_blind_right.py": (
        ("drawn_from_covariance", "sgld"),
        ("middle_with_own_key", "underdamped:ABOBA"),
        ("metric_by_derivative", "sgrld"),
        ("refreshed", "sghmc_velocity_first_refreshed"),
    ),
    "torch_blind_right.py": (
        ("noisy_gradients", "sgld"),
        ("heavy", "sgd_m"),
        ("halves", "underdamped:OBA"),
        ("thermostat", "sgnht"),
    ),
}

ENTRIES = (
    *LANGEVIN,
    *DESCENT,
    *HAMILTON,
    *THERMOSTATS,
    *ADAPTIVE,
    *(Entry(f"{file}:{name}", like, "right") for file, group in RIGHT.items() for name, like in group),
)
