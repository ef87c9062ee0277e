import dataclasses
import io
import json

import pytest
from rich.console import Console

from convergebench import metrics
from convergebench.analysis import ModelUse, Results, Return, model_profiles, ranking
from convergebench.metrics.regions.measures import NO_EDIT
from convergebench.report import json_ranking, profile_lines, ranking_notes, ranking_table
from convergebench.report.formatting import mean_with_interval
from convergebench.types import Measurement, MetricFacts


def printed(results, metric="ssim"):
    console = Console(file=io.StringIO(), width=100)
    console.print(ranking_table(ranking(results, metric)))
    return console.file.getvalue().splitlines()


def line_of(lines, model):
    return next(line for line in lines if model in line)


def test_the_table_fits_a_hundred_columns_with_no_number_cut(results):
    lines = printed(results)
    assert max(len(line.rstrip()) for line in lines) <= 100
    assert not any("…" in line for line in lines)


@pytest.mark.parametrize("width", [100, 80, 60, 40])
def test_in_a_narrow_terminal_intervals_go_first_then_columns_and_what_is_left_out_is_named(results, width):
    console = Console(file=io.StringIO(), width=width)
    console.print(ranking_table(ranking(results), width=width))
    lines = console.file.getvalue().splitlines()
    assert max(len(line.rstrip()) for line in lines) <= width
    assert not any("…" in line for line in lines)
    assert "qwen" in {word for line in lines for word in line.split()}
    assert "SSIM @ R10" in "".join(lines)
    assert ("Too narrow for: intervals" in "".join(lines)) == (width < 100)
    assert ("See summary --columns or --json." in " ".join(" ".join(lines).split())) == (width < 100)


@pytest.mark.parametrize(("metric", "places"), [("ssim", 3), ("psnr", 1)])
def test_the_chief_metric_has_its_interval_and_decibels_one_decimal(results, metric, places):
    qwen = line_of(printed(results, metric), "qwen").split()
    assert qwen[:2] == ["1", "qwen"]
    low, high = float(qwen[3].strip("[,")), float(qwen[4].strip("]"))
    assert low < float(qwen[2]) < high
    assert len(qwen[2].split(".")[1]) == places


def test_convergence_stands_beside_the_chief_metric(results):
    lines = printed(results)
    group, half_life, area, score = line_of(lines, "qwen").split()[5:9]
    assert (group, half_life) == ("a", ">10")
    assert float(area) == pytest.approx(0.79, abs=0.02)
    assert float(score) == pytest.approx(81, abs=1)
    assert 4 < float(line_of(lines, "flux").split()[6]) < 6


@pytest.mark.parametrize(
    ("unit", "written"),
    [("", "0.999 [0.998, 1.000]"), ("×", "0.999 [0.998, 1.000]"), ("°", "1.00 [1.00, 1.00]"),
     ("dB", "1.0 [1.0, 1.0]")],
)  # fmt: skip
def test_an_interval_has_as_many_places_as_its_mean_and_ratios_have_three(unit, written):
    facts = MetricFacts("m", "1", "higher", 1, 0, "quality", unit)
    assert mean_with_interval(0.9991, 0.9984, 0.9997, facts) == written


@pytest.fixture
def qwen_to_round_two(results):
    seen = [item for item in results.returns if item.model != "qwen" or item.round <= 2]
    return dataclasses.replace(results, returns=tuple(seen))


def test_a_half_life_is_no_later_than_a_chain_was_watched(qwen_to_round_two):
    assert ">2" in line_of(printed(qwen_to_round_two), "qwen").split()
    told = json_ranking(ranking(qwen_to_round_two))["rows"]
    assert next(row["half_life"]["watched"] for row in told if row["model"] == "qwen") == 2
    lines = profile_lines(*model_profiles(qwen_to_round_two, ["qwen"]))
    assert "  half-life: >2 [>2, >2] rounds until less than 50% is left; 0 of 16 chains fell" in lines


def test_a_metric_without_any_value_takes_no_column(results):
    assert "CLIP" not in "".join(printed(results))
    assert "LPIPS" in "".join(printed(results))


def test_floors_stand_below_a_line_without_a_rank(results):
    lines = printed(results)
    first_floor = next(place for place, line in enumerate(lines) if "identity" in line)
    assert set(lines[first_floor - 1].strip()) == {"─"}
    assert lines[first_floor].split()[0] == "–"
    assert "∞" in line_of(printed(results, "psnr"), "identity")


def test_an_unknown_price_is_not_free(results):
    uses = tuple(
        dataclasses.replace(use, cost_usd=None) if use.model == "qwen" else use for use in results.uses
    )
    lines = printed(dataclasses.replace(results, uses=uses))
    assert line_of(lines, "qwen").split()[-1] == "–"
    assert line_of(lines, "identity").split()[-1] == "0.00"


def test_long_model_names_do_not_push_numbers_out(results):
    renamed = tuple(
        dataclasses.replace(item, model="provider/" + "x" * 60) if item.model == "qwen" else item
        for item in results.returns
    )
    lines = printed(dataclasses.replace(results, returns=renamed))
    assert max(len(line.rstrip()) for line in lines) <= 100
    assert not any("…" in line for line in lines)


def test_notes_group_what_is_missing_by_reason(results):
    notes = ranking_notes(ranking(results))
    assert notes == (
        "The models are compared on unequal sets of cases; 12 cases are shared by all.",
        "4 returns missing, refused by the model: the content policy does not allow this person to be edited "
        "(seedream 4)",
        "CLIP: missing for all, because CLIP needs torch: pip install 'convergebench[torch]'",
        "PSNR: infinite values are excluded from the mean (identity 16 of 16)",
        "Convergence uses SSIM and LPIPS, that is quality only: CLIP is not available for every model.",
    )


def test_notes_count_trajectories_that_never_began(results):
    uses = (*results.uses, ModelUse("late", "model", 16, 0, 0, 0, None, None))
    notes = ranking_notes(ranking(dataclasses.replace(results, uses=uses)))
    assert "16 returns missing, not run yet: the run has not begun these (late 16)" in notes


def test_complete_results_need_no_notes(results):
    chosen = tuple(item for item in results.returns if item.model in ("qwen", "grok"))
    clip = Measurement("clip", "1", 0.9)
    measured = tuple(dataclasses.replace(item, values={**item.values, "clip": clip}) for item in chosen)
    whole = dataclasses.replace(results, returns=measured, troubles=(), uses=())
    assert ranking_notes(ranking(whole)) == ()


def test_the_json_is_strict_and_tells_infinite_from_missing(results):
    told = json.loads(json.dumps(json_ranking(ranking(results)), allow_nan=False))
    rows = {row["model"]: row["metrics"] for row in told["rows"]}
    assert rows["identity"]["psnr"]["mean"] == "inf"
    assert rows["qwen"]["clip"]["mean"] is None
    assert rows["qwen"]["clip"]["missing_reason"].startswith("CLIP needs torch")
    assert rows["qwen"]["ssim"]["mean"] == pytest.approx(0.617, abs=0.02)
    assert told["unequal_cases"] is True


def test_the_json_has_all_of_convergence(results):
    told = json.loads(json.dumps(json_ranking(ranking(results)), allow_nan=False))
    qwen = next(row for row in told["rows"] if row["model"] == "qwen")
    assert qwen["half_life"]["median"] == "inf" and qwen["half_life"]["fell"] < qwen["half_life"]["n"] / 2
    assert qwen["auc"]["low"] < qwen["auc"]["mean"] < qwen["auc"]["high"]
    assert qwen["convergence"]["missing"] == ["clip"] and qwen["convergence"]["semantic"] is None
    assert qwen["convergence"]["gated"] is None
    assert qwen["group"] == "a"


def test_a_sampled_metric_of_all_rounds_is_not_said_to_be_of_some_because_a_chain_ended_early() -> None:
    dists = MetricFacts("dists", "1", "lower", 0.0, 1.0, "quality", is_sampled=True)
    value = Measurement("dists", "1", 0.1)

    def returned(model: str, round: int) -> Return:
        return Return(
            model, "model", "p/hat", "p", "hat", "scene", "own", 0, round, f"{model}{round}", {"dists": value}
        )

    returns = [returned("long", number) for number in range(1, 7)]
    short = [returned("short", number) for number in (1, 2)]

    def said(*returns: Return) -> list[str]:
        found = Results("suite", 6, (dists,), returns, (), ())
        return [note for note in ranking_notes(ranking(found, "dists")) if "only" in note]

    assert said(*returns, *short) == []
    without = [one for one in returns if one.round != 4]
    unmeasured = dataclasses.replace(returns[3], values={})
    assert said(*without, unmeasured, *short) == ["DISTS: measured at rounds 1, 2, 3, 5, 6 only."]


def test_where_no_forward_picture_shows_its_edit_there_is_a_score_and_nothing_to_measure() -> None:
    """The score is 0 then, and `undid` has no value."""
    facts = tuple(metrics.facts(name) for name in ("psnr", "undid"))
    values = {"undid": Measurement("undid", "1", None, NO_EDIT), "psnr": Measurement("psnr", "1", 30.0)}
    still = Return("m", "model", "p/hat", "p", "hat", "portrait", "accessories", 0, 1, "d", values)
    ranked = ranking(Results("tiny@1", 1, facts, (still,), (), ()), "psnr")
    assert any(gap.reason == NO_EDIT for gap in ranked.missing_values)
    assert not [note for note in ranking_notes(ranked) if "no score" in note]
