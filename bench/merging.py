# SPDX-License-Identifier: Apache-2.0
"""How many cells are wrong if the lists of their parts are merged upwards.

The reason for split contributors: a unit in several leaf cells is several entries of
the merged lists, where it should be one with their sum. Units that are in several cells
keep their activity and differ in their regions.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

import tacit

RECORDS = 300_000
SEED = 11
TOP = 3
LEVELS = {"activity": (0, 1, 2, 3), "region": (0, 1, 2)}


def run() -> list[dict[str, object]]:
    """Compare merged lists with the truth for registers of several kinds."""
    return [
        one("messy register", in_one_cell=0.10),
        one("business register", in_one_cell=0.85),
        one("every unit in one cell", in_one_cell=1.0),
    ]


def one(name: str, in_one_cell: float) -> dict[str, object]:
    """Count the cells of one table whose largest three come out wrong."""
    frame = records(in_one_cell)
    by = {
        name: tacit.Hierarchy.from_digits(
            frame[name], widths=(1,) * (len(levels) - 1), total="T"
        )
        for name, levels in LEVELS.items()
    }
    table = tacit.tabulate(frame, by=by, value="value", unit="unit", top=TOP)
    codes = [table.codes_of(name) for name in LEVELS]
    index = pd.MultiIndex.from_arrays(codes)
    truth = pd.DataFrame(table.evidence.largest, index=index)
    merged = merge_upwards(frame)
    wrong = (merged.to_numpy() != truth.loc[merged.index].to_numpy()).any(axis=1)
    rule = tacit.PPercent(p=10)
    unsafe = pd.Series(tacit.assess(table, rule).sensitive, index=index)
    total = pd.Series(table.cells.value, index=index).loc[merged.index]
    seen = merged[0] / 10 > total - merged[0] - merged[1]
    missed = unsafe.loc[merged.index].to_numpy() & ~seen.to_numpy()
    above = np.array([len(a) + len(r) < 5 or "T" in (a, r) for a, r in merged.index])
    return {
        "data": name,
        "records": len(frame),
        "cells above leaves": int(above.sum()),
        "wrong": int(wrong.sum()),
        "wrong %": round(100 * wrong.sum() / above.sum(), 2),
        "unsafe": int(unsafe.loc[merged.index][above].sum()),
        "of them missed": int(missed.sum()),
    }


def records(in_one_cell: float) -> pd.DataFrame:
    """Invent records of units, most of them in one leaf cell or in several."""
    random = np.random.default_rng(SEED)
    units = RECORDS // 3
    unit = random.integers(0, units, RECORDS)
    lives_in_one = random.random(units) < in_one_cell
    home = random.integers(0, 50_000, units)
    elsewhere = home[unit] // 50 * 50 + random.integers(0, 50, RECORDS)
    cell = np.where(lives_in_one[unit], home[unit], elsewhere)
    return pd.DataFrame(
        {
            "unit": unit,
            "activity": [f"{c:03d}" for c in cell // 50],
            "region": [f"{c:02d}" for c in cell % 50],
            "value": (random.lognormal(5, 2, RECORDS) + 1).astype(np.int64),
        }
    )


def merge_upwards(frame: pd.DataFrame) -> pd.DataFrame:
    """Take the largest of each leaf cell, then the largest among those, upwards."""
    leaf = ["activity", "region"]
    sums = frame.groupby([*leaf, "unit"], as_index=False)["value"].sum()
    short = sums.sort_values("value", ascending=False).groupby(leaf).head(TOP)
    tables = [
        widest(short, activity, region)
        for activity, region in itertools.product(*LEVELS.values())
    ]
    return pd.concat(tables)


def widest(short: pd.DataFrame, activity: int, region: int) -> pd.DataFrame:
    """Merge short lists at one combination of levels."""
    a = short["activity"].str[:activity] if activity else "T"
    r = short["region"].str[:region] if region else "T"
    lists = pd.DataFrame({"a": a, "r": r, "value": short["value"]})
    lists = lists.sort_values("value", ascending=False)
    lists["place"] = lists.groupby(["a", "r"]).cumcount()
    lists = lists[lists["place"] < TOP]
    wide = lists.pivot_table(index=["a", "r"], columns="place", values="value")
    return wide.reindex(columns=range(TOP)).fillna(0).astype(np.int64)


if __name__ == "__main__":
    print(pd.DataFrame(run()).to_string())
