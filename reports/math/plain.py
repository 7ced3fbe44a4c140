"""LaTeX to one line of text, for terminals and for those who listen: readable, not typeset."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKENS = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}^_&]|\s+|[^\\{}^_&\s]", re.DOTALL)
_GREEK = re.findall(
    r"\w+",
    """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau
    upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega""",
)
_SIGNS = {
    **dict(zip(_GREEK, "αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", strict=True)),
    "varepsilon": "ε", "varphi": "φ", "vartheta": "ϑ", "varsigma": "ς", "infty": "∞", "partial": "∂",
    "nabla": "∇", "in": " ∈ ", "le": " ≤ ", "leq": " ≤ ", "ge": " ≥ ", "geq": " ≥ ", "neq": " ≠ ",
    "ne": " ≠ ", "approx": " ≈ ", "sim": " ~ ", "propto": " ∝ ", "equiv": " ≡ ", "to": " → ",
    "rightarrow": " → ", "mapsto": " ↦ ", "implies": " ⇒ ", "Rightarrow": " ⇒ ", "iff": " ⇔ ",
    "Longrightarrow": " ⇒ ", "cdot": "·", "cdots": "...", "ldots": "...", "dots": "...", "times": " × ",
    "otimes": " ⊗ ", "oplus": " ⊕ ", "odot": " ⊙ ", "circ": "∘", "pm": " ± ", "mp": " ∓ ", "top": "ᵀ",
    "star": "*", "ast": "*", "dagger": "†", "prime": "'", "sum": "Σ", "prod": "Π", "int": "∫",
    "langle": "⟨", "rangle": "⟩", "lVert": "‖", "rVert": "‖", "Vert": "‖", "lvert": "|", "rvert": "|",
    "vert": "|", "mid": " | ", "middle": "", "forall": "∀", "exists": "∃", "ell": "ℓ", "succ": " ≻ ",
    "prec": " ≺ ", "succeq": " ⪰ ", "preceq": " ⪯ ", "ll": " ≪ ", "gg": " ≫ ", "subset": " ⊂ ",
    "coloneqq": " := ", "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]", "perp": "⊥",
    "parallel": "∥", "setminus": " ∖ ", "cup": " ∪ ", "cap": " ∩ ", "emptyset": "∅", "hbar": "ℏ",
    "quad": "  ", "qquad": "    ", "colon": ":", "wedge": " ∧ ", "vee": " ∨ ", "neg": "¬", "square": "□",
    ",": " ", ";": " ", ":": " ", "!": "", " ": " ", "{": "{", "}": "}", "|": "‖", "\\": "; ", "%": "%",
    "&": "&", "#": "#", "_": "_", "$": "$",
}  # fmt: skip
_SILENT = {
    "left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr",
    "displaystyle", "textstyle", "limits", "nolimits", "mathrm", "mathbf", "mathit", "mathcal", "mathbb",
    "mathsf", "mathfrak", "mathscr", "boldsymbol", "bm", "operatorname", "operatorname*", "mathop",
    "nonumber", "mathstrut", "mathopen", "mathclose", "rm", "bf", "hline",
}  # fmt: skip
_WORDS = {"text", "textrm", "textit", "textbf", "mbox", "tag"}
_ACCENTS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "dot": "\u0307", "vec": "\u20d7"}
_WIDE = {"widehat": "hat", "widetilde": "tilde", "overline": "bar", "underline": ""}
_SUPER = dict(zip("0123456789+-=()niT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀ", strict=True))
_BARE = re.compile(r"[\w.'∞ᵀ*\u0300-\u036f\u20d7]*|\(.*\)", re.DOTALL)


def plain(latex: str) -> str:
    r"""The formula on one line of text.

    >>> plain(r"\frac{\epsilon C_{ij}}{S \left(\lambda_i + \lambda_j\right)}")
    'ε C_ij/(S (λ_i + λ_j))'
    >>> plain(r"\hat{g}(\theta)^{2} \le \begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}")
    'ĝ(θ)² ≤ [1, 0; 0, 1]'
    """
    reader = _Reader(_TOKENS.findall(latex))
    written = re.sub(r"[ \t\n]+", " ", reader.group(None)).strip()
    written = re.sub(r"([(\[]) | ([)\],;])", lambda m: m[1] or m[2], written)
    return re.sub(r"; ?\]", "]", written)


@dataclass
class _Reader:
    """Reads tokens from left to right; the only thing that changes while it does is its place."""

    tokens: list[str]
    place: int = 0

    def group(self, end: str | None) -> str:
        """Everything up to a closing token, which is passed."""
        parts: list[str] = []
        while self.place < len(self.tokens):
            if self.tokens[self.place] == end:
                self.place += 1
                break
            parts.append(self.one())
        return "".join(parts)

    def argument(self) -> str:
        """A group in braces or a single token, without the space before it."""
        while self.place < len(self.tokens) and self.tokens[self.place].isspace():
            self.place += 1
        return self.one() if self.place < len(self.tokens) else ""

    def verbatim(self) -> str:
        """The raw text of a group in braces."""
        self.argument_start()
        depth, parts = 1, []
        for token in self._rest():
            depth += (token == "{") - (token == "}")
            if not depth:
                break
            parts.append(token)
        return "".join(parts)

    def argument_start(self) -> None:
        """Pass the opening brace."""
        for token in self._rest():
            if token == "{":
                return

    def _rest(self) -> Iterator[str]:
        while self.place < len(self.tokens):
            self.place += 1
            yield self.tokens[self.place - 1]

    def one(self) -> str:
        """The next token with what it takes."""
        token = self.tokens[self.place]
        self.place += 1
        if token == "{":
            return self.group("}")
        if token == "^":
            return _raised(self.argument())
        if token == "_":
            low = self.argument().strip()
            return f"_{low}" if _BARE.fullmatch(low) else f"_({low})"
        if token == "&":
            return ", "
        if token.isspace():
            return " "
        return self.command(token[1:]) if token[0] == "\\" else token

    def command(self, name: str) -> str:
        """A command with its arguments."""
        if name in ("frac", "dfrac", "tfrac"):
            above, below = self.argument(), self.argument()
            return f"{_held(above, product=True)}/{_held(below)}"
        if name == "sqrt":
            return f"√{_held(self.argument())}"
        if name in _WORDS:
            return self.verbatim().replace("$", "")
        if name in _ACCENTS or name in _WIDE:
            return _accented(name, self.argument())
        if name in ("underbrace", "overbrace", "underset", "overset", "stackrel"):
            return self.stacked(name)
        if name == "begin":
            return self.environment(self.verbatim())
        if (
            name in ("left", "right")
            and self.place < len(self.tokens)
            and self.tokens[self.place] == "."
        ):
            self.place += 1
            return ""
        return "" if name in _SILENT else _SIGNS.get(name, name)

    def stacked(self, name: str) -> str:
        """Something under or over something: only the main part is kept, but not of a relation."""
        first = self.argument()
        if name == "stackrel" and first.isalnum():
            return f"={first}=" if (below := self.argument()) == "=" else f"{below}[{first}]"
        if name.endswith("brace"):
            if self.place < len(self.tokens) and self.tokens[self.place] in "_^":
                self.place += 1
                self.argument()
            return first
        return self.argument()

    def environment(self, name: str) -> str:
        """Matrices in brackets, cases in braces, lines one after the other."""
        if name in ("array", "alignedat"):
            self.verbatim()
        parts: list[str] = []
        while self.place < len(self.tokens) and self.tokens[self.place] != "\\end":
            parts.append(self.one())
        self.place += 1
        self.verbatim()
        inside = re.sub(r"\s+,", ",", "".join(parts)).strip()
        if name.endswith("matrix"):
            return f"[{inside}]"
        if name == "cases":
            return f"{{{inside}}}"
        # The signs & of aligned lines mark places only.
        return re.sub(r"; ?$", "", inside).replace(", ", " ").removeprefix(",")


def _raised(high: str) -> str:
    high = high.strip()
    if high and all(sign in _SUPER for sign in high):
        return "".join(_SUPER[sign] for sign in high)
    if high in ("ᵀ", "'", "*"):
        return high
    return f"^{high}" if _BARE.fullmatch(high) else f"^({high})"


def _held(part: str, product: bool = False) -> str:
    """In brackets unless it holds together by itself; a product may stand above a line."""
    part = part.strip()
    together = _BARE.fullmatch(part.replace("_", "")) and part.count("(") <= 1
    return part if together or (product and not re.search(r"[-+=;/]", part)) else f"({part})"


def _accented(name: str, base: str) -> str:
    import unicodedata

    base = base.strip()
    if name in _ACCENTS and len(base) == 1:
        return unicodedata.normalize("NFC", base + _ACCENTS[name])
    word = _WIDE.get(name, name)
    return f"{word}({base})" if word else base
