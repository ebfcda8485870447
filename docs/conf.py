"""How Sphinx makes the site of these pages: `python -m sphinx -W -b html docs build/site`. No network is used."""

import datetime
from importlib import metadata

try:
    release = metadata.version("kparity")
except metadata.PackageNotFoundError:
    release = ""

project = "kparity"
copyright = f"{datetime.date.today().year}, the authors of kparity"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
nitpicky = True
exclude_patterns = ["examples"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4  # `gate.md#rules`, as the pages' readers elsewhere have them

html_theme = "furo"
html_title = "kparity"
html_show_sourcelink = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
