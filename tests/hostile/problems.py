"""Problem files that are wrong in ways that people and fuzzers have thought of."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

from tests.hostile.formulas import formula
from tests.hostile.trial import TARGET

VALID: tuple[dict[str, Any], ...] = (
    {"model": "quadratic", "hessian": [[2, 1], [1, 3]], "noise": [[1, 0], [0, 1]], "N": 100, "S": 10,
     "params": {"eps": "1/10", "mu": 0.5}, "start": {"theta": [1, -1]}},
    {"hessian": [[2]], "noise": [[1]], "N": 40, "S": 4, "params": {"eps": "1/5", "H": [[1]]}},
    {"model": "gaussian2d", "params": {"eps": 0.01}},
    {"model": "double_well", "noise": [[1]], "N": 10, "S": 1, "params": {"eps": 0.01}},
    {"model": "potential", "U": "x**4/4 - x**2/2", "noise": [[1]], "N": 9, "S": 1,
     "params": {"eps": "1/50"}, "start": {"theta": [1]}},
    {"model": "santa_double_well", "params": {"eps": 0.01}},
    {"model": "gaussian_mean", "X": [[0, 1], [1, 2], [5, -1]], "S": 1, "params": {"eps": "1/10"}},
    {"model": "linear_regression", "X": [[1, 0], [0, 1], [1, 2], [3, 1]], "y": [1, 2, 0, 1], "S": 2,
     "ridge": "1/2", "sigma2": 1, "replacement": False, "params": {"eps": 0.05}},
    {"model": "logistic_regression", "X": [[1, 0], [0, 1], [1, 2], [3, 1]], "y": [1, -1, 1, -1], "S": 2,
     "ridge": 1, "params": {"eps": 0.05}},
    {"model": "softmax_regression", "X": [[1], [0], [2], [3]], "y": [0, 1, 2, 1], "classes": 3, "S": 2,
     "ridge": 1, "params": {"eps": 0.05}},
    {"model": "network", "X": [[1], [0], [2], [3]], "y": [0, 1, 2, 1], "hidden": 2, "S": 2, "ridge": 1,
     "params": {"eps": 0.05}},
    {"model": "linear_regression", "data": "data.npz", "S": 1, "params": {"eps": 0.01}},
)  # fmt: skip

_LONG = "7" * 400
_NUMBERS: tuple[Any, ...] = (
    0, -1, 1, 2, 3, 10**12, 10**18, 10**100, 10**101, 10**400, -(10**400), 1e-99, 1e-100, 1e99, 1e-50,
    1e50,
    1e308, 1.8e-308, 5e-324, -0.0, 0.1, 1e15, 0.1234567890123456789, "1/3", "-1/3", "0", "1/0", "0/0",
    "1e999",
    "1e-999", "1e999999", "1e9999999999", "-1e-9999999", "nan", "inf", "-Infinity", " 3 ", "3_0", "0x10",
    "1e", "--1", "1.2.3", "3,5", "١٢", "½", "1/3/4", f"{_LONG}/{_LONG}1", _LONG, "1" * 5000,
    "0." + "0" * 900 + "1", f"1/{_LONG}", f"{_LONG}e-400", "2.5", "1e90", "1e-90", "-2",
)  # fmt: skip
_THINGS: tuple[Any, ...] = (
    None, True, False, [], {}, "", "abc", [[]], [[1]], [[1, 2], [3]], [1, 2, 3], [[[1]]], {"a": 1},
    [None],
    ["1", True], [{}], "\x00", "\x1b[31mred", "a\nb\r\n" * 40, "é☃" * 30, "x" * 10_000, "\ud800",
    [[1e200, 0], [0, 1e-200]], [[0, 0], [0, 0]], [[1, 2], [3, 4]], [[-1, 0], [0, 1]], [[1, 1], [1, 1]],
    [[1e60, 0], [0, 1e-60]], list(range(100)), {"theta": []}, {"Theta": [0, 0]}, "../" * 50, "/dev/zero",
    f"__import__('os').system('touch {TARGET}')", f"$(touch {TARGET})", "sgd", "quadratic", "identity",
)  # fmt: skip
_KEYS = (
    "Theta", "THETA", "theta ", "Hessian", "hesian", "noise_", "n", "", "\x00", "a.b", "__class__",
    "params",
    "start", "U", "data", "X", "y", "ridge", "replacement", "classes", "hidden", "model", "p",
    "k" * 5000,
    "eps", "mu", "H", "word", "metric", "lambda", "T", "S", "N", "\x1b]0;title\x07",
)  # fmt: skip
_LITERALS = (
    "NaN", "Infinity", "-Infinity", "1e999999", "1e-999999", "-", "+1", "01", "1.", ".5", "0x10",
    "1_000",
    "tru", "null", "'x'", "nan", "inf", "1979-05-27", "07:32:00", "[" * 40 + "]" * 40, "9" * 5000,
    "1e400",
    "{}", '"\\ud800"', '"\\u0000"', "{1: 2}", "/* */ 1", "# 1", "1e+5", "1E5", "-0",
)  # fmt: skip


def value(draw: Random) -> Any:
    """A value that somebody may write anywhere."""
    kind = draw.random()
    if kind < 0.45:
        return draw.choice(_NUMBERS)
    if kind < 0.85:
        return copy.deepcopy(draw.choice(_THINGS))
    if kind < 0.95:
        deep: Any = draw.choice(_NUMBERS)
        for _ in range(draw.choice((2, 5, 20, 31, 33, 60, 300))):
            deep = [deep] if draw.random() < 0.9 else {"a": deep}
        return deep
    return [[value(draw) for _ in range(2)] for _ in range(2)]


def content(draw: Random) -> Any:
    """A valid problem with a few things changed."""
    found: Any = copy.deepcopy(draw.choice(VALID))
    if "U" in found and draw.random() < 0.7:
        found["U"] = formula(draw)
    for _ in range(draw.choice((0, 1, 1, 1, 2, 3))):
        found = changed(draw, found)
    return found


def changed(draw: Random, found: Any) -> Any:
    places = list(_places(found)) if isinstance(found, dict | list) else []
    if not places or draw.random() < 0.02:
        return value(draw)
    home, key = draw.choice(places)
    kind = draw.random()
    if kind < 0.6:
        home[key] = value(draw)
    elif kind < 0.75:
        del home[key]
    elif kind < 0.9 and isinstance(home, dict):
        home[draw.choice(_KEYS)] = home.pop(key) if draw.random() < 0.5 else value(draw)
    elif isinstance(home, list):
        home.insert(key, copy.deepcopy(home[key]))
    else:
        home[key] = [home[key]]
    return found


def _places(found: Any) -> Any:
    entries = found.items() if isinstance(found, dict) else enumerate(found)
    for key, below in list(entries):
        yield found, key
        if isinstance(below, dict | list) and len(below) < 50:
            yield from _places(below)


def text(draw: Random) -> tuple[str, bytes]:
    """The name and the bytes of a problem file."""
    made = content(draw)
    name = draw.choice(("problem.json", "problem.json", "problem.toml", "problem"))
    try:
        written = toml(made) if name.endswith("toml") else json.dumps(made)
    except RecursionError:
        written = "[" * 2000
    for _ in range(draw.choice((0, 0, 0, 1, 2))):
        written = _scratched(draw, written)
    encoding = draw.choice(("utf-8",) * 20 + ("utf-16", "latin-1", "utf-8-sig"))
    return name, written.encode(encoding, "surrogatepass" if encoding != "latin-1" else "replace")


def _scratched(draw: Random, written: str) -> str:
    """A text with something wrong in it."""
    at = draw.randrange(len(written) + 1)
    kind = draw.randrange(8)
    if kind == 0:
        return written[:at]
    if kind == 1:
        return written[:at] + draw.choice('\x00\x1b"\\{}[],:=\n\t#\u202e') + written[at:]
    if kind == 2:
        return written[:at] + written[at + draw.randrange(1, 9) :]
    if kind == 3:  # a key twice
        return written.replace('{"', '{"eps": 1, "eps": 2, "', 1) + "\nS = 1\nS = 2\n" * (
            written[:1] != "{"
        )
    if kind == 4:
        return written.replace(str(draw.randrange(4)), draw.choice(_LITERALS), 1)
    if kind == 5:
        return written + draw.choice(
            ("\n" + "a." * 3000 + "b = 1", "]" * 9, "\n[a]\n[a]", "{" * 900, "\n" * 500)
        )
    if kind == 6:
        return "\n".join(f"[t{k}.{'a.' * draw.randrange(40)}b]" for k in range(draw.randrange(300)))
    return written.replace(": ", ":" + draw.choice((" ", "\n", "\t", "\x0c", "\xa0")), 3)


def toml(found: Any) -> str:
    """The same as TOML; what TOML has not is left out, or written wrongly, which is as well."""
    if not isinstance(found, dict):
        return f"x = {_inline(found)}"
    return "\n".join(f"{_key(k)} = {_inline(v)}" for k, v in found.items()) + "\n"


def _key(key: str) -> str:
    return key if key.isidentifier() and key.isascii() else json.dumps(key)


def _inline(found: Any) -> str:
    if isinstance(found, dict):
        return "{" + ", ".join(f"{_key(k)} = {_inline(v)}" for k, v in found.items()) + "}"
    if isinstance(found, list):
        return "[" + ", ".join(map(_inline, found)) + "]"
    if isinstance(found, bool):
        return str(found).lower()
    return json.dumps(found)
