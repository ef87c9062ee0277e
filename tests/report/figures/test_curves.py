import dataclasses
import re
from importlib.resources import files

import numpy as np
import pytest
from PIL import Image

from convergebench.errors import WrongUse
from convergebench.report import plot_curves
from convergebench.report.model_colours import COLOURS, colour_slots


def ink(path):
    """The share of pixels that are not white."""
    return float((np.asarray(Image.open(path).convert("L")) < 250).mean())


def test_the_figure_has_a_panel_for_every_metric_with_values(results, tmp_path):
    plot_curves(results, tmp_path / "all.png")
    plot_curves(results, tmp_path / "one.png", ["ssim"])
    four, one = Image.open(tmp_path / "all.png"), Image.open(tmp_path / "one.png")
    assert four.width > one.width and four.height > 1.5 * one.height
    assert 0.05 < ink(tmp_path / "all.png") < 0.6


def test_a_model_has_the_colour_that_it_has_on_the_page(results, tmp_path):
    css = (files("convergebench") / "report/page/assets/page.css").read_text()
    slot = colour_slots(results.roles())["seedream"] % COLOURS
    (colour, *_) = re.findall(rf"--c{slot}: #(\w{{6}})", css)
    plot_curves(results, tmp_path / "one.png", ["ssim"])
    pixels = np.asarray(Image.open(tmp_path / "one.png").convert("RGB")).reshape(-1, 3)
    assert (np.abs(pixels.astype(int) - list(bytes.fromhex(colour))).max(axis=1) < 6).sum() > 100


@pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_the_suffix_chooses_the_format(results, tmp_path, suffix, magic):
    plot_curves(results, tmp_path / f"curves{suffix}", ["ssim"])
    assert (tmp_path / f"curves{suffix}").read_bytes().startswith(magic)


def test_the_texts_say_direction_missing_returns_and_infinite_values(results, tmp_path):
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none"}):
        plot_curves(results, tmp_path / "curves.svg")
    text = (tmp_path / "curves.svg").read_text()
    for said in ("SSIM, higher is better", "LPIPS, lower is better", "PSNR in dB", "flux-kontext-dev"):
        assert said in text
    flat = " ".join(text.split())
    assert "seedream 4" in flat
    assert "leaves out infinite values (picture unchanged), at most: identity 16 of 16" in flat
    assert "CLIP" not in flat


def test_the_score_comes_first_and_has_no_curve_of_a_probe(tmp_path):
    from analysis.headline.written_chains import NO, YES, chain
    from convergebench import metrics
    from convergebench.analysis import Results
    from convergebench.report.figures.curve_panel import legend_order
    from convergebench.report.figures.score_panel import chosen_panels

    chains = [
        *chain("worn", "p", (YES, 0.81, 1.0), (YES, 0.25, 1.0)),
        *chain("steady", "p", (YES, 0.81, 1.0), (YES, 0.81, 1.0)),
        *chain("idle", "p", (NO, 1.0, 1.0), (NO, 1.0, 1.0), role="probe"),
    ]
    found = Results("s@1", 2, (metrics.facts("undid"), metrics.facts("ssim")), tuple(chains), (), ())
    first, *others = chosen_panels(found)
    assert first.metric.name == "headline_score"
    means = {curve.model: [point.mean for point in curve.points] for curve in first.curves}
    assert means == {"worn": pytest.approx([90, 50]), "steady": pytest.approx([90, 90])}
    assert legend_order([first, *others])[:2] == ["steady", "worn"]
    assert [one.metric.name for one in chosen_panels(found, ["undid"])] == ["undid"]
    plot_curves(found, tmp_path / "score.png")
    assert ink(tmp_path / "score.png") > 0.01


def test_one_round_can_be_drawn(results, tmp_path):
    first = tuple(item for item in results.returns if item.round == 1)
    plot_curves(dataclasses.replace(results, rounds=1, returns=first), tmp_path / "first.png", ["ssim"])
    assert ink(tmp_path / "first.png") > 0.01


def test_results_without_values_are_refused_with_what_to_do(results, tmp_path):
    with pytest.raises(WrongUse, match="no values to plot yet"):
        plot_curves(results, tmp_path / "clip.png", ["clip"])
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_is_refused(results, tmp_path):
    with pytest.raises(WrongUse, match=r"\.png, \.svg, \.pdf"):
        plot_curves(results, tmp_path / "curves.bmp")


def test_the_caption_counts_refused_returns_that_have_a_score_and_no_value_of_a_metric():
    from analysis.headline.written_chains import YES, chain, failed, measured
    from convergebench import metrics
    from convergebench.analysis import Results
    from convergebench.report.figures.curves import curves_caption
    from convergebench.report.figures.score_panel import chosen_panels

    made = [one for model, picture in ("mp", "mq", "np") for one in chain(model, picture, (YES, 1.0, 1.0))]
    returns = tuple(
        dataclasses.replace(one, values={**one.values, "ssim": measured("ssim", 0.9)}) for one in made
    )
    kinds, refused = (metrics.facts("undid"), metrics.facts("ssim")), (failed("n", "q", 1, "refused"),)
    caption = curves_caption(chosen_panels(Results("s@1", 1, kinds, returns, refused, ())))
    assert "n = 2 chains per model (score), none missing." in caption
    assert "n = 1 to 2 returns per model (SSIM), missing: n 1." in caption
