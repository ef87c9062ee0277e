"""The context is stored with measurements: its digest is part of the format of a workspace."""

import hashlib
import json

from convergebench.protocols.chain_context import ChainContext


def test_the_context_of_a_return_is_the_digest_of_its_source_scope_and_all_edits_so_far():
    chain = ChainContext("source", "hat", "accessories")
    edits = []
    for number in range(3):
        chain.forward("forward", "Add a hat.", f"input{number}", f"forward{number}")
        edits.append([f"input{number}", f"forward{number}"])
        text = json.dumps(["return", "source", "local", edits])
        assert chain.returned() == hashlib.sha256(text.encode()).hexdigest()
