"""How sg-plot.woff2 and sg-plot-italic.woff2 were made: ``python make_plot_fonts.py FOLDER TARGET``.

FOLDER is that of the fonts of Matplotlib (``mpl-data/fonts/ttf``). Needs fonttools and brotli, and the
toolkit on the path; the toolkit itself does not need them.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from reports.drawing import known_letters

FACES = {"STIXGeneral.ttf": "sg-plot.woff2", "STIXGeneralItalic.ttf": "sg-plot-italic.woff2"}


def main(folder: str, target: str) -> None:
    """Write both subsets, renamed, without a date."""
    subset: Any = importlib.import_module("fontTools.subset")
    ttlib: Any = importlib.import_module("fontTools.ttLib")
    for source, file in FACES.items():
        font = ttlib.TTFont(Path(folder) / source, recalcTimestamp=False)
        options = subset.Options(layout_features=[], hinting=False, notdef_outline=True)
        options.name_IDs = [0, 1, 2, 3, 4, 6, 13, 14]
        options.drop_tables += ["FFTM", "GSUB", "GPOS", "kern", "PfEd"]
        options.recalc_timestamp = False
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=known_letters())
        subsetter.subset(font)
        names = {1: "SG Plot", 3: f"SG Plot, subset of {source}", 4: "SG Plot", 6: "SGPlot"}
        for record in font["name"].names:
            record.string = names.get(record.nameID, record.string)
        font.flavor = "woff2"
        font.save(Path(target) / file)


if __name__ == "__main__":
    main(*sys.argv[1:])
