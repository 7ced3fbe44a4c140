"""How names are written in formulas: letters as letters, words upright.

A name is a letter or a word with indices behind underscores, as programs have it: ``sigma_1``, ``MSE``,
``v_new``, ``KL_SGD_wine``, ``phi_bar``, ``log_f``, ``dtheta``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

GREEK = frozenset(
    """alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi
    varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi
    Sigma Upsilon Phi Psi Omega ell""".split()  # noqa: SIM905
)
_WORDS = {
    "eps": r"\epsilon", "grad": r"\nabla", "log": r"\log", "exp": r"\exp", "det": r"\det",
    "min": r"\min", "max": r"\max",
    "tr": r"\operatorname{Tr}", "Tr": r"\operatorname{Tr}", "Lgen": r"\mathcal{L}",
    "div": r"\operatorname{div}", "sum": r"{\textstyle\sum}", "two_pi": r"2 \pi",
}  # fmt: skip
_AFTER_LOG = ("prior", "lik", "joint", "det")
_BEFORE = ("log", "div", "sum")  # what stands before what it is of
_ACCENTS = {
    "bar": r"\bar{%s}",
    "hat": r"\hat{%s}",
    "tilde": r"\tilde{%s}",
    "star": r"%s^{\star}",
    "prime": r"%s'",
}
# Two or three letters in an index that are letters, and no word: entries, second derivatives.
_INDICES = re.compile(r"(?!in$)[ijklmn]{2}|[pqrxyz]{2,3}|ijk|(?:[RQ]){2,3}")
_NAME = re.compile(r"_*(?P<first>[A-Za-z]+)(?P<number>\d*)(?P<rest>(?:_[A-Za-z0-9]+)*)_*\Z")


@cache
def name_latex(name: str) -> str | None:
    r"""A name in LaTeX; None where it is no name of letters, numbers and single underscores.

    >>> print(name_latex("sigma_1"), name_latex("MSE"), name_latex("v_new"), name_latex("C_ij"))
    \sigma_{1} \mathrm{MSE} v_{\mathrm{new}} C_{ij}
    >>> print(name_latex("KL_SGD"), name_latex("phi_bar"), name_latex("log_f"), name_latex("dtheta"))
    \mathrm{KL}_{\mathrm{SGD}} \bar{\phi} \log f d\theta
    >>> print(name_latex("log_joint_1"))
    \log \mathrm{joint}_{1}
    """
    found = _NAME.match(name)
    if not found:
        return None
    if "_over_" in name:
        return "/".join(name_latex(part) or part for part in name.split("_over_"))
    if name.startswith("root_of_"):
        return rf"{name_latex(name.removeprefix('root_of_'))}^{{1/2}}"
    first, rest = found["first"], [part for part in found["rest"].split("_") if part]
    if name in _WORDS:
        return _WORDS[name]
    if first in _BEFORE and rest:
        of = ["_".join(rest)] if rest[-1].isdigit() else rest
        return rf"{_WORDS[first]} {' '.join(name_latex(part) or part for part in of)}"
    written, indices = _word(first), [found["number"]] if found["number"] else []
    for part in rest:
        if part in _ACCENTS:
            written = _ACCENTS[part] % written
        else:
            indices.append(part)
    return rf"{written}_{{{_joined(map(_index, indices))}}}" if indices else written


def _word(word: str) -> str:
    """A letter, a Greek letter, a differential, an accented letter, or a word, which is upright."""
    if len(word) == 1:
        return word
    if word in GREEK:
        return rf"\{word}"
    if word in _WORDS:
        return _WORDS[word]
    if word[0] == "d" and _is_letter(word[1:]):
        return f"d{_word(word[1:])}"
    for accent, form in _ACCENTS.items():
        if _is_letter(word.removesuffix(accent)):
            return form % _word(word.removesuffix(accent))
    for before in ("log", "div"):
        if word.startswith(before) and (_is_letter(word[3:]) or word[3:] in _AFTER_LOG):
            return rf"{_WORDS[before]} {_word(word[3:])}"
    return rf"\mathrm{{{word}}}"


def _is_letter(word: str) -> bool:
    return len(word) == 1 or word in GREEK


def _index(part: str) -> str:
    if part.isdigit() or _INDICES.fullmatch(part):
        return part
    found = re.fullmatch(r"([A-Za-z]+?)(\d+)", part)
    return f"{_word(found[1])}{found[2]}" if found else _word(part)


def _joined(indices: Iterable[str]) -> str:
    """Indices beside each other, with room round words."""
    text = ""
    for index in indices:
        room = r"\," if "mathrm" in text + index else " "
        text += f"{room}{index}" if text else index
    return text
