"""The shape of the house: imports go one way, nothing heavy loads early, everything is documented."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from verification.conventions import libraries

ROOT = Path(__file__).parent.parent
ROOMS = ("sgtheory", "simulators", "verification", "reports")
SOURCES = [p for room in ROOMS for p in sorted((ROOT / room).rglob("*.py"))]


@cache
def tree(path):
    return ast.parse(path.read_text())


@cache
def imports(path):
    return tuple(imported(tree(path)))


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def climbs(path, names):
    """The imports of a file that lead to a room above its own."""
    own = ROOMS.index(path.relative_to(ROOT).parts[0])
    return [n for n in names if n.split(".")[0] in ROOMS and ROOMS.index(n.split(".")[0]) > own]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_import_climbs_the_stairs(path):
    assert climbs(path, imports(path)) == []


def test_a_climbing_import_would_be_seen():
    code = "def f():\n    from reports.document import Page\n"
    assert climbs(ROOT / "sgtheory" / "pairs.py", imported(ast.parse(code))) == ["reports.document"]


def test_nothing_heavy_loads_with_the_package():
    code = "import sys, sgtheory; print({'sympy', 'numpy', 'llvmlite', 'scipy'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "set()"


def public(tree):
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_everything_public_has_a_docstring(path):
    assert ast.get_docstring(tree(path)), "the module has none"
    assert [n.name for n in public(tree(path)) if not ast.get_docstring(n)] == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_is_one_thing(path):
    assert len(path.read_text().splitlines()) <= 400


def test_no_path_of_a_machine_is_in_the_project():
    private = ["/" + name + "/" for name in ("work", "root", "farm")]
    listed = subprocess.run(
        ["git", "ls-files"], capture_output=True, text=True, check=False, cwd=ROOT
    ).stdout.split()
    for name in listed:
        path = ROOT / name
        if path.suffix in (".py", ".md", ".toml", ".cff", ".cu", ".h", ".json"):
            text = path.read_text(errors="replace")
            assert not [p for p in private if p in text], name


def of_theories(path):
    """The theories that a file imports by name: folders, not what all theories share."""
    folders = {p.name for p in (ROOT / "verification" / "theories").iterdir() if p.is_dir()}
    parts = (name.split(".") for name in imports(path) if name.startswith("verification.theories."))
    return {found[2] for found in parts} & folders


def files_of(*rooms):
    return [p for room in rooms for p in sorted((ROOT / "verification" / room).rglob("*.py"))]


VOCABULARY = ("__init__.py", "algorithms.py")  # where authors of statements find words


def test_statements_know_no_theory_by_name():
    """What is true of a statement is asked of the theory that takes it, and theories are found."""
    for path in files_of("statements"):
        assert path.name in VOCABULARY or of_theories(path) == set(), path


def test_relations_know_no_theory():
    for path in files_of("relations"):
        assert of_theories(path) == set(), path


def test_theories_know_no_relation_and_not_one_another():
    for path in files_of("theories"):
        own = path.relative_to(ROOT / "verification" / "theories").parts[0]
        assert of_theories(path) <= {own}, path
        above = ("verification.relations", "verification.statements")
        assert [n for n in imports(path) if n.startswith(above)] == [], path


def third_party(path):
    """The first names of what a file imports that is neither ours nor Python's."""
    found = {name.split(".")[0] for name in imports(path)}
    return {n for n in found if n not in sys.stdlib_module_names and n not in (*ROOMS, "tests")}


NAMES = {
    "quickjs": "quickjs-ng",
    "distributed": "dask",
    "cupy": "cupy-cuda13x",
    "mpmath": "sympy",
    "flint": "python-flint",
}
OF_OTHERS = {x.module for x in libraries().values()}  # libraries that are held against their laws


def test_what_is_imported_is_declared():
    """A dependency that is taken out of pyproject.toml, and is still imported, is found here."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for lines in told["optional-dependencies"].values() for line in lines]
    names = {re.split(r"[^A-Za-z0-9._-]", line)[0] for line in (*told["dependencies"], *extras)}
    for path in SOURCES:
        used = {NAMES.get(n, n) for n in third_party(path)}
        assert used - names - OF_OTHERS == set(), path
    whole = {NAMES.get(n, n) for p in SOURCES for n in third_party(p)}
    needed = {re.split(r"[^A-Za-z0-9._-]", line)[0] for line in told["dependencies"]}
    assert needed <= whole  # nothing is installed that nobody asks for


PARSING = {"startswith", "endswith", "partition", "rpartition", "split", "removeprefix", "removesuffix"}
TOLD = {"words", "reason", "lemma", "says", "title", "told_at", "condition", "said", "because"}
# what still takes names of letters apart; nothing may be added
NAMES_TAKEN_APART = {
    "verification/laws/pair_form.py", "verification/laws/per_mode.py", "verification/refuter/twins.py",
    "verification/theories/invariants/letters.py", "verification/theories/matrices/best_equations.py",
    "verification/theories/matrices/elsewhere.py", "verification/theories/matrices/increments.py",
    "verification/theories/time/laws.py",
}  # fmt: skip
OF_VERDICTS = files_of("laws", "refuter", "relations", "statements", "terms", "theories", "verdicts")


def short(path):
    return str(path.relative_to(ROOT))


def taken_apart(parsed, attributes):
    """Calls such as ``finding.reason.partition(...)``, of what has one of these names."""
    calls = (node.func for node in ast.walk(parsed) if isinstance(node, ast.Call))
    methods = (f for f in calls if isinstance(f, ast.Attribute) and f.attr in PARSING)
    of = (f.value for f in methods)
    return [ast.unparse(v) for v in of if isinstance(v, ast.Attribute) and v.attr in attributes]


@pytest.mark.parametrize("path", [*OF_VERDICTS, *sorted((ROOT / "reports").rglob("*.py"))], ids=short)
def test_nothing_parses_our_own_sentences(path):
    assert taken_apart(tree(path), TOLD) == []


@pytest.mark.parametrize("path", OF_VERDICTS, ids=short)
def test_nothing_branches_on_a_part_of_a_letters_name(path):
    known = short(path) in NAMES_TAKEN_APART
    assert bool(taken_apart(tree(path), {"name"})) is known


def test_what_is_taken_apart_is_seen():
    wrong = ast.parse("if finding.reason.startswith('It'):\n    a, _, b = claim.title.partition(' of ')")
    assert taken_apart(wrong, TOLD) == ["finding.reason", "claim.title"]
    assert taken_apart(ast.parse("known = s.name.startswith('P_')"), {"name"}) == ["s.name"]
    assert taken_apart(ast.parse("line.split(' ')"), TOLD) == []
