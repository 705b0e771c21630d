# SPDX-License-Identifier: Apache-2.0
"""Publish a coarser table in which less has to be protected."""

from tacit.protect.redesign._collapse import Collapse
from tacit.protect.redesign._verb import Proposal, Redesign, redesign

__all__ = ["Collapse", "Proposal", "Redesign", "redesign"]
