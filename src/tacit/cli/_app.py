# SPDX-License-Identifier: Apache-2.0
"""The commands and their options; each opens what it needs when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

JobFile = Annotated[Path, typer.Argument(help="The job file.", metavar="JOB.TOML")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON for programs.")]


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it
    if wanted:
        import tacit  # noqa: PLC0415

        typer.echo(f"tacit {tacit.__version__}")
        raise typer.Exit


@app.callback()
def common(
    *,
    version: Annotated[  # noqa: ARG001 - handled by its callback
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Version."),
    ] = False,
    verbose: Annotated[
        int, typer.Option("--verbose", "-v", count=True, help="Log; -vv logs more.")
    ] = 0,
    debug: Annotated[  # noqa: ARG001 - read before typer sees it
        bool,
        typer.Option(
            "--debug", help="Show tracebacks. They may hold confidential values."
        ),
    ] = False,
) -> None:
    """Protect tables, prove it, publish.

    Results go to stdout, progress and log to stderr.

    Exit codes: 0 safe and complete, 1 error, 2 wrong call,
    3 not protected, 4 no answer within the limits.
    """
    from tacit.cli._log import start_log  # noqa: PLC0415

    start_log(verbose)


@app.command()
def run(
    job: JobFile,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder to write; default: out by the job."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace what an earlier run wrote.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Run a job: the whole protocol, from the source to the files."""
    from tacit.cli._run import run_command  # noqa: PLC0415

    raise typer.Exit(run_command(job, out=out, force=force, as_json=json))


@app.command()
def assess(
    job: JobFile,
    *,
    cells: Annotated[
        int,
        typer.Option(
            "--cells",
            "-n",
            min=0,
            metavar="N",
            help="List the N largest sensitive cells, with values and reasons.",
        ),
    ] = 0,
    json: AsJson = False,
) -> None:
    """Find the sensitive cells of a job. Internal: do not publish the output."""
    from tacit.cli._assess import assess_command  # noqa: PLC0415

    raise typer.Exit(assess_command(job, cells=cells, as_json=json))


@app.command()
def audit(  # noqa: PLR0913 - options of a command
    table: Annotated[
        Path, typer.Argument(help="The published table.", metavar="TABLE.CSV")
    ],
    *,
    job: Annotated[
        Path,
        typer.Option("--job", "-j", help="The job whose dimensions the table has."),
    ],
    value: Annotated[
        str | None, typer.Option("--value", help="Column of the printed numbers.")
    ] = None,
    lower: Annotated[
        str | None, typer.Option("--lower", help="Column of printed lower ends.")
    ] = None,
    upper: Annotated[
        str | None, typer.Option("--upper", help="Column of printed upper ends.")
    ] = None,
    symbol: Annotated[
        list[str] | None,
        typer.Option(
            "--symbol", help="A sign for withheld numbers, beside x : .. c and empty."
        ),
    ] = None,
    zero: Annotated[
        list[str] | None,
        typer.Option("--zero", help="A sign for nothing at all, beside -."),
    ] = None,
    decimal: Annotated[
        str | None, typer.Option("--decimal", help="The decimal mark of the table.")
    ] = None,
    base: Annotated[
        float | None, typer.Option("--base", help="What the numbers were rounded to.")
    ] = None,
    negative: Annotated[
        bool, typer.Option("--negative", help="Withheld numbers may be below zero.")
    ] = False,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Seconds.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the report to this file.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Attack a published table: what do its numbers give away?"""
    from tacit.attacker import Attacker  # noqa: PLC0415
    from tacit.cli._audit import audit_command  # noqa: PLC0415
    from tacit.job._audit import FileAudit  # noqa: PLC0415

    how = FileAudit(
        value=value,
        lower=lower,
        upper=upper,
        symbols=tuple(symbol or ()),
        zeros=("-", *(zero or ())),
        decimal=decimal,
        base=base,
        attackers=[Attacker(non_negative=False)] if negative else None,
        time_limit=time_limit,
    )
    raise typer.Exit(audit_command(table, job, how, html=html, as_json=json))


@app.command()
def verify(
    folder: Annotated[
        Path, typer.Argument(help="The folder that a run wrote.", metavar="DIR")
    ],
    *,
    json: AsJson = False,
) -> None:
    """Check the proof that a run has left, without a solver."""
    from tacit.cli._verify import verify_command  # noqa: PLC0415

    raise typer.Exit(verify_command(folder, as_json=json))


@app.command()
def compare(
    job: JobFile,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder; default: compare by the job."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace what an earlier run wrote.")
    ] = False,
    risk: Annotated[
        str, typer.Option("--risk", help="The measure of risk.")
    ] = "risk_variance",
    loss: Annotated[
        str, typer.Option("--loss", help="The measure of loss.")
    ] = "absolute_loss_percent",
    json: AsJson = False,
) -> None:
    """Compare several methods on the table of a job: risk, loss, which to take."""
    from tacit.cli._compare import compare_command  # noqa: PLC0415

    axes = {"risk": risk, "loss": loss}
    raise typer.Exit(
        compare_command(job, out=out, force=force, as_json=json, axes=axes)
    )


@app.command()
def explain(
    job: JobFile,
    *,
    cell: Annotated[
        str,
        typer.Option("--cell", metavar="CODES", help="The cell, as region=A1,size=3."),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="What a run wrote; default: out by the job."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Say why a cell is withheld. Confidential: do not publish the output."""
    from tacit.cli._explain import explain_command  # noqa: PLC0415

    raise typer.Exit(explain_command(job, cell=cell, out=out, as_json=json))


@app.command()
def study(
    name: Annotated[
        str,
        typer.Argument(help="rules, negatives, korea, m3a or advisor.", metavar="NAME"),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder; default: study-NAME."),
    ] = None,
    job: Annotated[
        Path | None,
        typer.Option("--job", "-j", help="advisor: the job whose table it looks at."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Where it draws: another seed.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write into a folder that is not empty.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Run a simulation study; numbers as csv, figures as svg."""
    from tacit.cli._study import study_command  # noqa: PLC0415

    raise typer.Exit(
        study_command(name, out=out, job=job, seed=seed, force=force, as_json=json)
    )


@app.command()
def schema() -> None:
    """Write the JSON Schema of the job file, for editors."""
    import json as json_module  # noqa: PLC0415

    from tacit.job import Job  # noqa: PLC0415

    typer.echo(json_module.dumps(Job.schema(), indent=2))
