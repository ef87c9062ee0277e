"""Any server with an OpenAI-style /v1/images/edits: vLLM-Omni, SGLang, your own."""

from __future__ import annotations

from dataclasses import replace

from convergebench.editors._settings import without_settings
from convergebench.editors.needs import KEY_NAME, EditorKey, Package, key_for
from convergebench.editors.openai_images import MANY_PICTURES, OpenAIImages
from convergebench.editors.registry import provider
from convergebench.errors import WrongUse
from convergebench.types import EditorFacts

KEY = EditorKey("SERVER_API_KEY")
"""Its own name, so that a key for OpenAI never goes to another server; servers without keys need none."""


@provider(
    "server",
    summary="a model on an OpenAI-style server, as server:MODEL?base_url=http://127.0.0.1:8000/v1",
    version="1",
    needs=(Package("openai", "openai"),),
    parameters={"base_url": "", "output_format": "png", "response_format": "b64_json"},
    at_once=8,
    takes_seed=True,
    sizes_itself=True,
)
def server(facts: EditorFacts) -> OpenAIImages:
    """Further parameters (num_inference_steps, guidance_scale, …) go into the form as given."""
    if not facts.parameters["base_url"]:
        model = facts.parameters["model"]
        raise WrongUse(
            f"server:{model} does not say where it is; add ?base_url=http://HOST:PORT/v1 to the name"
        )
    key = key_for(facts.parameters, KEY)
    known_as = replace(without_settings(facts, KEY_NAME), max_inputs=MANY_PICTURES)
    return OpenAIImages(known_as, key, takes_seed=True)
