"""Judging: what can be judged, the queue of questions, and the client that asks them."""
