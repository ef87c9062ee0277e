import json
import math

import pytest

from convergebench.errors import WrongUse
from convergebench.importing.tables import read_csv, read_json

HEADER = "model,image,edit_pair,image_type,edit_category,round,psnr,ssim,lpips,clip_similarity"


@pytest.fixture
def table(tmp_path):
    def write(*lines, header=HEADER):
        path = tmp_path / "detailed.csv"
        path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
        return path

    return write


def test_a_row_of_the_predecessor_is_read_as_it_stands(table):
    (row,) = read_csv(table("flux,portrait_01.jpg,hat_add_remove,portrait,accessories,3,inf,0.95,0.0,0.98"))
    assert (row.model, row.case, row.picture, row.pair) == (
        "flux", "portrait_01/hat_add_remove", "portrait_01", "hat_add_remove",
    )  # fmt: skip
    assert (row.kind, row.category, row.round, row.seed) == ("portrait", "accessories", 3, 0)
    assert row.measured == {"psnr": math.inf, "ssim": 0.95, "lpips": 0.0, "clip": 0.98}


def test_an_empty_cell_is_missing_and_not_zero(table):
    (row,) = read_csv(table("flux,a.jpg,hat,portrait,accessories,1,,0.95,,"))
    assert row.measured == {"ssim": 0.95}


def test_doubles_are_kept(table):
    line = "flux,a.jpg,hat,portrait,accessories,1,20,0.95,0.1,0.9"
    assert len(read_csv(table(line, line))) == 2


def test_our_own_export_can_be_imported(tmp_path, returned, results_of):
    from convergebench.report import export

    export(results_of(returned("m", ssim=0.5, psnr=20.0, lpips="no weights")), tmp_path)
    (row,) = read_csv(tmp_path / "benchmark_results_detailed.csv")
    assert (row.model, row.case, row.measured) == ("m", "p1/hat", {"ssim": 0.5, "psnr": 20.0})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("flux,a.jpg,hat,p,a,one,20,0.9,0,0.9", "line 2: round must be a number, not 'one'"),
        ("flux,a.jpg,hat,p,a,0,20,0.9,0,0.9", "round must be a whole number from 1"),
        ("flux,a.jpg,hat,p,a,1,20,good,0,0.9", "ssim must be a number, not 'good'"),
        ("flux,a.jpg,hat,p,a,1,nan,0.9,0,0.9", "psnr is not a number; leave it empty"),
        (
            "flux,a.jpg,hat,p,a,1,20,1.9,0,0.9",
            r"line 2: ssim is 1.9, which it can never be \(its best value is 1",
        ),
        ("flux,a.jpg,hat,p,a,1,20,0.9,-0.1,0.9", "lpips is -0.1, which it can never be"),
        ("flux,a.jpg,hat,p,a,1,-inf,0.9,0,0.9", "psnr is -inf, which it can never be"),
        (",a.jpg,hat,p,a,1,20,0.9,0,0.9", "names no model; set it with --model"),
        ("flux,,hat,p,a,1,20,0.9,0,0.9", "has no image"),
    ],
)
def test_a_bad_row_is_named_with_its_line(table, line, said):
    with pytest.raises(WrongUse, match=said):
        read_csv(table(line))


def test_a_cosine_may_be_above_one_by_rounding(table):
    (row,) = read_csv(table("flux,a.jpg,hat,p,a,1,20,0.9,0,1.0002"))
    assert row.measured["clip"] == 1.0002


def test_a_file_without_a_needed_column_says_which(table):
    with pytest.raises(
        WrongUse, match="no column edit_pair; a detailed CSV needs image, edit_pair, round and a"
    ):
        read_csv(table("a,1", header="image,round"))


def test_every_metric_of_pictures_has_a_column_and_others_are_named(table, caplog):
    header = "model,image,edit_pair,round,dists,flip,ssmi"
    (row,) = read_csv(table("flux,a.jpg,hat,1,0.25,0.125,0.9", header=header))
    assert row.measured == {"dists": 0.25, "flip": 0.125}
    assert caplog.messages[0].endswith("left out: ssmi")


def test_a_table_with_nothing_but_what_it_needs_is_read_without_a_word(table, caplog):
    (row,) = read_csv(table("a.jpg,hat,1,0.9", header="image,edit_pair,round,ssim"), "mine")
    assert (row.model, row.category, row.measured, caplog.messages) == ("mine", "", {"ssim": 0.9}, [])


def test_a_file_without_rows_or_that_is_no_table_is_refused(table, tmp_path):
    with pytest.raises(WrongUse, match="no rows"):
        read_csv(table())
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\xff\xfe")
    with pytest.raises(WrongUse, match="not a text file"):
        read_csv(tmp_path / "picture.csv")


def test_a_name_can_be_given_to_one_model_but_not_to_two(table):
    one, other = (f"{model},a.jpg,hat,p,a,1,20,0.9,0,0.9" for model in ("flux", "qwen"))
    assert read_csv(table(one), "mine")[0].model == "mine"
    with pytest.raises(WrongUse, match="holds 2 models"):
        read_csv(table(one, other), "mine")


EXPERIMENT = {"image": "a.jpg", "edit_pair": "hat", "image_type": "portrait", "edit_category": "accessories"}


@pytest.mark.parametrize(
    "content",
    [
        [{**EXPERIMENT, "round": 1, "ssim": 0.9}, {**EXPERIMENT, "round": 2, "ssim": 0.8}],
        {"results": [{**EXPERIMENT, "rounds": [{"round": 1, "ssim": 0.9}, {"round": 2, "ssim": 0.8}]}]},
        {
            "experiments": [
                {**EXPERIMENT, "rounds": [{"round": n, "metrics": {"ssim": 1 - n / 10}} for n in (1, 2)]}
            ]
        },
    ],
)
def test_results_json_is_read_in_each_documented_form(tmp_path, content):
    path = tmp_path / "results_nano_banana_20250131_120000.json"
    path.write_text(json.dumps(content))
    rows = read_json(path)
    assert [(row.model, row.round) for row in rows] == [("nano_banana", 1), ("nano_banana", 2)]
    assert [row.measured["ssim"] for row in rows] == pytest.approx([0.9, 0.8])


def test_results_without_a_value_of_any_metric_are_refused(tmp_path, table):
    (tmp_path / "results.json").write_text(json.dumps([{**EXPERIMENT, "model": "m", "round": 1, "foo": 1}]))
    with pytest.raises(WrongUse, match=r"results\.json holds no value of a metric, but foo; name columns"):
        read_json(tmp_path / "results.json")
    with pytest.raises(WrongUse, match="holds no value of a metric; name"):
        read_csv(table("flux,a.jpg,hat,portrait,accessories,1,,,,"))


def test_a_model_named_inside_wins_over_the_files_name(tmp_path):
    path = tmp_path / "results_x_20250131.json"
    path.write_text(json.dumps({"model": "qwen", "results": [{**EXPERIMENT, "round": 1, "ssim": 0.9}]}))
    assert read_json(path)[0].model == "qwen"


@pytest.mark.parametrize("content", ["{", '{"a": 1}', "[3]"])
def test_json_that_holds_no_results_is_refused(tmp_path, content):
    (tmp_path / "results.json").write_text(content)
    with pytest.raises(WrongUse, match=r"results\.json"):
        read_json(tmp_path / "results.json", "m")
