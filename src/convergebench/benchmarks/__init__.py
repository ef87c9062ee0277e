"""Judged benchmarks: the suite, rubrics and sums of each in one place."""
