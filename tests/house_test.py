# SPDX-License-Identifier: Apache-2.0
"""The house keeps its rules: direction of imports, names, licence, weight."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import tacit
from tacit.errors import TacitError

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME = Path(__file__).resolve().parents[1]
PACKAGE = HOME / "src" / "tacit"
MODULES = sorted(PACKAGE.rglob("*.py"))

# A room may import the rooms of lower rank, and itself.
RANK = {
    "errors": 0,
    "hierarchy": 1,
    "attacker": 1,
    "table": 2,
    "tabulate": 3,
    "rules": 3,
    "protect": 4,
    "audit": 5,
    "measure": 6,
    "study": 7,
    "publish": 8,
    "": 7,  # tacit itself, for its version
    "job": 9,
    "cli": 10,
    "app": 10,
}
# A noun may open a later door for its user (`release.write`), inside a method only.
LATE_CALLS = {
    ("protect/_release.py", "publish"),
    ("protect/_release.py", "audit"),
    ("audit/_report.py", "publish"),
    ("rules/_assessment.py", "publish"),
}
HEAVY = (
    "duckdb",
    "highspy",
    "matplotlib",
    "narwhals",
    "numba",
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "starlette",
    "xlsxwriter",
)
IMPORT_SECONDS = 0.5


class Import(NamedTuple):
    """One import of a room by another."""

    module: str
    line: int
    here: str
    there: str
    late: bool


def room_named(part: str) -> str:
    """Name the room; ``_hierarchy_files.py`` is a back room of ``hierarchy``."""
    name = part.removesuffix(".py")
    return name[1:].split("_")[0] if re.match(r"_[a-z]", name) else name


def room_of(dotted: str) -> str | None:
    parts = dotted.split(".")
    if parts[0] != "tacit":
        return None
    return room_named(parts[1]) if len(parts) > 1 else ""


def targets(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            kept = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*kept, base]).rstrip(".")
        if base == "tacit":
            yield from (f"tacit.{alias.name}" for alias in node.names)
        else:
            yield base


def imports_of(path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    module = path.relative_to(PACKAGE).as_posix()
    here = room_named(module.split("/")[0])
    package = ".".join(["tacit", *path.relative_to(PACKAGE).parts[:-1]])
    in_functions = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        for target in targets(node, package):
            there = room_of(target)
            if there is not None and there != here:
                late = id(node) in in_functions
                yield Import(module, getattr(node, "lineno", 0), here, there, late)


def goes_up(found: Import) -> bool:
    if found.late and (found.module, found.there) in LATE_CALLS:
        return False
    return RANK.get(found.there, 99) >= RANK[found.here]


def test_every_room_has_its_place() -> None:
    rooms = {room_named(path.relative_to(PACKAGE).parts[0]) for path in MODULES}
    assert rooms - {"__init__"} <= set(RANK)


def test_imports_go_down_only() -> None:
    wrong = [
        f"{found.module}:{found.line} imports tacit.{found.there}"
        for path in MODULES
        if path != PACKAGE / "__init__.py"
        for found in imports_of(path)
        if goes_up(found)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "up"),
    [
        ("from tacit.audit import audit", True),
        ("import tacit.cli", True),
        ("from tacit import audit", True),
        ("from ..publish import write", True),
        ("from tacit.tabulate import tabulate", True),
        ("def f():\n    from tacit.job import Job", True),
        ("from tacit.table import Table", False),
        ("from ..errors import RuleError", False),
        ("from ._base import Rule", False),
    ],
)
def test_the_direction_test_sees(text: str, up: bool) -> None:  # noqa: FBT001
    tree = ast.parse(text)
    found = [
        Import("rules/_x.py", 1, "rules", room, late=False)
        for node in ast.walk(tree)
        for target in targets(node, "tacit.rules")
        if (room := room_of(target)) is not None and room != "rules"
    ]
    assert any(goes_up(one) for one in found) is up


def from_protect(text: str) -> set[str]:
    """What a module of the audit takes from the room of the methods."""
    return {
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
        if (node.module or "").startswith("tacit.protect")
        for alias in node.names
    }


def test_the_audit_shares_no_code_with_the_methods() -> None:
    """It takes the release and its certificate: what is judged, not what made it."""
    taken = {
        name
        for path in (PACKAGE / "audit").rglob("*.py")
        for name in from_protect(path.read_text(encoding="utf-8"))
    }
    certificate = "tacit.protect._certificate"
    nouns = {"tacit.protect.Release", "tacit.protect.Certificate", certificate}
    assert "tacit.protect.Release" in taken
    assert not {n for n in taken - nouns if not n.startswith(f"{certificate}.")}
    assert from_protect("from tacit.protect.suppress import suppress") - nouns


def sources() -> Iterator[Path]:
    yield from MODULES
    for folder in ("tests", "bench", "docs", "examples", "tools"):
        yield from sorted((HOME / folder).rglob("*.py"))


def test_every_source_names_its_licence() -> None:
    line = "# SPDX-License-Identifier: Apache-2.0"
    without = [
        path.relative_to(HOME).as_posix()
        for path in sources()
        if not path.read_text(encoding="utf-8").startswith(line)
        and "_build" not in path.parts
    ]
    assert not without


def isort_key(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as ruff sorts them (RUF022)."""
    if name.isupper() and len(name) > 1:
        return (0, name)
    return (1 if name[0].isupper() else 2, name)


def declared_names(path: Path) -> list[str] | None:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__"
            for target in node.targets
        ):
            names: list[str] = ast.literal_eval(node.value)
            return names
    return None


def test_declared_names_are_sorted_and_single() -> None:
    for path in MODULES:
        names = declared_names(path)
        if names is not None:
            assert names == sorted(set(names), key=isort_key), path.name


def public_modules() -> list[str]:
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in MODULES}
    return ["tacit", *(f"tacit.{room}" for room in sorted(rooms) if room[0] != "_")]


@pytest.mark.parametrize("module", public_modules())
def test_declared_names_resolve_and_say_what_they_are(module: str) -> None:
    room = importlib.import_module(module)
    for name in getattr(room, "__all__", ()):
        thing = getattr(room, name)
        if inspect.isclass(thing) or callable(thing):
            assert inspect.getdoc(thing), f"{module}.{name} has no docstring"


def examples_of(thing: object) -> str:
    text = inspect.getdoc(thing) or ""
    if inspect.isclass(thing):
        text += "".join(
            inspect.getdoc(member) or ""
            for name, member in inspect.getmembers(thing)
            if not name.startswith("_") and member is not type
        )
    return text


def is_base_or_error(thing: object) -> bool:
    is_error = inspect.isclass(thing) and issubclass(thing, TacitError)
    return is_error or inspect.isabstract(thing)


def test_every_public_name_has_an_example() -> None:
    lines = [
        line
        for path in (HOME / "docs").rglob("*.md")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith((">>>", "..."))
    ]
    shown = set(re.findall(r"\w+", "\n".join(lines)))
    without = [
        name
        for name in tacit.__all__
        if not is_base_or_error(thing := getattr(tacit, name))
        and ">>>" not in examples_of(thing)
        and name not in shown
    ]
    assert not without


def test_names_are_listed_for_completion() -> None:
    assert set(tacit.__all__) <= set(dir(tacit))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = tacit.no_such_name


@pytest.mark.parametrize("name", ["errors.TacitError", "rules.t_ratio", "table.State"])
def test_rooms_can_be_named_without_opening_them_first(name: str) -> None:
    assert run(f"import tacit; print(tacit.{name}.__name__)").strip() in name


@pytest.mark.parametrize("verb", ["audit", "tabulate"])
def test_a_verb_stays_a_verb_when_its_room_is_opened_first(verb: str) -> None:
    code = f"import tacit.{verb}, tacit; print(callable(tacit.{verb}))"
    assert run(code).strip() == "True"


def run(code: str) -> str:
    """Run code in an interpreter of its own."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_import_loads_nothing_heavy() -> None:
    code = "import sys, tacit; print(*sorted(sys.modules))"
    loaded = set(run(code).split())
    assert not loaded & set(HEAVY)


def test_import_is_quick() -> None:
    code = (
        "import time; start = time.process_time(); import tacit; "
        "print(time.process_time() - start)"
    )
    assert min(float(run(code)) for _ in range(3)) <= IMPORT_SECONDS


def tracked() -> list[Path]:
    done = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607
        cwd=HOME,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("not a git checkout: which files belong is not known")
    names = done.stdout.decode().split("\0")
    return [HOME / name for name in names if name and (HOME / name).is_file()]


# Put together here so that this file does not hold what it looks for.
FORBIDDEN = re.compile(
    "|".join(
        [
            r"(?<![\w.~])/(?:root|home|work|Users)/" + r"\w",
            r"(?<!\w)[A-Z]:\\\\?" + "Users",
            "py" + r"pi\.org",
            "python" + r"hosted\.",
            "-index-url" + r"[ =]+\w",
            "file:" + "///",
        ]
    )
)


def test_no_machine_and_no_registry_is_named() -> None:
    found = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(HOME)}:{text.count(chr(10), 0, hit.start()) + 1}"
            for hit in FORBIDDEN.finditer(text)
        ]
    assert not found


def test_the_lock_is_hashed_and_names_no_address() -> None:
    text = (HOME / "requirements.lock").read_text(encoding="utf-8")
    assert not re.search(r"//|@ |\bhttps?:", text)
    pins = re.findall(
        r"^[a-z0-9._-]+==[^\\\n]+\\\n\s+--hash=sha256:", text, re.MULTILINE
    )
    assert len(pins) == len(re.findall(r"^[a-zA-Z0-9]", text, re.MULTILINE))
    assert {"duckdb", "hatchling", "numpy", "pytest", "ruff"} <= {
        pin.split("==")[0] for pin in pins
    }
