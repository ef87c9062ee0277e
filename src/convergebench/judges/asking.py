"""Builds the question to a judge from a rubric and a subject."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence

from convergebench.judges.base import JudgeFacts, JudgeImage, Question, Subject
from convergebench.judges.message import Message
from convergebench.judges.rubric import PICTURES, REASON, TEXTS, Ask, PictureLimits, Rubric
from convergebench.picture import Picture, digest_of
from convergebench.types import Digest, PictureFacts, fingerprint_of

Show = Callable[..., JudgeImage]
"""Gives a picture by digest and limits; a second digest names a picture to whose size it is resized first."""
FORM = 1
"""Increase this when the texts below change, because replies to different questions must not be mixed."""

_TOKENS_OF_PICTURE = 2000
_LETTERS_OF_TOKEN = 3
_LONG_REPLY = 4096
_TOKEN_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_CAPTIONS = {
    "source": "The source picture",
    "result": "The edited picture",
    "first": "The first picture",
    "second": "The second picture",
    "references": "A reference picture",
}
_TEXT_CAPTIONS = {
    "instruction": "The instruction that the editor was given",
    "undo": "The instruction that should have undone it",
    "hint": "What a correct result shows",
    "description": "What the source picture shows",
    "rationale": "What is hard about this edit",
}


def lacking(rubric: Rubric, subject: Subject) -> str | None:
    """The first input that the rubric requires and the subject lacks; None if it has all."""
    for name in rubric.sees:
        if not (subject.pictures.get(name) if name in PICTURES else subject.texts.get(name)):
            return name
    return None


def pictures_sent(rubric: Rubric, subject: Subject) -> tuple[tuple[str, Digest], ...]:
    """The pictures that this rubric shows, with their roles, in order."""
    return tuple(
        (name, digest)
        for name in PICTURES
        if name in (*rubric.sees, *rubric.sees_if_given)
        for digest in subject.pictures.get(name, ())
    )


def texts_sent(rubric: Rubric, subject: Subject) -> dict[str, str]:
    return {
        name: subject.texts[name]
        for name in TEXTS
        if name in (*rubric.sees, *rubric.sees_if_given) and subject.texts.get(name)
    }


def key_of(
    judge: str,
    rubric: Rubric,
    pictures: Sequence[tuple[str, Digest]],
    texts: Mapping[str, str],
    repeat: int,
    like: Digest | None = None,
) -> str:
    """The key of a verdict: equal only for the identical question to the same judge. `like` is the picture in
    whose size the result is shown, if it is not its own."""
    more = () if like is None else (like,)
    return fingerprint_of(FORM, judge, rubric.fingerprint, pictures, texts, repeat, *more)


def question(rubric: Rubric, subject: Subject, show: Show) -> Question:
    """`show` returns a picture within the rubric's limits."""
    if rubric.message is not None:
        return _published(rubric, rubric.message, subject, show)
    parts = tuple(_parts(rubric, subject, show))
    return Question(rubric.system, parts, rubric.schema)


def _published(rubric: Rubric, message: Message, subject: Subject, show: Show) -> Question:
    pictures = pictures_sent(rubric, subject)
    several = len(subject.pictures.get("source", ())) > 1
    laid_out = message.laid_out(subject.texts, [role for role, _ in pictures], several=several)
    parts = tuple(
        part if isinstance(part, str) else _shown(rubric, subject, *pictures[part], show) for part in laid_out
    )
    return Question(message.system, parts, None)


def _parts(rubric: Rubric, subject: Subject, show: Show) -> Iterator[str | JudgeImage]:
    pictures = pictures_sent(rubric, subject)
    several = len(subject.pictures.get("source", ())) > 1
    yield (several and rubric.prompt_for_several) or rubric.prompt
    for name, text in texts_sent(rubric, subject).items():
        yield f"{_TEXT_CAPTIONS[name]}:\n<<<\n{text}\n>>>"
    count: dict[str, int] = {}
    for name, digest in pictures:
        count[name] = count.get(name, 0) + 1
        alone = sum(other == name for other, _ in pictures) == 1
        yield f"{_CAPTIONS[name]}:" if alone else f"{_CAPTIONS[name]}, number {count[name]}:"
        yield _shown(rubric, subject, name, digest, show)
    yield _form(rubric)


def _shown(rubric: Rubric, subject: Subject, role: str, digest: Digest, show: Show) -> JudgeImage:
    like = source_of_size(rubric, subject) if role == "result" else None
    return show(digest, rubric.pictures) if like is None else show(digest, rubric.pictures, like)


def source_of_size(rubric: Rubric, subject: Subject) -> Digest | None:
    """The picture to whose size the result is resized."""
    sources = subject.pictures.get("source", ())
    return sources[0] if rubric.pictures.result_like_source and sources else None


def _form(rubric: Rubric) -> str:
    lines = [
        f'- "{REASON}": in two or three sentences, what you see that decides it',
        *map(_line, rubric.ask),
    ]
    return "Reply with one JSON object and nothing else. Its keys, in this order:\n" + "\n".join(lines)


def _line(ask: Ask) -> str:
    if ask.is_scale:
        wanted = f"a number from {ask.low:g} to {ask.high:g}"
    else:
        wanted = '"first", "second" or "tie"' if ask.choice else '"yes" or "no"'
    return f'- "{ask.name}": {wanted}. {ask.asks}'


def likely_cost_usd(judge: JudgeFacts, question: Question) -> float | None:
    """The cost to reserve for a call: a long reply, and the maximum number of tokens for pictures."""
    if judge.prices is None:
        return None
    letters = len(question.system) + sum(len(part) for part in question.parts if isinstance(part, str))
    read = letters // _LETTERS_OF_TOKEN + _TOKENS_OF_PICTURE * len(question.pictures)
    limits = [judge.settings.get(name) for name in _TOKEN_LIMITS]
    return judge.prices.cost_usd(read, next((int(one) for one in limits if one), _LONG_REPLY))


def within(picture: Picture, limits: PictureLimits) -> Picture:
    """The picture as a judge sees it: the original bytes if they fit and every program decodes them to the
    same pixels."""
    plain = picture.normalised()
    width, height = plain.size
    shrink = min(1.0, limits.longest_side / max(width, height))
    if shrink == 1.0 and plain.facts.media_type == f"image/{limits.format}":
        return plain
    return _encoded(plain, max(1, round(width * shrink)), max(1, round(height * shrink)), limits)


def _encoded(picture: Picture, width: int, height: int, limits: PictureLimits) -> Picture:
    from PIL import Image

    from convergebench.picture import resized_to

    pixels = resized_to(picture.pixels, width, height)
    if limits.format == "png":
        return Picture.from_pixels(pixels)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=limits.quality)
    data = buffer.getvalue()
    return Picture(PictureFacts(digest_of(data), width, height, "image/jpeg"), encoded=data)
