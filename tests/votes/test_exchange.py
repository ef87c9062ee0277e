from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from convergebench.analysis.judged.bradley_terry import Comparison
from convergebench.analysis.votes.vote import IMPORTED
from convergebench.errors import WrongUse
from convergebench.store import Workspace
from convergebench.votes.ballot import Ballot
from convergebench.votes.exchange import ForeignVote, arena_csv, gedit_jsonl, genai_jsonl, read_vote_file
from convergebench.votes.foreign_votes import read_foreign_votes, save_foreign_vote, vote_on_pictures
from convergebench.votes.question_pool import QuestionPool
from convergebench.votes.vote_lines import vote_line
from votes.conftest import vote_through

ARENA = """model_a,model_b,winner,judge
x,y,model_a,ann
y,x,model_b,Ann Smith
x,z,tie,
x,z,tie (bothbad),human:bob
"""
GEDIT = "\n".join(
    json.dumps({"key": key, "results": {"winner": winner}})
    for key, winner in (
        ("background_change_000000_pair_Qwen-Image-Edit_vs_FLUX.1_Kontext", "Image A"),
        ("text_7_pair_A_vs_B", "Tie"),
    )
)
GENAI = "\n".join(
    json.dumps(
        {"instruct_prompt": "Add", "left_model": "MagicBrush", "right_model": other, "vote_type": said}
    )
    for other, said in (("Pix2PixZero", "rightvote"), ("Prompt2prompt", "bothbad_vote"))
)


def read(tmp_path: Path, text: str) -> tuple[str, list[ForeignVote]]:
    path = tmp_path / "votes.txt"
    path.write_text(text, encoding="utf-8")
    format, votes = read_vote_file(path)
    return format, [one for one in votes if isinstance(one, ForeignVote)]


def test_arena_tables_are_read(tmp_path: Path) -> None:
    format, votes = read(tmp_path, ARENA)
    assert format == "arena"
    assert [(one.first, one.second, one.answer) for one in votes] == [
        ("x", "y", "first"), ("y", "x", "second"), ("x", "z", "tie"), ("x", "z", "both_bad")
    ]  # fmt: skip
    assert [one.rater for one in votes] == ["ann", "imported", "imported", "bob"]  # no names of people


def test_gedit_bench_v2_is_read(tmp_path: Path) -> None:
    format, votes = read(tmp_path, GEDIT)
    assert format == "gedit-v2"
    assert votes[0].case == "background_change_000000"
    assert (votes[0].first, votes[0].second) == ("Qwen-Image-Edit", "FLUX.1_Kontext")
    assert [one.answer for one in votes] == ["first", "tie"]


def test_genai_bench_is_read(tmp_path: Path) -> None:
    format, votes = read(tmp_path, GENAI)
    assert format == "genai-bench"
    assert [(one.first, one.answer) for one in votes] == [
        ("MagicBrush", "second"),
        ("MagicBrush", "both_bad"),
    ]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("model_a,model_b,winner\nx,y,left\n", "line 2"), ("a,b\n1,2\n", "none of the formats"),
        ("[1, 2]", "line 1"), ('[{"key": "a", "results": {}}, "b"]', "line 2"), ('{}\n[]', "line 2"),
        ('{"key": "no pair", "results": {"winner": "Tie"}}', "line 1"), ("{", "not JSON"), ("", "no votes"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_says_where(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(WrongUse, match=what):
        read(tmp_path, text)


def test_own_votes_go_out_and_come_back(tmp_path: Path, pool: QuestionPool) -> None:
    votes = vote_through(Ballot(pool), "ada", 25)
    path = tmp_path / "votes.jsonl"
    path.write_text("".join(f"{vote_line(vote)}\n" for vote in votes), encoding="utf-8")
    assert read_vote_file(path) == ("convergebench", votes)


def test_votes_on_an_instruction_with_any_end_of_a_line_come_back(tmp_path: Path, pool: QuestionPool) -> None:
    votes = [
        replace(vote, texts={"instruction": f"Write one{end}two."})
        for vote, end in zip(vote_through(Ballot(pool), "ada", 4), "\n\r\u0085\u2028", strict=True)
    ]
    path = tmp_path / "votes.jsonl"
    path.write_text("".join(f"{vote_line(vote)}\n" for vote in votes), encoding="utf-8")
    assert read_vote_file(path) == ("convergebench", votes)


def test_an_arena_table_of_this_workspace_finds_its_pictures_again(
    tmp_path: Path, pool: QuestionPool
) -> None:
    votes = [one for one in vote_through(Ballot(pool), "ada", 25) if one.kind == "return"]
    path = tmp_path / "votes.csv"
    path.write_text(arena_csv(pool.pair_votes(votes)), encoding="utf-8")
    _, foreign = read_vote_file(path)
    again = [vote_on_pictures(one, pool, "") for one in foreign if isinstance(one, ForeignVote)]
    said = {(vote.rater, vote.pictures, vote.answer) for vote in again if vote}
    assert said == {(vote.rater, vote.pictures, vote.answer) for vote in votes if not vote.is_catch_trial}


def test_the_time_of_a_vote_that_came_without_one_is_unknown(pool: QuestionPool) -> None:
    here = next(one for one in vote_through(Ballot(pool), "ada", 25) if any(pool.pair_votes([one])))
    imported = replace(here, mode=IMPORTED)
    seconds = [
        next(pool.pair_votes([vote])).seconds
        for vote in (here, replace(here, seconds=0.0), imported, replace(imported, seconds=0.0))
    ]
    assert seconds == [5.0, 0.0, 5.0, None]
    written = arena_csv(pool.pair_votes([replace(imported, seconds=0.0)]))
    assert {row["seconds"] for row in csv.DictReader(written.splitlines())} == {""}


def test_edits_go_out_in_the_formats_of_other_benchmarks(tmp_path: Path) -> None:
    from convergebench.analysis.votes.vote import PairVote

    vote = PairVote("ann", "edit", "m1", "m2", "second", "case_1", "p", "hats", 0, 1)
    genai = genai_jsonl([vote], {"case_1": "Add"})
    for text, format in ((gedit_jsonl([vote]), "gedit-v2"), (genai, "genai-bench")):
        found, (one,) = read(tmp_path, text)
        assert (found, one.first, one.second, one.answer, one.rater) == (format, "m1", "m2", "second", "ann")
    assert json.loads(genai)["instruct_prompt"] == "Add"


def test_votes_without_pictures_are_kept_by_names_once(opened: Workspace, tmp_path: Path) -> None:
    run = opened.start_run({"command": "vote"})
    _, votes = read(tmp_path, GEDIT)
    assert [save_foreign_vote(opened, one, "votes.jsonl", run) for one in votes] == [True, True]
    assert not save_foreign_vote(opened, votes[0], "votes.jsonl", run)
    assert set(read_foreign_votes(opened)) == {
        Comparison(
            "Qwen-Image-Edit", "FLUX.1_Kontext", "first", "background_change_000000", "human:imported"
        ),
        Comparison("A", "B", "tie", "text_7", "human:imported"),
    }
