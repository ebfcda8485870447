"""kparity's checked kernel compiler: kernels in Python syntax with Rust-like borrows, for the CPU and NVIDIA GPUs.

Everything public is here; inner modules are not for import from outside.
"""

from __future__ import annotations

from .compile import Compiled, KernelReport, compile_program, manifest_of
from .decorators import Kernel, Program, kernel, program
from .diagnostics.diagnostic import CompileError, Diagnostic
from .diagnostics.json_form import as_json as diagnostic_as_json
from .diagnostics.pages import UnknownCode, error_codes, error_page, error_title
from .diagnostics.render import render as render_diagnostic
from .diagnostics.syntax_error import syntax_error
from .errors import DeviceError, KparityError, LaunchError, TargetUnavailable
from .frontend.language import (
    And,
    Atomic,
    Max,
    MaxLoc,
    Min,
    MinLoc,
    Mut,
    Or,
    Out,
    Prod,
    Ref,
    Sum,
    atan,
    atan2,
    cbrt,
    ceil,
    ceildiv,
    copysign,
    cos,
    exp,
    f32,
    f64,
    floor,
    fma,
    i32,
    i64,
    log,
    parallel,
    pow,
    repetition,
    require,
    sin,
    sqrt,
    tan,
    tanh,
    trunc,
    u32,
    u64,
)
from .runtime.devices import Device, device
from .runtime.executable import Bound, Executable
from .runtime.manifest import Manifest, Parameter
from .runtime.native import NativeProgram
from .targets import cuda_tools
from .targets.registry import targets

__all__ = [
    "And",
    "Atomic",
    "Bound",
    "CompileError",
    "Compiled",
    "Device",
    "DeviceError",
    "Diagnostic",
    "Executable",
    "Kernel",
    "KernelReport",
    "KparityError",
    "LaunchError",
    "Manifest",
    "Max",
    "MaxLoc",
    "Min",
    "MinLoc",
    "Mut",
    "NativeProgram",
    "Or",
    "Out",
    "Parameter",
    "Prod",
    "Program",
    "Ref",
    "Sum",
    "TargetUnavailable",
    "UnknownCode",
    "atan",
    "atan2",
    "cbrt",
    "ceil",
    "ceildiv",
    "compile_program",
    "copysign",
    "cos",
    "cuda_tools",
    "device",
    "diagnostic_as_json",
    "error_codes",
    "error_page",
    "error_title",
    "exp",
    "f32",
    "f64",
    "floor",
    "fma",
    "i32",
    "i64",
    "kernel",
    "log",
    "manifest_of",
    "parallel",
    "pow",
    "program",
    "render_diagnostic",
    "repetition",
    "require",
    "sin",
    "sqrt",
    "syntax_error",
    "tan",
    "tanh",
    "targets",
    "trunc",
    "u32",
    "u64",
]  # fmt: skip
