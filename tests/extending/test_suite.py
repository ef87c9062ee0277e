from __future__ import annotations

from pathlib import Path

from extending.conftest import Commands, Install

HATS = """
    from pathlib import Path
    from convergebench.picture import Picture
    from convergebench.suites import SuiteInfo
    from convergebench.types import Case, SourcePicture, Suite

    def load(on_package, *, data=""):
        file = Path(data) / "anna.png"
        source = SourcePicture("anna", file, Picture.from_file(file).digest)
        case = Case("anna/hat", (source,), "Add a hat.", "Remove the hat.", "hat", "accessories")
        return Suite("hats", "2", (case,))

    SUITE = SuiteInfo("hats", "2", "one hat", 1, 1, load)
"""


def test_an_installed_suite_is_listed_run_and_ranked(
    install: Install, commands: Commands, pictures: Path
) -> None:
    install("convergebench.suites", "hats:SUITE", {"hats.py": HATS})
    listed, ran, ranked = commands(
        ("suites", "--json"),
        ("run", "-m", "jpeg", "--suite", "hats", "--data", pictures, "--rounds", 1, "--metric", "psnr"),
        ("summary", "--json"),
    )
    assert ("hats", 1) in [(one["name"], one["cases"]) for one in listed.json]
    assert ran.code == 0
    assert (ranked.json["suite"], [row["n"] for row in ranked.json["rows"]]) == ("hats@2", [1])
