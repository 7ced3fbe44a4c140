"""The code blocks of README.md and of the guide, run as they stand."""

from __future__ import annotations

from collections.abc import Mapping

from tests.doors.blocks import GUIDE, commands, guide, readme
from tests.doors.case import Case, Step

BLOCKS = readme()
# What README names without writing it: the reader has it, or another command of README makes it.
GIVEN = {
    "make_given.py": """\
import numpy as np

rng = np.random.default_rng(1)
points = rng.normal(size=(30, 2))
x = rng.normal(size=(50, 2))
y = x @ [1.0, -1.0] + rng.normal(size=50)
residuals = points @ x.T - y
np.savez("gradients.npz", points=points, gradients=residuals[:, :, None] * x[None])
""",
}


def _json(number: int) -> str:
    return [block.text for block in BLOCKS if block.language == "json"][number]


def _under(heading: str, language: str) -> str:
    found = [b.text for b in BLOCKS if (b.heading, b.language) == (heading, language)]
    if not found:
        raise LookupError(f"README has no {language} block under {heading!r}")
    return found[0]


def _shell(block: str) -> tuple[Step, ...]:
    return tuple(Step(line) for line in commands(block) if line.startswith("sgtheory "))


PROBLEM: Mapping[str, str] = {"problem.json": _json(0)}
SHELL = [b.text for b in BLOCKS if b.heading == "One minute" and b.language == "sh"]
PYTHON = [
    b.text
    for b in BLOCKS
    if b.language == "python"
    and "def test_" not in b.text
    and not b.text.startswith(("# my_paper", '"""'))
]
SESSION = "\n".join(PYTHON) + '\nprint("came to the end")\n'
PYTEST = [b.text for b in BLOCKS if b.language == "python" and "def test_" in b.text]


def _title(name: str) -> str:
    return name[2:].replace("_", " ")


def _page(name: str) -> tuple[Case, ...]:
    """What a page of the guide has its reader type: a case for each command, and one for its Python."""
    typed = guide(name)
    files: dict[str, str] = {}
    for item in typed:
        for file, text in item.files.items():
            files.setdefault(file, text)
    cases: list[Case] = []
    session = "".join(f"{t.text}\n" for t in typed if t.kind == "python")
    if session:
        steps = (Step("python session.py"),)
        cases.append(
            Case(
                f"guide.{name[2:]}.python", f"{_title(name)}: its Python", steps, {"session.py": session}
            )
        )
    lines = [(t, line) for t in typed if t.kind in ("command", "shell") for line in commands(t.text)]
    for item, line in lines:
        if line.startswith("sgtheory "):  # installing is what the build server does
            here = {**files, **item.files}
            number = sum(case.id.startswith(f"guide.{name[2:]}.") for case in cases)
            cases.append(
                Case(f"guide.{name[2:]}.{number}", f"{_title(name)}: {line}", (_step(line, here),), here)
            )
    return tuple(cases)


def _step(line: str, files: Mapping[str, str]) -> Step:
    """What must come out of a command of the guide, which tells of a wrong claim and of a wrong step."""
    command = line.split()[1]
    if command == "report":
        return Step(line.replace("--serve", "--out pages"), status=(0, 1), wrote=("pages/index.html",))
    if command == "verify":
        return Step(line, has=("limit-only", "true instead"))  # of the process it is so
    if command == "check" and "--like" not in line:
        return Step(line, has=("identified",))
    if command == "check":
        wrong = any("eps * noise" in text for text in files.values())
        return Step(line, status=(int(wrong),), has=("deviates" if wrong else "conforms",))
    if command == "audit":  # of an entry in which something is found
        return Step(line, status=(1,), has=("not mathematical", "What to do"))
    return Step(line)


CASES = (
    Case(
        "readme.one_minute",
        "README's first block of commands, but for errata",
        tuple(
            Step(s.command, has=("refuted|limit-only|proved|confirmed",))
            if " verify " in s.command
            else s
            for s in _shell(SHELL[0])
            if " errata " not in s.command
        ),
    ),
    Case(
        "readme.errata",
        "README's errata: all claims of a paper are judged for it",
        tuple(s for s in _shell(SHELL[0]) if " errata " in s.command),
    ),
    Case("readme.problem", "README's commands on its problem", _shell(SHELL[1]), PROBLEM),
    Case(
        "readme.data",
        "README's problem of data",
        (
            Step("sgtheory law sgd --problem data.json --json", facts={"stable": True}),
            Step("sgtheory tune sgd --problem data.json"),
            Step("sgtheory simulate sgd --problem data.json --chains 1000 --steps 50 --json"),
        ),
        {"data.json": _json(1)},
    ),
    Case(
        "readme.session",
        "All of README's Python in one session",
        (
            Step("python make_given.py"),
            Step(
                "sgtheory simulate momentum --problem problem.json --chains "
                "8 --steps 400 --trace 4 --out trace.npz"
            ),
            Step("python session.py", has=("came to the end",)),
        ),
        {**PROBLEM, **GIVEN, "session.py": SESSION},
    ),
    Case(
        "readme.claim",
        "README's own claim, verified and as pages",
        (
            Step("sgtheory verify my_paper.py", status=(1,), has=("refuted",)),
            Step("sgtheory report my_paper.py --out pages", status=(0, 1), wrote=("pages/index.html",)),
        ),
        {"my_paper.py": _under("Your own claim", "python")},
    ),
    Case(
        "readme.sampler",
        "README's own sampler, in a file",
        (Step("sgtheory derive my_sampler.py:HEAVY_BALL", has=("mu",)),),
        {"my_sampler.py": _under("Your own sampler", "python")},
    ),
    Case(
        "readme.check",
        "README's faulty step, as it is shown",
        (
            Step(
                commands(_under("Check your sampler", "text"))[0],
                status=(1,),
                has=("deviates", "likely: ", "standard deviation eps, should be sqrt"),
            ),
        ),
        {
            "sgld_faulty.py": """\
import numpy as np


def step(theta, gradient, rng, eps, N, H):
    noise = rng.standard_normal(theta.shape) @ np.linalg.cholesky(H).T
    return theta - eps / 2 * N * gradient(theta) @ H + eps * noise
"""
        },
    ),
    Case(
        "readme.one_line_test",
        "README's one line in a test suite",
        (Step("pytest -q test_step.py", has=("1 passed",)),),
        {
            "test_step.py": "from sgld import step as my_step\n\n\n" + PYTEST[0],
            "sgld.py": (
                "import numpy as np\n\n\ndef step(theta, gradient, rng, eps, N):\n"
                "    noise = rng.standard_normal(theta.shape)\n"
                "    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * noise\n"
            ),
        },
    ),
    Case(
        "readme.own_tests",
        "README's own tests, with its fixtures and strategies",
        (Step("pytest -q test_mine.py", has=("3 passed",)),),
        {"test_mine.py": PYTEST[1]},
    ),
    *(case for page in GUIDE for case in _page(page)),
)
