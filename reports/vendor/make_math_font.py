"""How sg-math.woff2 was made: ``python make_math_font.py latinmodern-math.otf sg-math.woff2``.

Needs fonttools and brotli; the toolkit itself does not.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

RANGES = (
    (0x20, 0x7E),  # upright Latin
    (0x391, 0x3A9),
    (0x3B1, 0x3C9),  # upright Greek
    (0x1D400, 0x1D433),  # bold Latin
    (0x1D434, 0x1D467),  # italic Latin
    (0x1D468, 0x1D49B),  # bold italic Latin
    (0x1D49C, 0x1D4B5),  # script capitals
    (0x1D538, 0x1D550),  # double-struck capitals
    (0x1D6A4, 0x1D6A5),  # dotless i and j
    (0x1D6A8, 0x1D6C0),  # bold Greek capitals
    (0x1D6E2, 0x1D6FA),
    (0x1D6FC, 0x1D71B),  # italic Greek
    (0x1D736, 0x1D755),  # bold italic Greek
    (0x1D7CE, 0x1D7D7),  # bold digits
    (0x2061, 0x2064),  # invisible operators
    (0x2190, 0x2194),
    (0x2200, 0x220F),
)
SINGLE = """
 A0 A8 AC AF B1 B7 D7 F7 131 237 2C6 2C7 2D9 2DC 302 303 304 305 307 308 30C 332 3D1 3D5 3D6 3F1 3F5
 2016 2020 2026 2032 2033 20D7 2102 210B 210E 210F 2110 2111 2112 2113 2115 2119 211A 211B 211C 211D
 2124 212C 2130 2131 2133 2135 21A6 21AA 21CC 21D0 21D2 21D4 2210 2211 2212 2213 2215 2216 2217 2218
 2219 221A 221D 221E 2223 2225 2226 2227 2228 2229 222A 222B 222C 222E 223C 2243 2245 2248 2254 2260
 2261 2264 2265 226A 226B 227A 227B 227C 227D 2282 2283 2286 2287 2295 2297 2299 22A4 22A5 22C5 22C6
 22EE 22EF 22F1 2308 2309 230A 230B 23B4 23B5 23DC 23DD 23DE 23DF 25A0 25A1 27C2 27E8 27E9 27F6 27F9
 27FA 2A7D 2A7E 2AAF 2AB0 1D7D9
"""


def characters() -> list[int]:
    """The code points that are kept."""
    wide = [point for first, last in RANGES for point in range(first, last + 1)]
    return sorted({*wide, *(int(point, 16) for point in SINGLE.split())})


def main(source: str, target: str) -> None:
    """Write the subset, renamed, without a date."""
    subset: Any = importlib.import_module("fontTools.subset")
    ttlib: Any = importlib.import_module("fontTools.ttLib")
    font = ttlib.TTFont(source, recalcTimestamp=False)
    options = subset.Options(layout_features=[], hinting=False, notdef_outline=True)
    options.name_IDs = [0, 1, 2, 3, 4, 6, 13, 14]
    options.drop_tables += ["FFTM", "GSUB"]
    options.recalc_timestamp = False
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters())
    subsetter.subset(font)
    names = {1: "SG Math", 3: "SG Math, subset of Latin Modern Math 1.959", 4: "SG Math", 6: "SGMath"}
    for record in font["name"].names:
        record.string = names.get(record.nameID, record.string)
    cff = font["CFF "].cff
    cff.fontNames = ["SGMath"]
    cff.topDictIndex[0].FullName = cff.topDictIndex[0].FamilyName = "SG Math"
    font.flavor = "woff2"
    font.save(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
