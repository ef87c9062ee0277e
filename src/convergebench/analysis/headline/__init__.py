"""The headline: did it edit, did it undo, did it keep the rest, and for how many rounds."""
