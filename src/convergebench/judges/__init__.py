"""Vision-language models as judges: whom to ask, what to ask, and what counts as an answer."""

from convergebench.judges.base import Judge, JudgeAttempt, JudgeFacts, JudgeReply, Question, Subject, Verdict
from convergebench.judges.registry import open_judge
from convergebench.judges.rubric import Rubric, built_in, rubric

__all__ = [
    "Judge",
    "JudgeAttempt",
    "JudgeFacts",
    "JudgeReply",
    "Question",
    "Rubric",
    "Subject",
    "Verdict",
    "built_in",
    "open_judge",
    "rubric",
]
