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
