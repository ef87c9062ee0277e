"""A paper of a benchmark: a PDF, and beside it the source, figures and data that it is made of."""

from convergebench.report.paper.content import TITLE, Heading
from convergebench.report.paper.typesetting import CannotTypeset, Paper, write_paper

__all__ = ["TITLE", "CannotTypeset", "Heading", "Paper", "write_paper"]
