"""SVG elements as text."""

from __future__ import annotations

from html import escape


def element(tag: str, *children: str, **attributes: str | float) -> str:
    """Return one element; attribute names are written with `_` for `-`, and `cls` for `class`.

    Text children must be escaped already: use `text` or `title`.
    """
    written = "".join(f' {_name(key)}="{_value(value)}"' for key, value in attributes.items())
    return f"<{tag}{written}>{''.join(children)}</{tag}>" if children else f"<{tag}{written}/>"


def text(x: float, y: float, content: str, **attributes: str | float) -> str:
    """Return a text element with its content escaped."""
    return element("text", escape(content), x=x, y=y, **attributes)


def title(content: str) -> str:
    """Return the tooltip of the element that it is put into."""
    return element("title", escape(content))


def picture(width: float, height: float, label: str, *children: str, cls: str = "chart") -> str:
    """Return a whole drawing that scales with its column and reads as `label` to a screen reader."""
    return element(
        "svg", *children, cls=cls, viewBox=f"0 0 {_value(width)} {_value(height)}", role="img", aria_label=label,
        style=f"max-width:{_value(width)}px",
    )  # fmt: skip


def _name(key: str) -> str:
    if key == "cls":
        return "class"
    return key if key == "viewBox" else key.replace("_", "-")


def _value(value: str | float) -> str:
    if isinstance(value, str):
        return escape(value)
    return f"{value:.2f}".rstrip("0").rstrip(".")
