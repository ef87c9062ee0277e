"""Judged benchmarks of single edits: suite, rubrics, figures and result layout of each in one package."""
