# SPDX-License-Identifier: Apache-2.0
"""Files for the public, and files that stay inside."""

from tacit.publish._formats import (
    FORMATS,
    PROBLEM_FORMATS,
    Layout,
    problem_writer,
    writer,
)
from tacit.publish._problem import publish_problem, publish_secondaries
from tacit.publish._publish import publish, publish_internal

__all__ = [
    "FORMATS",
    "PROBLEM_FORMATS",
    "Layout",
    "problem_writer",
    "publish",
    "publish_internal",
    "publish_problem",
    "publish_secondaries",
    "writer",
]
