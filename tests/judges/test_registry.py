from __future__ import annotations

import pytest

from convergebench.errors import WrongUse
from convergebench.judges import open_judge
from convergebench.judges.base import TokenPrices


def test_settings_are_part_of_the_judge_and_prices_are_not() -> None:
    plain = open_judge("openai:gpt-x").facts
    warm = open_judge("openai:gpt-x?temperature=0.7").facts
    priced = open_judge("openai:gpt-x?usd_per_million_in=2&usd_per_million_out=8").facts
    assert plain.fingerprint == priced.fingerprint != warm.fingerprint
    assert (plain.prices, priced.prices) == (None, TokenPrices(2.0, 8.0))
    assert (priced.name, warm.name) == ("openai:gpt-x", "openai:gpt-x?temperature=0.7")


def test_a_thousand_tokens_read_and_a_hundred_written_cost_what_the_prices_say() -> None:
    assert TokenPrices(2.0, 8.0).cost_usd(1000, 100) == pytest.approx(0.0028)


def test_how_a_local_model_is_spread_over_gpus_does_not_make_it_another_judge() -> None:
    one, four = open_judge("vllm:q/vl"), open_judge("vllm:q/vl?tensor_parallel_size=4")
    assert one.facts.fingerprint == four.facts.fingerprint
    assert one.facts.fingerprint != open_judge("vllm:q/vl?quantization=fp8").facts.fingerprint


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("opnai:gpt-x", "no judge provider 'opnai'; did you mean openai"),
        ("gpt-x", "with one of openai, gemini"),
        ("openai:", "names no model"),
        ("server:vl", "add .base_url="),
        ("openai:gpt-x?temperature", "write .setting=value"),
        ("openai:gpt-x?usd_per_million_in=2", "both usd_per_million_in and usd_per_million_out"),
        ("server:vl?base_url=http://127.0.0.1:1/v1&api_key=abc", "api_key looks like an API key"),
        ("openai:gpt-x?Authorization=abc", "Authorization looks like an API key"),
        ("server:vl?base_url=http://me:abc@host/v1", "the address in base_url contains a login"),
    ],
)
def test_a_name_that_cannot_be_meant_says_why(name: str, said: str) -> None:
    with pytest.raises(WrongUse, match=said):
        open_judge(name)
