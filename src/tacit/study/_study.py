# SPDX-License-Identifier: Apache-2.0
"""The verb: run a study by its name."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError, suggest

if TYPE_CHECKING:
    from tacit.study._result import Study

__all__ = ["STUDIES", "study"]

# A new study is one module with a function of its name, and one line here.
STUDIES = {
    "rules": "rules compared on cells drawn at random",
    "negatives": "contributions of both signs",
    "korea": "the published tables on linear rules, checked",
    "m3a": "methods compared on a table of skewed turnover",
    "advisor": "how rules differ on a table",
}
"""Names of the studies, and what they are about."""


def study(name: str, **options: Any) -> Study:  # noqa: ANN401 - those of the study
    """Run a study; ``options`` are its own, and ``seed`` where it draws anything.

    >>> study("rule")
    Traceback (most recent call last):
    tacit.errors.InputError: There is no study 'rule'. Did you mean 'rules'?
    """
    if name not in STUDIES:
        message = f"There is no study '{name}'. {suggest(name, STUDIES)}"
        raise InputError(message)
    module = importlib.import_module(f"tacit.study._{name}")
    found: Study = getattr(module, f"{name}_study")(**options)
    return found
