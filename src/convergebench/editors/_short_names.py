"""Short names as data: each provider's file in `short_names/` says what is known of its models."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from convergebench.editors.registry import ModelFacts, Preset

_FOLDER = Path(__file__).with_name("short_names")
_OF_THE_CALL = frozenset({"model", "price_usd", "parameters", "summary", "pipeline"})


def short_names(provider: str) -> dict[str, Preset]:
    """The provider's models by their short names."""
    return {name: _preset(entry) for name, entry in _entries(provider).items()}


def facts_by_id(provider: str) -> dict[str, ModelFacts]:
    """What is known of the provider's models, by every id that each of them has."""
    presets = short_names(provider).values()
    return {id: one.facts for one in presets for id in (one.model, *one.facts.also)}


def pipelines_by_id() -> dict[str, str]:
    """The pipeline class of each hub id that has a short name."""
    return {entry["model"]: entry["pipeline"] for entry in _entries("diffusers").values()}


@cache
def _entries(provider: str) -> Mapping[str, dict[str, Any]]:
    with (_FOLDER / f"{provider}.toml").open("rb") as file:
        return tomllib.load(file)


def _preset(entry: Mapping[str, Any]) -> Preset:
    facts = {key: value for key, value in entry.items() if key not in _OF_THE_CALL}
    facts["also"] = tuple(facts.get("also", ()))
    return Preset(
        entry["model"],
        entry.get("price_usd"),
        entry.get("parameters", {}),
        entry.get("summary", ""),
        facts=ModelFacts(**facts),
    )
