"""Figures: the same every time, with their data, and safe."""

import csv
import io

import pytest

from reports.figures import curve, label_latex, measured_against_predicted
from sgtheory.errors import UnusableInput

POINTS = (
    {"label": "P_11", "measured": 0.2502, "standard_error": 0.0004, "exact": 0.25, "printed": 0.2},
    {"label": "Cov <a>, $b", "measured": 0.1, "standard_error": 0.0004, "exact": 0.1, "printed": None},
    {"label": "zero", "measured": 0.0001, "standard_error": 0.0002, "exact": 0.0, "printed": None},
)


def rows(figure):
    return list(csv.DictReader(io.StringIO(figure.csv)))


def test_the_same_numbers_give_the_same_bytes_and_others_do_not():
    one, two = (measured_against_predicted(POINTS, name="same") for _ in range(2))
    assert one == two
    moved = ({**POINTS[0], "measured": 0.2506}, *POINTS[1:])
    assert measured_against_predicted(moved, name="same").svg != one.svg


def test_data_read_back_to_the_same_values():
    found = rows(measured_against_predicted(POINTS))
    assert [float(row["measured"]) for row in found] == [p["measured"] for p in POINTS]
    assert [row["printed"] for row in found] == ["0.2", "", ""]
    assert found[1]["label"] == "Cov <a>, $b"


def test_the_description_names_the_worst_point():
    assert "0.50 standard errors, at P_11" in measured_against_predicted(POINTS[:2]).alt


def test_colours_follow_the_page():
    svg = measured_against_predicted(POINTS, threshold=4.4).svg
    assert "currentColor" in svg
    assert "var(--plot-1" in svg
    assert "<metadata" not in svg
    assert svg.count("#1c1c1a") == 1  # in the rule for a drawing that stands alone


def test_many_points_lose_their_labels_but_not_their_data():
    many = [{**POINTS[0], "label": f"P_{k}"} for k in range(100)]
    assert len(rows(measured_against_predicted(many))) == 100


def test_refuses_points_without_an_error():
    with pytest.raises(UnusableInput, match="positive standard error"):
        measured_against_predicted(({**POINTS[0], "standard_error": 0.0},))
    with pytest.raises(UnusableInput):
        measured_against_predicted(())


def test_curve_has_its_lines_and_points_in_the_data():
    figure = curve(
        (0.1, 0.2, 0.4), {"exact": (1, 2, 4), "printed": (1, float("nan"), 3)},
        name="c", alt="Two lines.", x_label=r"$\epsilon$", y_label="variance",
        measured=((0.2, 2.1, 0.1),), limit=(0.4, "end"), log_x=True,
    )  # fmt: skip
    found = rows(figure)
    assert [row["line"] for row in found] == ["exact"] * 3 + ["printed"] * 3 + ["measured"]
    assert found[-1]["standard_error"] == "0.1"


def test_curve_refuses_lines_of_another_length():
    with pytest.raises(UnusableInput, match="3 values of 'a'"):
        curve((1, 2, 3), {"a": (1, 2)}, name="c", alt="x", x_label="x", y_label="y")


def test_labels_become_formulas_only_where_they_are_names():
    assert label_latex("P_12") == "P_{12}"
    assert label_latex("Sigma[1][1]") == r"\Sigma_{22}"
    assert label_latex("variance_x") is None
    assert label_latex("P") is None
