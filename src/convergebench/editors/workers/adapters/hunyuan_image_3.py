"""HunyuanImage-3.0-Instruct, whose code comes with its weights.

A local folder of the weights must have no dot in its name. Written from public uses of its interface; not run
here against the real weights.
"""

from __future__ import annotations

from typing import Any

VERSION = "1"


def load(parameters: dict[str, Any]) -> dict[str, Any]:
    from transformers import AutoModelForCausalLM

    weights = parameters["weights"]
    model: Any = AutoModelForCausalLM.from_pretrained(
        weights,
        attn_implementation="sdpa",
        moe_impl=parameters["moe"],
        moe_drop_tokens=True,
        torch_dtype="auto",
        device_map="auto",
        trust_remote_code=True,
    )
    model.load_tokenizer(weights)
    return {"model": model, "parameters": parameters}


def edit(state: dict[str, Any], image_path: str, instruction: str, seed: int, output_path: str) -> None:
    parameters = state["parameters"]
    _, pictures = state["model"].generate_image(
        prompt=instruction,
        image=[image_path],
        seed=seed,
        image_size="auto",
        infer_align_image_size=True,
        bot_task=parameters["task"],
        use_system_prompt=parameters["system_prompt"] or None,
        diff_infer_steps=parameters["steps"],
        verbose=0,
    )
    pictures[0].save(output_path)
