# SPDX-License-Identifier: Apache-2.0
"""What protection costs, what risk is left, and which release to choose."""

from tacit.measure._compare import Comparison, compare
from tacit.measure._measure import Measures, measure
from tacit.measure._registry import Measure, measure_named, measures
from tacit.measure._svg import number_text

__all__ = [
    "Comparison",
    "Measure",
    "Measures",
    "compare",
    "measure",
    "measure_named",
    "measures",
    "number_text",
]
