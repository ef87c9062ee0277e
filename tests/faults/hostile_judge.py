"""A judge and reasoner whose answers follow a seeded schedule of faults, with honest ones between them."""

from __future__ import annotations

import hashlib
import json
import random

from faults.hostile_provider import ESCAPES
from servers.judge import Answer, Asked, JudgeServer, completion, failure, graded

_CUT = {"content-length": "3"}


def honest(asked: Asked) -> Answer:
    """Advice where it is asked for, and grades elsewhere, with the key that the question brought."""
    key = asked.headers.get("authorization", "")
    if any('"instructions"' in text for text in asked.texts):
        advice = {"reasoning": f"I see {ESCAPES} {key}", "instructions": ["Flip the image horizontally"]}
        return completion(json.dumps(advice))
    return completion(json.dumps({**json.loads(graded(asked)), "reason": f"seen {ESCAPES} {key}"}))


class HostileJudge(JudgeServer):
    """`asked` has every question; `answered` the digests of those that were answered as they should be."""

    def __init__(self, seed: int = 0, share_of_faults: float = 0.5) -> None:
        super().__init__(self._scripted)
        self.answered: list[str] = []
        self._random = random.Random(seed)
        self._share = share_of_faults

    def _scripted(self, number: int, asked: Asked) -> Answer:
        if self._random.random() < self._share:
            fault = self._random.choice(_FAULTS)
            return failure(401, asked.headers.get("authorization", "")) if fault is None else fault
        self.answered.append(digest(asked))
        return honest(asked)


def digest(asked: Asked) -> str:
    return hashlib.sha256(json.dumps(asked.body, sort_keys=True).encode()).hexdigest()


_FAULTS = (
    failure(500, ESCAPES), failure(429, "slow down", **{"Retry-After": "0"}), failure(503, "half \ud83d"),
    Answer("<html>"), Answer("[" * 100_000), Answer({"choices": []}), Answer({"choices": None, "usage": -1}),
    completion("I would rather not."), completion('{"reason": "x"}'), completion('{"restored": NaN}'),
    completion('{"restored": 1e999, "undone": "maybe"}'), completion("[" * 50_000), completion(""),
    completion('{"a": ', finish="length"), Answer('{"choices": []}', headers=_CUT),
    None,  # the key, said back
    Answer("", 307, {"Location": "http://192.0.2.1/v1/chat/completions"}),
)  # fmt: skip
