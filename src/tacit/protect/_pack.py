# SPDX-License-Identifier: Apache-2.0
"""Arrays and a few words in one compressed file, the same bytes every time."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["check_version", "pack", "unpack", "unpacking"]

_META = "meta.json"
_DATE = (1980, 1, 1, 0, 0, 0)


def pack(path: Path, meta: Mapping[str, Any], arrays: Mapping[str, Any]) -> Path:
    """Write words as JSON and arrays as numpy does."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        text = json.dumps(meta, indent=1, sort_keys=True, ensure_ascii=False)
        out.writestr(_entry(_META), text)
        for name, array in arrays.items():
            block = io.BytesIO()
            np.lib.format.write_array(block, array, allow_pickle=False)
            out.writestr(_entry(f"{name}.npy"), block.getvalue())
    return path


def unpack(
    path: Path, kinds: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read what :func:`pack` wrote; ``kinds`` names the arrays and their types."""
    with zipfile.ZipFile(path) as held:
        meta: dict[str, Any] = json.loads(held.read(_META))
        return meta, {name: _array(held, name, kinds[name]) for name in kinds}


@contextmanager
def unpacking(path: Path, what: str) -> Iterator[None]:
    """Turn whatever goes wrong with a foreign file into one error."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        message = f"There is no file '{path.name}' in '{path.parent}'."
        raise InputError(message) from None
    except (ArithmeticError, EOFError, LookupError, TypeError, ValueError) as error:
        raise InputError(_damaged(path, what)) from error.__cause__
    except (OSError, RuntimeError, zipfile.BadZipFile, zlib.error):
        raise InputError(_damaged(path, what)) from None


def _damaged(path: Path, what: str) -> str:
    return (
        f"'{path.name}' is not {what}, or it was damaged: verify what was written by "
        "tacit, unchanged."
    )


def check_version(path: Path, meta: Mapping[str, Any], known: int) -> None:
    """Refuse a file of another format."""
    if meta["version"] != known:
        message = (
            f"'{path.name}' is of format {meta['version']}; this version of tacit "
            f"reads format {known}."
        )
        raise InputError(message)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, date_time=_DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    # The same on every system.
    entry.create_system = 0
    return entry


def _array(held: zipfile.ZipFile, name: str, kind: Any) -> NDArray[Any]:  # noqa: ANN401
    block = io.BytesIO(held.read(f"{name}.npy"))
    array: NDArray[Any] = np.lib.format.read_array(block, allow_pickle=False)
    if array.dtype != kind:
        message = f"the array '{name}' is not what it should be"
        raise ValueError(message)
    return array
