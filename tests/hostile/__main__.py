"""Hostile inputs by the thousand, counted: ``python -m tests.hostile 100000 --out FILE``.

``python -m tests.hostile --show 1234`` carries out the case of one number and tells what it is.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.hostile.counting import counted, together
from tests.hostile.kinds import KINDS, case
from tests.hostile.trial import run


def main() -> None:
    """Count outcomes by kind, or show one case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", type=int)
    chosen = parser.parse_args()
    if chosen.show is not None:
        one = case(chosen.show, chosen.only)
        print(one.kind, *map(repr, one.words))
        for name, content in one.files.items():
            print(f"{name}: {content[:1000]!r}")
        with tempfile.TemporaryDirectory() as folder:
            print(run(one, Path(folder)))
        return
    seeds = range(chosen.first, chosen.first + chosen.count)
    with ProcessPoolExecutor(chosen.jobs) as pool:
        parts = (seeds[k :: chosen.jobs] for k in range(chosen.jobs))
        table = together(list(pool.map(partial(counted, only=chosen.only), parts)))
    again = f"python -m tests.hostile {chosen.count} --first {chosen.first}"
    again += f" --only {' '.join(chosen.only)}" if chosen.only != KINDS else ""
    table = {"schema": table.pop("schema"), "command": again, **table}
    text = json.dumps(table, indent=1, ensure_ascii=False) + "\n"
    if chosen.out:
        chosen.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
