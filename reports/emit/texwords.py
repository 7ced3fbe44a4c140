"""Plain words in LaTeX: escapes, and the signs that a bare pdflatex does not know."""

from __future__ import annotations

import re
import textwrap
import unicodedata

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#",
    "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "\"": r"\textquotedbl{}", "`": r"\textasciigrave{}",
    "–": "--", "—": "---", "…": r"\ldots{}", "‘": "`", "’": "'", "“": "``", "”": "''", "\u00a0": "~",
    "\u202f": r"\,", "†": r"\dag{}", "‡": r"\ddag{}", "§": r"\S{}", "›": r"\(\rangle\)",
    "\t": " ", "\n": " ",
}  # fmt: skip
_MATH = {
    "✓": r"\checkmark", "✗": r"\times", "≈": r"\approx", "≔": ":=", "±": r"\pm", "×": r"\times",
    "·": r"\cdot", "→": r"\to", "⇒": r"\Rightarrow", "⇔": r"\Leftrightarrow", "≤": r"\le", "≥": r"\ge",
    "≠": r"\ne", "∞": r"\infty", "∈": r"\in", "∑": r"\sum", "√": r"\surd", "−": "-", "ᵀ": r"^{\top}",
    "²": "^2", "³": "^3", "½": r"\tfrac12", "∂": r"\partial", "∇": r"\nabla", "⟨": r"\langle",
    "⟩": r"\rangle", "‖": r"\|", "∝": r"\propto", "∼": r"\sim", "°": r"^\circ", "ϵ": r"\epsilon",
    "≪": r"\ll", "≫": r"\gg", "⊗": r"\otimes",
}  # fmt: skip
_POWER = re.compile(r"(?<=[\w)\]])\^(?:\(([^()^]+)\)|(-?\d+|\w))")
_WIDEST = 86  # letters of code on a line
_GREEK = "GREEK SMALL LETTER ", "GREEK CAPITAL LETTER "
_LATIN_CAPITALS = {"ALPHA": "A", "BETA": "B", "EPSILON": "E", "ZETA": "Z", "ETA": "H", "IOTA": "I",
                   "KAPPA": "K", "MU": "M", "NU": "N", "OMICRON": "O", "RHO": "P", "TAU": "T",
                   "CHI": "X"}  # fmt: skip


def escaped(text: str) -> str:
    r"""Words that print as they stand.

    >>> escaped("50% of C_ij, λ ≤ ½")
    '50\\% of C\\_ij, \\(\\lambda\\) \\(\\le\\) \\(\\tfrac12\\)'
    """
    return "".join(map(_escaped, text))


def worded(text: str) -> str:
    r"""The same of a sentence, in which powers stand above the line.

    >>> worded("sqrt(eps) H^(1/2) x^2 & a caret ^")
    'sqrt(eps) H\\textsuperscript{1/2} x\\textsuperscript{2} \\& a caret \\textasciicircum{}'
    """
    found, end = [], 0
    for power in _POWER.finditer(text):
        above = escaped(power[1] or power[2])
        found += [escaped(text[end : power.start()]), rf"\textsuperscript{{{above}}}"]
        end = power.end()
    return "".join((*found, escaped(text[end:])))


def verbatim(text: str) -> str:
    """Code that prints as it stands, with what pdflatex cannot show in words."""
    shown = "".join(c if _known(c) else _spelled(c) for c in text)
    shown = "\n".join(part for line in shown.split("\n") for part in _broken(line))
    # Nothing inside may end the environment that holds it.
    return shown.replace(r"\end{verbatim}", r"\end {verbatim}")


def _broken(line: str) -> list[str]:
    """A line that would not fit on paper, continued on the next with a deeper indent."""
    if len(line) <= _WIDEST:
        return [line]
    deeper = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(line, _WIDEST, subsequent_indent=deeper, break_on_hyphens=False)


def _escaped(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    if c in _MATH:
        return rf"\({_MATH[c]}\)"
    if _known(c):
        return c
    greek = _greek(c)
    return rf"\({greek}\)" if greek else _spelled(c)


def _known(c: str) -> bool:
    """ASCII, and the Latin letters of the T1 encoding."""
    if c in "\n\t":
        return True
    return " " <= c <= "~" or ("À" <= c <= "ſ" and c not in "×÷ĸŉſĦħĿŀŦŧ")


def _greek(c: str) -> str:
    name = unicodedata.name(c, "")
    for kind in _GREEK:
        letter = name.removeprefix(kind)
        if name.startswith(kind) and letter.isalpha():
            letter = {"LAMDA": "LAMBDA"}.get(letter, letter)
            if kind.startswith("GREEK CAPITAL"):
                return _LATIN_CAPITALS.get(letter, "\\" + letter.capitalize())
            return "o" if letter == "OMICRON" else "\\" + letter.lower()
    return ""


def _spelled(c: str) -> str:
    """The nearest plain letters, or the sign's code point."""
    bare = "".join(p for p in unicodedata.normalize("NFKD", c) if " " <= p <= "~")
    greek = _greek(c).removeprefix("\\")
    return bare or greek or ("" if unicodedata.combining(c) else f"[U+{ord(c):04X}]")
