"""Small imitations of published sets, each in exactly the layout of its own files, with their oddities."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

from convergebench.picture import Picture
from made_pictures import textured

EDIVAL_COLUMNS = (
    "image_index", "turns", "task_type", "instructions", "format_instructions", "bg_consistency",
    "unchanged_objects", "available_objects", "all_objects",
)  # fmt: skip


def png(seed: int, width: int = 64, height: int = 48) -> bytes:
    return Picture.from_pixels(textured(width, height, seed)).encoded


def edival_row(
    index: int | str, tasks: list[str], instructions: list[str], turns: int | None = None
) -> list[object]:
    """A row as EdiVal's table has it: lists as Python writes them."""
    objects = [["cup"]] * len(tasks)
    return [index, turns or len(instructions), tasks, instructions, instructions, [True] * len(tasks),
            objects, objects, objects]  # fmt: skip


def write_edival(folder: Path, sessions: int = 5, *, in_zip: bool = True) -> Path:
    """Whole sessions of three turns, each as three rows that grow, and one picture that no row uses."""
    folder.mkdir(parents=True, exist_ok=True)
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(EDIVAL_COLUMNS)
    tasks = ["subject_add", "color_alter", "subject_remove"]
    for index in range(sessions):
        asked = [
            f'"Add cup {index}"',
            f"Change the color of the cup to red ({index})",
            f'Remove cup {index}"',
        ]
        for turns in (1, 2, 3):
            table.writerow(edival_row(index, tasks[:turns], asked[:turns]))
    (folder / "oai_instruction_generation_output.csv").write_text(out.getvalue(), encoding="utf-8")
    pictures = {
        f"{index}_input_raw.{'jpg' if index % 2 else 'png'}": png(index) for index in range(sessions + 1)
    }
    if not in_zip:
        for name, data in pictures.items():
            (folder / name).write_bytes(data)
        return folder
    with zipfile.ZipFile(folder / "input_images_resize_512.zip", "w") as packed:
        for name, data in pictures.items():
            packed.writestr(f"input_images_resize_512/{name}", data)
    return folder


def append_edival(folder: Path, *rows: list[object]) -> None:
    with (folder / "oai_instruction_generation_output.csv").open("a", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows(rows)


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def write_mse_bench(folder: Path, sessions: int = 5) -> Path:
    """Parquet as the hub has it, pictures inside; the file is named as `datasets` names it."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    operations = ["add", "color_alter", "remove", "pose", "camera"]
    rows = [
        {
            "image": {"bytes": png(index), "path": f"{index}.jpg"},
            "context": [f"Add cup {index}", "Make it red", "Remove it", "Turn left", "Zoom in"],
            "description_source": f"A table, number {index}",
            "description_target": ["a"] * 5,
            "index": index,
            "operation": operations,
            "summary": "A cup comes and goes",
        }
        for index in range(sessions)
    ]
    place = folder / "data" / "train-00000-of-00001.parquet"
    place.parent.mkdir(parents=True)
    parquet.write_table(pa.Table.from_pylist(rows), place, row_group_size=2)
    return folder


def write_parquet(place: Path, rows: list[dict[str, object]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    place.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), place, row_group_size=2)


def cell(seed: int) -> dict[str, object]:
    """A picture in a table, as `datasets` has it."""
    return {"bytes": png(seed), "path": f"{seed}.png"}


def put(place: Path, seed: int, **shape: int) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(png(seed, **shape))


def write_imgedit(folder: Path, cases: int = 5) -> Path:
    """An object by number; pictures lie below a folder of the archive, by category."""
    types = ["add", "remove", "style", "background", "replace"]
    listed = {}
    for number in range(cases):
        listed[str(1000 + number)] = {
            "id": f"animal/{number:09}.jpg", "prompt": f"Add cup {number}", "edit_type": types[number % 5],
        }  # fmt: skip
        put(folder / "Benchmark" / "singleturn" / "animal" / f"{number:09}.jpg", number)
    write_json(folder / "Benchmark" / "Basic" / "basic_edit.json", listed)
    return folder


def write_imgedit_uge(folder: Path) -> Path:
    listed = {str(n): {"id": f"{n:06}.jpg", "prompt": f"Do what is hard, {n}"} for n in range(1, 6)}
    for number in range(1, 6):
        put(folder / "hard" / f"{number:06}.jpg", number)
    write_json(folder / "UGE_edit.json", listed)
    return folder


def write_imgedit_multiturn(folder: Path, *, in_tar: bool = True) -> Path:
    """JSON Lines in files called .json for two parts, an object by number for the third; in a tar file."""
    import tarfile

    root = folder / "tree" / "multiturn"
    for place, part in enumerate(("content_memory", "content_understand", "version_backtrace")):
        entries = [
            {"id": f"{n:09}.jpg", "turn1": f"Add cup {n}", "turn2": "Make it red",
             **({"turn3": "Go back to the first version"} if n % 2 else {})}
            for n in range(2)
        ]  # fmt: skip
        for number in range(2):
            put(root / part / f"{number:09}.jpg", 10 * place + number)
        lines = "".join(json.dumps(entry) + "\n" for entry in entries)
        keyed = json.dumps({str(n + 1): entry for n, entry in enumerate(entries)})
        (root / part / "annotation.json").write_text(keyed if part == "version_backtrace" else lines)
    if not in_tar:
        return folder / "tree"
    with tarfile.open(folder / "Benchmark.tar", "w") as packed:
        packed.add(root, "Benchmark/multiturn")
    return folder / "Benchmark.tar"


def write_magicbrush_dev(folder: Path) -> Path:
    """A row for each turn, in no order; sessions of one to three turns."""
    rows: list[dict[str, object]] = []
    for id, turns in (("139", 3), ("30", 1), ("7", 2), ("8", 2), ("9", 1)):
        for turn in range(turns, 0, -1):
            seed = 10 * int(id) + turn
            rows.append(
                {"img_id": id, "turn_index": turn, "source_img": cell(seed - 1), "mask_img": cell(seed + 5),
                 "instruction": f"Turn {turn} of {id}", "target_img": cell(seed)}
            )  # fmt: skip
    write_parquet(folder / "data" / "dev-00000-of-00001.parquet", rows)
    return folder


def write_magicbrush_test(folder: Path) -> Path:
    sessions: dict[str, list[dict[str, str]]] = {}
    for number, count in enumerate((3, 1, 2, 2, 1)):
        id, place = str(100 + number), folder / "test" / "images" / str(100 + number)
        put(place / f"{id}-input.png", number)
        sessions[id] = []
        for turn in range(1, count + 1):
            put(place / f"{id}-output{turn}.png", 10 * number + turn)
            put(place / f"{id}-mask{turn}.png", 7 * number + turn)
            given = f"{id}-input.png" if turn == 1 else f"{id}-output{turn - 1}.png"
            sessions[id].append(
                {"input": given, "mask": f"{id}-mask{turn}.png", "output": f"{id}-output{turn}.png",
                 "instruction": f"Turn {turn}"}
            )  # fmt: skip
    captions = {
        id: {turn["output"]: f"a cup after {turn['instruction'].lower()}" for turn in turns}
        for id, turns in sessions.items()
    }
    write_json(folder / "test" / "local_captions.json", captions)
    write_json(folder / "test" / "edit_sessions.json", sessions)
    return folder


def write_mice(folder: Path) -> Path:
    """JSON Lines with the paths of another machine."""
    for part in ("cm", "cu"):
        lines = []
        for number in range(3):
            put(folder / "dataset" / part / "images" / f"{part}{number}.jpg", len(lines) + 10 * ord(part[1]))
            lines.append(
                {"image": f"/somewhere/else/{part}{number}.jpg", "turns": 3,
                 "instruction": ["Add cup", "Make it red", "Remove it"],
                 "task_type": ["subject_add", "color_alter", "subject_remove"]}
            )  # fmt: skip
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / "dataset" / part / "test_metadata.jsonl").write_text(text)
    return folder


def write_do_undo(folder: Path, cases: int = 5) -> Path:
    rows = []
    for number in range(cases):
        frames = folder / "P01" / "rgb_frames" / f"P01_{number}"
        for frame in (10, 1810):
            put(frames / f"frame_{frame:010}.jpg", number + frame)
        rows.append(
            {"narration_id": f"P01_{number}_1", "participant_id": "P01", "video_id": f"P01_{number}",
             "start_frame": 10, "stop_frame": 1810, "narration": "open door", "verb_class": 3,
             "noun_class": 8, "forward_prompt": "Open the door", "reverse_prompt": "Close the door"}
        )  # fmt: skip
    write_json(folder / "annotations_test.json", rows)
    return folder


def write_kontext_bench(folder: Path) -> Path:
    lines = []
    for number in range(5):
        put(folder / "test" / f"{number:04}.jpg", number)
        lines.append(
            {"file_name": f"{number:04}.jpg", "key": number, "category": "Text Editing",
             "instruction": f"Write {number}"}
        )  # fmt: skip
    (folder / "test" / "metadata.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def write_gedit2(folder: Path) -> Path:
    tasks = ("background_change", "color_alter", "text_change", "style_change", "subject_add")
    rows: list[dict[str, object]] = [
        {"key": f"{task}_{number:06}", "instruction": f"Do {task}", "source_image": cell(number)}
        for number, task in enumerate(tasks)
    ]
    write_parquet(folder / "data" / "train-00000-of-00001.parquet", rows)
    return folder


def write_pie_bench(folder: Path) -> Path:
    """Masks as starts and lengths on 512 × 512 pixels; one that runs over the end, and one as text."""
    listed = {}
    for number in range(5):
        path = f"0_random_140/{number:012}.jpg"
        put(folder / "annotation_images" / path, number, width=512, height=512)
        runs: object = [100 * 512 + 100, 50, 101 * 512 + 100, 50] if number else [512 * 512 - 10, 99]
        listed[f"{number:012}"] = {
            "image_path": path, "original_prompt": "a [cup]", "editing_prompt": "a [red] cup",
            "editing_instruction": "Make the cup red", "editing_type_id": str(number),
            "mask": json.dumps(runs) if number == 3 else runs,
        }  # fmt: skip
    write_json(folder / "mapping_file.json", listed)
    return folder


def write_kris(folder: Path) -> Path:
    """A folder a category, numbers with gaps, one case with several pictures."""
    for category in ("abstract_reasoning", "multi-element_composition"):
        place = folder / "KRIS_Bench" / category
        listed: dict[str, object] = {}
        for number in (1, 2, 4):
            put(place / f"{number}.jpg", number + len(category))
            several = category.startswith("multi") and number == 4
            listed[str(number)] = {
                "ori_img": ["1.jpg", "4.jpg"] if several else f"{number}.jpg",
                "ins_en": f"Fill in {number}", "explain_en": "It is so",
            }  # fmt: skip
        write_json(place / "annotation.json", listed)
    return folder


def write_rise(folder: Path) -> Path:
    rows = []
    categories = ("temporal_reasoning", "causal_reasoning", "spatial_reasoning", "logical_reasoning")
    for number, category in enumerate((*categories, "temporal_reasoning")):
        put(folder / f"{category}_images" / f"{number}.png", number)
        rows.append(
            {"index": f"{category}_{number}", "category": category,
             "instruction": f"Draw what comes, {number}", "reference": "It is rotten",
             "image": f"{category}_images/{number}.png"}
        )  # fmt: skip
    write_json(folder / "data_total.json", rows)
    return folder


def write_genai_bench(folder: Path, times: int = 1) -> Path:
    votes = ("leftvote", "rightvote", "tievote", "bothbad_vote", "?") * times
    rows: list[dict[str, object]] = [
        {"source_prompt": "a cup", "target_prompt": "a red cup", "instruct_prompt": f"Make it red, {number}",
         "source_image": cell(number), "left_model": "A", "left_output_image": cell(20 + number),
         "right_model": "B", "right_output_image": cell(30 + number), "vote_type": vote}
        for number, vote in enumerate(votes)
    ]  # fmt: skip
    write_parquet(folder / "test-00000-of-00001.parquet", rows)
    return folder
