import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "convergence.md"


def test_every_worked_example_of_the_page_is_right():
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 20
    assert result.failed == 0
