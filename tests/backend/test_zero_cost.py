"""A proven kernel costs nothing: its PTX has the loads, stores and branches of the one without any bounds checks."""

# pyright: basic
from __future__ import annotations

import re
from collections import Counter

import pytest
from loading import ROOT, load
from runtime.test_hoisted import row_sums

from oxidepy.backend.targets import nvptx_target
from oxidepy.compiler.driver import Compiled, compile_kernel
from oxidepy.lang.definition import Specialisation
from oxidepy.runtime.kernel import Kernel
from oxidepy.settings.options import CodegenOptions

simt = load(ROOT / "benchmarks" / "simt_kernels.py")


def compiled(one: Kernel[...], *, unchecked: bool) -> Compiled:
    options = CodegenOptions(unchecked_indexing=unchecked)
    return compile_kernel(one.definition, Specialisation(), nvptx_target("sm_90a"), options, usual=True)


def work(made: Compiled) -> Counter[str]:
    """How many loads, stores, branches and comparisons there are, each kind apart."""
    return Counter(re.findall(r"^\s*(?:@!?%\w+\s+)?((?:ld|st|bra|setp)[\w.:]*)", made.artefact.code.decode(), re.MULTILINE))


@pytest.mark.parametrize("one", (simt.matmul, simt.stencil, row_sums), ids=lambda one: one.name)
def test_a_proven_kernel_is_the_one_without_checks(one: Kernel[...]) -> None:
    proven, unchecked = compiled(one, unchecked=False), compiled(one, unchecked=True)
    assert not proven.artefact.panic and proven.checked.checked == 0 and proven.checked.proven + proven.checked.hoisted > 0
    assert work(proven) == work(unchecked) and work(proven)["bra"] + work(proven)["bra.uni"] > 0
