"""Small things that a person meets in the first hour."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from sgtheory.finding.suggest import near

COMMAND = [sys.executable, "-m", "reports.terminal"]


def run(*arguments):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True)


def test_list_alone_says_what_can_be_listed():
    done = run("list")
    assert done.returncode == 0
    kinds = [line.split()[0] for line in done.stdout.splitlines()]
    assert kinds == ["samplers", "models", "claims", "papers", "experiments", "conventions"]
    document = json.loads(run("list", "--json").stdout)
    assert [row["name"] for row in document["kinds"]] == kinds


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        (("errata", "mandt"), "mandt2017"),
        (("verify", "brosse"), "brosse2018"),
        (("cite", "mandt"), "mandt2017"),
        (("derive", "momentun"), "momentum"),
        (("verify", "mandt2017.eq1_3"), "mandt2017.eq13"),
        (("experiment", "mandt2017.tabel1"), "mandt2017.table1"),
        (("cite", "nesterof"), "nesterov"),
        (("convert", "--from", "blackjax.sgldd", "--to", "sgld"), "blackjax.sgld"),
        (("convert", "--from", "blakjax.sgld", "--to", "sgld"), "blackjax.sgld"),
        (("convert", "--from", "blackjax.sgld", "--to", "mandt2071.sgld"), "mandt2017.sgld"),
        (("convert", "--from", "sgdl", "--to", "blackjax.sgld"), "sgld"),
        (("list", "convention"), "conventions"),
        (("derve", "sgd"), "derive"),
        (("derive", "sgd", "--what", "stabilty"), "stability"),
    ],
)
@pytest.mark.strong
def test_a_name_that_is_nearly_right_gets_the_one_that_is(asked, meant):
    done = run(*asked)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert f"did you mean {meant}" in done.stderr.replace("'", "").lower()


def test_near_names():
    assert near("mandt2017", ["mandt2017", "mandt2017.eq1"]) == ["mandt2017"]
    assert near("", ["a"]) == near("x" * 10_000, ["sgd"]) == []
    assert near("SGLD", ["sgld", "sgd"]) == ["sgld"]
    assert near("mandt", ["mandt2017.appF.kl", "mandt2017"]) == ["mandt2017"]


@pytest.mark.parametrize(
    ("target", "cited"),
    [
        ("adam", ("@inproceedings{kingma2015,", "% adam: kingma2015 Algorithm 1")),
        ("lmc", ("@inproceedings{brosse2018,", "% lmc: brosse2018 section 2")),
        ("psgld:no_gamma", ("@inproceedings{li2016psgld,",)),
        pytest.param("mandt2017.eq13", ("@article{mandt2017,",), marks=pytest.mark.strong),
        ("chen2016santa", ("{chen2016santa,",)),
    ],
)
def test_cite_gives_every_reference_of_a_card(target, cited):
    done = run("cite", target)
    assert done.returncode == 0
    for words in cited:
        assert words in done.stdout


def test_cite_leaves_out_no_sampler():
    from sgtheory import registry

    names = [name for name in registry.names("samplers") if registry.sampler(name).cites]
    done = run("cite", *names)
    for name in names:
        assert f"% {name}: " in done.stdout


def test_cite_takes_the_keys_that_it_prints():
    done = run("cite", "welling2011")
    assert done.stdout.startswith("@inproceedings{welling2011,"), done.stderr
    assert run("cite", "welling1911").returncode == 2


def test_cite_says_that_a_card_has_none(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from sgtheory.declare import Card, Sampler, gradient, positive, state\n"
        "theta = state('theta')\neps = positive('eps')\n"
        "MINE = Sampler(state=(theta,), updates=((theta, theta - eps * gradient(theta)),),"
        " convention=Card(loss='mean', drift='eps'))\n"
    )
    done = run("cite", str(file))
    assert done.returncode == 0, done.stderr
    assert "no reference" in done.stdout


@pytest.mark.parametrize(
    "asked", [["--help"], ["list", "claims"], ["list"], ["derive", "sgd"], ["cite"]]
)
def test_a_reader_that_leaves_is_no_fault(asked):
    reader = subprocess.Popen([*COMMAND, *asked], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    reader.stdout.close()  # before anything is written
    errors = reader.stderr.read()
    reader.stderr.close()
    assert (reader.wait(), errors) == (0, b"")


def test_every_reference_of_a_card_is_a_work_that_is_known():
    from sgtheory.registry import samplers
    from verification.library import paper_keys
    from verification.library.references import REFERENCES

    cited = {c.split()[0].rstrip(",;:") for s in samplers().values() for c in s.cites}
    assert cited <= {*paper_keys(), *REFERENCES}
    assert set(REFERENCES) <= {*cited, *paper_keys()}
