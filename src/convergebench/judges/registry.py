"""Judges by name: `provider:model`, with `?setting=value&…`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from convergebench.errors import WrongUse, unknown_name
from convergebench.judges._call import JudgeKey
from convergebench.judges.base import FREE, Judge, JudgeFacts, TokenPrices
from convergebench.providers import check_no_secret
from convergebench.types import Parameter, parameter_in

MOST_TOKENS = 2048
PRICES = ("usd_per_million_in", "usd_per_million_out")
"""Settings that determine the cost of a judge, but not its answers."""

Build = Callable[[JudgeFacts], Judge]


@dataclass(frozen=True)
class Provider:
    """A provider of judges; its name precedes the colon in theirs."""

    summary: str
    build: Build
    version: str = "1"
    settings: Mapping[str, Parameter] = field(default_factory=dict)
    """Sent with every question, unless set to an empty value."""
    free: bool = False


def open_judge(name: str) -> Judge:
    """The judge with this name. Nothing is started or checked with its provider yet."""
    base, _, query = name.partition("?")
    prefix, _, model = base.partition(":")
    if prefix not in PROVIDERS:
        advice = f"a judge is named PROVIDER:MODEL, with one of {', '.join(PROVIDERS)}"
        raise unknown_name("judge provider", prefix, PROVIDERS, advice)
    if not model:
        raise WrongUse(f"{name!r} names no model; write {prefix}:MODEL")
    provider = PROVIDERS[prefix]
    given = dict(_setting(part, name) for part in query.split("&") if part)
    prices = _prices(name, given, FREE if provider.free else None)
    settings = {**provider.settings, **{key: value for key, value in given.items() if key not in PRICES}}
    shown = "&".join(part for part in query.split("&") if part and part.partition("=")[0] not in PRICES)
    full_name = f"{base}?{shown}" if shown else base
    return provider.build(JudgeFacts(full_name, provider.version, prefix, model, settings, prices))


def name_with_settings(name: str, settings: Mapping[str, Parameter]) -> str:
    """The judge's name followed by these settings, as `open_judge` parses it."""
    more = "&".join(f"{key}={value}" for key, value in settings.items())
    return f"{name}{'&' if '?' in name else '?'}{more}" if more else name


def _setting(part: str, name: str) -> tuple[str, Parameter]:
    key, equals, text = part.partition("=")
    if not equals:
        raise WrongUse(f"{part!r} in {name!r} is not a setting; write ?setting=value")
    check_no_secret(key, text)
    return key, parameter_in(text)


def _prices(name: str, given: Mapping[str, Parameter], otherwise: TokenPrices | None) -> TokenPrices | None:
    stated = [given[key] for key in PRICES if key in given]
    if not stated:
        return otherwise
    numbers = [float(one) for one in stated if isinstance(one, int | float) and one >= 0]
    if len(numbers) < len(PRICES):
        raise WrongUse(f"{name!r} must give both {' and '.join(PRICES)}, as numbers")
    return TokenPrices(*numbers)


def _openai_like(key: str, base_url: str | None, *, needs_key: bool) -> Build:
    def build(facts: JudgeFacts) -> Judge:
        from convergebench.judges.openai_chat import OpenAIChat

        chosen = str(facts.settings.get("base_url") or "") or base_url
        if chosen is None and facts.provider == "server":
            raise WrongUse(f"{facts.name} has no address; add ?base_url=http://HOST:PORT/v1")
        return OpenAIChat(facts, JudgeKey((key,)), chosen, needs_key=needs_key)

    return build


def _gemini(facts: JudgeFacts) -> Judge:
    from convergebench.judges.gemini import GeminiJudge

    return GeminiJudge(facts)


def _anthropic(facts: JudgeFacts) -> Judge:
    from convergebench.judges.anthropic import AnthropicJudge

    return AnthropicJudge(facts)


def _vllm(facts: JudgeFacts) -> Judge:
    from convergebench.judges.vllm import Vllm

    return Vllm(facts)


def _qwen_local(facts: JudgeFacts) -> Judge:
    from convergebench.judges.qwen_local import QwenLocal

    return QwenLocal(facts)


_LOCAL: Mapping[str, Parameter] = {"temperature": 0.0, "max_tokens": MOST_TOKENS}

PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        "a model at OpenAI",
        _openai_like("OPENAI_API_KEY", None, needs_key=True),
        settings={"max_completion_tokens": MOST_TOKENS},
    ),
    "gemini": Provider(
        "a Gemini model at Google",
        _gemini,
        settings={"temperature": 0.0, "max_output_tokens": 4 * MOST_TOKENS},
    ),
    "anthropic": Provider("a Claude model", _anthropic, settings={"max_tokens": MOST_TOKENS}),
    "dashscope": Provider(
        "a Qwen-VL model at DashScope",
        _openai_like(
            "DASHSCOPE_API_KEY", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", needs_key=True
        ),
        settings=_LOCAL,
    ),
    "vllm": Provider(
        "a model that vLLM serves here, started and stopped for you", _vllm, settings=_LOCAL, free=True
    ),
    "local": Provider(
        "a Qwen2.5-VL in this process, from a folder or the hub, such as EditRefine's",
        _qwen_local,
        settings={"temperature": 0.0, "max_tokens": 512, "device": "auto", "dtype": "auto"},
        free=True,
    ),
    "ollama": Provider(
        "a model in Ollama on this machine",
        _openai_like("OLLAMA_API_KEY", "http://127.0.0.1:11434/v1", needs_key=False),
        settings=_LOCAL,
        free=True,
    ),
    "lmstudio": Provider(
        "a model in LM Studio on this machine",
        _openai_like("LMSTUDIO_API_KEY", "http://127.0.0.1:1234/v1", needs_key=False),
        settings=_LOCAL,
        free=True,
    ),
    "server": Provider(
        "a model on any OpenAI-compatible server, as server:MODEL?base_url=http://HOST:PORT/v1",
        _openai_like("SERVER_API_KEY", None, needs_key=False),
        settings=_LOCAL,
    ),
}
