import dataclasses
import io
import json

import pytest
from rich.console import Console

from convergebench.analysis import (
    AuditFinding,
    compare_models,
    compare_models_by,
    model_profiles,
    on_shared_cases,
    ranking,
    worst_cases,
)
from convergebench.report import (
    audit_lines,
    corrected_title,
    csv_audit,
    csv_paired,
    csv_ranking,
    csv_text,
    csv_worst,
    json_audit,
    json_paired,
    json_worst,
    paired_notes,
    paired_table,
    profile_lines,
    worst_table,
)


def printed(table):
    console = Console(file=io.StringIO(), width=100)
    console.print(table)
    return console.file.getvalue().splitlines()


@pytest.fixture
def differences(results):
    found = [("", one) for one in compare_models(results, "qwen", "flux-kontext-dev")]
    return found + list(compare_models_by(results, "kind", "qwen", "flux-kontext-dev").items())


def test_the_comparison_fits_a_hundred_columns_and_names_the_better_model(differences):
    lines = printed(paired_table(differences))
    assert max(len(line.rstrip()) for line in lines) <= 100
    assert not any("…" in line for line in lines)
    assert sum("qwen is better" in " ".join(line.split()) or "qwen is" in line for line in lines) >= 5


def test_parts_of_the_suite_have_lines_of_their_own(differences):
    text = "\n".join(printed(paired_table(differences)))
    assert "portrait:" in text and "scene:" in text


def test_notes_say_what_was_left_out(results):
    found = [("", one) for one in compare_models(results, "qwen", "seedream")]
    said = "Excluded: 4 chains that only qwen has, 0 chains that only seedream has."
    assert paired_notes(found)[-1] == said


def test_repeats_of_a_case_are_counted_as_chains(two_seeds):
    less = {"qwen": ("hat_add_remove", "cat_add_remove"), "grok": ("cat_add_remove",)}
    returns = tuple(item for item in two_seeds.returns if item.pair in less.get(item.model, ()))
    found = [
        ("", one) for one in compare_models(dataclasses.replace(two_seeds, returns=returns), "qwen", "grok")
    ]
    assert paired_notes(found)[-1] == "Excluded: 8 chains that only qwen has, 0 chains that only grok has."


def test_notes_say_how_many_infinite_values_are_left_out(differences):
    found = [("", dataclasses.replace(one, infinite=8)) for _, one in differences[:1]]
    assert paired_notes(found)[-1] == "ssim @ R10 excludes 8 chains with an infinite value."


def test_many_verdicts_are_said_not_to_be_corrected(results, differences):
    said = f"None of the {len(differences)} verdicts is corrected for their number"
    assert any(note.startswith(said) for note in paired_notes(differences))
    whole = [one for one in differences if not one[0]]
    assert not any("corrected" in note for note in paired_notes(whole))


def test_few_pictures_are_warned_of(results):
    few = tuple(item for item in results.returns if item.picture in ("portrait_astronaut", "scene_china"))
    found = [("", one) for one in compare_models(dataclasses.replace(results, returns=few), "qwen", "grok")]
    assert "With 2 pictures p cannot be below 0.5; use more pictures." in paired_notes(found)


def test_a_profile_tells_how_a_model_decays_and_what_is_not_known(results):
    told = "\n".join(profile_lines(*model_profiles(results, ["flux-kontext-dev"])))
    assert "rounds until less than 50% is left; 16 of 16 chains fell" in told
    assert "  shape: " in told and "  convergence score: together " in told
    assert "contraction: cannot tell (no two moves were measured with ssim)" in told
    assert "forward edits: not measured" in told
    assert "semantic –" in told and "without clip" in told


def test_the_json_is_strict(results, differences):
    profiles = model_profiles(results, ("qwen", "flux-kontext-dev"))
    told = json.loads(json.dumps(json_paired(differences, profiles), allow_nan=False))
    assert told["differences"][0]["verdict"] == "qwen is better"
    assert told["models"][0]["half_life"]["median"] == "inf"
    assert told["models"][0]["forward"]["rate"] is None


def test_csv_has_a_row_for_each_difference_with_full_precision(differences):
    heading, first, *others = csv_text(csv_paired(differences)).splitlines()
    assert heading.startswith("part,what,first,second,first_mean")
    assert first.split(",")[1:4] == ["ssim @ R10", "qwen", "flux-kontext-dev"]
    assert len(others) + 1 == len(differences)


def test_the_worst_cases_fit_and_come_as_json_and_csv(results):
    cases = worst_cases(results)[:5]
    lines = printed(worst_table(cases, results.facts("ssim")))
    assert len(lines) == 7 and max(len(line.rstrip()) for line in lines) <= 100
    assert [one["value"] for one in json_worst(cases)] == sorted(one.value for one in cases)
    assert len(csv_worst(cases)) == 6


def test_the_ranking_as_csv_keeps_unknown_apart_from_zero(results):
    rows = csv_text(csv_ranking(ranking(results))).splitlines()
    cells = dict(zip(rows[0].split(","), rows[1].split(","), strict=True))
    assert (cells["model"], cells["clip"], cells["gated_convergence_score"]) == ("qwen", "", "")
    assert cells["half_life"] == "inf"


def test_the_csv_says_whose_interval_and_which_score_it_holds(results):
    """The score that ranks stands beside them in the ranking by what a person sees."""
    heading = csv_text(csv_ranking(ranking(results))).splitlines()[0].split(",")
    assert {"ssim_low", "ssim_high", "convergence_score"} < set(heading)
    assert not {"low", "high", "score"} & set(heading)


def test_an_audit_is_numbered_and_says_when_nothing_is_wrong(results):
    finding = AuditFinding("missing_rounds", "3 chains lack rounds.", 3, {"m": 3})
    assert list(audit_lines([finding])) == ["1. 3 chains lack rounds."]
    assert list(audit_lines([])) == ["No problems found."]
    assert csv_audit([finding])[1] == ("missing_rounds", 3, "3 chains lack rounds.")


def test_the_corrected_ranking_is_part_of_the_json(results):
    shared = on_shared_cases(results)
    told = json_audit((), shared, ranking(shared.results))
    assert len(told["shared_cases"]) == 12 and told["ranking"]["unequal_cases"] is False
    assert corrected_title(shared) == "Corrected: on the 12 cases that these models share."
