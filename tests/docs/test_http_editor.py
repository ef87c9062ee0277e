"""The description in docs/http-editor.md is the one that the tests run."""

from __future__ import annotations

import re
from pathlib import Path

from convergebench.editors._http_description import ErrorRule
from convergebench.settings_file import settings_from

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(
    r"```toml\n(.*?)```", (ROOT / "docs" / "http-editor.md").read_text(encoding="utf-8"), re.DOTALL
)


def test_the_example_is_the_description_of_the_tests() -> None:
    assert BLOCKS[0] == (ROOT / "tests/editors/http_descriptions/bfl.toml").read_text(encoding="utf-8")


def test_the_example_of_a_rule_is_a_rule() -> None:
    import tomllib

    (rule,) = tomllib.loads(BLOCKS[1])["errors"]
    assert settings_from(ErrorRule, rule, "error rule").kind == "refused"
