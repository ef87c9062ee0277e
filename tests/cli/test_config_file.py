"""One file for the options of several commands."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from convergebench.cli.config_file import COMMANDS, config_template, read_config
from convergebench.cli.main import app
from convergebench.errors import WrongUse

Cli = Callable[..., Any]


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
    assert "# max_cost = " in text and "# need_power = false" in text
