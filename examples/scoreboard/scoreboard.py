"""Install released libraries, check the samplers that are described here, and write a page.

    python examples/scoreboard/scoreboard.py --every --remove --budget standard
    python examples/scoreboard/scoreboard.py --install blackjax==1.7.1 --install posteriors==0.1.3
    python examples/scoreboard/scoreboard.py --page-only

``--every`` installs each library that is described here, in the version that was read and with the
packages that it needs in versions that go with it; ``--remove`` deletes an environment after its run.
Each requirement gets an environment of its own under ``--environments``; this is the only step that uses
the network, and nothing is installed but what is named and what sgtheory needs. An environment that is
there already can be used instead: ``--use blackjax=PYTHON``. Results go to ``results.json`` beside this
file, where rows of other libraries are kept, and the page to ``scoreboard.html``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import venv
from importlib.metadata import requires
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))

from reports.emit import write  # noqa: E402
from reports.pages.scoreboard import scoreboard_page  # noqa: E402
from verification.checking.judging import EFFECTS, FALSE_ALARM, POWER  # noqa: E402
from verification.conventions import entry, libraries  # noqa: E402
from verification.conventions.cards import card_of  # noqa: E402
from verification.conventions.record import ASSUMPTIONS, Library  # noqa: E402
from verification.conventions.translate import same, side  # noqa: E402
from verification.conventions.verify import names_of  # noqa: E402

RESULTS = HERE / "results.json"
OWN = ("sympy", "numpy", "scipy", "llvmlite", "click", "rich")
LIMIT = 3600  # seconds for a problem of a check


def environment(requirement: list[str], folder: Path) -> Path:
    """A fresh environment with a released library and what sgtheory itself needs; its interpreter."""
    place = folder / requirement[0].replace("==", "-")
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
        needed = [r for r in requires("sgtheory") or OWN if "extra ==" not in r] or list(OWN)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *requirement, *needed], check=True)
    return python


def run(python: Path, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """A command in an environment, with this working tree."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [str(python), *arguments], capture_output=True, text=True, check=False, cwd=ROOT, env=env
    )


def pins(library: Library) -> list[str]:
    """What pip is told of a library: the version that was read, and what goes with it."""
    return [f"{library.package}=={library.version}", *library.install[1:]]


def version_of(python: Path, package: str) -> str:
    """What is installed there."""
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return run(python, ["-c", code]).stdout.strip()


def checked(python: Path, name: str, library: Library, settings: list[str]) -> dict[str, Any]:
    """One row: the check of a sampler as released."""
    told = run(
        python,
        ["-m", "reports.terminal", "check", name, *settings, "--limit", str(LIMIT), "--json"],
    )
    row: dict[str, Any] = {
        "name": name,
        "library": library.package,
        "version": version_of(python, library.package),
        "digest": entry(name).digest,
        "command": " ".join(["sgtheory check", name, *settings]),
    }
    if told.returncode in (0, 1, 3) and told.stdout.startswith("{"):
        found = json.loads(told.stdout)
        words = "; ".join(d["words"] for d in found["diagnosis"])
        tests = sum(int(t.get("tests", 0)) for t in found["tests"])
        agrees = f"agrees in all tests on {len(found['tests'])} problems"
        agrees = " ".join([f"{agrees}.", *found["notes"]])
        row |= {"verdict": found["verdict"], "found": words or agrees, "tests": tests}
        row["problems"] = len(found["tests"])
        return row | {k: found[k] for k in ("diagnosis", "false_alarm", "power")}
    return row | {"verdict": "not checked", "found": told.stderr.strip().splitlines()[-1][:300]}


def counterpart(name: str) -> str:
    """Which sampler here makes the same step, as proved; or that none of those compared with does."""
    one = side(name)
    assert one.entry is not None
    equal = [m for m in one.entry.matches if same(name, m).exact]
    if not one.entry.matches:
        return "an update of its own"
    if not equal:
        return f"not {', '.join(m.like for m in one.entry.matches)}: an update of its own"
    return "; ".join(
        m.like + (f" where {' and '.join(ASSUMPTIONS[a] for a in m.assumes)}" if m.assumes else "")
        for m in equal
    )


def not_run() -> list[str]:
    """Samplers that were read but not run, each with the reason."""
    every = [(x, name) for x in libraries().values() for name in names_of(x)]
    read = [f"{name}: {x.unrun}" for x, name in every if not entry(name).target]
    return read + [f"{x.name}.{name}: {why}" for x in libraries().values() for name, why in x.others]


def rechecked(python: Path, library: str) -> list[dict[str, Any]]:
    """The findings that scripts of their own find again in this environment."""
    found = []
    for script in sorted((HERE / "rechecks").glob(f"{library}_*.py")):
        told = run(python, [str(script)])
        if told.returncode:
            print(f"{script.name}: {told.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            continue
        one = json.loads(told.stdout.strip().splitlines()[-1])
        if one["holds"] and one["library"] == library:
            found.append({**one, "command": f"python examples/scoreboard/rechecks/{script.name}"})
    return found


def page(board: dict[str, Any]) -> None:
    """The rows with the cards of today, as a page."""
    rows = [
        {**r, "card": card_of(side(r["name"])), "counterpart": counterpart(r["name"])}
        for r in board["rows"]
    ]
    board = {**board, "not_run": not_run()}
    write((scoreboard_page({**board, "rows": rows}),), HERE, ("html",))


def arguments() -> argparse.Namespace:
    """What is asked for."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--install", action="append", default=[], metavar="LIBRARY==VERSION[,PIN...]")
    asked.add_argument("--every", action="store_true", help="Each library that pip has.")
    asked.add_argument("--remove", action="store_true", help="Each environment after its run.")
    asked.add_argument("--use", action="append", default=[], metavar="LIBRARY=PYTHON")
    asked.add_argument(
        "--environments", type=Path, default=Path.home() / ".cache" / "sgtheory-scoreboard"
    )
    asked.add_argument("--budget", choices=list(EFFECTS), default="quick")
    asked.add_argument("--dimensions", help="Of the problems, such as 1,2,5; all of check by default.")
    asked.add_argument("--samplers", nargs="*", help="Only these, such as blackjax.sgld.")
    asked.add_argument("--page-only", action="store_true")
    return asked.parse_args()


def main() -> None:
    """Environments, checks, findings, page."""
    asked = arguments()
    places = dict(pair.split("=", 1) for pair in asked.use)
    interpreters = {name: Path(path) for name, path in places.items()}
    for requirement in asked.install:
        pins = requirement.split(",")
        interpreters[pins[0].partition("==")[0].lower()] = environment(pins, asked.environments)
    board = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"rows": [], "findings": []}
    board |= {
        "schema": "sgtheory.scoreboard/1",
        "false_alarm": FALSE_ALARM,
        "power": POWER,
        "command": "python examples/scoreboard/scoreboard.py --install LIBRARY==VERSION",
    }
    settings = ["--budget", asked.budget]
    settings += ["--dimensions", asked.dimensions] if asked.dimensions else []
    wanted: dict[str, list[str]] = {name: [] for name in interpreters}
    if asked.every:
        wanted = {name: pins(x) for name, x in libraries().items() if x.install}
    for name, needs in wanted.items():
        library = libraries()[name]
        python = interpreters.get(name) or environment(needs, asked.environments)
        for sampler in names_of(library):
            if asked.samplers and sampler not in asked.samplers:
                continue
            row = checked(python, sampler, library, settings)
            print(sampler, row["verdict"], row["found"], flush=True)
            kept = [r for r in board["rows"] if r["name"] != sampler]
            board["rows"] = sorted([*kept, row], key=lambda r: r["name"])
            RESULTS.write_text(json.dumps(board, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        others = [f for f in board["findings"] if f["library"] != library.name]
        board["findings"] = sorted(
            [*others, *rechecked(python, name)], key=lambda f: (f["library"], f["sampler"])
        )
        RESULTS.write_text(json.dumps(board, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if asked.remove and name not in interpreters:
            shutil.rmtree(python.parent.parent)
    page(board)


if __name__ == "__main__":
    main()
