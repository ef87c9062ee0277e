"""What a model silently ignores is said before it is run, and what a composite keeps is marked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Cli = Callable[..., Any]
Words = Callable[..., list[object]]


def test_a_seed_that_is_not_taken_and_a_size_that_changes_are_said_before_the_run(
    cli: Cli, run: Words
) -> None:
    told = cli(*run("--dry-run", model="grok"))
    assert told.code == 0
    assert "convergebench: grok takes no seed" in told.err
    assert "convergebench: grok does not keep the size of the picture: it returns 1k or 2k" in told.err
    assert cli(*run("--dry-run", model="nano-banana-edit")).err.count("takes no seed") == 0


def test_a_dry_run_prices_short_names_and_composites(cli: Cli, run: Words) -> None:
    assert "12 to do, about $0.81" in cli(*run("--dry-run", model="seedream-v5-pro")).out
    assert "12 to do, price unknown" in cli(*run("--dry-run", model="flux-3")).out
    pasted = cli(*run("--dry-run", "--json", model="seedream-v5-pro?paste=footprint")).json["models"][0]
    assert pasted["model"] == "seedream-v5-pro?paste=footprint" and pasted["cost_usd"] == 12 * 0.0675


def test_what_a_composite_keeps_is_marked_as_kept_by_construction(
    cli: Cli, run: Words, tmp_path: Path
) -> None:
    shown = cli(*run("--model", "jpeg?paste=footprint", rounds=1))
    assert shown.code == 0, shown.err
    assert "Kept by construction: jpeg?paste=footprint." in shown.out.replace("\n", " ")
    notes = cli("summary", "--json", "--workspace", tmp_path / "results").json["notes"]
    assert sum("Kept by construction: jpeg?paste=footprint." in note for note in notes) == 1
