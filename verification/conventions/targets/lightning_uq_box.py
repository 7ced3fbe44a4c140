"""Lightning UQ Box's optimizer, made as its users make it, on the summed loss."""

from __future__ import annotations

from typing import Any

from lightning_uq_box.uq_methods.sgld import SGLD


def sgld(parameters: Any, lr: float, noise_factor: float) -> Any:
    """SGLD without weight decay."""
    return SGLD(parameters, lr=lr, noise_factor=noise_factor)


sgld.loss = "sum"  # type: ignore[attr-defined]
