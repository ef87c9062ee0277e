"""CLIP's vision encoder, with fewer operations than in transformers for the same embeddings.

Queries, keys and values are one product; the last layer is computed only for the token that is used; and
x·σ(1.702·x), which takes three passes over memory, is one silu with its factors folded into the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_QUICK_GELU = 1.702


class _Linear(NamedTuple):
    weight: Tensor
    bias: Tensor

    def __call__(self, value: Tensor) -> Tensor:
        from torch.nn import functional

        return functional.linear(value.to(self.weight.dtype), self.weight, self.bias)

    def rows(self, start: int | None, stop: int | None) -> _Linear:
        return _Linear(self.weight[start:stop], self.bias[start:stop])

    def scaled(self, weights: float, biases: float) -> _Linear:
        return _Linear(self.weight * weights, self.bias * biases)

    def of_type(self, dtype: torch.dtype) -> _Linear:
        return _Linear(self.weight.to(dtype), self.bias.to(dtype))


class _Layer(NamedTuple):
    attention_norm: Callable[[Tensor], Tensor]
    queries_keys_values: _Linear
    attention_output: _Linear
    mlp_norm: Callable[[Tensor], Tensor]
    widen: _Linear
    activation: Callable[[Tensor], Tensor]
    narrow: _Linear

    def of_type(self, dtype: torch.dtype) -> _Layer:
        linear = ("queries_keys_values", "attention_output", "widen", "narrow")
        return self._replace(**{name: getattr(self, name).of_type(dtype) for name in linear})


class ClipTower:
    """Normalised pictures (N × 3 × side × side) to embeddings of unit length.

    In 32 bits; with products of another type, the residual stream and the norms stay in 32 bits.
    """

    def __init__(self, model: Any) -> None:
        vision = model.vision_model
        config = model.config.vision_config
        self.side: int = config.image_size
        self._heads: int = config.num_attention_heads
        self._patches = vision.embeddings.patch_embedding.weight.detach()
        self._first_token = vision.embeddings.class_embedding.detach()
        self._places = vision.embeddings.position_embedding.weight.detach()
        self._first_norm = vision.pre_layrnorm
        self._layers = [_layer(layer, config.hidden_act) for layer in vision.encoder.layers]
        self._last_norm, self._projection = vision.post_layernorm, model.visual_projection

    def of_type(self, dtype: torch.dtype) -> ClipTower:
        """The same tower with its products in another type."""
        other = copy(self)
        other._layers = [layer.of_type(dtype) for layer in self._layers]
        return other

    def __call__(self, pictures: Tensor) -> Tensor:
        import torch
        from torch.nn import functional

        with torch.inference_mode():
            tokens = self._first_norm(self._embedded(pictures))
            for layer in self._layers[:-1]:
                tokens = self._mixed(layer, tokens, tokens)
            first = self._mixed(self._layers[-1], tokens[:, :1], tokens)
            return functional.normalize(self._projection(self._last_norm(first[:, 0])), dim=-1)

    def _embedded(self, pictures: Tensor) -> Tensor:
        """The class token, then one per patch: by a product, because cuDNN's convolution may use less than 32
        bits."""
        import torch

        count, channels, height, width = pictures.shape
        side = self._patches.shape[-1]
        tiled = pictures.reshape(count, channels, height // side, side, width // side, side)
        patches = tiled.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2) @ self._patches.flatten(1).T
        tokens: Tensor = torch.cat([self._first_token.expand(count, 1, -1), patches], dim=1) + self._places
        return tokens

    def _mixed(self, layer: _Layer, asking: Tensor, tokens: Tensor) -> Tensor:
        """The output of the layer for the query tokens, which are the first tokens."""
        asking = asking + layer.attention_output(self._attended(layer, asking.shape[1], tokens))
        return asking + layer.narrow(layer.activation(layer.widen(layer.mlp_norm(asking))))

    def _attended(self, layer: _Layer, asking: int, tokens: Tensor) -> Tensor:
        from torch.nn import functional

        normed = layer.attention_norm(tokens)
        width = normed.shape[-1]
        if asking == normed.shape[1]:
            queries, keys, values = self._by_head(layer.queries_keys_values(normed))
        else:
            (queries,) = self._by_head(layer.queries_keys_values.rows(None, width)(normed[:, :asking]))
            keys, values = self._by_head(layer.queries_keys_values.rows(width, None)(normed))
        attended = functional.scaled_dot_product_attention(queries, keys, values)
        return attended.transpose(1, 2).reshape(-1, asking, width)

    def _by_head(self, value: Tensor) -> Tensor:
        """Queries, keys and values, or some of them: each pictures × heads × tokens × values."""
        pictures, tokens, _ = value.shape
        size = self._first_norm.normalized_shape[0] // self._heads
        return value.view(pictures, tokens, -1, self._heads, size).permute(2, 0, 3, 1, 4)


def _layer(layer: Any, activation: str) -> _Layer:
    import torch
    from torch.nn import functional

    def linear(*modules: Any) -> _Linear:
        parts = ([getattr(one, name).detach() for one in modules] for name in ("weight", "bias"))
        return _Linear(*(torch.cat(part) if len(part) > 1 else part[0] for part in parts))

    def silu(value: Tensor) -> Tensor:
        return functional.silu(value, inplace=True)

    attention, mlp = layer.self_attn, layer.mlp
    widen, active, narrow = linear(mlp.fc1), mlp.activation_fn, linear(mlp.fc2)
    if activation == "quick_gelu":
        factor = _QUICK_GELU
        widen, active, narrow = widen.scaled(factor, factor), silu, narrow.scaled(1 / factor, 1)
    fused = linear(attention.q_proj, attention.k_proj, attention.v_proj)
    return _Layer(
        layer.layer_norm1, fused, linear(attention.out_proj), layer.layer_norm2, widen, active, narrow
    )
