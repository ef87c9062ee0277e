from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import convergebench.judges
from cli.conftest import Cli
from convergebench.judges import rubric
from convergebench.picture import decode
from convergebench.store import Enrolment, Workspace
from convergebench.votes.ballot import Ballot, pair_question, visibility_question
from convergebench.votes.question_pool import question_pool
from convergebench.votes.vote_store import save_vote
from report.page.filled import SUITE, cases, editor, fill, record, source_of, worn
from servers.judge import Answer, Asked, JudgeServer, completion, graded
from set_imitations import write_genai_bench
from votes.conftest import vote_on


@pytest.fixture
def voted(tmp_path: Path) -> Path:
    """Four raters who prefer what SSIM prefers, and one who always answers "first" at once."""
    folder = tmp_path / "results"
    fill(folder)
    with Workspace.create(folder) as workspace:
        pool = question_pool(workspace)
        ballot, run = Ballot(pool), workspace.start_run({"command": "vote"})
        better = {"steady": 2, "refuser": 1, "fading": 0}
        for rater in ("ann", "bob", "cleo", "dan", "hasty"):
            for _ in range(40):
                question = ballot.next_question(rater)
                if question is None:
                    break
                vote = vote_on(question, rater, "no" if question.kind == "visibility" else "tie", 4.0)
                for said in list(pool.pair_votes([vote]))[:1]:
                    first = better[said.first] > better[said.second]
                    vote = vote_on(question, rater, "first" if first else "second", 4.0)
                if rater == "hasty":
                    vote = vote_on(question, rater, "yes" if question.kind == "visibility" else "first", 0.2)
                save_vote(workspace, vote, run)
                ballot.add(vote)
        workspace.finish_run(run, "finished")
    return folder


def test_agreement_says_whom_and_what_to_trust(cli: Cli, voted: Path, tmp_path: Path) -> None:
    done = cli("agreement", "-w", voted, "--json", "--plot", tmp_path / "agreement.png")
    assert done.code == 0
    assert [one["rater"] for one in done.json["raters"] if one["marked"]] == ["hasty"]
    (kind,) = done.json["unmarked"]["kinds"]
    (with_all,) = done.json["everyone"]["kinds"]
    accuracy, other = (
        {one["predictor"]: one["accuracy"]["mean"] for one in found["overall"]}["ssim"]
        for found in (kind, with_all)
    )
    assert accuracy == 1.0 and other < 1.0
    assert kind["trusted"][0]["best"] is None  # two source pictures cannot say
    assert (tmp_path / "agreement.png").read_bytes()[:4] == b"\x89PNG"


def test_agreement_covers_the_named_models(cli: Cli, voted: Path) -> None:
    votes = {
        models: cli("agreement", "-w", voted, "--json", *(("-m", models) if models else ())).json["unmarked"][
            "kinds"
        ][0]["votes"]
        for models in ("", "steady,fading")
    }
    assert 0 < votes["steady,fading"] < votes[""]


def test_agreement_prints_tables(cli: Cli, voted: Path) -> None:
    done = cli("agreement", "-w", voted)
    assert done.code == 0
    assert "Over all votes: no metric is better than chance yet" in done.out and "without hasty" in done.out
    assert "accuracy by round" in done.out and "No thresholds: " in done.out


def test_where_all_raters_are_marked_it_says_why_there_are_no_tables(cli: Cli, voted: Path) -> None:
    for rater in ("ann", "bob", "cleo", "dan"):
        cli("vote", "-w", voted, "--delete", rater)
    done = cli("agreement", "-w", voted)
    assert "no votes without those of hasty" in done.out and "All tables" not in done.out


def test_a_judges_rows_on_models_that_are_not_here_are_ranked_by_names(cli: Cli, tmp_path: Path) -> None:
    folder, rows = tmp_path / "results", tmp_path / "rows.jsonl"
    fill(folder)
    rows.write_text(
        "".join(
            f'{{"key": "p{n}_pair_x_vs_y", "results": {{"winner": "Image {w}"}}, "judge": "looker"}}\n'
            for n, w in enumerate("ABAA")
        )
    )
    assert "4 of them by model names only" in cli("vote", "-w", folder, "--import", rows).out
    done = cli("agreement", "-w", folder)
    assert done.code == 0, done.err
    assert "Verdicts of imported:looker, by model names" in done.out


def test_an_answer_on_a_picture_of_two_models_is_one_answer(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path)
    with Workspace.create(tmp_path) as workspace:
        run = workspace.start_run({"command": "vote"})
        case = cases()[0]
        source = source_of(case)
        enrolment = Enrolment("round_trip", SUITE, editor("twin"), case, 0, 1)
        (trajectory,) = workspace.enrol([enrolment], fresh=False)
        forward, back = (worn(source, "steady", 1, forward=way) for way in (True, False))
        record(workspace, run, trajectory, 1, "forward", source, forward)
        record(workspace, run, trajectory, 1, "backward", forward, back)
        pool = question_pool(workspace, kinds=("visibility",))
        steady = next(one for one in pool.chains if (one.model, one.place.case) == ("steady", case.id))
        save_vote(workspace, vote_on(visibility_question(steady, steady.returns[0]), "ann", "yes"), run)
    seen = cli("agreement", "-w", tmp_path, "--json").json["unmarked"]["visibility"]
    assert {one["model"] for one in seen["models"]} >= {"steady", "twin"}
    assert seen["answers"] == 1


def test_a_rater_can_be_deleted(cli: Cli, voted: Path) -> None:
    done = cli("vote", "-w", voted, "--delete", "hasty")
    assert done.code == 0 and "votes of hasty" in done.out
    assert "no rater hasty" in cli("vote", "-w", voted, "--delete", "hasty").sentence


def test_a_rater_who_voted_by_model_names_can_be_deleted(cli: Cli, voted: Path, tmp_path: Path) -> None:
    rows = "x,y,model_a,human:carl\nx,z,tie,human:carl\nx,z,tie,human:dora\n"
    (tmp_path / "arena.csv").write_text(f"model_a,model_b,winner,judge\n{rows}")
    assert (
        "3 new votes (arena), 3 of them by"
        in cli("vote", "-w", voted, "--import", tmp_path / "arena.csv").out
    )
    saved = cli("vote", "-w", voted, "--save", tmp_path / "saved")
    assert saved.sentence.startswith("3 votes by model names only left out")
    assert cli("vote", "-w", voted, "--delete", "carl").out == "Deleted 2 votes of carl.\n"
    assert cli("vote", "-w", voted, "--delete", "dora").out == "Deleted 1 vote of dora.\n"
    assert "no rater carl" in cli("vote", "-w", voted, "--delete", "carl").sentence


def test_votes_on_pictures_of_another_workspace_are_kept_and_told(
    cli: Cli, voted: Path, tmp_path: Path
) -> None:
    assert cli("vote", "-w", voted, "--save", tmp_path / "votes.jsonl").code == 0
    votes = len((tmp_path / "votes.jsonl").read_text().splitlines())
    cli(
        "run",
        "-m",
        "jpeg,blur",
        "--suite",
        "converge-drawn",
        "--limit",
        1,
        "--rounds",
        1,
        "-w",
        tmp_path / "else",
    )
    done = cli("vote", "-w", tmp_path / "else", "--import", tmp_path / "votes.jsonl")
    assert done.code == 0 and f"{votes} new votes" in done.out
    assert done.sentence.endswith(f"does not have: {votes} of these {votes} votes, kept for when it has them")


def test_a_vote_that_is_known_with_another_answer_is_told(cli: Cli, voted: Path, tmp_path: Path) -> None:
    cli("vote", "-w", voted, "--save", tmp_path / "votes.jsonl")
    lines = (tmp_path / "votes.jsonl").read_text().splitlines(keepends=True)
    changed = next(n for n, line in enumerate(lines) if '"answer": "first"' in line)
    lines[changed] = lines[changed].replace('"answer": "first"', '"answer": "second"')
    (tmp_path / "votes.jsonl").write_text("".join(lines))
    done = cli("vote", "-w", voted, "--import", tmp_path / "votes.jsonl")
    assert "0 new votes" in done.out
    assert f"another answer, which stays: 1 of these {len(lines)} votes" in done.err


def test_a_plan_counts_votes_and_costs(cli: Cli, voted: Path) -> None:
    done = cli("vote", "-w", voted, "--plan", "--usd-per-hour", 20)
    assert done.code == 0 and "$20 an hour" in done.out and "steady" in done.out


def test_a_plan_shows_the_interval_of_a_model_that_never_won(cli: Cli, voted: Path) -> None:
    # Clopper and Pearson's for no win in two trials, as there are two source pictures
    assert "[0, 84]" in cli("vote", "-w", voted, "--plan").out


def test_votes_are_saved_and_imported_elsewhere(cli: Cli, voted: Path, tmp_path: Path) -> None:
    for format in ("convergebench", "arena"):
        assert cli("vote", "-w", voted, "--save", tmp_path / format, "--format", format).code == 0
    fill(tmp_path / "other")
    done = cli("vote", "-w", tmp_path / "other", "--import", tmp_path / "convergebench")
    assert (done.code, done.err) == (0, "") and "0 known before" in done.out
    before = cli("agreement", "-w", voted, "--json").json
    assert cli("agreement", "-w", tmp_path / "other", "--json").json == before
    assert "0 new votes" in cli("vote", "-w", tmp_path / "other", "--import", tmp_path / "arena").out


def test_saved_votes_are_counted_by_votes_and_not_by_what_their_texts_hold(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path / "results")
    with Workspace.create(tmp_path / "results") as workspace:
        question = Ballot(question_pool(workspace)).next_question("ann")
        assert question is not None
        vote = vote_on(question, "ann", "yes" if question.kind == "visibility" else "first")
        told = replace(vote, texts={"instruction": "Write one\u2028two."})
        save_vote(workspace, told, workspace.start_run({"command": "vote"}))
    assert ": 1 vote" in cli("vote", "-w", tmp_path / "results", "--save", tmp_path / "votes.jsonl").out


def test_genai_benchs_votes_are_compared_with_what_a_judge_says(cli: Cli, tmp_path: Path) -> None:
    data, folder = write_genai_bench(tmp_path / "data", times=6), tmp_path / "results"
    done = cli("vote", "--import", data, "-w", folder)
    assert done.code == 0, done.err
    assert "24 new votes on edits of 2 models (GenAI-Bench), 0 known before" in done.out
    assert "6 rows left out, whose votes cannot be read: ? (6)" in done.err

    def brighter(number: int, asked: Asked) -> Answer:
        grade = 1 + 4 * float(decode(asked.pictures[-1])[0].mean()) / 255
        return completion(graded(asked, instruction=grade, blending=grade, preservation=grade))

    with JudgeServer(brighter) as judge:
        scored = cli("score", "--suite", "genai-bench", "--data", data, "--judge", judge.name, "-w", folder)
        assert scored.code == 3, scored.err  # six rows have no vote, and no pictures were imported of them
        cli("judge", "--judge", judge.name, "--rubric", "gedit_pq", "-w", folder)
    report = cli("agreement", "-w", folder, "--json").json
    (kind,) = report["unmarked"]["kinds"]
    assert (kind["kind"], kind["votes"], kind["both_bad"]) == ("edit", 24, 6)
    assert [one["marked"] for one in report["raters"]] == [[]]  # how long they took is not known
    names = {one["predictor"].rpartition(" ")[2]: one["accuracy"] for one in kind["overall"]}
    assert names.keys() == {rubric("edit_grades").name, rubric("gedit_pq").name} and all(names.values())
    assert "0 new votes" in cli("vote", "--import", data, "-w", folder).out


def test_a_judge_is_compared_with_people_in_each_wording_apart(cli: Cli, voted: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    packaged = Path(convergebench.judges.__file__).parent / "rubrics" / "visible_difference.toml"
    other.write_text(packaged.read_text().replace("version = 1", "version = 7"))
    for asked, answer in (("visible_difference", "yes"), (str(other), "no")):
        with JudgeServer(lambda number, asked: completion(graded(asked, differs=answer))) as judge:  # noqa: B023
            name = f"server:looker?base_url={judge.url}/v1"
            assert cli("judge", "--judge", name, "--rubric", asked, "-w", voted).code == 0
    (kind,) = cli("agreement", "-w", voted, "--json").json["unmarked"]["kinds"]
    judged = {one["predictor"].rpartition(" ")[2] for one in kind["overall"] if "looker" in one["predictor"]}
    assert judged == {"visible_difference@1", "visible_difference@7"}


def test_votes_on_pictures_that_were_removed_are_counted(cli: Cli, voted: Path) -> None:
    before = cli("agreement", "-w", voted, "--json").json
    assert before["elsewhere"] == 0 and before["votes"] > 0
    assert "no table below" not in cli("agreement", "-w", voted).out
    cli("workspace", "remove", "-m", "steady,fading,refuser", "--yes", "-w", voted)
    after = cli("agreement", "-w", voted)
    assert f"{before['votes']} votes" in after.out and "All tables are without" not in after.out
    left = cli("agreement", "-w", voted, "--json").json
    assert left["unmarked"]["kinds"] == [] and 0 < left["elsewhere"] <= left["votes"] == before["votes"]


def test_metrics_on_first_edits_are_compared_with_votes_on_edits(cli: Cli, tmp_path: Path) -> None:
    words = ["--suite", "converge-drawn", "--limit", 2, "--rounds", 1, "--metric", "psnr"]
    made = cli("run", "-m", "jpeg?quality=90,jpeg?quality=20", *words, "-w", tmp_path)
    assert made.code == 0, made.err
    with Workspace.create(tmp_path) as workspace:
        pool = question_pool(workspace, kinds=("edit",))
        run = workspace.start_run({"command": "vote"})
        for one in pool.pairs:
            save_vote(workspace, vote_on(pair_question(one, *one.pictures), "eve", "first"), run)
        workspace.finish_run(run, "finished")
    kinds = cli("agreement", "-w", tmp_path, "--json").json["everyone"]["kinds"]
    (edits,) = [one for one in kinds if one["kind"] == "edit"]
    assert "psnr" in {one["predictor"] for one in edits["overall"]}


def test_what_cannot_be_voted_on_is_said(cli: Cli, voted: Path, tmp_path: Path) -> None:
    assert "no workspace" in cli("vote", "-w", tmp_path / "nothing").sentence
    assert "there is no question 'beauty'" in cli("vote", "-w", voted, "--ask", "beauty").sentence
    assert "nothing to vote on" in cli("vote", "-w", voted, "--model", "nobody").sentence
    fill(tmp_path / "fresh")
    assert "no person has voted yet" in cli("agreement", "-w", tmp_path / "fresh").sentence
    assert "pilot" in cli("vote", "-w", tmp_path / "fresh", "--plan").sentence
