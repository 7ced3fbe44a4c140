"""Samplers by what they are: formulas are tested where steps are affine, limits where they settle."""

from functools import cache

from sgtheory import registry
from sgtheory.onestep.affine import is_affine
from sgtheory.setting import Setting

# Samplers that another has in it, but for a word or a schedule: their formulas take long to derive.
VARIANTS = {
    "sghmc_refreshed", "sghmc_velocity_first_refreshed", "sghmc_velocity_first", "sghmc_decreasing",
    "sgd_m", "sgfs_bounded", "sgfs_diagonal", "sgfs_scalar", "sgd_square_root", "sgd_diagonal",
    "momentum_position_first", "lmc",
}  # fmt: skip


def on_quadratic(name):
    return Setting(registry.sampler(name), registry.model("quadratic"))


@cache
def affine():
    """The names of the samplers whose step is linear on a quadratic."""
    return tuple(n for n in registry.names("samplers") if is_affine(on_quadratic(n)))


@cache
def nonlinear():
    """The names of all others."""
    return tuple(n for n in registry.names("samplers") if n not in affine())


def period(name):
    """After how many steps the updates repeat: None if they never do."""
    return on_quadratic(name).period
