"""tinygrad's decoder of AMDGPU instructions, without what importing it does to the process."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

_LIMIT = sys.getrecursionlimit()
decode_inst: Any = import_module("tinygrad.renderer.amd").decode_inst
sys.setrecursionlimit(_LIMIT)  # tinygrad raises it for all: what nests too deeply would overflow the stack
