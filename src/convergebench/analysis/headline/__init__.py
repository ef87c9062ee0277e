"""The headline: whether a model edits, undoes, and preserves the rest, and for how many rounds."""
