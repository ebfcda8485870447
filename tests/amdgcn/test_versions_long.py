"""What the tests of the emulated NVIDIA GPU run, on emulated AMD GPUs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ..compiler.interpreter import interpret
from ..compiler.targets.test_cuda_emulated import (  # noqa: F401
    test_atomic_operations,
    test_atomic_operations_in_a_reduction,
    test_each_call_of_a_kernel_delivers_its_own_result,
    test_kinds_of_parameters,
    test_mathematical_functions,
    test_nan_and_ties_across_blocks,
    test_one_dimension,
    test_origins_and_partial_ranges,
    test_programs_bring_scalars_back,
    test_reductions,
    test_reductions_of_two_and_three_dimensions,
    test_sequential_bodies,
    test_two_dimensions,
)
from ..compiler.targets.test_teams import *  # noqa: F403
from .device import Device

pytestmark = pytest.mark.long


@pytest.fixture(params=["_narrow", ""])
def agree(request: pytest.FixtureRequest, gpu: Device) -> Any:
    """Run a team kernel in one version, and in the interpreter; every bit must agree."""

    def compare(one: Any, **arguments: Any) -> dict[str, Any]:
        gpu.only = request.param
        found = gpu.run(one, arguments)
        for name, wanted in interpret(one, arguments).items():
            if isinstance(wanted, np.ndarray):
                np.testing.assert_array_equal(found[name], wanted, err_msg=name)
        return found

    return compare
