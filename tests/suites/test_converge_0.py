from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from convergebench.errors import ConvergeBenchError, DownloadFailed
from convergebench.picture import Picture, is_plain
from convergebench.suites import load
from convergebench.suites._photos import PHOTOS, Photo
from convergebench.suites._prepared import prepare_photos
from convergebench.types import Suite

ACCESSORIES = {
    "glasses_add_remove", "sunglasses_add_remove", "hat_add_remove", "earrings_add_remove",
    "necklace_add_remove", "scarf_add_remove", "beard_add_remove", "mustache_add_remove", "watch_add_remove",
}  # fmt: skip
SCENE_OBJECTS = {
    "chair_add_remove", "red_ball_add_remove", "plant_add_remove", "coffee_cup_add_remove", "book_add_remove",
    "cat_add_remove", "dog_add_remove", "flower_vase_add_remove", "umbrella_add_remove",
}  # fmt: skip
GEOMETRIC = {"horizontal_flip", "rotate_90_cw"}

RECORDED_DIGESTS = {
    "portrait_astronaut": "35df6c0d67cbd76455fcf2c3b0d38dfc920bf2ccb063acceeeca37986a6510e9",
    "portrait_hopper": "bfb2c9b6d8b13569b97fd880e8975c09783230702393ea63e216e0c234e2f5d3",
    "portrait_henner": "5f045633bc246324ee405c34a446fe2e90c9aa3ae08f0c324756e7434ac70720",
    "portrait_guido": "be40eec715b8de1696b6c8fd786c98587e710ba21eaa07e9184f54b2a637c4d4",
    "portrait_maher": "b061ef37578c6545ca2e7b33b2462a5be0f2a4bb1bb564e7133e686bc27e39af",
    "portrait_giunchedi": "98ed329e2ac8cba5f8309eedbed5b52e70963c308de47ae99b169958bf9efe96",
    "scene_coffee": "e62f4ebddb1287324d649075b7a2aae3eff83025afcdc7472a1c29297172d5f8",
    "scene_cat": "ccec9b1fe51474115e953ed5ec5c9387fc41b043c5146cdb4925e994834407f7",
    "scene_rocket": "e2c6b8c4b3807d25408c05f39f5147491f7dcd1f3da399ff1b6bd5f4278f9d19",
    "scene_motorcycle": "4fc7f765b2c5d04f0f081ef7924c1ac1af253ccb8f40df578ecead202a0baa75",
    "scene_china": "b39850bc7f8f25e381efb2aaacf603440cde48133817f7ca103e56c43d82e734",
    "scene_flower": "134e8576d9bd15da3bb555e9bd25d7fbba4b4a98372d5c102c6350a91b5d6523",
    "scene_quokka": "4e2e8e46ad5e7abb658fd7da15dfb85803a3793298cc8dd0f363e9838968970d",
}
RECORDED_DRAWN_DIGESTS = {
    "scene_beach": "32b3f812c7eaa9dc400454f4c2fb003653ae7e62c8912c54da82fbcb271952e7",
    "scene_lake": "6d5f10c0d0ac05e017393822e5c1d2db4638a45cecdcb9e084d4225e1987593b",
    "scene_room": "a4a2e1dbbbd6dfba83b702c185ba01906fe44bacc3c4d5aad5658aa8620a2e9e",
    "scene_fruit": "bfde792414985ca66192a064c91392e482fac6d695c1919c4a824d4620058405",
}


def digests(suite: Suite) -> dict[str, str]:
    return {case.source.id: case.source.digest for case in suite.cases}


def test_it_has_6_portraits_and_11_scenes_with_11_cases_each(converge: Suite) -> None:
    kinds = {case.source.id: case.kind for case in converge.cases}
    assert Counter(kinds.values()) == {"portrait": 6, "scene": 11}
    assert set(Counter(case.source.id for case in converge.cases).values()) == {11}


def test_a_portrait_takes_accessories_and_a_scene_takes_objects_and_both_take_geometry(
    converge: Suite,
) -> None:
    for kind, expected in (("portrait", ACCESSORIES | GEOMETRIC), ("scene", SCENE_OBJECTS | GEOMETRIC)):
        assert {case.pair for case in converge.cases if case.kind == kind} == expected


def test_each_pair_belongs_to_one_category(converge: Suite) -> None:
    by_category = {
        category: {case.pair for case in converge.cases if case.category == category}
        for category in ("accessories", "scene_objects", "geometric")
    }
    assert by_category == {
        "accessories": ACCESSORIES,
        "scene_objects": SCENE_OBJECTS,
        "geometric": GEOMETRIC,
    }


def test_case_ids_are_unique_and_name_picture_and_pair(converge: Suite) -> None:
    ids = [case.id for case in converge.cases]
    assert len(set(ids)) == len(ids) == 187
    assert all(case.id == f"{case.source.id}/{case.pair}" for case in converge.cases)
    assert "portrait_astronaut/glasses_add_remove" in ids


def test_every_instruction_has_words_and_an_undoing(converge: Suite) -> None:
    instructions = {case.pair: (case.forward, case.backward) for case in converge.cases}
    assert instructions["glasses_add_remove"] == (
        "Add a pair of glasses to the person.",
        "Remove the glasses from the person.",
    )
    assert instructions["umbrella_add_remove"] == (
        "Add an umbrella to the scene.",
        "Remove the umbrella from the scene.",
    )
    assert instructions["horizontal_flip"][0] == instructions["horizontal_flip"][1]
    assert len(set(instructions.values())) == 20


def test_photographs_are_the_same_bytes_on_every_machine(converge: Suite) -> None:
    found = digests(converge)
    assert {id: found[id] for id in RECORDED_DIGESTS} == RECORDED_DIGESTS


def test_drawn_pictures_are_the_same_bytes_on_every_machine(drawn: Suite) -> None:
    assert digests(drawn) == RECORDED_DRAWN_DIGESTS


def test_the_drawn_suite_is_the_drawn_part_of_the_whole(converge: Suite, drawn: Suite) -> None:
    whole = {case.id: case.fingerprint for case in converge.cases}
    assert {case.id: case.fingerprint for case in drawn.cases}.items() <= whole.items()
    assert len(drawn.cases) == 44


def test_each_digest_is_that_of_the_file(converge: Suite) -> None:
    for source in {case.source for case in converge.cases}:
        assert hashlib.sha256(source.path.read_bytes()).hexdigest() == source.digest


def test_sources_are_plain_files_with_sides_that_models_keep(converge: Suite) -> None:
    for path in {case.source.path for case in converge.cases}:
        with Image.open(path) as image:
            assert is_plain(image)
            assert max(image.size) <= 512
            assert all(side % 16 == 0 for side in image.size)


def test_a_source_as_large_as_the_packaged_picture_keeps_its_pixels(converge: Suite) -> None:
    data = pytest.importorskip("skimage.data")
    source = next(case.source for case in converge.cases if case.source.id == "portrait_astronaut")
    assert (Picture.from_file(source.path).pixels == data.astronaut()).all()


def test_every_packaged_file_is_the_recorded_one(packaged_photos: tuple[Photo, ...]) -> None:
    found = {photo.id: hashlib.sha256(photo.file.path.read_bytes()).hexdigest() for photo in packaged_photos}
    assert found == {photo.id: photo.file.sha256 for photo in packaged_photos}


def test_no_crop_leaves_its_picture_or_is_enlarged(packaged_photos: tuple[Photo, ...]) -> None:
    for photo in packaged_photos:
        with Image.open(photo.file.path) as image:
            left, top, right, bottom = photo.crop
            assert 0 <= left < right <= image.width, photo.id
            assert 0 <= top < bottom <= image.height, photo.id
        assert photo.size[0] <= right - left, photo.id
        assert photo.size[1] <= bottom - top, photo.id
        assert (right - left) / (bottom - top) == pytest.approx(photo.size[0] / photo.size[1], rel=0.002)


def test_what_a_picture_already_shows_is_hinted_and_nothing_else(converge: Suite) -> None:
    hinted = {case.id for case in converge.cases if case.hints.get("already_shown") == "yes"}
    assert "portrait_hopper/hat_add_remove" in hinted
    assert "scene_cat/cat_add_remove" in hinted
    assert "portrait_astronaut/hat_add_remove" not in hinted
    assert len(hinted) == sum(len(photo.already_shown) for photo in PHOTOS)


def test_without_a_network_the_error_names_the_suite_that_needs_none(offline: Path) -> None:
    with pytest.raises(DownloadFailed, match=r"could not download .*converge-drawn needs no download"):
        load("converge@0")
    assert not [path for path in offline.rglob("*") if path.is_file()]


def test_a_file_that_is_not_the_known_one_is_refused_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    quokka = next(photo for photo in PHOTOS if photo.id == "scene_quokka")
    tampered = replace(quokka, file=replace(quokka.file, sha256="0" * 64))
    heard: list[str] = []
    with pytest.raises(DownloadFailed, match="is not the expected file"):
        prepare_photos([tampered], heard.append)
    assert heard == ["imgaug==0.4.0"]
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_cache_that_cannot_be_written_is_an_error_that_says_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("a file where a folder is needed")
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "file"))
    with pytest.raises(ConvergeBenchError, match="set CONVERGEBENCH_CACHE"):
        load("converge-drawn")


def test_a_prepared_picture_is_not_downloaded_again(converge: Suite) -> None:
    heard: list[str] = []
    assert load("converge@0", on_package=heard.append) == converge
    assert heard == []
