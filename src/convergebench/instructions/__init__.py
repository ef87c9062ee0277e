"""Instructions: their inverses, reversibility, and captions."""
