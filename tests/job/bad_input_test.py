# SPDX-License-Identifier: Apache-2.0
"""A job with mistakes: all of them at once, where they are, and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tacit.errors import InputError, JobError
from tacit.job import Job

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
version = 1
[data]
source = "firms.csv"
[dimensions.region]
column = "district"
total = "Total"
[measure]
value = "turnover"
decimals = 2
unit = "firm"
[[rule]]
kind = "p_percent"
p = 10
[output]
public = ["csv"]
"""

DATA = "firm,district,turnover\nf1,A,10.50\nf2,A,3.00\nf3,B,2.25\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "firms.csv").write_text(DATA, encoding="utf-8")
    return tmp_path


def problems(folder: Path, text: str) -> tuple[str, ...]:
    job = folder / "job.toml"
    job.write_text(text, encoding="utf-8")
    with pytest.raises(JobError) as caught:
        Job.load(job)
    return caught.value.problems


def test_the_good_job_is_good(folder: Path) -> None:
    (folder / "job.toml").write_text(GOOD, encoding="utf-8")
    assert Job.load(folder / "job.toml").measure.value == "turnover"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            '"p_percent"',
            '"p_procent"',
            (
                "line 11: rule[0]: There is no rule of kind 'p_procent'. "
                "Did you mean 'p_percent'?"
            ),
        ),
        (
            "p = 10",
            "pp = 10",
            (
                "line 11: rule[0]: PPercent: There is no parameter 'pp'. "
                "Did you mean 'p'?"
            ),
        ),
        (
            "p = 10",
            'p = "ten"',
            "line 11: rule[0]: PPercent: 'p' must be a number, not text.",
        ),
        (
            "version = 1",
            "version = 1\nrules = 3",
            "line 2: rules: unknown key. Did you mean 'rule'?",
        ),
        (
            "[data]",
            '[data]\nsourc = "x"',
            "line 3: data.sourc: unknown key. Did you mean 'source'?",
        ),
        (
            'column = "district"',
            'colum = "district"',
            "line 5: dimensions.region.colum: unknown key. Did you mean 'column'?",
        ),
        (
            'total = "Total"',
            "hierarchy = {digit = [1]}",
            (
                "line 6: dimensions.region.hierarchy.digit: unknown key. "
                "Did you mean 'digits'?"
            ),
        ),
        (
            "decimals = 2",
            'decimals = "2"',
            "line 9: measure.decimals: must be a whole number, not text.",
        ),
        (
            "decimals = 2",
            "decimals = -1",
            "line 9: measure.decimals: Input should be greater than or equal to 0.",
        ),
        (
            'column = "district"',
            "column = 3",
            "line 5: dimensions.region.column: must be text, not a whole number.",
        ),
        ("version = 1\n", "", "version: is missing: the version of this format: 1."),
        (
            "version = 1",
            "version = 2",
            "line 1: version: this is tacit's format 1; there is no format 2.",
        ),
        (
            '"firms.csv"',
            '"frims.csv"',
            "line 3: data.source: There is no file '",
        ),
        (
            '"firms.csv"',
            '"parts/*.csv"',
            "line 3: data.source: No file matches '",
        ),
        (
            'total = "Total"',
            'hierarchy = "nuts.csv"',
            "line 6: dimensions.region.hierarchy: the file 'nuts.csv' does not exist",
        ),
        (
            'total = "Total"',
            "hierarchy = {digits = [2, 0]}",
            (
                "line 6: dimensions.region.hierarchy.digits[1]: Input should be "
                "greater than or equal to 1."
            ),
        ),
        (
            'public = ["csv"]',
            'public = ["xslx"]',
            "line 15: output.public: There is no format 'xslx'. Did you mean 'xlsx'?",
        ),
        (
            'public = ["csv"]',
            'public = "csv"',
            "line 15: output.public: must be a list, not text.",
        ),
        (
            'public = ["csv"]',
            'symbol = "0"',
            (
                "line 15: output.symbol: The symbol '0' could be read as a number or "
                "as nothing. Choose a sign such as ':', '..' or 'x'."
            ),
        ),
        (
            'unit = "firm"',
            'holding = "group"',
            (
                "line 10: measure.holding: needs measure.unit: units are merged into "
                "holdings."
            ),
        ),
        (
            'unit = "firm"',
            'contributions = ["a"]',
            (
                "line 10: measure.contributions: belongs to data.kind = 'cells', and "
                "the data are microdata."
            ),
        ),
        (
            "[[rule]]",
            '[dimensions.again]\ncolumn = "district"\n[[rule]]',
            (
                "line 12: dimensions.again.column: column 'district' is already "
                "dimension 'region'."
            ),
        ),
        (
            "[output]",
            '[protect]\nmethod = "round"\nalgorithm = "convention"\nbase = 5\n[output]',
            (
                "line 14: protect: the algorithm 'convention' is not known. Did you "
                "mean 'conventional'?"
            ),
        ),
        (
            "[output]",
            (
                '[protect]\nmethod = "round"\nalgorithm = "conventional"\nbse = 5\n'
                "[output]"
            ),
            "line 17: protect.bse: unknown key. Did you mean 'base'?",
        ),
        (
            "[output]",
            '[protect]\nmethod = "supress"\n[output]',
            "line 14: protect: there is no method 'supress'. Did you mean 'suppress'?",
        ),
        (
            "[output]",
            '[protect]\nmethod = "suppress"\ntime_limt = 5\n[output]',
            "line 16: protect.time_limt: unknown key. Did you mean 'time_limit'?",
        ),
        (
            "[output]",
            '[protect]\nmethod = "suppress"\nalgorithm = "gaus"\n[output]',
            (
                "line 16: protect.algorithm: 'gaus' is not known. Did you mean "
                "'gauss'? Valid names: 'auto', 'gauss', 'hypercube', 'modular', "
                "'network', 'optimal'."
            ),
        ),
        (
            "[output]",
            '[protect]\nmethod = "suppress"\nattackers = [{bound = 1}]\n[output]',
            "line 16: protect.attackers[0].bound: unknown key. Did you mean 'bounds'?",
        ),
        (
            "[output]",
            '[protect]\nmethod = "suppress"\nhistory = "last.csv"\n[output]',
            "line 16: protect.history: the file 'last.csv' does not exist",
        ),
        (
            "version = 1",
            'version = 1\nprofile = "tau-argus"',
            (
                "line 2: profile: There is no profile 'tau-argus'. "
                "Did you mean 'tauargus'?"
            ),
        ),
        (
            "version = 1",
            'version = 1\ncombine = "some"',
            "line 2: combine: 'some' is not known. Valid names: 'all', 'any'.",
        ),
        (
            "version = 1",
            'version = 1\npreset = "office.toml"',
            (
                "line 2: preset: stands beside [[rule]]. The preset of an institute is "
                "not overridden by a job: remove one of the two."
            ),
        ),
    ],
)
def test_one_mistake_is_named_with_its_place(
    folder: Path, old: str, new: str, problem: str
) -> None:
    assert old in GOOD
    found = problems(folder, GOOD.replace(old, new))
    assert any(line.startswith(problem) for line in found), found


def test_all_mistakes_are_named_in_the_order_of_the_file(folder: Path) -> None:
    text = (
        GOOD.replace("firms.csv", "nothing.csv")
        .replace("decimals = 2", "decimals = true")
        .replace("p = 10", "p = 0")
        .replace('"csv"', '"pdf"')
    )
    found = problems(folder, text)
    assert [line.split(": ")[1] for line in found] == [
        "data.source",
        "measure.decimals",
        "rule[0]",
        "output.public",
    ]


def test_parameters_of_rules_are_not_repeated(folder: Path) -> None:
    text = GOOD.replace("p = 10", "p = 987654")
    assert "987654" not in " ".join(problems(folder, text.replace("1\n", "2\n", 1)))


def test_an_error_of_syntax_names_its_line(folder: Path) -> None:
    job = folder / "job.toml"
    job.write_text(GOOD.replace('"firms.csv"', "firms.csv"), encoding="utf-8")
    with pytest.raises(JobError, match="not valid TOML") as caught:
        Job.load(job)
    assert caught.value.problems == ("line 3: Invalid value",)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.toml", None, "There is no job file '.*absent.toml'."),
        (".", None, "is a folder, not a job file"),
        ("job.toml", b"\xff\xfe\x00", "is not UTF-8 text. Save it as UTF-8."),
    ],
)
def test_a_file_that_cannot_be_read(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(JobError, match=message):
        Job.load(tmp_path / name)


def test_a_byte_order_mark_does_no_harm(folder: Path) -> None:
    (folder / "job.toml").write_text(GOOD, encoding="utf-8-sig")
    assert Job.load(folder / "job.toml").version == 1


def test_a_preset_with_mistakes_is_reported_with_the_rest(folder: Path) -> None:
    (folder / "office.toml").write_text('name = "x"\n[[rule]]\nkind = "nope"\n')
    rules = GOOD.index("[[rule]]")
    text = 'preset = "office.toml"\n' + GOOD[:rules].replace("= 2", "= 2.5")
    found = problems(folder, text)
    assert found[0].startswith("line 1: preset: rule 1: There is no rule of kind")
    assert found[1].startswith("line 10: measure.decimals: must be a whole number")


def test_output_is_not_overwritten_unasked(folder: Path) -> None:
    (folder / "job.toml").write_text(GOOD, encoding="utf-8")
    job = Job.load(folder / "job.toml")
    out = folder / "results"
    out.mkdir()
    (out / "thesis.doc").write_text("years of work")
    with pytest.raises(InputError, match="is not empty, and nothing is overwritten"):
        job.run(out)
    with pytest.raises(InputError, match="not written by tacit and is not replaced"):
        job.run(out, force=True)
    assert (out / "thesis.doc").read_text() == "years of work"
    with pytest.raises(InputError, match="is a file"):
        job.run(folder / "firms.csv")
