"""Native baselines: the suites' kernels in C++, compiled against the checked kernels' argument blocks.

`build` compiles one kernel for one target, `build_many` several at once. The result answers to the same launch protocol
as a compiled checked program.
"""

from __future__ import annotations

from .baseline import Baseline
from .build import Request, build, build_many
from .code_objects import code_objects
from .hip_toolchain import hip_compiler
from .recipe import Options
from .resources import Resources, readable_name
from .sources import BuildError, find_source
from .toolchain import cpp_compiler, cuda_compiler, openmp_compiler

__all__ = [
    "Baseline", "BuildError", "Options", "Request", "Resources", "build", "build_many", "code_objects", "cpp_compiler",
    "cuda_compiler", "find_source", "hip_compiler", "openmp_compiler", "readable_name",
]  # fmt: skip
