from __future__ import annotations

from pathlib import Path

import pytest

from convergebench.editors.registry import facts_of, parse
from convergebench.errors import WrongUse
from convergebench.provider_limits import ProviderLimits, limits_at


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CONVERGEBENCH_CONFIG", raising=False)
    return tmp_path


def test_without_a_file_nothing_is_said() -> None:
    assert limits_at("fal") == ProviderLimits()


def test_a_file_in_the_working_directory_raises_the_limits_of_the_providers_that_it_names(
    folder: Path,
) -> None:
    (folder / "convergebench.toml").write_text("[limits.fal]\nat_once = 20\nper_minute = 300\n")
    assert limits_at("fal") == ProviderLimits(20, 300)
    assert limits_at("openai") == ProviderLimits()
    fal, gemini = (facts_of(*parse(name)) for name in ("fal:any/edit", "gemini"))
    assert (fal.at_once, fal.per_minute) == (20, 300)
    assert (gemini.at_once, gemini.per_minute) == (8, None)


def test_limits_change_no_fingerprint(folder: Path) -> None:
    before = facts_of(*parse("fal:any/edit")).fingerprint
    (folder / "convergebench.toml").write_text("[limits.fal]\nat_once = 20\n")
    assert facts_of(*parse("fal:any/edit")).fingerprint == before


def test_another_file_is_named_by_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "mine.toml").write_text("[limits.fal]\nat_once = 3\n")
    monkeypatch.setenv("CONVERGEBENCH_CONFIG", "mine.toml")
    assert limits_at("fal").at_once == 3
    monkeypatch.setenv("CONVERGEBENCH_CONFIG", "none.toml")
    with pytest.raises(WrongUse, match=r"none\.toml"):
        limits_at("fal")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limits = ", "not valid TOML"),
        ("[limit.fal]\nat_once = 1", "only .limits.PROVIDER., .network., .providers.NAME. and options of"),
        ("[limits]\nfal = 3", "must be a table"),
        ("[limits.fal]\nat_ones = 3", "limits.fal.at_ones is unknown"),
        ("[limits.fal]\nat_once = 0", "above 0"),
        ("[limits.fal]\nat_once = 1.5", "above 0"),
        ("[limits.fal]\nper_minute = true", "above 0"),
    ],
)
def test_what_cannot_be_meant_is_named(text: str, said: str, folder: Path) -> None:
    (folder / "convergebench.toml").write_text(text)
    with pytest.raises(WrongUse, match=said):
        limits_at("fal")
