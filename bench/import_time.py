# SPDX-License-Identifier: Apache-2.0
"""CPU seconds until tacit, and each of its rooms, can be used."""

from __future__ import annotations

import subprocess
import sys

import tacit

TARGET = 0.5
REPEATS = 3
CODE = """
import time
start = time.process_time()
import tacit
{then}
print(time.process_time() - start)
"""


def run() -> list[dict[str, object]]:
    """Time the bare import, then the first use of each public name."""
    rows: list[dict[str, object]] = [
        {"import": "tacit", "cpu_s": (bare := seconds("pass")), "target": TARGET}
    ]
    rows[0]["met"] = bare <= TARGET
    rows += [
        {"import": f"tacit.{name}", "cpu_s": seconds(f"tacit.{name}")}
        for name in tacit.__all__
    ]
    return rows


def seconds(then: str) -> float:
    """Give the quickest of several fresh interpreters."""
    command = [sys.executable, "-c", CODE.format(then=then)]
    outputs = [
        subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for _ in range(REPEATS)
    ]
    return round(min(map(float, outputs)), 3)
