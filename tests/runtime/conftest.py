"""Tests of the runtime run on every device of this machine that is no GPU."""

from __future__ import annotations

import pytest

import oxidepy as ox


@pytest.fixture(params=["cpu", "interp"])
def ctx(request: pytest.FixtureRequest) -> ox.Context:
    return ox.Context(request.param)


@pytest.fixture
def stream(ctx: ox.Context) -> ox.Stream:
    return ctx.new_stream()
