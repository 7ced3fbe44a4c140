"""Works as BibTeX: those of the shelf, and what samplers' cards cite beside our papers."""

import re
from pathlib import Path

_TEXT = Path(__file__).with_suffix(".bib").read_text("utf-8")

REFERENCES = {one[1]: one[0] for one in re.finditer(r"@\w+\{(\w+),.*?\n\}", _TEXT, re.DOTALL)}
