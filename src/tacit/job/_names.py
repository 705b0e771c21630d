# SPDX-License-Identifier: Apache-2.0
"""Names of the files of a run that other steps look for."""

from __future__ import annotations

__all__ = ["CERTIFICATE", "RELEASE", "REPORT"]

REPORT = "report.internal.html"
CERTIFICATE = "certificate.internal.npz"
RELEASE = "release.internal.npz"
