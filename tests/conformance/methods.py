# SPDX-License-Identifier: Apache-2.0
"""Every registered way to protect a table, and what each of them promises.

A verb joins the checks with one entry in ``METHODS``. Methods of suppression join by
themselves, with the strictest promise unless ``LESS`` says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, get_args

import pytest

import tacit
import tacit.protect.suppress
from conformance import cases
from conformance.needs import (
    all_are_known,
    by_records,
    free_counts,
    free_counts_of_one_table,
    has_evidence,
    keyed,
)
from tacit.protect.suppress._methods import Method as SuppressionMethod

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis import strategies as st

    from tacit import Assessment, Release

    Tables = st.SearchStrategy[Assessment]

__all__ = [
    "METHODS",
    "Method",
    "Promise",
    "changing_methods",
    "every_method",
    "hiding_methods",
]


class Promise(Enum):
    """What nobody can do with a release that is said to be protected."""

    EXACT = "no sensitive value follows from the published ones"
    NONE = "what its own attack finds is said, and nothing is promised"
    INTERVALS = "no sensitive value can be estimated more closely than its levels allow"


def anything(_assessment: Assessment) -> bool:
    return True


@dataclass(frozen=True)
class Method:
    """A way to protect: withholds cells, unless it changes their values.

    ``additive`` says of one that changes values that what it publishes adds up,
    ``counts`` that it takes counts only, ``fits`` which tables it is for beside that.
    """

    name: str
    promise: Promise
    run: Callable[..., Release]
    hides: bool = True
    assessments: st.SearchStrategy[Assessment] = field(
        default_factory=cases.assessments
    )
    frozen: st.SearchStrategy[Assessment] = field(default_factory=cases.frozen)
    additive: bool = False
    fits: Callable[[Assessment], bool] = anything
    counts: bool = False


LESS = {"gauss": Promise.EXACT}
# Methods that refuse every other table.
ONLY = {"network": cases.networks()}


def _suppression(name: str) -> Method:
    def run(assessment: Assessment, **options: Any) -> Release:
        return tacit.protect.suppress.suppress(
            assessment,
            name,  # type: ignore[arg-type]
            **options,
        )

    only = ONLY.get(name)
    tables = {} if only is None else {"assessments": only, "frozen": cases.frozen(only)}
    promise = LESS.get(name, Promise.INTERVALS)
    return Method(f"suppress-{name}", promise, run, **tables)


def _changing(
    verb: Callable[..., Release],
    name: str,
    *,
    additive: bool = False,
    fits: Callable[[Assessment], bool] = anything,
    counts: bool = False,
    **fixed: Any,
) -> Method:
    def run(assessment: Assessment, **options: Any) -> Release:
        return verb(assessment, name, **(fixed | options))

    title = f"{verb.__name__.strip('_')}-{name}"
    return Method(
        title,
        Promise.NONE,
        run,
        hides=False,
        additive=additive,
        fits=fits,
        counts=counts,
    )


def _by_cell_key(assessment: Assessment, name: str, **options: Any) -> Release:
    steps: dict[str, Any] = {"D": 3, "V": 1.0}
    if isinstance(assessment, tacit.Assessment) and not assessment.table.is_count:
        options |= {"scale": 0.2}
        steps |= {"kind": "magnitude"}
    return tacit.perturb(keyed(assessment), name, noise=steps, **options)


def _by_contributions(assessment: Assessment, name: str, **options: Any) -> Release:
    return tacit.perturb(keyed(assessment), name, key="conformance", **options)


METHODS = (
    *(_suppression(name) for name in get_args(SuppressionMethod)),
    _changing(tacit.round, "conventional", base=5),
    _changing(tacit.round, "random", base=5, key="conformance"),
    _changing(tacit.adjust, "cta", additive=True, time_limit=20),
    _changing(tacit.round, "small_counts", additive=True, counts=True, base=3),
    _changing(tacit.round, "controlled", additive=True, base=5, time_limit=20),
    _changing(tacit.round, "controlled", additive=True, base=3, steps=1, time_limit=20),
    _changing(tacit.adjust, "m3a", additive=True, fits=all_are_known, least=0.05),
    _changing(_by_cell_key, "cell_key", fits=has_evidence),
    _changing(_by_contributions, "ezs", additive=True, fits=by_records),
    _changing(tacit.perturb, "multiplicative", fits=has_evidence, p=10.0, key="c"),
    _changing(tacit.perturb, "laplace", fits=free_counts, epsilon=2.0, key="c"),
    _changing(
        tacit.perturb,
        "gaussian",
        additive=True,
        fits=free_counts_of_one_table,
        epsilon=2.0,
        delta=1e-6,
        key="c",
        where="inner",
    ),
)

every_method = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
hiding_methods = pytest.mark.parametrize(
    "method", [m for m in METHODS if m.hides], ids=lambda m: m.name
)
changing_methods = pytest.mark.parametrize(
    "method", [m for m in METHODS if not m.hides], ids=lambda m: m.name
)
