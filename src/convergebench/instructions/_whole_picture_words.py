"""The words that request a change of the whole picture: data, searched in order.

Words that may mean one thing in the picture are not here: a mirror, the picture on the wall, people in the
background.
"""

from __future__ import annotations

from collections.abc import Mapping

END = (
    r"(?=$|[,;.:!]|\s*[(—–]| (?:with|while|so|but|except|without|using|keeping|then)\b"
    r"| and (?:then )?(?:add|remove|cover|make|put|change|turn|replace|flip|mirror|rotate|give|crop|blur"
    r"|keep)\b)"
)
"""After the words: the end, or the beginning of another part."""

_ALL = "entire|whole|full|complete|old|scratched|blurry|noisy|faded|sepia|vintage|black[- ]and[- ]white"
_NOUN = "image|picture|photo|photograph|snapshot|selfie|scene|view|shot"
_NAMED = rf"(?:(?:(?:the|this|my) )?(?:(?:{_ALL}) )*(?:{_NOUN})|everything)"
_PICTURE = rf"(?:{_NAMED}|it|this)"
_MUCH = (
    r"(?: (?:slightly|a (?:bit|little|lot)|much|somewhat|strongly|heavily|gently|overall|completely"
    r"|entirely|everywhere|again|back|up|very|by (?:half|\d+ ?%)))*"
)
_HOW = (
    r"(?:(?:a (?:bit|little|lot)|slightly|much|somewhat|very|far|even|more|less|really|completely|entirely"
    r"|all|look|appear|seem|be|become|like|as if|it is|it were) )*"
)
_TO = r"(?: (?:to|into|from|so) [^,;.]*)?"
_IN = rf"(?: (?:of|in|across|throughout) {_PICTURE})?"
_OVER = rf"(?: (?:to|over|across|in|onto) {_PICTURE}| (?:to|on) the ground| everywhere)?"

_WAY = (
    r"(?: (?:by|about|through|from|to|along|over|around|on|its|the|an?|and|top|bottom|left|right|side"
    r"|head|cent(?:re|er)|vertical|horizontal|vertically|horizontally|axis|diagonal|diagonally|upside[- ]down"
    r"|left-right|clockwise|(?:counter|anti)-?clockwise|turn|quarters?|half|one|two|three|\d+(?:\.\d+)?|ninety"
    r"|degrees?|°)|°)"
)
_TURN = r"(?= .*(?:down|clockwise|degrees?|°|\bturn))"
_TURNED = r"(?:upside[- ]down|mirrored|flipped|inverted|rotated|sideways|on its (?:side|head))"
_SIDES = (
    "above|below|behind|the (?:side|back|front|top|left|right|air)|an?(?:other| different) (?:angle|side)"
)

_SEASON = (
    "spring|springtime|summer|summertime|autumn|autumnal|fall|winter|wintertime|wintry|winter wonderland"
)
_HOUR = (
    "day|daytime|daylight|night|nighttime|night-time|midnight|noon|midday|dawn|dusk|twilight|sunset|sunrise"
    "|(?:early |late )?(?:morning|evening|afternoon)|(?:the )?(?:golden|blue) hour|moonlight"
)
_FALLING = "fog|mist|haze|smog|rain|snow|snowfall|rainfall|hail|drizzle|blizzard|snowstorm|thunderstorm|storm"
_WET = (
    "foggy|misty|hazy|rainy|snowy|stormy|sunny|cloudy|overcast|windy|rain|snow|hail|drizzle|snowing|raining"
)
_DENSE = "(?:(?:an?|some|more|thick|heavy|dense|light|falling|gentle|morning|pouring|soft|drifting) )*"

_GREY = "black[- ]and[- ]white|gr[ae]y-?scale|monochrome|monochromatic|sepia|warmer|cooler|colder"
_COLOURED = (
    rf"{_GREY}|warm|cool|cold|colou?rful|colou?rless|vivid|vibrant|saturated|desaturated|muted|faded|natural"
    "|pale|paler"
)
_TONES = "colou?rs|tones|hues|colou?r (?:temperature|palette|balance|tones?)|white balance"
_LIT = "bright|brighter|dark|darker|lighter|dim|dimmer|gloomy|gloomier|moody|moodier|dramatic|cinematic"

_ART = (
    "painting|drawing|sketch|water-?colou?r|cartoon|comic|anime|manga|mosaic|pixel[- ]art|poster|illustration"
    "|engraving|etching|woodcut|caricature|polaroid|postcard|pop[- ]art|line art|stained glass|blueprint"
    "|portrait|film still|3d (?:model|rendering|render)|clay (?:model|animation)|claymation"
)
_MANNER = (
    "vintage|retro|noir|ghibli|cyberpunk|steampunk|renaissance|impressionis[mt]|cubis[mt]|art deco"
    "|low[- ]poly|lego|van gogh|monet|picasso"
)
_STYLE = (
    rf"(?:(?:style|{_ART})(?: style| (?:of|by|from) [^,;.]*)?|(?:painted|drawn) (?:by|in|with) [^,;.]*"
    rf"|(?:{_MANNER})(?: (?:photo|photograph|picture|image|scene|world|city|version|art|film))?)"
)
_FORM = r"(?:style|look|feel|effect|aesthetic|filter)"
_SOME = r"(?:an?|the) (?:(?!with\b|in\b|on\b)[\w'’-]+ ){0,3}"
_WEAR = "blur|motion blur|noise|grain|film grain|compression artifacts|jpeg artifacts"

_BACKGROUND = r"(?:the |this |its )?(?:(?:entire|whole|blurry|blurred|sharp|white|plain|current) )*background"
_SHADE = (
    r"(?:(?:light|dark|pale|bright|plain|solid|pure|deep|soft|more|less|much|very|slightly|completely) )*"
)

WHOLE_PICTURE: Mapping[str, tuple[str, ...]] = {
    # Every pixel moves.
    "geometric": (
        rf"(?:flip|mirror|reflect|rotate|transpose) {_PICTURE}{_WAY}*{_MUCH}",
        rf"turn {_PICTURE}{_TURN}{_WAY}+",
        r"turn (?:the|this) (?:image|picture|photo) (?:to the (?:left|right)|on its side)",
        rf"(?:(?:flip|mirror|rotate)(?! (?:on|the|an?)\b)|turn{_TURN}){_WAY}+",
        rf"(?:make|show|put|turn) {_PICTURE} {_HOW}{_TURNED}",
        r"(?:swap|exchange|switch) (?:the )?(?:left and right|top and bottom)(?: (?:sides?|halves))?",
        r"zoom (?:in|out)\b[^,;.]*",
        rf"(?:crop|uncrop|extend|expand|widen|outpaint) {_NAMED}"
        r"(?: (?:to|by|from|on (?:both|all|the (?:left|right|top|bottom))) [^,;.]*)?",
        rf"(?:upscale|enlarge|shrink|resize|stretch|scale) {_NAMED}(?: (?:to|by) [^,;.]*)?",
        rf"(?:straighten|level) (?:{_NAMED}|the horizon){_MUCH}",
        rf"change the (?:camera angle|viewpoint|perspective|point of view){_TO}",
        rf"(?:view|show|see|render|shoot) {_NAMED} from (?:{_SIDES})",
    ),
    # What the background is, or how it is shown.
    "background": (
        rf"(?:change|replace|swap|substitute|exchange|switch|turn|set) {_BACKGROUND}"
        r"(?: colou?r)?(?: (?:to|into|with|by|for|from) [^,;.]*)?",
        rf"(?:remove|delete|erase|blur|sharpen|unblur|defocus|darken|brighten|lighten|desaturate|blur out) "
        rf"{_BACKGROUND}{_MUCH}",
        rf"bring {_BACKGROUND} (?:in|into|out of) focus",
        rf"make {_BACKGROUND} (?:look )?(?:an? [^,;.]+|{_SHADE}[\w-]+|(?:in|out of) focus|black and white)",
        rf"(?:give {_PICTURE}|use|set) an? (?:(?:another|different|new) )?(?:[\w-]+ ){{0,3}}background",
        r"isolate (?:[\w'’-]+ ){1,8}?(?:on|against|from) (?:[\w'’-]+ ){0,5}?background",
        r"(?:remove|delete|erase) everything (?:except|but|other than|around)\b[^,;.]*",
    ),
    # Seasons and weather lie over the whole scene.
    "weather": (
        rf"(?:make(?! it fall)|turn|change|transform|convert|set|show|render) {_PICTURE} "
        rf"(?:(?:into|to|in|from [\w ]+? (?:to|into)) )?{_HOW}(?:an? )?(?:(?:{_WET}) )?"
        rf"(?:{_SEASON}|{_WET})(?: (?:scene|landscape|day|picture|image|photo|weather|heavily|lightly))*"
        rf"{_MUCH}",
        rf"(?:change|turn|switch) the (?:season|weather){_TO}",
        rf"let it (?:rain|snow|hail){_MUCH}",
        rf"(?:turn|change) (?:the |this )?(?:{_SEASON})(?: \w+)? (?:in)?to (?:{_SEASON})",
        rf"(?:turn|change|transform) the (?:(?:{_SEASON}|sunny|rainy|snowy) )?(?:scene|landscape) (?:in)?to "
        rf"(?:an? )?(?:{_SEASON}|{_WET})(?: (?:scene|landscape|day))?",
        rf"(?:add|put) {_DENSE}(?:{_FALLING})(?: and (?:{_FALLING}))?{_OVER}",
        rf"(?:remove|clear|lift|get rid of) (?:the |all )?(?:fog|mist|haze|smog|rain|snow)"
        rf"(?: (?:from|in|of) {_PICTURE})?",
        rf"(?:cover|fill|blanket|shroud) (?:{_NAMED}|the (?:ground|landscape)) (?:with|in) {_DENSE}"
        rf"(?:{_FALLING})",
    ),
    # The hour, and how bright everything is.
    "lighting": (
        rf"(?:(?:make|turn|change|transform|convert|set|show|render) {_PICTURE} "
        rf"(?:(?:into|to|in|at|by|during|from [\w ]+? (?:to|into)) )?{_HOW}(?:an? |the )?(?:{_HOUR})"
        r"(?: (?:scene|time|light|picture|image|photo))*)",
        rf"(?:turn|change|switch) (?:the )?(?:{_HOUR}) (?:in)?to (?:the )?(?:{_HOUR})",
        rf"change the (?:time of (?:the )?day|lighting|mood|atmosphere){_TO}",
        rf"make {_PICTURE} {_HOW}(?:{_LIT}){_MUCH}",
        rf"make the (?:mood|atmosphere|lighting){_IN} {_HOW}[\w-]+",
        rf"(?:brighten|darken|lighten|dim|relight) {_PICTURE}{_MUCH}",
        r"(?:increase|decrease|reduce|raise|lower|boost|adjust|tone down) (?:the )?(?:overall )?"
        rf"(?:brightness|exposure|gamma|highlights|lighting){_IN}{_MUCH}",
        rf"(?:bathe|drench|immerse) {_NAMED} in (?:[\w-]+ )*(?:light|darkness|sunlight|moonlight)",
    ),
    # All colours change.
    "colour": (
        r"(?:make|turn|convert|change|render) "
        rf"(?:{_NAMED} (?:back )?(?:(?:in|into|to) )?{_HOW}(?:an? )?(?:{_COLOURED})"
        rf"|(?:(?:it|this) )?(?:(?:in|into|to) )?{_HOW}(?:an? )?(?:{_GREY}))"
        rf"(?: (?:photo|photograph|picture|image|print|tones?|colou?rs))?{_MUCH}",
        rf"(?:make|turn) the (?:{_TONES}){_IN} {_HOW}[\w-]+{_MUCH}",
        r"(?:increase|decrease|reduce|raise|lower|boost|adjust|change|shift|fade|soften|intensify|invert"
        rf"|enhance) (?:the )?(?:overall )?(?:contrast|saturation|vibrance|{_TONES}){_IN}"
        rf"(?: (?:to|towards) [^,;.]*)?{_MUCH}",
        rf"(?:colou?ri[sz]e|desaturate|saturate|tint|recolou?r|invert) {_NAMED}{_MUCH}",
        rf"(?:add|give {_PICTURE}) (?:(?:more|less|some|a bit of) )?(?:contrast|saturation)"
        rf"(?: to {_PICTURE})?",
        rf"(?:make|create) a negative of {_NAMED}",
        rf"reduce {_NAMED} to \w+ (?:colou?rs|tones)",
        rf"give {_PICTURE} (?:an? )?(?:{_COLOURED}) (?:{_TONES}|{_FORM}|tint|cast)",
        rf"add colou?rs? to {_NAMED}",
        rf"(?:apply|add) an? (?:{_COLOURED}) (?:{_FORM}|tone|tint)(?: (?:to|over) {_PICTURE})?",
    ),
    # Everything is drawn, or shown, in another way.
    "style_change": (
        r"(?:turn|convert|transform|make|change|render|redraw|repaint|recreate|draw|paint|reimagine|restyle) "
        rf"{_PICTURE} {_HOW}(?:(?:into|to|as|in|like|an?|the) (?:[\w'’-]+ ){{0,5}}?)?{_STYLE}",
        rf"(?:convert|turn|transform) (?:in)?to (?:[\w'’-]+ ){{0,5}}?{_STYLE}",
        rf"change the (?:art )?style{_IN}{_TO}",
        rf"make {_NAMED} look {_HOW}(?:old|aged|antique)",
        rf"make {_NAMED} {_HOW}(?:blurry|blurrier|sharp|sharper|grainy|noisy|realistic)",
        rf"give {_NAMED} {_SOME}{_FORM}(?: of [^,;.]*)?",
        rf"give it {_SOME}(?:{_ART}|{_MANNER}) {_FORM}",
        rf"(?:apply|add) {_SOME}(?:{_ART}|{_MANNER}|photo) {_FORM}(?: (?:to|over) {_PICTURE})?",
        rf"apply {_SOME}{_FORM} to {_NAMED}",
        rf"add (?:an? |some |more )?(?:vignette|{_WEAR}){_OVER}",
        rf"(?:remove|undo|reduce) (?:the |all )?(?:{_WEAR})(?: (?:from|in|of) {_PICTURE})?",
        r"(?:blur|sharpen|deblur|denoise|dehaze|pixelate|posteri[sz]e|compress|restore|enhance|smooth) "
        rf"{_NAMED}(?: to [^,;.]*)?{_MUCH}",
        rf"(?:increase|reduce|lower) the (?:resolution|sharpness){_IN}{_MUCH}",
    ),
}
"""By built-in category, regular expressions for lower-case words from the beginning of an instruction."""
