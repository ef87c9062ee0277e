"""HTML in which every text is escaped, unless it is markup itself."""

from __future__ import annotations

from html import escape

_VOID = frozenset({"link", "meta", "img"})


class Markup(str):
    """Text that is HTML already."""


def element(tag: str, *children: str, **attributes: str | int | bool | None) -> Markup:
    """An element. An underscore at the end of an attribute's name is dropped, others become hyphens.

    >>> element("p", "a < b", element("b", "c"), class_="note", data_value=1, hidden=True, title=None)
    '<p class="note" data-value="1" hidden>a &lt; b<b>c</b></p>'
    """
    parts = [f"<{tag}"]
    for name, value in attributes.items():
        plain = name.rstrip("_").replace("_", "-")
        if value is True:
            parts.append(f" {plain}")
        elif value is not None and value is not False:
            parts.append(f' {plain}="{escape(str(value))}"')
    if tag in _VOID:
        return Markup("".join([*parts, ">"]))
    return Markup("".join([*parts, ">", joined(*children), f"</{tag}>"]))


def joined(*children: str) -> Markup:
    return Markup("".join(child if isinstance(child, Markup) else escape(child) for child in children))


def document(title: str, root: str, *body: str) -> str:
    """A page; `root` is the way from it to the site's folder, such as "../"."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element(
            "meta", http_equiv="Content-Security-Policy",
            content="default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'",
        ),
        element("title", title),
        element("link", rel="icon", href="data:,"),
        element("link", rel="stylesheet", href=f"{root}board.css"),
        element("script", src=f"{root}board.js", defer=True),
    )  # fmt: skip
    return f"<!doctype html>\n{element('html', head, element('body', *body), lang='en')}\n"
