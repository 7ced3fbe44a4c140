"""Arrays from .npz files: no pickles, and sizes are looked at in headers before anything is unpacked."""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.reader import files, limits

SAVE = "save it with numpy.savez(file, X=..., ...)"
_REAL = "buif"  # NumPy's kinds of dtype: truth values, whole numbers with and without sign, floats
# What zipfile, zlib and NumPy's reader of headers raise on what is broken, encrypted, or no archive.
_BROKEN = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    OverflowError,
    RuntimeError,  # of an encrypted member, and NotImplementedError of a compression
    RecursionError,
    MemoryError,
    SyntaxError,
    TokenError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)


@dataclass(frozen=True)
class _Header:
    """What an array says of itself before its numbers."""

    shape: tuple[int, ...]
    dtype: Any
    fortran_order: bool

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return math.prod(self.shape)


def archive(
    path: str | Path,
    names: Iterable[str] | None = None,
    what: str = "a readable .npz file of numbers",
    remedy: str = SAVE,
    most: int = limits.NUMBERS,
) -> dict[str, Any]:
    """The arrays of an .npz file: those with these names, which have to be there, or all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(folder + "/a.npz", X=[[1.0, 2.0]], note=["why"])
    ...     archive(folder + "/a.npz", ["X"])
    {'X': array([[1., 2.]])}
    """
    with files.opened(path, what) as file:
        return unpacked(file, str(path), names, what, remedy, most)


def unpacked(
    file: BinaryIO | io.BytesIO,
    path: str,
    names: Iterable[str] | None,
    what: str,
    remedy: str,
    most: int = limits.NUMBERS,
) -> dict[str, Any]:
    """The same of a file that is open, or in memory; ``most`` numbers at all."""
    try:
        # an archive may have anything before it, which then is another kind of file
        if file.read(2) != b"PK" or not zipfile.is_zipfile(file):
            raise UnusableInput(what, f"{path}: no archive", remedy)
        file.seek(0)
        with zipfile.ZipFile(file) as members:
            return _arrays(members, names, path, most)
    except UnusableInput:
        raise
    except _TooLarge as error:
        size = f"at most {most:,} numbers and {limits.MEMBERS:,} arrays"
        raise UnusableInput(f"{what}, {size}", f"{path}: {error}", "give a part of them") from None
    except _BROKEN as error:
        raise UnusableInput(what, f"{path}: {str(error) or type(error).__name__}", remedy) from None


def alone(path: str | Path, most: int = limits.NUMBERS) -> Any:
    """The array of an .npy file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(folder + "/a.npy", [[1.0, 2.0]])
    ...     alone(folder + "/a.npy")
    array([[1., 2.]])
    """
    what, remedy = "an array in a readable .npy file", "save it with numpy.save(file, array)"
    with files.opened(path, what) as file:
        try:
            header = _header(file, "the array")
            size = header.count * header.dtype.itemsize
            if header.count <= most and size <= 16 * most:
                return _content(file, header, size, "the array")
        except _BROKEN as error:
            got = f"{path}: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
            raise UnusableInput(what, got, remedy) from None
    got = f"{path}: shape {header.shape}"
    raise UnusableInput(f"{what}, at most {most:,} numbers", got, "give a part of it")


class _TooLarge(Exception):
    """An archive that says it has more in it than is read."""


def _arrays(
    members: zipfile.ZipFile, names: Iterable[str] | None, path: str, left: int
) -> dict[str, Any]:
    if len(members.infolist()) > limits.MEMBERS:
        raise _TooLarge(f"{len(members.infolist()):,} arrays")
    inside = {
        m.filename.removesuffix(".npy"): m for m in members.infolist() if m.filename.endswith(".npy")
    }
    if len(inside) < sum(m.filename.endswith(".npy") for m in members.infolist()):
        raise ValueError("two arrays with one name")
    wanted = tuple(inside) if names is None else tuple(names)
    for name in wanted:
        if name not in inside:
            listed = ", ".join(inside) or "nothing"
            raise UnusableInput(f"the array {name} in {Path(path).name}", listed, SAVE)
    found: dict[str, Any] = {}
    bytes_left = 16 * left
    for name in wanted:
        with members.open(inside[name]) as stream:
            header = _header(stream, name)
            size = header.count * header.dtype.itemsize
            if size != inside[name].file_size - stream.tell():
                raise ValueError(f"{name} has not as many bytes as its header says")
            left, bytes_left = left - header.count, bytes_left - size
            if left < 0 or bytes_left < 0:
                raise _TooLarge(f"{name} of shape {header.shape}, {header.dtype}")
            found[name] = _content(stream, header, size, name)
    return found


def _header(stream: Any, name: str) -> _Header:
    """The header of an array; what NumPy would have to unpickle is refused."""
    version = np.lib.format.read_magic(stream)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise ValueError(f"{name} has a header of version {version[0]}.{version[1]}")
    shape, fortran_order, dtype = read(stream, max_header_size=limits.HEADER)
    if dtype.hasobject:
        raise ValueError(f"{name} holds pickled objects")
    if any(n < 0 for n in shape) or not dtype.itemsize:
        raise ValueError(f"{name} has the shape {shape} of {dtype}")
    return _Header(tuple(shape), dtype, bool(fortran_order))


def _content(stream: Any, header: _Header, size: int, name: str) -> Any:
    """The numbers, with the right checksum."""
    found = bytearray(size)
    view, done = memoryview(found), 0
    while done < size:
        read = stream.readinto(view[done : done + 2**20])
        if not read:
            raise ValueError(f"{name} ends early")
        done += read
    if stream.read(1):  # also makes zipfile look at the checksum
        raise ValueError(f"{name} is longer than its header says")
    array = np.frombuffer(found, header.dtype)
    return array.reshape(header.shape, order="F" if header.fortran_order else "C")


def real(array: Any, name: str, shape: str, where: str) -> Any:
    """An array in float64, if it holds finite real numbers in a shape such as (N, D) or (N,).

    >>> real(np.array([[1, 2]]), "X", "(N, D)", "data.npz")
    array([[1., 2.]])
    """
    if array.dtype.kind not in _REAL:
        raise UnusableInput(f"real numbers in {name}", f"{array.dtype} in {where}", "save it as float64")
    if array.ndim != len(shape.strip("(,)").split(",")) or 0 in array.shape[1:]:
        raise UnusableInput(f"{name} of shape {shape}", f"shape {array.shape} in {where}", "reshape it")
    with np.errstate(over="ignore"):  # of wider types: what does not fit is infinite, so refused
        found = np.asarray(array, float)
    check_range(found, name, where)
    return found


def check_range(array: Any, name: str, where: str) -> None:
    """Refuse an array with a number that is not finite, or too large to be squared."""
    largest = max(abs(float(array.max())), abs(float(array.min()))) if array.size else 0.0
    if largest <= limits.LARGEST:
        return
    finite = np.isfinite(array)
    kind = "numbers of at most 1e100" if finite.all() else "finite numbers"
    at = ", ".join(
        str(k) for k in np.argwhere(~finite if not finite.all() else abs(array) == largest)[0]
    )
    raise UnusableInput(f"{kind} in {name}", f"{name}[{at}] in {where} is not", "replace it")
