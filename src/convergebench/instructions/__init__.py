"""Instructions: what undoes one, whether it can be undone, and captions for it."""
