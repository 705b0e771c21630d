# SPDX-License-Identifier: Apache-2.0
"""Records in, a table out."""

from tacit.tabulate._tabulate import tabulate

__all__ = ["tabulate"]
