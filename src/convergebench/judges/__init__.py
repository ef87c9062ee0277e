"""Vision-language models as judges: clients, rubrics, and the format of replies."""

from convergebench.judges.base import Judge, JudgeAttempt, JudgeFacts, JudgeReply, Question, Subject, Verdict
from convergebench.judges.registry import open_judge
from convergebench.judges.rubric import Rubric, rubric, rubric_names

__all__ = [
    "Judge",
    "JudgeAttempt",
    "JudgeFacts",
    "JudgeReply",
    "Question",
    "Rubric",
    "Subject",
    "Verdict",
    "open_judge",
    "rubric",
    "rubric_names",
]
