# SPDX-License-Identifier: Apache-2.0
"""The same release from one process, from two, and from somebody else's pool."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tacit
from tacit.attacker import Attacker
from tacit.protect.suppress import _parallel, suppress
from tacit.protect.suppress._build import build_problem
from tacit.protect.suppress._costs import costs_of
from tacit.protect.suppress._gauss_only import gauss
from tacit.protect.suppress._ledger import Ledger
from tacit.protect.suppress._local import LocalPrograms
from tacit.protect.suppress._parallel import Crew, Part, Shared, settle, settle_part
from tacit.protect.suppress._repair import EVERYWHERE, Repair

if TYPE_CHECKING:
    from pathlib import Path


def assessment() -> tacit.Assessment:
    """A table of some 900 cells with hierarchies, and many needs."""
    random = np.random.default_rng(5)
    a, b = 24, 30
    value = np.exp(random.normal(4, 1.6, (a, b))).astype(int) + 1
    rows = {
        "r": np.repeat([f"r{i // 4}{i % 4}" for i in range(a)], b),
        "s": np.tile([f"s{j // 5}{j % 5}" for j in range(b)], a),
        "v": value.ravel(),
        "state": np.where(random.random(a * b) < 0.15, "sensitive", "safe"),
    }
    trees = {
        name: tacit.Hierarchy.from_digits(sorted(set(rows[name])), (2, 1), total="T")
        for name in ("r", "s")
    }
    table = tacit.Table.from_cells(rows, by=trees, value="v", state="state")
    return tacit.assess(table, margin=15)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split even this small table."""
    monkeypatch.setattr(_parallel, "_SPLIT_CELLS", 1)
    monkeypatch.setattr(_parallel, "_SPLIT_NEEDS", 4)
    monkeypatch.setattr(_parallel, "_PART_NEEDS", 6)


def settled(executor: Any) -> tuple[bytes, list[tuple[list[int], list[float]]]]:
    found = assessment()
    cost = costs_of(found.table, "value")
    problem, _ = build_problem(found, cost, attackers=[Attacker()])
    ledger = Ledger(problem, gauss(problem))
    work = Repair(ledger, LocalPrograms(problem), problem.cost)
    with Crew(executor) as crew:
        settle(work, EVERYWHERE, crew)
    assert not len(ledger.open())
    moves = [(m.cells.tolist(), m.amounts.tolist()) for m in ledger.moves]
    return ledger.hidden.tobytes(), moves


@pytest.mark.usefixtures("small_parts")
def test_two_processes_find_what_one_finds() -> None:
    alone = settled(1)
    assert settled(2) == alone
    assert settled(1) == alone


@pytest.mark.usefixtures("small_parts")
def test_any_executor_will_do() -> None:
    alone = settled(1)
    with ThreadPoolExecutor(1) as threads:
        assert settled(threads) == alone


@pytest.mark.usefixtures("small_parts")
def test_a_dask_cluster_will_do() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert settled(client.get_executor()) == settled(1)


@pytest.mark.usefixtures("small_parts")
def test_the_release_does_not_depend_on_the_processes() -> None:
    one, two = (suppress(assessment(), executor=n) for n in (1, 2))
    assert one.state.tobytes() == two.state.tobytes()
    assert one.cost == two.cost
    assert one.bound == two.bound


def test_a_repeated_run_gives_the_same_release() -> None:
    one, two = (suppress(assessment()) for _ in range(2))
    assert one.state.tobytes() == two.state.tobytes()


def test_a_process_that_cannot_see_the_file_is_sent_everything() -> None:
    found = assessment()
    cost = costs_of(found.table, "value")
    problem, _ = build_problem(found, cost, attackers=[Attacker()])
    ledger = Ledger(problem, gauss(problem))
    targets = ledger.open()[:3]
    part = Part(
        np.packbits(ledger.hidden), targets, np.zeros((2, 3)), tuple(EVERYWHERE), 60.0
    )
    assert settle_part(Shared("nowhere"), part) is None
    content = pickle.dumps((problem, problem.cost))
    answer = settle_part(Shared("nowhere", content), part)
    assert answer is not None
    moves, programs = answer
    assert moves
    assert programs > 0


def test_a_script_without_a_main_guard_is_not_run_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "print('started')\n"
        "import tacit.protect.suppress._parallel as p\n"
        "with p.Crew(2) as crew, p._nobody_main():\n"
        "    print(crew._executor().submit(abs, -3).result())\n"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.split() == ["started", "3"]
