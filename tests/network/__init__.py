"""The rules for requests, against real servers."""
