"""The commands that tell what there is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

Cli = Callable[..., Any]


def test_models_are_listed_with_parameters_and_prices(cli: Cli) -> None:
    models = {model["name"]: model for model in cli("models", "--json").json}
    assert models["jpeg"]["parameters"] == {"quality": 75}
    assert models["jpeg"]["price_usd"] == 0
    assert models["identity"]["role"] == "floor"
    table = cli("models").out
    for name in models:
        assert f"\n{name} " in table


def test_a_model_by_name_tells_its_parameters_and_what_it_lacks(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BFL_API_KEY", raising=False)
    assert "quality = 75" in cli("models", "show", "jpeg").out
    assert "no key: set BFL_API_KEY" in cli("models", "show", "kontext-pro").out
    assert cli("models", "show", "jpeg", "--json").json["name"] == "jpeg"


def test_models_are_searched_by_name_id_and_provider(cli: Cli) -> None:
    def found(text: str) -> set[str]:
        return {model["name"] for model in cli("models", "--search", text, "--json").json}

    assert found("seedream v5") == {"seedream-v5-pro", "seedream-v5-lite", "seedream-v5-flash"}
    assert found("fal-ai/bytedance/seedream/v5") == {"seedream-v5-lite"}  # its former id
    assert {"kontext-pro", "kontext-max"} <= found("BFL")
    assert "no model has 'nothing-like-it' in its name" in cli("models", "--search", "nothing-like-it").err


def test_a_models_public_facts_are_shown_with_their_source_and_date(cli: Cli) -> None:
    shown = cli("models", "show", "seedream-v5-lite").out
    assert "takes a seed: no" in shown and "size of the result: about 2048" in shown
    assert "source of these facts: fal's API page (2026-11-15)" in shown
    assert "takes a seed: unknown" in cli("models", "show", "flux-3").out
    assert "did you mean jpeg?" in cli("models", "show", "jpg").sentence
    by_id = cli("models", "show", "fal:fal-ai/qwen-image-edit").out
    assert by_id == cli("models", "show", "qwen").out and "price of an edit: $" in by_id
    assert cli("models", "show", "fal:someone/else").out.startswith("fal: any image-editing endpoint")


def test_metrics_are_listed_with_direction_and_range(cli: Cli) -> None:
    metrics = {metric["name"]: metric for metric in cli("metrics", "--json").json}
    assert (metrics["psnr"]["better"], metrics["psnr"]["perfect"]) == ("higher", "inf")
    assert (metrics["lpips"]["better"], metrics["lpips"]["perfect"]) == ("lower", 0)
    assert metrics["ssim"]["default"]
    printed = cli("metrics").out.splitlines()
    assert {line.split()[0] for line in printed if line[:1].strip()} == {"metric", *metrics}


def test_suites_are_listed_with_their_size(cli: Cli) -> None:
    suites = {suite["name"]: suite for suite in reversed(cli("suites", "--json").json)}
    assert suites["converge"]["pictures"] >= 12
    assert "folder:PATH" in cli("suites").out


def test_a_suites_cases_are_shown_in_full(cli: Cli, pictures: Path) -> None:
    cases = cli("suites", f"folder:{pictures}", "--json").json["cases"]
    assert len(cases) == len({case["id"] for case in cases}) > 2
    words = cli("suites", f"folder:{pictures}").out.split()
    assert {case["id"] for case in cases} <= set(words)


def test_long_ids_leave_the_instructions_whole_words(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = set(cli("suites", "converge-drawn").out.split())
    assert {"clockwise.", "counter-clockwise.", "Remove", "scene_objects:"} <= words


def test_a_contact_sheet_is_written_beside_the_json(cli: Cli, pictures: Path, tmp_path: Path) -> None:
    ended = cli("suites", f"folder:{pictures}", "--json", "--sheet", tmp_path / "sheet.png")
    assert ended.json["cases"]
    assert ended.err == f"Wrote {tmp_path / 'sheet.png'}\n"
    assert Image.open(tmp_path / "sheet.png").width > 64


def test_show_makes_a_contact_sheet_and_tells_what_is_on_it(cli: Cli, pictures: Path, tmp_path: Path) -> None:
    ended = cli("suites", "show", f"folder:{pictures}", "--sheet", tmp_path / "sheet.png")
    names = [path.stem for path in pictures.glob("*.png")]
    assert all(f"{name} " in ended.out for name in names)
    assert f"{len(names)} pictures" in ended.out
    assert f"* {len(names)} below 700,000 pixels" in ended.out and " × " in ended.out
    assert Image.open(tmp_path / "sheet.png").width > 64


def test_doctor_tells_what_works_and_how_to_get_the_rest(cli: Cli, tmp_path: Path) -> None:
    findings = {one["what"]: one for one in cli("doctor", "--json", "-w", tmp_path / "results").json}
    assert findings["metric ssim"]["works"]
    assert findings[f"workspace {tmp_path / 'results'}"]["detail"].endswith("convergebench run creates it")
    for one in findings.values():
        assert one["detail"]


def test_doctor_names_a_damaged_workspace(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "convergebench.sqlite").write_bytes(b"nothing that SQLite would know" * 99)
    ended = cli("doctor", "--json", "-w", tmp_path)
    (finding,) = (one for one in ended.json if one["what"].startswith("workspace"))
    assert ended.code == 0
    assert not finding["works"]
    assert "damaged" in finding["detail"]


def test_a_suite_in_json_writes_no_sheet(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("suites", "show", "converge-drawn", "--json").json["name"] == "converge-drawn"
    assert list(tmp_path.iterdir()) == []


def test_ready_models_lack_nothing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BFL_API_KEY", raising=False)
    ready = cli("models", "--ready", "--json").json
    assert "classical" in {one["name"] for one in ready}
    assert all(one["missing"] is None for one in ready)


def test_the_doctor_names_missing_keys_and_how_to_set_them(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BFL_API_KEY", raising=False)
    found = {one["what"]: one for one in cli("doctor", "--json").json}
    assert not found["key bfl"]["works"] and "export BFL_API_KEY=" in found["key bfl"]["detail"]


def test_commands_are_listed_in_groups_with_examples(cli: Cli) -> None:
    text = cli("--help").out
    assert [
        title for title in ("Start:", "Results:", "Judge:", "Import:", "Manage:") if title not in text
    ] == []
    assert "Other:" not in text and "Examples:" in text
    assert "--install-completion" in text
