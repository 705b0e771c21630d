# SPDX-License-Identifier: Apache-2.0
"""Run benchmarks: ``python bench/run.py [NAME ...]``, or ``--list`` to see them.

A benchmark is a module of this folder with ``run() -> list[dict]``: one dict a row, its
keys the columns. Each module runs in a process of its own, so that the CPU seconds and
the peak memory shown for it are its own. Rows go to the screen as a table and to
``bench/results/NAME.json`` together with a description of the machine; compare CPU
seconds, not wall time, where other work shares the machine.
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
PACKAGES = ("duckdb", "highspy", "numba", "numpy", "pyarrow", "scipy", "tacit")
Row = dict[str, Any]


def main() -> int:
    """Run what was asked for; fail if a benchmark failed or missed its target."""
    arguments = parse()
    if arguments.list:
        for name in names():
            print(f"{name:14} {first_line(name)}")
        return 0
    if arguments.child:
        return child(arguments.child, Path(arguments.names[0]))
    unknown = sorted(set(arguments.names) - set(names()))
    if unknown:
        print(f"No benchmark {', '.join(unknown)}; there are: {', '.join(names())}")
        return 2
    return max([one(name) for name in arguments.names or names()], default=0)


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="all if none")
    parser.add_argument("--list", action="store_true", help="list the benchmarks")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def names() -> list[str]:
    """Name the benchmarks: modules of this folder that define ``run``."""
    return sorted(
        path.stem
        for path in HERE.glob("*.py")
        if path.stem != "run" and "\ndef run(" in path.read_text(encoding="utf-8")
    )


def first_line(name: str) -> str:
    """Give the first line of a module's docstring, without importing it."""
    text = (HERE / f"{name}.py").read_text(encoding="utf-8")
    return text.split('"""', 2)[1].splitlines()[0] if '"""' in text else ""


def child(name: str, target: Path) -> int:
    """Run one benchmark in this process and leave its rows in a file."""
    sys.path.insert(0, str(HERE))
    rows = importlib.import_module(name).run()
    target.write_text(json.dumps(rows, default=plain), encoding="utf-8")
    return 0


def plain(value: object) -> object:
    """Turn a NumPy scalar or a path into what JSON holds."""
    return value.item() if hasattr(value, "item") else str(value)


def one(name: str) -> int:
    """Run one benchmark in a process of its own; print and keep what it gives."""
    print(f"\n{name}: {first_line(name)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "rows.json"
        start = time.perf_counter()
        command = [sys.executable, str(HERE / "run.py"), "--child", name, str(target)]
        process = subprocess.Popen(command)
        code, spent = finish(process)
        spent["wall_s"] = round(time.perf_counter() - start, 2)
        if code:
            print(f"{name} failed with exit code {code}")
            return 1
        rows: list[Row] = json.loads(target.read_text(encoding="utf-8"))
    show(rows)
    print(
        "  ".join(f"{key} {value}" for key, value in spent.items()), "(whole process)"
    )
    RESULTS.mkdir(exist_ok=True)
    report = {"benchmark": name, "machine": machine(), "process": spent, "rows": rows}
    text = json.dumps(report, indent=1) + "\n"
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")
    return int(any(row.get("met") is False for row in rows))


def finish(process: subprocess.Popen[bytes]) -> tuple[int, Row]:
    """Wait for a process; give its exit code, CPU seconds and peak memory."""
    if not hasattr(os, "wait4"):
        return process.wait(), {}
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = code = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    return code, {
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 2),
        "peak_gb": round(usage.ru_maxrss * unit / 1e9, 3),
    }


def show(rows: list[Row]) -> None:
    """Print rows as a table; numbers to the right."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [[shown(row.get(key, "")) for key in columns] for row in rows]
    widths = [
        max(len(text) for text in column)
        for column in zip(columns, *cells, strict=True)
    ]
    left = [any(isinstance(row.get(key), str) for row in rows) for key in columns]
    for line in [columns, ["-" * width for width in widths], *cells]:
        parts = [
            text.ljust(width) if to_left else text.rjust(width)
            for text, width, to_left in zip(line, widths, left, strict=True)
        ]
        print("  ".join(parts).rstrip())


def shown(value: object) -> str:
    """Write a number so that it can be read."""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def machine() -> Row:
    """Describe the machine, so that figures can be compared later."""
    return {
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "versions": {name: importlib.metadata.version(name) for name in PACKAGES},
    }


if __name__ == "__main__":
    sys.exit(main())
