# SPDX-License-Identifier: Apache-2.0
"""Methods that make a table safe, and the release that they hand back."""

from tacit.protect._certificate import Certificate, Verification
from tacit.protect._release import Release, release_as_is, release_as_stated
from tacit.protect._secondaries import release_with_secondaries

__all__ = [
    "Certificate",
    "Release",
    "Verification",
    "release_as_is",
    "release_as_stated",
    "release_with_secondaries",
]
