"""Steps in files: each file's first lines say what it is, what is typed, and what must not be said.

``# check:`` is the rest of the command line; ``# never:`` names algorithms that are no explanation of a
fault; ``# says:`` is an expression that the explanation must match; ``# verdict:`` is another word than
deviates; ``# wave:`` is when it was written.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.doors.case import Case, Step

FOLDER = Path(__file__).parents[1] / "steps"
# Problems of these sizes show every fault here, at a third of the time of all thirteen.
SIZES = "--dimensions 2,1,3"
NEEDS = {"jax": ("jax",), "torch": ("torch",)}


def head(text: str) -> dict[str, str]:
    """What the first lines of a file say.

    >>> head("# SGD\\n# check: a.py:step --like sgd\\nimport numpy")
    {'title': 'SGD', 'check': 'a.py:step --like sgd'}
    """
    said: dict[str, str] = {}
    for line in text.splitlines():
        if not line.startswith("# "):
            break
        field = re.fullmatch(r"# (check|never|says|verdict|wave): (.*)", line)
        said[field[1] if field else "title"] = field[2] if field else line[2:]
    return said


def _case(path: Path) -> Case:
    text = path.read_text(encoding="utf-8")
    kind, said = path.parent.name, head(text)
    names = "|".join(said.get("never", "nothing at all").split())
    if kind == "faulty":
        step = Step(
            f"sgtheory check {said['check']} {SIZES}",
            status=(1,),
            has=(
                said.get("verdict", "deviates"),
                *([f"(likely|finding): .*{said['says']}"] if "says" in said else []),
            ),
            lacks=(
                rf"likely: [^|]*\b(this|it) (is|seems|looks like) ({names})\w*",
                rf"is ({names})\w* with",
            ),
        )
    else:
        step = Step(
            f"sgtheory check {said['check']} {SIZES}",
            has=("conforms",),
            lacks=("deviates", "likely:"),
        )
    needs = (*NEEDS.get(kind, ()), *(("optax",) if "import optax" in text else ()))
    return Case(
        f"check.{kind}.{path.stem}",
        said["title"],
        (step,),
        {path.name: text},
        needs,
        int(said.get("wave", "1")),
    )


CASES = tuple(_case(path) for path in sorted(FOLDER.glob("*/*.py")))
