import dataclasses

import numpy as np

from convergebench.report import grid_rows


def grid_of(results, columns=6):
    """Pictures here are one pixel that stands for what was asked for."""
    asked = []

    def picture(name):
        asked.append(name)
        return np.zeros((1, 1, 3), np.uint8)

    return grid_rows(results, picture, picture, columns=columns), asked


def test_the_sources_come_first_then_models_as_ranked(results):
    rows, _ = grid_of(results)
    assert [row.label for row in rows] == [
        "source", "qwen", "nano-banana", "grok", "gemini-2.5-flash", "seedream", "flux-kontext-dev",
        "identity", "jpeg-75",
    ]  # fmt: skip
    assert {len(row.cells) for row in rows} == {6}


def test_the_columns_cover_different_pictures_of_both_kinds(results):
    rows, _ = grid_of(results)
    pictures = [cell.caption.split("/")[0] for cell in rows[0].cells]
    assert len(set(pictures)) == 6
    assert sum(name.startswith("portrait") for name in pictures) == 3


def test_the_pictures_are_those_of_the_last_round(results):
    _, asked = grid_of(results, columns=1)
    assert "qwen-portrait_astronaut/glasses_add_remove-10" in asked


def test_where_no_chain_reached_the_last_round_it_is_the_last_one_reached(results):
    early = tuple(item for item in results.returns if item.round <= 7)
    rows, asked = grid_of(dataclasses.replace(results, returns=early), columns=1)
    assert len(rows) > 1
    assert "qwen-portrait_astronaut/glasses_add_remove-7" in asked


def test_captions_carry_the_metric(results):
    rows, _ = grid_of(results)
    captions = {row.label: row.cells[0].caption for row in rows}
    assert captions["identity"] == "SSIM 1.000"


def test_a_missing_return_is_an_empty_cell_with_its_reason(results):
    rows, _ = grid_of(results, columns=16)
    seedream = next(row for row in rows if row.label == "seedream")
    empty = [cell.caption for cell in seedream.cells if cell.pixels is None]
    assert len(empty) == 4
    assert all(caption.startswith("forward edit of round 4: the content policy") for caption in empty)
