"""The page on which sampler to use says what its computed numbers say, and these are made again here."""

import json

import pytest

from benchmarks import which_sampler
from reports.document import Bullets, Heading
from reports.guide import ec_which_sampler as page

ROWS = json.loads(page._KEPT.read_text())["rows"]


def test_all_places_and_twelve_samplers_are_there():
    assert [which_sampler.Place.of(row) for row in ROWS] == which_sampler.places()
    assert all(set(row["samplers"]) == set(which_sampler.SAMPLERS) for row in ROWS)


def text_of(rows, fits=lambda name: True):
    return [str(words) for words in page._decision(rows, fits, "Take")]


def row(condition, **errors):
    samplers = {n: e and {"value": e, "gain": ""} for n, e in errors.items()}
    return {"condition": condition, "dimension": 2, "samplers": samplers}


def test_a_decision_is_good_in_most_places_and_has_its_exceptions():
    rows = [row(1, sgd=1.0, sgld=1.3), row(10, sgd=2.0, sgld=1.0), row(30, sgd=1.2, sgld=1.0)]
    take, exception = text_of(rows)
    assert "sgld" in take
    assert "2 of 3 places" in take
    assert "condition number 1 in 2 dimensions" in exception
    assert "sgd" in exception
    (take,) = text_of(rows, lambda name: name == "sgd")
    assert "everywhere" in take
    take, exception = text_of(
        [row(1, sgd=None, sgld=5.0), row(2, sgd=1.0, sgld=2.0), row(3, sgd=1.0, sgld=9.0)]
    )
    assert "does not settle" in exception


def test_the_page_has_a_decision_for_every_region():
    blocks = page.blocks()
    regions = {(r["noise"], r["batch"]) for r in ROWS}
    assert sum(isinstance(b, Heading) for b in blocks) == len(regions) + 2
    assert sum(isinstance(b, Bullets) for b in blocks) == len(regions) + 2


@pytest.mark.strong
def test_numbers_are_made_again():
    place = which_sampler.Place("larger than the model says", 32, 30, 3)
    kept = next(r for r in ROWS if which_sampler.Place.of(r) == place)["samplers"]
    for name, found in which_sampler.solved(place, ("sgld", "sgldfp", "lmc")).items():
        assert found["value"] == pytest.approx(kept[name]["value"], rel=0.02)
        assert found["gain"] == kept[name]["gain"]
