# SPDX-License-Identifier: Apache-2.0
"""Make the microdata of this example: invented firms, the same ones every time.

Writes firms.csv, regions.csv, sizes.csv and activities.csv beside this file. 12,000
firms with about 19,000 establishments; turnover is heavy-tailed, the larger firms
have several establishments, and one firm in eight belongs to a group of firms.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HERE = Path(__file__).resolve().parent
SEED = 20_260_101
FIRMS = 12_000

PARTS = ("North", "East", "South", "West")
SECTIONS = {
    "C": "Manufacturing",
    "F": "Construction",
    "G": "Trade",
    "H": "Transport",
    "I": "Hospitality",
}
SIZE_LIMITS = (10, 50, 250, 1000)
SIZES = (
    ("1", "1 to 9 employees"),
    ("2", "10 to 49 employees"),
    ("3", "50 to 249 employees"),
    ("4", "250 to 999 employees"),
    ("5", "1000 employees or more"),
)


def regions() -> list[tuple[str, str]]:
    """Codes of two, three and four characters, with labels."""
    rows = []
    for a, part in enumerate(PARTS, start=1):
        rows.append((f"R{a}", part))
        for b in range(1, 4):
            rows.append((f"R{a}{b}", f"{part}, province {b}"))
            rows += [(f"R{a}{b}{c}", f"{part}, district {b}.{c}") for c in range(1, 4)]
    return rows


def activities() -> list[tuple[str, str, str]]:
    """Code, parent and label: sections, divisions, groups."""
    rows = []
    for s, (section, label) in enumerate(SECTIONS.items(), start=1):
        rows.append((section, "Total", label))
        for division in range(1, 5):
            code = f"{s}{division}"
            rows.append((code, section, f"{label}, division {code}"))
            rows += [
                (f"{code}.{group}", code, f"{label}, group {code}.{group}")
                for group in range(1, 4)
            ]
    return rows


def firms() -> list[tuple[str, ...]]:
    """Rows of the microdata: one establishment each."""
    random = np.random.default_rng(SEED)
    districts = [code for code, _ in regions() if len(code) == 4]
    groups = [code for code, _, _ in activities() if "." in code]
    crowded = random.dirichlet(np.full(len(districts), 0.8))
    usual = random.dirichlet(np.full(len(groups), 0.6))
    employees = np.ceil(random.pareto(1.1, FIRMS) * 3).clip(1, 20_000).astype(int)
    places = 1 + random.poisson(np.log10(employees))
    holding = np.where(random.random(FIRMS) < 0.12, random.integers(1, 300, FIRMS), 0)
    rows = []
    for firm in range(FIRMS):
        name = f"F{firm + 1:05d}"
        group = f"H{holding[firm]:03d}" if holding[firm] else name
        size = str(1 + np.searchsorted(SIZE_LIMITS, employees[firm], side="right"))
        activity = groups[random.choice(len(groups), p=usual)]
        shares = random.dirichlet(np.ones(places[firm]))
        for people in np.maximum(random.multinomial(employees[firm], shares), 1):
            district = districts[random.choice(len(districts), p=crowded)]
            cents = round(float(people * random.lognormal(11.2, 0.8)))
            turnover = f"{cents // 100}.{cents % 100:02d}"
            rows.append((name, group, district, activity, size, str(people), turnover))
    return rows


def write(name: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a csv file with one header."""
    with (HERE / name).open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(heads)
        out.writerows(rows)


def main() -> None:
    """Write the files."""
    heads = ("firm", "group", "district", "activity", "size", "employees", "turnover")
    rows = firms()
    write("firms.csv", heads, rows)
    write("regions.csv", ("code", "label"), regions())
    write("sizes.csv", ("code", "label"), SIZES)
    write("activities.csv", ("code", "parent", "label"), activities())
    print(f"{len(rows):,} establishments in firms.csv")


if __name__ == "__main__":
    main()
