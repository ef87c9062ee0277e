"""Votes from and for elsewhere: arena tables, GEdit-Bench v2 and GenAI-Bench.

A row that names a case and round of this workspace becomes an ordinary vote on its pictures. Others are kept
by the names of their models alone: they rank models, and say nothing about metrics.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from convergebench.analysis.judged.bradley_terry import Winner
from convergebench.analysis.judged.pairwise_summary import PairwiseVerdicts
from convergebench.analysis.votes.vote import Answer, PairVote, Vote
from convergebench.errors import WrongUse
from convergebench.shown_text import csv_row, unguarded
from convergebench.text_files import json_lines
from convergebench.votes.vote_lines import is_pseudonym, vote_from

VoteFormat: TypeAlias = Literal["convergebench", "arena", "gedit-v2", "genai-bench"]
ARENA_COLUMNS = (
    "model_a", "model_b", "winner", "judge", "kind", "case", "category", "seed", "round", "seconds"
)  # fmt: skip
_ARENA: Mapping[str, Answer] = {
    "model_a": "first", "model_b": "second", "tie": "tie", "tie (bothbad)": "both_bad",
}  # fmt: skip
_GEDIT: Mapping[str, Answer] = {"Image A": "first", "Image B": "second", "Tie": "tie"}
_GENAI: Mapping[str, Answer] = {
    "leftvote": "first", "rightvote": "second", "tievote": "tie", "bothbad_vote": "both_bad",
}  # fmt: skip
_GEDIT_KEY = re.compile(r"(?P<case>.+?)_pair_(?P<first>.+?)_vs_(?P<second>.+)")
_GEDIT_WORDS: Mapping[Winner, str] = {"first": "Image A", "second": "Image B", "tie": "Tie"}


@dataclass(frozen=True)
class ForeignVote:
    """A preference between two models by name."""

    rater: str
    first: str
    second: str
    answer: Answer
    case: str
    """Whatever identifies what was compared; votes on one case are not independent."""
    row: int
    kind: str = ""
    round: int | None = None
    seed: int = 0
    seconds: float = 0.0
    judge: str = ""
    """The model that judged; empty if a person did."""


def read_vote_file(path: Path) -> tuple[VoteFormat, list[Vote] | list[ForeignVote]]:
    """The format is known by its fields. WrongUse names the line that cannot be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUse(f"cannot read {path}: {error}; votes are text files, JSONL or CSV") from error
    rows = list(_rows(text, path))
    if not rows:
        raise WrongUse(f"{path} has no votes")
    _, first = rows[0]
    if "convergebench_vote" in first:
        return "convergebench", [_checked(path, line, vote_from, row) for line, row in rows]
    for name, fields, read in _READERS:
        if fields <= set(first):
            return name, [_checked(path, line, read, {**row, "row": line}) for line, row in rows]
    raise WrongUse(f"{path} is in none of the formats {', '.join(get_args(VoteFormat))}; see docs/people.md")


def _rows(text: str, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if text.lstrip().startswith(("{", "[")):
        yield from _json_rows(text, path)
        return
    for line, row in enumerate(csv.DictReader(io.StringIO(text)), 2):
        yield (
            line,
            {(name or "").strip(): unguarded((value or "").strip()) for name, value in row.items() if name},
        )


def _json_rows(text: str, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Lines of JSON, or one list."""
    try:
        if text.lstrip().startswith("["):
            rows = list(enumerate(json.loads(text), 1))
        else:
            rows = [(line, json.loads(words)) for line, words in json_lines(text)]
    except json.JSONDecodeError as error:
        raise WrongUse(f"{path} is not JSON: {error}") from error
    for line, row in rows:
        if not isinstance(row, dict):
            raise WrongUse(f"{path}, line {line}: a vote must be an object; correct it")
        yield line, row


def _checked(path: Path, line: int, read: Any, row: Any) -> Any:
    try:
        return read(row)
    except (ValueError, KeyError, TypeError) as error:
        raise WrongUse(f"{path}, line {line}: {error}") from error


def _arena(row: Mapping[str, Any]) -> ForeignVote:
    number = str(row.get("round", ""))
    return ForeignVote(
        _rater(row, "judge"), str(row["model_a"]), str(row["model_b"]), _answer(row["winner"], _ARENA),
        str(row.get("case") or row.get("question_id") or f"row {row['row']}"), int(row["row"]),
        str(row.get("kind", "")), int(number) if number else None, int(row.get("seed") or 0),
        float(row.get("seconds") or 0),
    )  # fmt: skip


def _gedit(row: Mapping[str, Any]) -> ForeignVote:
    found = _GEDIT_KEY.fullmatch(str(row["key"]))
    if found is None:
        raise ValueError("its key is not PROMPT_pair_MODEL_vs_MODEL")
    answer = _answer((row.get("results") or row["result"])["winner"], _GEDIT)
    return ForeignVote(
        _rater(row, "rater"), found["first"], found["second"], answer, found["case"], int(row["row"]), "edit",
        judge=str(row.get("judge") or ""),
    )  # fmt: skip


def _genai(row: Mapping[str, Any]) -> ForeignVote:
    case = str(row.get("instruct_prompt") or row.get("source_prompt") or f"row {row['row']}")
    answer = _answer(row["vote_type"], _GENAI)
    models = str(row["left_model"]), str(row["right_model"])
    return ForeignVote(_rater(row, "rater"), *models, answer, case, int(row["row"]), "edit")


_READERS: Sequence[tuple[VoteFormat, set[str], Any]] = (
    ("arena", {"model_a", "model_b", "winner"}, _arena),
    ("gedit-v2", {"key", "results"}, _gedit),
    ("gedit-v2", {"key", "result"}, _gedit),
    ("genai-bench", {"left_model", "right_model", "vote_type"}, _genai),
)


def _rater(row: Mapping[str, Any], name: str) -> str:
    """A pseudonym, or one name for all who are not named."""
    given = str(row.get(name) or "imported").removeprefix("human:")
    return given if is_pseudonym(given) else "imported"


def _answer(word: Any, answers: Mapping[str, Answer]) -> Answer:
    if word not in answers:
        raise ValueError(f"the winner must be one of {', '.join(answers)}, not {word!r}")
    return answers[word]


def arena_csv(votes: Iterable[PairVote]) -> str:
    """With columns for the place of each vote, by which it finds its pictures again."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(ARENA_COLUMNS)
    for vote in votes:
        winner = "tie (bothbad)" if vote.both_bad else _named(vote.winner)
        writer.writerow(
            csv_row(
                [vote.first, vote.second, winner, f"human:{vote.rater}", vote.kind, vote.case, vote.category,
                 vote.seed, vote.round, vote.seconds]
            )
        )  # fmt: skip
    return out.getvalue()


def _named(winner: Winner) -> str:
    return {"first": "model_a", "second": "model_b", "tie": "tie"}[winner]


def gedit_jsonl(votes: Iterable[PairVote]) -> str:
    """Votes on edits, as GEdit-Bench v2 has them."""
    return _json_lines(
        {"key": gedit_key(vote.case, vote.first, vote.second), "rater": vote.rater,
         "results": {"winner": _GEDIT_WORDS[vote.winner]}}
        for vote in votes if vote.kind == "edit"
    )  # fmt: skip


def gedit_verdicts_jsonl(verdicts: Iterable[PairwiseVerdicts], judge: str) -> str:
    """A judge's comparisons by one rubric, as GEdit-Bench v2 has them: the winner in both orders, or a tie.
    Comparisons without a verdict are left out."""
    return _json_lines(
        {"key": gedit_key(one.case, one.first, one.second), "judge": judge,
         "results": {"winner": _GEDIT_WORDS[outcome.comparison.winner]}}
        for one in verdicts if (outcome := one.outcome) is not None
    )  # fmt: skip


def gedit_key(case: str, first: str, second: str) -> str:
    """WrongUse if a name could not be read from the key again."""
    key = f"{case}_pair_{first}_vs_{second}"
    found = _GEDIT_KEY.fullmatch(key)
    if found is None or found.groups() != (case, first, second):
        raise WrongUse(f"GEdit-Bench v2 has no way to write {key}: a name holds _pair_ or _vs_; rename it")
    return key


def _json_lines(lines: Iterable[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def genai_jsonl(votes: Iterable[PairVote], instructions: Mapping[str, str]) -> str:
    """Votes on edits, as GenAI-Bench has them, without pictures."""
    words: dict[str, str] = {"first": "leftvote", "second": "rightvote", "tie": "tievote"}
    return _json_lines(
        {"instruct_prompt": instructions.get(vote.case, ""), "left_model": vote.first,
         "right_model": vote.second, "rater": vote.rater,
         "vote_type": "bothbad_vote" if vote.both_bad else words[vote.winner]}
        for vote in votes if vote.kind == "edit"
    )  # fmt: skip
