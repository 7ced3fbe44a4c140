"""Inputs that were once a traceback, a hang or gigabytes, by name; each is now one line, status 2."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from sgtheory.errors import LINE, UnusableInput, plain
from sgtheory.problem import Problem, read_problem
from sgtheory.reader import arrays, limits
from sgtheory.reader.potentials import with_potential
from sgtheory.registry import model
from tests.hostile.trial import Case, run

GOOD = {"hessian": [[2]], "noise": [[1]], "N": 40, "S": 4, "params": {"eps": "1/5"}}


def said(folder, *words, **files):
    """The one line that a command says, by the rule."""
    outcome = run(Case("arguments", words, {n.replace("__", "."): c for n, c in files.items()}), folder)
    assert (outcome.word, outcome.fault) == ("refused", "")
    return outcome.line


def law(folder, content, *more):
    return said(folder, "law", "sgd", "--problem", "p.json", *more, p__json=json.dumps(content).encode())


@pytest.mark.parametrize(
    "number",
    ["1e999999", "1e-999999", "1e9999999999", "7" * 400 + "/" + "3" * 399 + "1e", "1" * 5000, 10**400,
     "1e101",
     1.7e308, 5e-324, "nan", "1/0", "", None, True, [], {}],
    ids=lambda n: str(n)[:12],
)  # fmt: skip
def test_numbers_out_of_proportion(tmp_path, number):
    line = law(tmp_path, {**GOOD, "params": {"eps": number}})
    assert "eps" in line or "p.json" in line


@pytest.mark.parametrize("key", ["model", "params", "start", "hessian", "N"])
@pytest.mark.parametrize("wrong", [None, True, [], [[[]]], "x" * 10_000], ids=lambda w: str(w)[:8])
def test_wrong_kinds(tmp_path, key, wrong):
    law(tmp_path, {**GOOD, key: wrong})


def test_keys_that_are_given_twice_or_misspelt(tmp_path):
    twice = b'{"hessian": [[2]], "noise": [[1]], "params": {"eps": 1, "eps": 2}}'
    assert "'eps' twice" in said(tmp_path, "law", "sgd", "--problem", "p.json", p__json=twice)
    twice = b"hessian = [[2]]\nN = 1\nN = 2\n"
    assert "'N = 2'" in said(tmp_path, "law", "sgd", "--problem", "p.toml", p__toml=twice)
    assert "did you mean 'theta'" in law(tmp_path, {**GOOD, "start": {"Theta": [1]}})


def test_documents_that_nest(tmp_path):
    for name, text in (
        ("a.json", "[" * 100_000),
        ("a.json", '{"a":' * 40 + "1" + "}" * 40),
        ("a.toml", "a." * 100_000 + "b = 1"),
        ("a.toml", "[" + "a." * 50_000 + "b]"),
        ("a.toml", "x = " + "[" * 5_000 + "]" * 5_000),
        ("a.toml", "x = {" + ".".join(['"a"'] * 9_000) + " = 1}"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(UnusableInput, match=r"within one another|TOML"):
            read_problem(tmp_path / name)


def test_a_byte_order_mark_is_no_fault_and_another_encoding_is_one(tmp_path):
    path = tmp_path / "p.json"
    path.write_bytes(json.dumps(GOOD).encode("utf-8-sig"))
    assert read_problem(path).D == 1
    path.write_bytes(json.dumps(GOOD).encode("utf-16"))
    with pytest.raises(UnusableInput, match="UTF-8"):
        read_problem(path)


@pytest.mark.parametrize(
    "text",
    ["x/0", "log(0)*x", "sqrt(-1)*x", "(-8)**(1/3)*x", "0**-1", "0**-1*x", "2**" * 50 + "x",
     "1e90*1e90*x",
     "exp(" * 50 + "x" + ")" * 50, "(" * 900, "+".join(["x"] * 300), "exp(exp(exp(9)))*x", "x**1000",
     "3"],
)  # fmt: skip
def test_formulas(text):
    with pytest.raises(UnusableInput, match=r"expected (a|at most)") as caught:
        with_potential(model("potential"), text)
    assert len(str(caught.value)) < 400


def test_a_long_sum_and_a_modest_tower_are_formulas():
    for text in ("+".join(["x**2"] * 99), "exp(-exp(-x**2))", "log(1 + exp(x))", "x**100"):
        assert with_potential(model("potential"), text).potential == text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_only_regular_files_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path in ("pipe", "loop", ".", "no_such", "a\0b"):
        with pytest.raises(UnusableInput, match="a readable problem file"):
            read_problem(tmp_path / path)
    for path in ("/dev/zero", "/dev/null"):
        if Path(path).exists():
            with pytest.raises(UnusableInput, match="a device"):
                read_problem(path)


def _bomb(path, rows):
    """An archive of a few megabytes that unpacks to 8 bytes a row."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, 1), }}".encode()
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as members,
        members.open("X.npy", "w") as member,
    ):
        member.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
        for _ in range(0, rows, 2**20):
            member.write(bytes(8 * 2**20))


# The peak is the new program's own: ru_maxrss, which exec keeps, would be that of whoever started it.
@pytest.mark.strong
@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="no /proc, which tells the peak")
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    rows = 2**20 * (limits.NUMBERS // 2**20 + 1)
    _bomb(tmp_path / "data.npz", rows)
    content = {"model": "gaussian_mean", "data": "data.npz", "S": 1, "params": {"eps": "1/10"}}
    (tmp_path / "p.json").write_text(json.dumps(content))
    code = (
        "from sgtheory.problem import read_problem\n"
        "try: read_problem('p.json')\n"
        "except Exception as e: print(type(e).__name__, e)\n"
        "status = open('/proc/self/status').read()\n"
        "print(status.split('VmHWM:')[1].split()[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    told, kilobytes = done.stdout.splitlines()
    assert told.startswith("UnusableInput expected a readable .npz file of numbers, at most")
    assert int(kilobytes) < 400_000


def test_a_header_that_promises_more_than_there_is(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as members:
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (50000000,), }"
        members.writestr("X.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(UnusableInput, match="not as many bytes as its header says"):
        arrays.archive(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("verify", "sgd", "--problem", "p.json", "--at", "1000000000000"), "1<=x<=100000"),
        (("law", "sgd", "--problem", "p.json", "--at", "9" * 5000), "--at"),
        (("law", "sgd", "--problem", "p.json", "--average", "99999999999"), "--average"),
        (("law", "x" * 10_000, "--problem", "p.json"), "samplers"),
        (("law", "sgd\x1b[31m", "--problem", "p.json"), "\\x1b[31m"),
        (("simulate", "sgd", "--problem", "p.json", "--time-limit", "9" * 300 + "d"), "--time-limit"),
        (("simulate", "sgd", "--problem", "p.json", "--chains", "9" * 9, "--steps", "9" * 12), "days"),
        (("x" * 10_000,), "No such command"),
        (("list", "x\ny"), "not one of"),
    ],
)  # fmt: skip
def test_arguments(tmp_path, words, told):
    assert told in said(tmp_path, *words, p__json=json.dumps(GOOD).encode())


@pytest.mark.strong
def test_a_law_after_very_many_steps_of_minibatches_is_the_stationary_one():
    from sgtheory import law

    content = {"model": "linear_regression", "X": [[1, 0], [0, 1], [1, 2], [3, 1]], "y": [1, 2, 0, 1]}
    problem = Problem.of({**content, "S": 2, "params": {"eps": "1/20"}, "start": {"theta": [5, 7]}})
    far, still = law("sgd", problem, at=10**12), law("sgd", problem)
    np.testing.assert_allclose(
        far.covariance["theta", "theta"], still.covariance["theta", "theta"], rtol=1e-12
    )
    # a power says what single steps say
    np.testing.assert_allclose(
        law("sgd", problem, at=20_001).mean["theta"],
        law("sgd", problem, at=20_000).mean["theta"],
        rtol=1e-12,
    )


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("skin=no_such.npz", "No such file"),
        ("wine=.", "directory"),
        ("covtype=a.npz", "wine, skin"),
        ("skin", "NAME=FILE"),
        ("skin=a.npy", "no archive"),
        ("skin=a.npz", "the array X"),
        ("skin=few.npz", "at least 20"),
    ],
)
def test_data_of_experiments(tmp_path, data, told):
    np.save(tmp_path / "a.npy", np.ones(3))
    np.savez(tmp_path / "a.npz", y=np.ones(3))
    np.savez(tmp_path / "few.npz", X=np.ones((3, 3)), y=np.ones(3))
    files = {p.name.replace(".", "__"): p.read_bytes() for p in tmp_path.iterdir()}
    assert told in said(tmp_path, "experiment", "mandt2017.figure1", "--data", data, **files)


def test_every_message_is_one_line_of_stated_length():
    for one in ("a", "b" * 999, "\n\x1b\x00\u202e", "é" * 500):
        for other in ("c", "d" * 10_000, "e " * 200):
            for last in ("", "f" * 300):
                text = str(UnusableInput(one, other, last))
                assert len(text) <= LINE < 400 - len("sgtheory: ")
                assert text.isprintable()
    assert plain("\r\n\t ") == ""


OWN = """\
from sympy import Function, I, sqrt, zoo
from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state

theta, v, xi = *state("theta v"), normal("xi")
h, mu = positive("h mu")
MINE = Sampler(
    state=(theta, v), noises=(xi,), given=(GIVEN,),
    updates=((v, (1 - mu) * v - h * N * gradient(theta) + SIZE * xi), (theta, theta + v)),
    convention=Card(loss="mean", drift="h N", noise=NOISE),
)
"""


@pytest.mark.parametrize(
    ("place", "by", "told"),
    [
        ("SIZE", "sqrt(2 * zoo * h)", "finite real numbers in update 1"),
        ("SIZE", "sqrt(-h)", "finite real numbers in update 1"),
        ("SIZE", "sqrt(Function('f')(1) * h)", "finite real numbers in update 1"),
        ("GIVEN", "1 <= 2", "given= as inequalities"),
        ("GIVEN", "theta <= 1", "given= as inequalities"),
        ("GIVEN", "gradient(theta) <= 1", "given= as inequalities"),
        ("convention", "cites=({},), convention", "words, numbers and tuples"),
        ("h * N * gradient", "1e308 * gradient", "a stable step"),
    ],
)
def test_declarations_found_by_a_hundred_thousand_inputs(tmp_path, place, by, told):
    text = OWN.replace(place, by)
    for name, value in (("SIZE", "sqrt(2 * mu * h)"), ("GIVEN", "mu <= 1"), ("NOISE", "'x'")):
        text = text.replace(name, value)
    problem = {**GOOD, "params": {"h": "1/100", "mu": "1/2"}}
    files = {"own__py": text.encode(), "p__json": json.dumps(problem).encode()}
    line = said(tmp_path, "law", "own.py", "--problem", "p.json", **files)
    assert f"expected {told}" in line


@pytest.mark.parametrize("before", ["", "globals().clear()\n"])
def test_a_declared_condition_is_checked_where_it_is_right(tmp_path, before):
    """Also of a file that takes its own name away."""
    text = before + OWN.replace("SIZE", "sqrt(2 * mu * h)").replace("GIVEN", "mu <= 1").replace(
        "NOISE", "'x'"
    )
    files = {
        "own.py": text.encode(),
        "p.json": json.dumps({**GOOD, "params": {"h": "1/900", "mu": "1/2"}}).encode(),
    }
    outcome = run(Case("declared", ("law", "own.py", "--problem", "p.json"), files), tmp_path)
    assert (outcome.word, outcome.fault) == ("answered", "")


def test_commands_found_by_a_hundred_thousand_inputs(tmp_path):
    problem = json.dumps(
        {"model": "potential", "noise": [[1]], "N": 9, "S": 1, "params": {"eps": "1/50"}}
    )
    assert "a model with a curvature A" in said(
        tmp_path, "tune", "momentum", "--problem", "p", p=problem.encode()
    )
    line = said(tmp_path, "convert", "--from", "sgld", "--to", "blackjax.sgld", "gamma=-1")
    assert "gamma = eps/2" in line
    outcome = run(Case("places", ("new", "sampler", "\udcff.py")), tmp_path)
    assert (outcome.word, outcome.fault) == ("answered", "")


CLAIM = {"id": "p.eq1", "verdict": "proved", "twins": {"tried": 4, "rejected": 4}}


def verdicts(*claims):
    return json.dumps({"schema": "sgtheory.verdicts/1", "claims": claims})


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (verdicts(CLAIM, {**CLAIM, "verdict": "refuted"}), "every claim once; got 'p.eq1' again"),
        (verdicts({**CLAIM, "id": 3}), '"id" as text'),
        (verdicts({**CLAIM, "twins": {"tried": True}}), "whole number"),
        (verdicts({**CLAIM, "id": "\ud800"}), "surrogates"),
        (verdicts(CLAIM).replace("4", "1" + 5000 * "0", 1), "finite number"),
        ("[" * 100_000, "within one another"),
        ("{}", '"schema"'),
    ],
    ids=lambda text: text[:12],
)
def test_verdict_files_that_are_none(tmp_path, document, words):
    files = {"a__json": verdicts(CLAIM).encode(), "b__json": document.encode("utf-8", "surrogatepass")}
    assert words in said(tmp_path, "diff", "a.json", "b.json", **files)
    assert words in said(tmp_path, "diff", "b.json", "a.json", **files)
    assert "a NUL" in said(tmp_path, "diff", "a.json", "b\0c")


def test_what_changed_is_a_line_to_each_whatever_stands_in_it(tmp_path, capsys):
    from reports.terminal import main

    odd = {"id": "\x1b[31mred\n" + "x" * 10_000, "verdict": "\x1b[2J\r" + "y" * 10_000}
    for name, claim in (
        ("a", CLAIM),
        ("b", {**CLAIM, **odd}),
        ("c", {**CLAIM, "verdict": odd["verdict"]}),
    ):
        (tmp_path / name).write_text(verdicts(claim))
    for one, changes in (("b", 2), ("c", 1)):
        with pytest.raises(SystemExit):
            main(["diff", str(tmp_path / "a"), str(tmp_path / one)])
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == changes + 1
        assert all(len(line) < 400 and line.isprintable() for line in lines)
