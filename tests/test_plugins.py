"""Other packages' samplers, models and papers; and what is said of those that are broken."""

import builtins
import contextlib
import json
import os
import subprocess
import sys
import textwrap
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from sgtheory import registry
from sgtheory.finding import plugins

EXAMPLE = Path(__file__).parent.parent / "examples" / "plugin"
OWN = """
from sgtheory.declare import Card, Sampler, gradient, positive, state
theta, h = state("theta"), positive("h")
ONE = Sampler((theta,), ((theta, theta - h * gradient(theta)),), Card(loss="mean", drift="h"))
NUMBER = 3
"""


def announced(folder, name, entries):
    """A folder that looks as if a distribution were installed in it."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    groups = "".join(f"[sgtheory.{group}]\n{line}\n" for group, line in entries)
    (info / "entry_points.txt").write_text(groups)


def sgtheory(*words, path, cwd=None, program=("-m", "reports.terminal")):
    where = os.pathsep.join([*map(str, path), os.environ.get("PYTHONPATH", "")])
    run = [sys.executable, *program, *map(str, words)]
    env = {**os.environ, "PYTHONPATH": where, "SGTHEORY_CACHE": str(path[0] / "cache")}
    return subprocess.run(run, capture_output=True, text=True, check=False, cwd=cwd, env=env)


@pytest.fixture
def example(tmp_path):
    """The example, installed by what its own pyproject says."""
    import tomllib

    points = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = [
        (group.removeprefix("sgtheory."), f"{name} = {value}")
        for group, known in points.items()
        for name, value in known.items()
    ]
    assert len(lines) == 3
    announced(tmp_path, "sgtheory-example", lines)
    return [tmp_path, EXAMPLE]


@pytest.mark.strong
def test_the_example_is_one_of_ours(example, tmp_path):
    listed = json.loads(sgtheory("list", "samplers", "--json", path=example).stdout)["samplers"]
    (row,) = (row for row in listed if row["name"] == "heavy_ball")
    assert row["title"] == "Heavy-ball SGD"
    run = sgtheory("new", "problem", "--for", "heavy_ball", path=example, cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    law = sgtheory(
        "law", "heavy_ball", "--problem", "problem.json", "--json", path=example, cwd=tmp_path
    )
    assert json.loads(law.stdout)["sampler"] == "heavy_ball"


@pytest.mark.strong
def test_the_model_and_the_paper_of_the_example(example, tmp_path):
    sgtheory("new", "problem", "--model", "quartic", path=example, cwd=tmp_path)
    how = ("--problem", "problem.json", "--chains", 64, "--steps", 3, "--json")
    assert sgtheory("simulate", "sgld", *how, path=example, cwd=tmp_path).returncode == 0
    run = sgtheory("verify", "smith2020", "--json", "v.json", path=example, cwd=tmp_path)
    (claim,) = json.loads((tmp_path / "v.json").read_text())["claims"]
    assert claim["id"] == "smith2020.eq1", run.stderr
    assert claim["verdict"] in (
        "refuted",
        "limit-only",
        "proved-if",
    )
    assert "Smith, Anna" in sgtheory("cite", "heavy_ball", path=example).stdout


BROKEN = {
    "absent = no_such_module:ONE": "ModuleNotFoundError: No module named 'no_such_module'",
    "syntax = with_syntax:ONE": "SyntaxError: invalid syntax, in line 1 of with_syntax.py",
    "typo = with_typo:ONE": "NameError: name 'oops' is not defined, in line 2 of with_typo.py",
    "leaves = that_leaves:ONE": "SystemExit: bye, in line 2 of that_leaves.py",
    "nothing = fine:TWO": "AttributeError",
    "number = fine:NUMBER": "expected a Sampler; got a int",
    "sgd = fine:ONE": "the name sgd is one of sgtheory's own",
}


@pytest.fixture
def broken(tmp_path):
    texts = {
        "with_syntax": "def (:\n",
        "with_typo": "x = 1\noops\n",
        "that_leaves": "import sys\nsys.exit('bye')\n",
        "fine": OWN,
        "loud": OWN + "print('hello')\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    announced(tmp_path, "bad-one", [("samplers", line) for line in BROKEN])
    announced(tmp_path, "twin-a", [("samplers", "shared = fine:ONE")])
    announced(tmp_path, "twin-b", [("samplers", "shared = loud:ONE"), ("papers", "p2020 = no_such")])
    return [tmp_path]


@pytest.mark.strong
def test_broken_plug_ins_are_a_line_each_and_everything_else_goes_on(broken):
    run = sgtheory("list", "samplers", "--json", path=broken)
    names = {row["name"] for row in json.loads(run.stdout)["samplers"]}
    assert run.returncode == 0
    assert {"sgd", "shared"} <= names
    assert not names & {"absent", "syntax", "typo", "leaves", "nothing", "number"}
    lines = run.stderr.splitlines()
    for line, words in BROKEN.items():
        (told,) = (said for said in lines if f"sgtheory.samplers: {line})" in said)
        assert "plug-in bad-one" in told
        assert words in told
        assert len(told) < 400
    (twin,) = (said for said in lines if "twin-b (sgtheory.samplers" in said)
    assert "twin-a announces that name too" in twin
    assert len(set(lines)) == len(lines)


COMMAND = ("-c", "from sgtheory.command import main; main()")


def test_a_thread_that_one_begins_does_not_keep_the_command(tmp_path):
    (tmp_path / "that_waits.py").write_text(
        OWN + "import threading\nthreading.Thread(target=threading.Event().wait).start()\n"
    )
    announced(tmp_path, "waiting", [("samplers", "waits = that_waits:ONE")])
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    run = [sys.executable, *COMMAND, "list", "samplers", "--json"]
    done = subprocess.run(run, capture_output=True, text=True, check=False, env=env, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    assert "waits" in {row["name"] for row in json.loads(done.stdout)["samplers"]}


def test_a_library_that_does_not_load_is_one_line(tmp_path):
    (tmp_path / "numpy.py").write_text("raise ImportError('no luck\\nfailed to map segment')\n")
    run = sgtheory("law", "sgd", "--problem", "p.json", path=[tmp_path], program=COMMAND)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("sgtheory: expected libraries that load; got failed to map segment;")
    assert run.stderr.count("\n") == 1


def test_one_that_is_broken_is_refused_by_its_name_in_one_line(broken, tmp_path):
    run = sgtheory("derive", "typo", path=broken)
    assert run.returncode == 2
    assert "Traceback" not in run.stderr
    assert "the plug-in typo to load" in run.stderr.splitlines()[-1]


@pytest.mark.strong
def test_a_broken_paper_is_a_line_and_the_others_are_listed(broken):
    run = sgtheory("list", "papers", "--json", path=broken)
    assert run.returncode == 0, run.stderr
    assert "mandt2017" in {row["name"] for row in json.loads(run.stdout)["papers"]}
    assert "sgtheory.papers: p2020 = no_such)" in run.stderr


def loaded(text, folder, monkeypatch):
    """What is had of a plug-in whose one module has that text."""
    name = f"hostile_{abs(hash((text, str(folder))))}"
    (folder / f"{name}.py").write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(folder)
    entry = EntryPoint("mine", f"{name}:ONE", "sgtheory.samplers")
    return plugins.of(entry, lambda found, module: registry._whole("samplers", "mine", found, module))


HOSTILE = {
    "hangs": ("import time\ntime.sleep(1000)\n", "TooLong: no end after 0.2 s"),
    "loops, and takes most errors": (
        """
        while True:
            try:
                while True: pass
            except Exception: pass
        """,
        "TooLong: no end after 0.2 s",
    ),
    "leaves": ("raise SystemExit(0)\n", "SystemExit: 0"),
    "leaves at once": ("import os\nos._exit(0)\n", "os._exit(0)"),
    "takes all memory": ("x = [0] * 10**15\n", "MemoryError"),
    "takes the stack": ("def f(): f()\nf()\n", "RecursionError"),
    "raises what cannot be said": (
        "class E(Exception):\n    def __str__(self): raise ValueError\nraise E\n", "got E;"
    ),
    "raises what is long": (
        "raise ValueError('\\x1b[31m' + 10**6 * 'y' + 999 * '\\n')\n", r"\x1b[31myyy"
    ),
    "has no class": (
        "class M:\n    @property\n    def __class__(self): raise ValueError('no')\nONE = M()\n",
        "ValueError: no",
    ),
}  # fmt: skip


@pytest.mark.parametrize("which", HOSTILE)
def test_what_does_not_load_is_one_line(which, tmp_path, monkeypatch, capsys):
    text, words = HOSTILE[which]
    monkeypatch.setattr(plugins, "_PATIENCE", 0.2)
    monkeypatch.setattr(plugins, "_AGAIN", 0.05)
    assert loaded(text, tmp_path, monkeypatch) is None
    said = capsys.readouterr()
    assert not said.out
    assert said.err.count("\n") == 1
    assert words in said.err
    assert len(said.err) < 400
    assert said.err.strip().isprintable()


def test_what_is_printed_is_cut_and_never_on_standard_output(tmp_path, monkeypatch, capfd):
    loud = "import os\nfor _ in range(100_000): print('x' * 50)\nos.write(1, b'past Python')\n"
    assert loaded(OWN + loud, tmp_path, monkeypatch).name == "mine"
    said = capfd.readouterr()
    assert not said.out
    assert len(said.err) < 5000
    assert "what else it prints" in said.err
    assert "past Python" in said.err
    print("seen again")
    assert capfd.readouterr().out == "seen again\n"


def test_what_it_changes_for_others_is_put_back_and_told(tmp_path, monkeypatch, capsys):
    here, right = os.getcwd(), (builtins.print, json.dumps, np.linalg.eigh, registry.sampler)
    changes = """
import builtins, json, os, sys
import numpy as np
from sgtheory import registry
builtins.print = json.dumps = np.linalg.eigh = registry.sampler = lambda *a, **k: None
sys.path.clear()
sys.modules.pop("sgtheory.problem")
os.chdir("/")
os.close(1)
"""
    assert loaded(OWN + changes, tmp_path, monkeypatch).name == "mine"
    assert (builtins.print, json.dumps, np.linalg.eigh, registry.sampler) == right
    assert (os.getcwd(), "sgtheory.problem" in sys.modules) == (here, True)
    assert str(tmp_path) in sys.path
    os.fstat(1)
    (line,) = capsys.readouterr().err.splitlines()
    for name in ("builtins.print", "json.dumps", "numpy.linalg.eigh", "sgtheory.registry.sampler"):
        assert name in line


FORKS = """
import os, warnings
with warnings.catch_warnings(action="ignore"):  # Python 3.12 warns where there are threads
    os.fork()
"""


def test_a_process_that_it_makes_of_ours_ends_there(tmp_path, monkeypatch):
    seen = tmp_path / "seen"
    assert loaded(OWN + FORKS, tmp_path, monkeypatch).name == "mine"
    with seen.open("a") as file:
        file.write("one\n")
    with contextlib.suppress(ChildProcessError):
        os.waitpid(-1, 0)
    assert seen.read_text() == "one\n"


@pytest.mark.parametrize(
    "line",
    [
        "\x1b[31mred",
        "a b",
        "../../etc",
        "<script>",
        "n" * 5000,
        "a:b",
        "mine.py",
        "--help",
        "SGD",
        "a\0b",
    ],
)
def test_a_hostile_name_is_left_out_in_a_line(line, tmp_path, monkeypatch, capsys):
    entry = EntryPoint(line, "fine:ONE", "sgtheory.samplers")
    monkeypatch.setattr(plugins, "_every", lambda group: [entry])
    assert not plugins.announced.__wrapped__("sgtheory.samplers", ("sgd",))
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert len(said) < 400
    assert said.strip().isprintable()


def test_a_place_that_is_none_is_left_out(monkeypatch, capsys):
    entries = [EntryPoint("a", value, "sgtheory.samplers") for value in (":::", "b=c", "")]
    monkeypatch.setattr(plugins, "_every", lambda group: entries)
    assert not plugins.announced.__wrapped__("sgtheory.samplers", ())
    assert capsys.readouterr().err.count("expected the place module:NAME") == 3


@pytest.mark.long
def test_the_command_goes_on_without_them_all(tmp_path):
    """Also beside a package whose list of names is no text, and one that says nothing of itself."""
    entries = []
    for k, (text, _) in enumerate(HOSTILE.values()):
        (tmp_path / f"hostile{k}.py").write_text(textwrap.dedent(text))
        entries += [("samplers", f"h{k} = hostile{k}:ONE"), ("papers", f"p{k} = hostile{k}")]
    announced(tmp_path, "bad-one", [*entries, ("samplers", "\x1b[31mred = fine:ONE")])
    announced(tmp_path, "torn", [])
    (tmp_path / "torn-1.0.dist-info" / "entry_points.txt").write_bytes(
        b"[sgtheory.samplers]\n\xff\xfe = a:b"
    )
    announced(tmp_path, "mute", [("samplers", "quiet = fine:ONE")])
    (tmp_path / "mute-1.0.dist-info" / "METADATA").unlink()
    (tmp_path / "fine.py").write_text(OWN)
    soon = (
        "import sys; from sgtheory.finding import plugins; plugins._PATIENCE = 1;"
        " from sgtheory.command import main; main()"
    )
    for words, most in (
        (("--help",), 0),
        (("list", "samplers", "--json"), 40),
        (("verify", "mandt2017.eq25", "--jobs", "1"), 40),
    ):
        run = sgtheory(*words, path=[tmp_path], cwd=tmp_path, program=("-c", soon))
        assert (run.returncode in (0, 1), "Traceback" in run.stderr) == (True, False), run.stderr
        lines = run.stderr.splitlines()
        assert len(lines) <= most
        assert all(len(line) < 400 and line.isprintable() for line in lines)
        if words[0] == "list":
            names = {row["name"] for row in json.loads(run.stdout)["samplers"]}
            assert {"sgd", "quiet"} <= names
