"""Scripts about windows: the divergence of every window, and which is smallest."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

_DISCRETE = """# theta <- (1 - u) theta + noise: variance of a mean of T iterates over the posterior's
rate, variance = 1 - u, u / (2 - u)
ratio = lambda T: passes * variance * sum(rate ** abs(s - t) for s in range(T) for t in range(T)) / T**2
"""
_CONTINUOUS = """# d theta = -u theta dt + noise: variance of a mean over T over the posterior's
ratio = lambda T: passes / T * (1 - (1 - np.exp(-u * T)) / (u * T))
"""


def window_script(
    comment: str, step: Fraction, passes: Fraction, printed: Sequence[int], time: str
) -> str:
    """Whether the printed window is the best of all that are tried."""
    most = min(60, 2 * int(passes) + 4)
    return (
        f"# {comment}\nimport numpy as np\n"
        f"u, passes = {step}, {passes}  # eps lambda, N/S\n"
        + (_DISCRETE if time == "discrete" else _CONTINUOUS)
        + "kl = lambda T: (ratio(T) - 1 - np.log(ratio(T))) / 2\n"
        f"best, printed = min(range(1, {most + 1}), key=kl), {list(printed)}\n"
        "print('best', best, kl(best), 'printed', printed, [kl(T) for T in printed])\n"
        "print(bool(best in printed))\n"
    )
