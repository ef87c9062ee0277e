"""The example of docs/editors.md, taken out of it and used as a reader would."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from forked_python import run as run_python

DOC = Path(__file__).parents[2] / "docs" / "editors.md"


def test_the_editor_in_twenty_lines_works_from_a_package_of_its_own(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", DOC.read_text(), re.DOTALL)
    (entry,) = re.findall(r'entry-points\."(.*?)"\]\n(\w+ = ".*?")', DOC.read_text())
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "inverter.py").write_text(code)
    info = tmp_path / "my_package-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{entry[0]}]\n{entry[1].replace(chr(34), '')}\n")
    arguments = ["run", "-m", "inverter", "--suite", "converge-drawn", "--limit", "1", "--rounds", "1",
                 "--metric", "psnr,ssim"]  # fmt: skip
    done = run_python(
        ["-m", "convergebench", *arguments, "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    returned = json.loads(done.stdout)["ranking"]["rows"][0]
    assert returned["model"] == "inverter"
    assert returned["metrics"]["psnr"]["mean"] == "inf"  # the negative of the negative
