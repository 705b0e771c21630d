# SPDX-License-Identifier: Apache-2.0
"""What every test can ask for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# The first example of a test imports and compiles what the others then have. Everybody
# tries the same examples, so a change is judged by what it changes; ``make fuzz`` tries
# others.
settings.register_profile("tacit", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, print_blob=True)
settings.load_profile("tacit")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Give the folder of real data that lies beside the project, or skip."""
    if not SHARED.is_dir():
        pytest.skip(f"the reference data are not on this machine ({SHARED.name})")
    return SHARED
