"""Samplers in files and modules of the user's own, wherever a name of ours is taken."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import sgtheory as sg
from sgtheory import registry
from sgtheory.declare import Sampler
from sgtheory.errors import UnusableInput
from sgtheory.finding.elsewhere import module_of

HEAVY = '''"""Heavy ball: the paper's own words."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, v = state("theta v")
eps, mu = positive("eps mu")

HEAVY_BALL = Sampler(
    state=(theta, v),
    updates=((v, (1 - mu) * v - eps * gradient(theta)), (theta, theta + v)),
    convention=Card(loss="mean", drift="eps"),
)
'''
PLAIN = """
PLAIN = Sampler(
    state=(theta,),
    updates=((theta, theta - eps * gradient(theta)),),
    convention=Card(loss="mean", drift="eps"),
    name="the plain one",
)
"""
PROBLEM = {
    "hessian": [[2, 1], [1, "3/2"]],
    "noise": [[1, "1/4"], ["1/4", 2]],
    "N": 40,
    "S": 4,
    "params": {"eps": "1/50", "mu": "3/10"},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "heavy.py").write_text(HEAVY)
    (tmp_path / "two.py").write_text(HEAVY + PLAIN)
    (tmp_path / "p.json").write_text(json.dumps(PROBLEM))
    return tmp_path


def refused(address):
    with pytest.raises(UnusableInput) as caught:
        registry.sampler(address)
    said = str(caught.value)
    assert len(said) < 400
    assert "\n" not in said
    return said


@pytest.mark.parametrize(
    "address",
    ["heavy.py", "heavy.py:HEAVY_BALL", "heavy.py:heavy_ball", "./heavy.py", "two.py:HEAVY_BALL"],
)
def test_every_spelling_is_the_sampler_of_the_file(folder, address):
    found = sg.load(address)
    assert str(found.updates[1]) == "(theta, theta + v)"
    assert found.name == f"{address.partition(':')[0].removeprefix('./')}:HEAVY_BALL"


def test_a_path_is_an_address_too(folder):
    assert sg.load(folder / "heavy.py").title == "Heavy ball"


def test_a_declared_name_is_shown_and_understood(folder):
    assert sg.load("two.py:plain") == sg.load("two.py:the plain one")
    assert sg.load("two.py:plain").name == "two.py:the plain one"


def test_a_module_is_an_address(folder, monkeypatch):
    monkeypatch.syspath_prepend(str(folder))
    (folder / "own_module.py").write_text(HEAVY)
    assert sg.load("own_module:HEAVY_BALL").name == "own_module:HEAVY_BALL"
    import own_module

    assert sg.derive(own_module).setting.sampler.updates == sg.load("heavy.py").updates


def test_a_module_of_the_users_that_is_called_like_one_of_ours_is_the_users(folder, monkeypatch):
    monkeypatch.syspath_prepend(str(folder))
    (folder / "sgd.py").write_text(HEAVY)
    import sgd

    assert len(registry.sampler(sgd).state) == 2
    assert len(registry.sampler("sgd.py").state) == 2
    assert len(registry.sampler("sgd").state) == 1


def test_what_a_file_imports_is_not_what_it_declares(folder):
    (folder / "mine.py").write_text(
        HEAVY + "\nfrom sgtheory.samplers.sgd import SGD\nALIAS = HEAVY_BALL\n"
    )
    assert sg.load("mine.py").name == "mine.py:HEAVY_BALL"
    assert len(sg.load("mine.py:SGD").state) == 1


def test_a_file_is_read_again_when_it_has_changed(folder):
    before = sg.load("heavy.py")
    (folder / "heavy.py").write_text(HEAVY.replace("(1 - mu)", "mu"))
    after = sg.load("heavy.py")
    assert before.updates != after.updates
    problem = sg.Problem.of(PROBLEM)
    (folder / "heavy.py").write_text(HEAVY)
    assert sg.law("heavy.py", problem).spectral_radius == sg.law(before, problem).spectral_radius


def test_a_file_may_import_its_neighbour(folder):
    (folder / "letters_of_mine.py").write_text(
        "from sgtheory.declare import positive\nrate = positive('rate')\n"
    )
    (folder / "near.py").write_text(
        "from letters_of_mine import rate\n" + HEAVY.replace("- eps *", "- rate *")
    )
    path = list(sys.path)
    assert {p.name for p in sg.load("near.py").parameters} == {"mu", "rate"}
    assert sys.path == path


def test_what_a_file_prints_is_not_in_the_document(folder, capsys):
    (folder / "heavy.py").write_text("print('here I am')\n" + HEAVY)
    sg.load("heavy.py")
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "here I am\n")


IMPORTING = "\nfrom sgtheory.samplers.sgd import SGD\nALIAS = HEAVY_BALL\n"
WRONG = {
    "nothing.py": ("", "a sampler in nothing.py; got none"),
    "two.py": (HEAVY + PLAIN, "write two.py:HEAVY_BALL"),
    "two.py:HEAVYBALL": (HEAVY + PLAIN, "did you mean HEAVY_BALL?"),
    "two.py:eps": (HEAVY + PLAIN, "got 'eps', a Parameter"),
    "absent/file.py": (None, "No such file"),
    "typo.py": ("x = 1\ny = gone\n", "NameError: name 'gone' is not defined, in line 2 of typo.py"),
    "syntax.py": ("x = 1\ndef (:\n", "SyntaxError: invalid syntax, in line 2 of syntax.py"),
    "leaves.py": ("import sys\nsys.exit('bye')\n", "SystemExit: bye, in line 2 of leaves.py"),
    "long.py": ("raise ValueError('x' * 5000)\n", "x, in line 1 of long.py"),
    "mute.py": (
        "class E(BaseException):\n    def __str__(self):\n        raise ValueError\nraise E\n",
        "got E, in line 4 of mute.py",
    ),
    "lines.py": ("raise ValueError('a\\nb')\n", "ValueError: a b, in line 1 of lines.py"),
    "binary.py": ("\0", "of binary.py" if sys.version_info >= (3, 12) else "null bytes"),
    "wrong.py": (HEAVY.replace("theta + v)", "theta + mu)"), "mu*ones"),
    "no_such_module:X": (None, "No module named 'no_such_module'"),
    "math:HB": (None, "the name of a sampler in math; got 'HB'"),
    "nul\0.py": (None, "a Python file"),
}  # fmt: skip


@pytest.mark.parametrize("address", WRONG)
def test_what_is_wrong_in_a_file_is_one_line(folder, address):
    content, told = WRONG[address]
    if content is not None:
        (folder / address.partition(":")[0]).write_text(content)
    assert told in refused(address)


def test_the_line_of_a_refused_declaration_is_named(folder):
    (folder / "wrong.py").write_text(HEAVY.replace("theta + v)", "theta + mu)"))
    place = HEAVY.splitlines().index("HEAVY_BALL = Sampler(") + 1
    assert f", in line {place} of wrong.py" in refused("wrong.py")


RULED = """
from fractions import Fraction
from sgtheory.declare import Card, Derived, Sampler, gradient, positive, state

theta, h, c = state("theta"), positive("h"), positive("c")
half = 2
RULED = Sampler(
    state=(theta,),
    updates=((theta, theta - h * c * gradient(theta)),),
    convention=Card(loss="mean", drift="h c"),
    defaults=((c, Derived("a half", lambda scalars, matrices: Fraction(1, half))),),
)
"""


def test_a_sampler_travels_to_another_process_with_the_functions_of_its_file(folder):
    """Lambdas of a file have no name that another process could import."""
    (folder / "ruled.py").write_text(RULED)
    (folder / "sampler").write_bytes(pickle.dumps(sg.load("ruled.py")))
    code = "import pickle; s = pickle.load(open('sampler', 'rb'));"
    code += "print(s.name, s.defaults[0][1].rule({}, {}))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert told.stdout == "ruled.py:RULED 1/2\n", told.stderr
    (folder / "ruled.py").write_text(RULED.replace("half = 2", "half = 3"))
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "as it was" in told.stderr


def test_a_problem_file_cannot_name_a_file(folder):
    """Problem files are data: no code runs from one."""
    (folder / "evil.py").write_text("open('ran', 'w')\n")
    with pytest.raises(UnusableInput):
        sg.Problem.of({**PROBLEM, "model": "evil.py:MODEL"})
    with pytest.raises(UnusableInput):
        sg.Problem.of({**PROBLEM, "model": "evil:MODEL"})
    assert not Path("ran").exists()


FAMILY = (
    HEAVY
    + """
from sgtheory.declare import Family

def made(word):
    return HEAVY_BALL

FAMILY = Family("kind", "first", ("first", "second"), made)
"""
)


def test_a_family_of_a_file_has_members(folder):
    (folder / "family.py").write_text(FAMILY)
    assert registry.sampler("family.py:FAMILY").name == "family.py:FAMILY"
    assert registry.sampler("family.py:FAMILY:second").name == "family.py:FAMILY:second"
    assert "a family before :second" in refused("family.py:HEAVY_BALL:second")


def test_a_declaration_says_its_name():
    assert str(registry.sampler("sgd")) == "sgd"
    assert isinstance(sg.load("sgtheory.samplers.sgd:SGD"), Sampler)


def test_a_file_that_would_end_the_command_without_a_word_is_told(tmp_path):
    """``os._exit`` passes by every handler; a process that the file starts may still use it."""
    path = tmp_path / "leaves.py"
    path.write_text("import os\nif os.fork() == 0:\n    os._exit(3)\nSTATUS = os.wait()[1] >> 8\n")
    assert module_of(path).STATUS == 3
    leave = os._exit
    path.write_text("import os\n\nos._exit(0)\n")
    with pytest.raises(UnusableInput, match=r"got SystemExit: os\._exit\(0\), in line 3 of leaves.py"):
        module_of(path)
    assert os._exit is leave
