"""The scoreboard's page, and the scripts beside it."""

import ast
from pathlib import Path

from reports.emit import render
from reports.pages.scoreboard import scoreboard_page
from verification.conventions.cards import card_of
from verification.conventions.translate import side

ROOT = Path(__file__).parent.parent.parent / "examples" / "scoreboard"
ROW = {
    "name": "blackjax.sgld",
    "library": "blackjax",
    "version": "0.0",
    "verdict": "deviates",
    "counterpart": "sgld",
    "found": "The noise is too large.",
    "command": "sgtheory check blackjax.sgld",
    "power": {"relative_error_of_a_variance": 0.02},
    "card": card_of(side("blackjax.sgld")),
}
BOARD = {
    "rows": [ROW],
    "findings": [
        {
            "library": "blackjax",
            "version": "0.0",
            "sampler": "sgld",
            "fact": "A fact.",
            "numbers": [["a variance", 1.0, 2.0]],
            "command": "python recheck.py",
        }
    ],
    "false_alarm": 1e-6,
    "power": 0.99,
    "command": "python examples/scoreboard/scoreboard.py",
}


def test_every_row_and_finding_is_on_the_page_with_its_command():
    for style in ("html", "markdown", "text"):
        text = render((scoreboard_page(BOARD),), style)
        for word in (
            "blackjax.sgld",
            "deviates",
            "2 %",
            "The noise is too large.",
            "A fact.",
            "python recheck.py",
        ):
            assert word in text


def test_rechecks_know_nothing_of_this_project():
    own = {"sgtheory", "simulators", "verification", "reports"}
    for script in (ROOT / "rechecks").glob("*.py"):
        tree = ast.parse(script.read_text())
        names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        names |= {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        assert not {n.partition(".")[0] for n in names} & own, script.name
