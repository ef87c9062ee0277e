"""Votes of people: the questions, the page on which they are asked, and exchange with other studies."""
