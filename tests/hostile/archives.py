"""Archives of arrays that are broken, or not what they should be."""

from __future__ import annotations

import io
import warnings
import zipfile
from random import Random
from typing import Any

import numpy as np

_HEADERS = (
    "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 2), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (-4, 2), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (2.5,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': 8, }",
    "{'descr': '|O', 'fortran_order': False, 'shape': (4, 2), }",
    "{'descr': '<f8', 'fortran_order': 7, 'shape': (4, 2), }",
    "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (4,), }",
    "{'descr': 'no', 'fortran_order': False, 'shape': (4, 2), }",
    "{'descr': '<f8', 'shape': (4, 2), }",
    "__import__('os').system('touch touched')", "(" * 300, "{" * 50, "'''", "\x00", "L" * 60, "{}",
    "[]", "1",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (" + "1," * 70 + "), }",
)  # fmt: skip
_DTYPES = ("f8", "f4", "f2", "i1", "u8", "?", "c16", "U3", "S3", "M8[s]", "m8[s]", "O", "V8", ">f8", "g")


def _array(draw: Random) -> Any:
    shape = draw.choice(
        ((4, 2), (4,), (4, 1), (3, 2), (0, 2), (4, 0), (), (1,), (2, 2, 2), (4, 2), (40,))
    )
    numbers = np.array([draw.choice((0.0, 1.0, -1.0, 2.5, 3.0)) for _ in range(int(np.prod(shape)))])
    if numbers.size and draw.random() < 0.3:
        numbers[draw.randrange(numbers.size)] = draw.choice(
            (np.nan, np.inf, -np.inf, 1e300, 1e101, 1e99, 5e-324, 1e-200, -0.0)
        )
    with np.errstate(all="ignore"):
        try:
            return numbers.astype(draw.choice((_DTYPES[0],) * 9 + _DTYPES)).reshape(shape)
        except (TypeError, ValueError):
            return numbers.reshape(shape)


def _crafted(draw: Random) -> bytes:
    """A member whose header says something odd."""
    header = draw.choice(_HEADERS).encode()
    version = draw.choice((b"\x01\x00",) * 6 + (b"\x02\x00", b"\x03\x00", b"\x09\x09"))
    size = len(header).to_bytes(2 if version == b"\x01\x00" else 4, "little")
    if draw.random() < 0.1:
        size = b"\xff" * len(size)
    return b"\x93NUMPY" + version + size + header + bytes(draw.choice((0, 8, 64, 500)))


def archive(draw: Random, names: tuple[str, ...] = ("X", "y")) -> bytes:
    """The bytes of a file that is to hold arrays with these names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # zipfile says that a name is there twice
        return _archive(draw, names)


def _archive(draw: Random, names: tuple[str, ...]) -> bytes:
    made = io.BytesIO()
    kind = draw.random()
    if kind < 0.05:
        np.save(made, _array(draw), allow_pickle=True)
    elif kind < 0.1:
        made.write(
            draw.choice(
                (b"", b"PK", b"PK\x03\x04", b"\x80\x04\x95", b"X,y\n1,2\n", b"\x89HDF\r\n\x1a\n")
            )
        )
    elif kind < 0.4:
        with zipfile.ZipFile(
            made, "w", draw.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
        ) as members:
            for name in names:
                members.writestr(f"{name}.npy", _crafted(draw))
    elif kind < 0.45:
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as members:
            for name in (*names, *draw.sample(["../a", "X", "x" * 300, "\x1b"], 2)):
                members.writestr(draw.choice((name, name + ".npy")), draw.randbytes(40))
    else:
        arrays = {n: _array(draw) for n in names if draw.random() < 0.95}
        save = draw.choice((np.savez, np.savez_compressed))
        save(made, **arrays)
    content = made.getvalue()
    if content and draw.random() < 0.4:
        at = draw.randrange(len(content))
        if draw.random() < 0.3:
            return content[:at]
        return content[:at] + bytes([content[at] ^ 1 << draw.randrange(8)]) + content[at + 1 :]
    return content
