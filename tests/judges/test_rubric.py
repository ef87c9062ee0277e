from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from convergebench.errors import WrongUse
from convergebench.judges import rubric, rubric_names
from convergebench.judges.rubric import parsed

MINE = """
id = "mood"
version = 3
of = "edit"
sees = ["source", "result"]
combine = "mean"
prompt = "Is the mood the same?"

[[ask]]
name = "mood"
low = 1
high = 5
asks = "How near is the mood?"

[[ask]]
name = "light"
low = 1
high = 5
asks = "How near is the light?"

[pictures]
longest_side = 256
format = "jpeg"
quality = 80
"""

SCALES = {
    "gedit_sc": (0, 10), "gedit_pq": (0, 10), "instruction_following": (0, 10),
    "roundtrip_forward": (0, 1), "roundtrip_reversal": (0, 10),
    "wiseedit_dp": (1, 10), "wiseedit_if": (1, 10), "wiseedit_vq": (1, 10), "wiseedit_kf": (1, 10),
    "wiseedit_cf": (1, 10), "better_edit": (0, 1), "better_return": (0, 1), "visible_difference": (0, 1),
    "reedit_physical": (0, 1), "reedit_environmental": (0, 1), "reedit_cultural": (0, 1),
    "reedit_causal": (0, 1), "reedit_referential": (0, 1), "reedit_sc": (0, 10), "reedit_if": (0, 10),
    "reedit_pq": (0, 10), "session_turn": (0, 10), "session_instruction": (0, 1),
    "edit_grades": (1, 5), "better_following": (0, 1), "better_consistency": (0, 1),
    "better_quality": (0, 1),
}  # fmt: skip


def test_the_built_in_rubrics_are_those_of_the_benchmarks_with_their_scales() -> None:
    assert {name: rubric(name).range for name in rubric_names()} == SCALES


@pytest.mark.parametrize("name", SCALES)
def test_a_built_in_rubric_has_the_name_of_its_file(name: str) -> None:
    assert rubric(name).id == name


@pytest.mark.parametrize("name", ["gedit_pq", "wiseedit_vq"])
def test_quality_is_judged_from_the_edited_picture_alone(name: str) -> None:
    assert (*rubric(name).sees, *rubric(name).sees_if_given) == ("result",)


@pytest.mark.parametrize("name", [name for name in SCALES if name.startswith("wiseedit")])
def test_wiseedit_shows_pictures_within_512_as_jpeg_90(name: str) -> None:
    limits = rubric(name).pictures
    assert (limits.longest_side, limits.format, limits.quality) == (512, "jpeg", 90)


KEPT = {
    "better_edit": "c5e5eedd1181d492", "better_return": "e943935f7a3dddd9", "gedit_pq": "206573299f740eb2",
    "gedit_sc": "fb27c07c0e3299e7", "instruction_following": "eed245209024d111",
    "roundtrip_forward": "f15d05233a5ca97b", "roundtrip_reversal": "2c8d8073786e42bd",
    "wiseedit_cf": "a66b0a8221236021", "wiseedit_dp": "4cdde2cda6a63700", "wiseedit_if": "45fbc8af17c58643",
    "wiseedit_kf": "da45b13bf084cc79", "wiseedit_vq": "2b40622de65ef3d3",
}  # fmt: skip


def test_verdicts_of_earlier_releases_stay_valid() -> None:
    assert {name: rubric(name).fingerprint for name in KEPT} == KEPT


CATEGORIES = ("physical", "environmental", "cultural", "causal", "referential")


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_of_reedit_has_its_own_verdict_of_yes_or_no(category: str) -> None:
    verdict = rubric(f"reedit_{category}")
    assert verdict.category == category
    assert verdict.schema["properties"]["passes"] == {"type": "string", "enum": ["yes", "no"]}
    assert {*verdict.sees, *verdict.sees_if_given} == {
        "source", "result", "instruction", "description", "rationale"
    }  # fmt: skip


def test_which_cases_a_rubric_is_for_changes_no_question() -> None:
    mine = parsed(MINE, "mine")
    kept_to = parsed(MINE.replace('of = "edit"', 'of = "edit"\ncategory = "moody"'), "mine")
    assert (kept_to.category, kept_to.fingerprint) == ("moody", mine.fingerprint)


def test_the_schema_wants_every_answer_and_a_reason_and_nothing_else() -> None:
    assert rubric("roundtrip_reversal").schema == {
        "type": "object",
        "properties": {
            "reason": {"type": "string"},
            "restored": {"type": "number", "minimum": 0, "maximum": 10},
            "undone": {"type": "string", "enum": ["yes", "no"]},
        },
        "required": ["reason", "restored", "undone"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("name", ["better_edit", "better_return"])
def test_a_pair_is_asked_for_first_second_or_tie(name: str) -> None:
    assert rubric(name).compares
    assert rubric(name).schema["properties"]["better"] == {
        "type": "string",
        "enum": ["first", "second", "tie"],
    }


def test_a_pair_with_a_score_in_place_of_a_choice_is_not_a_rubric() -> None:
    pair = MINE.replace('"edit"', '"return_pair"').replace('"result"', '"first", "second"')
    with pytest.raises(WrongUse, match="one ask entry, with choice = true"):
        parsed(pair, "pair.toml")


def test_a_rubric_of_your_own_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mood.toml"
    path.write_text(MINE)
    mine = rubric(str(path))
    assert (mine.name, mine.value_of({"mood": 2, "light": 5})) == ("mood@3", 3.5)


def test_every_word_of_a_rubric_is_in_its_fingerprint() -> None:
    mine = parsed(MINE, "mine")
    changed = [
        replace(mine, prompt="Is the mood alike?"),
        replace(mine, combine="min"),
        replace(mine, ask=mine.ask[:1]),
        replace(mine, pictures=replace(mine.pictures, quality=81)),
    ]
    assert len({one.fingerprint for one in [mine, *changed]}) == 5
    assert parsed(MINE, "elsewhere").fingerprint == mine.fingerprint


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("version = 3", "", "lacks version"),
        ("version = 3", 'version = "3"', "version must be a whole number"),
        ('of = "edit"', 'of = "everything"', "of must be one of edit, return"),
        ('"source", "result"', '"source"', "sees must hold result"),
        ('"source", "result"', '"sauce", "result"', "'sauce'"),
        ("low = 1", "low = 5", "low below its high"),
        ("low = 1\n", "", "both low and high"),
        ("low = 1", 'low = "1"', "numbers as low and high"),
        ("low = 1", "low = nan", "finite numbers as low and high"),
        ("high = 5", "high = inf", "finite numbers as low and high"),
        ("longest_side = 256", "longest_side = nan", "whole numbers as longest_side"),
        ('asks = "How near is the mood?"', "", "each ask entry needs name and asks"),
        ('name = "light"', 'name = "mood"', "distinct names"),
        ('name = "light"', 'name = "reason"', "other than reason"),
        ('format = "jpeg"', 'format = "gif"', "pictures.format"),
        ("longest_side = 256", "longest_side = 2", "longest_side"),
        ('id = "mood"', 'id = "mood"\ncolour = "red"', "unknown keys: colour"),
        ('id = "mood"', "id = mood", "invalid rubric"),
        ('"source", "result"', '"result", "first"', "and not first or second"),
        ('of = "edit"', 'of = "edit_pair"', "sees must hold first and second"),
        ("low = 1\nhigh = 5\n", "choice = true\n", "choice = true is only for pairwise rubrics"),
        ("low = 1", "low = 1\nchoice = true", "choice = true or a range"),
    ],
)
def test_a_wrong_rubric_says_what_is_wrong_in_it(old: str, new: str, said: str) -> None:
    assert old in MINE
    with pytest.raises(WrongUse, match=said):
        parsed(MINE.replace(old, new, 1), "mood.toml")


def test_an_unknown_rubric_names_the_nearest() -> None:
    with pytest.raises(WrongUse, match="did you mean gedit_sc"):
        rubric("gedit_cs")
    with pytest.raises(WrongUse, match="cannot read the rubric"):
        rubric("nowhere.toml")
