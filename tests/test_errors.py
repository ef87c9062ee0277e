from __future__ import annotations

import pytest

from convergebench.errors import unknown_name


@pytest.mark.parametrize(
    ("name", "otherwise", "sentence"),
    [
        ("sim", "", "there is no metric 'sim'; did you mean ssim?"),
        ("zzz", "", "there is no metric 'zzz'; choose from psnr, ssim"),
        ("zzz", "see: convergebench metrics", "there is no metric 'zzz'; see: convergebench metrics"),
    ],
)
def test_an_unknown_name_suggests_the_nearest_or_says_where_to_look(
    name: str, otherwise: str, sentence: str
) -> None:
    assert str(unknown_name("metric", name, ["ssim", "psnr"], otherwise)) == sentence
