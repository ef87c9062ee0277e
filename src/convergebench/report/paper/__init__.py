"""A paper about a benchmark: a PDF, and its source, figures and data in the same folder."""

from convergebench.report.paper.content import TITLE, Heading
from convergebench.report.paper.typesetting import CannotTypeset, Paper, write_paper

__all__ = ["TITLE", "CannotTypeset", "Heading", "Paper", "write_paper"]
