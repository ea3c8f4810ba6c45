"""A small SVG writer: what comes from tokens goes through `escaped`, and nothing else makes text or attributes."""

from __future__ import annotations

from html import escape

Value = str | float
_CONTAINERS = ("svg", "g")


def escaped(text: str) -> str:
    r"""Text for XML: markup is escaped, and characters that XML has no place for are written out.

    >>> print(escaped("<script>&]]>"), escaped("\x00\n"))
    &lt;script&gt;&amp;]]&gt; \x00\n
    """
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return escape(plain, quote=True)


def number(value: float) -> str:
    """A coordinate with at most two decimals.

    >>> number(1.0), number(0.126), number(-0.001)
    ('1', '0.13', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(name: str, *inside: str, **attributes: Value) -> str:
    """An element; `inside` is finished markup. A trailing underscore is dropped from names, others become hyphens.

    >>> element("text", escaped("a<b"), class_="word", x=1.5, text_anchor="end")
    '<text class="word" x="1.5" text-anchor="end">a&lt;b</text>'
    """
    given = "".join(f' {_name(key)}="{_value(value)}"' for key, value in attributes.items())
    between = "\n" if name in _CONTAINERS else ""  # one element a line, so that a golden picture's change can be read
    return f"<{name}{given}>{between.join(inside)}</{name}>" if inside else f"<{name}{given}/>"


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: Value) -> str:
    return escaped(value) if isinstance(value, str) else number(value)


def words(parts: list[tuple[str, str]], x: float, y: float, anchor: str = "start") -> str:
    """One line of text from (class, text) parts."""
    spans = [element("tspan", escaped(text), class_=kind) for kind, text in parts]
    placed = {} if anchor == "start" else {"text_anchor": anchor}
    return element("text", *spans, x=x, y=y, **placed)
