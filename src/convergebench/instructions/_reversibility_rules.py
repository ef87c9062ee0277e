"""The rules that derive an edit's reversibility from its words: data, searched in order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from convergebench.types import Reversibility


@dataclass(frozen=True)
class Rule:
    """Words that indicate what an edit does, and the resulting class."""

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
    "|turquoise|teal|beige|navy|crimson|scarlet|maroon|cream|ivory|lime|cyan|magenta|lavender|olive|amber"
)
_CLOTHES = (
    "suit|tuxedo|dress|gown|uniform|costume|shirt|t-?shirt|blouse|sweater|hoodie|jumper|trousers|jeans"
    "|skirt|kimono|armou?r"
)
_SIDES = (
    "above|below|behind|the (?:side|back|front|top|left|right|air)|(?:another|a different) (?:angle|side)"
)
_DOING = "wear|hold|carry"
_POSES = "sit|stand|lie|kneel|crouch|jump|run|walk|dance|wave|point|sleep|bow|turn"

RULES: tuple[Rule, ...] = (
    Rule(
        "stay",
        "^(?:change nothing|do nothing|leave (?:it|everything) as it is|keep everything)",
        "reversible",
        "it changes nothing",
    ),
    Rule(
        "exchange",
        "(?:swap|exchange|switch) .*(?:places|each other|of the two|positions)|left and right",
        "reversible",
        "two things change places, and change back",
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
        "^(?:remove|clear|reduce|get rid of|take away|fix|undo|correct) (?:the |all |any )*"
        f"(?:\\w+ )?(?:{_DAMAGE})",
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
        "|reveal|uncover|unveil|uncensor|unmask|unwrap|unfold|unpack|unbutton|unzip|recover"
        "|bring (?:back|out)|bloom|blossom|hatch|^open|^draw back"
        "|^(?:lift|pull (?:back|up|aside)) .*(?:lid|cover|curtains?|veil|blinds?|hood)",
        "information-inventing",
        "a part appears that was never to be seen",
    ),
    Rule(
        "other view",
        f"(?:show|view|see|shoot|photograph|render|picture) .*from (?:{_SIDES})"
        "|^show (?:what|the (?:other|far|back|inside|rest))|(?:face|look (?:at|into)) the camera"
        "|turn .* around|bird's[- ]eye|camera angle|other side of",
        "information-inventing",
        "sides come to be seen that were turned away",
    ),
    Rule(
        "clothes",
        f"(?:wear|wears|wearing|dressed in|(?:change|dress) .*(?:into|in)) (?:\\w+ )*(?:{_CLOTHES})",
        "information-destroying",
        "what was worn before is no longer to be seen",
    ),
    Rule(
        "look",
        "(?:give|make|render|turn) .*(?:polaroid|vintage|retro|clay|lego|low[- ]poly|3d|pop art|noir|ghibli)"
        "|give (?:it|the (?:image|picture|photo|scene)) an? (?!warm|cool|bright|dark|soft|\\w+er\\b)"
        ".*(?:look|style|feel|effect|aesthetic)",
        "information-destroying",
        "the picture is made anew in another manner",
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
        f"|^(?:dress|let) .*(?:in (?:{_SOME}))|^(?:have|let|make) .*(?:{_DOING})"
        "|^(?:have|let|bring|tie|pin|fix|overlay|superimpose|project|park|scatter|seat) (?:in )?"
        f"(?:{_SOME}|the (?:date|time|logo))"
        f"|^(?:i'd like|i would like|i want|we need|there (?:should|must) be) (?:to see )?(?:{_SOME})"
        "|^(?:decorate|adorn|garnish|top) .*with",
        "reversible",
        "something is added that can be named and taken away again",
    ),
    Rule(
        "switch",
        "^(?:switch|turn) .*(?:on|off)|^(?:ignite|kindle|extinguish|blow out|put out|put .* out)"
        "|^light (?!up\\b|the (?:scene|room|image|picture|photo|face|background|subject))",
        "reversible",
        "there are two states, and both have a name",
    ),
    Rule(
        "remove",
        "^(?:remove|delete|erase|get rid of|take (?:.* )?(?:off|away|out)|strip|shave|wipe|hide|clear"
        "|cover|conceal|paint over|close|crop|cut|trim|undress|drop|omit|leave out|discard|clean|tidy|empty"
        "|drain|isolate|shorten)|(?:disappear|vanish|invisible|bald)"
        f"|(?:plain|solid|blank|empty|transparent|{_COLOURS}) background"
        f"|background (?:to )?(?:plain|solid|blank|empty|transparent|{_COLOURS})",
        "information-destroying",
        "the words do not say what is removed or hidden",
    ),
    Rule(
        "break",
        "^(?:slice|chop|peel|crack|break|smash|shatter|tear|rip|crumple|dent|burn|melt|mow|demolish|destroy|ruin"
        "|wreck|flood|freeze|boil|bake|cook|eat|bite|pop|deflate|crush|squash|bend)",
        "information-destroying",
        "what it was before cannot be put together from words",
    ),
    Rule(
        "material",
        "(?:out of|made (?:out )?of|made from|carved (?:out of|from|in)) \\w+",
        "information-destroying",
        "the old surface is not named",
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
        "the words do not say what is replaced",
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
        f"(?:paint|dye|colou?r|tint|recolou?r)|(?:from|to) (?:{_COLOURS})|(?:make|turn) .*(?:{_COLOURS})",
        "ambiguous",
        "a colour has many shades, and the old one is not named",
    ),
    Rule(
        "state",
        "make .*(?:wet|dry|dirty|dusty|muddy|shiny|glossy|matte?|rusty|fluffy|messy|tidy|old|young|fat|thin)",
        "ambiguous",
        "how much is left open, and the old state is not named",
    ),
    Rule(
        "expression",
        r"smile|smiling|laugh|frown|cry|sad|happy|angry|surprised|neutral|pose|wink|look \w+"
        f"|(?:make|let|have) .*(?:{_POSES})",
        "ambiguous",
        "a face or a mood has many ways to be so",
    ),
    Rule(
        "place or size",
        "move|shift|tilt|lean|bend|raise|resize|scale|shrink|enlarge|stretch|straighten|rotate|push|pull|slide"
        "|level|align|cent(?:er|re)|spread|rearrange|bring .*(?:closer|nearer|together|forward)",
        "ambiguous",
        "how far is left open",
    ),
)
