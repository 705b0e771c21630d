# SPDX-License-Identifier: Apache-2.0
"""A job runs from its file to a folder that is complete or not there."""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from typing import TYPE_CHECKING

import pytest

from tacit.errors import InputError, MissingExtraError
from tacit.job import Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FIRMS = """firm,group,district,size,turnover
f1,g1,A11,1,10.50
f2,g1,A11,1,20.25
f3,f3,A12,1,30.00
f4,f4,A12,2,40.00
f5,f5,A21,1,50.00
f6,f6,A21,2,60.00
f7,f7,B11,1,70.00
f8,f8,B11,2,80.00
"""

JOB = """\
version = 1
[data]
source = "firms.csv"
[dimensions.region]
column = "district"
hierarchy = {digits = [1, 1, 1]}
[dimensions.size]
[measure]
value = "turnover"
decimals = 2
unit = "firm"
holding = "group"
[[rule]]
kind = "min_frequency"
n = 2
"""


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Job]:
    def made(text: str = JOB, data: str = FIRMS, **files: str) -> Job:
        (tmp_path / "firms.csv").write_text(data, encoding="utf-8")
        for name, content in files.items():
            (tmp_path / name.replace("_", ".")).write_text(content, encoding="utf-8")
        (tmp_path / "job.toml").write_text(text, encoding="utf-8")
        return Job.load(tmp_path / "job.toml")

    return made


def names_in(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_is_the_one_described(make: Callable[..., Job]) -> None:
    table = make().tabulate()
    assert table.names == ("region", "size")
    assert table.dimensions[0].codes[:5] == ("Total", "A", "A1", "A11", "A12")
    assert table.cells.value[table.index(region="A1")] == 10075
    assert table.evidence is not None
    assert table.evidence.contributors[table.index(region="A11")] == 1


def test_something_sensitive_means_no_public_table(
    make: Callable[..., Job], tmp_path: Path
) -> None:
    outcome = make().run(tmp_path / "out")
    assert outcome.exit_code == 3
    assert outcome.message.startswith("Nothing was published: ")
    assert "chooses no protection" in outcome.message
    assert names_in(tmp_path / "out") == {
        "internal/report.internal.html",
        "internal/table.internal.csv",
        "manifest.json",
        "summary.json",
    }
    assert (tmp_path / "out" / "public").is_dir()
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary == dict(outcome.summary)
    sensitive = [
        row
        for row in rows_of(tmp_path / "out" / "internal" / "table.internal.csv")
        if row["state"] == "sensitive"
    ]
    assert len(sensitive) == summary["sensitive"] > 0
    assert summary["safe"] is False
    assert set(summary) == {
        "cells",
        "empty",
        "sensitive",
        "suppressed",
        "cost",
        "bound",
        "safe",
    }


def test_nothing_sensitive_means_a_public_table(
    make: Callable[..., Job], tmp_path: Path
) -> None:
    output = '[output]\npublic = ["csv", "html"]\ninternal = []\nname = "firms"\n'
    outcome = make(JOB.replace("n = 2", "n = 1") + output).run(tmp_path / "out")
    assert outcome.exit_code == 0
    assert {"public/firms.csv", "public/firms.html"} < names_in(tmp_path / "out")
    assert set(outcome.paths) == {
        tmp_path / "out" / name for name in names_in(tmp_path / "out")
    }
    total = rows_of(tmp_path / "out" / "public" / "firms.csv")[0]
    assert (total["region"], total["size"]) == ("Total", "Total")
    assert total["value"] == "360.75"


def test_the_manifest_says_what_went_in(
    make: Callable[..., Job], tmp_path: Path
) -> None:
    make().run(tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["internal"] is True
    assert manifest["exit_code"] == 3
    assert manifest["inputs"] == [
        {
            "path": "firms.csv",
            "sha256": hashlib.sha256(FIRMS.encode()).hexdigest(),
            "bytes": len(FIRMS),
        }
    ]
    assert manifest["job"]["rule"][0]["n"] == 2
    audit = manifest["audit"]
    assert audit["run"]
    assert not audit["safe"]
    assert audit["exact"] > 0
    assert "seconds" not in audit
    assert manifest["certificate"] is None
    assert {"tacit", "python", "numpy", "duckdb", "highspy"} <= set(
        manifest["versions"]
    )
    assert "created" not in manifest
    assert str(tmp_path) not in json.dumps(manifest)
    for output in manifest["outputs"]:
        content = (tmp_path / "out" / output["path"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == output["sha256"]


def test_the_same_job_gives_the_same_bytes(
    make: Callable[..., Job], tmp_path: Path
) -> None:
    output = '[output]\npublic = ["csv", "html", "xlsx"]\ninternal = ["csv", "xlsx"]\n'
    job = make(JOB.replace("n = 2", "n = 1") + output)
    job.run(tmp_path / "one")
    job.run(tmp_path / "two")
    assert names_in(tmp_path / "one") == names_in(tmp_path / "two")
    for name in names_in(tmp_path / "one"):
        one, two = ((tmp_path / run / name).read_bytes() for run in ("one", "two"))
        assert one == two, name


def test_a_date_only_if_it_is_given(
    make: Callable[..., Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    make().run(tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["created"] == "2026-01-01T00:00:00+00:00"


def test_force_replaces_what_was_written_before(
    make: Callable[..., Job], tmp_path: Path
) -> None:
    make(JOB + '[output]\nname = "first"\n').run()
    with pytest.raises(InputError, match="not empty"):
        make().run()
    make().run(force=True)
    out = tmp_path / "out"
    assert "internal/table.internal.csv" in names_in(out)
    assert "internal/first.internal.csv" not in names_in(out)


def test_a_failure_leaves_what_was_there(
    make: Callable[..., Job], tmp_path: Path
) -> None:
    make().run(tmp_path / "out")
    before = names_in(tmp_path / "out")
    wide = "firm,group,district,size,turnover\n" + "".join(
        f"f{n},f{n},A11,{n},1\n" for n in range(17_000)
    )
    # Nothing is sensitive: what fails here is the writing.
    text = JOB.replace("n = 2", "n = 1") + '[output]\ninternal = ["csv", "xlsx"]\n'
    job = make(text, wide)
    with pytest.raises(InputError, match="Write it as csv"):
        job.run(tmp_path / "out", force=True)
    assert names_in(tmp_path / "out") == before
    with pytest.raises(InputError):
        job.run(tmp_path / "fresh")
    assert not (tmp_path / "fresh").exists()
    assert not list(tmp_path.glob(".*"))


def test_levels_in_columns_and_labels(make: Callable[..., Job]) -> None:
    data = "a,b,n\nN,N1,1\nN,N2,2\nS,S1,3\n"
    text = """version = 1
[data]
source = "firms.csv"
[dimensions.where]
column = "b"
hierarchy = {columns = ["a", "b"]}
labels = "labels.csv"
[[rule]]
kind = "min_frequency"
n = 3
"""
    table = make(text, data, labels_csv="code,label\nN,North\nX,nowhere\n").tabulate()
    dimension = table.dimensions[0]
    assert dimension.codes == ("Total", "N", "N1", "N2", "S", "S1")
    assert dimension.label("N") == "North"
    assert dimension.label("S") == "S"
    assert table.is_count
    assert table.cells.value.tolist() == [3, 2, 1, 1, 1, 1]


def test_several_trees_over_one_column(make: Callable[..., Job]) -> None:
    data = "r,v\n1,10\n2,20\n3,30\n"
    text = """version = 1
[data]
source = "firms.csv"
[dimensions.r]
hierarchy = ["p.csv", "q.hrc"]
[measure]
value = "v"
[[rule]]
kind = "min_frequency"
n = 1
"""
    trees = {"p_csv": "code,parent\nP,Total\n1,P\n2,P\n3,Total\n"}
    trees["q_hrc"] = "1\nQ\n@2\n@3\n"
    table = make(text, data, **trees).tabulate()
    assert table.cells.value[table.index(r="P")] == 30
    assert table.cells.value[table.index(r="Q")] == 50


def test_options_of_the_data(make: Callable[..., Job]) -> None:
    data = 'r;v\n" a ";1,5\n;2,25\n'
    text = """version = 1
[data]
source = "firms.csv"
decimal = ","
strip_codes = true
missing = {r = "none"}
[dimensions.r]
[measure]
value = "v"
decimals = 2
[[rule]]
kind = "min_frequency"
n = 1
"""
    table = make(text, data).tabulate()
    assert table.dimensions[0].codes == ("Total", "a", "none")
    assert table.cells.value.tolist() == [375, 150, 225]


CELLS = "r,n,v,x1,x2,s\na,5,100,40,30,safe\nb,2,50,49,1,safe\nT,7,150,49,40,safe\n"
CELLS_JOB = """version = 1
[data]
source = "firms.csv"
kind = "cells"
[dimensions.region]
column = "r"
total = "T"
[measure]
value = "v"
count = "n"
contributions = ["x1", "x2"]
[[rule]]
kind = "p_percent"
p = 10
"""


def test_a_finished_table_is_judged(make: Callable[..., Job]) -> None:
    assessment = make(CELLS_JOB, CELLS).assess()
    table = assessment.table
    assert table.names == ("region",)
    assert assessment.sensitive.tolist() == [False, False, True]


def test_states_that_came_along_are_kept(
    make: Callable[..., Job], tmp_path: Path
) -> None:
    text = CELLS_JOB[: CELLS_JOB.index("[[rule]]")] + 'state = "s"\n'
    job = make(text, CELLS.replace("1,safe\nT", "1,suppressed\nT"))
    outcome = job.run(tmp_path / "out")
    assert outcome.exit_code == 3
    assert "Not safe: 1 exact; 1 withheld cell" in outcome.message
    assert outcome.summary["suppressed"] == 1


def test_decimals_of_a_finished_table_are_as_many_as_it_has(
    make: Callable[..., Job],
) -> None:
    cells = CELLS.replace("100,", "100.125,").replace("150,", "150.125,")
    table = make(CELLS_JOB, cells).tabulate()
    assert table.cells.decimals == 3


def test_levels_marked_by_another_sign(make: Callable[..., Job]) -> None:
    text = JOB.replace(
        "hierarchy = {digits = [1, 1, 1]}", 'hierarchy = "r.hrc"\nlead = "#"'
    )
    tree = "A\n#A11\n#A12\n#A21\nB11\n"
    table = make(text, r_hrc=tree).tabulate()
    assert table.dimensions[0].codes == ("Total", "A", "A11", "A12", "A21", "B11")


def test_what_a_format_needs_is_asked_for_before_the_work(
    make: Callable[..., Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    seen: list[object] = []
    job = make(JOB + '[output]\ninternal = ["xlsx"]\n')
    with pytest.raises(MissingExtraError, match=r"tacit\[excel\]"):
        job.run(tmp_path / "out", progress=lambda *step: seen.append(step))
    assert seen == []


def test_a_preset_of_the_institute(make: Callable[..., Job], tmp_path: Path) -> None:
    preset = 'name = "business"\n[[rule]]\nkind = "dominance"\nn = 4\nk = 80\n'
    text = 'preset = "office.toml"\n' + JOB[: JOB.index("[[rule]]")]
    job = make(text, office_toml=preset)
    assessment = job.assess()
    assert assessment.preset == "business"
    assert assessment.table.evidence is not None
    assert assessment.table.evidence.largest.shape[1] >= 4
    job.run(tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["preset"] == "business"
    assert len(manifest["inputs"]) == 2


@pytest.mark.parametrize(("combine", "sensitive"), [("any", True), ("all", False)])
def test_rules_are_combined(
    make: Callable[..., Job],
    combine: str,
    sensitive: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    rules = '[[rule]]\nkind = "zero"\n[[rule]]\nkind = "p_percent"\np = 10\n'
    text = f'combine = "{combine}"\n' + JOB[: JOB.index("[[rule]]")] + rules
    assert bool(make(text).assess().sensitive.any()) is sensitive


def test_codes_can_be_exempted(make: Callable[..., Job]) -> None:
    text = JOB + '[assess]\nexempt = {size = ["2"]}\n'
    assessment = make(text).assess()
    size = assessment.table.codes_of("size")
    assert not assessment.sensitive[size == "2"].any()
    assert assessment.sensitive[size == "1"].any()


def test_a_glob_of_files_is_one_source(
    make: Callable[..., Job], tmp_path: Path
) -> None:
    head, *rows = FIRMS.splitlines(keepends=True)
    for number, row in enumerate(rows):
        (tmp_path / f"part{number}.csv").write_text(head + row)
    whole = make().tabulate()
    parts = make(JOB.replace("firms.csv", "part*.csv"))
    assert parts.tabulate().cells.value.tolist() == whole.cells.value.tolist()
    parts.run(tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["inputs"][0]["files"] == len(rows)


def test_progress_is_reported(make: Callable[..., Job], tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    make().run(tmp_path / "out", progress=lambda *step: seen.append(step))
    assert ("writing", 2, 2) in seen
    assert len({stage for stage, _, _ in seen}) > 1


def test_a_job_does_not_show_the_parameters_of_its_rules(
    make: Callable[..., Job],
) -> None:
    job = make(JOB.replace("n = 2", "n = 987654"))
    assert "987654" not in f"{job!r} {job} {job.rule!r} {job.rules!r}"


def test_the_schema_knows_every_section_and_rule() -> None:
    schema = Job.schema()
    assert schema["additionalProperties"] is False
    assert "assess" in schema["properties"]
    assert "judging" not in schema["properties"]
    text = json.dumps(schema)
    for kind in ("p_percent", "min_frequency", "group_disclosure", "any_of"):
        assert f'"{kind}"' in text
    described = schema["$defs"]["Measure"]["properties"].values()
    assert all("description" in key for key in described)
