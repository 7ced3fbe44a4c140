"""A small network on threes and eights of MNIST: what the law of its quadratic foretells, what is so.

``python -m benchmarks.network --data mnist.npz`` runs the code of the guide's page on them, and keeps
what it measures where that page finds it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from reports.guide import ed_your_own_model as page
from sgtheory.files.writing import write

KEPT = Path(page.__file__).with_name("your_own_model.json")
N, INPUTS, HIDDEN = 2000, 6, 3
CHAINS = 60
_CHANGES = (0.3, 3.0)  # of curvature, between groups of axes


def data(path: Path) -> dict[str, Any]:
    """Principal components of the pixels, and labels -1 and 1."""
    found = np.load(path)
    some = np.flatnonzero(np.isin(found["train_y"], (3, 8)))[:N]
    pixels = found["train_x"].reshape(-1, 784)[some] / 255.0
    pixels = pixels - pixels.mean(axis=0)
    X = pixels @ np.linalg.eigh(pixels.T @ pixels)[1][:, -INPUTS:]
    return {"np": np, "X": X, "labels": np.where(found["train_y"][some] == 3, 1.0, -1.0)}


def measured(path: Path) -> dict[str, Any]:
    """The document: axes in groups by how much the curvature changes along them."""
    names = data(path)
    exec(page.NETWORK.replace("*X.shape, 2", f"*X.shape, {HIDDEN}"), names)
    exec(page.ADVICE, names)
    exec(page.RUN.replace("chains=100", f"chains={CHAINS}"), names)
    exec(page.COMPARE, names)
    change, off = names["found"].change, names["measured"] / names["foretold"] - 1
    groups = []
    for low, high in zip((0, *_CHANGES), (*_CHANGES, np.inf), strict=True):
        here = (low <= change) & (change < high)
        if not here.any():
            continue
        what = (
            f"{100 * low:.0f} % or more" if high == np.inf else f"{100 * low:.0f} to {100 * high:.0f} %"
        )
        groups.append({
            "what": what,
            "axes": int(here.sum()),
            "reached": float(names["foretold"][here].mean()),
                "off": float(np.sqrt((off[here] ** 2).mean())),
            "worst": float(np.abs(off[here]).max()),
        })  # fmt: skip
    return {
        "schema": "sgtheory.network/1",
        "command": "python -m benchmarks.network --data mnist.npz",
        "N": N,
        "D": len(off),
        "inputs": INPUTS,
        "hidden": HIDDEN,
        "eps": names["eps"],
        "S": names["S"],
        "steps": names["schedule"].steps,
        "chains": CHAINS,
        "groups": groups,
    }


def main() -> None:
    """Write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=KEPT)
    asked = parser.parse_args()
    write(asked.out, json.dumps(measured(asked.data), indent=1) + "\n")


if __name__ == "__main__":
    main()
