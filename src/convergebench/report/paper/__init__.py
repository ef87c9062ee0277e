"""A paper about a benchmark: a PDF, and its source, figures and data in the same folder."""

from convergebench.report.paper.content import TITLE, Heading, PaperTemplate
from convergebench.report.paper.typesetting import CannotTypeset, Paper, PaperFormat, write_paper

__all__ = ["TITLE", "CannotTypeset", "Heading", "Paper", "PaperFormat", "PaperTemplate", "write_paper"]
