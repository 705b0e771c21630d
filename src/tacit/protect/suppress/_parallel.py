# SPDX-License-Identifier: Apache-2.0
"""Settle needs in several processes, with the same result as in one.

Open needs are cut into parts of a fixed size, whatever the number of processes. All
parts of a round start from the same pattern, and what they find is joined in their
order. So it does not matter who settles a part, or when.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import sys
import tempfile
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from tacit.errors import InputError
from tacit.protect.suppress._ledger import Ledger
from tacit.protect.suppress._local import LocalPrograms
from tacit.protect.suppress._repair import Repair, repair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from tacit.protect.suppress._local import Move
    from tacit.protect.suppress._problem import Problem
    from tacit.protect.suppress._repair import Neighbourhood

__all__ = ["Crew", "settle"]

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")

# Below these sizes parts cost more than they bring; the split is the same for any
# number of processes, so these alone decide what comes out.
_SPLIT_CELLS = 30_000
_SPLIT_NEEDS = 256
_PARTS = 4
_PART_NEEDS = 48


@dataclass(frozen=True)
class Shared:
    """What all parts need: in a file, or along with the task where there is none."""

    path: str
    payload: bytes | None = None

    def load(self) -> tuple[Problem, NDArray[np.float64], LocalPrograms]:
        """Give it, from memory if this process had it before."""
        if self.path not in _LOADED:
            content = self.payload or Path(self.path).read_bytes()
            problem, price = pickle.loads(content)  # noqa: S301 - written by us
            _LOADED.clear()
            _LOADED[self.path] = (problem, price, LocalPrograms(problem))
        return _LOADED[self.path]


# What this process works on; one problem at a time.
_LOADED: dict[str, tuple[Problem, NDArray[np.float64], LocalPrograms]] = {}


@dataclass(frozen=True, eq=False)
class Part:
    """Needs to settle, from a pattern and what is proved of them so far."""

    hidden: NDArray[np.uint8]
    targets: NDArray[np.int64]
    reach: NDArray[np.float64]
    schedule: tuple[Neighbourhood, ...]
    seconds: float


def settle_part(shared: Shared, part: Part) -> tuple[list[Move], int] | None:
    """Settle one part in whatever process; None where the file cannot be read."""
    try:
        loaded = shared.load()
    except FileNotFoundError:
        return None
    return _settled(*loaded, part)


def _settled(
    problem: Problem,
    price: NDArray[np.float64],
    programs: LocalPrograms,
    part: Part,
) -> tuple[list[Move], int]:
    deadline = time.monotonic() + part.seconds
    hidden = np.unpackbits(part.hidden, count=len(problem)).astype(np.bool_)
    ledger = Ledger(problem, hidden)
    ledger.reach_up[part.targets], ledger.reach_down[part.targets] = part.reach
    work, before = Repair(ledger, programs, price), programs.solved
    for target in part.targets.tolist():
        if time.monotonic() > deadline:
            break
        if not ledger.is_met(target):
            work.settle(target, part.schedule)
    return ledger.moves, programs.solved - before


class Crew:
    """The processes that work on one problem; none of them where it is small.

    ``executor`` is any ``concurrent.futures`` executor, a number of local processes,
    or None for the default: one process for each of the processors.
    """

    def __init__(self, executor: Executor | int | None = None) -> None:
        self.given = checked(executor)
        self._own: ProcessPoolExecutor | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._shared: Shared | None = None
        self._work: tuple[Any, Any] = (None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own is not None:
            self._own.shutdown(wait=False, cancel_futures=True)
        if self._folder is not None:
            self._folder.cleanup()

    def settle_all(self, work: Repair, parts: Sequence[Part]) -> Iterator[list[Move]]:
        """Settle parts; give their moves in the order of the parts."""
        executor = self._executor()
        if executor is None:
            problem = work.ledger.problem
            for part in parts:
                yield _settled(problem, work.price, work.programs, part)[0]
            return
        shared = self._shared_for(work)
        with _nobody_main():
            futures = [executor.submit(settle_part, shared, part) for part in parts]
        for part, future in zip(parts, futures, strict=True):
            found = future.result()
            if found is None:
                content = Path(shared.path).read_bytes()
                found = _again(executor, Shared(shared.path, content), part).result()
            if found is not None:
                work.programs.solved += found[1]
                yield found[0]

    def each(
        self, function: Callable[[_Task], _Answer], tasks: Sequence[_Task]
    ) -> Iterator[_Answer]:
        """Apply a function to tasks that carry all they need; answers in their order.

        The function must be importable, and what it gives depend on the task alone.
        """
        executor = self._executor() if len(tasks) > 1 else None
        if executor is None:
            yield from map(function, tasks)
            return
        with _nobody_main():
            futures = [executor.submit(function, task) for task in tasks]
        for future in futures:
            yield future.result()

    def _executor(self) -> Executor | None:
        if isinstance(self.given, Executor):
            return self.given
        workers = self.given if self.given is not None else os.cpu_count() or 1
        if workers <= 1:
            return None
        if self._own is None:
            # Forking a process that runs threads, as this one may, can lock up.
            context = multiprocessing.get_context("spawn")
            self._own = ProcessPoolExecutor(workers, mp_context=context)
        return self._own

    def _shared_for(self, work: Repair) -> Shared:
        """Write what all parts need to a file, once for each problem and price."""
        problem = work.ledger.problem
        mine = self._work[0] is problem and self._work[1] is work.price
        if self._shared is None or not mine:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="tacit-")
            number = len(list(Path(self._folder.name).iterdir()))
            path = Path(self._folder.name) / f"problem-{number}"
            path.write_bytes(pickle.dumps((problem, work.price), protocol=5))
            self._shared, self._work = Shared(str(path)), (problem, work.price)
        return self._shared


def _again(executor: Executor, shared: Shared, part: Part) -> Future[Any]:
    """Send everything along: the process does not see our files."""
    return executor.submit(settle_part, shared, part)


def checked(executor: object) -> Executor | int | None:
    """Refuse what is no executor and no number of processes."""
    if executor is None or isinstance(executor, Executor):
        return executor
    if isinstance(executor, int) and not isinstance(executor, bool) and executor > 0:
        return executor
    if callable(getattr(executor, "submit", None)):
        return executor  # type: ignore[return-value] # as good as one
    message = (
        f"executor= takes a concurrent.futures.Executor or a number of processes from "
        f"1 up, not {executor!r}. Give 1 to stay in this process."
    )
    raise InputError(message)


@contextlib.contextmanager
def _nobody_main() -> Iterator[None]:
    """Start processes without the script that called us.

    A process that is spawned runs the main script once more, which would do the same
    work again; ours need nothing of it.
    """
    main = sys.modules.get("__main__")
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        if main is not None:
            sys.modules["__main__"] = main


def settle(
    work: Repair,
    schedule: Sequence[Neighbourhood],
    crew: Crew,
    *,
    deadline: float = np.inf,
    tell: Callable[[Ledger], None] | None = None,
) -> None:
    """Settle every open need by one schedule, in parts where there are many."""
    ledger = work.ledger
    targets = ledger.open()
    if len(ledger.problem) < _SPLIT_CELLS or len(targets) < _SPLIT_NEEDS:
        repair(work, schedule, deadline=deadline)
        return
    most = _PARTS * _PART_NEEDS
    while len(targets) and time.monotonic() <= deadline:
        batch, targets = targets[:most], targets[most:]
        for moves in crew.settle_all(work, _parts(ledger, batch, schedule, deadline)):
            ledger.join(moves)
        targets = targets[~ledger.met[targets]]
        if tell is not None:
            tell(ledger)


def _parts(
    ledger: Ledger,
    batch: NDArray[np.int64],
    schedule: Sequence[Neighbourhood],
    deadline: float,
) -> list[Part]:
    hidden = np.packbits(ledger.hidden)
    seconds = deadline - time.monotonic()
    return [
        Part(
            hidden,
            some,
            np.stack([ledger.reach_up[some], ledger.reach_down[some]]),
            tuple(schedule),
            seconds,
        )
        for some in (batch[k::_PARTS] for k in range(_PARTS))
        if len(some)
    ]
