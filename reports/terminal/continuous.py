"""Results of a check as continuous integration reads them, and against those of an earlier run."""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from reports.terminal.checked import place
from sgtheory.errors import UnusableInput
from verification.checking.telling import diagnosed, headline, in_a_line

_BAD, _UNDECIDED = ("deviates", "crashed"), "inconclusive"
_VERDICTS = Literal["conforms", "deviates", "crashed", "inconclusive"]
# What is read of the document of an earlier check.
_READ = {
    "target": str, "like": str, "verdict": _VERDICTS, "tests": list[dict[str, Any]],
    "diagnosis": list[dict[str, Any]],
}  # fmt: skip
_TEST = {"case": str, "agrees": bool | None, "fault": str}
_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def junit(found: Any) -> str:
    """A suite with a case for each problem: failures, errors of the target, what is undecided."""
    every = (*found.outcomes, *found.further)
    suite = xml.Element("testsuite", name=f"{found.target} like {found.like}", tests=str(len(every)))
    counts = {"failure": 0, "error": 0, "skipped": 0}
    for outcome in every:
        case = xml.SubElement(suite, "testcase", classname=found.target, name=outcome.case.name)
        kind = "" if outcome.agrees else "failure" if outcome.measured.fault == "" else "error"
        kind = kind if outcome.decided else "skipped"
        if kind:
            counts[kind] += 1
            xml.SubElement(case, kind, message=in_a_line(outcome))
    for name, count in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(counts[count]))
    suite.set("time", f"{found.seconds:.3f}")
    told = "\n".join([headline(found), *found.taken, *diagnosed(found), *found.notes])
    xml.SubElement(suite, "system-out").text = told
    xml.indent(suite)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + xml.tostring(suite, encoding="unicode") + "\n"


def sarif(found: Any) -> str:
    """A run with one result, at the line where the target is defined; none where it conforms."""
    from sgtheory import __version__

    results = []
    if found.verdict in _BAD or found.verdict == _UNDECIDED:
        name = found.diagnosis[0].name if found.diagnosis else found.verdict
        text = "\n".join([headline(found), *diagnosed(found)])
        result: dict[str, Any] = {
            "ruleId": f"sgtheory/{found.verdict}",
            "level": "warning" if found.verdict == _UNDECIDED else "error",
            "message": {"text": text},
            "properties": {"diagnosis": name, "like": found.like},
        }
        where = place(found.target)
        if where:
            region = {"region": {"startLine": where["line"]}} if "line" in where else {}
            at = {"artifactLocation": {"uri": where["file"]}, **region}
            result["locations"] = [{"physicalLocation": at}]
        results.append(result)
    driver = {"name": "sgtheory", "version": __version__, "rules": _rules()}
    document = {
        "$schema": _SARIF,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(document, indent=1) + "\n"


_COLOURS = {"conforms": "#1a7f37", "inconclusive": "#7a5200"}  # white is read well on all of them
_FAULTY, _WIDE = "#b3261e", 7  # and the width of a letter


def badge(found: Any) -> str:
    """The verdict as a small picture, which asks for nothing from anywhere."""
    label, word = f"law of {found.like}", found.verdict
    left, right = (_WIDE * len(text) + 12 for text in (label, word))
    size = {"width": str(left + right), "height": "20"}
    root = xml.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", **size})
    xml.SubElement(root, "title").text = headline(found)
    style = {"font-family": "Verdana, DejaVu Sans, sans-serif", "font-size": "11"}
    colour = _COLOURS.get(word, _FAULTY)
    for text, at, width, fill in ((label, 0, left, "#444"), (word, left, right, colour)):
        xml.SubElement(root, "rect", x=str(at), width=str(width), height="20", fill=fill)
        place_of = {"x": str(at + 6), "y": "14", "fill": "#fff", "textLength": str(width - 12)}
        xml.SubElement(root, "text", {**place_of, **style}).text = text
    return xml.tostring(root, encoding="unicode") + "\n"


def _rules() -> list[dict[str, Any]]:
    words = {
        "deviates": "A sampler has another law than its algorithm.",
        "crashed": "A sampler came to no end.",
        "inconclusive": "A sampler could not be held against its law.",
    }
    return [{"id": f"sgtheory/{n}", "shortDescription": {"text": w}} for n, w in words.items()]


def changes(old: Any, new: Any) -> Iterator[str]:
    """What a check says otherwise than an earlier one of the same target, a line each.

    >>> list(changes({"verdict": "conforms", "like": "sgd"}, {"verdict": "deviates", "like": "sgd"}))
    ['verdict: was conforms, is deviates']
    """
    for key in ("target", "like", "verdict"):
        if old.get(key) != new.get(key):
            yield f"{key}: was {old.get(key)}, is {new.get(key)}"
    before, now = (d.get("diagnosis") or [] for d in (old, new))
    was, is_ = (found[0]["words"] if found else "nothing" for found in (before, now))
    if was != is_:
        yield f"what is likely wrong: was {was} Now {is_}"
    one, other = ({t["case"]: t for t in d.get("tests", ())} for d in (old, new))
    for name, test in other.items():
        if name not in one:
            yield f"{name}: is new"
        elif one[name].get("agrees") != test.get("agrees"):
            yield f"{name}: {_agreed(one[name])} before, {_agreed(test)} now"
    yield from (f"{name}: is not run any more" for name in one if name not in other)


def _agreed(test: Any) -> str:
    if "fault" in test:
        return str(test["fault"])
    return "agreed" if test.get("agrees") else "rejected"


def earlier(path: Path) -> Any:
    """The document of an earlier check; raises where the file holds none."""
    from sgtheory.reader import files, schemas, syntax

    text = files.text(str(path), "the document of an earlier check")
    found = syntax.parse(text, str(path), "JSON, as check --json writes it", exact=False)
    remedy = "write it with sgtheory check ... --json"
    if not isinstance(found, dict) or found.get("schema") != "sgtheory.check/1":
        raise UnusableInput("a document of sgtheory.check/1", path.name, remedy)
    what = f"the check in {path.name}"
    schemas.check_fields(found, _READ, what, remedy, ("verdict", "tests"))
    for test in found["tests"]:
        schemas.check_fields(test, _TEST, what, remedy, ("case",))
    for one in found.get("diagnosis", ()):
        schemas.check_fields(one, {"words": str}, what, remedy, ("words",))
    return found
