"""Import external results: tables of values, and folders of pictures."""
