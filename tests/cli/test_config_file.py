"""One file for the options of several commands."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from convergebench.cli.config_file import config_template, read_config
from convergebench.cli.main import app
from convergebench.errors import WrongUse
from convergebench.network import network_settings
from convergebench.provider_limits import COMMANDS, limits_at

Cli = Callable[..., Any]


@cache
def commands() -> Any:
    found: Any = typer.main.get_command(app)
    return found.commands


@pytest.fixture
def config(pictures: Path, tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(
        f'workspace = "{tmp_path / "results"}"\n'
        f'[run]\nmodel = ["jpeg", "coarse=jpeg?quality=10"]\nsuite = "folder:{pictures}"\n'
        'rounds = 1\nlimit = 4\nmetric = "ssim"\n'
        f'[check]\nbaseline = "{tmp_path / "results"}?model=jpeg"\nmodel = "coarse"\n'
        'by = "ssim"\nmargin = 0.9\n'
    )
    return path


def test_run_and_check_take_their_options_from_one_file(cli: Cli, config: Path) -> None:
    ran = cli("run", "--config", config, "--json")
    assert ran.code == 0 and ran.json["run"]["edits"] == 16
    assert cli("check", "--config", config).code == 0


def test_the_command_line_takes_precedence(cli: Cli, config: Path) -> None:
    assert cli("run", "--config", config, "--limit", 1, "--json").json["run"]["edits"] == 4


def test_yaml_says_the_same(cli: Cli, config: Path) -> None:
    content = tomllib.loads(config.read_text())
    other = config.with_suffix(".yaml")
    import yaml

    other.write_text(yaml.safe_dump(content))
    assert read_config(other, commands()) == read_config(config, commands())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[run]\nruonds = 3", "did you mean rounds"),
        ("[rum]\nrounds = 3", "did you mean run"),
        ("ruonds = 3", "did you mean rounds"),
        ("[run]\nfresh = 3", "true or false"),
        ("[run", "not valid TOML"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(WrongUse, match=message):
        read_config(tmp_path / "a.toml", commands())


def other_value(option: Any) -> Any:
    """A value of the option's type that is not its default."""
    if option.is_flag:
        return not option.default
    kind = option.type.name
    values = {"integer": 7, "integer range": 7, "float": 0.25, "float range": 0.25}
    value = getattr(option.type, "choices", None) or [values.get(kind, "x")]
    return [value[-1]] * 2 if option.multiple else value[-1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_the_command_line_can_be_in_the_file(tmp_path: Path, name: str) -> None:
    command = commands()[name]
    options = [
        one
        for one in command.params
        if one.param_type_name == "option" and one.name not in ("help", "config", "dry_run", "as_json")
    ]
    lines = [f"{max(one.opts, key=len).lstrip('-')} = {json.dumps(other_value(one))}" for one in options]
    (tmp_path / "a.toml").write_text("\n".join([f"[{name}]", *lines]))
    given = read_config(tmp_path / "a.toml", commands())[name]
    with command.make_context(name, [], resilient_parsing=True, default_map=given) as context:
        found = dict(context.params)
    for one in options:
        value = list(found[one.name]) if one.multiple else found[one.name]
        assert (str(value) if isinstance(value, Path) else value) == other_value(one), one.name


@pytest.mark.parametrize("suffix", ["toml", "yaml"])
def test_refine_takes_its_section_or_a_file_of_its_own(
    cli: Cli, pictures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.chdir(tmp_path)
    options = {"model": "identity", "rounds": 0, "image": str(pictures / "anna.png"), "instruction": "Turn."}
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in options.items())
    text = f"[refine]\n{lines}" if suffix == "toml" else json.dumps({"refine": options})
    Path(f"common.{suffix}").write_text(text)
    Path("own.yaml").write_text(json.dumps({"models": [options.pop("model")], **options}))
    common, own = (
        cli("refine", "--config", file, "--dry-run", "--json") for file in (f"common.{suffix}", "own.yaml")
    )
    assert common.code == 0 and common.json == own.json


def test_fresh_is_the_opposite_of_resume(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[run]\nfresh = true")
    assert read_config(tmp_path / "a.toml", commands())["run"] == {"resume": False}


def test_the_template_has_every_option_and_sets_none(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("init").code == 0 and cli("init").code == 2
    text = Path("convergebench.toml").read_text()
    assert text == config_template(commands())
    assert tomllib.loads(text) == {name: {} for name in COMMANDS}
    assert "# max_cost = USD" in text and "# need_power = false" in text and "# seed = 0" in text
    assert '# suite = "SUITE"' in text and '# model = ["MODEL"]' in text


def test_options_and_limits_stand_in_one_file(
    cli: Cli, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = "[network]\nanswer_mb = 2\n[limits.fal]\nat_once = 3\n"
    usual = tmp_path / "convergebench.toml"
    usual.write_text(config.read_text() + limits)
    monkeypatch.chdir(tmp_path)
    assert cli("run", "--limit", 1, "--json").json["run"]["edits"] == 4
    assert (network_settings().answer_mb, limits_at("fal").at_once) == (2, 3)
    config.write_text(limits)
    assert "[network] in" in cli("run", "--config", config).sentence, "it would have no effect"
    usual.write_text("[limit.fal]\nat_once = 3\n")
    assert "limit" in cli("run", "-m", "jpeg").sentence
    with pytest.raises(WrongUse, match="has limit"):
        limits_at("fal")
