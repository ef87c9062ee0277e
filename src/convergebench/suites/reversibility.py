"""Whether an edit can be undone: what it adds, destroys or invents, told from its words.

An edit is classed as a forward edit: if it is carried out and then undone by words alone, does the same
picture come back? The rules are data, looked through in order; the first that fits decides, and is named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from convergebench.types import Reversibility


@dataclass(frozen=True)
class Rule:
    """Words that tell what an edit does, and what follows from that."""

    name: str
    words: str
    """A regular expression for whole words."""
    reversibility: Reversibility
    because: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{self.words})\b")


_VEIL = "fog|mist|haze|smoke|snow|rain|dust|noise|grain|blur|vignette"
_DAMAGE = "blur|noise|grain|fog|mist|haze|scratches|artifacts|artefacts|stains|cracks|watermark"
_SOME = "an?|some|two|three|four|five|several|many|more"
_LESS = "colou?rs?|details?|quality|resolution"
_COLOURS = (
    "red|green|blue|yellow|orange|purple|violet|pink|brown|black|white|gr[ae]y|gold(?:en)?|silver|blond"
    "|turquoise"
)

RULES: tuple[Rule, ...] = (
    Rule(
        "stay",
        "^(?:change nothing|do nothing|leave (?:it|everything) as it is|keep everything)",
        "reversible",
        "it changes nothing",
    ),
    Rule(
        "odd turn",
        r"(?:rotate|turn) .*\b(?!90\b|180\b|270\b|360\b)\d+(?:\.\d+)? ?(?:degrees?|°)",
        "information-destroying",
        "the corners of a picture that is turned by such an angle leave the frame",
    ),
    Rule(
        "turn or mirror",
        "flip|mirror|upside down|(?:rotate|turn) .*(?:90|180|270|360|clockwise|quarter|half turn)|transpose",
        "reversible",
        "every pixel is moved and none is lost",
    ),
    Rule(
        "negative",
        "invert .*(?:colou?rs?|tones?|image|picture|photo)|negative",
        "reversible",
        "each value has exactly one other",
    ),
    Rule(
        "recover",
        f"^(?:remove|clear|reduce|get rid of|take away|fix) (?:the |all |any )*(?:\\w+ )?(?:{_DAMAGE})",
        "information-inventing",
        "what was hidden or spoilt must be made up",
    ),
    Rule(
        "invent detail",
        "colou?ri[sz]e|add (?:natural |some |more )*(?:colou?rs?|details?)|sharpen|de-?blur|unblur|denoise"
        f"|up-?scale|super-?resolution|(?:increase|raise|enhance|improve|double) .*(?:{_LESS})"
        "|into focus|in focus|readable|legible|recogni[sz]able|make .*(?:sharp|crisp|clear)",
        "information-inventing",
        "detail or colour appears that the picture does not hold",
    ),
    Rule(
        "invent a part",
        "restore|repair|reconstruct|complete|fill in|inpaint|outpaint|extend|expand|widen|un-?crop|zoom out"
        "|reveal|uncover|unveil|uncensor|unmask|^open",
        "information-inventing",
        "a part appears that was never to be seen",
    ),
    Rule(
        "veil",
        f"(?:add|cover|fill|put|with|make it|let it) .*(?:{_VEIL})|make it look (?:foggy|rainy|snowy)",
        "information-destroying",
        "it lies over everything, and what is under it is lost",
    ),
    Rule(
        "add",
        "^(?:add|insert|include|put|place|attach)"
        "|^(?:give|hang|set|lay|lean|stick|draw|write|show|build|plant) (?:\\w+ ){0,3}?"
        f"(?:{_SOME}|the words?|the text|the letters)"
        f"|^(?:dress|let) .*(?:hold|wear|in (?:{_SOME}))",
        "reversible",
        "something is added that can be named and taken away again",
    ),
    Rule(
        "switch", "^(?:switch|turn) .*(?:on|off)", "reversible", "there are two states, and both have a name"
    ),
    Rule(
        "remove",
        "^(?:remove|delete|erase|get rid of|take (?:.* )?(?:off|away|out)|strip|shave|wipe|hide|clear"
        "|cover|conceal|paint over|close|crop|cut|trim|undress)",
        "information-destroying",
        "what is taken away or hidden cannot be told from words",
    ),
    Rule(
        "lose detail",
        "black and white|gr[ae]y-?scale|monochrome|sepia|blur|pixelate|mosaic|smear|smudge|censor|black out"
        "|posteri[sz]e|compress|down-?scale|zoom in|low (?:quality|resolution)|solid colou?r"
        f"|(?:reduce|lower|decrease) .*(?:to \\w+ colou?rs|{_LESS})",
        "information-destroying",
        "colour or detail is lost",
    ),
    Rule(
        "style",
        "style of|look like an?|(?:oil|water ?colou?r|pencil|charcoal|ink) (?:painting|drawing|sketch)"
        "|painting|sketch|cartoon|comic|anime|pixel art|water ?colou?r",
        "information-destroying",
        "the picture is made anew in another manner",
    ),
    Rule(
        "time or weather",
        "night|midnight|nighttime|dawn|dusk|sunset|sunrise|noon|daytime|winter|summer|spring|autumn"
        f"|storm|stormy|rainy|snowy|foggy|(?:{_VEIL})",
        "information-destroying",
        "light and surfaces change everywhere at once",
    ),
    Rule(
        "replace",
        "replace|swap|exchange|substitute|transport|transform|convert|turn .* into"
        "|change .*(?:background|to an?)|(?:another|different|new) background",
        "information-destroying",
        "what is replaced cannot be told from words",
    ),
    Rule(
        "amount",
        "more|less|slightly|a bit|a little|somewhat|increase|decrease|reduce|lower|raise|strengthen|soften"
        "|shift|intensify|adjust|tone|contrast|brightness|saturation|bright|dark|warm|cool"
        r"|(?:make|give|get|look) .*\b(?!(?:her|over|under|after|number|flower|water|paper)\b)\w+er",
        "ambiguous",
        "how much is left open",
    ),
    Rule(
        "attribute",
        f"(?:paint|dye|colou?r|tint|recolou?r)|(?:from|to) (?:{_COLOURS})|make .*(?:{_COLOURS})",
        "ambiguous",
        "a colour has many shades, and the old one is not named",
    ),
    Rule(
        "expression",
        r"smile|smiling|laugh|frown|cry|sad|happy|angry|surprised|neutral|pose|look \w+",
        "ambiguous",
        "a face or a mood has many ways to be so",
    ),
    Rule(
        "place or size",
        "move|shift|tilt|lean|bend|raise|resize|scale|shrink|enlarge|stretch|straighten|rotate",
        "ambiguous",
        "how far is left open",
    ),
)


@dataclass(frozen=True)
class Classed:
    """What an instruction was found to be, and by what."""

    reversibility: Reversibility | None
    """None where nobody knows."""
    rule: str
    """The rule's name, a language model's, or nothing."""
    because: str


UNKNOWN = Classed(None, "", "no rule knows these words")


def classify(instruction: str) -> Classed:
    """The class of an instruction in English by the first rule that fits.

    >>> classify("Add a red scarf to the dog.").reversibility
    'reversible'
    >>> classify("Turn the photo into an oil painting.").rule
    'style'
    """
    text = plain(instruction).lower()
    for rule in RULES:
        if rule.pattern.search(text):
            return Classed(rule.reversibility, rule.name, rule.because)
    return UNKNOWN


_POLITE = re.compile(
    r"^(?:please|kindly|now|then|can you|could you|i want you to|let us|let's)\s+", re.IGNORECASE
)


def plain(instruction: str) -> str:
    """On one line, without the full stop and the courtesies."""
    text = " ".join(instruction.split()).strip(" .!?")
    while (shorter := _POLITE.sub("", text)) != text:
        text = shorter
    return text
