"""README's Python is right for a type checker too, which knows no more of us than what is installed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.blocks import readme

# A test function of a reader's takes fixtures, which nobody annotates; all else is as strict as it gets.
STRICT = ("--strict", "--allow-untyped-defs", "--check-untyped-defs", "--no-incremental")


def _checked(folder: Path, *names: str) -> str:
    """What mypy says of files of a user's, in a folder of their own without our configuration."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    (folder / "mypy.ini").write_text("[mypy]\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", *STRICT, "--config-file", "mypy.ini", *names]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.stdout + done.stderr


@pytest.mark.strong
def test_python_of_readme_type_checks(tmp_path):
    names = []
    session = []
    for number, block in enumerate(b for b in readme() if b.language == "python"):
        if block.heading == "Check your sampler" and "def test_" in block.text:
            text = "from block_step import step as my_step\n\n\n" + block.text
        else:
            text = block.text
        if "def step" in block.text:
            names.append("block_step.py")
        elif any(word in block.text for word in ("def test_", "claim(", "Sampler(")):
            names.append(f"block_{number}.py")
        else:  # one after the other, as they are typed
            session.append(text)
            continue
        (tmp_path / names[-1]).write_text(text, encoding="utf-8")
    assert len(names) >= 5
    assert len(session) >= 4
    (tmp_path / "session.py").write_text("\n".join(session), encoding="utf-8")
    said = _checked(tmp_path, "session.py", *names)
    assert "Success" in said, said


@pytest.mark.strong
def test_what_a_law_and_a_choice_hold_has_types(tmp_path):
    """Types that a user leans on are there, and are no Any that lets everything pass."""
    (tmp_path / "mine.py").write_text(
        "import sgtheory as sg\n"
        "law = sg.law('sgd', 'problem.json')\n"
        "reveal_type(law.covariance)\n"
        "reveal_type(sg.derive('sgd').at('problem.json').covariance)\n"
        "reveal_type(sg.tune('sgd', 'problem.json')['eps'].best)\n"
        "law.covarianec\n",
        encoding="utf-8",
    )
    said = _checked(tmp_path, "mine.py")
    lines = [line for line in said.splitlines() if "mine.py" in line]
    assert len(lines) == 4, said
    assert "Blocks" in lines[0]
    assert "Blocks" in lines[1]
    assert "Choice" in lines[2]
    assert "covarianec" in lines[3]
