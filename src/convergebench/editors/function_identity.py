"""What identifies a Python function that was passed as a model: its code, and the simple values it uses.

Source text of the function and of the functions it calls in its own module, of an object the methods of its
class, default arguments, captured and global values that are numbers, texts, paths or truth values, alone, in
tuples or in dictionaries. Lists and other objects, such as loaded weights, are not looked into.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from numbers import Number
from pathlib import PurePath
from types import CodeType, FunctionType, MethodType
from typing import Any

_SIMPLE = (str, bytes, Number, PurePath, type(None))


def function_digest(function: Callable[..., Any]) -> str:
    """The same in every process, for the same code and values."""
    digest = hashlib.sha256()
    for part in _parts(function, set()):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:12]


def _parts(value: Any, seen: set[int]) -> Iterator[str]:
    if id(value) in seen:
        return
    text = _value_text(value)
    if text is not None:
        yield text
        return
    seen.add(id(value))
    if isinstance(value, functools.partial):
        for one in (value.func, *value.args, *(part for item in value.keywords.items() for part in item)):
            yield from _parts(one, seen)
    elif isinstance(value, MethodType):
        yield from _object_parts(value.__self__, seen)
        yield from _parts(value.__func__, seen)
    elif isinstance(value, FunctionType):
        yield from _function_parts(value, seen)
    elif callable(value) and not isinstance(value, type):
        yield from _object_parts(value, seen)
    else:
        yield _type_name(value)


def _object_parts(value: Any, seen: set[int]) -> Iterator[str]:
    """Its class's code and its simple attributes."""
    yield _type_name(value)
    for one in type(value).__mro__:
        if one.__module__ == type(value).__module__:
            yield from _class_parts(one, seen)
    yield from _named_values(getattr(value, "__dict__", {}))


def _class_parts(one: type, seen: set[int]) -> Iterator[str]:
    """A notebook has the source of functions, and not that of classes."""
    yield _source(one) or ""
    members = {name: getattr(member, "__func__", member) for name, member in vars(one).items()}
    yield from _named_values({name: value for name, value in members.items() if not name.startswith("__")})
    for _, member in sorted(members.items()):
        if isinstance(member, FunctionType):
            yield from _parts(member, seen)


def _named_values(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in sorted(values.items()):
        text = _value_text(value)
        if text is not None:
            yield f"{name}={text}"


def _value_text(value: Any) -> str | None:
    """Of a number or text, a tuple of them, or what a dictionary has of them; None for any other object.

    Not of a list: functions collect in lists what they have seen, and would be another model after each run.
    """
    if isinstance(value, _SIMPLE):
        return repr(value)
    if isinstance(value, tuple):
        texts = [_value_text(one) for one in value]
        return None if None in texts else f"{texts}"
    if isinstance(value, dict):
        return f"{list(_named_values({repr(key): one for key, one in value.items()}))}"
    return None


def _function_parts(function: FunctionType, seen: set[int]) -> Iterator[str]:
    yield _source(function) or _code_text(function.__code__)
    for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield from _parts(default, seen)
    found = inspect.getclosurevars(function)
    captured = {**found.nonlocals, **found.globals}
    yield from _named_values(captured)
    for _, value in sorted(captured.items()):
        if isinstance(value, FunctionType) and value.__module__ == function.__module__:
            yield from _parts(value, seen)


def _type_name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _source(thing: Any) -> str | None:
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):  # typed at a prompt, or made by exec
        return None


def _code_text(code: CodeType) -> str:
    return f"{code.co_code.hex()} {code.co_names} {[_constant_text(one) for one in code.co_consts]}"


def _constant_text(constant: Any) -> str:
    if isinstance(constant, CodeType):
        return _code_text(constant)
    if isinstance(constant, frozenset):  # the order of its repr is another one in each process
        return f"frozenset({sorted(map(repr, constant))})"
    return repr(constant)
