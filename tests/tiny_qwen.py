"""A whole Qwen2.5-VL that says one thing, whatever it is asked and shown: its weights are made by hand.

No layer adds anything, so the last token alone decides the next one, and the head maps each token of the
sentence to the one behind it.
"""

from __future__ import annotations

import string
from itertools import pairwise
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers
from tokenizers.decoders import Fuse

from late_import import torch, transformers

SPECIAL = ("<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>")


def save_tiny_qwen(folder: Path, *sentence: str) -> Path:
    """`sentence` in parts that each are one token; the model ends behind the last."""
    words = [*SPECIAL, "<unk>", *string.printable, *sentence]
    places = {word: place for place, word in enumerate(words)}
    _tokenizer(places, sentence).save_pretrained(folder)
    _model(places, ("\n", *sentence, "<|im_end|>")).save_pretrained(folder)
    transformers.Qwen2VLImageProcessorPil(
        size={"shortest_edge": 28 * 28, "longest_edge": 56 * 56}
    ).save_pretrained(folder)
    return folder


def _tokenizer(places: dict[str, int], sentence: tuple[str, ...]) -> transformers.PreTrainedTokenizerFast:
    letters = Tokenizer(models.WordLevel(places, unk_token="<unk>"))
    letters.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    letters.decoder = Fuse()
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=letters, unk_token="<unk>")
    made.add_special_tokens({"additional_special_tokens": list(SPECIAL)})
    made.add_tokens(list(sentence))
    return made


def _model(places: dict[str, int], chain: tuple[str, ...]) -> transformers.Qwen2_5_VLForConditionalGeneration:
    size = -(-len(places) // 16) * 16
    config = transformers.Qwen2_5_VLConfig(
        text_config={
            "vocab_size": len(places), "hidden_size": size, "intermediate_size": 16, "num_hidden_layers": 1,
            "num_attention_heads": 2, "num_key_value_heads": 2, "tie_word_embeddings": False,
            "rope_parameters": {
                "rope_type": "default", "mrope_section": [size // 16, size // 16, size // 8],
                "rope_theta": 10000.0,
            },
        },
        vision_config={
            "depth": 1, "hidden_size": 32, "intermediate_size": 32, "num_heads": 2, "out_hidden_size": size,
            "window_size": 56, "fullatt_block_indexes": [0],
        },
        image_token_id=places["<|image_pad|>"], vision_start_token_id=places["<|vision_start|>"],
    )  # fmt: skip
    torch.manual_seed(0)
    model = transformers.Qwen2_5_VLForConditionalGeneration(config)
    with torch.no_grad():
        for name, weight in model.model.language_model.layers.named_parameters():
            weight.fill_(1.0 if "norm" in name else 0.0)
        model.get_input_embeddings().weight.copy_(torch.eye(len(places), size))
        model.lm_head.weight.zero_()
        for before, after in pairwise(chain):
            model.lm_head.weight[places[after], places[before]] = 1.0
    return model
