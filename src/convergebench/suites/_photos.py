"""The photographs of the `converge` suite: the package, the file, and the crop.

Sizes are multiples of 16, which editing models return unchanged, and never larger than the crop.
"""

from __future__ import annotations

from dataclasses import dataclass

from convergebench.packaged_files import PackagedFile

_SCIKIT_IMAGE = "scikit-image==0.26.0"
_SCIKIT_LEARN = "scikit-learn==1.9.1"
_MATPLOTLIB = "matplotlib==3.11.2"
_IMGAUG = "imgaug==0.4.0"
_THUMBOR = "thumbor==7.8.0"


@dataclass(frozen=True)
class Photo:
    id: str
    kind: str
    description: str
    file: PackagedFile
    crop: tuple[int, int, int, int]
    """Left, top, right and bottom, in pixels of the packaged file."""
    size: tuple[int, int]
    """Width and height of the picture at the start of editing."""
    terms: str
    already_shown: tuple[str, ...] = ()
    """Pairs whose object is already in the picture."""


PHOTOS: tuple[Photo, ...] = (
    Photo(
        id="portrait_astronaut",
        kind="portrait",
        description="A smiling woman in an orange space suit before a flag and a model of the Space Shuttle",
        file=PackagedFile(
            _SCIKIT_IMAGE,
            "skimage/data/astronaut.png",
            "88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5",
        ),
        crop=(0, 0, 512, 512),
        size=(512, 512),
        terms="public domain (NASA)",
    ),
    Photo(
        id="portrait_hopper",
        kind="portrait",
        description="An elderly woman in navy uniform with glasses and a peaked cap, before a flag",
        file=PackagedFile(
            _MATPLOTLIB,
            "matplotlib/mpl-data/sample_data/grace_hopper.jpg",
            "a8ca6d734765703b09728ab47fe59f473d93ae3967fc24c7c0288c3c7adb7130",
        ),
        crop=(0, 8, 512, 520),
        size=(512, 512),
        terms="public domain (US Navy)",
        already_shown=("glasses_add_remove", "hat_add_remove"),
    ),
    Photo(
        id="portrait_henner",
        kind="portrait",
        description="A young man with dark curls and glasses, close, before a blurred park",
        file=PackagedFile(
            _THUMBOR,
            "thumbor/fixtures/filters/800px-Christophe_Henner_-_June_2016.jpg",
            "5ef594207ed774b0a2db2d180bcfe1b3e4440ed12237636a65a288ee44f9dae9",
        ),
        crop=(0, 0, 512, 512),
        size=(512, 512),
        terms="Wikimedia Commons, Christophe_Henner_-_June_2016.jpg; terms on its page there",
        already_shown=("glasses_add_remove",),
    ),
    Photo(
        id="portrait_guido",
        kind="portrait",
        description="A grey-haired man with glasses and a short beard before a wooden wall, looking aside",
        file=PackagedFile(
            _THUMBOR,
            "thumbor/fixtures/filters/800px-Guido-portrait-2014.jpg",
            "7c44e63ce133079078873997a1b61e6400464b72892596048b712bb97a9f3569",
        ),
        crop=(144, 16, 656, 528),
        size=(512, 512),
        terms="Wikimedia Commons, Guido-portrait-2014.jpg; terms on its page there",
        already_shown=("glasses_add_remove", "beard_add_remove", "mustache_add_remove"),
    ),
    Photo(
        id="portrait_maher",
        kind="portrait",
        description="A laughing woman with blond curls in a black top on a lawn",
        file=PackagedFile(
            _THUMBOR,
            "thumbor/fixtures/filters/800px-Katherine_Maher.jpg",
            "c7ba629fe133a0cf155cfdd10ceb4da1923cce097dcd18e8867c8b107b157ee6",
        ),
        crop=(160, 21, 672, 533),
        size=(512, 512),
        terms="Wikimedia Commons, Katherine_Maher.jpg; terms on its page there",
    ),
    Photo(
        id="portrait_giunchedi",
        kind="portrait",
        description="A man with a short dark beard in a black sweater before dark leaves",
        file=PackagedFile(
            _THUMBOR,
            "thumbor/fixtures/filters/Giunchedi%2C_Filippo_January_2015_01.jpg",
            "6a7faf8e2adb028436340e6b8c5955f0d669b9166e9c9581bbc61ff9636b1910",
        ),
        crop=(144, 21, 656, 533),
        size=(512, 512),
        terms="CC BY-SA 3.0, Myleen Hollero / Wikimedia Foundation",
        already_shown=("beard_add_remove", "mustache_add_remove"),
    ),
    Photo(
        id="scene_coffee",
        kind="scene",
        description="A red cup of espresso on a saucer with a spoon, on a wooden table",
        file=PackagedFile(
            _SCIKIT_IMAGE,
            "skimage/data/coffee.png",
            "cc02f8ca188b167c775a7101b5d767d1e71792cf762c33d6fa15a4599b5a8de7",
        ),
        crop=(0, 0, 600, 394),
        size=(512, 336),
        terms="CC0, Rachel Michetti",
        already_shown=("coffee_cup_add_remove",),
    ),
    Photo(
        id="scene_cat",
        kind="scene",
        description="The face of a tabby cat, close",
        file=PackagedFile(
            _SCIKIT_IMAGE,
            "skimage/data/chelsea.png",
            "596aa1e7cb875eb79f437e310381d26b338a81c2da23439704a73c4651e8c4bb",
        ),
        crop=(0, 0, 448, 288),
        size=(448, 288),
        terms="CC0, Stefan van der Walt",
        already_shown=("cat_add_remove",),
    ),
    Photo(
        id="scene_rocket",
        kind="scene",
        description="A rocket on its launch pad between lattice towers at dusk",
        file=PackagedFile(
            _SCIKIT_IMAGE,
            "skimage/data/rocket.jpg",
            "c2dd0de7c538df8d111e479619b129464d0269d0ae5fd18ca91d33a7fdfea95c",
        ),
        crop=(0, 7, 640, 427),
        size=(512, 336),
        terms="public domain (SpaceX)",
    ),
    Photo(
        id="scene_motorcycle",
        kind="scene",
        description="A red motorcycle in a garage with shelves and a bench",
        file=PackagedFile(
            _SCIKIT_IMAGE,
            "skimage/data/motorcycle_left.png",
            "db18e9c4157617403c3537a6ba355dfeafe9a7eabb6b9b94cb33f6525dd49179",
        ),
        crop=(0, 7, 741, 493),
        size=(512, 336),
        terms="Middlebury 2014 stereo data; no terms stated in the package",
    ),
    Photo(
        id="scene_china",
        kind="scene",
        description="A pagoda with tiled roofs above trees and a lake",
        file=PackagedFile(
            _SCIKIT_LEARN,
            "sklearn/datasets/images/china.jpg",
            "8378025ad2519d649d02e32bd98990db4ab572357d9f09841c2fbfbb4fefad29",
        ),
        crop=(0, 4, 640, 424),
        size=(512, 336),
        terms="CC BY 2.0, danielbuechele",
    ),
    Photo(
        id="scene_flower",
        kind="scene",
        description="An orange dahlia before dark green leaves",
        file=PackagedFile(
            _SCIKIT_LEARN,
            "sklearn/datasets/images/flower.jpg",
            "a77f6ec41e353afdf8bdff2ea981b2955535d8d83294f8cfa49cf4e423dd5638",
        ),
        crop=(0, 4, 640, 424),
        size=(512, 336),
        terms="CC BY 2.0, from the page of vultilion",
    ),
    Photo(
        id="scene_quokka",
        kind="scene",
        description="A quokka standing upright on sandy ground before a green wall",
        file=PackagedFile(
            _IMGAUG,
            "imgaug/quokka.jpg",
            "bf1059d0f925e7d0c712cadf07a04ba4cfc98957d7be65d3a7d8ae0c464cd76e",
        ),
        crop=(32, 3, 672, 643),
        size=(512, 512),
        terms="none stated for the picture; the package is MIT",
    ),
)
