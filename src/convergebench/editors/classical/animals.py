"""The cat and the dog, sitting and looking at you; units as in `objects`."""

from __future__ import annotations

from convergebench.editors.classical.painting import FLAT, Finish, paint
from convergebench.editors.classical.sprites import Colour, Sheet, Sprite, blank, smooth_curve, with_shadow

_BLACK: Colour = (24, 20, 20)
_PAW = Finish(0.06, hair=0.05)


def _sitting(sheet: Sheet) -> Sprite:
    sprite = with_shadow(blank(sheet), sheet.ellipse(0.08, -0.01, 0.38, 0.06), 0.34, 0.035)
    return with_shadow(sprite, sheet.ellipse(0.0, 0.0, 0.27, 0.03), 0.5, 0.012)


def cat() -> Sprite:
    sheet = Sheet(-0.55, -1.06, 0.65, 0.14)
    ginger, cream, stripe = (216, 134, 58), (246, 224, 192), (158, 82, 28)
    fur = Finish(0.16, hair=0.06)
    tail = smooth_curve([(0.2, -0.06), (0.4, -0.07), (0.48, -0.2), (0.42, -0.36), (0.48, -0.46)])
    sprite = paint(_sitting(sheet), sheet.stroke(tail, 0.085), ginger, Finish(0.042, hair=0.06))
    body = sheet.blob([(0.0, -0.62), (0.17, -0.52), (0.27, -0.24), (0.27, -0.04), (0.0, 0.0), (-0.27, -0.04),
                       (-0.27, -0.24), (-0.17, -0.52)])  # fmt: skip
    sprite = paint(sprite, body, ginger, fur)
    for y in (-0.4, -0.29, -0.18):
        for side in (-1, 1):
            mark = smooth_curve([(side * 0.3, y - 0.02), (side * 0.21, y + 0.02), (side * 0.14, y + 0.01)])
            sprite = paint(sprite, sheet.stroke(mark, 0.032) * body, stripe, Finish(0.0, opacity=0.85))
    chest = sheet.blob([(0, -0.55), (0.1, -0.42), (0.07, -0.2), (0, -0.14), (-0.07, -0.2), (-0.1, -0.42)])
    sprite = paint(sprite, chest, cream, _PAW)
    for x in (-0.09, 0.09):
        sprite = paint(sprite, sheet.stroke([(x, -0.3), (x, -0.06)], 0.1), ginger, _PAW)
        sprite = paint(sprite, sheet.ellipse(x, -0.035, 0.08, 0.045), cream, _PAW)
    for side in (-1, 1):
        ear = [(side * 0.06, -0.88), (side * 0.2, -1.03), (side * 0.245, -0.74)]
        sprite = paint(sprite, sheet.polygon(ear), ginger, Finish(0.05, hair=0.06))
        inner = [(side * 0.11, -0.87), (side * 0.19, -0.97), (side * 0.215, -0.8)]
        sprite = paint(sprite, sheet.polygon(inner), (226, 150, 140), FLAT)
    head = sheet.blob([(0, -0.92), (0.17, -0.87), (0.25, -0.7), (0.16, -0.56), (0, -0.52), (-0.16, -0.56),
                       (-0.25, -0.7),
                       (-0.17, -0.87)])  # fmt: skip
    sprite = paint(sprite, head, ginger, fur)
    for x in (-0.06, 0.0, 0.06):
        sprite = paint(sprite, sheet.stroke([(x, -0.9), (x * 0.8, -0.81)], 0.024), stripe, FLAT)
    return _cat_face(sprite, sheet, cream)


def _cat_face(sprite: Sprite, sheet: Sheet, cream: Colour) -> Sprite:
    for x in (-0.05, 0.05):
        sprite = paint(sprite, sheet.ellipse(x, -0.6, 0.065, 0.05), cream, Finish(0.04))
    for x in (-0.11, 0.11):
        sprite = paint(sprite, sheet.ellipse(x, -0.73, 0.052, 0.045), (168, 196, 66), Finish(0.03, gloss=0.3))
        sprite = paint(sprite, sheet.ellipse(x, -0.73, 0.016, 0.04), _BLACK, FLAT)
    nose = sheet.polygon([(-0.03, -0.655), (0.03, -0.655), (0.0, -0.62)])
    sprite = paint(sprite, nose, (206, 104, 104), FLAT)
    for side in (-1, 1):
        for lift in (-0.03, 0.0, 0.03):
            whisker = [(side * 0.08, -0.605 + lift * 0.4), (side * 0.32, -0.615 + lift * 1.8)]
            sprite = paint(sprite, sheet.stroke(whisker, 0.004), (250, 246, 240), Finish(0.0, opacity=0.7))
    return sprite


def dog() -> Sprite:
    sheet = Sheet(-0.55, -1.06, 0.62, 0.14)
    brown, dark, tan = (136, 88, 50), (80, 48, 28), (222, 186, 140)
    fur = Finish(0.16, hair=0.06)
    tail = smooth_curve([(0.22, -0.08), (0.36, -0.14), (0.44, -0.3)])
    sprite = paint(_sitting(sheet), sheet.stroke(tail, 0.07), brown, Finish(0.035, hair=0.06))
    body = sheet.blob([(0.0, -0.6), (0.19, -0.5), (0.27, -0.22), (0.29, -0.03), (0.0, 0.0), (-0.29, -0.03),
                       (-0.27, -0.22),
                       (-0.19, -0.5)])  # fmt: skip
    sprite = paint(sprite, body, brown, fur)
    chest = sheet.blob([(0, -0.54), (0.12, -0.42), (0.08, -0.2), (0, -0.16), (-0.08, -0.2), (-0.12, -0.42)])
    sprite = paint(sprite, chest, tan, Finish(0.06, hair=0.05))
    for x in (-0.1, 0.1):
        sprite = paint(sprite, sheet.stroke([(x, -0.34), (x, -0.06)], 0.11), brown, _PAW)
        sprite = paint(sprite, sheet.ellipse(x, -0.04, 0.09, 0.05), tan, _PAW)
    collar = sheet.stroke(smooth_curve([(-0.17, -0.5), (0.0, -0.45), (0.17, -0.5)]), 0.06)
    sprite = paint(sprite, collar, (200, 28, 36), Finish(0.03))
    sprite = paint(sprite, sheet.ellipse(0, -0.41, 0.035, 0.035), (238, 196, 70), Finish(0.03, gloss=0.5))
    head = sheet.blob([(0, -0.98), (0.17, -0.93), (0.22, -0.76), (0.15, -0.57), (0, -0.5), (-0.15, -0.57),
                       (-0.22, -0.76),
                       (-0.17, -0.93)])  # fmt: skip
    sprite = paint(sprite, head, brown, fur)
    return _dog_face(sprite, sheet, dark, tan)


def _dog_face(sprite: Sprite, sheet: Sheet, dark: Colour, tan: Colour) -> Sprite:
    for side in (-1, 1):
        ear = [(0.13, -0.96), (0.25, -0.92), (0.31, -0.72), (0.26, -0.54), (0.18, -0.68)]
        sprite = paint(sprite, sheet.blob([(side * x, y) for x, y in ear]), dark, Finish(0.06, hair=0.06))
        sprite = paint(sprite, sheet.ellipse(side * 0.088, -0.775, 0.036, 0.04), _BLACK, FLAT)
        sprite = paint(sprite, sheet.ellipse(side * 0.088 - 0.012, -0.79, 0.01, 0.01), (250, 250, 250), FLAT)
    muzzle = sheet.blob([(0, -0.75), (0.085, -0.69), (0.115, -0.6), (0.06, -0.525), (0, -0.51),
                         (-0.06, -0.525),
                         (-0.115, -0.6), (-0.085, -0.69)])  # fmt: skip
    sprite = paint(sprite, muzzle, tan, Finish(0.08))
    sprite = paint(sprite, sheet.lozenge(0, -0.68, 0.055, 0.038), _BLACK, Finish(0.03, gloss=0.5))
    tongue = sheet.blob([(-0.03, -0.56), (0.03, -0.56), (0.022, -0.49), (-0.022, -0.49)])
    sprite = paint(sprite, tongue, (222, 96, 106), Finish(0.02))
    mouth = smooth_curve([(-0.07, -0.585), (-0.03, -0.56), (0.0, -0.6), (0.03, -0.56), (0.07, -0.585)])
    return paint(sprite, sheet.stroke(mouth, 0.012), _BLACK, FLAT)
