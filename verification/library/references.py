"""What samplers' cards cite, as BibTeX: works of whose claims none is judged here."""

import re
from pathlib import Path

_TEXT = Path(__file__).with_suffix(".bib").read_text("utf-8")

REFERENCES = {one[1]: one[0] for one in re.finditer(r"@\w+\{(\w+),.*?\n\}", _TEXT, re.DOTALL)}
