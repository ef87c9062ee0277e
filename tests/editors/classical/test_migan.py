from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from convergebench.editors import open_editor
from convergebench.editors.classical import _migan, edit_pixels
from convergebench.editors.classical.technique import Technique
from convergebench.editors.registry import facts_of, parse
from convergebench.errors import WrongUse
from convergebench.types import BadOutput, Pixels


def graph_of(*nodes: onnx.NodeProto, at: Path) -> Path:
    """A graph with the network's inputs and output, whose nodes make `result` of `image` and `mask`."""
    sizes = ["n", 3, "height", "width"]
    inputs = [
        helper.make_tensor_value_info("image", TensorProto.UINT8, sizes),
        helper.make_tensor_value_info("mask", TensorProto.UINT8, ["n", 1, "height", "width"]),
    ]
    output = helper.make_tensor_value_info("result", TensorProto.UINT8, ["n", 3, "high", "wide"])
    constants = [
        helper.make_tensor("painted_part", TensorProto.UINT8, [], [0]),
        helper.make_tensor("paint", TensorProto.UINT8, [1, 3, 1, 1], [200, 100, 50]),
    ]
    graph = helper.make_graph(list(nodes), "painter", inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, str(at))
    return at


@pytest.fixture
def painter(tmp_path: Path) -> Path:
    """Fills with one colour what the mask says is to be filled."""
    return graph_of(
        helper.make_node("Equal", ["mask", "painted_part"], ["hole"]),
        helper.make_node("Where", ["hole", "paint", "image"], ["result"]),
        at=tmp_path / "painter.onnx",
    )


def test_the_network_paints_what_the_removed_thing_has_hidden(scene: Pixels, painter: Path) -> None:
    added = edit_pixels(scene, "Add a red ball")
    removed = edit_pixels(added, "Remove the red ball", technique=Technique(_migan.fill_from(painter)))
    painted = (removed == (200, 100, 50)).all(axis=2)
    assert painted.mean() > 0.01
    is_red = (added[..., 0].astype(int) - added[..., 1]) > 90
    assert painted[is_red].all()


def test_what_is_not_hidden_stays_as_it_is(painter: Path) -> None:
    picture = np.random.default_rng(0).integers(0, 256, (40, 50, 3), dtype=np.uint8)
    hole = np.zeros((40, 50), np.uint8)
    hole[10:20, 5:45] = 1
    filled = _migan.fill_from(painter)(picture, hole)
    assert np.array_equal(filled[hole == 0], picture[hole == 0])
    assert (filled[hole == 1] == (200, 100, 50)).all()


def test_a_graph_that_gives_another_size_is_bad_output(scene: Pixels, tmp_path: Path) -> None:
    graph = graph_of(
        helper.make_node("Concat", ["image", "image"], ["result"], axis=3), at=tmp_path / "g.onnx"
    )
    with pytest.raises(BadOutput, match="inpainting graph"):
        _migan.fill_from(graph)(scene, np.ones(scene.shape[:2], np.uint8))


def test_without_weights_it_says_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    with pytest.raises(WrongUse, match="convergebench weights pull migan"):
        open_editor("classical?inpainting=migan")


def test_another_way_of_inpainting_is_named_as_unknown() -> None:
    with pytest.raises(WrongUse, match="must be opencv, patch or migan, not magic"):
        open_editor("classical?inpainting=magic")


def test_the_inpainting_is_part_of_the_fingerprint() -> None:
    facts = [facts_of(*parse(spec)) for spec in ("classical", "classical?inpainting=migan")]
    assert facts[0].fingerprint != facts[1].fingerprint
    assert facts[1].name == "classical?inpainting=migan"


@pytest.mark.skipif(not _migan.WEIGHTS.is_cached(), reason="MI-GAN's weights are not in the cache")
def test_the_real_network_fills_a_hole_with_what_is_around_it(scene: Pixels) -> None:
    hole = np.zeros(scene.shape[:2], np.uint8)
    hole[280:320, 200:260] = 1
    covered = np.where(hole[..., None] > 0, 0, scene).astype(np.uint8)
    filled = _migan.fill_from_cache()(covered, hole)
    assert np.abs(filled[hole == 1].astype(int) - scene[hole == 1]).max(axis=1).mean() < 15
