# SPDX-License-Identifier: Apache-2.0
"""Studies that several tests look at, run once."""

from __future__ import annotations

import pytest

from tacit.study import Study, study


@pytest.fixture(scope="session")
def rules() -> Study:
    return study("rules")


@pytest.fixture(scope="session")
def negatives() -> Study:
    return study("negatives")
