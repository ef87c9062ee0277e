"""Tables for the terminal, as JSON and as CSV rows."""
