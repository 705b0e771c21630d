# SPDX-License-Identifier: Apache-2.0
"""Certificates: what is proved, what is stored, what is noticed."""

from __future__ import annotations

import ast
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings

import tacit
from releases import instruments, large, percent, releases, withheld
from tacit import Attacker, Certificate, MinFrequency
from tacit.errors import InputError, LimitError, UnsafeError
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tacit.protect import Release


@pytest.fixture
def release() -> Release:
    return withheld(percent(15), "Harps-D", "Pianos-B")


@pytest.fixture
def certificate(release: Release) -> Certificate:
    return tacit.certify(release)


def sealed(certificate: Certificate, **changes: Any) -> Certificate:
    """Tamper with care: the digest of the content fits again."""
    changed = replace(certificate, **changes)
    digests = {**changed.digests, "content": changed.seal()}
    return replace(changed, digests=digests)


def test_a_safe_release_has_a_proof(release: Release, certificate: Certificate) -> None:
    found = tacit.verify(certificate, release)
    assert found
    assert not found.problems
    assert found.claims >= 4
    assert tacit.verify(certificate, release.table)


def test_the_audit_brings_the_proof_along(release: Release) -> None:
    report = tacit.audit(release, attackers=[Attacker()])
    assert report.certificate is not None
    audited = release.audited(attackers=[Attacker()])
    assert audited.safe
    assert tacit.verify(audited.certificate, audited)


def test_there_is_no_proof_of_what_is_false() -> None:
    with pytest.raises(UnsafeError, match="2 sensitive cells are not protected"):
        tacit.certify(withheld(percent(15)))
    assert tacit.audit(withheld(percent(15))).certificate is None


def test_it_says_nothing_of_what_it_holds(certificate: Certificate) -> None:
    text = repr(certificate)
    assert "confidential" in text
    assert not any(str(n) in text for n in (47, 28, 4230, 2820))


# --- files -------------------------------------------------------------------------


def test_a_file_gives_it_back_and_is_the_same_every_time(
    certificate: Certificate, release: Release, tmp_path: Path
) -> None:
    one = certificate.save(tmp_path / "one.internal.npz")
    time.sleep(0.01)
    again = Certificate.load(one)
    other = again.save(tmp_path / "other.internal.npz")
    assert one.read_bytes() == other.read_bytes()
    assert again.attacker == certificate.attacker
    assert tacit.verify(again, release)


def test_prior_bounds_survive_the_file(release: Release, tmp_path: Path) -> None:
    knowing = Attacker(bounds=(0.25, 1.75))
    path = tmp_path / "c.internal.npz"
    tacit.certify(release, attacker=knowing).save(path)
    again = Certificate.load(path)
    assert again.attacker == knowing
    assert tacit.verify(again, release)


def test_the_file_says_that_it_is_internal(
    certificate: Certificate, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="must hold the word 'internal'"):
        certificate.save(tmp_path / "certificate.npz")


@pytest.mark.parametrize("content", [b"", b"PK", b"nothing of the kind"])
def test_another_file_is_not_a_certificate(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "c.internal.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a certificate, or it was damaged"):
        Certificate.load(path)


def test_a_damaged_file_is_refused(certificate: Certificate, tmp_path: Path) -> None:
    path = certificate.save(tmp_path / "c.internal.npz")
    content = bytearray(path.read_bytes())
    for at in range(200, len(content), 97):
        path.write_bytes(bytes(content[:at]))
        with pytest.raises(InputError):
            Certificate.load(path)


# --- tampering ---------------------------------------------------------------------


def tampered(array: NDArray[Any]) -> NDArray[Any]:
    changed = array.copy()
    changed[0] = ~changed[0] if array.dtype == bool else changed[0] + 1
    return changed


FIELDS = [
    "offset", "cell", "amount", "claim_cell", "claim_side", "claim_distance",
    "claim_witness", "hidden", "required_cell", "required_above", "required_below",
    "required_width",
]  # fmt: skip


def test_every_field_is_tampered_with(certificate: Certificate) -> None:
    assert set(FIELDS) == set(certificate.arrays)


@pytest.mark.parametrize("name", FIELDS)
def test_a_changed_field_is_noticed(
    certificate: Certificate, release: Release, name: str
) -> None:
    change: dict[str, Any] = {name: tampered(getattr(certificate, name))}
    changed = replace(certificate, **change)
    assert "content" in " ".join(tacit.verify(changed, release).problems)


@pytest.mark.parametrize("name", FIELDS)
def test_a_changed_field_is_noticed_even_with_its_digest(
    certificate: Certificate, release: Release, name: str
) -> None:
    changed = sealed(certificate, **{name: tampered(getattr(certificate, name))})
    found = tacit.verify(changed, release)
    assert not found
    assert "content" not in " ".join(found.problems)


@pytest.mark.parametrize("name", ["cells", "relations", "pattern", "content"])
def test_a_changed_digest_is_noticed(
    certificate: Certificate, release: Release, name: str
) -> None:
    digests = {**certificate.digests, name: "0" * 64}
    problems = tacit.verify(replace(certificate, digests=digests), release).problems
    assert problems == (f"The {name} are not those it was made for.",)


def test_another_attacker_is_noticed(
    certificate: Certificate, release: Release
) -> None:
    knowing = Attacker(bounds=(0.99, 1.01))
    assert not tacit.verify(replace(certificate, attacker=knowing), release)
    found = tacit.verify(sealed(certificate, attacker=knowing), release)
    assert found.problems == ("A witness leaves the bounds that are known.",)


def test_a_proof_against_somebody_who_knows_less_says_so(
    certificate: Certificate, release: Release
) -> None:
    plain = tacit.verify(certificate, release)
    assert plain.attacker == Attacker()
    assert "against" not in repr(plain)
    unaware = Attacker(non_negative=False)
    found = tacit.verify(sealed(certificate, attacker=unaware), release)
    assert found.attacker == unaware
    assert "hold against Attacker(non_negative=False) by" in repr(found)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda c: {"claim_distance": c.claim_distance * 1.01}, "A claim is not"),
        (lambda c: {"amount": c.amount * 1000}, "leaves the bounds"),
        (lambda c: {"amount": np.abs(c.amount)}, "breaks a relation"),
        (lambda c: {"claim_side": 1 - c.claim_side}, "A claim is not"),
        (lambda c: {"claim_distance": c.claim_distance / 1e6}, "not protected as"),
        (lambda c: {"amount": c.amount + np.float64(0.5)}, "breaks a relation"),
    ],
)
def test_every_line_of_the_proof_is_checked(
    certificate: Certificate,
    release: Release,
    change: Callable[[Certificate], dict[str, Any]],
    problem: str,
) -> None:
    found = tacit.verify(sealed(certificate, **change(certificate)), release)
    assert any(problem in text for text in found.problems)


def test_it_belongs_to_one_release(certificate: Certificate, release: Release) -> None:
    fewer = withheld(percent(15), "Harps-D")
    assert any("pattern" in p for p in tacit.verify(certificate, fewer).problems)
    stricter = withheld(percent(50), "Harps-D", "Pianos-B")
    assert any("levels" in p for p in tacit.verify(certificate, stricter).problems)
    table = release.table
    value = table.cells.value.copy()
    value[[0, 1]] += 1
    other = table.updated(cells=replace(table.cells, value=value))
    assert any("cells" in p for p in tacit.verify(certificate, other).problems)


def test_a_release_that_publishes_a_sensitive_cell_fails(release: Release) -> None:
    certificate = tacit.certify(release)
    state = release.state.copy()
    state[release.table.index(kind="Harps", region="B")] = State.SAFE
    assert not tacit.verify(certificate, replace(release, state=state))


def test_only_a_release_or_its_table_can_be_verified(certificate: Certificate) -> None:
    with pytest.raises(InputError, match="takes a release or its table"):
        tacit.verify(certificate, "out")  # type: ignore[arg-type]


# --- whole numbers, time, size --------------------------------------------------------


def test_counts_are_proved_by_whole_tables() -> None:
    table = instruments()
    counts = tacit.Table.from_cells(
        {
            "kind": table.codes_of("kind").tolist(),
            "region": table.codes_of("region").tolist(),
            "n": table.evidence.contributors.tolist() if table.evidence else [],
        },
        by={"kind": "Total", "region": "Total"},
        count="n",
    )
    release = withheld(tacit.assess(counts, MinFrequency(n=3)), "Harps-D", "Pianos-B")
    certificate = tacit.certify(release)
    assert (certificate.amount == np.rint(certificate.amount)).all()
    assert tacit.verify(certificate, release)
    halves = sealed(certificate, amount=certificate.amount * 1.5)
    assert not tacit.verify(halves, release)


@settings(max_examples=30)
@given(releases())
def test_what_is_safe_can_be_certified_and_the_rest_cannot(release: Release) -> None:
    report = tacit.audit(release, attackers=[Attacker()])
    if report.safe:
        assert tacit.verify(tacit.certify(release), release)
    else:
        with pytest.raises(UnsafeError):
            tacit.certify(release)


def test_no_time_is_no_proof() -> None:
    release = large(99, 99)
    with pytest.raises(LimitError, match="not settled within the time"):
        tacit.certify(release, time_limit=1e-9)
    report = tacit.audit(release, attackers=[Attacker()], time_limit=1e-9)
    assert not report.safe
    assert report.open
    assert report.certificate is None
    assert "not settled in time" in repr(report)


def test_the_verifier_is_short_and_knows_no_solver() -> None:
    path = Path(tacit.__file__).parent / "audit" / "_verify.py"
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 150
    imported = {
        name
        for node in ast.walk(ast.parse(text))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert not any("highs" in name or "optimize" in name for name in imported)


def test_a_large_release_is_verified_in_two_seconds() -> None:
    release = large(399, 249)
    assert len(release) == 100_000
    certificate = tacit.certify(release)
    start = time.process_time()
    assert tacit.verify(certificate, release)
    assert time.process_time() - start < 2
