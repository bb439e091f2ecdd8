"""What a kernel means is tested on every device."""

from __future__ import annotations

import pytest

import oxidepy as ox


@pytest.fixture(params=["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def stream(request: pytest.FixtureRequest) -> ox.Stream:
    return ox.Context(request.param).default_stream()
